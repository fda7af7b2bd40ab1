//! Where something lies in the folder of runs, and that it lies there and nowhere else.

use crate::prelude::*;

/// Longest path, in bytes.
const LONGEST: usize = 1024;
/// Longest name of a file or folder, in bytes.
const LONGEST_NAME: usize = 255;
/// Most folders inside of each other.
pub(super) const DEEPEST: usize = 12;

/// The folders whose runs can be browsed. Where there are several, paths begin with the name of one.
#[derive(Debug, Clone)]
pub(crate) struct Folders(Vec<PathBuf>);

impl Folders {
    pub(crate) fn new(folders: &[PathBuf]) -> Self {
        Self(folders.to_vec())
    }

    /// Those that are there: what paths in them begin with (nothing, where there is but one), and where they are.
    pub(crate) fn there(&self) -> Vec<(String, PathBuf)> {
        if let [only] = self.0.as_slice() {
            return if only.is_dir() { vec![(String::new(), only.clone())] } else { Vec::new() };
        }
        let mut there: Vec<(String, PathBuf)> = Vec::new();
        for folder in self.0.iter().filter(|folder| folder.is_dir()) {
            let whole = folder.canonicalize().ok();
            let name = whole.as_deref().and_then(|whole| whole.file_name()?.to_str());
            let Some(name) = name.filter(|name| is_plain(name)) else { continue };
            let others = (2..).map(|number| format!("{name}-{number}"));
            let taken = |name: &String| there.iter().any(|(known, _)| known == name);
            let free = std::iter::once(name.to_owned()).chain(others).find(|name| !taken(name));
            there.extend(free.map(|name| (name, folder.clone())));
        }
        there
    }

    pub(crate) fn words(&self) -> String {
        let names: Vec<String> = self.0.iter().map(|folder| folder.display().to_string()).collect();
        names.join(", ")
    }

    /// The file or folder at `asked`, a path with `/` between its parts.
    pub(crate) fn place(&self, asked: &str) -> Result<PathBuf, Refusal> {
        for (prefix, root) in self.there() {
            let rest = match prefix.as_str() {
                "" => Some(asked),
                prefix => asked.strip_prefix(prefix).and_then(|rest| rest.strip_prefix('/')),
            };
            if let Some(rest) = rest {
                return place(&root, rest).map_err(|_| nothing(asked));
            }
        }
        Err(nothing(asked))
    }
}

fn nothing(asked: &str) -> Refusal {
    Refusal::missing(format!("there is nothing at `{}`", shown(asked)))
}

/// The file or folder at `asked`, a path below `root`.
///
/// The words of a refusal never say whether something outside exists.
fn place(root: &Path, asked: &str) -> Result<PathBuf, Refusal> {
    let root = root.canonicalize().map_err(|_| nothing(asked))?;
    let parts: Vec<&str> = asked.split('/').collect();
    if asked.len() > LONGEST || parts.len() > DEEPEST || !parts.iter().all(|part| is_plain(part)) {
        return Err(nothing(asked));
    }
    let mut path = root.clone();
    path.extend(parts);
    // A symbolic link may lead anywhere; what counts is where it leads.
    let path = path.canonicalize().map_err(|_| nothing(asked))?;
    if path.starts_with(&root) { Ok(path) } else { Err(nothing(asked)) }
}

/// Whether a part of a path is the name of something that may be shown.
pub(super) fn is_plain(name: &str) -> bool {
    let odd = |c: char| c.is_control() || "/\\:".contains(c);
    !name.is_empty() && name.len() <= LONGEST_NAME && !name.starts_with('.') && !name.contains(odd)
}

/// Whether a file of a run is one: neither a link, which may lead anywhere, nor a pipe, which may never end.
pub(super) fn is_own_file(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok_and(|data| data.is_file())
}

