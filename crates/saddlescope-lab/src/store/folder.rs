//! The folder of a run: who may write there, what counts, and what never is touched.

use std::fs::{OpenOptions, TryLockError};
use std::io::ErrorKind;

use super::atomic::Pending;
use super::*;

const RUN: &str = "run.toml";

/// The plan that a run belongs to; it is there before the run.
const PLAN: &str = "plan.toml";

/// Held by the process that writes.
const LOCK: &str = ".lock";

/// How often, and after which time, a lock is tried again before it counts as held.
const GLANCES: usize = 3;
const GLANCE: Duration = Duration::from_millis(5);

/// Where a run that is being replaced waits until the new one has begun well.
const REPLACED: &str = ".replaced";

/// What belongs to a run; files that begin with `figure.` or `checkpoint-` do, too. Whatever else
/// somebody puts into the folder is left alone.
const OWN: [&str; 6] =
    [RUN, "trajectory", "snapshots", "problem.json", "stages.json", "claims.json"];

/// The files of a run that come and go: in which folder, how they begin and end.
const FILES: [(&str, &str, &str); 3] = [
    ("trajectory", "part-", ".parquet"),
    ("snapshots", "", ".safetensors"),
    ("", "checkpoint-", ".safetensors"),
];

#[derive(Debug)]
pub(super) struct RunFolder {
    pub(super) path: PathBuf,
    /// What is known of the run. Changes count after [`RunFolder::commit`].
    pub(super) manifest: Manifest,
    /// Files that wait for the next commit.
    pending: Vec<Pending>,
    _lock: File,
}

/// What is to be done in a folder for a run.
#[derive(Debug)]
pub(super) enum Claim {
    New(RunFolder),
    /// What comes after the segments that are done; their files are whole.
    Partial(RunFolder),
    Finished,
}

impl RunFolder {
    /// Makes the folder at `path` the place for the run `wanted`, or finds it there.
    ///
    /// With `force`, a run that is there is replaced, whichever it is. It is kept aside until the
    /// first [`RunFolder::commit`]. Anything else that lies in the folder stays, and a folder that
    /// holds no run is refused.
    pub(super) fn claim(
        path: &Path,
        wanted: &Manifest,
        force: bool,
        registry: &Registry,
    ) -> Result<Claim> {
        // Before anything is touched: a foreign folder is no place, and what is finished is left.
        if let Some(Ok(there)) = look(path, registry)?
            && !force
            && (&there.hash, &there.state) == (&wanted.hash, &State::Finished)
        {
            return Ok(Claim::Finished);
        }
        fs::create_dir_all(path).map_err(Error::io("create", path))?;
        let lock = lock(path)?;
        restore(path)?;
        let folder = Self {
            path: path.to_owned(),
            manifest: wanted.clone(),
            pending: Vec::new(),
            _lock: lock,
        };
        match look(path, registry)? {
            None => folder.begin().map(Claim::New),
            Some(_) if force => folder.replace().map(Claim::New),
            Some(manifest) => folder.take_up(manifest?),
        }
    }

    /// Writes the file `name` (a path in the folder, with `/`). It comes to its place, and counts,
    /// with the next [`RunFolder::commit`]; until then no file that counts may have that name.
    pub(super) fn put(&mut self, name: &str, bytes: &[u8]) -> Result<()> {
        let path = self.path.join(name);
        if let Some(parent) = path.parent().filter(|parent| !parent.is_dir()) {
            fs::create_dir_all(parent).map_err(Error::io("create", parent))?;
        }
        self.pending.push(Pending::write(&path, bytes)?);
        self.manifest.files.insert(name.to_owned(), Hash::of_bytes(bytes));
        Ok(())
    }

    /// Makes everything written so far, and the state of the manifest, what counts from now on: one
    /// rename of `run.toml`. Files of the run that no longer count are removed.
    pub(super) fn commit(&mut self) -> Result<()> {
        atomic::place(std::mem::take(&mut self.pending))?;
        atomic::place(vec![self.written()?])?;
        self.sweep();
        Ok(())
    }

    /// A new `run.toml`, still beside the old one.
    fn written(&self) -> Result<Pending> {
        Pending::write(&self.path.join(RUN), self.manifest.to_toml()?.as_bytes())
    }

    /// Takes the place. Before the first segment nothing can be lost, so no disk has to be waited for.
    fn begin(self) -> Result<Self> {
        self.written()?.rename()?;
        Ok(self)
    }

