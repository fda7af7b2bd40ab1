//! Appendix D.1, line by line: the expansion of `Pi(s')` and the proof of Theorem 4.

use super::offshoot::phi;
use super::*;

const T: usize = 5;

/// What the lines of D.1 are made of, at a random head.
struct Terms {
    plain: Plain,
    head: Head,
    /// `<s_1, s'>` and `s'_(1)`.
    p: f64,
    rest: Vec<f64>,
    /// `Pi(s'_(1))`.
    inner: Matrix,
    first: Vec<f64>,
    /// `V'^T G_(1) - |V'|^2 s'_(1)`.
    u: Vec<f64>,
}

impl Terms {
    fn new(trial: Trial) -> Self {
        let plain = Plain::new(&STRENGTHS, T);
        let head = random_head(3, T, &mut stream(trial, 0));
        let rest = without(&head.s, 1);
        let u = plus(&plain.left(1).along(&head.v), -dot(&head.v, &head.v), &rest);
        let (p, inner) = (head.s[0], pi(&rest));
        Self { plain, head, p, rest, inner, first: unit(0, T), u }
    }

    /// `s_1 s'_(1)^T`, and its transpose.
    fn crossed(&self) -> (Matrix, Matrix) {
        (Matrix::outer(&self.first, &self.rest), Matrix::outer(&self.rest, &self.first))
    }
}

pub(super) fn d_1_pi(e: &mut Evidence, trial: Trial) {
    let terms = Terms::new(trial);
    let (a, b) = terms.crossed();
    let corner = Matrix::outer(&terms.first, &terms.first);
    let of =
        |diagonal: f64, off: f64| terms.inner.plus(diagonal, &corner).plus(off, &a).plus(off, &b);
    let found = pi(&terms.head.s);
    let p = terms.p;
    let what = "all entries, a random s' of 5 positions";
    e.of(what).each(&of(p * p, p), &found, 1e-6);
    e.but(what).each(&of(p * (1.0 - p), -p), &found, ROUNDING);
}

pub(super) fn d_1_rate(e: &mut Evidence, trial: Trial) {
    let terms = Terms::new(trial);
    let (a, _) = terms.crossed();
    let of = |off: f64| {
        let inner = terms.inner.plus(off, &a);
        pi(&terms.head.s).apply(&inner.apply(&terms.u))
    };
    let found = terms.plain.two_scale(1, &terms.head).s;
    let what = "all entries, beside Pi(s')^2 u";
    e.of(what).each(&of(terms.p), &found, 1e-9);
    e.but(what).each(&of(-terms.p), &found, ROUNDING);
}

pub(super) fn d_1_first(e: &mut Evidence, trial: Trial) {
    let terms = Terms::new(trial);
    let p = terms.p;
    let inner = terms.inner.apply(&terms.u);
    let of = |factor: f64, identity: f64| {
        factor * (dot(&terms.rest, &inner) + identity * dot(&terms.rest, &terms.u))
    };
    let found = terms.plain.two_scale(1, &terms.head).s[0];
    let what = "beside the first entry of Pi(s')^2 u";
    e.of(what).abs(of(p * p, 1.0), found, 1e-6);
    e.but(what).abs(of(-p, p * (1.0 - p)), found, ROUNDING);
}

pub(super) fn d_1_rest(e: &mut Evidence, trial: Trial) {
    let terms = Terms::new(trial);
    let square = terms.inner.times(&terms.inner);
    let both = square.plus(terms.p * terms.p, &Matrix::outer(&terms.rest, &terms.rest));
    let found = without(&terms.plain.two_scale(1, &terms.head).s, 1);
    let what = "all entries but the first, beside Pi(s')^2 u";
    e.of(what).each(&both.apply(&terms.u), &found, ROUNDING);
}

pub(super) fn theorem_4_w(e: &mut Evidence, trial: Trial) {
    let terms = Terms::new(trial);
    let (v, s) = (&terms.head.v, &terms.head.s);
    let printed = 1.7 * s[1] - s[2] - dot(&terms.rest, &terms.rest) * (v[1] - v[2]);
    let rate = terms.plain.two_scale(1, &terms.head).v;
    e.of("j = 3, a random head").abs(printed, rate[1] - rate[2], ROUNDING);
}

pub(super) fn theorem_4_z(e: &mut Evidence, trial: Trial) {
    // Where z is zero, so is the last term.
    let plain = Plain::new(&STRENGTHS, T);
    let mut head = random_head(3, T, &mut stream(trial, 0));
    head.s[2] = head.s[1];
    let total: f64 = head.s.iter().sum();
    head.s.iter_mut().for_each(|s| *s /= total);
    let (v, s) = (&head.v, head.s[1]);
    let rate = plain.two_scale(1, &head).s;
    let first = s * s * (1.7 * v[1] - v[2]);
    let printed = first - dot(v, v) * (s.powi(3) - s);
    let what = "rate of z_3 where z_3 = 0, a random head";
    e.of(what).abs(printed, rate[1] - rate[2], 1e-6);
    e.but(what).abs(first, rate[1] - rate[2], ROUNDING);
}

