//! The papers: figures with our reproductions, claims with their verdicts, and both made anew on demand.

mod anew;
mod list;

use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::routing::{get, post};

use crate::answer::{Refusal, json_answer, of_type};
use crate::jobs::Job;
use crate::packed;
use crate::request::object;
use crate::routes::{Answer, Observatory, Shared};
use crate::runs::PICTURE_POLICY;
use crate::tagged::Tag;

/// Where papers are found.
pub(crate) fn routes() -> Router<Arc<Observatory>> {
    Router::new()
        .route("/api/papers", get(all))
        .route("/api/papers/{name}", get(one))
        .route("/pictures/{name}", get(picture))
        .route("/api/reproduce", post(reproduce))
        .route("/api/check", post(check))
}

async fn all(State(observatory): Shared) -> Answer {
    Ok(json_answer(&list::list(&observatory.options.registry)?))
}

async fn one(State(observatory): Shared, Path(name): Path<String>, headers: HeaderMap) -> Answer {
    let shared = Arc::clone(&observatory);
    let told = move |_: &mut Job| {
        list::paper(&name, &shared.folders, &shared.options.registry, &shared.papers)
    };
    let told = observatory.jobs.once(told).await?.to_string();
    let tag = Tag::of(&told);
    Ok(tag.unchanged(&headers).unwrap_or_else(|| tag.on(of_type("application/json", told))))
}

async fn picture(Path(name): Path<String>, headers: HeaderMap) -> Answer {
    let svg = packed::picture(&name);
    let svg = svg.ok_or_else(|| Refusal::missing(format!("there is no picture `{name}`")))?;
    let tag = Tag::of(&svg);
    if let Some(unchanged) = tag.unchanged(&headers) {
        return Ok(unchanged);
    }
    let mut response = of_type("image/svg+xml", svg);
    let policy = HeaderValue::from_static(PICTURE_POLICY);
    response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
    Ok(tag.on(response))
}

async fn reproduce(State(observatory): Shared, body: Bytes) -> Answer {
    let name = anew::text(&object(&body)?, "name")?;
    let registry = observatory.options.registry.clone();
    observatory.jobs.stream(move |job| anew::reproduce(&name, job, &registry)).await
}

async fn check(State(observatory): Shared, body: Bytes) -> Answer {
    let id = anew::text(&object(&body)?, "id")?;
    let registry = observatory.options.registry.clone();
    observatory.jobs.stream(move |job| anew::check(&id, job, &registry)).await
}
