//! Lemma C.3 and its proof: expectations over all maps and queries while one head moves.

use super::*;

const HEAD: LagHead = LagHead { alpha: 0.7, delta: -0.3, beta: 0.9 };

/// A task listed, with one head of the form of Lemma C.3.
struct Case {
    listed: ListedTask,
    samples: Vec<Sample>,
    shares: Vec<Vec<f64>>,
    /// `e^(gamma_1)`.
    raised: f64,
    what: String,
}

impl Case {
    fn all() -> Vec<Self> {
        [(2, 3), (3, 2)].map(|(k, responses)| Self::new(k, responses)).into()
    }

    fn new(k: usize, responses: usize) -> Self {
        let listed = ListedTask::new(k, responses);
        let samples = listed.samples();
        let theta = formed(k, &[HEAD]);
        let shares = samples
            .iter()
            .map(|sample| listed.forward(sample, &theta, Inner::used(0.0)).shares)
            .collect();
        let raised = (HEAD.beta * HEAD.beta * lead(k, HEAD.alpha)).exp();
        let what = format!("mean over {} sequences, k = {k}, R = {responses}", samples.len());
        Self { listed, samples, shares, raised, what }
    }

    fn k(&self) -> f64 {
        self.listed.order as f64
    }

    fn responses(&self) -> f64 {
        self.listed.responses as f64
    }

    /// The mean of something over all sequences and their shares.
    fn mean(&self, of: impl Fn(&Sample, &[f64]) -> f64) -> f64 {
        let sum: f64 = self.samples.iter().zip(&self.shares).map(|(s, p)| of(s, p)).sum();
        sum / self.samples.len() as f64
    }

    /// `E sum_t weight_t 1{r_t = r and q_(k-1) = pi_(t,k-i)}`.
    fn joint(&self, lag: usize, weighted: bool) -> f64 {
        self.mean(|sample, shares| {
            let both = |t: &usize| {
                sample.map[*t] == sample.map[sample.query]
                    && self.listed.matches(sample, 1, *t, lag)
            };
            (0..shares.len()).filter(both).map(|t| if weighted { shares[t] } else { 1.0 }).sum()
        })
    }
}

/// Prints, and where given its correction, beside what is found on every case.
fn compare(
    e: &mut Evidence,
    label: &str,
    printed: fn(&Case) -> Vec<f64>,
    right: Option<fn(&Case) -> Vec<f64>>,
    found: fn(&Case) -> Vec<f64>,
) {
    for case in Case::all() {
        let (found, what) = (found(&case), format!("{label}, {}", case.what));
        e.of(&what).each(&printed(&case), &found, ROUNDING);
        if let Some(right) = right {
            e.but(what).each(&right(&case), &found, ROUNDING);
        }
    }
}

pub(super) fn lemma_c_3(e: &mut Evidence, _: Trial) {
    let printed = |case: &Case| {
        let sum = case.raised + case.k() - 1.0;
        let below = factorial(case.listed.order - 1) * case.responses();
        let other = case.raised * (case.responses() - 1.0) / (below * sum * sum);
        (1..=case.listed.order)
            .map(|i| if i == 1 { -(case.k() - 1.0) * other } else { other })
            .collect()
    };
    let found = |case: &Case| {
        let delta = |lag: usize| case.mean(|s, p| case.listed.delta(s, p, 1, lag));
        (1..=case.listed.order).map(delta).collect()
    };
    compare(e, "E Delta_1i for all lags", printed, None, found);
}

pub(super) fn shares_one_head(e: &mut Evidence, _: Trial) {
    let printed = |case: &Case| {
        let sample = &case.samples[0];
        let below = (case.raised + case.k() - 1.0) * factorial(case.listed.order - 1);
        let share = |t: usize| {
            (if case.listed.matches(sample, 1, t, 1) { case.raised } else { 1.0 }) / below
        };
        (0..case.listed.permutations.len()).map(share).collect()
    };
    compare(e, "s_t of all permutations", printed, None, |case| case.shares[0].clone());
}

