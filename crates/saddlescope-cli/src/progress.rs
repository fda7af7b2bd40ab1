//! How far a run is: a line that renews itself on a terminal, nothing elsewhere.

use std::cell::Cell;
use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use saddlescope::record::{Control, Glimpse};
use saddlescope_lab::report::number;

/// Runs that are done before this need no progress.
const PATIENCE: Duration = Duration::from_millis(300);

pub(crate) struct Progress {
    began: Instant,
    bar: Cell<Option<ProgressBar>>,
}

impl Progress {
    pub(crate) fn new() -> Self {
        Self { began: Instant::now(), bar: Cell::new(None) }
    }

    /// Shows where the run is.
    pub(crate) fn show(&self, glimpse: Glimpse, steps: u64) -> Control {
        if self.began.elapsed() < PATIENCE || !std::io::stderr().is_terminal() {
            return Control::Continue;
        }
        let bar = self.bar.take().unwrap_or_else(|| {
            let bar = ProgressBar::new_spinner();
            if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed_precise}  {msg}") {
                bar.set_style(style);
            }
            bar
        });
        bar.set_message(format!(
            "step {steps}, time {}, loss {}",
            number(glimpse.time),
            number(glimpse.loss)
        ));
        bar.tick();
        self.bar.set(Some(bar));
        Control::Continue
    }

    /// Clears the line.
    pub(crate) fn finish(&self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}
