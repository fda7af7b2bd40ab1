//! Computations: how many run at once, for how long, and until nobody waits for them.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Poll};

use http_body::Frame;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot};

use crate::clock::Clock;
use crate::frames::frame;
use crate::prelude::*;

/// Requests that may wait for their turn.
const WAITING: usize = 128;
/// How long one may wait for it.
const TURN: Duration = Duration::from_secs(30);
/// Frames on their way to one reader. A reader that does not read stops the computation here.
const FRAMES: usize = 4;
/// How long the last frames may lie unread after time is over.
const UNREAD: Duration = Duration::from_secs(10);
/// How long a computation may take to hear that it should stop, before it is answered, and loses its place, without having heard.
const GRACE: Duration = Duration::from_secs(1);
/// How often it is looked whether there is room for a frame.
const ROOM: Duration = Duration::from_millis(2);
/// A computation that takes longer than this makes way for short ones.
const SHORT: Duration = Duration::from_millis(300);
/// Long computations at once, for each core.
const LONG_PER_CORE: usize = 4;
/// Computations that have lost their place and have not ended, at most: a problem that is being built hears nothing.
const MOST_LOST: usize = 16;

pub(crate) struct Jobs {
    short: Arc<Semaphore>,
    long: Arc<Semaphore>,
    waiting: AtomicUsize,
    lost: Arc<AtomicUsize>,
    time: Duration,
    clock: Clock,
}

/// How long a computation may take, and whether it should stop.
#[derive(Clone)]
struct Limits {
    /// Set when nobody waits any more, or time is over.
    stop: Arc<AtomicBool>,
    late: Arc<AtomicBool>,
    time: Duration,
    clock: Clock,
    began: Duration,
}

/// What a computation can ask and tell.
pub(crate) struct Job {
    pub(crate) stop: Arc<AtomicBool>,
    limits: Limits,
    frames: mpsc::Sender<Bytes>,
    begun: AtomicBool,
}

impl Job {
    /// Sends a frame, as soon as there is room for it. When nobody reads any more, or nobody has for long, the computation is
    /// asked to stop.
    pub(crate) fn send(&self, mut frame: Bytes) {
        loop {
            frame = match self.frames.try_send(frame) {
                Ok(()) => return self.begun.store(true, Ordering::Relaxed),
                Err(TrySendError::Full(frame))
                    if self.limits.passed() < self.limits.time + UNREAD =>
                {
                    frame
                }
                Err(_) => {
                    self.stop.store(true, Ordering::Relaxed);
                    return;
                }
            };
            std::thread::sleep(ROOM);
        }
    }

    /// Sends a frame that the next one says again; while nobody has read those before, it is left out.
    pub(crate) fn offer(&self, frame: impl FnOnce() -> Bytes) {
        if self.frames.is_closed() {
            self.stop.store(true, Ordering::Relaxed);
        } else if self.frames.capacity() > 1 {
            self.send(frame());
        }
    }

    /// Whether somebody, or the clock, said stop.
    pub(crate) fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Why it stopped, in words, if the clock said so.
    pub(crate) fn too_late(&self) -> Option<String> {
        self.limits.late.load(Ordering::Relaxed).then(|| late(self.limits.time))
    }
}

impl Limits {
    fn passed(&self) -> Duration {
        self.clock.now() - self.began
    }
}

fn late(time: Duration) -> String {
    format!(
        "stopped after {} seconds, which is all that a computation gets here; `saddlescope serve --seconds N` gives more, \
         and `saddlescope run` has no limit",
        time.as_secs()
    )
}

/// Sets the flag when it is dropped, so that what nobody waits for ends.
struct Stopper(Arc<AtomicBool>);

