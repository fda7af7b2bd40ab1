//! All runs, plans and sweeps below the folders.

use super::glance::{EntryKind, RunCache, folders};
use super::place::DEEPEST;
use crate::prelude::*;

/// Most runs, plans and sweeps that are listed.
const MOST: usize = 20_000;
/// Most folders that are looked into.
const MOST_FOLDERS: usize = 100_000;

/// The list, plans and sweeps before the runs that they are made of.
pub(super) fn tree(memory: &RunCache, folders: &[(String, PathBuf)]) -> Value {
    let mut walk = Walk { memory, list: Vec::new(), looked: 0, cut: None };
    for (prefix, folder) in folders {
        walk.enter(folder, prefix, None, 0);
    }
    json!({ "runs": walk.list, "cut": walk.cut })
}

struct Walk<'a> {
    memory: &'a RunCache,
    list: Vec<Value>,
    looked: usize,
    /// Why something is not listed.
    cut: Option<String>,
}

impl Walk<'_> {
    /// Lists what lies at `path`, whose folder is `folder`, as a part of `of`.
    fn enter(&mut self, folder: &Path, path: &str, of: Option<&str>, depth: usize) {
        self.looked += 1;
        if self.list.len() >= MOST || self.looked > MOST_FOLDERS {
            self.cut = Some(format!(
                "only the first {} are listed; serve a folder further down with --runs",
                self.list.len()
            ));
            return;
        }
        if depth >= DEEPEST - 3 {
            let words = format!("folders more than {} deep are not looked into", DEEPEST - 3);
            self.cut.get_or_insert(words);
            return;
        }
        let kind = EntryKind::of(folder);
        if let Some(kind) = kind {
            self.list.push(json!(self.memory.entry(kind, folder).listed(path, of)));
        }
        if kind == Some(EntryKind::Run) {
            return;
        }
        // Of a plan or a sweep, its runs; otherwise whatever is there.
        let inner = match kind {
            Some(_) => vec!["runs".to_owned()],
            None => folders(folder),
        };
        for name in inner {
            let below = if path.is_empty() { name.clone() } else { format!("{path}/{name}") };
            match kind {
                Some(_) => {
                    for run in folders(&folder.join(&name)) {
                        let place = folder.join(&name).join(&run);
                        self.enter(&place, &format!("{below}/{run}"), Some(path), depth + 2);
                    }
                }
                None => self.enter(&folder.join(&name), &below, None, depth + 1),
            }
        }
    }
}
