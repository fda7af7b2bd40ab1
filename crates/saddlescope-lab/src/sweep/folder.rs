//! The folder of a sweep: which members are done, and where their rows are.
//!
//! | in the folder | what it is |
//! |---|---|
//! | `sweep.toml` | the sweep with every default filled in; a file to sweep itself |
//! | `parts/FIRST-END.parquet` | rows of members FIRST to END - 1, written as a whole; any number of processes may add some |
//! | `table.parquet` | all rows, once all members are over; the parts are gone then |
//! | `runs/member-NNNNNN/` | the runs that are kept |
//! | `fits.json`, `figure.*` | what was made of the table |

use std::io::Write;

use super::*;
use crate::frame::parquet::Writer;
use crate::store::atomic;

pub(super) const SWEEP: &str = "sweep.toml";
pub(super) const TABLE: &str = "table.parquet";
/// All that a sweep leaves beside parts and runs.
const FILES: [&str; 7] =
    [TABLE, PARTIAL, SWEEP, "fits.json", "figure.svg", "figure.png", "figure.pdf"];
/// Rows of those members that are over.
pub(super) const PARTIAL: &str = "partial.parquet";
const PARTS: &str = "parts";

#[derive(Debug, Clone)]
pub struct Folder {
    path: PathBuf,
    hash: Hash,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) path: PathBuf,
    pub(super) members: Range<usize>,
}

impl Folder {
    /// Makes `path` the place of a sweep, unless it holds another one; with `force`, that one goes.
    pub fn claim(path: &Path, sweep: &Sweep, force: bool) -> Result<Self> {
        let own = Self { path: path.to_owned(), hash: sweep.hash };
        let file = path.join(SWEEP);
        let text = sweep.plan.to_toml();
        if force && file.exists() {
            own.clear()?;
        } else if file.exists() {
            Self::of_same(path, sweep)?.check_rows()?;
        } else if ["plan.toml", "run.toml"].iter().any(|name| path.join(name).exists()) {
            return Err(Error::folder(format!(
                "{} holds runs that `saddlescope run` has kept; a sweep needs a folder of its own: \
                 name another with --out",
                path.display()
            )));
        }
        fs::create_dir_all(path.join(PARTS)).map_err(Error::io("create", path))?;
        if !fs::read(&file).is_ok_and(|there| there == text.as_bytes()) {
            write(&file, text.as_bytes())?;
        }
        Ok(own)
    }

    pub fn sweep(path: &Path, registry: &Registry) -> Result<Sweep> {
        let file = path.join(SWEEP);
        if !file.exists() {
            let folder = path.display();
            return Err(Error::folder(format!("{folder} holds no sweep: sweep.toml is not there")));
        }
        Sweep::new(Plan::read(&file, &Changes::default().swept(), registry)?, registry)
    }

    pub fn of(path: &Path, sweep: &Sweep) -> Self {
        Self { path: path.to_owned(), hash: sweep.hash }
    }

    /// The folder of the same sweep, or an error that says in what the one that is there differs.
    pub fn of_same(path: &Path, sweep: &Sweep) -> Result<Self> {
        let there = Self::sweep(path, &sweep.registry)?;
        match there.hash == sweep.hash {
            true => Ok(Self::of(path, sweep)),
            false => Err(Error::folder(format!(
                "{} holds another sweep, which differs in\n{}\n  choose another folder, or --force replaces it",
                path.display(),
                keep::differing(&there.plan.to_toml(), &sweep.plan.to_toml()).join("\n")
            ))),
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn table(&self) -> PathBuf {
        self.path.join(TABLE)
    }

    pub(super) fn run(&self, label: &str) -> PathBuf {
        self.path.join("runs").join(label)
    }

    fn clear(&self) -> Result<()> {
        let ours = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            members_of_part(path).is_some() || name.starts_with("member-")
        };
        for place in [self.path.join(PARTS), self.path.join("runs")] {
            let Ok(entries) = fs::read_dir(&place) else { continue };
            let mut own = entries.flatten().map(|entry| entry.path()).filter(ours);
            own.try_for_each(|path| atomic::remove(&path))?;
        }
        let own = FILES.map(|name| self.path.join(name));
        own.iter().filter(|path| path.exists()).try_for_each(|path| atomic::remove(path))
    }

    pub(super) fn parts(&self) -> Result<Vec<Part>> {
        let place = self.path.join(PARTS);
        let entries = match fs::read_dir(&place) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(Error::io("read", &place)(error)),
        };
        let mut parts = Vec::new();
        for entry in entries {
            let path = entry.map_err(Error::io("read", &place))?.path();
            parts.extend(members_of_part(&path).map(|members| Part { members, path }));
        }
        parts.sort_by_key(|part| (part.members.start, part.members.end, part.path.clone()));
        Ok(parts)
    }

