//! Section 3.3: one head that leaves an ensemble, Eqs. (9) and (10), Theorem 3 and its proof.

use saddlescope::claim::{Claim, ClaimError, Evidence, Kind, Measurement};
use saddlescope::numeric::random::Stream;

use super::super::regression::Cooperative;
use super::literal::{Head, Plain, apply, distance, dot, norm, pi, slopes, softmax, sum, unit};
use super::tools::{
    DIFFERENCES, ROUNDING, STRENGTHS, along, by_factors, largest, model, random, random_head,
    states, stepped, stream,
};

/// Positions, and heads as a number.
const T: usize = 5;
const H: f64 = 3.0;

/// The ensemble at rest (17) and the head that leaves, with `epsilon` of the second feature and of its position (Remark 2).
pub(super) fn offshoot(
    strengths: &[f64],
    positions: usize,
    h: f64,
    epsilon: f64,
) -> (Vec<f64>, Head) {
    let mut v = vec![0.0; strengths.len()];
    (v[0], v[1]) = (strengths[0] / h, epsilon);
    let mut s = vec![0.0; positions];
    (s[0], s[1]) = (1.0 - epsilon, epsilon);
    let head = Head { v, s };
    (rest(strengths, h, &head), head)
}

/// `V*` of Lemma 1.
pub(super) fn rest(strengths: &[f64], h: f64, head: &Head) -> Vec<f64> {
    let mut target = vec![0.0; strengths.len()];
    target[0] = strengths[0];
    let left = sum(&[(1.0, &target), (-head.s[0], &head.v)]);
    left.iter().map(|x| x / (h - 1.0)).collect()
}

/// The state of (10) at each of `at`, by our law of it.
pub(super) fn cooperative_at(
    strengths: &[f64],
    h: usize,
    (ensemble, head): &(Vec<f64>, Head),
    at: &[f64],
) -> Result<Vec<(Vec<f64>, Head)>, ClaimError> {
    let model = model(strengths, head.s.len(), h)?;
    let law = Cooperative::new(&model)?;
    let logits: Vec<f64> = head.s.iter().map(|s| s.max(1e-300).ln()).collect();
    let start = [ensemble.clone(), head.v.clone(), logits].concat();
    let rank = strengths.len();
    let of = |state: &[f64]| {
        let head = Head::new(&state[rank..2 * rank], &softmax(&state[2 * rank..]));
        (state[..rank].to_vec(), head)
    };
    Ok(states(&law, &start, at)?.iter().map(|snapshot| of(&snapshot.state)).collect())
}

pub(super) const EQ_10: Claim = Claim::new(
    "sparse-markov/eq-10",
    "Eqs. (9) and (10)",
    Kind::Equation,
    "With $h - 1$ equal heads at $s = s_1^*$, which stays, the whole system is that of $V$, $V'$ \
     and $s'$ with the rates of (10).",
    |trial| {
        let plain = Plain::new(&STRENGTHS, T);
        let mut stream = stream(trial, 0);
        let (ensemble, head) = (random(3, 1.0, &mut stream), random_head(3, T, &mut stream));
        let one = Head::new(&ensemble, &unit(0, T));
        let rates = plain.whole(&[one.clone(), one, head.clone()]);
        let (of_ensemble, of_head) = plain.cooperative(H, &ensemble, &head);
        let still = largest(rates[..2].iter().map(|rate| norm(&rate.s)));
        // The law with logits, by the engine, and (10) in attention, by the plain solver.
        let end =
            cooperative_at(&STRENGTHS, 3, &(ensemble.clone(), head.clone()), &[4.0])?.remove(0);
        let rate = |_: f64, state: &[f64]| {
            let (of_ensemble, of_head) =
                plain.cooperative(H, &state[..3], &Head::of(&state[3..], 3));
            [of_ensemble, of_head.flat()].concat()
        };
        let found = stepped(rate, &[ensemble, head.flat()].concat(), 4.0, 4000);
        Ok(Evidence::new()
            .printed(Measurement::absolute("rates of the ensemble's attention", 0.0, still, 1e-300))
            .printed(Measurement::each("rates of V by (6)", &of_ensemble, &rates[0].v, ROUNDING))
            .printed(Measurement::each(
                "rates of V' and s' by (6)",
                &of_head.flat(),
                &rates[2].flat(),
                ROUNDING,
            ))
            .printed(Measurement::each(
                "V, V' and s' at t = 4: (10) in s beside our law in q",
                &[end.0, end.1.flat()].concat(),
                &found,
                1e-8,
            )))
    },
);

