//! Task, model and start, from settings.

use std::sync::Arc;

use saddlescope_spec::prelude::*;

use crate::matrices::SequenceModel as _;
use crate::matrices::minimal::Minimal;
use crate::settings::{Given, Init, Layers, Model, Offshoot, Parts, Task, Uniform};
use crate::{Chain, Error, Factorisation, Full, Group, Target};
use saddlescope_transformer::settings::{Design, Normal};
use saddlescope_transformer::{Scales, Start};

/// The seed of features and sequences.
pub(crate) fn data_seed(task: &Task, seed: u64) -> u64 {
    task.data_seed.unwrap_or(seed)
}

/// `m_k = m^(F-k) b_0`, or as listed.
fn strengths(task: &Task, base: f64) -> Vec<f64> {
    if let Some(listed) = &task.strengths {
        return listed.clone();
    }
    let base = task.base.unwrap_or(base);
    (0..task.features).map(|k| base * task.ratio.powi((task.features - 1 - k) as i32)).collect()
}

/// Feature matrices as listed, row after row.
fn listed_matrices(task: &Spanned<Task>) -> Result<Option<Vec<Vec<f64>>>> {
    let Some(Tensor { shape, values }) = &task.matrices else {
        return Ok(None);
    };
    let message = format!("are {} x {}, expected square matrices", shape[1], shape[2]);
    task.ensure(shape[1] == shape[2], "matrices", message)?;
    Ok(Some(values.chunks_exact(shape[1] * shape[2]).map(<[f64]>::to_vec).collect()))
}

pub(crate) fn features(task: &Task) -> usize {
    task.matrices.as_ref().map_or_else(|| strengths(task, 1.0).len(), |list| list.shape[0])
}

pub(crate) fn factorisation(task: &Spanned<Task>) -> Result<Factorisation> {
    let places = match &task.places {
        Some(listed) => task.wholes("places", listed)?,
        None => (0..features(task)).collect(),
    };
    let target = match listed_matrices(task)? {
        Some(matrices) => Target::general(&matrices, &places, task.positions),
        None => Target::orthonormal(&strengths(task, 1.0), &places, task.positions),
    };
    target
        .and_then(|target| Factorisation::new(target, task.heads))
        .map_err(|error| blame(task, &error))
}

pub(crate) fn chain(task: &Spanned<Task>, seed: u64) -> Result<Chain> {
    let (matrices, count) = (listed_matrices(task)?, features(task));
    let mut groups = match &task.groups {
        None => Group::contiguous(count, task.group_size),
        Some(lists) => {
            let group = |lags: &Vec<f64>| Ok(Group::even(&task.wholes("groups", lags)?));
            lists.iter().map(group).collect::<Result<Vec<_>>>()?
        }
    };
    let message = format!("has {} lists of lags, but there are {count} features", groups.len());
    task.ensure(groups.len() == count, "groups", message)?;
    if let Some(alpha) = &task.alpha {
        let message = format!("has {} lists, but there are {count} groups of lags", alpha.len());
        task.ensure(alpha.len() == groups.len(), "alpha", message)?;
        for (group, weights) in groups.iter_mut().zip(alpha) {
            group.weights.clone_from(weights);
        }
    }
    let features = matrices.unwrap_or_else(|| {
        let scales = strengths(task, 10.0);
        Chain::orthogonal_features(task.vocabulary, &scales, data_seed(task, seed))
    });
    Chain::new(groups, features, (task.length, task.order)).map_err(|error| blame(task, &error))
}

pub(crate) fn minimal(task: &Spanned<Task>, seed: u64) -> Result<Minimal> {
    let chain = Arc::new(chain(task, seed)?);
    let built = Minimal::new(chain, task.heads)
        .and_then(|minimal| minimal.layers(task.layers))
        .and_then(|minimal| match task.window {
            Some(window) => minimal.window(window),
            None => Ok(minimal),
        });
    built.map_err(|error| blame(task, &error))
}

pub(crate) fn full(task: &Spanned<Task>, seed: u64) -> Result<Full> {
    let chain = Arc::new(chain(task, seed)?);
    let design: Design = task.source.read();
    let of = design.architecture(task.heads, chain.vocabulary, chain.tokens() - 1);
    Full::new(chain, of).map_err(|error| blame(task, &error))
}

