//! Tests of the declarations and of the values they let through.

use std::panic::catch_unwind;

use saddlescope::descent::Plateau;
use saddlescope::dynamics::AdamSettings;
use saddlescope::flow::Flow;

use super::dynamics::DYNAMICS;
use super::experiment::{ARM, EXPERIMENT, PLAN};
use super::fit::FIT;
use super::record::RECORD;
use super::sweep::SWEEP;
use super::*;
use crate::figure::{FIGURE, PANEL};
use crate::{choices, kinds, settings};

choices! {
    enum Axes {
        Identity = "identity", "the axes";
        Random = "random", "a random rotation";
    } | Matrix(Tensor)
}

settings! {
    struct Shared {
        on: bool = true, "a switch";
        label: Option<String>, example "x", "a text";
    }
}

settings! {
    struct Small {
        rank: usize [1..=64], required 2, "an integer";
        scale: f64 [> 0.0, < 1.0] = 1e-3, "a number";
    }
}

settings! {
    struct Scaled {
        scale: f64 [> 0.0, < 1.0] = 1e-3, "a number";
    }
}

settings! {
    struct Large {
        axes: Axes = "identity", "words or a matrix";
        key: Option<Tensor> [depth 3], example [[[1.0]]], "a block";
        levels: Vec<f64> [>= 0.0; 2..] = [0, 1], "numbers";
        rates: Vec<(String, f64)> = { a = 1 }, "a table";
        names: Vec<String> = ["loss"], "texts";
    }
}

kinds! {
    #[allow(dead_code, reason = "only one kind is read")]
    enum Toy {
        Small(Small) = "small", "few numbers";
        Large(Small, Large) = "large", "many numbers";
    }
}

const TOY: Section = Section {
    variants: Some(Variants { default: None, list: Toy::KINDS }),
    ..Section::plain("toy", "A section with every kind of setting.", Shared::PARAMETERS)
};

/// Resolves lines of `key = literal`, each at its own place of one source.
fn resolve(text: &str) -> Result<Settings, Vec<SettingsError>> {
    let source = Source::file("toy.toml", text);
    let mut at = 0;
    let mut table = Vec::new();
    for line in text.split_inclusive('\n') {
        let (key, value) = line.split_once(" = ").unwrap();
        let mut given = read_literal(value.trim_end()).unwrap();
        given.origin = source.place(at + key.len() + 3..at + line.trim_end().len()).into();
        let origin = source.place(at..at + key.len()).into();
        table.push((Key { name: key.to_owned(), origin }, given));
        at += line.len();
    }
    TOY.resolve("toy", &table, &source.end().into())
}

fn messages(text: &str) -> Vec<String> {
    resolve(text).unwrap_err().iter().map(|error| error.problem.to_string()).collect()
}

#[test]
fn the_declarations_are_sound() {
    for section in [EXPERIMENT, PLAN, ARM, DYNAMICS, RECORD, FIT, SWEEP, FIGURE, PANEL, TOY] {
        assert_eq!(section.audit(), Vec::<String>::new());
    }
}

#[test]
fn the_declared_defaults_of_dynamics_are_those_of_the_engine() {
    let (flow, own) = (Flow::default(), dynamics::Flow::defaults());
    assert_eq!(
        (own.method, own.rtol, own.atol, own.max_steps, own.until),
        (flow.method, flow.rtol, flow.atol, flow.max_steps, dynamics::Until::Converged)
    );
    let (adam, own) = (AdamSettings::default(), dynamics::Adam::defaults());
    assert_eq!(((own.beta1, own.beta2), own.epsilon), (adam.betas, adam.epsilon));
    let (plateau, own) = (Plateau::default(), dynamics::Descent::defaults());
    assert_eq!(
        (own.schedule_factor, own.schedule_patience, own.schedule_threshold),
        (plateau.factor, plateau.patience, plateau.threshold)
    );
}

