//! What lies in the folder of runs, told in a few words each, from a memory that files which have not changed are not read for again.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use saddlescope_lab::plan::{Changes, Plan};
use saddlescope_lab::registry::Registry;
use saddlescope_lab::store::{self, Glance, State};
use saddlescope_lab::sweep::Folder;
use serde_json::{Value, json};

use super::place::is_own_file;

/// A sweep adds a part every few seconds; one that has not for so long is taken to be interrupted.
const SWEEP_BREATH: Duration = Duration::from_secs(60);
/// Most things that are remembered; beyond, all are forgotten and read again.
const MOST_REMEMBERED: usize = 200_000;

/// What a folder holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Run,
    Plan,
    Sweep,
}

impl Kind {
    /// What lies in a folder, if it is something of ours. A plan of one run is that run.
    pub(super) fn of(folder: &Path) -> Option<Self> {
        let has = |name: &str| folder.join(name).exists();
        let says = |name: &str| is_own_file(&folder.join(name));
        match () {
            () if says("run.toml") => Some(Self::Run),
            () if says("plan.toml") && has("runs") => Some(Self::Plan),
            // A file to sweep may be called so, too.
            () if says("sweep.toml") && (has("parts") || has("table.parquet")) => Some(Self::Sweep),
            () => None,
        }
    }

    fn word(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::Plan => "plan",
            Self::Sweep => "sweep",
        }
    }

    /// The file that says what it is.
    pub(super) fn file(self) -> &'static str {
        match self {
            Self::Run => "run.toml",
            Self::Plan => "plan.toml",
            Self::Sweep => "sweep.toml",
        }
    }
}

/// One run, plan or sweep in a few words.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) kind: Kind,
    pub(super) name: String,
    pub(super) system: String,
    pub(super) seed: Option<u64>,
    pub(super) state: &'static str,
    /// More about the state: why it failed, how much is done.
    pub(super) words: Option<String>,
    pub(super) hash: Option<String>,
    pub(super) seconds: Option<f64>,
    /// When it last changed, in seconds since 1970.
    pub(super) changed: f64,
    /// Members of a plan or sweep: those there should be.
    pub(super) members: Option<usize>,
    /// Those that are over.
    pub(super) over: Option<usize>,
    pub(super) figure: bool,
}

impl Entry {
    /// The entry as the page reads it.
    pub(super) fn json(&self, path: &str, of: Option<&str>) -> Value {
        json!({
            "path": path, "of": of, "kind": self.kind.word(), "name": self.name,
            "system": self.system, "seed": self.seed, "state": self.state, "words": self.words,
            "hash": self.hash, "seconds": self.seconds, "changed": self.changed,
            "members": self.members, "over": self.over, "figure": self.figure,
        })
    }

    /// An entry of which nothing is known but its place.
    fn blank(kind: Kind, folder: &Path) -> Self {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Self {
            kind,
            name,
            system: String::new(),
            seed: None,
            state: "damaged",
            words: None,
            hash: None,
            seconds: None,
            changed: 0.0,
            members: None,
            over: None,
            figure: false,
        }
    }
}

/// What was read of a file, as long as it is that file.
type FileCache<T> = Mutex<HashMap<PathBuf, (Stamp, T)>>;
type Stamp = (SystemTime, u64);

/// What has been seen of the folder so far.
#[derive(Default)]
pub(crate) struct RunCache {
    /// The systems that runs may be of.
    pub(super) registry: Registry,
    runs: FileCache<Result<Glance, String>>,
    plans: FileCache<Result<Entry, String>>,
}

impl RunCache {
    /// Nothing seen yet.
    pub(crate) fn new(registry: Registry) -> Self {
        Self { registry, ..Self::default() }
    }

    /// The run, plan or sweep in a folder.
    pub(super) fn entry(&self, kind: Kind, folder: &Path) -> Entry {
        let read = match kind {
            Kind::Run => self.run(folder),
            Kind::Plan => self.plan(folder),
            Kind::Sweep => self.sweep(folder),
        };
        let damaged = |words| Entry { words: Some(words), ..Entry::blank(kind, folder) };
        let mut entry = read.unwrap_or_else(damaged);
        entry.figure = is_own_file(&folder.join("figure.svg"));
        let own = stamp(&folder.join(kind.file())).map_or(0.0, |(time, _)| since_1970(time));
        entry.changed = entry.changed.max(own);
        entry
    }

    fn run(&self, folder: &Path) -> Result<Entry, String> {
        let glance = remembered(&self.runs, &folder.join("run.toml"), || {
            store::glance(folder).map_err(|error| without(folder, &error.to_string()))
        })?;
        let blank = Entry::blank(Kind::Run, folder);
        if let Some(name) = glance.files.iter().find(|name| !folder.join(name).is_file()) {
            let words = Some(format!("{name} is missing"));
            return Ok(Entry { system: glance.system, words, ..blank });
        }
        let (state, words) = match &glance.state {
            State::Finished => ("finished", None),
            State::Failed { error } => ("failed", Some(error.clone())),
            State::Running => {
                let legs = Some(format!("{} legs are done", glance.segments));
                (if store::is_busy(folder) { "running" } else { "interrupted" }, legs)
            }
        };
        let name = if glance.name.is_empty() { glance.system.clone() } else { glance.name };
        Ok(Entry {
            name,
            system: glance.system,
            seed: Some(glance.seed),
            state,
            words,
            hash: Some(glance.hash),
            seconds: Some(glance.seconds),
            ..blank
        })
    }

