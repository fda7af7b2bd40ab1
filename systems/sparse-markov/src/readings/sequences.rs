//! What can be read off a state of a model on sequences, minimal or full: how good it is, what it computes, and where its heads
//! look.

use std::sync::{Arc, Mutex};

use saddlescope_spec::prelude::*;

use crate::Chain;
use crate::matrices::SequenceModel;
use crate::readings::evaluation::{Attention, Evaluation, Measures, Model, Reference, Want};

/// A model with all that it is compared with. What was measured last at a state is kept, so that several observables of one
/// moment cost one pass.
pub(crate) struct Watch<M> {
    model: M,
    pub(crate) evaluation: Evaluation,
    windows: Vec<usize>,
    last: [Mutex<Option<Found>>; 4],
}

/// A state, and what was measured there.
type Found = (Vec<f64>, Arc<Measures>);

#[derive(Clone, Copy)]
enum Pass {
    /// Excess, rungs and cross entropy.
    Ladder,
    Best,
    Contexts,
    Attention,
}

impl<M: SequenceModel> Watch<M> {
    pub(crate) fn new(model: M, evaluation: Evaluation, windows: Vec<usize>) -> Self {
        Self { model, evaluation, windows, last: Default::default() }
    }

    pub(crate) fn chain(&self) -> &Chain {
        self.model.chain()
    }

    fn groups(&self) -> usize {
        self.chain().groups.len()
    }

    /// What a pass finds at `state`; nothing where it failed.
    fn measure(&self, pass: Pass, state: &[f64]) -> Option<Arc<Measures>> {
        let mut last = self.last[pass as usize].lock().ok()?;
        if let Some((at, found)) = &*last
            && at == state
        {
            return Some(Arc::clone(found));
        }
        let groups = 1..=self.groups();
        let references: Vec<Reference> = match pass {
            Pass::Ladder => {
                [Reference::Truth].into_iter().chain(groups.map(Reference::Rung)).collect()
            }
            Pass::Best => groups.map(Reference::Best).collect(),
            Pass::Contexts => self.windows.iter().copied().map(Reference::Window).collect(),
            Pass::Attention => Vec::new(),
        };
        let want = Want {
            references: &references,
            cross_entropy: matches!(pass, Pass::Ladder),
            attention: matches!(pass, Pass::Attention),
        };
        let model = Model::new(&self.model, state).ok()?;
        let found = Arc::new(self.evaluation.evaluate(&model, &want).ok()?);
        *last = Some((state.to_vec(), Arc::clone(&found)));
        Some(found)
    }

    pub(crate) fn attention(&self, state: &[f64]) -> Option<Attention> {
        self.measure(Pass::Attention, state)?.attention.clone()
    }

    pub(crate) fn excess(&self, state: &[f64]) -> Option<f64> {
        Some(self.measure(Pass::Ladder, state)?.references[0].mean)
    }
}

/// Adds them to `all`; all are means over the test sequences, groups count from 1 and heads from 0:
///
/// `excess`, `E KL(p* || p)`; `test`, the cross entropy of the tokens there, and `test.places`, at each of the `T` places; `kl.rung.I`, the divergence from `f_{A_{1:I}}` to the
/// model; `kl.best.I`, that from the best predictor from the lags of the first `I` groups; `kl.context.C`, that from the model with
/// window `C`; `head.K.group.J`, the part of a head's attention on group `J`; `head.K.lags`, on each lag (entry 0, the token to come, has none); `head.K.map`, on each column
/// (row) by each query (column of the map); `map`, the sum of these over heads; `entropy` of attention, mean over heads. Those of
/// layers after the first are called `layer.1.head.K...`.
pub(crate) fn with<M: SequenceModel>(mut all: Observables, watch: &Arc<Watch<M>>) -> Observables {
    let reference = |name: String, pass: Pass, place: usize| {
        number(watch, name, move |watch, state| {
            Some(watch.measure(pass, state)?.references[place].mean)
        })
    };
    all = all.with(number(watch, "excess", Watch::excess)).with(number(
        watch,
        "test",
        |watch, state| Some(watch.measure(Pass::Ladder, state)?.cross_entropy?.mean),
    ));
    let places = Arc::clone(watch);
    all =
        all.with(Observable::new("test.places", &[watch.chain().length], move |moment, value| {
            match places.measure(Pass::Ladder, moment.state) {
                Some(found) => value.copy_from_slice(&found.places),
                None => value.fill(f64::NAN),
            }
        }));
    for i in 1..=watch.groups() {
        all = all.with(reference(format!("kl.rung.{i}"), Pass::Ladder, i));
    }
    for i in 1..=watch.groups() {
        all = all.with(reference(format!("kl.best.{i}"), Pass::Best, i - 1));
    }
    for (place, window) in watch.windows.iter().enumerate() {
        all = all.with(reference(format!("kl.context.{window}"), Pass::Contexts, place));
    }
    with_attention(all, watch)
}

