//! When a run is looked at, when it ends, and which crossings it notes.

use serde_json::{Value, json};

use crate::program::{assert_near, experiment, number, numbers};

/// A flow of three heads, through its first jump and on.
const FLOW: &str = "seed = 1\n[system]\nname = \"linear-attention\"\nheads = 3\n\
                    [dynamics]\nkind = \"flow\"\nuntil = 400.0\n";
const DESCENT: &str = "seed = 1\n[system]\nname = \"linear-attention\"\n\
                       [dynamics]\nkind = \"gd\"\nrate = 0.25\nsteps = 40\n";

fn times(text: &str, record: &str) -> Vec<f64> {
    numbers(&experiment(format!("{text}[record]\n{record}"))["trajectory"]["time"])
}

#[test]
fn listed_times_are_kept_with_both_ends() {
    let found = times(FLOW, "sampling = \"listed\"\ntimes = [100, 7.5, 7.5]\n");
    assert_eq!(found, [0.0, 7.5, 100.0, 400.0]);
    // A step of 0.25 is half a unit of time; between two steps there is nothing to see.
    let found = times(DESCENT, "sampling = \"listed\"\ntimes = [2.5, 3.2]\n");
    assert_eq!(found, [0.0, 2.5, 3.5, 20.0]);
}

#[test]
fn listed_times_behind_the_end_are_reported() {
    let text = format!("{FLOW}[record]\nsampling = \"listed\"\ntimes = [1.0, 500.0]\n");
    let words = "listed times behind the end of the run (time 400), not recorded: 1 of 2";
    crate::program::run(text).shows(&[words]);
}

#[test]
fn linear_and_log_times_are_evenly_spaced() {
    let found = times(FLOW, "sampling = \"linear\"\npoints = 9\n");
    assert_near(&found, &[0.0, 50.0, 100.0, 150.0, 200.0, 250.0, 300.0, 350.0, 400.0], 1e-14);
    let found = times(FLOW, "sampling = \"log\"\npoints = 6\nfirst = 0.04\n");
    assert_near(&found, &[0.0, 0.04, 0.4, 4.0, 40.0, 400.0], 1e-12);
    for points in [2, 3, 50] {
        let found = times(FLOW, &format!("sampling = \"log\"\npoints = {points}\n"));
        assert_eq!((found.len(), found[points - 1]), (points, 400.0));
    }
    let found = times(DESCENT, "sampling = \"linear\"\npoints = 11\n");
    assert!((6..=11).contains(&found.len()) && found.ends_with(&[20.0]), "{found:?}");
}

#[test]
fn every_step_is_kept_when_asked_for() {
    let found = times(DESCENT, "sampling = \"every\"\n");
    let expected: Vec<f64> = (0..=40).map(|step| 0.5 * f64::from(step)).collect();
    assert_near(&found, &expected, 1e-14);
    let run = experiment(format!("{FLOW}[record]\nsampling = \"every\"\n"));
    let rows = run["trajectory"]["time"].as_array().unwrap().len();
    assert_eq!(rows as f64, number(&run["phases"][0]["work"]["steps"]) + 1.0);
}

#[test]
fn adaptive_times_keep_the_budget_and_crowd_at_the_jump() {
    let run = experiment(format!("{FLOW}[record]\npoints = 60\n"));
    let time = numbers(&run["trajectory"]["time"]);
    let loss = numbers(&run["trajectory"]["loss"]);
    assert!((30..=60).contains(&time.len()), "{}", time.len());
    assert_eq!((time[0], time[time.len() - 1]), (0.0, 400.0));
    let jump = loss.windows(2).map(|pair| pair[0] - pair[1]).fold(0.0, f64::max);
    assert!(jump < 0.1, "the jump of 0.36 is resolved, but one step falls by {jump}");
}

#[test]
fn a_run_ends_by_what_stops_it() {
    let ended = |stop: &str| {
        let record = "[record]\nobservables = [\"loss\", \"gradient.norm\", \"head.*.value\"]\n";
        let run = experiment(format!("{FLOW}{stop}{record}"));
        let last = |name: &str| numbers(&run["trajectory"][name]).pop().unwrap();
        let words = run["phases"][0]["ended"].as_str().unwrap().to_owned();
        (words, last("time"), last("loss"), last("gradient.norm"), last("head.0.value"))
    };
    let (word, time, loss, ..) = ended("stop_below_loss = 0.7\n");
    assert_eq!(word, "stop_below_loss");
    assert!(time < 400.0);
    assert_near(&[loss], &[0.7], 1e-9);

    let (.., value) = ended("");
    let half = 0.5 * value;
    let (word, .., found) =
        ended(&format!("stop_parameter = \"head.0.value\"\nstop_value = {half}\n"));
    assert_eq!(word, "stop_parameter");
    assert_near(&[found], &[half], 1e-9);
    assert_eq!(ended("").0, "end");
}

#[test]
fn a_run_ends_where_its_gradient_has_become_small() {
    // One head learns one eigenvector and comes to rest: its gradient rises, then falls for good.
    let run = |stop: &str| {
        let text = FLOW.replace("heads = 3", "heads = 1").replace("400.0", "4000.0");
        experiment(format!("{text}{stop}"))
    };
    let norms = numbers(&run("")["trajectory"]["gradient.norm"]);
    let bound = 0.5 * norms[0];
    assert!(norms[norms.len() - 1] < 0.1 * bound, "crossed well before the end: {norms:?}");
    let run = run(&format!("stop_below_gradient = {bound:e}\n"));
    assert_eq!(run["phases"][0]["ended"], "stop_below_gradient");
    let time = number(&run["phases"][0]["time"]);
    assert!(time > 0.0 && time < 4000.0, "{time}");
    let last = numbers(&run["trajectory"]["gradient.norm"]).pop().unwrap();
    assert_near(&[last / bound], &[1.0], 1e-6);
}

#[test]
fn crossings_are_noted_where_a_stop_would_end_the_run() {
    let record = "[record]\ncrossings = [0.9, 0.5, 0.75]\n";
    let run = experiment(format!("{FLOW}{record}"));
    let levels: Vec<&Value> =
        run["crossings"].as_array().unwrap().iter().map(|crossing| &crossing["level"]).collect();
    assert_eq!(levels, [&json!(0.9), &json!(0.5), &json!(0.75)]);
    for (index, level) in [(0, 0.9), (2, 0.75)] {
        let stopped = experiment(format!("{FLOW}stop_below_loss = {level}\n"));
        let end = number(&stopped["phases"][0]["time"]);
        assert_near(&[number(&run["crossings"][index]["time"])], &[end], 1e-9);
    }
    assert_eq!(run["crossings"][1]["time"], Value::Null, "not reached by time 400");
}
