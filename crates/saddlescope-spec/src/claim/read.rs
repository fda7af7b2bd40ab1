//! The reader of the form: a table of fields, and one pass over the lines.

use std::fmt;

use super::statement::{Kind, Source, Statement, Verdict, Words};

/// A field of a claim: one more field is one more row.
struct Field {
    name: &'static str,
    expects: &'static str,
    required: bool,
    repeated: bool,
    /// Takes the value, unless it is none that the field may have.
    set: fn(&mut Statement, Words) -> Option<()>,
}

impl Field {
    const fn new(
        name: &'static str,
        expects: &'static str,
        set: fn(&mut Statement, Words) -> Option<()>,
    ) -> Self {
        Self { name, expects, required: false, repeated: false, set }
    }

    const fn required(self) -> Self {
        Self { required: true, ..self }
    }

    const fn repeated(self) -> Self {
        Self { repeated: true, ..self }
    }
}

const FIELDS: [Field; 8] = [
    Field::new("Place", "where the paper says so", |statement, words| {
        statement.place = words;
        Some(())
    })
    .required(),
    Field::new("Kind", "equation, landscape, dynamics or figure", |statement, words| {
        statement.kind = Kind::ALL.into_iter().find(|kind| kind.word() == words)?;
        Some(())
    })
    .required(),
    Field::new(
        "Verdict",
        "holds, holds approximately, false as printed, assumption not met, inconclusive or not tested",
        |statement, words| {
            let named = |verdict: &Verdict| verdict.words() == words;
            statement.recorded = Verdict::ALL.into_iter().find(named)?;
            Some(())
        },
    ),
    Field::new("Printed", "the formula as it is printed", |statement, words| {
        statement.printed = Some(words);
        Some(())
    }),
    Field::new("Correction", "what is right", |statement, words| {
        statement.correction = Some(words);
        Some(())
    }),
    Field::new("Assumes", "what is taken for granted", |statement, words| {
        statement.assumptions.push(words);
        Some(())
    })
    .repeated(),
    Field::new("Note", "what else a reader should know", |statement, words| {
        statement.notes.push(words);
        Some(())
    })
    .repeated(),
    Field::new("Untested", "why nothing is measured", |statement, words| {
        statement.untested = Some(words);
        Some(())
    }),
];

/// Why a text of statements cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatementError {
    /// The file.
    pub file: &'static str,
    /// The line, counted from 1.
    pub line: usize,
    /// The name of the claim.
    pub claim: String,
    /// What is there.
    pub found: String,
    /// What should be there.
    pub expected: String,
}

impl fmt::Display for StatementError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, line, claim, found, expected } = self;
        write!(f, "{file}, line {line}, claim `{claim}`: found {found}; expected {expected}")
    }
}

impl std::error::Error for StatementError {}

/// Lines that belong together: a field or the statement itself, with the number of the first.
struct Part {
    field: Option<&'static Field>,
    line: usize,
    words: Words,
}

/// A claim under way.
struct Claim<'a> {
    source: &'a Source,
    name: &'static str,
    line: usize,
    parts: Vec<Part>,
    /// Whether the next line may continue the last part.
    open: bool,
}

pub(crate) fn read(source: &Source) -> Result<Vec<Statement>, StatementError> {
    let mut found: Vec<Statement> = Vec::new();
    let mut claim: Option<Claim> = None;
    for (index, line) in source.text.lines().enumerate() {
        let line = line.trim();
        if let Some(name) = line.strip_prefix("## ") {
            if let Some(claim) = claim.take() {
                found.push(claim.finish()?);
            }
            let next = Claim { source, name, line: index + 1, parts: Vec::new(), open: false };
            next.ensure_new_name(&found)?;
            claim = Some(next);
        } else if let Some(claim) = &mut claim {
            claim.take(line, index + 1)?;
        }
    }
    if let Some(claim) = claim {
        found.push(claim.finish()?);
    }
    Ok(found)
}

/// The word before a colon at the beginning of a line, if that looks like the name of a field.
fn label(line: &'static str) -> Option<(&'static str, &'static str)> {
    let (name, value) = line.split_once(':')?;
    let is_word = name.starts_with(|c: char| c.is_ascii_uppercase())
        && name.chars().all(|c| c.is_ascii_alphabetic());
    (is_word && (value.is_empty() || value.starts_with(' '))).then_some((name, value.trim()))
}

