//! `stages.json`: how a run ended and the stages of its loss, in numbers that come back bit by bit.

use std::time::Duration;

use saddlescope::dynamics::{Outcome, StageEnd, StageError};
use saddlescope::event::Crossing;
use saddlescope::flow::{Ended, Work};
use saddlescope::numeric::simd;
use saddlescope::trajectory::Trajectory;
use serde_json::{Value, json};

use super::FormatError;
use crate::run::{Drift, Ending, Finished, LevelCrossing};
use crate::staircase::Staircase;

/// Everything about a run but its rows and parameters; `theory` are the losses of its plateaus, `found`
/// the stages that were found in its loss, which follow from its rows.
pub(super) fn encode(
    finished: &Finished,
    theory: &[f64],
    found: &Result<Staircase, String>,
) -> String {
    let ends = finished.outcome.as_ref().map_or(&[][..], |outcome| &outcome.stages);
    let stages = ends.iter().zip(&finished.endings).map(|(end, ending)| stage(end, *ending));
    let value = json!({
        "error": finished.outcome.as_ref().err().map(ToString::to_string),
        "theory": { "plateaus": theory.iter().map(|&level| number(level)).collect::<Vec<_>>() },
        "stages": stages.collect::<Vec<_>>(),
        "found": match found {
            Ok(staircase) => staircase.json(),
            Err(why) => json!({ "none": why }),
        },
        "crossings": finished.crossings.iter().map(|crossing| json!({
            "level": number(crossing.level),
            "time": crossing.time.map(number),
        })).collect::<Vec<_>>(),
        "invariants": finished.invariants.iter().map(|drift| json!({
            "name": drift.name,
            "start": number(drift.start),
            "end": number(drift.end),
        })).collect::<Vec<_>>(),
    });
    format!("{value:#}\n")
}

/// What a run came to, from its `stages.json`, and the losses of its plateaus in theory. Rows, last
/// parameters, time taken and SIMD level come from the other files.
pub(super) fn decode(
    bytes: &[u8],
    trajectory: Trajectory,
    state: Option<Vec<f64>>,
    elapsed: Duration,
    simd: simd::Level,
) -> Result<(Finished, Vec<f64>), FormatError> {
    let value: Value = serde_json::from_slice(bytes)
        .map_err(|error| FormatError::new(format!("it is no JSON: {error}")))?;
    let field = Field { name: "the file", value: &value };
    let mut stages = Vec::new();
    let mut endings = Vec::new();
    for stage in field.get("stages")?.items()? {
        stages.push(stage_end(&stage)?);
        let word = stage.get("ended")?;
        endings.push(Ending::from_word(word.text()?).ok_or_else(|| word.wrong())?);
    }
    let outcome = match (&value["error"], state) {
        (Value::String(error), _) => Err(StageError::Stored(error.clone())),
        (_, Some(state)) => Ok(Outcome { stages, state }),
        (_, None) => return Err(FormatError::new("it tells of an end that has no parameters")),
    };
    let crossing = |field: Field<'_>| {
        let (level, time) = (field.get("level")?.number()?, field.get("time")?);
        Ok(LevelCrossing { level, time: time.optional(Field::number)? })
    };
    let drift = |field: Field<'_>| {
        let name = field.get("name")?.text()?.to_owned();
        let (start, end) = (field.get("start")?.number()?, field.get("end")?.number()?);
        Ok(Drift { name, start, end })
    };
    let finished = Finished {
        trajectory,
        outcome,
        endings,
        crossings: field.list("crossings", crossing)?,
        invariants: field.list("invariants", drift)?,
        elapsed,
        simd,
        unseen: None,
    };
    Ok((finished, field.get("theory")?.list("plateaus", |level| level.number())?))
}

