//! Reduced theories: laws in a few variables that claim to say what the whole model does.

use std::fmt::Display;

use crate::blocks::listed;
use crate::prelude::*;

/// A law in few variables, with a way to the whole model's parameters and back: a [`VectorField`] without time.
///
/// On the states where it [`holds`](ReducedTheory::holds), the flow of the model from
/// [`lift`](ReducedTheory::lift) is claimed to be the lift of the theory's own flow.
pub trait ReducedTheory: Send + Sync {
    /// Names and shapes of the state.
    fn variables(&self) -> &Blocks;

    /// Writes `d state/dt` and returns the loss of the whole model, as the theory has it.
    fn law(&self, state: &[f64], rate: &mut [f64]) -> Result<f64, Fault>;

    /// See [`FieldEvaluator::jacobian_product`].
    fn law_product(&self, _state: &[f64], _direction: &[f64], _product: &mut [f64]) -> bool {
        false
    }

    /// The rates of the variables where the law is a gradient flow: see [`FieldEvaluator::symmetric_rates`].
    fn flow_rates(&self) -> Option<&[f64]> {
        None
    }

    /// The loss of the whole model, as the theory has it; NaN where the law fails.
    fn loss(&self, state: &[f64]) -> f64 {
        self.law(state, &mut vec![0.0; state.len()]).unwrap_or(f64::NAN)
    }

    /// The smallest loss that the theory can come to, where it is known.
    fn least_loss(&self) -> Option<f64> {
        None
    }

    /// Parameters of the whole model at a state of the theory.
    fn lift(&self, state: &[f64]) -> Vec<f64>;

    /// The theory's state that parameters of the whole model are nearest to, in its own reading.
    fn project(&self, theta: &[f64]) -> Vec<f64>;

    /// Whether the theory claims to hold at this state.
    fn holds(&self, _state: &[f64]) -> bool {
        true
    }
}

impl<T: ReducedTheory + ?Sized> VectorField for T {
    fn evaluator(&self) -> Box<dyn FieldEvaluator + '_> {
        Box::new(self)
    }
}

impl<T: ReducedTheory + ?Sized> FieldEvaluator for &T {
    fn blocks(&self) -> &Blocks {
        self.variables()
    }

    fn rate(&mut self, _time: f64, state: &[f64], rate: &mut [f64]) -> Result<f64, Fault> {
        self.law(state, rate)
    }

    fn jacobian_product(
        &mut self,
        _time: f64,
        state: &[f64],
        direction: &[f64],
        product: &mut [f64],
    ) -> Result<bool, Fault> {
        Ok(self.law_product(state, direction, product))
    }

    fn symmetric_rates(&self) -> Option<&[f64]> {
        self.flow_rates()
    }
}

/// A theory of a system, whatever its type.
pub type AnyTheory<'a> = dyn ReducedTheory + 'a;

/// The reduced theories of a system, by name.
#[must_use]
pub struct Theories<'a> {
    present: Vec<(&'static str, Box<AnyTheory<'a>>)>,
    absent: Vec<(&'static str, String)>,
}

/// Why there is no theory of that name: the name, and those that there are, or what it needs.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NoTheory(String);

impl<'a> Theories<'a> {
    pub const fn none() -> Self {
        Self { present: Vec::new(), absent: Vec::new() }
    }

    /// Adds a theory. The first one is meant where none is named.
    pub fn with(mut self, name: &'static str, theory: impl ReducedTheory + 'a) -> Self {
        self.present.push((name, Box::new(theory)));
        self
    }

    /// Notes that the system's theory of that name does not apply, and `why`.
    pub fn without(mut self, name: &'static str, why: impl Into<String>) -> Self {
        self.absent.push((name, why.into()));
        self
    }

    /// Adds a theory where it applies, and notes why where it does not.
    pub fn with_valid<T: ReducedTheory + 'a, E: Display>(
        self,
        name: &'static str,
        theory: Result<T, E>,
    ) -> Self {
        match theory {
            Ok(theory) => self.with(name, theory),
            Err(error) => self.without(name, error.to_string()),
        }
    }

    /// Names of the theories that apply.
    pub fn names(&self) -> Vec<&'static str> {
        self.present.iter().map(|(name, _)| *name).collect()
    }

    /// The theory of that name, or the first one, with its name.
    pub fn find(&self, name: Option<&str>) -> Result<(&'static str, &AnyTheory<'a>), NoTheory> {
        let fits = |known: &str| name.is_none_or(|name| name == known);
        if let Some((name, theory)) = self.present.iter().find(|(known, _)| fits(known)) {
            return Ok((name, &**theory));
        }
        if let Some((name, why)) = self.absent.iter().find(|(known, _)| fits(known)) {
            return Err(NoTheory(format!("the theory `{name}` does not apply: {why}")));
        }
        let absent = self.absent.iter().map(|(name, _)| *name);
        let known: Vec<&'static str> = self.names().into_iter().chain(absent).collect();
        Err(NoTheory(match name {
            Some(name) if !known.is_empty() => {
                let verb = if known.len() > 1 { "are" } else { "is" };
                let known = listed(known.into_iter());
                format!("no theory is called `{name}`; there {verb} {known}")
            }
            _ => "this system has no reduced theory".to_owned(),
        }))
    }
}
