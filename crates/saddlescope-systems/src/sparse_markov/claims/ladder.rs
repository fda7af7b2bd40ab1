//! Eq. (3) and section 2.2: predictors from some groups, and what a model that sees only these can do best.

use std::sync::Arc;

use saddlescope::claim::{Claim, Evidence, Kind, Measurement, Trial};

use super::super::{Chain, Exact, Group, Minimal};
use super::task::{divergence, drawn_mean, law, listed, listed_mean, paper, small};
use super::tools::{Mean, ROUNDING, largest, random, stream};

pub(super) const EQ_3: Claim = Claim::new(
    "sparse-markov/eq-3",
    "Eq. (3); Fig. 3, left",
    Kind::Equation,
    "$f_{A_{1:i}}$ for $i = 1, 2, 3$ is a ladder: each is nearer to the truth than the one before, \
     the last is the truth.",
    |trial| {
        // Exactly, on a small chain; with drawn sequences at the paper's size.
        let chain = small(trial)?;
        let excess = |i: usize| {
            listed_mean(&chain, |before| {
                divergence(&law(&chain, before, |_| true), &law(&chain, before, |k| k < i))
            })
        };
        let rungs = Exact::new(&chain)?.excess_of_rungs(&chain);
        let mut evidence = Evidence::new()
            .printed(Measurement::at_least(
                "excess of nothing less that of f_A1, 3 tokens, all sequences",
                0.0,
                excess(0) - excess(1),
            ))
            .printed(Measurement::absolute("excess of f_A12", 0.0, excess(2), ROUNDING))
            .printed(Measurement::absolute(
                "excess of f_A1 as our exact means have it",
                excess(1),
                rungs[0],
                ROUNDING,
            ));
        let chain = paper(2, trial.seed)?;
        let excess = |i: usize| {
            drawn_mean(&chain, 150, |before, _| {
                divergence(&law(&chain, before, |_| true), &law(&chain, before, |k| k < i))
            })
        };
        let known = [(0, 2.4, 2.75), (1, 1.0, 1.25), (2, 0.27, 0.34)];
        for (i, low, high) in known {
            let mean = excess(i);
            let what = format!("excess of f_A1:{i}, d = 50, w = 6, 150 sequences");
            evidence = evidence
                .printed(Measurement::at_least(&*what, low, mean.mean()))
                .printed(Measurement::at_most(&*what, high, mean.mean()))
                .note(format!("f_A1:{i}: {:.3} +- {:.3}.", mean.mean(), mean.error()));
        }
        Ok(evidence)
    },
);

/// The best predictor from some lags by listing: a row for each content of these lags, with its probability last.
fn best(chain: &Chain, lags: &[usize]) -> Vec<Vec<f64>> {
    let (d, w) = (chain.vocabulary(), chain.order());
    let mut rows = vec![vec![0.0; d + 1]; d.pow(lags.len() as u32)];
    for (tokens, p) in listed(chain) {
        for place in w..chain.tokens() {
            let row = &mut rows[key(chain, &tokens[..place], lags)];
            row[usize::from(tokens[place])] += p;
            row[d] += p;
        }
    }
    for row in &mut rows {
        let total = row[d];
        row[..d].iter_mut().for_each(|share| *share /= total);
    }
    rows
}

fn key(chain: &Chain, before: &[u16], lags: &[usize]) -> usize {
    let token = |lag: &usize| usize::from(before[before.len() - lag]);
    lags.iter().fold(0, |key, lag| key * chain.vocabulary() + token(lag))
}

pub(super) const NOT_THE_PLATEAU: Claim = Claim::new(
    "sparse-markov/plateau-predictor",
    "Section 2.2, Eq. (3) and Fig. 3",
    Kind::Equation,
    "$f_{A_{1:i}}$ is the ground truth of a model that only sees $I(1), \\dots, I(i)$: a model \
     that has learned just these predicts it.",
    |trial| {
        let chain = small(trial)?;
        let lags = chain.lags(1);
        let rows = best(&chain, &lags);
        let truth = |before: &[u16]| law(&chain, before, |_| true);
        let of_best = |before: &[u16]| rows[key(&chain, before, &lags)][..3].to_vec();
        let rung = |before: &[u16]| law(&chain, before, |k| k == 0);
        let (least, excess) = (
            listed_mean(&chain, |before| divergence(&truth(before), &of_best(before))),
            listed_mean(&chain, |before| divergence(&truth(before), &rung(before))),
        );
        let between = listed_mean(&chain, |before| divergence(&rung(before), &of_best(before)));
        let exact = Exact::new(&chain)?;
        let what = "KL from f_A1 to the best predictor from I(1), all sequences, 3 tokens, w = 3";
        Ok(Evidence::new()
            .printed(Measurement::absolute(what, 0.0, between, 1e-6))
            .corrected(Measurement::at_least(
                "excess of f_A1 less the best from I(1)",
                1e-6,
                excess - least,
            ))
            .corrected(Measurement::absolute(
                "the best, by counting all sequences, beside our exact means",
                exact.excess(&exact.best_from(&lags)),
                least,
                ROUNDING,
            ))
            .corrected(Measurement::absolute(
                "the best from all lags",
                0.0,
                exact.excess(&exact.best_from(&[1, 2, 3])),
                ROUNDING,
            ))
            .note(format!(
                "{excess:.4} for f_A1, {least:.4} for the best from I(1), {between:.4} between \
                 them. At the paper's size 1.12 and 0.85 (an independent implementation), and the \
                 KL from f_A1 on the plateau does not come below 0.29."
            )))
    },
)
.corrected(
    "the best from $I(1), \\dots, I(i)$ is the mean of the law over what it does not see, which is \
     softer than $f_{A_{1:i}}$; the plateaus lie there",
);

