use saddlescope::{GradientFlow, VectorField};

use super::*;
use crate::{Basis, Context, Population};

fn task(eigenvalues: &[f64]) -> Task {
    Task::new(eigenvalues, Basis::Random { seed: 4 }, Context::Fixed(31)).unwrap()
}

/// When the whole flow crosses the mean of each two levels.
fn crossings(task: &Task, shape: Shape, start: &[f64]) -> Vec<f64> {
    let landscape = Population::new(task, shape, 1.0).unwrap();
    let levels = Theory::new(task).mid_levels();
    let slots = (shape.heads * shape.rank).min(levels.len());
    let field = GradientFlow::new(&landscape);
    let end = watching(&levels[..slots]).run(&field, 0.0, start, &mut Silent).unwrap();
    end.crossings.iter().map(|crossing| crossing.unwrap().time).collect()
}

/// The relative misses of all crossings.
fn misses(task: &Task, shape: Shape, start: &[f64]) -> Result<Vec<f64>, Error> {
    let found = StagedLaws::new(task, shape, 1.0, start)?.crossings();
    let miss = |(theory, whole): (Option<f64>, f64)| (theory.unwrap() / whole - 1.0).abs();
    Ok(found.into_iter().zip(crossings(task, shape, start)).map(miss).collect())
}

/// From 100 random starts: on how many the theory applies, on how many all its times are right to a fifth, and the median miss
/// of the worst crossing.
fn accuracy(task: &Task, shape: Shape, scale: f64, starts: u64) -> (usize, usize, f64) {
    let of = |seed| misses(task, shape, &shape.random_start(scale, seed).unwrap()).ok();
    let all: Vec<Vec<f64>> = (0..starts).filter_map(of).collect();
    let right = all.iter().filter(|misses| misses.iter().all(|miss| *miss < 0.2)).count();
    let median = |m: usize| {
        let mut column: Vec<f64> = all.iter().map(|misses| misses[m]).collect();
        column.sort_by(f64::total_cmp);
        column[column.len() / 2]
    };
    (all.len(), right, (0..all[0].len()).map(median).fold(0.0, f64::max))
}

#[test]
fn random_starts_of_any_rank_jump_when_the_theory_says() {
    let starts = if std::env::var_os("SADDLESCOPE_FULL").is_some() { 100 } else { 25 };
    let harmonic: Vec<f64> = (1..=8).map(|d| 0.368 / f64::from(d)).collect();
    let four = (task(&[0.4, 0.3, 0.2, 0.1]), 4, [1, 2, 3, 4]);
    for (task, heads, ranks) in [four, (task(&harmonic), 9, [1, 2, 4, 8])] {
        for rank in ranks {
            let shape = Shape::new(task.dimension(), heads, rank).unwrap();
            for (scale, least, most_miss) in [(0.05, 0.6, 0.04), (0.01, 0.8, 0.01)] {
                let (applies, right, miss) = accuracy(&task, shape, scale, starts);
                let words = format!(
                    "{} dimensions, rank {rank}, scale {scale}: of {starts} starts it applies to {applies}, has all times \
                     right to a fifth on {right}, and its worst median miss is {miss:.4}",
                    task.dimension()
                );
                // Seen with `--nocapture`.
                println!("{words}");
                assert!(applies as f64 >= least * starts as f64, "{words}");
                assert!(right as f64 >= 0.7 * applies as f64 && miss < most_miss, "{words}");
            }
        }
    }
}

#[test]
fn an_aligned_start_has_the_times_of_the_scalar_law() {
    let task = task(&[0.4, 0.2, 0.1]);
    let shape = Shape::new(3, 4, 2).unwrap();
    let start = shape.aligned_start(&task, &[0.002, 0.001, 0.003]).unwrap();
    let laws = StagedLaws::new(&task, shape, 1.0, &start).unwrap();
    for (jump, value) in laws.jumps.iter().zip([0.002, 0.001, 0.003]) {
        let law = ScalarLaw::of_stage(&task, jump.eigenvector, 1.0).unwrap();
        let exact = law.time(value, law.half_drop()).unwrap();
        assert!((jump.time / exact - 1.0).abs() < 1e-5, "{jump:?}, {exact}");
    }
    for (part, whole) in laws.lift(&laws.project(&start)).into_iter().zip(&start) {
        assert!((part - whole).abs() < 1e-6 * whole.abs().max(1e-3), "{part}, {whole}");
    }
}

