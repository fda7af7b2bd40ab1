//! Every wrong experiment is refused with what is wrong, what would be right, and where.

use saddlescope_spec::settings::dynamics::DYNAMICS;
use saddlescope_spec::settings::{Bounds, Kind, Limit};

use crate::program::Folder;

/// The experiment that each error starts from.
const GOOD: &str = "[system]
name = \"linear-attention\"
eigenvalues = [0.4, 0.3]
heads = 2
[start]
scale = 0.1
[dynamics]
kind = \"flow\"
until = 1.0
[record]
points = 10
";

#[track_caller]
fn refused(text: impl AsRef<[u8]>, words: &[&str]) {
    Folder::with("mine.toml", text).run(&["run", "mine.toml"]).fails(2, words);
}

#[test]
fn the_experiment_itself_is_right() {
    Folder::with("mine.toml", GOOD).run(&["run", "mine.toml"]).done();
}

#[test]
fn a_line_that_is_wrong_is_shown() {
    for (right, wrong, words) in [
        (
            "until",
            "untl",
            &["unknown setting `untl` in [dynamics]", "did you mean `until`?", ":9:1"][..],
        ),
        ("heads", "head", &["unknown setting `head` in [system]", "`heads`", ":4:1"]),
        ("[record]", "[recrod]", &["unknown section `recrod`", "`record`", ":10:2"]),
        (
            "\"linear-attention\"",
            "\"linear-atention\"",
            &["unknown system", "`linear-attention`", ":2:8"],
        ),
        (
            "heads = 2",
            "heads = \"two\"",
            &["`system.heads` is the string \"two\"", "an integer from 1", ":4:9"],
        ),
        ("heads = 2", "heads = 2.5", &["`system.heads` is the number 2.5", ":4:9"]),
        ("heads = 2", "heads = 0", &["`system.heads` is 0", "from 1 to 65536", ":4:9"]),
        ("heads = 2", "rank = 0", &["`system.rank` is 0", ":4:8"]),
        ("heads = 2", "context = 0", &["`system.context` is 0", "from 1 to 1000000", ":4:11"]),
        ("heads = 2", "heads = 2\nheads = 3", &["heads", ":5:1"]),
        (
            "[0.4, 0.3]",
            "[]",
            &["`system.eigenvalues` is an empty list", "1 or more numbers > 0", ":3:15"],
        ),
        ("0.3]", "-0.3]", &["`system.eigenvalues[1]` is -0.3", "a number > 0", ":3:21"]),
        ("0.3]", "nan]", &["`system.eigenvalues[1]` is NaN", "a number > 0", ":3:21"]),
        ("0.3]", "inf]", &["`system.eigenvalues[1]` is", "a number > 0", ":3:21"]),
        ("[0.4, 0.3]", "[0.4, 0.3", &["is not closed with ]", "mine.toml:4:1"]),
        ("until = 1.0", "rtol = 0", &["`dynamics.rtol` is 0", "> 0 and < 1", ":9:8"]),
        ("until = 1.0", "until = -1", &["`dynamics.until` is", "-1", ":9:9"]),
        ("until = 1.0", "until = \"convergd\"", &["\"convergd\"", "\"converged\"", ":9:9"]),
        ("until = 1.0", "rate = 0.1", &["`dynamics.rate` is a setting of the kinds", ":9:1"]),
        ("until = 1.0", "stop_value = 1", &["`dynamics.stop_value`", "`stop_parameter`", ":9:14"]),
        (
            "\"flow\"\nuntil = 1.0",
            "\"gd\"\nrate = 1",
            &["`dynamics.steps` is missing", "mine.toml:7"],
        ),
        ("\"flow\"", "\"flo\"", &["`dynamics.kind` is \"flo\"", "did you mean \"flow\"?", ":8:8"]),
        ("points = 10", "points = 1", &["`record.points` is 1", "from 2 to 1000000", ":11:10"]),
        (
            "points = 10",
            "times = [1]",
            &["`record.times` counts only with sampling = \"listed\"", ":11:9"],
        ),
        ("points = 10", "sampling = \"listed\"", &["`record.times` is missing", "mine.toml:10"]),
        ("scale = 0.1", "scale = -1", &["`start.scale` is -1", ">= 0", ":6:9"]),
        ("scale = 0.1", "value = 0.1", &["`start.value`", "\"aligned\"", ":6:1"]),
    ] {
        assert_eq!(GOOD.matches(right).count(), 1, "{right}");
        refused(GOOD.replace(right, wrong), words);
    }
}

