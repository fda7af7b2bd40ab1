use super::*;
use crate::dynamics::{Course, Motion, Outcome, SegmentEnd, run_segment, run_to_end};
use crate::theory::{ReducedTheory, Theories};

/// A ring of minima: `(x^2 + y^2 - 1)^2/4`.
fn ring() -> Toy {
    Toy::new(Blocks::new().with("x", &[], 1.0).with("y", &[], 1.0), |theta, gradient| {
        let gap = theta[0] * theta[0] + theta[1] * theta[1] - 1.0;
        (gradient[0], gradient[1]) = (gap * theta[0], gap * theta[1]);
        gap * gap / 4.0
    })
}

/// The radius alone, lifted to the direction (3, 4)/5.
struct Radius(Blocks);

impl ReducedTheory for Radius {
    fn variables(&self) -> &Blocks {
        &self.0
    }

    fn law(&self, state: &[f64], rate: &mut [f64]) -> Result<f64, Fault> {
        rate[0] = state[0] * (1.0 - state[0] * state[0]);
        Ok((state[0] * state[0] - 1.0).powi(2) / 4.0)
    }

    fn lift(&self, state: &[f64]) -> Vec<f64> {
        vec![0.6 * state[0], 0.8 * state[0]]
    }

    fn project(&self, theta: &[f64]) -> Vec<f64> {
        vec![theta[0].hypot(theta[1])]
    }
}

fn theories() -> Theories<'static> {
    Theories::none()
        .with("radius", Radius(Blocks::new().with("r", &[], 1.0)))
        .without("angle", "a ring has none")
}

fn reduced(theory: &str) -> Phase {
    Phase::new(Motion::Reduced { theory: theory.to_owned(), flow: Flow::default().until(4.0) })
}

/// The phases in segments of so many steps from (0.012, 0.016), each segment from what was stored.
fn run(phases: &[Phase], steps: u64) -> Result<(Outcome, Trajectory), PhaseError> {
    let ring = ring();
    let observables =
        Observables::built_in(ring.blocks()).select(&["loss", "x", "y", "gradient.norm"]);
    let mut recording = Recording::new(observables.unwrap(), Sampling::linear(8.0, 17));
    let course = Course { phases, theories: &theories(), seed: 0 };
    let outcome = run_to_end(Checkpoint::start(&[0.012, 0.016]), |from| {
        let end = run_segment(&ring, course, from, steps, &mut recording)?;
        Ok::<_, PhaseError>(match end {
            SegmentEnd::Paused(checkpoint) => {
                SegmentEnd::Paused(Checkpoint::load(checkpoint.save()).unwrap())
            }
            ended @ SegmentEnd::Ended(_) => ended,
        })
    })?;
    Ok((outcome, recording.finish()))
}

#[test]
fn a_theory_is_seen_as_the_whole_model() {
    let mut phase = reduced("radius");
    phase.events = vec![Event::note(Condition::LossBelow(0.125))];
    let second = Phase::new(Motion::Flow(Flow::default().until(4.0)));
    let (outcome, trajectory) = run(&[phase, second], u64::MAX).unwrap();
    // r(t) from r0, in closed form.
    let radius =
        |time: f64| 1.0 / (1.0 + (1.0 / 0.02_f64.powi(2) - 1.0) * (-2.0 * time).exp()).sqrt();
    for (row, &time) in trajectory.time().iter().enumerate() {
        let value = |name: &str| trajectory.get(name).unwrap().data()[row];
        let r = radius(time);
        let expected = [0.6 * r, 0.8 * r, (r * r - 1.0).powi(2) / 4.0, r * (1.0 - r * r)];
        for (name, expected) in ["x", "y", "loss", "gradient.norm"].iter().zip(expected) {
            assert!((value(name) - expected).abs() < 1e-8, "{name} at {time}: {}", value(name));
        }
    }
    assert_eq!(trajectory.rows(), 17);
    let half = outcome.phases[0].crossings[0].unwrap().time;
    assert!((radius(half).powi(2) - (1.0 - 0.5_f64.sqrt())).abs() < 1e-8);
    assert!((outcome.phases[1].time - 8.0).abs() < 1e-15);
}

#[test]
fn a_theory_has_segments() {
    let phases = [reduced("radius"), reduced("radius")];
    let whole = run(&phases, u64::MAX).unwrap();
    let mut segments = run(&phases, 3).unwrap();
    for (end, one) in segments.0.phases.iter_mut().zip(&whole.0.phases) {
        assert!(end.work.unwrap().rates > one.work.unwrap().rates, "there were segments");
        end.work = one.work;
    }
    assert_eq!(segments, whole);
}

#[test]
fn what_a_theory_has_not_is_named() {
    let error = |phase: Phase| run(&[phase], 9).unwrap_err().to_string();
    assert_eq!(error(reduced("phase")), "no theory is called `phase`; there are `radius`, `angle`");
    assert_eq!(error(reduced("angle")), "the theory `angle` does not apply: a ring has none");
    let frozen = Phase { freeze: vec!["x".to_owned()], ..reduced("radius") };
    assert_eq!(error(frozen), "a reduced theory has no blocks to freeze");
    let crossing = Condition::ParameterCrosses { index: 0, value: 0.5 };
    let watched = Phase { events: vec![Event::note(crossing)], ..reduced("radius") };
    assert_eq!(error(watched), "a reduced theory has no parameters to watch");
    let none = Theories::none().find(Some("radius")).err().unwrap();
    assert_eq!(none.to_string(), "this system has no reduced theory");
    assert_eq!(theories().find(None).unwrap().0, "radius");
}
