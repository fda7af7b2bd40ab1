//! The words of every error, as a newcomer reads them.

use std::path::Path;

use super::toy::{TOYS, complaint, read};
use crate::experiment::{Experiment, LARGEST_FILE};

const TOP: &str = "[system]\nname = \"toy-attention\"\n";

/// Each error as `place message | help`, places without the name of the file.
fn errors(text: &str, overrides: &[&str]) -> Vec<String> {
    let Err(error) = read(text, overrides) else { panic!("{text} should be wrong") };
    let line = |error: &saddlescope_spec::settings::SettingsError| {
        let place = error.origin.to_string();
        let help = error.help.as_ref().map_or(String::new(), |help| format!(" | {help}"));
        format!("{} {}{help}", place.trim_start_matches("toy.toml:"), error.problem)
    };
    error.settings().iter().map(line).collect()
}

/// The errors of lines that follow a sound `[system]`; their first line is 3.
fn behind(lines: &str) -> Vec<String> {
    errors(&format!("{TOP}{lines}"), &[])
}

#[test]
fn one_error_is_printed_with_its_line() {
    assert_eq!(
        complaint(&format!("{TOP}haeds = 3\n"), &[]),
        "\
unknown setting `haeds` in [system]
  --> toy.toml:3:1
  |
3 | haeds = 3
  | ^^^^^
  help: did you mean `heads`? known in [system]: name, dimension, heads, eigenvectors, noise, noise_size"
    );
}

#[test]
fn several_errors_are_printed_in_order() {
    assert_eq!(
        complaint(&format!("{TOP}heads = 0\n[record]\npoints = \"many\"\n"), &["seed=-1"]),
        "\
3 errors in toy.toml

1. `system.heads` is 0, but must be an integer from 1 to 64
  --> toy.toml:3:9
  |
3 | heads = 0
  |         ^

2. `record.points` is the string \"many\", but must be an integer from 2 to 1000000
  --> toy.toml:5:10
  |
5 | points = \"many\"
  |          ^^^^^^

3. `seed` is -1, but must be an integer >= 0
  --> --set seed=-1
                 ^^"
    );
    let many: String = (0..50).map(|n| format!("x{n} = 1\n")).collect();
    assert!(complaint(&format!("{many}{TOP}"), &[]).ends_with("... and 30 more"));
}

#[test]
fn systems_and_sections_are_looked_up() {
    let known = "the name of a system (toy-attention, recall)";
    assert_eq!(errors("", &[]), [format!("1:1 `system.name` is missing: {known} is needed")]);
    assert_eq!(
        errors("seed = 1\n[system]\nheads = 2\n", &[]),
        [format!("2:1 `system.name` is missing: {known} is needed")]
    );
    assert_eq!(
        errors("[system]\nname = \"toy-atention\"\nanything = 1\n", &[]),
        [
            "2:8 unknown system `toy-atention` | did you mean `toy-attention`? known: toy-attention, recall"
        ]
    );
    assert_eq!(
        errors("[system]\nname = 3\n", &[]),
        [format!("2:8 `system.name` is the integer 3, but must be {known}")]
    );
    assert_eq!(
        behind("[dynamic]\nkind = \"gd\"\n"),
        [
            "3:2 unknown section `dynamic` | did you mean `dynamics`? known: system, start, dynamics, record, vary, arm, paper, fit, figure, sweep"
        ]
    );
    assert_eq!(
        errors("heads = 3\nsede = 3\nsystem.name = \"toy-attention\"\n", &[]),
        [
            "1:1 unknown setting `heads` | `heads` is a setting of [system]",
            "2:1 unknown setting `sede` | did you mean `seed`? `saddlescope schema toy-attention` lists all",
        ]
    );
    assert_eq!(
        errors("system = 3\ndynamics = 1\nrecord = []\nstart = 1979-05-27\n", &[]),
        [
            "1:10 `system` is the integer 3, but must be a section, written [system]",
            "2:12 `dynamics` is the integer 1, but must be a section, written [dynamics] or [[dynamics]]",
            "3:10 `record` is an empty list, but must be a section, written [record]",
            "4:9 `start` is a date, but must be a section, written [start]",
        ]
    );
    assert_eq!(
        errors("dynamics = []\nsystem.name = \"recall\"", &[]),
        ["1:12 `dynamics` is an empty list, but a run needs at least one stage"]
    );
}

