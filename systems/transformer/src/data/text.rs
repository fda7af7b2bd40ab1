//! Text for training: files or the corpus inside the program, split into tokens, numbered, and cut into sequences.
//!
//! Why a text cannot be trained on is said in words that end a message.

mod windows;

pub use windows::{Order, Windows, spread};

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::ErrorKind;
use std::path::Path;

use sha2::{Digest, Sha256};

// The corpus inside the program: chronicles of an archipelago that does not exist (see `corpus/README.md`).
const TRAIN: &str = include_str!("../../corpus/train.txt");
const VALID: &str = include_str!("../../corpus/valid.txt");

/// A text, with its name for messages and its digest for the records of runs.
#[derive(Debug, Clone)]
pub struct Text {
    /// What it is called: its file.
    pub name: String,
    pub content: Cow<'static, str>,
}

impl Text {
    pub fn read(path: impl AsRef<Path>) -> Result<Self, String> {
        let path = path.as_ref();
        let name = path.display().to_string();
        let bytes = std::fs::read(path).map_err(|error| {
            let reason = match error.kind() {
                ErrorKind::NotFound => "there is no such file".to_owned(),
                ErrorKind::PermissionDenied => "permission denied".to_owned(),
                ErrorKind::IsADirectory => "it is a folder, expected a file".to_owned(),
                _ => error.to_string(),
            };
            format!("cannot read the text {name}: {reason}")
        })?;
        let content = String::from_utf8(bytes).map_err(|error| {
            let byte = error.utf8_error().valid_up_to();
            let line = 1 + error.as_bytes()[..byte].iter().filter(|&&sign| sign == b'\n').count();
            format!(
                "{name} is no UTF-8 text: byte {byte} (counted from 0), in line {line}, does not belong to any character"
            )
        })?;
        Self::new(name, content)
    }

    pub fn new(
        name: impl Into<String>,
        content: impl Into<Cow<'static, str>>,
    ) -> Result<Self, String> {
        let (name, content) = (name.into(), content.into());
        if content.trim().is_empty() {
            return Err(format!("the text {name} is empty: it has no words"));
        }
        Ok(Self { name, content })
    }

    pub fn shipped_train() -> Self {
        Self { name: "shipped train.txt".to_owned(), content: TRAIN.into() }
    }

    pub fn shipped_valid() -> Self {
        Self { name: "shipped valid.txt".to_owned(), content: VALID.into() }
    }

    /// SHA-256 of its bytes.
    pub fn digest(&self) -> [u8; 32] {
        Sha256::digest(self.content.as_bytes()).into()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tokenisation {
    /// At whitespace; every line, also an empty one, ends with `<eos>`: the word level of WikiText.
    Words,
    /// Lower case; `. , ( ) ! ? '` are tokens, `; : "` and `<br />` are left out, and lines leave no trace: what
    /// `PyTorch` calls `basic_english`.
    BasicEnglish,
}

impl Tokenisation {
    pub fn each(self, text: &Text, mut take: impl FnMut(&str)) {
        match self {
            Self::Words => {
                for line in text.content.lines() {
                    line.split_whitespace().for_each(&mut take);
                    take(END);
                }
            }
            Self::BasicEnglish => {
                for line in text.content.lines() {
                    let line = line.to_lowercase().replace("<br />", " ");
                    line.split_whitespace().for_each(|word| split_off(word, &mut take));
                }
            }
        }
    }
}

/// The parts of a word without whitespace. A quotation mark vanishes without parting what stands beside it.
fn split_off(word: &str, take: &mut impl FnMut(&str)) {
    let word = word.replace('"', "");
    let mut rest = word.as_str();
    while let Some(place) = rest.find(|sign: char| ".,()!?';:".contains(sign)) {
        if place > 0 {
            take(&rest[..place]);
        }
        let sign = &rest[place..=place];
        if !matches!(sign, ";" | ":") {
            take(sign);
        }
        rest = &rest[place + 1..];
    }
    if !rest.is_empty() {
        take(rest);
    }
}

/// The token at the end of a line.
pub const END: &str = "<eos>";

/// The token of every word that is not in the vocabulary.
pub const UNKNOWN: &str = "<unk>";

/// The words of a training text, the most frequent first, equal ones in the order of the text.
///
/// `<unk>` is always among them: where the text has it, by its frequency, otherwise at the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Vocabulary {
    /// The words, by their numbers; there is always `<unk>`.
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

    /// The number of `word`, that of `<unk>` where it is not known.
    pub fn number(&self, word: &str) -> u32 {
        self.numbers.get(word).copied().unwrap_or(self.unknown)
    }

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

    fn written(name: &str, bytes: &[u8]) -> std::path::PathBuf {
        let path = std::env::temp_dir().join(format!("saddlescope-{}-{name}", std::process::id()));
        std::fs::write(&path, bytes).unwrap();
        path
    }

    #[test]
    fn a_file_that_is_no_text_is_named_with_the_place() {
        let path = written("latin.txt", b"one line\nna\xefve\n");
        let message = Text::read(&path).unwrap_err();
        std::fs::remove_file(&path).unwrap();
        assert!(message.contains("latin.txt is no UTF-8 text: byte 11"), "{message}");
        assert!(message.contains("in line 2"), "{message}");
    }

    #[test]
    fn missing_and_empty_files_are_named() {
        let message = Text::read("nowhere/words.txt").unwrap_err();
        assert_eq!(message, "cannot read the text nowhere/words.txt: there is no such file");
        let path = written("blank.txt", b" \n\n");
        let message = Text::read(&path).unwrap_err();
        std::fs::remove_file(&path).unwrap();
        assert!(message.ends_with("blank.txt is empty: it has no words"), "{message}");
    }

    #[test]
    fn the_digest_is_that_of_the_bytes() {
        // FIPS 180-2, appendix B.1.
        let digest = Text::new("three letters", "abc").unwrap().digest();
        assert_eq!(digest[..4], [0xba, 0x78, 0x16, 0xbf]);
        assert_eq!(digest[31], 0xad);
    }

    fn tokens(how: Tokenisation, content: &'static str) -> Vec<String> {
        let mut list = Vec::new();
        how.each(&text(content), |token| list.push(token.to_owned()));
        list
    }

    #[test]
    fn every_line_has_its_end() {
        let found = tokens(Tokenisation::Words, " \n = A title = \r\n\nIt 's\tso ,");
        let wanted = "<eos> = A title = <eos> <eos> It 's so , <eos>";
        assert_eq!(found.join(" "), wanted);
    }

    #[test]
    fn basic_english_parts_punctuation_and_keeps_no_quotation_marks() {
        let found = tokens(
            Tokenisation::BasicEnglish,
            "\"You can now, (perhaps) install it; it's 3.5: no?\"\n\n<unk><br />the \"b\"old Éire!",
        );
        let wanted = "you can now , ( perhaps ) install it it ' s 3 . 5 no ? <unk> the bold éire !";
        assert_eq!(found.join(" "), wanted);
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
        assert_eq!(vocabulary.words.len(), 1475);
        assert_eq!(vocabulary.encode(&train).len(), 120_013);
        let tokens = vocabulary.encode(&valid);
        assert_eq!(tokens.len(), 12_016);
        let unknown = vocabulary.number(UNKNOWN);
        assert_eq!(tokens.iter().filter(|&&token| token == unknown).count(), 11);
    }
}
