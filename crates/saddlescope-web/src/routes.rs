//! Which address is answered by what.

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, Method, Response, StatusCode, Uri};
use axum::middleware::{Next, from_fn};
use axum::response::IntoResponse;
use axum::routing::{get, post};
use saddlescope::numeric::simd;
use serde::Serialize;

use crate::answer::{Refusal, json_answer};
use crate::clock::Clock;
use crate::guard::{Names, guard};
use crate::jobs::{Job, Jobs};
use crate::live::Live;
use crate::systems::SystemLine;
use crate::{Options, assets, export, papers, runs, saddles, systems};

/// What all requests share.
pub(crate) struct Observatory {
    pub(crate) options: Options,
    pub(crate) jobs: Jobs,
    /// Where stored runs are.
    pub(crate) folders: runs::Folders,
    /// What has been seen of them.
    pub(crate) runs: runs::RunCache,
    /// What has been said of systems.
    systems: systems::Cache,
    /// What has been said of papers' experiments.
    pub(crate) papers: systems::Cache,
}

/// What handlers are given.
pub(crate) type Shared = State<Arc<Observatory>>;

/// An answer, or why there is none.
pub(crate) type Answer = Result<Response<Body>, Refusal>;

/// All routes of a server that has these names.
pub(crate) fn routes(options: Options, names: Names) -> Router {
    let jobs = Jobs::new(options.time, Clock::of_the_machine());
    let folders = runs::Folders::new(&options.runs);
    let runs = runs::RunCache::new(options.registry.clone());
    let observatory = Arc::new(Observatory {
        options,
        jobs,
        folders,
        runs,
        systems: systems::Cache::default(),
        papers: systems::Cache::default(),
    });
    Router::new()
        .route("/api/about", get(about))
        .route("/api/systems/{name}", get(system))
        .route("/api/live", post(live))
        .route("/api/saddles", post(ladder))
        .route("/api/export/{format}", post(exported))
        .route("/assets/{name}", get(asset))
        .merge(runs::routes())
        .merge(papers::routes())
        .fallback(page)
        .layer(from_fn(move |request: Request, next: Next| guard(names.clone(), request, next)))
        .with_state(observatory)
}

async fn about(State(observatory): Shared) -> Response<Body> {
    let options = &observatory.options;
    let folders = &observatory.folders;
    let folder = (!folders.there().is_empty()).then(|| folders.words());
    json_answer(&About {
        version: env!("CARGO_PKG_VERSION"),
        simd: simd::level().to_string(),
        cores: std::thread::available_parallelism().map_or(1, usize::from),
        runs: folder,
        limits: Limits { seconds: options.time.as_secs(), bytes: options.memory },
        systems: systems::list(&options.registry),
    })
}

/// The program.
#[derive(Serialize)]
struct About {
    version: &'static str,
    simd: String,
    cores: usize,
    /// The folder of runs, if there is one.
    runs: Option<String>,
    limits: Limits,
    systems: Vec<SystemLine>,
}

/// What a request may take.
#[derive(Serialize)]
struct Limits {
    seconds: u64,
    bytes: u64,
}

async fn system(State(observatory): Shared, Path(name): Path<String>) -> Answer {
    let shared = Arc::clone(&observatory);
    let told =
        move |_: &mut Job| systems::describe(&name, &shared.options.registry, &shared.systems);
    let told = observatory.jobs.once(told).await?;
    Ok(json_answer(&told))
}

async fn live(State(observatory): Shared, body: Bytes) -> Answer {
    let live = Live::read(&body, &observatory.options.registry)?;
    let shared = Arc::clone(&observatory);
    observatory.jobs.stream(move |job| live.compute(job, &shared.options)).await
}

async fn ladder(State(observatory): Shared, body: Bytes) -> Answer {
    let shared = Arc::clone(&observatory);
    let ladder = move |job: &mut Job| saddles::ladder(&body, job, &shared.options);
    let ladder = observatory.jobs.once(ladder).await?;
    Ok(json_answer(&ladder))
}

async fn exported(State(observatory): Shared, Path(format): Path<String>, body: Bytes) -> Answer {
    let shared = Arc::clone(&observatory);
    let exported = move |job: &mut Job| export::export(&format, &body, job, &shared.options);
    observatory.jobs.once(exported).await
}

async fn asset(Path(name): Path<String>, headers: HeaderMap) -> Response<Body> {
    assets::file(&name, &headers)
}

/// Views of the page have addresses of their own; what asks for data must name what there is.
async fn page(method: Method, uri: Uri, headers: HeaderMap) -> Response<Body> {
    let path = uri.path();
    if method != Method::GET && method != Method::HEAD {
        return Refusal::new(
            StatusCode::METHOD_NOT_ALLOWED,
            format!("{method} means nothing at `{path}`"),
        )
        .into_response();
    }
    let view = |name: &str| {
        path.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    if path == "/" || ["/live", "/runs", "/papers"].into_iter().any(view) {
        return assets::page(&headers);
    }
    Refusal::missing(format!("there is nothing at `{path}`")).into_response()
}