pub(crate) fn blame(task: &Spanned<Task>, error: &Error) -> SettingsError {
    let (Error::Value { what, .. } | Error::Length { what, .. }) = error;
    let name = match what.as_str() {
        "T" if task.model == Model::Regression => "positions",
        "T" => "length",
        "vocabulary" if task.matrices.is_some() => "matrices",
        "heads" | "layers" | "window" | "vocabulary" | "sequences" | "batch" | "width"
        | "blocks" | "dropout" => what.as_str(),
        _ if what.contains("alpha") => "alpha",
        _ if what.contains("lag") && task.groups.is_some() => "groups",
        _ if what.contains("lag") && task.order.is_some() => "order",
        _ if what.contains("lag") => "group_size",
        _ if what.contains("position") => "places",
        _ if what.contains("matrix") || what.contains("coordinates") => "matrices",
        _ if what.contains("strength") && task.strengths.is_some() => "strengths",
        _ => "features",
    };
    task.wrong(name, format!("does not fit: {error}"))
}

/// The sizes of noise and scores where none is given.
const USUAL_NOISE: f64 = 1e-3;
pub(crate) const USUAL_U: f64 = 0.1;

pub(crate) fn regression_start(
    start: &Spanned<Init>,
    model: &Factorisation,
    seed: u64,
) -> Result<Vec<f64>> {
    let (target, heads) = (&model.target, model.heads);
    let (rank, positions) = (target.rank, target.positions);
    let even = vec![1.0 / positions as f64; heads * positions];
    match &**start {
        Init::Layers(..) | Init::Normal(..) | Init::Checkpoint(_) => Err(not_here(start)),
        Init::Offshoot(Offshoot { epsilon }) => offshoot(start, *epsilon, model),
        Init::Given(Given { v, s, values, scores }) => {
            refuse(start, [("values", values), ("scores", scores)], "minimal", "v and s")?;
            let v = start.shaped("v", v, [heads, rank], "heads x features")?;
            let s = start.shaped("s", s, [heads, positions], "heads x positions")?;
            if let Some(wrong) = s.iter().flatten().find(|s| **s < 0.0) {
                return Err(start.wrong("s", format!("has {wrong}, expected shares of 0 or more")));
            }
            let s = s.unwrap_or(even);
            for (k, row) in s.chunks_exact(positions).enumerate() {
                let sum: f64 = row.iter().sum();
                let message = format!("has a row {k} with sum {sum}, expected 1");
                start.ensure((sum - 1.0).abs() <= SHARE_ERROR, "s", message)?;
            }
            Ok(model.state(&v.unwrap_or_else(|| vec![0.0; heads * rank]), &s))
        }
        Init::Uniform(Uniform { scale }) => {
            let noise = scale.unwrap_or(USUAL_NOISE);
            let s = noisy(heads, positions, noise, seed);
            if let Some(wrong) = s.iter().find(|s| **s <= 0.0) {
                let message = format!(
                    "is {noise}, so large that attention starts at {wrong}; expected well below 1/T = {}",
                    1.0 / positions as f64
                );
                return Err(start.wrong("scale", message));
            }
            Ok(model.state(&vec![0.0; heads * rank], &s))
        }
    }
}

/// How far a row of attention may be from adding up to one: references are printed with 8 digits.
const SHARE_ERROR: f64 = 1e-6;

/// Even attention with normal noise, whose mean is taken from each row, so that the row adds up to one. 000, B.4: `eps = 1e-6`
/// there is the variance.
pub(crate) fn noisy(heads: usize, positions: usize, noise: f64, seed: u64) -> Vec<f64> {
    let mut all = Vec::with_capacity(heads * positions);
    for k in 0..heads {
        let mut row = vec![0.0_f64; positions];
        Stream::new(seed, Purpose::Start, 0).substream(k as u64).fill_normal(&mut row);
        let mean = row.iter().sum::<f64>() / positions as f64;
        all.extend(row.iter().map(|x| 1.0 / positions as f64 + noise * (x - mean)));
    }
    all
}

