//! Tables 1, 3 and 4, B.2 and B.7: the sizes of the experiments, and which intervals count most.

use saddlescope::claim::{Claim, Evidence, Kind, Measurement};

use super::super::{Chain, Group};
use super::task::{divergence, drawn_mean, law};

pub(super) const REVERSED: Claim = Claim::new(
    "sparse-markov/reverse-order",
    "B.2",
    Kind::Equation,
    "With $I(3) = \\{12, 13\\}$, $I(2) = \\{8, \\dots, 11\\}$, $I(1) = \\{0, \\dots, 7\\}$ the \
     most important interval is the furthest one.",
    |trial| {
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
        let what = "loss without the furthest interval over loss without the nearest, m = 1.7, b_0 \
            = 10";
        Ok(Evidence::new()
            .printed(Measurement::at_least(what, 1.0, lost(&printed, 2) / lost(&printed, 0)))
            .corrected(Measurement::at_least(what, 1.0, lost(&meant, 0) / lost(&meant, 2))))
    },
)
.corrected(
    "the furthest is $I(1)$ by the order of section 2.1, $m_k = m^{h-k} b_0$: the names of $I(1)$ \
     and $I(3)$ are exchanged, and lags are counted from 0",
);

pub(super) const OVERLAPS: Claim = Claim::new(
    "sparse-markov/overlapping-lags",
    "B.7, added: which positions count most",
    Kind::Equation,
    "With $I(1) = \\{5, \\dots, 8\\}$, $I(2) = \\{3, \\dots, 6\\}$, $I(3) = \\{1, \\dots, 4\\}$ \
     the lags that the two strongest groups share, 5 and 6, count most, then 7 and 8, 3 and 4, 1 \
     and 2: matrices of groups add up, $\\sqrt{m_1^2 + m_2^2}/4$.",
    |trial| {
        let features = Chain::orthogonal_features(50, &[28.9, 17.0, 10.0], trial.seed);
        let groups =
            [[5, 6, 7, 8], [3, 4, 5, 6], [1, 2, 3, 4]].map(|lags| Group::even(&lags)).to_vec();
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
        Ok(Evidence::new()
            .printed(Measurement::at_least(
                format!("effect of lags 5 and 6 over that of 7 and 8: {what}"),
                1.1,
                shared / first,
            ))
            .printed(Measurement::at_least("lags 7 and 8 over 3 and 4", 1.1, first / second))
            .printed(Measurement::at_least("lags 3 and 4 over 1 and 2", 1.1, second / last))
            .note("The paper calls it unclear which positions are the most significant."))
    },
);

pub(super) const TABLES: Claim = Claim::new(
    "sparse-markov/tables",
    "Tables 1, 3 and 4",
    Kind::Equation,
    "Groups of 4 and of 2 lags partition $w = 12$ and $w = 6$ lags; 3 heads share 255 hidden \
     dimensions; 9000 training sequences make 3 batches of 3000.",
    |_| {
        let mut evidence = Evidence::new();
        for (size, w) in [(4, 12), (2, 6)] {
            let groups = Group::contiguous(3, size);
            let mut lags: Vec<usize> = groups.iter().flat_map(|group| group.lags.clone()).collect();
            lags.sort_unstable();
            let right = lags.iter().enumerate().filter(|(i, lag)| **lag == i + 1).count();
            evidence =
                evidence.printed(Measurement::count(format!("lags 1 to {w}, each once"), w, right));
        }
        Ok(evidence
            .printed(Measurement::count("255 modulo 3", 0, 255 % 3))
            .printed(Measurement::count("9000/3000", 3, 9000 / 3000)))
    },
);
