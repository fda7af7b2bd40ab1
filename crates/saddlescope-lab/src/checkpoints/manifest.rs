//! Lists of checkpoints: a TOML file that names them one by one, or by a pattern.
//!
//! ```toml
//! loss = "log.csv"                    # a log in any format, or { file = "...", time = "...", loss = "..." }
//! files = "step-*.safetensors"        # the star is the step
//!
//! [[checkpoint]]                      # one by one, instead or beside
//! step = 0
//! file = "start.safetensors"
//! loss = 2.31                         # where no log is named
//! ```

use std::fmt::Display;
use std::fs;
use std::path::{Path, PathBuf};

use toml::{Table, Value};

use super::Checkpoint;
use crate::error::{Error, Result};
use crate::log_file::{self, Log, cannot_read};
use crate::nearest::hint;

pub(super) struct Manifest {
    pub(super) all: Vec<Checkpoint>,
    pub(super) log: Option<Log>,
    pub(super) notes: Vec<String>,
}

pub(super) fn read(path: &Path, time: Option<&str>, loss: Option<&str>) -> Result<Manifest> {
    let text = fs::read_to_string(path).map_err(cannot_read(path))?;
    let list = List { path, folder: path.parent().unwrap_or(Path::new("")) };
    let table: Table = text.parse().map_err(|error| list.wrong(format!("{error}")))?;
    list.known(&table, &["loss", "files", "checkpoint"], "")?;
    let mut notes = Vec::new();
    let mut all = Vec::new();
    for (index, value) in list.listed(&table)?.iter().enumerate() {
        all.push(list.one(index + 1, value)?);
    }
    if let Some(pattern) = table.get("files") {
        all.extend(list.matching(list.text(pattern, "files")?, &mut notes)?);
    }
    if all.is_empty() {
        return Err(list.wrong(
            "it names no checkpoints: expected `files = \"step-*.safetensors\"` or \
             `[[checkpoint]]` with `step` and `file`",
        ));
    }
    all.sort_by(|a, b| a.step.total_cmp(&b.step));
    if let Some(pair) = all.windows(2).find(|pair| pair[0].step == pair[1].step) {
        let files = [&pair[0], &pair[1]].map(|one| one.file.display());
        return Err(list.wrong(format!(
            "two checkpoints are of step {}: {} and {}",
            pair[0].step, files[0], files[1]
        )));
    }
    let log = match table.get("loss") {
        None => None,
        Some(value) => Some(list.log(value, time, loss)?),
    };
    Ok(Manifest { all, log, notes })
}

struct List<'a> {
    path: &'a Path,
    folder: &'a Path,
}

impl List<'_> {
    fn wrong(&self, why: impl Display) -> Error {
        Error::input(format!("{}: {why}", self.path.display()))
    }

    fn known(&self, table: &Table, keys: &[&str], of: &str) -> Result<()> {
        match table.keys().find(|key| !keys.contains(&key.as_str())) {
            None => Ok(()),
            Some(key) => {
                let (hint, keys) = (hint(key, keys), keys.join(", "));
                Err(self.wrong(format!("{of}there is no key `{key}`{hint}; the keys are {keys}")))
            }
        }
    }

    fn text<'v>(&self, value: &'v Value, key: &str) -> Result<&'v str> {
        value.as_str().ok_or_else(|| self.wrong(format!("`{key}` is {value}, expected text")))
    }

    fn listed<'v>(&self, table: &'v Table) -> Result<&'v [Value]> {
        match table.get("checkpoint") {
            None => Ok(&[]),
            Some(Value::Array(list)) => Ok(list),
            Some(_) => Err(self.wrong("`checkpoint` is no list; expected `[[checkpoint]]`")),
        }
    }

    fn one(&self, place: usize, value: &Value) -> Result<Checkpoint> {
        let of = format!("checkpoint {place}: ");
        let wrong = |why: String| self.wrong(format!("{of}{why}"));
        let Value::Table(table) = value else {
            return Err(wrong(format!("{value} is no table")));
        };
        self.known(table, &["step", "file", "loss"], &of)?;
        let number = |key: &str| match table.get(key) {
            None => Ok(None),
            Some(value) => real(value)
                .map(Some)
                .ok_or_else(|| wrong(format!("`{key}` is {value}, expected a finite number"))),
        };
        let step = number("step")?.ok_or_else(|| wrong("it has no `step`".to_owned()))?;
        let file = table.get("file").ok_or_else(|| wrong("it has no `file`".to_owned()))?;
        let file = self.folder.join(self.text(file, "file")?);
        Ok(Checkpoint { step, file, loss: number("loss")? })
    }

    /// The files whose names fit a pattern with one star, which stands for the step.
    fn matching(&self, pattern: &str, notes: &mut Vec<String>) -> Result<Vec<Checkpoint>> {
        let wrong = |why: &str| self.wrong(format!("`files` is \"{pattern}\", {why}"));
        let Some((before, behind)) = pattern.split_once('*') else {
            return Err(wrong("expected a star where the step stands"));
        };
        if behind.contains('*') {
            return Err(wrong("expected one star only"));
        }
        // The star may stand in the name of a folder: `checkpoint-*/model.safetensors`.
        let (above, first) = before.rsplit_once('/').unwrap_or(("", before));
        let (last, below) = behind.split_once('/').unwrap_or((behind, ""));
        let absolute = before.starts_with('/') && above.is_empty();
        let folder = if absolute { PathBuf::from("/") } else { self.folder.join(above) };
        let here = if folder.as_os_str().is_empty() { Path::new(".") } else { &folder };
        let mut found = Vec::new();
        let mut names = Vec::new();
        for entry in fs::read_dir(here).map_err(cannot_read(here))? {
            names.push(entry.map_err(cannot_read(here))?.file_name());
        }
        names.sort();
        for name in names {
            let text = name.to_string_lossy();
            let inner = text.strip_prefix(first).and_then(|rest| rest.strip_suffix(last));
            let Some(inner) = inner else { continue };
            let mut file = folder.join(&name);
            if !below.is_empty() {
                file.push(below);
            }
            if !file.is_file() {
                continue;
            }
            let digits = !inner.is_empty() && inner.bytes().all(|byte| byte.is_ascii_digit());
            match inner.parse().ok().filter(|_| digits) {
                Some(step) => found.push(Checkpoint { step, file, loss: None }),
                None => notes.push(format!("{} is left out: `{inner}` is no step", file.display())),
            }
        }
        if found.is_empty() {
            return Err(wrong(&format!("but no file of {} fits it", here.display())));
        }
        Ok(found)
    }

    fn log(&self, value: &Value, time: Option<&str>, loss: Option<&str>) -> Result<Log> {
        let (file, own_time, own_loss) = match value {
            Value::String(file) => (file.as_str(), None, None),
            Value::Table(table) => {
                self.known(table, &["file", "time", "loss"], "`loss`: ")?;
                let file = table.get("file").ok_or_else(|| self.wrong("`loss` has no `file`"))?;
                let name =
                    |key: &str| table.get(key).map(|value| self.text(value, key)).transpose();
                (self.text(file, "file")?, name("time")?, name("loss")?)
            }
            _ => {
                return Err(self.wrong(format!(
                    "`loss` is {value}, expected the name of a log (numbers stand in `[[checkpoint]]`)"
                )));
            }
        };
        log_file::read(&self.folder.join(file), time.or(own_time), loss.or(own_loss))
    }
}

fn real(value: &Value) -> Option<f64> {
    let number = match value {
        Value::Integer(number) => *number as f64,
        Value::Float(number) => *number,
        _ => return None,
    };
    number.is_finite().then_some(number)
}
