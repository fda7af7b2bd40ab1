//! One side of a row: a process that measures itself once per line.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::Value;

/// A side that is ready to be measured.
pub(crate) struct Side {
    /// What it says of itself.
    pub(crate) hello: Value,
    pub(crate) words: String,
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

/// A word of a command as it can be typed anywhere in the repository: no path of this machine.
fn portable(word: &str) -> String {
    let here = std::env::current_dir().map_or_else(|_| String::new(), |d| d.display().to_string());
    let path = std::path::Path::new(word);
    match path.strip_prefix(&here) {
        Ok(inside) if !here.is_empty() => inside.display().to_string(),
        _ if path.is_absolute() => {
            path.file_name().map_or_else(|| word.to_owned(), |name| name.to_string_lossy().into())
        }
        _ => word.to_owned(),
    }
}

impl Side {
    /// Starts `command` and waits until it is ready.
    pub(crate) fn start(command: &mut Command) -> Result<Self> {
        let words: Vec<String> = std::iter::once(command.get_program())
            .chain(command.get_args())
            .map(|word| portable(&word.to_string_lossy()))
            .collect();
        let words = words.join(" ");
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start: {words}"))?;
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().context("no output")?);
        let mut side = Self { hello: Value::Null, words, child, input, output };
        side.hello = side.line()?;
        Ok(side)
    }

    /// Lets it measure all its cases once.
    pub(crate) fn measure(&mut self) -> Result<Vec<Value>> {
        let input = self.input.as_mut().context("the side is closed")?;
        writeln!(input, "again")?;
        input.flush()?;
        let mut answer = self.line()?;
        match answer["results"].take() {
            Value::Array(results) => Ok(results),
            _ => bail!("no results from: {}", self.words),
        }
    }

    /// What it prints until it is told to end, as one line of JSON.
    pub(crate) fn line(&mut self) -> Result<Value> {
        let mut line = String::new();
        if self.output.read_line(&mut line)? == 0 {
            let status = self.child.wait()?;
            bail!("ended without a word ({status}): {}", self.words);
        }
        serde_json::from_str(&line).with_context(|| format!("not JSON: {line}"))
    }
}

impl Drop for Side {
    fn drop(&mut self) {
        // A side ends when its input does.
        self.input = None;
        let _ = self.child.wait();
    }
}
