//! When the phases of learning begin and end, measured on exact flows of Stage II.
//!
//! The two heads are decoupled there, so each has a flow of its own, and the loss of that flow is its partial loss.

use std::ops::Deref;

use saddlescope::flow::FlowError;
use saddlescope_spec::cases::meeting;
use saddlescope_spec::prelude::*;

use crate::theory::Plateau;
use crate::{Error, First, Parts, Population, Shape, Task};

/// A head alone from a start. Its value, `g` or `h`, is its last parameter.
#[derive(Debug, Clone)]
pub struct Head {
    /// The loss of that head: `L_G4` or `L_IH`.
    pub landscape: Population,
    /// Its parameters at time zero.
    pub start: Vec<f64>,
    /// What the value should be.
    target: f64,
    /// The loss that is lost in its phases: of the 4-gram's head the first one, of the induction head that on the plateau.
    reference: f64,
}

impl Head {
    /// The 4-gram's head, from `p` and `g` at time zero.
    pub fn gram(task: Task, p: f64, g: f64) -> Result<Self, Error> {
        let landscape = Population::new(Shape::new(task).parts(Parts::Gram))?;
        let wrong = |fault: Fault| Error::value("p", p, fault.to_string());
        let reference = landscape.partial(&[p, g]).map_err(wrong)?.gram;
        Ok(Self { landscape, start: vec![p, g], target: task.gram_weight(), reference })
    }

    /// The loss at time zero.
    pub fn first_loss(&self) -> Result<f64, Fault> {
        let partial = self.landscape.partial(&self.start)?;
        Ok(partial.gram + partial.induction)
    }

    /// The flow until the value has come to its target, after `T_1^g` or `T_1^h`.
    pub fn on_target(&self) -> Result<Option<FlowEnd>, FlowError> {
        let index = self.start.len() - 1;
        self.until(if self.start[index] >= self.target {
            // Already there.
            Condition::LossBelow(f64::INFINITY)
        } else {
            Condition::ParameterCrosses { index, value: self.target }
        })
    }

    /// When the loss has come down to a level.
    pub fn time_to_loss(&self, level: f64) -> Result<Option<f64>, FlowError> {
        Ok(self.until(Condition::LossBelow(level))?.map(|end| end.time))
    }

    /// When the loss has come to a part of what is lost: `T_I` of the 4-gram at 0.01, of the induction head `T_II` at 0.99
    /// and `T_III` at 0.01.
    pub fn time_to_part(&self, part: f64) -> Result<Option<f64>, FlowError> {
        self.time_to_loss(part * self.reference)
    }

    fn until(&self, condition: Condition) -> Result<Option<FlowEnd>, FlowError> {
        meeting(&GradientFlow::new(&self.landscape), &self.start, condition)
    }
}

/// Stage I: the gradient flow of a model with a trained first layer in which only `p~` moves. 002, appendix C.2.
pub fn stage_one(landscape: &Population) -> GradientFlow<'_, Population> {
    let moves = |name: &str| if name == "p_tilde" { 1.0 } else { 0.0 };
    let factors: Vec<f64> = landscape.blocks().iter().map(|block| moves(&block.name)).collect();
    GradientFlow::new(landscape).with_factors(&factors)
}

/// The induction head from a start, with any attention and any tokens.
#[derive(Debug, Clone)]
pub struct Induction {
    head: Head,
    /// Where it waits.
    pub plateau: Plateau,
}

impl Deref for Induction {
    type Target = Head;

    fn deref(&self) -> &Head {
        &self.head
    }
}