pub(super) const EQ_17: Claim = Claim::new(
    "sparse-markov/eq-17",
    "Eqs. (9) and (17)",
    Kind::Equation,
    "At $V(0) = (m_1^* V_1^* - \\langle s_1^*, s' \\rangle V')/(h - 1)$ the ensemble is at rest, \
     $\\dot V(0) = 0$; with $V' = m_1^* V_1^*/h$ and $s' = s_1^*$ it is $m_1^* V_1^*/h$ itself.",
    |trial| {
        let plain = Plain::new(&STRENGTHS, T);
        let head = random_head(3, T, &mut stream(trial, 0));
        let (rate, _) = plain.cooperative(H, &rest(&STRENGTHS, H, &head), &head);
        let fixed = Head::new(&[STRENGTHS[0] / H, 0.0, 0.0], &unit(0, T));
        Ok(Evidence::new()
            .printed(Measurement::absolute(
                "rate of V there, a random head",
                0.0,
                norm(&rate),
                ROUNDING,
            ))
            .printed(Measurement::each(
                "V at the fixed point (8)",
                &fixed.v,
                &rest(&STRENGTHS, H, &fixed),
                ROUNDING,
            )))
    },
);

/// Heads within about `eps` of the ensemble and of the head that leaves it.
fn perturbed(eps: f64, start: &(Vec<f64>, Head), stream: &mut Stream) -> Vec<Head> {
    let positions = start.1.s.len();
    let mut near = |v: &[f64], s: &[f64]| {
        // A mixture with some other attention stays on the simplex.
        let other = softmax(&random(positions, 1.0, stream));
        let move_v = random(v.len(), 1.0, stream);
        let scale = eps / norm(&move_v);
        Head {
            v: sum(&[(1.0, v), (scale, &move_v)]),
            s: sum(&[(1.0 - 0.5 * eps, s), (0.5 * eps, &other)]),
        }
    };
    let corner = unit(0, positions);
    vec![near(&start.0, &corner), near(&start.0, &corner), near(&start.1.v, &start.1.s)]
}

/// The corrected `Delta(t)` of the whole model from (10), over `eps`.
fn deviations(eps: f64, at: &[f64], stream: &mut Stream) -> Result<Vec<f64>, ClaimError> {
    let start = offshoot(&STRENGTHS, T, H, 0.05);
    let model = model(&STRENGTHS, T, 3)?;
    let whole = along(&model, &perturbed(eps, &start, stream), at)?;
    let reduced = cooperative_at(&STRENGTHS, 3, &start, at)?;
    let corner = unit(0, T);
    let far = |(heads, (ensemble, head)): (&Vec<Head>, &(Vec<f64>, Head))| {
        let others = heads[..2]
            .iter()
            .flat_map(|one| [distance(&one.v, ensemble), distance(&one.s, &corner)]);
        let last = [distance(&heads[2].v, &head.v), distance(&heads[2].s, &head.s)];
        largest(others.chain(last)) / eps
    };
    Ok(whole.iter().zip(&reduced).map(far).collect())
}

