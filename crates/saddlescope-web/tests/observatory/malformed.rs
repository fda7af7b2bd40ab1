//! Requests that are wrong in every way that chance finds: the server answers, refuses, and lives on.

use std::io::Write;

use saddlescope::numeric::random::{Purpose, Stream};
use serde_json::json;

use crate::client::{Reply, Site};

/// How many requests are changed at random places; more of them in the full tests.
fn cases() -> u64 {
    if std::env::var_os("SADDLESCOPE_FULL").is_some() { 4000 } else { 200 }
}

fn below(stream: &mut Stream, most: usize) -> usize {
    stream.below(most.max(1) as u64) as usize
}

/// A text with some bytes changed, left out, doubled or cut off.
fn mutated(text: &[u8], stream: &mut Stream) -> Vec<u8> {
    let mut bytes = text.to_vec();
    for _ in 0..1 + below(stream, 6) {
        let at = below(stream, bytes.len());
        if bytes.is_empty() {
            break;
        }
        match below(stream, 6) {
            0 => bytes[at] = below(stream, 256) as u8,
            1 => drop(bytes.remove(at)),
            2 => bytes.insert(at, bytes[at]),
            3 => bytes.truncate(at),
            4 => bytes[at] = b"\0\r\n{}[]\":,\\/.-e9"[below(stream, 16)],
            _ => {
                let part = bytes[at..].to_vec();
                bytes.extend(part);
            }
        }
    }
    bytes
}

#[test]
fn whatever_comes_over_the_wire_the_server_lives_on() {
    let site = Site::with(|options| options.time = std::time::Duration::from_secs(2));
    let body = json!({"system": "linear-attention", "set": {"dynamics.until": "10.0"}}).to_string();
    let request = format!(
        "POST /api/live HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
        site.address,
        body.len()
    );
    for case in 0..cases() {
        let mut stream = Stream::new(7, Purpose::Perturbation, case);
        let bytes = mutated(request.as_bytes(), &mut stream);
        let mut connection = site.connect();
        let _ = connection.write_all(&bytes);
        // Nothing more will come: what is missing stays missing.
        let _ = connection.shutdown(std::net::Shutdown::Write);
        let reply = Reply::read(connection);
        let known = [0, 200, 400, 403, 404, 405, 408, 411, 413, 414, 415, 422, 431, 501, 505];
        assert!(known.contains(&reply.status), "case {case}: {reply:?}");
    }
    assert_eq!(site.get("/api/about").status, 200);
}

#[test]
fn whatever_json_comes_the_answer_is_words() {
    let site = Site::with(|options| options.time = std::time::Duration::from_secs(2));
    let view = json!({
        "system": "linear-attention", "set": {"dynamics.until": "10.0", "system.rank": 1},
        "runs": [{"label": "a", "set": {"seed": 1}}], "panels": [{"y": ["loss"], "x_range": [1.0, 2.0]}],
    });
    let text = view.to_string();
    for case in 0..cases() {
        let mut stream = Stream::new(8, Purpose::Perturbation, case);
        let bytes = mutated(text.as_bytes(), &mut stream);
        let place = ["live", "saddles", "export/toml", "export/svg", "export/command"]
            [below(&mut stream, 5)];
        let path = format!("/api/{place}");
        let reply = site.ask("POST", &path, &[("Content-Type", "application/json")], &bytes);
        match reply.status {
            200 => {}
            400 | 404 | 422 => {
                let words = reply.json()["error"].as_str().unwrap_or_default().to_owned();
                assert!(
                    words.len() > 5 && !words.contains("itself failed"),
                    "case {case}: {path} {words:?} for {}",
                    String::from_utf8_lossy(&bytes)
                );
            }
            status => panic!("case {case}: {path} answers {status}: {}", reply.text()),
        }
    }
}
