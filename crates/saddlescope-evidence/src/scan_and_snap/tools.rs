//! What claims share: the lead `M h` by bisection, directions of classes, exact binomial laws.

use super::*;

/// What differences of order six leave of a derivative.
pub(super) const DIFFERENCES: f64 = 1e-10;

/// `x = M h` where `eta s = steps`, from 004, Eq. (45).
pub(super) fn lead(m: f64, steps: f64) -> f64 {
    root(|x| steps_for(m, x) - steps, 0.0, (m * steps).ln_1p().min(steps))
}

/// `eta s` where `M h = x`, from 004, Eq. (45).
pub(super) fn steps_for(m: f64, x: f64) -> f64 {
    (x.exp_m1() + (m - 1.0) * x) / m
}

/// `M h*` after `0..=steps` steps. 004, Eq. (33).
pub(super) fn leads(m: f64, eta: f64, steps: usize) -> Vec<f64> {
    let step = |x: &f64| Some(x + m * eta / (m - 1.0 + x.exp()));
    std::iter::successors(Some(0.0), step).take(steps + 1).collect()
}

/// 004, Eq. (85), where `M h = x`.
pub(super) fn gamma(m: f64, x: f64) -> f64 {
    (m - 1.0) * (x / m) / (1.0 + x.exp() / (m - 1.0))
}

/// `(1 + omega_1) ln M`, the larger root of `e^x = (M - 1) x`. 004, Eq. (51).
pub(super) fn larger_root(m: f64) -> f64 {
    root(|x| x - x.ln() - (m - 1.0).ln(), 1.0, 4.0 + 2.0 * m.ln())
}

/// `M^{omega_0 - 1}`, the smaller root. 004, Eq. (50).
pub(super) fn smaller_root(m: f64) -> f64 {
    root(|x| (m - 1.0).ln() - (x - x.ln()), 0.1 / m, 1.0)
}

/// The states of `y' = rate(t, y)` at each of `times`, so many steps of the plain solver from one to the next.
pub(super) fn stepped_to(
    rate: impl Fn(f64, &[f64]) -> Vec<f64>,
    mut y: Vec<f64>,
    times: &[f64],
    steps: usize,
) -> Vec<Vec<f64>> {
    let mut now = 0.0;
    let state = |&t: &f64| {
        y = stepped(&rate, &y, t - now, steps);
        now = t;
        y.clone()
    };
    times.iter().map(state).collect()
}

/// Pairs of different numbers below `k`.
pub(super) fn pairs_below(k: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..k).flat_map(move |n| (0..k).filter(move |&other| other != n).map(move |other| (n, other)))
}

/// `f_n` with the same product `rho` between any two: `sqrt(rho)` on a common token, the rest on one of its own.
pub(super) fn even_directions(classes: usize, rho: f64) -> Matrix {
    Matrix::new(classes + 1, classes, |l, n| match l {
        0 => rho.sqrt(),
        l if l == n + 1 => (1.0 - rho).sqrt(),
        _ => 0.0,
    })
}

/// Random directions without negative entries whose `E` has its largest eigenvalue at `part/K`: common tokens with
/// random weights, and two of its own for each class.
pub(super) fn random_directions(classes: usize, part: f64, stream: &mut Stream) -> Matrix {
    let common = classes + 1;
    let weights: Vec<f64> = (0..common * classes)
        .map(|_| if stream.uniform() < 0.7 { stream.uniform() } else { 0.0 })
        .collect();
    let own: Vec<f64> = (0..2 * classes).map(|_| 0.2 + stream.uniform()).collect();
    let at = |scale: f64| {
        let column = |n: usize| {
            let mut f = vec![0.0; common + 2 * classes];
            (0..common).for_each(|l| f[l] = scale * (0.05 + weights[n * common + l]));
            f[common + 2 * n..][..2].copy_from_slice(&own[2 * n..2 * n + 2]);
            unit(&f)
        };
        let columns: Vec<Vec<f64>> = (0..classes).map(column).collect();
        Matrix::new(common + 2 * classes, classes, |l, n| columns[n][l])
    };
    let wanted = part / classes as f64;
    at(root(|scale| overlaps(&at(scale)).eigen().0[0].abs() - wanted, 0.0, 4.0))
}

/// The probabilities of `0..=count` hits in that many tries.
pub(super) fn binomial(count: usize, p: f64) -> Vec<f64> {
    let mut logs = vec![0.0; count + 1];
    for i in 1..=count {
        logs[i] = logs[i - 1] + (i as f64).ln();
    }
    let log = |hits: usize| {
        let (hit, miss) = (hits as f64, (count - hits) as f64);
        logs[count] - logs[hits] - logs[count - hits] + hit * p.ln() + miss * (1.0 - p).ln()
    };
    (0..=count).map(|hits| log(hits).exp()).collect()
}

/// The probability that the number of hits is further than `radius` from `middle`.
pub(super) fn outside(count: usize, p: f64, middle: f64, radius: f64) -> f64 {
    let far = |(hits, _): &(usize, f64)| (*hits as f64 - middle).abs() > radius + 1e-9;
    binomial(count, p).into_iter().enumerate().filter(far).map(|(_, probability)| probability).sum()
}

/// Random matrices of ordinary size.
pub(super) fn random_matrix(rows: usize, columns: usize, trial: Trial, index: u64) -> Matrix {
    let numbers = random(rows * columns, 1.0, &mut stream(trial, index));
    Matrix::new(rows, columns, |i, j| numbers[i * columns + j])
}
