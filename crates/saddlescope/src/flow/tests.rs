//! Problems that arrive with their exact solutions, and what the methods make of them.

use super::*;
use crate::event::Condition;
use crate::record::{Control, Glimpse, Moment, Observables, Recording, Sampling, Silent};
use crate::toys::{Toy, ToyField};
use crate::{Blocks, Fault, GradientFlow};

/// A pendulum-like orbit with exact solution (cos t, sin t), made non-linear and driven.
pub(super) fn orbit() -> ToyField {
    ToyField::new(2, |time, x, rate| {
        let radius = x[0] * x[0] + x[1] * x[1];
        rate[0] = -x[1] * radius;
        rate[1] = x[0] * radius + 0.5 * (x[0] - time.cos());
        x[0]
    })
}

/// Slow decay towards cos t at rate `stiffness`; from x(0) = 1, the exact solution is cos t.
fn stiff(stiffness: f64) -> ToyField {
    ToyField::new(1, move |time, x, rate| {
        rate[0] = -stiffness * (x[0] - time.cos()) - time.sin();
        x[0]
    })
}

/// Error at the end of the orbit, and accepted steps.
fn orbit_error(method: Method, rtol: f64) -> (f64, f64) {
    let flow = Flow::default().method(method).tolerances(rtol, rtol).until(20.0);
    let end = flow.run(&orbit(), 0.0, &[1.0, 0.0], &mut Silent).unwrap();
    let error = (end.state[0] - 20f64.cos()).hypot(end.state[1] - 20f64.sin());
    (error, end.work.steps as f64)
}

/// The power of the step with which the error falls, between two tolerances.
fn measured_order(method: Method, loose: f64, tight: f64) -> f64 {
    let ((coarse, few), (fine, many)) = (orbit_error(method, loose), orbit_error(method, tight));
    (coarse / fine).ln() / (many / few).ln()
}

#[test]
fn dop853_converges_with_order_eight() {
    let order = measured_order(Method::Dop853, 1e-5, 1e-11);
    assert!((7.0..=9.5).contains(&order), "{order}");
    assert!(orbit_error(Method::Dop853, 1e-12).0 < 1e-10);
}

#[test]
fn radau_converges_with_order_nine() {
    // Newton's iteration is as accurate as the tolerance, and the steps go as its tenth root.
    let order = measured_order(Method::Radau, 1e-7, 1e-12);
    assert!((8.0..=11.5).contains(&order), "{order}");
    assert!(orbit_error(Method::Radau, 1e-12).0 < 1e-11);
}

/// The power of the step with which the worst error between steps falls.
fn dense_order(method: Method, loose: f64, tight: f64) -> f64 {
    let worst = |rtol: f64| {
        let mut worst = 0.0_f64;
        let flow = Flow::default().method(method).tolerances(rtol, rtol).until(10.0);
        let observables = Observables::built_in(orbit().blocks()).select(&["x"]).unwrap();
        let mut recording = Recording::new(observables, Sampling::linear(10.0, 777));
        let end = flow.run(&orbit(), 0.0, &[1.0, 0.0], &mut recording).unwrap();
        let trajectory = recording.finish();
        assert_eq!(trajectory.rows(), 777);
        let x = trajectory.get("x").unwrap();
        for (row, time) in trajectory.time().iter().enumerate() {
            let error = (x.row(row)[0] - time.cos()).hypot(x.row(row)[1] - time.sin());
            worst = worst.max(error);
        }
        (worst, end.work.steps as f64)
    };
    let ((coarse, few), (fine, many)) = (worst(loose), worst(tight));
    (coarse / fine).ln() / (many / few).ln()
}

#[test]
fn dense_output_of_dop853_converges_with_order_seven() {
    let order = dense_order(Method::Dop853, 1e-4, 1e-11);
    assert!((6.5..=9.5).contains(&order), "{order}");
}

#[test]
fn dense_output_of_radau_converges_with_the_order_of_its_steps() {
    let order = dense_order(Method::Radau, 1e-7, 1e-12);
    assert!((8.0..=11.5).contains(&order), "{order}");
}

#[test]
fn the_work_of_each_method_is_as_expected() {
    let flow = |method| Flow::default().method(method).tolerances(1e-9, 1e-9).until(20.0);
    let run = |method| flow(method).run(&orbit(), 0.0, &[1.0, 0.0], &mut Silent).unwrap().work;
    let explicit = run(Method::Dop853);
    assert_eq!(explicit.rates, 2 + 12 * (explicit.steps + explicit.rejected));
    assert!(explicit.steps < 70, "{explicit:?}");
    let radau = run(Method::Radau);
    assert!(radau.steps < 70 && radau.rates < 45 * radau.steps, "{radau:?}");
}

