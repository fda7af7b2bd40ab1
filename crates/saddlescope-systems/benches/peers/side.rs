//! One side of a comparison: measures its cases whenever it is asked to.

use std::io::{BufRead, Write};
use std::time::Instant;

use saddlescope::numeric::simd;
use serde_json::{Value, json};

pub(crate) type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// Something to time.
pub(crate) struct Case<'a> {
    /// What both sides do: `D = 8, H = 9, R = 1`.
    pub(crate) case: String,
    /// How this side does it: `Radau, rtol 1e-7`.
    pub(crate) variant: String,
    /// Achieved relative error.
    pub(crate) error: f64,
    /// Runs per turn, of which the fastest counts.
    pub(crate) repeats: u32,
    pub(crate) run: Box<dyn FnMut() + 'a>,
}

/// Says who this is, then measures every case once per line of standard input.
pub(crate) fn serve(cases: Vec<Case<'_>>) -> Outcome<()> {
    serve_with(cases, &[])
}

/// The same with remarks.
pub(crate) fn serve_with(mut cases: Vec<Case<'_>>, notes: &[String]) -> Outcome<()> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let versions = json!({
        "saddlescope": env!("CARGO_PKG_VERSION"),
        "simd": simd::level().to_string(),
        "threads": threads,
    });
    say(&json!({ "versions": versions, "notes": notes }))?;
    for line in std::io::stdin().lock().lines() {
        line?;
        let mut results = Vec::new();
        for case in &mut cases {
            let seconds = best(case.repeats, &mut case.run);
            results.push(json!({
                "case": case.case, "variant": case.variant, "seconds": seconds, "error": case.error,
            }));
        }
        say(&json!({ "results": results }))?;
    }
    Ok(())
}

pub(crate) fn say(value: &Value) -> Outcome<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{value}")?;
    Ok(out.flush()?)
}

/// Best wall time of `repeats` runs, in seconds.
pub(crate) fn best<T>(repeats: u32, mut run: impl FnMut() -> T) -> f64 {
    let mut least = f64::INFINITY;
    for _ in 0..repeats {
        let began = Instant::now();
        std::hint::black_box(run());
        least = least.min(began.elapsed().as_secs_f64());
    }
    least
}

/// The most memory that this process has had so far, in MB.
pub(crate) fn peak_memory() -> Outcome<f64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes: f64 =
        peak.and_then(|line| line.split_whitespace().next()).ok_or("no VmHWM")?.parse()?;
    Ok(kilobytes / 1000.0)
}
