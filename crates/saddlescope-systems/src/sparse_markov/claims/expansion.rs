//! Appendix D.1, line by line: the expansion of `Pi(s')` and the proof of Theorem 4.

use saddlescope::claim::{Claim, Evidence, Kind, Measurement};

use super::literal::{
    Head, Plain, Rows, apply, dot, norm, outer, pi, product, slopes, sum, sum_rows, unit, without,
};
use super::offshoot::phi;
use super::tools::{DIFFERENCES, ROUNDING, STRENGTHS, largest, random_head, stream};

const T: usize = 5;

/// What the lines of D.1 are made of, at a random head.
struct Terms {
    plain: Plain,
    head: Head,
    /// `<s_1, s'>` and `s'_(1)`.
    p: f64,
    rest: Vec<f64>,
    /// `Pi(s'_(1))`.
    inner: Rows,
    first: Vec<f64>,
    /// `V'^T G_(1) - |V'|^2 s'_(1)`.
    u: Vec<f64>,
}

impl Terms {
    fn new(trial: saddlescope::claim::Trial) -> Self {
        let plain = Plain::new(&STRENGTHS, T);
        let head = random_head(3, T, &mut stream(trial, 0));
        let rest = without(&head.s, 1);
        let u = sum(&[(1.0, &plain.left(1).along(&head.v)), (-dot(&head.v, &head.v), &rest)]);
        let (p, inner) = (head.s[0], pi(&rest));
        Self { plain, head, p, rest, inner, first: unit(0, T), u }
    }

    /// `s_1 s'_(1)^T`, and its transpose.
    fn crossed(&self) -> (Rows, Rows) {
        (outer(&self.first, &self.rest), outer(&self.rest, &self.first))
    }
}

pub(super) const PI: Claim = Claim::new(
    "sparse-markov/d-1-pi",
    "D.1, expansion of $\\Pi(s')$",
    Kind::Equation,
    "$\\Pi(s') = \\Pi(s'_{(1)}) + p^2 s_1^* s_1^{*T} + p (s_1^* s'^T_{(1)} + s'_{(1)} s_1^{*T})$ \
     with $p = \\langle s_1^*, s' \\rangle$.",
    |trial| {
        let terms = Terms::new(trial);
        let (a, b) = terms.crossed();
        let corner = outer(&terms.first, &terms.first);
        let of = |diagonal: f64, off: f64| {
            sum_rows(&[(1.0, &terms.inner), (diagonal, &corner), (off, &a), (off, &b)]).concat()
        };
        let found = pi(&terms.head.s).concat();
        let p = terms.p;
        let what = "all entries, a random s' of 5 positions";
        Ok(Evidence::new()
            .printed(Measurement::each(what, &of(p * p, p), &found, 1e-6))
            .corrected(Measurement::each(what, &of(p * (1.0 - p), -p), &found, ROUNDING)))
    },
)
.corrected(
    "$\\Pi(s'_{(1)}) + p (1 - p) s_1^* s_1^{*T} - p (s_1^* s'^T_{(1)} + s'_{(1)} \
    s_1^{*T})$",
);

pub(super) const INNER: Claim = Claim::new(
    "sparse-markov/d-1-rate",
    "D.1, $\\dot s'$ after the expansion",
    Kind::Equation,
    "$\\dot s' = \\Pi(s') (\\Pi(s'_{(1)}) + p s_1^* s'^T_{(1)}) u$ with $u = V'^T G_{(1)} - |V'|^2 \
     s'_{(1)}$.",
    |trial| {
        let terms = Terms::new(trial);
        let (a, _) = terms.crossed();
        let of = |off: f64| {
            let inner = sum_rows(&[(1.0, &terms.inner), (off, &a)]);
            apply(&pi(&terms.head.s), &apply(&inner, &terms.u))
        };
        let found = terms.plain.two_scale(1, &terms.head).s;
        let what = "all entries, beside Pi(s')^2 u";
        Ok(Evidence::new()
            .printed(Measurement::each(what, &of(terms.p), &found, 1e-9))
            .corrected(Measurement::each(what, &of(-terms.p), &found, ROUNDING)))
    },
)
.corrected("$\\Pi(s') (\\Pi(s'_{(1)}) - p s_1^* s'^T_{(1)}) u$");

pub(super) const ALONG_FIRST: Claim = Claim::new(
    "sparse-markov/d-1-first",
    "D.1, update along $s_1^*$",
    Kind::Equation,
    "$\\langle s_1^*, \\dot s' \\rangle = p^2 s'^T_{(1)} (\\Pi(s'_{(1)}) + I) u$.",
    |trial| {
        let terms = Terms::new(trial);
        let p = terms.p;
        let inner = apply(&terms.inner, &terms.u);
        let of = |factor: f64, identity: f64| {
            factor * (dot(&terms.rest, &inner) + identity * dot(&terms.rest, &terms.u))
        };
        let found = terms.plain.two_scale(1, &terms.head).s[0];
        let what = "beside the first entry of Pi(s')^2 u";
        Ok(Evidence::new()
            .printed(Measurement::absolute(what, of(p * p, 1.0), found, 1e-6))
            .corrected(Measurement::absolute(what, of(-p, p * (1.0 - p)), found, ROUNDING)))
    },
)
.corrected("$-p s'^T_{(1)} (\\Pi(s'_{(1)}) + p (1 - p) I) u$");

