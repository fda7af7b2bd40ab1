//! Numbers and remarks of single figures; appendix E.5: repeated eigenvalues.

use super::*;

pub(super) fn fig_2_levels(e: &mut Evidence, _: Trial) -> Outcome {
    let known = [
        1.0, 0.671_465, 0.519_123, 0.424_436, 0.357_923, 0.307_885, 0.268_532, 0.236_598, 0.210_069,
    ];
    levels(e, &harmonic_task()?, Shape::new(8, 8, 1)?, &known)
}

pub(super) fn fig_5_levels(e: &mut Evidence, _: Trial) -> Outcome {
    let task = Task::new(&[0.4, 0.3, 0.2, 0.1], Basis::Axes, Context::Varying(31))?;
    let known = [1.0, 0.725_027, 0.533_082, 0.420_689, 0.379_520];
    levels(e, &task, Shape::new(4, 4, 1)?, &known)
}

pub(super) fn fig_9_levels(e: &mut Evidence, _: Trial) -> Outcome {
    let known = [1.0, 0.688_730, 0.377_459, 0.257_200, 0.136_942];
    levels(e, &task_with(&[0.35, 0.35, 0.15, 0.15], 31)?, Shape::new(4, 4, 1)?, &known)
}

/// The levels of Eq. (5) or (12) beside known ones and beside the exact loss at the fixed points.
fn levels(e: &mut Evidence, task: &Task, shape: Shape, known: &[f64]) -> Outcome {
    let theory = Theory::new(task);
    let landscape = Population::new(task, shape, 1.0)?;
    let mut losses = Vec::new();
    for m in 0..known.len() {
        let learned: Vec<usize> = (0..m).collect();
        let weights = theory.weights_at(shape, &learned, Slots::HeadEach)?;
        losses.push(evaluated(&landscape, &weights)?.0);
    }
    let what = "levels beside those of an independent implementation";
    e.of(what).each(known, &theory.levels(), 1e-6);
    e.of("exact loss at the fixed points").each(known, &losses, 1e-6);
    Ok(())
}

pub(super) fn fig_7_setting(e: &mut Evidence, trial: Trial) -> Outcome {
    let of = |pairs: usize| -> Outcome<Vec<f64>> {
        Ok(Theory::new(&task_with(&[0.4, 0.3, 0.2, 0.1], pairs)?).levels())
    };
    let sequence: Sequence = Sampler::new(&figure_1()?)?.sequence(trial.seed, 0);
    let columns = sequence.targets.len();
    e.of("levels of Fig. 1 and of Fig. 7").each(&of(31)?, &of(32)?, 1e-6);
    e.but("columns of $X$ in Eq. (1) when $N = 31$, the query among them").count(32, columns);
    Ok(())
}

pub(super) fn fig_9_pair(e: &mut Evidence, trial: Trial) -> Outcome {
    let (task, shape) = (task_with(&[0.35, 0.35, 0.15, 0.15], 31)?, Shape::new(4, 4, 1)?);
    let equal = times(&flow(&task, shape, &shape.aligned_start(&task, &[0.02; 4])?)?)?;
    let runs = many_times(&task, shape, 0.02, trial, 80)?;
    let parts: Vec<f64> = runs.iter().map(|t| (t[1] - t[0]) / t[0]).collect();
    let (least, most) = parts.iter().fold((f64::INFINITY, 0.0), |(least, most), &part| {
        (f64::min(least, part), f64::max(most, part))
    });
    // From equal heads both drop at once: the middle levels are passed 0.6 % of the time apart.
    e.of("length of the second plateau over the first, equal aligned heads")
        .at_most(0.02, (equal[1] - equal[0]) / equal[0]);
    e.of("the same, least of 80 random starts").at_most(0.1, least);
    e.of("the same, most of 80 random starts").at_least(0.5, most);
    Ok(())
}

pub(super) fn fig_9_solely(e: &mut Evidence, _: Trial) -> Outcome {
    let (task, shape) = (task_with(&[0.35, 0.35, 0.15, 0.15], 31)?, Shape::new(4, 4, 1)?);
    let t = times(&flow(&task, shape, &shape.aligned_start(&task, &[0.005; 4])?)?)?;
    let ratio = t[2] / t[0];
    let what = "time of the third drop over the first, four heads with equal starts";
    e.of(what).rel(1.0, ratio, 0.05);
    e.but(what).rel((0.35_f64 / 0.15).powi(2), ratio, 0.05);
    Ok(())
}
