//! The declaration of all settings as JSON: what classes, sliders and fields are made from.

use saddlescope::settings::dynamics::DYNAMICS;
use saddlescope::settings::experiment::EXPERIMENT;
use saddlescope::settings::record::RECORD;
use saddlescope::settings::{
    Bounds, Given, Input, Key, Kind, Limit, Parameter, Presence, Section, SystemSchema, Variant,
    When, read_literal,
};
use serde_json::{Value, json};

use crate::registry;

/// Everything that is declared: the systems, and the sections that all of them share.
pub fn all() -> Value {
    json!({
        "systems": registry::schemas().into_iter().map(system).collect::<Vec<_>>(),
        "experiment": section(&EXPERIMENT),
        "dynamics": section(&DYNAMICS),
        "record": section(&RECORD),
    })
}

/// The sections of one system's files, by their names; `experiment` is what stands above them.
pub fn sections(schema: &SystemSchema) -> Value {
    json!({
        "experiment": section(&EXPERIMENT),
        "system": section(&schema.system),
        "start": section(&schema.start),
        "dynamics": section(&DYNAMICS),
        "record": section(&RECORD),
    })
}

/// One system: its name, what it is, and its own sections.
pub fn system(schema: &SystemSchema) -> Value {
    json!({
        "name": schema.name,
        "title": schema.title,
        "about": schema.about,
        "dynamics": schema.dynamics,
        "system": section(&schema.system),
        "start": section(&schema.start),
    })
}

fn section(section: &Section) -> Value {
    let variant = |variant: &Variant| {
        json!({
            "name": variant.name,
            "about": variant.about,
            "parameters": variant.own().map(parameter).collect::<Vec<_>>(),
        })
    };
    json!({
        "name": section.name,
        "about": section.about,
        "parameters": section.parameters.iter().map(parameter).collect::<Vec<_>>(),
        "kind": section.variants.and_then(|variants| variants.default),
        "kinds": section.kinds().iter().map(variant).collect::<Vec<_>>(),
    })
}

fn parameter(parameter: &Parameter) -> Value {
    let presence = match parameter.presence {
        Presence::Required(_) => "required",
        Presence::Optional(_) => "optional",
        Presence::Default(_) => "default",
    };
    let literal = parameter.literal();
    json!({
        "name": parameter.name,
        "type": kind(&parameter.kind),
        "phrase": parameter.kind.phrase(),
        "range": range(&parameter.kind),
        "slider": slider(parameter),
        "words": parameter.kind.words(),
        "presence": presence,
        "literal": literal,
        // Declarations are tested to hold literals that can be read.
        "value": read_literal(literal).map_or(Value::Null, |given| value(&given.value)),
        "about": parameter.about,
        "unit": parameter.unit,
        "when": parameter.when.map(|when| json!({
            "phrase": when.phrase(),
            "on": when.on(),
            "words": match when { When::Is(_, words) => Some(words), When::Given(_) => None },
        })),
    })
}

/// What sort of value a setting takes: a name, or a list of alternatives.
fn kind(kind: &Kind) -> Value {
    match kind {
        Kind::Integer { .. } => json!("integer"),
        Kind::Number(_) => json!("number"),
        Kind::Switch => json!("switch"),
        Kind::Choice(words) => {
            json!({ "choice": words.iter().map(|(word, _)| word).collect::<Vec<_>>() })
        }
        Kind::Text => json!("text"),
        Kind::Texts => json!("texts"),
        Kind::Numbers { .. } => json!("numbers"),
        Kind::Lists { .. } => json!("lists"),
        Kind::Tensor { depth } => json!({ "tensor": depth }),
        Kind::NumberTable { .. } => json!("table"),
        Kind::Either(kinds) => kinds.iter().map(self::kind).collect(),
    }
}

/// A literal of the declaration as JSON; whole numbers stay whole.
fn value(input: &Input) -> Value {
    match input {
        Input::Integer(number) => json!(number),
        Input::Number(number) => json!(number),
        Input::Switch(switch) => json!(switch),
        Input::Text(text) => json!(text),
        Input::List(items) => items.iter().map(|item| value(&item.value)).collect(),
        Input::Table(entries) => {
            let entry = |(key, given): &(Key, Given)| (key.name.clone(), value(&given.value));
            Value::Object(entries.iter().map(entry).collect())
        }
        Input::Other(_) => Value::Null,
    }
}

