//! The saddle ladder of a run: what theory knows, what the run comes by, each with its certificate.

use saddlescope::analysis::saddle::Search;
use saddlescope_lab::saddles::{SaddleError, certificates_json, certify_known, certify_run};
use serde_json::{Value, json};

use crate::answer::Refusal;
use crate::jobs::Desk;
use crate::wanted::{Wanted, object};

/// Most saddles of theory that are certified for a ladder; the others are only listed.
const MOST_KNOWN: usize = 64;

/// The ladder of the run in the body of a request.
pub(crate) fn ladder(body: &[u8], desk: &mut Desk, most: u64) -> Result<Value, Refusal> {
    let wanted = Wanted::read(&object(body)?)?;
    let run = wanted.check()?.prepare(most)?;
    let (world, search) = (run.world(), Search::default());
    let visited = certify_run(world, run.stages(), run.seed(), &search, &desk.stop)
        .map_err(|error| refusal(&error))?;
    let saddles = world.saddles();
    let mut known = Vec::new();
    if saddles.len() <= MOST_KNOWN {
        let certified =
            certify_known(world, &search, &desk.stop).map_err(|error| refusal(&error))?;
        known = match certificates_json(&certified) {
            Value::Array(known) => known,
            _ => Vec::new(),
        };
    }
    for (certificate, saddle) in known.iter_mut().zip(&saddles) {
        certificate["rank"] = saddle.rank.into();
    }
    Ok(json!({
        "known": known,
        "visited": certificates_json(&visited),
        "count": saddles.len(),
    }))
}

fn refusal(error: &SaddleError) -> Refusal {
    Refusal::wrong(error.to_string())
}
