//! What scheduling, freezing, clipping and stopping must leave alone, bit for bit, whatever the optimiser.

use proptest::prelude::*;
use saddlescope::descent::{AdamSettings, Optimiser, Plateau, Rule, ScheduleKind};
use saddlescope::memory::{Memory, MemoryError};
use saddlescope::{Blocks, Scalar};

const PARAMETERS: usize = 7;

fn blocks() -> Blocks {
    Blocks::new()
        .with("head.0.key", &[2], 1.0)
        .with("head.0.value", &[1], 1.0)
        .with("head.1.key", &[3], 0.5)
        .with("head.1.value", &[], 0.5)
}

/// One of the five optimisers.
fn plain<S: Scalar>(kind: usize) -> Rule<S> {
    let adam = AdamSettings::default();
    let (optimiser, rate) = match kind {
        0 => (Optimiser::Gd, 0.1),
        1 => (Optimiser::Momentum { momentum: 0.8, dampening: 0.2 }, 0.05),
        2 => (Optimiser::Nesterov { momentum: 0.8 }, 0.05),
        3 => (Optimiser::Adam(adam), 0.03),
        _ => (Optimiser::AdamW(adam, 0.2), 0.03),
    };
    Rule::new(optimiser, rate, &blocks()).unwrap()
}

/// One of the five optimisers with all that a rule can have, and one of both schedules that have a memory.
fn whole<S: Scalar>(kind: usize, cosine: bool) -> Rule<S> {
    let plateau =
        Plateau { factor: 0.7, patience: 1, threshold: 0.1, period: 2, ..Plateau::default() };
    let cosine = cosine.then_some(ScheduleKind::Cosine { floor: 0.2 });
    let schedule = cosine.unwrap_or(ScheduleKind::Plateau(plateau));
    let rule = plain::<S>(kind).scheduled(schedule, 9).unwrap().clipped_where_moving(0.3).unwrap();
    let rule = rule.with_factors(&blocks(), &[("head.*.key", 0.5)]).unwrap();
    rule.frozen(&blocks(), &["head.1.value"]).unwrap()
}

/// All that later steps depend on, besides parameters and settings.
fn memory<S: Scalar>(rule: &Rule<S>) -> Memory {
    let mut memory = Memory::default();
    rule.save(&mut memory);
    memory
}

/// Takes up the memory of a rule with the same settings.
fn restore<S: Scalar>(rule: &mut Rule<S>, mut memory: Memory) -> Result<(), MemoryError> {
    rule.load(&mut memory)?;
    memory.finish()
}

/// Steps `from..to` of `rule` from `theta`, under a gradient that depends on parameters and step.
fn walk<S: Scalar>(rule: &mut Rule<S>, theta: &mut [S], from: usize, to: usize) {
    let mut gradient = [S::ZERO; PARAMETERS];
    for index in from..to {
        let mut loss = 0.0;
        for i in 0..PARAMETERS {
            let target = S::from_f64(((index * 5 + i * 3) % 7) as f64 * 0.1);
            let next = theta[(i + 1) % PARAMETERS];
            gradient[i] = theta[i] * next * next - target;
            loss += gradient[i].to_f64().abs();
        }
        rule.advance(loss, theta, &mut gradient);
    }
}

/// Whether `theta` after 20 steps has the same bits under both rules.
fn same_bits<S: Scalar>(start: &[f64], rules: [Rule<S>; 2]) -> bool {
    let [left, right] = rules.map(|mut rule| {
        let mut theta: Vec<S> = start.iter().map(|&x| S::from_f64(x)).collect();
        walk(&mut rule, &mut theta, 0, 20);
        bits(&theta)
    });
    left == right
}

fn bits<S: Scalar>(values: &[S]) -> Vec<u64> {
    values.iter().map(|value| value.to_f64().to_bits()).collect()
}

fn parts_at_one_change_nothing<S: Scalar>(kind: usize, start: &[f64]) {
    type Add<S> = fn(Rule<S>) -> Rule<S>;
    let parts: [Add<S>; 4] = [
        |rule| rule.with_factors(&blocks(), &[("*", 1.0)]).unwrap(),
        |rule| rule.scheduled(ScheduleKind::Constant, 20).unwrap(),
        |rule| rule.clipped(1e30).unwrap(),
        |rule| rule.frozen::<&str>(&blocks(), &[]).unwrap(),
    ];
    for add in parts {
        assert!(same_bits::<S>(start, [plain(kind), add(plain(kind))]));
    }
}

