//! The systems and experiments that there are: our own, and those that a program adds from outside.

use std::borrow::Cow;
use std::sync::OnceLock;

use saddlescope::settings::SystemSchema;
use saddlescope::system::System;
use saddlescope_systems::SYSTEMS;

use crate::experiment::defaults_text;
use crate::nearest::nearest;
use crate::shipped::{EXPERIMENTS, Shipped};

/// What a program adds to the systems and experiments that come with Saddlescope.
#[derive(Clone, Copy, Default)]
pub struct Addition {
    /// Systems.
    pub systems: &'static [&'static dyn System],
    /// Experiments, each called `<system>/<name>`.
    pub experiments: &'static [Shipped],
}

impl std::fmt::Debug for Addition {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let systems: Vec<&str> = self.systems.iter().map(|system| system.name()).collect();
        f.debug_struct("Addition").field("systems", &systems).finish_non_exhaustive()
    }
}

/// Why nothing can be added.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AddError {
    /// Somebody has looked, or added, before.
    #[error("systems are added once, before anything else is asked of the laboratory")]
    TooLate,
    /// A name that is taken.
    #[error("there is a {what} `{name}` already; names are keys")]
    Taken {
        /// System or experiment.
        what: &'static str,
        /// The name.
        name: &'static str,
    },
}

struct Known {
    systems: Vec<&'static dyn System>,
    experiments: Vec<Shipped>,
}

impl Known {
    fn with(added: Addition) -> Self {
        Self {
            systems: [SYSTEMS, added.systems].concat(),
            experiments: [EXPERIMENTS, added.experiments].concat(),
        }
    }
}

static KNOWN: OnceLock<Known> = OnceLock::new();

fn known() -> &'static Known {
    KNOWN.get_or_init(|| Known::with(Addition::default()))
}

/// Adds systems and experiments. A program does so once, first of all.
pub fn add(added: Addition) -> Result<(), AddError> {
    let known = Known::with(added);
    let systems: Vec<&'static str> = known.systems.iter().map(|system| system.name()).collect();
    let experiments: Vec<&'static str> = known.experiments.iter().map(|e| e.name).collect();
    for (what, names) in [("system", systems), ("experiment", experiments)] {
        for (place, name) in names.iter().enumerate() {
            if names[..place].contains(name) {
                return Err(AddError::Taken { what, name });
            }
        }
    }
    KNOWN.set(known).map_err(|_| AddError::TooLate)
}

/// All systems, in the order in which they are listed.
pub fn systems() -> &'static [&'static dyn System] {
    &known().systems
}

/// The system of that name.
pub fn system(name: &str) -> Option<&'static dyn System> {
    systems().iter().find(|system| system.name() == name).copied()
}

/// What all systems declare.
pub fn schemas() -> Vec<&'static SystemSchema> {
    systems().iter().map(|system| system.schema()).collect()
}

/// All shipped experiments, system by system.
pub fn experiments() -> &'static [Shipped] {
    &known().experiments
}

/// The shipped experiment of that name.
pub fn experiment(name: &str) -> Option<&'static Shipped> {
    experiments().iter().find(|shipped| shipped.name == name)
}

/// The text of what can be run by its name: a shipped experiment, or a system with its declared defaults.
pub fn text(name: &str) -> Option<Cow<'static, str>> {
    let shipped = experiment(name).map(|shipped| Cow::Borrowed(shipped.text));
    shipped.or_else(|| system(name).map(|system| Cow::Owned(defaults_text(system.schema()))))
}

/// Why nothing can be run that is called `name`, where that is no file either; with the nearest name that can.
pub fn nowhere(name: &str) -> String {
    let experiments = experiments().iter().map(|shipped| ("experiment", shipped.name));
    let systems = systems().iter().map(|system| ("system", system.name()));
    let known: Vec<(&str, &str)> = experiments.chain(systems).collect();
    let names: Vec<&str> = known.iter().map(|(_, name)| *name).collect();
    let near = nearest(name, &names);
    let near = near.and_then(|near| known.iter().find(|(_, name)| *name == near));
    let hint = near
        .map_or_else(String::new, |(what, near)| format!("; did you mean the {what} `{near}`?"));
    format!("there is no file, no experiment and no system `{name}`{hint}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::starter_text;
    use crate::plan::{Changes, Plan};

    #[test]
    fn a_system_by_its_name_is_what_a_new_file_for_it_says() {
        for system in systems() {
            let name = system.name();
            let read = |text: &str, changes: &[&str]| {
                Plan::from_text(name, text, &Changes::set(changes), &schemas())
                    .unwrap_or_else(|error| panic!("{error}\n{text}"))
            };
            let text = text(name).unwrap();
            let own = read(&text, &[]);
            assert_eq!(own, read(&starter_text(system.schema()), &["name=\"defaults\""]));
            assert_eq!((own.name(), own.group()), (Some("defaults"), name));
            // What the defaults need goes with the kind that needs it.
            assert_eq!(read(&text, &["dynamics.kind=\"flow\""]).members.len(), 1);
        }
        assert!(text("linear-attention/fig1").is_some_and(|text| text.contains("[figure]")));
        assert!(text("nothing").is_none());
        assert!(nowhere("linear-atention").contains("did you mean the system `linear-attention`?"));
    }

    #[test]
    fn a_name_that_is_taken_is_refused_and_changes_nothing() {
        let experiments: &'static [Shipped] =
            &[Shipped { name: "linear-attention/fig1", text: "" }];
        let taken = Addition { systems: &[], experiments };
        let what = AddError::Taken { what: "experiment", name: "linear-attention/fig1" };
        assert_eq!(add(taken), Err(what));
        let taken = Addition { systems: SYSTEMS, experiments: &[] };
        assert!(add(taken).unwrap_err().to_string().contains("`linear-attention`"));
        assert_eq!(systems().len(), SYSTEMS.len());
        assert_eq!(add(Addition::default()), Err(AddError::TooLate));
    }
}