pub(super) const THEOREM_3: Claim = Claim::new(
    "sparse-markov/theorem-3",
    "Theorem 3",
    Kind::Dynamics,
    "Heads that start within $\\epsilon$ of (10) stay within $\\epsilon e^{c_1 t}$ for $t$ up to \
     $1/(-c_1 \\log \\epsilon)$.",
    |trial| {
        let c = 2.0;
        let (printed, meant) = (|eps: f64| -1.0 / (c * eps.ln()), |eps: f64| -eps.ln() / c);
        let what = "length of the interval with eps = 1e-8 over that with 1e-4";
        let mut worst = 0.0_f64;
        for eps in [1e-3, 1e-5] {
            let at = by_factors(0.1, meant(eps), 20);
            let found = deviations(eps, &at, &mut stream(trial, 0))?;
            worst = worst.max(largest(at.iter().zip(found).map(|(t, x)| x / (c * t).exp())));
        }
        let at = [2.0, 10.0, 20.0, 25.0];
        let of = |eps: f64| deviations(eps, &at, &mut stream(trial, 0));
        let (large, small) = (of(1e-5)?, of(1e-6)?);
        Ok(Evidence::new()
            .printed(Measurement::at_least(what, 1.0, printed(1e-8) / printed(1e-4)))
            .corrected(Measurement::at_least(what, 1.0, meant(1e-8) / meant(1e-4)))
            .corrected(Measurement::at_most(
                "largest deviation over eps e^(c t) up to ln(1/eps)/c, c = 2, eps = 1e-3 and 1e-5, \
                 T = 5, h = 3",
                1.0,
                worst,
            ))
            .corrected(Measurement::absolute(
                "deviation over eps with eps = 1e-5, beside 1e-6, largest relative difference at t \
                 = 2 to 25",
                0.0,
                largest(large.iter().zip(&small).map(|(a, b)| (a / b - 1.0).abs())),
                0.05,
            ))
            .note(format!(
                "Over eps at t = {at:?}: {:.1}, {:.1}, {:.1}, {:.1}.",
                small[0], small[1], small[2], small[3]
            ))
            .note("$|s' - s_1^*| \\ge \\delta$ for all times is not used."))
    },
)
.corrected("for $t$ up to $\\log(1/\\epsilon)/c_1$, with a constant $c_1$ of the problem");

pub(super) const DELTA: Claim = Claim::new(
    "sparse-markov/theorem-3-delta",
    "Theorem 3: the definition of $\\Delta(t)$",
    Kind::Equation,
    "The deviation of the last head from (10) is $\\max(|V_h - V|, |s_h - s|)$.",
    |_| {
        // Heads that follow (10) exactly deviate from nothing.
        let start = offshoot(&STRENGTHS, T, H, 0.05);
        let model = model(&STRENGTHS, T, 3)?;
        let corner = unit(0, T);
        let one = Head::new(&start.0, &corner);
        let heads = [one.clone(), one, start.1.clone()];
        let (whole, reduced) = (
            along(&model, &heads, &[40.0])?.remove(0),
            cooperative_at(&STRENGTHS, 3, &start, &[40.0])?.remove(0),
        );
        let last = &whole[2];
        let printed = distance(&last.v, &reduced.0).max(distance(&last.s, &corner));
        let meant = distance(&last.v, &reduced.1.v).max(distance(&last.s, &reduced.1.s));
        let what = "at t = 40 for heads that start on (10) exactly, T = 5, h = 3";
        Ok(Evidence::new()
            .printed(Measurement::absolute(what, 0.0, printed, 1e-6))
            .corrected(Measurement::absolute(what, 0.0, meant, 1e-6)))
    },
)
.corrected("$\\max(|V_h - V'|, |s_h - s'|)$, and $|s_k - s_1^*|$ for the others: (10) has no $s$");

/// The function of the proof of Theorem 3.
pub(super) fn phi(plain: &Plain, ensemble: &[f64], head: &Head) -> f64 {
    let others = H - 1.0;
    others * plain.m[0] * ensemble[0]
        - 0.5 * others * others * dot(ensemble, ensemble)
        - others * head.s[0] * dot(ensemble, &head.v)
        + dot(&head.v, &plain.at(&head.s))
        - 0.5 * dot(&head.s, &head.s) * dot(&head.v, &head.v)
}

