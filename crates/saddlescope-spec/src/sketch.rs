//! A sketch of a task: rows of tokens, as a figure explains what a model reads and what it is asked.

/// Rows of tokens, and what the looks of tokens mean. Words are in the markup of labels: `$x_{1}$`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Sketch {
    /// What tokens are for; a token names one by its place in this list.
    pub roles: Vec<TokenRole>,
    /// The rows, from the top.
    pub rows: Vec<TokenRow>,
}

/// What a token is for: a look, explained in the legend.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenRole {
    /// Its name in the legend; empty for none.
    pub name: String,
    pub shape: TokenShape,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenShape {
    /// A tinted box.
    Box,
    /// A tinted box with round ends.
    Round,
    /// An open box with a dashed edge.
    Dashed,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenRow {
    /// Words at its left; may be empty.
    pub label: String,
    /// The tokens, in the order in which they are read.
    pub tokens: Vec<Token>,
    /// Words under the brace of each group, by the number of the group; empty or missing for no brace.
    pub groups: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    pub text: String,
    /// Its place in [`Sketch::roles`].
    pub role: usize,
    /// The group that it belongs to; there is a gap where the number changes.
    pub group: usize,
}

impl Sketch {
    pub fn is_empty(&self) -> bool {
        self.rows.iter().all(|row| row.tokens.is_empty())
    }
}

impl TokenRole {
    pub fn new(name: impl Into<String>, shape: TokenShape) -> Self {
        Self { name: name.into(), shape }
    }
}

impl Token {
    pub fn new(text: impl Into<String>, role: usize, group: usize) -> Self {
        Self { text: text.into(), role, group }
    }
}
