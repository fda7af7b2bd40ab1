use proptest::prelude::*;

use super::*;
use crate::descent::Plateau;
use crate::dynamics::{AdamSettings, Optimiser, ScheduleKind};
use crate::early_stop::EarlyStop;
use crate::flow::Method;
use crate::record::sampling::Along;
use crate::record::{Observable, Part, join};

const START: [f64; 2] = [1e-3, -0.4];

/// A run through `phases`, without theories.
fn course(phases: &[Phase]) -> Course<'_> {
    const NONE: &Theories<'_> = &Theories::none();
    Course { phases, theories: NONE, seed: 5 }
}

/// How a run is recorded: sampling and snapshots.
type Record = (Sampling, Vec<f64>);

/// A run on parameters in `blocks`, by a function that takes steps of it.
struct Run<'a, F> {
    blocks: &'a Blocks,
    record: &'a Record,
    segment: F,
}

impl<F> Run<'_, F>
where
    F: Fn(Checkpoint, u64, &mut dyn Recorder) -> Result<SegmentEnd, PhaseError>,
{
    fn recording(&self) -> Recording {
        let observables = Observables::built_in(self.blocks).select(&["loss", "x", "gradient.*"]);
        let (sampling, snapshots) = self.record.clone();
        Recording::new(observables.unwrap(), sampling).with_snapshots(snapshots)
    }

    /// In segments of `steps`, one after the other in one process.
    fn in_segments(&self, steps: &[u64]) -> (Outcome, Trajectory) {
        let mut recording = self.recording();
        let mut lengths = steps.iter().cycle();
        let outcome = run_to_end(Checkpoint::start(&START), |from| {
            (self.segment)(from, *lengths.next().unwrap(), &mut recording)
        });
        (outcome.unwrap(), recording.finish())
    }

    /// The same, killed after each segment: only arrays and parts survive, and half a segment is run in vain.
    fn killed(&self, steps: &[u64]) -> (Outcome, Trajectory) {
        let mut stored = Checkpoint::start(&START).save();
        let mut saved = self.recording().save();
        let mut parts: Vec<Part> = vec![self.recording().end_segment()];
        for &steps in steps.iter().cycle() {
            let resumed = || {
                let recording = self.recording().resume(saved.clone(), &join(&parts)).unwrap();
                (Checkpoint::load(stored.clone()).unwrap(), recording)
            };
            let (from, mut recording) = resumed();
            (self.segment)(from, steps.div_ceil(2), &mut recording).unwrap();
            let (from, mut recording) = resumed();
            let end = (self.segment)(from, steps, &mut recording).unwrap();
            parts.push(recording.end_segment());
            saved = recording.save();
            match end {
                SegmentEnd::Paused(checkpoint) => stored = checkpoint.save(),
                SegmentEnd::Ended(outcome) => {
                    let whole = recording.finish();
                    let again = self.recording().resume(saved, &join(&parts)).unwrap();
                    assert_eq!(again.finish(), whole, "parts hold all that the recording held");
                    return (outcome, whole);
                }
            }
        }
        unreachable!("a cycle of segments has no end")
    }
}

fn optimiser(kind: usize) -> Optimiser {
    let adam = AdamSettings { betas: (0.9, 0.99), epsilon: 1e-8 };
    match kind {
        0 => Optimiser::Gd,
        1 => Optimiser::Momentum { momentum: 0.8, dampening: 0.2 },
        2 => Optimiser::Nesterov { momentum: 0.7 },
        3 => Optimiser::Adam(adam),
        _ => Optimiser::AdamW(adam, 0.1),
    }
}

fn early(every: u64, patience: u64) -> EarlyStop {
    let of = Observable::scalar("off", |moment| (moment.state[0] - 0.7).abs());
    EarlyStop { of, every, patience, threshold: 0.0 }
}

/// A phase with all wrappers, and one that stands on its own.
fn descents(kind: usize) -> Vec<Phase> {
    let plateau = Plateau { factor: 0.7, patience: 2, threshold: 0.05, ..Plateau::default() };
    let steps = |schedule, clip, steps| {
        Motion::Descent(Steps { rule: optimiser(kind), rate: 0.01, steps, schedule, clip })
    };
    let mut wrapped = Phase::new(steps(ScheduleKind::Plateau(plateau), Some(0.3), 83));
    wrapped.rates = vec![("y".to_owned(), 0.5)];
    wrapped.events = vec![
        Event::note(Condition::LossBelow(0.95)),
        Event::note(Condition::ParameterCrosses { index: 1, value: -0.2 }),
        Event::note(Condition::LossBelow(-10.0)),
    ];
    let mut second = Phase::new(steps(ScheduleKind::Cosine { floor: 0.1 }, None, 120));
    second.freeze = vec!["y".to_owned()];
    second.early_stop = Some(early(5, 4));
    second.events = vec![
        Event::note(Condition::GradientBelow(0.5)),
        Event::stop(Condition::LossBelow(0.05)),
        Event::note(Condition::ParameterCrosses { index: 0, value: 0.5 }),
    ];
    vec![wrapped, second]
}

fn samplings() -> impl Strategy<Value = Sampling> {
    let along = prop_oneof![Just(Along::Time), Just(Along::LogTime), Just(Along::LogTimeAndLoss)];
    prop_oneof![
        prop::collection::vec(0.0..8.0, 0..20).prop_map(Sampling::Listed),
        (1_u64..5).prop_map(Sampling::Every),
        (along, 2_usize..40).prop_map(|(along, budget)| Sampling::Even { along, budget }),
    ]
}

