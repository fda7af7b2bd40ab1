//! Trajectories of other people's checkpoints: safetensors files with their steps, and what moved in
//! them at the jumps of the loss.
//!
//! However large the files are, they are read in small pieces, two or three files at a time.

mod tensors;

use saddlescope::analysis::stages::moved::Movement;
use saddlescope::analysis::stages::{Plateau, Settings, detect};
use serde_json::Value;
use tensors::TensorFile;

use crate::log_file::{self, Log, wrong};
use crate::prelude::*;

pub use tensors::Tensor;

/// The family of all tensors of a file: shares are among all of them.
const ALL: &str = "*";

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Checkpoint {
    /// The step, or the time in any other unit that the loss is logged in.
    pub step: f64,
    pub file: PathBuf,
    pub loss: Option<f64>,
}

/// Checkpoints in the order of their steps, all with the same tensors.
#[derive(Debug, Clone, PartialEq)]
pub struct Checkpoints {
    pub path: PathBuf,
    pub all: Vec<Checkpoint>,
    pub log: Option<Log>,
    pub tensors: Vec<Tensor>,
    /// What a reader should know: files and tensors that are left out.
    pub notes: Vec<String>,
}

/// Euclidean lengths of a tensor, over checkpoints.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Lengths {
    #[serde(flatten)]
    pub tensor: Tensor,
    pub norm: Vec<f64>,
    /// Of its difference from the first checkpoint.
    pub from_start: Vec<f64>,
    /// Of its difference from the checkpoint before; zero for the first.
    pub from_before: Vec<f64>,
}

/// Reads a list of checkpoints and the headers of their files. `time` and `loss` name columns of the
/// log, where the list does not.
pub fn read(path: &Path, time: Option<&str>, loss: Option<&str>) -> Result<Checkpoints> {
    let mut found = named(path, time, loss)?;
    let first = &found.all[0].file;
    let opened = TensorFile::open(first)?;
    found.notes.extend(opened.left_out());
    found.tensors = opened.tensors();
    for checkpoint in &found.all[1..] {
        TensorFile::open(&checkpoint.file)?.check_against(first, &found.tensors)?;
    }
    Ok(found)
}

impl Checkpoints {
    /// The loss over steps: the log's, or that of the checkpoints which say it.
    pub fn loss(&self) -> (Vec<f64>, Vec<f64>) {
        match &self.log {
            Some(log) => (log.times.clone(), log.values.clone()),
            None => self.all.iter().filter_map(|one| Some((one.step, one.loss?))).unzip(),
        }
    }

    pub fn lengths(&self) -> Result<Vec<Lengths>> {
        let empty = |tensor: &Tensor| {
            let (norm, from_start, from_before) = (Vec::new(), Vec::new(), Vec::new());
            Lengths { tensor: tensor.clone(), norm, from_start, from_before }
        };
        let mut all: Vec<Lengths> = self.tensors.iter().map(empty).collect();
        for (index, one) in self.all.iter().enumerate() {
            let mut this = TensorFile::open(&one.file)?;
            let mut start = TensorFile::open(&self.all[0].file)?;
            let mut before = TensorFile::open(&self.all[index.saturating_sub(1)].file)?;
            for lengths in &mut all {
                let [norm, from_start, from_before] =
                    tensors::lengths(&lengths.tensor.name, &mut this, [&mut start, &mut before])?;
                lengths.norm.push(norm);
                lengths.from_start.push(from_start);
                lengths.from_before.push(from_before);
            }
        }
        Ok(all)
    }

    /// The stages of the loss with the tensors that moved at each jump, and what is not known about them.
    pub fn stages(&self, settings: &Settings) -> Result<(Stages, Vec<String>)> {
        let (times, values) = self.loss();
        if times.is_empty() {
            return Err(wrong(
                &self.path,
                "no loss is known: name a log (`loss = \"log.csv\"`), or give every checkpoint its `loss`",
            ));
        }
        let stages = detect(&times, &values, settings);
        let mut stages = stages.map_err(|error| wrong(&self.path, error))?;
        let notes = self.note_moved(&mut stages)?;
        Ok((stages, notes))
    }

    /// Notes at each jump the tensors, the farthest first: how far they are from the last checkpoint on the
    /// plateau before it to the first on the plateau behind it. Says where that is not known.
    fn note_moved(&self, stages: &mut Stages) -> Result<Vec<String>> {
        let mut notes = Vec::new();
        let within =
            |plateau: &Plateau, one: &Checkpoint| (plateau.from..=plateau.to).contains(&one.step);
        for (index, plateau) in stages.plateaus.iter().enumerate() {
            if !self.all.iter().any(|one| within(plateau, one)) {
                notes.push(format!(
                    "no checkpoint lies on plateau {}: what moved at the jumps beside it is not known",
                    index + 1
                ));
            }
        }
        for (one, [a, b]) in stages.transitions.iter_mut().zip(stages.plateaus.array_windows()) {
            let before = self.all.iter().rev().find(|checkpoint| within(a, checkpoint));
            let behind = self.all.iter().find(|checkpoint| within(b, checkpoint));
            if let (Some(before), Some(behind)) = (before, behind) {
                one.moved = self.change(before, behind)?;
            }
        }
        Ok(notes)
    }

    fn change(&self, a: &Checkpoint, b: &Checkpoint) -> Result<Vec<Movement>> {
        let (mut a, mut b) = (TensorFile::open(&a.file)?, TensorFile::open(&b.file)?);
        let mut all = Vec::with_capacity(self.tensors.len());
        for tensor in &self.tensors {
            let [_, change] = tensors::lengths(&tensor.name, &mut b, [&mut a])?;
            all.push(Movement {
                name: tensor.name.clone(),
                family: ALL.to_owned(),
                change,
                share: 0.0,
            });
        }
        let total: f64 = all.iter().map(|one| one.change).sum();
        for one in &mut all {
            one.share = if total > 0.0 { one.change / total } else { 0.0 };
        }
        all.sort_by(|a, b| b.change.total_cmp(&a.change));
        Ok(all)
    }

    pub fn json(&self) -> Result<Value> {
        Ok(json!({
            "steps": self.all.iter().map(|one| one.step).collect::<Vec<_>>(),
            "files": self.all.iter().map(|one| one.file.display().to_string()).collect::<Vec<_>>(),
            "tensors": self.lengths()?,
        }))
    }
}

// Lists of checkpoints: a TOML file that names them one by one, or by a pattern.
//
// ```toml
// loss = "log.csv"                    # a log in any format, or { file = "...", time = "...", loss = "..." }
// files = "step-*.safetensors"        # the star is the step
//
// [[checkpoint]]                      # one by one, instead or beside
// step = 0
// file = "start.safetensors"
// loss = 2.31                         # where no log is named
// ```

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
fn named(path: &Path, time: Option<&str>, loss: Option<&str>) -> Result<Checkpoints> {
    let text = fs::read_to_string(path).map_err(Error::io("read", path))?;
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
    for entry in fs::read_dir(here).map_err(Error::io("read", here))? {
        names.push(entry.map_err(Error::io("read", here))?.file_name());
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

#[cfg(test)]
mod tests;
