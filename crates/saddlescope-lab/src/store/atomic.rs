//! Files that are there as a whole or not at all.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::OpenOptions;
use std::sync::atomic::AtomicU64;
use std::thread;
use std::time::{SystemTime, UNIX_EPOCH};

use super::*;

/// Most flushes at once. Disks take several in the time of one.
const AT_ONCE: usize = 16;

/// A file that is written beside its place. What is in its place stays until it is renamed, and stays
/// for good when anything fails; dropped before, it is removed.
#[derive(Debug)]
pub(super) struct Pending {
    path: PathBuf,
    beside: PathBuf,
}

impl Pending {
    pub(super) fn write(path: &Path, bytes: &[u8]) -> Result<Self> {
        let pending = Self { path: path.to_owned(), beside: beside(path, "") };
        fs::write(&pending.beside, bytes).map_err(Error::io("write", path))?;
        Ok(pending)
    }

    /// Puts the file into its place. What a power cut leaves of it is another matter.
    pub(super) fn rename(self) -> Result<()> {
        fs::rename(&self.beside, &self.path).map_err(Error::io("write", &self.path))
    }

    fn flush(&self) -> Result<()> {
        let flush = || OpenOptions::new().write(true).open(&self.beside)?.sync_all();
        flush().map_err(Error::io("write", &self.path))
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        // Gone already where all went well; and of failures, the first is the one to tell of.
        let _ = fs::remove_file(&self.beside);
    }
}

/// Puts files into their places for good: contents and names survive a power cut from here on.
pub(super) fn place(files: Vec<Pending>) -> Result<()> {
    together(&files, Pending::flush)?;
    let folders: BTreeSet<_> = files.iter().filter_map(|file| file.path.parent()).collect();
    let folders: Vec<PathBuf> = folders.into_iter().map(Path::to_owned).collect();
    files.into_iter().try_for_each(Pending::rename)?;
    together(&folders, |folder| settle(folder))
}

fn together<T: Sync>(items: &[T], flush: impl Fn(&T) -> Result<()> + Sync) -> Result<()> {
    for some in items.chunks(AT_ONCE) {
        if let [only] = some {
            return flush(only);
        }
        thread::scope(|scope| {
            let threads: Vec<_> = some.iter().map(|item| scope.spawn(|| flush(item))).collect();
            let ended = |thread: thread::ScopedJoinHandle<'_, _>| {
                thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            threads.into_iter().try_for_each(ended)
        })?;
    }
    Ok(())
}

/// Writes a file that can be made anew from others: as a whole, but not flushed to the disk.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    Pending::write(path, bytes)?.rename()
}

/// Writes a file for good, as a whole or not at all, whoever else writes into the folder; gives back what `fill` does.
pub(crate) fn write_shared<T>(path: &Path, fill: impl FnOnce(&mut File) -> Result<T>) -> Result<T> {
    let pending =
        Pending { path: path.to_owned(), beside: beside(path, &format!(".{}", unique())) };
    let mut file = File::create(&pending.beside).map_err(Error::io("write", path))?;
    let filled = fill(&mut file)?;
    place(vec![pending])?;
    Ok(filled)
}

/// Removes a file, or a folder with all that it holds.
pub(crate) fn remove(path: &Path) -> Result<()> {
    let removed = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    removed.map_err(Error::io("remove", path))
}

/// A sign that no other writer has, on this machine or another.
pub(crate) fn unique() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
    format!("{since:x}-{:x}-{:x}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed))
}

fn settle(folder: &Path) -> Result<()> {
    // Only Unix lets a folder be opened; elsewhere the file system keeps its own order.
    if cfg!(unix) {
        let flush = File::open(folder).and_then(|folder| folder.sync_all());
        flush.map_err(Error::io("write", folder))?;
    }
    Ok(())
}

/// `.part-0001.parquet.new`: hidden, and matched by no pattern for finished files. Where a folder has one
/// writer, the name needs no `mark`, and what a killed process left is written over.
fn beside(path: &Path, mark: &str) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(format!("{mark}.new"));
    path.with_file_name(name)
}

/// Whether a file of that name is what a killed process left half written.
pub(super) fn is_leftover(name: &str) -> bool {
    name.starts_with('.') && name.ends_with(".new")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(path: &Path, bytes: &[u8]) -> Result<()> {
        place(vec![Pending::write(path, bytes)?])
    }

    fn names(folder: &Path) -> Vec<OsString> {
        let mut names: Vec<_> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_is_replaced_as_a_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.bin");
        fs::write(folder.path().join(".a.bin.new"), "left by a killed process").unwrap();
        for text in ["first", "the second", ""] {
            write(&path, text.as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        assert_eq!(names(folder.path()), ["a.bin"]);
    }

    #[test]
    fn a_failure_names_path_and_cause_and_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("missing").join("a.bin");
        let error = write(&path, b"x").unwrap_err().to_string();
        let expected = format!("cannot write {}: there is no such file or folder", path.display());
        assert_eq!(error, expected);

        // A folder is in the way of the rename.
        let path = folder.path().join("taken");
        fs::create_dir_all(path.join("inside")).unwrap();
        let error = write(&path, b"x").unwrap_err().to_string();
        assert!(error.starts_with(&format!("cannot write {}: ", path.display())), "{error}");
        assert_eq!(names(folder.path()), ["taken"]);
    }

    #[test]
    fn many_files_come_to_their_places_together() {
        let folder = tempfile::tempdir().unwrap();
        let path = |index: usize| folder.path().join(format!("{index:03}"));
        let pending = |index| Pending::write(&path(index), &[index as u8]).unwrap();
        let files: Vec<_> = (0..3 * AT_ONCE + 1).map(pending).collect();
        assert!(names(folder.path()).iter().all(|name| is_leftover(&name.to_string_lossy())));
        place(files).unwrap();
        let written = names(folder.path());
        assert_eq!(written.len(), 3 * AT_ONCE + 1);
        assert!((0..written.len()).all(|index| fs::read(path(index)).unwrap() == [index as u8]));

        drop(Pending::write(&path(0), b"never placed").unwrap());
        assert_eq!((names(folder.path()), fs::read(path(0)).unwrap()), (written, vec![0]));
    }
}