/// Columns that get any attention at the last query of a model with random parameters, as lags.
fn seen(window: Option<usize>, trial: Trial) -> Result<Vec<usize>, saddlescope::claim::ClaimError> {
    let features = Chain::orthogonal_features(3, &[3.0, 2.0, 1.0], trial.seed);
    let chain = Arc::new(Chain::new(Group::contiguous(3, 2), features, (5, None))?);
    let mut minimal = Minimal::new(Arc::clone(&chain), 2)?;
    if let Some(window) = window {
        minimal = minimal.window(window)?;
    }
    let mut reader = minimal.reader::<f64>();
    reader.load(&random(minimal.len(), 1.0, &mut stream(trial, 0)));
    reader.read(&chain.data_set(1, (trial.seed, 0)));
    let (n, t) = (minimal.columns(), chain.length() - 1);
    let shares = [0, 1].map(|head| reader.attention(0, head, t).to_vec());
    let used = |j: &usize| shares.iter().any(|row| row[*j] > 0.0);
    // Column n - 1 is the query's own: the token before the one to come.
    let mut lags: Vec<usize> = (0..n).filter(used).map(|j| n - j).collect();
    lags.sort_unstable();
    Ok(lags)
}

pub(super) const CONTEXTS: Claim = Claim::new(
    "sparse-markov/context-lengths",
    "Section 2.2, restricted contexts",
    Kind::Equation,
    "A model whose context is $c = |I(1)|$ tokens sees the positions of $I(1)$ alone, with $c = \
     |I(1)| + |I(2)|$ those of $I(1)$ and $I(2)$, with $c = w$ all relevant ones.",
    |trial| {
        let mut evidence = Evidence::new();
        for c in [2, 4, 6] {
            let lags = seen(Some(c), trial)?;
            let wanted: Vec<f64> = (1..=c).map(|lag| lag as f64).collect();
            let found: Vec<f64> = lags.iter().map(|&lag| lag as f64).collect();
            let what = format!("lags that heads of random weights look at, c = {c}, groups of 2");
            evidence = evidence.printed(Measurement::each(what, &wanted, &found, 0.0));
        }
        let all = seen(None, trial)?.len();
        Ok(evidence.printed(Measurement::count("without a restriction, w + T - 1", 10, all)))
    },
);

pub(super) const STRONGER_FIRST: Claim = Claim::new(
    "sparse-markov/stronger-first",
    "Section 2.2, added: what there is to gain",
    Kind::Equation,
    "Of all single groups the first one gives most: the best predictor from $I(1)$ alone is better \
     than that from $I(2)$ alone.",
    |trial| {
        let mut mean = Mean::default();
        for draw in 0..20 {
            // Groups of one lag each, the second feature half as strong.
            let features = Chain::orthogonal_features(4, &[3.0, 1.5], 100 * trial.seed + draw);
            let groups = vec![Group::even(&[1]), Group::even(&[2])];
            let chain = Chain::new(groups, features, (4, None))?;
            let exact = Exact::new(&chain)?;
            let of = |lag: usize| exact.excess(&exact.best_from(&[lag]));
            mean.add(of(2) - of(1));
        }
        let what = "excess of the best from I(2) less that from I(1), mean over 20 chains, d = 4";
        Ok(Evidence::new().printed(Measurement::at_least(
            what,
            0.02,
            mean.mean() - 4.0 * mean.error(),
        )))
    },
);

pub(super) const EVEN_START: Claim = Claim::new(
    "sparse-markov/even-start",
    "Section 2.2: attention at the start",
    Kind::Equation,
    "All heads start with even attention: exactly so with $u = 0$, almost with a small $u$, in the \
     minimal model.",
    |trial| {
        let chain = Arc::new(small(trial)?);
        let minimal = Minimal::new(Arc::clone(&chain), 3)?;
        let tokens = chain.data_set(1, (trial.seed, 0));
        let off = |u: f64| -> Result<f64, saddlescope::claim::ClaimError> {
            let mut reader = minimal.reader::<f64>();
            reader.load(&minimal.uniform_start(u, trial.seed)?);
            reader.read(&tokens);
            let far = |(head, t): (usize, usize)| {
                let seen = chain.order() + t;
                let shares = &reader.attention(0, head, t)[..seen];
                largest(shares.iter().map(|share| (share * seen as f64 - 1.0).abs()))
            };
            Ok(largest((0..9).map(|pair| far((pair / 3, pair % 3)))))
        };
        let what = |u: &str| format!("largest relative distance from even attention, u = {u}");
        // Scores are sums of four entries.
        Ok(Evidence::new()
            .printed(Measurement::absolute(what("0"), 0.0, off(0.0)?, ROUNDING))
            .printed(Measurement::at_most(what("0.01"), 0.085, off(0.01)?)))
    },
);
