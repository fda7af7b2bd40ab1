//! One side of a comparison: measures its cases whenever it is asked to.

use std::io::{BufRead, Write};
use std::path::Path;
use std::time::Instant;

use rayon::{ThreadPool, ThreadPoolBuilder};
use saddlescope::descent::{Descent, Rule};
use saddlescope::numeric::simd;
use saddlescope::record::Silent;
use saddlescope::{Draw, Landscape};
use serde_json::{Map, Value, json};

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

impl<'a> Case<'a> {
    /// A run without an error of its own.
    pub(crate) fn new<T>(
        case: impl Into<String>,
        variant: impl Into<String>,
        repeats: u32,
        mut run: impl FnMut() -> T + 'a,
    ) -> Self {
        let run = Box::new(move || _ = std::hint::black_box(run()));
        Self { case: case.into(), variant: variant.into(), error: 0.0, repeats, run }
    }

    /// The same with that error.
    pub(crate) fn error(self, error: f64) -> Self {
        Self { error, ..self }
    }
}

/// Says who this is, then measures every case once per line of standard input.
pub(crate) fn serve(cases: Vec<Case<'_>>) -> Outcome<()> {
    serve_with(cases, &[])
}

/// The same with remarks.
pub(crate) fn serve_with(mut cases: Vec<Case<'_>>, notes: &[String]) -> Outcome<()> {
    let versions = json!({
        "saddlescope": env!("CARGO_PKG_VERSION"),
        "simd": simd::level().to_string(),
        "threads": cores(),
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

/// Writes what the peers start from.
pub(crate) fn write(inputs: &Path, value: &Value) -> Outcome<()> {
    Ok(std::fs::write(inputs, value.to_string())?)
}

pub(crate) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// So many threads; 0 for all cores.
pub(crate) fn pool(threads: usize) -> Outcome<ThreadPool> {
    Ok(ThreadPoolBuilder::new().num_threads(threads).build()?)
}

/// Parameters and loss after training from `start`.
pub(crate) fn trained<L: Landscape>(
    landscape: &L,
    mut rule: Rule<L::Scalar>,
    start: &[L::Scalar],
    descent: &Descent,
) -> Outcome<(Vec<L::Scalar>, f64)> {
    let mut theta = start.to_vec();
    let end = descent.run(landscape, &mut rule, &mut theta, &mut Silent)?;
    Ok((theta, end.loss))
}

/// The inputs of a case of a system's reference values.
pub(crate) fn inputs_of_case(system: &str, id: &str) -> Outcome<Map<String, Value>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/oracle");
    let text = std::fs::read_to_string(folder.join(format!("{system}.json")))?;
    let cases: Value = serde_json::from_str(&text)?;
    let is_wanted = |case: &&Value| case["id"].as_str().is_some_and(|name| name.starts_with(id));
    let case = cases["cases"].as_array().and_then(|cases| cases.iter().find(is_wanted));
    let inputs = case.and_then(|case| case["inputs"].as_object());
    Ok(inputs.ok_or_else(|| format!("case {id} has no inputs"))?.clone())
}

/// Means over so many batches of the loss and of the slopes at `theta`, with their standard errors.
pub(crate) fn means<L: Landscape<Scalar = f64>>(
    landscape: &L,
    theta: &[f64],
    batches: u64,
) -> Outcome<Value> {
    let (mut work, mut gradient) = (landscape.work(), vec![0.0; theta.len()]);
    let mut sums = vec![[0.0; 2]; theta.len() + 1];
    for step in 0..batches {
        let draw = Draw { seed: u64::MAX, step };
        let loss = landscape.evaluate(theta, draw, &mut work, &mut gradient)?;
        for (sum, value) in sums.iter_mut().zip(std::iter::once(&loss).chain(&gradient)) {
            *sum = [sum[0] + value, sum[1] + value * value];
        }
    }
    let n = batches as f64;
    let mean = |[sum, _]: &[f64; 2]| sum / n;
    let error =
        |[sum, squares]: &[f64; 2]| ((squares / n - (sum / n).powi(2)).max(0.0) / (n - 1.0)).sqrt();
    Ok(json!({
        "theta": theta,
        "means": sums.iter().map(mean).collect::<Vec<f64>>(),
        "errors": sums.iter().map(error).collect::<Vec<f64>>(),
    }))
}
