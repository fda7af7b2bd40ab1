use saddlescope_spec::testing::assert_slopes;

use super::*;
use crate::Task;

fn at<F: saddlescope::VectorField>(field: &F, start: &[f64], time: f64) -> Vec<f64> {
    let flow = Flow::default().tolerances(1e-11, 1e-13).until(time);
    flow.run(field, 0.0, start, &mut Silent).unwrap().state
}

fn largest(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// The balanced law is the flow of query and key; the printed one is that of a tied w, twice as fast on the plateau.
#[test]
fn the_balanced_law_is_the_flow_and_the_printed_one_that_of_a_tied_w() {
    let task = Task::new(40, 1.0, 0.49).unwrap();
    let (untied, tied) = (Shape::new(task), Shape::new(task).coupling(Coupling::Tied));
    let start = untied.equal_start(0.01).unwrap();
    let law = Law::balanced(untied).unwrap();
    let printed = Law::as_printed(untied).unwrap();
    let [whole, one] = [untied, tied].map(|shape| Population::new(shape).unwrap());
    for time in [20.0, 1500.0, 3000.0] {
        let exact = at(&GradientFlow::new(&whole), &start, time);
        let found = law.lift(&at(&law, &law.project(&start), time));
        assert!(largest(&exact, &found) < 1e-7, "{time}: {exact:?} {found:?}");
        let exact = at(&GradientFlow::new(&one), &tied.equal_start(0.01).unwrap(), time);
        let found = at(&printed, &printed.project(&start), time);
        assert!(largest(&exact, &found) < 1e-7, "{time}: {exact:?} {found:?}");
    }
}

/// The loss of the slaved law is the least over h, and its rate the slope of that loss.
#[test]
fn the_slaved_law_is_the_flow_of_the_least_loss() {
    let law = Law::slaved(Shape::new(Task::new(40, 1.0, 0.49).unwrap())).unwrap();
    let state = [0.7, 0.4, 0.2];
    let whole = law.lift(&state);
    let loss = law.loss(&state);
    let balanced = Law::balanced(law.shape).unwrap();
    for off in [-1e-3, 1e-3] {
        let mut other = balanced.project(&whole);
        *other.last_mut().unwrap() += off;
        assert!(balanced.loss(&other) > loss);
    }
    let mut rate = [0.0; 3];
    law.law(&state, &mut rate).unwrap();
    let slopes = (0..3).map(|i| (i, -rate[i] / if i == 2 { 0.5 } else { 1.0 }));
    assert_slopes(slopes, (&state, 1e-4), |state| law.loss(state), 1e-9, "slaved");
}
