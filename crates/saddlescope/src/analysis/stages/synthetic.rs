//! Staircases with known truth, to score the detection of stages with.

use crate::prelude::*;

/// How the rows of a series lie on time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spacing {
    /// Evenly on log time.
    Log,
    /// At every step, or every so many.
    Linear,
    /// At random on log time, with gaps and crowds, denser at jumps.
    Irregular,
}

/// What disturbs the values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Noise {
    None,
    /// The same everywhere, independent from row to row.
    White,
    /// In proportion to the value.
    Multiplicative,
    /// Neighbouring rows share it.
    Correlated,
    /// White, with one row in thirty far off.
    Outliers,
}

/// What the series is, noise aside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Plateaus that only fall.
    Falling,
    /// Plateaus of which some lie higher than the one before.
    UpAndDown,
    /// One height.
    Constant,
    /// A power of time, without any stage.
    PowerLaw,
}

/// A series and what is true of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Staircase {
    pub shape: Shape,
    pub spacing: Spacing,
    pub noise: Noise,
    /// Standard deviation of the noise at the first height, as a part of the smallest jump.
    pub level: f64,
    pub times: Vec<f64>,
    pub values: Vec<f64>,
    pub heights: Vec<f64>,
    /// When each jump is half done.
    pub jumps: Vec<f64>,
    /// Time from 1/10 to 9/10 of each jump.
    pub durations: Vec<f64>,
}

/// The kinds of a mixed set: every shape and spacing with every noise.
const KINDS: [(Shape, Spacing, Noise); 20] = {
    use {Noise as N, Shape as S, Spacing as P};
    [
        (S::Falling, P::Irregular, N::None),
        (S::Falling, P::Log, N::None),
        (S::Falling, P::Linear, N::None),
        (S::Falling, P::Log, N::White),
        (S::Falling, P::Linear, N::White),
        (S::Falling, P::Irregular, N::White),
        (S::Falling, P::Linear, N::Multiplicative),
        (S::Falling, P::Log, N::Multiplicative),
        (S::Falling, P::Linear, N::Correlated),
        (S::Falling, P::Log, N::Outliers),
        (S::Falling, P::Linear, N::Outliers),
        (S::Falling, P::Irregular, N::Correlated),
        (S::UpAndDown, P::Log, N::None),
        (S::UpAndDown, P::Linear, N::White),
        (S::UpAndDown, P::Irregular, N::Outliers),
        (S::Constant, P::Log, N::White),
        (S::Constant, P::Linear, N::Correlated),
        (S::PowerLaw, P::Log, N::None),
        (S::PowerLaw, P::Linear, N::White),
        (S::PowerLaw, P::Irregular, N::Multiplicative),
    ]
};

impl Staircase {
    /// Number `index` of the mixed set of `seed`.
    pub fn mixed(seed: u64, index: u64) -> Self {
        let (shape, spacing, noise) = KINDS[(index % KINDS.len() as u64) as usize];
        let mut stream = Stream::new(seed, Purpose::Data, index);
        let mut stairs = Self::bare(shape, spacing, &mut stream);
        stairs.noise = noise;
        stairs.take_rows(&mut stream);
        stairs.disturb(&mut stream);
        stairs
    }

