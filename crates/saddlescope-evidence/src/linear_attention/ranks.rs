//! Section 4, appendix E.4: what the rank of keys and queries changes.

use super::*;

/// Lengths of plateaus in units in which a new head takes the same for every eigenvalue:
/// `lambda_{m+1}^2 w_init` times the length.
fn scaled_lengths(task: &Task, shape: Shape, scale: f64, seed: u64) -> Outcome<Vec<f64>> {
    let times = times(&flow(task, shape, &shape.random_start(scale, seed)?)?)?;
    let lengths = durations(&times);
    Ok(lengths.iter().zip(&task.eigenvalues).map(|(t, l)| t * l * l * scale).collect())
}

/// A plateau is conspicuous when it is longer than this, in those units.
const CONSPICUOUS: f64 = 0.2;

pub(super) fn rank_plateaus(e: &mut Evidence, trial: Trial) -> Outcome {
    let (task, shape_of) = (task_with(&[0.4, 0.3, 0.2, 0.1], 31)?, |rank| Shape::new(4, 5, rank));
    let (mut printed, mut right, mut all) = (0, 0, 0);

    for rank in [2, 3, 4] {
        let mut lengths: Vec<Vec<f64>> = Vec::new();
        for seed in 0..5 {
            lengths.push(scaled_lengths(&task, shape_of(rank)?, 0.01, start_seed(trial, seed))?);
        }
        let middle: Vec<f64> = (0..4).map(|m| median(&nth(&lengths, m))).collect();
        for (m, &length) in middle.iter().enumerate() {
            all += 1;
            let long = length > CONSPICUOUS;
            printed += usize::from(long != (m > 0 && rank % m == 0));
            right += usize::from(long != (m % rank == 0));
        }
        let words: Vec<String> = middle.iter().map(|length| format!("{length:.2}")).collect();
        e.note(format!(
            "$R = {rank}$: middle lengths times $\\lambda_{{m+1}}^2 w_{{init}}$ for $m$ = 0, 1, 2, \
             3: {}.",
            words.join(", ")
        ));
    }
    let what = format!("plateaus of {all} that the rule calls wrongly, D = 4, R = 2, 3, 4");
    e.of(&what).count(0, printed);
    e.but(&what).count(0, right);
    Ok(())
}

pub(super) fn fig_2_plateaus(e: &mut Evidence, trial: Trial) -> Outcome {
    let task = harmonic_task()?;

    for (rank, runs) in [(2, 3), (4, 1)] {
        let shape = Shape::new(8, 9, rank)?;
        let mut lengths: Vec<Vec<f64>> = Vec::new();
        for seed in 0..runs {
            lengths.push(scaled_lengths(&task, shape, SCALE, start_seed(trial, seed))?);
        }
        let measured: Vec<f64> =
            (0..8).map(|m| f64::from(median(&nth(&lengths, m)) > CONSPICUOUS)).collect();
        let printed: Vec<f64> = (0..8).map(|m| f64::from(m % rank == 0)).collect();
        let what =
            format!("plateaus m = 0, ..., 7 that are conspicuous (1) or not (0), R = {rank}");
        e.of(what).each(&printed, &measured, 0.0);
    }
    Ok(())
}

pub(super) fn fig_7_values(e: &mut Evidence, trial: Trial) -> Outcome {
    let task = figure_1()?;
    let (mut printed, mut right, mut all) = (0, 0, 0);
    for rank in [2, 3, 4] {
        let shape = Shape::new(4, 5, rank)?;
        let mut new_heads = [0; 4];
        for seed in 0..5 {
            let start = shape.random_start(SCALE, start_seed(trial, seed))?;
            let states = on_plateaus(&task, shape, &start)?;
            let mut grown: Vec<usize> =
                states.iter().map(|state| grown_heads(shape, &state.state)).collect();
            grown.push(grown_heads(shape, &settled(&task, shape, &start)?));
            for (new, pair) in new_heads.iter_mut().zip(grown.windows(2)) {
                *new += usize::from(pair[1] > pair[0]);
            }
        }
        for (m, new) in new_heads.into_iter().enumerate() {
            let new = new >= 3;
            all += 1;
            printed += usize::from(new != (m > 0 && rank % m == 0));
            right += usize::from(new != (m % rank == 0));
        }
    }
    let what =
        format!("drops of {all} that the rule calls wrongly, R = 2, 3, 4, most of 5 runs each");
    e.of(&what).count(0, printed);
    e.but(&what).count(0, right);
    Ok(())
}

fn grown_heads(shape: Shape, state: &[f64]) -> usize {
    shape.iter(state).filter(|head| head.value.abs() > 0.5).count()
}
