//! Whole flows and descents of linear attention against what is known of them.

use saddlescope::descent::{Descent, Optimiser, Rule};
use saddlescope::event::{Condition, Event};
use saddlescope::flow::{Flow, FlowEnd, Method};
use saddlescope::record::Silent;
use saddlescope::{GradientFlow, Landscape as _};
use saddlescope_linear_attention::theory::{conserved, norms};
use saddlescope_linear_attention::{Basis, Context, Population, Shape, Task, Theory};

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
        for (before, after) in before.iter().zip(&after) {
            assert!(drift(before, after) < 1e-8);
        }
        let mut heads = Theory::new(&task).dominant_heads(shape, &end.state);
        let learned = norms(shape, &end.state);
        for &head in &heads {
            let [value, key, query] = learned[head];
            assert!((key / value - 1.0).abs() < 1e-2 && (query / value - 1.0).abs() < 1e-2);
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
