//! Stationary points: a subset of the singular values is learned, and nothing else.

use saddlescope_spec::problem::KnownSaddle;

use crate::TwoLayers;

/// Dimensions beyond which subsets are too many to list.
const LARGEST: usize = 10;

/// The subsets that `H` hidden units can learn, as bits, in the order in which they are listed: by size.
fn subsets(network: &TwoLayers) -> Vec<u32> {
    let d = network.singular().len();
    if d > LARGEST {
        return Vec::new();
    }
    let fits = |set: &u32| set.count_ones() as usize <= network.hidden();
    let mut all: Vec<u32> = (0..1 << d).filter(fits).collect();
    all.sort_by_key(|set| (set.count_ones(), set.reverse_bits().wrapping_neg()));
    all
}

/// All of them, each at balanced weights, one hidden unit per learned value.
pub fn list(network: &TwoLayers) -> Vec<KnownSaddle> {
    let (d, h) = (network.singular().len(), network.hidden());
    let saddle = |set: u32| {
        let mut state = vec![0.0; 2 * d * h];
        let learned: Vec<usize> = (0..d).filter(|&i| set >> i & 1 == 1).collect();
        for (unit, &i) in learned.iter().enumerate() {
            let weight = network.singular()[i].sqrt();
            state[unit * d + i] = weight;
            state[network.split() + i * h + unit] = weight;
        }
        let names: Vec<String> = learned.iter().map(|i| (i + 1).to_string()).collect();
        KnownSaddle { label: format!("{{{}}}", names.join(",")), state, rank: learned.len() }
    };
    subsets(network).into_iter().map(saddle).collect()
}

/// The one whose map is nearest to that of `state`, and how far apart the maps are, in units of the
/// smallest singular value.
pub fn nearest(network: &TwoLayers, state: &[f64]) -> Option<(usize, f64)> {
    let d = network.singular().len();
    let product = network.product(state);
    let mut set = 0_u32;
    let mut away = product.clone();
    for (i, &s) in network.singular().iter().enumerate() {
        if product[i * d + i] > 0.5 * s {
            set |= 1 << i;
            away[i * d + i] -= s;
        }
    }
    let place = subsets(network).iter().position(|&known| known == set)?;
    let least = network.singular().iter().copied().fold(f64::INFINITY, f64::min);
    Some((place, away.iter().map(|x| x * x).sum::<f64>().sqrt() / least))
}

/// `W1 -> G W1`, `W2 -> W2 G^-1` computes the same map: a direction for each entry of `G`.
pub fn symmetries(network: &TwoLayers, state: &[f64]) -> Vec<Vec<f64>> {
    let (d, h) = (network.singular().len(), network.hidden());
    let (first, second) = state.split_at(network.split());
    let mut all = Vec::new();
    for row in 0..h {
        for column in 0..h {
            let mut direction = vec![0.0; state.len()];
            for j in 0..d {
                direction[row * d + j] = first[column * d + j];
                direction[network.split() + j * h + column] = -second[j * h + row];
            }
            all.push(direction);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use saddlescope::{Draw, Landscape};

    #[test]
    fn they_are_stationary_and_found_again() {
        let network = TwoLayers::new(&[2.0, 1.5, 1.0], 3, 1.0);
        let all = list(&network);
        assert_eq!(all.len(), 8);
        assert_eq!((all[0].label.as_str(), all[7].label.as_str()), ("{}", "{1,2,3}"));
        for (place, saddle) in all.iter().enumerate() {
            let mut gradient = vec![0.0; saddle.state.len()];
            network
                .evaluate(&saddle.state, Draw::default(), &mut network.work(), &mut gradient)
                .unwrap();
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
                network.product(&state)
            };
            let change =
                moved(1e-5).into_iter().zip(moved(-1e-5)).map(|(a, b)| (a - b).abs() / 2e-5);
            assert!(change.fold(0.0, f64::max) < 1e-9);
        }
    }
}
