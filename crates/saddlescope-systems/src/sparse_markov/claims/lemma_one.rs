//! Lemma 1, and the two-scale dynamics (11) that it leads to.

use saddlescope::claim::{Claim, ClaimError, Evidence, Kind, Measurement};

use super::super::regression::TwoScale;
use super::cooperation::{cooperative_at, offshoot, rest};
use super::literal::{Head, Plain, dot, norm, slopes, softmax, sum};
use super::tools::{
    ROUNDING, STRENGTHS, TEN, along, largest, listed_heads, model, random, random_head, smallest,
    states, stepped, stream,
};

const T: usize = 5;
const H: f64 = 3.0;

/// The state of (11) after `n` features at each of `at`, by our law of it.
pub(super) fn two_scale_at(
    strengths: &[f64],
    n: usize,
    head: &Head,
    at: &[f64],
) -> Result<Vec<Head>, ClaimError> {
    let model = model(strengths, head.s.len(), n + 1)?;
    let law = TwoScale::new(&model, n)?;
    let logits: Vec<f64> = head.s.iter().map(|s| s.max(1e-300).ln()).collect();
    let start = [head.v.clone(), logits].concat();
    let rank = strengths.len();
    let of = |state: &[f64]| Head::new(&state[..rank], &softmax(&state[rank..]));
    Ok(states(&law, &start, at)?.iter().map(|snapshot| of(&snapshot.state)).collect())
}

pub(super) const DERIVATIVE: Claim = Claim::new(
    "sparse-markov/lemma-1-derivative",
    "Lemma 1, proof, first display",
    Kind::Equation,
    "$\\dot \\Delta = -(h-1) \\Delta + \\frac{1}{h-1} \\langle s_1^*, s' \\rangle \\dot V' + \
     \\frac{1}{h-1} \\langle s_1^*, s' \\rangle V'$ for $\\Delta = V - V^*$.",
    |trial| {
        let plain = Plain::new(&STRENGTHS, T);
        let mut numbers = stream(trial, 0);
        let (ensemble, head) = (random(3, 1.0, &mut numbers), random_head(3, T, &mut numbers));
        let (of_ensemble, rate) = plain.cooperative(H, &ensemble, &head);
        let delta = |ensemble: &[f64], head: &Head| {
            sum(&[(1.0, ensemble), (-1.0, &rest(&STRENGTHS, H, head))])
        };
        let change = |r: usize| {
            let at = |step: &[f64]| {
                let ensemble = sum(&[(1.0, &ensemble), (step[0], &of_ensemble)]);
                let head = sum(&[(1.0, &head.flat()), (step[0], &rate.flat())]);
                delta(&ensemble, &Head::of(&head, 3))[r]
            };
            slopes(at, &[0.0])[0]
        };
        let found: Vec<f64> = (0..3).map(change).collect();
        let of = |last: f64| {
            sum(&[
                (1.0 - H, &delta(&ensemble, &head)),
                (head.s[0] / (H - 1.0), &rate.v),
                (last / (H - 1.0), &head.v),
            ])
        };
        let what = "beside differences along (10)";
        Ok(Evidence::new()
            .printed(Measurement::each(what, &of(head.s[0]), &found, 1e-9))
            .corrected(Measurement::each(what, &of(rate.s[0]), &found, 1e-9)))
    },
)
.corrected("$\\langle s_1^*, \\dot s' \\rangle V'$ in the last term");