/// The ends of the numbers that a setting takes; `null` where it takes none.
fn range(kind: &Kind) -> Value {
    let ends = |low: Limit, high: Limit| {
        let end = |limit| match limit {
            Limit::None => Value::Null,
            Limit::Closed(end) | Limit::Open(end) => json!(end),
        };
        let open = |limit| matches!(limit, Limit::Open(_));
        json!({
            "least": end(low), "above": open(low), "most": end(high), "below": open(high),
        })
    };
    match *kind {
        Kind::Integer { min, max } => json!({
            "least": (min > i64::MIN).then_some(min), "above": false,
            "most": (max < i64::MAX).then_some(max), "below": false,
        }),
        Kind::Number(each)
        | Kind::Numbers { each, .. }
        | Kind::Lists { each }
        | Kind::NumberTable { each } => ends(each.low, each.high),
        Kind::Either(kinds) => {
            kinds.iter().map(range).find(|range| !range.is_null()).unwrap_or(Value::Null)
        }
        _ => Value::Null,
    }
}

/// How far a slider reaches from a default to either side where the range has no end, as a factor.
const REACH: f64 = 100.0;

/// The stretch that a slider covers: around the default, or between near ends of the range.
fn slider(parameter: &Parameter) -> Value {
    let default = match read_literal(parameter.literal()).map(|given| given.value) {
        Ok(Input::Integer(number)) => number as f64,
        Ok(Input::Number(number)) => number,
        Ok(Input::List(items)) => match items.first().map(|given| &given.value) {
            Some(Input::Number(number)) => *number,
            Some(Input::Integer(number)) => *number as f64,
            _ => return Value::Null,
        },
        // A word that stands beside numbers, such as "converged".
        _ => 1e3,
    };
    stretch(&parameter.kind, default).map_or(
        Value::Null,
        |(least, most, scale)| json!({"least": least, "most": most, "scale": scale}),
    )
}

fn stretch(kind: &Kind, default: f64) -> Option<(f64, f64, &'static str)> {
    match *kind {
        Kind::Integer { min, max } => {
            let least = min.max(0) as f64;
            let most = (max as f64).min((8.0 * default).max(16.0));
            let scale = if most > 200.0 * least.max(1.0) && least > 0.0 { "log" } else { "linear" };
            Some((least, most, scale))
        }
        Kind::Number(Bounds { low, high }) | Kind::Numbers { each: Bounds { low, high }, .. } => {
            let most = match high {
                Limit::None => f64::INFINITY,
                Limit::Closed(end) | Limit::Open(end) => end,
            };
            Some(match low {
                Limit::None => {
                    let wide = (4.0 * default.abs()).max(1.0);
                    (-wide, most.min(wide), "linear")
                }
                Limit::Closed(least) | Limit::Open(least) if least != 0.0 => {
                    (least, most.min((4.0 * default).max(least + 1.0)), "linear")
                }
                // From 0 on, up to an end that is near: all of it.
                _ if most <= 1.0 && default > 1e-3 * most => (0.0, most, "linear"),
                Limit::Closed(_) if default == 0.0 => (0.0, most.min(1.0), "linear"),
                _ => (default / REACH, most.min(default * REACH), "log"),
            })
        }
        Kind::Either(kinds) => kinds.iter().find_map(|kind| stretch(kind, default)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sliders_hold_the_default_and_stay_within_the_range() {
        for schema in registry::schemas() {
            let all = sections(schema);
            for name in ["system", "start", "dynamics", "record"] {
                let kinds = all[name]["kinds"].as_array().unwrap().iter();
                let own = kinds.flat_map(|kind| kind["parameters"].as_array().unwrap());
                for parameter in all[name]["parameters"].as_array().unwrap().iter().chain(own) {
                    check(schema.name, parameter);
                }
            }
        }
    }

    fn check(system: &str, parameter: &Value) {
        let (slider, range) = (&parameter["slider"], &parameter["range"]);
        let words = format!("{system}: {parameter}");
        let several = ["lists", "table"].iter().any(|kind| parameter["type"] == *kind);
        let nothing = parameter["value"].as_array().is_some_and(Vec::is_empty);
        assert_eq!(slider.is_null(), range.is_null() || several || nothing, "{words}");
        let Some(least) = slider["least"].as_f64() else { return };
        let most = slider["most"].as_f64().unwrap();
        assert!(least < most, "{words}");
        if let Some(end) = range["least"].as_f64() {
            assert!(least >= end, "{words}");
        }
        if let Some(end) = range["most"].as_f64() {
            assert!(most <= end, "{words}");
        }
        if let Some(value) = parameter["value"].as_f64() {
            assert!((least..=most).contains(&value), "{words}");
        }
        assert!(slider["scale"] == "linear" || least > 0.0, "{words}");
    }
}