#[test]
fn settings_that_do_not_go_together_are_refused() {
    for (right, wrong, words) in [
        (
            "points = 10",
            "observables = [\"loss\", \"los\"]",
            &[
                "names `los`",
                "did you mean `loss`?",
                "head.{0..1}.value",
                "learned.{0..1}",
                ":11:15",
            ][..],
        ),
        (
            "until = 1.0",
            "freeze = [\"head.7.value\"]",
            &["names `head.7.value`", "fits no block", "head.{0..1}.query", ":9:10"],
        ),
        ("until = 1.0", "rates = { \"hed.*\" = 1 }", &["names `hed.*`", "the blocks are", ":9:9"]),
        (
            "until = 1.0",
            "stop_parameter = \"head.0.key\"\nstop_value = 1",
            &["is the whole block", "head.0.key[0,0] to head.0.key[0,1]", ":9:18"],
        ),
        (
            "until = 1.0",
            "stop_parameter = \"head.0.key[0,2]\"\nstop_value = 1",
            &["is `head.0.key[0,2]`, which is no parameter", "head.{0..1}.key", ":9:18"],
        ),
        ("heads = 2", "loss = \"online\"", &["`dynamics.kind` is \"flow\"", "has no flow", ":8:8"]),
        (
            "heads = 2",
            "loss = \"minibatch\"",
            &["`dynamics.kind` is \"flow\"", "no batches", ":8:8"],
        ),
        (
            "heads = 2",
            "attention = \"softmax\"",
            &["`system.loss` is \"population\"", "set loss = \"empirical\""],
        ),
        (
            "heads = 2",
            "attention = \"full\"\nloss = \"online\"",
            &["`system.loss` is \"online\"", "full attention", ":5:8"],
        ),
        (
            "heads = 2",
            "attention = \"softmax\"\nloss = \"empirical\"",
            &["`dynamics.kind` is \"flow\"", "double precision", ":9:8"],
        ),
        (
            "heads = 2",
            "attention = \"full\"\nloss = \"empirical\"\nlengths = \"varying\"",
            &["`system.lengths` is \"varying\"", "full attention", ":6:11"],
        ),
        (
            "heads = 2",
            "attention = \"softmax\"\nloss = \"empirical\"\nlengths = \"varying\"",
            &["`system.lengths` is \"varying\"", "softmax attention", ":6:11"],
        ),
        (
            "kind = \"flow\"\nuntil = 1.0",
            "kind = \"sgd\"\nrate = 0.1\nsteps = 1",
            &["`dynamics.kind` is \"sgd\"", "a loss that draws batches", "\"online\"", ":8:8"],
        ),
        (
            "heads = 2\n[start]\nscale = 0.1\n[dynamics]\nkind = \"flow\"\nuntil = 1.0",
            "loss = \"online\"\n[dynamics]\nkind = \"gd\"\nrate = 0.1\nsteps = 1",
            &["`dynamics.kind` is \"gd\"", "draws batches", "\"sgd\"", ":6:8"],
        ),
        (
            "until = 1.0\n[record]\npoints = 10",
            "[record]\nsampling = \"log\"\nfirst = 0.1",
            &["`record.first` needs a single flow with an end time", ":11:9"],
        ),
        (
            "points = 10",
            "sampling = \"log\"\nfirst = 1.5",
            &["`record.first` is 1.5, but the flow ends at 1", ":12:9"],
        ),
        ("heads = 2", "sequences = 10", &["`system.sequences` counts only with loss = ", ":4:13"]),
        ("heads = 2", "precision = \"double\"", &["`system.precision` counts only with", ":4:13"]),
        ("heads = 2", "eigenvectors = [[1, 0, 0], [0, 1, 0]]", &["2 x 3", "2 x 2", ":4:16"]),
        ("heads = 2", "eigenvectors = [[1, 1], [0, 1]]", &["`system.eigenvectors`", ":4:16"]),
        (
            "heads = 2",
            "eigenvectors = [[1, 0], [0]]",
            &["`system.eigenvectors[1]` has 1 entry", ":4:25"],
        ),
        ("heads = 2", "heads = 2\nloss = \"minibatch\"\nsequences = 10\nbatch = 20", &["batch"]),
        (
            "scale = 0.1",
            "kind = \"given\"\nvalue = [1, 2, 3]\nkey = [[[1, 2]], [[1, 2]]]\nquery = [[[1, 2]], [[1, 2]]]",
            &["`start.value` has 3 entries", "2 heads of rank 1 in dimension 2", ":7:9"],
        ),
        (
            "scale = 0.1",
            "kind = \"given\"\nvalue = [1, 2]\nkey = [[[1, 2, 3]]]\nquery = [[[1, 2]], [[1, 2]]]",
            &["`start.key` has shape 1 x 1 x 3", "2 heads of rank 1 in dimension 2", ":8:7"],
        ),
        (
            "scale = 0.1",
            "kind = \"given\"\nvalue = [1, 2]\nkey = [[1, 2]]\nquery = [[[1, 2]], [[1, 2]]]",
            &["`start.key[0][0]` is the integer 1", "nested 3 deep", ":8:9"],
        ),
        (
            "kind = \"flow\"\nuntil = 1.0",
            "kind = \"momentum\"\nrate = 1\nsteps = 1\nnesterov = true\ndampening = 0.5",
            &["`dynamics.nesterov` goes only with dampening = 0", ":11:12"],
        ),
        (
            "kind = \"flow\"\nuntil = 1.0",
            "kind = \"gd\"\nrate = 0.1\nsteps = 1\nschedule = \"plateau\"\nschedule_minimum = 1",
            &["`dynamics.schedule_minimum` is above the rate", ":12:20"],
        ),
        (
            "heads = 2\n[start]\nscale = 0.1\n[dynamics]\nkind = \"flow\"\nuntil = 1.0",
            "loss = \"empirical\"\n[dynamics]\nuntil = \"converged\"",
            &["`dynamics.until` is \"converged\"", "not known", "stop_below_loss", ":6:9"],
        ),
    ] {
        assert_eq!(GOOD.matches(right).count(), 1, "{right}");
        refused(GOOD.replace(right, wrong), words);
    }
}

