//! Theorem 4 and appendix F: the law of the common token and when attention snaps, Eqs. (13), (14) and (118) to (131).

use saddlescope::claim::{Claim, ClaimError, Evidence, Kind, Measurement, Trial};

use super::super::theory::Snap;
use super::tools_b::{
    Share, World, by_factors, dot, largest, lead, logits, products, slope, smallest, snap_lead,
    stepped, stream,
};

/// What the law of Theorem 4 depends on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Law {
    pub(super) k: f64,
    pub(super) m: f64,
    pub(super) eta_y: f64,
    pub(super) eta_z: f64,
    pub(super) c0: f64,
}

/// A moment of that law.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moment {
    pub(super) z: f64,
    /// The integral of `eta_Z xi_n`.
    pub(super) b: f64,
    /// The integral of `eta_Z gamma`.
    pub(super) total: f64,
    /// `M h`.
    pub(super) x: f64,
}

impl Law {
    /// That of Figs. 3 and 9: `K = 10`, `M = 1000`, `C_0 = 1`.
    pub(super) const fn figure(eta_y: f64, eta_z: f64) -> Self {
        Self { k: 10.0, m: 1000.0, eta_y, eta_z, c0: 1.0 }
    }

    pub(super) fn with_c0(mut self, c0: f64) -> Self {
        self.c0 = c0;
        self
    }

    /// `t_0'`.
    pub(super) fn scanned(&self) -> f64 {
        self.k * self.m.ln() / self.eta_y
    }

    /// `t_0`.
    pub(super) fn snapped(&self) -> f64 {
        2.0 * self.k * snap_lead(self.m) / self.eta_y
    }

    /// The law as the library has it.
    pub(super) fn snap(&self) -> Result<Snap, ClaimError> {
        Ok(Snap::new((self.k as usize, self.m as usize), (self.eta_y, self.eta_z), self.c0)?)
    }

    fn gamma(&self, x: f64) -> f64 {
        (self.m - 1.0).powi(2) * x / self.m / (self.m - 1.0 + x.exp())
    }

    /// (118), (119) and (44) by a plain solver at each of `times`.
    pub(super) fn path(&self, times: &[f64], steps: usize) -> Vec<Moment> {
        let field = |_: f64, y: &[f64]| {
            let gamma = self.eta_z * self.gamma(y[3]);
            let pull = gamma * (4.0 * y[0]).exp() / self.c0;
            let lead = self.m * self.eta_y / self.k / (self.m - 1.0 + y[3].exp());
            vec![-pull, pull, gamma, lead]
        };
        let (mut y, mut now) = (vec![0.0; 4], 0.0);
        let mut moments = Vec::new();
        for &t in times {
            y = stepped(field, &y, t - now, steps);
            now = t;
            moments.push(Moment { z: y[0], b: y[1], total: y[2], x: y[3] });
        }
        moments
    }

    /// `t_0'/4`, `t_0'`, `t_0`, `10 t_0`.
    pub(super) fn times(&self) -> [f64; 4] {
        [0.25 * self.scanned(), self.scanned(), self.snapped(), 10.0 * self.snapped()]
    }
}

/// Laws at random, with `C_0` from 0.1 to 10.
fn laws(trial: Trial) -> Vec<Law> {
    let mut stream = stream(trial, 200);
    let mut law = |k: f64, m: f64| Law {
        k,
        m,
        eta_y: 0.5 + stream.uniform(),
        eta_z: 0.1 + 0.5 * stream.uniform(),
        c0: 10.0_f64.powf(0.2 + 0.8 * stream.uniform()),
    };
    let mut laws = vec![law(10.0, 1000.0), law(3.0, 200.0), law(20.0, 1e5)];
    laws[1].c0 = 1.0 / laws[1].c0;
    laws
}

fn name(law: &Law) -> String {
    let Law { k, m, eta_y, eta_z, c0 } = law;
    format!("K = {k}, M = {m}, eta_Y = {eta_y:.2}, eta_Z = {eta_z:.2}, C0 = {c0:.2}")
}

