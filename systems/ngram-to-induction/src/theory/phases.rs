//! When the phases of learning begin and end, measured on exact flows of Stage II.
//!
//! The two heads are decoupled there, so each has a flow of its own, and the loss of that flow is its partial loss.

use saddlescope::event::Condition;
use saddlescope::flow::{FlowEnd, FlowError};
use saddlescope::record::{Moment, Observable, Recording, Sampling};
use saddlescope::{Fault, GradientFlow, Landscape};

use crate::theory::Plateau;
use crate::{Error, Parts, Population, Shape, Task};
use saddlescope_spec::cases::{meeting, precise};

/// The 4-gram's head from a start.
#[derive(Debug, Clone)]
pub struct Gram {
    /// The loss `L_G4` of that head alone.
    pub landscape: Population,
    /// `p` and `g` at time zero.
    pub start: [f64; 2],
}

impl Gram {
    /// From `p` and `g` at time zero.
    pub fn new(task: Task, p: f64, g: f64) -> Result<Self, Error> {
        let landscape = Population::new(Shape::new(task).parts(Parts::Gram))?;
        Ok(Self { landscape, start: [p, g] })
    }

    /// `L_G4(0)`.
    pub fn first_loss(&self) -> Result<f64, Fault> {
        Ok(self.landscape.partial(&self.start)?.gram)
    }

    /// `T_1^g`: when `g` has come to `g*`.
    pub fn t_1g(&self) -> Result<Option<f64>, FlowError> {
        let target = self.landscape.shape.task.gram_weight();
        if self.start[1] >= target {
            return Ok(Some(0.0));
        }
        self.when(Condition::ParameterCrosses { index: 1, value: target })
    }

    /// When `L_G4` has come to a part of its first value: `T_I` at 0.01.
    pub fn time_to_part(&self, part: f64) -> Result<Option<f64>, FlowError> {
        let first = self.landscape.partial(&self.start).map_err(at_start)?.gram;
        self.when(Condition::LossBelow(part * first))
    }

    fn when(&self, condition: Condition) -> Result<Option<f64>, FlowError> {
        let end = meeting(&GradientFlow::new(&self.landscape), &self.start, condition)?;
        Ok(end.map(|end| end.time))
    }

    /// The largest `g`, and when.
    pub fn peak(&self, until: f64) -> Result<Option<Peak>, FlowError> {
        peak(&self.landscape, &self.start, 1, until)
    }
}

/// Stage I: the gradient flow of a model with a trained first layer in which only `p~` moves. 002, appendix C.2.
pub fn stage_one(landscape: &Population) -> GradientFlow<'_, Population> {
    let factors: Vec<f64> = landscape
        .blocks()
        .iter()
        .map(|block| if block.name == "p_tilde" { 1.0 } else { 0.0 })
        .collect();
    GradientFlow::new(landscape).with_factors(&factors)
}

/// The induction head from a start, with any attention and any tokens.
#[derive(Debug, Clone)]
pub struct Induction {
    /// The loss `L_IH` of that head alone.
    pub landscape: Population,
    /// Where it waits.
    pub plateau: Plateau,
    /// The parameters at time zero.
    pub start: Vec<f64>,
}

impl Induction {
    /// The head 2 of `shape` after Stage I, from the start of its own parameters (`w_Q, w_K, h` or `w, h`).
    pub fn new(shape: Shape, start: &[f64]) -> Result<Self, Error> {
        let shape = shape.parts(Parts::Induction).first(super::First::Previous);
        let landscape = Population::new(shape)?;
        Error::ensure_length(start, shape.len(), "start", "the parameters of the induction head")?;
        let wrong = |fault: Fault| Error::value("w*", shape.task.w_star, fault.to_string());
        let plateau = Plateau::new(&landscape, None).map_err(wrong)?;
        Ok(Self { landscape, plateau, start: start.to_vec() })
    }

    /// `L_IH(0)`.
    pub fn first_loss(&self) -> Result<f64, Fault> {
        Ok(self.landscape.partial(&self.start)?.induction)
    }

    /// The flow until `h` has come to `h*`: `T_1^h`, and the loss there.
    pub fn t_1h(&self) -> Result<Option<FlowEnd>, FlowError> {
        let (index, value) = (self.start.len() - 1, self.landscape.shape.task.induction_weight());
        if self.start[index] >= value {
            // Already there.
            return self.end(Condition::LossBelow(f64::INFINITY));
        }
        self.end(Condition::ParameterCrosses { index, value })
    }

    /// When the loss has come down to a level.
    pub fn time_to_loss(&self, level: f64) -> Result<Option<f64>, FlowError> {
        Ok(self.end(Condition::LossBelow(level))?.map(|end| end.time))
    }

    /// When the loss has come to a part of that on the plateau: `T_II` at 0.99, `T_III` at 0.01.
    pub fn time_to_part(&self, part: f64) -> Result<Option<f64>, FlowError> {
        self.time_to_loss(part * self.plateau.loss)
    }