pub(super) fn theorem_4_invariance(e: &mut Evidence, trial: Trial) {
    let plain = Plain::new(&STRENGTHS, T);
    let below = Head::new(&[0.0, -1.0, -1.0], &[0.4, 0.3, 0.3, 0.0, 0.0]);
    let rate = plain.two_scale(1, &below).s;
    let mut numbers = stream(trial, 0);
    let (mut of_w, mut of_z) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..300 {
        let mut head = random_head(3, T, &mut numbers);
        head.v[1] = head.v[1].abs().max(head.v[2]);
        if head.s[2] > head.s[1] {
            head.s.swap(1, 2);
        }
        let mut on_w = head.clone();
        on_w.v[2] = on_w.v[1];
        let rate = plain.two_scale(1, &on_w).v;
        of_w = of_w.min(rate[1] - rate[2]);
        head.s[2] = head.s[1];
        let total: f64 = head.s.iter().sum();
        head.s.iter_mut().for_each(|s| *s /= total);
        let rate = plain.two_scale(1, &head).s;
        of_z = of_z.min(rate[1] - rate[2]);
    }
    let points = "least of 300 random points with <V', V_2> >= 0";
    e.of("rate of z_3 at s' = (0.4, 0.3, 0.3), V' = (0, -1, -1)").at_least(0.0, rate[1] - rate[2]);
    e.but(format!("rate of w_3 where w_3 = 0, {points}")).at_least(0.0, of_w);
    e.but(format!("rate of z_3 where z_3 = 0, {points}")).at_least(-1e-15, of_z);
}

pub(super) fn theorem_4_lyapunov(e: &mut Evidence, trial: Trial) {
    let terms = Terms::new(trial);
    let rate = terms.plain.two_scale(1, &terms.head);
    let of = |state: &[f64]| phi(&terms.plain, 1, &Head::of(state, 3));
    let found = gradient(of, &terms.head.flat());
    let printed = [rate.v.clone(), terms.u.clone()].concat();
    let path = gradient(|step| of(&plus(&terms.head.flat(), step[0], &rate.flat())), &[0.0])[0];
    let inner = terms.inner.apply(&terms.u);
    let pulled = dot(&inner, &inner) + (terms.p * dot(&terms.rest, &terms.u)).powi(2);
    let best: Vec<f64> = terms
        .plain
        .left(1)
        .at(&terms.rest)
        .iter()
        .map(|x| x / dot(&terms.rest, &terms.rest))
        .collect();
    let top = phi(&terms.plain, 1, &Head::new(&best, &terms.head.s));
    e.of("slopes beside differences").each(&printed, &found, DIFFERENCES);
    let what = "change along (11), by differences";
    e.of(what).abs(dot(&rate.v, &rate.v) + pulled, path, DIFFERENCES);
    e.of("phi at its best V'").at_most(0.5 * 1.7 * 1.7, top);
}

pub(super) fn theorem_4_kernel(e: &mut Evidence, trial: Trial) {
    // Some attention exactly zero: the kernel is spanned by these positions and position 1.
    let mut s = random_head(3, 6, &mut stream(trial, 0)).s;
    (s[3], s[5]) = (0.0, 0.0);
    let total: f64 = s.iter().sum();
    s.iter_mut().for_each(|s| *s /= total);
    let rest = without(&s, 1);
    let inner = pi(&rest);
    let both = inner.times(&inner).plus(s[0] * s[0], &Matrix::outer(&rest, &rest));
    let empty = [0, 3, 5];
    let in_kernel = largest(empty.map(|i| norm(&both.apply(&unit(i, 6)))));
    let of_inner = largest(empty.map(|i| norm(&inner.apply(&unit(i, 6)))));
    let small = faer::Mat::<f64>::from_fn(3, 3, |i, j| both[([1, 2, 4][i], [1, 2, 4][j])]);
    let values = saddlescope::numeric::decompose::eigenvalues(&small).unwrap_or_default();
    let what = "both matrices on the positions without attention";
    e.of(what).abs(0.0, in_kernel.max(of_inner), 1e-300);
    e.of("least eigenvalue of the square of the first on the others")
        .at_least(1e-9, values.first().copied().unwrap_or(f64::NAN));
}

pub(super) fn theorem_4_factors(e: &mut Evidence, _: Trial) {
    // The limit on two positions, and the points of the line.
    let plain = Plain::new(&STRENGTHS, 3);
    let (mut off, mut squares) = ([0.0_f64; 2], [0.0_f64; 2]);
    for p in [0.2, 0.694_587_907_682, 1.0] {
        let rest = [0.0, p, 0.0];
        let v = [0.0, STRENGTHS[1] / p, 0.0];
        for (i, h) in [3.0, 1.0].into_iter().enumerate() {
            let left = plus(&plain.left(1).at(&rest), -h * p * p, &v);
            off[i] = off[i].max(norm(&left));
            squares[i] = squares[i].max((h * h * p * p * dot(&v, &v) - STRENGTHS[1].powi(2)).abs());
        }
    }
    let (first, second) = (
        "G_(1) s - h |s|^2 V with s = s'_(1) on the line of fixed points",
        "h^2 |s|^2 |V|^2 - m_2^2",
    );
    e.of(format!("{first}, h = 3")).abs(0.0, off[0], 1e-6);
    e.of(format!("{second}, h = 3")).abs(0.0, squares[0], 1e-6);
    e.but(format!("{first}, h = 1")).abs(0.0, off[1], ROUNDING);
    e.but(format!("{second}, h = 1")).abs(0.0, squares[1], 1e-11);
}
