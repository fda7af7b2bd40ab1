//! What a run records when nobody says what it should.

use std::collections::HashSet;

use saddlescope::blocks::name_matches;
use saddlescope_spec::figure::{Contents, Lines};

use super::sampling::recording_bytes;
use super::{Run, over_limit};
use crate::error::Result;

/// How often what was recorded is in memory while it is sent: itself, a copy, and the bytes on their way.
const COPIES: u64 = 3;

/// Most numbers of a state whose parameters are all recorded when nobody says what is.
const FEW: usize = 1000;

/// Most single numbers that an exact world says of a state, if all are recorded when nobody says what is.
const FEW_OWN: usize = 40;

/// Names and shapes of observables, and patterns of those that are usually recorded.
pub type Recordable = (Vec<(String, Vec<usize>)>, Vec<String>);

impl Run {
    /// What it can record, and what is recorded when nobody says what is: loss and gradient, what the system's own figure
    /// draws, and all parameters and single numbers where there are few.
    pub fn recordable(&self) -> Recordable {
        let all = &self.problem.observables;
        let names: Vec<(String, Vec<usize>)> = all
            .iter()
            .map(|observable| (observable.name.clone(), observable.shape.clone()))
            .collect();
        let mut usual = vec!["loss".to_owned(), "gradient.norm".to_owned()];
        for panel in self.experiment.figure().panels {
            if let Contents::Lines(Lines { y, .. }) = panel.contents {
                usual.extend(
                    y.into_iter().filter(|pattern| {
                        names.iter().any(|(name, _)| name_matches(pattern, name))
                    }),
                );
            }
        }
        let single =
            |(name, shape): &&(String, Vec<usize>)| shape.is_empty() && !name.starts_with("norm.");
        let own: Vec<String> = names.iter().filter(single).map(|(name, _)| name.clone()).collect();
        if self.problem.loss.has_flow() && own.len() <= FEW_OWN {
            usual.extend(own);
        }
        if self.problem.blocks().len() <= FEW {
            usual.extend(self.problem.blocks().iter().map(|block| block.name.clone()));
        }
        let mut seen = HashSet::new();
        usual.retain(|pattern| seen.insert(pattern.clone()));
        (names, usual)
    }

    /// The same run, with these patterns recorded instead; those that fit nothing are left out. With what is copied on the way to
    /// whoever looks, it may take at most so many bytes.
    pub fn observing(mut self, patterns: Vec<String>, most: u64) -> Result<Self> {
        let known = &self.problem.observables;
        let fits = |pattern: &String| known.iter().any(|one| name_matches(pattern, &one.name));
        self.patterns = patterns.into_iter().filter(fits).collect();
        let recorded = |name: &str| self.patterns.iter().any(|pattern| name_matches(pattern, name));
        let columns = known.iter().filter(|one| recorded(&one.name)).map(|one| one.width() as f64);
        let bytes = recording_bytes(&self.sampling, &self.phases, columns.sum());
        let needed = self.bytes.saturating_add(bytes.saturating_mul(COPIES));
        if needed > most {
            return Err(over_limit(needed, most));
        }
        Ok(self)
    }
}
