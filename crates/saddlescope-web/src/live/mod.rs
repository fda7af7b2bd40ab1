//! Worlds to play with: a run is computed anew while somebody moves a slider.

pub(crate) mod world;

use axum::body::Bytes;
use saddlescope::record::{Glimpse, Recording};
use saddlescope_lab::campaign::Carried;
use saddlescope_lab::facts::facts;
use saddlescope_lab::run::Run;
use saddlescope_lab::store::Hash;
use serde_json::json;

use crate::answer::Refusal;
use crate::frames::frame;
use crate::jobs::Desk;
use crate::rows::rows;
use crate::wanted::{Checked, Wanted, object, texts};

/// A run that somebody wants to see.
#[derive(Debug)]
pub(crate) struct Live {
    wanted: Wanted,
    observables: Vec<String>,
}

impl Live {
    /// Reads the body of a request.
    pub(crate) fn read(body: &[u8]) -> Result<Self, Refusal> {
        let object = object(body)?;
        Ok(Self { wanted: Wanted::read(&object)?, observables: texts(&object, "observables")? })
    }

    /// Runs it, and sends the world, what was recorded until now and then, and what it came to.
    pub(crate) fn compute(&self, desk: &mut Desk, most: u64) -> Result<(), Refusal> {
        let checked = self.wanted.check()?;
        let run = checked.prepare(most)?;
        let patterns = world::recorded(&run, &self.observables);
        let run = run.observing(patterns, most)?;
        desk.send(frame(&world::world(&checked.member.experiment, &run), &[]));
        let stop = std::sync::Arc::clone(&desk.stop);
        let finished = run.execute_shown(&stop, |recording, glimpse, steps| {
            desk.offer(|| part(&run, recording, glimpse, steps));
        });
        if let Some(words) = desk.too_late() {
            let error = json!({ "kind": "failed", "error": words });
            desk.send(frame(&error, &[]));
        } else if !desk.stopped() {
            desk.send(end(&checked, &run, finished));
        }
        Ok(())
    }
}

/// What was recorded so far.
fn part(run: &Run, recording: &Recording, glimpse: Glimpse, steps: u64) -> Bytes {
    let mut head = json!({
        "kind": "part", "done": run.part_done(glimpse, steps), "time": glimpse.time,
        "loss": glimpse.loss, "step": steps,
    });
    rows(&mut head, run, &recording.so_far())
}

/// What the run came to.
fn end(checked: &Checked, run: &Run, finished: saddlescope_lab::run::Finished) -> Bytes {
    let experiment = &checked.member.experiment;
    let hash = Hash::of_run(experiment, run.leg_steps(), &Hash::of_inputs(run.world()));
    let carried = Carried::new(run, finished, run.figure(), (hash, None));
    let mut head = json!({ "kind": "end", "facts": facts(&checked.member, &carried) });
    rows(&mut head, run, &carried.finished.trajectory)
}
