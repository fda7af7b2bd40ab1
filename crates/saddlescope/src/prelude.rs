//! What most of the engine is written with.

pub(crate) use std::ops::Range;
pub(crate) use std::sync::Arc;

pub(crate) use faer::Mat;
pub(crate) use serde::{Deserialize, Serialize};

pub(crate) use crate::analysis::stages::Stages;
pub(crate) use crate::array::Array;
pub(crate) use crate::descent::RuleError;
pub(crate) use crate::dynamics::PhaseError;
pub(crate) use crate::event::{Condition, Crossing, Event};
pub(crate) use crate::field::FieldEvaluator;
pub(crate) use crate::flow::{Flow, FlowError, Termination, Work};
pub(crate) use crate::memory::{Memory, MemoryError};
pub(crate) use crate::numeric::random::{Purpose, Stream};
pub(crate) use crate::numeric::vector::{dot, norm};
pub(crate) use crate::record::{Control, Glimpse, Moment, Observables, Recorder, Sampling};
#[cfg(test)]
pub(crate) use crate::record::{Recording, Silent};
pub(crate) use crate::surface::Surface;
#[cfg(test)]
pub(crate) use crate::toys::Toy;
pub(crate) use crate::trajectory::Trajectory;
pub(crate) use crate::{Blocks, Draw, Fault, Landscape, Scalar, VectorField};
