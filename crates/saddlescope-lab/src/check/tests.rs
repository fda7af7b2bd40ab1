use super::*;
use saddlescope::claim::Kind;
use saddlescope_systems::SYSTEMS;

fn measurement(measured: f64) -> Measurement {
    Measurement::absolute("x", 1.0, measured, 1e-3)
}

const HOLDS: Claim = Claim::new("toy/eq-1", "Eq. (1)", Kind::Equation, "$\\lambda = 1$.", |_| {
    Ok(Evidence::new().printed(measurement(1.0)))
});
const FALSE: Claim = Claim::new("toy/eq-2", "Eq. (2)", Kind::Equation, "$\\lambda = 2$.", |_| {
    Ok(Evidence::new().printed(measurement(2.0)).corrected(measurement(1.0)).note("A note."))
})
.corrected("$\\lambda = 1$: the print doubles it");
const FAILS: Claim = Claim::new("toy/eq-3", "Eq. (3)", Kind::Dynamics, "It ends.", |_| {
    Err(ClaimError::Failed("it never ended".into()))
});
static TOYS: [Claim; 3] = [HOLDS, FALSE, FAILS];
/// On record as holding, which the evidence refutes.
static CHANGED: Claim = FALSE.recorded(Verdict::Holds);

fn checked(claims: &[&'static Claim]) -> Vec<Checked> {
    run(claims, Trial::default(), &|_, _| {})
}

#[test]
fn verdicts_are_held_against_the_record() {
    let all = checked(&TOYS.iter().collect::<Vec<_>>());
    let verdicts: Vec<Verdict> = all.iter().map(|checked| checked.verdict).collect();
    assert_eq!(verdicts, [Verdict::Holds, Verdict::FalseAsPrinted, Verdict::Inconclusive]);
    let as_recorded: Vec<bool> = all.iter().map(Checked::as_recorded).collect();
    assert_eq!(as_recorded, [true, true, false]);
    assert!(!checked(&[&CHANGED])[0].as_recorded());
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
    let of = |names: &[&str]| select(SYSTEMS, names);
    let all = of(&[]).unwrap();
    let each = SYSTEMS.iter().map(|system| of(&[system.name()]).unwrap().len());
    assert_eq!(each.sum::<usize>(), all.len());
    assert_eq!(of(&["eq-24c"]).unwrap()[0].id, "linear-attention/eq-24c");
    assert_eq!(of(&["linear-attention/eq-24c", "eq-24c"]).unwrap().len(), 1);
    let hint = |name: &str| of(&[name]).unwrap_err().to_string();
    assert!(hint("eq-24d").contains("eq-24a, eq-24b, eq-24c"), "{}", hint("eq-24d"));
    assert!(hint("linear-atention").contains("near it: linear-attention"));
    assert!(hint("zzz").contains("known systems: linear-attention"), "{}", hint("zzz"));
}

#[test]
fn ids_are_unique_and_begin_with_their_system() {
    for system in SYSTEMS {
        let mut ids: Vec<&str> = system.claims().iter().map(|claim| claim.id).collect();
        assert!(ids.iter().all(|id| id.split_once('/').is_some_and(|(s, _)| s == system.name())));
        ids.sort_unstable();
        assert!(ids.windows(2).all(|pair| pair[0] != pair[1]), "{ids:?}");
    }
}

#[test]
fn every_false_claim_has_a_correction_in_words_and_formulas_are_closed() {
    for claim in SYSTEMS.iter().flat_map(|system| system.claims()) {
        let is_false = claim.recorded == Verdict::FalseAsPrinted;
        assert_eq!(is_false, claim.correction.is_some(), "{}", claim.id);
        let words = [claim.statement, claim.correction.unwrap_or_default()];
        for text in words {
            assert_eq!(text.matches('$').count() % 2, 0, "{}: {text}", claim.id);
            assert_eq!(text.matches('{').count(), text.matches('}').count(), "{}", claim.id);
        }
    }
}
