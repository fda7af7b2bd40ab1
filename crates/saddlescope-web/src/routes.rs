//! Which address is answered by what.

use axum::extract::{Path, Request, State};
use axum::http::{Method, Uri};
use axum::middleware::{Next, from_fn};
use axum::routing::{get, post};
use saddlescope::numeric::simd;

use crate::clock::Clock;
use crate::guard::{Names, guard};
use crate::jobs::Jobs;
use crate::live::{self, Live};
use crate::prelude::*;
use crate::systems::SystemLine;
use crate::{assets, export, papers, runs, systems};

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

impl Observatory {
    /// Does `work` when its turn comes.
    pub(crate) async fn once<T: Send + 'static>(
        self: Arc<Self>,
        work: impl FnOnce(&Self, &mut Job) -> Result<T, Refusal> + Send + 'static,
    ) -> Result<T, Refusal> {
        let shared = Arc::clone(&self);
        self.jobs.once(move |job| work(&shared, job)).await
    }

    /// Does `work` when its turn comes, and answers with the frames that it sends.
    pub(crate) async fn stream(
        self: Arc<Self>,
        work: impl FnOnce(&Self, &mut Job) -> Result<(), Refusal> + Send + 'static,
    ) -> Answer {
        let shared = Arc::clone(&self);
        self.jobs.stream(move |job| work(&shared, job)).await
    }
}

pub(crate) type Shared = State<Arc<Observatory>>;

/// An answer, or why there is none.
pub(crate) type Answer = Result<Response<Body>, Refusal>;

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
    let told = move |shared: &Observatory, _: &mut Job| {
        systems::describe(&name, &shared.options.registry, &shared.systems)
    };
    Ok(json_answer(&observatory.once(told).await?))
}

async fn live(State(observatory): Shared, body: Bytes) -> Answer {
    let live = Live::read(&body, &observatory.options.registry)?;
    observatory.stream(move |shared, job| live.compute(job, &shared.options)).await
}

async fn ladder(State(observatory): Shared, body: Bytes) -> Answer {
    let ladder =
        move |shared: &Observatory, job: &mut Job| live::ladder(&body, job, &shared.options);
    Ok(json_answer(&observatory.once(ladder).await?))
}

async fn exported(State(observatory): Shared, Path(format): Path<String>, body: Bytes) -> Answer {
    observatory.once(move |shared, job| export::export(&format, &body, job, &shared.options)).await
}

async fn asset(Path(name): Path<String>, headers: HeaderMap) -> Answer {
    assets::file(&name, &headers)
}

/// Views of the page have addresses of their own; what asks for data must name what there is.
async fn page(method: Method, uri: Uri, headers: HeaderMap) -> Answer {
    let path = uri.path();
    if method != Method::GET && method != Method::HEAD {
        let words = format!("{method} means nothing at `{path}`");
        return Err(Refusal::new(StatusCode::METHOD_NOT_ALLOWED, words));
    }
    let view = |name: &str| {
        path.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    if path == "/" || ["/live", "/runs", "/papers"].into_iter().any(view) {
        return assets::page(&headers);
    }
    Err(Refusal::missing(format!("there is nothing at `{path}`")))
}
