//! Appendices A.6 and B.2: later jumps, and how they follow one another.

use saddlescope::claim::{Claim, ClaimError, Evidence, Kind, Measurement};
use saddlescope::event::{Condition, Event};
use saddlescope::flow::Flow;
use saddlescope::record::Silent;

use super::super::reduced::{FirstJump, JumpLaw};
use super::super::theory::{Escape, mid_levels};
use super::super::{Population, Shape, Task};
use super::literal::{Inner, Listed, softmax};
use super::tools::{
    DIFFERENCES, Formed, IDLE, LEARNED, along, evaluated, first_start, formed, lead,
    literal_gradient, norm, shape, slope, small, states, time_to,
};

/// The start `I_h` of order 4: heads before `h` (from 1) learned with `beta = c`, `w = c_1 e_i`.
fn later_start(h: usize, c: f64, c1: f64, eps: f64) -> Vec<f64> {
    let of = |i: usize| match i {
        i if i + 1 < h => Formed { alpha: c1, delta: 0.0, beta: c },
        i if i + 1 == h => Formed { beta: eps, ..IDLE },
        _ => IDLE,
    };
    formed(4, &(0..4).map(of).collect::<Vec<Formed>>())
}

/// The largest gradient of `beta_i` over `c` and of `w^i` over `c^2`, of the learned heads at `I_h`.
fn learned_slopes(h: usize, c: f64, c1: f64) -> Result<[f64; 2], ClaimError> {
    let landscape = Population::new(shape(4, 4, 4)?)?;
    let slopes = evaluated(&landscape, &later_start(h, c, c1, 0.1))?.1;
    let mut largest = [0.0_f64; 2];
    for head in slopes.chunks_exact(5).take(h - 1) {
        largest[0] = largest[0].max(head[0].abs());
        largest[1] = head[1..].iter().fold(largest[1], |most, slope| most.max(slope.abs()));
    }
    Ok(largest)
}

pub(super) const PROP_A: Claim = Claim::new(
    "associative-recall/prop-a-2-a",
    "Proposition A.2(a)",
    Kind::Landscape,
    "At $I_h$ the gradients of the learned heads are $O(e^{-c})$.",
    |_| {
        let mut evidence = Evidence::new();
        for (h, c) in [(2, 3.0), (2, 5.0), (3, 3.0), (3, 5.0), (4, 3.0), (4, 5.0)] {
            let largest = learned_slopes(h, c, 2.0)?.into_iter().fold(0.0, f64::max);
            let what = format!(
                "largest gradient of a learned head at I_{h}, c = {c}, c_1 = 2, k = 4, R = 4"
            );
            evidence = evidence.printed(Measurement::at_most(what, (-c).exp(), largest));
        }
        Ok(evidence.note(
            "The bound is loose, see `prop-a-2-a-rate`, and needs $c$ above $(e^{c_1} + k - 1)/(e^{c_1} - 1)$, so that $\\gamma_i > c$.",
        ))
    },
)
.assuming(&["$c_1$ is fixed and positive, $c$ large"]);

pub(super) const PROP_A_RATE: Claim = Claim::new(
    "associative-recall/prop-a-2-a-rate",
    "Added to Proposition A.2(a): the rate",
    Kind::Landscape,
    "They fall as $e^{-\\gamma_i}$ with $\\gamma_i = (1 + \\gamma) c^2 (e^{c_1} - 1)/(e^{c_1} + k - 1)$: $\\partial_\\beta L \\propto c \
     e^{-\\gamma_i}$, $\\partial_w L \\propto c^2 e^{-\\gamma_i}$.",
    |_| {
        let mut evidence = Evidence::new();
        for h in [2, 3] {
            let mut logs = [Vec::new(), Vec::new()];
            let strengths = [4.0, 4.5, 5.0, 5.5];
            for c in strengths {
                let [beta, weights] = learned_slopes(h, c, 2.0)?;
                logs[0].push((beta / c).ln());
                logs[1].push((weights / (c * c)).ln());
            }
            let exponents = strengths.map(|c| c * c * lead(4, 2.0));
            for (name, logs) in ["beta/c", "w/c^2"].into_iter().zip(&logs) {
                let what = format!(
                    "slope of ln of the gradient of {name} in gamma_i at I_{h}, c = 4 to 5.5"
                );
                let found = slope(&exponents, logs);
                evidence = evidence.printed(Measurement::absolute(what, -1.0, found, 0.01));
            }
        }
        Ok(evidence)
    },
);

