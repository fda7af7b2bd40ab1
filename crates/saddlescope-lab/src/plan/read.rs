//! A text with those that it extends, and what the command line changes, to a plan or to all that is wrong.

use saddlescope_spec::settings::Problem;

use super::draft::Draft;
use super::*;
use crate::experiment::change::{SET, split};
use crate::experiment::reader::parse;

const VARY_FORM: &str = "a variation is a dotted key, `=` and values, such as system.rank=1,2,4 or start.scale=0.01..1:log8";

pub(super) fn read(
    name: &str,
    text: String,
    changes: &Changes,
    registry: &Registry,
) -> Result<Plan> {
    let mut files = Files::read(name, text, registry);
    let arguments = Arguments::new(changes);
    let mut errors = std::mem::take(&mut files.errors);
    let mut schema = None;
    let mut plan = None;
    // After broken syntax there is no telling what the rest means.
    if !files.broken {
        let has_paper = files.tables.iter().any(|file| find(file, "paper").is_some());
        let mut expand = |size| {
            let draft = Draft::new(&files, size, &arguments, registry);
            schema = draft.schema();
            draft.plan(changes.sweep)
        };
        let mut found = match expand(changes.size) {
            Ok(whole) => {
                plan = Some(whole);
                Vec::new()
            }
            Err(found) => found,
        };
        if has_paper {
            let other = if changes.size == Size::Paper { Size::Quick } else { Size::Paper };
            let other = expand(other).err().into_iter().flatten();
            let more = other.filter(|error| files.has(error) && !found.contains(error));
            found.extend(more.collect::<Vec<_>>());
        }
        errors.extend(arguments.errors.iter().cloned());
        errors.append(&mut found);
    }
    match plan {
        Some(plan) if errors.is_empty() => Ok(plan),
        _ => {
            sort(&mut errors, &files, &arguments.sources);
            errors.iter_mut().for_each(|error| help(error, schema));
            Err(errors.into())
        }
    }
}

/// Into the order of the file, of those that it extends, then of the arguments.
fn sort(errors: &mut [SettingsError], files: &Files, arguments: &[Arc<Source>]) {
    errors.sort_by_key(|error| {
        let Some(place) = error.origin.place() else { return (0, 0) };
        let argument = arguments.iter().position(|source| Arc::ptr_eq(source, place.source()));
        let behind = files.sources.len() + argument.unwrap_or(0);
        (files.position(&error.origin).unwrap_or(behind), place.offset())
    });
}

pub(super) struct Files {
    /// The file itself, then the one that it extends, and so on.
    pub(super) sources: Vec<Arc<Source>>,
    /// What they hold: the last one that is extended first, the file itself last.
    pub(super) tables: Vec<Table>,
    pub(super) errors: Vec<SettingsError>,
    /// Whether the tables may lack what the files hold, so that looking for errors in them is idle.
    pub(super) broken: bool,
}

/// What tells files apart, however they are named: the name of a shipped experiment, or the whole path of a file.
fn identity(name: &str, registry: &Registry) -> PathBuf {
    let whole = Path::new(name).canonicalize().ok().filter(|_| registry.experiment(name).is_none());
    whole.unwrap_or_else(|| name.into())
}

impl Files {
    /// Reads a text called `name`, and the files that it extends.
    pub(super) fn read(name: &str, text: String, registry: &Registry) -> Self {
        let source = Source::file(name, text);
        let mut files = Self {
            sources: vec![Arc::clone(&source)],
            tables: Vec::new(),
            errors: Vec::new(),
            broken: false,
        };
        let mut next = Some(source);
        while let Some(source) = next.take() {
            let mut parsed = parse(&source);
            let extends = take(&mut parsed.table, "extends");
            files.tables.push(parsed.table);
            files.errors.append(&mut parsed.errors);
            files.broken |= parsed.broken;
            let Some(extends) = extends else { break };
            match files.base(&source, &extends, registry) {
                Ok(base) => {
                    files.sources.push(Arc::clone(&base));
                    next = Some(base);
                }
                Err(error) => {
                    files.errors.push(error);
                    files.broken = true;
                }
            }
        }
        files.tables.reverse();
        files
    }

