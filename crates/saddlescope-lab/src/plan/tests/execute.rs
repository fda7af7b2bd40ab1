//! Members on all cores: order, failures, stopping, memory, progress.

use std::sync::atomic::AtomicU64;

use super::*;
use crate::plan::Progress;

fn many() -> Plan {
    plan(&format!("seeds = 40\n{TOP}"))
}

#[test]
fn results_come_in_the_order_of_the_plan_and_failures_stay_alone() {
    let plan = many();
    for workers in [1, 3, 100] {
        let executor = Executor { workers, ..Executor::default() };
        let done = [const { AtomicBool::new(false) }; 40];
        let ended = plan.execute(&executor, |member, _| {
            let seed = member.seed;
            // Of two neighbours, the later is done first.
            while workers > 1 && seed % 2 == 0 && !done[seed as usize + 1].load(Ordering::SeqCst) {
                std::thread::yield_now();
            }
            done[seed as usize].store(true, Ordering::SeqCst);
            match seed {
                7 => Err("seven"),
                9 => panic!("nine"),
                seed => Ok(seed),
            }
        });
        for (seed, ended) in ended.iter().enumerate() {
            match seed {
                7 => assert_eq!(ended, &Execution::Failed("seven")),
                9 => assert_eq!(ended, &Execution::Crashed("nine".into())),
                _ => assert_eq!(ended.done(), Some(&(seed as u64))),
            }
        }
    }
}

#[test]
fn what_has_not_begun_is_stopped() {
    let plan = many();
    let executor = Executor { workers: 2, ..Executor::default() };
    let ended = plan.execute(&executor, |member, watch| {
        if member.seed == 10 {
            executor.stop.store(true, Ordering::Relaxed);
            assert!(watch.stopped());
        }
        Ok::<_, ()>(member.seed)
    });
    assert!(ended[..10].iter().all(|ended| ended.done().is_some()));
    // The other thread may have been on its way into the next one.
    assert!(ended[12..].iter().all(|ended| *ended == Execution::NotBegun));
}

#[test]
fn members_that_run_at_once_share_the_memory() {
    let plan = many();
    let [running, most, most_small] = [const { AtomicU64::new(0) }; 3];
    let executor = Executor {
        workers: 8,
        available: 25,
        bytes: &|member| if member.seed == 3 { 99 } else { 10 },
        ..Executor::default()
    };
    let ended = plan.execute(&executor, |member, _| {
        let own = (executor.bytes)(member);
        let now = running.fetch_add(own, Ordering::SeqCst) + own;
        most.fetch_max(now, Ordering::SeqCst);
        if own == 10 {
            most_small.fetch_max(now, Ordering::SeqCst);
        }
        // The first waits for company, which comes if there is room for two.
        while member.seed == 0 && most_small.load(Ordering::SeqCst) < 20 {
            std::thread::yield_now();
        }
        running.fetch_sub(own, Ordering::SeqCst);
        Ok::<_, ()>(())
    });
    assert!(ended.iter().all(|ended| ended.done().is_some()));
    assert_eq!(most_small.into_inner(), 20, "two at a time");
    assert_eq!(most.into_inner(), 99, "the large one alone");
}

#[test]
fn progress_is_told_in_order() {
    let plan = many();
    let told: Mutex<Vec<Progress>> = Mutex::default();
    let progress = |progress: &Progress| told.lock().unwrap().push(progress.clone());
    let executor = Executor { workers: 4, progress: &progress, ..Executor::default() };
    plan.execute(&executor, |member, watch| {
        watch.at(0.5);
        if member.seed == 3 { Err(()) } else { Ok(()) }
    });
    let told = told.into_inner().unwrap();
    assert_eq!(told.len(), 3 * 40, "begun, half way, over");
    assert!(told.windows(2).all(|pair| pair[0].over <= pair[1].over));
    assert!(told.windows(2).all(|pair| pair[0].elapsed <= pair[1].elapsed));
    assert!(told.iter().all(|p| p.running.len() <= 4 && p.total == 40));
    let last = told.last().unwrap();
    assert_eq!((last.over, last.failed, last.running.len(), last.fraction()), (40, 1, 0, 1.0));
    let half = Progress {
        over: 2,
        failed: 0,
        total: 10,
        running: vec![(2, Some(0.5)), (3, None)],
        elapsed: Duration::from_secs(5),
    };
    assert_eq!(half.fraction(), 0.25);
    assert_eq!(half.left(), Some(Duration::from_secs(15)));
    assert_eq!(Progress { over: 0, running: Vec::new(), ..half }.left(), None);
}
