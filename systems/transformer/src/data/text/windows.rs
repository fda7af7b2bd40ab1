//! Sequences of a text: `L` inputs and their targets, one token further.

use std::ops::Range;
use std::sync::Arc;

use saddlescope_spec::prelude::*;

use crate::Sequences;
use saddlescope::numeric::permutation::Permutation;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// The text is cut into windows, which each epoch takes in another order; the last batch of an epoch may be smaller.
    Shuffled,
    /// The text is cut into as many columns as a batch has sequences, which are read on from window to window, and again
    /// from the beginning after their last whole one.
    Streams,
}

/// Sequences of `L + 1` tokens from one text, a batch at each step.
#[derive(Debug, Clone)]
pub struct Windows {
    tokens: Arc<[u32]>,
    pub length: usize,
    batch: usize,
    order: Order,
}

impl Windows {
    /// Batches of `batch` sequences with `length` inputs from the `tokens` of the text that is called `name`.
    pub fn new(
        tokens: impl Into<Arc<[u32]>>,
        name: &str,
        length: usize,
        batch: usize,
        order: Order,
    ) -> Result<Self, String> {
        let (tokens, length, batch) = (tokens.into(), length.max(1), batch.max(1));
        let (needed, why) = match order {
            Order::Shuffled => (length + 1, format!("one sequence: length {length} + 1")),
            Order::Streams => (
                batch * (length + 1),
                format!("one sequence in each column: batch {batch} x (length {length} + 1)"),
            ),
        };
        enough(&tokens, name, needed, &why)?;
        let windows = (tokens.len() - 1) / length;
        let batch = if order == Order::Shuffled { batch.min(windows) } else { batch };
        Ok(Self { tokens, length, batch, order })
    }

    /// Steps after which every window has been seen once.
    pub fn epoch(&self) -> u64 {
        match self.order {
            Order::Shuffled => self.windows().div_ceil(self.batch) as u64,
            Order::Streams => self.windows() as u64,
        }
    }

    /// Windows of the text, or of each column.
    fn windows(&self) -> usize {
        let tokens = match self.order {
            Order::Shuffled => self.tokens.len(),
            Order::Streams => self.tokens.len() / self.batch,
        };
        (tokens - 1) / self.length
    }

    /// Windows that the epoch has seen before the step of `draw`.
    fn before(&self, draw: Draw) -> usize {
        (draw.step % self.epoch()) as usize * self.batch
    }
}

impl Sequences for Windows {
    fn items(&self) -> usize {
        self.batch
    }

    fn count(&self, draw: Draw) -> usize {
        match self.order {
            Order::Shuffled => self.batch.min(self.windows() - self.before(draw)),
            Order::Streams => self.batch,
        }
    }

    fn fill(&self, draw: Draw, range: Range<usize>, tokens: &mut [u32]) {
        let width = self.length + 1;
        let rows = range.zip(tokens.chunks_exact_mut(width));
        match self.order {
            Order::Shuffled => {
                let stream = Stream::new(draw.seed, Purpose::Shuffle, draw.step / self.epoch());
                let order = Permutation::new(stream, self.windows() as u64);
                let before = self.before(draw);
                for (index, row) in rows {
                    let window = order.at((before + index) as u64) as usize;
                    row.copy_from_slice(&self.tokens[window * self.length..][..width]);
                }
            }
            Order::Streams => {
                let column = self.tokens.len() / self.batch;
                let window = (draw.step % self.epoch()) as usize;
                for (index, row) in rows {
                    let from = index * column + window * self.length;
                    row.copy_from_slice(&self.tokens[from..][..width]);
                }
            }
        }
    }
}

/// At most `count` sequences of `length + 1` tokens, spread evenly over the text that is called `name`, one after the other.
pub fn spread(tokens: &[u32], name: &str, length: usize, count: usize) -> Result<Vec<u32>, String> {
    enough(tokens, name, length + 1, &format!("one sequence: length {length} + 1"))?;
    let windows = (tokens.len() - 1) / length;
    let count = count.clamp(1, windows);
    let from = |index: usize| index * windows / count * length;
    Ok((0..count).flat_map(|index| &tokens[from(index)..][..=length]).copied().collect())
}

