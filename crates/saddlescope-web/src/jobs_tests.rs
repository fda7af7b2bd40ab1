use std::sync::atomic::AtomicU64;
use std::sync::mpsc as channel;

use tokio::runtime::{Builder, Runtime};
use tokio::time::{sleep, timeout};

use super::*;

/// After this, a test that hangs is given up.
const GIVE_UP: Duration = Duration::from_secs(600);

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_time().build().unwrap()
}

/// Lets time pass on the clock of a test, in small pieces, until something holds.
async fn pass(milliseconds: &AtomicU64, holds: impl Fn() -> bool) {
    let passing = async {
        while !holds() {
            sleep(Duration::from_millis(2)).await;
            milliseconds.fetch_add(10, Ordering::Relaxed);
        }
    };
    timeout(GIVE_UP, passing).await.expect("it never holds");
}

#[test]
fn who_does_not_hear_loses_its_place() {
    let milliseconds = Arc::<AtomicU64>::default();
    let read = Arc::clone(&milliseconds);
    let now = move || Duration::from_millis(read.load(Ordering::Relaxed));
    let clock = Clock::new(now, Duration::from_millis(1));
    let jobs = Arc::new(Jobs::new(Duration::from_secs(600), clock));
    let (end, ended) = channel::channel::<()>();
    let (begun, ended) = (Arc::<AtomicUsize>::default(), Arc::new(Mutex::new(ended)));
    let deaf = || {
        let (jobs, begun, ended) = (Arc::clone(&jobs), Arc::clone(&begun), Arc::clone(&ended));
        let work = move |_: &mut Job| {
            begun.fetch_add(1, Ordering::Relaxed);
            // Until the test lets it end.
            let _ = ended.lock().unwrap().recv();
            Ok(())
        };
        tokio::spawn(async move { jobs.once(work).await })
    };
    let lost = || jobs.lost.load(Ordering::Relaxed);
    runtime().block_on(async {
        let places = jobs.short.available_permits() + jobs.long.available_permits();
        let places = places.min(MOST_LOST - 1);
        let waiting: Vec<_> = (0..places).map(|_| deaf()).collect();
        pass(&milliseconds, || begun.load(Ordering::Relaxed) == places).await;
        assert_eq!(lost(), 0, "somebody waits for them");
        waiting.iter().for_each(tokio::task::JoinHandle::abort);
        let other = Arc::clone(&jobs);
        let other = tokio::spawn(async move { other.once(|_| Ok(())).await });
        pass(&milliseconds, || other.is_finished()).await;
        assert!(other.await.unwrap().is_ok());
        pass(&milliseconds, || lost() == places).await;
        drop(end);
        pass(&milliseconds, || lost() == 0).await;
    });
}

#[test]
fn a_place_is_free_as_soon_as_its_computation_is_over() {
    // The clock is not looked at before the test is over.
    let jobs = Jobs::new(GIVE_UP, Clock::new(|| Duration::ZERO, 2 * GIVE_UP));
    let many = async {
        for _ in 0..20 * jobs.short.available_permits() {
            jobs.once(|_| Ok(())).await.unwrap();
        }
    };
    runtime().block_on(async { timeout(GIVE_UP, many).await.expect("no place is free") });
}
