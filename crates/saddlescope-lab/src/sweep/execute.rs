//! The members of a sweep run on all cores, in batches that become parts of the table.

use saddlescope::analysis::stages::Settings as Search;
use saddlescope_spec::claim::{Agreement, Claim, Evidence, Trial};

use super::*;
use crate::check::ClaimCheck;
use crate::compose::fits;
use crate::plan::{Session, Watch, lock};

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

// One member of a sweep: run, and read into a row of the table.

/// How much further off a number of theory may be and still hold approximately.
const LOOSER: f64 = 3.0;

pub(super) struct Request {
    pub(super) settings: settings::Sweep,
    claims: Vec<&'static Claim>,
    requested: Vec<Requested>,
    /// Verdicts hang on the seed alone.
    verdicts: Mutex<HashMap<(&'static str, u64), String>>,
}

pub(super) enum NoRow {
    /// It cannot run, for a reason that its row tells.
    Failed(String),
    Stopped,
    /// Its run cannot be kept, which another try may change.
    Unkept(String),
}

impl Request {
    pub(super) fn new(settings: settings::Sweep, plan: &Plan, claims: Vec<&'static Claim>) -> Self {
        Self { settings, claims, requested: plan.outcomes.clone(), verdicts: Mutex::default() }
    }

    /// Whether what is asked for is recorded at all, found out before anything runs.
    pub(super) fn check(&self, run: &Run) -> Result<(), String> {
        let columns = run.columns();
        for pattern in &self.settings.observables {
            if !columns.iter().any(|column| fits(pattern, column)) {
                return Err(format!(
                    "sweep.observables names `{pattern}`, which is not recorded; record.observables \
                     gives {}",
                    crate::nearest::families(&columns).join(", ")
                ));
            }
        }
        Ok(())
    }

    /// Runs a member; in a folder where it is to be kept.
    pub(super) fn run(
        &self,
        member: &Member,
        watch: &Watch<'_>,
        keep: Option<(&Path, &Arc<AtomicBool>, &Registry)>,
    ) -> Result<RunRow, NoRow> {
        let experiment = &member.experiment;
        let run = Run::new(experiment).map_err(|error| NoRow::Failed(reason(&error)))?;
        self.check(&run).map_err(NoRow::Failed)?;
        let tell = |glimpse, steps| watch.control(&run, glimpse, steps);
        let finished = match keep {
            None => run.execute(tell),
            Some((place, stop, registry)) => {
                let kept = store::execute(&run, place, false, stop, registry, tell);
                let kept = kept.map_err(|error| NoRow::Unkept(error.to_string()))?;
                let RunResult { trajectory, state, facts, .. } = kept;
                let (seconds, simd) = (facts.seconds, simd::level());
                RunEnding { trajectory, state, end: facts.end, seconds, simd }
            }
        };
        if finished.end.ended() == Some(Ending::Interrupted) {
            return Err(NoRow::Stopped);
        }
        Ok(self.row(&run, &finished, member.seed))
    }

    fn row(&self, run: &Run, finished: &RunEnding, seed: u64) -> RunRow {
        let stages = match self.settings.stages {
            true => run.stages(finished, &Search::default()).ok(),
            false => None,
        };
        let (end, mut outcomes) = (&finished.end, run.outcomes(finished));
        crate::outcomes::with_requested(&self.requested, &finished.trajectory, &mut outcomes);
        let mut row = RunRow::new(end, finished.seconds, stages.as_ref(), &outcomes);
        let plateaus = stages.iter().flat_map(|found| &found.plateaus).enumerate();
        for (m, plateau) in plateaus {
            row.put(Outcome::new(format!("plateau.{}", m + 1), plateau.height));
        }
        // What is asked for of the end is that of the last row that was recorded.
        self.last_values(finished).into_iter().for_each(|cell| row.put(cell));
        // Theory speaks of the flow's time, which not every rule has.
        let on_clock = end.phases.last().is_some_and(|phase| phase.flow_time);
        if self.settings.theory && on_clock {
            for prediction in run.predictions(finished) {
                self.against(&prediction, &row).into_iter().for_each(|cell| row.put(cell));
            }
        }
        for claim in &self.claims {
            row.put(Outcome::new(format!("claim.{}", claim.id), self.verdict(claim, seed)));
        }
        row
    }

    fn last_values(&self, finished: &RunEnding) -> Vec<Outcome> {
        let trajectory = &finished.trajectory;
        let Some(last) = trajectory.rows().checked_sub(1) else { return Vec::new() };
        let mut cells = Vec::new();
        for series in trajectory.series() {
            for (name, &value) in series.column_names().iter().zip(series.row(last)) {
                if self.settings.observables.iter().any(|pattern| fits(pattern, name)) {
                    cells.push(Outcome::new(format!("end.{name}"), value));
                }
            }
        }
        cells
    }

    /// A number of theory beside what was measured.
    fn against(&self, prediction: &Prediction, row: &RunRow) -> Vec<Outcome> {
        let Says::Number(predicted) = prediction.says else { return Vec::new() };
        let name = format!("{}.{}", prediction.name, prediction.of);
        let verdict = match row.measured(&prediction.of) {
            None => "not reached",
            Some(found) => {
                let (mut evidence, tolerance) = (Evidence::default(), self.settings.tolerance);
                let compared = evidence.of(&name).rel(predicted, found, tolerance);
                match compared.loosely(LOOSER * tolerance).agreement() {
                    Agreement::Within => "holds",
                    Agreement::Loosely => "holds approximately",
                    Agreement::Unclear | Agreement::Outside => "does not hold",
                }
            }
        };
        vec![
            Outcome::new(format!("theory.{name}"), predicted),
            Outcome::new(format!("claim.{name}"), verdict),
        ]
    }

    /// The verdict on a claim of the paper, gathered with this seed.
    fn verdict(&self, claim: &'static Claim, seed: u64) -> String {
        if let Some(verdict) = lock(&self.verdicts).get(&(&*claim.id, seed)) {
            return verdict.clone();
        }
        let verdict = ClaimCheck::new(claim, Trial { seed }).verdict.words().to_owned();
        lock(&self.verdicts).insert((&*claim.id, seed), verdict.clone());
        verdict
    }
}

/// The columns of members in the order of their numbers, `first` and so on.
pub(super) fn table(plan: &Plan, members: Vec<(usize, Member, RunRow)>) -> Vec<Column> {
    let numbers = members.iter().map(|(number, ..)| i64::try_from(*number).ok());
    let mut columns = vec![Column::integers("member", numbers)];
    let (members, rows): (Vec<_>, Vec<_>) =
        members.into_iter().map(|(_, member, row)| (member, Some(row))).unzip();
    let mut batch = plan.clone();
    batch.members = members;
    columns.extend(RunTable::new(&batch, &rows).into_columns());
    columns
}

/// Why a run cannot be, without the place where that was written: the table must not depend on who made it.
fn reason(error: &Error) -> String {
    let wrong = error.settings().first();
    wrong.map_or_else(|| error.to_string(), |wrong| wrong.problem.to_string())
}
