//! Sections 2.1 and 2.2: the chain, its groups of lags, and how strong they are.

use saddlescope::claim::{Claim, ClaimError, Evidence, Kind, Measurement, Trial};

use super::super::chain::TEST;
use super::super::{Chain, Exact, Group};
use super::literal::{dot, norm, softmax};
use super::tools::{Mean, ROUNDING, largest};

/// What the groups that `reads` picks say about the token after `before`, straight from 000, Eq. (1).
pub(super) fn law(chain: &Chain, before: &[u16], reads: impl Fn(usize) -> bool) -> Vec<f64> {
    let d = chain.vocabulary();
    let mut logits = vec![0.0; d];
    for (k, (group, feature)) in chain.groups().iter().zip(chain.features()).enumerate() {
        if !reads(k) {
            continue;
        }
        for (&lag, alpha) in group.lags.iter().zip(&group.weights) {
            let token = usize::from(before[before.len() - lag]);
            for (next, logit) in logits.iter_mut().enumerate() {
                *logit += alpha * feature[next * d + token];
            }
        }
    }
    softmax(&logits)
}

/// `sum p ln(p/f)`.
pub(super) fn divergence(p: &[f64], f: &[f64]) -> f64 {
    p.iter().zip(f).map(|(p, f)| p * (p / f).ln()).sum()
}

