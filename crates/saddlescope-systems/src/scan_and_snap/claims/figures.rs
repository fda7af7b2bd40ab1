//! Figs. 1 to 3, 8 and 9: the tokens of a task, the stages of attention, and the curves of Theorems
//! 1 and 4.

use saddlescope::claim::{Claim, Evidence, Kind, Measurement};

use super::super::Synthetic;
use super::plain_world::{Share, World, by_factors, larger_root, largest, lead, smallest};
use super::snap::Law;

pub(super) const FIG_1: Claim = Claim::new(
    "scan-and-snap/fig-1",
    "Fig. 1(b); section 8",
    Kind::Figure,
    "A query may have several next tokens; tokens with $P(l|n) > 0$ in several classes are \
     common, in one class distinct: in \
     Syn-Medium 10 common and 10 distinct per class.",
    |_| {
        let mut evidence = Evidence::new();
        for queries in [1, 3, 5, 10] {
            let task = Synthetic::authors(queries, 2).task()?;
            let classes = 2 * queries;
            // Counted from the laws alone.
            let mut seen = vec![0; task.tokens().len()];
            for class in task.classes() {
                class
                    .support
                    .iter()
                    .zip(&class.probability)
                    .filter(|(_, p)| **p > 0.0)
                    .for_each(|(&l, _)| seen[l] += 1);
            }
            let shared = seen.iter().filter(|&&count| count > 1).count();
            let next = task.classes().iter().filter(|class| class.query == 0).count();
            evidence = evidence
                .printed(Measurement::count(
                    format!("common tokens, {queries} queries"),
                    10,
                    shared,
                ))
                .printed(Measurement::count(
                    format!("distinct tokens, {queries} queries"),
                    10 * classes,
                    seen.len() - shared,
                ))
                .printed(Measurement::count(
                    format!("next tokens of a query, {queries} queries"),
                    2,
                    next,
                ));
        }
        Ok(evidence)
    },
);

pub(super) const FIG_2: Claim = Claim::new(
    "scan-and-snap/fig-2",
    "Fig. 2",
    Kind::Figure,
    "From $\\tilde c = P$: common tokens are suppressed, distinct ones that start large come to \
     dominate, and after $t_0$ \
     attention is almost frozen.",
    |_| {
        let world = World::single(10, 1000.0, 1.0, &[1.0, 2.0, 3.0, 4.0]).rates(1.0, 0.5);
        let start = vec![0.0; world.logits()];
        let path = world.path(
            &start,
            Share::Sum,
            &[world.scanned(), world.snapped(), 10.0 * world.snapped()],
            60,
        );
        let attention = |z: &[f64]| -> Vec<f64> {
            let scores = world.scores(0, z);
            let sum: f64 = scores.iter().sum();
            scores.iter().map(|score| score / sum).collect()
        };
        let seen: Vec<Vec<f64>> = [&start]
            .into_iter()
            .chain(path.iter().map(|point| &point.z))
            .map(|z| attention(z))
            .collect();
        let moved =
            |a: usize, b: usize| largest(seen[a].iter().zip(&seen[b]).map(|(a, b)| (a - b).abs()));
        let ratio = |i: usize| seen[i][4] / seen[i][1];
        Ok(Evidence::new()
            .printed(Measurement::each(
                "attention at the start",
                &world.classes[0].p,
                &seen[0],
                1e-15,
            ))
            .printed(Measurement::at_most(
                "attention on the common token at t_0', over its start",
                0.6,
                seen[1][0] / seen[0][0],
            ))
            .printed(Measurement::at_least(
                "dominant token over the weakest at t_0, over its start",
                1.05,
                ratio(2) / ratio(0),
            ))
            .printed(Measurement::at_most(
                "largest change from t_0 to 10 t_0 over that before t_0",
                0.15,
                moved(3, 2) / moved(2, 0),
            )))
    },
);

/// `M h*` after `steps` steps. 004, Eq. (33).
fn star(m: f64, eta: f64, steps: usize) -> f64 {
    (0..steps).fold(0.0, |x: f64, _| x + m * eta / (m - 1.0 + x.exp()))
}