#[test]
fn auto_goes_over_to_the_stiff_method_where_stability_bounds_the_step() {
    let run = |method| {
        let flow = Flow::default().method(method).tolerances(1e-8, 1e-10).until(100.0);
        let end = flow.run(&stiff(1e4), 0.0, &[1.0], &mut Silent).unwrap();
        assert!((end.state[0] - 100f64.cos()).abs() < 1e-7, "{:?}", end.state);
        end
    };
    let (explicit, auto) = (run(Method::Dop853), run(Method::Auto));
    assert!(auto.stiff_from.is_some_and(|time| time < 1.0), "{:?}", auto.stiff_from);
    assert!(auto.work.rates * 20 < explicit.work.rates, "{:?} {:?}", auto.work, explicit.work);
    assert_eq!(explicit.stiff_from, None);
    let smooth = Flow::default().until(20.0).run(&orbit(), 0.0, &[1.0, 0.0], &mut Silent).unwrap();
    assert_eq!(smooth.stiff_from, None, "an orbit is not stiff");
}

/// dx/dt = -x^3 has the loss x^4/4 and the solution 1/sqrt(1 + 2t) from 1.
fn cubic() -> ToyField {
    ToyField::new(1, |_, x, rate| {
        rate[0] = -x[0].powi(3);
        x[0].powi(4) / 4.0
    })
}

#[test]
fn events_are_found_at_their_exact_times() {
    for method in [Method::Dop853, Method::Radau] {
        let flow = Flow::default()
            .method(method)
            .tolerances(1e-12, 1e-14)
            .event(Event::note(Condition::LossBelow(0.25 / 16.0)))
            .event(Event::note(Condition::ParameterCrosses { index: 0, value: 0.25 }))
            .event(Event::stop(Condition::GradientBelow(1e-3)))
            .event(Event::note(Condition::LossBelow(1e-30)))
            .event(Event::note(Condition::LossBelow(0.3)))
            .event(Event::note(Condition::Converged { floor: 0.0, tolerance: 0.25 / 16.0 }));
        let end = flow.run(&cubic(), 0.0, &[1.0], &mut Silent).unwrap();
        let time = |index: usize| end.crossings[index].map(|crossing| crossing.time);
        let close = |found: Option<f64>, exact: f64| {
            let error = (found.unwrap() / exact - 1.0).abs();
            assert!(error < 2e-9, "{method:?}: {found:?}, expected {exact}");
        };
        close(time(0), 1.5);
        close(time(1), 7.5);
        close(time(2), 49.5);
        assert_eq!(time(3), None);
        assert_eq!(time(4), Some(0.0), "a level that the start is below is crossed at once");
        close(time(5), 1.5);
        assert_eq!(end.ended, Termination::ByEvent(2));
        assert_eq!(Some(end.time), time(2));
        assert!((end.state[0] - 0.1).abs() < 1e-9);
    }
}

#[test]
fn what_crosses_and_turns_back_within_a_step_is_found() {
    // x = cos t turns at pi; 0.9999 of the way there, it stays beyond for a moment only.
    let turning = ToyField::new(2, |_, x, rate| {
        rate[0] = -x[1];
        rate[1] = x[0];
        f64::NAN
    });
    let exact = (-0.9999_f64).acos();
    for method in [Method::Dop853, Method::Radau] {
        for rtol in [1e-4, 1e-7, 1e-10] {
            let crosses = Condition::ParameterCrosses { index: 0, value: -0.9999 };
            let flow = Flow::default().method(method).tolerances(rtol * 1e-2, rtol * 1e-2);
            let flow = flow.event(Event::stop(crosses)).until(6.0);
            let end = flow.run(&turning, 0.0, &[1.0, 0.0], &mut Silent).unwrap();
            assert_eq!(end.ended, Termination::ByEvent(0), "{method:?} {rtol}");
            assert!((end.time - exact).abs() < 30.0 * rtol.sqrt(), "{method:?}: {}", end.time);
        }
    }
}

/// The landscape `(y^2 - x^2)/2`.
fn saddle() -> Toy {
    Toy::new(Blocks::new().with("x", &[2], 1.0), |theta, gradient| {
        (gradient[0], gradient[1]) = (-theta[0], theta[1]);
        (theta[1] * theta[1] - theta[0] * theta[0]) / 2.0
    })
}

#[test]
fn a_gradient_that_dips_at_a_saddle_is_seen() {
    // The flow (x, -y): the gradient's norm falls to sqrt(2e-4), where both are 1e-2, and rises.
    let saddle = saddle();
    for method in [Method::Dop853, Method::Radau] {
        let below = Condition::GradientBelow(1.000_01 * 2e-4_f64.sqrt());
        let flow = Flow::default().method(method).tolerances(1e-7, 1e-9).until(9.0);
        let flow = flow.event(Event::stop(below));
        let field = GradientFlow::new(&saddle);
        let end = flow.run(&field, 0.0, &[1e-4, 1.0], &mut Silent).unwrap();
        assert_eq!(end.ended, Termination::ByEvent(0), "{method:?}");
        assert!((end.time - 100f64.ln()).abs() < 0.02, "{method:?}: {}", end.time);
    }
}

