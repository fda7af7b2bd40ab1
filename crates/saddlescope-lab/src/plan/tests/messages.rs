//! The words of every error about plans.

use saddlescope_spec::settings::SettingsError;

use super::{TOP, read, with};
use crate::plan::Changes;

/// Each error as `place message | help`, places without the name of the file.
fn errors(text: &str, changes: &Changes) -> Vec<String> {
    let Err(error) = read(text, changes) else { panic!("{text} should be wrong") };
    let line = |error: &SettingsError| {
        let place = error.origin.to_string();
        let help = error.help.as_ref().map_or(String::new(), |help| format!(" | {help}"));
        format!("{} {}{help}", place.trim_start_matches("toy.toml:"), error.problem)
    };
    error.settings().iter().map(line).collect()
}

/// The errors of lines that follow a sound `[system]`; their first line is 3.
fn behind(lines: &str) -> Vec<String> {
    errors(&format!("{TOP}{lines}"), &Changes::default())
}

/// What is printed for one --vary, without its first line: the caret counts.
fn vary(argument: &str) -> String {
    let error = read(TOP, &with(&[], &[argument], None)).unwrap_err().to_string();
    let arrow = format!("  --> --vary {argument}\n");
    let (message, caret) =
        error.split_once(&format!("\n{arrow}")).unwrap_or_else(|| panic!("{error}"));
    let column = caret.find('^').unwrap() - "  --> --vary ".len();
    let width = caret.matches('^').count();
    format!("{message} [{}]", &argument[column..(column + width).min(argument.len())])
}

#[test]
fn arms_are_checked_like_the_file() {
    assert_eq!(
        behind(
            "[[arm]]\n[[arm]]\nname = \"a\"\nrate = 3\n[[arm]]\nname = \"a\"\n[arm.dynamic]\nx = 1\n"
        ),
        [
            "3:1 `arm.0.name` is missing: a string is needed (what it is called, as in legends)",
            "6:1 unknown setting `rate` in [arm] | `rate` is a setting of [dynamics]: write dynamics.rate",
            "8:8 `arm.2.name` is \"a\" again: each arm has its own name",
            "9:6 unknown section `dynamic` in [arm] | did you mean `dynamics`? known in [arm]: name, system, start, dynamics, record",
        ]
    );
    assert_eq!(
        behind("[[arm]]\nname = \" \"\nsystem.name = \"recall\"\nsystem.haeds = 3\nstart = 3\n"),
        [
            "4:8 `arm.0.name` is empty, but an arm needs a name",
            "5:15 `system.name` is the same for all runs of a file, whatever their arm or size",
            "6:8 unknown setting `haeds` in [system] | did you mean `heads`? known in [system]: name, dimension, heads, eigenvectors, noise, noise_size",
            "7:9 `start` is the integer 3, but must be a section, written [start]",
        ]
    );
    assert_eq!(
        behind("[arm]\nname = \"a\"\n"),
        ["3:1 `arm` is a table, but must be a list of sections, each written [[arm]]"]
    );
    assert_eq!(
        behind(
            "[dynamics]\nuntil = 3\n[[arm]]\nname = \"a\"\n[[arm]]\nname = \"b\"\ndynamics.kind = \"gd\"\ndynamics.rate = 1\n"
        ),
        ["9:17 `dynamics.steps` is missing: an integer >= 1 is needed (how many steps are taken)"],
        "what a kind lacks is missing where the kind was changed"
    );
    assert_eq!(
        behind(
            "[dynamics]\nuntil = -3\n[[arm]]\nname = \"a\"\ndynamics = { kind = \"gd\", rate = 1, steps = 1, until = 3 }\n"
        ),
        [
            "4:9 `dynamics.until` is -3, but must be a number > 0 or \"converged\"",
            "7:48 `dynamics.until` is a setting of the kinds \"flow\", \"reduced\", not of \"gd\"",
        ],
        "what is left behind is checked, and what comes with the new kind is not left behind"
    );
    assert_eq!(
        behind("[[dynamics]]\n[[dynamics]]\n[[arm]]\nname = \"a\"\ndynamics.rtol = 0.1\n"),
        ["7:1 `dynamics` has 2 stages: say which one, as in dynamics.0.rtol"]
    );
}