#[test]
fn all_errors_of_a_file_come_at_once() {
    let text = GOOD.replace("heads = 2", "heads = 0").replace("points = 10", "points = 0");
    refused(text, &["2 errors in mine.toml", "1. `system.heads`", "2. `record.points`"]);
}

#[test]
fn overrides_are_checked_like_the_file() {
    let folder = Folder::with("mine.toml", GOOD);
    for (set, words) in [
        ("system.head=2", &["unknown setting `head`", "--> --set system.head=2"][..]),
        ("system.heads=two", &["`system.heads` is the string \"two\"", "--set"]),
        ("rank=2", &["`rank` is a setting of [system]"]),
        ("system.rank", &["a dotted key, `=` and a value"]),
        ("dynamics.1.until=3", &["there is no stage 1", "the only stage of dynamics is 0"]),
        ("system.eigenvalues=[0.4, nan]", &["`system.eigenvalues[1]` is NaN"]),
    ] {
        folder.run(&["run", "mine.toml", "--set", set]).fails(2, words);
    }
}

#[test]
fn files_that_are_none_are_refused() {
    let folder = Folder::with("binary.toml", b"name = \"a\"\nabout = \"\xff\"");
    std::fs::create_dir(folder.path("folder")).unwrap();
    let fails = |name: &str, words: &[&str]| folder.run(&["run", name]).fails(2, words);
    fails("binary.toml", &["binary.toml:2:10: byte 0xff is not UTF-8 text"]);
    fails("folder", &["cannot read folder: it is a folder"]);
    fails(
        "absent.toml",
        &["there is no file, no experiment and no system `absent.toml`", "saddlescope list"],
    );
    fails("linear-attention/fig11", &["did you mean the experiment `linear-attention/fig1`?"]);
    refused("", &["`system.name` is missing", "linear-attention"]);
}

