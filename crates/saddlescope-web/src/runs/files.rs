//! Files of runs: figures to look at, tables and settings to take away.

use std::fs::File;
use std::io::Read;

use super::place::is_own_file;
use crate::prelude::*;

/// Largest file that is sent, in bytes.
const LARGEST: u64 = 128 << 20;

/// What a picture may do in a browser that opens it by itself: be seen.
const PICTURE_POLICY: &str = "sandbox; default-src 'none'; style-src 'unsafe-inline'";

pub(crate) fn picture_answer(svg: Vec<u8>) -> Response<Body> {
    let mut response = of_type("image/svg+xml", svg);
    let policy = HeaderValue::from_static(PICTURE_POLICY);
    response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
    response
}

/// The type of each file that runs, plans and sweeps leave, and whether browsers show it.
const KINDS: [(&str, &str, bool); 8] = [
    ("svg", "image/svg+xml", true),
    ("png", "image/png", true),
    ("pdf", "application/pdf", false),
    ("csv", "text/csv; charset=utf-8", false),
    ("toml", "application/toml", false),
    ("json", "application/json", false),
    ("parquet", "application/vnd.apache.parquet", false),
    ("safetensors", "application/octet-stream", false),
];

/// Names of the files that are ours, without their endings.
const NAMES: [&str; 10] =
    ["figure", "table", "partial", "run", "plan", "sweep", "stages", "fits", "claims", "graph"];

/// The file at `place`, which is called `path`.
pub(super) fn file(place: &Path, path: &str) -> Result<Response<Body>, Refusal> {
    let nothing = || Refusal::missing(format!("there is no file of a run at `{path}`"));
    let (stem, kind, seen) = kind(path).ok_or_else(nothing)?;
    // A pipe would keep whoever opens it waiting.
    if !is_own_file(place) {
        return Err(nothing());
    }
    let mut file = File::open(place).map_err(|_| nothing())?;
    let data = file.metadata().map_err(|_| nothing())?;
    if !data.is_file() {
        return Err(nothing());
    }
    if data.len() > LARGEST {
        return Err(Refusal::wrong(format!(
            "`{path}` has {} MiB, and files of up to {} MiB are sent; open it in its folder",
            data.len() >> 20,
            LARGEST >> 20
        )));
    }
    let mut bytes = Vec::with_capacity(data.len() as usize);
    // It may have grown since.
    file.by_ref().take(LARGEST).read_to_end(&mut bytes).map_err(|_| nothing())?;
    let is_svg = kind == "image/svg+xml";
    let mut response = if is_svg { picture_answer(bytes) } else { of_type(kind, bytes) };
    let how = if seen { "inline" } else { "attachment" };
    if let Ok(value) = HeaderValue::from_str(&format!("{how}; filename=\"{stem}\"")) {
        response.headers_mut().insert(header::CONTENT_DISPOSITION, value);
    }
    Ok(response)
}

/// Name, type, and whether it is seen, of a file that is one of ours.
fn kind(path: &str) -> Option<(&str, &'static str, bool)> {
    let mut parts = path.rsplit('/');
    let (name, folder) = (parts.next()?, parts.next());
    let (stem, ending) = name.rsplit_once('.')?;
    let (_, kind, seen) = KINDS.into_iter().find(|(known, ..)| *known == ending)?;
    let plain = stem.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c));
    let ours = match ending {
        "parquet" => NAMES.contains(&stem) || matches!(folder, Some("trajectory" | "parts")),
        "safetensors" => folder == Some("snapshots"),
        _ => NAMES.contains(&stem),
    };
    (plain && ours).then_some((name, kind, seen))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_of_runs_are_known() {
        for path in [
            "a/figure.svg",
            "a/table.csv",
            "run.toml",
            "a/trajectory/part-0000.parquet",
            "a/parts/0000000000-0000000010.parquet",
            "a/snapshots/start.safetensors",
        ] {
            assert!(kind(path).is_some(), "{path}");
        }
        for path in [
            "a/notes.txt",
            "a/secret.toml",
            "a/figure.html",
            "figure",
            "a/x.parquet",
            "a/checkpoint-0001.safetensors",
            "a/trajectory/part\"x.parquet",
            "figure.svg.exe",
        ] {
            assert!(kind(path).is_none(), "{path}");
        }
    }
}
