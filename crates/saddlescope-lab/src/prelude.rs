//! What most of the laboratory is written with.

pub(crate) use std::collections::{BTreeMap, HashMap, HashSet};
pub(crate) use std::fmt::{self, Display, Write};
pub(crate) use std::fs::{self, File};
pub(crate) use std::ops::Range;
pub(crate) use std::path::{Path, PathBuf};
pub(crate) use std::sync::atomic::{AtomicBool, Ordering};
pub(crate) use std::sync::{Arc, Mutex};
pub(crate) use std::time::{Duration, Instant};

pub(crate) use saddlescope::Blocks;
pub(crate) use saddlescope::analysis::saddle::SaddleGraph;
pub(crate) use saddlescope::analysis::scaling::Law;
pub(crate) use saddlescope::analysis::stages::Stages;
pub(crate) use saddlescope::blocks::name_matches;
pub(crate) use saddlescope::dynamics::Phase;
pub(crate) use saddlescope::flow::Flow;
pub(crate) use saddlescope::numeric::simd;
pub(crate) use saddlescope::record::{Control, Glimpse, Moment, Recorder, Recording};
pub(crate) use saddlescope::trajectory::{Series, Snapshot, Trajectory};
pub(crate) use saddlescope_spec::figure::{
    self, ColourBy, Contents, FIGURE, FigureSpec, Lines, PANEL, PanelSpec, Points, Scale, SeedsAs,
};
pub(crate) use saddlescope_spec::outcome::{Outcome, OutcomeValue};
pub(crate) use saddlescope_spec::prediction::{Prediction, Says, Scaling};
pub(crate) use saddlescope_spec::problem::Problem;
pub(crate) use saddlescope_spec::settings::dynamics::DYNAMICS;
pub(crate) use saddlescope_spec::settings::evaluate::EVALUATE;
pub(crate) use saddlescope_spec::settings::experiment::{ARM, EXPERIMENT, Header, PLAN};
pub(crate) use saddlescope_spec::settings::fit::{FIT, Fit};
pub(crate) use saddlescope_spec::settings::outcome::{OUTCOME, Requested};
pub(crate) use saddlescope_spec::settings::record::{RECORD, Record};
pub(crate) use saddlescope_spec::settings::sweep::SWEEP;
pub(crate) use saddlescope_spec::settings::{
    Choice, GivenValue, Input, Key, Origin, Place, Presence, Section, Settings, SettingsError,
    Spanned, SystemSchema, Value, Variant, quote, read_literal, render_input, render_key,
    render_value,
};
pub(crate) use saddlescope_spec::sketch::Sketch;
pub(crate) use saddlescope_spec::system::System;
pub(crate) use serde::{Deserialize, Serialize, Serializer};
pub(crate) use serde_json::{Map, json};

pub(crate) use crate::error::{AllChecked, Checked, Error, ErrorKind, Result};
pub(crate) use crate::experiment::{Evaluation, Experiment};
pub(crate) use crate::facts::{LevelCrossing, ProblemFacts, RunEnd, RunFacts, RunResult};
pub(crate) use crate::fits::FitResult;
pub(crate) use crate::frame::{Cells, Column, Frame, NoColumn, distinct, grouped, together};
pub(crate) use crate::nearest::{families, hint, nearest, question};
pub(crate) use crate::plan::{Changes, Execution, Executor, Member, Plan, RunRow, RunTable};
pub(crate) use crate::registry::Registry;
#[cfg(test)]
pub(crate) use crate::registry::tests::ALL;
pub(crate) use crate::report::{number, reached, short};
pub(crate) use crate::run::{Ending, Run, RunEnding};
pub(crate) use crate::store::{Hash, Notes};
pub(crate) use crate::table::Table;
pub(crate) use crate::{keep, report, store};
