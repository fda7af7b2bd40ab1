//! Who may ask, and what no request can do.

use std::io::{Read, Write};

use crate::client::{Reply, Site};

#[test]
fn only_our_own_page_under_our_own_name_may_ask() {
    let site = Site::new();
    let port = site.address.port();
    let local = format!("localhost:{port}");
    let evil = format!("evil.example:{port}");
    let status = |headers: &[(&str, &str)]| site.ask("GET", "/api/about", headers, b"").status;
    assert_eq!(status(&[("Host", &local)]), 200);
    assert_eq!(status(&[("Host", &evil)]), 403);
    assert_eq!(status(&[("Host", &local), ("Origin", "http://evil.example")]), 403);
    assert_eq!(status(&[("Host", &local), ("Origin", &format!("http://{local}"))]), 200);
    assert_eq!(status(&[("Host", &local), ("Sec-Fetch-Site", "cross-site")]), 403);
    let body = b"{\"system\": \"linear-attention\"}";
    let form = site.ask("POST", "/api/live", &[("Content-Type", "text/plain")], body);
    assert_eq!(form.status, 400, "forms of other pages have no JSON");
}

#[test]
fn every_answer_keeps_the_page_to_itself() {
    let site = Site::new();
    for path in ["/", "/live/linear-attention", "/assets/app.js", "/api/about", "/nowhere"] {
        let reply = site.get(path);
        let policy = reply.header("content-security-policy").unwrap();
        assert!(policy.contains("default-src 'self'") && !policy.contains("script-src"));
        assert_eq!(reply.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(reply.header("access-control-allow-origin"), None);
    }
    assert_eq!(site.get("/nowhere").status, 404);
    assert_eq!(site.get("/assets/../Cargo.toml").status, 404);
    assert_eq!(site.get("/assets/%2e%2e%2fCargo.toml").status, 404);
}

#[test]
fn an_unchanged_file_is_not_sent_again() {
    let site = Site::new();
    let tag = site.get("/assets/app.js").header("etag").unwrap().to_owned();
    let again = site.ask("GET", "/assets/app.js", &[("If-None-Match", &tag)], b"");
    assert_eq!((again.status, again.body.len()), (304, 0));
}

#[test]
fn a_body_has_a_largest_size() {
    let site = Site::new();
    let json = ("Content-Type", "application/json");
    let reply = site.ask("POST", "/api/live", &[json], &vec![b' '; (1 << 20) + 1]);
    assert_eq!(reply.status, 413);
}

/// Both wait for the server's patience to end, side by side.
#[test]
fn whoever_does_not_end_what_he_says_is_let_go() {
    let site = Site::new();
    let mut head = site.connect_and_say("GET / HTTP/1.1\r\nHost: ");
    let body = site.connect_and_say(&format!(
        "POST /api/live HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{{",
        site.address
    ));
    // The connection is closed by the other side, with or without a word.
    let read = head.read_to_end(&mut Vec::new());
    assert!(read.is_ok(), "{read:?}");
    let reply = Reply::read(body);
    assert_eq!(reply.status, 408, "{}", reply.text());
}

#[test]
fn only_what_means_something_is_done() {
    let site = Site::new();
    for method in ["PUT", "DELETE"] {
        assert_eq!(site.ask(method, "/", &[], b"").status, 405);
    }
    let two = [("Host", "localhost"), ("Host", "evil.example")];
    assert_eq!(site.ask("GET", "/api/about", &two, b"").status, 403);
}

#[test]
fn many_silent_connections_leave_room_for_others() {
    let site = Site::new();
    let silent: Vec<_> = (0..200).map(|_| site.connect()).collect();
    assert_eq!(site.get("/api/about").status, 200);
    drop(silent);
    let without_host = site.connect_and_say("GET /api/about HTTP/1.0\r\n\r\n");
    assert_eq!(Reply::read(without_host).status, 403);
}

impl Site {
    fn connect_and_say(&self, words: &str) -> std::net::TcpStream {
        let mut stream = self.connect();
        stream.write_all(words.as_bytes()).unwrap();
        stream
    }
}