pub(super) const FIG_8: Claim = Claim::new(
    "scan-and-snap/fig-8",
    "Fig. 8",
    Kind::Figure,
    "$M h^*$ and $M h$ for $M = 1000$: 7.9216 and 7.7310 at $s = 10$, 11.4175 and 11.3921 at $s \
     = 100$ for $\\eta_Y = 1$; 10 and \
     7.731 at $s = 1$, 11.689 and 11.392 at $s = 10$ for $\\eta_Y = 10$.",
    |_| {
        let mut evidence = Evidence::new();
        for (eta, steps, stepped, flow) in [
            (1.0, 10, 7.921_6, 7.731_0),
            (1.0, 100, 11.417_5, 11.392_1),
            (10.0, 1, 10.0, 7.731_0),
            (10.0, 10, 11.689_5, 11.392_1),
        ] {
            let name = format!("eta_Y = {eta}, s = {steps}");
            evidence = evidence
                .printed(Measurement::absolute(
                    format!("M h*, {name}"),
                    stepped,
                    star(1000.0, eta, steps),
                    6e-5,
                ))
                .printed(Measurement::absolute(
                    format!("M h, {name}"),
                    flow,
                    lead(1000.0, eta * steps as f64),
                    6e-5,
                ));
        }
        Ok(evidence)
    },
);

pub(super) const FIG_8_GAP: Claim = Claim::new(
    "scan-and-snap/fig-8-gap",
    "Fig. 8, caption",
    Kind::Figure,
    "The gap between $h^*$ and $h$ is bounded and goes to zero.",
    |_| {
        let mut evidence = Evidence::new();
        for eta in [0.5, 1.0, 10.0] {
            let (mut least, mut most, mut x) = (f64::INFINITY, 0.0, 0.0_f64);
            let mut last = f64::NAN;
            for step in 1..=20_000_u32 {
                x += 1000.0 * eta / (999.0 + x.exp());
                if step <= 200 || step == 20_000 {
                    last = x - lead(1000.0, eta * f64::from(step));
                    (least, most) = (smallest([least, last]), largest([most, last]));
                }
            }
            evidence = evidence
                .printed(Measurement::at_least(
                    format!("least M (h* - h), eta_Y = {eta}"),
                    0.0,
                    least,
                ))
                .printed(Measurement::at_most(
                    format!("largest, over 2 eta_Y, eta_Y = {eta}"),
                    1.0,
                    most / (2.0 * eta),
                ))
                .printed(Measurement::at_most(format!("at s = 20000, eta_Y = {eta}"), 1e-3, last));
        }
        Ok(evidence)
    },
);

/// What Fig. 3 shows for each `eta_Y`: `t_0`, and `chi` at `t_0`, 10 and `10^5`.
const FIG_3_KNOWN: [(f64, f64, [f64; 3]); 5] = [
    (0.5, 364.7, [40.75, 2.45, 68.9]),
    (1.0, 182.3, [28.82, 3.31, 50.9]),
    (2.0, 91.2, [20.39, 4.57, 37.6]),
    (5.0, 36.5, [12.92, 6.96, 25.1]),
    (10.0, 18.2, [9.16, 7.79, 18.4]),
];

/// `e^(2B)` by a plain solver.
fn factor(law: &Law, t: f64) -> f64 {
    (2.0 * growth(law, t)).exp()
}

/// `B` by a plain solver, in steps that grow with time.
fn growth(law: &Law, t: f64) -> f64 {
    let times = by_factors(0.02 * law.scanned().min(t), t, 30);
    law.path(&times, 40).last().map_or(f64::NAN, |moment| moment.b)
}

pub(super) const FIG_3: Claim = Claim::new(
    "scan-and-snap/fig-3",
    "Fig. 3",
    Kind::Figure,
    "Growth factors $e^{2B}$ for $K = 10$, $M = 1000$, $\\eta_Z = 0.5$, $C_0 = 1$ and $\\eta_Y \
     = 0.5, 1, 2, 5, 10$: 40.75, 28.82, \
     20.39, 12.92, 9.16 at $t_0 = 364.7, 182.3, 91.2, 36.5, 18.2$, and 68.9, 50.9, 37.6, 25.1, \
     18.4 at $t = 10^5$.",
    |_| {
        let mut evidence = Evidence::new();
        for (eta_y, t0, [at, _, late]) in FIG_3_KNOWN {
            let law = Law::figure(eta_y, 0.5);
            evidence = evidence
                .printed(Measurement::absolute(
                    format!("t_0, eta_Y = {eta_y}"),
                    t0,
                    law.snapped(),
                    0.06,
                ))
                .printed(Measurement::absolute(
                    format!("e^(2B) at t_0, eta_Y = {eta_y}"),
                    at,
                    factor(&law, law.snapped()),
                    0.006,
                ))
                .printed(Measurement::absolute(
                    format!("e^(2B) at 10^5, eta_Y = {eta_y}"),
                    late,
                    factor(&law, 1e5),
                    0.06,
                ));
        }
        Ok(evidence
            .note("By (10) itself the growth factors are far smaller: see `theorem-4-growth`."))
    },
);

