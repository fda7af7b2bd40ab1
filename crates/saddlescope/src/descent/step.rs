//! One step as wrappers hand it down to the rule: the loss, and how fast each block may move.

use std::ops::Range;

use crate::Blocks;

/// What is asked of a rule in one step. Wrappers narrow it on the way in; once the step is taken it
/// tells how far each block was let.
///
/// It is made once per run and reused: [`Step::begin`] clears what the last step's wrappers set.
#[derive(Debug, Clone)]
pub struct Step {
    loss: f64,
    scale: f64,
    clipping: f64,
    lanes: Vec<Lane>,
    /// Whether a wrapper has set blocks apart in this step; most runs never do.
    set_apart: bool,
    parameters: usize,
}

/// The part of a step that concerns one block.
#[derive(Debug, Clone)]
struct Lane {
    range: Range<usize>,
    factor: f64,
    frozen: bool,
}

impl Step {
    /// Steps over parameters that lie in `blocks`.
    pub fn new(blocks: &Blocks) -> Self {
        let lane = |range| Lane { range, factor: 1.0, frozen: false };
        Self {
            loss: f64::NAN,
            scale: 1.0,
            clipping: 1.0,
            lanes: blocks.iter().map(|block| lane(block.range())).collect(),
            set_apart: false,
            parameters: blocks.len(),
        }
    }

    /// A new step, at full rate for every block, from a point where the loss is `loss`.
    pub fn begin(&mut self, loss: f64) -> &mut Self {
        (self.loss, self.scale, self.clipping) = (loss, 1.0, 1.0);
        if self.set_apart {
            for lane in &mut self.lanes {
                (lane.factor, lane.frozen) = (1.0, false);
            }
            self.set_apart = false;
        }
        self
    }

    /// The loss where the gradient was taken.
    pub fn loss(&self) -> f64 {
        self.loss
    }

    /// Number of parameters, moving or frozen.
    pub fn parameters(&self) -> usize {
        self.parameters
    }

    /// Number of blocks, moving or frozen.
    pub fn blocks(&self) -> usize {
        self.lanes.len()
    }

    /// The factor on the rate of all blocks.
    pub fn scale(&self) -> f64 {
        self.scale
    }

    /// The factor by which the gradient was clipped (1: not at all).
    pub fn clipping(&self) -> f64 {
        self.clipping
    }

    /// The factor on the rate of block `index`, besides [`Step::scale`]; `None` when it is frozen.
    pub fn factor(&self, index: usize) -> Option<f64> {
        let lane = &self.lanes[index];
        (!lane.frozen).then_some(lane.factor)
    }

    /// Whether some blocks move at another rate than the rest, or not at all.
    pub fn sets_blocks_apart(&self) -> bool {
        self.set_apart
    }

    /// Multiplies the rate of all blocks.
    pub fn scale_by(&mut self, factor: f64) {
        self.scale *= factor;
    }

    /// Multiplies the rate of block `index`.
    pub fn scale_block_by(&mut self, index: usize, factor: f64) {
        self.lanes[index].factor *= factor;
        self.set_apart = true;
    }

    /// Lets block `index` stand still.
    pub fn freeze(&mut self, index: usize) {
        self.lanes[index].frozen = true;
        self.set_apart = true;
    }

    /// Notes that the gradient was multiplied by `factor`: the rule need not know, clocks do.
    pub fn note_clipping(&mut self, factor: f64) {
        self.clipping *= factor;
    }

    /// The moving parameters as runs of equal rate, each with the factor on the rule's rate.
    /// Neighbouring blocks of one factor make one run, so that rules have few and long loops.
    pub fn runs(&self) -> impl Iterator<Item = (Range<usize>, f64)> {
        let whole = (!self.set_apart).then_some((0..self.parameters, self.scale));
        let lanes = if self.set_apart { &*self.lanes } else { &[] };
        whole.into_iter().chain(self.runs_of(lanes))
    }

    fn runs_of<'a>(&'a self, lanes: &'a [Lane]) -> impl Iterator<Item = (Range<usize>, f64)> + 'a {
        let mut lanes = lanes.iter().filter(|lane| !lane.frozen && !lane.range.is_empty());
        let mut next = lanes.next();
        std::iter::from_fn(move || {
            let first = next?;
            let mut end = first.range.end;
            next = lanes.next();
            while let Some(lane) = next
                && lane.range.start == end
                && lane.factor == first.factor
            {
                end = lane.range.end;
                next = lanes.next();
            }
            Some((first.range.start..end, self.scale * first.factor))
        })
    }

    /// Panics unless both vectors have one entry per parameter: a rule must never move a part of
    /// the parameters by accident.
    pub(super) fn check_lengths(&self, theta: usize, gradient: usize) {
        assert!(
            theta == self.parameters && gradient == self.parameters,
            "step over {} parameters was given {theta} parameters and {gradient} gradient entries",
            self.parameters
        );
    }

    /// Panics unless a wrapper was made for as many blocks as the step has.
    pub(super) fn check_blocks(&self, blocks: usize) {
        let found = self.lanes.len();
        assert!(blocks == found, "made for {blocks} blocks, given a step over {found}");
    }

    /// Panics unless a rule's memory was made for as many parameters as the step has.
    pub(super) fn check_memory(&self, entries: usize) {
        assert!(
            entries == self.parameters,
            "a rule made for {entries} parameters was given a step over {}",
            self.parameters
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_join_neighbours_of_one_factor_and_skip_the_frozen() {
        let blocks = ["a", "b", "empty", "c", "d", "e"]
            .iter()
            .zip([2, 3, 0, 1, 4, 1])
            .fold(Blocks::new(), |blocks, (name, len)| blocks.with(*name, &[len], 1.0));
        let mut step = Step::new(&blocks);
        let runs = |step: &Step| step.runs().collect::<Vec<_>>();
        assert_eq!(runs(&step), [(0..11, 1.0)]);

        step.scale_by(0.5);
        step.scale_block_by(3, 0.25);
        step.freeze(4);
        assert_eq!(runs(&step), [(0..5, 0.5), (5..6, 0.125), (10..11, 0.5)]);
        assert_eq!((step.factor(3), step.factor(4)), (Some(0.25), None));

        assert_eq!(runs(step.begin(0.0)), [(0..11, 1.0)]);
    }
}
