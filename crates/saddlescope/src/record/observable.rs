//! Named functions of a moment, and the ones that every system has.

use crate::blocks::name_matches;
use crate::prelude::*;

/// A named, shaped quantity that can be read off a moment. Copies share what computes it.
#[derive(Clone)]
pub struct Observable {
    /// Stable, hierarchical name: `head.0.value`.
    pub name: String,
    /// Shape of one value; empty for a single number.
    pub shape: Vec<usize>,
    compute: Arc<Compute>,
}

/// Writes the value of an observable, which has its shape's number of entries.
type Compute = dyn Fn(&Moment<'_>, &mut [f64]) + Send + Sync;

impl Observable {
    pub fn new(
        name: impl Into<String>,
        shape: &[usize],
        compute: impl Fn(&Moment<'_>, &mut [f64]) + Send + Sync + 'static,
    ) -> Self {
        Self { name: name.into(), shape: shape.to_vec(), compute: Arc::new(compute) }
    }

    pub fn scalar(
        name: impl Into<String>,
        compute: impl Fn(&Moment<'_>) -> f64 + Send + Sync + 'static,
    ) -> Self {
        Self::new(name, &[], move |moment, value| value[0] = compute(moment))
    }

    /// Numbers per value.
    pub fn width(&self) -> usize {
        self.shape.iter().product()
    }

    pub fn compute(&self, moment: &Moment<'_>, value: &mut [f64]) {
        (self.compute)(moment, value);
    }
}

impl std::fmt::Debug for Observable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Observable").field("name", &self.name).field("shape", &self.shape).finish()
    }
}

/// Observables are equal where they are copies of one.
impl PartialEq for Observable {
    fn eq(&self, other: &Self) -> bool {
        (&self.name, &self.shape) == (&other.name, &other.shape)
            && Arc::ptr_eq(&self.compute, &other.compute)
    }
}

/// A pattern that no observable fits.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no observable is called `{pattern}`; there are {}", known.join(", "))]
pub struct UnknownObservable {
    pub pattern: String,
    /// What could have been asked for.
    pub known: Vec<String>,
}

/// The observables of a system, in a stable order.
#[derive(Default, Clone)]
pub struct Observables(Vec<Observable>);

impl Observables {
    /// What every system has: `loss`, `gradient.norm`, `norm.<block>`, and each block by its name.
    pub fn built_in(blocks: &Blocks) -> Self {
        let mut all = vec![
            Observable::scalar("loss", |moment| moment.loss),
            Observable::scalar("gradient.norm", |moment| norm(moment.gradient)),
        ];
        for block in blocks {
            let range = block.range();
            all.push(Observable::scalar(format!("norm.{}", block.name), move |moment| {
                norm(&moment.state[range.clone()])
            }));
        }
        for block in blocks {
            let range = block.range();
            all.push(Observable::new(&*block.name, &block.shape, move |moment, value| {
                value.copy_from_slice(&moment.state[range.clone()]);
            }));
        }
        Self(all)
    }

    /// Adds an observable of the system's own.
    #[must_use]
    pub fn with(mut self, observable: Observable) -> Self {
        self.0.push(observable);
        self
    }

    /// Keeps those that fit any of `patterns`, in the order of the patterns, each once.
    pub fn select<P: AsRef<str>>(mut self, patterns: &[P]) -> Result<Self, UnknownObservable> {
        let mut chosen = Vec::new();
        for pattern in patterns {
            let pattern = pattern.as_ref();
            let fits = |name: &str| name_matches(pattern, name);
            let earlier = chosen.iter().any(|o: &Observable| fits(&o.name));
            let (found, rest) = self.0.into_iter().partition::<Vec<_>, _>(|o| fits(&o.name));
            if found.is_empty() && !earlier {
                let known = chosen.iter().chain(&rest).map(|o| o.name.clone()).collect();
                return Err(UnknownObservable { pattern: pattern.to_owned(), known });
            }
            chosen.extend(found);
            self.0 = rest;
        }
        Ok(Self(chosen))
    }

    pub fn iter(&self) -> std::slice::Iter<'_, Observable> {
        self.0.iter()
    }
}

impl FromIterator<Observable> for Observables {
    fn from_iter<I: IntoIterator<Item = Observable>>(iter: I) -> Self {
        Self(iter.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn observables() -> Observables {
        Observables::built_in(&Blocks::new().with("a.0", &[], 1.0).with("a.1", &[2], 1.0))
    }

    #[test]
    fn built_in_values_are_the_norms_and_blocks() {
        let state = [3.0, 6.0, 8.0];
        let gradient = [1.0, 2.0, 2.0];
        let moment = Moment { time: 0.0, step: 0, loss: 7.0, state: &state, gradient: &gradient };
        let value = |name: &str| {
            let all = observables();
            let one = all.iter().find(|o| o.name == name).unwrap();
            let mut value = vec![0.0; one.width()];
            one.compute(&moment, &mut value);
            value
        };
        assert_eq!(value("loss"), [7.0]);
        assert_eq!(value("gradient.norm"), [3.0]);
        assert_eq!(value("norm.a.1"), [10.0]);
        assert_eq!(value("a.1"), [6.0, 8.0]);
    }

    #[test]
    fn selection_keeps_the_order_asked_for_and_names_what_is_missing() {
        let names = |patterns: &[&str]| -> Result<Vec<String>, UnknownObservable> {
            Ok(observables().select(patterns)?.iter().map(|o| o.name.clone()).collect())
        };
        assert_eq!(names(&["a.*", "loss", "a.1"]).unwrap(), ["a.0", "a.1", "loss"]);
        assert_eq!(names(&["norm.*"]).unwrap(), ["norm.a.0", "norm.a.1"]);
        let error = names(&["loss", "los"]).unwrap_err();
        assert_eq!(error.pattern, "los");
        assert!(error.to_string().contains("norm.a.1"), "{error}");
    }
}
