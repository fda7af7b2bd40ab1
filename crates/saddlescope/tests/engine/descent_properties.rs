//! What scheduling, freezing and clipping must leave alone, bit for bit, whatever the optimiser.

use proptest::prelude::*;
use saddlescope::array::Values;
use saddlescope::descent::{AdamSettings, Optimiser, Rule, ScheduleKind};
use saddlescope::memory::Memory;
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

/// The bits of parameters after twenty steps of `rule` from `start`, under a gradient that depends on parameters and step.
fn walked<S: Scalar>(start: &[f64], mut rule: Rule<S>) -> Vec<u64> {
    let mut theta: Vec<S> = start.iter().map(|&x| S::from_f64(x)).collect();
    let mut gradient = [S::ZERO; PARAMETERS];
    for index in 0..20 {
        let mut loss = 0.0;
        for i in 0..PARAMETERS {
            let target = S::from_f64(((index * 5 + i * 3) % 7) as f64 * 0.1);
            let next = theta[(i + 1) % PARAMETERS];
            gradient[i] = theta[i] * next * next - target;
            loss += gradient[i].to_f64().abs();
        }
        rule.advance(loss, &mut theta, &mut gradient);
    }
    theta.iter().map(|value| value.to_f64().to_bits()).collect()
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
        assert_eq!(walked::<S>(start, plain(kind)), walked(start, add(plain(kind))));
    }
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
        for array in Memory::of(|memory| rule.remember(memory)).into_arrays() {
            if let Values::F64(values) = array.values && values.len() == PARAMETERS {
                let untouched = (0..PARAMETERS).all(|i| !frozen(i) || values[i] == 0.0);
                prop_assert!(untouched, "{} has traces of frozen blocks", array.name);
            }
        }
    }
}