pub(super) const CONSTANT: Claim = Claim::new(
    "sparse-markov/lemma-1-constant",
    "Lemma 1, proof: $c_2$",
    Kind::Equation,
    "With $c_2 = (h - 1)/2$ and $c = \\langle s_1^*, s' \\rangle V'/(h-1)$, $d|\\Delta|^2/dt = -2 \
     c_2 |\\Delta|^2 + 2 \\langle \\dot c, \\Delta \\rangle$.",
    |trial| {
        let plain = Plain::new(&STRENGTHS, T);
        let mut numbers = stream(trial, 0);
        let (ensemble, head) = (random(3, 1.0, &mut numbers), random_head(3, T, &mut numbers));
        let (of_ensemble, rate) = plain.cooperative(H, &ensemble, &head);
        let delta = sum(&[(1.0, &ensemble), (-1.0, &rest(&STRENGTHS, H, &head))]);
        let square = |step: &[f64]| {
            let ensemble = sum(&[(1.0, &ensemble), (step[0], &of_ensemble)]);
            let head = Head::of(&sum(&[(1.0, &head.flat()), (step[0], &rate.flat())]), 3);
            let delta = sum(&[(1.0, &ensemble), (-1.0, &rest(&STRENGTHS, H, &head))]);
            dot(&delta, &delta)
        };
        let found = slopes(square, &[0.0])[0];
        let c = sum(&[(head.s[0] / (H - 1.0), &rate.v), (rate.s[0] / (H - 1.0), &head.v)]);
        let of = |constant: f64| -2.0 * constant * dot(&delta, &delta) + 2.0 * dot(&c, &delta);
        let what = "beside differences along (10), h = 3";
        Ok(Evidence::new()
            .printed(Measurement::absolute(what, of(0.5 * (H - 1.0)), found, 1e-8))
            .corrected(Measurement::absolute(what, of(H - 1.0), found, 1e-8)))
    },
)
.corrected("with $c_2 = h - 1$");

pub(super) const LEMMA_1: Claim = Claim::new(
    "sparse-markov/lemma-1",
    "Lemma 1",
    Kind::Dynamics,
    "$|V - V^*| \\le e^{-c_2 t} |V(0) - V^*(0)| + c_1/c_2$, where $c_1$ bounds $|\\dot c|$.",
    |trial| {
        let (_, head) = offshoot(&STRENGTHS, T, H, 0.05);
        let ensemble = random(3, 1.0, &mut stream(trial, 0));
        let plain = Plain::new(&STRENGTHS, T);
        let at: Vec<f64> = (0..=300).map(|i| 0.2 * f64::from(i)).collect();
        let path = cooperative_at(&STRENGTHS, 3, &(ensemble, head), &at[1..])?;
        let off = |(ensemble, head): &(Vec<f64>, Head)| {
            norm(&sum(&[(1.0, ensemble), (-1.0, &rest(&STRENGTHS, H, head))]))
        };
        let speed = |(ensemble, head): &(Vec<f64>, Head)| {
            let rate = plain.cooperative(H, ensemble, head).1;
            norm(&sum(&[(head.s[0] / (H - 1.0), &rate.v), (rate.s[0] / (H - 1.0), &head.v)]))
        };
        let (first, c) = (off(&path[0]), largest(path.iter().map(speed)));
        let share = |(t, state): (&f64, &(Vec<f64>, Head))| {
            let bound = (-2.0 * (t - at[1])).exp() * first + c / 2.0;
            off(state) / bound
        };
        let late = largest(path[50..].iter().map(off));
        Ok(Evidence::new()
            .printed(Measurement::at_most(
                "largest |V - V*| over the bound with c_2 = h - 1, from a random ensemble, t up to \
                 60, h = 3",
                1.0,
                largest(at[1..].iter().zip(&path).map(share)),
            ))
            .note(format!(
                "Beyond t = 10 it stays below {late:.3}: V follows V*, the closer the slower V' \
                 and s' are. The assumption $|s' - s_1^*| \\ge \\delta$ is not used."
            )))
    },
);

pub(super) const EQ_11: Claim = Claim::new(
    "sparse-markov/eq-11",
    "Eq. (11)",
    Kind::Equation,
    "Where $V = V^*$, (10) is $\\dot V' = G_{(1)} s'_{(1)} - |s'_{(1)}|^2 V'$, $\\dot s' = \
     \\Pi(s')^2 (V'^T G_{(1)} - |V'|^2 s'_{(1)})$.",
    |trial| {
        let plain = Plain::new(&STRENGTHS, T);
        let head = random_head(3, T, &mut stream(trial, 0));
        let (_, whole) = plain.cooperative(H, &rest(&STRENGTHS, H, &head), &head);
        let fast = plain.two_scale(1, &head);
        // Our law in q beside (11) in s by the plain solver.
        let end = two_scale_at(&STRENGTHS, 1, &head, &[4.0])?.remove(0);
        let rate = |_: f64, state: &[f64]| plain.two_scale(1, &Head::of(state, 3)).flat();
        let found = stepped(rate, &head.flat(), 4.0, 4000);
        Ok(Evidence::new()
            .printed(Measurement::each(
                "rates of V' and s' by (10)",
                &fast.flat(),
                &whole.flat(),
                ROUNDING,
            ))
            .printed(Measurement::each(
                "V' and s' at t = 4, beside our law",
                &end.flat(),
                &found,
                1e-8,
            )))
    },
);

