//! Theorem 4 and appendix F: the law of the common token and when attention snaps, Eqs. (13), (14) and (118) to (131); the two
//! branches of Eq. (14): where they hold, how well, and what lies between.

use super::*;
use saddlescope_scan_and_snap::theory::Snap;

/// What the law of Theorem 4 depends on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Law {
    pub(super) k: f64,
    pub(super) m: f64,
    pub(super) eta_y: f64,
    pub(super) eta_z: f64,
    pub(super) c0: f64,
}

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

    /// `t_0'`.
    pub(super) fn scanned(&self) -> f64 {
        self.k * self.m.ln() / self.eta_y
    }

    /// `t_0`.
    pub(super) fn snapped(&self) -> f64 {
        2.0 * self.k * larger_root(self.m) / self.eta_y
    }

    /// The law as the library has it.
    pub(super) fn snap(&self) -> Outcome<Snap> {
        Ok(Snap::new((self.k as usize, self.m as usize), (self.eta_y, self.eta_z), self.c0)?)
    }

    /// `gamma` where the decoder leads by `x`.
    pub(super) fn gamma(&self, x: f64) -> f64 {
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
        let states = stepped_to(field, vec![0.0; 4], times, steps);
        states.iter().map(|y| Moment { z: y[0], b: y[1], total: y[2], x: y[3] }).collect()
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

pub(super) fn name(law: &Law) -> String {
    let Law { k, m, eta_y, eta_z, c0 } = law;
    format!("K = {k}, M = {m}, eta_Y = {eta_y:.2}, eta_Z = {eta_z:.2}, C0 = {c0:.2}")
}

pub(super) fn eq_13(e: &mut Evidence, trial: Trial) {
    let task = PlainTask::random(trial, 210, (4, 1), (1, 3), 0.8);
    let z = logits(&task, trial, 211, 0.3);
    let (x, f) = (3.0, task.directions(&z));
    let y = task.decoder(&f, x);
    let measured: f64 =
        (0..4).map(|n| slope_in(&|z: &[f64]| task.objective(&y, z, n), &z, 0)).sum();
    let (beta, gamma) = (task.beta(&f), task.gamma(x));
    let sum = |last: &dyn Fn(usize, usize) -> f64| {
        let term = |(n, k): (usize, usize)| {
            gamma * f[n][0] * beta[n][k] * (f[n][0].powi(2) - 1.0) * last(n, k)
        };
        pairs_below(4).map(term).sum::<f64>()
    };
    let likeliest = |n: usize| task.distinct(n)[2];
    let sums = [sum(&|n, _| f[n][likeliest(n)]), sum(&|_, k| f[k][0])];
    e.both("rate of the common token, by differences of J").rel(sums, measured, 1e-8);
}

pub(super) fn eq_13_constant(e: &mut Evidence, _: Trial) {
    // One common token of little weight, so that overlaps are small.
    let task = PlainTask::single(10, 1e6, 0.1, &[1.0, 2.0, 3.0]).rates(1.0, 1.0);
    let p = &task.classes[0].p;
    let rho = (dot(p, p) / p[0].powi(2)).sqrt();
    for z0 in [0.0, -0.5] {
        let mut z = task.zeros();
        z[0] = z0;
        let (x, f) = (3.0, task.directions(&z));
        let unit = task.gamma(x) * (4.0 * z0).exp() / rho.powi(4);
        let (overlap, beta) = (products(&f), task.beta(&f));
        let pull = task.xi(&f, x)[0] / unit;
        let rate = |share: Share| -task.rate(&z, x, share)[0] / unit;
        let right = task.k() - 1.0;
        let what = "f_n . f_n' rho^2 e^(-2z)";
        e.of(what).rel(1.0, overlap[0][1] * rho * rho * (-2.0 * z0).exp(), 0.03);
        e.of("beta_nn' rho^2 e^(-2z)").rel(1.0, beta[0][1] * rho * rho * (-2.0 * z0).exp(), 0.03);
        let what = format!("xi_n rho^4/(gamma e^4z) at z = {z0}");
        e.both(what).rel([task.k(), right], pull, 0.03);
        let what = format!("-dz rho^4/(eta_Z gamma e^4z) by (10) at z = {z0}");
        e.both(what).rel([task.k(), task.k() * right], rate(Share::Sum), 0.03);
        e.but(format!("the same with 1/K at z = {z0}")).rel(right, rate(Share::Mean), 0.03);
    }
}

pub(super) fn constant_norms(e: &mut Evidence, _: Trial) {
    let task = PlainTask::single(10, 1000.0, 1.0, &[1.0, 2.0, 3.0, 4.0]).rates(1.0, 0.5);
    let start = task.zeros();
    let path =
        task.path(&start, Share::Sum, &[task.scanned(), task.snapped(), 20.0 * task.snapped()], 60);
    let first = task.scores(0, &start);
    for point in &path {
        let scores = task.scores(0, &point.z);
        let what = format!("|c|^2 over its start, t = {:.2} t_0", point.t / task.snapped());
        e.of(what).rel(1.0, dot(&scores, &scores) / dot(&first, &first), 0.01).loosely(0.1);
    }
}

pub(super) fn theorem_4_growth(e: &mut Evidence, _: Trial) {
    for eta_z in [0.5, 20.0] {
        let task = PlainTask::single(10, 1e6, 1.0, &[1.0, 2.0, 3.0, 4.0]).rates(1.0, eta_z);
        let p = &task.classes[0].p;
        let (k, rho4) = (task.k(), (dot(p, p) / p[0].powi(2)).powi(2));
        let times = [task.scanned(), task.snapped(), 20.0 * task.snapped()];
        let sum = task.path(&task.zeros(), Share::Sum, &times, 50);
        let mean = task.path(&task.zeros(), Share::Mean, &times, 50);
        let law = Law { k, m: task.m, eta_y: 1.0, eta_z, c0: 1.0 };
        for ((sum, mean), moment) in sum.iter().zip(&mean).zip(law.path(&times, 400)) {
            let total = 4.0 * moment.total;
            let when = format!("t = {:.2} t_0, eta_Z = {eta_z}", sum.t / task.snapped());
            let (printed, right) =
                (0.25 * (rho4 / k + total).ln(), 0.25 / k * (k * (k - 1.0) * total / rho4).ln_1p());
            e.both(format!("B of (10), {when}")).rel([printed, right], sum.b[0], 0.08);
            let what = format!("B with the 1/K of steps of batch size one, {when}");
            e.but(what).rel(0.25 / k * ((k - 1.0) * total / rho4).ln_1p(), mean.b[0], 0.08);
        }
    }
}

/// Laws at random at each of their times, in words last.
fn moments(trial: Trial) -> impl Iterator<Item = (Law, f64, Moment, String)> {
    laws(trial).into_iter().flat_map(|law| {
        law.times().into_iter().zip(law.path(&law.times(), 500)).map(move |(t, moment)| {
            let when = format!("t = {:.2} t_0, {}", t / law.snapped(), name(&law));
            (law, t, moment, when)
        })
    })
}

pub(super) fn eq_122(e: &mut Evidence, trial: Trial) {
    for (law, _, moment, when) in moments(trial) {
        let predicted = 4.0 / law.c0 * moment.total + 1.0;
        e.of(when).rel(predicted, (-4.0 * moment.z).exp(), 1e-8);
    }
}

pub(super) fn eq_123(e: &mut Evidence, trial: Trial) {
    for (law, _, moment, when) in moments(trial) {
        let gamma = law.gamma(moment.x);
        let predicted = gamma / (law.c0 + 4.0 * moment.total);
        e.of(when).rel(predicted, gamma * (4.0 * moment.z).exp() / law.c0, 1e-8);
    }
}

pub(super) fn eq_124(e: &mut Evidence, trial: Trial) {
    for (law, _, moment, when) in moments(trial) {
        let parts = [law.c0 + 4.0 * moment.total, 1.0 + 4.0 * moment.total / law.c0];
        let growth = parts.map(|part| 0.25 * part.ln());
        e.both(format!("B by a plain solver, {when}")).abs(growth, moment.b, 1e-8);
    }
}

pub(super) fn eq_128(e: &mut Evidence, trial: Trial) -> Outcome {
    for (law, t, moment, when) in moments(trial) {
        let what = format!("the integral by steps, {when}");
        e.of(what).rel(law.snap()?.total(t), moment.total, 1e-8);
    }
    Ok(())
}

pub(super) fn eq_129(e: &mut Evidence, trial: Trial) -> Outcome {
    for (law, t, moment, when) in moments(trial) {
        let snap = law.snap()?;
        let growth = [snap.growth_as_printed(t), snap.growth(t)];
        e.both(format!("B by a plain solver, {when}")).abs(growth, moment.b, 1e-8);
    }
    Ok(())
}

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
fn against(e: &mut Evidence, law: &Law, times: &[f64], early: bool) -> Outcome {
    let snap = law.snap()?;
    for (t, moment) in times.iter().zip(law.path(times, 600)) {
        let what = format!("B by a plain solver, t = {:.2} t_0, {}", t / law.snapped(), name(law));
        let branches = [branch(law, *t, early), snap.branch(*t, early)];
        e.both(what).rel(branches, moment.b, 0.035);
    }
    Ok(())
}

pub(super) fn eq_14_scan(e: &mut Evidence, _: Trial) -> Outcome {
    let law = Law { c0: 4.0, ..Law::figure(0.5, 0.5) };
    against(e, &law, &[0.1, 0.25, 0.5, 1.0].map(|part| part * law.scanned()), true)
}

pub(super) fn eq_14_snap(e: &mut Evidence, _: Trial) -> Outcome {
    let law = Law { c0: 4.0, ..Law::figure(0.5, 0.5) };
    against(e, &law, &[1.0, 3.0, 10.0, 100.0].map(|part| part * law.snapped()), false)
}

pub(super) fn eq_14_accuracy(e: &mut Evidence, _: Trial) {
    let law = Law::figure(0.5, 0.5);
    let (first, second) = (law.scanned(), law.snapped());
    let times = [0.25 * first, 0.5 * first, first, second, 10.0 * second];
    for (t, moment) in times.iter().zip(law.path(&times, 500)) {
        let what = format!("B by a plain solver, t = {:.3} t_0", t / second);
        e.of(what).rel(branch(&law, *t, *t <= first), moment.b, 0.005).loosely(0.03);
    }
}

pub(super) fn lead_scan(e: &mut Evidence, _: Trial) {
    let omega = 0.567_143_290_409_783_8;
    for (part, known) in [(0.25, 0.998), (0.5, 0.992), (1.0, 0.919)] {
        let steps = part * 1000.0_f64.ln();
        let found = lead(1000.0, steps) / steps;
        e.of(format!("M h over eta_Y t/K at {part} t_0', M = 1000")).abs(known, found, 6e-4);
    }
    for m in [1e6, 1e12, 1e24, 1e100_f64] {
        let found = lead(m, m.ln()) / m.ln();
        let what = format!("the same at t_0' for M = {m:e}, beside 1 - Omega/ln M");
        e.of(what).abs(1.0 - omega / m.ln(), found, 1e-5);
    }
}

pub(super) fn lead_snap(e: &mut Evidence, _: Trial) {
    let at = |m: f64, times: f64| {
        let steps = 2.0 * times * larger_root(m);
        lead(m, steps) / (m * steps).ln()
    };
    e.of("M h over the logarithm at t_0, M = 1000").abs(0.929, at(1000.0, 1.0), 6e-4);
    e.of("the same at 10 t_0").at_least(0.99, at(1000.0, 10.0));
    for m in [1e6, 1e12, 1e24, 1e100_f64] {
        // At t_0 the two terms of (45) are equal: e^x is half of M eta_Y t/K.
        let whole = (m * 2.0 * larger_root(m)).ln();
        let what = format!("the same at t_0 for M = {m:e}, beside 1 - ln 2/ln(M eta_Y t_0/K)");
        e.of(what).abs(1.0 - 2.0_f64.ln() / whole, at(m, 1.0), 1e-5);
    }
}

pub(super) fn t0_half(e: &mut Evidence, _: Trial) {
    for (m, tolerance) in [(1e3, 3e-4), (1e6, 3e-7), (1e12, 1e-11)] {
        let half = larger_root(m);
        e.of(format!("M h at t_0, M = {m:e}")).rel(half, lead(m, 2.0 * half), tolerance);
    }
}

pub(super) fn eq_14_gap(e: &mut Evidence, _: Trial) -> Outcome {
    let (law, snap) = (Law::figure(0.5, 0.5), Law::figure(0.5, 0.5).snap()?);
    let times = by_factors(law.scanned(), law.snapped(), 9);
    let path = law.path(&times, 300);
    let excess = |(t, moment): (&f64, &Moment)| {
        let of = |early| branch(&law, *t, early) / moment.b - 1.0;
        of(true).min(of(false))
    };
    let better: Vec<f64> = times.iter().zip(&path).map(excess).collect();
    let off = times.iter().zip(&path).map(|(t, moment)| (snap.growth(*t) - moment.b).abs());
    e.of("least excess of the better branch").at_least(0.015, smallest(better.iter().copied()));
    e.of("its excess halfway").at_least(0.04, better[4]);
    e.of("largest error of (129), mended").abs(0.0, largest(off), 1e-8);
    Ok(())
}

pub(super) fn gamma_peak(e: &mut Evidence, _: Trial) -> Outcome {
    let law = Law::figure(1.0, 1.0);
    let times = by_factors(50.0, 63.0, 2001);
    let gammas: Vec<f64> = times.iter().map(|t| law.gamma(lead(law.m, t / law.k))).collect();
    let at = times[place_of_largest(&gammas)] / law.k;
    let found = law.snap()?.peak().unwrap_or(f64::NAN) / law.k;
    e.of("largest gamma by search").abs(4.416, largest(gammas), 6e-4);
    e.of("eta_Y t/K there").abs(5.640, at, 3e-3);
    e.of("the same by its equation").abs(5.640, found, 6e-4);
    e.of("over ln M").abs(0.816, at / law.m.ln(), 6e-4);
    Ok(())
}
