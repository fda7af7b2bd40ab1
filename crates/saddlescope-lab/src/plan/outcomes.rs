//! Which outcomes the worlds of a plan may say, known before anything runs.

use super::Plan;
use crate::run::Run;

/// How many worlds are asked, at most: to prepare one may take a while.
const ASKED: usize = 32;

/// Names of outcomes of the plan's worlds, each once. Worlds are asked until a name is the `wanted` one;
/// those that differ in their seed alone say the same names.
pub(crate) fn outcome_names(plan: &Plan, wanted: impl Fn(&str) -> bool) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let first = plan.members.first().map(|member| member.seed);
    let cases = plan.members.iter().filter(|member| Some(member.seed) == first);
    for member in cases.take(ASKED) {
        // One that cannot run says so itself.
        let Ok(run) = Run::new(&member.experiment) else { continue };
        for name in &run.problem.outcome_names {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        if names.iter().any(|name| wanted(name)) {
            break;
        }
    }
    names
}
