//! How the loss curves at the fixed points: remarks that the paper makes in words, and counts that it lacks.

use super::*;
use saddlescope::analysis::saddle;
use saddlescope::analysis::saddle::{Search, certify};
use saddlescope_linear_attention::saddles::symmetries;

/// Curvatures nearer to zero count as zero.
const FLAT: f64 = 1e-9;

/// Negative and zero curvatures at the fixed point with the eigenvectors `learned`, and the lowest.
fn counts(setup: &Setup, learned: &[usize], slots: Slots) -> Outcome<(usize, usize, f64)> {
    let weights = setup.theory().weights_at(setup.shape, learned, slots)?;
    let found = curvatures(&setup.exact, &weights)?;
    let zero = found.iter().filter(|curvature| curvature.abs() <= FLAT).count();
    Ok((negative(&found), zero, found.first().copied().unwrap_or(f64::NAN)))
}

fn negative(curvatures: &[f64]) -> usize {
    curvatures.iter().filter(|&&curvature| curvature < -FLAT).count()
}

/// Eigenvalues of the tasks in which all sets are counted; those with fewer take the first ones.
const SPECTRUM: [f64; 6] = [0.4, 0.3, 0.2, 0.1, 0.06, 0.03];

/// Pairs of a learned eigenvector and an unlearned one with a larger eigenvalue.
fn pairs(dimension: usize, learned: &[usize]) -> usize {
    let unlearned = (0..dimension).filter(|other| !learned.contains(other));
    unlearned.map(|u| learned.iter().filter(|&&l| u < l).count()).sum()
}

pub(super) fn unstable(e: &mut Evidence, _: Trial) -> Outcome {
    let setup = Setup::figure_1(5, 1)?;
    for m in 0..4 {
        let weights = setup.fixed_point(m)?;
        let base = setup.exact.loss(&weights)?;
        let fall = |size: f64| -> Outcome<f64> {
            let mut moved = weights.clone();
            setup.set_head(&mut moved, 4, m, size);
            Ok(base - setup.exact.loss(&moved)?)
        };
        // A new head v = s, k = q = s e_{m+1} lowers the loss by 2 lambda^2 s^3.
        let (near, far) = (fall(1e-2)?, fall(2e-2)?);
        let l = setup.lambda(m);
        let what = format!("fall of the loss along a new head of size 0.01, m = {m}");
        e.of(what).rel(2.0 * l * l * 1e-6, near, 1e-4);
        e.of(format!("its order: 3, m = {m}")).abs(3.0, (far / near).log2(), 1e-3);

        let learned: Vec<usize> = (0..m).collect();
        let (negative, _, _) = counts(&setup, &learned, Slots::HeadEach)?;
        e.of(format!("negative curvatures with silent heads at zero, m = {m}")).count(0, negative);
    }
    Ok(())
}

pub(super) fn zero_saddle(e: &mut Evidence, _: Trial) -> Outcome {
    let setup = Setup::figure_1(4, 1)?;
    let flat = curvatures(&setup.exact, &vec![0.0; setup.shape.parameters()])?;
    let setup = Setup::new(task_with(&[0.4, 0.3], 31)?, 1, 1)?;
    let lowest = curvatures(&setup.exact, &[0.0, 0.5, 0.2, 0.0, 0.0])?[0];
    let length = (0.16_f64 * 0.5).hypot(0.09 * 0.2);
    e.of("largest curvature at zero weights").abs(0.0, largest_size(&flat), FLAT);
    let what = "lowest curvature at v = q = 0, k = (0.5, 0.2), eigenvalues 0.4, 0.3";
    e.of(what).abs(-2.0 * length, lowest, 1e-10);
    Ok(())
}

pub(super) fn saddle_index(e: &mut Evidence, _: Trial) -> Outcome {
    let (mut checked, mut wrong_index, mut wrong_null) = (0, 0, 0);
    for d in 2..=6 {
        for heads in [d, d + 1] {
            let setup = Setup::new(task_with(&SPECTRUM[..d], 31)?, heads, 1)?;
            for learned in subsets(d) {
                let m = learned.len();
                let (negative, zero, _) = counts(&setup, &learned, Slots::HeadEach)?;
                checked += 1;
                wrong_index += usize::from(negative != pairs(d, &learned));
                wrong_null += usize::from(zero != m * (m + 1) + (heads - m) * (2 * d + 1));
            }
        }
    }
    let sets = format!("of {checked} sets, D = 2, ..., 6, H = D and D + 1");
    e.of(format!("sets with another number of negative eigenvalues, {sets}")).count(0, wrong_index);
    e.of(format!("sets with another number of zero eigenvalues, {sets}")).count(0, wrong_null);
    Ok(())
}

