//! Trajectories of other people's checkpoints: safetensors files with their steps, and what moved in
//! them at the jumps of the loss.
//!
//! However large the files are, they are read in small pieces, two or three files at a time.

mod manifest;
mod tensors;

use std::path::{Path, PathBuf};

use saddlescope::analysis::stages::moved::Movement;
use saddlescope::analysis::stages::{Plateau, Settings, Stages, detect};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::error::Result;
use crate::log_file::{Log, wrong};
use crate::staircase::Staircase;
use tensors::TensorFile;

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
    let mut found = manifest::read(path, time, loss)?;
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
    pub fn staircase(&self, settings: &Settings) -> Result<(Staircase, Vec<String>)> {
        let (times, values) = self.loss();
        if times.is_empty() {
            return Err(wrong(
                &self.path,
                "no loss is known: name a log (`loss = \"log.csv\"`), or give every checkpoint its `loss`",
            ));
        }
        let stages = detect(&times, &values, settings).map_err(|error| wrong(&self.path, error))?;
        let mut notes = Vec::new();
        let moved = self.moved(&stages, &mut notes)?;
        let mut found = Staircase::of_series(stages, *settings);
        found.moved = moved;
        Ok((found, notes))
    }

    /// For each jump the tensors, the farthest first: how far they are from the last checkpoint on the
    /// plateau before it to the first on the plateau behind it.
    fn moved(&self, stages: &Stages, notes: &mut Vec<String>) -> Result<Vec<Vec<Movement>>> {
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
        let across = |pair: &[Plateau]| {
            let before = self.all.iter().rev().find(|one| within(&pair[0], one));
            let behind = self.all.iter().find(|one| within(&pair[1], one));
            let (Some(before), Some(behind)) = (before, behind) else {
                return Ok(Vec::new());
            };
            self.change(before, behind)
        };
        stages.plateaus.windows(2).map(across).collect()
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

#[cfg(test)]
mod tests;
