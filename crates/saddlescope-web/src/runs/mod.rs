//! Stored runs: what a folder holds, each run, plan and sweep of it, and their files. Nothing is written.

mod files;
mod glance;
mod one;
mod place;
mod plan;
mod sweep;
mod table;
mod thin;
mod tree;

use std::collections::BTreeMap;

use axum::extract::{Path as UrlPath, RawQuery, State};
use axum::routing::get;

use crate::prelude::*;
use crate::query;
use crate::routes::{Observatory, Shared};
use glance::EntryKind;
use sweep::Page;

pub(crate) use files::picture_answer;
pub(crate) use glance::RunCache;
pub(crate) use one::Stored;
pub(crate) use place::Folders;
pub(crate) use table::whole;

pub(crate) fn routes() -> Router<Arc<Observatory>> {
    Router::new()
        .route("/api/runs", get(all))
        .route("/api/runs/{*path}", get(one))
        .route("/files/{*path}", get(file))
}

/// What is asked about a table, from the query.
type Questions = BTreeMap<String, String>;

async fn all(State(observatory): Shared, headers: HeaderMap) -> Answer {
    let list = |shared: &Observatory, _: &mut Job| {
        let there = shared.folders.there();
        if there.is_empty() {
            let words = format!(
                "there are no runs yet: {} is not there; `saddlescope run --out runs` makes one, or name a folder with --runs",
                shared.folders.words()
            );
            return Err(Refusal::missing(words));
        }
        Ok(tree::tree(&shared.runs, &there).to_string())
    };
    let body = observatory.once(list).await?;
    Tag::of(&body).answer(&headers, || Ok(of_type("application/json", body)))
}

async fn one(
    State(observatory): Shared,
    UrlPath(path): UrlPath<String>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Answer {
    let questions = query::pairs(&query.unwrap_or_default());
    observatory.once(move |shared, _| told(shared, &path, &questions, &headers)).await
}

fn told(
    observatory: &Observatory,
    path: &str,
    questions: &Questions,
    headers: &HeaderMap,
) -> Answer {
    let folder = observatory.folders.place(path)?;
    let Some(kind) = EntryKind::of(&folder) else {
        let words = format!("`{path}` holds neither a run, nor a plan, nor a sweep");
        return Err(Refusal::missing(words));
    };
    let memory = &observatory.runs;
    let entry = memory.entry(kind, &folder);
    let tag = Tag::of(format!("{path}\n{entry:?}\n{questions:?}\n{}", state(kind, &folder)));
    tag.answer(headers, || {
        Ok(match kind {
            EntryKind::Run => {
                let frames = one::run(&folder, path, &entry, &observatory.options)?;
                of_type("application/octet-stream", frames)
            }
            EntryKind::Plan => json_answer(&plan::plan(memory, &folder, path, &entry)?),
            EntryKind::Sweep => json_answer(&json!({
                "kind": "sweep", "path": path, "entry": entry.listed(path, None),
                "toml": plan::text(&folder.join("sweep.toml")),
                "table": sweep::page(&folder, &page(questions)?)?,
                "fits": plan::read_json(&folder.join("fits.json")),
            })),
        })
    })
}

/// All that an answer hangs on besides the entry, in a text that changes with it.
fn state(kind: EntryKind, folder: &Path) -> String {
    let own = [kind.file(), "table.csv", "fits.json", "claims.json", "figure.svg", "table.parquet"];
    let runs = if kind == EntryKind::Plan { glance::folders(&folder.join("runs")) } else { vec![] };
    let runs = runs.iter().map(|name| folder.join("runs").join(name).join("run.toml"));
    let parts = sweep::parts(folder).into_iter().map(|part| part.path);
    let all = own.map(|name| folder.join(name)).into_iter().chain(runs).chain(parts);
    all.map(|path| format!("{:?}\n", glance::stamp(&path))).collect()
}

/// The page of a table that the query asks for.
fn page(questions: &Questions) -> Result<Page, Refusal> {
    let number = |name: &str| match questions.get(name) {
        None => Ok(None),
        Some(text) => text.parse::<usize>().map(Some).map_err(|_| {
            Refusal::wrong(format!("`{name}` is `{text}`, but must be a whole number from 0"))
        }),
    };
    let text = |name: &str| questions.get(name).filter(|text| !text.is_empty()).cloned();
    Ok(Page {
        from: number("from")?.unwrap_or(0),
        rows: number("rows")?,
        sort: text("sort"),
        filter: table::conditions(&text("filter").unwrap_or_default())?,
    })
}

async fn file(State(observatory): Shared, UrlPath(path): UrlPath<String>) -> Answer {
    let read = move || files::file(&observatory.folders.place(&path)?, &path);
    let read = tokio::task::spawn_blocking(read).await;
    read.unwrap_or_else(|_| Err(Refusal::wrong("the file could not be read")))
}