#[test]
fn the_audit_finds_unsound_declarations() {
    settings! {
        #[allow(dead_code, reason = "only declared")]
        struct Bad {
            low: usize [1..=2] = 0, "too low";
            word: Axes = "random", "a word";
            late: bool = true, "a switch", when word is "never";
        }
    }
    const BROKEN: Parameter = Parameter {
        name: "broken",
        kind: Kind::Text,
        presence: Presence::Default("\"x"),
        when: Some(When::Given("absent")),
        ..Bad::PARAMETERS[0]
    };
    const ALL: &[Parameter] = &[Bad::PARAMETERS[0], BROKEN, Bad::PARAMETERS[1], Bad::PARAMETERS[2]];
    const BAD: Section = Section::by_kind(
        "bad",
        "",
        "none",
        &[Variant { name: "one", about: "", parameters: &[Small::PARAMETERS, Small::PARAMETERS] }],
        ALL,
    );
    assert_eq!(
        BAD.audit(),
        [
            "bad: the default kind \"none\" is not declared",
            "bad \"one\": `rank` is declared twice",
            "bad \"one\": `scale` is declared twice",
            "bad \"one\": `low` is 0, but must be an integer from 1 to 2",
            "bad \"one\": `broken`: `\"x` cannot be read: invalid basic string, expected `\"`",
            "bad \"one\": `broken` depends on `absent`, which is not declared",
            "bad \"one\": `late` depends on word = \"never\", which is no choice",
        ]
    );
}

#[test]
fn values_and_defaults_come_back_typed() {
    let settings = resolve(
        "kind = \"large\"\nrank = 3\nscale = 0.5\naxes = [[1, 2], [3, 4], [5, 6]]\n\
         key = [[[1], [2]]]\nrates = { \"head.*.value\" = 0.5, b = 2 }\n",
    )
    .unwrap();
    let (Toy::Large(Small { rank, scale }, large), Shared { on, label }) =
        settings.read::<(Toy, Shared)>()
    else {
        panic!("{settings:?}")
    };
    assert_eq!((rank, scale, on, label), (3, 0.5, true, None));
    let Axes::Matrix(axes) = large.axes else { panic!("{:?}", large.axes) };
    assert_eq!((&axes.shape[..], &axes.values[..]), (&[3, 2][..], &[1., 2., 3., 4., 5., 6.][..]));
    assert_eq!(large.key.unwrap().shape, [1, 2, 1]);
    assert_eq!((large.levels, large.names), (vec![0.0, 1.0], vec!["loss".to_owned()]));
    assert_eq!(large.rates[0], ("head.*.value".to_owned(), 0.5));
    assert_eq!(settings.origin("on"), &Origin::Default);
    assert_eq!(settings.origin("scale").to_string(), "toy.toml:3:9");
}

