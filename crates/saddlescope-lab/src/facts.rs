//! All that is small about a run, as JSON: what theory says, stages, crossings, endings, outcomes.

use saddlescope::dynamics::StageEnd;
use saddlescope::outcome::{Outcome, OutcomeValue};
use saddlescope::prediction::{Prediction, Says};
use saddlescope::settings::render_value;
use serde_json::{Map, Value, json};

use crate::campaign::Carried;
use crate::plan::Member;
use crate::run::{Drift, Ending};

/// Everything about a run but its long numbers.
pub fn facts(member: &Member, carried: &Carried) -> Value {
    let finished = &carried.finished;
    let varied: Map<String, Value> = member
        .varied
        .iter()
        .map(|(key, value)| (key.clone(), json!(render_value(value))))
        .collect();
    json!({
        "label": member.label,
        "name": member.experiment.name(),
        "system": member.experiment.schema.name,
        "arm": member.arm,
        "varied": varied,
        "seed": member.seed,
        "hash": carried.hash.to_string(),
        "parameters": carried.parameters,
        "theory": carried.theory,
        "failure": finished.outcome.as_ref().err().map(ToString::to_string),
        "endings": endings(carried),
        "stages": carried.stages.as_ref().map_or(Value::Null, |stages| stages.json()),
        "no_stages": carried.stages.as_ref().err(),
        "crossings": finished.crossings.iter()
            .map(|crossing| json!({"level": crossing.level, "time": crossing.time}))
            .collect::<Vec<_>>(),
        "invariants": finished.invariants.iter().map(drift).collect::<Vec<_>>(),
        "outcomes": carried.outcomes.iter().map(outcome).collect::<Map<_, _>>(),
        "predictions": carried.predictions.iter().map(prediction).collect::<Vec<_>>(),
        "labels": carried.labels,
        "seconds": finished.elapsed.as_secs_f64(),
        "simd": finished.simd.to_string(),
        "note": finished.unseen,
    })
}

/// How each stage of the dynamics ended, and where.
fn endings(carried: &Carried) -> Vec<Value> {
    let finished = &carried.finished;
    let ends = finished.outcome.as_ref().map_or(&[][..], |outcome| &outcome.stages);
    let one = |(end, ending): (&StageEnd, &Ending)| {
        json!({
            "ended": ending.word(),
            "time": end.time,
            "on_clock": end.on_clock,
            "step": end.step,
            "loss": end.loss,
            "stiff_from": end.stiff_from,
            "work": end.work.map(|work| json!({
                "steps": work.steps, "rejected": work.rejected,
                "gradients": work.rates, "jacobians": work.jacobians,
            })),
        })
    };
    ends.iter().zip(&finished.endings).map(one).collect()
}

fn drift(drift: &Drift) -> Value {
    json!({"name": drift.name, "start": drift.start, "end": drift.end})
}

fn outcome(outcome: &Outcome) -> (String, Value) {
    let value = match &outcome.value {
        OutcomeValue::Number(number) => json!(number),
        OutcomeValue::Text(text) => json!(text),
    };
    (outcome.name.clone(), value)
}

fn prediction(prediction: &Prediction) -> Value {
    let says = match &prediction.says {
        Says::Levels(levels) => json!({"kind": "levels", "values": levels}),
        Says::Curve { time, value } => json!({"kind": "curve", "time": time, "values": value}),
        Says::Matrix { title, shape, values, rows } => json!({
            "kind": "matrix", "title": title, "shape": [shape.0, shape.1], "values": values,
            "rows": rows,
        }),
        Says::Number(number) => json!({"kind": "number", "values": [number]}),
        Says::Instants(times) => json!({"kind": "instants", "values": times}),
    };
    json!({"name": prediction.name, "label": prediction.label, "of": prediction.of, "says": says})
}