    fn bare(shape: Shape, spacing: Spacing, stream: &mut Stream) -> Self {
        let jumps = match shape {
            Shape::Falling | Shape::UpAndDown => 1 + stream.below(6) as usize,
            Shape::Constant | Shape::PowerLaw => 0,
        };
        let mut between = |low: f64, high: f64| low + (high - low) * stream.uniform();
        // Late plateaus may be short in log time; the first one is not.
        let mut times = Vec::with_capacity(jumps);
        let mut gaps = vec![2.0];
        let mut time = between(50.0, 200.0);
        for _ in 0..jumps {
            times.push(time);
            gaps.push(between(0.15, 1.5));
            time *= gaps[gaps.len() - 1].exp();
        }
        let durations = (0..jumps).map(|m| {
            let room = gaps[m].min(gaps[m + 1]);
            times[m] * room * between(0.02, 0.15)
        });
        let durations: Vec<f64> = durations.collect();
        let mut heights = vec![1.0];
        for m in 0..jumps {
            let drop = between(0.3, 1.0) / jumps as f64;
            let up = shape == Shape::UpAndDown && m % 3 == 1;
            heights.push(heights[m] + if up { drop } else { -drop });
        }
        // The lowest plateau stays above zero, as losses do.
        let lowest = heights.iter().fold(f64::INFINITY, |low: f64, &height| low.min(height));
        let lift = 0.1 - lowest.min(0.0);
        heights.iter_mut().for_each(|height| *height += lift);
        let end = if jumps == 0 { 1e4 } else { time };
        Self {
            shape,
            spacing,
            noise: Noise::None,
            level: 0.0,
            times: vec![end],
            values: Vec::new(),
            heights,
            jumps: times,
            durations,
        }
    }

    /// The value without noise.
    fn at(&self, time: f64) -> f64 {
        if self.shape == Shape::PowerLaw {
            return 1.1 * time.max(1.0).powf(-0.3);
        }
        let mut value = self.heights[0];
        for (m, (&jump, &duration)) in self.jumps.iter().zip(&self.durations).enumerate() {
            let way = (time - jump) / duration;
            // Even jumps are symmetric; odd ones begin slowly and end fast, half done at 0 as well.
            let progress = if m % 2 == 0 {
                1.0 / (1.0 + (-4.394_449_154_672_439 * way).exp())
            } else {
                1.0 - (-std::f64::consts::LN_2 * (3.084_305_0 * way).min(50.0).exp()).exp()
            };
            value += progress * (self.heights[m + 1] - self.heights[m]);
        }
        value
    }

    fn take_rows(&mut self, stream: &mut Stream) {
        let end = self.times[0];
        let first: f64 = 1.0;
        let span = (end / first).ln();
        self.times = match self.spacing {
            Spacing::Log => {
                let rows = 800;
                (0..rows)
                    .map(|i| first * (span * f64::from(i) / f64::from(rows - 1)).exp())
                    .collect()
            }
            Spacing::Linear => {
                let stride = (end / 4000.0).ceil().max(1.0);
                (0..).map(|i| stride * f64::from(i)).take_while(|&time| time <= end).collect()
            }
            Spacing::Irregular => {
                let mut times: Vec<f64> =
                    (0..400).map(|_| first * (span * stream.uniform()).exp()).collect();
                for (jump, duration) in self.jumps.iter().zip(&self.durations) {
                    times.extend((0..40).map(|_| jump + duration * 3.0 * (stream.uniform() - 0.5)));
                }
                times.sort_by(f64::total_cmp);
                times.dedup();
                times
            }
        };
        self.values = self.times.iter().map(|&time| self.at(time)).collect();
    }

    fn disturb(&mut self, stream: &mut Stream) {
        if self.noise == Noise::None {
            return;
        }
        self.level = 0.05 + 0.25 * stream.uniform();
        let drops = self.heights.windows(2).map(|pair| (pair[1] - pair[0]).abs());
        let smallest = drops.fold(0.3, f64::min);
        let sigma = self.level * smallest;
        let mut normal = vec![0.0; self.values.len()];
        stream.fill_normal(&mut normal);
        let mut before = 0.0;
        for (value, normal) in self.values.iter_mut().zip(normal) {
            match self.noise {
                Noise::None => {}
                Noise::White => *value += sigma * normal,
                Noise::Multiplicative => *value *= 1.0 + sigma * normal,
                Noise::Correlated => {
                    before = 0.7 * before + (1.0_f64 - 0.49).sqrt() * normal;
                    *value += sigma * before;
                }
                Noise::Outliers => {
                    let far = stream.below(30) == 0;
                    *value += sigma * normal * if far { 20.0 } else { 1.0 };
                }
            }
        }
    }
}