impl Claim<'_> {
    fn error(&self, line: usize, found: String, expected: &str) -> StatementError {
        let (file, claim) = (self.source.file, self.name.to_owned());
        StatementError { file, line, claim, found, expected: expected.to_owned() }
    }

    fn ensure_new_name(&self, before: &[Statement]) -> Result<(), StatementError> {
        let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if self.name.is_empty() || !self.name.chars().all(is_plain) {
            let found = format!("the name `{}`", self.name);
            return Err(self.error(self.line, found, "lower-case letters, digits and hyphens"));
        }
        if before.iter().any(|statement| statement.name() == self.name) {
            let found = "this name a second time".to_owned();
            return Err(self.error(self.line, found, "a name that no other claim of the file has"));
        }
        Ok(())
    }

    fn take(&mut self, line: &'static str, number: usize) -> Result<(), StatementError> {
        if line.is_empty() {
            self.open = false;
            return Ok(());
        }
        let labelled = label(line);
        let known = labelled.and_then(|(name, value)| {
            FIELDS.iter().find(|field| field.name == name).map(|field| (field, value))
        });
        let within_statement = self.open && self.parts.last().is_some_and(|p| p.field.is_none());
        let (field, words) = match (known, labelled) {
            (Some((field, value)), _) => (Some(field), value),
            (None, Some((name, _))) if !within_statement => {
                let names: Vec<&str> = FIELDS.iter().map(|field| field.name).collect();
                let expected = format!("one of the fields {}", names.join(", "));
                return Err(self.error(number, format!("the field `{name}`"), &expected));
            }
            _ if self.open => {
                match self.parts.last_mut() {
                    Some(part) if part.words.is_empty() => part.words = line.into(),
                    Some(part) => *part.words.to_mut() += &format!(" {line}"),
                    None => {}
                }
                return Ok(());
            }
            _ => (None, line),
        };
        let same = |part: &Part| part.field.map(|f| f.name) == field.map(|f| f.name);
        if !field.is_some_and(|field| field.repeated) && self.parts.iter().any(same) {
            let what =
                field.map_or("statement".to_owned(), |field| format!("field `{}`", field.name));
            let found = format!("a second {what}, `{}`", shortened(line));
            return Err(self.error(number, found, "one of each"));
        }
        self.parts.push(Part { field, line: number, words: words.into() });
        self.open = true;
        Ok(())
    }

    fn finish(self) -> Result<Statement, StatementError> {
        let mut statement = Statement {
            id: format!("{}/{}", self.source.system, self.name),
            place: Words::default(),
            kind: Kind::Equation,
            text: Words::default(),
            printed: None,
            assumptions: Vec::new(),
            recorded: Verdict::Holds,
            correction: None,
            notes: Vec::new(),
            untested: None,
        };
        let has = |name: Option<&str>| self.parts.iter().any(|p| p.field.map(|f| f.name) == name);
        if let Some(field) = FIELDS.iter().find(|field| field.required && !has(Some(field.name))) {
            let expected = format!("`{}: `, {}", field.name, field.expects);
            return Err(self.error(self.line, format!("no field `{}`", field.name), &expected));
        }
        if !has(None) {
            let found = "no statement".to_owned();
            return Err(self.error(
                self.line,
                found,
                "a paragraph that says what the paper states",
            ));
        }
        for part in &self.parts {
            self.ensure_closed_formulas(part)?;
            let words = part.words.clone();
            match part.field {
                None => statement.text = words,
                Some(field) if words.is_empty() || (field.set)(&mut statement, words).is_none() => {
                    let found = format!("`{}: {}`", field.name, part.words);
                    return Err(self.error(part.line, found, field.expects));
                }
                Some(_) => {}
            }
        }
        for (name, verdict, is_there) in [
            ("correction", Verdict::FalseAsPrinted, statement.correction.is_some()),
            ("reason", Verdict::NotTested, statement.untested.is_some()),
        ] {
            if (statement.recorded == verdict) != is_there {
                let article = if is_there { "a" } else { "no" };
                let recorded = statement.recorded.words();
                let found = format!("{article} {name} with the verdict `{recorded}`");
                let expected =
                    format!("a {name} exactly where the verdict is `{}`", verdict.words());
                return Err(self.error(self.line, found, &expected));
            }
        }
        Ok(statement)
    }

    fn ensure_closed_formulas(&self, part: &Part) -> Result<(), StatementError> {
        let count = |c: char| part.words.matches(c).count();
        let found = if count('$') % 2 != 0 {
            "a formula that does not end".to_owned()
        } else if count('{') != count('}') {
            format!("{} times `{{` and {} times `}}`", count('{'), count('}'))
        } else {
            return Ok(());
        };
        let found = format!("{found} in `{}`", shortened(&part.words));
        Err(self.error(part.line, found, "pairs of dollar signs and of braces"))
    }
}

