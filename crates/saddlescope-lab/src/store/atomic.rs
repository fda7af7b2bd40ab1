//! Files that are there as a whole or not at all.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::StoreError;

/// Writes `bytes` beside `path`, flushes them to the disk, and renames. What was there before stays
/// until then, and stays for good when anything fails.
///
/// That the name survives a power cut, too, needs [`settle`] on the folder.
pub(super) fn place(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    let beside = beside(path);
    let write = || -> io::Result<()> {
        let mut file = File::create(&beside)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&beside, path)
    };
    write().map_err(|error| {
        // The first failure is the one to tell of.
        let _ = fs::remove_file(&beside);
        StoreError::io("write", path)(error)
    })
}

/// Flushes the names in `folder` to the disk.
pub(super) fn settle(folder: &Path) -> Result<(), StoreError> {
    // Only Unix lets a folder be opened; elsewhere the file system keeps its own order.
    if cfg!(unix) {
        let flush = File::open(folder).and_then(|folder| folder.sync_all());
        flush.map_err(StoreError::io("write", folder))?;
    }
    Ok(())
}

/// `.part-0001.parquet.new`: hidden, and matched by no pattern for finished files. A folder has one
/// writer, so the name needs not be unique, and what a killed process left is written over.
fn beside(path: &Path) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(".new");
    path.with_file_name(name)
}

/// Whether a file of that name is what a killed process left half written.
pub(super) fn is_leftover(name: &str) -> bool {
    name.starts_with('.') && name.ends_with(".new")
}

#[cfg(test)]
mod tests {
    use super::*;

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
            place(&path, text.as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        settle(folder.path()).unwrap();
        assert_eq!(names(folder.path()), ["a.bin"]);
    }

    #[test]
    fn a_failure_names_path_and_cause_and_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("missing").join("a.bin");
        let error = place(&path, b"x").unwrap_err().to_string();
        let expected = format!("cannot write {}: there is no such file or folder", path.display());
        assert_eq!(error, expected);

        // A folder is in the way of the rename.
        let path = folder.path().join("taken");
        fs::create_dir_all(path.join("inside")).unwrap();
        let error = place(&path, b"x").unwrap_err().to_string();
        assert!(error.starts_with(&format!("cannot write {}: ", path.display())), "{error}");
        assert_eq!(names(folder.path()), ["taken"]);
    }

    /// `/dev/full` refuses every byte as a full disk does.
    #[test]
    #[cfg(target_os = "linux")]
    fn a_full_disk_is_told_and_what_was_there_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.bin");
        place(&path, b"earlier").unwrap();
        std::os::unix::fs::symlink("/dev/full", beside(&path)).unwrap();
        let error = place(&path, b"later").unwrap_err().to_string();
        assert!(error.contains("a.bin: the disk is full"), "{error}");
        assert_eq!(fs::read(&path).unwrap(), b"earlier");
        assert_eq!(names(folder.path()), ["a.bin"]);
    }
}