    /// Goes on with the run that is there, if it is the wanted one.
    fn take_up(mut self, there: Manifest) -> Result<Claim> {
        let (run, wanted) = (format!("the run in {}", self.path.display()), &self.manifest);
        let refused = |why: String| Err(Error::folder(why));
        let under_way = there.state == State::Running && there.segments > 0;
        if under_way && there.format != wanted.format {
            return refused(format!(
                "{run} was begun by Saddlescope {}, whose unfinished runs this program can draw, but not go on \
                 with; --force runs it again from the start",
                there.version
            ));
        }
        if there.hash != wanted.hash {
            let lines = differences(&there, wanted);
            let lines: Vec<String> = lines.iter().map(|one| format!("  {one}")).collect();
            return refused(format!(
                "{} holds another run. Settings that differ:\n{}\nName another folder, or give --force to \
                 replace that run",
                self.path.display(),
                lines.join("\n")
            ));
        }
        match &there.state {
            State::Finished => return Ok(Claim::Finished),
            State::Failed { error } => {
                return refused(format!(
                    "{run} has failed before: {error}\nWhat it had recorded is kept there; --force runs it again"
                ));
            }
            State::Running if there.segments == 0 => return self.begin().map(Claim::New),
            State::Running => {}
        }
        if there.simd != wanted.simd {
            let advice = if there.simd <= simd::Level::detected() {
                format!(
                    "Set {}={} to go on, or give --force to start again",
                    simd::VARIABLE,
                    there.simd
                )
            } else {
                "This machine lacks that level; give --force to start again".to_owned()
            };
            return refused(format!(
                "{run} was begun at SIMD level {}, and this process runs at {}: going on would mix their bits. \
                 {advice}",
                there.simd, wanted.simd
            ));
        }
        self.manifest = there;
        for name in self.manifest.files.keys() {
            read(&self.path, &self.manifest, name)?;
        }
        Ok(Claim::Partial(self))
    }

    /// Sets the run that is there aside and begins the wanted one.
    fn replace(self) -> Result<Self> {
        let aside = self.path.join(REPLACED);
        if aside.exists() {
            // The run there has not begun well itself, and the one aside may still be wanted.
            own(&self.path)?.iter().try_for_each(|name| atomic::remove(&self.path.join(name)))?;
        } else {
            fs::create_dir(&aside).map_err(Error::io("create", &aside))?;
            move_names(own(&self.path)?, &self.path, &aside)?;
        }
        let path = self.path.clone();
        self.begin().inspect_err(|_| {
            // The first failure is the one to tell of.
            let _ = restore(&path);
        })
    }

    /// Removes files of the run that do not count, and the run that this one has replaced. What
    /// cannot be removed is left for the next time.
    fn sweep(&self) {
        let _ = fs::remove_dir_all(self.path.join(REPLACED));
        for (folder, begin, end) in FILES {
            for name in names(&self.path.join(folder)).unwrap_or_default() {
                let own = name.strip_prefix('.').and_then(|name| name.strip_suffix(".new"));
                let own = own.unwrap_or(&name);
                let path =
                    if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
                let of_run = own.starts_with(begin) && own.ends_with(end);
                if of_run && !self.manifest.files.contains_key(&path) {
                    let _ = fs::remove_file(self.path.join(&path));
                }
            }
        }
    }
}

/// Moves the run in the folder `from` to the folder `to`. While `run.toml` has not moved the move is not
/// complete, and doing it again completes it.
pub fn relocate(from: &Path, to: &Path) -> Result<()> {
    let _lock = lock(from)?;
    restore(from)?;
    fs::create_dir_all(to).map_err(Error::io("create", to))?;
    let of_run = |name: &String| !name.starts_with("figure.") && name != "claims.json";
    move_names(own(from)?.into_iter().filter(of_run), from, to)
}

pub(super) fn manifest(path: &Path, registry: &Registry) -> Result<Manifest> {
    look(path, registry)?.unwrap_or_else(|| {
        let words = "holds no run: there is no run.toml in it";
        Err(Error::folder(format!("{} {words}", path.display())))
    })
}