fn stage(end: &StageEnd, ending: Ending) -> Value {
    let crossing = |crossing: &Option<Crossing>| {
        crossing.map(|c| json!({ "time": number(c.time), "loss": number(c.loss) }))
    };
    json!({
        "ended": ending.word(),
        "event": if let Ended::ByEvent(index) = end.ended { Some(index) } else { None },
        "time": number(end.time),
        "flow_time": end.on_clock,
        "step": end.step,
        "loss": number(end.loss),
        "stiff_from": end.stiff_from.map(number),
        "events": end.crossings.iter().map(crossing).collect::<Vec<_>>(),
        "work": end.work.map(|work| json!({
            "steps": work.steps,
            "refused": work.rejected,
            "gradients": work.rates,
            "jacobians": work.jacobians,
            "factorisations": work.factorisations,
        })),
    })
}

fn stage_end(field: &Field<'_>) -> Result<StageEnd, FormatError> {
    let crossing = |field: Field<'_>| {
        field.optional(|crossing| {
            let (time, loss) = (crossing.get("time")?.number()?, crossing.get("loss")?.number()?);
            Ok(Crossing { time, loss })
        })
    };
    let work = |work: &Field<'_>| {
        Ok(Work {
            steps: work.get("steps")?.count()?,
            rejected: work.get("refused")?.count()?,
            rates: work.get("gradients")?.count()?,
            jacobians: work.get("jacobians")?.count()?,
            factorisations: work.get("factorisations")?.count()?,
        })
    };
    let event = field.get("event")?.optional(Field::count)?;
    let interrupted = field.get("ended")?.text()? == Ending::Interrupted.word();
    Ok(StageEnd {
        time: field.get("time")?.number()?,
        on_clock: field.get("flow_time")?.value.as_bool().unwrap_or_default(),
        step: field.get("step")?.count()?,
        loss: field.get("loss")?.number()?,
        ended: match event {
            Some(index) => Ended::ByEvent(usize::try_from(index).unwrap_or(usize::MAX)),
            None if interrupted => Ended::ByRecorder,
            None => Ended::AtTime,
        },
        crossings: field.list("events", crossing)?,
        work: field.get("work")?.optional(work)?,
        stiff_from: field.get("stiff_from")?.optional(Field::number)?,
    })
}

/// JSON has no words for what is not finite.
fn number(value: f64) -> Value {
    if value.is_finite() { value.into() } else { value.to_string().into() }
}

/// A value and what it is called, to say so when it is not what it should be.
struct Field<'a> {
    name: &'a str,
    value: &'a Value,
}

impl<'a> Field<'a> {
    fn wrong(&self) -> FormatError {
        FormatError::new(format!("`{}` is {}", self.name, self.value))
    }

    fn get(&self, name: &'a str) -> Result<Field<'a>, FormatError> {
        let value = self.value.get(name);
        let missing = || FormatError::new(format!("`{name}` is missing in `{}`", self.name));
        value.map(|value| Field { name, value }).ok_or_else(missing)
    }

    fn items(&self) -> Result<Vec<Field<'a>>, FormatError> {
        let items = self.value.as_array().ok_or_else(|| self.wrong())?;
        Ok(items.iter().map(|value| Field { name: self.name, value }).collect())
    }

    fn list<T>(
        &self,
        name: &'a str,
        read: impl FnMut(Field<'a>) -> Result<T, FormatError>,
    ) -> Result<Vec<T>, FormatError> {
        self.get(name)?.items()?.into_iter().map(read).collect()
    }

    fn optional<T>(
        &self,
        read: impl FnOnce(&Self) -> Result<T, FormatError>,
    ) -> Result<Option<T>, FormatError> {
        if self.value.is_null() { Ok(None) } else { read(self).map(Some) }
    }

    fn text(&self) -> Result<&'a str, FormatError> {
        self.value.as_str().ok_or_else(|| self.wrong())
    }

    fn count(&self) -> Result<u64, FormatError> {
        self.value.as_u64().ok_or_else(|| self.wrong())
    }

    fn number(&self) -> Result<f64, FormatError> {
        let word = |text: &str| text.parse::<f64>().ok().filter(|value| !value.is_finite());
        let value = self.value.as_f64().or_else(|| self.value.as_str().and_then(word));
        value.ok_or_else(|| self.wrong())
    }
}
