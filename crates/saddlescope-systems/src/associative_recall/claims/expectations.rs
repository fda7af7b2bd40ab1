//! Lemma C.3 and its proof: expectations over all maps and queries while one head moves.

use saddlescope::claim::{Claim, Evidence, Kind, Measurement};

use super::super::task::factorial;
use super::literal::{Inner, Listed, Sample};
use super::tools::{Formed, Outcome, ROUNDING, formed, lead};

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
    label: &str,
    printed: fn(&Bench) -> Vec<f64>,
    right: Option<fn(&Bench) -> Vec<f64>>,
    found: fn(&Bench) -> Vec<f64>,
) -> Outcome {
    let mut evidence = Evidence::new();
    for bench in Bench::all() {
        let found = found(&bench);
        let line = |numbers: Vec<f64>| {
            Measurement::each(format!("{label}, {}", bench.what), &numbers, &found, ROUNDING)
        };
        evidence = evidence.printed(line(printed(&bench)));
        if let Some(right) = right {
            evidence = evidence.corrected(line(right(&bench)));
        }
    }
    Ok(evidence)
}

pub(super) const LEMMA_C_3: Claim = Claim::new(
    "associative-recall/lemma-c-3",
    "Lemma C.3; lines 411, 498, 499",
    Kind::Equation,
    "While only head 1 moves, $E \\Delta_{1,i} = e^{\\gamma_1} (R - 1)/(R (k - 1)! (e^{\\gamma_1} + k - 1)^2)$ for \
     $i \\ne 1$, and $E \\Delta_{1,1} = -(k - 1) E \\Delta_{1,i}$.",
    |_| {
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
        Ok(compare("E Delta_1i for all lags", printed, None, found)?.note(
            "The statement has $w^1 = \\alpha_1 e_h^1 + \\delta_1 1$ for $\\alpha_1 e_1^k + \\delta_1 1$. In line 484 the \
             indicator belongs in the exponent, as in line 410.",
        ))
    },
);

pub(super) const LINE_410: Claim = Claim::new(
    "associative-recall/shares-one-head",
    "Line 410",
    Kind::Equation,
    "$s_t = ((e^{\\gamma_1} - 1) 1\\{q_{k-1} = \\pi_{(t,k-1)}\\} + 1)/((e^{\\gamma_1} + k - 1)(k - 1)!)$.",
    |_| {
        let printed = |bench: &Bench| {
            let sample = &bench.samples[0];
            let below = (bench.raised + bench.k() - 1.0) * factorial(bench.listed.order - 1);
            let share = |t: usize| {
                (if bench.listed.matches(sample, 1, t, 1) { bench.raised } else { 1.0 }) / below
            };
            (0..bench.listed.permutations.len()).map(share).collect()
        };
        compare("s_t of all permutations", printed, None, |bench| bench.shares[0].clone())
    },
);

pub(super) const LINE_485: Claim = Claim::new(
    "associative-recall/lemma-c-3-sum",
    "Proof of Lemma C.3, line 485",
    Kind::Equation,
    "For $i \\ne 1$, $\\sum_t s_t 1\\{q_{k-1} = \\pi_{(t,k-i)}\\} = \\sum_t ((e^{\\gamma_1} - 1) 1\\{q_{k-1} = \
     \\pi_{(t,k-i)}\\} + 1)/((e^{\\gamma_1} + k - 1)(k - 1)!) 1\\{q_{k-1} = \\pi_{(t,k-i)}\\} = 1/(e^{\\gamma_1} + k - 1)$.",
    |_| {
        fn middle(bench: &Bench, inner: usize) -> Vec<f64> {
            let sample = &bench.samples[0];
            let below = (bench.raised + bench.k() - 1.0) * factorial(bench.listed.order - 1);
            let there = (0..bench.listed.permutations.len())
                .filter(|&t| bench.listed.matches(sample, 1, t, 2));
            let share = |t: usize| {
                (if bench.listed.matches(sample, 1, t, inner) { bench.raised } else { 1.0 }) / below
            };
            vec![there.map(share).sum(), 1.0 / (bench.raised + bench.k() - 1.0)]
        }
        let found = |bench: &Bench| {
            let sample = &bench.samples[0];
            let there = (0..bench.listed.permutations.len())
                .filter(|&t| bench.listed.matches(sample, 1, t, 2));
            let sum: f64 = there.map(|t| bench.shares[0][t]).sum();
            vec![sum, sum]
        };
        Ok(compare("middle and right-hand side", |bench| middle(bench, 2), Some(|bench| middle(bench, 1)), found)?.note(
            "Both sides for lag $i = 2$, beside the shares of the literal model. The value on the right of the print is \
             right.",
        ))
    },
)
.corrected("the indicator inside the share is that of $\\pi_{(t,k-1)}$, whatever $i$");

