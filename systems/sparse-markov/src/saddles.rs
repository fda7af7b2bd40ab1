//! The plateaus as stationary points, and which of them a state is near.

use saddlescope_spec::problem::KnownSaddle;

use crate::Factorisation;

/// One saddle for each number `n` of features that are learned: one head each for features 2 to `n`, all others on the first.
/// In `q` the attention is as one-hot as numbers allow.
pub fn known(model: &Factorisation) -> Vec<KnownSaddle> {
    let target = &model.target;
    let most = target.features().min(model.heads);
    (1..=most)
        .map(|n| {
            let (v, s) = plateau(model, n);
            let learned: Vec<usize> = (0..n).collect();
            KnownSaddle::of_learned(&learned, model.state(&v, &s))
        })
        .collect()
}

pub fn plateau(model: &Factorisation, n: usize) -> (Vec<f64>, Vec<f64>) {
    let (target, heads) = (&model.target, model.heads);
    let waiting = heads + 1 - n;
    let (mut v, mut s) = (Vec::new(), Vec::new());
    for k in 0..heads {
        let feature = (k + 1).saturating_sub(waiting);
        let share = if feature == 0 { waiting as f64 } else { 1.0 };
        let size = target.strengths[feature] / share;
        v.extend(target.directions[feature].iter().map(|x| size * x));
        let place = target.places[feature];
        s.extend((0..target.positions).map(|i| f64::from(u8::from(i == place))));
    }
    (v, s)
}

/// The saddle whose product `P` is nearest to that of `state`, and how far it is, in strengths of the last feature.
pub fn nearest(model: &Factorisation, state: &[f64]) -> Option<(usize, f64)> {
    let target = &model.target;
    let positions = target.positions;
    let product = |state: &[f64]| {
        let mut p = vec![0.0; target.rank * positions];
        let attention = model.attention(state);
        for (k, s) in attention.chunks_exact(positions).enumerate() {
            let (v, _) = model.head(state, k);
            for (v, row) in v.iter().zip(p.chunks_exact_mut(positions)) {
                row.iter_mut().zip(s).for_each(|(p, s)| *p += v * s);
            }
        }
        p
    };
    let here = product(state);
    let unit = target.strengths.iter().copied().fold(f64::INFINITY, f64::min);
    let far = |saddle: &KnownSaddle| {
        let there = product(&saddle.state);
        let square: f64 = here.iter().zip(there).map(|(a, b)| (a - b) * (a - b)).sum();
        square.sqrt() / unit
    };
    let all = known(model);
    let distances = all.iter().map(far).enumerate();
    distances.min_by(|a, b| a.1.total_cmp(&b.1))
}