pub(super) const MACROSCOPIC: Claim = Claim::new(
    "associative-recall/macroscopic",
    "A.6, lines 363 to 365",
    Kind::Dynamics,
    "The large parameters stay where they are while the small ones evolve.",
    |_| {
        let (shape, start) = (shape(4, 4, 4)?, later_start(2, 7.0, 8.0, 0.1));
        let state = &along(shape, &start, &[450.0])?[0].state;
        let moved = norm(&[0, 1, 2, 3, 4].map(|i| state[i] - start[i]));
        Ok(Evidence::new()
            .printed(Measurement::absolute(
                "change of head 1 during the jump of head 2, c = 7, c_1 = 8, k = 4",
                0.0,
                moved,
                1e-9,
            ))
            .printed(Measurement::at_least("beta_2 after it, from 0.1", 2.0, state[5])))
    },
);

/// Half of the jump of head `h` of order 4 from `I_h`.
fn later_time(h: usize, eps: f64) -> Result<f64, ClaimError> {
    let shape = shape(4, 4, 4)?;
    time_to(shape, &later_start(h, 7.0, 8.0, eps), mid_levels(shape.task(), 4)[h - 1])
}

/// Half of the first jump on a task of that order.
fn reduced_time(order: usize, eps: f64) -> Result<f64, ClaimError> {
    let shape = shape(order, 4, 1)?;
    time_to(shape, &first_start(shape, eps)?, mid_levels(shape.task(), 1)[0])
}

pub(super) const PROP_B: Claim = Claim::new(
    "associative-recall/prop-a-2-b",
    "Proposition A.2(b)",
    Kind::Dynamics,
    "At $c \\to \\infty$ the other parameters move as in the first jump on a task of reduced order $k' = k - h + 1$.",
    |_| {
        let mut evidence = Evidence::new();
        for (h, eps) in [(2, 0.1), (2, 1e-4), (3, 1e-4)] {
            let (order, found) = (5 - h, later_time(h, eps)?);
            let first = reduced_time(order, eps)?;
            let what = format!("half of jump {h} from I_{h}, eps = {eps}, k = 4, R = 4");
            evidence = evidence.printed(Measurement::relative(&*what, first, found, 1e-3));
            if eps < 0.01 {
                let escape = Escape::new(&Task::new(4, 4)?, 1.0, h - 1, 0.25);
                evidence = evidence
                    .corrected(Measurement::relative(
                        format!("{what}, k/k' times the first jump of order {order}"),
                        4.0 / order as f64 * first,
                        found,
                        1e-3,
                    ))
                    .corrected(Measurement::relative(format!("{what}, by T*"), escape.time(eps), found, 1e-3));
            }
        }
        let law = JumpLaw::new(shape(4, 4, 4)?, 1, &[0])?;
        let event = Event::stop(Condition::LossBelow(0.5));
        let time = Flow::default().event(event).run(&law, 0.0, &[0.0, 0.0, 0.0, 0.1], &mut Silent)?.time;
        let what = "half of jump 2 from I_2, eps = 0.1, by the law of three groups";
        Ok(evidence.corrected(Measurement::relative(what, time, later_time(2, 0.1)?, 1e-6)))
    },
)
.corrected(
    "the head keeps attending to all $k$ lags, of which $h - 1$ are used and dead weight, so the jump takes $k/k'$ times as long as \
     the first jump of order $k'$ as $\\epsilon \\to 0$: $T_* = \\pi/(2 c_h \\epsilon) \\sqrt{k'/(2(k' - 1))}$ with $c_h = (1 + \
     \\gamma)(1 - 1/R)/(k \\, k'!)$; its weights fall into three groups (own, open, used lags), not two",
);

pub(super) const GROUPS: Claim = Claim::new(
    "associative-recall/three-groups",
    "Added to Proposition A.2(b): the law of a later jump",
    Kind::Dynamics,
    "During jump $h$ the open weights stay equal, so do the used ones, and the two groups part: own, open, used and $\\beta_h$ obey a \
     closed law.",
    |_| {
        let shape = shape(5, 4, 5)?;
        let of = |i: usize| match i {
            0 | 1 => LEARNED,
            2 => Formed { beta: 0.1, ..IDLE },
            _ => IDLE,
        };
        let start = formed(5, &(0..5).map(of).collect::<Vec<Formed>>());
        let law = JumpLaw::new(shape, 2, &[0, 1])?;
        let at = [300.0, 500.0, 700.0];
        let reduced = states(&law, &[0.0, 0.0, 0.0, 0.1], &at)?;
        let mut evidence = Evidence::new();
        for (whole, reduced) in along(shape, &start, &at)?.iter().zip(reduced) {
            let head = &whole.state[12..18];
            let [own, open, used, beta] = *reduced.state else {
                return Err(ClaimError::Failed("the law of a jump has four variables".into()));
            };
            let what = format!(
                "beta_3, w^3 at t = {} beside the law, heads 1, 2 learned, k = 5, R = 4",
                whole.time
            );
            let predicted = [beta, used, used, own, open, open];
            evidence = evidence.printed(Measurement::each(what, &predicted, head, 1e-8));
        }
        let last = &along(shape, &start, &[700.0])?[0].state;
        let apart = (last[13] - last[16]).abs();
        Ok(evidence.printed(Measurement::at_least(
            "distance of used and open weights at t = 700",
            0.05,
            apart,
        )))
    },
);

