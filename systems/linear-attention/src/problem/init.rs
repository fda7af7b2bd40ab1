//! The weights at the start.

use saddlescope_spec::prelude::*;
use saddlescope_spec::settings::Choice;

use crate::settings::{Attention, Given, Start, Variance};
use crate::theory::Slots;
use crate::{Shape, Task, Theory};

/// The weights of the reduced model at the start.
pub(super) fn weights(
    start: &Spanned<Start>,
    task: &Task,
    shape: Shape,
    seed: u64,
) -> Result<Vec<f64>, SettingsError> {
    let (weights, name) = match &**start {
        Start::Aligned(aligned) => {
            let heads = shape.heads.min(shape.dimension);
            (shape.aligned_start(task, &vec![aligned.value; heads]), "value")
        }
        Start::Given(Given { value, key, query }) => {
            let rank = match (shape.is_separate(), &key.shape[..]) {
                (false, &[_, rank, _]) => rank,
                _ => shape.rank,
            };
            let pairs = [shape.heads, rank, shape.dimension];
            let words =
                format!("{} heads of rank {rank} in dimension {}", shape.heads, shape.dimension);
            if value.len() != shape.heads {
                let message = format!("has {} entries, but the system has {words}", value.len());
                return Err(start.wrong("value", message));
            }
            for (name, tensor) in [("key", key), ("query", query)] {
                start.check_shape(name, tensor, &pairs, &format!("the system has {words}"))?;
            }
            (shape.given_start(value, &key.values, &query.values), "value")
        }
        Start::Saddle(saddle) => {
            let numbers = start.wholes("learned", &saddle.learned)?;
            let learned: Vec<usize> = numbers.iter().map(|number| number - 1).collect();
            let d = task.dimension();
            for (place, number) in numbers.iter().enumerate() {
                let message = format!("has {number}, but the eigenvectors are 1 to {d}");
                start.ensure(*number <= d, "learned", message)?;
                let message = format!("has {number} twice");
                start.ensure(!numbers[..place].contains(number), "learned", message)?;
            }
            let noise = shape.random_start(saddle.scale, seed);
            let noise = noise.map_err(|error| start.blame(&error, "scale"))?;
            let mut weights = Theory::new(task).weights_at(shape, &learned, Slots::Filled);
            if let Ok(weights) = &mut weights {
                weights.iter_mut().zip(&noise).for_each(|(weight, noise)| *weight += noise);
            }
            (weights, "learned")
        }
        Start::Random(random) => {
            let mut weights = shape.random_start(random.scale, seed);
            if let (Ok(weights), Variance::Entry) = (&mut weights, &random.variance) {
                let more = (shape.key_len() as f64).sqrt();
                for head in weights.chunks_exact_mut(shape.head_len()) {
                    head[1..].iter_mut().for_each(|weight| *weight *= more);
                }
            }
            (weights, "scale")
        }
    };
    weights.map_err(|error| start.blame(&error, name))
}

/// Sizes of the start of `u` and `c`.
pub(super) fn zero_blocks(
    start: &Spanned<Start>,
    attention: Attention,
) -> Result<[f64; 2], SettingsError> {
    let Start::Random(random) = &**start else { return Ok([0.0; 2]) };
    for (name, size) in [("value_x", random.value_x), ("key_y", random.key_y)] {
        let message = format!(
            "is {size}, but {} attention has no such weights: set system.attention = \"full\"",
            attention.word()
        );
        start.ensure(size == 0.0 || attention.is_full(), name, message)?;
    }
    Ok([random.value_x, random.key_y])
}