    /// What the file of a plan or a sweep asks for.
    fn asked(&self, kind: Kind, folder: &Path) -> Result<Entry, String> {
        let file = folder.join(kind.file());
        let read = || -> saddlescope_lab::error::Result<_> {
            if kind == Kind::Sweep {
                let sweep = Folder::sweep(folder, &self.registry)?;
                return Ok((sweep.len(), Some(sweep.hash.to_string()), sweep.plan));
            }
            let plan = Plan::read(&file, &Changes::default(), &self.registry)?;
            Ok((plan.members.len(), None, plan))
        };
        remembered(&self.plans, &file, || {
            let (members, hash, plan) =
                read().map_err(|error| without(folder, &error.to_string()))?;
            Ok(Entry {
                name: plan.name().unwrap_or(plan.system.name()).to_owned(),
                system: plan.system.name().to_owned(),
                members: Some(members),
                hash,
                ..Entry::blank(kind, folder)
            })
        })
    }

    fn plan(&self, folder: &Path) -> Result<Entry, String> {
        let asked = self.asked(Kind::Plan, folder)?;
        let members = self.members(folder);
        let count = |state: &str| members.iter().filter(|(_, entry)| entry.state == state).count();
        let state = ["running", "damaged", "failed", "interrupted"].into_iter();
        let state = state.filter(|state| count(state) > 0).chain(
            // A member that has not begun leaves no folder.
            (Some(members.len()) < asked.members).then_some("interrupted"),
        );
        let counts: Vec<String> = ["finished", "running", "interrupted", "failed", "damaged"]
            .into_iter()
            .filter(|state| count(state) > 0)
            .map(|state| format!("{} {state}", count(state)))
            .collect();
        Ok(Entry {
            state: state.into_iter().next().unwrap_or("finished"),
            words: Some(counts.join(", ")).filter(|words| !words.is_empty()),
            seconds: Some(members.iter().filter_map(|(_, entry)| entry.seconds).sum()),
            over: Some(count("finished") + count("failed")),
            changed: members.iter().map(|(_, entry)| entry.changed).fold(0.0, f64::max),
            ..asked
        })
    }

    fn sweep(&self, folder: &Path) -> Result<Entry, String> {
        let asked = self.asked(Kind::Sweep, folder)?;
        let members = asked.members.unwrap_or(0);
        let whole = is_own_file(&folder.join("table.parquet"));
        let parts = super::sweep::parts(folder);
        let changed = parts.iter().filter_map(|part| Some(stamp(&part.path)?.0)).max();
        let over = if whole { members } else { super::sweep::members_of(&parts) };
        let recent =
            changed.or_else(|| Some(stamp(&folder.join("sweep.toml"))?.0)).is_some_and(|time| {
                SystemTime::now().duration_since(time).unwrap_or_default() < SWEEP_BREATH
            });
        let state = match (whole, recent) {
            (true, _) => "finished",
            (false, true) => "running",
            (false, false) => "interrupted",
        };
        Ok(Entry {
            state,
            words: (!whole).then(|| format!("{over} of {members} members are over")),
            over: Some(over),
            changed: changed.map_or(0.0, since_1970),
            ..asked
        })
    }

    /// The runs of a plan that are there, by their names.
    pub(super) fn members(&self, folder: &Path) -> Vec<(String, Entry)> {
        let place = folder.join("runs");
        let runs = folders(&place)
            .into_iter()
            .filter(|name| is_own_file(&place.join(name).join("run.toml")));
        runs.map(|name| {
            let entry = self.entry(Kind::Run, &place.join(&name));
            (name, entry)
        })
        .collect()
    }
}

/// Names of folders in a folder that may be shown, in order.
pub(super) fn folders(path: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(path) else { return Vec::new() };
    let name = |entry: fs::DirEntry| entry.file_name().into_string().ok();
    // Links are not followed: they may lead out, or round in a circle.
    let own = entries.flatten().filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    let mut names: Vec<String> =
        own.filter_map(name).filter(|name| super::place::is_plain(name)).collect();
    names.sort();
    names
}

/// Words without the place of the folder on this machine, which concerns nobody.
pub(super) fn without(folder: &Path, words: &str) -> String {
    words
        .replace(&format!("{}/", folder.display()), "")
        .replace(&folder.display().to_string(), "it")
}

fn since_1970(time: SystemTime) -> f64 {
    time.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64()
}

fn stamp(path: &Path) -> Option<Stamp> {
    let data = fs::metadata(path).ok()?;
    Some((data.modified().ok()?, data.len()))
}

/// What `read` made of a file, read again only where the file has changed.
fn remembered<T: Clone>(
    memory: &FileCache<Result<T, String>>,
    file: &Path,
    read: impl FnOnce() -> Result<T, String>,
) -> Result<T, String> {
    let now = stamp(file).ok_or_else(|| "it is gone".to_owned())?;
    let lock = || memory.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((then, known)) = lock().get(file)
        && *then == now
    {
        return known.clone();
    }
    let known = read();
    let mut all = lock();
    if all.len() >= MOST_REMEMBERED {
        all.clear();
    }
    all.insert(file.to_owned(), (now, known.clone()));
    known
}