impl Induction {
    /// The head 2 of `shape` after Stage I, from the start of its own parameters (`w_Q, w_K, h` or `w, h`).
    pub fn new(shape: Shape, start: &[f64]) -> Result<Self, Error> {
        let shape = shape.parts(Parts::Induction).first(First::Previous);
        let landscape = Population::new(shape)?;
        Error::ensure_length(
            start,
            shape.parameters(),
            "start",
            "the parameters of the induction head",
        )?;
        let wrong = |fault: Fault| Error::value("w_star", shape.task.w_star, fault.to_string());
        let plateau = Plateau::new(&landscape, None).map_err(wrong)?;
        let (start, target) = (start.to_vec(), shape.task.induction_weight());
        Ok(Self { head: Head { landscape, start, target, reference: plateau.loss }, plateau })
    }

    /// `T_II` and `T_III` by the paper's definition, 002, Theorem 4: when, after `T_1^h`, the loss has come to that part of what it was
    /// then.
    pub fn time_to_part_since_t_1h(&self, part: f64) -> Result<Option<f64>, FlowError> {
        let Some(first) = self.on_target()? else { return Ok(None) };
        let since = Head { start: first.state, ..self.head.clone() };
        Ok(since.time_to_loss(part * first.loss)?.map(|time| first.time + time))
    }

    /// When `w_Q w_K` has come to the square of a part of `w*`; of its first coordinate.
    ///
    /// `w_Q^2 - w_K^2 = c` is kept, so that where the product is `a` the larger of the two has the square
    /// `(|c| + sqrt(c^2 + 4 a^2))/2`. It keeps its sign; where the other has another, that one must turn first.
    pub fn time_to_strength(&self, part: f64) -> Result<Option<f64>, FlowError> {
        let shape = &self.landscape.shape;
        let (mut larger, mut smaller) = (shape.query(), shape.key());
        let (query, key) = (self.start[larger], self.start[smaller]);
        let product = part * part * shape.task.product();
        if query * key >= product {
            return Ok(Some(0.0));
        }
        if query.abs() < key.abs() {
            (larger, smaller) = (smaller, larger);
        }
        let (mut from, mut head) = (0.0, self.head.clone());
        if query * key < 0.0 {
            let turn = Condition::ParameterCrosses { index: smaller, value: 0.0 };
            let Some(end) = self.until(turn)? else { return Ok(None) };
            (from, head.start) = (end.time, end.state);
        }
        let kept = (query * query - key * key).abs();
        let size = (0.5 * (kept + kept.hypot(2.0 * product))).sqrt();
        let value = size.copysign(head.start[larger]);
        let end = head.until(Condition::ParameterCrosses { index: larger, value })?;
        Ok(end.map(|end| from + end.time))
    }
}

#[cfg(test)]
mod tests {

    use super::*;

    /// At the time that is found the product is what was asked for, and before it never was: from starts with equal and
    /// unequal, like and unlike signs.
    #[test]
    fn strengths_are_met_when_they_are_said_to_be() {
        let shape = Shape::new(Task::new(20, 1.0, 0.5).unwrap()).parts(Parts::Induction);
        let wanted = 0.25 * 0.25;
        let starts =
            [[0.01, 0.01], [0.02, 0.005], [0.5, -0.4], [0.4, -0.5], [-0.5, 0.4], [0.01, -0.02]];
        for [query, key] in starts {
            let head = Induction::new(shape, &[query, key, 0.1]).unwrap();
            let time = head.time_to_strength(0.5).unwrap().unwrap();
            let field = GradientFlow::new(&head.landscape);
            let product = |part: f64| {
                let flow = Flow::default().tolerances(1e-11, 1e-13).until(part * time);
                let state = flow.run(&field, 0.0, &head.start, &mut Silent).unwrap().state;
                state[0] * state[1]
            };
            assert!((product(1.0) - wanted).abs() < 1e-8, "{query} {key}: {}", product(1.0));
            for part in [0.2, 0.5, 0.8, 0.99] {
                assert!(product(part) < wanted, "{query} {key}");
            }
        }
        let there = Induction::new(shape, &[0.6, 0.5, 0.1]).unwrap();
        assert_eq!(there.time_to_strength(0.5).unwrap(), Some(0.0));
    }
}
