//! Labels: text with formulas between dollar signs, as a tree that figures and terminals both show.

use super::symbols::{Alphabet, Command, command};

/// Braces nested deeper than this are shown as they are written.
const DEEPEST: usize = 12;

/// A stretch of a label.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Part {
    Text(String),
    Formula(Vec<Node>),
}

/// A thing in a formula.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Node {
    /// A blank of the source, which only plain text shows.
    Blank,
    /// A character that stands for itself.
    Sign(char, Alphabet),
    /// Characters that are shown as they are written.
    Text(String),
    /// A subscript or superscript of what stands before it.
    Script { is_below: bool, of: Vec<Node> },
    /// A command, with as many arguments as it takes; without a meaning where the table does not have it.
    Command {
        name: String,
        meaning: Option<Command>,
        alphabet: Alphabet,
        arguments: Vec<Vec<Node>>,
    },
}

/// Names of the commands in a label that the table does not have.
pub fn unknown_commands(label: &str) -> Vec<String> {
    fn collect(nodes: Vec<Node>, names: &mut Vec<String>) {
        for node in nodes {
            match node {
                Node::Blank | Node::Sign(..) | Node::Text(_) => {}
                Node::Script { of, .. } => collect(of, names),
                Node::Command { name, meaning: None, .. } => names.push(name),
                Node::Command { arguments, .. } => {
                    arguments.into_iter().for_each(|argument| collect(argument, names));
                }
            }
        }
    }
    let mut names = Vec::new();
    for part in parts(label) {
        if let Part::Formula(nodes) = part {
            collect(nodes, &mut names);
        }
    }
    names
}

/// The texts and formulas of a label; a dollar sign that closes nothing is text.
pub(crate) fn parts(label: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut text = String::new();
    let mut rest = label;
    while let Some(c) = rest.chars().next() {
        let after = &rest[c.len_utf8()..];
        if let Some(escaped) = rest.strip_prefix("\\$") {
            text.push('$');
            rest = escaped;
        } else if c == '$'
            && let Some(end) = formula_end(after)
        {
            if !text.is_empty() {
                parts.push(Part::Text(std::mem::take(&mut text)));
            }
            parts.push(Part::Formula(formula(&after[..end])));
            rest = &after[end + 1..];
        } else {
            text.push(if c.is_control() { ' ' } else { c });
            rest = after;
        }
    }
    if !text.is_empty() {
        parts.push(Part::Text(text));
    }
    parts
}

/// Where the dollar sign stands that closes a formula.
fn formula_end(text: &str) -> Option<usize> {
    let mut escaped = false;
    text.char_indices().find_map(|(at, c)| {
        let closes = c == '$' && !escaped;
        escaped = c == '\\' && !escaped;
        closes.then_some(at)
    })
}

fn formula(source: &str) -> Vec<Node> {
    let mut parser = Parser { source: source.chars().collect(), at: 0, depth: 0 };
    let mut nodes = Vec::new();
    while parser.at < parser.source.len() {
        nodes.extend(parser.list(Alphabet::Italic));
        // Only a brace that closes nothing ends a list early.
        nodes.extend(parser.next().map(|stray| Node::Text(stray.into())));
    }
    nodes
}

struct Parser {
    source: Vec<char>,
    at: usize,
    depth: usize,
}

impl Parser {
    fn peek(&self) -> Option<char> {
        self.source.get(self.at).copied()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += 1;
        Some(c)
    }

    fn skip_blanks(&mut self) {
        while self.peek().is_some_and(char::is_whitespace) {
            self.at += 1;
        }
    }

    /// Nodes up to a closing brace, which stays, or the end.
    fn list(&mut self, alphabet: Alphabet) -> Vec<Node> {
        let mut nodes = Vec::new();
        while let Some(c) = self.peek().filter(|&c| c != '}') {
            self.at += 1;
            match c {
                '_' | '^' => {
                    let of = self.argument(alphabet);
                    nodes.push(Node::Script { is_below: c == '_', of });
                }
                _ => self.one(c, alphabet, &mut nodes),
            }
        }
        nodes
    }

    /// One character, group or command; the character has been taken.
    fn one(&mut self, c: char, alphabet: Alphabet, nodes: &mut Vec<Node>) {
        match c {
            '{' => self.group(alphabet, nodes),
            '\\' => self.command(alphabet, nodes),
            '~' => nodes.push(self.applied(" ", alphabet)),
            _ if c.is_whitespace() || c.is_control() => nodes.push(Node::Blank),
            _ => nodes.push(Node::Sign(c, alphabet)),
        }
    }

    /// A group in braces; the opening brace has been taken.
    fn group(&mut self, alphabet: Alphabet, nodes: &mut Vec<Node>) {
        if self.depth == DEEPEST {
            nodes.push(Node::Text("{".into()));
            return;
        }
        self.depth += 1;
        nodes.extend(self.list(alphabet));
        self.depth -= 1;
        if self.peek() == Some('}') {
            self.at += 1;
        }
    }

    /// What a command or script applies to: a group, a command or one character.
    fn argument(&mut self, alphabet: Alphabet) -> Vec<Node> {
        self.skip_blanks();
        let mut nodes = Vec::new();
        match self.peek() {
            None | Some('}') => {}
            Some(c) if self.depth < DEEPEST => {
                self.at += 1;
                self.depth += 1;
                self.one(c, alphabet, &mut nodes);
                self.depth -= 1;
            }
            Some(c) => {
                self.at += 1;
                nodes.push(Node::Text(c.into()));
            }
        }
        nodes
    }

    /// A command; the backslash has been taken.
    fn command(&mut self, alphabet: Alphabet, nodes: &mut Vec<Node>) {
        let start = self.at;
        while self.peek().is_some_and(|c| c.is_ascii_alphabetic()) {
            self.at += 1;
        }
        if self.at == start && self.at < self.source.len() {
            self.at += 1;
        }
        let name: String = self.source[start..self.at].iter().collect();
        match command(&name) {
            Some(Command::Letters(inner)) => nodes.extend(self.argument(inner)),
            Some(Command::Text) if self.peek() == Some('{') => {
                nodes.push(Node::Text(self.verbatim()));
            }
            Some(Command::Text) => nodes.extend(self.argument(Alphabet::Upright)),
            _ => nodes.push(self.applied(&name, alphabet)),
        }
    }

    /// The command of that name with its arguments.
    fn applied(&mut self, name: &str, alphabet: Alphabet) -> Node {
        let meaning = command(name);
        let count = match meaning {
            Some(Command::Accent(..) | Command::Root) => 1,
            Some(Command::Fraction) => 2,
            _ => 0,
        };
        let arguments = (0..count).map(|_| self.argument(alphabet)).collect();
        Node::Command { name: name.to_owned(), meaning, alphabet, arguments }
    }

    /// The text in braces as it stands; the opening brace is next.
    fn verbatim(&mut self) -> String {
        self.at += 1;
        let length = self.source[self.at..].iter().take_while(|&&c| c != '}').count();
        let text = self.source[self.at..self.at + length].iter().collect();
        self.at = (self.at + length + 1).min(self.source.len());
        text
    }
}
