//! Whole flows and descents of linear attention against what is known of them.

use saddlescope::descent::{Descent, Optimiser, Rule};
use saddlescope::event::{Condition, Event};
use saddlescope::flow::{Flow, FlowEnd, Method};
use saddlescope::record::Silent;
use saddlescope::theory::ReducedTheory;
use saddlescope::{GradientFlow, Landscape as _};
use saddlescope_linear_attention::data::empirical::Statistics;
use saddlescope_linear_attention::theory::{Conserved, conserved, norms};
use saddlescope_linear_attention::{
    Basis, Context, Empirical, Population, Shape, StageLaw, Task, Theory,
};

fn four() -> Task {
    Task::new(&[0.4, 0.3, 0.2, 0.1], Basis::Axes, Context::Fixed(31)).unwrap()
}

/// The flow until half of the last drop, noting half of every drop.
fn staircase(task: &Task, landscape: &Population, start: &[f64], flow: Flow) -> FlowEnd {
    let levels = Theory::new(task).mid_levels();
    let (last, earlier) = levels.split_last().unwrap();
    let mut flow = Flow { max_steps: u64::MAX, ..flow };
    flow.events = earlier.iter().map(|&l| Event::note(Condition::LossBelow(l))).collect();
    flow = flow.event(Event::stop(Condition::LossBelow(*last)));
    flow.run(&GradientFlow::new(landscape), 0.0, start, &mut Silent).unwrap()
}

fn times(end: &FlowEnd) -> Vec<f64> {
    end.crossings.iter().map(|crossing| crossing.unwrap().time).collect()
}

#[test]
fn on_the_ansatz_the_whole_flow_is_the_lift_of_the_scalar_law() {
    let task = Task::new(&[0.4, 0.3, 0.1], Basis::Random { seed: 5 }, Context::Varying(9)).unwrap();
    let shape = Shape::new(3, 4, 1).unwrap();
    for stage in 0..3 {
        let theory = StageLaw::new(&task, shape, stage, 1.7).unwrap();
        let landscape = Population::new(&task, shape, 1.7).unwrap();
        let start = 0.3;
        let until = 0.8 * theory.law.plateau_estimate(start);
        let flow = Flow::default().method(Method::Dop853).tolerances(1e-12, 1e-14).until(until);
        let field = GradientFlow::new(&landscape);
        let whole = flow.run(&field, 0.0, &theory.lift(&[start]), &mut Silent).unwrap();
        let closed = theory.law.value_at(start, until).unwrap();
        assert!((theory.project(&whole.state)[0] - closed).abs() < 1e-9, "stage {stage}");
        for (found, lifted) in whole.state.iter().zip(theory.lift(&[closed])) {
            assert!((found - lifted).abs() < 1e-8, "stage {stage}: {found}, {lifted}");
        }
        let reduced = flow.run(&theory, 0.0, &[start], &mut Silent).unwrap();
        assert!((reduced.state[0] - closed).abs() < 1e-10);
        assert!((ReducedTheory::loss(&theory, &reduced.state) - whole.loss).abs() < 1e-9);
    }
}

#[test]
fn components_are_learned_in_order_and_norms_stay_balanced() {
    let basis = Basis::Random { seed: 2 };
    let task = Task::new(&[0.4, 0.3, 0.2, 0.1], basis, Context::Fixed(31)).unwrap();
    let shape = Shape::new(4, 5, 1).unwrap();
    let landscape = Population::new(&task, shape, 1.0).unwrap();
    for seed in 0..3 {
        let start = shape.random_start(0.02, seed).unwrap();
        let flow = Flow::default().tolerances(1e-11, 1e-14);
        let end = staircase(&task, &landscape, &start, flow);
        let times = times(&end);
        assert!(times.windows(2).all(|pair| pair[0] < pair[1]), "{times:?}");

        let (before, after) = (conserved(shape, &start), conserved(shape, &end.state));
        let drift = |a: &[f64], b: &[f64]| {
            a.iter().zip(b).fold(0.0_f64, |most, (a, b)| most.max((a - b).abs()))
        };
        let Conserved { key_minus_query, key_minus_value } = &before;
        assert!(drift(key_minus_query, &after.key_minus_query) < 1e-8);
        assert!(drift(key_minus_value, &after.key_minus_value) < 1e-8);
        let mut heads = Theory::new(&task).dominant_heads(shape, &end.state);
        let learned = norms(shape, &end.state);
        for &head in &heads {
            let norm = learned[head];
            assert!((norm.key / norm.value - 1.0).abs() < 1e-2, "{norm:?}");
            assert!((norm.query / norm.value - 1.0).abs() < 1e-2, "{norm:?}");
        }
        heads.sort_unstable();
        heads.dedup();
        assert_eq!(heads.len(), 4, "one head per eigenvector");
    }
}

