//! What lies in the folder of runs, told in a few words each, from a memory that files which have not changed are not read for again.

use std::collections::HashMap;
use std::time::{SystemTime, UNIX_EPOCH};

use saddlescope_lab::error::Error;
use saddlescope_lab::store::{self, Glance, State};
use saddlescope_lab::sweep::Folder;

use super::place::is_own_file;
use crate::prelude::*;

/// A sweep adds a part every few seconds; one that has not for so long is taken to be interrupted.
const SWEEP_BREATH: Duration = Duration::from_secs(60);
/// Most things that are remembered; beyond, all are forgotten and read again.
const MOST_REMEMBERED: usize = 200_000;

/// What a folder holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum EntryKind {
    #[default]
    Run,
    Plan,
    Sweep,
}

impl EntryKind {
    /// What lies in a folder, if it is something of ours. A plan of one run is that run.
    pub(super) fn of(folder: &Path) -> Option<Self> {
        let has = |name: &str| folder.join(name).exists();
        let says = |kind: Self| is_own_file(&folder.join(kind.file()));
        match () {
            () if says(Self::Run) => Some(Self::Run),
            () if says(Self::Plan) && has("runs") => Some(Self::Plan),
            // A file to sweep may be called so, too.
            () if says(Self::Sweep) && (has("parts") || has("table.parquet")) => Some(Self::Sweep),
            () => None,
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

/// What the page lists.
#[derive(Serialize)]
pub(super) struct Listed<'a> {
    path: &'a str,
    /// The plan or sweep that a run belongs to.
    of: Option<&'a str>,
    #[serde(flatten)]
    entry: &'a Entry,
}

/// One run, plan or sweep in a few words.
#[derive(Debug, Clone, Default, Serialize)]
pub(super) struct Entry {
    kind: EntryKind,
    name: String,
    system: String,
    pub(super) seed: Option<u64>,
    pub(super) state: &'static str,
    /// More about the state: why it failed, how much is done.
    words: Option<String>,
    hash: Option<String>,
    pub(super) seconds: Option<f64>,
    /// When it last changed, in seconds since 1970.
    changed: f64,
    /// Members of a plan or sweep: those there should be.
    members: Option<usize>,
    /// Those that are over.
    over: Option<usize>,
    figure: bool,
}

impl Entry {
    /// The entry as the page reads it: at its path, and as a part of a plan or a sweep.
    pub(super) fn listed<'a>(&'a self, path: &'a str, of: Option<&'a str>) -> Listed<'a> {
        Listed { path, of, entry: self }
    }

    /// An entry of which nothing is known but its place.
    fn blank(kind: EntryKind, folder: &Path) -> Self {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Self { kind, name, state: "damaged", ..Self::default() }
    }
}

/// What was read of a file, as long as it is that file.
type FileCache<T> = Mutex<HashMap<PathBuf, (Stamp, T)>>;
pub(super) type Stamp = (SystemTime, u64);

/// What has been seen of the folder so far.
#[derive(Default)]
pub(crate) struct RunCache {
    /// The systems that runs may be of.
    pub(super) registry: Registry,
    runs: FileCache<Result<Glance, String>>,
    plans: FileCache<Result<Entry, String>>,
}

impl RunCache {
    pub(crate) fn new(registry: Registry) -> Self {
        Self { registry, ..Self::default() }
    }