#[test]
fn errors_of_several_runs_come_once() {
    assert_eq!(
        errors(
            &format!(
                "seeds = 5\n{TOP}heads = 0\n[vary]\nstart.scale = [1, -1, 2, -2]\n[[arm]]\nname = 'a'\n[[arm]]\nname = 'b'\n"
            ),
            &Changes::default()
        ),
        [
            "4:9 `system.heads` is 0, but must be an integer from 1 to 64",
            "6:19 `start.scale` is -1, but must be a number > 0",
            "6:26 `start.scale` is -2, but must be a number > 0",
        ]
    );
    let several = read(&format!("seeds = 5\n{TOP}"), &Changes::default()).unwrap().only();
    assert_eq!(
        several.unwrap_err().to_string(),
        "toy.toml describes 5 runs (its seeds, arms and what is varied), but one is wanted here"
    );
}

#[test]
fn what_is_varied_is_checked() {
    let sections = "known in [vary]: system, start, dynamics, record";
    assert_eq!(
        behind("[vary]\nheads = [1]\nsytem.heads = [1]\nsystem.haeds = [1]\nseed = [1, 2]\n"),
        [
            "4:1 unknown setting `heads` in [vary] | `heads` is a setting of [system]: write system.heads".to_owned(),
            format!("5:1 unknown section `sytem` in [vary] | did you mean `system`? {sections}"),
            "6:8 unknown setting `haeds` in [system] | did you mean `heads`? known in [system]: name, dimension, heads, eigenvectors, noise, noise_size".to_owned(),
            "7:1 `seed` is not varied but counted: seeds = 6, or --seeds 6".to_owned(),
        ]
    );
    let wanted = "a list of values, or words such as \"1,2,4\" or \"0.01..1:log8\"";
    assert_eq!(
        behind(
            "[vary]\nsystem.heads = 3\nsystem.noise = []\nsystem.name = ['recall']\nstart = [1]\ndynamics.0 = [1]\n"
        ),
        [
            format!("4:16 `system.heads` is the integer 3, but must be {wanted}"),
            format!("5:16 `system.noise` is an empty list, but must be {wanted}"),
            "6:8 `system.name` is the same for all runs of a file, whatever their arm or size"
                .to_owned(),
            "7:1 `start` is a whole section: name one setting of it, as in system.rank".to_owned(),
            "8:10 `0` is a whole stage: name one setting of it".to_owned(),
        ]
    );
    assert_eq!(
        behind("[vary]\nsystem.heads = [1, 2]\n\"system.heads\" = [3]\n"),
        ["5:1 `system.heads` is varied twice"]
    );
    assert_eq!(
        behind("[vary]\nstart.scale = [1, 2, 1.0]\nsystem.heads = \"1,2,1\"\n"),
        [
            "4:22 `start.scale` is varied over 1.0 twice",
            "5:21 `system.heads` is varied over 1 twice",
        ]
    );
    assert_eq!(
        behind("[vary]\nstart.scale = [1, 2]\n[[arm]]\nname = 'a'\nstart.scale = 3\n"),
        ["7:15 `start.scale` is varied as well, so here it would do nothing"]
    );
    assert_eq!(
        errors(
            "vary = 3\nfigure = 3\npaper = 1\narm = 2\nsystem.name = 'recall'\n",
            &Changes::default()
        ),
        [
            "1:8 `vary` is the integer 3, but must be a section, written [vary]",
            "2:10 `figure` is the integer 3, but must be a section, written [figure]",
            "3:9 `paper` is the integer 1, but must be a section, written [paper]",
            "4:7 `arm` is the integer 2, but must be a list of sections, each written [[arm]]",
        ]
    );
    assert_eq!(
        behind("[[dynamics]]\n[[dynamics]]\n[vary]\ndynamics.rtol = [0.1]\n"),
        ["6:1 `dynamics` has 2 stages: say which one, as in dynamics.0.rtol"]
    );
}