#[test]
fn the_methods_agree_on_every_crossing() {
    let task = four();
    let shape = Shape::new(4, 4, 1).unwrap();
    let landscape = Population::new(&task, shape, 1.0).unwrap();
    let start = shape.random_start(0.05, 1).unwrap();
    let run = |method, rtol| {
        let flow = Flow::default().method(method).tolerances(rtol, 1e-4 * rtol);
        times(&staircase(&task, &landscape, &start, flow))
    };
    let exact = run(Method::Dop853, 1e-13);
    for (method, rtol, allowed) in
        [(Method::Dop853, 1e-9, 1e-8), (Method::Radau, 1e-9, 1e-8), (Method::Auto, 1e-9, 1e-8)]
    {
        for (found, exact) in run(method, rtol).iter().zip(&exact) {
            let error = (found / exact - 1.0).abs();
            assert!(error < allowed, "{method:?}: {found}, expected {exact}");
        }
    }
}

#[test]
fn the_first_plateau_lasts_in_inverse_proportion_to_the_start() {
    let task = four();
    let shape = Shape::new(4, 4, 1).unwrap();
    let landscape = Population::new(&task, shape, 1.0).unwrap();
    let unit = shape.random_start(1.0, 3).unwrap();
    let scaled = |scale: f64| {
        let start: Vec<f64> = unit.iter().map(|x| scale * x).collect();
        let level = Theory::new(&task).mid_levels()[0];
        let flow = Flow::default().event(Event::stop(Condition::LossBelow(level)));
        let end = flow.run(&GradientFlow::new(&landscape), 0.0, &start, &mut Silent);
        end.unwrap().time * scale
    };
    let products = [scaled(0.04), scaled(0.01), scaled(0.0025)];
    assert!((products[2] / products[1] - 1.0).abs() < 0.02, "{products:?}");
    assert!((products[1] / products[0] - 1.0).abs() < 0.05, "{products:?}");
}

#[test]
fn rank_fills_a_head_before_a_new_one_wakes() {
    // Long plateaus only where R divides m; the print has it the other way round.
    let task = four();
    let shape = Shape::new(4, 4, 2).unwrap();
    let landscape = Population::new(&task, shape, 1.0).unwrap();
    let start = shape.random_start(0.01, 4).unwrap();
    let times = times(&staircase(&task, &landscape, &start, Flow::default()));
    let stays: Vec<f64> =
        times.iter().scan(0.0, |last, &t| Some(t - std::mem::replace(last, t))).collect();
    assert!(stays[0] > 5.0 * stays[1] && stays[2] > 5.0 * stays[3], "{stays:?}");
}

#[test]
fn gradient_descent_crosses_when_the_flow_does_as_its_step_shrinks() {
    let task = four();
    let shape = Shape::new(4, 4, 1).unwrap();
    let landscape = Population::new(&task, shape, 1.0).unwrap();
    let start = shape.random_start(0.2, 1).unwrap();
    let level = Theory::new(&task).mid_levels()[1];
    let stop = Event::stop(Condition::LossBelow(level));
    let flow = Flow::default().event(stop.clone());
    let exact = flow.run(&GradientFlow::new(&landscape), 0.0, &start, &mut Silent).unwrap().time;
    let late = |rate: f64| {
        let descent = Descent { events: vec![stop.clone()], ..Descent::new(10_000_000) };
        let mut theta = start.clone();
        let mut rule = Rule::new(Optimiser::Gd, rate, landscape.blocks()).unwrap();
        let end = descent.run(&landscape, &mut rule, &mut theta, &mut Silent).unwrap();
        assert_eq!(end.ended, saddlescope::flow::Termination::ByEvent(0));
        end.time - exact
    };
    let delays = [late(0.4), late(0.2), late(0.1)];
    let orders = delays.windows(2).map(|pair| (pair[0] / pair[1]).log2());
    assert!(orders.clone().all(|order| (0.6..1.4).contains(&order)), "{delays:?}, flow {exact}");
}

#[test]
fn training_has_the_same_bits_at_any_number_of_threads() {
    let shape = Shape::new(4, 5, 1).unwrap();
    let start = shape.random_start(0.5, 0).unwrap();
    let train = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let statistics = Statistics::sampled(&four(), 3000, 9).unwrap();
            let landscape = Empirical::new(statistics, shape, 1.0).unwrap();
            let mut theta = start.clone();
            let mut rule = Rule::new(Optimiser::Gd, 0.02, landscape.blocks()).unwrap();
            Descent::new(500).run(&landscape, &mut rule, &mut theta, &mut Silent).unwrap();
            theta.iter().map(|x| x.to_bits()).collect::<Vec<_>>()
        })
    };
    let one = train(1);
    assert_eq!(train(2), one);
    assert_eq!(train(3), one);
}