    pub(super) fn entry(&self, kind: EntryKind, folder: &Path) -> Entry {
        let read = match kind {
            EntryKind::Run => self.run(folder),
            EntryKind::Plan => self.plan(folder),
            EntryKind::Sweep => self.sweep(folder),
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
            store::glance(folder).map_err(|error| without(folder, &error))
        })?;
        let blank = Entry::blank(EntryKind::Run, folder);
        if let Some(name) = glance.run.files.keys().find(|name| !folder.join(name).is_file()) {
            let words = Some(format!("{name} is missing"));
            return Ok(Entry { system: glance.system.name, words, ..blank });
        }
        let (state, words) = match &glance.run.state {
            State::Finished => ("finished", None),
            State::Failed { error } => ("failed", Some(error.clone())),
            State::Running => {
                let legs = Some(format!("{} legs are done", glance.run.segments));
                (if store::is_busy(folder) { "running" } else { "interrupted" }, legs)
            }
        };
        let name = if glance.name.is_empty() { glance.system.name.clone() } else { glance.name };
        Ok(Entry {
            name,
            system: glance.system.name,
            seed: Some(glance.seed),
            state,
            words,
            hash: Some(glance.run.hash.to_string()),
            seconds: Some(glance.run.seconds),
            ..blank
        })
    }

    /// What the file of a plan or a sweep asks for.
    fn asked(&self, kind: EntryKind, folder: &Path) -> Result<Entry, String> {
        let file = folder.join(kind.file());
        let read = || -> saddlescope_lab::error::Result<_> {
            if kind == EntryKind::Sweep {
                let sweep = Folder::sweep(folder, &self.registry)?;
                return Ok((sweep.plan.len(), Some(sweep.hash.to_string()), sweep.plan));
            }
            let plan = Plan::read(&file, &Changes::default(), &self.registry)?;
            Ok((plan.members.len(), None, plan))
        };
        remembered(&self.plans, &file, || {
            let (members, hash, plan) = read().map_err(|error| without(folder, &error))?;
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
        let asked = self.asked(EntryKind::Plan, folder)?;
        let members = self.members(folder);
        let count = |state: &str| members.iter().filter(|(_, entry)| entry.state == state).count();
        let mut worst = ["running", "damaged", "failed", "interrupted"].into_iter();
        // A member that has not begun leaves no folder.
        let is_short = Some(members.len()) < asked.members;
        let usual = if is_short { "interrupted" } else { "finished" };
        let counts: Vec<String> = ["finished", "running", "interrupted", "failed", "damaged"]
            .into_iter()
            .filter(|state| count(state) > 0)
            .map(|state| format!("{} {state}", count(state)))
            .collect();
        Ok(Entry {
            state: worst.find(|state| count(state) > 0).unwrap_or(usual),
            words: Some(counts.join(", ")).filter(|words| !words.is_empty()),
            seconds: Some(members.iter().filter_map(|(_, entry)| entry.seconds).sum()),
            over: Some(count("finished") + count("failed")),
            changed: members.iter().map(|(_, entry)| entry.changed).fold(0.0, f64::max),
            ..asked
        })
    }

    fn sweep(&self, folder: &Path) -> Result<Entry, String> {
        let asked = self.asked(EntryKind::Sweep, folder)?;
        let members = asked.members.unwrap_or(0);
        let whole = is_own_file(&folder.join("table.parquet"));
        let parts = super::sweep::parts(folder);
        let changed = parts.iter().filter_map(|part| Some(stamp(&part.path)?.0)).max();
        let over = if whole { members } else { super::sweep::members_of(&parts) };
        let last = changed.or_else(|| Some(stamp(&folder.join("sweep.toml"))?.0));
        let age = last.map(|time| SystemTime::now().duration_since(time).unwrap_or_default());
        let state = match age {
            _ if whole => "finished",
            Some(age) if age < SWEEP_BREATH => "running",
            _ => "interrupted",
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
        let is_run = |name: &String| is_own_file(&place.join(name).join("run.toml"));
        let entry = |name: String| (name.clone(), self.entry(EntryKind::Run, &place.join(name)));
        folders(&place).into_iter().filter(is_run).map(entry).collect()
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

/// What is wrong with a folder, without its place on this machine, which concerns nobody.
fn without(folder: &Path, error: &Error) -> String {
    let place = folder.display().to_string();
    error.to_string().replace(&format!("{place}/"), "").replace(&place, "it")
}

/// For `map_err`: what is wrong with a folder.
pub(super) fn refused(folder: &Path) -> impl Fn(Error) -> Refusal {
    move |error| Refusal::wrong(without(folder, &error))
}

fn since_1970(time: SystemTime) -> f64 {
    time.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64()
}

/// What changes with a file.
pub(super) fn stamp(path: &Path) -> Option<Stamp> {
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
