use super::*;
use crate::descent::{AdamSettings, Optimiser};

/// `(x^2 - 1)^2 + (x - y)^2 / 2`, in either precision; the flow runs at rate 1/2.
fn wells<S: Scalar>() -> Toy<S> {
    Toy::valley(1.0, 0.0)
}

fn rule<S: Scalar>(optimiser: Optimiser, rate: f64) -> Rule<S> {
    Rule::new(optimiser, rate, wells::<S>().blocks()).unwrap()
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
    assert_eq!(end.ended, Termination::ByEvent(2));
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
    assert!(error.step < 10 && error.name == "x", "{error}");
    assert!(error.to_string().contains("a smaller rate may help"), "{error}");
}
