//! Lemmas 2 and 3: the kernel of `Pi(s)`, and which entry of `Pi(s) v` is largest.

use super::*;

/// How many eigenvalues of `Pi(s)` are zero.
fn nullity(s: &[f64]) -> usize {
    let pi = pi(s);
    let matrix = faer::Mat::<f64>::from_fn(s.len(), s.len(), |i, j| pi[(i, j)]);
    let values = saddlescope::numeric::decompose::eigenvalues(&matrix).unwrap_or_default();
    values.iter().filter(|value| value.abs() < 1e-13).count()
}

pub(super) fn lemma_2(e: &mut Evidence, trial: Trial) {
    let mut numbers = stream(trial, 0);
    let shares = softmax(&random(4, 1.0, &mut numbers));
    let s = [shares[0], 0.0, shares[1], shares[2], 0.0, shares[3]];
    let ones: Vec<f64> = s.iter().map(|s| f64::from(u8::from(*s > 0.0))).collect();
    // A vector of the kernel that lies in neither part.
    let mixed = plus(&unit(1, 6), 1.0, &ones);
    let in_kernel = norm(&pi(&s).apply(&mixed));
    let from_first =
        norm(&s.iter().zip(&mixed).filter(|(s, _)| **s > 0.0).map(|(_, x)| *x).collect::<Vec<_>>());
    let from_second = norm(
        &s.iter().zip(&mixed).filter(|(s, _)| **s == 0.0).map(|(_, x)| *x).collect::<Vec<_>>(),
    );
    let less: Vec<f64> = s.iter().map(|s| 0.8 * s).collect();
    e.of("distance to the nearer of the two spans, of e_2 + sum of e_j with s_j > 0, which Pi(s) \
         sends to zero")
        .abs(0.0, from_first.min(from_second), 1e-6);
    e.but("Pi(s) times that vector").abs(0.0, in_kernel, ROUNDING);
    e.but("zero eigenvalues, two of six entries zero").count(3, nullity(&s));
    e.but("the same with s times 0.8").count(2, nullity(&less));
    e.but("at a corner of the simplex").count(6, nullity(&unit(0, 6)));
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
        let top = (0..3).fold(0, |a, b| if s[b] > s[a] { b } else { a });
        s.swap(0, top);
        let top = (0..5).fold(0, |a, b| if v[b] > v[a] { b } else { a });
        v.swap(0, top);
        let found = pi(&s).apply(&v);
        least = least.min(smallest((1..3).map(|j| found[0] - found[j])));
    }
    e.of("first less second entry of Pi(s) v at s = (0.3, 0.1, 0.6), v = (1, 0.9, 5), h = 2")
        .at_least(0.0, found[0] - found[1]);
    e.but(
        "first less second and third entries, v_1 the largest of all five, s_1 of the first three, \
         least of 500",
    )
    .at_least(0.0, least);
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
