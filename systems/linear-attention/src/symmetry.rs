//! What can be exchanged in the heads without changing what they compute together.

use saddlescope::Blocks;
use saddlescope::symmetry::Symmetry;

use super::Shape;
use super::declaration::Attention;

/// Heads change places, and so do the pairs `(k_r, q_r)` of a head; `(k_r, q_r)` change sign together.
/// In linear attention so do `v` and all keys of a head.
pub fn symmetry(shape: Shape, blocks: &Blocks, attention: Attention) -> Symmetry {
    let mut symmetry = Symmetry::none();
    if attention == Attention::Full {
        return symmetry.numbered("head", blocks);
    }
    let width = shape.dimension();
    for head in 0..shape.heads() {
        let start = head * shape.head_len();
        let keys = start + 1..start + 1 + shape.rank() * width;
        let slot = |first: usize, slot: usize| first + slot * width..first + (slot + 1) * width;
        for r in 0..shape.rank() {
            symmetry = symmetry.flipping(&[slot(keys.end, r), slot(keys.start, r)]);
        }
        if attention == Attention::Linear {
            symmetry = symmetry.flipping(&[start..start + 1, keys.clone()]);
        }
        let pair = |r| slot(keys.start, r).chain(slot(keys.end, r)).collect();
        symmetry = symmetry.exchanging((0..shape.rank()).map(pair).collect());
    }
    symmetry.numbered("head", blocks)
}

#[cfg(test)]
mod tests {
    use saddlescope::Landscape;
    use saddlescope::landscape::Draw;
    use saddlescope::numeric::random::{Purpose, Stream};

    use super::*;
    use crate::{Basis, Context, Population, Task};

    /// Random changes of sign and place, written out, independently of the canonical form.
    fn scrambled(shape: Shape, state: &[f64], stream: &mut Stream) -> Vec<f64> {
        let (width, rank) = (shape.dimension(), shape.rank());
        let mut heads: Vec<Vec<f64>> =
            state.chunks_exact(shape.head_len()).map(<[f64]>::to_vec).collect();
        for head in &mut heads {
            let mut slots: Vec<usize> = (0..rank).collect();
            stream.shuffle(&mut slots);
            let sign = |stream: &mut Stream| if stream.below(2) == 0 { 1.0 } else { -1.0 };
            let all = sign(stream);
            let old = head.clone();
            head[0] = all * old[0];
            for (to, from) in slots.into_iter().enumerate() {
                let both = sign(stream);
                for d in 0..width {
                    head[1 + to * width + d] = all * both * old[1 + from * width + d];
                    let (to, from) = ((rank + to) * width, (rank + from) * width);
                    head[1 + to + d] = both * old[1 + from + d];
                }
            }
        }
        stream.shuffle(&mut heads);
        heads.concat()
    }

    #[test]
    fn the_loss_and_the_canonical_form_do_not_see_it() {
        let task = Task::new(&[0.5, 0.3, 0.2], Basis::Axes, Context::Fixed(12)).unwrap();
        for rank in [1, 2, 3] {
            let shape = Shape::new(3, 4, rank).unwrap();
            let landscape = Population::new(&task, shape, 1.0).unwrap();
            let symmetry = symmetry(shape, landscape.blocks(), Attention::Linear);
            let mut stream = Stream::new(3, Purpose::Perturbation, rank as u64);
            let state = shape.random_start(1.0, 5).unwrap();
            let mut gradient = vec![0.0; state.len()];
            let mut loss = |state: &[f64]| {
                let mut work = landscape.work();
                landscape.evaluate(state, Draw::default(), &mut work, &mut gradient).unwrap()
            };
            let expected = loss(&state);
            let form = symmetry.canonical(&state);
            assert!((loss(&form) - expected).abs() < 1e-12 * expected);
            for _ in 0..20 {
                let same = scrambled(shape, &state, &mut stream);
                assert!((loss(&same) - expected).abs() < 1e-12 * expected);
                assert_eq!(symmetry.canonical(&same), form);
            }
            // A single sign is no symmetry, and the canonical form sees it.
            let mut other = state.clone();
            other[0] = -other[0];
            assert!((loss(&other) - expected).abs() > 1e-3);
            assert!(symmetry.distance(&other, &state) > 1e-3);
        }
    }
}
