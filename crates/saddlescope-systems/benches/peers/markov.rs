//! Sparse attention: AdamW on the minimal model at the size of the paper, a step on one core or many on all.

use std::path::Path;
use std::sync::Arc;

use saddlescope::descent::{AdamSettings, Descent, Optimiser, Rule};
use saddlescope::record::Silent;
use saddlescope::{Draw, Landscape};
use saddlescope_systems::sparse_markov::chain::TRAINING;
use saddlescope_systems::sparse_markov::{BatchSource, Corpus, Sequences};
use saddlescope_systems::sparse_markov::{Chain, Group, Minimal};
use serde_json::json;

use crate::side::{Case, Outcome, best, peak_memory, pool, serve_with, trained, write};

/// 000, Table 4.
const VOCABULARY: usize = 50;
const LENGTH: usize = 20;
const SCALES: [f64; 3] = [28.9, 17.0, 10.0];
const HEADS: usize = 3;
const BATCH: usize = 3000;
const RATE: f64 = 3e-3;
const DECAY: f64 = 0.01;
const BOUND: f64 = 1.0;
const STEPS: u64 = 2000;
/// Steps that are measured; of the peers fewer.
const MEASURED: u64 = 200;

fn minimal() -> Outcome<Minimal> {
    let features = Chain::orthogonal_features(VOCABULARY, &SCALES, 1);
    let chain = Chain::new(Group::contiguous(3, 2), features, (LENGTH, None))?;
    Ok(Minimal::new(Arc::new(chain), HEADS)?)
}

fn rule(landscape: &Sequences<f32>) -> Outcome<Rule<f32>> {
    let adamw = Optimiser::AdamW(AdamSettings::default(), DECAY);
    Ok(Rule::new(adamw, RATE, landscape.blocks())?.clipped(BOUND)?)
}

/// What both rows begin with.
struct Ready {
    landscape: Sequences<f32>,
    /// Some way into training, so that nothing vanishes.
    theta: Vec<f32>,
    /// How far our slopes there are from those in double precision, relative to the largest.
    error: f64,
    /// What training took beside the data, in MB.
    memory: f64,
}

/// Trains a little on so many `threads`, and writes what the peers need to know.
fn set_up(inputs: &Path, (case, steps): (&str, u64), threads: usize) -> Outcome<Ready> {
    let minimal = minimal()?;
    let chain = &minimal.chain;
    let data: Arc<[u16]> = chain.data_set(BATCH, (1, TRAINING)).into();
    let landscape = Corpus::<f32>::new(minimal.clone(), BatchSource::All(Arc::clone(&data)))?;
    let start = minimal.uniform_start(0.1, 1)?;
    let mut theta: Vec<f32> = start.iter().map(|entry| *entry as f32).collect();
    let before = peak_memory()?;
    let mut rule = rule(&landscape)?;
    let descent = Descent::new(40);
    pool(threads)?.install(|| descent.run(&landscape, &mut rule, &mut theta, &mut Silent))?;
    let memory = peak_memory()? - before;
    let exact = Corpus::<f64>::new(minimal.clone(), BatchSource::All(Arc::clone(&data)))?;
    let wide: Vec<f64> = theta.iter().map(|&entry| f64::from(entry)).collect();
    let (mut slopes, mut gradient) = (vec![0.0; wide.len()], vec![0.0; wide.len()]);
    let draw = Draw::default();
    let loss = exact.evaluate(&wide, draw, &mut exact.work(), &mut slopes)?;
    let own = landscape.evaluate(&theta, draw, &mut landscape.work(), &mut gradient)?;
    let largest = slopes.iter().copied().map(f64::abs).fold(0.0, f64::max);
    let far = |(own, slope): (&f32, &f64)| (f64::from(*own) - slope).abs() / largest;
    let error = gradient.iter().zip(&slopes).map(far).fold((own - loss).abs() / loss, f64::max);
    write(
        inputs,
        &json!({
            "case": case, "steps": steps, "vocabulary": VOCABULARY, "length": LENGTH, "order": chain.order,
            "heads": HEADS, "rate": RATE, "decay": DECAY, "bound": BOUND, "data": &data[..],
            "theta": theta, "loss": loss, "gradient": slopes,
        }),
    )?;
    Ok(Ready { landscape, theta, error, memory })
}

/// One step on one core.
pub(crate) fn adamw(inputs: &Path, quick: bool) -> Outcome<()> {
    let case =
        format!("d = {VOCABULARY}, T = {LENGTH}, {HEADS} heads, {BATCH} sequences, one step");
    let Ready { landscape, mut theta, error, memory } = set_up(inputs, (&case, 1), 1)?;
    let note = format!("ours: {error:.0e} from double precision; {memory:.1} MB beside the data");
    let pool = pool(1)?;
    let mut rule = rule(&landscape)?;
    let mut gradient = vec![0.0; theta.len()];
    let mut work = pool.install(|| landscape.work());
    let run = || {
        pool.install(|| {
            let loss = landscape.evaluate(&theta, Draw::default(), &mut work, &mut gradient);
            rule.advance(loss.expect("was finite"), &mut theta, &mut gradient);
        });
    };
    let case = Case::new(case, "one thread", if quick { 20 } else { 40 }, run).error(error);
    serve_with(vec![case], &[note])
}

/// Many steps on all cores.
pub(crate) fn train(inputs: &Path, quick: bool) -> Outcome<()> {
    let measured = if quick { MEASURED / 10 } else { MEASURED };
    let case = format!("{measured} of {STEPS} steps");
    let Ready { landscape, theta, error, memory } = set_up(inputs, (&case, measured), 0)?;
    let run = || {
        let rule = rule(&landscape).expect("made before");
        trained(&landscape, rule, &theta, &Descent::new(measured)).expect("descends")
    };
    let whole = best(1, run) * STEPS as f64 / measured as f64;
    let note = format!(
        "ours: all {STEPS} steps in {whole:.0} s at this speed, where two minutes are asked for; {memory:.1} MB \
         beside the data"
    );
    serve_with(vec![Case::new(case, "all cores", 1, run).error(error)], &[note])
}
