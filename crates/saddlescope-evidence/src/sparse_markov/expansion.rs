//! Appendix D.1, line by line: the expansion of `Pi(s')`, the proof of Theorem 4, and Lemmas 2 and 3 on the kernel of `Pi(s)`
//! and the largest entry of `Pi(s) v`.

use super::offshoot::phi;
use super::*;

const T: usize = 5;
static PLAIN: LazyLock<Plain> = LazyLock::new(|| Plain::new(&STRENGTHS, T));

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
        let (plain, head) = Plain::with_head(T, trial);
        let rest = without(&head.s, 1);
        let u = plus(&plain.left(1).along(&head.v), -dot(&head.v, &head.v), &rest);
        let (p, inner) = (head.s[0], pi(&rest));
        Self { plain, head, p, rest, inner, first: axis(0, T), u }
    }

    /// `s_1 s'_(1)^T`.
    fn crossed(&self) -> Matrix {
        Matrix::outer(&self.first, &self.rest)
    }
}

pub(super) fn d_1_pi(e: &mut Evidence, trial: Trial) {
    let terms = Terms::new(trial);
    let corner = Matrix::outer(&terms.first, &terms.first);
    let of = |diagonal: f64, off: f64| {
        let crossed = terms.crossed() * off;
        &terms.inner + &corner * diagonal + &crossed + crossed.transposed()
    };
    let found = pi(&terms.head.s);
    let p = terms.p;
    let what = "all entries, a random s' of 5 positions";
    e.of(what).each(&of(p * p, p), &found, 1e-6);
    e.but(what).each(&of(p * (1.0 - p), -p), &found, ROUNDING);
}

