//! Running the members of a plan on all cores.
//!
//! Members are begun in their order by as many threads as rayon has. They are threads of their own,
//! because a rayon task that waits for its inner tasks may begin another one meanwhile: members
//! would pile up inside of each other, and with them their memory. What a member computes with
//! rayon goes to the shared pool.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::AtomicUsize;
use std::sync::{Condvar, MutexGuard, PoisonError};

use super::*;
use crate::memory;

/// Stack of each thread, in bytes: as large as that of a program's first thread.
const STACK: usize = 8 << 20;

pub struct Executor<'a> {
    /// Once it is true, no further member begins.
    pub stop: Arc<AtomicBool>,
    pub workers: usize,
    /// Bytes that all members that run at once may take together. One that needs more than that
    /// runs alone, so that it can say so itself.
    pub available: u64,
    pub bytes: &'a (dyn Fn(&Member) -> u64 + Sync),
    /// Is told how far everything is, by one thread at a time.
    pub progress: &'a (dyn Fn(&Progress) + Sync),
}

impl Default for Executor<'_> {
    /// All cores, the free memory, and no reports.
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

/// What the system of a member says about its memory, in bytes.
fn estimate(member: &Member) -> u64 {
    let experiment = &member.experiment;
    experiment.system.bytes(&experiment.settings)
}

#[derive(Debug, Clone, PartialEq)]
pub enum Execution<T, E> {
    Done(T),
    /// It could not run, or not to its end.
    Failed(E),
    /// The program itself was wrong (it panicked); with what it said.
    Crashed(String),
    /// Everything was stopped before.
    NotBegun,
}

impl<T, E> Execution<T, E> {
    pub fn done(&self) -> Option<&T> {
        if let Self::Done(value) = self { Some(value) } else { None }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Progress {
    /// Members that are over, those that failed included.
    pub over: usize,
    pub failed: usize,
    pub total: usize,
    /// Members that run, by their number in the plan, each with the part that is done where that
    /// is known.
    pub running: Vec<(usize, Option<f64>)>,
    pub elapsed: Duration,
}

impl Progress {
    /// The part of everything that is done, from 0 to 1.
    pub fn fraction(&self) -> f64 {
        let running: f64 = self.running.iter().filter_map(|(_, part)| *part).sum();
        if self.total == 0 { 1.0 } else { (self.over as f64 + running) / self.total as f64 }
    }

    /// Time that is left if it goes on as it did so far; `None` before anything is done.
    pub fn left(&self) -> Option<Duration> {
        let done = self.fraction();
        let left = self.elapsed.as_secs_f64() * (1.0 - done) / done;
        Duration::try_from_secs_f64(left.max(0.0)).ok().filter(|_| done > 0.0)
    }
}

/// What a running member can ask and tell.
pub struct Watch<'a> {
    session: &'a Session<'a>,
    member: usize,
}

impl Watch<'_> {
    pub fn stopped(&self) -> bool {
        self.session.stopped()
    }

    /// Tells which part of the member is done, from 0 to 1.
    pub fn at(&self, part: f64) {
        self.session.report(|progress| {
            let mut running = progress.running.iter_mut();
            if let Some(own) = running.find(|(member, _)| *member == self.member) {
                own.1 = Some(part.clamp(0.0, 1.0));
            }
        });
    }

    /// Tells how far a run is, where its end is known, and whether it goes on.
    pub(crate) fn control(&self, run: &Run, glimpse: Glimpse, steps: u64) -> Control {
        if let Some(part) = run.part_done(glimpse, steps) {
            self.at(part);
        }
        if self.stopped() { Control::Stop } else { Control::Continue }
    }
}

/// What the workers of one execution share: how far everything is, and how much memory is taken.
pub(crate) struct Session<'a> {
    executor: &'a Executor<'a>,
    began: Instant,
    progress: Mutex<Progress>,
    taken: Mutex<u64>,
    freed: Condvar,
}

impl<'a> Session<'a> {
    pub(crate) fn new(executor: &'a Executor<'a>, total: usize) -> Self {
        let elapsed = Duration::ZERO;
        let progress = Progress { over: 0, failed: 0, total, running: Vec::new(), elapsed };
        Self {
            executor,
            began: Instant::now(),
            progress: Mutex::new(progress),
            taken: Mutex::new(0),
            freed: Condvar::new(),
        }
    }

    pub(crate) fn stopped(&self) -> bool {
        self.executor.stop.load(Ordering::Relaxed)
    }

    /// Does `work` on as many threads as there are workers, for so many tasks at most.
    pub(crate) fn on_workers(&self, tasks: usize, work: impl Fn() + Sync) {
        std::thread::scope(|scope| {
            // This thread works, too; where the system has no more threads, fewer do.
            for _ in 1..self.executor.workers.min(tasks) {
                let _ = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, &work);
            }
            work();
        });
    }

    /// Changes how far everything is, and tells.
    fn report(&self, change: impl FnOnce(&mut Progress)) {
        let mut progress = lock(&self.progress);
        change(&mut progress);
        progress.elapsed = self.began.elapsed();
        (self.executor.progress)(&progress);
    }

    /// Runs one member as soon as so many bytes are free as it takes, or no other member has any.
    pub(crate) fn run<T, E>(
        &self,
        index: usize,
        member: &Member,
        one: impl FnOnce(&Member, &Watch<'_>) -> Result<T, E>,
    ) -> Execution<T, E> {
        let bytes = (self.executor.bytes)(member);
        let available = self.executor.available;
        let full = |taken: &mut u64| *taken > 0 && taken.saturating_add(bytes) > available;
        let waited = self.freed.wait_while(lock(&self.taken), full);
        *waited.unwrap_or_else(PoisonError::into_inner) += bytes;
        let ended = if self.stopped() {
            Execution::NotBegun
        } else {
            self.report(|progress| progress.running.push((index, None)));
            let watch = Watch { session: self, member: index };
            let ended = match catch_unwind(AssertUnwindSafe(|| one(member, &watch))) {
                Ok(Ok(value)) => Execution::Done(value),
                Ok(Err(error)) => Execution::Failed(error),
                Err(panic) => Execution::Crashed(words(&*panic)),
            };
            self.report(|progress| {
                progress.running.retain(|(running, _)| *running != index);
                progress.over += 1;
                progress.failed += usize::from(!matches!(ended, Execution::Done(_)));
            });
            ended
        };
        *lock(&self.taken) -= bytes;
        self.freed.notify_all();
        ended
    }
}

/// What a mutex guards, whatever became of those that held it.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Plan {
    /// Runs all members, `one` each, and gives back what became of them in the order of the plan.
    /// Those that fail do not stop the others.
    pub fn execute<T: Send, E: Send>(
        &self,
        executor: &Executor<'_>,
        one: impl Fn(&Member, &Watch<'_>) -> Result<T, E> + Sync,
    ) -> Vec<Execution<T, E>> {
        let total = self.members.len();
        let session = Session::new(executor, total);
        let next = AtomicUsize::new(0);
        let all = Mutex::new((0..total).map(|_| Execution::NotBegun).collect::<Vec<_>>());
        session.on_workers(total, || {
            while !session.stopped() {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some(member) = self.members.get(index) else { break };
                let ended = session.run(index, member, &one);
                lock(&all)[index] = ended;
            }
        });
        all.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

fn words(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(ToString::to_string);
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "the program failed without a word".to_owned())
}
