//! The standard transformer: one step of training, of the model of the Markov paper and of a model of text.

use std::path::Path;
use std::sync::Arc;

use faer::{Accum, Mat, Par};
use rayon::prelude::*;
use saddlescope::descent::{AdamSettings, Optimiser, Rule};
use saddlescope::numeric::random::{Purpose, Stream};
use saddlescope::{Blocks, Draw, Landscape};
use saddlescope_systems::transformer::cases::{FormulaScales, by_formula, fingerprint};
use saddlescope_systems::transformer::{
    Activation, Architecture, Fixed, Form, Positions, Real, Training, Transformer,
};
use serde_json::{Value, json};

use crate::side::{Case, Outcome, best, peak_memory, pool, serve_with, write};

/// Small enough for a loss near that of a guess, and large enough that no slope vanishes.
const SCALES: FormulaScales =
    FormulaScales { norms: 0.1, norms_base: 1.0, slopes: 0.05, slopes_base: 0.1, weights: 0.08 };

/// AdamW as in the Markov paper, and plain SGD for text.
const RATE: f64 = 3e-3;
const DECAY: f64 = 0.01;
const BOUND: f64 = 1.0;
const TEXT_RATE: f64 = 0.1;

/// What is trained, and on what.
pub(crate) struct Setting {
    what: &'static str,
    architecture: Architecture,
    form: Form,
    sequences: usize,
    is_text: bool,
}

/// 000, Table 4: the full model, of whose 31 inputs the last 20 count.
pub(crate) fn markov() -> Setting {
    Setting {
        what: "AdamW on 3000 sequences of 31 tokens, width 255, dropout 0.1",
        architecture: Architecture {
            width: 255,
            heads: 3,
            feedforward: 64,
            activation: Activation::Relu,
            dropout: 0.1,
            ..Architecture::small(50, 31)
        },
        form: Form { length: 31, skip: 11 },
        sequences: 3000,
        is_text: false,
    }
}

/// Two blocks with the vocabulary of a corpus of text.
pub(crate) fn text() -> Setting {
    Setting {
        what: "SGD on 32 sequences of 200 tokens, 2 blocks of width 128, vocabulary 33,278",
        architecture: Architecture {
            width: 128,
            feedforward: 512,
            blocks: 2,
            positions: Positions::Alibi,
            ..Architecture::small(33_278, 200)
        },
        form: Form::all(200),
        sequences: 32,
        is_text: true,
    }
}

impl Setting {
    /// Uniform tokens, or such whose frequencies fall as one over their rank.
    fn tokens(&self) -> Vec<u32> {
        let (count, vocabulary) =
            (self.sequences * (self.form.length + 1), self.architecture.vocabulary);
        let mut stream = Stream::new(1, Purpose::Data, 0);
        if !self.is_text {
            return (0..count).map(|_| stream.below(vocabulary as u64) as u32).collect();
        }
        let mut total = 0.0;
        let mut below = Vec::with_capacity(vocabulary);
        for rank in 1..=vocabulary {
            total += 1.0 / rank as f64;
            below.push(total);
        }
        let draw = |_| {
            let at = stream.uniform() * total;
            below.partition_point(|&sum| sum <= at).min(vocabulary - 1) as u32
        };
        (0..count).map(draw).collect()
    }

    fn training<S: Real>(&self, tokens: &[u32], dropout: f64) -> Outcome<Training<S>> {
        let model = Transformer::new(Architecture { dropout, ..self.architecture.clone() })?;
        let data = Fixed::new(tokens.to_vec(), self.form.length + 1);
        Ok(Training::new(model, self.form, Arc::new(data))?)
    }

    fn rule(&self, blocks: &Blocks) -> Outcome<Rule<f32>> {
        if self.is_text {
            return Ok(Rule::new(Optimiser::Gd, TEXT_RATE, blocks)?);
        }
        let adamw = Optimiser::AdamW(AdamSettings::default(), DECAY);
        Ok(Rule::new(adamw, RATE, blocks)?.clipped(BOUND)?)
    }

    /// What the peers need to know.
    fn inputs(&self, case: &str, tokens: &[u32], (loss, gradient): (f64, &Value)) -> Value {
        let (of, form) = (&self.architecture, self.form);
        let rule = if self.is_text {
            json!({ "name": "sgd", "rate": TEXT_RATE, "bound": null })
        } else {
            json!({ "name": "adamw", "rate": RATE, "decay": DECAY, "bound": BOUND })
        };
        json!({
            "case": case, "length": form.length, "tokens": tokens, "rule": rule, "dropout": of.dropout,
            "loss": loss, "gradient": gradient,
            "architecture": {
                "vocabulary": of.vocabulary, "width": of.width, "heads": of.heads, "blocks": of.blocks,
                "feedforward": of.feedforward, "activation": if self.is_text { "gelu" } else { "relu" },
                "norm": "before", "positions": if self.is_text { "alibi" } else { "learned" },
                "context": of.context, "tied": of.tied, "biases": of.biases,
                "embedding_factor": of.embedding_factor, "skip": form.skip,
            },
            "scales": {
                "norms": SCALES.norms, "norms_base": SCALES.norms_base, "slopes": SCALES.slopes,
                "slopes_base": SCALES.slopes_base, "weights": SCALES.weights,
            },
        })
    }
}