pub(super) const REST: Claim = Claim::new(
    "sparse-markov/d-1-rest",
    "D.1, the rest of the update",
    Kind::Equation,
    "$\\dot s'_{(1)} = (\\Pi(s'_{(1)})^2 + p^2 s'_{(1)} s'^T_{(1)}) u$.",
    |trial| {
        let terms = Terms::new(trial);
        let square = product(&terms.inner, &terms.inner);
        let both =
            sum_rows(&[(1.0, &square), (terms.p * terms.p, &outer(&terms.rest, &terms.rest))]);
        let found = without(&terms.plain.two_scale(1, &terms.head).s, 1);
        let what = "all entries but the first, beside Pi(s')^2 u";
        Ok(Evidence::new()
            .printed(Measurement::each(what, &apply(&both, &terms.u), &found, ROUNDING))
            .note(
                "The two wrong signs of the line before cancel here. The print calls it $\\dot \
                s'_2$.",
            ))
    },
);

pub(super) const W: Claim = Claim::new(
    "sparse-markov/theorem-4-w",
    "Theorem 4, proof: $\\dot w_j$",
    Kind::Equation,
    "$\\dot w_j = m_2 s_2 - m_j s_j - |s'_{(1)}|^2 w_j$ for $w_j = \\langle V', V_2^* - V_j^* \
     \\rangle$.",
    |trial| {
        let terms = Terms::new(trial);
        let (v, s) = (&terms.head.v, &terms.head.s);
        let printed = 1.7 * s[1] - s[2] - dot(&terms.rest, &terms.rest) * (v[1] - v[2]);
        let rate = terms.plain.two_scale(1, &terms.head).v;
        let what = "j = 3, a random head";
        Ok(Evidence::new().printed(Measurement::absolute(
            what,
            printed,
            rate[1] - rate[2],
            ROUNDING,
        )))
    },
);

pub(super) const Z: Claim = Claim::new(
    "sparse-markov/theorem-4-z",
    "Theorem 4, proof: last line of $\\dot z_j$",
    Kind::Equation,
    "$\\dot z_j = m_2 s_2^2 \\langle V', V_2 \\rangle - m_j s_j^2 \\langle V', V_j \\rangle - \
     |V'|^2 (s_2^3 - s_j) + c z_j$ for $z_j = s_2 - s_j$ and some number $c$.",
    |trial| {
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
        Ok(Evidence::new()
            .printed(Measurement::absolute(what, printed, rate[1] - rate[2], 1e-6))
            .corrected(Measurement::absolute(what, first, rate[1] - rate[2], ROUNDING)))
    },
)
.corrected("$s_2^3 - s_j^3$, which is a multiple of $z_j$ as the proof needs it");

pub(super) const INVARIANCE: Claim = Claim::new(
    "sparse-markov/theorem-4-invariance",
    "Theorem 4, proof: the set $R$",
    Kind::Dynamics,
    "The order of $V'$ and of $s'$ in favour of the second feature is kept by (11).",
    |trial| {
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
        Ok(Evidence::new()
            .printed(Measurement::at_least(
                "rate of z_3 at s' = (0.4, 0.3, 0.3), V' = (0, -1, -1)",
                0.0,
                rate[1] - rate[2],
            ))
            .corrected(Measurement::at_least(
                format!("rate of w_3 where w_3 = 0, {points}"),
                0.0,
                of_w,
            ))
            .corrected(Measurement::at_least(
                format!("rate of z_3 where z_3 = 0, {points}"),
                -1e-15,
                of_z,
            )))
    },
)
.corrected("where $\\langle V', V_2^* \\rangle \\ge 0$, as in Theorem 1");

