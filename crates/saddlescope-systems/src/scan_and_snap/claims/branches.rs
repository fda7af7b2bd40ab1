//! The two branches of Eq. (14): where they hold, how well, and what lies between.

use saddlescope::claim::{Claim, ClaimError, Evidence, Kind, Measurement, Verdict};

use super::plain_world::{by_factors, larger_root, largest, lead, smallest};
use super::snap::{Law, name};

/// A branch of (14) as it is printed.
fn branch(law: &Law, t: f64, early: bool) -> f64 {
    let Law { k, m, eta_y, eta_z, c0 } = *law;
    let whole = (m - 1.0).powi(2) / (m * m);
    let inside = if early {
        2.0 * whole / k * eta_y * eta_z * t * t
    } else {
        2.0 * k * whole * eta_z / eta_y * (m * eta_y * t / k).ln().powi(2)
    };
    0.25 * (c0 + inside).ln()
}

/// Evidence for a branch of (14) at some times.
fn against(law: &Law, times: &[f64], early: bool) -> Result<Evidence, ClaimError> {
    let (mut evidence, snap) = (Evidence::new(), law.snap()?);
    for (t, moment) in times.iter().zip(law.path(times, 600)) {
        let what = format!("B by a plain solver, t = {:.2} t_0, {}", t / law.snapped(), name(law));
        evidence = evidence
            .printed(Measurement::relative(&*what, branch(law, *t, early), moment.b, 0.035))
            .corrected(Measurement::relative(what, snap.branch(*t, early), moment.b, 0.035));
    }
    Ok(evidence)
}

pub(super) const EQ_14_SCAN: Claim = Claim::new(
    "scan-and-snap/eq-14-scan",
    "Theorem 4, Eq. (14) for $t < t_0'$, and Eq. (130)",
    Kind::Dynamics,
    "Before $t_0' = K \\ln M/\\eta_Y$, $B_n = \\frac{1}{4} \\ln(C_0 + \\frac{2 (M - 1)^2}{K \
     M^2} \\eta_Y \\eta_Z t^2)$.",
    |_| {
        let law = Law::figure(0.5, 0.5).with_c0(4.0);
        let end = law.scanned();
        against(&law, &[0.1 * end, 0.25 * end, 0.5 * end, end], true)
    },
)
.corrected("$\\frac{1}{4} \\ln(1 + \\ldots/C_0)$, within 3.5 %");

pub(super) const EQ_14_SNAP: Claim = Claim::new(
    "scan-and-snap/eq-14-snap",
    "Theorem 4, Eq. (14) for $t \\ge t_0$, and Eq. (131)",
    Kind::Dynamics,
    "From $t_0$ on, $B_n = \\frac{1}{4} \\ln(C_0 + \\frac{2 K (M - \
     1)^2}{M^2} \\frac{\\eta_Z}{\\eta_Y} \\ln^2(M \\eta_Y t/K))$.",
    |_| {
        let law = Law::figure(0.5, 0.5).with_c0(4.0);
        let start = law.snapped();
        against(&law, &[start, 3.0 * start, 10.0 * start, 100.0 * start], false)
    },
)
.corrected("$\\frac{1}{4} \\ln(1 + \\ldots/C_0)$, within 3.5 %");

pub(super) const EQ_14_ACCURACY: Claim = Claim::new(
    "scan-and-snap/eq-14-accuracy",
    "Eqs. (14), (130) and (131), with $C_0 = 1$",
    Kind::Dynamics,
    "The two branches, whose $o(1)$ are left out, are $B_n(t)$ where they are said to hold.",
    |_| {
        let law = Law::figure(0.5, 0.5);
        let (first, second) = (law.scanned(), law.snapped());
        let times = [0.25 * first, 0.5 * first, first, second, 10.0 * second];
        let mut evidence = Evidence::new();
        for (t, moment) in times.iter().zip(law.path(&times, 500)) {
            evidence = evidence.printed(
                Measurement::relative(
                    format!("B by a plain solver, t = {:.3} t_0", t / second),
                    branch(&law, *t, *t <= first),
                    moment.b,
                    0.005,
                )
                .loosely(0.03),
            );
        }
        Ok(evidence.note(
            "At $t_0'$ 1.715 for 1.673, at $t_0$ 1.890 for 1.854; below 0.5 % \
         before $t_0'/2$ and beyond $10 t_0$.",
        ))
    },
)
.recorded(Verdict::Approximately);

pub(super) const LEAD_SCAN: Claim = Claim::new(
    "scan-and-snap/lead-scan",
    "Before Eq. (130), from Lemma 9",
    Kind::Equation,
    "$h(t/K) = (1 + o(1)) \\eta_Y t/(M K)$ for $t \\le t_0'$.",
    |_| {
        let omega = 0.567_143_290_409_783_8;
        let mut evidence = Evidence::new();
        for (part, known) in [(0.25, 0.998), (0.5, 0.992), (1.0, 0.919)] {
            let steps = part * 1000.0_f64.ln();
            let found = lead(1000.0, steps) / steps;
            evidence = evidence.printed(Measurement::absolute(
                format!("M h over eta_Y t/K at {part} t_0', M = 1000"),
                known,
                found,
                6e-4,
            ));
        }
        for m in [1e6, 1e12, 1e24, 1e100_f64] {
            let found = lead(m, m.ln()) / m.ln();
            evidence = evidence.printed(Measurement::absolute(
                format!("the same at t_0' for M = {m:e}, beside 1 - Omega/ln M"),
                1.0 - omega / m.ln(),
                found,
                1e-5,
            ));
        }
        Ok(evidence.note(
            "At $t_0'$ the $o(1)$ is $-\\Omega/\\ln M$ with $\\Omega e^\\Omega = \
         1$, 8 % at $M = 1000$.",
        ))
    },
);

