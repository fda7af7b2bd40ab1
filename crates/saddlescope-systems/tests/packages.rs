//! What is published is complete: no crate reads a file from outside its own folder, and every shipped experiment is listed.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use saddlescope_systems::SYSTEMS;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// The folders of all crates.
fn crates() -> Vec<PathBuf> {
    let folders = ["crates", "systems"].map(|name| root().join(name).read_dir().unwrap());
    let all = folders.into_iter().flatten().map(|entry| entry.unwrap().path());
    all.filter(|path| path.join("Cargo.toml").exists()).collect()
}

/// The files that a package of the crate would hold.
fn packaged(folder: &Path) -> BTreeSet<String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let list = ["package", "--list", "--allow-dirty", "--offline", "--quiet"];
    let output = Command::new(cargo).args(list).current_dir(folder).output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {error}", folder.display());
    let listed = String::from_utf8(output.stdout).unwrap();
    listed.lines().map(|line| line.replace('\\', "/")).collect()
}

/// Literal paths in `include_str!` and `include_bytes!`, from the crate's folder.
fn included(folder: &Path, source: &str) -> Vec<String> {
    let text = std::fs::read_to_string(folder.join(source)).unwrap();
    let calls = ["include_str!(\"", "include_bytes!(\""];
    let of = |call: &str| -> Vec<String> {
        let after = text.split(call).skip(1);
        after.filter_map(|rest| Some(rest.split_once('"')?.0.to_owned())).collect()
    };
    let folder = Path::new(source).parent().unwrap();
    let mut found: Vec<String> = calls.iter().flat_map(|call| of(call)).collect();
    for path in &mut found {
        let mut parts: Vec<&str> = folder.iter().map(|part| part.to_str().unwrap()).collect();
        for part in path.split('/') {
            match part {
                ".." => assert!(parts.pop().is_some(), "{source}: {path} is outside the crate"),
                part => parts.push(part),
            }
        }
        *path = parts.join("/");
    }
    found
}

#[test]
fn every_crate_holds_what_it_includes() {
    let mut includes = 0;
    for folder in crates() {
        let files = packaged(&folder);
        for source in files.iter().filter(|file| file.ends_with(".rs")) {
            for path in included(&folder, source) {
                assert!(files.contains(&path), "{}: {source}: {path}", folder.display());
                includes += 1;
            }
        }
        let pictures = files.iter().filter(|file| file.starts_with("pictures/")).count();
        assert_eq!(pictures > 0, folder.ends_with("saddlescope-web"), "{}", folder.display());
    }
    assert!(includes >= 5, "{includes}");
}

#[test]
fn every_experiment_in_a_folder_is_shipped() {
    for system in SYSTEMS {
        let folder = root().join("systems").join(system.name()).join("experiments");
        let entries = folder.read_dir().into_iter().flatten();
        let there: BTreeSet<String> = entries
            .map(|entry| {
                let name = entry.unwrap().file_name().into_string().unwrap();
                format!("{}/{}", system.name(), name.trim_end_matches(".toml"))
            })
            .collect();
        let shipped = system.schema().experiments.iter().map(|shipped| shipped.name.to_owned());
        assert_eq!(shipped.collect::<BTreeSet<_>>(), there);
    }
}
