//! Papers over the wire: claims and figures, and both made anew.

use std::io::BufReader;
use std::time::Duration;

use serde_json::json;

use crate::client::{Site, chunk};

#[test]
fn papers_tell_claims_and_where_pictures_are() {
    let runs = tempfile::tempdir().unwrap();
    let place = runs.path().join("linear-attention/fig3");
    std::fs::create_dir_all(&place).unwrap();
    std::fs::write(place.join("figure.svg"), "<svg/>").unwrap();
    let site = Site::over(runs.path());
    let papers = site.json("/api/papers");
    assert_eq!(papers.as_array().unwrap().len(), 5);
    let paper = site.json("/api/papers/linear-attention");
    let picture = |name: &str| {
        let all = paper["experiments"].as_array().unwrap();
        all.iter().find(|one| one["name"] == name).unwrap()["picture"].clone()
    };
    assert_eq!(picture("linear-attention/fig3")["from"], "runs");
    assert_eq!(picture("linear-attention/fig1")["from"], "book");
    assert!(picture("linear-attention/fig5").is_null());
    for from in ["linear-attention/fig3", "linear-attention/fig1"] {
        let address = picture(from)["address"].as_str().unwrap().to_owned();
        let reply = site.get(&address);
        assert_eq!((reply.status, reply.header("content-type")), (200, Some("image/svg+xml")));
        assert!(reply.header("content-security-policy").unwrap().starts_with("sandbox"));
    }
    assert_eq!(site.get("/api/papers/no-paper").status, 404);
    assert_eq!(site.get("/pictures/no-picture.svg").status, 404);
}

#[test]
fn a_claim_is_checked_now() {
    let site = Site::new();
    let end = site.post("/api/check", &json!({"id": "linear-attention/eq-24c"})).end();
    let claim = &end.head["claim"];
    assert_eq!(claim["verdict"], claim["recorded"]);
    assert!(!claim["printed"].as_array().unwrap().is_empty());
    let wrong = json!({"id": "linear-attention/eq-24d"});
    site.post("/api/check", &wrong).refused(404, "near it");
    site.post("/api/check", &json!({"id": 7})).refused(400, "expected a string");
}

#[test]
fn a_figure_is_made_here_with_progress() {
    let site = Site::new();
    let reply = site.post("/api/reproduce", &json!({"name": "linear-attention/fig1"}));
    let first = &reply.frames()[0];
    assert_eq!((first.kind(), first.head["total"].as_u64()), ("progress", Some(6)));
    let end = &reply.end().head;
    assert!(end["svg"].as_str().unwrap().starts_with("<svg"));
    assert!(end["table"]["columns"].as_array().unwrap().iter().any(|one| one["name"] == "seed"));
    assert_eq!(site.post("/api/reproduce", &json!({"name": "no/fig"})).status, 404);
}

#[test]
fn a_figure_that_takes_too_long_or_that_nobody_waits_for_ends() {
    // On a busy machine, the first second may show nothing.
    let (seconds, reply) = (0..10)
        .map(|doublings| {
            let seconds = 1 << doublings;
            let site = Site::with(|options| options.time = Duration::from_secs(seconds));
            (seconds, site.post("/api/reproduce", &json!({"name": "sparse-markov/fig2"})))
        })
        .find(|(_, reply)| reply.status == 200)
        .unwrap();
    let last = &reply.frames().pop().unwrap().head;
    let words = format!("stopped after {seconds} seconds");
    assert!(last["kind"] == "failed" && last["error"].as_str().unwrap().contains(&words), "{last}");

    let site = Site::new();
    // More of them than run at once: if they did not end, the last would find no place.
    for _ in 0..24 {
        let stream = site.begin("/api/reproduce", &json!({"name": "scan-and-snap/fig7"}));
        drop(chunk(&mut BufReader::new(stream)));
    }
    site.post("/api/live", &json!({"system": "linear-attention"})).end();
}
