//! The page itself: built files, embedded in the program.

use std::sync::LazyLock;

use axum::body::Body;
use axum::http::{HeaderMap, Response};
use axum::response::IntoResponse;

use crate::answer::{Refusal, of_type};
use crate::tagged::Tag;

/// A file of the page.
struct Asset {
    name: &'static str,
    kind: &'static str,
    bytes: &'static [u8],
    tag: Tag,
}

macro_rules! assets {
    ($($name:literal: $kind:literal),+ $(,)?) => {
        [$(($name, $kind, &include_bytes!(concat!("../dist/", $name))[..])),+]
    };
}

static ASSETS: LazyLock<Vec<Asset>> = LazyLock::new(|| {
    let files: [(&str, &str, &[u8]); 7] = assets!(
        "index.html": "text/html; charset=utf-8",
        "theme.js": "text/javascript; charset=utf-8",
        "app.js": "text/javascript; charset=utf-8",
        "app.css": "text/css; charset=utf-8",
        "mathematics.js": "text/javascript; charset=utf-8",
        "mathematics.css": "text/css; charset=utf-8",
        "text.woff2": "font/woff2",
    );
    let asset = |(name, kind, bytes): (&'static str, &'static str, &'static [u8])| Asset {
        name,
        kind,
        bytes,
        tag: Tag::of(bytes),
    };
    files.into_iter().map(asset).collect()
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
    let whole = || asset.tag.on(of_type(asset.kind, asset.bytes));
    asset.tag.unchanged(headers).unwrap_or_else(whole)
}
