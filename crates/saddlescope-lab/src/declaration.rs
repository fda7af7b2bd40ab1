//! The declaration of all settings as JSON: what classes, sliders and fields are made from.

use saddlescope_spec::settings::{self, Bounds, Limit};
use serde_json::{Number, Value};

use crate::prelude::*;

/// The sections of one system's files; `experiment` is what stands above them.
#[derive(Debug, Serialize)]
pub struct Sections {
    experiment: Section,
    system: Section,
    start: Section,
    dynamics: Section,
    record: Section,
}

/// A section of a file.
#[derive(Debug, Serialize)]
pub struct Section {
    name: &'static str,
    about: &'static str,
    parameters: Vec<Parameter>,
    /// The kind where a file names none.
    kind: Option<&'static str>,
    kinds: Vec<Kind>,
}

/// A kind of a section, with the settings that only it has.
#[derive(Debug, Serialize)]
pub struct Kind {
    name: &'static str,
    about: &'static str,
    parameters: Vec<Parameter>,
}

/// A setting.
#[derive(Debug, Serialize)]
pub struct Parameter {
    name: &'static str,
    #[serde(rename = "type")]
    kind: Types,
    phrase: String,
    range: Option<Range>,
    slider: Option<Slider>,
    words: Vec<(&'static str, &'static str)>,
    presence: Presence,
    literal: &'static str,
    value: Value,
    about: &'static str,
    unit: &'static str,
    when: Option<When>,
}

/// What sorts of values a setting takes.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum Types {
    One(ValueType),
    Either(Vec<ValueType>),
}

/// A sort of values.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum ValueType {
    Named(Named),
    Choice { choice: Vec<&'static str> },
    Tensor { tensor: usize },
}

/// A sort of values that has a name.
#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Named {
    Integer,
    Number,
    Switch,
    Text,
    Texts,
    Numbers,
    Lists,
    Table,
}

/// Whether a setting must be given.
#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Presence {
    Required,
    Optional,
    Default,
}

/// The ends of the numbers that a setting takes.
#[derive(Debug, Serialize)]
pub struct Range {
    least: Option<Number>,
    /// Whether the least is itself out of range.
    above: bool,
    most: Option<Number>,
    /// Whether the most is itself out of range.
    below: bool,
}

/// The stretch that a slider covers.
#[derive(Debug, Serialize)]
pub struct Slider {
    least: f64,
    most: f64,
    scale: &'static str,
}

/// When a setting counts.
#[derive(Debug, Serialize)]
pub struct When {
    phrase: String,
    /// The setting that it hangs on.
    on: &'static str,
    /// The words that this must be; any where there are none.
    words: Option<&'static [&'static str]>,
}

/// Everything that is declared: the systems, each with its own sections, and the sections that all of them share.
pub fn all(registry: &Registry) -> Value {
    let system = |one: &&'static dyn System| {
        let schema = one.schema();
        json!({
            "name": schema.name,
            "title": schema.title,
            "about": schema.about,
            "dynamics": schema.dynamics,
            "system": section(&schema.system),
            "start": section(&schema.start),
        })
    };
    json!({
        "systems": registry.systems().iter().map(system).collect::<Vec<_>>(),
        "experiment": section(&EXPERIMENT),
        "dynamics": section(&DYNAMICS),
        "record": section(&RECORD),
        "evaluate": section(&EVALUATE),
    })
}

/// The sections of one system's files.
pub fn sections(schema: &SystemSchema) -> Sections {
    Sections {
        experiment: section(&EXPERIMENT),
        system: section(&schema.system),
        start: section(&schema.start),
        dynamics: section(&DYNAMICS),
        record: section(&RECORD),
    }
}

fn section(section: &settings::Section) -> Section {
    let kind = |variant: &Variant| Kind {
        name: variant.name,
        about: variant.about,
        parameters: variant.own().map(parameter).collect(),
    };
    Section {
        name: section.name,
        about: section.about,
        parameters: section.parameters.iter().map(parameter).collect(),
        kind: section.variants.and_then(|variants| variants.default),
        kinds: section.kinds().iter().map(kind).collect(),
    }
}

fn parameter(parameter: &settings::Parameter) -> Parameter {
    let literal = parameter.literal();
    Parameter {
        name: parameter.name,
        kind: match parameter.kind {
            settings::Kind::Either(kinds) => Types::Either(kinds.iter().map(value_type).collect()),
            ref kind => Types::One(value_type(kind)),
        },
        phrase: parameter.kind.phrase(),
        range: range(&parameter.kind),
        slider: slider(parameter),
        words: parameter.kind.words(),
        presence: match parameter.presence {
            settings::Presence::Required(_) => Presence::Required,
            settings::Presence::Optional(_) => Presence::Optional,
            settings::Presence::Default(_) => Presence::Default,
        },
        literal,
        // Declarations are tested to hold literals that can be read.
        value: read_literal(literal).map_or(Value::Null, |given| value(&given.value)),
        about: parameter.about,
        unit: parameter.unit,
        when: parameter.when.map(|when| When {
            phrase: when.phrase(),
            on: when.on(),
            words: match when {
                settings::When::Is(_, words) => Some(words),
                settings::When::Given(_) => None,
            },
        }),
    }
}

