//! Live systems: the numbers that `run` gives, sent as they come, and stopped when nobody waits.

use std::collections::BTreeMap;
use std::io::BufReader;
use std::time::Duration;

use saddlescope::record::Control;
use saddlescope_lab::experiment::Experiment;
use saddlescope_lab::run::Run;
use serde_json::{Value, json};

use crate::client::{Site, chunk, registry};

/// The same run without any server.
fn by_hand(system: &str, set: &[&str]) -> (Vec<f64>, Vec<f64>) {
    let text = format!("[system]\nname = \"{system}\"\n");
    let experiment = Experiment::from_text("by hand", &text, set, &registry()).unwrap();
    let run = Run::new(&experiment).unwrap();
    let finished = run.execute(|_, _| Control::Continue);
    let trajectory = finished.trajectory;
    (trajectory.time().to_vec(), trajectory.get("loss").unwrap().data().to_vec())
}

#[test]
fn a_live_run_has_the_bits_of_the_same_run() {
    let site = Site::new();
    for (system, set) in [
        ("linear-attention", &["system.rank=2", "start.scale=0.02", "seed=3"][..]),
        ("associative-recall", &["start.beta=[0.2, 0.1, 0.05]"]),
        ("ngram-to-induction", &["system.length=60", "system.alpha_star=2.0"]),
        ("scan-and-snap", &["system.eta_z=2.0", "dynamics.until=50.0"]),
        ("sparse-markov", &["system.ratio=1.5", "dynamics.until=300.0"]),
        ("linear-attention", &["dynamics.kind=reduced"]),
        ("linear-attention", &["dynamics.kind=gd", "dynamics.rate=0.5", "dynamics.steps=900"]),
    ] {
        let pairs = set.iter().map(|pair| pair.split_once('=').unwrap());
        let pairs: BTreeMap<&str, &str> = pairs.collect();
        let reply = site.post("/api/live", &json!({"system": system, "set": pairs})).well();
        assert_eq!(reply.frames()[0].kind(), "problem");
        let end = reply.end();
        let (time, loss) = by_hand(system, set);
        let bits = |list: &[f64]| list.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&end.column("time")), bits(&time), "{system} {set:?}");
        assert_eq!(bits(&end.column("loss")), bits(&loss), "{system} {set:?}");
        assert!(end.head["facts"]["hash"].as_str().unwrap().len() == 64);
    }
}

#[test]
fn what_was_asked_for_is_recorded_and_what_fits_nothing_is_left_out() {
    let site = Site::new();
    let body = json!({
        "system": "associative-recall", "observables": ["query_key", "head.7.w", "no.such"],
    });
    let end = site.post("/api/live", &body).end();
    let rows = end.column("time").len();
    assert_eq!(end.column("query_key").len(), 32 * 32 * rows);
    assert_eq!(end.column("head.0.w").len(), 4 * rows);
}

#[test]
fn wrong_settings_are_words_at_their_key() {
    let site = Site::new();
    let refused = |body: Value| {
        let reply = site.post("/api/live", &body);
        assert_eq!(reply.status, 422);
        reply.json()
    };
    let said = refused(json!({"system": "linear-attention", "set": {"system.rank": "-1"}}));
    assert_eq!(said["key"], "system.rank");
    assert_eq!(said["error"], "`system.rank` is -1, but must be an integer from 1 to 65536");
    // What only the system can know.
    let said = refused(json!({"system": "ngram-to-induction", "set": {"system.w_star": 0.8}}));
    assert_eq!(said["key"], "system.w_star");
    let reply = site.post("/api/live", &json!({"system": "nowhere"}));
    assert_eq!(reply.status, 404);
}

/// A run of many steps, which takes minutes.
pub(crate) fn endless() -> Value {
    json!({
        "system": "linear-attention",
        "set": {"dynamics.kind": "gd", "dynamics.rate": "1e-7", "dynamics.steps": "10000000000"},
    })
}

#[test]
fn a_long_run_is_shown_while_it_grows_and_ends_with_the_connection() {
    let site = Site::new();
    // More of them than run at once: if they did not end, the last would find no place.
    for _ in 0..24 {
        let mut reader = BufReader::new(site.begin("/api/live", &endless()));
        let mut line = String::new();
        while line != "\r\n" {
            line.clear();
            std::io::BufRead::read_line(&mut reader, &mut line).unwrap();
        }
        let (problem, part) = (chunk(&mut reader).unwrap(), chunk(&mut reader).unwrap());
        assert!(String::from_utf8_lossy(&problem).contains("\"kind\":\"problem\""));
        assert!(String::from_utf8_lossy(&part).contains("\"kind\":\"part\""));
    }
    site.post("/api/live", &json!({"system": "linear-attention"})).end();
}

