//! Running the members of a plan on all cores.
//!
//! Members are begun in their order by as many threads as rayon has. They are threads of their own,
//! because a rayon task that waits for its inner tasks may begin another one meanwhile: members
//! would pile up inside of each other, and with them their memory. What a member computes with
//! rayon goes to the shared pool.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::{Member, Plan};
use crate::memory;

/// Stack of each thread, in bytes: as large as that of a program's first thread.
pub(crate) const STACK: usize = 8 << 20;

/// How members are run, and who is told.
pub struct Conduct<'a> {
    /// Once it is true, no further member begins.
    pub stop: Arc<AtomicBool>,
    /// How many members run at once, at most.
    pub workers: usize,
    /// Bytes that all members that run at once may take together. One that needs more than that
    /// runs alone, so that it can say so itself.
    pub available: u64,
    /// Bytes that a member takes.
    pub bytes: &'a (dyn Fn(&Member) -> u64 + Sync),
    /// Is told how far everything is, by one thread at a time.
    pub progress: &'a (dyn Fn(&Progress) + Sync),
}

impl Default for Conduct<'_> {
    /// All cores, the free memory, and nobody is told.
    fn default() -> Self {
        Self {
            stop: Arc::default(),
            workers: rayon::current_num_threads(),
            available: memory::available(),
            bytes: &estimate,
            progress: &|_| {},
        }
    }
}

impl std::fmt::Debug for Conduct<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Conduct").field("workers", &self.workers).finish_non_exhaustive()
    }
}

/// What the system of a member says about its memory, in bytes.
pub fn estimate(member: &Member) -> u64 {
    let experiment = &member.experiment;
    experiment.system.bytes(&experiment.settings)
}

/// What became of a member.
#[derive(Debug, Clone, PartialEq)]
pub enum Conducted<T, E> {
    /// It ran.
    Done(T),
    /// It could not run, or not to its end.
    Failed(E),
    /// The program itself was wrong (it panicked); with what it said.
    Crashed(String),
    /// Everything was stopped before.
    NotBegun,
}

impl<T, E> Conducted<T, E> {
    /// What the member came to, if it ran.
    pub fn done(&self) -> Option<&T> {
        if let Self::Done(value) = self { Some(value) } else { None }
    }
}

/// How far everything is.
#[derive(Debug, Clone, PartialEq)]
pub struct Progress {
    /// Members that are over, those that failed included.
    pub over: usize,
    /// Members that failed.
    pub failed: usize,
    /// All members.
    pub total: usize,
    /// Members that run, by their number in the plan, each with the part that is done where that
    /// is known.
    pub running: Vec<(usize, Option<f64>)>,
    /// Time since the first one began.
    pub elapsed: Duration,
}

impl Progress {
    /// The part of everything that is done, from 0 to 1.
    pub fn fraction(&self) -> f64 {
        let running: f64 = self.running.iter().filter_map(|(_, part)| *part).sum();
        if self.total == 0 { 1.0 } else { (self.over as f64 + running) / self.total as f64 }
    }

    /// Time that is left if it goes on as it did so far; `None` while nobody knows.
    pub fn left(&self) -> Option<Duration> {
        let done = self.fraction();
        let left = self.elapsed.as_secs_f64() * (1.0 - done) / done;
        Duration::try_from_secs_f64(left.max(0.0)).ok().filter(|_| done > 0.0)
    }
}

/// What a running member can ask and tell.
pub struct Watch<'a> {
    board: &'a Board<'a>,
    member: usize,
}

impl std::fmt::Debug for Watch<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Watch").field("member", &self.member).finish_non_exhaustive()
    }
}

impl Watch<'_> {
    /// Whether everything is to stop.
    pub fn stopped(&self) -> bool {
        self.board.conduct.stop.load(Ordering::Relaxed)
    }

    /// Tells which part of the member is done, from 0 to 1.
    pub fn at(&self, part: f64) {
        let mut progress = self.board.lock();
        if let Some(own) = progress.running.iter_mut().find(|(member, _)| *member == self.member) {
            own.1 = Some(part.clamp(0.0, 1.0));
        }
        self.board.tell(&mut progress);
    }
}

/// Where it is written how far everything is.
pub(crate) struct Board<'a> {
    conduct: &'a Conduct<'a>,
    began: Instant,
    progress: Mutex<Progress>,
}

