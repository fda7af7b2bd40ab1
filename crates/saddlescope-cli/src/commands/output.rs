//! One file that is written at the end of a run.

use std::fs::{self, File};
use std::io::{ErrorKind, Write};

use crate::common::*;

/// A file to be written at the end. That it can be written is found out at the start.
pub(crate) struct Output {
    path: PathBuf,
    part: PathBuf,
}

impl Output {
    /// Whether a path asks for a file rather than a folder.
    pub(crate) fn is_file(path: &Path) -> Result<bool, Failure> {
        let Some(ending) = path.extension().and_then(|ending| ending.to_str()) else {
            return Ok(false);
        };
        if ending == "csv" || ending == "json" {
            return Ok(true);
        }
        // Somebody who writes x.parquet does not want a folder of that name.
        const OTHERS: [&str; 8] = ["parquet", "txt", "tsv", "toml", "svg", "png", "pdf", "npz"];
        if OTHERS.contains(&ending.to_lowercase().as_str()) && !path.is_dir() {
            return Err(Failure::input(format!(
                "--out {}: expected a folder, or a file that ends in .csv or .json",
                path.display()
            )));
        }
        Ok(false)
    }

    pub(crate) fn new(path: &Path, force: bool) -> Result<Self, Failure> {
        let input = |message: &str| Failure::input(format!("--out {}: {message}", path.display()));
        if path.is_dir() {
            return Err(input("this is a folder"));
        }
        if path.exists() && !force {
            return Err(input("the file exists; --force writes over it"));
        }
        let mut part = path.as_os_str().to_owned();
        part.push(".part");
        let part = PathBuf::from(part);
        File::create(&part).map_err(|error| {
            let why = match error.kind() {
                ErrorKind::NotFound => "there is no such folder".to_owned(),
                _ => error.to_string(),
            };
            Failure::input(format!("cannot write to {}: {why}", path.display()))
        })?;
        Ok(Self { path: path.to_owned(), part })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn is_json(&self) -> bool {
        self.path.extension().is_some_and(|ending| ending == "json")
    }

    pub(crate) fn write(&self, text: &str) -> Result<(), Failure> {
        self.write_to(text, &self.path)
    }

    /// Writes the numbers of a run that failed where nobody takes them for the whole: `t.failed.csv`
    /// for `t.csv`. What an earlier failure left there is written over.
    pub(crate) fn write_failed(&self, text: &str) -> Result<PathBuf, Failure> {
        let ending = if self.is_json() { "failed.json" } else { "failed.csv" };
        let path = self.path.with_extension(ending);
        self.write_to(text, &path)?;
        Ok(path)
    }

    /// Writes beside `path` and renames, so that it is never half written.
    fn write_to(&self, text: &str, path: &Path) -> Result<(), Failure> {
        let write = || -> std::io::Result<()> {
            let mut file = File::create(&self.part)?;
            file.write_all(text.as_bytes())?;
            file.sync_all()?;
            fs::rename(&self.part, path)
        };
        write().map_err(|error| {
            Failure::computation(format!("cannot write to {}: {error}", path.display()))
        })
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        // Nothing to do about a failure here: the name says what the file is.
        let _ = fs::remove_file(&self.part);
    }
}
