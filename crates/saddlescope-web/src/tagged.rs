//! Answers that carry a tag, so that asking again costs nothing while nothing has changed.

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, Response, StatusCode, header};
use axum::response::IntoResponse;
use sha2::{Digest, Sha256};

/// A tag of what an answer is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tag(String);

impl Tag {
    /// The tag of these bytes.
    pub(crate) fn of(bytes: impl AsRef<[u8]>) -> Self {
        let digest = Sha256::digest(bytes);
        let tag: String = digest[..12].iter().map(|byte| format!("{byte:02x}")).collect();
        Self(format!("\"{tag}\""))
    }

    /// The answer to somebody who has this already; nothing where he has not.
    pub(crate) fn unchanged(&self, headers: &HeaderMap) -> Option<Response<Body>> {
        let known = headers.get(header::IF_NONE_MATCH).and_then(|value| value.to_str().ok())?;
        let has = known.split(',').any(|tag| tag.trim().trim_start_matches("W/") == self.0);
        has.then(|| self.on(StatusCode::NOT_MODIFIED.into_response()))
    }

    /// The answer with this tag on it.
    pub(crate) fn on(&self, mut response: Response<Body>) -> Response<Body> {
        let headers = response.headers_mut();
        if let Ok(tag) = HeaderValue::from_str(&self.0) {
            headers.insert(header::ETAG, tag);
        }
        // Browsers keep it and ask every time whether it is still so.
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        response
    }
}
