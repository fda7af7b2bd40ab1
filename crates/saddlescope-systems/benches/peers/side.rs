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
pub(crate) fn serve(mut cases: Vec<Case<'_>>) -> Outcome<()> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    say(&json!({ "versions": {
        "saddlescope": env!("CARGO_PKG_VERSION"),
        "simd": simd::level().to_string(),
        "threads": threads,
    }}))?;
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
