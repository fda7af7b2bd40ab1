//! Reduced theories: laws in a few variables that claim to say what the whole model does.

use crate::VectorField;

/// A vector field in few variables with a way to the parameters of the whole model and back.
///
/// On the states where it [`holds`](ReducedTheory::holds), the flow of the model from
/// [`lift`](ReducedTheory::lift) is claimed to be the lift of the theory's own flow.
pub trait ReducedTheory: VectorField {
    /// The loss of the whole model, as the theory has it.
    fn loss(&self, state: &[f64]) -> f64;

    /// Parameters of the whole model at a state of the theory.
    fn lift(&self, state: &[f64]) -> Vec<f64>;

    /// The theory's state that parameters of the whole model are nearest to, in its own reading.
    fn project(&self, theta: &[f64]) -> Vec<f64>;

    /// Whether the theory claims to hold at this state.
    fn holds(&self, state: &[f64]) -> bool;
}