pub(super) const EQ_13: Claim = Claim::new(
    "scan-and-snap/eq-13",
    "Eq. (13), first equation",
    Kind::Equation,
    "For a single common token, $\\dot z_{ml} = \\eta_Z \\gamma \\sum_n f_{nl} \\sum_{n'} \\beta_{nn'} (f_{nl}^2 - 1) f_{nl'}$.",
    |trial| {
        let world = World::random(trial, 210, (4, 1), (1, 3), 0.8);
        let z = logits(&world, trial, 211, 0.3);
        let (x, f) = (3.0, world.directions(&z));
        let y = world.decoder(&f, x);
        let measured: f64 = (0..4).map(|n| slope(|z| world.objective(&y, z, n), &z, 0)).sum();
        let (beta, gamma) = (world.beta(&f), world.gamma(x));
        let sum = |last: &dyn Fn(usize, usize) -> f64| {
            let mut sum = 0.0;
            for n in 0..4 {
                for k in (0..4).filter(|&k| k != n) {
                    sum += gamma * f[n][0] * beta[n][k] * (f[n][0].powi(2) - 1.0) * last(n, k);
                }
            }
            sum
        };
        let what = "rate of the common token, by differences of J";
        let likeliest = |n: usize| world.distinct(n)[2];
        Ok(Evidence::new()
            .printed(Measurement::relative(what, sum(&|n, _| f[n][likeliest(n)]), measured, 1e-8))
            .corrected(Measurement::relative(what, sum(&|_, k| f[k][0]), measured, 1e-8))
            .note("The print has no token $l'$; it is read as the likeliest distinct one."))
    },
)
.corrected("the last factor is $f_{n'l}$");

/// One common token of little weight, so that overlaps are small.
fn weak() -> World {
    World::single(10, 1e6, 0.1, &[1.0, 2.0, 3.0]).rates(1.0, 1.0)
}

pub(super) const EQ_13_CONSTANT: Claim = Claim::new(
    "scan-and-snap/eq-13-constant",
    "Eq. (13) and before: $C_0 = \\rho_0^4/K$",
    Kind::Equation,
    "With $f_n \\cdot f_{n'} \\approx \\beta_{nn'} \\approx e^{2z}/\\rho_0^2$, (10) becomes $\\dot z_{ml} \\approx -C_0^{-1} \
     \\eta_Z \\gamma e^{4z}$ and $\\xi_n \\approx C_0^{-1} \\gamma e^{4z}$ with one constant $C_0 = \\rho_0^4/K$.",
    |_| {
        let world = weak();
        let p = &world.classes[0].p;
        let rho = (dot(p, p) / p[0].powi(2)).sqrt();
        let mut evidence = Evidence::new();
        for z0 in [0.0, -0.5] {
            let mut z = vec![0.0; world.logits()];
            z[0] = z0;
            let (x, f) = (3.0, world.directions(&z));
            let unit = world.gamma(x) * (4.0 * z0).exp() / rho.powi(4);
            let (e, beta) = (products(&f), world.beta(&f));
            let pull = world.xi(&f, x)[0] / unit;
            let rate = |share: Share| -world.rate(&z, x, share)[0] / unit;
            let right = world.k() - 1.0;
            evidence = evidence
                .printed(Measurement::relative("f_n . f_n' rho^2 e^(-2z)", 1.0, e[0][1] * rho * rho * (-2.0 * z0).exp(), 0.03))
                .printed(Measurement::relative("beta_nn' rho^2 e^(-2z)", 1.0, beta[0][1] * rho * rho * (-2.0 * z0).exp(), 0.03))
                .printed(Measurement::relative(format!("xi_n rho^4/(gamma e^4z) at z = {z0}"), world.k(), pull, 0.03))
                .printed(Measurement::relative(format!("-dz rho^4/(eta_Z gamma e^4z) by (10) at z = {z0}"), world.k(), rate(Share::Sum), 0.03))
                .corrected(Measurement::relative(format!("xi_n rho^4/(gamma e^4z) at z = {z0}"), right, pull, 0.03))
                .corrected(Measurement::relative(format!("-dz rho^4/(eta_Z gamma e^4z) by (10) at z = {z0}"), world.k() * right, rate(Share::Sum), 0.03))
                .corrected(Measurement::relative(format!("the same with 1/K at z = {z0}"), right, rate(Share::Mean), 0.03));
        }
        Ok(evidence)
    },
)
.corrected(
    "$\\xi_n \\approx \\gamma e^{4z}/C_0$ with $C_0 = \\rho_0^4/(K - 1)$, the number of classes that pull; $\\dot z_{ml}$ is $K$ \
     times $-\\eta_Z \\xi_n$ by (10), and equal to it only with the $1/K$ of steps of batch size one",
);

