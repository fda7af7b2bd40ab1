//! Parameters as one flat vector, cut into named, shaped blocks with rates.

use std::collections::HashMap;

use crate::prelude::*;
use crate::trajectory::element_name;

/// A named, shaped part of the parameter vector.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Block {
    /// Hierarchical name, stable across versions: `head.0.key`.
    pub name: String,
    /// Row-major shape; empty for a single number.
    pub shape: Vec<usize>,
    /// Speed of the block under gradient flow: `d theta/dt = -rate * dL/d theta`.
    pub rate: f64,
    #[serde(skip)]
    offset: usize,
}

impl Block {
    pub fn len(&self) -> usize {
        self.shape.iter().product()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Where the block lies in the parameter vector.
    pub fn range(&self) -> Range<usize> {
        self.offset..self.offset + self.len()
    }
}

/// The blocks of a parameter vector, in the order in which they lie there.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "Vec<Block>", into = "Vec<Block>")]
pub struct Blocks {
    blocks: Vec<Block>,
    by_name: HashMap<String, usize>,
    len: usize,
}

impl Blocks {
    /// No blocks yet; add them with [`Blocks::with`].
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends a block that moves at `rate` under gradient flow. Names are keys: no other block may have this one.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, shape: &[usize], rate: f64) -> Self {
        let name = name.into();
        let earlier = self.by_name.insert(name.clone(), self.blocks.len());
        assert!(earlier.is_none(), "block `{name}` is declared twice");
        let block = Block { name, shape: shape.to_vec(), rate, offset: self.len };
        self.len += block.len();
        self.blocks.push(block);
        self
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub fn iter(&self) -> std::slice::Iter<'_, Block> {
        self.blocks.iter()
    }

    pub fn get(&self, name: &str) -> Option<&Block> {
        self.by_name.get(name).map(|&index| &self.blocks[index])
    }

    /// The blocks whose names match `pattern` (see [`name_matches`]): `head.*.key`, `head.0.*`, `*`.
    pub fn matching<'a>(&'a self, pattern: &'a str) -> impl Iterator<Item = &'a Block> {
        self.blocks.iter().filter(move |block| name_matches(pattern, &block.name))
    }

    /// The block that parameter `index` lies in.
    pub fn block_of(&self, index: usize) -> Option<&Block> {
        let after = self.blocks.partition_point(|block| block.range().end <= index);
        self.blocks.get(after)
    }

    /// The name of parameter `index`, with its place inside the block: `head.0.key[1,2]`.
    pub fn parameter_name(&self, index: usize) -> String {
        let Some(block) = self.block_of(index) else { return format!("parameter {index}") };
        element_name(&block.name, &block.shape, index - block.offset)
    }

    /// Name and value of the parameter that is largest by size; what is no number is largest.
    pub(crate) fn largest<S: Scalar>(&self, state: &[S]) -> (String, f64) {
        let numbers = state.iter().map(|x| x.to_f64()).enumerate();
        let largest = numbers.max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()));
        let (index, value) = largest.unwrap_or_default();
        (self.parameter_name(index), value)
    }

    /// The rate of every parameter, in the order of the parameter vector.
    pub fn rates(&self) -> Vec<f64> {
        self.iter().flat_map(|block| std::iter::repeat_n(block.rate, block.len())).collect()
    }
}

impl From<Vec<Block>> for Blocks {
    fn from(list: Vec<Block>) -> Self {
        let with = |blocks: Self, block: Block| blocks.with(block.name, &block.shape, block.rate);
        list.into_iter().fold(Self::new(), with)
    }
}

impl From<Blocks> for Vec<Block> {
    fn from(blocks: Blocks) -> Self {
        blocks.blocks
    }
}

impl<'a> IntoIterator for &'a Blocks {
    type Item = &'a Block;
    type IntoIter = std::slice::Iter<'a, Block>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// Whether a dotted `name` fits a dotted `pattern`. A `*` fits one part of the name; as the last
/// part it fits all that follows.
pub fn name_matches(pattern: &str, name: &str) -> bool {
    let (mut wanted, mut given) = (pattern.split('.').peekable(), name.split('.'));
    loop {
        match (wanted.next(), given.next()) {
            (None, None) => return true,
            (Some("*"), Some(_)) if wanted.peek().is_none() => return true,
            (Some(w), Some(g)) if w == "*" || w == g => {}
            _ => return false,
        }
    }
}

/// Names in backticks, separated by commas; `none` when there are none.
pub(crate) fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two_heads() -> Blocks {
        Blocks::new().with("head.0.value", &[], 0.5).with("head.0.key", &[2, 3], 0.5).with(
            "head.1.value",
            &[],
            1.0,
        )
    }

    #[test]
    fn blocks_lie_one_after_the_other() {
        let blocks = two_heads();
        assert_eq!(blocks.len(), 8);
        assert_eq!(blocks.get("head.0.key").unwrap().range(), 1..7);
        assert_eq!(blocks.rates(), [0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 1.0]);
    }

    #[test]
    fn parameters_are_named_by_block_and_place() {
        let blocks = two_heads();
        assert_eq!(blocks.parameter_name(0), "head.0.value");
        assert_eq!(blocks.parameter_name(5), "head.0.key[1,1]");
        assert_eq!(blocks.parameter_name(7), "head.1.value");
    }

    #[test]
    fn patterns_match_part_by_part() {
        let blocks = two_heads();
        let named = |pattern| blocks.matching(pattern).count();
        assert_eq!(named("head.*.value"), 2);
        assert_eq!(named("head.0.*"), 2);
        assert_eq!(named("*"), 3);
        assert_eq!(named("head.*"), 3);
        assert_eq!(named("*.key"), 0);
        assert_eq!(named("head"), 0);
        assert_eq!(named("head.0.key.extra"), 0);
    }

    #[test]
    #[should_panic(expected = "declared twice")]
    fn a_name_is_a_key() {
        let _ = two_heads().with("head.0.key", &[1], 1.0);
    }
}
