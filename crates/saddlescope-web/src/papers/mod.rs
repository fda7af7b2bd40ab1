//! The papers: figures with our reproductions, claims with their verdicts, and both made anew on demand.

mod anew;
mod list;

use axum::extract::{Path, State};
use axum::routing::{get, post};

use crate::assets;
use crate::prelude::*;
use crate::request::read;
use crate::routes::{Observatory, Shared};
use crate::runs::picture_answer;

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
    let told = move |shared: &Observatory, _: &mut Job| {
        list::paper(&name, &shared.folders, &shared.options.registry, &shared.papers)
    };
    let told = observatory.once(told).await?.to_string();
    Tag::of(&told).answer(&headers, || Ok(of_type("application/json", told)))
}

async fn picture(Path(name): Path<String>, headers: HeaderMap) -> Answer {
    let svg = assets::picture(&name);
    let svg = svg.ok_or_else(|| Refusal::missing(format!("there is no picture `{name}`")))?;
    Tag::of(&svg).answer(&headers, || Ok(picture_answer(svg)))
}

async fn reproduce(State(observatory): Shared, body: Bytes) -> Answer {
    #[derive(Deserialize)]
    struct Figure {
        name: String,
    }
    let Figure { name } = read(&body)?;
    observatory
        .stream(move |shared, job| anew::reproduce(&name, job, &shared.options.registry))
        .await
}

async fn check(State(observatory): Shared, body: Bytes) -> Answer {
    #[derive(Deserialize)]
    struct Claim {
        id: String,
    }
    let Claim { id } = read(&body)?;
    observatory.stream(move |shared, job| anew::check(&id, job, &shared.options.registry)).await
}
