//! The members of a sweep run on all cores, in batches that become parts of the table.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use saddlescope_spec::settings::sweep::Keep;

use super::Sweep;
use super::folder::Folder;
use super::member::{NoRow, table};
use crate::error::{Error, ErrorKind, Result};
use crate::plan::{Execution, Executor, Member, RunRow, Session, lock};

/// How long the members of a batch take together, about: what a power cut costs.
const BATCH: Duration = Duration::from_secs(2);

const MOST: usize = 8192;

/// Failed members that are named one by one.
const NAMED: usize = 100;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SweepResult {
    pub ran: usize,
    /// Members that had run before.
    pub before: usize,
    pub failed: usize,
    /// The first of those, each with the reason.
    pub reasons: BTreeMap<usize, String>,
    pub stopped: bool,
}

impl Sweep {
    /// Runs all members of `range` that have no row in `folder` yet. What is done stays done, whatever happens.
    pub fn run(
        &self,
        folder: &Folder,
        range: Range<usize>,
        executor: &Executor<'_>,
    ) -> Result<SweepResult> {
        let missing = folder.missing(range.clone())?;
        let total: usize = missing.iter().map(Range::len).sum();
        let team = Team {
            sweep: self,
            folder,
            queue: Mutex::new(Queue::new(missing, executor.workers.max(1))),
            session: Session::new(executor, total),
            stop: &executor.stop,
            done: Mutex::new(SweepResult { before: range.len() - total, ..SweepResult::default() }),
            error: Mutex::new(None),
        };
        team.session.on_workers(total, || team.work());
        if let Some(error) = lock(&team.error).take() {
            return Err(error);
        }
        let mut done = lock(&team.done).clone();
        done.stopped = done.ran + done.before < range.len();
        Ok(done)
    }

    /// Whether the folder of a member's run is asked for.
    fn keeps(&self, member: usize) -> bool {
        match &self.request.settings.keep {
            Keep::None => false,
            Keep::All => true,
            Keep::Members(members) => members.contains(&(member as f64)),
        }
    }
}

struct Team<'a> {
    sweep: &'a Sweep,
    folder: &'a Folder,
    queue: Mutex<Queue>,
    session: Session<'a>,
    stop: &'a Arc<AtomicBool>,
    done: Mutex<SweepResult>,
    /// What ends everything, such as that rows can no longer be written.
    error: Mutex<Option<Error>>,
}

impl Team<'_> {
    fn stopped(&self) -> bool {
        self.session.stopped() || lock(&self.error).is_some()
    }

    fn work(&self) {
        while !self.stopped() {
            let next = lock(&self.queue).next();
            let Some(batch) = next else { break };
            // Another process may be at work on the same folder.
            let left = match self.folder.missing(batch.clone()) {
                Ok(left) => left,
                Err(error) => return self.fail(error),
            };
            let others = batch.len() - left.iter().map(Range::len).sum::<usize>();
            lock(&self.done).before += others;
            for batch in left {
                let began = Instant::now();
                let rows = self.batch(batch);
                let ran = rows.len();
                if let Err(error) = self.add(rows) {
                    self.fail(error);
                }
                lock(&self.queue).took(ran, began.elapsed());
            }
        }
    }

    fn fail(&self, error: Error) {
        lock(&self.error).get_or_insert(error);
    }

    /// Runs members one after the other until all are over, or everything is to stop.
    fn batch(&self, batch: Range<usize>) -> Vec<(usize, Member, RunRow)> {
        let mut rows = Vec::with_capacity(batch.len());
        for index in batch {
            if self.stopped() {
                break;
            }
            let (member, wrong) = match self.sweep.plan.member(index) {
                Ok(member) => (member, None),
                Err(reason) => (self.sweep.plan.outline(index), Some(reason)),
            };
            let place = self.sweep.keeps(index).then(|| self.folder.run(&member.label));
            let registry = &self.sweep.registry;
            let keep = place.as_deref().map(|place| (place, self.stop, registry));
            let ended = self.session.run(index, &member, |member, watch| match wrong {
                Some(reason) => Err(NoRow::Failed(reason)),
                None => self.sweep.request.run(member, watch, keep),
            });
            let row = match ended {
                Execution::Done(row) => row,
                Execution::Failed(NoRow::Failed(reason)) => RunRow::failed(&reason),
                Execution::Crashed(words) => {
                    RunRow::failed(&format!("the program itself failed: {words}"))
                }
                Execution::Failed(NoRow::Unkept(error)) => {
                    let words = format!(
                        "member {index} cannot be kept: {error}\n  what is done is kept: the same \
                         command goes on"
                    );
                    self.fail(Error::new(ErrorKind::Computation, words));
                    break;
                }
                Execution::Failed(NoRow::Stopped) | Execution::NotBegun => break,
            };
            rows.push((index, member, row));
        }
        rows
    }

    fn add(&self, rows: Vec<(usize, Member, RunRow)>) -> Result<()> {
        let (Some(first), Some(last)) = (rows.first(), rows.last()) else { return Ok(()) };
        let members = first.0..last.0 + 1;
        let failed: Vec<(usize, String)> = rows
            .iter()
            .filter_map(|(index, _, row)| Some((*index, row.reason()?.to_owned())))
            .collect();
        self.folder.add(members.clone(), &table(&self.sweep.plan, rows))?;
        let mut done = lock(&self.done);
        done.ran += members.len();
        done.failed += failed.len();
        let room = NAMED.saturating_sub(done.reasons.len());
        done.reasons.extend(failed.into_iter().take(room));
        Ok(())
    }
}

/// Hands out batches that take about as long as each other.
struct Queue {
    missing: std::collections::VecDeque<Range<usize>>,
    workers: usize,
    left: usize,
    ran: usize,
    took: Duration,
}

impl Queue {
    fn new(missing: Vec<Range<usize>>, workers: usize) -> Self {
        let left = missing.iter().map(Range::len).sum();
        Self { missing: missing.into(), workers, left, ran: 0, took: Duration::ZERO }
    }

    fn next(&mut self) -> Option<Range<usize>> {
        let range = self.missing.front_mut()?;
        let each = self.took.as_secs_f64() / self.ran as f64;
        let enough = match self.ran {
            0 => 1,
            _ => (BATCH.as_secs_f64() / each.max(1e-9)) as usize,
        };
        // Towards the end batches get smaller, so that all threads end together; and one quick member is no law.
        let fair = if self.workers == 1 { self.left } else { self.left / (2 * self.workers) };
        let size = enough.min(fair).min(4 * self.ran).clamp(1, MOST).min(range.len());
        let batch = range.start..range.start + size;
        range.start += size;
        self.left -= size;
        if range.start == range.end {
            self.missing.pop_front();
        }
        Some(batch)
    }

    fn took(&mut self, ran: usize, time: Duration) {
        self.ran += ran;
        self.took += time;
    }
}
