//! Problems that arrive with their exact solutions, and what the methods make of them.

use super::*;
use crate::GradientFlow;
use crate::toys::ToyField;

/// A pendulum-like orbit with exact solution (cos t, sin t), made non-linear and driven.
fn orbit() -> ToyField {
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

/// The power of the step with which an error falls, between two tolerances; `run` gives the error and the steps.
fn order(run: impl Fn(f64) -> (f64, u64), loose: f64, tight: f64) -> f64 {
    let ((coarse, few), (fine, many)) = (run(loose), run(tight));
    (coarse / fine).ln() / (many as f64 / few as f64).ln()
}

/// Error at the end of the orbit, and accepted steps.
fn orbit_error(method: Method, rtol: f64) -> (f64, u64) {
    let flow = Flow::default().method(method).tolerances(rtol, rtol).until(20.0);
    let end = flow.run(&orbit(), 0.0, &[1.0, 0.0], &mut Silent).unwrap();
    ((end.state[0] - 20f64.cos()).hypot(end.state[1] - 20f64.sin()), end.work.steps)
}

#[test]
fn methods_converge_with_their_order() {
    let measured = |method, loose, tight| order(|rtol| orbit_error(method, rtol), loose, tight);
    let eight = measured(Method::Dop853, 1e-5, 1e-11);
    assert!((7.0..=9.5).contains(&eight), "{eight}");
    assert!(orbit_error(Method::Dop853, 1e-12).0 < 1e-10);
    // Newton's iteration is as accurate as the tolerance, and the steps go as its tenth root.
    let nine = measured(Method::Radau, 1e-7, 1e-12);
    assert!((8.0..=11.5).contains(&nine), "{nine}");
    assert!(orbit_error(Method::Radau, 1e-12).0 < 1e-11);
}

/// The worst error between steps, and accepted steps.
fn dense_error(method: Method, rtol: f64) -> (f64, u64) {
    let flow = Flow::default().method(method).tolerances(rtol, rtol).until(10.0);
    let observables = Observables::built_in(&orbit().blocks).select(&["x"]).unwrap();
    let mut recording = Recording::new(observables, Sampling::linear(10.0, 777));
    let end = flow.run(&orbit(), 0.0, &[1.0, 0.0], &mut recording).unwrap();
    let trajectory = recording.finish();
    assert_eq!(trajectory.rows(), 777);
    let x = trajectory.get("x").unwrap();
    let error =
        |(row, time): (usize, &f64)| (x.row(row)[0] - time.cos()).hypot(x.row(row)[1] - time.sin());
    let worst = trajectory.time().iter().enumerate().map(error).fold(0.0, f64::max);
    (worst, end.work.steps)
}

#[test]
fn dense_output_of_dop853_converges_with_order_seven_that_of_radau_with_the_order_of_its_steps() {
    let seven = order(|rtol| dense_error(Method::Dop853, rtol), 1e-4, 1e-11);
    assert!((6.5..=9.5).contains(&seven), "{seven}");
    let nine = order(|rtol| dense_error(Method::Radau, rtol), 1e-7, 1e-12);
    assert!((8.0..=11.5).contains(&nine), "{nine}");
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
    let observables = Observables::built_in(&cubic().blocks).select(&["loss"]).unwrap();
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

fn robertson(y: &[f64], rate: &mut [f64]) {
    rate[0] = -0.04 * y[0] + 1e4 * y[1] * y[2];
    rate[2] = 3e7 * y[1] * y[1];
    rate[1] = -rate[0] - rate[2];
}

fn hires(y: &[f64], rate: &mut [f64]) {
    let fast = 280.0 * y[5] * y[7];
    rate[0] = -1.71 * y[0] + 0.43 * y[1] + 8.32 * y[2] + 0.0007;
    rate[1] = 1.71 * y[0] - 8.75 * y[1];
    rate[2] = -10.03 * y[2] + 0.43 * y[3] + 0.035 * y[4];
    rate[3] = 8.32 * y[1] + 1.71 * y[2] - 1.12 * y[3];
    rate[4] = -1.745 * y[4] + 0.43 * y[5] + 0.43 * y[6];
    rate[5] = -fast + 0.69 * y[3] + 1.71 * y[4] - 0.43 * y[5] + 0.69 * y[6];
    rate[6] = fast - 1.81 * y[6];
    rate[7] = -rate[6];
}

fn van_der_pol(y: &[f64], rate: &mut [f64]) {
    rate[0] = y[1];
    rate[1] = ((1.0 - y[0] * y[0]) * y[1] - y[0]) / 1e-6;
}

/// F. Mazzia and C. Magherini, "Test Set for Initial Value Problem Solvers", release 2.4 (2008).
#[test]
fn stiff_classics_end_at_their_published_digits() {
    // HIRES ends in the middle of a steep fall, which magnifies errors.
    let hires_start = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0057];
    let hires_end = [
        0.737_131_257_332_566_8e-3,
        0.144_248_572_631_618_5e-3,
        0.588_872_974_096_757_5e-4,
        0.117_565_134_328_314_9e-2,
        0.238_635_619_883_133_1e-2,
        0.623_896_825_274_279_6e-2,
        0.284_999_839_518_576_9e-2,
        0.285_000_160_481_423_1e-2,
    ];
    let robertson_end =
        [0.208_334_014_970_125_5e-7, 0.833_336_077_033_471_3e-13, 0.999_999_979_166_505];
    let van_der_pol_end = [0.170_616_773_217_048_3e1, -0.892_809_701_024_797_5];
    type Classic<'a> = (fn(&[f64], &mut [f64]), &'a [f64], &'a [f64], [f64; 3]);
    let classics: [Classic<'_>; 3] = [
        (robertson, &[1.0, 0.0, 0.0], &robertson_end, [1e-10, 1e-24, 1e11]),
        (hires, &hires_start, &hires_end, [1e-12, 1e-16, 321.8122]),
        (van_der_pol, &[2.0, 0.0], &van_der_pol_end, [1e-10, 1e-12, 2.0]),
    ];
    for (rate, start, solution, [rtol, atol, until]) in classics {
        let field = ToyField::new(start.len(), move |_, y, slope| {
            rate(y, slope);
            f64::NAN
        });
        let flow = Flow::default().method(Method::Radau).tolerances(rtol, atol).until(until);
        let end = flow.run(&field, 0.0, start, &mut Silent).unwrap();
        for (got, right) in end.state.iter().zip(solution) {
            assert!((got / right - 1.0).abs() < 1e-9, "{got} {right}");
        }
    }
}

/// `x H x / 2 + sum of x^4 / 4` with an indefinite `H`; the last block stands still.
fn bowl() -> Toy {
    let blocks = Blocks::new().with("slow", &[8], 0.3).with("fast", &[8], 40.0);
    let wave = |i: usize, j: usize| (1.3 * (i * j) as f64 + 0.7 * (i + j) as f64).cos();
    let entry = move |i: usize, j: usize| wave(i, j) + if i == j { i as f64 } else { 0.0 };
    Toy::new(blocks.with("frozen", &[3], 0.0), move |x, slope| {
        let mut loss = 0.0;
        for i in 0..BOWL {
            let linear: f64 = x.iter().enumerate().map(|(j, x)| entry(i, j) * x).sum();
            loss += x[i] * linear / 2.0 + x[i].powi(4) / 4.0;
            slope[i] = linear + x[i].powi(3);
        }
        loss
    })
}

const BOWL: usize = 19;

/// The same flow, which keeps its symmetry and its products to itself.
fn discreet_flow() -> ToyField {
    let (bowl, rates) = (bowl(), bowl().blocks().rates());
    ToyField::new(BOWL, move |_, x, rate| {
        let loss = bowl.evaluate(x, Draw::default(), &mut (), rate).unwrap();
        rate.iter_mut().zip(&rates).for_each(|(rate, speed)| *rate *= -speed);
        loss
    })
}

#[test]
fn the_symmetric_and_the_general_path_agree_and_what_is_frozen_stands_still() {
    let bowl = bowl();
    let start: Vec<f64> = (0..BOWL).map(|i| (0.9 * i as f64).sin()).collect();
    let flow = Flow::default().method(Method::Radau).tolerances(1e-11, 1e-13).until(5.0);
    let symmetric = flow.run(&GradientFlow::new(&bowl), 0.0, &start, &mut Silent).unwrap();
    let general = flow.run(&discreet_flow(), 0.0, &start, &mut Silent).unwrap();
    for (a, b) in symmetric.state.iter().zip(&general.state) {
        assert!((a - b).abs() < 1e-10, "{a} {b}");
    }
    assert_ne!(symmetric.state, general.state, "the two paths must be two paths");
    for end in [&symmetric, &general] {
        assert_eq!(end.state[16..], start[16..], "frozen parameters moved");
    }
}
