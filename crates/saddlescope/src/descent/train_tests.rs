use super::*;
use crate::descent::{AdamSettings, Optimiser};
use crate::event::Condition;
use crate::flow::Flow;
use crate::record::{Observables, Recording, Sampling, Silent};
use crate::toys::Toy;
use crate::{GradientFlow, Scalar};

/// `(x^2 - 1)^2 + (x - y)^2 / 2`, in either precision; the flow runs at rate 1/2.
fn wells<S: Scalar>() -> Toy<S> {
    Toy::valley(1.0, 0.0)
}

fn rule<S: Scalar>(optimiser: Optimiser, rate: f64) -> Rule<S> {
    Rule::new(optimiser, rate, wells::<S>().blocks()).unwrap()
}

/// Distance between descent and flow at time 2, for an optimiser at this rate.
fn distance(optimiser: Optimiser, rate: f64, per_step: f64) -> f64 {
    let start = [0.1, -0.4];
    let landscape = wells::<f64>();
    let flow = Flow::default().tolerances(1e-12, 1e-13).until(2.0);
    let exact = flow.run(&GradientFlow::new(&landscape), 0.0, &start, &mut Silent).unwrap();
    let mut theta = start;
    let steps = (2.0 / per_step).round() as u64;
    let mut rule = rule(optimiser, rate);
    let end = Descent::new(steps).run(&landscape, &mut rule, &mut theta, &mut Silent).unwrap();
    assert!(end.on_clock && (end.time - 2.0).abs() < 1e-12, "{}", end.time);
    (theta[0] - exact.state[0]).hypot(theta[1] - exact.state[1])
}

#[test]
fn gradient_descent_tends_to_the_flow_at_first_order() {
    // The flow runs at rate 1/2, so a step of size eta takes time 2 eta.
    let errors: Vec<f64> =
        [0.01, 0.005, 0.0025, 0.00125].map(|eta| distance(Optimiser::Gd, eta, 2.0 * eta)).to_vec();
    for pair in errors.windows(2) {
        let order = (pair[0] / pair[1]).log2();
        assert!((0.9..1.1).contains(&order), "{errors:?}");
    }
    let momentum = Optimiser::Momentum { momentum: 0.8, dampening: 0.0 };
    let coarse = distance(momentum, 0.0002, 0.002);
    let fine = distance(momentum, 0.0001, 0.001);
    assert!((0.85..1.15).contains(&(coarse / fine).log2()), "{coarse} {fine}");
}

#[test]
fn events_are_noted_at_the_first_step_where_they_hold() {
    let mut theta = [0.1_f32, -0.4];
    let descent = Descent {
        events: vec![
            Event::note(Condition::LossBelow(0.5)),
            Event::note(Condition::ParameterCrosses { index: 1, value: 0.0 }),
            Event::stop(Condition::GradientBelow(1e-3)),
            Event::note(Condition::LossBelow(2.0)),
        ],
        ..Descent::new(100_000)
    };
    let observables = Observables::built_in(wells::<f32>().blocks()).select(&["*"]).unwrap();
    let mut recording = Recording::new(observables, Sampling::Every(1));
    let mut rule = rule(Optimiser::Gd, 0.01);
    let end = descent.run(&wells::<f32>(), &mut rule, &mut theta, &mut recording).unwrap();
    let trajectory = recording.finish();
    let series = |name: &str| trajectory.get(name).unwrap().data().to_vec();
    let first = |holds: &dyn Fn(usize) -> bool| (0..trajectory.rows()).find(|&row| holds(row));
    let time = |row: usize| trajectory.time()[row];
    let (loss, y, norm) = (series("loss"), series("y"), series("gradient.norm"));
    let expected = [
        first(&|row| loss[row] <= 0.5).map(time),
        first(&|row| y[row] >= 0.0).map(time),
        first(&|row| norm[row] <= 1e-3).map(time),
        Some(0.0),
    ];
    assert_eq!(end.crossings.iter().map(|c| c.map(|c| c.time)).collect::<Vec<_>>(), expected);
    assert_eq!(end.ended_by, Some(2));
    assert_eq!(end.step, trajectory.rows() as u64 - 1);
    assert_eq!(*trajectory.step().last().unwrap(), end.step);
}

#[test]
fn adam_counts_steps_where_there_is_no_flow_time() {
    let mut theta = [0.1, -0.4];
    let mut rule = rule(Optimiser::Adam(AdamSettings::default()), 0.01);
    let descent = Descent { from: 5.0, first_step: 7, ..Descent::new(30) };
    let end = descent.run(&wells::<f64>(), &mut rule, &mut theta, &mut Silent).unwrap();
    assert_eq!((end.on_clock, end.time, end.step), (false, 35.0, 37));
}

#[test]
fn training_that_blows_up_says_when_and_where() {
    let mut theta = [3.0, 0.0];
    let mut rule = rule(Optimiser::Gd, 1.0);
    let error =
        Descent::new(100).run(&wells::<f64>(), &mut rule, &mut theta, &mut Silent).unwrap_err();
    let DescentError::BlewUp { step, name, .. } = &error;
    assert!(*step < 10 && name == "x", "{error}");
    assert!(error.to_string().contains("a smaller rate may help"), "{error}");
}