#[test]
fn each_misfit_names_value_and_expectation() {
    let matrix =
        "one of \"identity\", \"random\" or a matrix (a list of equally long lists of numbers)";
    let small = [
        ("scale = 1", "toy.scale` is 1, but must be a number > 0 and < 1"),
        ("scale = nan", "toy.scale` is NaN, but must be a number > 0 and < 1"),
        ("scale = \"big\"", "toy.scale` is the string \"big\", but must be a number > 0 and < 1"),
        ("on = 1", "toy.on` is the integer 1, but must be true or false"),
        ("label = [1]", "toy.label` is a list of one entry, but must be a string"),
        ("key = 1", "toy.key` is a setting of kind \"large\", not of \"small\""),
    ];
    let large = [
        ("axes = \"radnom\"", &*format!("toy.axes` is \"radnom\", but must be {matrix}")),
        ("axes = [[1, 2], [3]]", "toy.axes[1]` has 1 entry, but the lists before it have 2"),
        ("axes = [[1, true]]", "toy.axes[0][1]` is true, but must be a number"),
        ("axes = [1, 2]", "toy.axes[0]` is the integer 1, but must be a list of numbers"),
        ("key = [[1, 2]]", "toy.key[0][0]` is the integer 1, but must be a list of numbers"),
        ("key = [[[[1]]]]", "toy.key[0][0][0]` is a list of one entry, but must be a number"),
        ("axes = []", &*format!("toy.axes` is an empty list, but must be {matrix}")),
        (
            "levels = [1]",
            "toy.levels` is a list of one entry, but must be a list of 2 or more numbers >= 0",
        ),
        ("levels = [1, -1]", "toy.levels[1]` is -1, but must be a number >= 0"),
        ("names = [\"a\", 2]", "toy.names[1]` is the integer 2, but must be a string"),
        (
            "rates = { \"a.b\" = \"x\" }",
            "toy.rates.\"a.b\"` is the string \"x\", but must be a number",
        ),
    ];
    let cases = small.map(|case| ("small", case)).into_iter();
    for (kind, (line, expected)) in cases.chain(large.map(|case| ("large", case))) {
        let found = messages(&format!("kind = \"{kind}\"\nrank = 1\n{line}\n")).join("; ");
        assert_eq!(found, format!("`{expected}"));
    }
    let unknown = messages("kind = \"small\"\nrank = 1\nrnak = 1\n");
    assert_eq!(unknown, ["unknown setting `rnak` in [toy]"]);
}

#[test]
fn all_errors_are_found_at_once() {
    assert_eq!(
        messages("kind = \"large\"\nscale = 2\nodd = 1\nlevels = 3\n"),
        [
            "unknown setting `odd` in [toy]",
            "`toy.scale` is 2, but must be a number > 0 and < 1",
            "`toy.levels` is the integer 3, but must be a list of 2 or more numbers >= 0",
            "`toy.rank` is missing: an integer from 1 to 64 is needed (an integer)",
        ]
    );
    assert_eq!(
        messages("rank = 1\nodd = 1\n"),
        [
            "`toy.kind` is missing: one of \"small\", \"large\" is needed",
            "unknown setting `odd` in [toy]",
        ]
    );
}

#[test]
fn settings_without_effect_are_refused() {
    let text = |word: &str| Input::Text(word.into());
    let points = ("points", Input::Integer(3));
    for (section, pairs, expected) in [
        (
            RECORD,
            vec![("sampling", text("every")), points.clone()],
            "`record.points` counts only with sampling = \"adaptive\", \"log\" or \"linear\", \
             so here it would do nothing",
        ),
        (
            RECORD,
            vec![("sampling", text("listed"))],
            "`record.times` is missing: a list of 1 or more numbers >= 0 is needed with sampling = \"listed\"",
        ),
        (
            DYNAMICS,
            vec![("stop_value", Input::Number(1.0))],
            "`dynamics.stop_value` counts only with `stop_parameter`, so here it would do nothing",
        ),
    ] {
        let errors = section.resolve_program(&pairs).unwrap_err();
        assert_eq!(errors[0].problem.to_string(), expected);
    }
    // A broken `sampling` must not raise complaints about what depends on it.
    let errors = RECORD.resolve_program(&[("sampling", text("some")), points]).unwrap_err();
    assert_eq!(errors.len(), 1);
}

#[test]
fn later_checks_can_point_at_the_value() {
    let settings = resolve("kind = \"small\"\nrank = 7\n").unwrap();
    assert_eq!(
        settings.wrong("rank", "is 7, but there are 5 heads").to_string(),
        "`toy.rank` is 7, but there are 5 heads\n  --> toy.toml:2:8\n  |\n2 | rank = 7\n  |        ^"
    );
    assert_eq!(settings.wrong("kind", "is odd").origin.to_string(), "toy.toml:1:8");
    assert_eq!(
        settings.wrong("scale", "is too small").to_string(),
        "`toy.scale` is too small\n  --> this is the default; set the key to change it"
    );
}

