//! Stationary points: a subset of the singular values is learned, and nothing else.

use saddlescope_cli::prelude::*;

use crate::TwoLayers;

/// Dimensions beyond which subsets are too many to list.
const LARGEST: usize = 10;

/// The sets of singular values that `H` hidden units can learn.
fn learnable(network: &TwoLayers) -> Vec<Vec<usize>> {
    let d = network.singular.len();
    if d > LARGEST { Vec::new() } else { KnownSaddle::learnable(d, network.hidden) }
}

/// All of them, each at balanced weights, one hidden unit per learned value.
pub fn list(network: &TwoLayers) -> Vec<KnownSaddle> {
    let (d, h) = (network.singular.len(), network.hidden);
    let saddle = |learned: Vec<usize>| {
        let mut state = vec![0.0; 2 * d * h];
        for (unit, &i) in learned.iter().enumerate() {
            let weight = network.singular[i].sqrt();
            state[unit * d + i] = weight;
            state[network.split() + i * h + unit] = weight;
        }
        KnownSaddle::of_learned(&learned, state)
    };
    learnable(network).into_iter().map(saddle).collect()
}

/// The one whose map is nearest to that of `state`, and how far apart the maps are, in units of the
/// smallest singular value.
pub fn nearest(network: &TwoLayers, state: &[f64]) -> Option<(usize, f64)> {
    let d = network.singular.len();
    let (mut learned, mut square) = (Vec::new(), 0.0);
    for (i, j) in (0..d).flat_map(|i| (0..d).map(move |j| (i, j))) {
        let mut away = network.entry(state, i, j);
        if i == j && away > 0.5 * network.singular[i] {
            learned.push(i);
            away -= network.singular[i];
        }
        square += away * away;
    }
    let place = learnable(network).iter().position(|set| *set == learned)?;
    Some((place, square.sqrt() / network.singular.last()?))
}

/// `W1 -> G W1`, `W2 -> W2 G^-1` computes the same map: a direction for each entry of `G`.
pub fn symmetries(network: &TwoLayers, state: &[f64]) -> Vec<Vec<f64>> {
    let (d, h) = (network.singular.len(), network.hidden);
    let direction = |(row, column): (usize, usize)| {
        let mut direction = vec![0.0; state.len()];
        for j in 0..d {
            direction[row * d + j] = state[column * d + j];
            direction[network.split() + j * h + column] = -state[network.split() + j * h + row];
        }
        direction
    };
    (0..h).flat_map(|row| (0..h).map(move |column| (row, column))).map(direction).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use saddlescope_spec::testing::evaluate;

    #[test]
    fn they_are_stationary_and_found_again() {
        let network = TwoLayers::new(&[2.0, 1.5, 1.0], 3, 1.0);
        let all = list(&network);
        assert_eq!(all.len(), 8);
        assert_eq!((all[0].label.as_str(), all[7].label.as_str()), ("{}", "{1,2,3}"));
        for (place, saddle) in all.iter().enumerate() {
            let (_, gradient) = evaluate(&network, &saddle.state, Draw::default());
            assert!(gradient.iter().all(|g| g.abs() < 1e-14), "{}", saddle.label);
            let (found, distance) = nearest(&network, &saddle.state).unwrap();
            assert!(found == place && distance < 1e-14);
        }
    }

    #[test]
    fn symmetries_leave_the_map_alone() {
        let network = TwoLayers::new(&[2.0, 1.0], 3, 1.0);
        let state: Vec<f64> = (0..12).map(|i| 0.1 * f64::from(i) - 0.5).collect();
        for direction in symmetries(&network, &state) {
            let moved = |h: f64| -> Vec<f64> {
                let state: Vec<f64> =
                    state.iter().zip(&direction).map(|(x, d)| x + h * d).collect();
                (0..4).map(|place| network.entry(&state, place / 2, place % 2)).collect()
            };
            for (ahead, behind) in moved(1e-5).into_iter().zip(moved(-1e-5)) {
                assert!((ahead - behind).abs() / 2e-5 < 1e-9);
            }
        }
    }
}