pub(super) const LYAPUNOV: Claim = Claim::new(
    "sparse-markov/theorem-3-lyapunov",
    "Theorem 3, proof: the Lyapunov function",
    Kind::Equation,
    "$\\nabla_V \\phi = (h-1) \\dot V$, $\\nabla_{V'} \\phi = \\dot V'$, $\\nabla_{s'} \\phi = V^T \
     G - (h-1) \\langle V, V' \\rangle s_1^* - |V'|^2 s'$, and $\\dot \\phi = (h-1) |\\dot V|^2 + \
     |\\dot V'|^2 + |\\Pi(s') \\dot s'|^2$.",
    |trial| {
        let plain = Plain::new(&STRENGTHS, T);
        let mut stream = stream(trial, 0);
        let (ensemble, head) = (random(3, 1.0, &mut stream), random_head(3, T, &mut stream));
        let at = [ensemble.clone(), head.flat()].concat();
        let of = |state: &[f64]| phi(&plain, &state[..3], &Head::of(&state[3..], 3));
        let found = slopes(of, &at);
        let (of_ensemble, rate) = plain.cooperative(H, &ensemble, &head);
        let doubled: Vec<f64> = of_ensemble.iter().map(|x| 2.0 * x).collect();
        let slope = |v: &[f64]| {
            let mut u = sum(&[(1.0, &plain.along(v)), (-dot(&head.v, &head.v), &head.s)]);
            u[0] -= 2.0 * dot(&ensemble, &head.v);
            u
        };
        let (as_printed, meant) = (slope(&ensemble), slope(&head.v));
        let path = [of_ensemble.clone(), rate.flat()].concat();
        let change = slopes(|step| of(&sum(&[(1.0, &at), (step[0], &path)])), &[0.0])[0];
        let sum_of = |last: &[f64]| {
            2.0 * dot(&of_ensemble, &of_ensemble) + dot(&rate.v, &rate.v) + dot(last, last)
        };
        let turned = |u: &[f64]| apply(&pi(&head.s), u);
        let in_s = "slopes in s' beside differences";
        let along = "change along (10), by differences";
        Ok(Evidence::new()
            .printed(Measurement::each("slopes in V", &doubled, &found[..3], DIFFERENCES))
            .printed(Measurement::each("slopes in V'", &rate.v, &found[3..6], DIFFERENCES))
            .printed(Measurement::each(in_s, &as_printed, &found[6..], DIFFERENCES))
            .printed(Measurement::absolute(along, sum_of(&turned(&rate.s)), change, DIFFERENCES))
            .corrected(Measurement::each(in_s, &meant, &found[6..], DIFFERENCES))
            .corrected(Measurement::absolute(along, sum_of(&turned(&meant)), change, DIFFERENCES)))
    },
)
.corrected("$V'^T G$ in the third, and $|\\Pi(s') \\nabla_{s'} \\phi|^2$ in the last");

pub(super) const SLOW: Claim = Claim::new(
    "sparse-markov/scale-separation",
    "Section 3.3, after Theorem 3",
    Kind::Equation,
    "$\\Pi(s') = O(\\eta)$ where $s'$ is within $\\eta$ of $s_1^*$, so that attention moves as \
     $\\eta^2$ while values move as $\\eta$.",
    |_| {
        let plain = Plain::new(&STRENGTHS, T);
        let of = |eta: f64| {
            let (_, mut head) = offshoot(&STRENGTHS, T, H, eta);
            head.v[1] = 0.3;
            let (_, rate) = plain.cooperative(H, &rest(&STRENGTHS, H, &head), &head);
            (norm(&pi(&head.s).concat()), norm(&rate.s), norm(&rate.v))
        };
        let (large, small) = (of(1e-3), of(1e-4));
        let what = |name: &str| format!("{name} with eta = 1e-3 over that with 1e-4");
        Ok(Evidence::new()
            .printed(Measurement::relative(what("|Pi(s')|"), 10.0, large.0 / small.0, 0.01))
            .printed(Measurement::relative(what("|ds'/dt|"), 100.0, large.1 / small.1, 0.01))
            .printed(Measurement::relative(what("|dV'/dt|"), 10.0, large.2 / small.2, 0.01)))
    },
);

