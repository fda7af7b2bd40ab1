//! TensorBoard: the scalars of event files, by tag.
//!
//! A run that was started again leaves several files, or steps that go back within one. As TensorBoard
//! itself does, what a later record says replaces everything of its tag from its step on.

pub(super) mod events;

use events::Scalar;

use super::*;

const NAME: &str = "tfevents";

pub fn has_events(folder: &Path) -> bool {
    files(folder).is_ok_and(|files| !files.is_empty())
}

/// Why a folder is no run of TensorBoard's; folders inside that are, as of runs that write several, are named.
pub fn no_events(folder: &Path) -> String {
    let inside = fs::read_dir(folder).into_iter().flatten().flatten();
    let inside = inside.filter(|entry| has_events(&entry.path()));
    let mut names: Vec<String> =
        inside.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    let hint = match names.as_slice() {
        [] => String::new(),
        names => format!("; name one of the folders inside that have some: {}", names.join(", ")),
    };
    format!("it is a folder without event files (`events.out.tfevents...`){hint}")
}

/// Whether a file is one of TensorBoard's: by its name, or by its first record.
pub(super) fn is_events(path: &Path, bytes: &[u8]) -> bool {
    is_named(path) || events::begins(bytes)
}

fn is_named(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().contains(NAME))
}

/// The event files of a folder, in the order of their names.
fn files(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if is_named(&path) && path.is_file() {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

pub(super) fn of_file(path: &Path, bytes: &[u8]) -> Result<Table<'static>> {
    Ok(table(path, vec![(path.to_owned(), events::read(path, bytes)?)]))
}

pub(super) fn of_folder(folder: &Path) -> Result<Table<'static>> {
    let mut all = Vec::new();
    for path in files(folder).map_err(Error::io("read", folder))? {
        let bytes = fs::read(&path).map_err(Error::io("read", &path))?;
        let file = events::read(&path, &bytes)?;
        all.push((path, file));
    }
    if all.is_empty() {
        return Err(wrong(folder, no_events(folder)));
    }
    // By when they were begun: names tell that only to the second.
    all.sort_by(|(_, a), (_, b)| a.start.total_cmp(&b.start));
    Ok(table(folder, all))
}

fn table(path: &Path, files: Vec<(PathBuf, events::File)>) -> Table<'static> {
    // Seconds since 1970 of the first event.
    let start = files.iter().map(|(_, file)| file.start).fold(f64::INFINITY, f64::min);
    let (mut notes, mut logged) = (Vec::new(), Vec::new());
    for (name, file) in files {
        if file.is_cut_short {
            let of = name.strip_prefix(path).unwrap_or(&name).display().to_string();
            let of = if of.is_empty() { String::new() } else { format!(" of {of}") };
            notes.push(format!("the last record{of} is cut short and left out"));
        }
        logged.extend(file.scalars);
    }
    let (tags, series): (Vec<String>, Vec<_>) =
        grouped(logged).into_iter().map(|(tag, scalars)| (tag, counting(scalars))).unzip();
    let rows = move |time: usize, loss: usize| {
        let (scalars, replaced) = &series[loss];
        let row = |scalar: &Scalar| Row {
            place: scalar.record,
            time: if time == 0 { scalar.step as f64 } else { scalar.wall_time - start },
            loss: scalar.value,
        };
        let mut notes = notes.clone();
        if *replaced > 0 {
            notes.push(format!(
                "the run was started again: {replaced} records are replaced by later ones"
            ));
        }
        if time == 1 {
            notes.push("`wall_time` is in seconds since the first event".to_owned());
        }
        Ok((scalars.iter().map(row).collect(), notes))
    };
    let times = ["step", "wall_time"].map(str::to_owned).to_vec();
    Table { kind: "tag", unit: "record", times, losses: tags, rows: Box::new(rows) }
}

/// What counts of the records of a tag, and how many are replaced by later ones.
fn counting(logged: Vec<Scalar>) -> (Vec<Scalar>, usize) {
    let all = logged.len();
    let mut kept: Vec<Scalar> = Vec::new();
    for scalar in logged {
        while kept.last().is_some_and(|last| last.step >= scalar.step) {
            kept.pop();
        }
        kept.push(scalar);
    }
    let replaced = all - kept.len();
    (kept, replaced)
}
