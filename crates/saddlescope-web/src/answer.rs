//! Answers in words: JSON, and what is wrong.

use axum::body::Body;
use axum::http::{HeaderValue, Response, StatusCode, header};
use axum::response::IntoResponse;
use saddlescope_lab::error::Error;
use saddlescope_spec::settings::{Problem, SettingsError};
use serde::Serialize;
use serde_json::{Value, json};

/// JSON as an answer.
pub(crate) fn json_answer(value: &impl Serialize) -> Response<Body> {
    // Keys are texts, which JSON always takes.
    of_type("application/json", serde_json::to_string(value).unwrap_or_default())
}

/// A body of that type.
pub(crate) fn of_type(kind: &'static str, body: impl Into<Body>) -> Response<Body> {
    let mut response = Response::new(body.into());
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}

/// Why a request is not answered as it wishes: a status, and words for people.
#[derive(Debug, Clone)]
pub(crate) struct Refusal {
    status: StatusCode,
    body: Value,
}

impl Refusal {
    pub(crate) fn new(status: StatusCode, words: impl Into<String>) -> Self {
        Self { status, body: json!({ "error": words.into(), "key": null }) }
    }

    /// The request itself is malformed.
    pub(crate) fn malformed(words: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, words)
    }

    /// There is no such thing.
    pub(crate) fn missing(words: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, words)
    }

    /// What was asked for cannot be.
    pub(crate) fn wrong(words: impl Into<String>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, words)
    }

    /// What was asked for cannot be, because of one setting.
    pub(crate) fn wrong_setting(key: &str, words: impl Into<String>) -> Self {
        let mut refusal = Self::wrong(words);
        refusal.body["key"] = key.into();
        refusal
    }

    /// Too much is asked at once.
    pub(crate) fn busy(words: impl Into<String>) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, words)
    }

    /// The words alone.
    pub(crate) fn words(&self) -> &str {
        self.body["error"].as_str().unwrap_or_default()
    }

    /// All that is wrong with settings; the first of it on top.
    fn settings(errors: &[SettingsError]) -> Self {
        let one = |error: &SettingsError| {
            let words = error.problem.to_string();
            json!({ "error": words, "key": key(&error.problem), "help": error.help })
        };
        let all: Vec<Value> = errors.iter().map(one).collect();
        let first = all.first().cloned().unwrap_or_default();
        let body = json!({ "error": first["error"], "key": first["key"], "errors": all });
        Self { status: StatusCode::UNPROCESSABLE_ENTITY, body }
    }
}

/// The setting that a problem is about.
fn key(problem: &Problem) -> Option<String> {
    match problem {
        Problem::Unfit { key, .. }
        | Problem::Ragged { key, .. }
        | Problem::OtherKind { key, .. }
        | Problem::Missing { key, .. }
        | Problem::NoEffect { key, .. }
        | Problem::Wrong { key, .. } => Some(key.clone()),
        Problem::Unknown { found, section, .. } if section.is_empty() => Some(found.clone()),
        Problem::Unknown { found, section, .. } => Some(format!("{section}.{found}")),
        Problem::Text(_) => None,
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        match error.settings() {
            [] => Self::wrong(error.to_string()),
            errors => Self::settings(errors),
        }
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response<Body> {
        let mut response = json_answer(&self.body);
        *response.status_mut() = self.status;
        response
    }
}
