//! Lemma C.3 and its proof: expectations over all maps and queries while one head moves.

use super::*;

const HEAD: Formed = Formed { alpha: 0.7, delta: -0.3, beta: 0.9 };

/// A task listed, with one head of the form of Lemma C.3.
struct Bench {
    listed: Listed,
    samples: Vec<Sample>,
    shares: Vec<Vec<f64>>,
    /// `e^(gamma_1)`.
    raised: f64,
    what: String,
}

impl Bench {
    fn all() -> Vec<Self> {
        [(2, 3), (3, 2)].map(|(k, responses)| Self::new(k, responses)).into()
    }

    fn new(k: usize, responses: usize) -> Self {
        let listed = Listed::new(k, responses);
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

/// Prints, and where given its correction, beside what is found on every bench.
fn compare(
    e: &mut Evidence,
    label: &str,
    printed: fn(&Bench) -> Vec<f64>,
    right: Option<fn(&Bench) -> Vec<f64>>,
    found: fn(&Bench) -> Vec<f64>,
) -> Outcome {
    for bench in Bench::all() {
        let found = found(&bench);
        let line = |numbers: Vec<f64>| {
            Measurement::each(format!("{label}, {}", bench.what), &numbers, &found, ROUNDING)
        };
        e.printed(line(printed(&bench)));

        if let Some(right) = right {
            e.corrected(line(right(&bench)));
        }
    }
    Ok(())
}

pub(super) fn lemma_c_3(e: &mut Evidence, _: Trial) -> Outcome {
    let printed = |bench: &Bench| {
        let sum = bench.raised + bench.k() - 1.0;
        let below = factorial(bench.listed.order - 1) * bench.responses();
        let other = bench.raised * (bench.responses() - 1.0) / (below * sum * sum);
        (1..=bench.listed.order)
            .map(|i| if i == 1 { -(bench.k() - 1.0) * other } else { other })
            .collect()
    };
    let found = |bench: &Bench| {
        let delta = |lag: usize| bench.mean(|s, p| bench.listed.delta(s, p, 1, lag));
        (1..=bench.listed.order).map(delta).collect()
    };
    compare(e, "E Delta_1i for all lags", printed, None, found)?;
    Ok(())
}

pub(super) fn shares_one_head(e: &mut Evidence, _: Trial) -> Outcome {
    let printed = |bench: &Bench| {
        let sample = &bench.samples[0];
        let below = (bench.raised + bench.k() - 1.0) * factorial(bench.listed.order - 1);
        let share = |t: usize| {
            (if bench.listed.matches(sample, 1, t, 1) { bench.raised } else { 1.0 }) / below
        };
        (0..bench.listed.permutations.len()).map(share).collect()
    };
    compare(e, "s_t of all permutations", printed, None, |bench| bench.shares[0].clone())
}

pub(super) fn lemma_c_3_sum(e: &mut Evidence, _: Trial) -> Outcome {
    fn middle(bench: &Bench, inner: usize) -> Vec<f64> {
        let sample = &bench.samples[0];
        let below = (bench.raised + bench.k() - 1.0) * factorial(bench.listed.order - 1);
        let there =
            (0..bench.listed.permutations.len()).filter(|&t| bench.listed.matches(sample, 1, t, 2));
        let share = |t: usize| {
            (if bench.listed.matches(sample, 1, t, inner) { bench.raised } else { 1.0 }) / below
        };
        vec![there.map(share).sum(), 1.0 / (bench.raised + bench.k() - 1.0)]
    }
    let found = |bench: &Bench| {
        let sample = &bench.samples[0];
        let there =
            (0..bench.listed.permutations.len()).filter(|&t| bench.listed.matches(sample, 1, t, 2));
        let sum: f64 = there.map(|t| bench.shares[0][t]).sum();
        vec![sum, sum]
    };
    compare(
        e,
        "middle and right-hand side",
        |bench| middle(bench, 2),
        Some(|bench| middle(bench, 1)),
        found,
    )?;
    Ok(())
}

pub(super) fn independence(e: &mut Evidence, _: Trial) -> Outcome {
    fn chance(bench: &Bench, of: impl Fn(&Sample) -> bool) -> f64 {
        bench.mean(|sample, _| f64::from(u8::from(of(sample))))
    }
    let printed = |bench: &Bench| {
        let (r, k) = (bench.responses(), bench.k());
        vec![1.0 / r, 1.0 / k, 1.0 / (r * k)]
    };
    let right = |bench: &Bench| {
        let (r, k) = (bench.responses(), bench.k());
        let own = 1.0 / factorial(bench.listed.order);
        vec![own + (1.0 - own) / r, 1.0 / k, 1.0 / (r * k)]
    };
    let found = |bench: &Bench| {
        let alike = |sample: &Sample| sample.map[0] == sample.map[sample.query];
        let there = |sample: &Sample| bench.listed.matches(sample, 1, 0, 2);
        vec![
            chance(bench, alike),
            chance(bench, there),
            chance(bench, |sample| alike(sample) && there(sample)),
        ]
    };
    compare(
        e,
        "P(r_t = r), P(q_(k-1) = pi_(t,k-i)) and that of both",
        printed,
        Some(right),
        found,
    )?;
    Ok(())
}

pub(super) fn lemma_c_3_count(e: &mut Evidence, _: Trial) -> Outcome {
    let printed = |bench: &Bench| {
        let r = bench.responses();
        vec![(r - 1.0) / r + factorial(bench.listed.order - 1) / r]
    };
    compare(e, "the count", printed, None, |bench| vec![bench.joint(1, false)])
}

pub(super) fn lemma_c_3_joint(e: &mut Evidence, _: Trial) -> Outcome {
    let printed = |bench: &Bench| {
        let (r, sum) = (bench.responses(), bench.raised + bench.k() - 1.0);
        let extra = (r - 1.0) / (factorial(bench.listed.order - 1) * r);
        vec![bench.raised / sum * (extra + 1.0 / r), 1.0 / (sum * r)]
    };
    compare(e, "i = 1 and i = 2", printed, None, |bench| {
        vec![bench.joint(1, true), bench.joint(2, true)]
    })
}

pub(super) fn lemma_c_3_response(e: &mut Evidence, _: Trial) -> Outcome {
    let printed = |bench: &Bench| {
        let (r, sum) = (bench.responses(), bench.raised + bench.k() - 1.0);
        vec![bench.raised / sum * (r - 1.0) / (factorial(bench.listed.order - 1) * r) + 1.0 / r]
    };
    let found = |bench: &Bench| {
        vec![bench.mean(|sample, shares| {
            let alike = |t: &usize| sample.map[*t] == sample.map[sample.query];
            (0..shares.len()).filter(alike).map(|t| shares[t]).sum()
        })]
    };
    compare(e, "the share of the response", printed, None, found)
}