/// A path as it may stand in a message.
fn shown(asked: &str) -> String {
    let clean = asked.chars().map(|c| if c.is_control() { '?' } else { c });
    clean.take(200).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use saddlescope::numeric::random::{Purpose, Stream};

    fn folders() -> (tempfile::TempDir, PathBuf) {
        let whole = tempfile::tempdir().unwrap();
        let root = whole.path().join("runs");
        fs::create_dir_all(root.join("a/b")).unwrap();
        fs::create_dir_all(whole.path().join("runs-of-others")).unwrap();
        fs::write(root.join("a/run.toml"), "inside").unwrap();
        fs::write(root.join(".hidden"), "hidden").unwrap();
        fs::write(whole.path().join("secret"), "outside").unwrap();
        fs::write(whole.path().join("runs-of-others/run.toml"), "outside").unwrap();
        (whole, root)
    }

    #[test]
    fn what_is_inside_is_found_and_nothing_else() {
        let (_whole, root) = folders();
        assert_eq!(fs::read(place(&root, "a/run.toml").unwrap()).unwrap(), b"inside");
        assert!(place(&root, "").is_err() && place(&root, "a/b").is_ok());
        let long = "x".repeat(300);
        let deep = "a/".repeat(40) + "b";
        for asked in [
            "..",
            "../secret",
            "a/../../secret",
            "a/..",
            "/etc/passwd",
            "//etc/passwd",
            "a//run.toml",
            "a/",
            "/a",
            ".",
            "./a",
            ".hidden",
            "a/.lock",
            "a\\..\\..\\secret",
            "a\0",
            "a/run.toml\0.svg",
            "C:\\secret",
            "a\n",
            "../runs-of-others/run.toml",
            "missing",
            &long,
            &deep,
        ] {
            let refusal = place(&root, asked).expect_err(asked);
            assert!(!refusal.words().contains('\0'), "{asked:?}");
        }
    }

    #[test]
    fn one_of_several_folders_is_named_by_the_first_part() {
        let (whole, root) = folders();
        let others = whole.path().join("runs-of-others");
        let both = Folders::new(&[root.clone(), others.clone(), whole.path().join("missing")]);
        assert_eq!(both.there().len(), 2);
        let read = |folders: &Folders, asked: &str| fs::read(folders.place(asked).ok()?).ok();
        assert_eq!(read(&both, "runs/a/run.toml").as_deref(), Some(&b"inside"[..]));
        assert_eq!(read(&both, "runs-of-others/run.toml").as_deref(), Some(&b"outside"[..]));
        for asked in ["a/run.toml", "runs", "runs/../secret", "missing/a", "runs-of", "", "secret"]
        {
            assert!(both.place(asked).is_err(), "{asked}");
        }
        assert!(read(&Folders::new(std::slice::from_ref(&root)), "a/run.toml").is_some());
        let again = whole.path().join("again/runs");
        fs::create_dir_all(&again).unwrap();
        let names = |folders: Folders| {
            folders.there().into_iter().map(|(name, _)| name).collect::<Vec<_>>()
        };
        assert_eq!(names(Folders::new(&[root, again])), ["runs", "runs-2"]);
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_inside_and_not_out() {
        use std::os::unix::fs::symlink;
        let (whole, root) = folders();
        symlink(root.join("a"), root.join("inside")).unwrap();
        symlink(whole.path().join("secret"), root.join("a/out.toml")).unwrap();
        symlink(whole.path(), root.join("up")).unwrap();
        symlink(whole.path().join("runs-of-others"), root.join("beside")).unwrap();
        symlink(root.join("loop"), root.join("loop")).unwrap();
        assert!(place(&root, "inside/run.toml").is_ok());
        assert!(is_own_file(&root.join("a/run.toml")) && !is_own_file(&root.join("a/out.toml")));
        for asked in ["a/out.toml", "up", "up/secret", "up/runs/a", "beside/run.toml", "loop"] {
            let found = place(&root, asked);
            // What leads out and back in is inside.
            assert_eq!(found.is_ok(), asked == "up/runs/a", "{asked}: {found:?}");
        }
    }

    #[test]
    fn no_mixture_of_odd_parts_leads_out() {
        let (whole, root) = folders();
        let inside = root.canonicalize().unwrap();
        let parts = [
            "..",
            ".",
            "",
            "a",
            "b",
            "secret",
            "run.toml",
            "runs",
            "runs-of-others",
            "\\",
            "..\\",
            "\0",
            "%2e%2e",
            "%2f",
            "~",
            "C:",
            "\u{2025}",
            "．．",
            "*",
            " ",
            "etc",
            "passwd",
            ".lock",
        ];
        let mut stream = Stream::new(1, Purpose::Perturbation, 0);
        let mut draw = |most: usize| stream.below(most as u64) as usize;
        let mut found = 0;
        for _ in 0..20_000 {
            let count = 1 + draw(6);
            let asked: Vec<&str> = (0..count).map(|_| parts[draw(parts.len())]).collect();
            if let Ok(path) = place(&root, &asked.join("/")) {
                assert!(path.starts_with(&inside), "{asked:?} leads to {}", path.display());
                found += 1;
            }
        }
        assert!(found > 100, "only {found} paths led anywhere");
        drop(whole);
    }
}