fn records() -> impl Strategy<Value = Record> {
    (samplings(), prop::collection::vec(0.0..6.0, 0..4))
}

fn descends<S: Scalar>(kind: usize, record: &Record, steps: &[u64]) {
    let (landscape, phases) = (Toy::<S>::valley(1.0, 0.3), descents(kind));
    let segment = |from: Checkpoint, steps: u64, recorder: &mut dyn Recorder| {
        train_segment(&landscape, course(&phases), from, steps, recorder)
    };
    let run = Run { blocks: landscape.blocks(), record, segment };
    let whole = run.in_segments(&[u64::MAX]);
    assert_eq!(run.in_segments(steps), whole);
    assert_eq!(run.killed(steps), whole);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases / 10))]

    #[test]
    fn descents_have_the_same_bits_in_segments_killed_or_not(
        record in records(),
        steps in prop::collection::vec(1_u64..60, 1..6),
    ) {
        for kind in 0..5 {
            descends::<f64>(kind, &record, &steps);
            descends::<f32>(kind, &record, &steps);
        }
    }

    #[test]
    fn flows_have_the_same_bits_killed_or_not(
        record in records(),
        steps in prop::collection::vec(1_u64..30, 1..6),
    ) {
        for method in [Method::Auto, Method::Radau] {
            let (landscape, phases) = (Toy::<f64>::valley(2e3, 0.0), flows(method));
            let segment = |from: Checkpoint, steps: u64, recorder: &mut dyn Recorder| {
                run_segment(&landscape, course(&phases), from, steps, recorder)
            };
            let run = Run { blocks: landscape.blocks(), record: &record, segment };
            prop_assert_eq!(run.killed(&steps), run.in_segments(&steps));
        }
    }
}

/// A flow down the valley into the well, and one with `y` held fast until it rests.
fn flows(method: Method) -> Vec<Phase> {
    let flow = Flow::default().method(method).tolerances(1e-9, 1e-11);
    let mut first = Phase::new(Motion::Flow(flow.clone()));
    first.events = [0.9, 0.5, 0.1].map(|level| Event::note(Condition::LossBelow(level))).to_vec();
    first.events.push(Event::note(Condition::ParameterCrosses { index: 0, value: -0.5 }));
    first.events.push(Event::stop(Condition::LossBelow(1e-3)));
    let mut second = Phase::new(Motion::Flow(flow.until(5.0)));
    second.freeze = vec!["y".to_owned()];
    second.events = vec![Event::note(Condition::GradientBelow(1e-4))];
    second.early_stop = Some(early(2, 100));
    vec![first, second]
}

/// The end of `flows` in segments of so many steps.
fn flown(method: Method, stiffness: f64, steps: u64) -> Outcome {
    let (landscape, phases) = (Toy::<f64>::valley(stiffness, 0.0), flows(method));
    run_to_end(Checkpoint::start(&START), |from| {
        run_segment(&landscape, course(&phases), from, steps, &mut Silent)
    })
    .unwrap()
}

#[test]
fn segments_cost_a_flow_no_accuracy_and_little_work() {
    for (method, stiffness) in [(Method::Dop853, 1.0), (Method::Auto, 2e3), (Method::Radau, 2e3)] {
        let whole = flown(method, stiffness, u64::MAX);
        let segments = flown(method, stiffness, 10);
        for (whole, segments) in whole.phases.iter().zip(&segments.phases) {
            for (one, many) in whole.crossings.iter().zip(&segments.crossings) {
                let (one, many) = (one.unwrap().time, many.unwrap().time);
                let miss = (many / one - 1.0).abs();
                assert!(miss < 1e-8, "{method:?}: {one} and {many}");
            }
            let (one, many) = (whole.work.unwrap(), segments.work.unwrap());
            let restarts = many.steps.div_ceil(10) + 1;
            assert!(many.steps <= one.steps + restarts, "{method:?}: {one:?} {many:?}");
            assert!(many.rates <= one.rates + 20 * restarts, "{method:?}: {one:?} {many:?}");
            assert!(many.jacobians <= one.jacobians + restarts, "{method:?}: {one:?} {many:?}");
        }
    }
}

#[test]
fn an_explicit_flow_has_the_same_bits_in_any_segments() {
    let strip = |mut outcome: Outcome| {
        for work in outcome.phases.iter_mut().filter_map(|end| end.work.as_mut()) {
            work.rates = 0;
        }
        outcome
    };
    let whole = strip(flown(Method::Dop853, 3.0, u64::MAX));
    assert_eq!(strip(flown(Method::Dop853, 3.0, 7)), whole);
}

#[test]
fn segments_have_their_number_of_steps_across_phases() {
    let landscape = Toy::<f64>::valley(1.0, 0.0);
    let phases = [descents(0), flows(Method::Auto)].concat();
    let mut from = Checkpoint::start(&START);
    let mut ends = Vec::new();
    loop {
        match run_segment(&landscape, course(&phases), from, 25, &mut Silent).unwrap() {
            SegmentEnd::Paused(checkpoint) => {
                ends.push(checkpoint.step);
                from = checkpoint;
            }
            SegmentEnd::Ended(outcome) => {
                assert_eq!(outcome.phases.len(), 4);
                break;
            }
        }
    }
    let expected: Vec<u64> = (1..=ends.len() as u64).map(|segment| 25 * segment).collect();
    assert_eq!(ends, expected);
}