#[test]
fn what_no_memory_holds_is_refused_before_it_is_taken() {
    let eigenvalues = vec!["1.0"; 2000].join(", ");
    let huge = [
        GOOD.replace("0.4, 0.3]", &format!("{eigenvalues}]\nloss = \"empirical\"")),
        GOOD.replace(
            "heads = 2",
            "attention = \"softmax\"\nloss = \"empirical\"\nsequences = 1000000000\ncontext = 1000000",
        ),
        GOOD.replace("heads = 2", "heads = 65536\nrank = 65536"),
        GOOD.replace("heads = 2", "loss = \"online\"\nbatch = 10000000\ncontext = 1000000"),
        GOOD.replace("heads = 2", "loss = \"online\"\nbatch = 10000000\nheads = 65536\nrank = 8"),
        GOOD.replace(
            "heads = 2",
            "loss = \"minibatch\"\nsequences = 1000000000\nlengths = \"varying\"\ncontext = 1000000",
        ),
        GOOD.replace(
            "heads = 2",
            "attention = \"full\"\nloss = \"empirical\"\nsequences = 100000000\nheads = 65536",
        ),
        GOOD.replace("heads = 2", "heads = 65536")
            .replace("points = 10", "points = 1000000\nobservables = [\"head.*.key\"]"),
        GOOD.replace("kind = \"flow\"\nuntil = 1.0", "kind = \"gd\"\nrate = 1\nsteps = 1000000000000")
            .replace("points = 10", "sampling = \"every\""),
    ];
    for text in huge {
        refused(text, &["this run needs about", "of memory are free"]);
    }
}

#[test]
fn numbers_beyond_all_measure_are_refused_at_once() {
    for (right, wrong, words) in [
        ("heads = 2", "loss = \"online\"\ncontext = 10000000000", "`system.context` is"),
        ("heads = 2", "loss = \"online\"\ncontext = 9223372036854775807", "`system.context` is"),
        ("heads = 2", "lengths = \"varying\"\ncontext = 9223372036854775807", "from 1 to 1000000"),
        ("heads = 2", "loss = \"online\"\nbatch = 9000000000000000000", "`system.batch` is"),
        ("heads = 2", "loss = \"empirical\"\nsequences = 9000000000000000000", "from 1 to"),
        ("points = 10", "points = 100000000", "`record.points` is 100000000"),
        ("points = 10", "sampling = \"log\"\npoints = 9223372036854775807", "`record.points`"),
    ] {
        refused(GOOD.replace(right, wrong), &[words]);
    }
}

#[test]
fn every_rule_can_be_built_at_the_bounds_of_its_settings() {
    let variants = DYNAMICS.variants.unwrap();
    let shared = [("rate", "0.1"), ("steps", "1")];
    let is_rule = |name: &str| !matches!(name, "flow" | "reduced");
    for variant in variants.list.iter().filter(|variant| is_rule(variant.name)) {
        for parameter in variant.parameters.iter().copied().flatten() {
            let Kind::Number(bounds) = parameter.kind else { continue };
            for value in ends(bounds) {
                let mut lines = vec![format!("kind = \"{}\"", variant.name)];
                for (name, usual) in shared.iter().filter(|(name, _)| *name != parameter.name) {
                    lines.push(format!("{name} = {usual}"));
                }
                let schedule = match parameter.name {
                    "schedule_floor" => "cosine",
                    name if name.starts_with("schedule_") => "plateau",
                    _ => "constant",
                };
                lines.push(format!("schedule = \"{schedule}\"\n{} = {value:e}", parameter.name));
                let loss = if variant.name == "sgd" { "online" } else { "population" };
                let text = GOOD
                    .replace("kind = \"flow\"\nuntil = 1.0", &lines.join("\n"))
                    .replace("heads = 2", &format!("loss = \"{loss}\""));
                let ran = Folder::with("mine.toml", text).run(&["run", "mine.toml"]);
                // A rate beyond measure blows up; a minimum above the rate is refused in words.
                let apart = ran.err.contains("blew up") || ran.err.contains("is above the rate");
                assert!(ran.code == 0 || apart, "{lines:?}: {}", ran.err);
            }
        }
    }
}

/// The smallest and the largest number in a range.
fn ends(bounds: Bounds) -> [f64; 2] {
    let low = match bounds.low {
        Limit::None => f64::MIN,
        Limit::Closed(low) => low,
        Limit::Open(low) => low.next_up(),
    };
    let high = match bounds.high {
        Limit::None => f64::MAX,
        Limit::Closed(high) => high,
        Limit::Open(high) => high.next_down(),
    };
    [low, high]
}