/// The contents of a file that counts for `manifest`, checked against its digest.
pub(super) fn read(path: &Path, manifest: &Manifest, name: &str) -> Result<Vec<u8>> {
    let file = path.join(name);
    let Some(digest) = manifest.files.get(name) else {
        return Err(corrupt(&path.join(RUN), format!("it does not list {name}")));
    };
    let bytes = fs::read(&file).map_err(|error| match error.kind() {
        ErrorKind::NotFound => corrupt(&file, "it is missing"),
        _ => Error::io("read", &file)(error),
    })?;
    if Hash::of_bytes(&bytes) != *digest {
        let why = format!("its {} bytes are not those that were written", bytes.len());
        return Err(corrupt(&file, why));
    }
    Ok(bytes)
}

/// What lies at `path`: nothing (`None`), or a run, whose `run.toml` may be damaged.
fn look(path: &Path, registry: &Registry) -> Result<Option<Result<Manifest>>> {
    if !path.exists() {
        return Ok(None);
    }
    let file = path.join(RUN);
    match fs::read(&file) {
        Ok(bytes) if Manifest::recognises(&bytes) => {
            return Ok(Some(Manifest::parse(&file, bytes, registry)));
        }
        // A power cut may leave this of a run that had just begun.
        Ok(bytes) if bytes.is_empty() && !path.join("trajectory").exists() => return Ok(None),
        Ok(bytes) if bytes.is_empty() => return Err(corrupt(&file, "it is empty")),
        Ok(_) => return Err(foreign(path, "a run.toml of something else")),
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => return Err(Error::io("read", &file)(error)),
    }
    let ours = |name: &String| {
        [LOCK, REPLACED, PLAN].contains(&name.as_str()) || atomic::is_leftover(name)
    };
    match names(path)?.into_iter().find(|name| !ours(name)) {
        None => Ok(None),
        Some(holds) => Err(foreign(path, &holds)),
    }
}

/// The place is taken by something that is not a run.
fn foreign(path: &Path, holds: &str) -> Error {
    Error::folder(format!(
        "{} is not a run's folder: it holds {holds}, and no run.toml of Saddlescope; nothing was touched. Name \
         another folder, or an empty one",
        path.display()
    ))
}

fn lock(path: &Path) -> Result<File> {
    let name = path.join(LOCK);
    let file = OpenOptions::new().create(true).truncate(false).write(true).open(&name);
    let file = file.map_err(Error::io("write", &name))?;
    for _ in 0..GLANCES {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            // Somebody who looks whether a process is at work holds the lock for an instant.
            Err(TryLockError::WouldBlock) => std::thread::sleep(GLANCE),
            Err(TryLockError::Error(error)) => return Err(Error::io("lock", &name)(error)),
        }
    }
    Err(Error::folder(format!(
        "another process is at work on the run in {}; wait for it, or stop it",
        path.display()
    )))
}

/// Whether a process is at work on the run in the folder at `path`. It is not disturbed.
pub fn is_busy(path: &Path) -> bool {
    let lock = File::open(path.join(LOCK));
    lock.is_ok_and(|lock| matches!(lock.try_lock_shared(), Err(TryLockError::WouldBlock)))
}

/// Names of what lies in a folder, in order.
fn names(folder: &Path) -> Result<Vec<String>> {
    let read = || -> std::io::Result<Vec<String>> {
        let name = |entry: fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
        fs::read_dir(folder)?.map(|entry| entry.map(name)).collect()
    };
    let mut names = read().map_err(Error::io("read", folder))?;
    names.sort();
    Ok(names)
}

fn own(folder: &Path) -> Result<Vec<String>> {
    let is_own = |name: &str| {
        OWN.contains(&name) || name.starts_with("figure.") || name.starts_with("checkpoint-")
    };
    let mut names: Vec<_> = names(folder)?.into_iter().filter(|name| is_own(name)).collect();
    // While `run.toml` has not moved, a move has not been completed.
    names.sort_by_key(|name| name == RUN);
    Ok(names)
}

fn move_names(names: impl IntoIterator<Item = String>, from: &Path, to: &Path) -> Result<()> {
    for name in names {
        let (source, target) = (from.join(&name), to.join(&name));
        fs::rename(&source, &target).map_err(Error::io("move", &source))?;
    }
    Ok(())
}

/// Puts a run back that a replacement set aside without coming to begin the new one.
fn restore(path: &Path) -> Result<()> {
    let aside = path.join(REPLACED);
    if !aside.is_dir() || (path.join(RUN).exists() && aside.join(RUN).exists()) {
        return Ok(());
    }
    move_names(own(&aside)?, &aside, path)?;
    fs::remove_dir(&aside).map_err(Error::io("remove", &aside))
}

#[cfg(test)]
#[path = "folder_tests.rs"]
mod tests;
