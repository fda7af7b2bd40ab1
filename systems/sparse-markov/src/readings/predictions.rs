//! What theory says about a run, ready to be drawn beside it.

use saddlescope_spec::prelude::*;

use crate::matrices::SequenceModel;
use crate::readings::evaluation::{Reference, Want};
use crate::readings::sequences::Watch;
use crate::{Error, Factorisation, Law, Predictor, theory};
use saddlescope_spec::cases::integrate;

pub(crate) const NAMES: &[&str] =
    &["levels", "coupled", "approach", "beginning", "first-jump", "rungs", "best"];

const POINTS: usize = 160;

/// Levels of the plateaus; the loss, attention and values of heads that would move as one from the mean start; how attention
/// would approach the first position; the first steps; and when coupled heads pass half way to the first plateau.
pub(crate) fn regression(
    model: &Factorisation,
    start: &[f64],
    levels: Vec<f64>,
    seen: RunData<'_>,
) -> Vec<Prediction> {
    let mut all = vec![Prediction::levels("$\\frac12\\sum_{j>n} m_j^2$", levels)];
    let law = Law::coupled(model);
    let time = seen.times(None, POINTS);
    let (target, from) = (&model.target, law.project(start));
    let (rank, place) = (target.rank, target.places[0]);
    let of_loss = Observable::scalar("loss", |moment| moment.loss);
    let of_first = Observable::scalar("first", move |moment| {
        let s = crate::loss::softmax(&moment.state[rank..]);
        s.iter().sum::<f64>() - s[place]
    });
    let observables: Observables = [of_loss, of_first].into_iter().collect();
    let flow = Flow::default().tolerances(1e-8, 1e-10);
    let mids = target.mid_levels(1);
    if let Ok((_, columns)) = integrate(flow, &law, &from, &time, observables) {
        let curve = |value: &Vec<f64>| Says::Curve { time: time.clone(), value: value.clone() };
        let crossed = columns[0].iter().position(|loss| *loss < mids[0]);
        all.push(Prediction::new("coupled", "coupled heads", "loss", curve(&columns[0])));
        all.push(Prediction::new("coupled", "coupled heads", "first", curve(&columns[1])));
        // Between two points of the curve, on log time.
        if let Some(i) = crossed.filter(|i| *i > 0) {
            let (a, b) = (columns[0][i - 1], columns[0][i]);
            let part = (a - mids[0]) / (a - b);
            let instant = time[i - 1] * (time[i] / time[i - 1]).powf(part);
            let instants = Says::Instants(vec![instant]);
            all.push(Prediction::new("first-jump", "coupled heads", "time", instants));
        }
    }
    if let Ok(constant) = theory::approach(target, model.heads) {
        let says = Says::curve(time.clone(), |t| (constant / t.sqrt()).min(1.0));
        all.push(Prediction::new("approach", "$c\\,t^{-1/2}$", "first", says));
    }
    let t = target.positions as f64;
    let early = time.into_iter().filter(|time| *time < 0.5 * t).collect();
    let left = |time| 1.0 - theory::beginning(target, model.heads, time).1[place];
    let says = Says::curve(early, left);
    all.push(Prediction::new("beginning", "second order in $t$", "first", says));
    all
}

/// What the rungs `f_{A_{1:i}}` leave of the excess loss, and what the best predictors from the same lags leave: where plateaus are.
pub(crate) fn sequences<M: SequenceModel>(watch: &Watch<M>, seen: RunData<'_>) -> Vec<Prediction> {
    let evaluation = &watch.evaluation;
    let chain = watch.chain();
    let groups = chain.groups.len();
    let uniform = Predictor::even(chain.vocabulary);
    let excess = |of: &Predictor| {
        let want = Want { references: &[Reference::Truth], ..Want::default() };
        evaluation.evaluate(of, &want).map(|found| found.references[0].mean)
    };
    let mut all = Vec::new();
    let rungs: Result<Vec<f64>, Error> = [uniform]
        .into_iter()
        .chain((1..=groups).map(|i| chain.rung(i)))
        .map(|rung| excess(&rung))
        .collect();
    if let Ok(rungs) = rungs {
        all.push(Prediction::new("rungs", "$f_{A_{1:i}}$", "excess", Says::Levels(rungs)));
    }
    // Fits take seconds: only where a run has looked at what they are for.
    if seen.trajectory.get("excess").is_some() {
        let best: Result<Vec<f64>, Error> = (1..groups)
            .filter_map(|i| evaluation.fitted(i).transpose())
            .map(|fitted| excess(fitted?))
            .collect();
        if let Ok(best) = best {
            let label = "best from $I(1..i)$";
            all.push(Prediction::new("best", label, "excess", Says::Levels(best)));
        }
    }
    all
}