/// The first words of a text.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(40) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(text: &'static str) -> Result<Vec<Statement>, StatementError> {
        Source { system: "toy", file: "toy.md", text }.read()
    }

    const WHOLE: &str = "# Toy\n\nWords: of no claim.\n\n## eq-1\nPlace: Eq. (1)\nKind: equation\n\n\
         $x = x$, always.\n\n## eq-2\nPlace: Eq. (2),\n  and below\nKind: figure\nVerdict: false as printed\n\n\
         A statement over\ntwo lines: $y_{1}$.\n\nCorrection: another\none\nAssumes: first\nAssumes: second\n\
         Printed:\n$y$\nNote: one\nNote: more\n\n## eq-3\nPlace: Eq. (3)\nKind: figure\nVerdict: not tested\n\n\
         Three.\n\nUntested: no\nnumber\n";

    #[test]
    fn all_fields_are_read_and_lines_are_joined() {
        let all = read_text(WHOLE).unwrap();
        assert_eq!((all[0].id.as_str(), all[0].recorded), ("toy/eq-1", Verdict::Holds));
        assert!(matches!(all[0].text, Words::Borrowed("$x = x$, always.")));
        let second = &all[1];
        assert_eq!((second.system(), second.name(), second.kind), ("toy", "eq-2", Kind::Figure));
        assert_eq!(second.place, "Eq. (2), and below");
        assert_eq!(second.text, "A statement over two lines: $y_{1}$.");
        assert_eq!(second.correction.as_deref(), Some("another one"));
        assert_eq!(second.assumptions, ["first", "second"]);
        assert_eq!(second.printed.as_deref(), Some("$y$"));
        assert_eq!(
            (&second.notes[..], &second.untested),
            (&["one".into(), "more".into()][..], &None)
        );
        assert_eq!(all[2].untested.as_deref(), Some("no number"));
    }

    #[test]
    fn what_is_wrong_is_named_with_its_place() {
        let cases = [
            (
                "## Eq 1\n",
                "toy.md, line 1, claim `Eq 1`: found the name `Eq 1`; expected lower-case",
            ),
            (
                "## a\nKind: figure\n\nText.",
                "line 1, claim `a`: found no field `Place`; expected `Place: `",
            ),
            (
                "## a\nPlace: x\nKind: fig\n\nText.",
                "line 3, claim `a`: found `Kind: fig`; expected equation,",
            ),
            (
                "## a\nPlace: x\nKnd: figure\n\nText.",
                "line 3, claim `a`: found the field `Knd`; expected one of the fields Place, Kind, Verdict",
            ),
            ("## a\nPlace: x\nPlace: y\n", "line 3, claim `a`: found a second field `Place`"),
            ("## a\nPlace: x\nKind: figure\n", "line 1, claim `a`: found no statement"),
            (
                "## a\nPlace: x\nKind: figure\n\nText.\n\nMore.",
                "line 7, claim `a`: found a second statement, `More.`",
            ),
            (
                "## a\nPlace:\nKind: figure\n\nText.",
                "line 2, claim `a`: found `Place: `; expected where",
            ),
            (
                "## a\nPlace: x\nKind: figure\n\nIf $x.",
                "line 5, claim `a`: found a formula that does not end",
            ),
            (
                "## a\nPlace: x\nKind: figure\n\n$x_{1$.",
                "found 1 times `{` and 0 times `}` in `$x_{1$.`",
            ),
            (
                "## a\nPlace: x\nKind: figure\nVerdict: false as printed\n\nText.",
                "found no correction with the verdict `false as printed`",
            ),
            (
                "## a\nPlace: x\nKind: figure\n\nText.\n\nCorrection: y",
                "found a correction with the verdict `holds`; expected a correction exactly where",
            ),
            (
                "## a\nPlace: x\nKind: figure\nVerdict: not tested\n\nText.",
                "found no reason with the verdict `not tested`; expected a reason exactly where",
            ),
            (
                "## a\nPlace: x\nKind: figure\n\nText.\n\n## a\n",
                "line 7, claim `a`: found this name a second time",
            ),
        ];
        for (text, words) in cases {
            let error = read_text(text).unwrap_err().to_string();
            assert!(error.contains(words), "{error}\n  is not\n{words}");
        }
    }
}