    /// `T_II` and `T_III` by the paper's definition: when, after `T_1^h`, the loss has come to that part of what it was
    /// then.
    pub fn time_to_part_since_t_1h(&self, part: f64) -> Result<Option<f64>, FlowError> {
        let Some(first) = self.t_1h()? else { return Ok(None) };
        let condition = Condition::LossBelow(part * first.loss);
        let end = meeting(&GradientFlow::new(&self.landscape), &first.state, condition)?;
        Ok(end.map(|end| first.time + end.time))
    }

    /// When `w_Q w_K` has come to the square of a part of `w*`; of its first coordinate.
    ///
    /// `w_Q^2 - w_K^2 = c` is kept, so that where the product is `a` the larger of the two has the square
    /// `(|c| + sqrt(c^2 + 4 a^2))/2`. It keeps its sign; where the other has another, that one must turn first.
    pub fn time_to_strength(&self, part: f64) -> Result<Option<f64>, FlowError> {
        let shape = &self.landscape.shape;
        let (query, key) = (self.start[shape.query()], self.start[shape.key()]);
        let product = part * part * shape.task.product();
        if query * key >= product {
            return Ok(Some(0.0));
        }
        let query_leads = query.abs() >= key.abs();
        let (larger, smaller) =
            if query_leads { (shape.query(), shape.key()) } else { (shape.key(), shape.query()) };
        let (mut from, mut state) = (0.0, self.start.clone());
        if query * key < 0.0 {
            let turn = Condition::ParameterCrosses { index: smaller, value: 0.0 };
            let Some(end) = self.end(turn)? else { return Ok(None) };
            (from, state) = (end.time, end.state);
        }
        let kept = (query * query - key * key).abs();
        let value = (0.5 * (kept + kept.hypot(2.0 * product))).sqrt().copysign(state[larger]);
        let condition = Condition::ParameterCrosses { index: larger, value };
        let end = meeting(&GradientFlow::new(&self.landscape), &state, condition)?;
        Ok(end.map(|end| from + end.time))
    }

    fn end(&self, condition: Condition) -> Result<Option<FlowEnd>, FlowError> {
        meeting(&GradientFlow::new(&self.landscape), &self.start, condition)
    }

    /// `T_2^h`: when `h` is largest, before `until`.
    pub fn t_2h(&self, until: f64) -> Result<Option<Peak>, FlowError> {
        peak(&self.landscape, &self.start, self.start.len() - 1, until)
    }
}

fn at_start(fault: Fault) -> FlowError {
    FlowError::Fault { time: 0.0, fault }
}

/// Where a parameter is largest.
#[derive(Debug, Clone, PartialEq)]
pub struct Peak {
    /// When.
    pub time: f64,
    /// All parameters then.
    pub state: Vec<f64>,
}

/// Points of each search for a peak, and how often the interval is narrowed.
const POINTS: usize = 256;
const ROUNDS: usize = 4;

/// The first zero of the rate of a parameter, from rise to fall: the value itself is flat there.
fn peak(
    landscape: &Population,
    start: &[f64],
    index: usize,
    until: f64,
) -> Result<Option<Peak>, FlowError> {
    let field = GradientFlow::new(landscape);
    let (mut from, mut state, mut to) = (0.0, start.to_vec(), until);
    for round in 0..ROUNDS {
        // Evenly in the logarithm at first: nobody knows yet where it is.
        let at = |i: usize| {
            let part = i as f64 / POINTS as f64;
            let part = if round == 0 { 1e-6_f64.powf(1.0 - part) } else { part };
            from + part * (to - from)
        };
        let times: Vec<f64> = (1..=POINTS).map(at).collect();
        let slope = Observable::scalar("slope", move |moment: &Moment<'_>| moment.gradient[index]);
        let sampling = Sampling::Listed(times.clone());
        let mut recording =
            Recording::new([slope].into_iter().collect(), sampling).with_snapshots(times);
        precise().until(to).run(&field, from, &state, &mut recording)?;
        let trajectory = recording.finish();
        let slopes = trajectory.get("slope").map_or(&[][..], |series| series.data());
        let Some(first) = slopes.iter().position(|slope| *slope > 0.0) else { return Ok(None) };
        // Rows may hold the start and the end as well.
        to = trajectory.time()[first];
        let before = trajectory.snapshots().iter().rev().find(|snapshot| snapshot.time < to);
        if let Some(before) = before {
            (from, state) = (before.time, before.state.to_vec());
        }
    }
    Ok(Some(Peak { time: from, state }))
}

#[cfg(test)]
mod tests {
    use saddlescope::flow::Flow;
    use saddlescope::record::Silent;

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
        assert_eq!(
            Induction::new(shape, &[0.6, 0.5, 0.1]).unwrap().time_to_strength(0.5).unwrap(),
            Some(0.0)
        );
    }
}
