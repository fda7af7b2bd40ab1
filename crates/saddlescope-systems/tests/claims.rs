//! All claims of all papers, checked once, on all cores.

use std::path::Path;
use std::sync::LazyLock;

use rayon::prelude::*;
use saddlescope_evidence::{EVIDENCE, TRAINED};
use saddlescope_lab::check::{self, ClaimCheck};
use saddlescope_spec::claim::{Claim, Trial};
use saddlescope_systems::{PAPERS, SYSTEMS};

static CLAIMS: LazyLock<Vec<Claim>> = LazyLock::new(|| {
    let claims = PAPERS.iter().map(|paper| paper.claims());
    claims.flat_map(|claims| claims.unwrap_or_else(|error| panic!("{error}"))).collect()
});

static CHECKED: LazyLock<Vec<ClaimCheck>> =
    LazyLock::new(|| check::run(&CLAIMS.iter().collect::<Vec<_>>(), Trial::default(), &|_, _| {}));

#[test]
fn every_text_has_its_evidence_and_every_evidence_its_text() {
    for ((paper, system), (evidence, _)) in PAPERS.iter().zip(SYSTEMS).zip(EVIDENCE) {
        assert_eq!((paper.statements.system, *evidence), (system.name(), system.name()));
    }
    assert_eq!((PAPERS.len(), EVIDENCE.len()), (saddlescope_statements::ALL.len(), PAPERS.len()));
    let functions: usize = PAPERS.iter().flat_map(|paper| paper.evidence).map(|e| e.len()).sum();
    let untested = CLAIMS.iter().filter(|claim| claim.untested.is_some()).count();
    assert_eq!(CLAIMS.len(), functions + untested);
}

#[test]
fn every_verdict_is_the_one_on_record() {
    let wrong: Vec<ClaimCheck> =
        CHECKED.iter().filter(|checked| !checked.as_recorded()).cloned().collect();
    assert!(wrong.is_empty(), "{}", check::details(&wrong, 120));
}

#[test]
fn the_errata_pages_are_what_check_prints() {
    for system in &SYSTEMS[..PAPERS.len()] {
        let name = system.name();
        let page = check::errata(*system, &CHECKED);
        let path = format!("{}/../../docs/book/src/errata/{name}.md", env!("CARGO_MANIFEST_DIR"));
        let kept = std::fs::read_to_string(Path::new(&path)).unwrap();
        for (index, (fresh, kept)) in page.lines().zip(kept.lines()).enumerate() {
            assert_eq!(
                fresh,
                kept,
                "line {}; write the page again: saddlescope check --errata {name} > \
                 docs/book/src/errata/{name}.md",
                index + 1
            );
        }
        assert_eq!(page.lines().count(), kept.lines().count(), "{name}");
    }
}

/// What is wrong with a claim at that seed.
fn wrong((claim, seed): (&Claim, u64)) -> Option<String> {
    let evidence = match claim.evidence(Trial { seed }) {
        Ok(evidence) => evidence,
        Err(error) => return Some(format!("{} with seed {seed}: {error}", claim.id)),
    };
    let verdict = evidence.verdict();
    let words = || format!("{} with seed {seed} is {verdict:?}: {evidence:#?}", claim.id);
    (verdict != claim.recorded).then(words)
}

#[test]
fn other_seeds_lead_to_the_recorded_verdicts() {
    let functions = TRAINED.iter().flat_map(|list| list.iter().map(|(function, _)| *function));
    let trained: Vec<String> = functions.map(|function| function.replace('_', "-")).collect();
    let several = |claim: &&Claim| match claim.system() {
        "scan-and-snap" => true,
        "sparse-markov" => !trained.iter().any(|name| name == claim.name()),
        _ => false,
    };
    let claims = CLAIMS.iter().filter(several);
    let pairs: Vec<(&Claim, u64)> =
        claims.flat_map(|claim| (1..4).map(move |seed| (claim, seed))).collect();
    let wrong: Vec<String> = pairs.into_par_iter().with_max_len(1).filter_map(wrong).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
