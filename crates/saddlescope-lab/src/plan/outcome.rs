//! What an `[[outcome]]` asks for, checked before anything runs.

use super::*;
use crate::compose::fits;

/// What is wrong with the `[[outcome]]`s of a plan.
pub(super) fn check(plan: &Plan) -> Vec<SettingsError> {
    plan.outcomes
        .iter()
        .enumerate()
        .filter_map(|(place, one)| check_one(plan, place, one))
        .collect()
}

fn check_one(plan: &Plan, place: usize, one: &Requested) -> Option<SettingsError> {
    let common = &one.common;
    let name = &common.name;
    let shape = |part: &str| {
        !part.is_empty() && part.chars().all(|sign| sign.is_alphanumeric() || "_-".contains(sign))
    };
    if !name.split('.').all(shape) {
        let message = format!(
            "is `{name}`, but must be words of letters, digits, _ and - with points between them"
        );
        return Some(common.wrong("name", message));
    }
    if table::is_own(name)
        || plan.vary.iter().any(|varied| varied.key == *name)
        || ["arm", "seed"].contains(&&**name)
    {
        let message =
            format!("is `{name}`, which the table of runs has already: choose another name");
        return Some(common.wrong("name", message));
    }
    if plan.outcomes[..place].iter().any(|before| before.common.name == *name) {
        return Some(common.wrong("name", format!("is `{name}`, which is there twice")));
    }
    // Every run has what it is read off.
    let lacking = plan.members.iter().find_map(|member| {
        let record: Record = member.experiment.record.read();
        let recorded = record.observables.iter().any(|pattern| fits(pattern, &common.column));
        (!recorded).then_some(record.observables)
    })?;
    let column = &common.column;
    let message = format!(
        "is `{column}`, which is not recorded: add it to record.observables, which has {}",
        lacking.join(", ")
    );
    Some(common.wrong("column", message))
}

/// The names of the columns that the requests of a plan make, as far as they are known before it runs.
pub(super) fn names(plan: &Plan) -> impl Iterator<Item = String> {
    plan.outcomes.iter().flat_map(Requested::names)
}

impl Plan {
    /// How figures call a column that the file asks for.
    pub(crate) fn requested_label(&self, name: &str) -> Option<String> {
        self.outcomes.iter().find(|one| one.common.name == name)?.common.label.clone()
    }
}
