//! The exact loss of the network: half the squared distance of `W2 W1` to `S`.

use saddlescope_cli::prelude::*;

/// The loss `|S - W2 W1|^2/2`. Parameters are `W1` (`H` x `D`), then `W2` (`D` x `H`), row by row.
#[derive(Debug, Clone)]
pub struct TwoLayers {
    /// The singular values, in falling order.
    pub singular: Vec<f64>,
    /// Number of hidden units: `H`.
    pub hidden: usize,
    blocks: Blocks,
}

impl TwoLayers {
    /// A network with `hidden` units that is to learn these singular values, with time constant `tau`.
    pub fn new(singular: &[f64], hidden: usize, tau: f64) -> Self {
        let (d, rate) = (singular.len(), 1.0 / tau);
        let blocks = Blocks::new().with("layer.0.weight", &[hidden, d], rate).with(
            "layer.1.weight",
            &[d, hidden],
            rate,
        );
        Self { singular: singular.to_vec(), hidden, blocks }
    }

    /// Where `W2` begins.
    pub fn split(&self) -> usize {
        self.hidden * self.singular.len()
    }

    /// Entry `(i, j)` of the map that the weights compute, `W2 W1`.
    pub fn entry<T: Real>(&self, theta: &[T], i: usize, j: usize) -> T {
        let (d, h) = (self.singular.len(), self.hidden);
        let (first, second) = theta.split_at(self.split());
        let mut sum = T::constant(0.0);
        for k in 0..h {
            sum += second[i * h + k] * first[k * d + j];
        }
        sum
    }

    /// `W1 W1^T - W2^T W2`, row by row, which the flow keeps.
    pub fn imbalance(&self, theta: &[f64]) -> Vec<f64> {
        let (d, h) = (self.singular.len(), self.hidden);
        let (first, second) = theta.split_at(self.split());
        let entry = |i: usize, k: usize| -> f64 {
            let of = |j: usize| {
                first[i * d + j] * first[k * d + j] - second[j * h + i] * second[j * h + k]
            };
            (0..d).map(of).sum()
        };
        (0..h * h).map(|place| entry(place / h, place % h)).collect()
    }
}

/// Written for any kind of number, so that products with the Hessian are exact as well.
impl Differentiable for TwoLayers {
    type Scratch<T: Real> = ();

    fn layout(&self) -> &Blocks {
        &self.blocks
    }

    fn scratch<T: Real>(&self) {}

    fn slopes<T: Real>(&self, theta: &[T], (): &mut (), gradient: &mut [T]) -> Result<T, Fault> {
        let (d, h) = (self.singular.len(), self.hidden);
        let (first, second) = theta.split_at(self.split());
        let mut loss = T::constant(0.0);
        gradient.fill(loss);
        let (first_slope, second_slope) = gradient.split_at_mut(self.split());
        for (i, j) in (0..d).flat_map(|i| (0..d).map(move |j| (i, j))) {
            let wanted = if i == j { self.singular[i] } else { 0.0 };
            let error = self.entry(theta, i, j) - T::constant(wanted);
            loss += T::constant(0.5) * error * error;
            for k in 0..h {
                first_slope[k * d + j] += second[i * h + k] * error;
                second_slope[i * h + k] += error * first[k * d + j];
            }
        }
        Ok(loss)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use saddlescope_spec::testing::{assert_gradient, assert_hessian_product, normals};

    #[test]
    fn derivatives_are_those_of_differences() {
        let network = TwoLayers::new(&[2.0, 1.0, 0.5], 4, 1.0);
        let (theta, direction) = (normals(24, 1.0, 0), normals(24, 1.0, 1));
        assert_gradient(&network, (&theta, 1e-4), Draw::default(), 1e-9, "gradient");
        assert_hessian_product(&network, &theta, &direction, 1e-9, "Hessian");
    }
}