#[test]
fn kinds_are_told_apart() {
    assert_eq!(
        behind("[dynamics]\nkind = \"gd\"\nrate = 1\nsteps = 2\nmomentum = 0.9\nrtae = 3\n"),
        [
            "7:1 `dynamics.momentum` is a setting of kind \"momentum\", not of \"gd\"",
            "8:1 unknown setting `rtae` in [dynamics] | did you mean `rate`? `saddlescope schema toy-attention` lists all",
        ]
    );
    assert_eq!(
        behind("[dynamics]\nbeta1 = 0.5\n"),
        [
            "4:1 `dynamics.beta1` is a setting of the kinds \"adam\", \"adamw\", not of \"flow\" (the kind when none is given)"
        ]
    );
    assert_eq!(
        behind("[dynamics]\nkind = \"gdd\"\nrate = 1\npoints = 3\n"),
        [
            "4:8 `dynamics.kind` is \"gdd\", but must be one of \"flow\", \"reduced\", \"gd\", \"sgd\", \"momentum\", \"adam\", \"adamw\" | did you mean \"gd\"?",
            "6:1 unknown setting `points` in [dynamics] | `points` is a setting of [record]",
        ]
    );
    assert_eq!(
        behind("[[dynamics]]\n[[dynamics]]\nkind = \"gd\"\nsteps = 1\n"),
        ["4:1 `dynamics.1.rate` is missing: a number > 0 is needed (learning rate)"]
    );
}

#[test]
fn values_are_compared_with_the_declaration() {
    assert_eq!(
        behind("heads = 65\ndimension = 2.5\neigenvectors = \"rnadom\"\nnoise = true\n"),
        [
            "3:9 `system.heads` is 65, but must be an integer from 1 to 64",
            "4:13 `system.dimension` is the number 2.5, but must be an integer >= 1",
            "5:16 `system.eigenvectors` is \"rnadom\", but must be one of \"identity\", \"random\" or a matrix (a list of equally long lists of numbers) | did you mean \"random\"?",
            "6:9 `system.noise` is true, but must be one of \"none\", \"normal\"",
        ]
    );
    assert_eq!(
        behind("heads = 99999999999999999999\n[dynamics]\nuntil = 1e999\natol = nan\n"),
        [
            "3:9 `system.heads` is the number 1e20, but must be an integer from 1 to 64",
            "5:9 `dynamics.until` is inf, but must be a number > 0 or \"converged\"",
            "6:8 `dynamics.atol` is NaN, but must be a number > 0",
        ]
    );
    assert_eq!(
        behind("[start]\nkind = \"given\"\nvalue = [1, \"a\"]\nkey = [[[1, 2]], [[3]]]\n"),
        [
            "5:13 `start.value[1]` is the string \"a\", but must be a number",
            "6:19 `start.key[1][0]` has 1 entry, but the lists before it have 2",
        ]
    );
    assert_eq!(
        behind("[dynamics]\nkind = \"gd\"\nrate = 1\nsteps = 1\nrates.head.value = 1\n"),
        [
            "7:7 `dynamics.rates.head` is a table, but must be a number >= 0 | names with dots need quotes: \"head.0.value\" = 0.5"
        ]
    );
    assert_eq!(
        behind("noise_size = 1\n[record]\nsampling = \"listed\"\n"),
        [
            "3:14 `system.noise_size` counts only with noise = \"normal\", so here it would do nothing",
            "4:1 `record.times` is missing: a list of 1 or more numbers >= 0 is needed with sampling = \"listed\"",
        ]
    );
}