/// When attention on the second position first passes a half.
fn half(at: &[f64], shares: &[f64]) -> f64 {
    let i = shares.iter().position(|s| *s >= 0.5).unwrap_or(0);
    if i == 0 {
        return f64::NAN;
    }
    let part = (0.5 - shares[i - 1]) / (shares[i] - shares[i - 1]);
    at[i - 1] + part * (at[i] - at[i - 1])
}

pub(super) const TWO_SCALE: Claim = Claim::new(
    "sparse-markov/eq-11-accuracy",
    "Eq. (11) and the line before it",
    Kind::Dynamics,
    "(11) approximates (10): the ensemble is fast.",
    |_| {
        let start = offshoot(&STRENGTHS, T, H, 0.05);
        let at: Vec<f64> = (1..=600).map(|i| 0.1 * f64::from(i)).collect();
        let full = cooperative_at(&STRENGTHS, 3, &start, &at)?;
        let fast = two_scale_at(&STRENGTHS, 1, &start.1, &at)?;
        let shares: Vec<f64> = full.iter().map(|(_, head)| head.s[1]).collect();
        let others: Vec<f64> = fast.iter().map(|head| head.s[1]).collect();
        let (slow, quick) = (half(&at, &shares), half(&at, &others));
        let last = (&full[full.len() - 1].1, &fast[fast.len() - 1]);
        Ok(Evidence::new()
            .printed(
                Measurement::relative(
                    "when s'_2 passes a half by (10), beside (11), from Remark 2 with eps = 0.05, \
                     h = 3",
                    quick,
                    slow,
                    0.01,
                )
                .loosely(0.2),
            )
            .printed(
                Measurement::absolute(
                    "s'_2 at t = 60 by (10), beside (11)",
                    last.1.s[1],
                    last.0.s[1],
                    0.01,
                )
                .loosely(0.2),
            )
            .printed(Measurement::absolute(
                "V'_2 s'_2 at t = 60 by (10)",
                STRENGTHS[1],
                last.0.v[1] * last.0.s[1],
                0.01,
            ))
            .note(format!("{slow:.2} by (10), {quick:.2} by (11).")))
    },
)
.recorded(saddlescope::claim::Verdict::Approximately);

pub(super) const WHOLE: Claim = Claim::new(
    "sparse-markov/eq-10-whole",
    "Eq. (10), added: in the whole model",
    Kind::Dynamics,
    "After the coupled phase one head alone leaves for position 2, as (9) has it, and the two that \
     stay move as an ensemble.",
    |_| {
        let model = model(&STRENGTHS, 10, 3)?;
        let start = listed_heads(3, &TEN);
        let mut evidence = Evidence::new();
        for heads in along(&model, &start, &[50.0, 100.0])? {
            let mut shares: Vec<f64> = heads.iter().map(|head| head.s[1]).collect();
            shares.sort_by(f64::total_cmp);
            let staying = heads.iter().filter(|head| head.s[1] < 0.5);
            let first = smallest(staying.map(|head| head.s[0]));
            evidence = evidence
                .printed(Measurement::at_least(
                    "largest attention on position 2, T = 10, t = 50 and 100",
                    0.5,
                    shares[2],
                ))
                .printed(Measurement::at_most("the next largest", 0.1, shares[1]))
                .printed(Measurement::at_least(
                    "least attention of the two others on position 1",
                    0.6,
                    first,
                ));
        }
        Ok(evidence)
    },
);
