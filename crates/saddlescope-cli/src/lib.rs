//! The `saddlescope` command: arguments and words for the laboratory, no science.
//!
//! A program with a system of its own is one call of [`main_with`].

mod arguments;
mod commands;
mod common;
mod interrupt;
pub mod prelude;
mod progress;

use std::ffi::OsString;
use std::fmt::Display;
use std::io::Write;
use std::process::ExitCode;

use arguments::{Cli, Command};
use clap::Parser;

use crate::common::*;

pub use saddlescope_spec::shipped::ShippedExperiment;
pub use saddlescope_spec::system::Addition;

/// What a command came to: the exit code that it asks for.
enum Verdict {
    Done,
    /// A check failed, or a run of several.
    Failed,
    Interrupted,
}

/// What went wrong, in words, with the exit code that it deserves.
struct Failure {
    words: String,
    code: u8,
}

impl Failure {
    /// Wrong usage or input.
    fn input(words: impl Display) -> Self {
        Self { words: words.to_string(), code: 2 }
    }

    /// A computation that failed, or whose result cannot be written.
    fn computation(words: impl Display) -> Self {
        Self { words: words.to_string(), code: 1 }
    }

    /// Wrong input, unless the disk, the memory or a computation is to blame.
    fn by_kind(error: Error) -> Self {
        match error.kind() {
            ErrorKind::Input | ErrorKind::Unknown | ErrorKind::Folder => Self::input(error),
            _ => Self::computation(error),
        }
    }
}

/// What the laboratory refuses is wrong input, unless a command knows better.
impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::input(error)
    }
}

/// What a command came to, or why it came to nothing.
type Outcome = Result<Verdict, Failure>;

/// Runs the command with the systems that come with Saddlescope.
pub fn main() -> ExitCode {
    main_with(Addition::default())
}

/// Runs the command with more systems and experiments than come with Saddlescope.
pub fn main_with(added: Addition) -> ExitCode {
    match registry(added) {
        Ok(registry) => run(std::env::args_os(), &registry).into(),
        Err(error) => report_error(&error, 2).into(),
    }
}

/// The systems and experiments that come with Saddlescope, and those that are added.
pub fn registry(added: Addition) -> Result<Registry, Error> {
    Registry::new(&[saddlescope_systems::ALL, added])
}

/// Runs the command with these arguments, the program's name first, and gives back its exit code.
pub fn run(arguments: impl IntoIterator<Item = OsString>, registry: &Registry) -> u8 {
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version come this way, too; where nobody can read them, nobody can be told.
            let _ = error.print();
            return u8::try_from(error.exit_code()).unwrap_or(2);
        }
    };
    if let Err(error) = saddlescope::numeric::simd::requested() {
        return report_error(&error, 2);
    }
    let outcome = match cli.command {
        None => commands::list::welcome(),
        Some(Command::List) => commands::list::list(registry),
        Some(Command::New { system }) => commands::list::new(&system, registry),
        Some(Command::Schema { system }) => commands::list::schema(&system, registry),
        Some(Command::Observables(args)) => commands::list::observables(&args, registry),
        Some(Command::Run(args)) => commands::run::run(&args, registry),
        Some(Command::Check(args)) => commands::check::check(&args, registry),
        Some(Command::Cite { system }) => commands::cite::cite(system.as_deref(), registry),
        Some(Command::Verify(args)) => commands::verify::verify(&args, registry),
        Some(Command::Reproduce(args)) => commands::reproduce::reproduce(&args, registry),
        Some(Command::Sweep(args)) => commands::sweep::sweep(&args, registry),
        Some(Command::Serve(args)) => commands::serve::serve(&args, registry),
        Some(Command::Merge(args)) => commands::sweep::merge(&args, registry),
        Some(Command::Compare(args)) => commands::instruments::compare(&args, registry),
        Some(Command::Attribute(args)) => commands::instruments::attribute(&args, registry),
        Some(Command::Invariants(args)) => commands::instruments::invariants(&args, registry),
        Some(Command::Saddles(args)) => commands::saddles::saddles(&args, registry),
        Some(Command::Fit(args)) => commands::fit::fit(&args, registry),
        Some(Command::Stages(args)) => commands::stages::stages(&args, registry),
        Some(Command::Plot(args)) => commands::plot::plot(&args, registry),
        Some(Command::Completions { shell }) => commands::list::completions(shell),
    };
    match outcome {
        Ok(Verdict::Done) => 0,
        Ok(Verdict::Failed) => 1,
        Ok(Verdict::Interrupted) => interrupt::EXIT_CODE,
        Err(Failure { words, code }) => report_error(&words, code),
    }
}

/// How to cite the program and all papers, or the paper of one system, as text and BibTeX.
pub fn citation(system: Option<&dyn System>, registry: &Registry) -> String {
    commands::cite::text(system, registry)
}

/// Prints an error, whose message names its cause, and passes on the exit code.
fn report_error(error: &impl Display, code: u8) -> u8 {
    // A standard error that cannot be written to leaves nobody to tell.
    let _ = writeln!(std::io::stderr(), "error: {error}");
    code
}

/// Prints to standard output; a reader that has gone away (`| head`) is no error.
fn print(text: &str) -> Result<(), Failure> {
    let mut out = std::io::stdout();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Failure::computation(format!("cannot write to standard output: {error}")))
        }
        _ => Ok(()),
    }
}

/// Prints what a command has to say, and all is well.
fn say(text: &str) -> Outcome {
    print(text)?;
    Ok(Verdict::Done)
}

/// Prints a result, in JSON for programs or in words for people.
fn tell(
    json: bool,
    value: impl FnOnce() -> Value,
    words: impl FnOnce() -> String,
) -> Result<(), Failure> {
    if json { print_json(&value()) } else { print(&words()) }
}

fn print_json(value: &Value) -> Result<(), Failure> {
    print(&format!("{value:#}\n"))
}
