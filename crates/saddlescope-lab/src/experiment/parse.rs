//! TOML text to a tree of values with their places.

use std::ops::Range;
use std::sync::Arc;

use saddlescope_spec::settings::{
    GivenValue, Key, Origin, Place, SettingsError, Source, from_toml, table_from_toml,
};
use toml::de::{DeTable, DeValue, Error};

use crate::error::Checked;

/// How many characters of a broken value a message repeats.
const LONGEST: usize = 60;

/// A table as it was written, in the order of the text.
pub(crate) type Table = Vec<(Key, GivenValue)>;

pub(crate) fn find<'a>(table: &'a [(Key, GivenValue)], name: &str) -> Option<&'a GivenValue> {
    table.iter().find(|(key, _)| key.name == name).map(|(_, given)| given)
}

pub(crate) struct ParsedText {
    pub(crate) table: Table,
    pub(crate) errors: Vec<SettingsError>,
    /// Whether the table may lack what the text holds, so that looking for errors in it is idle.
    pub(crate) broken: bool,
}

/// Parses a whole file. Keys that are given twice leave the table usable (the first one counts);
/// after broken syntax there is no telling what the rest means.
pub(crate) fn parse(source: &Arc<Source>) -> ParsedText {
    let (table, errors) = DeTable::parse_recoverable(source.text());
    let at = At { source, shift: 0 };
    let broken = errors.iter().any(|error| !is_duplicate(error));
    let errors = independent(errors).iter().map(|error| explain(error, at)).collect();
    ParsedText { table: table_from_toml(table.get_ref(), &at.origin()), errors, broken }
}

/// Parses one value, which starts at byte `shift` of the source.
pub(crate) fn parse_value(source: &Arc<Source>, shift: usize, text: &str) -> Checked<GivenValue> {
    let at = At { source, shift };
    match DeValue::parse(text) {
        Ok(value) => Ok(from_toml(&value, &at.origin())),
        Err(error) => Err(explain(&error, at)),
    }
}

#[derive(Clone, Copy)]
struct At<'a> {
    source: &'a Arc<Source>,
    shift: usize,
}

impl At<'_> {
    fn place(self, span: Range<usize>) -> Place {
        self.source.place(span.start + self.shift..span.end + self.shift)
    }

    fn origin(self) -> impl Fn(Range<usize>) -> Origin {
        move |span| self.place(span).into()
    }
}

fn is_duplicate(error: &Error) -> bool {
    error.message() == "duplicate key"
}

/// The errors that are no mere consequence of an earlier one: at most one in each place where the
/// parser can start afresh, and none behind a list or table that does not close.
fn independent(mut errors: Vec<Error>) -> Vec<Error> {
    let start = |error: &Error| error.span().map_or(0, |span| span.start);
    errors.sort_by_key(start);
    errors.dedup_by_key(|error| start(error));
    let runs_on = |error: &Error| {
        let message = error.message();
        ["array", "inline table", "unclosed", "recurs"].iter().any(|word| message.contains(word))
    };
    let end = errors.iter().position(runs_on).map_or(errors.len(), |first| first + 1);
    errors.truncate(end);
    errors
}

/// The parser's complaint in words for people who do not know its grammar.
fn explain(error: &Error, at: At<'_>) -> SettingsError {
    let place = at.place(error.span().unwrap_or(0..0));
    let written: String = place.text().trim().chars().take(LONGEST).collect();
    let text = match error.message() {
        "duplicate key" => format!("`{written}` is given twice"),
        message => in_words(message, &written),
    };
    SettingsError::text(text, place)
}

const PLAIN_WORDS: [(&str, &str); 7] = [
    (
        "missing comma between array elements",
        "a comma is missing in a list, or the list before this is not closed with ]",
    ),
    ("unclosed array", "a list that starts with [ is not closed with ]"),
    ("unclosed table", "the name of a section is not closed with ]"),
    ("unclosed inline table", "a table that starts with { is not closed with }"),
    ("key with no value", "`=` and a value are missing after this key"),
    ("invalid basic string, expected `\"`", "a text is not closed with \""),
    ("invalid literal string, expected `'`", "a text is not closed with '"),
];

fn in_words(message: &str, written: &str) -> String {
    let no_value = ["invalid boolean", "string values must be quoted"];
    if no_value.iter().any(|begin| message.starts_with(begin)) {
        return if written.is_empty() {
            "a value is missing after `=`".to_owned()
        } else if written.contains(['"', '\n', ',']) {
            format!("`{written}` is no value")
        } else {
            format!("`{written}` is no value: texts need quotes, as in \"{written}\"")
        };
    }
    if let Some((_, words)) = PLAIN_WORDS.iter().find(|(begin, _)| message.starts_with(begin)) {
        return (*words).to_owned();
    }
    let (found, expected) = message.split_once(", expected ").unwrap_or((message, ""));
    let expected = match expected {
        "" | "nothing" => String::new(),
        expected => format!(" (expected {expected})"),
    };
    format!("this is not TOML: {found}{expected}")
}