#[test]
fn ranges_are_checked_to_the_letter() {
    let form = "a variation is a dotted key, `=` and values, such as system.rank=1,2,4 or start.scale=0.01..1:log8";
    assert_eq!(vary("system.heads"), format!("{form} []"));
    assert_eq!(vary("=1"), format!("{form} [=]"));
    let missing = "values are missing: a list such as 1,2,4, or a range such as 0.01..1:log8";
    assert_eq!(vary("system.heads="), format!("{missing} []"));
    assert_eq!(vary("system.heads=1,,2"), "a value is missing beside this comma [,]");
    assert_eq!(
        vary("start.scale=0.1..1"),
        "how many values lie in this range? 0.1..1:8 is 8 at equal steps, 0.1..1:log8 at equal ratios [0.1..1]"
    );
    assert_eq!(
        vary("start.scale=a..1:3"),
        "`a` is no number, but a range has one at both ends [a]"
    );
    assert_eq!(
        vary("start.scale=1..:3"),
        "a range has a number at both ends, as in 0.01..1:log8 [:]"
    );
    assert_eq!(
        vary("start.scale=1..inf:3"),
        "`inf` is no number, but a range has one at both ends [inf]"
    );
    assert_eq!(vary("start.scale=1..1:3"), "the range ends where it starts [1..1:3]");
    assert_eq!(
        vary("start.scale=1..2:lin3"),
        "`lin3` does not say how many values: write a count, as in :8, or log and a count, as in :log8 [lin3]"
    );
    assert_eq!(vary("start.scale=1..2:1"), "`1` is too few: a range has 2 values or more [1]");
    assert_eq!(
        vary("start.scale=1..2:log1"),
        "`log1` is too few: a range has 2 values or more [log1]"
    );
    assert_eq!(
        vary("start.scale=0..2:log3"),
        "a range of equal ratios cannot start or end at 0: both ends must be > 0 [0]"
    );
    assert_eq!(
        vary("start.scale=1..2:1000000"),
        "these are 1000000 values, but a plan has at most 100000 runs [1000000]"
    );
    assert_eq!(
        vary("dynamics.max_steps=1..1000000"),
        "these are 1000000 values, but a plan has at most 100000 runs [1..1000000]"
    );
    assert_eq!(
        vary("system.heads=1,two"),
        "`system.heads` is the string \"two\", but must be an integer from 1 to 64 [two]"
    );
    assert_eq!(vary("system.heads=1,[2"), "a list that starts with [ is not closed with ] []");
    assert_eq!(
        behind("[vary]\nstart.scale = \"0.1..x:3\"\nsystem.heads = \"\"\"1..\\u0078:3\"\"\"\n"),
        [
            "4:21 `x` is no number, but a range has one at both ends",
            "5:16 `x` is no number, but a range has one at both ends",
        ]
    );
}

#[test]
fn seeds_are_checked() {
    let seeds = |text: &str| errors(TOP, &with(&[], &[], Some(text)));
    let form = "says no seeds: 6 stands for six of them, from the file's seed on, 3..8 for 3 to 8";
    assert_eq!(seeds("many"), [format!("--seeds many `many` {form}")]);
    assert_eq!(seeds("1..x"), [format!("--seeds 1..x `1..x` {form}")]);
    assert_eq!(seeds("8..3"), ["--seeds 8..3 the seeds end at 3, before they start at 8"]);
    assert_eq!(seeds("0"), ["--seeds 0 `seeds` is 0, but must be an integer >= 1"]);
    assert_eq!(seeds("-2..3"), ["--seeds -2..3 `seed` is -2, but must be an integer >= 0"]);
    assert_eq!(
        seeds("100001"),
        [
            "--seeds 100001 these are 100001 seeds, but a plan has at most 100000 runs; `saddlescope sweep` takes more"
        ]
    );
    let grid = format!("{TOP}[vary]\nsystem.heads = \"1..60\"\nstart.scale = \"1..2:2000\"\n");
    assert_eq!(
        errors(&grid, &Changes::default()),
        [
            "5:1 these are 120000 combinations x 1 seed, but a plan has at most 100000 runs; `saddlescope sweep` takes more"
        ]
    );
    assert_eq!(
        errors(&format!("seed = {}\nseeds = 2\n{TOP}", i64::MAX), &Changes::default()),
        [format!("2:9 2 seeds from {} on go beyond the largest integer", i64::MAX)]
    );
}