pub(super) const OFFSET: Claim = Claim::new(
    "sparse-markov/offset",
    "Section 3.3, after Theorem 3",
    Kind::Dynamics,
    "While $V'$ grows along $V_2^*$, $s'$ is still sparse around $s_1^*$, and the ensemble cancels \
     what that adds at position 1 by learning $-V_2^*$.",
    |_| {
        let start = offshoot(&STRENGTHS, T, H, 0.01);
        let at: Vec<f64> = (1..=160).map(f64::from).collect();
        let path = cooperative_at(&STRENGTHS, 3, &start, &at)?;
        // When V'_2 has come to half of what it reaches, where is attention?
        let top = largest(path.iter().map(|(_, head)| head.v[1]));
        let half = path.iter().position(|(_, head)| head.v[1] >= 0.5 * top).unwrap_or(0);
        let (_, there) = &path[half];
        let left = largest(
            path.iter().map(|(ensemble, head)| (2.0 * ensemble[1] + head.s[0] * head.v[1]).abs()),
        );
        let added = largest(path.iter().map(|(_, head)| head.s[0] * head.v[1]));
        let (last, end) = &path[path.len() - 1];
        Ok(Evidence::new()
            .printed(Measurement::at_least(
                "attention on position 1 when V'_2 is half of its largest, from (9) with eps = \
                 0.01",
                0.8,
                there.s[0],
            ))
            .printed(Measurement::at_most(
                "feature 2 that is left at position 1, largest over time, over what V' puts there",
                0.1,
                left / added,
            ))
            .printed(Measurement::at_most("V_2 of the ensemble at t = 160", -0.1, last[1]))
            .printed(Measurement::absolute(
                "(h - 1) V_2 + s'_1 V'_2 at t = 160",
                0.0,
                2.0 * last[1] + end.s[0] * end.v[1],
                0.01,
            ))
            .note(format!(
                "V'_2 is {:.2} at t = {} and comes to {top:.2}; at the end attention on position 1 \
                 is {:.3}.",
                there.v[1], at[half], end.s[0]
            )))
    },
);

pub(super) const BOUNDED: Claim = Claim::new(
    "sparse-markov/theorem-3-bounded",
    "Theorem 3, proof: boundedness",
    Kind::Equation,
    "A bound on $\\phi$ bounds the flow of (10), as in Theorem 2.",
    |trial| {
        let plain = Plain::new(&STRENGTHS, T);
        // At s' = s_1 the ensemble can cancel any V'.
        let cancelled = |size: f64| {
            let head = Head::new(&[STRENGTHS[0] / H, size, 0.0], &unit(0, T));
            phi(&plain, &rest(&STRENGTHS, H, &head), &head)
        };
        // What is true: rates are bounded by the loss, which never rises.
        let mut numbers = stream(trial, 0);
        let share = |_: usize| {
            let (ensemble, head) = (random(3, 1.0, &mut numbers), random_head(3, T, &mut numbers));
            let one = Head::new(&ensemble, &unit(0, T));
            let loss = plain.loss(&[one.clone(), one, head.clone()]);
            let (of_ensemble, rate) = plain.cooperative(H, &ensemble, &head);
            norm(&of_ensemble).max(norm(&rate.v)) / (2.0 * loss).sqrt()
        };
        let what = "change of phi between V' = 0 and V' = 1000 V_2 at s' = s_1, V at rest";
        let change = (cancelled(1000.0) - cancelled(0.0)).abs();
        Ok(Evidence::new()
            .printed(Measurement::at_least(what, 1.0, change))
            .corrected(Measurement::absolute(what, 0.0, change, 1e-6))
            .corrected(Measurement::at_most(
                "largest of |dV/dt| and |dV'/dt| over (2 L)^(1/2), 200 random points",
                1.0,
                largest((0..200).map(share)),
            )))
    },
)
.corrected(
    "$\\phi$ does not see $V'$ at $s' = s_1^*$, where the ensemble cancels it; but rates are at \
     most $\\sqrt{2 L}$, so that $V$ and $V'$ grow at most linearly in time, which is enough for \
     the theorem",
);