#[test]
fn excerpts_show_long_lines_in_part_and_arguments_whole() {
    let text = format!("key = [{}x]", "1.0, ".repeat(100));
    let source = Source::file("long.toml", text.clone());
    let excerpt = source.place(text.len() - 2..text.len() - 1).excerpt();
    let lines: Vec<_> = excerpt.lines().collect();
    assert!(lines.iter().all(|line| line.chars().count() < 120), "{excerpt}");
    assert_eq!(lines[3].find('^'), lines[2].find('x'));
    let source = Source::argument("--set", "toy.rank=0");
    assert_eq!(source.place(9..10).excerpt(), "  --> --set toy.rank=0\n                     ^");
    let source = Source::file("é.toml", "größe = \u{1b}[31m\n\nb");
    assert_eq!(source.place(10..13).to_string(), "é.toml:1:9");
    assert!(!source.place(10..13).excerpt().contains('\u{1b}'));
    assert_eq!(source.end().line(), 3);
    assert_eq!(Source::file("empty", "").end().excerpt(), "  --> empty:1:1\n  |\n1 | \n  | ^");
}

#[test]
fn asking_for_what_is_not_declared_is_the_programmers_error() {
    let settings = resolve("kind = \"large\"\nrank = 7\n").unwrap();
    let panics = |ask: fn(&Settings)| {
        let payload = catch_unwind(|| ask(&settings)).unwrap_err();
        payload.downcast_ref::<String>().unwrap().clone()
    };
    assert_eq!(
        panics(|s| _ = s.field::<f64>("rnak")),
        "[toy] of kind \"large\" declares no setting `rnak`"
    );
    let asks: [fn(&Settings); 2] =
        [|s| _ = s.field::<String>("label"), |s| _ = s.field::<f64>("rank")];
    for ask in asks {
        assert!(panics(ask).contains("of [toy] is read as a type that does not declare it"));
    }
}

#[test]
fn a_number_with_an_old_name_is_read_and_said() {
    const NOW: Section = Section::plain("toy", "A section.", Scaled::PARAMETERS)
        .renamed(&[Renamed { old: "gain", new: "scale", plus: -1.0, note: "another model" }]);
    let read = |values: &[(&str, Input)]| NOW.resolve_program(values);
    let settings = read(&[("gain", Input::Number(1.3))]).unwrap();
    assert_eq!(settings.field::<f64>("scale"), 0.3);
    assert_eq!(settings.notes(), ["`toy.gain` = 1.3 is read as `scale` = 0.3: another model"]);
    assert!(read(&[("scale", Input::Number(0.3))]).unwrap().notes().is_empty());
    let wrong = |values: &[(&str, Input)]| read(values).unwrap_err()[0].problem.to_string();
    assert_eq!(wrong(&[("gain", Input::Integer(0))]), wrong(&[("scale", Input::Number(-1.0))]));
    let old = "`toy.gain` is an old name: set only `scale`, to a number";
    assert_eq!(wrong(&[("gain", Input::Text("much".into()))]), old);
    assert_eq!(wrong(&[("gain", Input::Number(1.3)), ("scale", Input::Number(0.1))]), old);
}

#[test]
fn settings_render_as_toml() {
    let settings = resolve(
        "kind = \"large\"\nrank = 3\nkey = [[[1, 2]], [[3, 4]]]\nrates = { \"a.b\" = 1e-300 }\n",
    )
    .unwrap();
    assert_eq!(
        settings.to_toml(),
        "kind = \"large\"\nrank = 3\nscale = 0.001\naxes = \"identity\"\n\
         key = [\n  [[1.0, 2.0]],\n  [[3.0, 4.0]],\n]\nlevels = [0.0, 1.0]\n\
         rates = { \"a.b\" = 1e-300 }\nnames = [\"loss\"]\non = true\n"
    );
    assert_eq!(quote("a\"b\\\n\u{7}"), "\"a\\\"b\\\\\\n\\u0007\"");
}
