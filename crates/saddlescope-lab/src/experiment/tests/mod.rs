//! Files that are right, of a made-up system: reading, overriding, writing back, starting from nothing.

pub(crate) mod toy;

use saddlescope_spec::settings::{Parameter, Tensor};

use crate::declaration;
use crate::experiment::{schema_text, starter_text};
use crate::prelude::*;
use toy::{OTHER, TOY, TOYS, read};

const FULL: &str = include_str!("full.toml");

#[test]
fn the_toy_is_declared_soundly() {
    for section in [TOY.system, TOY.start, OTHER.system, OTHER.start] {
        assert_eq!(section.audit(), Vec::<String>::new());
    }
}

#[test]
fn a_full_file_is_read() {
    let experiment = read(FULL, &[]).unwrap();
    assert_eq!(experiment.name(), Some("many \"stages\"\u{7}"));
    assert_eq!(experiment.seed(), 7);
    assert_eq!(experiment.settings.field::<usize>("heads"), 3);
    assert_eq!(experiment.settings.field::<usize>("dimension"), 4);
    assert_eq!(experiment.start.field::<Tensor>("key").shape, [3, 1, 2]);
    let [first, second] = experiment.dynamics.as_slice() else { panic!("two stages") };
    assert_eq!((first.kind(), first.field::<usize>("steps")), (Some("momentum"), 16));
    assert_eq!(first.field::<f64>("schedule_factor"), 0.1);
    let rates: Vec<(String, f64)> = first.field("rates");
    let names: Vec<_> = rates.iter().map(|(n, _)| n.as_str()).collect();
    assert_eq!(names, ["head.*.value", "head.*", "embed"], "the order of the file");
    assert_eq!(second.find("until"), Some(Value::Number(1000.0)));
    assert_eq!(second.origin("until").to_string(), "toy.toml:25:9");
    assert_eq!(experiment.record.field::<Vec<f64>>("times"), [0.0, 1.0, 2.5]);
    let back = read(&experiment.to_toml(), &[]).unwrap();
    assert_eq!((&back, back.to_toml()), (&experiment, experiment.to_toml()));
}

#[test]
fn a_name_is_all_that_is_needed() {
    let experiment = read("[system]\nname = \"toy-attention\"", &[]).unwrap();
    assert_eq!(experiment.dynamics[0].kind(), Some("flow"));
    assert_eq!(experiment.record.field::<Vec<String>>("observables"), ["loss", "gradient.norm"]);
    assert_eq!(experiment.seed(), 0);
    assert_eq!(read("", &["system.name=recall"]).unwrap().system.name(), "recall");
    assert!(Experiment::from_text("x", "system.name = 'recall'", &[], &TOYS).is_ok());
}

#[test]
fn equality_sees_every_value() {
    let base = read(FULL, &[]).unwrap();
    for change in [
        "seed=8",
        "system.eigenvectors=[[1, 0.1], [0.0000001, 1e300]]",
        "dynamics.1.rtol=1e-9",
        "dynamics.0.rates.embed=3",
        "record.observables=[]",
    ] {
        assert_ne!(read(FULL, &[change]).unwrap(), base, "{change}");
    }
}

#[test]
fn overrides_change_single_values() {
    let text =
        "[system]\nname = \"toy-attention\"\n[dynamics]\nkind = \"gd\"\nrate = 1\nsteps = 5\n";
    let experiment = read(
        text,
        &[
            "system.heads=5",
            "system.heads = 6",
            "dynamics.schedule=cosine",
            "dynamics.0.rate=2.5",
            "dynamics.rates.\"head.*.value\"=0.5",
            "dynamics.stop_parameter=head.0.key[0,1]",
            "dynamics.stop_value=-1",
            "record.times=[1, 2]",
            "record.sampling='listed'",
            "start.scale=1e-5",
            "name=some words",
        ],
    )
    .unwrap();
    assert_eq!(experiment.settings.field::<usize>("heads"), 6);
    let stage = &experiment.dynamics[0];
    assert_eq!(
        (stage.field::<String>("schedule").as_str(), stage.field::<f64>("rate")),
        ("cosine", 2.5)
    );
    assert_eq!(stage.field::<Vec<(String, f64)>>("rates"), [("head.*.value".to_owned(), 0.5)]);
    assert_eq!(stage.field::<String>("stop_parameter"), "head.0.key[0,1]");
    assert_eq!(experiment.record.field::<Vec<f64>>("times"), [1.0, 2.0]);
    assert_eq!(experiment.name(), Some("some words"));
    assert_eq!(experiment.settings.origin("heads").to_string(), "--set system.heads = 6");
    let stages = "[system]\nname = \"recall\"\n[[dynamics]]\n[[dynamics]]\n";
    let experiment = read(stages, &["dynamics.1.until=5"]).unwrap();
    assert_eq!(experiment.dynamics[1].find("until"), Some(Value::Number(5.0)));
    let single =
        read("[system]\nname = \"recall\"\n[[dynamics]]\n", &["dynamics.until=5"]).unwrap();
    assert_eq!(single.dynamics[0].find("until"), Some(Value::Number(5.0)));
}

