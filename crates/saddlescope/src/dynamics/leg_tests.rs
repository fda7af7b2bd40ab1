use std::marker::PhantomData;

use proptest::prelude::*;

use super::*;
use crate::descent::Plateau;
use crate::dynamics::{AdamSettings, Optimiser, ScheduleKind};
use crate::event::{Condition, Event};
use crate::flow::Method;
use crate::numeric::random::Purpose;
use crate::record::sampling::Along;
use crate::record::{Observables, Part, Recording, Sampling, Silent, join};
use crate::trajectory::Trajectory;
use crate::{Draw, Fault};

/// A valley `stiffness (x - y)^2/2` that bends towards the wells `(x^2 - 1)^2`, with a slope that each
/// draw tilts by up to `noise`.
struct Valley<S> {
    blocks: Blocks,
    stiffness: f64,
    noise: f64,
    precision: PhantomData<S>,
}

fn valley<S: Scalar>(stiffness: f64, noise: f64) -> Valley<S> {
    let blocks = Blocks::new().with("x", &[], 0.5).with("y", &[], 0.5);
    Valley { blocks, stiffness, noise, precision: PhantomData }
}

impl<S: Scalar> Landscape for Valley<S> {
    type Scalar = S;
    type Work = ();

    fn blocks(&self) -> &Blocks {
        &self.blocks
    }

    fn work(&self) {}

    fn evaluate(
        &self,
        theta: &[S],
        draw: Draw,
        (): &mut (),
        gradient: &mut [S],
    ) -> Result<f64, Fault> {
        let [x, y] = [theta[0].to_f64(), theta[1].to_f64()];
        let tilt = if self.noise > 0.0 {
            self.noise * (2.0 * draw.stream(Purpose::Batch, 0).uniform() - 1.0)
        } else {
            0.0
        };
        let apart = self.stiffness * (x - y);
        gradient[0] = S::from_f64(4.0 * x * (x * x - 1.0) + apart + tilt);
        gradient[1] = S::from_f64(-apart);
        Ok((x * x - 1.0).powi(2) + apart * (x - y) / 2.0 + tilt * x)
    }
}

const START: [f64; 2] = [1e-3, -0.4];

/// A run through `stages`, without theories.
fn course(stages: &[Stage]) -> Course<'_> {
    const NONE: &Theories<'_> = &Theories::none();
    Course { stages, theories: NONE, seed: 5 }
}

/// How a run is recorded.
#[derive(Debug, Clone)]
struct Record {
    sampling: Sampling,
    snapshots: Vec<f64>,
}

impl Record {
    fn recording(&self, blocks: &Blocks) -> Recording {
        let observables = Observables::built_in(blocks).select(&["loss", "x", "gradient.*"]);
        Recording::new(observables.unwrap(), self.sampling.clone())
            .with_snapshots(self.snapshots.clone())
    }
}

/// One leg of a run.
type Leg<'a> = dyn Fn(Checkpoint, u64, &mut dyn Recorder) -> Result<LegEnd, StageError> + 'a;

/// A run in legs, one after the other in one process.
fn in_legs(
    leg: &Leg<'_>,
    blocks: &Blocks,
    record: &Record,
    steps: &[u64],
) -> (Outcome, Trajectory) {
    let mut recording = record.recording(blocks);
    let mut lengths = steps.iter().cycle();
    let outcome = to_the_end(Checkpoint::start(&START), |from| {
        leg(from, *lengths.next().unwrap(), &mut recording)
    });
    (outcome.unwrap(), recording.finish())
}

