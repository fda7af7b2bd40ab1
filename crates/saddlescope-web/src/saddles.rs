//! The saddle ladder of a run: what theory knows, what the run comes by, each with its certificate.

use saddlescope::analysis::saddle::Search;
use saddlescope_lab::error::Error;
use saddlescope_lab::report;
use saddlescope_lab::saddles::{CertifiedState, certify_known, certify_run};
use serde::Serialize;
use serde_json::Value;

use crate::Options;
use crate::answer::Refusal;
use crate::jobs::Job;
use crate::request::{RequestedRun, object, prepare};

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
    let requested = RequestedRun::read(&object(body)?, &options.registry)?;
    let run = prepare(&requested.check(&options.registry)?, options.memory)?;
    let (problem, search) = (&run.problem, Search::default());
    let visited = certify_run(&run, &search, &job.stop).map_err(|error| refusal(&error))?;
    let saddles = &problem.saddles;
    let known = match saddles.len() <= MOST_KNOWN {
        true => certify_known(problem, &search, &job.stop).map_err(|error| refusal(&error))?,
        false => Vec::new(),
    };
    let ranked = known
        .iter()
        .zip(saddles.iter())
        .map(|(certificate, saddle)| KnownFacts { certificate, rank: saddle.rank });
    Ok(report::value(&Saddles { known: ranked.collect(), visited: &visited, count: saddles.len() }))
}

fn refusal(error: &Error) -> Refusal {
    Refusal::wrong(error.to_string())
}
