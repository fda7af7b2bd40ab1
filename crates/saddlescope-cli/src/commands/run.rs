//! `run`: an experiment, its summary and its numbers.

use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use anyhow::anyhow;
use saddlescope_lab::experiment::Experiment;
use saddlescope_lab::nearest::nearest;
use saddlescope_lab::report;
use saddlescope_lab::run::{Finished, Run};
use saddlescope_lab::shipped::EXPERIMENTS;
use saddlescope_systems::SYSTEMS;
use terminal_size::{Width, terminal_size_of};

use super::system;
use crate::progress::Progress;
use crate::{Failure, RunArgs, Verdict, print};

pub(crate) fn run(args: &RunArgs) -> Result<Verdict, Failure> {
    let experiment = read(&args.experiment, &args.overrides)?;
    let out = args.out.as_deref().map(|path| Output::new(path, args.force)).transpose()?;
    let run = Run::new(&experiment, system(experiment.schema.name)?)
        .map_err(|error| Failure::Input(error.into()))?;
    if !args.json {
        print(&heading(args, &experiment, &run))?;
    }
    let progress = Progress::new();
    let finished = run.execute(|glimpse, steps| progress.show(glimpse, steps));
    progress.finish();

    let json = || {
        let value = report::json(&experiment, &finished, &run.theory());
        serde_json::to_string_pretty(&value).unwrap_or_default() + "\n"
    };
    if args.json {
        print(&json())?;
    } else {
        print_tables(args, &experiment, &finished, &run.theory())?;
    }
    if let Some(out) = out {
        let text = if out.is_json { json() } else { report::csv(&finished.trajectory) };
        if let Err(error) = &finished.outcome {
            let path = out.failed();
            out.write(&text, &path)?;
            return Err(Failure::Computation(anyhow!(
                "{error}\nthe run failed; what it had recorded is in {}",
                path.display()
            )));
        }
        out.write(&text, &out.path)?;
        if !args.json {
            print(&format!("written to {}\n", out.path.display()))?;
        }
    }
    match finished.outcome {
        Ok(_) => Ok(Verdict::Done),
        Err(error) => Err(Failure::Computation(error.into())),
    }
}

fn heading(args: &RunArgs, experiment: &Experiment, run: &Run) -> String {
    let name = experiment.name().unwrap_or(&args.experiment);
    let about = experiment.about().map_or_else(String::new, |about| format!(": {about}"));
    format!(
        "{name}{about}\nsystem {}, {} parameters, seed {}\n\n",
        experiment.schema.name,
        run.parameters(),
        experiment.seed()
    )
}

fn print_tables(
    args: &RunArgs,
    experiment: &Experiment,
    finished: &Finished,
    theory: &[f64],
) -> Result<(), Failure> {
    let width = terminal_size_of(std::io::stdout()).map_or(usize::MAX, |(Width(w), _)| w.into());
    let (table, hidden) = report::trajectory_table(&finished.trajectory, args.rows).fitted(width);
    print(&format!("{table}\n{}", report::summary(experiment, finished, theory)))?;
    let mut notes = Vec::new();
    let all = finished.trajectory.rows();
    if args.rows != 0 && args.rows < all {
        notes.push(format!("{} of {all} rows (--rows 0 shows all)", args.rows));
    }
    if hidden > 0 {
        notes.push(format!("all but {hidden} columns (a wider terminal shows more)"));
    }
    if notes.is_empty() {
        return Ok(());
    }
    print(&format!("the table shows {}; --out FILE.csv keeps everything\n", notes.join(", ")))
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
            "there is no file and no experiment `{name}`{hint}\n  help: `saddlescope list` shows the \
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
        if path.is_dir() {
            return Err(Failure::Input(anyhow!("--out {}: this is a folder", path.display())));
        }
        if path.exists() && !force {
            let message = "the file exists; --force writes over it";
            return Err(Failure::Input(anyhow!("--out {}: {message}", path.display())));
        }
        let mut part = path.as_os_str().to_owned();
        part.push(".part");
        let part = PathBuf::from(part);
        File::create(&part).map_err(|error| {
            let why = match error.kind() {
                ErrorKind::NotFound => "there is no such folder".to_owned(),
                _ => error.to_string(),
            };
            Failure::Input(anyhow!("cannot write to {}: {why}", path.display()))
        })?;
        Ok(Self { path: path.to_owned(), part, is_json })
    }

    /// Where the numbers of a run that failed go, so that nobody takes them for the whole:
    /// `t.failed.csv` for `t.csv`. What an earlier failure left there is written over.
    fn failed(&self) -> PathBuf {
        self.path.with_extension(if self.is_json { "failed.json" } else { "failed.csv" })
    }

    /// Writes beside `path` and renames, so that it is never half written.
    fn write(&self, text: &str, path: &Path) -> Result<(), Failure> {
        let write = || -> std::io::Result<()> {
            let mut file = File::create(&self.part)?;
            file.write_all(text.as_bytes())?;
            file.sync_all()?;
            fs::rename(&self.part, path)
        };
        write().map_err(|error| {
            Failure::Computation(anyhow!("cannot write to {}: {error}", path.display()))
        })
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        // Nothing to do about a failure here: the name says what the file is.
        let _ = fs::remove_file(&self.part);
    }
}
