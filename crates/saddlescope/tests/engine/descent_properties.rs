//! What wrapping, freezing and stopping must leave alone, bit for bit, whatever rule is inside.

use proptest::prelude::*;
use saddlescope::descent::{
    Adam, AdamW, Clipped, Constant, Cosine, Frozen, Gd, Momentum, Nesterov, PerBlock, Plateau,
    ReduceOnPlateau, Rule, Scheduled, Step,
};
use saddlescope::{Blocks, Scalar};

const PARAMETERS: usize = 7;

fn blocks() -> Blocks {
    Blocks::new()
        .with("head.0.key", &[2], 1.0)
        .with("head.0.value", &[1], 1.0)
        .with("head.1.key", &[3], 0.5)
        .with("head.1.value", &[], 0.5)
}

/// One of the five rules.
fn plain<S: Scalar>(kind: usize) -> Box<dyn Rule<S>> {
    let adam = || Adam::new(PARAMETERS, 0.03).unwrap();
    match kind {
        0 => Box::new(Gd::new(0.1).unwrap()),
        1 => Box::new(Momentum::new(PARAMETERS, 0.05, 0.8).unwrap().with_dampening(0.2).unwrap()),
        2 => Box::new(Nesterov::new(PARAMETERS, 0.05, 0.8).unwrap()),
        3 => Box::new(adam()),
        _ => Box::new(AdamW::new(adam(), 0.2).unwrap()),
    }
}

/// One of the five rules inside every wrapper at once, with both schedules that have a memory.
fn wrapped<S: Scalar>(kind: usize) -> Box<dyn Rule<S>> {
    let plateau =
        Plateau { factor: 0.7, patience: 1, threshold: 0.1, period: 2, ..Plateau::default() };
    let rule = Scheduled::new(plain::<S>(kind), ReduceOnPlateau::new(plateau).unwrap());
    let rule = Clipped::new(Scheduled::new(rule, Cosine::new(9, 0.2).unwrap()), 0.3).unwrap();
    let rule = PerBlock::new(rule, &blocks(), &[("head.*.key", 0.5)]).unwrap();
    Box::new(Frozen::new(rule, &blocks(), &["head.1.value"]).unwrap())
}

/// Steps `from..to` of `rule` from `theta`, under a gradient that depends on parameters and step.
fn walk<S: Scalar>(rule: &mut dyn Rule<S>, theta: &mut [S], from: usize, to: usize) {
    let mut step = Step::new(&blocks());
    let mut gradient = [S::ZERO; PARAMETERS];
    for index in from..to {
        let mut loss = 0.0;
        for i in 0..PARAMETERS {
            let target = S::from_f64(((index * 5 + i * 3) % 7) as f64 * 0.1);
            let next = theta[(i + 1) % PARAMETERS];
            gradient[i] = theta[i] * next * next - target;
            loss += gradient[i].to_f64().abs();
        }
        rule.advance(step.begin(loss), theta, &mut gradient);
    }
}

/// Whether `theta` after 20 steps has the same bits under both rules.
fn same_bits<S: Scalar>(start: &[f64], left: &mut dyn Rule<S>, right: &mut dyn Rule<S>) -> bool {
    let mut thetas = [(); 2].map(|()| start.iter().map(|&x| S::from_f64(x)).collect::<Vec<S>>());
    walk(left, &mut thetas[0], 0, 20);
    walk(right, &mut thetas[1], 0, 20);
    bits(&thetas[0]) == bits(&thetas[1])
}

fn bits<S: Scalar>(values: &[S]) -> Vec<u64> {
    values.iter().map(|value| value.to_f64().to_bits()).collect()
}

fn wrappers_at_one_change_nothing<S: Scalar>(kind: usize, start: &[f64]) {
    let per_block = |rule| PerBlock::new(rule, &blocks(), &[("*", 1.0)]).unwrap();
    assert!(same_bits::<S>(start, &mut plain(kind), &mut per_block(plain(kind))));
    let mut constant = Scheduled::new(plain(kind), Constant);
    assert!(same_bits::<S>(start, &mut plain(kind), &mut constant));
    let mut unbounded = Clipped::new(plain(kind), 1e30).unwrap();
    assert!(same_bits::<S>(start, &mut plain(kind), &mut unbounded));
    let mut thawed = Frozen::new(plain(kind), &blocks(), &[]).unwrap();
    assert!(same_bits::<S>(start, &mut plain(kind), &mut thawed));
}

fn resumes_with_the_same_bits<S: Scalar>(kind: usize, start: &[f64], stop: usize) {
    let start: Vec<S> = start.iter().map(|&x| S::from_f64(x)).collect();
    let (mut whole, mut halves) = (start.clone(), start);
    let mut first = wrapped(kind);
    walk(&mut *first, &mut halves, 0, stop);
    let mut second = wrapped(kind);
    second.restore(first.memory()).unwrap();
    assert_eq!(second.memory(), first.memory());
    walk(&mut *second, &mut halves, stop, 20);

    let mut uninterrupted = wrapped(kind);
    walk(&mut *uninterrupted, &mut whole, 0, 20);
    assert_eq!(bits(&whole), bits(&halves));
    assert_eq!(second.memory(), uninterrupted.memory());
}

fn start() -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(-1.0..1.0, PARAMETERS)
}

proptest! {
    #[test]
    fn factor_one_and_constant_schedules_change_no_bit(kind in 0_usize..5, start in start()) {
        wrappers_at_one_change_nothing::<f32>(kind, &start);
        wrappers_at_one_change_nothing::<f64>(kind, &start);
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
        let mut rule = Frozen::new(plain::<f64>(kind), &blocks(), &[pattern]).unwrap();
        let mut unfrozen = plain::<f64>(kind);
        let mut step = Step::new(&blocks());
        for _ in 0..5 {
            rule.advance(step.begin(1.0), &mut held, &mut gradient);
            unfrozen.advance(step.begin(1.0), &mut free, &mut gradient);
        }
        for i in 0..PARAMETERS {
            let expected = if frozen(i) { start[i] } else { free[i] };
            prop_assert_eq!(held[i].to_bits(), expected.to_bits());
        }
        for (name, values) in rule.memory().buffers() {
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
    ) {
        resumes_with_the_same_bits::<f32>(kind, &start, stop);
        resumes_with_the_same_bits::<f64>(kind, &start, stop);
    }
}

#[test]
fn memory_of_another_rule_is_refused() {
    let message = |result: Result<(), _>| match result {
        Err(saddlescope::memory::MemoryError::Missing { name, .. }) => name,
        Err(other) => other.to_string(),
        Ok(()) => "taken".to_owned(),
    };
    let velocity = plain::<f64>(2).memory();
    assert_eq!(message(plain::<f64>(3).restore(velocity.clone())), "steps");
    assert_eq!(
        message(plain::<f64>(0).restore(velocity.clone())),
        "stored memory has buffers that nothing here knows: `velocity`"
    );
    let mut larger = Nesterov::<f64>::new(8, 0.1, 0.9).unwrap();
    assert_eq!(
        message(larger.restore(velocity)),
        "stored buffer `velocity` has 7 entries, expected 8"
    );
}
