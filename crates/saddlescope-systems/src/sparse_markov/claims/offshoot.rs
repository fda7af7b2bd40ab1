//! Theorems 4 and 5: where the head that leaves comes to rest.

use saddlescope::claim::{Claim, Evidence, Kind, Measurement};

use super::cooperation::{cooperative_at, offshoot};
use super::lemma_one::two_scale_at;
use super::literal::{Head, Plain, dot, norm, slopes, sum, without};
use super::tools::{ROUNDING, STRENGTHS, largest, random_head, smallest, stepped, stream};

/// `<V', G_(n) s_(n)> - |V'|^2 |s_(n)|^2/2`: above zero, (12) is met.
pub(super) fn phi(plain: &Plain, n: usize, head: &Head) -> f64 {
    let rest = without(&head.s, n);
    dot(&head.v, &plain.left(n).at(&rest)) - 0.5 * dot(&head.v, &head.v) * dot(&rest, &rest)
}

/// Two positions, values `(0, v)`, attention `(1 - s, s)`.
fn pair(v: f64, s: f64) -> Head {
    Head::new(&[0.0, v], &[1.0 - s, s])
}

const TWO: [f64; 2] = [2.89, 1.7];

pub(super) const THEOREM_4: Claim = Claim::new(
    "sparse-markov/theorem-4",
    "Theorem 4",
    Kind::Dynamics,
    "From starts ordered in favour of the second feature that meet (12), (11) converges to $V' = V_2^*$, $s' = s_2^*$.",
    |_| {
        // Two positions: nothing but the first two features. Then eight, and the start of an independent implementation.
        let alone = two_scale_at(&TWO, 1, &pair(0.05, 0.05), &[1e4])?.remove(0);
        let wide = Head::new(&[0.5, 0.05, 0.0], &[0.7, 0.06, 0.04, 0.04, 0.04, 0.04, 0.04, 0.04]);
        let inside = two_scale_at(&STRENGTHS, 1, &wide, &[1e8])?.remove(0);
        let known = Head::new(&[2.89 / 3.0, 0.05, 0.0], &[0.949, 0.05, 0.001]);
        let other = two_scale_at(&STRENGTHS, 1, &known, &[1e4])?.remove(0);
        let met = [
            phi(&Plain::new(&TWO, 2), 1, &pair(0.05, 0.05)),
            phi(&Plain::new(&STRENGTHS, 8), 1, &wide),
            phi(&Plain::new(&STRENGTHS, 3), 1, &known),
        ];
        let (of_two, of_eight) = (
            "at t = 10^4 from V' = (0, 0.05), s' = (0.95, 0.05), two positions",
            "at t = 10^8 from eight positions with attention on all of them",
        );
        Ok(Evidence::new()
            .assuming(
                format!("(12) is met by all starts: {:.4}, {:.4}, {:.4} > 0", met[0], met[1], met[2]),
                met.iter().all(|phi| *phi > 0.0),
            )
            .printed(Measurement::absolute(format!("s'_2 {of_two}"), 1.0, alone.s[1], 0.01))
            .printed(Measurement::absolute(format!("V'_2 {of_eight}"), 1.0, inside.v[1], 0.01))
            .corrected(Measurement::absolute(format!("s'_2 {of_eight}"), 1.0, inside.s[1], 1e-3))
            .corrected(Measurement::absolute("V'_2 there, beside m_2", STRENGTHS[1], inside.v[1], 1e-3))
            .corrected(Measurement::absolute(
                format!("V'_2 s'_2 {of_two}, beside m_2"),
                TWO[1],
                alone.v[1] * alone.s[1],
                1e-9,
            ))
            .corrected(Measurement::absolute("s'_2 there", 0.694_588, alone.s[1], 1e-6))
            .corrected(Measurement::absolute(
                "s'_2 at t = 10^4 from s' = (0.949, 0.05, 0.001), by an independent implementation",
                0.679_726_985_271,
                other.s[1],
                1e-6,
            )))
    },
)
.corrected(
    "$V' \\to m_2^* V_2^*$, as the proof has it, and $s' \\to s_2^*$ from inside the simplex where there is a third position, but only \
     algebraically: exponentially fast only $\\langle V', V_2^* \\rangle \\langle s', s_2^* \\rangle \\to m_2^*$, a line of fixed points along which it \
     then slides. With attention on two positions alone it stops on the line, at $s'_2 = p < 1$",
);

