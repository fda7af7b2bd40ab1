//! Where the parameters of a transformer start.

use saddlescope::numeric::random::{Purpose, Stream};

use crate::Transformer;

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Start {
    /// Every matrix and table normal with this standard deviation; norms 1, biases 0.
    Normal(f64),
    /// Every matrix and table uniform in plus or minus this number; norms 1, biases 0.
    Uniform(f64),
    /// As PyTorch's layers: matrices uniform in plus or minus one over the root of what enters, biases too, tables standard
    /// normal; norms 1 and 0.
    Layers,
}

/// Factors of parts, beside the law; slopes of ALiBi are set, not drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct Scales {
    pub all: f64,
    /// What slopes start at: 0.01 in 002, section 5.
    pub slopes: f64,
    /// Of parameters by name pattern, beside: `("blocks.*.attn.W_Q", 0.1)`.
    pub named: Vec<(String, f64)>,
}

impl Default for Scales {
    fn default() -> Self {
        Self { all: 1.0, slopes: 0.01, named: Vec::new() }
    }
}

impl Transformer {
    /// Parameters drawn by `start`, keyed by `seed`; every block has a stream of its own.
    pub fn start(&self, start: Start, scales: &Scales, seed: u64) -> Vec<f64> {
        let stream = Stream::new(seed, Purpose::Start, 0);
        let mut theta = vec![0.0; self.blocks.len()];
        for (index, block) in self.blocks.iter().enumerate() {
            let entries = &mut theta[block.range()];
            let mut stream = stream.substream(index as u64);
            let part = block.name.rsplit('.').next().unwrap_or_default();
            let norm = block.name.contains("ln");
            let table = matches!(part, "W_E" | "W_pos");
            let enters = self.enters(part);
            match (part, start) {
                ("w", _) if norm => entries.fill(1.0),
                ("b", _) if norm => {}
                ("slopes", _) => entries.fill(scales.slopes),
                (_, Start::Layers) if table => stream.fill_normal(entries),
                (_, Start::Layers) => uniform(&mut stream, 1.0 / (enters as f64).sqrt(), entries),
                (bias, _) if bias.starts_with("b_") => {}
                (_, Start::Normal(deviation)) => {
                    stream.fill_normal(entries);
                    entries.iter_mut().for_each(|entry| *entry *= deviation);
                }
                (_, Start::Uniform(bound)) => uniform(&mut stream, bound, entries),
            }
            if norm || part == "slopes" {
                continue;
            }
            let named = scales.named.iter();
            let fits = named
                .filter(|(pattern, _)| saddlescope::blocks::name_matches(pattern, &block.name));
            let factor = fits.fold(scales.all, |product, (_, factor)| product * factor);
            entries.iter_mut().for_each(|entry| *entry *= factor);
        }
        theta
    }

    /// How many numbers enter an entry of the output of a matrix, or of the matrix that a bias stands behind.
    fn enters(&self, part: &str) -> usize {
        if part.ends_with("_out") { self.architecture.feedforward } else { self.architecture.width }
    }
}

fn uniform(stream: &mut Stream, bound: f64, entries: &mut [f64]) {
    stream.fill_uniform(entries);
    entries.iter_mut().for_each(|entry| *entry = bound * (2.0 * *entry - 1.0));
}
