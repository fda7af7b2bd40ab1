//! Sections 2.1 and 2.2: the chain, its groups of lags, and how strong they are.

use super::*;

/// What the groups that `reads` picks say about the token after `before`, straight from 000, Eq. (1).
pub(super) fn law(chain: &Chain, before: &[u16], reads: impl Fn(usize) -> bool) -> Vec<f64> {
    let d = chain.vocabulary;
    let mut logits = vec![0.0; d];
    for (k, (group, feature)) in chain.groups.iter().zip(&chain.features).enumerate() {
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

/// How far the law of a chain after `before` is from that of the groups that `reads` picks.
pub(super) fn lost(chain: &Chain, before: &[u16], reads: impl Fn(usize) -> bool) -> f64 {
    divergence(&law(chain, before, |_| true), &law(chain, before, reads))
}

/// All sequences of that length, each with its probability.
pub(super) fn listed(chain: &Chain) -> Vec<(Vec<u16>, f64)> {
    let (d, w) = (chain.vocabulary, chain.order);
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
    let (w, t) = (chain.order, chain.length);
    let mean = |tokens: &[u16]| (0..t).map(|i| f(&tokens[..w + i])).sum::<f64>() / t as f64;
    listed(chain).iter().map(|(tokens, p)| p * mean(tokens)).sum()
}

/// A chain of three tokens with two groups, random features.
pub(super) fn small(trial: Trial) -> Outcome<Chain> {
    let features = Chain::orthogonal_features(3, &[2.5, 1.5], trial.seed);
    Ok(Chain::new(vec![Group::even(&[1]), Group::even(&[2, 3])], features, (3, None))?)
}

/// The chain of Tables 1 and 4: 50 tokens, three groups of that many lags.
pub(super) fn paper(size: usize, seed: u64) -> Outcome<Chain> {
    let features = Chain::orthogonal_features(50, &[28.9, 17.0, 10.0], seed);
    Ok(Chain::new(Group::contiguous(3, size), features, (20, None))?)
}

/// Means over so many drawn sequences and all places.
pub(super) fn drawn_mean(chain: &Chain, count: usize, f: impl Fn(&[u16], u16) -> f64) -> Mean {
    let data = chain.data_set(count, (0, TEST));
    let mut mean = Mean::default();
    for tokens in data.chunks_exact(chain.tokens()) {
        let at = |i: usize| f(&tokens[..i], tokens[i]);
        let places = chain.order..chain.tokens();
        mean.add(places.map(at).sum::<f64>() / chain.length as f64);
    }
    mean
}

pub(super) fn eq_1(e: &mut Evidence, trial: Trial) -> Outcome {
    let (w, order) = (6, 3);
    let known = |lags: std::ops::Range<usize>| lags.filter(|lag| *lag > 0).count();
    // Sequences drawn by our chain beside the law with lags 1..w, listed.
    let chain = small(trial)?;
    let exact = listed_mean(&chain, |before| {
        law(&chain, before, |_| true).iter().map(|p| -p * p.ln()).sum()
    });
    let drawn = drawn_mean(&chain, 4000, |before, next| {
        -law(&chain, before, |_| true)[usize::from(next)].ln()
    });
    let total: f64 = listed(&chain).iter().map(|(_, p)| p).sum();
    e.both("tokens of the w = 6 that are there when x_t is drawn")
        .count(w, [known(0..w), known(1..w + 1)]);
    e.but("order of the chain with lags 1, 2, 3").count(order, chain.order);
    e.but("probabilities of all 729 sequences").abs(1.0, total, ROUNDING);
    let what = "-ln p of tokens in 4000 drawn sequences, beside the entropy over all listed ones";
    e.but(what).abs(exact, drawn.mean(), 0.1).noisy(drawn.error());
    let what = "the entropy as our exact means have it";
    e.but(what).abs(exact, Exact::new(&chain)?.entropy(), ROUNDING);
    Ok(())
}

pub(super) fn alpha(e: &mut Evidence, trial: Trial) -> Outcome {
    let chain = small(trial)?;
    let sums = chain.groups.iter().map(|group| (group.weights.iter().sum::<f64>() - 1.0).abs());
    // Exchanging two tokens of one group changes nothing; of two groups, it does.
    let (a, b) = (law(&chain, &[0, 1, 2], |_| true), law(&chain, &[1, 0, 2], |_| true));
    let c = law(&chain, &[0, 2, 1], |_| true);
    e.of("sums of alpha less 1").abs(0.0, largest(sums), ROUNDING);
    let what = "change of the law when lags 2 and 3 of one group are exchanged";
    e.of(what).abs(0.0, gap(&a, &b), ROUNDING);
    e.of("the same for lags 1 and 2 of two groups").at_least(1e-3, gap(&a, &c));
    Ok(())
}

pub(super) fn groups_permuted(e: &mut Evidence, trial: Trial) -> Outcome {
    let chain = small(trial)?;
    let (mut groups, mut features) = (chain.groups.to_vec(), chain.features.to_vec());
    groups.reverse();
    features.reverse();
    let other = Chain::new(groups, features, (3, None))?;
    let [a, b] = [&chain, &other]
        .map(|chain| listed(chain).into_iter().map(|(_, p)| p).collect::<Vec<f64>>());
    e.of("probabilities of all 729 sequences, groups exchanged").abs(0.0, gap(&a, &b), ROUNDING);
    Ok(())
}

/// Ways to choose so many numbers of `from..to` in rising order.
fn rising(count: usize, from: usize, to: usize) -> usize {
    if count == 0 {
        return 1;
    }
    (from..to).map(|first| rising(count - 1, first + 1, to)).sum()
}

pub(super) fn eq_2(e: &mut Evidence, _: Trial) {
    // Blocks {0..i_1}, {i_1 + 1..i_2}, ..: i_1 = 0 makes the first a single lag.
    for (w, h) in [(3, 3), (6, 3), (5, 4)] {
        let all =
            (0..1_usize << (w - 1)).filter(|cuts| cuts.count_ones() as usize == h - 1).count();
        e.both(format!("choices of i beside ways to cut {w} lags into {h} blocks"))
            .count(all, [1, 0].map(|first| rising(h - 1, first, w - 1)));
    }
    let same = Group::contiguous(3, 2).iter().map(|group| group.lags.clone()).collect::<Vec<_>>();
    let table = same == [vec![1, 2], vec![3, 4], vec![5, 6]];
    e.but("groups of Table 4, minimal model").count(1, usize::from(table));
}

pub(super) fn strengths(e: &mut Evidence, trial: Trial) -> Outcome {
    let chain = paper(2, trial.seed)?;
    for (k, feature) in chain.features.iter().enumerate() {
        let m = 10.0 * 1.7_f64.powi(2 - k as i32);
        let column = |a: usize| (0..50).map(|i| feature[i * 50 + a]).collect::<Vec<f64>>();
        let products = (0..50).flat_map(|a| (0..=a).map(move |b| (a, b)));
        let off = largest(products.map(|(a, b)| {
            let wanted = if a == b { m * m } else { 0.0 };
            (dot(&column(a), &column(b)) - wanted).abs()
        }));
        e.of(format!("A_{0}^T A_{0} - m^2 I, d = 50", k + 1)).abs(0.0, off, 1e-10);
        let what = format!("Frobenius norm of A_{}, beside m_k sqrt(d)", k + 1);
        e.of(what).rel(m * 50.0_f64.sqrt(), norm(feature), 1e-12);
    }
    Ok(())
}

pub(super) fn uniform_features(e: &mut Evidence, trial: Trial) {
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
        ("E O_11^2", 1.0 / size),
        ("E O_11^4", 3.0 / (size * (size + 2.0))),
        ("E O_11^2 O_22^2", (size + 1.0) / ((size - 1.0) * size * (size + 2.0))),
        ("E O_11", 0.0),
    ];
    for ((name, wanted), mean) in wanted.into_iter().zip(means) {
        let what = format!("{name}, 6000 draws, d = 4");
        e.of(what).abs(wanted, mean.mean(), 0.06).noisy(mean.error());
    }
}

pub(super) fn influence(e: &mut Evidence, trial: Trial) -> Outcome {
    for (size, name) in [(2, "minimal, w = 6"), (4, "full, w = 12")] {
        let chain = paper(size, trial.seed)?;
        let lost =
            [0, 1, 2].map(|k| drawn_mean(&chain, 60, |before, _| lost(&chain, before, |j| j != k)));
        for k in 0..2 {
            let (more, less) = (lost[k], lost[k + 1]);
            // Four standard errors to the worse.
            let least = (more.mean() - 4.0 * more.error()) / (less.mean() + 4.0 * less.error());
            let what = format!("loss without I({}) over loss without I({}), {name}", k + 1, k + 2);
            e.of(what).at_least(1.3, least);
        }
    }
    Ok(())
}

pub(super) fn entropy(e: &mut Evidence, trial: Trial) -> Outcome {
    for (size, low, high) in [(2, 1.17, 1.45), (4, 1.62, 1.98)] {
        let chain = paper(size, trial.seed)?;
        let mean = drawn_mean(&chain, 150, |before, _| {
            law(&chain, before, |_| true)
                .iter()
                .map(|p| if *p > 0.0 { -p * p.ln() } else { 0.0 })
                .sum()
        });
        let what = format!("entropy of a token, w = {}, 150 sequences", 3 * size);
        e.of(&what).at_least(low, mean.mean());
        e.of(&what).at_most(high, mean.mean());
        e.note(format!("w = {}: {:.3} +- {:.3}.", 3 * size, mean.mean(), mean.error()));
    }
    Ok(())
}
