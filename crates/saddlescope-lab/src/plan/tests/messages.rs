//! The words of every error about files and arguments, as a newcomer reads them.

use super::*;
use crate::experiment::LARGEST_FILE;
use crate::experiment::tests::toy::TOYS;

fn complaint(text: &str, set: &[&str]) -> String {
    read(text, &Changes::set(set)).unwrap_err().to_string()
}

/// An error as `place message | help`: places without the name of the file; of an argument, with what its caret points at.
fn line(error: &SettingsError) -> String {
    let place = error.origin.to_string();
    let help = error.help.as_ref().map_or(String::new(), |help| format!(" | {help}"));
    let printed = error.to_string();
    let pointed = match place.split_once(' ') {
        Some((flag, argument)) if flag.starts_with("--") => {
            let arrow = format!("\n  --> {flag} ");
            let (_, caret) = printed.split_once(&format!("{arrow}{argument}\n")).unwrap();
            let column = caret.find('^').unwrap() - (arrow.len() - 1);
            let end = (column + caret.matches('^').count()).min(argument.len());
            format!(" [{}]", &argument[column..end])
        }
        _ => String::new(),
    };
    let place = place.trim_start_matches("toy.toml:");
    format!("{place}{pointed} {}{help}", error.problem)
}

#[test]
fn every_mistake_is_named_with_its_place() {
    let mut count = 0;
    for case in include_str!("messages.txt").split("\n\n") {
        let (mut file, mut changes, mut expected) = (Vec::new(), Changes::default(), Vec::new());
        for line in case.lines().filter(|line| !line.starts_with('#')) {
            let rest = line.get(1..).unwrap_or_default().trim_start_matches(' ');
            match line.chars().next() {
                Some('|') if file.is_empty() => file.extend([TOP.trim_end(), rest]),
                Some('|' | ':') => file.push(rest),
                Some('$') => match rest.split_once(' ').unwrap() {
                    ("--set", value) => changes.set.push(value.to_owned()),
                    ("--vary", value) => changes.vary.push(value.to_owned()),
                    ("--seeds", value) => changes.seeds = Some(value.to_owned()),
                    (_, size) => changes.size = size.parse().unwrap(),
                },
                _ => expected.push(line),
            }
        }
        let text = if file.is_empty() { TOP.to_owned() } else { file.join("\n") };
        if expected.is_empty() && changes == Changes::default() && file.is_empty() {
            continue;
        }
        let error = read(&text, &changes).expect_err(case);
        let found: Vec<String> = error.settings().iter().map(line).collect();
        assert_eq!(found, expected, "{case}");
        count += 1;
    }
    assert!(count > 90, "only {count} cases were read");
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
    assert_eq!(
        complaint(TOP, &["system.heads=0"]),
        "`system.heads` is 0, but must be an integer from 1 to 64\n  --> --set system.heads=0\n                         ^"
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
fn one_run_is_told_from_several() {
    let several = read(TOP, &with(&[], &[], Some("5"))).unwrap().only();
    assert_eq!(
        several.unwrap_err().to_string(),
        "toy.toml describes 5 runs (its seeds, arms and what is varied), but one is wanted here"
    );
}

#[test]
fn files_that_cannot_be_read_say_why() {
    let read = |path: &Path| Plan::read(path, &Changes::default(), &TOYS);
    let place = tempfile::tempdir().unwrap();
    let (file, absent) = (place.path().join("good.toml"), place.path().join("absent.toml"));
    std::fs::write(&file, TOP).unwrap();
    assert_eq!(read(&file).unwrap().system.name(), "toy-attention");
    let said = |path: &Path| read(path).unwrap_err().to_string();
    let (folder, name) = (place.path().display(), file.display());
    let why = format!("cannot read {}: there is no such file", absent.display());
    assert_eq!(said(&absent), why);
    let why = format!("cannot read {folder}: it is a folder; name a file in it");
    assert_eq!(said(place.path()), why);
    std::fs::write(&file, b"seed = 1\n# caf\xe9\n").unwrap();
    let why = format!("{name}:2:6: byte 0xe9 is not UTF-8 text; is this a TOML file?");
    assert_eq!(said(&file), why);
    std::fs::write(&file, vec![b'\n'; LARGEST_FILE as usize + 1]).unwrap();
    let why = format!("{name} is larger than 16 MiB, which no experiment file should be");
    assert_eq!(said(&file), why);
}
