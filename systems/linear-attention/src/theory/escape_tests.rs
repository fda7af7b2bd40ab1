use saddlescope_spec::prelude::*;

use super::*;
use crate::readings::scalings::second_duration_slope;
use crate::{Basis, Context, Population, Theory};

fn task(eigenvalues: &[f64]) -> Task {
    Task::new(eigenvalues, Basis::Random { seed: 3 }, Context::Fixed(31)).unwrap()
}

/// When the whole flow crosses the level half way between plateaus `m` and `m + 1`.
fn crossing(task: &Task, shape: Shape, start: &[f64], m: usize) -> f64 {
    let landscape = Population::new(task, shape, 1.0).unwrap();
    let level = Theory::new(task).mid_levels()[m];
    let flow = Flow::default().event(Event::stop(Condition::LossBelow(level)));
    flow.run(&GradientFlow::new(&landscape), 0.0, start, &mut Silent).unwrap().time
}

#[test]
fn an_aligned_head_has_the_pole_of_eq_38() {
    let task = task(&[0.4, 0.1]);
    let shape = Shape::new(2, 2, 1).unwrap();
    let start = shape.aligned_start(&task, &[0.002, 0.001]).unwrap();
    let particle = Particle::new(&task, shape, &start, 0).unwrap();
    let expected = 1.0 / (0.16 * 0.002);
    let ratio = particle.pole().unwrap() / expected;
    assert!((ratio - 1.0).abs() < 1e-7, "{ratio}");
    let law = ScalarLaw::of_stage(&task, 0, 1.0).unwrap();
    let exact = law.time(0.002, law.half_drop()).unwrap();
    assert!((first_jump(&task, shape, 1.0, &start).unwrap() / exact - 1.0).abs() < 1e-6);
}

/// The whole model, of any rank, jumps when the particles say; the miss shrinks with the start.
#[test]
fn the_whole_flow_jumps_when_the_particles_say() {
    let task = task(&[0.4, 0.2, 0.1]);
    for (rank, seed) in [(1, 1), (1, 2), (2, 3), (4, 4)] {
        let shape = Shape::new(3, 3, rank).unwrap();
        let miss = |scale: f64| {
            let start = shape.random_start(scale, seed).unwrap();
            let found = crossing(&task, shape, &start, 0);
            (first_jump(&task, shape, 1.0, &start).unwrap() / found - 1.0).abs()
        };
        let (large, small) = (miss(1e-2), miss(1e-4));
        assert!(small < 2e-3 && small < large, "rank {rank}, seed {seed}: {large}, {small}");
    }
}

#[test]
fn the_clock_runs_with_tau_and_a_start_at_rest_never_jumps() {
    let task = task(&[0.4, 0.1]);
    let shape = Shape::new(2, 2, 2).unwrap();
    let start = shape.random_start(0.01, 1).unwrap();
    let time = |tau: f64| first_jump(&task, shape, tau, &start).unwrap();
    assert!((time(3.0) / time(1.0) - 3.0).abs() < 1e-9);
    assert_eq!(first_jump(&task, shape, 1.0, &vec![0.0; start.len()]), None);
}

/// At rank 2, the second plateau lasts a logarithm of the start, with the slope that we say.
#[test]
fn the_second_plateau_of_a_head_of_rank_two_lasts_a_logarithm() {
    let task = task(&[0.4, 0.2]);
    let shape = Shape::new(2, 1, 2).unwrap();
    let duration = |scale: f64| {
        let start = shape.random_start(scale, 5).unwrap();
        crossing(&task, shape, &start, 1) - crossing(&task, shape, &start, 0)
    };
    let measured = (duration(1e-6) - duration(1e-4)) / 1e-2_f64.ln();
    let theory = second_duration_slope(&task, 1.0).unwrap();
    assert!((measured / theory - 1.0).abs() < 0.01, "{measured}, {theory}");
}
