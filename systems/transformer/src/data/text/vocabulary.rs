//! The words that a model knows, and their numbers.

use std::collections::HashMap;

use crate::data::text::{Text, Tokenisation};

/// The token at the end of a line.
pub const END: &str = "<eos>";

/// The token of every word that is not in the vocabulary.
pub const UNKNOWN: &str = "<unk>";

/// The words of a training text, the most frequent first, equal ones in the order of the text.
///
/// `<unk>` is always among them: where the text has it, by its frequency, otherwise at the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Vocabulary {
    /// The words, by their numbers.
    pub words: Vec<String>,
    numbers: HashMap<String, u32>,
    unknown: u32,
    tokenisation: Tokenisation,
}

impl Vocabulary {
    /// The vocabulary of `text`, of at most `limit` tokens with `<unk>`, which stands for all words that are cut off.
    pub fn new(text: &Text, tokenisation: Tokenisation, limit: Option<usize>) -> Self {
        let mut places: HashMap<String, usize> = HashMap::new();
        let mut counted: Vec<(String, u64)> = Vec::new();
        tokenisation.each(text, |token| match places.get(token) {
            Some(&place) => counted[place].1 += 1,
            None => {
                places.insert(token.to_owned(), counted.len());
                counted.push((token.to_owned(), 1));
            }
        });
        // The sort is stable: ties stay in the order of the text.
        counted.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let mut words: Vec<String> = counted.into_iter().map(|(word, _)| word).collect();
        let limit = limit.unwrap_or(usize::MAX).max(1);
        let known = words.iter().position(|word| word == UNKNOWN).filter(|&place| place < limit);
        words.truncate(if known.is_some() { limit } else { limit - 1 });
        if known.is_none() {
            words.push(UNKNOWN.to_owned());
        }
        let unknown = known.unwrap_or(words.len() - 1) as u32;
        let numbers = words.iter().zip(0..).map(|(word, number)| (word.clone(), number)).collect();
        Self { words, numbers, unknown, tokenisation }
    }

    /// Number of tokens: V.
    #[expect(clippy::len_without_is_empty, reason = "it always has <unk>")]
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// The number of `word`, that of `<unk>` where it is not known.
    pub fn number(&self, word: &str) -> u32 {
        self.numbers.get(word).copied().unwrap_or(self.unknown)
    }

    /// The tokens of `text`.
    pub fn encode(&self, text: &Text) -> Vec<u32> {
        let mut tokens = Vec::with_capacity(text.content.len() / 5);
        self.tokenisation.each(text, |token| tokens.push(self.number(token)));
        tokens
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(content: &'static str) -> Text {
        Text::new("test", content).unwrap()
    }

    #[test]
    fn words_are_numbered_by_frequency_and_then_by_place() {
        let all = Vocabulary::new(&text("b a c a b a\nd c"), Tokenisation::Words, None);
        assert_eq!(all.words.join(" "), "a b c <eos> d <unk>");
        assert_eq!(all.encode(&text("d e a")), [4, 5, 0, 3]);
        let cut = Vocabulary::new(&text("b a c a b a\nd c"), Tokenisation::Words, Some(3));
        assert_eq!(cut.words.join(" "), "a b <unk>");
        assert_eq!(cut.encode(&text("d b")), [2, 1, 2]);
    }

    #[test]
    fn a_text_with_unknown_words_ranks_them_by_their_frequency() {
        let content = "<unk> a <unk> b a <unk>";
        let all = Vocabulary::new(&text(content), Tokenisation::Words, None);
        assert_eq!(all.words.join(" "), "<unk> a b <eos>");
        let cut = Vocabulary::new(&text(content), Tokenisation::Words, Some(2));
        assert_eq!(cut.words.join(" "), "<unk> a");
        let last = Vocabulary::new(&text("a a b b <unk>"), Tokenisation::Words, Some(2));
        assert_eq!(last.words.join(" "), "a <unk>");
    }

    #[test]
    fn the_shipped_corpus_has_the_size_that_its_readme_says() {
        let (train, valid) = (Text::shipped_train(), Text::shipped_valid());
        let vocabulary = Vocabulary::new(&train, Tokenisation::Words, None);
        assert_eq!(vocabulary.len(), 1475);
        assert_eq!(vocabulary.encode(&train).len(), 120_013);
        let tokens = vocabulary.encode(&valid);
        assert_eq!(tokens.len(), 12_016);
        let unknown = vocabulary.number(UNKNOWN);
        assert_eq!(tokens.iter().filter(|&&token| token == unknown).count(), 11);
    }
}
