//! What every module of evidence uses.

pub(crate) use crate::flows::{ExactLoss, try_map};
pub(crate) use crate::matrix::Matrix;
pub(crate) use crate::numbers::*;
pub(crate) use saddlescope::dynamics::{
    AdamSettings, Motion, Optimiser, Phase, ScheduleKind, Steps,
};
pub(crate) use saddlescope::event::{Condition, Event};
pub(crate) use saddlescope::flow::{Flow, FlowEnd, Method};
pub(crate) use saddlescope::numeric::random::Stream;
pub(crate) use saddlescope::record::Silent;
pub(crate) use saddlescope::trajectory::Snapshot;
pub(crate) use saddlescope::{GradientFlow, Landscape};
pub(crate) use saddlescope_spec::claim::{
    CaseEvidence, ClaimError, Evidence, Outcome, Subject, Trial,
};
pub(crate) use saddlescope_spec::measure::{
    Mean, ROUNDING, curvatures, evaluated, hessian, median, random, start_seed, states, stepped,
    stream, subsets, times,
};
pub(crate) use std::sync::{Arc, LazyLock};
