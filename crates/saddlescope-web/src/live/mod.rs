//! Problems to play with: a run is computed again whenever somebody moves a slider; and the saddle ladder of such a run.

pub(crate) mod problem;

use saddlescope::analysis::saddle::Search;
use saddlescope::record::{Glimpse, Recording};
use saddlescope_lab::facts::RunResult;
use saddlescope_lab::report;
use saddlescope_lab::run::RunEnding;
use saddlescope_lab::saddles::{CertifiedState, certify_known, certify_run};

use crate::frames::{End, Failed, Part, Rows, numbers, words};
use crate::prelude::*;
use crate::request::{self, RunBody, prepare};

/// A run that somebody wants to see.
#[derive(Debug)]
pub(crate) struct Live {
    requested: RequestedRun,
    observables: Vec<String>,
}

impl Live {
    pub(crate) fn read(body: &[u8], registry: &Registry) -> Result<Self, Refusal> {
        #[derive(Deserialize)]
        struct Body {
            #[serde(flatten)]
            run: RunBody,
            observables: Option<Vec<String>>,
        }
        let Body { run, observables } = request::read(body)?;
        let requested = RequestedRun::new(&run, registry)?;
        Ok(Self { requested, observables: observables.unwrap_or_default() })
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

fn end(member: &Member, run: &Run, problem: Arc<ProblemFacts>, finished: RunEnding) -> Bytes {
    let result = RunResult::of(run, finished, problem);
    let rows = Rows::new(&result.problem, &result.trajectory);
    let facts = result.member_facts(member);
    let head = FrameHead::End(Box::new(End { facts, stored: None, rows }));
    numbers(&head, &result.trajectory)
}

/// Most saddles of theory that are certified for a ladder; the others are only listed.
const MOST_KNOWN: usize = 64;

/// The ladder of a run.
#[derive(Serialize)]
pub(crate) struct Saddles<'a> {
    known: Vec<KnownFacts<'a>>,
    visited: &'a [CertifiedState],
    /// How many saddles theory knows; where these are too many, none is certified.
    count: usize,
}

/// A saddle of theory.
#[derive(Serialize)]
struct KnownFacts<'a> {
    #[serde(flatten)]
    certificate: &'a CertifiedState,
    rank: usize,
}

/// The ladder of the run in the body of a request.
pub(crate) fn ladder(body: &[u8], job: &mut Job, options: &Options) -> Result<Value, Refusal> {
    let requested = RequestedRun::new(&request::read(body)?, &options.registry)?;
    let run = prepare(&requested.check(&options.registry)?, options.memory)?;
    let (problem, search) = (&run.problem, Search::default());
    let visited = certify_run(&run, &search, &job.stop)?;
    let saddles = &problem.saddles;
    let known = match saddles.len() <= MOST_KNOWN {
        true => certify_known(problem, &search, &job.stop)?,
        false => Vec::new(),
    };
    let ranked = known.iter().zip(saddles.iter());
    let ranked = ranked.map(|(certificate, saddle)| KnownFacts { certificate, rank: saddle.rank });
    Ok(report::value(&Saddles { known: ranked.collect(), visited: &visited, count: saddles.len() }))
}
