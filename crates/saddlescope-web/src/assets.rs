//! Files that come with the program: the built page, and pictures of reproductions, which are those of the book.

use std::sync::LazyLock;

use crate::prelude::*;

include!(concat!(env!("OUT_DIR"), "/packed.rs"));

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
        let bytes = Bytes::from(unpack(PAGE, name)?);
        let tag = Tag::of(&bytes);
        Some(Asset { name, kind, bytes, tag })
    };
    FILES.iter().filter_map(asset).collect()
});

/// The page, whatever view of it is asked for.
pub(crate) fn page(headers: &HeaderMap) -> Answer {
    file("index.html", headers)
}

pub(crate) fn file(name: &str, headers: &HeaderMap) -> Answer {
    let asset = ASSETS.iter().find(|asset| asset.name == name);
    let Asset { kind, bytes, tag, .. } =
        asset.ok_or_else(|| Refusal::missing(format!("the page has no file `{name}`")))?;
    tag.answer(headers, || Ok(of_type(kind, bytes.clone())))
}

/// Whether there is a picture of that experiment, `<system>/<experiment>`.
pub(crate) fn has_picture(experiment: &str) -> bool {
    let file = experiment.replace('/', "-") + ".svg";
    PICTURES.iter().any(|(name, _)| *name == file)
}

/// A picture by the name of its file, `<system>-<experiment>.svg`.
pub(crate) fn picture(file: &str) -> Option<Vec<u8>> {
    unpack(PICTURES, file)
}

fn unpack(files: &[(&str, &[u8])], name: &str) -> Option<Vec<u8>> {
    let (_, packed) = files.iter().find(|(known, _)| *known == name)?;
    miniz_oxide::inflate::decompress_to_vec(packed).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_those_that_were_packed_and_pictures_are_harmless() {
        let crate_folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
        for (folder, files) in [("dist", PAGE), ("pictures", PICTURES)] {
            for (name, _) in files {
                let file = std::fs::read(crate_folder.join(folder).join(name)).unwrap();
                assert!(unpack(files, name) == Some(file), "{folder}/{name}");
            }
        }
        let shown = ALL.experiments().iter().filter(|shipped| has_picture(shipped.name)).count();
        assert!(shown > 25, "{shown}");
        for (name, _) in PICTURES {
            let svg = String::from_utf8(picture(name).unwrap()).unwrap();
            assert!(svg.starts_with("<svg") && !svg.contains("<script"), "{name}");
        }
        assert!(picture("../dist/app.js").is_none() && unpack(PAGE, "missing").is_none());
    }
}
