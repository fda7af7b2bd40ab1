//! All modes at once, each by its own logistic law: exact from aligned, balanced weights.

use saddlescope_cli::prelude::*;

use crate::TwoLayers;
use crate::theory::{Mode, levels};

/// The theory `mode-law`. The state is `a_1, ..., a_n` with `n` the smaller of `H` and `D`.
#[derive(Debug, Clone)]
pub struct ModeLaws {
    network: TwoLayers,
    modes: Vec<Mode>,
    blocks: Blocks,
    floor: f64,
}

impl ModeLaws {
    /// The name of the theory.
    pub const NAME: &'static str = "mode-law";

    /// The theory of a network with time constant `tau`.
    pub fn new(network: &TwoLayers, tau: f64) -> Self {
        let count = network.hidden.min(network.singular.len());
        let mode = |&singular: &f64| Mode { singular, tau };
        let modes: Vec<Mode> = network.singular[..count].iter().map(mode).collect();
        let floor = levels(&network.singular, count)[count];
        let blocks = Blocks::new().with("mode", &[count], 1.0 / tau);
        Self { network: network.clone(), modes, blocks, floor }
    }
}

impl ReducedTheory for ModeLaws {
    fn variables(&self) -> &Blocks {
        &self.blocks
    }

    fn law(&self, state: &[f64], rate: &mut [f64]) -> Result<f64, Fault> {
        let mut loss = self.floor;
        for ((rate, mode), &a) in rate.iter_mut().zip(&self.modes).zip(state) {
            *rate = mode.speed(a);
            loss += 0.5 * (mode.singular - a) * (mode.singular - a);
        }
        Fault::ensure_finite(loss, "loss of the mode laws")
    }

    fn least_loss(&self) -> Option<f64> {
        Some(self.floor)
    }

    /// Hidden unit `d` carries mode `d`, with equal weights in and out.
    fn lift(&self, state: &[f64]) -> Vec<f64> {
        let (d, h) = (self.network.singular.len(), self.network.hidden);
        let mut theta = vec![0.0; 2 * d * h];
        for (i, a) in state.iter().enumerate() {
            theta[i * d + i] = a.max(0.0).sqrt();
            theta[self.network.split() + i * h + i] = a.max(0.0).sqrt();
        }
        theta
    }

    fn project(&self, theta: &[f64]) -> Vec<f64> {
        (0..self.modes.len()).map(|i| self.network.entry(theta, i, i)).collect()
    }

    fn holds(&self, state: &[f64]) -> bool {
        self.modes.iter().zip(state).all(|(mode, &a)| a > 0.0 && a <= mode.singular)
    }
}
