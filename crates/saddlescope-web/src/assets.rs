//! The page itself: built files, packed in the program.

use std::sync::LazyLock;

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, Response};
use axum::response::IntoResponse;

use crate::answer::{Refusal, of_type};
use crate::packed;
use crate::tagged::Tag;

/// A file of the page.
struct Asset {
    name: &'static str,
    kind: &'static str,
    bytes: Bytes,
    tag: Tag,
}

/// The files that may be asked for, with their types.
const FILES: [(&str, &str); 7] = [
    ("index.html", "text/html; charset=utf-8"),
    ("theme.js", "text/javascript; charset=utf-8"),
    ("app.js", "text/javascript; charset=utf-8"),
    ("app.css", "text/css; charset=utf-8"),
    ("mathematics.js", "text/javascript; charset=utf-8"),
    ("mathematics.css", "text/css; charset=utf-8"),
    ("text.woff2", "font/woff2"),
];

static ASSETS: LazyLock<Vec<Asset>> = LazyLock::new(|| {
    let asset = |&(name, kind): &(&'static str, &'static str)| {
        let bytes = Bytes::from(packed::page(name)?);
        let tag = Tag::of(&bytes);
        Some(Asset { name, kind, bytes, tag })
    };
    FILES.iter().filter_map(asset).collect()
});

/// The page, whatever view of it is asked for.
pub(crate) fn page(headers: &HeaderMap) -> Response<Body> {
    file("index.html", headers)
}

/// A file of the page.
pub(crate) fn file(name: &str, headers: &HeaderMap) -> Response<Body> {
    let Some(asset) = ASSETS.iter().find(|asset| asset.name == name) else {
        return Refusal::missing(format!("the page has no file `{name}`")).into_response();
    };
    let whole = || asset.tag.on(of_type(asset.kind, asset.bytes.clone()));
    asset.tag.unchanged(headers).unwrap_or_else(whole)
}