/// All heads on the first position but the last, which has something of the second. 000, Eq. (9), (17) and Remark 2.
fn offshoot(start: &Spanned<Init>, epsilon: f64, model: &Factorisation) -> Result<Vec<f64>> {
    let (target, heads) = (&model.target, model.heads);
    let message = "is \"offshoot\", for which there must be at least two heads and two features";
    start.ensure(heads >= 2 && target.features() >= 2, "kind", message)?;
    let (first, second) = (target.places[0], target.places[1]);
    let m = target.strengths[0];
    let value = |share: f64, of_second: f64| -> Vec<f64> {
        let pairs = target.directions[0].iter().zip(&target.directions[1]);
        pairs.map(|(one, two)| share * one + of_second * two).collect()
    };
    let leaving = value(m / heads as f64, epsilon);
    // The ensemble rests where Eq. (17) has it.
    let others = (heads - 1) as f64;
    let ensemble = value(
        (m - (1.0 - epsilon) * m / heads as f64) / others,
        -(1.0 - epsilon) * epsilon / others,
    );
    let mut v = ensemble.repeat(heads - 1);
    v.extend(leaving);
    let mut s = vec![0.0; heads * target.positions];
    for (k, row) in s.chunks_exact_mut(target.positions).enumerate() {
        row[first] = 1.0;
        if k + 1 == heads {
            (row[first], row[second]) = (1.0 - epsilon, epsilon);
        }
    }
    Ok(model.state(&v, &s))
}

pub(crate) fn minimal_start(start: &Spanned<Init>, model: &Minimal, seed: u64) -> Result<Vec<f64>> {
    match &**start {
        Init::Offshoot(_) | Init::Layers(..) | Init::Normal(..) | Init::Checkpoint(_) => {
            Err(not_here(start))
        }
        Init::Given(Given { v, s, values, scores }) => {
            refuse(start, [("v", v), ("s", s)], "regression", "values and scores")?;
            let heads = model.heads * model.layers;
            let block = |name: &str, block: &Option<Tensor>, side: usize| {
                let of = "heads, layer after layer";
                let found = start.shaped(name, block, [heads, side, side], of)?;
                Ok(found.unwrap_or_else(|| vec![0.0; heads * side * side]))
            };
            let a = block("scores", scores, model.width())?;
            let v = block("values", values, model.chain.vocabulary)?;
            model.given_start(&a, &v).map_err(|error| start.wrong("scores", error.to_string()))
        }
        Init::Uniform(Uniform { scale }) => {
            let u = scale.unwrap_or(USUAL_U);
            model.uniform_start(u, seed).map_err(|error| start.wrong("scale", error.to_string()))
        }
    }
}

/// Refuses what belongs to a start of another model.
fn refuse(
    start: &Spanned<Init>,
    tables: [(&str, &Option<Tensor>); 2],
    model: &str,
    expected: &str,
) -> Result<()> {
    match tables.iter().find(|(_, table)| table.is_some()) {
        None => Ok(()),
        Some((name, _)) => {
            let message = format!("belongs to model = \"{model}\"; expected {expected}");
            Err(start.wrong(name, message))
        }
    }
}

/// The kind of start is one of another model.
fn not_here(start: &Spanned<Init>) -> SettingsError {
    let (of, expected) = match **start {
        Init::Offshoot(_) => ("regression", "\"uniform\""),
        Init::Given(_) => {
            ("regression\" or \"minimal", "\"layers\", \"normal\", \"uniform\" or \"checkpoint\"")
        }
        _ => ("transformer", "\"uniform\" or \"given\""),
    };
    let kind = start.word();
    let message = format!("is \"{kind}\", a start of model = \"{of}\"; expected {expected}");
    start.wrong("kind", message)
}

/// The law by which a transformer starts, and the factors of its parts. Where it starts at a checkpoint, those with restricted
/// contexts, which it does not fit, start as layers.
pub(crate) fn full_law(start: &Spanned<Init>, full: &Full) -> Result<(Start, Scales)> {
    let (law, all, Parts { slope, factors }) = match &**start {
        Init::Offshoot(_) | Init::Given(_) => return Err(not_here(start)),
        Init::Checkpoint(_) => return Ok((Start::Layers, Scales::default())),
        Init::Uniform(Uniform { scale }) => {
            return Ok((Start::Uniform(scale.unwrap_or(USUAL_U)), Scales::default()));
        }
        Init::Layers(Layers { scale }, parts) => (Start::Layers, *scale, parts),
        Init::Normal(Normal { scale }, parts) => (Start::Normal(*scale), 1.0, parts),
    };
    let scales = Scales { all, slopes: *slope, named: factors.clone() };
    scales.ensure_fits(&full.model.blocks).map_err(|message| start.wrong("factors", message))?;
    Ok((law, scales))
}
