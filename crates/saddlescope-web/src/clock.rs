//! The clock on which limits of time are measured: that of the machine, or of a test.

use std::pin::pin;
use std::time::Instant;

use tokio::time::timeout;

use crate::prelude::*;

/// How often the clock of the machine is looked at.
const TICK: Duration = Duration::from_millis(25);

/// A clock that is looked at now and then.
#[derive(Clone)]
pub(crate) struct Clock {
    now: Arc<dyn Fn() -> Duration + Send + Sync>,
    tick: Duration,
}

impl Clock {
    pub(crate) fn of_the_machine() -> Self {
        let began = Instant::now();
        Self::new(move || began.elapsed(), TICK)
    }

    /// A clock that tells the time as `now` does, and is looked at every `tick`.
    pub(crate) fn new(now: impl Fn() -> Duration + Send + Sync + 'static, tick: Duration) -> Self {
        Self { now: Arc::new(now), tick }
    }

    pub(crate) fn now(&self) -> Duration {
        (self.now)()
    }

    /// What a future gives, if it does before the clock is looked at again.
    pub(crate) async fn tick<F: Future>(&self, future: F) -> Option<F::Output> {
        timeout(self.tick, future).await.ok()
    }

    /// What a future gives, if it does within a limit.
    pub(crate) async fn within<F: Future>(&self, limit: Duration, future: F) -> Option<F::Output> {
        let (began, mut future) = (self.now(), pin!(future));
        loop {
            let output = self.tick(&mut future).await;
            if output.is_some() || self.now() - began > limit {
                return output;
            }
        }
    }
}
