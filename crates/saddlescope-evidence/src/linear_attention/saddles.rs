//! How the loss curves at the fixed points: remarks that the paper makes in words, and counts that it lacks.

use super::*;
use saddlescope::analysis::saddle;
use saddlescope::analysis::saddle::{Search, certify};
use saddlescope_linear_attention::saddles::symmetries;

/// Curvatures nearer to zero count as zero.
const FLAT: f64 = 1e-9;

/// Negative and zero curvatures at the fixed point with the eigenvectors `learned`.
fn counts(
    task: &Task,
    shape: Shape,
    learned: &[usize],
    slots: Slots,
) -> Outcome<(usize, usize, f64)> {
    let landscape = Population::new(task, shape, 1.0)?;
    let weights = Theory::new(task).weights_at(shape, learned, slots)?;
    let found = curvatures(&landscape, &weights)?;
    let negative = found.iter().filter(|&&curvature| curvature < -FLAT).count();
    let zero = found.iter().filter(|curvature| curvature.abs() <= FLAT).count();
    Ok((negative, zero, found.first().copied().unwrap_or(f64::NAN)))
}

/// Eigenvalues of the tasks in which all sets are counted; those with fewer take the first ones.
const SPECTRUM: [f64; 6] = [0.4, 0.3, 0.2, 0.1, 0.06, 0.03];

/// Pairs of a learned eigenvector and an unlearned one with a larger eigenvalue.
fn pairs(dimension: usize, learned: &[usize]) -> usize {
    let unlearned = (0..dimension).filter(|other| !learned.contains(other));
    unlearned.map(|u| learned.iter().filter(|&&l| u < l).count()).sum()
}

pub(super) fn unstable(e: &mut Evidence, _: Trial) -> Outcome {
    let (task, shape) = (figure_1()?, Shape::new(4, 5, 1)?);
    let landscape = Population::new(&task, shape, 1.0)?;

    for m in 0..4 {
        let learned: Vec<usize> = (0..m).collect();
        let weights = Theory::new(&task).weights_at(shape, &learned, Slots::HeadEach)?;
        let (base, _) = evaluated(&landscape, &weights)?;
        let fall = |size: f64| -> Outcome<f64> {
            let mut moved = weights.clone();
            let mut vector = vec![0.0; 4];
            vector[m] = size;
            shape.set_pair(&mut moved, 4, 0, size, &vector);
            Ok(base - evaluated(&landscape, &moved)?.0)
        };
        // A new head v = s, k = q = s e_{m+1} lowers the loss by 2 lambda^2 s^3.
        let (near, far) = (fall(1e-2)?, fall(2e-2)?);
        let l = task.eigenvalues[m];
        let what = format!("fall of the loss along a new head of size 0.01, m = {m}");
        e.of(what).rel(2.0 * l * l * 1e-6, near, 1e-4);
        e.of(format!("its order: 3, m = {m}")).abs(3.0, (far / near).log2(), 1e-3);

        let (negative, _, _) = counts(&task, shape, &learned, Slots::HeadEach)?;
        e.of(format!("negative curvatures with silent heads at zero, m = {m}")).count(0, negative);
    }
    Ok(())
}

pub(super) fn zero_saddle(e: &mut Evidence, _: Trial) -> Outcome {
    let (task, shape) = (figure_1()?, Shape::new(4, 4, 1)?);
    let landscape = Population::new(&task, shape, 1.0)?;
    let flat = curvatures(&landscape, &vec![0.0; shape.parameters()])?;
    let largest = flat.iter().fold(0.0, |most: f64, c| most.max(c.abs()));
    let (task, shape) = (task_with(&[0.4, 0.3], 31)?, Shape::new(2, 1, 1)?);
    let landscape = Population::new(&task, shape, 1.0)?;
    let lowest = curvatures(&landscape, &[0.0, 0.5, 0.2, 0.0, 0.0])?[0];
    let length = (0.16_f64 * 0.5).hypot(0.09 * 0.2);
    e.of("largest curvature at zero weights").abs(0.0, largest, FLAT);
    let what = "lowest curvature at v = q = 0, k = (0.5, 0.2), eigenvalues 0.4, 0.3";
    e.of(what).abs(-2.0 * length, lowest, 1e-10);
    Ok(())
}