#[test]
fn broken_syntax_is_put_in_plain_words() {
    let first = |text: &str| errors(text, &[]).swap_remove(0);
    assert_eq!(
        errors("[system]\nname = toy-attention\nheads =\n", &[]),
        [
            "2:8 `toy-attention` is no value: texts need quotes, as in \"toy-attention\"",
            "3:8 a value is missing after `=`",
        ]
    );
    assert_eq!(
        behind("heads = 3\nheads = 4\nnoise = 1\n[system]\n"),
        [
            "4:1 `heads` is given twice",
            "5:9 `system.noise` is the integer 1, but must be one of \"none\", \"normal\"",
            "6:2 `system` is given twice",
        ]
    );
    assert_eq!(
        behind("eigenvectors = [[1, 2], [3\nheads = 3\nnoise = 1\n"),
        ["4:1 a comma is missing in a list, or the list before this is not closed with ]"]
    );
    assert_eq!(first("a = [1, 2"), "1:10 a list that starts with [ is not closed with ]");
    assert_eq!(first("[system\n"), "1:8 the name of a section is not closed with ]");
    assert_eq!(first("name \"x\"\n"), "1:6 `=` and a value are missing after this key");
    assert_eq!(first("name = \"x\n"), "1:10 a text is not closed with \"");
    assert_eq!(first("name = 'x\n"), "1:10 a text is not closed with '");
    assert_eq!(first("a = { b = 1\n"), "1:12 a table that starts with { is not closed with }");
}

#[test]
fn overrides_are_checked_like_the_file() {
    let wrong = |change: &str| errors(TOP, &[change]).swap_remove(0);
    let form = "an override is a dotted key, `=` and a value, such as system.rank=2";
    assert_eq!(
        wrong("system.heads=two"),
        "--set system.heads=two `system.heads` is the string \"two\", but must be an integer from 1 to 64"
    );
    assert_eq!(
        wrong("system.hedas=2"),
        "--set system.hedas=2 unknown setting `hedas` in [system] | did you mean `heads`? \
         known in [system]: name, dimension, heads, eigenvectors, noise, noise_size"
    );
    assert_eq!(wrong("heads"), format!("--set heads {form}"));
    assert_eq!(wrong("=3"), format!("--set =3 {form}"));
    assert_eq!(wrong("a b=3"), format!("--set a b=3 {form}"));
    assert_eq!(wrong(&format!("{}a=1", "a.".repeat(99))).split_once("=1 ").unwrap().1, form);
    assert_eq!(wrong("seed="), "--set seed= a value is missing after `=`");
    assert_eq!(wrong("seed=[1"), "--set seed=[1 a list that starts with [ is not closed with ]");
    assert_eq!(
        wrong("system.name.x=1"),
        "--set system.name.x=1 `name` is the string \"toy-attention\" and has no settings inside"
    );
    assert_eq!(
        wrong("dynamics.1.rtol=1"),
        "--set dynamics.1.rtol=1 there is no stage 1: the only stage of dynamics is 0"
    );
    let stages = format!("{TOP}[[dynamics]]\n[[dynamics]]\n");
    assert_eq!(
        errors(&stages, &["dynamics.rtol=0.1", "dynamics.2.rtol=0.1"]),
        [
            "--set dynamics.rtol=0.1 `dynamics` has 2 stages: say which one, as in dynamics.0.rtol",
            "--set dynamics.2.rtol=0.1 there is no stage 2: the stages of dynamics are 0 to 1",
        ]
    );
    assert_eq!(
        complaint(TOP, &["system.heads=0"]),
        "`system.heads` is 0, but must be an integer from 1 to 64\n  --> --set system.heads=0\n                         ^"
    );
}

#[test]
fn files_that_cannot_be_read_say_why() {
    let none: [&str; 0] = [];
    let read = |path: &Path| Experiment::read(path, &none, &TOYS);
    let folder = std::env::temp_dir().join(format!("saddlescope-files-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let absent = folder.join("absent.toml");
    assert_eq!(
        read(&absent).unwrap_err().to_string(),
        format!("cannot read {}: there is no such file", absent.display())
    );
    assert_eq!(
        read(&folder).unwrap_err().to_string(),
        format!("cannot read {}: it is a folder; name a file in it", folder.display())
    );
    let file = folder.join("good.toml");
    std::fs::write(&file, TOP).unwrap();
    assert_eq!(read(&file).unwrap().system.name(), "toy-attention");
    std::fs::write(&file, b"seed = 1\n# caf\xe9\n").unwrap();
    assert_eq!(
        read(&file).unwrap_err().to_string(),
        format!("{}:2:6: byte 0xe9 is not UTF-8 text; is this a TOML file?", file.display())
    );
    std::fs::write(&file, vec![b'\n'; LARGEST_FILE as usize + 1]).unwrap();
    assert_eq!(
        read(&file).unwrap_err().to_string(),
        format!("{} is larger than 16 MiB, which no experiment file should be", file.display())
    );
    std::fs::remove_dir_all(&folder).unwrap();
}
