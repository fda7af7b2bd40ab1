//! Files that come with the program: the built page, and pictures of reproductions, which are those of the book.

include!(concat!(env!("OUT_DIR"), "/packed.rs"));

/// A file of the built page.
pub(crate) fn page(name: &str) -> Option<Vec<u8>> {
    unpack(PAGE, name)
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
    use crate::tests::ALL;

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
        assert!(picture("../dist/app.js").is_none() && page("missing").is_none());
    }
}
