//! The systems and experiments that a program has: those that come with Saddlescope, and those that it adds.

use std::borrow::Cow;
use std::sync::OnceLock;

use saddlescope_spec::claim::{Claim, Paper};
use saddlescope_spec::shipped::ShippedExperiment;
use saddlescope_spec::system::Addition;

use crate::experiment::defaults_text;
use crate::prelude::*;

/// The systems that a program has, with their experiments and claims, found by their names.
#[derive(Debug, Clone, Default)]
pub struct Registry {
    systems: Vec<&'static dyn System>,
    experiments: Vec<ShippedExperiment>,
    papers: Vec<&'static Paper>,
    /// What the papers state, once it was asked for: reading their texts takes as long as a short run.
    claims: Arc<OnceLock<Vec<&'static Claim>>>,
}

impl Registry {
    /// All systems of `additions`, in their order.
    pub fn new(additions: &[Addition]) -> Result<Self> {
        let mut registry = Self::default();
        for &system in additions.iter().flat_map(|addition| addition.systems) {
            if registry.system(system.name()).is_some() {
                return Err(taken("system", system.name()));
            }
            registry.systems.push(system);
            for &shipped in system.schema().experiments {
                if registry.experiment(shipped.name).is_some() {
                    return Err(taken("experiment", shipped.name));
                }
                registry.experiments.push(shipped);
            }
        }
        registry.papers.extend(additions.iter().flat_map(|addition| addition.papers));
        Ok(registry)
    }

    /// All systems, in the order in which they are listed.
    pub fn systems(&self) -> &[&'static dyn System] {
        &self.systems
    }

    pub fn system(&self, name: &str) -> Option<&'static dyn System> {
        self.systems.iter().find(|system| system.name() == name).copied()
    }

    /// The system of that name, or an error that names the nearest.
    pub fn find(&self, name: &str) -> Result<&'static dyn System> {
        self.system(name).ok_or_else(|| {
            let known: Vec<&str> = self.systems.iter().map(|system| system.name()).collect();
            let hint = question(name, &known);
            let known = known.join(", ");
            Error::input(format!("there is no system `{name}`; {hint}the systems are {known}"))
        })
    }

    /// What the papers of all systems state, in the order in which they were added. Claims live as long as the program;
    /// a text that does not go with its evidence is an error.
    pub fn claims(&self) -> Result<&[&'static Claim]> {
        if self.claims.get().is_none() {
            let mut all = Vec::new();
            for paper in &self.papers {
                let claims = paper.claims().map_err(|error| Error::of(ErrorKind::Input, error))?;
                all.extend(&*claims.leak());
            }
            let _ = self.claims.set(all);
        }
        Ok(self.claims.get().map_or(&[], Vec::as_slice))
    }

    /// What the paper of a system states, in the order of the paper.
    pub fn claims_of(&self, system: &str) -> Result<Vec<&'static Claim>> {
        let of_system = |claim: &&Claim| claim.system() == system;
        Ok(self.claims()?.iter().copied().filter(of_system).collect())
    }

    pub fn experiments(&self) -> &[ShippedExperiment] {
        &self.experiments
    }

    pub fn experiment(&self, name: &str) -> Option<&ShippedExperiment> {
        self.experiments.iter().find(|shipped| shipped.name == name)
    }

    /// The text of what can be run by its name: a shipped experiment, or a system with its declared defaults.
    fn text(&self, name: &str) -> Option<Cow<'static, str>> {
        let shipped = self.experiment(name).map(|shipped| Cow::Borrowed(shipped.text));
        shipped.or_else(|| Some(Cow::Owned(defaults_text(self.system(name)?.schema()))))
    }

    /// The text of what is run by its name; nothing where `name` is that of a file.
    pub(crate) fn source(&self, name: &str) -> Result<Option<Cow<'static, str>>> {
        let text = self.text(name);
        if text.is_none() && !Path::new(name).exists() {
            return Err(Error::new(ErrorKind::Unknown, self.unknown(name)));
        }
        Ok(text)
    }

    /// Why nothing can be run that is called `name`, where that is no file either; with the nearest name that can.
    fn unknown(&self, name: &str) -> String {
        let experiments = self.experiments.iter().map(|shipped| ("experiment", shipped.name));
        let systems = self.systems.iter().map(|system| ("system", system.name()));
        let known: Vec<(&str, &str)> = experiments.chain(systems).collect();
        let names: Vec<&str> = known.iter().map(|(_, name)| *name).collect();
        let near = nearest(name, &names);
        let near = near.and_then(|near| known.iter().find(|(_, name)| *name == near));
        let hint = near.map_or_else(String::new, |(what, near)| {
            format!("; did you mean the {what} `{near}`?")
        });
        format!("there is no file, no experiment and no system `{name}`{hint}")
    }
}

fn taken(what: &str, name: &str) -> Error {
    Error::input(format!("there is a {what} `{name}` already; names are keys"))
}

#[cfg(test)]
pub(crate) mod tests {
    use std::sync::LazyLock;

    use super::*;
    use crate::experiment::starter_text;
    use crate::plan::{Changes, Plan};

    pub(crate) static ALL: LazyLock<Registry> =
        LazyLock::new(|| Registry::new(&[saddlescope_systems::ALL]).unwrap());

    #[test]
    fn a_system_by_its_name_is_what_a_new_file_for_it_says() {
        for system in ALL.systems() {
            let name = system.name();
            let read = |text: &str, changes: &[&str]| {
                Plan::from_text(name, text, &Changes::set(changes), &ALL)
                    .unwrap_or_else(|error| panic!("{error}\n{text}"))
            };
            let text = ALL.text(name).unwrap();
            let own = read(&text, &[]);
            assert_eq!(own, read(&starter_text(system.schema()), &["name=\"defaults\""]));
            assert_eq!((own.name(), own.group()), (Some("defaults"), name));
            // What the defaults need goes with the kind that needs it.
            assert_eq!(read(&text, &["dynamics.kind=\"flow\""]).members.len(), 1);
        }
        let text = ALL.text("linear-attention/fig1");
        assert!(text.is_some_and(|text| text.contains("[figure]")));
        assert!(ALL.text("nothing").is_none());
        let unknown = ALL.unknown("linear-atention");
        assert!(unknown.contains("did you mean the system `linear-attention`?"));
    }

    #[test]
    fn a_name_that_is_taken_is_refused() {
        let taken = Registry::new(&[saddlescope_systems::ALL; 2]).unwrap_err();
        let words = "there is a system `linear-attention` already; names are keys";
        assert_eq!(taken.to_string(), words);
    }
}