pub(super) const LYAPUNOV: Claim = Claim::new(
    "sparse-markov/theorem-4-lyapunov",
    "Theorem 4, proof: the Lyapunov function",
    Kind::Equation,
    "$\\phi = \\langle V', G_{(1)} s_{(1)} \\rangle - |V'|^2 |s_{(1)}|^2/2$ has the slopes $\\dot \
     V'$ and $u$, and $\\dot \\phi = |\\dot V'|^2 + |\\tilde \\Pi u|^2$ with $\\tilde \\Pi^2 = \
     \\Pi(s_{(1)})^2 + p^2 s_{(1)} s_{(1)}^T$; at most $m_2^2/2$.",
    |trial| {
        let terms = Terms::new(trial);
        let rate = terms.plain.two_scale(1, &terms.head);
        let of = |state: &[f64]| phi(&terms.plain, 1, &Head::of(state, 3));
        let found = slopes(of, &terms.head.flat());
        let printed = [rate.v.clone(), terms.u.clone()].concat();
        let path =
            slopes(|step| of(&sum(&[(1.0, &terms.head.flat()), (step[0], &rate.flat())])), &[0.0])
                [0];
        let inner = apply(&terms.inner, &terms.u);
        let pulled = dot(&inner, &inner) + (terms.p * dot(&terms.rest, &terms.u)).powi(2);
        let best: Vec<f64> = terms
            .plain
            .left(1)
            .at(&terms.rest)
            .iter()
            .map(|x| x / dot(&terms.rest, &terms.rest))
            .collect();
        let top = phi(&terms.plain, 1, &Head::new(&best, &terms.head.s));
        Ok(Evidence::new()
            .printed(Measurement::each("slopes beside differences", &printed, &found, DIFFERENCES))
            .printed(Measurement::absolute(
                "change along (11), by differences",
                dot(&rate.v, &rate.v) + pulled,
                path,
                DIFFERENCES,
            ))
            .printed(Measurement::at_most("phi at its best V'", 0.5 * 1.7 * 1.7, top)))
    },
);

pub(super) const TILDE: Claim = Claim::new(
    "sparse-markov/theorem-4-kernel",
    "Theorem 4, proof: $\\ker \\tilde \\Pi$",
    Kind::Equation,
    "$\\ker \\tilde \\Pi(s') \\subseteq \\ker \\Pi(s'_{(1)})$.",
    |trial| {
        // Some attention exactly zero: the kernel is spanned by these positions and position 1.
        let mut s = random_head(3, 6, &mut stream(trial, 0)).s;
        (s[3], s[5]) = (0.0, 0.0);
        let total: f64 = s.iter().sum();
        s.iter_mut().for_each(|s| *s /= total);
        let rest = without(&s, 1);
        let inner = pi(&rest);
        let both =
            sum_rows(&[(1.0, &product(&inner, &inner)), (s[0] * s[0], &outer(&rest, &rest))]);
        let empty = [0, 3, 5];
        let in_kernel = largest(empty.map(|i| norm(&apply(&both, &unit(i, 6)))));
        let of_inner = largest(empty.map(|i| norm(&apply(&inner, &unit(i, 6)))));
        let small = faer::Mat::<f64>::from_fn(3, 3, |i, j| both[[1, 2, 4][i]][[1, 2, 4][j]]);
        let values = small.self_adjoint_eigenvalues(faer::Side::Lower).unwrap_or_default();
        Ok(Evidence::new()
            .printed(Measurement::absolute(
                "both matrices on the positions without attention",
                0.0,
                in_kernel.max(of_inner),
                1e-300,
            ))
            .printed(Measurement::at_least(
                "least eigenvalue of the square of the first on the others",
                1e-9,
                values.first().copied().unwrap_or(f64::NAN),
            )))
    },
);

pub(super) const FACTORS: Claim = Claim::new(
    "sparse-markov/theorem-4-factors",
    "Theorem 4, proof: stationary points",
    Kind::Equation,
    "The limit has $G_{(1)} s'_\\infty = H |s'_\\infty|^2 V'_\\infty$ and $m_2^2 = h^2 \
     |s'_\\infty|^2 |V'_\\infty|^2$.",
    |_| {
        // The limit on two positions, and the points of the line.
        let plain = Plain::new(&STRENGTHS, 3);
        let (mut off, mut squares) = ([0.0_f64; 2], [0.0_f64; 2]);
        for p in [0.2, 0.694_587_907_682, 1.0] {
            let rest = [0.0, p, 0.0];
            let v = [0.0, STRENGTHS[1] / p, 0.0];
            for (i, h) in [3.0, 1.0].into_iter().enumerate() {
                let left = sum(&[(1.0, &plain.left(1).at(&rest)), (-h * p * p, &v)]);
                off[i] = off[i].max(norm(&left));
                squares[i] =
                    squares[i].max((h * h * p * p * dot(&v, &v) - STRENGTHS[1].powi(2)).abs());
            }
        }
        let (first, second) = (
            "G_(1) s - h |s|^2 V with s = s'_(1) on the line of fixed points",
            "h^2 \
            |s|^2 |V|^2 - m_2^2",
        );
        Ok(Evidence::new()
            .printed(Measurement::absolute(format!("{first}, h = 3"), 0.0, off[0], 1e-6))
            .printed(Measurement::absolute(format!("{second}, h = 3"), 0.0, squares[0], 1e-6))
            .corrected(Measurement::absolute(format!("{first}, h = 1"), 0.0, off[1], ROUNDING))
            .corrected(Measurement::absolute(format!("{second}, h = 1"), 0.0, squares[1], 1e-11)))
    },
)
.corrected("1 in place of $H$ and $h$: a single head leaves; and $s'_{(1)}$ in place of $s'$");