/// All sequences of that length, each with its probability.
pub(super) fn listed(chain: &Chain) -> Vec<(Vec<u16>, f64)> {
    let (d, w) = (chain.vocabulary(), chain.order());
    let mut all = vec![(Vec::new(), 1.0)];
    for place in 0..chain.tokens() {
        let longer = |(tokens, p): &(Vec<u16>, f64)| {
            let law =
                if place < w { vec![1.0 / d as f64; d] } else { law(chain, tokens, |_| true) };
            let add = |(next, share): (usize, &f64)| {
                let mut tokens = tokens.clone();
                tokens.push(next as u16);
                (tokens, p * share)
            };
            law.iter().enumerate().map(add).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}

/// The mean over all sequences and the `T` places of a function of what came before.
pub(super) fn listed_mean(chain: &Chain, f: impl Fn(&[u16]) -> f64) -> f64 {
    let (w, t) = (chain.order(), chain.length());
    let mean = |tokens: &[u16]| (0..t).map(|i| f(&tokens[..w + i])).sum::<f64>() / t as f64;
    listed(chain).iter().map(|(tokens, p)| p * mean(tokens)).sum()
}

/// A chain of three tokens with two groups, random features.
pub(super) fn small(trial: Trial) -> Result<Chain, ClaimError> {
    let features = Chain::orthogonal_features(3, &[2.5, 1.5], trial.seed);
    Ok(Chain::new(vec![Group::even(&[1]), Group::even(&[2, 3])], features, (3, None))?)
}

/// The chain of Tables 1 and 4: 50 tokens, three groups of that many lags.
pub(super) fn paper(size: usize, seed: u64) -> Result<Chain, ClaimError> {
    let features = Chain::orthogonal_features(50, &[28.9, 17.0, 10.0], seed);
    Ok(Chain::new(Group::contiguous(3, size), features, (20, None))?)
}

/// Means over so many drawn sequences and all places.
pub(super) fn drawn_mean(chain: &Chain, count: usize, f: impl Fn(&[u16], u16) -> f64) -> Mean {
    let data = chain.data_set(count, (0, TEST));
    let mut mean = Mean::default();
    for tokens in data.chunks_exact(chain.tokens()) {
        let at = |i: usize| f(&tokens[..i], tokens[i]);
        let places = chain.order()..chain.tokens();
        mean.add(places.map(at).sum::<f64>() / chain.length() as f64);
    }
    mean
}

pub(super) const EQ_1: Claim = Claim::new(
    "sparse-markov/eq-1",
    "Eq. (1)",
    Kind::Equation,
    "$x_t$ is drawn given $x_{t-i}$ with $i$ in sets $I(k)$ that partition $\\{0, \\dots, w - \
     1\\}$.",
    |trial| {
        let (w, order) = (6, 3);
        let known = |lags: std::ops::Range<usize>| lags.filter(|lag| *lag > 0).count();
        let what = "tokens of the w = 6 that are there when x_t is drawn";
        // Sequences drawn by our chain beside the law with lags 1..w, listed.
        let chain = small(trial)?;
        let exact = listed_mean(&chain, |before| {
            law(&chain, before, |_| true).iter().map(|p| -p * p.ln()).sum()
        });
        let drawn = drawn_mean(&chain, 4000, |before, next| {
            -law(&chain, before, |_| true)[usize::from(next)].ln()
        });
        let total: f64 = listed(&chain).iter().map(|(_, p)| p).sum();
        Ok(Evidence::new()
            .printed(Measurement::count(what, w, known(0..w)))
            .corrected(Measurement::count(what, w, known(1..w + 1)))
            .corrected(Measurement::count(
                "order of the chain with lags 1, 2, 3",
                order,
                chain.order(),
            ))
            .corrected(Measurement::absolute(
                "probabilities of all 729 sequences",
                1.0,
                total,
                ROUNDING,
            ))
            .corrected(
                Measurement::absolute(
                    "-ln p of tokens in 4000 drawn sequences, beside the entropy over all listed \
                     ones",
                    exact,
                    drawn.mean(),
                    0.1,
                )
                .noisy(drawn.error()),
            )
            .corrected(Measurement::absolute(
                "the entropy as our exact means have it",
                exact,
                Exact::new(&chain)?.entropy(),
                ROUNDING,
            )))
    },
)
.corrected("lags $1, \\dots, w$, as in (3) and Table 4: with lag 0 a token would depend on itself");

pub(super) const WEIGHTS: Claim = Claim::new(
    "sparse-markov/alpha",
    "Section 2.1; section 2.2, choice of $\\alpha$",
    Kind::Equation,
    "$\\sum_{i \\in I(k)} \\alpha_i = 1$: what a group sees is a mean token; with $\\alpha_i = \
     1/|I(k)|$ all lags of a group count alike.",
    |trial| {
        let chain = small(trial)?;
        let sums =
            chain.groups().iter().map(|group| (group.weights.iter().sum::<f64>() - 1.0).abs());
        // Exchanging two tokens of one group changes nothing; of two groups, it does.
        let (a, b) = (law(&chain, &[0, 1, 2], |_| true), law(&chain, &[1, 0, 2], |_| true));
        let c = law(&chain, &[0, 2, 1], |_| true);
        let far = |x: &[f64], y: &[f64]| largest(x.iter().zip(y).map(|(x, y)| (x - y).abs()));
        Ok(Evidence::new()
            .printed(Measurement::absolute("sums of alpha less 1", 0.0, largest(sums), ROUNDING))
            .printed(Measurement::absolute(
                "change of the law when lags 2 and 3 of one group are exchanged",
                0.0,
                far(&a, &b),
                ROUNDING,
            ))
            .printed(Measurement::at_least(
                "the same for lags 1 and 2 of two groups",
                1e-3,
                far(&a, &c),
            )))
    },
);

pub(super) const PERMUTED: Claim = Claim::new(
    "sparse-markov/groups-permuted",
    "Section 2.1, after Eq. (1)",
    Kind::Equation,
    "Exchanging $(I(k), A_k^*)$ for different $k$ does not change the process, so the strongest \
     may come first.",
    |trial| {
        let chain = small(trial)?;
        let (mut groups, mut features) = (chain.groups().to_vec(), chain.features().to_vec());
        groups.reverse();
        features.reverse();
        let other = Chain::new(groups, features, (3, None))?;
        let far = |(one, two): (&(Vec<u16>, f64), &(Vec<u16>, f64))| (one.1 - two.1).abs();
        let off = largest(listed(&chain).iter().zip(&listed(&other)).map(far));
        let what = "probabilities of all 729 sequences, groups exchanged";
        Ok(Evidence::new().printed(Measurement::absolute(what, 0.0, off, ROUNDING)))
    },
);

/// Ways to choose so many numbers of `from..to` in rising order.
fn rising(count: usize, from: usize, to: usize) -> usize {
    if count == 0 {
        return 1;
    }
    (from..to).map(|first| rising(count - 1, first + 1, to)).sum()
}

pub(super) const EQ_2: Claim = Claim::new(
    "sparse-markov/eq-2",
    "Eq. (2)",
    Kind::Equation,
    "Contiguous groups are given by $0 < i_1 < \\dots < i_{h-1} < w - 1$, with single lags among \
     the choices.",
    |_| {
        // Blocks {0..i_1}, {i_1 + 1..i_2}, ..: i_1 = 0 makes the first a single lag.
        let mut evidence = Evidence::new();
        for (w, h) in [(3, 3), (6, 3), (5, 4)] {
            let all =
                (0..1_usize << (w - 1)).filter(|cuts| cuts.count_ones() as usize == h - 1).count();
            let what = format!("choices of i beside ways to cut {w} lags into {h} blocks");
            evidence = evidence
                .printed(Measurement::count(&*what, all, rising(h - 1, 1, w - 1)))
                .corrected(Measurement::count(&*what, all, rising(h - 1, 0, w - 1)));
        }
        let same =
            Group::contiguous(3, 2).iter().map(|group| group.lags.clone()).collect::<Vec<_>>();
        let table = same == [vec![1, 2], vec![3, 4], vec![5, 6]];
        Ok(evidence.corrected(Measurement::count(
            "groups of Table 4, minimal model",
            1,
            usize::from(table),
        )))
    },
)
.corrected(
    "$0 \\le i_1$: with $0 < i_1$ the first group never is a single lag, though copying \
    from single lags is the case of interest",
);

pub(super) const STRENGTHS: Claim = Claim::new(
    "sparse-markov/strengths",
    "Section 2.2; Table 1",
    Kind::Equation,
    "$A_k^* = m_k O_k$ with orthogonal $O_k$ and $m_k = m^{h-k} b_0$: the first is the strongest, \
     and within a matrix all directions count alike.",
    |trial| {
        let chain = paper(2, trial.seed)?;
        let mut evidence = Evidence::new();
        for (k, feature) in chain.features().iter().enumerate() {
            let m = 10.0 * 1.7_f64.powi(2 - k as i32);
            let column = |a: usize| (0..50).map(|i| feature[i * 50 + a]).collect::<Vec<f64>>();
            let products = (0..50).flat_map(|a| (0..=a).map(move |b| (a, b)));
            let off = largest(products.map(|(a, b)| {
                let wanted = if a == b { m * m } else { 0.0 };
                (dot(&column(a), &column(b)) - wanted).abs()
            }));
            evidence = evidence
                .printed(Measurement::absolute(
                    format!("A_{0}^T A_{0} - m^2 I, d = 50", k + 1),
                    0.0,
                    off,
                    1e-10,
                ))
                .printed(Measurement::relative(
                    format!("Frobenius norm of A_{}, beside m_k sqrt(d)", k + 1),
                    m * 50.0_f64.sqrt(),
                    norm(feature),
                    1e-12,
                ));
        }
        Ok(evidence)
    },
);

pub(super) const EVEN_DRAWS: Claim = Claim::new(
    "sparse-markov/uniform-features",
    "Section 2.2",
    Kind::Equation,
    "Features are drawn uniformly over the orthogonal matrices.",
    |trial| {
        // Moments of the Haar measure: E O_11^2 = 1/d, E O_11^4 = 3/(d (d + 2)), E O_11^2 O_22^2 = (d + 1)/((d - 1) d (d + 2)).
        let d = 4;
        let size = d as f64;
        let mut means = [Mean::default(); 4];
        for draw in 0..6000 {
            let o = Chain::orthogonal_features(d, &[1.0], trial.seed * 1_000_003 + draw).remove(0);
            let (a, b) = (o[0], o[d + 1]);
            means[0].add(a * a);
            means[1].add(a.powi(4));
            means[2].add(a * a * b * b);
            means[3].add(a);
        }
        let wanted = [
            1.0 / size,
            3.0 / (size * (size + 2.0)),
            (size + 1.0) / ((size - 1.0) * size * (size + 2.0)),
            0.0,
        ];
        let names = ["E O_11^2", "E O_11^4", "E O_11^2 O_22^2", "E O_11"];
        let mut evidence = Evidence::new();
        for ((name, wanted), mean) in names.iter().zip(wanted).zip(means) {
            evidence = evidence.printed(
                Measurement::absolute(
                    format!("{name}, 6000 draws, d = 4"),
                    wanted,
                    mean.mean(),
                    0.06,
                )
                .noisy(mean.error()),
            );
        }
        Ok(evidence)
    },
);

pub(super) const INFLUENCE: Claim = Claim::new(
    "sparse-markov/influence",
    "Section 2.2",
    Kind::Equation,
    "Near positions influence the next token more than distant ones: $I(1)$ most, $I(h)$ least.",
    |trial| {
        let mut evidence = Evidence::new();
        for (size, name) in [(2, "minimal, w = 6"), (4, "full, w = 12")] {
            let chain = paper(size, trial.seed)?;
            let lost = |k: usize| {
                drawn_mean(&chain, 60, |before, _| {
                    divergence(&law(&chain, before, |_| true), &law(&chain, before, |j| j != k))
                })
            };
            let lost = [lost(0), lost(1), lost(2)];
            for k in 0..2 {
                let (more, less) = (lost[k], lost[k + 1]);
                // Four standard errors to the worse.
                let least = (more.mean() - 4.0 * more.error()) / (less.mean() + 4.0 * less.error());
                let what =
                    format!("loss without I({}) over loss without I({}), {name}", k + 1, k + 2);
                evidence = evidence.printed(Measurement::at_least(what, 1.3, least));
            }
        }
        Ok(evidence)
    },
);

pub(super) const SCALE: Claim = Claim::new(
    "sparse-markov/entropy",
    "Section 2.2 and Fig. 4, added: the scale of losses",
    Kind::Equation,
    "At the paper's size the entropy of a token is 1.2 to 1.42 nats with $w = 6$ and 1.65 to 1.95 \
     with $w = 12$, depending on the features, out of $\\ln 50 = 3.91$: a model that knows nothing \
     has an excess loss of about 2.6 and 2.1.",
    |trial| {
        let mut evidence = Evidence::new();
        for (size, low, high) in [(2, 1.17, 1.45), (4, 1.62, 1.98)] {
            let chain = paper(size, trial.seed)?;
            let mean = drawn_mean(&chain, 150, |before, _| {
                law(&chain, before, |_| true)
                    .iter()
                    .map(|p| if *p > 0.0 { -p * p.ln() } else { 0.0 })
                    .sum()
            });
            let what = format!("entropy of a token, w = {}, 150 sequences", 3 * size);
            evidence = evidence
                .printed(Measurement::at_least(&*what, low, mean.mean()))
                .printed(Measurement::at_most(&*what, high, mean.mean()))
                .note(format!("w = {}: {:.3} +- {:.3}.", 3 * size, mean.mean(), mean.error()));
        }
        Ok(evidence)
    },
);
