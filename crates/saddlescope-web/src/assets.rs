//! The page itself: built files, embedded in the program.

use std::sync::LazyLock;

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, Response, StatusCode, header};
use axum::response::IntoResponse;
use sha2::{Digest, Sha256};

use crate::answer::{Refusal, of_type};

/// A file of the page.
struct Asset {
    name: &'static str,
    kind: &'static str,
    bytes: &'static [u8],
    /// Changes when the bytes do, so that browsers ask for a file again only then.
    tag: String,
}

macro_rules! assets {
    ($($name:literal: $kind:literal),+ $(,)?) => {
        [$(($name, $kind, &include_bytes!(concat!("../dist/", $name))[..])),+]
    };
}

static ASSETS: LazyLock<Vec<Asset>> = LazyLock::new(|| {
    let files: [(&str, &str, &[u8]); 7] = assets!(
        "index.html": "text/html; charset=utf-8",
        "theme.js": "text/javascript; charset=utf-8",
        "app.js": "text/javascript; charset=utf-8",
        "app.css": "text/css; charset=utf-8",
        "mathematics.js": "text/javascript; charset=utf-8",
        "mathematics.css": "text/css; charset=utf-8",
        "text.woff2": "font/woff2",
    );
    let asset = |(name, kind, bytes): (&'static str, &'static str, &'static [u8])| {
        let digest = Sha256::digest(bytes);
        let tag: String = digest[..8].iter().map(|byte| format!("{byte:02x}")).collect();
        Asset { name, kind, bytes, tag: format!("\"{tag}\"") }
    };
    files.into_iter().map(asset).collect()
});

/// The page, whatever view of it is asked for.
pub(crate) fn page(headers: &HeaderMap) -> Response<Body> {
    file("index.html", headers)
}

/// A file of the page.
pub(crate) fn file(name: &str, headers: &HeaderMap) -> Response<Body> {
    let Some(asset) = ASSETS.iter().find(|asset| asset.name == name) else {
        return Refusal::missing(format!("the page has no file `{name}`")).into_response();
    };
    let known = headers.get(header::IF_NONE_MATCH).and_then(|value| value.to_str().ok());
    let mut response = if known.is_some_and(|tags| tags.contains(&asset.tag)) {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        of_type(asset.kind, asset.bytes)
    };
    let headers = response.headers_mut();
    if let Ok(tag) = HeaderValue::from_str(&asset.tag) {
        headers.insert(header::ETAG, tag);
    }
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}
