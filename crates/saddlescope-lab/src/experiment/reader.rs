//! What was given for a section to its checked settings.

use saddlescope_spec::settings::{Problem, Source, from_toml, table_from_toml};
use toml::de::{DeTable, DeValue, Error};

use super::*;

/// The sections of one run, in the order in which they are written.
pub(crate) const SECTIONS: [&str; 5] = ["system", "start", "dynamics", "record", "evaluate"];

/// Whether a section is a list, written `[[dynamics]]`, whose entries have numbers.
pub(crate) fn is_listed(section: &str) -> bool {
    ["dynamics", "evaluate"].contains(&section)
}

/// The sections of a whole plan, which follow those.
pub(crate) const PLAN_SECTIONS: [&str; 7] =
    ["vary", "arm", "paper", "outcome", "fit", "figure", "sweep"];

/// What may stand in a section; nobody knows of those of an unknown system.
pub(crate) fn declaration(
    section: &str,
    schema: Option<&'static SystemSchema>,
) -> Option<&'static Section> {
    match section {
        "dynamics" => Some(&DYNAMICS),
        "record" => Some(&RECORD),
        "evaluate" => Some(&EVALUATE),
        "start" => schema.map(|schema| &schema.start),
        _ => schema.map(|schema| &schema.system),
    }
}

/// The checked settings of a section of a run, one for each stage; `end` is the place where a
/// section is missing.
pub(crate) fn resolve(
    name: &str,
    declaration: &Section,
    given: Option<GivenValue>,
    end: &Origin,
) -> AllChecked<Vec<Settings>> {
    match given {
        None if name == "evaluate" => Ok(Vec::new()),
        None => Ok(vec![declaration.resolve(name, &[], end)?]),
        Some(GivenValue { value: Input::List(stages), origin }) if is_listed(name) => {
            if stages.is_empty() && name == "dynamics" {
                let text = "`dynamics` is an empty list, but a run needs at least one stage";
                return Err(vec![SettingsError::text(text, origin)]);
            }
            resolve_list(name, declaration, stages)
        }
        Some(given) => resolve_list(name, declaration, vec![given]),
    }
}

/// The checked settings of tables one after the other, each numbered where there are several.
pub(crate) fn resolve_list(
    name: &str,
    declaration: &Section,
    list: Vec<GivenValue>,
) -> AllChecked<Vec<Settings>> {
    let count = list.len();
    let mut settings = Vec::new();
    let mut errors = Vec::new();
    for (index, given) in list.into_iter().enumerate() {
        let label = if count == 1 { name.to_owned() } else { format!("{name}.{index}") };
        match resolve_one(&label, declaration, given) {
            Ok(one) => settings.push(one),
            Err(mut more) => errors.append(&mut more),
        }
    }
    if errors.is_empty() { Ok(settings) } else { Err(errors) }
}

pub(crate) fn resolve_one(
    label: &str,
    declaration: &Section,
    given: GivenValue,
) -> AllChecked<Settings> {
    let (mut contents, origin) = table(label, given).map_err(|error| vec![error])?;
    // The name of the system decided on the declaration.
    if label == "system" {
        contents.retain(|(key, _)| key.name != "name");
    }
    declaration.resolve(label, &contents, &origin).map_err(|mut errors| {
        for error in &mut errors {
            if let Problem::Unknown { section, known, .. } = &mut *error.problem
                && section == "system"
            {
                known.insert(0, "name".to_owned());
            }
        }
        errors
    })
}

/// The table of a section, with the place of its header.
pub(crate) fn table(label: &str, given: GivenValue) -> Checked<(Table, Origin)> {
    match given.value {
        Input::Table(table) => Ok((table, given.origin)),
        other => {
            let name = label.trim_end_matches(|c: char| c == '.' || c.is_ascii_digit());
            let wanted = match name {
                "dynamics" => "a section, written [dynamics] or [[dynamics]]".to_owned(),
                "arm" | "outcome" | "fit" | "figure.panel" | "evaluate" => {
                    format!("a section, written [[{name}]]")
                }
                _ => format!("a section, written [{name}]"),
            };
            Err(SettingsError::unfit(label, &other, wanted, given.origin))
        }
    }
}

/// The list of a section that may stand in a file several times, written `[[arm]]`.
pub(crate) fn list(name: &str, given: GivenValue) -> Checked<Vec<GivenValue>> {
    match given.value {
        Input::List(list) => Ok(list),
        other => {
            let wanted = format!("a list of sections, each written [[{name}]]");
            Err(SettingsError::unfit(name, &other, wanted, given.origin))
        }
    }
}

pub(crate) fn take(table: &mut Table, name: &str) -> Option<GivenValue> {
    let index = table.iter().position(|(key, _)| key.name == name)?;
    Some(table.remove(index).1)
}

/// The system that `system.name` asks for.
pub(crate) fn system(
    section: Option<&GivenValue>,
    registry: &Registry,
    end: &Origin,
) -> Checked<&'static dyn System> {
    let systems = registry.systems().iter();
    let known: Vec<_> = systems.map(|system| system.name().to_owned()).collect();
    let wanted = format!("the name of a system ({})", known.join(", "));
    let key = "system.name".to_owned();
    let (contents, origin) = match section {
        None => (Vec::new(), end.clone()),
        Some(given) => table("system", given.clone())?,
    };
    let Some(GivenValue { value, origin }) = find(&contents, "name") else {
        let problem = Problem::Missing { key, wanted, because: String::new() };
        return Err(SettingsError::new(problem, origin));
    };
    let problem = match value {
        Input::Text(found) => match registry.system(found) {
            Some(system) => return Ok(system),
            None => {
                let (what, section, found) = ("system", String::new(), found.clone());
                Problem::Unknown { what, found, section, known }
            }
        },
        other => Problem::Unfit { key, found: other.with_type(), wanted, known },
    };
    Err(SettingsError::new(problem, origin.clone()))
}

// TOML text to a tree of values with their places.

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
