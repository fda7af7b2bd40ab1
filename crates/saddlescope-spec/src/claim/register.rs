//! Statements and evidence, matched by name.

use super::{Claim, Evidence, Outcome, Source, Trial};

/// Adds to the evidence what it measures.
pub type Gather = fn(&mut Evidence, Trial) -> Outcome;

/// What a function that gathers evidence returns: an [`Outcome`], or nothing where it cannot fail.
pub trait IntoOutcome {
    fn into_outcome(self) -> Outcome;
}

impl IntoOutcome for () {
    fn into_outcome(self) -> Outcome {
        Ok(())
    }
}

impl IntoOutcome for Outcome {
    fn into_outcome(self) -> Outcome {
        self
    }
}

/// Gathers evidence by a function that may or may not fail.
pub fn gather_by<O: IntoOutcome>(
    function: impl FnOnce(&mut Evidence, Trial) -> O,
    evidence: &mut Evidence,
    trial: Trial,
) -> Outcome {
    function(evidence, trial).into_outcome()
}

/// A function that gathers evidence, after its own name: `eq_36` is about the claim `eq-36`.
pub type Entry = (&'static str, Gather);

/// Lists the functions of a module that gather evidence, as its `EVIDENCE`.
#[macro_export]
macro_rules! evidence {
    ($($function:ident),* $(,)?) => {
        pub(super) const EVIDENCE: &[$crate::claim::Entry] =
            &[$((stringify!($function), |e, t| $crate::claim::gather_by($function, e, t))),*];
    };
}

/// What a paper states about a system, and the evidence, module by module.
#[derive(Debug, Clone, Copy)]
pub struct Paper {
    pub statements: Source,
    /// Lists of evidence, in any order.
    pub evidence: &'static [&'static [Entry]],
}

/// Why a paper's statements and evidence are no claims: the file, what was found there, and what was expected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ClaimsError(pub(super) String);

impl Paper {
    /// The claims, in the order of the text.
    pub fn claims(&self) -> Result<Vec<Claim>, ClaimsError> {
        let file = self.statements.file;
        let mut entries: Vec<Entry> = self.evidence.concat();
        entries.sort_unstable_by_key(|(function, _)| *function);
        if let Some(pair) = entries.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            return Err(ClaimsError(format!(
                "evidence `{}` is listed twice for {file}; expected one function for each claim",
                pair[0].0
            )));
        }
        let mut claims = Vec::with_capacity(entries.len());
        for statement in self.statements.read()? {
            if statement.untested.is_some() {
                claims.push(Claim { statement, gather: |_, _| Ok(()) });
                continue;
            }
            let name = statement.name();
            let wanted = name.replace('-', "_");
            let Some(index) = entries.iter().position(|(function, _)| *function == wanted) else {
                return Err(ClaimsError(format!(
                    "{file}: claim `{name}` has no evidence; expected a function \
                     `{wanted}(e: &mut Evidence, trial: Trial)`"
                )));
            };
            claims.push(Claim { statement, gather: entries.remove(index).1 });
        }
        match entries.first() {
            Some((function, _)) => {
                let name = function.replace('_', "-");
                Err(ClaimsError(format!(
                    "evidence `{function}` has no statement; expected a claim `{name}` in {file}"
                )))
            }
            None => Ok(claims),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::{Kind, Verdict};

    fn eq_1(e: &mut Evidence, _: Trial) {
        e.of("x").count(1, 1);
    }

    fn eq_2_second_line(e: &mut Evidence, _: Trial) -> Outcome {
        e.of("x").count(1, 2);
        e.but("x").count(2, 2);
        Ok(())
    }

    mod listed {
        use super::{eq_1, eq_2_second_line};
        evidence! { eq_2_second_line, eq_1 }
    }

    const TEXT: &str = "## eq-1\nPlace: Eq. (1)\nKind: figure\n\nOne.\n\n## eq-2-second-line\nPlace: \
        Eq. (2)\nKind: dynamics\nVerdict: false as printed\n\nTwo.\n\nCorrection: one\n";

    fn paper(text: &'static str, evidence: &'static [&'static [Entry]]) -> Paper {
        Paper { statements: Source { system: "toy", file: "toy.md", text }, evidence }
    }

    #[test]
    fn evidence_is_found_by_name_in_the_order_of_the_text() {
        let claims = paper(TEXT, &[listed::EVIDENCE]).claims().unwrap();
        let names: Vec<(&str, Kind)> =
            claims.iter().map(|claim| (claim.name(), claim.kind)).collect();
        assert_eq!(names, [("eq-1", Kind::Figure), ("eq-2-second-line", Kind::Dynamics)]);
        for claim in claims {
            let verdict = claim.evidence(Trial::default()).unwrap().verdict();
            assert_eq!(verdict, claim.recorded, "{}", claim.id);
        }
        assert_eq!(Verdict::Holds.words(), "holds");
    }

    #[test]
    fn what_has_no_partner_is_named() {
        const ONE: &[Entry] = &[("eq_1", eq_2_second_line)];
        const OTHER: &[Entry] = &[("eq_3", eq_2_second_line)];
        let error = |text, evidence| paper(text, evidence).claims().unwrap_err().to_string();
        let words = "toy.md: claim `eq-2-second-line` has no evidence; expected a function \
                     `eq_2_second_line(e: &mut Evidence, trial: Trial)`";
        assert_eq!(error(TEXT, &[ONE]), words);
        let words = "evidence `eq_3` has no statement; expected a claim `eq-3` in toy.md";
        assert_eq!(error(TEXT, &[OTHER, listed::EVIDENCE]), words);
        let words =
            "evidence `eq_1` is listed twice for toy.md; expected one function for each claim";
        assert_eq!(error(TEXT, &[ONE, listed::EVIDENCE]), words);
        let words = "toy.md, line 1, claim `eq-1`: found no field `Place`; expected `Place: `, where the paper \
                     says so";
        assert_eq!(error("## eq-1\n", &[ONE]), words);
    }
}