pub(super) fn d_1_rate(e: &mut Evidence, trial: Trial) {
    let terms = Terms::new(trial);
    let of = |off: f64| {
        let inner = &terms.inner + terms.crossed() * off;
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
    let both =
        &terms.inner * &terms.inner + Matrix::outer(&terms.rest, &terms.rest) * (terms.p * terms.p);
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
    let (plain, mut head) = Plain::with_head(T, trial);
    head.s[2] = head.s[1];
    let head = head.normalised();
    let (v, s) = (&head.v, head.s[1]);
    let rate = plain.two_scale(1, &head).s;
    let first = s * s * (1.7 * v[1] - v[2]);
    let printed = first - dot(v, v) * (s.powi(3) - s);
    let what = "rate of z_3 where z_3 = 0, a random head";
    e.of(what).abs(printed, rate[1] - rate[2], 1e-6);
    e.but(what).abs(first, rate[1] - rate[2], ROUNDING);
}

pub(super) fn theorem_4_invariance(e: &mut Evidence, trial: Trial) {
    let below = Head::new(&[0.0, -1.0, -1.0], &[0.4, 0.3, 0.3, 0.0, 0.0]);
    let rate = PLAIN.two_scale(1, &below).s;
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
        let rate = PLAIN.two_scale(1, &on_w).v;
        of_w = of_w.min(rate[1] - rate[2]);
        head.s[2] = head.s[1];
        let rate = PLAIN.two_scale(1, &head.normalised()).s;
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
    let of = |head: &Head| phi(&terms.plain, 1, head);
    let found = gradient(|state| of(&Head::of(state, 3)), &terms.head.flat());
    let printed = [rate.v.clone(), terms.u.clone()].concat();
    let inner = terms.inner.apply(&terms.u);
    let pulled = dot(&inner, &inner) + (terms.p * dot(&terms.rest, &terms.u)).powi(2);
    let best = terms.plain.left(1).best_value(1.0, &terms.rest);
    let top = of(&Head::new(&best, &terms.head.s));
    e.of("slopes beside differences").each(&printed, &found, DIFFERENCES);
    let what = "change along (11), by differences";
    e.of(what).abs(dot(&rate.v, &rate.v) + pulled, change(of, &terms.head, &rate), DIFFERENCES);
    e.of("phi at its best V'").at_most(0.5 * 1.7 * 1.7, top);
}

pub(super) fn theorem_4_kernel(e: &mut Evidence, trial: Trial) -> Outcome {
    // Some attention exactly zero: the kernel is spanned by these positions and position 1.
    let mut head = random_head(3, 6, &mut stream(trial, 0));
    (head.s[3], head.s[5]) = (0.0, 0.0);
    let s = head.normalised().s;
    let rest = without(&s, 1);
    let inner = pi(&rest);
    let both = &inner * &inner + Matrix::outer(&rest, &rest) * (s[0] * s[0]);
    let in_kernel = |matrix: &Matrix| largest([0, 3, 5].map(|i| norm(&matrix.get_column(i))));
    let small = Matrix::new(3, 3, |i, j| both[([1, 2, 4][i], [1, 2, 4][j])]);
    let what = "both matrices on the positions without attention";
    e.of(what).abs(0.0, in_kernel(&both).max(in_kernel(&inner)), 1e-300);
    e.of("least eigenvalue of the square of the first on the others")
        .at_least(1e-9, eigenvalues(&small)?[0]);
    Ok(())
}

pub(super) fn theorem_4_factors(e: &mut Evidence, _: Trial) {
    // The limit on two positions, and the points of the line.
    let plain = Plain::new(&STRENGTHS, 3);
    let (mut off, mut squares) = ([0.0_f64; 2], [0.0_f64; 2]);
    for p in [0.2, 0.694_587_907_682, 1.0] {
        let Head { v, s } = Head::on(1, STRENGTHS[1] / p, 3, 3);
        for (i, h) in [3.0, 1.0].into_iter().enumerate() {
            let left = plus(&plain.left(1).at(&times_each(p, &s)), -h * p * p, &v);
            off[i] = off[i].max(norm(&left));
            squares[i] = squares[i].max((h * h * p * p * dot(&v, &v) - STRENGTHS[1].powi(2)).abs());
        }
    }
    let first = "G_(1) s - h |s|^2 V with s = s'_(1) on the line of fixed points";
    let second = "h^2 |s|^2 |V|^2 - m_2^2";
    e.of(format!("{first}, h = 3")).abs(0.0, off[0], 1e-6);
    e.of(format!("{second}, h = 3")).abs(0.0, squares[0], 1e-6);
    e.but(format!("{first}, h = 1")).abs(0.0, off[1], ROUNDING);
    e.but(format!("{second}, h = 1")).abs(0.0, squares[1], 1e-11);
}

/// How many eigenvalues of `Pi(s)` are zero.
fn nullity(s: &[f64]) -> Outcome<usize> {
    Ok(eigenvalues(&pi(s))?.iter().filter(|value| value.abs() < 1e-13).count())
}

pub(super) fn lemma_2(e: &mut Evidence, trial: Trial) -> Outcome {
    let shares = softmax(&random(4, 1.0, &mut stream(trial, 0)));
    let s = [shares[0], 0.0, shares[1], shares[2], 0.0, shares[3]];
    // A vector of the kernel that lies in neither part.
    let mixed = plus(&axis(1, 6), 1.0, &s.map(|s| f64::from(s > 0.0)));
    let part = |seen: bool| {
        let kept = s.iter().zip(&mixed).filter(|(s, _)| (**s > 0.0) == seen);
        norm(&kept.map(|(_, x)| *x).collect::<Vec<_>>())
    };
    e.of("distance to the nearer of the two spans, of e_2 + sum of e_j with s_j > 0, which Pi(s) \
         sends to zero")
        .abs(0.0, part(true).min(part(false)), 1e-6);
    e.but("Pi(s) times that vector").abs(0.0, norm(&pi(&s).apply(&mixed)), ROUNDING);
    e.but("zero eigenvalues, two of six entries zero").count(3, nullity(&s)?);
    e.but("the same with s times 0.8").count(2, nullity(&times_each(0.8, &s))?);
    e.but("at a corner of the simplex").count(6, nullity(&axis(0, 6))?);
    Ok(())
}

pub(super) fn lemma_3(e: &mut Evidence, trial: Trial) {
    // Three positions, h = 2: the third has the largest v and most attention.
    let (s, v) = ([0.3, 0.1, 0.6], [1.0, 0.9, 5.0]);
    let found = pi(&s).apply(&v);
    let mut numbers = stream(trial, 0);
    let mut least = f64::INFINITY;
    for _ in 0..500 {
        let mut s = softmax(&random(5, 1.0, &mut numbers));
        let mut v = random(5, 1.0, &mut numbers);
        // The first entry is the largest: of s among the first three, of v among all.
        let top = place_of_largest(&s[..3]);
        s.swap(0, top);
        let top = place_of_largest(&v);
        v.swap(0, top);
        let found = pi(&s).apply(&v);
        least = least.min(smallest((1..3).map(|j| found[0] - found[j])));
    }
    e.of("first less second entry of Pi(s) v at s = (0.3, 0.1, 0.6), v = (1, 0.9, 5), h = 2")
        .at_least(0.0, found[0] - found[1]);
    let what = "first less second and third entries, v_1 the largest of all five, s_1 of the first three, least of 500";
    e.but(what).at_least(0.0, least);
}

pub(super) fn lemma_3_use(e: &mut Evidence, trial: Trial) {
    // For any strengths in falling order, with irrelevant positions.
    let mut numbers = stream(trial, 0);
    let mut least = f64::INFINITY;
    for _ in 0..50 {
        let mut m: Vec<f64> = (0..4).map(|_| 0.1 + numbers.uniform()).collect();
        m.sort_by(|a, b| b.total_cmp(a));
        let v: Vec<f64> = (0..9).map(|i| m.get(i).map_or(0.0, |m| m * m)).collect();
        let even = [1.0 / 9.0; 9];
        let found = pi(&even).apply(&pi(&even).apply(&v));
        least = least.min(found[0] - largest(found[1..].iter().copied()));
    }
    let what =
        "least lead of the first entry of Pi(1/T)^2 sum m_j^2 s_j, 50 random lists of strengths";
    e.of(what).at_least(0.0, least);
}