pub(super) const NORMS: Claim = Claim::new(
    "scan-and-snap/constant-norms",
    "Section 6, before Eq. (13)",
    Kind::Dynamics,
    "The normalisation of $f_n$ stays approximately constant, $f_n \\cdot f_{n'} \\approx e^{2z}/\\rho_0^2$.",
    |_| {
        let world = World::single(10, 1000.0, 1.0, &[1.0, 2.0, 3.0, 4.0]).rates(1.0, 0.5);
        let start = vec![0.0; world.logits()];
        let path = world.path(&start, Share::Sum, &[world.scanned(), world.snapped(), 20.0 * world.snapped()], 120);
        let first = world.scores(0, &start);
        let mut evidence = Evidence::new();
        for point in &path {
            let scores = world.scores(0, &point.z);
            evidence = evidence.printed(
                Measurement::relative(
                    format!("|c|^2 over its start, t = {:.2} t_0", point.t / world.snapped()),
                    1.0,
                    dot(&scores, &scores) / dot(&first, &first),
                    0.01,
                )
                .loosely(0.1),
            );
        }
        Ok(evidence)
    },
)
.recorded(saddlescope::claim::Verdict::Approximately);

pub(super) const REDUCED: Claim = Claim::new(
    "scan-and-snap/theorem-4-growth",
    "Theorem 4 beside (10) and (12)",
    Kind::Dynamics,
    "The $B_n$ of Theorem 4, with $C_0 = \\rho_0^4/K$, is the $B_n = \\eta_Z \\int \\xi_n$ that bounds growth under (10).",
    |_| {
        let mut evidence = Evidence::new();
        for eta_z in [0.5, 20.0] {
            let world = World::single(10, 1e6, 1.0, &[1.0, 2.0, 3.0, 4.0]).rates(1.0, eta_z);
            let p = &world.classes[0].p;
            let (k, rho4) = (world.k(), (dot(p, p) / p[0].powi(2)).powi(2));
            let times = [world.scanned(), world.snapped(), 20.0 * world.snapped()];
            let sum = world.path(&vec![0.0; world.logits()], Share::Sum, &times, 100);
            let mean = world.path(&vec![0.0; world.logits()], Share::Mean, &times, 100);
            let law = Law { k, m: world.m, eta_y: 1.0, eta_z, c0: 1.0 };
            for ((sum, mean), moment) in sum.iter().zip(&mean).zip(law.path(&times, 400)) {
                let total = 4.0 * moment.total;
                let when = format!("t = {:.2} t_0, eta_Z = {eta_z}", sum.t / world.snapped());
                evidence = evidence
                    .printed(Measurement::relative(format!("B of (10), {when}"), 0.25 * (rho4 / k + total).ln(), sum.b[0], 0.08))
                    .corrected(Measurement::relative(
                        format!("B of (10), {when}"),
                        0.25 / k * (k * (k - 1.0) * total / rho4).ln_1p(),
                        sum.b[0],
                        0.08,
                    ))
                    .corrected(Measurement::relative(
                        format!("B with the 1/K of steps of batch size one, {when}"),
                        0.25 / k * ((k - 1.0) * total / rho4).ln_1p(),
                        mean.b[0],
                        0.08,
                    ));
            }
        }
        Ok(evidence.note(
            "Since the common token is pulled by all $K$ classes, it falls $K$ times as far as $B_n$ grows: growth factors \
             of dominant tokens are at most the $K$-th root of those that Theorem 4 and Fig. 3 show.",
        ))
    },
)
.corrected(
    "$B_n = \\frac{1}{4K} \\ln(1 + 4 K \\Gamma/C_0)$ by (10) as printed, $\\frac{1}{4K} \\ln(1 + 4 \\Gamma/C_0)$ in steps of \
     batch size one, with $C_0 = \\rho_0^4/(K - 1)$",
);