pub(super) const LINE_490: Claim = Claim::new(
    "associative-recall/independence",
    "Proof of Lemma C.3, lines 489 to 491",
    Kind::Equation,
    "For $i \\ne 1$, $r_t = r$ and $q_{k-1} = \\pi_{(t,k-i)}$ are independent, of probabilities $1/R$ and $1/k$.",
    |_| {
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
        Ok(compare("P(r_t = r), P(q_(k-1) = pi_(t,k-i)) and that of both", printed, Some(right), found)?
            .note("Probabilities of the two events and of both, for $t = 1$ and $i = 2$. The joint one is as printed."))
    },
)
.corrected(
    "$P(r_t = r) = 1/k! + (1 - 1/k!)/R$, since $\\pi_t$ may be the query; it is $1/R$ given that $q_{k-1} = \
     \\pi_{(t,k-i)}$, which excludes that, so the product $1/(k R)$ is right and the events are not independent",
);

pub(super) const LINE_494: Claim = Claim::new(
    "associative-recall/lemma-c-3-count",
    "Proof of Lemma C.3, line 494",
    Kind::Equation,
    "$E \\sum_t 1\\{r_t = r \\wedge q_{k-1} = \\pi_{(t,k-1)}\\} = (R - 1)/R + (k - 1)!/R$.",
    |_| {
        let printed = |bench: &Bench| {
            let r = bench.responses();
            vec![(r - 1.0) / r + factorial(bench.listed.order - 1) / r]
        };
        compare("the count", printed, None, |bench| vec![bench.joint(1, false)])
    },
);

pub(super) const LINE_495: Claim = Claim::new(
    "associative-recall/lemma-c-3-joint",
    "Proof of Lemma C.3, lines 491, 495, 496",
    Kind::Equation,
    "$E \\sum_t s_t 1\\{r_t = r \\wedge q_{k-1} = \\pi_{(t,k-i)}\\}$ is $1/(R (e^{\\gamma_1} + k - 1))$ for $i \\ne 1$ and \
     $e^{\\gamma_1}/(e^{\\gamma_1} + k - 1) ((R - 1)/((k - 1)! R) + 1/R)$ for $i = 1$.",
    |_| {
        let printed = |bench: &Bench| {
            let (r, sum) = (bench.responses(), bench.raised + bench.k() - 1.0);
            let extra = (r - 1.0) / (factorial(bench.listed.order - 1) * r);
            vec![bench.raised / sum * (extra + 1.0 / r), 1.0 / (sum * r)]
        };
        compare("i = 1 and i = 2", printed, None, |bench| {
            vec![bench.joint(1, true), bench.joint(2, true)]
        })
    },
);

pub(super) const LINE_497: Claim = Claim::new(
    "associative-recall/lemma-c-3-response",
    "Proof of Lemma C.3, line 497",
    Kind::Equation,
    "$E \\sum_t s_t 1\\{r_t = r\\} = e^{\\gamma_1}/(e^{\\gamma_1} + k - 1) (R - 1)/((k - 1)! R) + 1/R$.",
    |_| {
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
        compare("the share of the response", printed, None, found)
    },
);
