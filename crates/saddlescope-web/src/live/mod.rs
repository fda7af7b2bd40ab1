//! Problems to play with: a run is computed again whenever somebody moves a slider.

pub(crate) mod problem;

use std::sync::Arc;

use axum::body::Bytes;
use saddlescope::record::{Glimpse, Recording};
use saddlescope_lab::facts::{ProblemFacts, RunResult};
use saddlescope_lab::plan::Member;
use saddlescope_lab::registry::Registry;
use saddlescope_lab::run::{Run, RunEnding};

use crate::Options;
use crate::answer::Refusal;
use crate::jobs::Job;
use crate::request::{RequestedRun, object, prepare, texts};
use crate::rows::{End, Failed, FrameHead, Part, Rows, numbers, words};

/// A run that somebody wants to see.
#[derive(Debug)]
pub(crate) struct Live {
    requested: RequestedRun,
    observables: Vec<String>,
}

impl Live {
    /// Reads the body of a request.
    pub(crate) fn read(body: &[u8], registry: &Registry) -> Result<Self, Refusal> {
        let object = object(body)?;
        let requested = RequestedRun::read(&object, registry)?;
        Ok(Self { requested, observables: texts(&object, "observables")? })
    }

    /// Runs it, and sends the problem, what was recorded until now and then, and what it came to.
    pub(crate) fn compute(&self, job: &mut Job, options: &Options) -> Result<(), Refusal> {
        let most = options.memory;
        let member = self.requested.check(&options.registry)?;
        let run = prepare(&member, most)?;
        let patterns = problem::recorded(&run, &self.observables);
        let run = run.observing(patterns, most)?;
        let facts = Arc::new(ProblemFacts::new(&run));
        job.send(words(&problem::problem(&run.experiment, &facts)));
        let stop = Arc::clone(&job.stop);
        let finished = run.execute_shown(&stop, |recording, glimpse, steps| {
            job.offer(|| part((&run, &facts), recording, glimpse, steps));
        });
        if let Some(error) = job.too_late() {
            job.send(words(&FrameHead::Failed(Failed { error })));
        } else if !job.stopped() {
            job.send(end(&member, &run, facts, finished));
        }
        Ok(())
    }
}

/// What was recorded so far.
fn part(
    (run, problem): (&Run, &ProblemFacts),
    recording: &Recording,
    glimpse: Glimpse,
    step: u64,
) -> Bytes {
    let trajectory = recording.so_far();
    let head = FrameHead::Part(Part {
        done: run.part_done(glimpse, step),
        time: glimpse.time,
        loss: glimpse.loss,
        step,
        rows: Rows::new(problem, &trajectory),
    });
    numbers(&head, &trajectory)
}

/// What the run came to.
fn end(member: &Member, run: &Run, problem: Arc<ProblemFacts>, finished: RunEnding) -> Bytes {
    let result = RunResult::of(run, finished, problem);
    let rows = Rows::new(&result.problem, &result.trajectory);
    let facts = result.member_facts(member);
    let head = FrameHead::End(Box::new(End { facts, stored: None, rows }));
    numbers(&head, &result.trajectory)
}