    pub(super) fn has(&self, error: &SettingsError) -> bool {
        self.position(&error.origin).is_some()
    }

    pub(super) fn position(&self, origin: &Origin) -> Option<usize> {
        let place = origin.place()?;
        self.sources.iter().position(|source| Arc::ptr_eq(source, place.source()))
    }

    fn base(
        &self,
        source: &Source,
        extends: &GivenValue,
        registry: &Registry,
    ) -> Checked<Arc<Source>> {
        let origin = || extends.origin.clone();
        let wrong = |text: String| SettingsError::text(text, origin());
        let Input::Text(name) = &extends.value else {
            let wanted = "the name of a shipped experiment, or the path of a file";
            return Err(SettingsError::unfit("extends", &extends.value, wanted, origin()));
        };
        let shipped = registry.experiment(name);
        let path = match shipped {
            Some(shipped) => PathBuf::from(shipped.name),
            None => Path::new(source.name()).with_file_name("").join(name),
        };
        if shipped.is_none() && !path.exists() {
            let text = format!("there is no shipped experiment and no file `{name}` to extend");
            let known: Vec<_> = registry.experiments().iter().map(|one| one.name).collect();
            let near = question(name, &known);
            let mut error = wrong(text);
            error.help = Some(format!(
                "{near}`saddlescope list` shows the shipped experiments; the path of a file begins at this file's folder"
            ));
            return Err(error);
        }
        let base = path.display().to_string();
        let own = identity(&base, registry);
        if self.sources.iter().any(|known| identity(known.name(), registry) == own) {
            let names = self.sources.iter().map(|source| source.name()).chain([base.as_str()]);
            let text = format!(
                "experiments cannot extend each other in a circle: {}",
                names.collect::<Vec<_>>().join(" extends ")
            );
            return Err(wrong(text));
        }
        let words = match shipped {
            Some(shipped) => shipped.text.to_owned(),
            None => contents(&path, &base)
                .and_then(|bytes| text(&base, bytes))
                .map_err(|error| wrong(error.to_string()))?,
        };
        Ok(Source::file(base, words))
    }
}

#[derive(Default)]
pub(super) struct Arguments {
    sources: Vec<Arc<Source>>,
    /// Single settings; of those that are set twice, the last.
    pub(super) sets: Vec<Change>,
    /// Settings that count where the system has them.
    pub(super) where_declared: Vec<Change>,
    /// What is varied: the key, and where its values start.
    pub(super) vary: Vec<(Vec<Key>, Place)>,
    pub(super) seeds: Vec<Change>,
    errors: Vec<SettingsError>,
}

impl Arguments {
    fn new(changes: &Changes) -> Self {
        let mut arguments = Self::default();
        for text in &changes.set {
            let source = arguments.source(SET, text);
            if let Some(change) = arguments.accept(Change::argument(&source)) {
                change.put(&mut arguments.sets);
            }
        }
        for text in &changes.where_declared {
            let source = arguments.source(SET, text);
            let change = arguments.accept(Change::argument(&source));
            arguments.where_declared.extend(change);
        }
        for text in &changes.vary {
            let source = arguments.source("--vary", text);
            if let Some((path, start)) = arguments.accept(split(&source, VARY_FORM)) {
                arguments.vary.push((path, source.place(start..text.len())));
            }
        }
        if let Some(text) = &changes.seeds {
            let source = arguments.source("--seeds", text);
            arguments.seeds = arguments.accept(seeds(&source)).unwrap_or_default();
        }
        arguments
    }

    fn accept<T>(&mut self, result: Checked<T>) -> Option<T> {
        result.map_err(|error| self.errors.push(error)).ok()
    }