/// All settings of a section, in all its kinds.
fn all(section: &'static Section) -> impl Iterator<Item = &'static Parameter> {
    section.parameters.iter().chain(section.kinds().iter().flat_map(|kind| kind.own()))
}

#[test]
fn the_starter_names_every_setting_and_reads_back() {
    for schema in [&TOY, &OTHER] {
        let text = starter_text(schema);
        let started = read(&text, &[]).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let least = format!("[system]\nname = \"{}\"", schema.name);
        assert_eq!(started, read(&least, &[]).unwrap(), "{text}");
        let lines: Vec<_> = text.lines().map(|line| line.trim_start_matches('#')).collect();
        static SHARED: [Section; 4] = [EXPERIMENT, PLAN, DYNAMICS, RECORD];
        for parameter in [&schema.system, &schema.start].into_iter().chain(&SHARED).flat_map(all) {
            let line = format!("{} = {} ", parameter.name, parameter.literal());
            assert!(lines.iter().any(|have| have.starts_with(&line)), "{line}\n{text}");
        }
    }
}

#[test]
fn what_the_starter_leaves_off_can_be_switched_on() {
    let text = starter_text(&TOY);
    let off = text.lines().filter(|line| line.starts_with('#') && !line.starts_with("# "));
    let mut seen = 0;
    for line in off.filter(|line| line.contains(" = ")) {
        let document: toml::Table = line[1..].parse().unwrap_or_else(|e| panic!("{line}: {e}"));
        assert_eq!(document.len(), 1, "{line}");
        seen += 1;
    }
    assert!(seen > 25, "{seen}\n{text}");
    let clipped = text
        .replace("#clip = ", "clip = ")
        .replace("kind = \"flow\"", "kind = \"gd\"\nsteps = 3\nrate = 1\n");
    let error = read(&clipped, &[]).unwrap_err().to_string();
    assert!(
        error.contains("`dynamics.rtol` is a setting of the kinds \"flow\", \"reduced\""),
        "{error}"
    );
}

#[test]
fn declared_literals_mean_the_same_in_toml() {
    static SECTIONS: [Section; 6] = [EXPERIMENT, PLAN, DYNAMICS, RECORD, FIGURE, PANEL];
    let own = [&TOY.system, &TOY.start];
    for parameter in own.into_iter().chain(&SECTIONS).flat_map(all) {
        let text = parameter.literal();
        let toml = format!("value = {text}").parse::<toml::Table>().unwrap();
        let literal = declaration::value(&read_literal(text).unwrap().value);
        assert_eq!(literal, report::value(&toml["value"]), "{}", parameter.name);
    }
}

#[test]
fn the_schema_explains_every_setting() {
    let text = schema_text(&TOY);
    for words in [
        "toy-attention: How a Toy Learns to Attend",
        "[dynamics] with kind = \"gd\", \"sgd\", \"momentum\", \"adam\" or \"adamw\"",
        "weight_decay",
        "- \"dop853\": explicit",
        "noise on the labels",
        "1 to 64",
        "required",
        "(with schedule = \"cosine\")",
    ] {
        assert!(text.contains(words), "{words}\n{text}");
    }
    assert!(text.lines().all(|line| line == line.trim_end()));
}