#[test]
fn the_paper_size_is_checked_whether_it_is_asked_for_or_not() {
    let text = format!(
        "{TOP}heads = 2\n[paper]\nsedes = 3\nsystem.heads = 99\nheads = 3\nrecrod.points = 3\nsystem.name = 'recall'\n"
    );
    let expected = [
        "5:1 unknown setting `sedes` in [paper] | did you mean `seeds`? known in [paper]: name, about, seed, seeds, headline, claims, system, start, dynamics, record, vary, arm, fit, figure, sweep",
        "6:16 `system.heads` is 99, but must be an integer from 1 to 64",
        "7:1 unknown setting `heads` in [paper] | `heads` is a setting of [system]: write system.heads",
        "8:1 unknown section `recrod` in [paper] | did you mean `record`? known in [paper]: name, about, seed, seeds, headline, claims, system, start, dynamics, record, vary, arm, fit, figure, sweep",
        "9:15 `system.name` is the same for all runs of a file, whatever their arm or size",
    ];
    assert_eq!(errors(&text, &Changes::default()), expected);
    assert_eq!(errors(&text, &super::paper()), expected);
}

#[test]
fn what_is_set_must_be_of_use() {
    let text = format!("{TOP}[[arm]]\nname = 'a'\n[[arm]]\nname = 'b'\nstart.scale = 2\n");
    let set = |set: &[&str], vary: &[&str]| errors(&text, &with(set, vary, None));
    assert_eq!(
        set(&["dynamics.rate=1"], &[]),
        [
            "--set dynamics.rate=1 `dynamics.rate` is a setting of the kinds \"gd\", \"sgd\", \"momentum\", \"adam\", \"adamw\", not of \"flow\" (the kind when none is given)"
        ]
    );
    assert_eq!(
        set(&["system.heads=1"], &["system.heads=1,2"]),
        ["--set system.heads=1 `system.heads` is set and varied at once"]
    );
    assert_eq!(
        set(
            &["dynamics.until=1", "dynamics.rate=1", "dynamics.steps=1"],
            &["dynamics.kind=gd,adam"]
        ),
        [
            "--set dynamics.until=1 `dynamics.until` is left behind by what is varied, so it would do nothing"
        ]
    );
    assert_eq!(
        set(&["vary.system.heads=[1]", "arm.0.name=x", "paper.seeds=3"], &[]),
        [
            "--set vary.system.heads=[1] `vary` is not set but varied: use --vary system.rank=1,2,4",
            "--set arm.0.name=x `arm` cannot be changed by --set, only in the file",
            "--set paper.seeds=3 `paper` cannot be changed by --set, only in the file",
        ]
    );
    assert_eq!(
        set(&["dynamics.kind=gd"], &[]),
        [
            "--set dynamics.kind=gd `dynamics.rate` is missing: a number > 0 is needed (learning rate)",
            "--set dynamics.kind=gd `dynamics.steps` is missing: an integer >= 1 is needed (how many steps are taken)",
        ]
    );
}

#[test]
fn figures_are_checked() {
    assert_eq!(
        behind(
            "[figure]\ncolums = 2\ny = ['loss']\n[[figure.panel]]\nkind = 'bar'\n[[figure.panel]]\nx_range = [2, 1]\nmatrix = ['a']\n"
        ),
        [
            "4:1 unknown setting `colums` in [figure] | did you mean `columns`? known in [figure]: title, columns, width, aspect, legend, legend_title",
            "5:1 unknown setting `y` in [figure] | `y` is a setting of each [[figure.panel]]",
            "7:8 `figure.panel.0.kind` is \"bar\", but must be one of \"lines\", \"points\", \"bars\", \"heatmap\", \"profile\", \"evolution\", \"graph\", \"map\", \"phase\", \"tokens\", \"table\" | did you mean \"bars\"?",
            "10:1 `figure.panel.1.matrix` is a setting of kind \"heatmap\", not of \"lines\" (the kind when none is given)",
        ]
    );
    assert_eq!(
        behind("[[figure.panel]]\nx_range = [2, 1]\n"),
        ["4:11 `figure.panel.x_range` is [2.0, 1.0], but must be two numbers, the lower one first"]
    );
    assert_eq!(
        behind("[figure.panel]\ny = ['loss']\n"),
        [
            "3:1 `figure.panel` is a table, but must be a list of sections, each written [[figure.panel]]"
        ]
    );
}
