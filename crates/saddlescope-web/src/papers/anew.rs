//! Figures and verdicts made anew, while somebody waits and watches.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Instant;

use saddlescope_lab::campaign::Campaign;
use saddlescope_lab::check::{self, ClaimCheck};
use saddlescope_lab::plan::Progress;
use saddlescope_spec::claim::Trial;

use crate::frames::frame;
use crate::prelude::*;
use crate::runs::whole;

/// How often somebody who waits is told how far it is.
const BREATH: Duration = Duration::from_millis(100);

/// Stack of a thread that gathers evidence, in bytes: as large as that of a program's first thread.
const STACK: usize = 8 << 20;

/// Carries out a shipped experiment at its quick size and draws its figure.
pub(super) fn reproduce(name: &str, job: &mut Job, registry: &Registry) -> Result<(), Refusal> {
    let Some(shipped) = registry.experiment(name) else {
        return Err(Refusal::missing(format!("no experiment is called `{name}`")));
    };
    let plan = Plan::from_text(shipped.name, shipped.text, &Changes::default(), registry)?;
    let stop = Arc::clone(&job.stop);
    job.send(frame(&progress(0.0, 0, plan.members.len()), &[]));
    let told = Mutex::new((Instant::now(), &mut *job));
    let tell = |now: &Progress| {
        let mut told = told.lock().unwrap_or_else(PoisonError::into_inner);
        let (last, job) = &mut *told;
        if last.elapsed() >= BREATH {
            *last = Instant::now();
            job.send(frame(&progress(now.fraction(), now.over, now.total), &[]));
        }
    };
    let campaign = Campaign { registry, folder: None, force: false, stop, progress: &tell };
    let results = campaign.run(&plan);
    if job.stopped() {
        let words = job.too_late().unwrap_or_else(|| "stopped".to_owned());
        job.send(frame(&json!({ "kind": "failed", "error": words }), &[]));
        return Ok(());
    }
    let end = match results.figure() {
        Err(error) => {
            let failures = results.failures();
            let why = failures.first().map(|(label, why)| format!("{label}: {why}"));
            json!({ "kind": "failed", "error": why.unwrap_or_else(|| error.to_string()) })
        }
        Ok(figure) => {
            let columns: Vec<Value> = results.table.columns().iter().map(whole).collect();
            let failure = |(label, why)| json!({ "run": label, "error": why });
            let failures: Vec<Value> = results.failures().into_iter().map(failure).collect();
            json!({
                "kind": "end", "svg": figure.draw().svg(), "failures": failures,
                "table": { "columns": columns },
            })
        }
    };
    job.send(frame(&end, &[]));
    Ok(())
}

fn progress(done: f64, over: usize, total: usize) -> Value {
    json!({ "kind": "progress", "done": done, "over": over, "total": total })
}

pub(super) fn check(id: &str, job: &mut Job, registry: &Registry) -> Result<(), Refusal> {
    let Some(&claim) = registry.claims()?.iter().find(|claim| claim.id == id) else {
        let words = match check::select(registry, &[id]) {
            Err(unknown) => unknown.to_string(),
            Ok(_) => format!("`{id}` is not the whole name of a claim"),
        };
        return Err(Refusal::missing(words));
    };
    let under_way = frame(&json!({ "kind": "progress", "done": null, "over": 0, "total": 1 }), &[]);
    job.send(under_way.clone());
    let (done, ended) = mpsc::channel();
    let gather = move || {
        // Nobody may be there to hear it.
        let _ = done.send(ClaimCheck::new(claim, Trial::default()));
    };
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(gather);
    thread.map_err(|error| Refusal::busy(format!("there is no thread for it: {error}")))?;
    // A claim cannot be interrupted. Its place is kept until it ends, but not a place of those who come and go.
    let mut late = false;
    let end = loop {
        match ended.recv_timeout(BREATH) {
            Ok(checked) => {
                break json!({ "kind": "end", "claim": check::json(&[checked])["claims"][0].take() });
            }
            Err(RecvTimeoutError::Timeout) => match job.too_late() {
                Some(words) if !late => {
                    late = true;
                    job.send(frame(&json!({ "kind": "failed", "error": words }), &[]));
                }
                Some(_) => {}
                None => job.offer(|| under_way.clone()),
            },
            Err(RecvTimeoutError::Disconnected) => {
                let words = "the check itself failed; the terminal of the server says where";
                break json!({ "kind": "failed", "error": words });
            }
        }
    };
    if !late {
        job.send(frame(&end, &[]));
    }
    Ok(())
}
