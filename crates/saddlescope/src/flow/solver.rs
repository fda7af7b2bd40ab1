//! The method at work, chosen when a flow begins, turns stiff, or goes on from memory.

use super::dop853::Dop853;
use super::radau::Radau;
use super::stepper::{Point, Problem, Stepper};
use super::{FlowError, Method};
use crate::memory::Memory;

/// Any method.
pub(super) type Solver = Box<dyn Stepper>;

/// The method at `start`, with a first step that it finds itself.
pub(super) fn begin(
    method: Method,
    problem: &mut Problem<'_>,
    start: Point,
    limit: f64,
) -> Result<Solver, FlowError> {
    let order = match method {
        Method::Auto | Method::Dop853 => Dop853::FIRST_ORDER,
        Method::Radau => Radau::FIRST_ORDER,
    };
    let step = problem.first_step(&start, order, limit - start.time)?;
    Ok(with_step(method, problem, start, step))
}

/// The method as another one that ended its last step at `end` has written it into `memory`.
pub(super) fn load(
    method: Method,
    problem: &Problem<'_>,
    end: Point,
    memory: &mut Memory,
) -> Result<Solver, FlowError> {
    let mut solver = with_step(method, problem, end, 0.0);
    solver.load(memory)?;
    Ok(solver)
}

fn with_step(method: Method, problem: &Problem<'_>, start: Point, step: f64) -> Solver {
    match method {
        Method::Auto | Method::Dop853 => Box::new(Dop853::new(start, step)),
        Method::Radau => Box::new(Radau::new(problem, start, step)),
    }
}
