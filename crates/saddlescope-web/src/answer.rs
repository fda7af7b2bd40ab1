//! Answers: JSON, what is wrong in words, and tags, so that asking again costs nothing while nothing has changed.

use axum::response::IntoResponse;
use saddlescope_lab::error::Error;
use saddlescope_spec::settings::{Problem, SettingsError};
use sha2::{Digest, Sha256};

use crate::prelude::*;

pub(crate) fn json_answer(value: &impl Serialize) -> Response<Body> {
    // Keys are texts, which JSON always takes.
    of_type("application/json", serde_json::to_string(value).unwrap_or_default())
}

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

macro_rules! refusals {
    ($($name:ident: $status:ident,)*) => {
        impl Refusal {
            $(pub(crate) fn $name(words: impl Into<String>) -> Self {
                Self::new(StatusCode::$status, words)
            })*
        }
    };
}

refusals! {
    malformed: BAD_REQUEST,
    missing: NOT_FOUND,
    wrong: UNPROCESSABLE_ENTITY,
    forbidden: FORBIDDEN,
    busy: SERVICE_UNAVAILABLE,
}

impl Refusal {
    pub(crate) fn new(status: StatusCode, words: impl Into<String>) -> Self {
        Self { status, body: json!({ "error": words.into(), "key": null }) }
    }

    /// What was asked for cannot be, because of one setting.
    pub(crate) fn wrong_setting(key: &str, words: impl Into<String>) -> Self {
        let mut refusal = Self::wrong(words);
        refusal.body["key"] = key.into();
        refusal
    }

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

/// A tag of what an answer is made of.
pub(crate) struct Tag(String);

impl Tag {
    pub(crate) fn of(bytes: impl AsRef<[u8]>) -> Self {
        let digest = Sha256::digest(bytes);
        let tag: String = digest[..12].iter().map(|byte| format!("{byte:02x}")).collect();
        Self(format!("\"{tag}\""))
    }

    /// The answer with this tag on it; for a client that has it already, only that nothing has changed.
    pub(crate) fn answer(&self, asked: &HeaderMap, answer: impl FnOnce() -> Answer) -> Answer {
        let known = asked.get(header::IF_NONE_MATCH).and_then(|value| value.to_str().ok());
        let is_own = |tag: &str| tag.trim().trim_start_matches("W/") == self.0;
        let mut response = match known.is_some_and(|known| known.split(',').any(is_own)) {
            true => StatusCode::NOT_MODIFIED.into_response(),
            false => answer()?,
        };
        let headers = response.headers_mut();
        if let Ok(tag) = HeaderValue::from_str(&self.0) {
            headers.insert(header::ETAG, tag);
        }
        // Browsers keep it and ask every time whether it is still so.
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        Ok(response)
    }
}