#[test]
fn on_its_lift_the_loss_is_that_of_the_whole_model() {
    let task = task(&[0.4, 0.3, 0.2, 0.1]);
    for (heads, rank) in [(4, 1), (2, 2), (1, 3), (3, 4)] {
        let shape = Shape::new(4, heads, rank).unwrap();
        let init = shape.random_start(0.01, 2).unwrap();
        let laws = StagedLaws::new(&task, shape, 1.0, &init).unwrap();
        let landscape = Population::new(&task, shape, 1.0).unwrap();
        for state in [[0.3, -1.0, -4.0, -9.0], [9.0, 5.0, 1.0, 0.0], [40.0; 4]] {
            let state: Vec<f64> =
                (0..4).map(|d| if laws.growths[d].is_some() { state[d] } else { NEVER }).collect();
            let theta = laws.lift(&state);
            let mut rate = vec![0.0; theta.len()];
            let field = GradientFlow::new(&landscape);
            let whole = field.evaluator().rate(0.0, &theta, &mut rate).unwrap();
            assert!((laws.loss(&state) - whole).abs() < 1e-13, "{heads} heads of rank {rank}");
        }
    }
}

#[test]
fn the_jacobian_is_the_slope_of_the_rate() {
    let task = task(&[0.4, 0.3, 0.2]);
    let shape = Shape::new(3, 2, 2).unwrap();
    let laws = StagedLaws::new(&task, shape, 1.3, &shape.random_start(0.01, 3).unwrap()).unwrap();
    let (state, direction, h) = ([-2.0, 0.5, 1.0], [1.0, -0.7, 0.4], 1e-6);
    let rate_at = |sign: f64| {
        let moved: Vec<f64> = (0..3).map(|d| state[d] + sign * h * direction[d]).collect();
        let mut rate = [0.0; 3];
        laws.law(&moved, &mut rate).unwrap();
        rate
    };
    let mut product = [0.0; 3];
    assert!(laws.law_product(&state, &direction, &mut product));
    for (d, (up, down)) in rate_at(1.0).into_iter().zip(rate_at(-1.0)).enumerate() {
        assert!((product[d] - (up - down) / (2.0 * h)).abs() < 1e-8, "{d}");
    }
}

#[test]
fn the_clock_runs_with_tau() {
    let task = task(&[0.4, 0.1]);
    let shape = Shape::new(2, 2, 2).unwrap();
    let start = shape.random_start(0.01, 1).unwrap();
    let times = |tau: f64| StagedLaws::new(&task, shape, tau, &start).unwrap().crossings();
    for (slow, fast) in times(3.0).into_iter().zip(times(1.0)) {
        assert!((slow.unwrap() / fast.unwrap() - 3.0).abs() < 1e-6);
    }
}

#[test]
fn where_it_does_not_apply_it_says_why() {
    let task = task(&[0.4, 0.39]);
    let shape = Shape::new(2, 2, 1).unwrap();
    let why = |start: &[f64]| StagedLaws::new(&task, shape, 1.0, start).unwrap_err().to_string();
    let aligned = |values: [f64; 2]| shape.aligned_start(&task, &values).unwrap();
    let (rests, large) = (why(&aligned([0.0, 0.0])), why(&aligned([1.0, 0.1])));
    assert!(rests.contains("rests at a saddle"), "{rests}");
    assert!(large.contains("the start is not small"), "{large}");
    let together = why(&aligned([0.01, 0.010_519]));
    assert!(together.contains("learned together"), "{together}");
}

/// At rank 2, the second plateau lasts a logarithm of the start, with the slope that the theory's scaling says.
#[test]
fn the_second_plateau_of_a_head_of_rank_two_lasts_a_logarithm() {
    let task = task(&[0.4, 0.2]);
    let shape = Shape::new(2, 1, 2).unwrap();
    let duration = |scale: f64| {
        let times = crossings(&task, shape, &shape.random_start(scale, 5).unwrap());
        times[1] - times[0]
    };
    let measured = (duration(1e-6) - duration(1e-4)) / 1e-2_f64.ln();
    let theory = crate::readings::scalings::second_duration_slope(&task, 1.0).unwrap();
    assert!((measured / theory - 1.0).abs() < 0.01, "{measured}, {theory}");
}