pub(super) const FIG_3_CROSSING: Claim = Claim::new(
    "scan-and-snap/fig-3-crossing",
    "Fig. 3; section 6, insight (c)",
    Kind::Figure,
    "A smaller $\\eta_Y$ gives a later transition and a larger growth factor; before the \
     transition the order is reversed, so \
     that the curves cross.",
    |_| {
        let mut evidence = Evidence::new();
        let laws: Vec<Law> = FIG_3_KNOWN.iter().map(|known| Law::figure(known.0, 0.5)).collect();
        for (law, known) in laws.iter().zip(FIG_3_KNOWN) {
            evidence = evidence.printed(Measurement::absolute(
                format!("e^(2B) at t = 10, eta_Y = {}", known.0),
                known.2[1],
                factor(law, 10.0),
                0.006,
            ));
        }
        for pair in laws.windows(2) {
            let name = format!("eta_Y = {} over {}", pair[0].eta_y, pair[1].eta_y);
            evidence = evidence
                .printed(Measurement::at_most(
                    format!("e^(2B) at t = 10, {name}"),
                    0.95,
                    factor(&pair[0], 10.0) / factor(&pair[1], 10.0),
                ))
                .printed(Measurement::at_least(
                    format!("e^(2B) at t = 1000, {name}"),
                    1.2,
                    factor(&pair[0], 1e3) / factor(&pair[1], 1e3),
                ));
        }
        Ok(evidence)
    },
);

pub(super) const FIG_9: Claim = Claim::new(
    "scan-and-snap/fig-9",
    "Fig. 9",
    Kind::Figure,
    "At $\\nu = 2$, $B_n(t_0) = 1.68062$ for every $\\eta_Z$, and $B_n(10^4) = 1.824, 1.888, \
     1.912, 1.936$ for $\\eta_Z = 0.1, 0.5, 1, 2$.",
    |_| {
        let mut evidence = Evidence::new();
        for (eta_z, late) in [(0.1, 1.824), (0.5, 1.888), (1.0, 1.912), (2.0, 1.936)] {
            let law = Law::figure(2.0 * eta_z, eta_z);
            evidence = evidence
                .printed(Measurement::absolute(
                    format!("B(t_0), eta_Z = {eta_z}"),
                    1.680_62,
                    growth(&law, law.snapped()),
                    1e-5,
                ))
                .printed(Measurement::absolute(
                    format!("B(10^4), eta_Z = {eta_z}"),
                    late,
                    growth(&law, 1e4),
                    6e-4,
                ));
        }
        Ok(evidence.note("$\\nu = \\eta_Y/\\eta_Z$, $K = 10$, $M = 1000$, $C_0 = 1$."))
    },
);

pub(super) const FIG_9_NU: Claim = Claim::new(
    "scan-and-snap/fig-9-nu",
    "Fig. 9, caption",
    Kind::Figure,
    "The $\\nu$ of $B_n(t_0)$ is $\\eta_Z/\\eta_Y$.",
    |_| {
        // Eq. (129), mended, at t_0, where M h = (1 + omega_1) ln M.
        let formula = |law: &Law, nu: f64| {
            let part = 2.0 * law.k * ((law.m - 1.0) / law.m * larger_root(law.m)).powi(2) / nu;
            0.25 * part.ln_1p()
        };
        let mut evidence = Evidence::new();
        for (eta_y, eta_z) in [(2.0, 1.0), (0.5, 1.0)] {
            let law = Law::figure(eta_y, eta_z);
            let found = growth(&law, law.snapped());
            let what = format!("B(t_0), eta_Y = {eta_y}, eta_Z = {eta_z}");
            evidence = evidence
                .printed(Measurement::absolute(&*what, formula(&law, eta_z / eta_y), found, 1e-3))
                .corrected(Measurement::absolute(what, formula(&law, eta_y / eta_z), found, 1e-3));
        }
        Ok(evidence)
    },
)
.corrected("$\\nu = \\eta_Y/\\eta_Z$, as in the text before (130)");
