//! The regression variant as a problem.

use saddlescope_spec::prelude::*;
use saddlescope_spec::problem::Chart;

use crate::laws::NAMES;
use crate::problem::init;
use crate::readings::{predictions, regression as seen_in};
use crate::settings::{Init, Task};
use crate::{Factorisation, Law, Simplex, saddles};

pub(crate) fn problem(task: &Spanned<Task>, start: &Spanned<Init>, seed: u64) -> Result<Problem> {
    let model = init::factorisation(task)?;
    let init = init::regression_start(start, &model, seed)?;
    let levels = levels(&model);
    let shifts = Simplex::new(&model).symmetry_directions();
    let (from, plateaus) = (init.clone(), levels.clone());
    Ok(Problem::new(Loss::exact(model.clone()), init)
        .of(model.clone())
        .least_loss(least_loss(&model, &levels))
        .levels(levels)
        .segment_steps(100_000)
        .observables(|model, all| seen_in::with(all, model))
        .predictions(predictions::NAMES, move |model, seen| {
            predictions::regression(model, &from, plateaus.clone(), seen)
        })
        .outcomes(seen_in::outcome_names(model.target.features()), |model, seen| {
            seen_in::outcomes(model, seen.state)
        })
        .invariants(invariants)
        .theories(theories)
        .symmetry(|model| Symmetry::none().numbered("head", model.blocks()))
        // Shifts of all logits of a head.
        .symmetry_directions(move |_, _| shifts.clone())
        .saddles(saddles::known, saddles::nearest)
        .chart(chart)
        .build())
}

/// Those of features that the heads can learn.
fn levels(model: &Factorisation) -> Vec<f64> {
    let mut levels = model.target.levels();
    levels.truncate(model.target.features().min(model.heads) + 1);
    levels
}

/// What the strongest features leave, as many as there are heads.
fn least_loss(model: &Factorisation, levels: &[f64]) -> Option<f64> {
    let target = &model.target;
    let known = target.is_orthonormal() && target.is_ordered();
    if known || model.heads >= target.features() { levels.last().copied() } else { None }
}

/// 000, section 3.1: the logits of a head keep their sum.
fn invariants(model: &Factorisation) -> Vec<Invariant> {
    let rank = model.target.rank;
    let each = rank + model.target.positions;
    let sum = |k: usize| {
        Invariant::new(format!("sum.q.{k}"), move |state: &[f64]| {
            state[k * each + rank..(k + 1) * each].iter().sum()
        })
    };
    (0..model.heads).map(sum).collect()
}

fn theories(model: &Factorisation) -> Theories<'static> {
    let [coupled, cooperative, two_scale @ ..] = NAMES;
    let theories = Theories::none()
        .with(coupled, Law::coupled(model))
        .with_valid(cooperative, Law::cooperative(model));
    let later = two_scale.into_iter().zip(1..);
    later.fold(theories, |theories, (name, n)| theories.with_valid(name, Law::two_scale(model, n)))
}

fn chart(model: &Factorisation) -> Chart {
    let simplex = Simplex::new(model);
    Chart {
        name: "(V, s)",
        note: "in q the plateaus lie at infinity. The flow is no gradient flow here, since Pi(s)^2 stands before \
               the slope in s: negative curvatures say what can be learned, and the way out is algebraic",
        scale: model.target.strengths.iter().copied().fold(1.0, f64::max),
        symmetry_directions: simplex.symmetry_directions(),
        surface: Box::new(simplex.clone()),
        place: Box::new(move |state| simplex.state(state)),
    }
}
