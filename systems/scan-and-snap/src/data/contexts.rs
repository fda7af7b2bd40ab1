//! How often each token occurs in a context: all that the model sees of it.

use std::collections::HashMap;

use saddlescope::numeric::random::Stream;

use crate::Task;
use crate::data::binomial::{Split, Tables, alias};
use crate::kernel::LANES;

/// Bytes of tables at which drawing counts ends.
pub(crate) const TABLES: usize = 8 << 20;

#[derive(Debug)]
pub(crate) struct Sampler {
    draws: u32,
    tables: Tables,
    /// Different laws; many classes share one.
    laws: Vec<Law>,
    law_of: Vec<usize>,
}

/// Either way counts have the same law, but not the same values.
#[derive(Debug)]
enum Law {
    /// The counts themselves, by halves: how many tokens are of the first half of the class's, and so on.
    Tree(Vec<Split>),
    /// Token by token: threshold and alias of each.
    Tokens(Vec<(u64, u32)>),
}

#[derive(Debug)]
pub(crate) struct SamplerWork {
    /// `[tokens of the class][LANES]`.
    pub(crate) counts: Vec<[u32; LANES]>,
    words: Vec<[u64; LANES]>,
}

impl Sampler {
    /// Contexts of `draws` tokens, with tables of so many bytes at most.
    pub(crate) fn new(task: &Task, draws: u32, limit: usize) -> Self {
        let mut sampler =
            Self { draws, tables: Tables::default(), laws: Vec::new(), law_of: Vec::new() };
        let mut known: HashMap<Vec<u64>, usize> = HashMap::new();
        for class in &task.classes {
            let bits = class.probability.iter().map(|p| p.to_bits()).collect();
            let law = *known.entry(bits).or_insert_with(|| {
                sampler.laws.push(sampler.tables.law(&class.probability, draws, limit));
                sampler.laws.len() - 1
            });
            sampler.law_of.push(law);
        }
        sampler
    }

    pub(crate) fn work(&self, size: usize) -> SamplerWork {
        SamplerWork { counts: vec![[0; LANES]; size], words: vec![[0; LANES]; size.max(4) + 1] }
    }

    /// The counts of the next `count` contexts of class `n`, at most one per lane; other lanes have none.
    ///
    /// A group takes as many words whatever `count` is, or as many per context: fewer contexts are the first ones.
    #[inline(always)]
    pub(crate) fn draw(
        &self,
        n: usize,
        count: usize,
        stream: &mut Stream,
        drawn: &mut SamplerWork,
    ) {
        let SamplerWork { counts, words } = drawn;
        match &self.laws[self.law_of[n]] {
            Law::Tree(splits) => {
                // Whole blocks of the generator, which are faster.
                let words = &mut words[..splits.len().next_multiple_of(2)];
                stream.fill_u64(words.as_flattened_mut());
                counts[0] = [0; LANES];
                counts[0][..count].fill(self.draws);
                for (split, words) in splits.iter().zip(&*words) {
                    split.draw(&self.tables, words, count, (counts, stream));
                }
            }
            Law::Tokens(table) => {
                counts[..table.len()].fill([0; LANES]);
                for lane in 0..count {
                    let mut missing = self.draws as usize;
                    while missing > 0 {
                        let words = words.as_flattened_mut();
                        let some = missing.min(words.len());
                        stream.fill_u64(&mut words[..some]);
                        toss(table, &words[..some], lane, counts);
                        missing -= some;
                    }
                }
            }
        }
    }
}

impl Tables {
    fn law(&mut self, law: &[f64], draws: u32, limit: usize) -> Law {
        // Aliases have 16 bits.
        if draws < 1 << 16
            && let Some(splits) = self.tree(law, draws, limit)
        {
            return Law::Tree(splits);
        }
        let mut table = Vec::with_capacity(law.len());
        alias(law, |threshold, alias| table.push((threshold, alias as u32)));
        Law::Tokens(table)
    }
}

#[inline(always)]
fn toss(table: &[(u64, u32)], words: &[u64], lane: usize, counts: &mut [[u32; LANES]]) {
    for &word in words {
        let product = u128::from(word) * table.len() as u128;
        let cell = (product >> 64) as usize;
        let (threshold, alias) = table[cell];
        let token = if (product as u64) < threshold { cell } else { alias as usize };
        counts[token][lane] += 1;
    }
}