fn value_type(kind: &settings::Kind) -> ValueType {
    ValueType::Named(match kind {
        settings::Kind::Choice(words) => {
            let choice = words.iter().map(|(word, _)| *word).collect();
            return ValueType::Choice { choice };
        }
        settings::Kind::Tensor { depth } => return ValueType::Tensor { tensor: *depth },
        settings::Kind::Integer { .. } => Named::Integer,
        settings::Kind::Number(_) => Named::Number,
        settings::Kind::Switch => Named::Switch,
        settings::Kind::Text => Named::Text,
        settings::Kind::Texts => Named::Texts,
        settings::Kind::Numbers { .. } => Named::Numbers,
        settings::Kind::Lists { .. } => Named::Lists,
        settings::Kind::NumberTable { .. } | settings::Kind::Overlay => Named::Table,
        settings::Kind::Either(_) => unreachable!("no choice of kinds is inside another"),
    })
}

/// A literal of the declaration as JSON; whole numbers stay whole.
pub(crate) fn value(input: &Input) -> Value {
    match input {
        Input::Integer(number) => (*number).into(),
        Input::Number(number) => (*number).into(),
        Input::Switch(switch) => (*switch).into(),
        Input::Text(text) => text.as_str().into(),
        Input::List(items) => items.iter().map(|item| value(&item.value)).collect(),
        Input::Table(entries) => {
            let entry = |(key, given): &(Key, GivenValue)| (key.name.clone(), value(&given.value));
            Value::Object(entries.iter().map(entry).collect())
        }
        Input::Other(_) => Value::Null,
    }
}

/// The ends of the numbers that a setting takes, if it takes any.
fn range(kind: &settings::Kind) -> Option<Range> {
    let end = |limit| match limit {
        Limit::None => None,
        Limit::Closed(end) | Limit::Open(end) => Number::from_f64(end),
    };
    let open = |limit| matches!(limit, Limit::Open(_));
    match *kind {
        settings::Kind::Integer { min, max } => Some(Range {
            least: (min > i64::MIN).then(|| min.into()),
            above: false,
            most: (max < i64::MAX).then(|| max.into()),
            below: false,
        }),
        settings::Kind::Number(each)
        | settings::Kind::Numbers { each, .. }
        | settings::Kind::Lists { each }
        | settings::Kind::NumberTable { each } => Some(Range {
            least: end(each.low),
            above: open(each.low),
            most: end(each.high),
            below: open(each.high),
        }),
        settings::Kind::Either(kinds) => kinds.iter().find_map(range),
        _ => None,
    }
}

/// How far a slider reaches from a default to either side where the range has no end, as a factor.
const REACH: f64 = 100.0;

/// The stretch that a slider covers: around the default, or between near ends of the range.
fn slider(parameter: &settings::Parameter) -> Option<Slider> {
    let default = match read_literal(parameter.literal()).map(|given| given.value) {
        Ok(Input::Integer(number)) => number as f64,
        Ok(Input::Number(number)) => number,
        Ok(Input::List(items)) => match items.first().map(|given| &given.value) {
            Some(Input::Number(number)) => *number,
            Some(Input::Integer(number)) => *number as f64,
            _ => return None,
        },
        // A word that stands beside numbers, such as "converged".
        _ => 1e3,
    };
    let (least, most, scale) = stretch(&parameter.kind, default)?;
    Some(Slider { least, most, scale: settings::Choice::word(&scale) })
}

fn stretch(kind: &settings::Kind, default: f64) -> Option<(f64, f64, Scale)> {
    match *kind {
        settings::Kind::Integer { min, max } => {
            let least = min.max(0) as f64;
            let most = (max as f64).min((8.0 * default).max(16.0));
            let scale = if most > 200.0 * least.max(1.0) && least > 0.0 {
                Scale::Log
            } else {
                Scale::Linear
            };
            Some((least, most, scale))
        }
        settings::Kind::Number(Bounds { low, high })
        | settings::Kind::Numbers { each: Bounds { low, high }, .. } => {
            let most = match high {
                Limit::None => f64::INFINITY,
                Limit::Closed(end) | Limit::Open(end) => end,
            };
            Some(match low {
                Limit::None => {
                    let wide = (4.0 * default.abs()).max(1.0);
                    (-wide, most.min(wide), Scale::Linear)
                }
                Limit::Closed(least) | Limit::Open(least) if least != 0.0 => {
                    (least, most.min((4.0 * default).max(least + 1.0)), Scale::Linear)
                }
                // From 0 on, up to an end that is near: all of it.
                _ if most <= 1.0 && default > 1e-3 * most => (0.0, most, Scale::Linear),
                Limit::Closed(_) if default == 0.0 => (0.0, most.min(1.0), Scale::Linear),
                _ => (default / REACH, most.min(default * REACH), Scale::Log),
            })
        }
        settings::Kind::Either(kinds) => kinds.iter().find_map(|kind| stretch(kind, default)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::tests::ALL;

    #[test]
    fn sliders_hold_the_default_and_stay_within_the_range() {
        for system in ALL.systems() {
            let all = crate::report::value(&sections(system.schema()));
            for name in ["system", "start", "dynamics", "record"] {
                let kinds = all[name]["kinds"].as_array().unwrap().iter();
                let own = kinds.flat_map(|kind| kind["parameters"].as_array().unwrap());
                for parameter in all[name]["parameters"].as_array().unwrap().iter().chain(own) {
                    check(system.name(), parameter);
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
