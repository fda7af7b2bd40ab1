use super::*;
use crate::array::Values;
use crate::descent::Plateau;
use crate::dynamics::{
    Course, Motion, Optimiser, Phase, ScheduleKind, SegmentEnd, Steps, run_segment,
};
use crate::theory::Theories;
use crate::trajectory::Snapshot;

fn phases(rule: Optimiser) -> Vec<Phase> {
    let schedule = ScheduleKind::Plateau(Plateau::default());
    let steps = |steps| Steps { rule, rate: 0.1, steps, schedule: schedule.clone(), clip: None };
    vec![Phase::new(Motion::Descent(steps(3))), Phase::new(Motion::Descent(steps(5)))]
}

const MOMENTUM: Optimiser = Optimiser::Momentum { momentum: 0.5, dampening: 0.0 };

fn segment(from: Checkpoint, rule: Optimiser, parameters: usize) -> Result<SegmentEnd, PhaseError> {
    let bowl = Toy::new(Blocks::new().with("x", &[parameters], 1.0), |theta, gradient| {
        gradient.copy_from_slice(theta);
        theta.iter().map(|x| x * x / 2.0).sum()
    });
    let course = Course { phases: &phases(rule), theories: &Theories::none(), seed: 0 };
    run_segment(&bowl, course, from, 5, &mut Silent)
}

fn paused() -> Checkpoint {
    match segment(Checkpoint::start(&[1.0, -2.0]), MOMENTUM, 2).unwrap() {
        SegmentEnd::Paused(checkpoint) => checkpoint,
        SegmentEnd::Ended(outcome) => panic!("{outcome:?}"),
    }
}

#[test]
fn every_part_goes_through_arrays_unchanged() {
    let mut checkpoint = paused();
    assert_eq!((checkpoint.step, checkpoint.finished.len()), (5, 1));
    let at = Snapshot { time: 0.2, step: 9, state: [0.1, -3e-308].into() };
    let best = Best { value: -0.25, at };
    checkpoint.finished.push(PhaseEnd {
        time: 0.1 + 0.2,
        on_clock: true,
        step: 77,
        loss: -1e-300,
        ended: Termination::ByEvent(4),
        crossings: vec![None, Some(Crossing { time: 0.3, loss: 1.5 })],
        work: Some(Work { steps: 1, rejected: 2, rates: 3, jacobians: 4, factorisations: 5 }),
        stiff_from: Some(1.0 / 3.0),
        best: Some(best),
    });
    assert_eq!(Checkpoint::load(checkpoint.save()), Ok(checkpoint));
    let start = Checkpoint::start(&[0.1, f64::MIN_POSITIVE]);
    assert_eq!(Checkpoint::load(start.save()), Ok(start));
}

#[test]
fn arrays_of_something_else_are_refused_by_name() {
    let saved = paused().save();
    let without = |name: &str| saved.iter().filter(|a| a.name != name).cloned().collect::<Vec<_>>();
    let error = Checkpoint::load(without("finished.0.crossing.loss")).unwrap_err();
    assert!(error.to_string().contains("no buffer `finished.0.crossing.loss`"), "{error}");

    let more = [saved.clone(), vec![Array::list("other", vec![1.0].into())]].concat();
    let error = Checkpoint::load(more).unwrap_err().to_string();
    assert_eq!(error, "stored memory has buffers that nothing here knows: `other`");

    let mut single = saved.clone();
    single[0].values = Values::F32(vec![1.0]);
    let error = Checkpoint::load(single).unwrap_err().to_string();
    assert_eq!(error, "stored buffer `time` is not in double precision");

    let mut odd = without("progress");
    odd.push(Array::list("progress", vec![-1.0, 0.0, 0.0].into()));
    let error = Checkpoint::load(odd).unwrap_err().to_string();
    assert_eq!(error, "stored buffer `progress` holds -1, expected a count");
}

#[test]
fn a_checkpoint_of_another_run_is_refused() {
    let refused = |rule, parameters| match segment(paused(), rule, parameters) {
        Err(error) => error.to_string(),
        Ok(end) => panic!("{end:?}"),
    };
    assert_eq!(
        refused(MOMENTUM, 3),
        "the run cannot go on: stored buffer `state` has 2 entries, expected 3"
    );
    let error = refused(Optimiser::Gd, 2);
    assert!(error.contains("nothing here knows: `rule.rule.started`"), "{error}");
}