    fn source(&mut self, flag: &str, text: &str) -> Arc<Source> {
        let source = Source::argument(flag, text);
        self.sources.push(Arc::clone(&source));
        source
    }
}

/// `6`, or `3..8` with both ends.
fn seeds(source: &Arc<Source>) -> Checked<Vec<Change>> {
    let text = source.text();
    let place = source.place(0..text.len());
    let wrong = |message: String| SettingsError::text(message, place.clone());
    let malformed = || {
        wrong(format!(
            "`{}` says no seeds: 6 stands for six of them, from the file's seed on, 3..8 for 3 to 8",
            text.trim()
        ))
    };
    let change = |name: &str, value: i64| {
        let origin = Origin::from(place.clone());
        let path = vec![Key { name: name.to_owned(), origin: origin.clone() }];
        Change { path, value: GivenValue { value: Input::Integer(value), origin } }
    };
    let number = |text: &str| text.trim().parse::<i64>().map_err(|_| malformed());
    let Some((first, last)) = text.split_once("..") else {
        return Ok(vec![change("seeds", number(text)?)]);
    };
    let (first, last) = (number(first)?, number(last)?);
    if last < first {
        return Err(wrong(format!("the seeds end at {last}, before they start at {first}")));
    }
    let count = last.checked_sub(first).and_then(|more| more.checked_add(1)).unwrap_or(i64::MAX);
    Ok(vec![change("seed", first), change("seeds", count)])
}

const LISTED: usize = 15;

/// Adds what helps to an error about a name or a word.
fn help(error: &mut SettingsError, schema: Option<&SystemSchema>) {
    if error.help.is_some() {
        return;
    }
    error.help = match &*error.problem {
        Problem::Unknown { what, found, section, known } => {
            Some(other_name(what, found, section, known, schema))
        }
        Problem::Unfit { found, known, .. } => {
            let word = found.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
            let near = word.and_then(|word| nearest(word, known));
            near.map(|near| format!("did you mean \"{near}\"?"))
        }
        _ => None,
    };
}

fn other_name(
    what: &str,
    found: &str,
    section: &str,
    known: &[String],
    schema: Option<&SystemSchema>,
) -> String {
    let mut sentences = Vec::new();
    if what == "setting"
        && let Some(home) = home_of(found, section, schema)
    {
        return format!("`{found}` is a setting of {home}");
    }
    if let Some(near) = nearest(found, known) {
        sentences.push(format!("did you mean `{near}`?"));
    }
    if known.len() <= LISTED {
        let place = if section.is_empty() { String::new() } else { format!(" in [{section}]") };
        sentences.push(format!("known{place}: {}", known.join(", ")));
    } else if let Some(schema) = schema {
        sentences.push(format!("`saddlescope schema {}` lists all", schema.name));
    }
    sentences.join(" ")
}

/// The section, other than `section`, that has a setting of that name.
fn home_of(name: &str, section: &str, schema: Option<&SystemSchema>) -> Option<String> {
    let own = schema.map(|schema| [("system", &schema.system), ("start", &schema.start)]);
    let shared = [
        ("", &EXPERIMENT),
        ("", &PLAN),
        ("dynamics", &DYNAMICS),
        ("record", &RECORD),
        ("evaluate", &EVALUATE),
        ("figure", &FIGURE),
        ("figure.panel", &PANEL),
        ("fit", &FIT),
    ];
    let here = section.trim_end_matches(|c: char| c == '.' || c.is_ascii_digit());
    let mut all = own.into_iter().flatten().chain(shared);
    let (home, _) = all.find(|(label, home)| *label != here && home.declares(name))?;
    Some(match home {
        "" => "the top of the file".to_owned(),
        "figure.panel" | "fit" | "evaluate" => format!("each [[{home}]]"),
        // Where sections are laid over those of the file, keys have dots.
        home if ["arm", "paper", "vary"].contains(&here) => {
            format!("[{home}]: write {home}.{name}")
        }
        home => format!("[{home}]"),
    })
}