    /// Members of `range` that have no row yet.
    pub fn missing(&self, range: Range<usize>) -> Result<Vec<Range<usize>>> {
        if self.table().exists() {
            return Ok(Vec::new());
        }
        let done = self.parts()?.into_iter().map(|part| part.members);
        Ok(without(range, done))
    }

    /// Adds rows, all of them or none.
    pub(super) fn add(&self, members: Range<usize>, columns: &[Column]) -> Result<()> {
        let heads: Vec<_> = columns.iter().map(|c| (c.name.clone(), c.cells.kind())).collect();
        let place = self.path.join(PARTS);
        let name = format!("{:010}-{:010}", members.start, members.end);
        let mut path = place.join(format!("{name}.parquet"));
        if path.exists() {
            path = place.join(format!("{name}.{}.parquet", atomic::unique()));
        }
        let encode = || {
            let mut writer = Writer::new(Vec::new(), ("members", &heads), false, self.notes())?;
            writer.write(columns.iter().map(|column| &column.cells))?;
            writer.finish()
        };
        let bytes = encode().map_err(super::parquet_error("written", &path))?;
        match write(&path, &bytes) {
            // Another process was faster, and has made the table.
            Err(error) if error.kind() == ErrorKind::Disk && self.table().exists() => Ok(()),
            written => written,
        }
    }

    /// What every file of rows says of itself.
    pub(super) fn notes(&self) -> Notes {
        let notes = [
            ("version", env!("CARGO_PKG_VERSION").to_owned()),
            ("hash", self.hash.to_string()),
            ("simd", simd::level().to_string()),
        ];
        notes.into_iter().map(|(name, text)| (name.to_owned(), text)).collect()
    }

    /// Whether the rows that are there come from this version of the program, and from the same data.
    fn check_rows(&self) -> Result<()> {
        let table = self.table();
        let first = match table.exists() {
            true => Some(table),
            false => self.parts()?.into_iter().next().map(|part| part.path),
        };
        let Some(first) = first else { return Ok(()) };
        let reader = SweepTable::open(&first)?;
        let found = reader.note("version").unwrap_or_default();
        if found != env!("CARGO_PKG_VERSION") {
            return Err(other_version(&first, &found, None));
        }
        let (found, expected) = (reader.note("hash").unwrap_or_default(), self.hash.to_string());
        if found != expected {
            return Err(foreign(&first, &found, &expected));
        }
        Ok(())
    }

    /// Removes the parts, once the table has all their rows.
    pub(super) fn remove_parts(&self) {
        let _ = fs::remove_file(self.path.join(PARTIAL));
        // What stays is in nobody's way.
        let _ = fs::remove_dir_all(self.path.join(PARTS));
    }
}

/// Writes a file for good, as a whole or not at all.
pub(super) fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    atomic::write_shared(path, |file| file.write_all(bytes).map_err(Error::io("write", path)))
}

pub fn members_of_part(path: &Path) -> Option<Range<usize>> {
    let name = path.file_name()?.to_str()?.strip_suffix(".parquet")?;
    if name.starts_with('.') {
        return None;
    }
    let (first, end) = name.split('.').next()?.split_once('-')?;
    let range = first.parse().ok()?..end.parse().ok()?;
    (range.start < range.end).then_some(range)
}

/// What of `range` is in none of `done`, which come in the order of their starts.
pub(super) fn without(
    range: Range<usize>,
    done: impl Iterator<Item = Range<usize>>,
) -> Vec<Range<usize>> {
    let mut left = Vec::new();
    let mut next = range.start;
    for part in done {
        if part.start > next {
            left.push(next..part.start.min(range.end));
        }
        next = next.max(part.end);
        if next >= range.end {
            break;
        }
    }
    if next < range.end {
        left.push(next..range.end);
    }
    left.retain(|range| !range.is_empty());
    left
}