#[test]
fn an_event_ends_the_record_too() {
    let flow = Flow::default().event(Event::stop(Condition::LossBelow(0.25 / 16.0)));
    let observables = Observables::built_in(cubic().blocks()).select(&["loss"]).unwrap();
    let mut recording = Recording::new(observables, Sampling::linear(2.0, 21));
    flow.run(&cubic(), 0.0, &[1.0], &mut recording).unwrap();
    let trajectory = recording.finish();
    assert_eq!(trajectory.rows(), 16);
    assert!((trajectory.time()[15] - 1.5).abs() < 1e-9);
}

#[test]
fn a_flow_that_blows_up_says_when_and_where() {
    let growing = ToyField::new(2, |_, x, rate| {
        rate[0] = x[0] * x[0];
        rate[1] = -x[1];
        f64::NAN
    });
    for method in [Method::Auto, Method::Dop853, Method::Radau] {
        let flow = Flow::default().method(method).until(5.0);
        let error = flow.run(&growing, 0.0, &[0.5, 1.0], &mut Silent).unwrap_err();
        let FlowError::BlewUp { time, name, .. } = &error else { panic!("{method:?}: {error}") };
        assert!((time - 2.0).abs() < 1e-6, "{time}");
        assert_eq!(name, "x[0]");
        assert!(error.to_string().contains("x[0]"), "{error}");
    }
}

#[test]
fn a_field_that_cannot_be_evaluated_is_an_error_not_a_short_trajectory() {
    let walled = ToyField::new(1, |_, x, rate| {
        rate[0] = if x[0] < 2.0 { 1.0 } else { f64::NAN };
        f64::NAN
    });
    for method in [Method::Auto, Method::Dop853, Method::Radau] {
        let flow = Flow::default().method(method).until(5.0);
        let error = flow.run(&walled, 0.0, &[0.0], &mut Silent).unwrap_err();
        let FlowError::Fault { time, fault } = &error else { panic!("{method:?}: {error}") };
        assert!((time - 2.0).abs() < 1e-6, "{time}");
        assert!(matches!(fault, Fault::NotFinite { .. }), "{fault}");
    }
}

#[test]
fn a_flow_with_too_few_steps_is_an_error() {
    let flow = Flow { max_steps: 10, ..Flow::default().until(1e6) };
    let error = flow.run(&orbit(), 0.0, &[1.0, 0.0], &mut Silent).unwrap_err();
    assert!(matches!(error, FlowError::TooManySteps { steps: 10, .. }), "{error}");
}

#[test]
fn a_flow_that_stands_still_is_an_error_unless_it_has_an_end_time() {
    for method in [Method::Auto, Method::Dop853, Method::Radau] {
        let stop = Event::stop(Condition::LossBelow(-1.0));
        let flow = Flow::default().method(method).event(stop);
        let error = flow.run(&cubic(), 0.0, &[0.0], &mut Silent).unwrap_err();
        assert!(matches!(error, FlowError::AtRest { rate: 0.0, .. }), "{method:?}: {error}");
        let end = flow.until(1e3).run(&cubic(), 0.0, &[0.0], &mut Silent).unwrap();
        assert_eq!((end.time, end.state[0]), (1e3, 0.0));
    }
}

#[test]
fn senseless_settings_are_refused() {
    let run = |flow: Flow| flow.run(&cubic(), 0.0, &[1.0], &mut Silent).unwrap_err().to_string();
    assert!(run(Flow::default().tolerances(0.0, 1e-9).until(1.0)).starts_with("rtol is 0"));
    assert!(run(Flow::default().tolerances(1e-9, f64::NAN).until(1.0)).starts_with("atol is NaN"));
    assert!(run(Flow::default().until(-1.0)).starts_with("until is -1"));
    assert!(run(Flow::default()).contains("an event that stops the flow"));
}

#[test]
fn a_recorder_can_stop_a_flow() {
    struct Impatient(u32);
    impl Recorder for Impatient {
        fn plan(&mut self, _: Glimpse, to: Glimpse, times: &mut Vec<f64>) -> Control {
            times.push(to.time);
            self.0 += 1;
            if self.0 == 3 { Control::Stop } else { Control::Continue }
        }
        fn record(&mut self, _: &Moment<'_>) {}
    }
    let flow = Flow::default().until(1e3);
    let end = flow.run(&orbit(), 0.0, &[1.0, 0.0], &mut Impatient(0)).unwrap();
    assert_eq!((end.ended, end.work.steps), (Termination::ByRecorder, 3));
}