pub(super) const LATER_LAW: Claim = Claim::new(
    "associative-recall/later-law",
    "Added to Proposition A.2(b): no law (d)",
    Kind::Dynamics,
    "Neither $f(\\alpha_h) - \\beta_h^2/4$ with $k$ nor that with $k'$ is conserved along a later jump.",
    |_| {
        use super::super::theory::potential;
        let (shape, start) = (shape(4, 4, 4)?, later_start(2, 7.0, 8.0, 0.1));
        let state = &along(shape, &start, &[1000.0])?[0].state;
        let (beta, w) = (state[5], &state[6..10]);
        let whole = w[1] - (w[0] + w[2] + w[3]) / 3.0;
        let drift =
            |k: usize, alpha: f64| (potential(k, alpha) - 0.25 * beta * beta + 0.25 * 0.01).abs();
        let how = "from start to t = 1000, jump 2 of order 4";
        Ok(Evidence::new()
            .printed(Measurement::at_least(
                format!("drift with k = 4 {how}"),
                0.05,
                drift(4, whole),
            ))
            .printed(Measurement::at_least(
                format!("drift with k' = 3 {how}"),
                0.05,
                drift(3, w[1] - w[2]),
            )))
    },
);

/// The literal model of order 3 whose head 1 has the exponent `c`, and head 2 a small one.
fn half_learned(c: f64) -> Vec<f64> {
    let learned = Formed { beta: (c / lead(3, 40.0)).sqrt(), ..LEARNED };
    formed(3, &[learned, Formed { alpha: 0.5, delta: 0.0, beta: 0.4 }])
}

pub(super) const LINE_434: Claim = Claim::new(
    "associative-recall/line-434",
    "Proof in B.2, lines 434 to 436",
    Kind::Equation,
    "With $\\gamma_i = c$ for the learned heads, $s_t = e^{-c}$ for permutations that do not match, and $E \\Delta_{i,j} = e^{-c}$.",
    |_| {
        let (listed, samples) = small();
        let mut evidence = Evidence::new();
        for c in [4.0, 8.0] {
            let theta = half_learned(c);
            let shares = listed.forward(&samples[0], &theta, Inner::used(0.0)).shares;
            let apart = (0..6).filter(|&t| !listed.matches(&samples[0], 1, t, 1));
            let share = apart.map(|t| shares[t]).fold(0.0, f64::max);
            let delta = |lag: usize| {
                listed.mean(&samples, |sample| {
                    let shares = listed.forward(sample, &theta, Inner::used(0.0)).shares;
                    listed.delta(sample, &shares, 1, lag)
                })
            };
            let slope = (1..=3).map(|lag| delta(lag).abs()).fold(0.0, f64::max);
            for (name, found) in [("s_t", share), ("|E Delta_1j|", slope)] {
                let what = format!("largest {name}, head 1 learned with c = {c}, k = 3, R = 2");
                evidence = evidence
                    .printed(Measurement::relative(&*what, (-c).exp(), found, 0.01))
                    .corrected(Measurement::at_most(&*what, (-c).exp(), found));
            }
        }
        Ok(evidence)
    },
)
.corrected("both are $O(e^{-c})$");

pub(super) const LINE_436: Claim = Claim::new(
    "associative-recall/rows-of-delta",
    "Proof in B.2, line 436",
    Kind::Equation,
    "The $\\Delta_{i,j}$ of a head sum to 0 over $j$.",
    |_| {
        let (listed, samples) = small();
        let theta = half_learned(3.0);
        let mut sums = Vec::new();
        for sample in &samples {
            let shares = listed.forward(sample, &theta, Inner::used(0.0)).shares;
            let sum = |h: usize| (1..=3).map(|i| listed.delta(sample, &shares, h, i)).sum::<f64>();
            sums.extend((1..=3).map(sum));
        }
        let what = "sums over lags of all heads, every map and query, k = 3, R = 2";
        Ok(Evidence::new().printed(Measurement::each(what, &vec![0.0; sums.len()], &sums, 1e-14)))
    },
);

