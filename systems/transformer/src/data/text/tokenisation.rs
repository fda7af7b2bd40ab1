//! From a text to its tokens.

use crate::data::text::{END, Text};

/// How a text is split.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tokenisation {
    /// At whitespace; every line, also an empty one, ends with `<eos>`: the word level of WikiText.
    Words,
    /// Lower case; `. , ( ) ! ? '` are tokens, `; : "` and `<br />` are left out, and lines leave no trace: what
    /// `PyTorch` calls `basic_english`.
    BasicEnglish,
}

impl Tokenisation {
    /// The tokens of `text`, in order.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(how: Tokenisation, content: &'static str) -> Vec<String> {
        let mut list = Vec::new();
        how.each(&Text::new("test", content).unwrap(), |token| list.push(token.to_owned()));
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
}
