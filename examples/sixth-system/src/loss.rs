//! The exact loss of the network: half the squared distance of `W2 W1` to `S`.

use saddlescope::{Blocks, Draw, Fault, Landscape};

/// The loss `|S - W2 W1|^2/2`. Parameters are `W1` (`H` x `D`), then `W2` (`D` x `H`), row by row.
#[derive(Debug, Clone)]
pub struct TwoLayers {
    singular: Vec<f64>,
    hidden: usize,
    blocks: Blocks,
}

/// Scratch: what is still to be learned, and its change along a direction.
#[derive(Debug)]
pub struct Work {
    miss: Vec<f64>,
    change: Vec<f64>,
}

impl TwoLayers {
    /// A network with `hidden` units that is to learn these singular values, with time constant `tau`.
    pub fn new(singular: &[f64], hidden: usize, tau: f64) -> Self {
        let d = singular.len();
        let blocks = Blocks::new().with("layer.0.weight", &[hidden, d], 1.0 / tau).with(
            "layer.1.weight",
            &[d, hidden],
            1.0 / tau,
        );
        Self { singular: singular.to_vec(), hidden, blocks }
    }

    /// The singular values.
    pub fn singular(&self) -> &[f64] {
        &self.singular
    }

    /// Number of hidden units: `H`.
    pub fn hidden(&self) -> usize {
        self.hidden
    }

    /// Where `W2` begins.
    pub fn split(&self) -> usize {
        self.hidden * self.singular.len()
    }

    /// The map that the weights compute, `W2 W1`, row by row.
    pub fn product(&self, theta: &[f64]) -> Vec<f64> {
        let d = self.singular.len();
        let mut product = vec![0.0; d * d];
        self.add_product(&theta[self.split()..], &theta[..self.split()], 1.0, &mut product);
        product
    }

    /// Adds `factor A B` with `A` (`D` x `H`) and `B` (`H` x `D`).
    fn add_product(&self, a: &[f64], b: &[f64], factor: f64, sum: &mut [f64]) {
        let (d, h) = (self.singular.len(), self.hidden);
        for i in 0..d {
            for k in 0..h {
                let weight = factor * a[i * h + k];
                for j in 0..d {
                    sum[i * d + j] += weight * b[k * d + j];
                }
            }
        }
    }

    /// Subtracts `W2^T E` from the slope of `W1` and `E W1^T` from that of `W2`.
    fn subtract_slopes(&self, theta: &[f64], miss: &[f64], slope: &mut [f64]) {
        let (d, h) = (self.singular.len(), self.hidden);
        let (first, second) = theta.split_at(self.split());
        let (first_slope, second_slope) = slope.split_at_mut(self.split());
        for i in 0..d {
            for k in 0..h {
                let mut sum = 0.0;
                for j in 0..d {
                    first_slope[k * d + j] -= second[i * h + k] * miss[i * d + j];
                    sum += miss[i * d + j] * first[k * d + j];
                }
                second_slope[i * h + k] -= sum;
            }
        }
    }

    fn write_miss(&self, theta: &[f64], miss: &mut [f64]) {
        let d = self.singular.len();
        miss.fill(0.0);
        for (i, s) in self.singular.iter().enumerate() {
            miss[i * d + i] = *s;
        }
        let (first, second) = theta.split_at(self.split());
        self.add_product(second, first, -1.0, miss);
    }
}

impl Landscape for TwoLayers {
    type Scalar = f64;
    type Work = Work;

    fn blocks(&self) -> &Blocks {
        &self.blocks
    }

    fn work(&self) -> Work {
        let entries = self.singular.len() * self.singular.len();
        Work { miss: vec![0.0; entries], change: vec![0.0; entries] }
    }

    fn evaluate(
        &self,
        theta: &[f64],
        _draw: Draw,
        work: &mut Work,
        gradient: &mut [f64],
    ) -> Result<f64, Fault> {
        self.write_miss(theta, &mut work.miss);
        gradient.fill(0.0);
        self.subtract_slopes(theta, &work.miss, gradient);
        let loss = 0.5 * work.miss.iter().map(|x| x * x).sum::<f64>();
        Fault::ensure_finite(loss, "loss")
    }

    fn hessian_product(
        &self,
        theta: &[f64],
        direction: &[f64],
        _draw: Draw,
        work: &mut Work,
        product: &mut [f64],
    ) -> Result<bool, Fault> {
        let (first, second) = theta.split_at(self.split());
        let (first_change, second_change) = direction.split_at(self.split());
        self.write_miss(theta, &mut work.miss);
        work.change.fill(0.0);
        self.add_product(second_change, first, -1.0, &mut work.change);
        self.add_product(second, first_change, -1.0, &mut work.change);
        product.fill(0.0);
        self.subtract_slopes(direction, &work.miss, product);
        self.subtract_slopes(theta, &work.change, product);
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use saddlescope::numeric::random::{Purpose, Stream};

    fn random(n: usize, index: u64) -> Vec<f64> {
        let mut values = vec![0.0; n];
        Stream::new(3, Purpose::Start, index).fill_normal(&mut values);
        values
    }

    #[test]
    fn gradient_and_hessian_are_those_of_differences() {
        let net = TwoLayers::new(&[2.0, 1.0, 0.5], 4, 1.0);
        let n = net.blocks().len();
        let (theta, direction) = (random(n, 0), random(n, 1));
        let mut work = net.work();
        let mut at = |step: f64| {
            let moved: Vec<f64> = theta.iter().zip(&direction).map(|(x, d)| x + step * d).collect();
            let mut gradient = vec![0.0; n];
            let loss = net.evaluate(&moved, Draw::default(), &mut work, &mut gradient).unwrap();
            (loss, gradient)
        };
        let h = 1e-5;
        let ((ahead, slope_ahead), (behind, slope_behind)) = (at(h), at(-h));
        let (_, gradient) = at(0.0);
        let along: f64 = gradient.iter().zip(&direction).map(|(g, d)| g * d).sum();
        assert!(((ahead - behind) / (2.0 * h) - along).abs() < 1e-7 * along.abs());
        let mut product = vec![0.0; n];
        let mut work = net.work();
        net.hessian_product(&theta, &direction, Draw::default(), &mut work, &mut product).unwrap();
        for i in 0..n {
            let difference = (slope_ahead[i] - slope_behind[i]) / (2.0 * h);
            assert!((product[i] - difference).abs() < 1e-7 * (1.0 + difference.abs()));
        }
    }
}
