//! Long work on a thread of its own, while Python goes on: other threads run, Ctrl-C is heard, progress is told.

use std::panic::resume_unwind;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use pyo3::prelude::*;
use saddlescope_lab::plan;

use crate::prelude::*;

/// How often signals are looked for and progress is told.
const BREATH: Duration = Duration::from_millis(50);

/// Stack of the thread, in bytes: as large as that of a program's first thread.
const STACK: usize = 8 << 20;

/// How far work is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Progress {
    /// The part of everything that is done, from 0 to 1.
    pub(crate) fraction: f64,
    /// Pieces that are over.
    pub(crate) over: usize,
    pub(crate) failed: usize,
    /// All pieces.
    pub(crate) total: usize,
}

impl From<&plan::Progress> for Progress {
    fn from(at: &plan::Progress) -> Self {
        Self { fraction: at.fraction(), over: at.over, failed: at.failed, total: at.total }
    }
}

/// Work under way: it hears when to stop, and reports its progress.
#[derive(Default)]
pub(crate) struct Job {
    /// Set when somebody pressed Ctrl-C.
    pub(crate) stop: Arc<AtomicBool>,
    progress: Mutex<Option<Progress>>,
}

impl Job {
    pub(crate) fn report(&self, progress: Progress) {
        *self.progress.lock().unwrap_or_else(PoisonError::into_inner) = Some(progress);
    }

    /// The last report, once.
    fn news(&self) -> Option<Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// Does `work` and gives back what it came to. On Ctrl-C (or an error in `progress`) it is asked to stop and awaited;
/// then the exception goes on.
pub(crate) fn attend<T: Send>(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&Job) -> T + Send,
) -> PyResult<T> {
    let job = Job::default();
    let (done, ended) = channel::<()>();
    std::thread::scope(|scope| {
        let job = &job;
        let body = move || {
            // Dropped at the end, or by a panic: either way the other side is told.
            let _done = done;
            work(job)
        };
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, body);
        let thread = thread.map_err(|error| errors::internal(format!("no thread: {error}")))?;
        let watched = watch(py, progress, job, &Mutex::new(ended));
        if watched.is_err() {
            job.stop.store(true, Ordering::Relaxed);
        }
        let result = py.detach(|| thread.join());
        watched?;
        result.or_else(|panic| resume_unwind(panic))
    })
}

/// The same for work that cannot be asked to stop: on Ctrl-C it is left to end by itself, and nobody hears of what it
/// came to.
pub(crate) fn attend_or_leave<T: Send + 'static>(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&Job) -> T + Send + 'static,
) -> PyResult<T> {
    let job = Arc::new(Job::default());
    let (done, ended) = channel::<()>();
    let own = Arc::clone(&job);
    let body = move || {
        let _done = done;
        work(&own)
    };
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(body);
    let thread = thread.map_err(|error| errors::internal(format!("no thread: {error}")))?;
    if let Err(error) = watch(py, progress, &job, &Mutex::new(ended)) {
        job.stop.store(true, Ordering::Relaxed);
        return Err(error);
    }
    py.detach(|| thread.join()).or_else(|panic| resume_unwind(panic))
}

fn watch(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    job: &Job,
    ended: &Mutex<Receiver<()>>,
) -> PyResult<()> {
    loop {
        let wait = || ended.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(BREATH);
        let over = !matches!(py.detach(wait), Err(RecvTimeoutError::Timeout));
        py.check_signals()?;
        if let (Some(progress), Some(now)) = (progress, job.news()) {
            progress.call1((now.fraction, now.over, now.failed, now.total))?;
        }
        if over {
            return Ok(());
        }
    }
}