pub(super) const LINE_437: Claim = Claim::new(
    "associative-recall/line-437",
    "Proof in B.2, line 437, second line",
    Kind::Equation,
    "For permutations that match the learned heads, $s_t$ is the softmax of $\\gamma_h 1\\{q_{k-h} = \\pi_{(t,k-h)}\\}$ among them, up \
     to $O(e^{-c})$.",
    |_| {
        let listed = Listed::new(4, 2);
        let sample = listed.sample(&[0; 24], 9);
        let mut evidence = Evidence::new();
        for (learned, c) in [(1, 6.0_f64), (1, 12.0), (2, 6.0), (2, 12.0)] {
            let strong = Formed { beta: c.sqrt(), ..LEARNED };
            let small = Formed { alpha: 0.8, delta: 0.0, beta: 0.9 };
            let heads: Vec<Formed> =
                (0..=learned).map(|i| if i < learned { strong } else { small }).collect();
            let shares = listed.forward(&sample, &formed(4, &heads), Inner::used(0.0)).shares;
            let group: Vec<usize> = (0..24)
                .filter(|&t| (1..=learned).all(|h| listed.matches(&sample, h, t, h)))
                .collect();
            let exponent = small.beta * small.beta * lead(4, small.alpha);
            let own = |&t: &usize| {
                if listed.matches(&sample, learned + 1, t, learned + 1) { exponent } else { 0.0 }
            };
            let printed = softmax(&group.iter().map(own).collect::<Vec<f64>>());
            let miss = group.iter().zip(&printed).map(|(&t, p)| (shares[t] - p).abs());
            let what =
                format!("largest miss times e^c, {learned} heads learned with c = {c}, k = 4");
            evidence = evidence.printed(Measurement::at_most(
                what,
                24.0,
                miss.fold(0.0, f64::max) * c.exp(),
            ));
        }
        Ok(evidence.note(
            "In the first line of the display, the matching terms have the factor $e^{(h-1)c}$, not $e^c$, and the others are \
             $O(e^{(h-2)c})$, not $O(1)$, for $h > 2$; the quotient is the same.",
        ))
    },
);

pub(super) const LINE_438: Claim = Claim::new(
    "associative-recall/line-438",
    "Proof in B.2, lines 438, 439",
    Kind::Equation,
    "As a function of $\\gamma_h$ the shares, and so the loss, are those of the first jump of reduced order.",
    |_| {
        let landscape = Population::new(shape(4, 4, 4)?)?;
        let law = FirstJump::new(&Task::new(3, 4)?, 1.0);
        let mut evidence = Evidence::new();
        for (alpha, beta) in [(0.5, 0.7), (1.5, 2.0)] {
            // All open weights equal, the used one anywhere: the exponent is beta^2 (A_own - A_open).
            let mut theta = later_start(2, 7.0, 40.0, beta);
            theta[7] = alpha;
            theta[6] = -0.4;
            let attention = Shape::attention(&theta[6..10]);
            let exponent = beta * beta * (attention[1] - attention[2]);
            // The same exponent in a head of order 3 with alpha = 1.
            let strength = (exponent / lead(3, 1.0)).sqrt();
            let what = format!("loss with gamma_2 = {exponent:.3}, head 1 learned, k = 4, R = 4");
            let found = evaluated(&landscape, &theta)?.0;
            evidence = evidence.printed(Measurement::absolute(
                what,
                law.loss(1.0, strength),
                found,
                1e-12,
            ));
        }
        Ok(evidence.note("The dynamics of $\\gamma_h$ are not: see `prop-a-2-b`."))
    },
);

pub(super) const EQS_7_8: Claim = Claim::new(
    "associative-recall/eqs-7-8",
    "Eqs. (7), (8)",
    Kind::Equation,
    "Eqs. (5) and (6) hold for all heads of the form $w^h = \\alpha_h e_h + \\delta_h 1$ at once, as at $I_h$.",
    |_| {
        let (listed, samples) = small();
        let heads = [
            Formed { alpha: 1.6, delta: 0.3, beta: 1.8 },
            Formed { alpha: 0.4, delta: -0.2, beta: 0.5 },
            IDLE,
        ];
        let (gamma, theta) = (0.4, formed(3, &heads));
        let inner = Inner::used(gamma);
        let found = literal_gradient(&listed, &samples, &theta, inner);
        let mut printed = Vec::new();
        for (h, head) in heads.iter().enumerate() {
            let delta = |lag: usize| {
                listed.mean(&samples, |sample| {
                    let shares = listed.forward(sample, &theta, inner).shares;
                    listed.delta(sample, &shares, h + 1, lag)
                })
            };
            let own = delta(h + 1);
            printed.push(2.0 * head.beta * lead(3, head.alpha) * (1.0 + gamma) * own);
            for i in 1..=3 {
                let raised = if i == h + 1 { head.alpha.exp() } else { 1.0 };
                let factor =
                    (1.0 + gamma) * head.beta * head.beta * raised / (head.alpha.exp() + 2.0);
                printed.push(factor * (delta(i) - lead(3, head.alpha) * own));
            }
        }
        let what = "differences of the literal loss, three heads, k = 3, R = 2, gamma = 0.4";
        Ok(Evidence::new().printed(Measurement::each(what, &printed, &found, DIFFERENCES)))
    },
);