fn enough(tokens: &[u32], name: &str, needed: usize, why: &str) -> Result<(), String> {
    if tokens.len() >= needed {
        return Ok(());
    }
    let found = tokens.len();
    Err(format!("the text {name} has {found} tokens, expected at least {needed} ({why})"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batch(windows: &Windows, seed: u64, step: u64) -> Vec<Vec<u32>> {
        let (draw, width) = (Draw { seed, step }, windows.length + 1);
        let mut tokens = vec![0; windows.count(draw) * width];
        windows.fill(draw, 0..windows.count(draw), &mut tokens);
        tokens.chunks_exact(width).map(<[u32]>::to_vec).collect()
    }

    fn counting(tokens: u32) -> Vec<u32> {
        (0..tokens).collect()
    }

    #[test]
    fn an_epoch_sees_every_window_once_in_an_order_of_its_own() {
        let windows = Windows::new(counting(75), "text", 4, 5, Order::Shuffled).unwrap();
        assert_eq!((windows.epoch(), windows.items()), (4, 5), "18 windows");
        let epoch = |seed, epoch: u64| -> Vec<u32> {
            let steps = epoch * 4..(epoch + 1) * 4;
            let rows: Vec<_> = steps.flat_map(|step| batch(&windows, seed, step)).collect();
            assert!(
                rows.iter().all(|row| (0..5).all(|place| row[place as usize] == row[0] + place))
            );
            rows.iter().map(|row| row[0]).collect()
        };
        let orders = [epoch(1, 0), epoch(1, 1), epoch(2, 0)];
        for order in &orders {
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, (0..18).map(|window| 4 * window).collect::<Vec<_>>());
        }
        assert!(orders[0] != orders[1] && orders[0] != orders[2]);
        assert_eq!(batch(&windows, 1, 3).len(), 3, "the rest of the epoch");
    }

    #[test]
    fn a_part_of_a_batch_is_that_part_of_the_whole() {
        for order in [Order::Shuffled, Order::Streams] {
            let windows = Windows::new(counting(200), "text", 3, 7, order).unwrap();
            let whole = batch(&windows, 5, 8);
            let mut part = vec![0; 2 * 4];
            windows.fill(Draw { seed: 5, step: 8 }, 4..6, &mut part);
            assert_eq!(part, whole[4..6].concat());
        }
    }

    #[test]
    fn streams_read_on_and_begin_again() {
        // Columns of 10: 0..10, 10..20, 20..30 of 32; windows of 3 with a target each: three whole ones.
        let windows = Windows::new(counting(32), "text", 3, 3, Order::Streams).unwrap();
        assert_eq!(windows.epoch(), 3);
        assert_eq!(batch(&windows, 0, 0), [[0, 1, 2, 3], [10, 11, 12, 13], [20, 21, 22, 23]]);
        assert_eq!(batch(&windows, 0, 2)[1], [16, 17, 18, 19]);
        assert_eq!(batch(&windows, 0, 3), batch(&windows, 9, 0));
    }

    #[test]
    fn texts_that_are_too_short_say_so() {
        let short = |order| Windows::new(counting(8), "a.txt", 4, 2, order).map(|_| ());
        assert!(short(Order::Shuffled).is_ok());
        let message = short(Order::Streams).unwrap_err();
        let wanted = "the text a.txt has 8 tokens, expected at least 10 (one sequence in each column: \
                      batch 2 x (length 4 + 1))";
        assert_eq!(message, wanted);
        let message = spread(&counting(4), "b.txt", 4, 9).unwrap_err();
        let wanted =
            "the text b.txt has 4 tokens, expected at least 5 (one sequence: length 4 + 1)";
        assert_eq!(message, wanted);
    }

    #[test]
    fn validation_sequences_are_spread_over_the_text() {
        let rows = spread(&counting(100), "text", 9, 3).unwrap();
        let firsts: Vec<u32> = rows.chunks_exact(10).map(|row| row[0]).collect();
        assert_eq!(firsts, [0, 27, 63]);
        assert_eq!(spread(&counting(100), "text", 9, 1000).unwrap().len(), 11 * 10);
    }
}