pub(super) const EQ_122: Claim = Claim::new(
    "scan-and-snap/eq-122",
    "Eqs. (120) to (122)",
    Kind::Equation,
    "By (118), $e^{-4 z_l} = 4 C_0^{-1} \\eta_Z \\int_0^t \\gamma + 1$.",
    |trial| {
        let mut evidence = Evidence::new();
        for law in laws(trial) {
            for (t, moment) in law.times().into_iter().zip(law.path(&law.times(), 500)) {
                evidence = evidence.printed(Measurement::relative(
                    format!("t = {:.2} t_0, {}", t / law.snapped(), name(&law)),
                    4.0 / law.c0 * moment.total + 1.0,
                    (-4.0 * moment.z).exp(),
                    1e-8,
                ));
            }
        }
        Ok(evidence)
    },
);

pub(super) const EQ_123: Claim = Claim::new(
    "scan-and-snap/eq-123",
    "Eq. (123)",
    Kind::Equation,
    "$\\xi_n(t) = \\gamma(t)/(C_0 + 4 \\Gamma(t))$.",
    |trial| {
        let mut evidence = Evidence::new();
        for law in laws(trial) {
            for (t, moment) in law.times().into_iter().zip(law.path(&law.times(), 500)) {
                let gamma = law.gamma(moment.x);
                evidence = evidence.printed(Measurement::relative(
                    format!("t = {:.2} t_0, {}", t / law.snapped(), name(&law)),
                    gamma / (law.c0 + 4.0 * moment.total),
                    gamma * (4.0 * moment.z).exp() / law.c0,
                    1e-8,
                ));
            }
        }
        Ok(evidence)
    },
);

pub(super) const EQ_124: Claim = Claim::new(
    "scan-and-snap/eq-124",
    "Eq. (124)",
    Kind::Equation,
    "$B_n(t) = \\int_0^t d\\Gamma/(C_0 + 4 \\Gamma) = \\frac{1}{4} \\ln(C_0 + 4 \\Gamma(t))$.",
    |trial| {
        let mut evidence = Evidence::new();
        for law in laws(trial) {
            for (t, moment) in law.times().into_iter().zip(law.path(&law.times(), 500)) {
                let what = format!("B by a plain solver, t = {:.2} t_0, {}", t / law.snapped(), name(&law));
                evidence = evidence
                    .printed(Measurement::absolute(&*what, 0.25 * (law.c0 + 4.0 * moment.total).ln(), moment.b, 1e-8))
                    .corrected(Measurement::absolute(
                        what,
                        0.25 * (1.0 + 4.0 * moment.total / law.c0).ln(),
                        moment.b,
                        1e-8,
                    ));
            }
        }
        Ok(evidence.note("Printed, $B_n(0) = \\frac{1}{4} \\ln C_0$ is not 0; the two are equal only for $C_0 = 1$."))
    },
)
.corrected("$\\frac{1}{4} \\ln(1 + 4 \\Gamma(t)/C_0)$: the lower limit of the integral is left out");