pub(super) const SLIDE: Claim = Claim::new(
    "sparse-markov/theorem-4-slide",
    "Theorem 4, added: along the line of fixed points",
    Kind::Dynamics,
    "With attention on $N$ positions besides the first two, (11) slides along the line of fixed points: what is on position 1 falls as \
     $t^{-N/(2(N+1))}$, what is on each of the others as $t^{-1/2}$.",
    |_| {
        let mut evidence = Evidence::new();
        for others in [1_usize, 3, 6] {
            let mut s = vec![0.3 / others as f64; others + 2];
            (s[0], s[1]) = (0.6, 0.1);
            let mut v = vec![0.0; 3];
            v[1] = 0.05;
            let ends = two_scale_at(&STRENGTHS, 1, &Head { v, s }, &[1e8, 1e10])?;
            let decades = |i: usize| (ends[0].s[i] / ends[1].s[i]).log10() / 2.0;
            let law = others as f64 / (2.0 * (others as f64 + 1.0));
            evidence = evidence
                .printed(Measurement::absolute(
                    format!("decades of s'_1 per decade of time, t = 10^8 to 10^10, N = {others}"),
                    law,
                    decades(0),
                    2e-3,
                ))
                .printed(Measurement::absolute(
                    format!("the same for s'_3, N = {others}"),
                    0.5,
                    decades(2),
                    2e-3,
                ));
        }
        Ok(evidence.note(
            "At rest in $V'$, $\\dot q_i = -a_i$ at the others, $\\dot q_1 = 0$, $\\dot q_2 = \\sum a_i$ with $a_i = s_i^2 (m_2^2 - m_i^2)/p^2$, \
             whence all $a_i = 1/(2 (N+1) t)$. Sums of logits being kept, what others lose position 2 gains.",
        ))
    },
);

pub(super) const LINE: Claim = Claim::new(
    "sparse-markov/theorem-4-line",
    "Theorem 4, proof: the stationary points",
    Kind::Landscape,
    "(11) is at rest with $\\langle s'_2, s_2^* \\rangle > 0$ only at $s' = s_2^*$: equality in $|G_{(1)} s|^2/|s|^2 \\le m_2^2$ holds if and \
     only if $s = s_2^*$.",
    |_| {
        let plain = Plain::new(&STRENGTHS, 4);
        let rate = |p: f64, j: usize| {
            let (mut v, mut s) = (vec![0.0; 3], vec![0.0; 4]);
            v[j] = STRENGTHS[j] / p;
            (s[0], s[j]) = (1.0 - p, p);
            norm(&plain.two_scale(1, &Head { v, s }).flat())
        };
        let shares = [0.1, 0.3, 0.5, 0.7, 0.9];
        let ratio = {
            let rest = without(&[0.6, 0.4, 0.0, 0.0], 1);
            let gs = plain.left(1).at(&rest);
            dot(&gs, &gs) / dot(&rest, &rest)
        };
        let what = "least rate on s' = (1 - p) s_1 + p s_2, V' = (m_2/p) V_2, p = 0.1 to 0.9";
        Ok(Evidence::new()
            .printed(Measurement::at_least(what, 1e-6, smallest(shares.map(|p| rate(p, 1)))))
            .corrected(Measurement::absolute(
                "largest rate on that line",
                0.0,
                largest(shares.map(|p| rate(p, 1))),
                ROUNDING,
            ))
            .corrected(Measurement::absolute(
                "and on that of the third feature",
                0.0,
                largest(shares.map(|p| rate(p, 2))),
                ROUNDING,
            ))
            .corrected(Measurement::absolute(
                "|G_(1) s_(1)|^2/|s_(1)|^2 at s = 0.6 s_1 + 0.4 s_2, beside m_2^2",
                STRENGTHS[1].powi(2),
                ratio,
                ROUNDING,
            )))
    },
)
.corrected("a line of fixed points for every $p \\in (0, 1]$, and one for each later feature: equality holds where $s_{(1)}$ is parallel to \
            $s_2^*$");

