//! What most of the program is written with.

pub(crate) use std::io::IsTerminal;
pub(crate) use std::path::{Path, PathBuf};
pub(crate) use std::time::Duration;

pub(crate) use clap::Args;
pub(crate) use saddlescope_lab::campaign::Results;
pub(crate) use saddlescope_lab::error::{Error, ErrorKind};
pub(crate) use saddlescope_lab::plan::{Changes, Member, Plan, Size};
pub(crate) use saddlescope_lab::registry::Registry;
pub(crate) use saddlescope_lab::table::Table;
pub(crate) use saddlescope_lab::{fits, keep, report};
pub(crate) use saddlescope_spec::system::System;
pub(crate) use serde_json::{Value, json};

pub(crate) use crate::arguments::{ChangeArgs, TextArgs, choice};
pub(crate) use crate::{Failure, Outcome, Verdict, interrupt, print, print_json, tell};