pub(super) fn saddle_index_shared(e: &mut Evidence, _: Trial) -> Outcome {
    let setup = Setup::new(task_with(&[0.4, 0.3, 0.2], 31)?, 3, 1)?;
    // M({2}): the gain of the second eigenvector, in two heads with half of it each.
    let half = (0.5 * setup.theory().optimal_gains()[1]).cbrt();
    let mut weights = vec![0.0; setup.shape.parameters()];
    (0..2).for_each(|head| setup.set_head(&mut weights, head, 1, half));
    let steepest = largest_size(&setup.exact.slopes(&weights)?);
    let negative = negative(&curvatures(&setup.exact, &weights)?);
    let what = "negative eigenvalues at M({2}) in two heads, D = 3; one head would have 1";
    e.assume("the point is fixed: its gradient is 0 within 1e-12", steepest < 1e-12);
    e.of(what).at_least(2.0, negative as f64);
    Ok(())
}

pub(super) fn saddle_index_rank(e: &mut Evidence, _: Trial) -> Outcome {
    for rank in [1, 2, 3, 4] {
        let setup = Setup::figure_1(4, rank)?;
        let (mut printed, mut measured) = (Vec::new(), Vec::new());
        for m in 0..4_usize {
            let learned: Vec<usize> = (0..m).collect();
            let free = m.next_multiple_of(rank) - m;
            let (negative, _, lowest) = counts(&setup, &learned, Slots::Filled)?;
            printed.push((free * (4 - m)) as f64);
            measured.push(negative as f64);
            if free == 0 {
                continue;
            }
            let weights = setup.theory().weights_at(setup.shape, &learned, Slots::Filled)?;
            let active = (m - 1) / rank;
            let value = weights[active * setup.shape.head_len()];
            let what = format!("lowest eigenvalue, R = {rank}, m = {m}");
            let l = setup.lambda(m);
            e.of(what).abs(-2.0 * value * l * l, lowest, 1e-10);
        }
        let what = format!("negative eigenvalues at m = 0, 1, 2, 3, R = {rank}");
        e.of(what).each(&printed, &measured, 0.0);
    }
    Ok(())
}

pub(super) fn saddle_index_slots(e: &mut Evidence, _: Trial) -> Outcome {
    let (mut checked, mut wrong) = (0, 0);
    for d in 2..=6_usize {
        for rank in [2, 3] {
            let task = task_with(&SPECTRUM[..d], 31)?;
            let setup = Setup::new(task, d.div_ceil(rank) + 1, rank)?;
            for learned in subsets(d) {
                let m = learned.len();
                let free = m.next_multiple_of(rank) - m;
                let (negative, _, _) = counts(&setup, &learned, Slots::Filled)?;
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
        for heads in [d, d + 1] {
            let setup = Setup::new(task_with(&SPECTRUM[..d], 31)?, heads, 1)?;
            for learned in subsets(d) {
                let m = learned.len();
                let weights = setup.theory().weights_at(setup.shape, &learned, Slots::HeadEach)?;
                let search = Search { measure: false, ..Search::default() };
                let tangents = |state: &[f64]| symmetries(setup.shape, state);
                let found = certify(&setup.exact, &tangents, &weights, &search)?;
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
    let setup = Setup::figure_1(2, 2)?;
    let mut weights = setup.theory().weights_at(setup.shape, &[0], Slots::Filled)?;
    let value = weights[0];
    // A seed of the second pair of the first head along e_2.
    const SEED: f64 = 1e-8;
    let key = 1 + 4 + 1;
    let query = key + 8;
    (weights[key], weights[query]) = (SEED, SEED);
    let flow = Flow::default()
        .event(Event::note(Condition::ParameterCrosses { index: key, value: 1e-6 }))
        .event(Event::stop(Condition::ParameterCrosses { index: key, value: 1e-3 }));
    let end = setup.exact.flow(&flow, &weights)?;
    let time = |index: usize| end.crossings[index].map_or(f64::NAN, |crossing| crossing.time);
    let measured = 1e3_f64.ln() / (time(1) - time(0));
    let what = "growth rate of the second pair between 1e-6 and 1e-3, R = 2, m = 1";
    e.of(what).rel(value * setup.lambda(1).powi(2), measured, 1e-4);
    e.of("loss on the way").rel(setup.theory().levels()[1], end.loss, 1e-3);
    Ok(())
}
