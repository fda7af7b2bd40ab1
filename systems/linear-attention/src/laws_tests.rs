use super::*;
use crate::{Basis, Context, Population};

const TAU: f64 = 1.3;

fn task() -> Task {
    Task::new(&[0.4, 0.3, 0.2], Basis::Random { seed: 4 }, Context::Varying(12)).unwrap()
}

/// The time at which each level is crossed, by the theory and by the whole flow, from `start`.
fn crossings(task: &Task, shape: Shape, start: &[f64]) -> [Vec<f64>; 2] {
    let landscape = Population::new(task, shape, TAU).unwrap();
    let laws = ScalarLaws::new(task, shape, TAU).unwrap();
    let levels = Theory::new(task).mid_levels();
    let (last, earlier) = levels[..laws.laws.len()].split_last().unwrap();
    let mut flow = Flow::default().tolerances(1e-11, 1e-14);
    flow.events = earlier.iter().map(|&l| Event::note(Condition::LossBelow(l))).collect();
    flow = flow.event(Event::stop(Condition::LossBelow(*last)));
    let whole = flow.run(&GradientFlow::new(&landscape), 0.0, start, &mut Silent);
    let reduced = flow.run(&laws, 0.0, &laws.project(start), &mut Silent);
    let times = |end: FlowEnd| end.crossings.iter().map(|c| c.unwrap().time).collect();
    [reduced, whole].map(|end| times(end.unwrap()))
}

#[test]
fn on_its_lift_loss_and_rates_are_those_of_the_whole_model() {
    let task = task();
    for heads in [2, 3, 5] {
        let shape = Shape::new(3, heads, 1).unwrap();
        let laws = ScalarLaws::new(&task, shape, TAU).unwrap();
        let landscape = Population::new(&task, shape, TAU).unwrap();
        let state: Vec<f64> = (0..heads.min(3)).map(|d| 0.9 - 0.37 * d as f64).collect();
        let theta = laws.lift(&state);
        assert_eq!(laws.project(&theta), state);

        let field = GradientFlow::new(&landscape);
        let mut speed = vec![0.0; theta.len()];
        let whole = field.evaluator().rate(0.0, &theta, &mut speed).unwrap();
        assert!((laws.loss(&state) - whole).abs() < 1e-14, "{heads} heads");
        let mut rate = vec![0.0; state.len()];
        let loss = laws.law(&state, &mut rate).unwrap();
        assert_eq!(loss, laws.loss(&state));
        for (found, expected) in speed.iter().zip(laws.lift(&rate)) {
            assert!((found - expected).abs() < 1e-14, "{heads} heads: {found}, {expected}");
        }
    }
}

#[test]
fn gradient_and_jacobian_are_slopes() {
    let task = task();
    let laws = ScalarLaws::new(&task, Shape::new(3, 3, 1).unwrap(), TAU).unwrap();
    let state = [0.7, 0.4, 1.1];
    let rate_at = |state: &[f64]| {
        let mut rate = vec![0.0; 3];
        laws.law(state, &mut rate).unwrap();
        rate
    };
    let mut gradient = vec![0.0; 3];
    laws.evaluator().gradient(&rate_at(&state), &mut gradient);
    let direction = [0.3, -1.0, 0.5];
    let mut product = vec![0.0; 3];
    laws.evaluator().jacobian_product(0.0, &state, &direction, &mut product).unwrap();
    let step = 1e-5;
    let shifted = |sign: f64| -> Vec<f64> {
        state.iter().zip(direction).map(|(v, along)| v + sign * step * along).collect()
    };
    let (ahead, behind) = (shifted(1.0), shifted(-1.0));
    let slope = (laws.loss(&ahead) - laws.loss(&behind)) / (2.0 * step);
    let along: f64 = gradient.iter().zip(direction).map(|(g, d)| g * d).sum();
    assert!((slope - along).abs() < 1e-9, "{slope}, {along}");
    for d in 0..3 {
        let change = (rate_at(&ahead)[d] - rate_at(&behind)[d]) / (2.0 * step);
        assert!((product[d] - change).abs() < 1e-9, "{d}: {} {change}", product[d]);
    }
}

#[test]
fn from_an_aligned_start_the_theory_is_the_flow() {
    let task = task();
    for heads in [2, 3, 4] {
        let shape = Shape::new(3, heads, 1).unwrap();
        let start = shape.aligned_start(&task, &vec![0.05; heads.min(3)]).unwrap();
        let [theory, whole] = crossings(&task, shape, &start);
        for (theory, whole) in theory.iter().zip(&whole) {
            assert!((theory / whole - 1.0).abs() < 1e-8, "{heads} heads: {theory}, {whole}");
        }
        // The closed form of each law is its flow.
        let laws = ScalarLaws::new(&task, shape, TAU).unwrap();
        let flow = Flow::default().tolerances(1e-12, 1e-14).until(60.0);
        let end = flow.run(&laws, 0.0, &vec![0.3; laws.laws.len()], &mut Silent).unwrap();
        for (law, value) in laws.laws.iter().zip(end.state) {
            assert!((law.time(0.3, value).unwrap() / 60.0 - 1.0).abs() < 1e-8);
        }
    }
}

#[test]
fn from_a_random_start_times_are_right_in_size_only() {
    let task = task();
    let shape = Shape::new(3, 3, 1).unwrap();
    let mut misses = Vec::new();
    for seed in 0..8 {
        let start = shape.random_start(0.05, seed).unwrap();
        let [theory, whole] = crossings(&task, shape, &start);
        misses.extend(theory.iter().zip(&whole).map(|(theory, whole)| (theory / whole).ln().abs()));
    }
    misses.sort_by(f64::total_cmp);
    let (middle, most) = (misses[12].exp(), misses[23].exp());
    // Heads turn towards their eigenvectors before they grow, and push each other while they do.
    assert!((1.3..2.0).contains(&middle), "times are typically off by a factor of {middle}");
    assert!((3.0..5.0).contains(&most), "times are off by a factor of {most} at most");
}

#[test]
fn heads_of_higher_rank_have_no_scalar_law() {
    let error = ScalarLaws::new(&task(), Shape::new(3, 3, 2).unwrap(), TAU).unwrap_err();
    assert_eq!(error.to_string(), "rank is 2, expected 1: one eigenvector per head");
}
