//! What most of the module is written with.

pub(crate) use std::path::PathBuf;
pub(crate) use std::sync::Arc;
pub(crate) use std::sync::atomic::Ordering;

pub(crate) use saddlescope::{Blocks, Landscape};
pub(crate) use saddlescope_lab::error::ErrorKind;
pub(crate) use saddlescope_lab::report;
pub(crate) use serde_json::{Value, json};

pub(crate) use crate::attend::attend;
pub(crate) use crate::buffer::Buffer;
pub(crate) use crate::figure::Figure;
pub(crate) use crate::run::Run;
pub(crate) use crate::{REGISTRY, errors};
