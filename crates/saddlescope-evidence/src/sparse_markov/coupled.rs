//! Section 3.2: heads that move as one, and Theorem 1 with what it leaves open.

use super::order::ordered;
use super::*;

pub(super) fn coupled(e: &mut Evidence, trial: Trial) -> Outcome {
    let plain = Plain::new(&STRENGTHS, 6);
    let head = random_head(3, 6, &mut stream(trial, 0));
    let all = vec![head.clone(); 4];
    let law = plain.coupled(4.0, &head);
    let rates = plain.whole(&all);
    let apart = largest(rates.iter().map(|rate| distance(&rate.flat(), &law.flat())));
    // The whole model with logits, by the engine; the coupled law in attention, by the plain solver.
    let model = model(&STRENGTHS, 6, 4)?;
    let end = states(&GradientFlow::new(&model), &parameters(&model, &all), &[5.0])?.remove(0);
    let rate = |_: f64, state: &[f64]| plain.coupled(4.0, &Head::of(state, 3)).flat();
    let expected = stepped(rate, &head.flat(), 5.0, 4000);
    let found = heads(&model, &end.state);
    let off = largest(found.iter().map(|head| distance(&head.flat(), &expected)));
    e.of("rates of four equal heads by (6), beside the coupled law").abs(0.0, apart, ROUNDING);
    e.of("all heads of the whole model at t = 5, beside the coupled law in s").abs(0.0, off, 1e-8);
    Ok(())
}

/// The coupled law of `h` heads followed to `time`.
pub(super) fn coupled_at(strengths: &[f64], h: usize, start: &Head, time: f64) -> Outcome<Head> {
    let model = model(strengths, start.s.len(), h)?;
    let logits: Vec<f64> = start.s.iter().map(|s| s.ln()).collect();
    let start = [start.v.clone(), logits].concat();
    let end = states(&Law::coupled(&model), &start, &[time])?.remove(0).state;
    let (v, q) = end.split_at(strengths.len());
    Ok(Head::new(v, &softmax(q)))
}

/// How far a head is from `(m_1 V_1/h, e_1)`.
pub(super) fn from_limit(strengths: &[f64], h: usize, head: &Head) -> f64 {
    let mut v = vec![0.0; strengths.len()];
    v[0] = strengths[0] / h as f64;
    distance(&head.flat(), &[v, unit(0, head.s.len())].concat())
}

pub(super) fn theorem_1(e: &mut Evidence, trial: Trial) -> Outcome {
    // All attention on a position where nothing is: (7) is met with 0 >= 0.
    let plain = Plain::new(&STRENGTHS, 5);
    let stuck = Head::new(&[0.0; 3], &unit(4, 5));
    let still = norm(&plain.coupled(3.0, &stuck).flat());
    let mut stream = stream(trial, 0);
    let mut far = 0.0_f64;
    for _ in 0..6 {
        let end = coupled_at(&STRENGTHS, 3, &ordered(&mut stream), 1e6)?;
        far = far.max(from_limit(&STRENGTHS, 3, &end));
    }
    let what = "final distance to the limit from V = 0, s = e_5 of five positions, three features";
    e.of(what).abs(0.0, from_limit(&STRENGTHS, 3, &stuck), 0.01);
    e.but("rates there: it never moves").abs(0.0, still, ROUNDING);
    e.but("largest distance to the limit at t = 10^6 from 6 random starts inside that meet (7)")
        .abs(0.0, far, 0.01);
    Ok(())
}

