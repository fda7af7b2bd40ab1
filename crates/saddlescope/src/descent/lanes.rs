//! How fast each block moves beside the others: factors on the rate, and blocks that stand still.

use crate::blocks::{listed, name_matches};
use crate::prelude::*;

/// The blocks of a rule, each with its factor on the rate; none where it stands still.
#[derive(Debug, Clone)]
pub(super) struct Lanes {
    blocks: Vec<(Range<usize>, Option<f64>)>,
    /// The moving parameters as runs of equal factor, across neighbouring blocks, so that rules have few and long loops.
    pub(super) runs: Vec<(Range<usize>, f64)>,
}

impl Lanes {
    /// All blocks at full rate.
    pub(super) fn new(blocks: &Blocks) -> Self {
        let all = blocks.iter().map(|block| (block.range(), Some(1.0))).collect();
        Self { blocks: all, runs: vec![(0..blocks.len(), 1.0)] }
    }

    /// Number of parameters, moving or frozen.
    pub(super) fn parameters(&self) -> usize {
        self.blocks.last().map_or(0, |(range, _)| range.end)
    }

    /// Changes the factor of some blocks, by their places.
    pub(super) fn set(&mut self, factors: impl IntoIterator<Item = (usize, Option<f64>)>) {
        for (place, factor) in factors {
            // What stands still stays so.
            self.blocks[place].1 = self.blocks[place].1.and(factor);
        }
        self.runs.clear();
        for (range, factor) in self.blocks.iter().filter(|(range, _)| !range.is_empty()) {
            let Some(factor) = *factor else { continue };
            match self.runs.last_mut() {
                Some((run, same)) if run.end == range.start && *same == factor => {
                    run.end = range.end;
                }
                _ => self.runs.push((range.clone(), factor)),
            }
        }
    }

    /// The factor of each block, 0 for frozen ones; `None` where all move at full rate.
    pub(super) fn factors(&self) -> Option<impl Iterator<Item = f64>> {
        let whole = matches!(&*self.runs, [(run, 1.0)] if run.len() == self.parameters());
        (!whole).then(|| self.blocks.iter().map(|(_, factor)| factor.unwrap_or(0.0)))
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
        let words = format!("matches no block; the blocks are {known}");
        return Err(RuleError(format!("{wrapper}: pattern `{pattern}` {words}")));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

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