pub(super) fn saddle_index(e: &mut Evidence, _: Trial) -> Outcome {
    let (mut checked, mut wrong_index, mut wrong_null) = (0, 0, 0);
    for d in 2..=6 {
        let task = task_with(&SPECTRUM[..d], 31)?;
        for heads in [d, d + 1] {
            let shape = Shape::new(d, heads, 1)?;
            for learned in subsets(d) {
                let m = learned.len();
                let pairs = pairs(d, &learned);
                let (negative, zero, _) = counts(&task, shape, &learned, Slots::HeadEach)?;
                checked += 1;
                wrong_index += usize::from(negative != pairs);
                wrong_null += usize::from(zero != m * (m + 1) + (heads - m) * (2 * d + 1));
            }
        }
    }
    let sets = format!("of {checked} sets, D = 2, ..., 6, H = D and D + 1");
    let index = format!("sets with another number of negative eigenvalues, {sets}");
    let null = format!("sets with another number of zero eigenvalues, {sets}");
    e.of(index).count(0, wrong_index);
    e.of(null).count(0, wrong_null);
    Ok(())
}

pub(super) fn saddle_index_shared(e: &mut Evidence, _: Trial) -> Outcome {
    let task = task_with(&[0.4, 0.3, 0.2], 31)?;
    let shape = Shape::new(3, 3, 1)?;
    let landscape = Population::new(&task, shape, 1.0)?;
    // M({2}): the gain of the second eigenvector, in two heads with half of it each.
    let half = (0.5 * Theory::new(&task).optimal_gains()[1]).cbrt();
    let mut weights = vec![0.0; shape.parameters()];
    for head in 0..2 {
        shape.set_pair(&mut weights, head, 0, half, &[0.0, half, 0.0]);
    }
    let slope = evaluated(&landscape, &weights)?.1;
    let steepest = slope.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    let found = curvatures(&landscape, &weights)?;
    let negative = found.iter().filter(|&&curvature| curvature < -FLAT).count();
    let what = "negative eigenvalues at M({2}) in two heads, D = 3; one head would have 1";
    e.assume("the point is fixed: its gradient is 0 within 1e-12", steepest < 1e-12);
    e.of(what).at_least(2.0, negative as f64);
    Ok(())
}

pub(super) fn saddle_index_rank(e: &mut Evidence, _: Trial) -> Outcome {
    let task = figure_1()?;
    let l = &task.eigenvalues;

    for rank in [1, 2, 3, 4] {
        let shape = Shape::new(4, 4, rank)?;
        let (mut printed, mut measured) = (Vec::new(), Vec::new());
        for m in 0..4_usize {
            let learned: Vec<usize> = (0..m).collect();
            let free = m.next_multiple_of(rank) - m;
            let (negative, _, lowest) = counts(&task, shape, &learned, Slots::Filled)?;
            printed.push((free * (4 - m)) as f64);
            measured.push(negative as f64);
            if free == 0 {
                continue;
            }
            let weights = Theory::new(&task).weights_at(shape, &learned, Slots::Filled)?;
            let active = (m - 1) / rank;
            let value = weights[active * shape.head_len()];
            let what = format!("lowest eigenvalue, R = {rank}, m = {m}");
            e.of(what).abs(-2.0 * value * l[m] * l[m], lowest, 1e-10);
        }
        let what = format!("negative eigenvalues at m = 0, 1, 2, 3, R = {rank}");
        e.of(what).each(&printed, &measured, 0.0);
    }
    Ok(())
}

