//! How fast each block moves beside the others: factors on the rate, and blocks that stand still.

use std::ops::Range;

use super::RuleError;
use crate::Blocks;
use crate::blocks::{listed, name_matches};

/// The blocks of a rule, each with its factor on the rate.
#[derive(Debug, Clone)]
pub(super) struct Lanes {
    list: Vec<Lane>,
    parameters: usize,
    /// Whether some blocks move at another rate than the rest, or not at all; in most runs none does.
    apart: bool,
}

#[derive(Debug, Clone)]
struct Lane {
    range: Range<usize>,
    factor: f64,
    frozen: bool,
}

impl Lanes {
    /// All blocks at full rate.
    pub(super) fn new(blocks: &Blocks) -> Self {
        let lane = |range| Lane { range, factor: 1.0, frozen: false };
        let list = blocks.iter().map(|block| lane(block.range())).collect();
        Self { list, parameters: blocks.len(), apart: false }
    }

    /// Number of parameters, moving or frozen.
    pub(super) fn parameters(&self) -> usize {
        self.parameters
    }

    /// Sets the factor of every block.
    pub(super) fn scale(&mut self, factors: &[f64]) {
        for (lane, &factor) in self.list.iter_mut().zip(factors) {
            lane.factor = factor;
            self.apart |= factor != 1.0;
        }
    }

    /// Lets a block stand still.
    pub(super) fn freeze(&mut self, index: usize) {
        self.list[index].frozen = true;
        self.apart = true;
    }

    /// The factor of each block, 0 for frozen ones; `None` where all move at full rate.
    pub(super) fn factors(&self) -> Option<impl Iterator<Item = f64>> {
        let factor = |lane: &Lane| if lane.frozen { 0.0 } else { lane.factor };
        self.apart.then(|| self.list.iter().map(factor))
    }

    /// The moving parameters as runs of equal rate, each with its factor times `scale`. Neighbouring blocks
    /// of one factor make one run, so that rules have few and long loops.
    pub(super) fn runs(&self, scale: f64) -> impl Iterator<Item = (Range<usize>, f64)> {
        let whole = (!self.apart).then_some((0..self.parameters, scale));
        let lanes = if self.apart { &*self.list } else { &[] };
        let mut lanes = lanes.iter().filter(|lane| !lane.frozen && !lane.range.is_empty());
        let mut next = lanes.next();
        whole.into_iter().chain(std::iter::from_fn(move || {
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
            Some((first.range.start..end, scale * first.factor))
        }))
    }
}

/// A factor for every block: that of the last pattern that matches it (see [`Blocks::matching`]), 1 where none does.
pub(crate) fn block_factors<'a>(
    blocks: &Blocks,
    patterns: impl IntoIterator<Item = (&'a str, f64)>,
) -> Result<Vec<f64>, RuleError> {
    let mut factors = vec![1.0; blocks.iter().len()];
    for (pattern, factor) in patterns {
        let holds = factor >= 0.0 && factor.is_finite();
        RuleError::ensure(holds, "PerBlock", "factor", factor, "a finite factor >= 0")?;
        for index in positions("PerBlock", blocks, pattern)? {
            factors[index] = factor;
        }
    }
    Ok(factors)
}

/// Which of `blocks`, by position, match `pattern`; at least one must.
pub(super) fn positions(
    wrapper: &'static str,
    blocks: &Blocks,
    pattern: &str,
) -> Result<Vec<usize>, RuleError> {
    let all = blocks.iter().enumerate();
    let found: Vec<usize> =
        all.filter(|(_, block)| name_matches(pattern, &block.name)).map(|(i, _)| i).collect();
    if found.is_empty() {
        let known = listed(blocks.iter().map(|block| block.name.as_str()));
        return Err(RuleError::NoSuchBlock { wrapper, pattern: pattern.to_owned(), known });
    }
    Ok(found)
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
        let mut lanes = Lanes::new(&blocks);
        let runs = |lanes: &Lanes, scale| lanes.runs(scale).collect::<Vec<_>>();
        assert_eq!(runs(&lanes, 1.0), [(0..11, 1.0)]);
        assert!(lanes.factors().is_none());

        lanes.scale(&[1.0, 1.0, 1.0, 0.25, 1.0, 1.0]);
        lanes.freeze(4);
        assert_eq!(runs(&lanes, 0.5), [(0..5, 0.5), (5..6, 0.125), (10..11, 0.5)]);
        let factors: Vec<f64> = lanes.factors().unwrap().collect();
        assert_eq!(factors, [1.0, 1.0, 1.0, 0.25, 0.0, 1.0]);
    }

    #[test]
    fn the_last_pattern_decides_and_one_without_block_is_named() {
        let blocks = ["head.0.key", "head.0.value", "head.1.key"]
            .iter()
            .fold(Blocks::new(), |blocks, name| blocks.with(*name, &[1], 1.0));
        let factors = block_factors(&blocks, [("head.*.key", 0.5), ("head.1.*", 0.25)]);
        assert_eq!(factors.unwrap(), [0.5, 1.0, 0.25]);
        assert_eq!(
            block_factors(&blocks, [("head.*.kye", 0.5)]).unwrap_err().to_string(),
            "PerBlock: pattern `head.*.kye` matches no block; \
             the blocks are `head.0.key`, `head.0.value`, `head.1.key`"
        );
    }
}
