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

use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::{Checkpoint, Checkpoints};
use crate::error::Result;
use crate::log_file::{self, cannot_read, wrong};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    loss: Option<LogName>,
    files: Option<String>,
    #[serde(default)]
    checkpoint: Vec<Checkpoint>,
}

#[derive(Deserialize)]
#[serde(
    untagged,
    deny_unknown_fields,
    expecting = "`loss` is no name of a log, nor a table with its `file` and maybe its columns `time` and `loss` \
                 (numbers stand in `[[checkpoint]]`)"
)]
enum LogName {
    File(PathBuf),
    Columns { file: PathBuf, time: Option<String>, loss: Option<String> },
}

/// What a list names; the tensors are not known yet.
pub(super) fn read(path: &Path, time: Option<&str>, loss: Option<&str>) -> Result<Checkpoints> {
    let text = fs::read_to_string(path).map_err(cannot_read(path))?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let list: List = toml::from_str(&text).map_err(|error| wrong(path, error))?;
    let (mut all, mut notes) = (list.checkpoint, Vec::new());
    for (index, one) in all.iter_mut().enumerate() {
        if let Some(number) =
            [Some(one.step), one.loss].into_iter().flatten().find(|n| !n.is_finite())
        {
            let place = index + 1;
            return Err(wrong(
                path,
                format!("checkpoint {place} has {number}, expected finite numbers"),
            ));
        }
        one.file = folder.join(&one.file);
    }
    if let Some(pattern) = &list.files {
        all.extend(matching(path, folder, pattern, &mut notes)?);
    }
    if all.is_empty() {
        return Err(wrong(
            path,
            "it names no checkpoints: expected `files = \"step-*.safetensors\"` or \
             `[[checkpoint]]` with `step` and `file`",
        ));
    }
    all.sort_by(|a, b| a.step.total_cmp(&b.step));
    if let Some([a, b]) = all.array_windows().find(|[a, b]| a.step == b.step) {
        let (step, a, b) = (a.step, a.file.display(), b.file.display());
        return Err(wrong(path, format!("two checkpoints are of step {step}: {a} and {b}")));
    }
    let read = |file: &Path, own: [Option<&str>; 2]| {
        log_file::read(&folder.join(file), time.or(own[0]), loss.or(own[1]))
    };
    let log = list.loss.map(|name| match name {
        LogName::File(file) => read(&file, [None, None]),
        LogName::Columns { file, time, loss } => read(&file, [time.as_deref(), loss.as_deref()]),
    });
    let (path, log) = (path.to_owned(), log.transpose()?);
    Ok(Checkpoints { path, all, log, tensors: Vec::new(), notes })
}

/// The files whose names fit a pattern with one star, which stands for the step.
fn matching(
    path: &Path,
    beside: &Path,
    pattern: &str,
    notes: &mut Vec<String>,
) -> Result<Vec<Checkpoint>> {
    let wrong = |why: &str| wrong(path, format!("`files` is \"{pattern}\", {why}"));
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
    let folder = if absolute { PathBuf::from("/") } else { beside.join(above) };
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