pub(super) const LEAD_SNAP: Claim = Claim::new(
    "scan-and-snap/lead-snap",
    "Before Eq. (131), from Lemma 9",
    Kind::Equation,
    "$h(t/K) = (1 + o(1)) \\ln(M \\eta_Y t/K)/M$ for $t > t_0$.",
    |_| {
        let at = |m: f64, times: f64| {
            let steps = 2.0 * times * larger_root(m);
            lead(m, steps) / (m * steps).ln()
        };
        let mut evidence = Evidence::new()
            .printed(Measurement::absolute(
                "M h over the logarithm at t_0, M = 1000",
                0.929,
                at(1000.0, 1.0),
                6e-4,
            ))
            .printed(Measurement::at_least("the same at 10 t_0", 0.99, at(1000.0, 10.0)));
        for m in [1e6, 1e12, 1e24, 1e100_f64] {
            // At t_0 the two terms of (45) are equal: e^x is half of M eta_Y t/K.
            let whole = (m * 2.0 * larger_root(m)).ln();
            evidence = evidence.printed(Measurement::absolute(
                format!("the same at t_0 for M = {m:e}, beside 1 - ln 2/ln(M eta_Y t_0/K)"),
                1.0 - 2.0_f64.ln() / whole,
                at(m, 1.0),
                1e-5,
            ));
        }
        Ok(evidence)
    },
);

pub(super) const HALF: Claim = Claim::new(
    "scan-and-snap/t0-half",
    "Appendix F (2), added",
    Kind::Equation,
    "$t_0$ is where the two terms of (45) are equal: $M h(t_0/K) = (1 + \\omega_1) \\ln M \
     = \\frac{1}{2} \\eta_Y t_0/K$ as $M \\to \\infty$.",
    |_| {
        let mut evidence = Evidence::new();
        for (m, tolerance) in [(1e3, 3e-4), (1e6, 3e-7), (1e12, 1e-11)] {
            let half = larger_root(m);
            evidence = evidence.printed(Measurement::relative(
                format!("M h at t_0, M = {m:e}"),
                half,
                lead(m, 2.0 * half),
                tolerance,
            ));
        }
        Ok(evidence)
    },
);

pub(super) const GAP: Claim = Claim::new(
    "scan-and-snap/eq-14-gap",
    "Eq. (14), added: between its branches",
    Kind::Dynamics,
    "Between $t_0'$ and $t_0$ neither branch of (14) is right: both overestimate $B_n$; (129) \
     is right throughout.",
    |_| {
        let law = Law::figure(0.5, 0.5);
        let times = by_factors(law.scanned(), law.snapped(), 9);
        let path = law.path(&times, 300);
        let over = |early: bool| -> Vec<f64> {
            times
                .iter()
                .zip(&path)
                .map(|(t, moment)| branch(&law, *t, early) / moment.b - 1.0)
                .collect()
        };
        let (early, late) = (over(true), over(false));
        let best = smallest(early.iter().zip(&late).map(|(a, b)| a.min(*b)));
        let middle = early[4].min(late[4]);
        let snap = law.snap()?;
        let off =
            largest(times.iter().zip(&path).map(|(t, moment)| (snap.growth(*t) - moment.b).abs()));
        Ok(Evidence::new()
            .printed(Measurement::at_least("least excess of the better branch", 0.015, best))
            .printed(Measurement::at_least("its excess halfway", 0.04, middle))
            .printed(Measurement::absolute("largest error of (129), mended", 0.0, off, 1e-8)))
    },
);

pub(super) const PEAK: Claim = Claim::new(
    "scan-and-snap/gamma-peak",
    "Theorem 1(b) and Theorem 4, added",
    Kind::Dynamics,
    "$\\gamma$ is largest at $\\eta_Y t/K = 5.640 = 0.816 \\ln M$ for $M = 1000$, where it is \
     4.416: before $t_0'$.",
    |_| {
        let law = Law::figure(1.0, 1.0);
        let times = by_factors(50.0, 63.0, 2001);
        let gammas: Vec<f64> = times.iter().map(|t| law.gamma(lead(law.m, t / law.k))).collect();
        let most = largest(gammas.clone());
        let at =
            gammas.iter().position(|gamma| *gamma == most).map_or(f64::NAN, |i| times[i] / law.k);
        let found = law.snap()?.peak().unwrap_or(f64::NAN) / law.k;
        Ok(Evidence::new()
            .printed(Measurement::absolute("largest gamma by search", 4.416, most, 6e-4))
            .printed(Measurement::absolute("eta_Y t/K there", 5.640, at, 3e-3))
            .printed(Measurement::absolute("the same by its equation", 5.640, found, 6e-4))
            .printed(Measurement::absolute("over ln M", 0.816, at / law.m.ln(), 6e-4)))
    },
);
