//! The habits of the project as commands: test, docs, bench.

mod bench;
mod docs;
mod page;
mod parts;
mod python;
mod shell;
mod test;

use std::process::ExitCode;

const USAGE: &str = "\
cargo xtask test          everything that CI runs: format, lints, tests, reference cases, docs, the observatory's
                          page in Chromium (where there is one), and the Python package with its tests
                          (in an environment of its own: target/python); says at the end how long each part took
cargo xtask test --full   adds what takes long: property tests with more cases, all figures, the tests once more while
                          all cores are busy; keeps a log of it in tests/full
cargo xtask docs          writes the generated pages and pictures of the book anew";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(2).collect();
    let outcome = match std::env::args().nth(1).as_deref() {
        Some("test") if words.is_empty() => test::test(),
        Some("test") if words == ["--full"] => test::full(),
        Some("docs") => docs::docs(),
        Some("bench") => bench::bench(&words),
        _ => {
            eprintln!("{USAGE}\n{}", bench::USAGE);
            return ExitCode::from(2);
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}
