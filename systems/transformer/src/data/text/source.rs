//! Where a text comes from, and what it is known by.

use std::borrow::Cow;
use std::fs;
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::data::text::TextError;

// The corpus inside the program: chronicles of an archipelago that does not exist (see `corpus/README.md`).
const TRAIN: &str = include_str!("../../../corpus/train.txt");
const VALID: &str = include_str!("../../../corpus/valid.txt");

/// A text, with its name for messages and its digest for the records of runs.
#[derive(Debug, Clone)]
pub struct Text {
    /// What it is called: its file.
    pub name: String,
    pub content: Cow<'static, str>,
}

impl Text {
    /// The text of a file.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, TextError> {
        let path = path.as_ref();
        let at = || path.to_owned();
        let bytes = fs::read(path).map_err(|source| TextError::Io { path: at(), source })?;
        let content = String::from_utf8(bytes).map_err(|error| {
            let byte = error.utf8_error().valid_up_to();
            let line = 1 + error.as_bytes()[..byte].iter().filter(|&&sign| sign == b'\n').count();
            TextError::NotUtf8 { path: at(), byte, line }
        })?;
        Self::new(path.display().to_string(), content)
    }

    /// A text that is called `name` in messages.
    pub fn new(
        name: impl Into<String>,
        content: impl Into<Cow<'static, str>>,
    ) -> Result<Self, TextError> {
        let (name, content) = (name.into(), content.into());
        if content.trim().is_empty() {
            return Err(TextError::Empty { name });
        }
        Ok(Self { name, content })
    }

    /// The training text that ships inside the program.
    pub fn shipped_train() -> Self {
        Self { name: "shipped train.txt".to_owned(), content: TRAIN.into() }
    }

    /// The validation text that ships inside the program.
    pub fn shipped_valid() -> Self {
        Self { name: "shipped valid.txt".to_owned(), content: VALID.into() }
    }

    /// SHA-256 of its bytes.
    pub fn digest(&self) -> [u8; 32] {
        Sha256::digest(self.content.as_bytes()).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(name: &str, bytes: &[u8]) -> std::path::PathBuf {
        let path = std::env::temp_dir().join(format!("saddlescope-{}-{name}", std::process::id()));
        fs::write(&path, bytes).unwrap();
        path
    }

    #[test]
    fn a_file_that_is_no_text_is_named_with_the_place() {
        let path = written("latin.txt", b"one line\nna\xefve\n");
        let message = Text::read(&path).unwrap_err().to_string();
        fs::remove_file(&path).unwrap();
        assert!(message.contains("latin.txt is no UTF-8 text: byte 11"), "{message}");
        assert!(message.contains("in line 2"), "{message}");
    }

    #[test]
    fn missing_and_empty_files_are_named() {
        let message = Text::read("nowhere/words.txt").unwrap_err().to_string();
        assert_eq!(message, "cannot read the text nowhere/words.txt: there is no such file");
        let path = written("blank.txt", b" \n\n");
        let message = Text::read(&path).unwrap_err().to_string();
        fs::remove_file(&path).unwrap();
        assert!(message.ends_with("blank.txt is empty: it has no words"), "{message}");
    }

    #[test]
    fn the_digest_is_that_of_the_bytes() {
        // FIPS 180-2, appendix B.1.
        let digest = Text::new("three letters", "abc").unwrap().digest();
        assert_eq!(digest[..4], [0xba, 0x78, 0x16, 0xbf]);
        assert_eq!(digest[31], 0xad);
    }
}
