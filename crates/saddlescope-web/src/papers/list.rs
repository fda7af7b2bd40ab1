//! The papers: what each states, what was found, and which experiments reproduce it.

use saddlescope_spec::claim::{Claim, Verdict};
use saddlescope_spec::shipped::ShippedExperiment;

use crate::assets::has_picture;
use crate::prelude::*;
use crate::request::{live, system};
use crate::runs::Folders;
use crate::systems::Cache;

/// All systems that are a paper's, in a few words each.
pub(super) fn list(registry: &Registry) -> Result<Value, Refusal> {
    let heads = registry.systems().iter().map(|system| head(*system, registry));
    let of_a_paper =
        |head: &Result<Value, _>| head.as_ref().map_or(true, |head| head["claims"] != 0);
    heads.filter(of_a_paper).collect()
}

fn head(system: &dyn System, registry: &Registry) -> Result<Value, Refusal> {
    let schema = system.schema();
    let claims = registry.claims_of(schema.name)?;
    Ok(json!({
        "name": schema.name, "title": schema.title, "about": schema.about,
        "authors": system.schema().authors, "verdicts": verdicts(&claims),
        "claims": claims.len(), "experiments": shipped(schema.name, registry).count(),
    }))
}

/// How many claims have each verdict on record, the best first.
fn verdicts(claims: &[&Claim]) -> Vec<Value> {
    let count = |verdict: Verdict| claims.iter().filter(|claim| claim.recorded == verdict).count();
    let all = Verdict::ALL.into_iter().filter(|&verdict| count(verdict) > 0);
    all.map(|verdict| json!({ "words": verdict.words(), "count": count(verdict) })).collect()
}

/// One paper in full. Folders of runs may have pictures of their own.
pub(super) fn paper(
    name: &str,
    folders: &Folders,
    registry: &Registry,
    cache: &Cache,
) -> Result<Value, Refusal> {
    let system = system(name, registry)?;
    let mut told = head(system, registry)?;
    told["claims"] = registry.claims_of(system.name())?.into_iter().map(claim).collect();
    let mut experiments = experiments(system.name(), registry, cache);
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
        "statement": claim.text, "assumes": claim.assumptions,
        "recorded": claim.recorded.words(), "correction": claim.correction,
    })
}

fn shipped<'a>(
    system: &'a str,
    registry: &'a Registry,
) -> impl Iterator<Item = &'a ShippedExperiment> {
    registry.experiments().iter().filter(move |shipped| shipped.group() == system)
}

fn experiments(name: &str, registry: &Registry, cache: &Cache) -> Vec<Value> {
    let mut known = cache.lock().unwrap_or_else(PoisonError::into_inner);
    let all = known.entry(name).or_insert_with(|| {
        let one = |shipped: &ShippedExperiment| {
            let plan = Plan::from_text(shipped.name, shipped.text, &Changes::default(), registry);
            let plan = plan.ok()?;
            Some(json!({
                "name": shipped.name, "title": plan.name(), "about": plan.about(),
                "claims": plan.claims, "headline": plan.headline, "system": plan.system.name(),
                "members": plan.members.len(),
                "live": plan.members.first().and_then(|first| live(&first.experiment, registry)),
            }))
        };
        shipped(name, registry).filter_map(one).collect()
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
    if has_picture(name) {
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
        let papers = list(&ALL).unwrap();
        let papers = papers.as_array().unwrap();
        assert_eq!(papers.len(), 5);
        let mut experiments = 0;
        for head in papers {
            let name = head["name"].as_str().unwrap();
            let told = paper(name, &Folders::new(&[]), &ALL, &Cache::default()).unwrap();
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
        assert_eq!(experiments, ALL.experiments().len());
    }
}
