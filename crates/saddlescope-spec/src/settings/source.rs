//! Where a value was written: a text, a place in it, and the line that shows it.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// The longest stretch of a source line that is shown, in characters.
const SHOWN: usize = 96;

/// A text that settings are read from.
#[derive(Debug, PartialEq, Eq)]
pub struct Source {
    name: String,
    text: String,
    form: Form,
}

#[derive(Debug, PartialEq, Eq)]
enum Form {
    File,
    Argument,
}

impl Source {
    /// A file, called by its path.
    pub fn file(path: impl Into<String>, text: impl Into<String>) -> Arc<Self> {
        Arc::new(Self { name: path.into(), text: text.into(), form: Form::File })
    }

    /// An argument such as `system.rank=2`, which followed `flag` on the command line.
    pub fn argument(flag: impl Into<String>, text: impl Into<String>) -> Arc<Self> {
        Arc::new(Self { name: flag.into(), text: text.into(), form: Form::Argument })
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// The path, or the flag of an argument.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The place of the bytes `span`, cut to whole characters of the text.
    pub fn place(self: &Arc<Self>, span: Range<usize>) -> Place {
        let start = self.text.floor_char_boundary(span.start.min(self.text.len()));
        let end = self.text.ceil_char_boundary(span.end.clamp(start, self.text.len()));
        Place { source: Arc::clone(self), start, end }
    }

    /// The place behind the last word of the text, where something is missing.
    pub fn end(self: &Arc<Self>) -> Place {
        let end = self.text.trim_end().len();
        self.place(end..end)
    }
}

/// A stretch of a [`Source`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    source: Arc<Source>,
    start: usize,
    end: usize,
}

impl Place {
    pub fn source(&self) -> &Arc<Source> {
        &self.source
    }

    /// The line, counted from 1.
    pub fn line(&self) -> usize {
        self.source.text[..self.start].matches('\n').count() + 1
    }

    /// The column in characters, counted from 1.
    pub fn column(&self) -> usize {
        self.source.text[self.line_start()..self.start].chars().count() + 1
    }

    /// Where the place starts, in bytes.
    pub fn offset(&self) -> usize {
        self.start
    }

    /// What is written there.
    pub fn text(&self) -> &str {
        &self.source.text[self.start..self.end]
    }

    fn line_start(&self) -> usize {
        self.source.text[..self.start].rfind('\n').map_or(0, |newline| newline + 1)
    }

    /// The place with its line and a caret below, ready to be printed under a message.
    pub fn excerpt(&self) -> String {
        let (line, before, width) = self.shown_line();
        let carets = "^".repeat(width);
        match self.source.form {
            Form::Argument => {
                let arrow = format!("  --> {} ", self.source.name);
                let indent = " ".repeat(arrow.chars().count() + before);
                format!("{arrow}{line}\n{indent}{carets}")
            }
            Form::File => {
                let number = self.line().to_string();
                let gutter = " ".repeat(number.len());
                let indent = " ".repeat(before);
                format!(
                    "{gutter} --> {self}\n{gutter} |\n{number} | {line}\n{gutter} | {indent}{carets}"
                )
            }
        }
    }

    /// The line in printable characters, how many of them lie before the place, and its width.
    fn shown_line(&self) -> (String, usize, usize) {
        let text = &self.source.text;
        let line_start = self.line_start();
        let line_end = text[line_start..].find('\n').map_or(text.len(), |at| line_start + at);
        let end = self.end.clamp(self.start, line_end.max(self.start));
        let before = text[line_start..self.start].chars().count();
        let width = text[self.start..end].trim_end().chars().count().max(1);
        // Long lines (data written in one row) are cut to a window around the place.
        let skip = if before + width > SHOWN { before.saturating_sub(SHOWN / 2) } else { 0 };
        let (left, more) = if skip > 0 { ("...", 3) } else { ("", 0) };
        let printable = |c: char| if c.is_control() { ' ' } else { c };
        let rest = text[line_start..line_end].trim_end().chars().skip(skip);
        let mut shown: String =
            left.chars().chain(rest.clone().take(SHOWN).map(printable)).collect();
        if rest.count() > SHOWN {
            shown.push_str("...");
        }
        let before = before - skip + more;
        let room = shown.chars().count().saturating_sub(before).max(1);
        (shown, before, width.min(room))
    }
}

/// `path:line:column`, or the argument itself.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.source.form {
            Form::File => write!(f, "{}:{}:{}", self.source.name, self.line(), self.column()),
            Form::Argument => write!(f, "{} {}", self.source.name, self.source.text),
        }
    }
}

/// Where a value came from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Origin {
    /// The declaration.
    #[default]
    Default,
    /// A file or an argument.
    Text(Place),
    /// Code that calls the library.
    Program,
}

impl Origin {
    /// The place, for values that were written somewhere.
    pub fn place(&self) -> Option<&Place> {
        match self {
            Self::Text(place) => Some(place),
            Self::Default | Self::Program => None,
        }
    }
}

impl From<Place> for Origin {
    fn from(place: Place) -> Self {
        Self::Text(place)
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::Text(place) => place.fmt(f),
            Self::Program => f.write_str("set by the program"),
        }
    }
}
