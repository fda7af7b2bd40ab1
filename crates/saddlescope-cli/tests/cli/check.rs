//! `check`: the claims, their verdicts, the errata page; `cite`.

use crate::program::{Folder, Ran, assert_has, last_line, number, repository};

/// The exit code says that every verdict is the one on record.
#[test]
fn the_errata_page_is_written_from_the_verdicts() {
    let words = ["## False as printed", "### Eq. (24c) (`eq-24c`)", "| `eq-2` | Eq. (2) | holds |"];
    Folder::new().run("check --errata linear-attention").shows(&words);
}

#[test]
fn a_false_claim_shows_both_forms() {
    let words = ["eq-24c  false as printed", "right: τ q̇_i"];
    let out = Folder::new().run("check eq-24c eq-24b").shows(&words);
    let words = "check: 2 of 2 verdicts as recorded (1 hold, 1 false as printed)";
    assert_eq!(last_line(&out), words);
    // In the order of the paper, in lines that fit.
    assert!(out.find("eq-24b") < out.find("eq-24c"), "{out}");
    assert!(out.lines().all(|line| line.chars().count() <= 130), "{out}");

    let words =
        ["linear-attention/eq-24c (Eq. (24c)): false as printed", "  printed ", "  corrected "];
    Folder::new().run("check linear-attention/eq-24c --details").shows(&words);
}

#[test]
fn programs_read_every_number() {
    let json = Folder::new().run("check eq-24c linear-attention/fig-3 --json").json();
    assert_eq!(json["as_recorded"], 2);
    let [softmax, claim] = [&json["claims"][0], &json["claims"][1]];
    assert_eq!(claim["id"], "linear-attention/eq-24c");
    assert_eq!((&claim["verdict"], &claim["recorded"]), (&claim["recorded"], &claim["verdict"]));
    assert!(number(&claim["printed"][0]["error"]) > 0.01);
    assert!(number(&claim["corrected"][0]["error"]) < 1e-12);
    assert_eq!(softmax["verdict"], "not tested");
    assert!(softmax["untested"].as_str().is_some_and(|reason| reason.contains("No number")));
}

#[test]
fn numbers_are_the_same_at_any_number_of_threads() {
    let folder = Folder::new();
    let out = |threads: &str| {
        let mut command = folder.command("check eq-12 zero-blocks-data eq-44");
        Ran::of(command.env("RAYON_NUM_THREADS", threads)).done()
    };
    assert_eq!(out("1"), out("3"));
}

#[test]
fn names_that_nobody_has_are_answered_with_near_ones() {
    let fails = |line: &str, words: &[&str]| Folder::new().run(line).fails(2, words);
    fails("check eq-24d", &["no claim `eq-24d`", "eq-24a", "eq-24b", "eq-24c"]);
    fails("check linear-atention", &["near it: linear-attention"]);
    fails("check zzz", &["known systems: linear-attention"]);
    fails("check --errata linear-atention", &["did you mean `linear-attention`"]);
}

#[test]
fn citations_agree_with_the_citation_file() {
    let file = std::fs::read_to_string(repository("CITATION.cff")).unwrap();
    let field = |name: &str| {
        let line = file.lines().find(|line| line.starts_with(name)).unwrap();
        line[name.len()..].trim().trim_matches('"').to_owned()
    };
    let facts = ["message:", "title:", "version:"].map(field);
    let all = Folder::new().run("cite").shows(&facts.each_ref().map(String::as_str));
    let paper = Folder::new().run("cite linear-attention").done();
    assert!(all.contains(&paper) && !paper.contains("@software"), "{paper}");
    let names: Vec<&str> =
        file.lines().filter_map(|l| l.split_once("family-names:")).map(|l| l.1.trim()).collect();
    assert_eq!(names.len(), 4);
    assert_has(&paper, &names);
    Folder::new().run("cite linear-atention").fails(2, &["did you mean"]);
}