pub(super) const OTHER_LINES: Claim = Claim::new(
    "sparse-markov/theorem-4-others",
    "Theorem 4, added: other points at rest",
    Kind::Landscape,
    "(11) also rests at $s' = s_1^*$ with any $V'$, and at $V' = 0$ with attention on position 1 and on positions that hold nothing.",
    |trial| {
        let plain = Plain::new(&STRENGTHS, 6);
        let v = random_head(3, 6, &mut stream(trial, 0)).v;
        let corner = Head::new(&v, &[1.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        let nothing = Head::new(&[0.0; 3], &[0.4, 0.0, 0.0, 0.3, 0.2, 0.1]);
        Ok(Evidence::new()
            .printed(Measurement::absolute(
                "rates at s' = s_1, a random V'",
                0.0,
                norm(&plain.two_scale(1, &corner).flat()),
                ROUNDING,
            ))
            .printed(Measurement::absolute(
                "rates at V' = 0, s' = (0.4, 0, 0, 0.3, 0.2, 0.1)",
                0.0,
                norm(&plain.two_scale(1, &nothing).flat()),
                ROUNDING,
            )))
    },
);

/// What (11) keeps on two positions.
fn kept(v: f64, s: f64) -> f64 {
    v * v - (s / (1.0 - s)).ln() - 1.0 / (1.0 - s)
}

/// The `p` with `V = m/p` at which [`kept`] has that value, by bisection in `ln(p/(1-p))`.
fn resting_share(m: f64, value: f64) -> f64 {
    let share = |x: f64| 1.0 / (1.0 + f64::exp(-x));
    let left = |x: f64| (m / share(x)).powi(2) - x - (1.0 + x.exp()) - value;
    let (mut low, mut high) = (-60.0, 60.0);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if left(middle) > 0.0 { low = middle } else { high = middle }
    }
    share(0.5 * (low + high))
}

pub(super) const KEPT: Claim = Claim::new(
    "sparse-markov/theorem-4-invariant",
    "Theorem 4, added: a conserved quantity",
    Kind::Dynamics,
    "On two positions with $V'_1 = 0$, (11) keeps $V^2 - \\ln(s/(1-s)) - 1/(1-s)$ for $V = \\langle V', V_2^* \\rangle$, $s = \\langle s', s_2^* \\rangle$, \
     which with $V s = m_2$ says where it ends.",
    |_| {
        let plain = Plain::new(&TWO, 2);
        let mut evidence = Evidence::new();
        for (v, s) in [(0.05, 0.05), (1e-3, 1e-3), (-0.3, 0.2), (2.5, 0.4)] {
            let (from, head) = (kept(v, s), pair(v, s));
            // The change along the rates, by differences; then the path, by the plain solver and by our law.
            let rate = plain.two_scale(1, &head);
            let at = |step: &[f64]| kept(v + step[0] * rate.v[1], s + step[0] * rate.s[1]);
            let slope = slopes(|step| at(&[1e-3 * step[0]]), &[0.0])[0] * 1e3;
            let of = |_: f64, state: &[f64]| plain.two_scale(1, &Head::of(state, 2)).flat();
            let middle = Head::of(&stepped(of, &head.flat(), 20.0, 4000), 2);
            let end = two_scale_at(&TWO, 1, &head, &[1e5])?.remove(0);
            let start = format!("from V = {v}, s = {s}");
            evidence = evidence
                .printed(Measurement::absolute(format!("its rate, {start}"), 0.0, slope, 1e-7))
                .printed(Measurement::absolute(
                    format!("its value at t = 20, plain solver, {start}"),
                    from,
                    kept(middle.v[1], middle.s[1]),
                    1e-7,
                ))
                .printed(Measurement::absolute(
                    format!("s at t = 10^5, {start}"),
                    resting_share(TWO[1], from),
                    end.s[1],
                    1e-6,
                ));
        }
        Ok(evidence)
    },
);

pub(super) const SHARE: Claim = Claim::new(
    "sparse-markov/theorem-4-share",
    "Theorem 4, added: how much attention leaves",
    Kind::Dynamics,
    "On two positions, the smaller the start, the less attention leaves position 1: $p \\approx m_2^*/\\sqrt{\\ln(1/\\epsilon)}$ from $V'_2 = s'_2 = \\epsilon$, and \
     $p \\to 0$.",
    |_| {
        let share = |eps: f64| resting_share(TWO[1], kept(eps, eps));
        let law = |eps: f64| share(eps) * (1.0 / eps).ln().sqrt() / TWO[1];
        Ok(Evidence::new()
            .printed(Measurement::absolute("p from eps = 0.05", 0.694_588, share(0.05), 1e-6))
            .printed(Measurement::absolute("p from eps = 1e-3", 0.5795, share(1e-3), 1e-4))
            .printed(Measurement::absolute(
                "V from eps = 0.05, by an independent implementation",
                2.447_494_379_325_886_5,
                TWO[1] / share(0.05),
                1e-9,
            ))
            .printed(Measurement::relative(
                "p sqrt(ln(1/eps))/m_2 at eps = 1e-100",
                1.0,
                law(1e-100),
                0.02,
            ))
            .printed(Measurement::relative(
                "p sqrt(ln(1/eps))/m_2 at eps = 1e-300",
                1.0,
                law(1e-300),
                0.01,
            ))
            .printed(Measurement::at_most("p at eps = 1e-300", 0.07, share(1e-300))))
    },
);

pub(super) const ENSEMBLE: Claim = Claim::new(
    "sparse-markov/theorem-4-ensemble",
    "Theorem 4, added: what the ensemble keeps",
    Kind::Dynamics,
    "While the head keeps $1 - p$ of its attention on position 1, the ensemble cancels the second feature there: in (10) $(h - 1) V_2 = -(1 - p) m_2/p$.",
    |_| {
        let start = offshoot(&STRENGTHS, 5, 3.0, 0.05);
        let (ensemble, head) = cooperative_at(&STRENGTHS, 3, &start, &[300.0])?.remove(0);
        let p = head.s[1];
        Ok(Evidence::new()
            .printed(Measurement::absolute(
                "(h - 1) V_2 at t = 300 from Remark 2, eps = 0.05, h = 3",
                -(1.0 - p) * STRENGTHS[1] / p,
                2.0 * ensemble[1],
                1e-6,
            ))
            .printed(Measurement::absolute("V'_2 s'_2", STRENGTHS[1], head.v[1] * p, 1e-6))
            .printed(Measurement::at_most("s'_2", 0.7, p)))
    },
);

pub(super) const EQ_12: Claim = Claim::new(
    "sparse-markov/eq-12",
    "Theorem 4, Eq. (12)",
    Kind::Dynamics,
    "(12), $\\phi > 0$, keeps $s'_{(1)}$ away from zero: $\\phi$ never falls along (11), and $\\phi = 0$ where $s'_{(1)} = 0$.",
    |trial| {
        let plain = Plain::new(&STRENGTHS, 5);
        let head = random_head(3, 5, &mut stream(trial, 0));
        let rate = plain.two_scale(1, &head);
        let of = |step: &[f64]| {
            phi(&plain, 1, &Head::of(&sum(&[(1.0, &head.flat()), (step[0], &rate.flat())]), 3))
        };
        let change = slopes(of, &[0.0])[0];
        let mut corner = head.clone();
        corner.s = vec![1.0, 0.0, 0.0, 0.0, 0.0];
        // A start that fails (12) and ends on the second feature all the same.
        let weak = pair(0.05, 0.05);
        let mut below = weak.clone();
        below.v[1] = -0.05;
        let failed = phi(&Plain::new(&TWO, 2), 1, &below);
        let end = two_scale_at(&TWO, 1, &below, &[1e4])?.remove(0);
        Ok(Evidence::new()
            .printed(Measurement::at_least("change of phi along (11), a random head", 0.0, change))
            .printed(Measurement::absolute(
                "phi at s' = s_1",
                0.0,
                phi(&plain, 1, &corner),
                ROUNDING,
            ))
            .printed(Measurement::at_most(
                "phi at V' = (0, -0.05), s' = (0.95, 0.05)",
                -1e-4,
                failed,
            ))
            .printed(Measurement::absolute(
                "V'_2 s'_2 at t = 10^4 from there",
                TWO[1],
                end.v[1] * end.s[1],
                1e-6,
            ))
            .note("So (12) is sufficient, not necessary."))
    },
);

pub(super) const REMARK_2: Claim = Claim::new(
    "sparse-markov/remark-2",
    "Remark 2",
    Kind::Equation,
    "(12) is met by $V' = (m_1^*/h) V_1^* + \\epsilon V_2^*$, $s' = (1 - \\epsilon) s_1^* + \\epsilon s_2^*$ for small $\\epsilon > 0$.",
    |_| {
        let of = |scale: f64, eps: f64| {
            let strengths = STRENGTHS.map(|m| scale * m);
            let (_, head) = offshoot(&strengths, 3, 3.0, eps);
            phi(&Plain::new(&strengths, 3), 1, &head) / (eps * eps)
        };
        let condition =
            |scale: f64, eps: f64| scale * STRENGTHS[1] - 0.5 * ((scale * STRENGTHS[0] / 3.0).powi(2) + eps * eps);
        let at = |scale: &str| format!("left less right side of (12) over eps^2, eps = 1e-3, h = 3, strengths {scale}");
        // Where (12) fails the head leaves all the same.
        let strengths = STRENGTHS.map(|m| 10.0 * m);
        let (_, head) = offshoot(&strengths, 3, 3.0, 0.05);
        let end = two_scale_at(&strengths, 1, &head, &[1e3])?.remove(0);
        Ok(Evidence::new()
            .printed(Measurement::at_least(at("(2.89, 1.7, 1)"), 0.0, of(1.0, 1e-3)))
            .printed(Measurement::at_least(at("(28.9, 17, 10)"), 0.0, of(10.0, 1e-3)))
            .corrected(Measurement::absolute(
                "(2.89, 1.7, 1): m_2 - (m_1^2/h^2 + eps^2)/2",
                condition(1.0, 1e-3),
                of(1.0, 1e-3),
                1e-9,
            ))
            .corrected(Measurement::absolute(
                "(28.9, 17, 10): the same",
                condition(10.0, 1e-3),
                of(10.0, 1e-3),
                1e-7,
            ))
            .corrected(Measurement::absolute(
                "V'_2 s'_2/m_2 at t = 1000 from there with eps = 0.05",
                1.0,
                end.v[1] * end.s[1] / 17.0,
                1e-4,
            )))
    },
)
.corrected("only where $(m_1^*/h)^2 + \\epsilon^2 < 2 m_2^*$, which strengths of $b_0 = 10$ fail; the head leaves then, too");

pub(super) const ANY_ORDER: Claim = Claim::new(
    "sparse-markov/theorem-4-any-start",
    "Theorem 4, added: without the order",
    Kind::Dynamics,
    "The order of the start is not needed: a head that has settled on a weaker feature goes on to the second, algebraically.",
    |_| {
        let start = Head::new(&[0.0, 0.0, 2.0], &[0.45, 0.04, 0.5, 0.01]);
        let ends = two_scale_at(&STRENGTHS, 1, &start, &[20.0, 1e6])?;
        Ok(Evidence::new()
            .printed(Measurement::at_least(
                "s'_3 less s'_2 at t = 20, from s' = (0.45, 0.04, 0.5, 0.01)",
                0.3,
                ends[0].s[2] - ends[0].s[1],
            ))
            .printed(Measurement::at_least(
                "s'_2 less s'_3 at t = 10^6",
                0.3,
                ends[1].s[1] - ends[1].s[2],
            ))
            .printed(Measurement::absolute(
                "V'_2 s'_2 there",
                STRENGTHS[1],
                ends[1].v[1] * ends[1].s[1],
                1e-3,
            )))
    },
);

/// The rest of the other heads in D.2, as a check of its start: rates of all of them.
fn others_at_rest(h: usize, n: usize, head: &Head) -> (Vec<Head>, Plain) {
    let m = [4.0, 2.5, 1.5, 1.0];
    let positions = head.s.len();
    let plain = Plain::new(&m, positions);
    let mut heads = Vec::new();
    for k in 0..h - 1 {
        // The ensemble of h - n heads first, then one head for each of features 2 to n.
        let j = if k < h - n { 0 } else { k + 1 - (h - n) };
        let share = if j == 0 { (h - n) as f64 } else { 1.0 };
        let mut v: Vec<f64> = head.v.iter().map(|v| -head.s[j] * v / share).collect();
        v[j] += m[j] / share;
        heads.push(Head { v, s: super::literal::unit(j, positions) });
    }
    heads.push(head.clone());
    (heads, plain)
}

pub(super) const D_2: Claim = Claim::new(
    "sparse-markov/d-2",
    "D.2: start and dynamics",
    Kind::Equation,
    "After $n$ features, with an ensemble of $h - n$ heads at $(m_1^* V_1^* - \\langle s_1^*, s_{n+1} \\rangle V_{n+1})/(h-n)$ and one head each at $m_i^* \
     V_i^* - \\langle s_i^*, s_{n+1} \\rangle V_{n+1}$, these are at rest, and head $n+1$ moves by (11) with $G_{(n)}$ and $s_{(n)}$.",
    |trial| {
        let mut evidence = Evidence::new();
        for (h, n) in [(3, 2), (4, 2), (5, 3)] {
            let head = random_head(4, 6, &mut stream(trial, h as u64));
            let (heads, plain) = others_at_rest(h, n, &head);
            let rates = plain.whole(&heads);
            let still = largest(rates[..h - 1].iter().map(|rate| norm(&rate.flat())));
            let law = plain.two_scale(n, &head);
            evidence = evidence
                .printed(Measurement::absolute(
                    format!("rates of the others, h = {h}, n = {n}"),
                    0.0,
                    still,
                    ROUNDING,
                ))
                .printed(Measurement::each(
                    format!("rates of head n + 1, h = {h}, n = {n}"),
                    &law.flat(),
                    &rates[h - 1].flat(),
                    ROUNDING,
                ));
        }
        Ok(evidence)
    },
);

pub(super) const THEOREM_5: Claim = Claim::new(
    "sparse-markov/theorem-5",
    "Theorem 5",
    Kind::Dynamics,
    "In the same way head $n + 1$ converges to $V_{n+1} = V_{n+1}^*$, $s_{n+1} = s_{n+1}^*$.",
    |_| {
        // Nothing but the features, then some positions more.
        let strengths = [4.0, 2.5, 1.5];
        let alone = Head::new(&[0.5, 0.2, 0.05], &[0.85, 0.1, 0.05]);
        let wide = Head::new(&[0.5, 0.2, 0.05], &[0.7, 0.1, 0.05, 0.05, 0.05, 0.05]);
        let met = [phi(&Plain::new(&strengths, 3), 2, &alone), phi(&Plain::new(&strengths, 6), 2, &wide)];
        let end = two_scale_at(&strengths, 2, &alone, &[1e4])?.remove(0);
        let inside = two_scale_at(&strengths, 2, &wide, &[1e10])?.remove(0);
        let on_line = Head::new(&[0.0, 0.0, 3.0], &[0.3, 0.2, 0.5]);
        let still = norm(&Plain::new(&strengths, 3).two_scale(2, &on_line).flat());
        Ok(Evidence::new()
            .assuming(
                format!("the condition like (12) is met: {:.5}, {:.5} > 0", met[0], met[1]),
                met.iter().all(|phi| *phi > 0.0),
            )
            .printed(Measurement::absolute(
                "s_3 at t = 10^4 from s = (0.85, 0.1, 0.05), n = 2, three positions",
                1.0,
                end.s[2],
                0.01,
            ))
            .printed(Measurement::absolute("V_3 at t = 10^10 from inside, six positions", 1.0, inside.v[2], 0.1))
            .corrected(Measurement::absolute("V_3 s_3 on three positions", 1.5, end.v[2] * end.s[2], 1e-9))
            .corrected(Measurement::absolute("V_3 on six, beside m_3", 1.5, inside.v[2], 0.01))
            .corrected(Measurement::absolute("s_3 there", 1.0, inside.s[2], 0.01))
            .corrected(Measurement::absolute(
                "rates at s = (0.3, 0.2, 0.5), V = 3 V_3, m_3 = 1.5",
                0.0,
                still,
                ROUNDING,
            ))
            .note("In the condition, $V_n + 1^*$ is $V_{n+1}^*$."))
    },
)
.corrected(
    "$V_{n+1} \\to m_{n+1}^* V_{n+1}^*$, and, as in Theorem 4, $s_{n+1} \\to s_{n+1}^*$ only algebraically, and only where there are positions \
     besides those of the first $n + 1$ features",
);