fn number<M: SequenceModel>(
    watch: &Arc<Watch<M>>,
    name: impl Into<String>,
    read: impl Fn(&Watch<M>, &[f64]) -> Option<f64> + Send + Sync + 'static,
) -> Observable {
    let watch = Arc::clone(watch);
    Observable::scalar(name, move |moment: &Moment<'_>| {
        read(&watch, moment.state).unwrap_or(f64::NAN)
    })
}

fn of_attention<M: SequenceModel>(
    watch: &Arc<Watch<M>>,
    name: impl Into<String>,
    shape: &[usize],
    write: impl Fn(&Attention, &mut [f64]) + Send + Sync + 'static,
) -> Observable {
    let watch = Arc::clone(watch);
    Observable::new(name, shape, move |moment, value| match watch.attention(moment.state) {
        Some(attention) => write(&attention, value),
        None => value.fill(f64::NAN),
    })
}

fn with_attention<M: SequenceModel>(mut all: Observables, watch: &Arc<Watch<M>>) -> Observables {
    let chain = watch.chain();
    let size = [chain.tokens() - 1, chain.length];
    let (layers, count) = watch.model.heads();
    for (layer, head) in (0..layers).flat_map(|layer| (0..count).map(move |head| (layer, head))) {
        let name = |what: &str| match layer {
            0 => format!("head.{head}.{what}"),
            _ => format!("layer.{layer}.head.{head}.{what}"),
        };
        for k in 0..watch.groups() {
            let name = name(&format!("group.{}", k + 1));
            all = all.with(of_attention(watch, name, &[], move |attention, value| {
                value[0] = attention.group(layer, head, k).mean;
            }));
        }
        all = all
            .with(of_attention(watch, name("lags"), &[size[0] + 1], move |attention, value| {
                for (lag, value) in value.iter_mut().enumerate() {
                    *value = attention.lag(layer, head, lag);
                }
            }))
            .with(of_attention(watch, name("map"), &size, move |attention, value| {
                value.copy_from_slice(&attention.head(layer, head).map);
            }));
    }
    all.with(of_attention(watch, "map", &size, move |attention, value| {
        value.fill(0.0);
        for head in 0..count {
            let map = &attention.head(0, head).map;
            value.iter_mut().zip(map).for_each(|(sum, share)| *sum += share);
        }
    }))
    .with(of_attention(watch, "entropy", &[], move |attention, value| {
        let entropies = (0..count).map(|head| attention.head(0, head).entropy.mean);
        value[0] = entropies.sum::<f64>() / count as f64;
    }))
}

pub(crate) fn figure() -> FigureSpec {
    let rungs = PanelSpec::over_time(&["kl.rung.*"]).titled("(b) divergence from the ladder");
    let heads = PanelSpec::over_time(&["head.*.group.*"]).titled("(c) attention on the groups");
    let excess = PanelSpec::over_time(&["excess"]).titled("(a) excess loss");
    FigureSpec::new(2, vec![excess, rungs, heads])
}

/// A group counts as attended to where a head gives it more than this.
const ATTENDED: f64 = 0.5;

pub(crate) fn outcome_names(groups: usize) -> Vec<String> {
    let owners = (1..=groups).map(|k| format!("owner.{k}"));
    let plain = ["excess", "excess.best", "step.best", "learned", "owners"];
    plain.map(str::to_owned).into_iter().chain(owners).collect()
}

/// `excess`, the excess loss at the end; `excess.best` and `step.best`, the least that was recorded, and when: early stopping;
/// `learned`, how many groups some head gives more than half of its attention; `owner.J`, the head of the first layer that gives
/// group `J` most, and `owners`, all of them.
pub(crate) fn outcomes<M: SequenceModel>(watch: &Watch<M>, seen: RunData<'_>) -> Vec<Outcome> {
    let mut all = Vec::new();
    if let Some(series) = seen.trajectory.get("excess") {
        let times = seen.trajectory.time().iter();
        let best = times.zip(series.data()).min_by(|a, b| a.1.total_cmp(b.1));
        if let Some((time, excess)) = best {
            all.push(Outcome::new("excess.best", *excess));
            all.push(Outcome::new("step.best", *time));
        }
    }
    if seen.state.len() != watch.model.blocks().len() {
        return all;
    }
    if let Some(excess) = watch.excess(seen.state) {
        all.push(Outcome::new("excess", excess));
    }
    let Some(attention) = watch.attention(seen.state) else { return all };
    let groups = watch.groups();
    let owners: Vec<usize> = (0..groups).map(|k| attention.owner(0, k)).collect();
    let attended = |k: &usize| attention.group(0, owners[*k], *k).mean > ATTENDED;
    all.push(Outcome::new("learned", (0..groups).filter(attended).count() as f64));
    let names: Vec<String> = owners.iter().map(ToString::to_string).collect();
    all.push(Outcome::new("owners", names.join("-")));
    for (k, owner) in owners.into_iter().enumerate() {
        all.push(Outcome::new(format!("owner.{}", k + 1), owner as f64));
    }
    all
}
