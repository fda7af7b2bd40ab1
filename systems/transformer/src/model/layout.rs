//! Where each parameter lies in the flat vector, under the names that interpretability tools know.

use std::ops::Range;

use saddlescope::Blocks;

use crate::model::architecture::{Architecture, Norm, Positions};

/// Weights with their biases: of a matrix, or of a layer norm.
#[derive(Debug, Clone)]
pub(crate) struct Affine {
    pub(crate) weight: Range<usize>,
    pub(crate) bias: Option<Range<usize>>,
}

#[derive(Debug, Clone)]
pub(crate) struct BlockPlaces {
    pub(crate) norm_1: Option<Affine>,
    pub(crate) query: Affine,
    pub(crate) key: Affine,
    pub(crate) value: Affine,
    pub(crate) output: Affine,
    pub(crate) slopes: Option<Range<usize>>,
    pub(crate) norm_2: Option<Affine>,
    pub(crate) hidden: Option<(Affine, Affine)>,
}

#[derive(Debug, Clone)]
pub(crate) struct Places {
    pub(crate) embedding: Range<usize>,
    pub(crate) positions: Option<Range<usize>>,
    pub(crate) blocks: Vec<BlockPlaces>,
    pub(crate) final_norm: Option<Affine>,
    /// None where the embedding reads out.
    pub(crate) readout: Option<Affine>,
}

impl Places {
    /// The blocks of parameters of `of`, and where they lie.
    pub(crate) fn new(of: &Architecture) -> (Blocks, Self) {
        let mut book = Book { blocks: Blocks::new(), biases: of.biases };
        let (d, head) = (of.width, of.head_width());
        let embedding = book.add("embed.W_E".to_owned(), &[of.vocabulary, d]);
        let learned = of.positions == Positions::Learned;
        let positions = learned.then(|| book.add("pos_embed.W_pos".to_owned(), &[of.context, d]));
        let mut blocks = Vec::with_capacity(of.blocks);
        for index in 0..of.blocks {
            let name = |part: &str| format!("blocks.{index}.{part}");
            let normed = of.norm != Norm::None;
            let norm_1 = normed.then(|| book.norm(&name("ln1"), d));
            let mut project = |letter: &str| {
                let shapes: (&[usize], &[usize]) = (&[of.heads, d, head], &[of.heads, head]);
                book.linear(&name("attn"), letter, shapes)
            };
            let (query, key, value) = (project("Q"), project("K"), project("V"));
            let output = book.linear(&name("attn"), "O", (&[of.heads, head, d], &[d]));
            let sloped = of.positions == Positions::Alibi;
            let slopes = sloped.then(|| book.add(name("attn.slopes"), &[of.heads]));
            let (norm_2, hidden) = if of.feedforward == 0 {
                (None, None)
            } else {
                let norm = normed.then(|| book.norm(&name("ln2"), d));
                let f = of.feedforward;
                let enter = book.linear(&name("mlp"), "in", (&[d, f], &[f]));
                let leave = book.linear(&name("mlp"), "out", (&[f, d], &[d]));
                (norm, Some((enter, leave)))
            };
            blocks.push(BlockPlaces { norm_1, query, key, value, output, slopes, norm_2, hidden });
        }
        let final_norm = (of.norm == Norm::Before).then(|| book.norm("ln_final", d));
        let free = !of.tied;
        let readout =
            free.then(|| book.linear("unembed", "U", (&[d, of.vocabulary], &[of.vocabulary])));
        (book.blocks, Self { embedding, positions, blocks, final_norm, readout })
    }

    /// All but the two tables as long as the vocabulary; they lie together.
    pub(crate) fn between_tables(&self, all: usize) -> Range<usize> {
        let end = self.readout.as_ref().map_or(all, |readout| readout.weight.start);
        self.embedding.end..end
    }
}

/// Writes down block after block.
struct Book {
    blocks: Blocks,
    biases: bool,
}

impl Book {
    fn add(&mut self, name: String, shape: &[usize]) -> Range<usize> {
        let from = self.blocks.len();
        self.blocks = std::mem::take(&mut self.blocks).with(name, shape, 1.0);
        from..self.blocks.len()
    }

    fn norm(&mut self, name: &str, width: usize) -> Affine {
        let weight = self.add(format!("{name}.w"), &[width]);
        let bias = self.biases.then(|| self.add(format!("{name}.b"), &[width]));
        Affine { weight, bias }
    }

    fn linear(&mut self, name: &str, letter: &str, (weight, bias): (&[usize], &[usize])) -> Affine {
        let weight = self.add(format!("{name}.W_{letter}"), weight);
        let bias = self.biases.then(|| self.add(format!("{name}.b_{letter}"), bias));
        Affine { weight, bias }
    }
}

impl Affine {
    pub(crate) fn of<'a, S>(&self, theta: &'a [S]) -> (&'a [S], Option<&'a [S]>) {
        let bias = self.bias.as_ref().map(|range| &theta[range.clone()]);
        (&theta[self.weight.clone()], bias)
    }
}