pub(super) const EQ_128: Claim = Claim::new(
    "scan-and-snap/eq-128",
    "Eqs. (125) to (128)",
    Kind::Equation,
    "$\\Gamma(t) = \\eta_Z \\int_0^t \\gamma = \\frac{\\eta_Z}{\\eta_Y} \\frac{K (M - 1)^2}{2} h^2(t/K)$.",
    |trial| {
        let mut evidence = Evidence::new();
        for law in laws(trial) {
            let snap = law.snap()?;
            for (t, moment) in law.times().into_iter().zip(law.path(&law.times(), 500)) {
                evidence = evidence.printed(Measurement::relative(
                    format!(
                        "the integral by steps, t = {:.2} t_0, {}",
                        t / law.snapped(),
                        name(&law)
                    ),
                    snap.total(t),
                    moment.total,
                    1e-8,
                ));
            }
        }
        Ok(evidence)
    },
);

pub(super) const EQ_129: Claim = Claim::new(
    "scan-and-snap/eq-129",
    "Eq. (129)",
    Kind::Equation,
    "$B_n(t) = \\frac{1}{4} \\ln(C_0 + 2 \\frac{\\eta_Z}{\\eta_Y} K (M - 1)^2 h^2(t/K))$ at all times.",
    |trial| {
        let mut evidence = Evidence::new();
        for law in laws(trial) {
            let snap = law.snap()?;
            for (t, moment) in law.times().into_iter().zip(law.path(&law.times(), 500)) {
                let what = format!("B by a plain solver, t = {:.2} t_0, {}", t / law.snapped(), name(&law));
                evidence = evidence
                    .printed(Measurement::absolute(&*what, snap.growth_as_printed(t), moment.b, 1e-8))
                    .corrected(Measurement::absolute(what, snap.growth(t), moment.b, 1e-8));
            }
        }
        Ok(evidence)
    },
)
.corrected("$\\frac{1}{4} \\ln(1 + 2 \\frac{\\eta_Z}{\\eta_Y} K (M - 1)^2 h^2(t/K)/C_0)$");

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
    "Before $t_0' = K \\ln M/\\eta_Y$, $B_n = \\frac{1}{4} \\ln(C_0 + \\frac{2 (M - 1)^2}{K M^2} \\eta_Y \\eta_Z t^2)$.",
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
    "From $t_0$ on, $B_n = \\frac{1}{4} \\ln(C_0 + \\frac{2 K (M - 1)^2}{M^2} \\frac{\\eta_Z}{\\eta_Y} \\ln^2(M \\eta_Y t/K))$.",
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
        Ok(evidence.note("At $t_0'$ 1.715 for 1.673, at $t_0$ 1.890 for 1.854; below 0.5 % before $t_0'/2$ and beyond $10 t_0$."))
    },
)
.recorded(saddlescope::claim::Verdict::Approximately);

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
        Ok(evidence.note("At $t_0'$ the $o(1)$ is $-\\Omega/\\ln M$ with $\\Omega e^\\Omega = 1$, 8 % at $M = 1000$."))
    },
);

pub(super) const LEAD_SNAP: Claim = Claim::new(
    "scan-and-snap/lead-snap",
    "Before Eq. (131), from Lemma 9",
    Kind::Equation,
    "$h(t/K) = (1 + o(1)) \\ln(M \\eta_Y t/K)/M$ for $t > t_0$.",
    |_| {
        let at = |m: f64, times: f64| {
            let steps = 2.0 * times * snap_lead(m);
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
            let whole = (m * 2.0 * snap_lead(m)).ln();
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
    "$t_0$ is where the two terms of (45) are equal: $M h(t_0/K) = (1 + \\omega_1) \\ln M = \\frac{1}{2} \\eta_Y t_0/K$ as $M \\to \\infty$.",
    |_| {
        let mut evidence = Evidence::new();
        for (m, tolerance) in [(1e3, 3e-4), (1e6, 3e-7), (1e12, 1e-11)] {
            let half = snap_lead(m);
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
    "Between $t_0'$ and $t_0$ neither branch of (14) is right: both overestimate $B_n$; (129) is right throughout.",
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
    "$\\gamma$ is largest at $\\eta_Y t/K = 5.640 = 0.816 \\ln M$ for $M = 1000$, where it is 4.416: before $t_0'$.",
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
