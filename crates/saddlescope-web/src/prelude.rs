//! What most of the server is written with.

pub(crate) use std::fs;
pub(crate) use std::net::SocketAddr;
pub(crate) use std::path::{Path, PathBuf};
pub(crate) use std::sync::{Arc, Mutex, PoisonError};
pub(crate) use std::time::Duration;

pub(crate) use axum::Router;
pub(crate) use axum::body::{Body, Bytes};
pub(crate) use axum::http::{HeaderMap, HeaderValue, Response, StatusCode, header};
pub(crate) use saddlescope::trajectory::{Series, Trajectory};
pub(crate) use saddlescope_lab::experiment::Experiment;
pub(crate) use saddlescope_lab::facts::ProblemFacts;
pub(crate) use saddlescope_lab::frame::Column;
pub(crate) use saddlescope_lab::plan::{Changes, Member, Plan};
pub(crate) use saddlescope_lab::registry::Registry;
pub(crate) use saddlescope_lab::run::Run;
pub(crate) use saddlescope_spec::system::System;
pub(crate) use serde::{Deserialize, Serialize};
pub(crate) use serde_json::{Map, Value, json};

pub(crate) use crate::Options;
pub(crate) use crate::answer::{Refusal, Tag, json_answer, of_type};
pub(crate) use crate::frames::FrameHead;
pub(crate) use crate::jobs::Job;
pub(crate) use crate::request::RequestedRun;
pub(crate) use crate::routes::Answer;
#[cfg(test)]
pub(crate) use crate::tests::ALL;
