//! Our detection of stages beside the change-point library `ruptures`, on the same staircases with known
//! truth: scores and times. `cargo bench --package saddlescope --bench stages`.
//!
//! The staircases are written to `target/stages` as CSV files and `truth.json`; the peer's script
//! (`benches/peers/stages.py`, run by the Python that `SADDLESCOPE_PEER_PYTHON` names) reads them and
//! prints the times of the jumps that it finds as JSON. Both are scored here, by one function.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Instant;

use saddlescope::analysis::stages::score::Score;
use saddlescope::analysis::stages::synthetic::Staircase;
use saddlescope::analysis::stages::{Settings, detect};
use serde_json::{Value, json};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// Staircases of the set, and their seed; the tests of the engine have another.
const SERIES: u64 = 400;
const SEED: u64 = 2024;

fn main() -> ExitCode {
    // `cargo test --benches` asks every bench for a sign of life; peers are for `cargo bench`.
    if !std::env::args().any(|argument| argument == "--bench") {
        return ExitCode::SUCCESS;
    }
    match compare() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("stages: {error}");
            ExitCode::FAILURE
        }
    }
}

fn compare() -> Outcome<()> {
    let set: Vec<Staircase> = (0..SERIES).map(|index| Staircase::mixed(SEED, index)).collect();
    let folder = root().join("target/stages");
    write(&set, &folder)?;
    println!("{SERIES} staircases with known truth (seed {SEED}), in target/stages");
    println!("recall and precision of jumps; series right as a whole; time errors in durations\n");
    println!("method                       recall  precision  whole  time error  ms per series");
    let began = Instant::now();
    let mut score = Score::default();
    for truth in &set {
        score.add_stages(truth, &detect(&truth.times, &truth.values, &Settings::default())?);
    }
    let seconds = began.elapsed().as_secs_f64();
    row("saddlescope", &score, seconds / SERIES as f64);
    println!(
        "  (of its jump times, {:.0} % within twice their stated error)",
        1e2 * score.coverage()
    );
    let Some(peers) = peers(&folder)? else { return Ok(()) };
    for peer in peers["rows"].as_array().ok_or("the peer's rows are missing")? {
        let mut score = Score::default();
        for (truth, found) in set.iter().zip(peer["jumps"].as_array().ok_or("no jumps")?) {
            let times =
                found.as_array().ok_or("no list of jumps")?.iter().filter_map(Value::as_f64);
            score.add(truth, &times.map(|time| (time, 0.0)).collect::<Vec<_>>());
        }
        let seconds = peer["seconds_per_series"].as_f64().unwrap_or(f64::NAN);
        row(peer["method"].as_str().unwrap_or("peer"), &score, seconds);
    }
    Ok(())
}

fn row(name: &str, score: &Score, seconds: f64) {
    println!(
        "{name:<27} {:>7.3} {:>10.3} {:>6.3} {:>11.3} {:>14.2}",
        score.recall(),
        score.precision(),
        score.whole(),
        score.time_error(),
        1e3 * seconds
    );
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// One CSV file per staircase, and the truth about all of them.
fn write(set: &[Staircase], folder: &Path) -> Outcome<()> {
    std::fs::create_dir_all(folder)?;
    let mut truths = Vec::new();
    for (index, truth) in set.iter().enumerate() {
        let mut text = "time,value\n".to_owned();
        for (time, value) in truth.times.iter().zip(&truth.values) {
            writeln!(text, "{time:?},{value:?}")?;
        }
        std::fs::write(folder.join(format!("series-{index:04}.csv")), text)?;
        truths.push(json!({
            "shape": format!("{:?}", truth.shape),
            "spacing": format!("{:?}", truth.spacing),
            "noise": format!("{:?}", truth.noise),
            "level": truth.level,
            "heights": truth.heights,
            "jumps": truth.jumps,
            "durations": truth.durations,
        }));
    }
    std::fs::write(folder.join("truth.json"), format!("{:#}\n", Value::from(truths)))?;
    Ok(())
}

/// What the peer's script finds; nothing where no Python is named.
fn peers(folder: &Path) -> Outcome<Option<Value>> {
    let Ok(python) = std::env::var("SADDLESCOPE_PEER_PYTHON") else {
        println!(
            "(no peers: SADDLESCOPE_PEER_PYTHON names no Python with benches/peers/requirements.txt)"
        );
        return Ok(None);
    };
    let python = if python.contains('/') { root().join(python) } else { python.into() };
    let script = root().join("benches/peers/stages.py");
    let output = Command::new(&python).arg(script).arg(folder).output()?;
    if !output.status.success() {
        return Err(format!("stages.py: {}", String::from_utf8_lossy(&output.stderr)).into());
    }
    Ok(Some(serde_json::from_slice(&output.stdout)?))
}
