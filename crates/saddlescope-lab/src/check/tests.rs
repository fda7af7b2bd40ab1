use std::sync::LazyLock;

use super::*;
use saddlescope_spec::claim::{Entry, Outcome, Paper, Source};

fn holds(e: &mut Evidence, _: Trial) -> Outcome {
    e.of("x").abs(1.0, 1.0, 1e-3);
    Ok(())
}

fn doubled(e: &mut Evidence, _: Trial) -> Outcome {
    e.of("x").abs(1.0, 2.0, 1e-3);
    e.but("x").abs(1.0, 1.0, 1e-3);
    e.note("A note.");
    Ok(())
}

fn fails(_: &mut Evidence, _: Trial) -> Outcome {
    Err(ClaimError::new("it never ended"))
}

const EVIDENCE: &[Entry] =
    &[("eq_1", holds), ("eq_2", doubled), ("eq_3", fails), ("changed", doubled)];

static CLAIMS: LazyLock<Vec<Claim>> = LazyLock::new(|| {
    let statements = Source { system: "toy", file: "toy.md", text: include_str!("toy.md") };
    Paper { statements, evidence: &[EVIDENCE] }.claims().unwrap()
});
static TOYS: LazyLock<&[Claim]> = LazyLock::new(|| &CLAIMS[..3]);

fn checked(claims: &[&'static Claim]) -> Vec<ClaimCheck> {
    run(claims, Trial::default(), &|_, _| {})
}

#[test]
fn verdicts_are_held_against_the_record() {
    let all = checked(&TOYS.iter().collect::<Vec<_>>());
    let verdicts: Vec<Verdict> = all.iter().map(|checked| checked.verdict).collect();
    assert_eq!(verdicts, [Verdict::Holds, Verdict::FalseAsPrinted, Verdict::Inconclusive]);
    let as_recorded: Vec<bool> = all.iter().map(ClaimCheck::as_recorded).collect();
    assert_eq!(as_recorded, [true, true, false]);
    assert!(!checked(&[&CLAIMS[3]])[0].as_recorded());
    let words = "check: 2 of 3 verdicts as recorded (1 hold, 1 false as printed, 1 inconclusive)";
    assert_eq!(summary(&all), words);
}

#[test]
fn the_table_shows_what_is_right_and_what_failed() {
    let all = checked(&TOYS.iter().collect::<Vec<_>>());
    let text = text(&all, 80);
    for words in ["right: λ = 1: the print doubles it (off by 0)", "failed: it never ended"] {
        assert!(text.contains(words), "{text}");
    }
    assert!(text.contains("INCONCLUSIVE (ON RECORD: holds)"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    let all = details(&all, 80);
    for words in ["λ = 2.", "A note.", "toy/eq-3 (Eq. (3)): INCONCLUSIVE"] {
        assert!(all.contains(words), "{all}");
    }
}

#[test]
fn programs_get_every_number() {
    let json = json(&checked(&TOYS.iter().collect::<Vec<_>>()));
    assert_eq!(json["as_recorded"], 2);
    assert_eq!(json["claims"][1]["printed"][0]["error"], 1.0);
    assert_eq!(json["claims"][1]["corrected"][0]["measured"], 1.0);
    assert_eq!(json["claims"][2]["error"], "it never ended");
    assert_eq!(json["verdicts"]["false as printed"], 1);
}

#[test]
fn results_come_in_order_and_each_is_reported_once() {
    let claims: Vec<&'static Claim> = TOYS.iter().cycle().take(30).collect();
    let count = AtomicUsize::new(0);
    let all = run(&claims, Trial::default(), &|_, _| {
        count.fetch_add(1, Ordering::Relaxed);
    });
    assert_eq!(count.into_inner(), 30);
    assert!(all.iter().zip(&claims).all(|(checked, claim)| checked.claim.id == claim.id));
}

#[test]
fn claims_are_found_by_every_name_and_strangers_get_a_hint() {
    let of = |names: &[&str]| select(&ALL, names);
    let all = of(&[]).unwrap();
    let each = ALL.systems().iter().map(|system| of(&[system.name()]).unwrap().len());
    assert_eq!(each.sum::<usize>(), all.len());
    assert_eq!(of(&["eq-24c"]).unwrap()[0].id, "linear-attention/eq-24c");
    assert_eq!(of(&["linear-attention/eq-24c", "eq-24c"]).unwrap().len(), 1);
    let hint = |name: &str| of(&[name]).unwrap_err().to_string();
    assert!(hint("eq-24d").contains("eq-24a, eq-24b, eq-24c"), "{}", hint("eq-24d"));
    assert!(hint("linear-atention").contains("near it: linear-attention"));
    assert!(hint("zzz").contains("known systems: linear-attention"), "{}", hint("zzz"));
}

#[test]
fn lines_are_filled_and_never_too_long() {
    assert_eq!(report::wrapped("one two three", 9, "  "), "  one two\n  three");
    assert_eq!(report::wrapped("immeasurable", 4, "  "), "  immeasurable");
    assert_eq!(report::wrapped("one two", usize::MAX, ""), "one two");
}