/// The same run, killed after each leg: only arrays and parts survive, and half a leg is run in vain.
fn killed(leg: &Leg<'_>, blocks: &Blocks, record: &Record, steps: &[u64]) -> (Outcome, Trajectory) {
    let mut stored = Checkpoint::start(&START).save();
    let mut saved = record.recording(blocks).save();
    let mut parts: Vec<Part> = vec![record.recording(blocks).end_leg()];
    for &steps in steps.iter().cycle() {
        let resumed = || {
            let recording = record.recording(blocks).resume(saved.clone(), &join(&parts)).unwrap();
            (Checkpoint::load(stored.clone()).unwrap(), recording)
        };
        let (from, mut recording) = resumed();
        leg(from, steps.div_ceil(2), &mut recording).unwrap();
        let (from, mut recording) = resumed();
        let end = leg(from, steps, &mut recording).unwrap();
        let (part, state) = (recording.end_leg(), recording.save());
        parts.push(part);
        saved = state;
        match end {
            LegEnd::Paused(checkpoint) => stored = checkpoint.save(),
            LegEnd::Ended(outcome) => {
                let whole = recording.finish();
                let again = record.recording(blocks).resume(saved, &join(&parts)).unwrap();
                assert_eq!(again.finish(), whole, "parts hold all that the recording held");
                return (outcome, whole);
            }
        }
    }
    unreachable!("a cycle of legs has no end")
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

/// A stage with all wrappers, and one that stands on its own.
fn descents(kind: usize) -> Vec<Stage> {
    let plateau =
        Plateau { factor: 0.7, patience: 2, threshold: 0.05, period: 3, ..Plateau::default() };
    let steps = |schedule, clip, steps| {
        Motion::Descent(Steps { rule: optimiser(kind), rate: 0.01, steps, schedule, clip })
    };
    let mut wrapped = Stage::new(steps(ScheduleKind::Plateau(plateau), Some(0.3), 83));
    wrapped.rates = vec![("y".to_owned(), 0.5)];
    wrapped.events = vec![
        Event::note(Condition::LossBelow(0.95)),
        Event::note(Condition::ParameterCrosses { index: 1, value: -0.2 }),
        Event::note(Condition::LossBelow(-10.0)),
    ];
    let mut second = Stage::new(steps(ScheduleKind::Cosine { floor: 0.1 }, None, 120));
    second.freeze = vec!["y".to_owned()];
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
        .prop_map(|(sampling, snapshots)| Record { sampling, snapshots })
}

fn descends<S: Scalar>(kind: usize, record: &Record, steps: &[u64]) {
    let landscape = valley::<S>(1.0, 0.3);
    let stages = descents(kind);
    let leg = |from: Checkpoint, steps: u64, recorder: &mut dyn Recorder| {
        train_leg(&landscape, course(&stages), from, steps, recorder)
    };
    let whole = in_legs(&leg, &landscape.blocks, record, &[u64::MAX]);
    assert_eq!(in_legs(&leg, &landscape.blocks, record, steps), whole);
    assert_eq!(killed(&leg, &landscape.blocks, record, steps), whole);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn descents_have_the_same_bits_in_legs_killed_or_not(
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
        for method in [Method::Auto, Method::Radau, Method::Bdf] {
            let (landscape, stages) = (valley::<f64>(2e3, 0.0), flows(method));
            let leg = |from: Checkpoint, steps: u64, recorder: &mut dyn Recorder| {
                run_leg(&landscape, course(&stages), from, steps, recorder)
            };
            let whole = in_legs(&leg, &landscape.blocks, &record, &steps);
            prop_assert_eq!(killed(&leg, &landscape.blocks, &record, &steps), whole);
        }
    }
}

/// A flow down the valley into the well, and one with `y` held fast until it rests.
fn flows(method: Method) -> Vec<Stage> {
    let flow = Flow::default().method(method).tolerances(1e-9, 1e-11);
    let mut first = Stage::new(Motion::Flow(flow.clone()));
    first.events = [0.9, 0.5, 0.1].map(|level| Event::note(Condition::LossBelow(level))).to_vec();
    first.events.push(Event::note(Condition::ParameterCrosses { index: 0, value: -0.5 }));
    first.events.push(Event::stop(Condition::LossBelow(1e-3)));
    let mut second = Stage::new(Motion::Flow(flow.until(5.0)));
    second.freeze = vec!["y".to_owned()];
    second.events = vec![Event::note(Condition::GradientBelow(1e-4))];
    vec![first, second]
}

/// The end of `flows` in legs of so many steps.
fn flown(method: Method, stiffness: f64, steps: u64) -> Outcome {
    let (landscape, stages) = (valley::<f64>(stiffness, 0.0), flows(method));
    to_the_end(Checkpoint::start(&START), |from| {
        run_leg(&landscape, course(&stages), from, steps, &mut Silent)
    })
    .unwrap()
}

#[test]
fn legs_cost_a_flow_no_accuracy_and_little_work() {
    for (method, stiffness) in
        [(Method::Dop853, 1.0), (Method::Auto, 2e3), (Method::Radau, 2e3), (Method::Bdf, 2e3)]
    {
        let whole = flown(method, stiffness, u64::MAX);
        let legs = flown(method, stiffness, 10);
        // Backward differentiation is no nearer to the flow than this in one piece, either.
        let bound = if method == Method::Bdf { 1e-6 } else { 1e-8 };
        for (whole, legs) in whole.stages.iter().zip(&legs.stages) {
            for (one, many) in whole.crossings.iter().zip(&legs.crossings) {
                let (one, many) = (one.unwrap().time, many.unwrap().time);
                let miss = (many / one - 1.0).abs();
                assert!(miss < bound, "{method:?}: {one} and {many}");
            }
            let (one, many) = (whole.work.unwrap(), legs.work.unwrap());
            let restarts = many.steps.div_ceil(10) + 1;
            assert!(many.steps <= one.steps + restarts, "{method:?}: {one:?} {many:?}");
            assert!(many.rates <= one.rates + 20 * restarts, "{method:?}: {one:?} {many:?}");
            assert!(many.jacobians <= one.jacobians + restarts, "{method:?}: {one:?} {many:?}");
        }
    }
}

#[test]
fn an_explicit_flow_has_the_same_bits_in_any_legs() {
    let strip = |mut outcome: Outcome| {
        for work in outcome.stages.iter_mut().filter_map(|end| end.work.as_mut()) {
            work.rates = 0;
        }
        outcome
    };
    let whole = strip(flown(Method::Dop853, 3.0, u64::MAX));
    assert_eq!(strip(flown(Method::Dop853, 3.0, 7)), whole);
}

#[test]
fn legs_have_their_number_of_steps_across_stages() {
    let landscape = valley::<f64>(1.0, 0.0);
    let stages = [descents(0), flows(Method::Auto)].concat();
    let mut from = Checkpoint::start(&START);
    let mut ends = Vec::new();
    loop {
        match run_leg(&landscape, course(&stages), from, 25, &mut Silent).unwrap() {
            LegEnd::Paused(checkpoint) => {
                ends.push(checkpoint.step());
                from = checkpoint;
            }
            LegEnd::Ended(outcome) => {
                assert_eq!(outcome.stages.len(), 4);
                break;
            }
        }
    }
    let expected: Vec<u64> = (1..=ends.len() as u64).map(|leg| 25 * leg).collect();
    assert_eq!(ends, expected);
}

#[test]
fn the_number_of_steps_per_leg_follows_the_work_of_a_step() {
    assert_eq!(leg_steps(1e6), 20_000);
    assert_eq!(leg_steps(0.0), 1_000_000);
    assert_eq!(leg_steps(1e300), 100);
    assert_eq!(leg_steps(f64::NAN), 100);
}
