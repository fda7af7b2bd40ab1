//! Who may ask: pages of our own, under names of this machine.
//!
//! A page from elsewhere can make a browser ask a server on this machine, under a name of its own choice even. So requests
//! count only under our names, and only from our page.

use std::net::IpAddr;

use axum::body::to_bytes;
use axum::extract::Request;
use axum::http::{HeaderName, Method};
use axum::middleware::Next;
use axum::response::IntoResponse;

use tokio::time::timeout;

use crate::prelude::*;
use crate::server::PATIENCE;

const LARGEST_BODY: usize = 1 << 20;

/// The names under which this machine is asked.
#[derive(Debug, Clone)]
pub(crate) struct Names {
    address: SocketAddr,
    more: Arc<[String]>,
}

impl Names {
    /// Names of a server at `address`, and `more` of them.
    pub(crate) fn new(address: SocketAddr, more: &[String]) -> Self {
        Self { address, more: more.iter().map(|name| name.to_ascii_lowercase()).collect() }
    }

    /// Whether `host`, with or without a port, is this server.
    fn have(&self, host: &str) -> bool {
        let host = host.to_ascii_lowercase();
        let (name, port) = match host.rsplit_once(':') {
            Some((name, port)) if !port.contains(']') => (name, port.parse().ok()),
            _ => (host.as_str(), Some(80)),
        };
        // Behind a proxy with a name of its own, the port is the proxy's.
        if self.more.iter().any(|more| more == name) {
            return true;
        }
        let bare = name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(name);
        let ip = bare.parse::<IpAddr>();
        // An address in figures cannot be turned to another machine's, as a name can.
        let is_own = ip.is_ok_and(|ip| {
            ip.is_loopback() || ip == self.address.ip() || self.address.ip().is_unspecified()
        });
        port == Some(self.address.port()) && (name == "localhost" || is_own)
    }

    /// Refuses a request that is not for this server, or not from its page.
    fn check(&self, method: &Method, headers: &HeaderMap) -> Result<(), Refusal> {
        let text = |name: HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
        let hosts = headers.get_all(header::HOST).iter().count();
        let (Some(host), 1) = (text(header::HOST), hosts) else {
            return Err(Refusal::forbidden(format!("the request names {hosts} hosts, not one")));
        };
        if !self.have(host) {
            let words = format!(
                "this server is not `{host}`; ask it as localhost, or allow the name with --allow-host"
            );
            return Err(Refusal::forbidden(words));
        }
        if let Some(origin) = text(header::ORIGIN) {
            let from = origin.split_once("://").map_or(origin, |(_, host)| host);
            if !self.have(from) {
                return Err(Refusal::forbidden(format!("pages of {origin} may not ask here")));
            }
        }
        let site = text(HeaderName::from_static("sec-fetch-site"));
        let foreign = site == Some("cross-site");
        let link = text(HeaderName::from_static("sec-fetch-mode")) == Some("navigate");
        // A link on another page may lead here; its scripts, pictures and forms may not.
        if foreign && !(link && method == Method::GET) {
            return Err(Refusal::forbidden("other pages may link here, nothing more"));
        }
        let json = text(header::CONTENT_TYPE)
            .and_then(|kind| kind.split(';').next())
            .is_some_and(|kind| kind.trim() == "application/json");
        if method == Method::POST && !json {
            return Err(Refusal::malformed("a request with a body has the type application/json"));
        }
        Ok(())
    }
}

/// What a page of ours may load, and from where: from here alone.
const POLICY: &str = "default-src 'self'; img-src 'self' data: blob:; style-src 'self' 'unsafe-inline'; \
     font-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/// Lets a request pass or refuses it, and puts on every answer what browsers must know.
pub(crate) async fn guard(names: Names, request: Request, next: Next) -> Response<Body> {
    let mut response = match passed(&names, request).await {
        Ok(request) => next.run(request).await,
        Err(refusal) => refusal.into_response(),
    };
    let headers = response.headers_mut();
    let always = [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    ];
    for (name, value) in always {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
    response
}

/// A request that may pass, with all of its body, if that comes in time and is not too large.
async fn passed(names: &Names, request: Request) -> Result<Request, Refusal> {
    names.check(request.method(), request.headers())?;
    let (parts, body) = request.into_parts();
    let bytes = timeout(PATIENCE, to_bytes(body, LARGEST_BODY)).await.map_err(|_| {
        let words = format!("the body did not come within {} seconds", PATIENCE.as_secs());
        Refusal::new(StatusCode::REQUEST_TIMEOUT, words)
    })?;
    let bytes = bytes.map_err(|_| {
        let words = format!("the body broke off, or has more than {} KiB", LARGEST_BODY >> 10);
        Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, words)
    })?;
    Ok(Request::from_parts(parts, bytes.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(address: &str) -> Names {
        Names::new(address.parse().unwrap(), &["Lab.example".to_owned()])
    }

    #[test]
    fn only_names_of_this_machine_are_ours() {
        let local = names("127.0.0.1:7233");
        for host in [
            "localhost:7233",
            "127.0.0.1:7233",
            "[::1]:7233",
            "LOCALHOST:7233",
            "lab.example",
            "lab.example:443",
        ] {
            assert!(local.have(host), "{host}");
        }
        for host in [
            "evil.example:7233",
            "localhost",
            "localhost:80",
            "127.0.0.1:1",
            "192.168.0.7:7233",
            "",
            "localhost.evil.example:7233",
            "localhost:7233.evil",
            "[[::1]]:7233",
        ] {
            assert!(!local.have(host), "{host}");
        }
        let open = names("0.0.0.0:7233");
        assert!(open.have("192.168.0.7:7233") && !open.have("evil.example:7233"));
    }

    #[test]
    fn pages_from_elsewhere_may_link_and_nothing_more() {
        let names = names("127.0.0.1:7233");
        let refused = |method: Method, extra: &[(&'static str, &'static str)]| {
            let mut headers = HeaderMap::new();
            headers.insert("host", HeaderValue::from_static("localhost:7233"));
            for (name, value) in extra {
                headers.insert(*name, HeaderValue::from_static(value));
            }
            names.check(&method, &headers).is_err()
        };
        let json = ("content-type", "application/json");
        let (cross, link) = (("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "navigate"));
        assert!(!refused(Method::GET, &[]));
        assert!(!refused(Method::POST, &[json, ("origin", "http://localhost:7233")]));
        assert!(!refused(Method::GET, &[cross, link]));
        assert!(refused(Method::POST, &[json, ("origin", "http://evil.example")]));
        assert!(refused(Method::POST, &[json, ("origin", "null")]));
        assert!(refused(Method::POST, &[("content-type", "text/plain")]));
        assert!(refused(Method::GET, &[cross, ("sec-fetch-mode", "no-cors")]));
        assert!(refused(Method::POST, &[json, cross, link]));
    }
}