fn resumes_with_the_same_bits<S: Scalar>(make: impl Fn() -> Rule<S>, start: &[f64], stop: usize) {
    let start: Vec<S> = start.iter().map(|&x| S::from_f64(x)).collect();
    let (mut whole, mut halves) = (start.clone(), start);
    let mut first = make();
    walk(&mut first, &mut halves, 0, stop);
    let mut second = make();
    restore(&mut second, memory(&first)).unwrap();
    assert_eq!(memory(&second), memory(&first));
    walk(&mut second, &mut halves, stop, 20);

    let mut uninterrupted = make();
    walk(&mut uninterrupted, &mut whole, 0, 20);
    assert_eq!(bits(&whole), bits(&halves));
    assert_eq!(memory(&second), memory(&uninterrupted));
}

fn start() -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(-1.0..1.0, PARAMETERS)
}

proptest! {
    #[test]
    fn factor_one_and_constant_schedules_change_no_bit(kind in 0_usize..5, start in start()) {
        parts_at_one_change_nothing::<f32>(kind, &start);
        parts_at_one_change_nothing::<f64>(kind, &start);
    }

    #[test]
    fn frozen_blocks_stand_still_and_the_others_do_not_notice(
        kind in 0_usize..5,
        start in start(),
        pattern in prop::sample::select(vec!["head.0.key", "head.*.value", "head.1.*"]),
    ) {
        let frozen = |i| {
            let blocks = blocks();
            let block = blocks.block_of(i).unwrap();
            saddlescope::blocks::name_matches(pattern, &block.name)
        };
        let mut gradient: Vec<f64> = start.iter().map(|x| x * x - 0.3).collect();
        let (mut free, mut held) = (start.clone(), start.clone());
        let mut rule = plain::<f64>(kind).frozen(&blocks(), &[pattern]).unwrap();
        let mut unfrozen = plain::<f64>(kind);
        for _ in 0..5 {
            rule.advance(1.0, &mut held, &mut gradient);
            unfrozen.advance(1.0, &mut free, &mut gradient);
        }
        for i in 0..PARAMETERS {
            let expected = if frozen(i) { start[i] } else { free[i] };
            prop_assert_eq!(held[i].to_bits(), expected.to_bits());
        }
        for (name, values) in memory(&rule).buffers() {
            if values.len() == PARAMETERS {
                let untouched = (0..PARAMETERS).all(|i| !frozen(i) || values[i] == 0.0);
                prop_assert!(untouched, "{} has traces of frozen blocks", name);
            }
        }
    }

    #[test]
    fn a_stopped_run_resumes_with_the_same_bits(
        kind in 0_usize..5,
        start in start(),
        stop in 0_usize..=20,
        cosine in any::<bool>(),
    ) {
        resumes_with_the_same_bits::<f32>(|| whole(kind, cosine), &start, stop);
        resumes_with_the_same_bits::<f64>(|| whole(kind, cosine), &start, stop);
    }
}

#[test]
fn memory_of_another_rule_is_refused() {
    let message = |rule: &mut Rule<f64>, stored| match restore(rule, stored) {
        Err(MemoryError::Missing { name, .. }) => name,
        Err(other) => other.to_string(),
        Ok(()) => "taken".to_owned(),
    };
    let velocity = memory(&plain::<f64>(2));
    assert_eq!(message(&mut plain(3), velocity.clone()), "steps");
    assert_eq!(
        message(&mut plain(0), velocity.clone()),
        "stored memory has buffers that nothing here knows: `velocity`"
    );
    let larger = Blocks::new().with("larger", &[8], 1.0);
    let mut larger = Rule::new(Optimiser::Nesterov { momentum: 0.9 }, 0.1, &larger).unwrap();
    assert_eq!(
        message(&mut larger, velocity),
        "stored buffer `velocity` has 7 entries, expected 8"
    );
}