impl Drop for Stopper {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Looks after a computation from outside, because one that builds its problem hears and does nothing else.
struct Supervisor {
    limits: Limits,
    /// Nothing comes; its other end goes when the computation ends, however it does.
    over: oneshot::Receiver<()>,
    long: Arc<Semaphore>,
    lost: Arc<AtomicUsize>,
}

impl Supervisor {
    /// Keeps its place for it, a short one at first, until it is over; from one that does not hear, the place is taken.
    async fn watch(mut self, mut place: OwnedSemaphorePermit) {
        let limits = &self.limits;
        let (mut moved, mut told) = (false, None);
        loop {
            if limits.clock.tick(&mut self.over).await.is_some() {
                return;
            }
            let now = limits.passed();
            if !moved
                && now > SHORT
                && let Ok(longer) = Arc::clone(&self.long).try_acquire_owned()
            {
                place = longer;
                moved = true;
            }
            if now > limits.time {
                limits.late.store(true, Ordering::Relaxed);
                limits.stop.store(true, Ordering::Relaxed);
            }
            if limits.stop.load(Ordering::Relaxed) && now - *told.get_or_insert(now) > GRACE {
                break;
            }
        }
        drop(place);
        self.lost.fetch_add(1, Ordering::Relaxed);
        let _ = self.over.await;
        self.lost.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Jobs {
    /// Computations of at most `time` each, on a clock.
    pub(crate) fn new(time: Duration, clock: Clock) -> Self {
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        Self {
            short: Arc::new(Semaphore::new(cores + 1)),
            long: Arc::new(Semaphore::new(LONG_PER_CORE * cores)),
            waiting: AtomicUsize::new(0),
            lost: Arc::default(),
            time,
            clock,
        }
    }

    /// Does `work` when its turn comes and answers with the frames that it sends. What `work` refuses before it has sent a
    /// frame is the answer itself; later, it is the last frame.
    pub(crate) async fn stream(
        &self,
        work: impl FnOnce(&mut Job) -> Result<(), Refusal> + Send + 'static,
    ) -> Result<Response<Body>, Refusal> {
        let (sender, mut receiver) = mpsc::channel(FRAMES);
        let (refused, refusal) = oneshot::channel();
        let stopper = self
            .start(sender, move |job| {
                let done = catch_unwind(AssertUnwindSafe(|| work(job)));
                if let Err(refusal) = done.unwrap_or_else(|_| Err(crashed())) {
                    // Whoever has read frames reads it as one; nobody may be there to hear it.
                    let words = json!({ "kind": "failed", "error": refusal.words() });
                    if job.begun.load(Ordering::Relaxed) {
                        job.send(frame(&words, &[]));
                    }
                    let _ = refused.send(refusal);
                }
            })
            .await?;
        let first = self.clock.within(self.time + GRACE, receiver.recv());
        let Some(first) = first.await.ok_or_else(|| Refusal::wrong(late(self.time)))? else {
            return Err(refusal.await.unwrap_or_else(|_| crashed()));
        };
        let body = Frames { first: Some(first), receiver, _stopper: stopper };
        Ok(of_type("application/octet-stream", Body::new(body)))
    }

    /// Does `work` when its turn comes and answers with what it came to.
    pub(crate) async fn once<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Job) -> Result<T, Refusal> + Send + 'static,
    ) -> Result<T, Refusal> {
        let (sender, _receiver) = mpsc::channel(1);
        let (done, result) = oneshot::channel();
        let _stopper = self
            .start(sender, move |job| {
                let result = work(job);
                let result = match job.too_late() {
                    Some(words) => Err(Refusal::wrong(words)),
                    None => result,
                };
                let _ = done.send(result);
            })
            .await?;
        match self.clock.within(self.time + GRACE, result).await {
            Some(result) => result.unwrap_or_else(|_| Err(crashed())),
            None => Err(Refusal::wrong(late(self.time))),
        }
    }

    async fn start(
        &self,
        frames: mpsc::Sender<Bytes>,
        work: impl FnOnce(&mut Job) + Send + 'static,
    ) -> Result<Stopper, Refusal> {
        let place = self.clock.within(TURN, self.turn()).await.ok_or_else(|| {
            Refusal::busy(format!("no place was free for {} seconds; try again", TURN.as_secs()))
        })??;
        let (time, clock, began) = (self.time, self.clock.clone(), self.clock.now());
        let limits = Limits { stop: Arc::default(), late: Arc::default(), time, clock, began };
        let stop = Arc::clone(&limits.stop);
        let (end, over) = oneshot::channel();
        let supervisor = Supervisor {
            limits: limits.clone(),
            over,
            long: Arc::clone(&self.long),
            lost: Arc::clone(&self.lost),
        };
        tokio::spawn(supervisor.watch(place));
        let mut job =
            Job { stop: Arc::clone(&stop), limits, frames, begun: AtomicBool::new(false) };
        tokio::task::spawn_blocking(move || {
            let _end = end;
            work(&mut job);
        });
        Ok(Stopper(stop))
    }

    async fn turn(&self) -> Result<OwnedSemaphorePermit, Refusal> {
        /// Counts whoever waits, also where he goes away.
        struct Waiting<'a>(&'a AtomicUsize);
        impl Drop for Waiting<'_> {
            fn drop(&mut self) {
                self.0.fetch_sub(1, Ordering::Relaxed);
            }
        }
        let before = self.waiting.fetch_add(1, Ordering::Relaxed);
        let _waiting = Waiting(&self.waiting);
        if before >= WAITING {
            return Err(Refusal::busy(format!(
                "{before} computations wait already; try again soon"
            )));
        }
        let lost = self.lost.load(Ordering::Relaxed);
        if lost >= MOST_LOST {
            return Err(Refusal::busy(format!(
                "{lost} computations that nobody waits for have not ended yet; try again soon"
            )));
        }
        Arc::clone(&self.short).acquire_owned().await.map_err(|_| Refusal::busy("the server stops"))
    }
}

fn crashed() -> Refusal {
    Refusal::wrong("the computation itself failed; the terminal of the server says where")
}

/// Frames as the body of an answer; dropping it stops the computation.
struct Frames {
    first: Option<Bytes>,
    receiver: mpsc::Receiver<Bytes>,
    _stopper: Stopper,
}

impl http_body::Body for Frames {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        if let Some(first) = self.first.take() {
            return Poll::Ready(Some(Ok(Frame::data(first))));
        }
        self.receiver.poll_recv(context).map(|bytes| bytes.map(|bytes| Ok(Frame::data(bytes))))
    }
}

#[cfg(test)]
#[path = "jobs_tests.rs"]
mod tests;