#[test]
fn whoever_does_not_read_bars_nobodys_way() {
    let site = Site::with(|options| options.time = Duration::from_secs(1));
    let deaf: Vec<_> = (0..24).map(|_| site.begin("/api/live", &endless())).collect();
    site.eventually_live();
    drop(deaf);
}

#[test]
fn worlds_that_take_long_to_build_bar_nobodys_way() {
    let site = Site::with(|options| options.time = Duration::from_secs(2));
    // As many as there are places for short computations, each of some seconds on all cores.
    let cores = std::thread::available_parallelism().map_or(2, usize::from);
    let set = json!({"system.loss": "empirical", "system.sequences": 6_000_000 * cores});
    let body = json!({"system": "linear-attention", "set": set});
    let building: Vec<_> = (0..=cores).map(|_| site.begin("/api/live", &body)).collect();
    site.eventually_live();
    drop(building);
}

#[test]
fn time_is_limited_and_says_so() {
    // On a busy machine, the first second may show nothing.
    let shown = (0..10).any(|doublings| {
        let seconds = 1 << doublings;
        let site = Site::with(|options| options.time = Duration::from_secs(seconds));
        let reply = site.post("/api/live", &endless());
        let frames = if reply.status == 200 { reply.frames() } else { Vec::new() };
        let Some((last, before)) = frames.split_last() else { return false };
        assert_eq!(last.kind(), "failed");
        let words = format!("after {seconds} seconds");
        assert!(last.head["error"].as_str().unwrap().contains(&words), "{}", last.head);
        before.iter().any(|frame| frame.kind() == "part" && !frame.column("loss").is_empty())
    });
    assert!(shown);
}

#[test]
fn memory_is_limited_and_says_so() {
    let site = Site::with(|options| options.memory = 1 << 20);
    let post = |set: Value| {
        let body = json!({"system": "linear-attention", "set": set, "observables": ["*"]});
        site.post("/api/live", &body)
    };
    post(json!({"record.points": 1_000_000})).refused(422, "1.0 MiB are allowed here");
    let steps = json!({
        "record.sampling": "every", "dynamics.kind": "gd", "dynamics.rate": 1e-4, "dynamics.steps": 2000,
    });
    post(steps).refused(422, "allowed here");
    post(json!({"system.eigenvalues": vec!["1"; 2000].join(",")})).refused(422, "");
}

#[test]
fn the_ladder_of_a_run_has_known_and_visited_saddles() {
    let site = Site::new();
    let reply = site.post("/api/saddles", &json!({"system": "linear-attention"}));
    let ladder = reply.json();
    assert_eq!(ladder["known"].as_array().unwrap().len(), 16, "2^4 sets of learned components");
    let visited = ladder["visited"].as_array().unwrap();
    assert_eq!(
        (visited.first().unwrap()["where"].as_str(), visited.last().unwrap()["where"].as_str()),
        (Some("start"), Some("end"))
    );
    let known = ladder["known"].as_array().unwrap().iter();
    let ranks: Vec<u64> = known.map(|one| one["rank"].as_u64().unwrap()).collect();
    assert!(ranks.is_sorted() && ranks.last() == Some(&4), "{ranks:?}");
    let set = json!({"system.loss": "online", "system.batch": 10, "dynamics.kind": "sgd", "dynamics.rate": 0.1, "dynamics.steps": 3});
    let body = json!({"system": "linear-attention", "set": set});
    site.post("/api/saddles", &body).refused(422, "no exact loss");
}

#[test]
fn systems_tell_what_a_page_needs() {
    let site = Site::new();
    let about = site.json("/api/about");
    let systems = about["systems"].as_array().unwrap();
    assert_eq!(systems.len(), 6);
    for system in systems {
        let told = site.json(&format!("/api/systems/{}", system["name"].as_str().unwrap()));
        assert!(told["sections"]["system"]["parameters"].as_array().unwrap().len() > 3);
        let view = json!({"system": system["name"], "set": told["view"]["set"]});
        site.post("/api/live", &view).end();
    }
    assert_eq!(site.get("/api/systems/none").status, 404);
}