pub(super) fn saddle_index_slots(e: &mut Evidence, _: Trial) -> Outcome {
    let (mut checked, mut wrong) = (0, 0);
    for d in 2..=6_usize {
        let task = task_with(&SPECTRUM[..d], 31)?;
        for rank in [2, 3] {
            let shape = Shape::new(d, d.div_ceil(rank) + 1, rank)?;
            for learned in subsets(d) {
                let m = learned.len();
                let free = m.next_multiple_of(rank) - m;
                let (negative, _, _) = counts(&task, shape, &learned, Slots::Filled)?;
                checked += 1;
                wrong += usize::from(negative != pairs(d, &learned) + free * (d - m));
            }
        }
    }
    let sets = format!("of {checked} sets, D = 2, ..., 6, R = 2 and 3");
    e.of(format!("sets with another number of negative eigenvalues, {sets}")).count(0, wrong);
    Ok(())
}

pub(super) fn saddle_symmetry(e: &mut Evidence, _: Trial) -> Outcome {
    let (mut checked, mut wrong, mut orders) = (0, 0, 0);
    for d in 2..=4 {
        let task = task_with(&SPECTRUM[..d], 31)?;
        for heads in [d, d + 1] {
            let shape = Shape::new(d, heads, 1)?;
            let landscape = Population::new(&task, shape, 1.0)?;
            for learned in subsets(d) {
                let m = learned.len();
                let weights = Theory::new(&task).weights_at(shape, &learned, Slots::HeadEach)?;
                let search = Search { measure: false, ..Search::default() };
                let tangents = |state: &[f64]| symmetries(shape, state);
                let found = certify(&landscape, &tangents, &weights, &search)?;
                let symmetry = found.counts.map(|counts| counts.symmetry);
                let other = found.counts.map(|counts| counts.unexplained());
                checked += 1;
                let expected = (m * (m + 1) + 2 * m * (heads - m), (heads - m) * (2 * (d - m) + 1));
                wrong += usize::from((symmetry, other) != (Some(expected.0), Some(expected.1)));
                let visited = learned.iter().copied().eq(0..m) && m < d;
                let third = found.kind == saddle::Kind::Degenerate { order: 3 };
                orders += usize::from(visited != third);
            }
        }
    }
    let sets = format!("of {checked} sets, D = 2, 3, 4, H = D and D + 1");
    e.of(format!("sets with other counts, {sets}")).count(0, wrong);
    e.of(format!("sets that are visited and not of order 3, or the reverse, {sets}"))
        .count(0, orders);
    Ok(())
}

pub(super) fn escape_rate(e: &mut Evidence, _: Trial) -> Outcome {
    let (task, shape) = (figure_1()?, Shape::new(4, 2, 2)?);
    let landscape = Population::new(&task, shape, 1.0)?;
    let theory = Theory::new(&task);
    let mut weights = theory.weights_at(shape, &[0], Slots::Filled)?;
    let value = weights[0];
    // A seed of the second pair of the first head along e_2.
    const SEED: f64 = 1e-8;
    let key = 1 + 4 + 1;
    let query = key + 8;
    (weights[key], weights[query]) = (SEED, SEED);
    let rate = value * task.eigenvalues[1].powi(2);
    let level = theory.levels()[1];
    let flow = Flow::default()
        .event(Event::note(Condition::ParameterCrosses { index: key, value: 1e-6 }))
        .event(Event::stop(Condition::ParameterCrosses { index: key, value: 1e-3 }));
    let end = flow.run(&GradientFlow::new(&landscape), 0.0, &weights, &mut Silent)?;
    let time = |index: usize| end.crossings[index].map_or(f64::NAN, |crossing| crossing.time);
    let measured = 1e3_f64.ln() / (time(1) - time(0));
    e.of("growth rate of the second pair between 1e-6 and 1e-3, R = 2, m = 1")
        .rel(rate, measured, 1e-4);
    e.of("loss on the way").rel(level, end.loss, 1e-3);
    Ok(())
}
