//! The reader of the form: a table of fields, and one pass over the lines.

use super::ClaimsError;
use super::statement::{Kind, Source, Statement, Verdict, Words};

struct Field {
    name: &'static str,
    expects: &'static str,
}

/// The fields. The statement itself is the one without a name.
const FIELDS: [Field; 9] = [
    Field { name: "Place", expects: "where the paper says so" },
    Field { name: "Kind", expects: "equation, landscape, dynamics or figure" },
    Field { name: "", expects: "a paragraph that says what the paper states" },
    Field {
        name: "Verdict",
        expects: "holds, holds approximately, false as printed, assumption not met, inconclusive or not tested",
    },
    Field { name: "Printed", expects: "the formula as it is printed" },
    Field { name: "Correction", expects: "what is right" },
    Field { name: "Assumes", expects: "what is taken for granted" },
    Field { name: "Note", expects: "what else a reader should know" },
    Field { name: "Untested", expects: "why nothing is measured" },
];

/// The first so many fields are required.
const REQUIRED: usize = 3;

impl Field {
    fn is_statement(&self) -> bool {
        self.name.is_empty()
    }

    fn is_repeated(&self) -> bool {
        matches!(self.name, "Assumes" | "Note")
    }

    /// The name in messages.
    fn called(&self) -> String {
        if self.is_statement() { "statement".into() } else { format!("field `{}`", self.name) }
    }

    /// Sets its value; `None` where the field may not have it.
    fn set(&self, statement: &mut Statement, words: Words) -> Option<()> {
        match self.name {
            "Place" => statement.place = words,
            "Kind" => {
                statement.kind = Kind::ALL.into_iter().find(|kind| kind.word() == words)?;
            }
            "Verdict" => {
                let named = |verdict: &Verdict| verdict.words() == words;
                statement.recorded = Verdict::ALL.into_iter().find(named)?;
            }
            "Printed" => statement.printed = Some(words),
            "Correction" => statement.correction = Some(words),
            "Assumes" => statement.assumptions.push(words),
            "Note" => statement.notes.push(words),
            "Untested" => statement.untested = Some(words),
            _ => statement.text = words,
        }
        Some(())
    }
}

