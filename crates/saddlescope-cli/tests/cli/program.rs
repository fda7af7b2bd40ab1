//! Runs the program in a folder of its own and looks at all that it says.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

pub(crate) const BINARY: &str = env!("CARGO_BIN_EXE_saddlescope");

pub(crate) fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

/// Waits until something holds. A test that would wait for ever is given up after some minutes.
#[track_caller]
pub(crate) fn eventually(what: &str, holds: impl Fn() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < Duration::from_secs(600), "still waiting: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// A temporary folder in which the program runs.
pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// A folder with one file in it.
    pub(crate) fn with(name: &str, text: impl AsRef<[u8]>) -> Self {
        let folder = Self::new();
        std::fs::write(folder.path(name), text).unwrap();
        folder
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    pub(crate) fn json(&self, name: &str) -> Value {
        self.read(name).parse().unwrap()
    }

    pub(crate) fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// The program with a line of arguments, ready to be given more. As in a shell, what stands between single quotes is one
    /// word.
    pub(crate) fn command(&self, line: impl AsRef<str>) -> Command {
        let mut command = Command::new(BINARY);
        command.current_dir(self.0.path()).env_remove("SADDLESCOPE_SIMD");
        for (number, part) in line.as_ref().split('\'').enumerate() {
            let is_quoted = number % 2 == 1;
            command.args(is_quoted.then_some(part));
            command.args(part.split_whitespace().filter(|_| !is_quoted));
        }
        command
    }

    pub(crate) fn run(&self, line: impl AsRef<str>) -> Ran {
        Ran::of(&mut self.command(line))
    }
}

/// What the program said, and its exit code.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ran {
    pub(crate) fn of(command: &mut Command) -> Self {
        let output = command.output().unwrap();
        Self {
            code: output.status.code().expect("an exit code, not a signal"),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// What it printed, after it was found to have gone well.
    #[track_caller]
    pub(crate) fn done(self) -> String {
        assert_eq!((self.code, self.err.as_str()), (0, ""), "{}", self.out);
        self.out
    }

    /// What it printed, after it was found to have gone well and to hold all of `words`.
    #[track_caller]
    pub(crate) fn shows(self, words: &[&str]) -> String {
        let out = self.done();
        assert_has(&out, words);
        out
    }

    #[track_caller]
    pub(crate) fn json(self) -> Value {
        self.done().parse().unwrap()
    }

    /// Checks the exit code, and that the error is said once, on standard error, with all of `words`.
    #[track_caller]
    pub(crate) fn fails(&self, code: i32, words: &[&str]) {
        assert_eq!(self.code, code, "{self:?}");
        // Before the error there may be lines on progress, where the machine is busy.
        assert!(self.err.lines().any(|line| line.starts_with("error: ")), "{self:?}");
        assert!(!self.err.contains("panicked") && !self.out.contains("error: "), "{self:?}");
        assert_has(&self.err, words);
        let lines: Vec<&str> = self.err.lines().filter(|line| line.len() > 30).collect();
        for (index, line) in lines.iter().enumerate() {
            assert!(!lines[..index].contains(line), "said twice: {line}\n{}", self.err);
        }
    }
}

pub(crate) fn last_line(text: &str) -> &str {
    text.lines().last().unwrap_or_default()
}

#[track_caller]
pub(crate) fn assert_has(text: &str, words: &[&str]) {
    for word in words {
        assert!(text.contains(word), "`{word}` is not in:\n{text}");
    }
}

/// A text with each of some parts, which it has, written in another way.
#[track_caller]
pub(crate) fn changed(text: &str, pairs: &[(&str, &str)]) -> String {
    pairs.iter().fold(text.to_owned(), |text, (from, to)| {
        assert!(text.contains(from), "{from}");
        text.replacen(from, to, 1)
    })
}

pub(crate) fn run(text: impl AsRef<[u8]>) -> Ran {
    Folder::with("mine.toml", text).run("run mine.toml")
}

/// The JSON of the experiment `text`.
#[track_caller]
pub(crate) fn experiment(text: impl AsRef<[u8]>) -> Value {
    Folder::with("mine.toml", text).run("run mine.toml --json").json()
}

#[track_caller]
pub(crate) fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

/// All numbers in nested lists, in order.
pub(crate) fn numbers(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(list) => list.iter().flat_map(numbers).collect(),
        other => vec![number(other)],
    }
}

/// Asserts that two lists agree within a relative error, or `tolerance` itself below 1.
#[track_caller]
pub(crate) fn assert_near(found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len(), "{found:?} and {expected:?}");
    for (a, b) in found.iter().zip(expected) {
        let off = (a - b).abs();
        assert!(off <= tolerance * b.abs().max(1.0), "{a} is not {b}: {found:?}, {expected:?}");
    }
}
