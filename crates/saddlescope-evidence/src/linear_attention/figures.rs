//! Section 4, appendices E.4 and E.5: what the rank of keys and queries changes, repeated eigenvalues; numbers and remarks
//! of single figures.

use super::*;

/// Middle lengths of plateaus over so many random starts, in units in which a new head takes the same for every eigenvalue:
/// `lambda_{m+1}^2 w_init` times the length.
fn scaled_lengths(setup: &Setup, trial: Trial, runs: u64) -> Outcome<Vec<f64>> {
    let scaled = |times: &Vec<f64>| -> Vec<f64> {
        let pairs = durations(times).into_iter().zip(&setup.task.eigenvalues);
        pairs.map(|(t, l)| t * l * l * SCALE).collect()
    };
    let runs = setup.many_drops(SCALE, trial, runs)?;
    Ok(medians(&runs.iter().map(scaled).collect::<Vec<_>>()))
}

/// A plateau is conspicuous when it is longer than this, in those units.
const CONSPICUOUS: f64 = 0.2;

pub(super) fn rank_plateaus(e: &mut Evidence, trial: Trial) -> Outcome {
    let (mut printed, mut right, mut all) = (0, 0, 0);
    for rank in [2, 3, 4] {
        let middle = scaled_lengths(&Setup::figure_1(5, rank)?, trial, 5)?;
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
    e.both(format!("plateaus of {all} that the rule calls wrongly, D = 4, R = 2, 3, 4"))
        .count(0, [printed, right]);
    Ok(())
}

pub(super) fn fig_2_plateaus(e: &mut Evidence, trial: Trial) -> Outcome {
    for (rank, runs) in [(2, 3), (4, 1)] {
        let lengths = scaled_lengths(&Setup::new(harmonic_task()?, 9, rank)?, trial, runs)?;
        let measured: Vec<f64> =
            lengths.iter().map(|length| f64::from(*length > CONSPICUOUS)).collect();
        let printed: Vec<f64> = (0..8).map(|m| f64::from(m % rank == 0)).collect();
        let what =
            format!("plateaus m = 0, ..., 7 that are conspicuous (1) or not (0), R = {rank}");
        e.of(what).each(&printed, &measured, 0.0);
    }
    Ok(())
}

pub(super) fn fig_7_values(e: &mut Evidence, trial: Trial) -> Outcome {
    let (mut printed, mut right, mut all) = (0, 0, 0);
    for rank in [2, 3, 4] {
        let setup = Setup::figure_1(5, rank)?;
        let mut new_heads = [0; 4];
        for seed in 0..5 {
            let start = setup.random_start(SCALE, trial, seed)?;
            let mut grown: Vec<usize> = setup
                .on_plateaus(&start)?
                .iter()
                .map(|state| setup.grown_heads(&state.state))
                .collect();
            grown.push(setup.grown_heads(&setup.settled(&start)?));
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
    e.both(format!("drops of {all} that the rule calls wrongly, R = 2, 3, 4, most of 5 runs each"))
        .count(0, [printed, right]);
    Ok(())
}

pub(super) fn fig_2_levels(e: &mut Evidence, _: Trial) -> Outcome {
    let known = [
        1.0, 0.671_465, 0.519_123, 0.424_436, 0.357_923, 0.307_885, 0.268_532, 0.236_598, 0.210_069,
    ];
    levels(e, harmonic_task()?, &known)
}

pub(super) fn fig_5_levels(e: &mut Evidence, _: Trial) -> Outcome {
    let task = Task::new(&[0.4, 0.3, 0.2, 0.1], Basis::Axes, Context::Varying(31))?;
    levels(e, task, &[1.0, 0.725_027, 0.533_082, 0.420_689, 0.379_520])
}

pub(super) fn fig_9_levels(e: &mut Evidence, _: Trial) -> Outcome {
    levels(e, fig_9_task()?, &[1.0, 0.688_730, 0.377_459, 0.257_200, 0.136_942])
}

fn fig_9_task() -> Outcome<Task> {
    task_with(&[0.35, 0.35, 0.15, 0.15], 31)
}

/// The levels of Eq. (5) or (12) beside known ones and beside the exact loss at the fixed points, with a head for each
/// eigenvector.
fn levels(e: &mut Evidence, task: Task, known: &[f64]) -> Outcome {
    let heads = task.dimension();
    let setup = Setup::new(task, heads, 1)?;
    let losses = try_map(0..known.len(), |m| setup.exact.loss(&setup.fixed_point(m)?))?;
    let what = "levels beside those of an independent implementation";
    e.of(what).each(known, &setup.theory().levels(), 1e-6);
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
    let setup = Setup::new(fig_9_task()?, 4, 1)?;
    let second = |t: &[f64]| (t[1] - t[0]) / t[0];
    let equal = second(&setup.drops(&setup.aligned_start(0.02)?)?);
    let parts: Vec<f64> =
        setup.many_drops(0.02, trial, 80)?.iter().map(|times| second(times)).collect();
    // From equal heads both drop at once: the middle levels are passed 0.6 % of the time apart.
    e.of("length of the second plateau over the first, equal aligned heads").at_most(0.02, equal);
    e.of("the same, least of 80 random starts").at_most(0.1, smallest(parts.iter().copied()));
    e.of("the same, most of 80 random starts").at_least(0.5, largest(parts));
    Ok(())
}

pub(super) fn fig_9_solely(e: &mut Evidence, _: Trial) -> Outcome {
    let setup = Setup::new(fig_9_task()?, 4, 1)?;
    let t = setup.drops(&setup.aligned_start(0.005)?)?;
    let what = "time of the third drop over the first, four heads with equal starts";
    e.both(what).rel([1.0, (0.35_f64 / 0.15).powi(2)], t[2] / t[0], 0.05);
    Ok(())
}