/// Lines that belong together: a field with the number of its first line.
struct Part {
    field: &'static Field,
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

pub(crate) fn read(source: &Source) -> Result<Vec<Statement>, ClaimsError> {
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
    fn error(&self, line: usize, found: &str, expected: &str) -> ClaimsError {
        let (file, name) = (self.source.file, self.name);
        ClaimsError(format!(
            "{file}, line {line}, claim `{name}`: found {found}; expected {expected}"
        ))
    }

    fn ensure_new_name(&self, before: &[Statement]) -> Result<(), ClaimsError> {
        let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if self.name.is_empty() || !self.name.chars().all(is_plain) {
            let found = format!("the name `{}`", self.name);
            return Err(self.error(self.line, &found, "lower-case letters, digits and hyphens"));
        }
        if before.iter().any(|statement| statement.name() == self.name) {
            let expected = "a name that no other claim of the file has";
            return Err(self.error(self.line, "this name a second time", expected));
        }
        Ok(())
    }

    fn has(&self, field: &Field) -> bool {
        self.parts.iter().any(|part| part.field.name == field.name)
    }

    fn take(&mut self, line: &'static str, number: usize) -> Result<(), ClaimsError> {
        if line.is_empty() {
            self.open = false;
            return Ok(());
        }
        let within_statement =
            self.open && self.parts.last().is_some_and(|part| part.field.is_statement());
        let named = |name: &str| FIELDS.iter().find(|field| field.name == name);
        let labelled = label(line).map(|(name, value)| (name, value, named(name)));
        let (field, words) = match labelled {
            Some((_, value, Some(field))) => (field, value),
            Some((name, ..)) if !within_statement => {
                let names: Vec<&str> =
                    FIELDS.iter().map(|field| field.name).filter(|name| !name.is_empty()).collect();
                let expected = format!("one of the fields {}", names.join(", "));
                return Err(self.error(number, &format!("the field `{name}`"), &expected));
            }
            _ => match self.parts.last_mut().filter(|_| self.open) {
                Some(part) if part.words.is_empty() => {
                    part.words = line.into();
                    return Ok(());
                }
                Some(part) => {
                    *part.words.to_mut() += &format!(" {line}");
                    return Ok(());
                }
                None => (&FIELDS[REQUIRED - 1], line),
            },
        };
        if !field.is_repeated() && self.has(field) {
            let found = format!("a second {}, `{}`", field.called(), shortened(line));
            return Err(self.error(number, &found, "one of each"));
        }
        self.parts.push(Part { field, line: number, words: words.into() });
        self.open = true;
        Ok(())
    }

    fn finish(self) -> Result<Statement, ClaimsError> {
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
        if let Some(field) = FIELDS[..REQUIRED].iter().find(|field| !self.has(field)) {
            let label =
                if field.is_statement() { String::new() } else { format!("`{}: `, ", field.name) };
            let (found, expected) = (format!("no {}", field.called()), label + field.expects);
            return Err(self.error(self.line, &found, &expected));
        }
        for part in &self.parts {
            self.ensure_closed_formulas(part)?;
            let words = part.words.clone();
            if words.is_empty() || part.field.set(&mut statement, words).is_none() {
                let found = format!("`{}: {}`", part.field.name, part.words);
                return Err(self.error(part.line, &found, part.field.expects));
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
                return Err(self.error(self.line, &found, &expected));
            }
        }
        Ok(statement)
    }

    fn ensure_closed_formulas(&self, part: &Part) -> Result<(), ClaimsError> {
        let count = |c: char| part.words.matches(c).count();
        let found = if count('$') % 2 != 0 {
            "a formula that does not end".to_owned()
        } else if count('{') != count('}') {
            format!("{} times `{{` and {} times `}}`", count('{'), count('}'))
        } else {
            return Ok(());
        };
        let found = format!("{found} in `{}`", shortened(&part.words));
        Err(self.error(part.line, &found, "pairs of dollar signs and of braces"))
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

    fn read_text(text: &'static str) -> Result<Vec<Statement>, ClaimsError> {
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
            ("## Eq 1\n", 1, "the name `Eq 1`; expected lower-case"),
            ("## a\nKind: figure\n\nText.", 1, "no field `Place`; expected `Place: `"),
            ("## a\nPlace: x\nKind: fig\n\nText.", 3, "`Kind: fig`; expected equation,"),
            (
                "## a\nPlace: x\nKnd: figure\n\nText.",
                3,
                "the field `Knd`; expected one of the fields Place, Kind, Verdict",
            ),
            ("## a\nPlace: x\nPlace: y\n", 3, "a second field `Place`"),
            ("## a\nPlace: x\nKind: figure\n", 1, "no statement"),
            ("## a\nPlace: x\nKind: figure\n\nText.\n\nMore.", 7, "a second statement, `More.`"),
            ("## a\nPlace:\nKind: figure\n\nText.", 2, "`Place: `; expected where"),
            ("## a\nPlace: x\nKind: figure\n\nIf $x.", 5, "a formula that does not end"),
            (
                "## a\nPlace: x\nKind: figure\n\n$x_{1$.",
                5,
                "1 times `{` and 0 times `}` in `$x_{1$.`",
            ),
            (
                "## a\nPlace: x\nKind: figure\nVerdict: false as printed\n\nText.",
                1,
                "no correction with the verdict `false as printed`",
            ),
            (
                "## a\nPlace: x\nKind: figure\n\nText.\n\nCorrection: y",
                1,
                "a correction with the verdict `holds`; expected a correction exactly where",
            ),
            (
                "## a\nPlace: x\nKind: figure\nVerdict: not tested\n\nText.",
                1,
                "no reason with the verdict `not tested`; expected a reason exactly where",
            ),
            ("## a\nPlace: x\nKind: figure\n\nText.\n\n## a\n", 7, "this name a second time"),
        ];
        for (text, line, found) in cases {
            let error = read_text(text).unwrap_err().to_string();
            let name = text.lines().next().unwrap().trim_start_matches("## ");
            let words = format!("toy.md, line {line}, claim `{name}`: found {found}");
            assert!(error.starts_with(&words), "{error}\n  is not\n{words}");
        }
    }
}