impl<'a> Board<'a> {
    /// Of `total` members.
    pub(crate) fn new(conduct: &'a Conduct<'a>, total: usize) -> Self {
        let elapsed = Duration::ZERO;
        let progress = Progress { over: 0, failed: 0, total, running: Vec::new(), elapsed };
        Self { conduct, began: Instant::now(), progress: Mutex::new(progress) }
    }

    fn lock(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell(&self, progress: &mut Progress) {
        progress.elapsed = self.began.elapsed();
        (self.conduct.progress)(progress);
    }

    fn begin(&self, member: usize) {
        let mut progress = self.lock();
        progress.running.push((member, None));
        self.tell(&mut progress);
    }

    fn end(&self, member: usize, failed: bool) {
        let mut progress = self.lock();
        progress.running.retain(|(running, _)| *running != member);
        progress.over += 1;
        progress.failed += usize::from(failed);
        self.tell(&mut progress);
    }
}

/// Lets members in as long as there is memory for them.
pub(crate) struct Gate {
    available: u64,
    taken: Mutex<u64>,
    freed: Condvar,
}

impl Gate {
    pub(crate) fn new(available: u64) -> Self {
        Self { available, taken: Mutex::new(0), freed: Condvar::new() }
    }

    /// Waits until so many bytes are free, or nobody else has any.
    fn enter(&self, bytes: u64) {
        let taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let full = |taken: &mut u64| *taken > 0 && taken.saturating_add(bytes) > self.available;
        let waited = self.freed.wait_while(taken, full);
        *waited.unwrap_or_else(PoisonError::into_inner) += bytes;
    }

    fn leave(&self, bytes: u64) {
        *self.taken.lock().unwrap_or_else(PoisonError::into_inner) -= bytes;
        self.freed.notify_all();
    }
}

impl Plan {
    /// Runs all members, `one` each, and gives back what became of them in the order of the plan.
    /// Those that fail do not stop the others.
    pub fn execute<T: Send, E: Send>(
        &self,
        conduct: &Conduct<'_>,
        one: impl Fn(&Member, &Watch<'_>) -> Result<T, E> + Sync,
    ) -> Vec<Conducted<T, E>> {
        let total = self.members.len();
        let board = Board::new(conduct, total);
        let gate = Gate::new(conduct.available);
        let next = AtomicUsize::new(0);
        let work = || {
            let mut ended = Vec::new();
            while !conduct.stop.load(Ordering::Relaxed) {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some(member) = self.members.get(index) else { break };
                ended.push((index, conduct_one(index, member, &board, &gate, &one)));
            }
            ended
        };
        let mut all: Vec<_> = (0..total).map(|_| Conducted::NotBegun).collect();
        std::thread::scope(|scope| {
            // This thread works, too; where the system has no more threads, fewer do.
            let more = (1..conduct.workers.min(total)).filter_map(|_| {
                std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work).ok()
            });
            let more: Vec<_> = more.collect();
            let others = |thread: std::thread::ScopedJoinHandle<'_, _>| match thread.join() {
                Ok(ended) => ended,
                Err(panic) => std::panic::resume_unwind(panic),
            };
            let own = work();
            for (index, ended) in own.into_iter().chain(more.into_iter().flat_map(others)) {
                all[index] = ended;
            }
        });
        all
    }
}

/// Runs one member as soon as there is memory for it.
pub(crate) fn conduct_one<T, E>(
    index: usize,
    member: &Member,
    board: &Board<'_>,
    gate: &Gate,
    one: &impl Fn(&Member, &Watch<'_>) -> Result<T, E>,
) -> Conducted<T, E> {
    let bytes = (board.conduct.bytes)(member);
    gate.enter(bytes);
    let ended = if board.conduct.stop.load(Ordering::Relaxed) {
        Conducted::NotBegun
    } else {
        board.begin(index);
        let watch = Watch { board, member: index };
        let ended = match catch_unwind(AssertUnwindSafe(|| one(member, &watch))) {
            Ok(Ok(value)) => Conducted::Done(value),
            Ok(Err(error)) => Conducted::Failed(error),
            Err(panic) => Conducted::Crashed(words(&*panic)),
        };
        board.end(index, !matches!(ended, Conducted::Done(_)));
        ended
    };
    gate.leave(bytes);
    ended
}

/// What a panic said.
fn words(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(ToString::to_string);
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "the program failed without a word".to_owned())
}
