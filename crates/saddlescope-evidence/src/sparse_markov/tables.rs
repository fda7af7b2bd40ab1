//! Tables 1, 3 and 4, B.2 and B.7: the sizes of the experiments, and which intervals count most.

use super::task::{divergence, drawn_mean, law};
use super::*;

pub(super) fn reverse_order(e: &mut Evidence, trial: Trial) -> Outcome {
    // Lags from 1, as elsewhere: logits of a group vary by m_k/sqrt(d |I|).
    let lags = |from: usize, to: usize| (from..=to).collect::<Vec<usize>>();
    let (near, middle, far) = (lags(1, 8), lags(9, 12), lags(13, 14));
    let build = |order: [&[usize]; 3]| {
        let features = Chain::orthogonal_features(50, &[28.9, 17.0, 10.0], trial.seed);
        let groups = order.map(Group::even).to_vec();
        Chain::new(groups, features, (20, None))
    };
    let printed = build([&near, &middle, &far])?;
    let meant = build([&far, &middle, &near])?;
    let lost = |chain: &Chain, k: usize| {
        drawn_mean(chain, 60, |before, _| {
            divergence(&law(chain, before, |_| true), &law(chain, before, |j| j != k))
        })
        .mean()
    };
    let what =
        "loss without the furthest interval over loss without the nearest, m = 1.7, b_0 = 10";
    e.of(what).at_least(1.0, lost(&printed, 2) / lost(&printed, 0));
    e.but(what).at_least(1.0, lost(&meant, 0) / lost(&meant, 2));
    Ok(())
}

pub(super) fn overlapping_lags(e: &mut Evidence, trial: Trial) -> Outcome {
    let features = Chain::orthogonal_features(50, &[28.9, 17.0, 10.0], trial.seed);
    let groups = [[5, 6, 7, 8], [3, 4, 5, 6], [1, 2, 3, 4]].map(|lags| Group::even(&lags)).to_vec();
    let chain = Chain::new(groups, features, (20, None))?;
    // How the law changes when the token at one lag is replaced by another.
    let effect = |lag: usize| {
        drawn_mean(&chain, 60, |before, next| {
            let mut other = before.to_vec();
            let place = other.len() - lag;
            other[place] = (other[place] + 1 + next % 49) % 50;
            divergence(&law(&chain, before, |_| true), &law(&chain, &other, |_| true))
        })
    };
    let of = |lags: [usize; 2]| 0.5 * (effect(lags[0]).mean() + effect(lags[1]).mean());
    let (shared, first, second, last) = (of([5, 6]), of([7, 8]), of([3, 4]), of([1, 2]));
    let what = "replaced tokens, KL, d = 50, 60 sequences";
    e.of(format!("effect of lags 5 and 6 over that of 7 and 8: {what}"))
        .at_least(1.1, shared / first);
    e.of("lags 7 and 8 over 3 and 4").at_least(1.1, first / second);
    e.of("lags 3 and 4 over 1 and 2").at_least(1.1, second / last);
    Ok(())
}

pub(super) fn tables(e: &mut Evidence, _: Trial) {
    for (size, w) in [(4, 12), (2, 6)] {
        let groups = Group::contiguous(3, size);
        let mut lags: Vec<usize> = groups.iter().flat_map(|group| group.lags.clone()).collect();
        lags.sort_unstable();
        let right = lags.iter().enumerate().filter(|(i, lag)| **lag == i + 1).count();
        e.of(format!("lags 1 to {w}, each once")).count(w, right);
    }
    e.of("255 modulo 3").count(0, 255 % 3);
    e.of("9000/3000").count(3, 9000 / 3000);
}