pub(super) fn theorem_1_rate(e: &mut Evidence, _: Trial) -> Outcome {
    for (h, positions, strengths) in
        [(3, 10, &STRENGTHS[..]), (3, 40, &STRENGTHS), (2, 5, &STRENGTHS), (1, 6, &[1.3, 0.8])]
    {
        let at = |i: usize| strengths.get(i).map_or(0.0, |m| m * m);
        let term = |i: usize| (h as f64 / (2.0 * positions as f64 * (at(0) - at(i)))).sqrt();
        let constant: f64 = (1..positions).map(term).sum();
        let start =
            Head::new(&vec![0.0; strengths.len()], &vec![1.0 / positions as f64; positions]);
        let time = 1e6;
        let end = coupled_at(strengths, h, &start, time)?;
        let left: f64 = end.s[1..].iter().sum();
        e.of(format!("t^(1/2) (1 - s_1) at t = 10^6, h = {h}, T = {positions}, m = {strengths:?}"))
            .rel(constant, time.sqrt() * left, 4e-3);
    }
    Ok(())
}

pub(super) fn theorem_1_size(e: &mut Evidence, _: Trial) -> Outcome {
    let start = Head::new(&[0.0; 3], &[0.1; 10]);
    let mut size = 0.0_f64;
    for time in by_factors(3.0, 30.0, 25) {
        size = size.max(coupled_at(&STRENGTHS, 3, &start, time)?.v[0]);
    }
    e.of("largest <V, V_1> over its limit m_1/h, T = 10, h = 3, from V = 0, s = 1/T")
        .at_least(1.5, size / (STRENGTHS[0] / 3.0));
    Ok(())
}

pub(super) fn theorem_1_stationary(e: &mut Evidence, trial: Trial) {
    let plain = Plain::new(&STRENGTHS, 6);
    let mut rest = 0.0_f64;
    for j in 0..3 {
        let v: Vec<f64> = unit(j, 3).iter().map(|x| STRENGTHS[j] / 3.0 * x).collect();
        rest = rest.max(norm(&plain.coupled(3.0, &Head::new(&v, &unit(j, 6))).flat()));
    }
    let nothing = Head::new(&[0.0; 3], &[0.0, 0.0, 0.0, 0.2, 0.5, 0.3]);
    rest = rest.max(norm(&plain.coupled(3.0, &nothing).flat()));
    // Where V rests, attention moves unless it is on one feature or on none.
    let mut moving = f64::INFINITY;
    let mut numbers = stream(trial, 0);
    for support in
        [&[0, 1][..], &[0, 2], &[1, 2], &[0, 1, 2], &[0, 4], &[2, 3, 5], &[0, 1, 2, 3, 4, 5]]
    {
        for _ in 0..20 {
            let shares = softmax(&random(support.len(), 0.7, &mut numbers));
            let mut s = vec![0.0; 6];
            support.iter().zip(&shares).for_each(|(&i, share)| s[i] = *share);
            let square = dot(&s, &s);
            let v: Vec<f64> = plain.at(&s).iter().map(|x| x / (3.0 * square)).collect();
            moving = moving.min(norm(&plain.coupled(3.0, &Head::new(&v, &s)).s));
        }
    }
    e.of("largest rate at these points").abs(0.0, rest, 1e-15);
    e.of(
        "least rate of attention where V is at rest and attention on several positions, 140 points \
         on 7 faces",
    )
    .at_least(1e-6, moving);
}

pub(super) fn coupled_symmetry(e: &mut Evidence, trial: Trial) -> Outcome {
    let plain = Plain::new(&STRENGTHS, 5);
    let heads = random_heads(3, 3, 5, trial, 0);
    let exchanged = vec![heads[2].clone(), heads[0].clone(), heads[1].clone()];
    let (rates, others) = (plain.whole(&heads), plain.whole(&exchanged));
    let moved = [rates[2].clone(), rates[0].clone(), rates[1].clone()];
    let model = model(&STRENGTHS, 5, 3)?;
    let of = |heads: &[Head]| evaluated(&model, &parameters(&model, heads));
    e.of("loss").abs(of(&heads)?.0, of(&exchanged)?.0, ROUNDING);
    e.of("all rates of (6)").each(&flat(&moved), &flat(&others), ROUNDING);
    Ok(())
}
