//! `run`: an experiment, its summary and its numbers.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use saddlescope_lab::experiment::Experiment;
use saddlescope_lab::nearest::nearest;
use saddlescope_lab::report;
use saddlescope_lab::run::{Finished, Run, RunError};
use saddlescope_lab::shipped::EXPERIMENTS;
use saddlescope_systems::SYSTEMS;

use super::system;
use crate::progress::Progress;
use crate::{Failure, RunArgs, Verdict, print};

pub(crate) fn run(args: &RunArgs) -> Result<Verdict, Failure> {
    let experiment = read(&args.experiment, &args.overrides)?;
    let out = args.out.as_deref().map(|path| Output::new(path, args.force)).transpose()?;
    let run = Run::new(&experiment, system(experiment.schema.name)?)
        .map_err(|error| Failure::Input(error.into()))?;
    if !args.json {
        print(&heading(&experiment, &run));
    }
    let progress = Progress::new();
    let finished = run
        .execute(|glimpse, steps| progress.show(glimpse, steps))
        .map_err(|error| Failure::Computation(RunError::from(error).into()))?;
    progress.finish();

    let json = || {
        let value = report::json(&experiment, &finished, &run.theory());
        serde_json::to_string_pretty(&value).unwrap_or_default() + "\n"
    };
    if args.json {
        print(&json());
    } else {
        print(&format!(
            "{}\n{}",
            report::trajectory_table(&finished.trajectory, args.rows),
            report::summary(&experiment, &finished, &run.theory())
        ));
        note_rows(&finished, args.rows);
    }
    if let Some(out) = out {
        let text = if out.is_json { json() } else { report::csv(&finished.trajectory) };
        let path = out.write(&text)?;
        if !args.json {
            print(&format!("written to {}\n", path.display()));
        }
    }
    Ok(Verdict::Done)
}

fn note_rows(finished: &Finished, rows: usize) {
    let all = finished.trajectory.rows();
    if rows != 0 && rows < all {
        print(&format!(
            "showed {rows} of {all} rows; --rows 0 shows all, --out FILE.csv keeps them\n"
        ));
    }
}

fn heading(experiment: &Experiment, run: &Run) -> String {
    let name = experiment.name().unwrap_or(experiment.schema.name);
    let about = experiment.about().map_or_else(String::new, |about| format!(": {about}"));
    format!(
        "{name}{about}\nsystem {}, {} parameters, seed {}\n\n",
        experiment.schema.name,
        run.parameters(),
        experiment.seed()
    )
}

/// Reads a shipped experiment by its name, or a file.
fn read(name: &str, overrides: &[String]) -> Result<Experiment, Failure> {
    let schemas: Vec<_> = SYSTEMS.iter().map(|system| system.schema()).collect();
    if let Some(shipped) = EXPERIMENTS.iter().find(|shipped| shipped.name == name) {
        return Experiment::from_text(name, shipped.text, overrides, &schemas)
            .map_err(|error| Failure::Input(error.into()));
    }
    let path = Path::new(name);
    if !path.exists() {
        let names: Vec<&str> = EXPERIMENTS.iter().map(|shipped| shipped.name).collect();
        let hint = nearest(name, &names)
            .map_or_else(String::new, |near| format!("; did you mean the experiment `{near}`?"));
        return Err(Failure::Input(anyhow!(
            "there is no file and no experiment `{name}`{hint}\n`saddlescope list` shows the \
             experiments that ship with the program"
        )));
    }
    Experiment::read(path, overrides, &schemas).map_err(|error| Failure::Input(error.into()))
}

/// A file to be written at the end of a run. That it can be written is found out at the start.
struct Output {
    path: PathBuf,
    part: PathBuf,
    is_json: bool,
}

impl Output {
    fn new(path: &Path, force: bool) -> Result<Self, Failure> {
        let is_json = match path.extension().and_then(|extension| extension.to_str()) {
            Some("json") => true,
            Some("csv") => false,
            _ => {
                return Err(Failure::Input(anyhow!(
                    "--out {}: expected a name that ends in .csv or .json",
                    path.display()
                )));
            }
        };
        if path.exists() && !force {
            return Err(Failure::Input(anyhow!(
                "{} exists; --force writes over it",
                path.display()
            )));
        }
        let mut part = path.as_os_str().to_owned();
        part.push(".part");
        let part = PathBuf::from(part);
        File::create(&part)
            .with_context(|| format!("cannot write to {}", path.display()))
            .map_err(Failure::Input)?;
        Ok(Self { path: path.to_owned(), part, is_json })
    }

    /// Writes beside the target and renames, so that the target is never half written.
    fn write(&self, text: &str) -> Result<&Path, Failure> {
        let write = || -> std::io::Result<()> {
            let mut file = File::create(&self.part)?;
            file.write_all(text.as_bytes())?;
            file.sync_all()?;
            fs::rename(&self.part, &self.path)
        };
        write()
            .with_context(|| format!("cannot write to {}", self.path.display()))
            .map_err(Failure::Computation)?;
        Ok(&self.path)
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        // Nothing to do about a failure here: the name says what the file is.
        let _ = fs::remove_file(&self.part);
    }
}
