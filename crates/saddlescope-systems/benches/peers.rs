//! Our speed beside the peers' scripts in one run: `cargo xtask bench`.
//!
//! Each peer prints its own rows as JSON; ours are measured right after it, best of many. Flows are
//! compared at equal achieved error: for each row of ours, the fastest peer row that is at least as
//! accurate.

use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Instant;

use saddlescope::descent::{Descent, Gd};
use saddlescope::event::{Condition, Event};
use saddlescope::flow::{Flow, Method};
use saddlescope::numeric::simd;
use saddlescope::record::Silent;
use saddlescope::reference::Inputs;
use saddlescope::{GradientFlow, Landscape};
use saddlescope_systems::linear_attention::empirical::Statistics;
use saddlescope_systems::linear_attention::{
    Basis, Context, Empirical, Population, Shape, Task, Theory,
};
use serde_json::Value;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> ExitCode {
    // `cargo test --benches` asks every bench for a sign of life; peers are for `cargo bench`.
    if !std::env::args().any(|argument| argument == "--bench") {
        return ExitCode::SUCCESS;
    }
    println!("SIMD level {}", simd::level());
    match flows().and_then(|()| epochs()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("peers: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Runs a peer's script and reads its rows.
fn peer(script: &str) -> Outcome<Value> {
    let python = std::env::var("SADDLESCOPE_PEER_PYTHON").unwrap_or_else(|_| "python3".into());
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let python = if python.contains('/') { root.join(python) } else { python.into() };
    let output = Command::new(&python).arg(root.join("benches/peers").join(script)).output()?;
    if !output.status.success() {
        return Err(format!("{script}: {}", String::from_utf8_lossy(&output.stderr)).into());
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// Best wall time of `repeats` runs, in seconds.
fn best<T>(repeats: u32, mut run: impl FnMut() -> T) -> f64 {
    let mut least = f64::INFINITY;
    for _ in 0..repeats {
        let began = Instant::now();
        std::hint::black_box(run());
        least = least.min(began.elapsed().as_secs_f64());
    }
    least
}

/// The flow of case C-P6 from a start 50 times smaller, to half of its last drop.
fn flows() -> Outcome<()> {
    let peers = peer("linear_attention_flow.py")?;
    let rows = peers["rows"].as_array().ok_or("no rows")?;
    let mut known: Vec<(f64, f64, &str)> = rows
        .iter()
        .filter_map(|row| {
            Some((
                row["rel_error"].as_f64()?.abs(),
                row["seconds"].as_f64()?,
                row["method"].as_str()?,
            ))
        })
        .collect();
    known.sort_by(|a, b| a.1.total_cmp(&b.1));

    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/oracle/linear-attention.json");
    let cases: Value = serde_json::from_str(&std::fs::read_to_string(path)?)?;
    let case = cases["cases"]
        .as_array()
        .and_then(|cases| {
            cases.iter().find(|case| case["id"].as_str().is_some_and(|id| id.starts_with("C-P6")))
        })
        .ok_or("case C-P6 is missing")?;
    let inputs = Inputs(case["inputs"].as_object().ok_or("no inputs")?);
    let task = Task::new(&[0.4, 0.3, 0.2, 0.1], Basis::Axes, Context::Fixed(31))?;
    let shape = Shape::new(4, 4, 1)?;
    let start = shape.given_start(
        &inputs.numbers("v0")?,
        &inputs.tensor("K0", 3)?.values,
        &inputs.tensor("Q0", 3)?.values,
    )?;
    let start: Vec<f64> = start.iter().map(|x| x / 50.0).collect();
    let landscape = Population::new(&task, shape, 1.0)?;
    let field = GradientFlow::new(&landscape);
    let last = Theory::new(&task).mid_levels()[3];
    let flow = |method, rtol: f64| Flow {
        max_steps: u64::MAX,
        ..Flow::default()
            .method(method)
            .tolerances(rtol, 1e-4 * rtol)
            .event(Event::stop(Condition::LossBelow(last)))
    };
    let run = |flow: &Flow| flow.run(&field, 0.0, &start, &mut Silent);
    let reference = run(&flow(Method::Dop853, 1e-13))?.time;

    println!("\nflow, D = 4, H = 4, N = 31, to the last drop at t = {reference}");
    println!("method    rtol       ms  rel. error    steps    rates   best peer at that error");
    for method in [Method::Radau, Method::Bdf, Method::Dop853, Method::Auto] {
        for exponent in 5..=11 {
            let flow = flow(method, 10f64.powi(-exponent));
            let end = run(&flow)?;
            let error = (end.time / reference - 1.0).abs();
            let seconds = best(if method == Method::Dop853 { 5 } else { 25 }, || run(&flow));
            let beside = known.iter().find(|(peer, ..)| *peer <= error.max(1e-12)).map_or_else(
                || "none is as accurate".to_owned(),
                |(peer, time, name)| {
                    format!("{:.0} x ({name}: {:.1} ms, {peer:.1e})", time / seconds, 1e3 * time)
                },
            );
            println!(
                "{:<8} 1e-{exponent:<2} {:>8.3}    {error:.1e} {:>8} {:>8}   {beside}",
                format!("{method:?}"),
                1e3 * seconds,
                end.work.steps,
                end.work.rates
            );
        }
    }
    Ok(())
}

/// Full-batch gradient descent on the statistics of 5000 sequences, 10,001 epochs.
fn epochs() -> Outcome<()> {
    let peers = peer("linear_attention_gd.py")?;
    let rows = peers["rows"].as_array().ok_or("no rows")?;
    println!("\ngradient descent on statistics, P = 5000, N = 31, 10,001 epochs");
    println!("D  H  R   us per epoch   JAX plain   JAX best");
    for (d, heads, rank) in [(4, 5, 1), (8, 9, 1), (8, 9, 2), (8, 9, 4), (8, 9, 8)] {
        let of = |wanted: &dyn Fn(&Value) -> bool| {
            rows.iter()
                .filter(|row| row["dimension"] == d && row["rank"] == rank && wanted(row))
                .filter_map(|row| row["microseconds_per_epoch"].as_f64())
                .fold(f64::INFINITY, f64::min)
        };
        let plain = of(&|row| row["plain"] == true);
        let fastest = of(&|_| true);
        let eigenvalues: Vec<f64> = (1..=d).map(|i| f64::from(d + 1 - i) * 0.1).collect();
        let trace: f64 = eigenvalues.iter().sum();
        let eigenvalues: Vec<f64> = eigenvalues.iter().map(|l| l / trace).collect();
        let task = Task::new(&eigenvalues, Basis::Axes, Context::Fixed(31))?;
        let shape = Shape::new(d as usize, heads, rank)?;
        let landscape = Empirical::new(Statistics::sampled(&task, 5000, 0)?, shape, 1.0)?;
        let start = shape.random_start(0.1, 0)?;
        let parameters = landscape.blocks().len();
        let seconds = best(15, || {
            let mut theta = start.clone();
            let mut rule = Gd::new(0.02).expect("a rate above zero");
            assert_eq!(theta.len(), parameters);
            Descent::new(10_001).run(&landscape, &mut rule, &mut theta, &mut Silent)
        });
        let ours = 1e6 * seconds / 10_001.0;
        println!(
            "{d}  {heads}  {rank}   {ours:>12.3}   {plain:.3} ({:.1} x)   {fastest:.3} ({:.1} x)",
            plain / ours,
            fastest / ours
        );
    }
    Ok(())
}