pub(super) fn lemma_c_3_sum(e: &mut Evidence, _: Trial) {
    fn middle(case: &Case, inner: usize) -> Vec<f64> {
        let sample = &case.samples[0];
        let below = (case.raised + case.k() - 1.0) * factorial(case.listed.order - 1);
        let there =
            (0..case.listed.permutations.len()).filter(|&t| case.listed.matches(sample, 1, t, 2));
        let share = |t: usize| {
            (if case.listed.matches(sample, 1, t, inner) { case.raised } else { 1.0 }) / below
        };
        vec![there.map(share).sum(), 1.0 / (case.raised + case.k() - 1.0)]
    }
    let found = |case: &Case| {
        let sample = &case.samples[0];
        let there =
            (0..case.listed.permutations.len()).filter(|&t| case.listed.matches(sample, 1, t, 2));
        let sum: f64 = there.map(|t| case.shares[0][t]).sum();
        vec![sum, sum]
    };
    compare(
        e,
        "middle and right-hand side",
        |case| middle(case, 2),
        Some(|case| middle(case, 1)),
        found,
    );
}

pub(super) fn independence(e: &mut Evidence, _: Trial) {
    fn chance(case: &Case, of: impl Fn(&Sample) -> bool) -> f64 {
        case.mean(|sample, _| f64::from(u8::from(of(sample))))
    }
    let printed = |case: &Case| {
        let (r, k) = (case.responses(), case.k());
        vec![1.0 / r, 1.0 / k, 1.0 / (r * k)]
    };
    let right = |case: &Case| {
        let (r, k) = (case.responses(), case.k());
        let own = 1.0 / factorial(case.listed.order);
        vec![own + (1.0 - own) / r, 1.0 / k, 1.0 / (r * k)]
    };
    let found = |case: &Case| {
        let alike = |sample: &Sample| sample.map[0] == sample.map[sample.query];
        let there = |sample: &Sample| case.listed.matches(sample, 1, 0, 2);
        vec![
            chance(case, alike),
            chance(case, there),
            chance(case, |sample| alike(sample) && there(sample)),
        ]
    };
    compare(e, "P(r_t = r), P(q_(k-1) = pi_(t,k-i)) and that of both", printed, Some(right), found);
}

pub(super) fn lemma_c_3_count(e: &mut Evidence, _: Trial) {
    let printed = |case: &Case| {
        let r = case.responses();
        vec![(r - 1.0) / r + factorial(case.listed.order - 1) / r]
    };
    compare(e, "the count", printed, None, |case| vec![case.joint(1, false)]);
}

pub(super) fn lemma_c_3_joint(e: &mut Evidence, _: Trial) {
    let printed = |case: &Case| {
        let (r, sum) = (case.responses(), case.raised + case.k() - 1.0);
        let extra = (r - 1.0) / (factorial(case.listed.order - 1) * r);
        vec![case.raised / sum * (extra + 1.0 / r), 1.0 / (sum * r)]
    };
    compare(e, "i = 1 and i = 2", printed, None, |case| {
        vec![case.joint(1, true), case.joint(2, true)]
    });
}

pub(super) fn lemma_c_3_response(e: &mut Evidence, _: Trial) {
    let printed = |case: &Case| {
        let (r, sum) = (case.responses(), case.raised + case.k() - 1.0);
        vec![case.raised / sum * (r - 1.0) / (factorial(case.listed.order - 1) * r) + 1.0 / r]
    };
    let found = |case: &Case| {
        vec![case.mean(|sample, shares| {
            let alike = |t: &usize| sample.map[*t] == sample.map[sample.query];
            (0..shares.len()).filter(alike).map(|t| shares[t]).sum()
        })]
    };
    compare(e, "the share of the response", printed, None, found);
}
