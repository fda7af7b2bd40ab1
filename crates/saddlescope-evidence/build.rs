//! Lists the functions that gather evidence, so that nobody has to.
//!
//! Every `fn name(e: &mut Evidence, trial: Trial)` in a module of a system counts. `<system>.rs` in `OUT_DIR` holds a
//! list for each module, as `IN_<MODULE>`, and all of them as `EVIDENCE`. The program matches names with statements.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=src");
    let out = PathBuf::from(env::var("OUT_DIR")?);
    for system in sorted(Path::new("src"))?.iter().filter(|path| path.is_dir()) {
        let (mut lists, mut names) = (String::new(), Vec::new());
        for file in sorted(system)? {
            let module = stem(&file);
            let entries: Vec<String> = fs::read_to_string(&file)?
                .lines()
                .filter_map(|line| entry(&module, line))
                .collect();
            if !entries.is_empty() {
                let name = format!("IN_{}", module.to_uppercase());
                lists += &format!("const {name}: {LIST} = &[{}];\n", entries.join(", "));
                names.push(name);
            }
        }
        lists += &format!("pub(crate) const EVIDENCE: &[{LIST}] = &[{}];\n", names.join(", "));
        fs::write(out.join(format!("{}.rs", stem(system))), lists)?;
    }
    Ok(())
}

const LIST: &str = "&[saddlescope_spec::claim::Entry]";

/// The entry of a function whose head is in that line.
fn entry(module: &str, line: &str) -> Option<String> {
    let (name, arguments) =
        line.strip_prefix("pub(super) fn ")?.split_once("(e: &mut Evidence, ")?;
    let takes_trial = ["trial: Trial)", "_: Trial)"].iter().any(|end| arguments.starts_with(end));
    let call = format!("saddlescope_spec::claim::gather_by({module}::{name}, e, trial)");
    takes_trial.then(|| format!("(\"{name}\", |e, trial| {call})"))
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

fn sorted(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let paths: std::io::Result<Vec<PathBuf>> =
        folder.read_dir()?.map(|entry| Ok(entry?.path())).collect();
    let mut paths = paths?;
    paths.sort();
    Ok(paths)
}
