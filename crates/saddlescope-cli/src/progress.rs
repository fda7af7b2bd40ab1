//! How far runs are: a bar with the time left on a terminal, a line now and then elsewhere.

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use indicatif::{ProgressBar, ProgressStyle};
use saddlescope_lab::plan;
use saddlescope_lab::report::duration;

use crate::common::*;

/// Runs that are done before this need no progress.
const PATIENCE: Duration = Duration::from_millis(300);

/// Where nobody looks at a terminal, a line this often is enough.
const LINE_EVERY: Duration = Duration::from_secs(30);

const PARTS: f64 = 1000.0;

pub(crate) struct Progress {
    name: String,
    shown: Mutex<BarState>,
}

struct BarState {
    bar: Option<ProgressBar>,
    last: Instant,
}

impl Progress {
    pub(crate) fn new(name: &str) -> Self {
        let shown = BarState { bar: None, last: Instant::now() };
        Self { name: name.to_owned(), shown: Mutex::new(shown) }
    }

    pub(crate) fn show(&self, progress: &plan::Progress) {
        if progress.elapsed < PATIENCE {
            return;
        }
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        if std::io::stderr().is_terminal() {
            let bar = shown.bar.get_or_insert_with(|| bar(&self.name));
            bar.set_position((PARTS * progress.fraction()) as u64);
            bar.set_message(words(progress));
        } else if shown.last.elapsed() >= LINE_EVERY {
            shown.last = Instant::now();
            eprintln!("{}: {}", self.name, words(progress));
        }
    }

    pub(crate) fn finish(&self) {
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bar) = shown.bar.take() {
            bar.finish_and_clear();
        }
    }
}

fn bar(name: &str) -> ProgressBar {
    let bar = ProgressBar::new(PARTS as u64);
    if let Ok(style) = ProgressStyle::with_template("{prefix}  {elapsed_precise} {bar:28} {msg}") {
        bar.set_style(style);
    }
    bar.set_prefix(name.to_owned());
    bar
}

/// `3 of 24 runs, 12 s left`.
fn words(progress: &plan::Progress) -> String {
    let mut words = match progress.total {
        1 => format!("{:.0} %", 100.0 * progress.fraction()),
        total => format!("{} of {total} runs", progress.over),
    };
    if progress.failed > 0 {
        words += &format!(", {} failed", progress.failed);
    }
    match progress.left() {
        Some(left) => words + &format!(", {} left", duration(left.as_secs_f64())),
        None => words,
    }
}
