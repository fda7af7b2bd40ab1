//! The papers: what each states, what was found, and which experiments reproduce it.

use std::sync::{LazyLock, Mutex, PoisonError};

use saddlescope::claim::{Claim, Verdict};
use saddlescope::system::System;
use saddlescope_lab::plan::{Changes, Plan};
use saddlescope_lab::registry;
use serde_json::{Map, Value, json};

use super::pictures::picture;
use crate::answer::Refusal;
use crate::runs::Folders;
use crate::wanted::{live, system};

/// All systems that are a paper's, in a few words each.
pub(super) fn list() -> Value {
    let of_a_paper = |system: &&&dyn System| !system.claims().is_empty();
    let one = |system: &&'static dyn System| head(*system);
    registry::systems().iter().filter(of_a_paper).map(one).collect()
}

fn head(system: &dyn System) -> Value {
    let schema = system.schema();
    json!({
        "name": schema.name, "title": schema.title, "about": schema.about,
        "authors": system.authors(), "verdicts": verdicts(system.claims()),
        "claims": system.claims().len(), "experiments": shipped(schema.name).count(),
    })
}

/// How many claims have each verdict on record, the best first.
fn verdicts(claims: &[Claim]) -> Vec<Value> {
    let count = |verdict: Verdict| claims.iter().filter(|claim| claim.recorded == verdict).count();
    let all = Verdict::ALL.into_iter().filter(|&verdict| count(verdict) > 0);
    all.map(|verdict| json!({ "words": verdict.words(), "count": count(verdict) })).collect()
}

/// One paper in full. Folders of runs may have pictures of their own.
pub(super) fn paper(name: &str, folders: &Folders) -> Result<Value, Refusal> {
    let system = system(name)?;
    let mut told = head(system);
    told["claims"] = system.claims().iter().map(claim).collect();
    let mut experiments = experiments(system.name());
    for experiment in &mut experiments {
        let name = experiment["name"].as_str().unwrap_or_default().to_owned();
        experiment["picture"] = where_drawn(&name, folders);
    }
    told["experiments"] = experiments.into();
    Ok(told)
}

fn claim(claim: &Claim) -> Value {
    json!({
        "id": claim.id, "name": claim.name(), "place": claim.place, "kind": claim.kind.word(),
        "statement": claim.statement, "assumes": claim.assumptions,
        "recorded": claim.recorded.words(), "correction": claim.correction,
    })
}

fn shipped(system: &str) -> impl Iterator<Item = &'static saddlescope_lab::shipped::Shipped> {
    let own = move |name: &str| name.split('/').next() == Some(system);
    registry::experiments().iter().filter(move |shipped| own(shipped.name))
}

/// What was said of a paper's experiments once is said again: they are part of the program.
static KNOWN: LazyLock<Mutex<Map<String, Value>>> = LazyLock::new(Mutex::default);

fn experiments(name: &str) -> Vec<Value> {
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let all = known.entry(name).or_insert_with(|| {
        let schemas = registry::schemas();
        let one = |shipped: &saddlescope_lab::shipped::Shipped| {
            let plan = Plan::from_text(shipped.name, shipped.text, &Changes::default(), &schemas);
            let plan = plan.ok()?;
            Some(json!({
                "name": shipped.name, "title": plan.name(), "about": plan.about(),
                "claims": plan.claims, "headline": plan.headline, "system": plan.schema.name,
                "members": plan.members.len(),
                "live": plan.members.first().map_or(Value::Null, |first| live(&first.experiment)),
            }))
        };
        shipped(name).filter_map(one).collect()
    });
    all.as_array().cloned().unwrap_or_default()
}

/// Where a picture of a shipped experiment is: in a folder of runs, in the program, or nowhere yet.
fn where_drawn(name: &str, folders: &Folders) -> Value {
    for (prefix, folder) in folders.there() {
        if folder.join(name).join("figure.svg").is_file() {
            let run = if prefix.is_empty() { name.to_owned() } else { format!("{prefix}/{name}") };
            let address = format!("/files/{run}/figure.svg");
            return json!({ "from": "runs", "address": address, "run": run });
        }
    }
    if picture(name).is_some() {
        let address = format!("/pictures/{}.svg", name.replace('/', "-"));
        return json!({ "from": "book", "address": address, "run": null });
    }
    Value::Null
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_paper_tells_its_claims_and_experiments() {
        let papers = list();
        let papers = papers.as_array().unwrap();
        assert_eq!(papers.len(), 5);
        let mut experiments = 0;
        for head in papers {
            let name = head["name"].as_str().unwrap();
            let told = paper(name, &Folders::new(&[])).unwrap();
            let claims = told["claims"].as_array().unwrap();
            assert_eq!(claims.len() as u64, head["claims"].as_u64().unwrap());
            let counted: u64 = head["verdicts"]
                .as_array()
                .unwrap()
                .iter()
                .map(|verdict| verdict["count"].as_u64().unwrap())
                .sum();
            assert_eq!(counted as usize, claims.len(), "{name}");
            for claim in claims {
                let wrong = claim["recorded"] == "false as printed";
                assert_eq!(wrong, claim["correction"].is_string(), "{}", claim["id"]);
            }
            experiments += told["experiments"].as_array().unwrap().len();
        }
        assert_eq!(experiments, registry::experiments().len());
    }
}