/// One step on so many `threads`; 0 for all cores.
pub(crate) fn step(inputs: &Path, setting: &Setting, threads: usize, quick: bool) -> Outcome<()> {
    let pool = pool(threads)?;
    let (threads, tokens) = (pool.current_num_threads(), setting.tokens());
    let cores = if threads == 1 { "one core".to_owned() } else { format!("{threads} cores") };
    let case = format!("{}, {cores}", setting.what);
    let training = setting.training::<f32>(&tokens, setting.architecture.dropout)?;
    let exact = by_formula(&training.model, &SCALES);
    let start: Vec<f32> = exact.iter().map(|&entry| entry as f32).collect();
    let mut theta = start.clone();
    let mut gradient = vec![0.0; theta.len()];
    let before = peak_memory()?;
    let mut rule = setting.rule(training.blocks())?;
    let mut work = pool.install(|| training.work());
    let mut index = 0;
    let mut run = || {
        pool.install(|| {
            let draw = Draw { seed: 1, step: index };
            let loss = training.evaluate(&theta, draw, &mut work, &mut gradient);
            rule.advance(loss.expect("is finite"), &mut theta, &mut gradient);
        });
        index += 1;
    };
    run();
    let memory = peak_memory()? - before;
    let seconds = best(if quick { 1 } else { 3 }, &mut run);
    let found = pool.install(|| compared(setting, &tokens, &start).map_err(|e| e.to_string()));
    let (error, loss, gradient) = found?;
    write(inputs, &setting.inputs(&case, &tokens, (loss, &gradient)))?;
    let note = format!(
        "ours: {error:.0e} from double precision; {memory:.0} MB beside data, parameters and slopes; {:.0} tokens/s and {:.0} \
         GFLOP/s before the first turn, where products of 512 x 512 alone come to {:.0}",
        (setting.sequences * setting.form.length) as f64 / seconds,
        1e-9 * training.operations() / seconds,
        pool.install(|| ceiling(threads)),
    );
    serve_with(vec![Case::new(case, cores, 1, run).error(error)], &[note])
}

/// How far our slopes at `start`, without dropout, are from double precision, as the peers' are judged; and what those are.
fn compared(setting: &Setting, tokens: &[u32], start: &[f32]) -> Outcome<(f64, f64, Value)> {
    let single = setting.training::<f32>(tokens, 0.0)?;
    let double = setting.training::<f64>(tokens, 0.0)?;
    let wide: Vec<f64> = start.iter().map(|&entry| entry.into()).collect();
    let (mut slopes, mut own) = (vec![0.0; wide.len()], vec![0.0; wide.len()]);
    let loss = double.evaluate(&wide, Draw::default(), &mut double.work(), &mut slopes)?;
    let found = single.evaluate(start, Draw::default(), &mut single.work(), &mut own)?;
    let own: Vec<f64> = own.into_iter().map(f64::from).collect();
    let prints = |slopes: &[f64]| -> Vec<[f64; 2]> {
        double.blocks().iter().map(|block| fingerprint(&slopes[block.range()])).collect()
    };
    let (exact, own) = (prints(&slopes), prints(&own));
    let largest = exact.iter().map(|print| print[0]).fold(0.0, f64::max);
    let mut worst = (found - loss).abs() / loss;
    for (exact, own) in exact.iter().zip(&own) {
        let scale = exact[0].max(1e-3 * largest);
        for (exact, own) in exact.iter().zip(own) {
            worst = worst.max((exact - own).abs() / scale);
        }
    }
    let named = double.blocks().iter().zip(&exact);
    let named = named.map(|(block, print)| (block.name.clone(), json!(print))).collect();
    Ok((10_f64.powi(worst.log10().ceil() as i32), loss, Value::Object(named)))
}

/// GFLOP/s of products of matrices of 512 x 512, one on each thread.
fn ceiling(threads: usize) -> f64 {
    const SIZE: usize = 512;
    let matrix = |scale: f32| Mat::from_fn(SIZE, SIZE, |i, j| scale * (i as f32 - j as f32));
    let (a, b) = (matrix(1e-3), matrix(1e-2));
    let mut outs: Vec<Mat<f32>> = (0..threads).map(|_| Mat::zeros(SIZE, SIZE)).collect();
    let multiply = || {
        outs.par_iter_mut().for_each(|out| {
            for _ in 0..4 {
                faer::linalg::matmul::matmul(&mut *out, Accum::Replace, &a, &b, 1.0, Par::Seq);
            }
        });
    };
    let operations = 2.0 * (SIZE as f64).powi(3) * 4.0 * threads as f64;
    1e-9 * operations / best(10, multiply)
}
