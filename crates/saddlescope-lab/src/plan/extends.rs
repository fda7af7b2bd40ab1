//! A file with those that it extends, each read from its text.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use saddlescope_spec::settings::{GivenValue, Input, Origin, SettingsError, Source};

use super::{contents, text};
use crate::experiment::parse::{Table, parse};
use crate::experiment::reader::take;
use crate::nearest::question;
use crate::registry::Registry;

pub(super) struct Files {
    /// The file itself, then the one that it extends, and so on.
    pub(super) sources: Vec<Arc<Source>>,
    /// What they hold: the last one that is extended first, the file itself last.
    pub(super) tables: Vec<Table>,
    pub(super) errors: Vec<SettingsError>,
    /// Whether the tables may lack what the files hold, so that looking for errors in them is idle.
    pub(super) broken: bool,
}

/// What tells files apart, however they are named.
#[derive(PartialEq)]
enum Identity {
    Shipped(String),
    File(PathBuf),
}

impl Identity {
    fn of(name: &str, registry: &Registry) -> Self {
        match registry.experiment(name) {
            Some(shipped) => Self::Shipped(shipped.name.to_owned()),
            None => Self::File(Path::new(name).canonicalize().unwrap_or_else(|_| name.into())),
        }
    }
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
        let mut seen = vec![Identity::of(name, registry)];
        while let Some(source) = next.take() {
            let mut parsed = parse(&source);
            let extends = take(&mut parsed.table, "extends");
            files.tables.push(parsed.table);
            files.errors.append(&mut parsed.errors);
            files.broken |= parsed.broken;
            let Some((_, extends)) = extends else { break };
            match files.base(&source, &extends, &mut seen, registry) {
                Ok(base) => {
                    files.sources.push(Arc::clone(&base));
                    next = Some(base);
                }
                Err(error) => {
                    files.errors.push(*error);
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
        seen: &mut Vec<Identity>,
        registry: &Registry,
    ) -> Result<Arc<Source>, Box<SettingsError>> {
        let wrong = |text: String| Box::new(SettingsError::text(text, extends.origin.clone()));
        let Input::Text(name) = &extends.value else {
            let wanted = "the name of a shipped experiment, or the path of a file";
            let error =
                SettingsError::unfit("extends", &extends.value, wanted, extends.origin.clone());
            return Err(Box::new(error));
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
        let identity = Identity::of(&base, registry);
        if seen.contains(&identity) {
            let names = self.sources.iter().map(|source| source.name()).chain([base.as_str()]);
            let text = format!(
                "experiments cannot extend each other in a circle: {}",
                names.collect::<Vec<_>>().join(" extends ")
            );
            return Err(wrong(text));
        }
        seen.push(identity);
        let words = match shipped {
            Some(shipped) => shipped.text.to_owned(),
            None => contents(&path, &base)
                .and_then(|bytes| text(&base, bytes))
                .map_err(|error| wrong(error.to_string()))?,
        };
        Ok(Source::file(base, words))
    }
}
