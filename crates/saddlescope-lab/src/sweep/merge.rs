//! Parts made into one table, streamed: there are no more rows in memory than a group of them, and parts that overlap.

use std::io::Write;

use super::folder::{PARTIAL, Part, TABLE, without};
use super::*;
use crate::frame::Kind;
use crate::frame::parquet::{Heads, ParquetError, Writer};
use crate::store::atomic;

const GROUP: usize = 1 << 16;

struct Survey {
    heads: Heads,
    simd: Vec<String>,
    version: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergedTable {
    pub table: PathBuf,
    pub rows: usize,
    pub members: usize,
    pub failed: usize,
    /// The SIMD levels that fixed their bits; more than one where machines differ.
    pub simd: Vec<String>,
}

impl Folder {
    /// Makes one table of the parts of this folder and of `others`, which hold the same sweep. With `partial`, members may
    /// be missing, and the parts stay.
    pub fn merge(&self, sweep: &Sweep, others: &[Folder], partial: bool) -> Result<MergedTable> {
        if self.table().exists() && others.is_empty() && !partial {
            return self.merged(sweep, &self.table());
        }
        let mut parts = self.parts()?;
        for other in others {
            parts.extend(other.parts()?);
        }
        // A table that is there has all members.
        for table in others.iter().chain([self]).map(Folder::table).filter(|table| table.exists()) {
            parts.push(Part { members: 0..sweep.plan.len(), path: table });
        }
        parts.sort_by_key(|part| (part.members.start, part.members.end));
        let ranges = without(0..sweep.plan.len(), parts.iter().map(|part| part.members.clone()));
        let whole = ranges.is_empty();
        if !whole && !partial {
            return Err(missing(sweep.plan.len(), &ranges));
        }
        let Survey { heads, simd, version } = self.survey(sweep, &parts)?;
        let name = if whole { TABLE } else { PARTIAL };
        let table = self.path().join(name);
        let mut notes = self.notes();
        notes.insert("simd".to_owned(), simd.join(" "));
        notes.insert("version".to_owned(), version);
        let fill = |file: &mut _| stream(&table, (&heads, &notes), &parts, file);
        let (rows, failed) = atomic::write_shared(&table, fill)?;
        // Before parts go, the table is read as others will read it.
        let found = SweepTable::open(&table)?.rows();
        if found != rows || (whole && rows != sweep.plan.len()) {
            let table = table.display();
            return Err(Error::folder(format!(
                "{table}: it has {found} rows, but {rows} were written; the parts are kept"
            )));
        }
        if whole {
            self.remove_parts();
        }
        Ok(MergedTable { table, rows, members: sweep.plan.len(), failed, simd })
    }

    /// What a table that is there was made of.
    fn merged(&self, sweep: &Sweep, path: &Path) -> Result<MergedTable> {
        let table = SweepTable::open(path)?;
        let mut failed = 0;
        table.each(&["ended"], |group| failed += count_failed(&group))?;
        let simd = table.note("simd").unwrap_or_default();
        let simd = simd.split_whitespace().map(str::to_owned).collect();
        let members = sweep.plan.len();
        Ok(MergedTable { table: path.to_owned(), rows: table.rows(), members, failed, simd })
    }

    /// What parts that belong together have in common.
    fn survey(&self, sweep: &Sweep, parts: &[Part]) -> Result<Survey> {
        let expected = sweep.hash.to_string();
        let mut all: Vec<Heads> = Vec::new();
        let mut levels: Vec<String> = Vec::new();
        let mut first: Option<(PathBuf, String)> = None;
        for part in parts {
            let reader = SweepTable::open(&part.path)?;
            let (found, path) = (reader.note("hash").unwrap_or_default(), part.path.clone());
            if found != expected {
                return Err(foreign(&path, &found, &expected));
            }
            let version = reader.note("version").unwrap_or_default();
            match &first {
                None => first = Some((path, version)),
                Some((_, known)) if *known == version => {}
                Some((other, known)) => {
                    return Err(other_version(&path, &version, Some((other, known))));
                }
            }
            for level in reader.note("simd").unwrap_or_default().split_whitespace() {
                if !levels.iter().any(|known| known == level) {
                    levels.push(level.to_owned());
                }
            }
            // Parts mostly have the same columns.
            if !all.contains(reader.heads()) {
                all.push(reader.heads().clone());
            }
        }
        levels.sort();
        let varied = sweep.plan.varied();
        let version = first.map_or_else(|| env!("CARGO_PKG_VERSION").to_owned(), |(_, v)| v);
        Ok(Survey { heads: union(all.iter(), &varied), simd: levels, version })
    }
}

/// Members of these ranges are missing.
fn missing(members: usize, ranges: &[Range<usize>]) -> Error {
    let missing: usize = ranges.iter().map(Range::len).sum();
    let words = |range: &Range<usize>| match range.len() {
        1 => range.start.to_string(),
        _ => format!("{} to {}", range.start, range.end - 1),
    };
    let mut named: Vec<String> = ranges.iter().take(6).map(words).collect();
    named.extend((ranges.len() > 6).then(|| "...".to_owned()));
    let named = named.join(", ");
    Error::folder(format!(
        "{missing} of {members} members are missing: {named}; run them, or --partial makes a table of what is there"
    ))
}

/// Writes the rows of all parts in the order of members, each member once; how many, and how many failed.
fn stream(
    path: &Path,
    (heads, notes): (&Heads, &Notes),
    parts: &[Part],
    file: &mut std::fs::File,
) -> Result<(usize, usize)> {
    let full = |error: ParquetError| Error::io("write", path)(unwrapped(error));
    let sink = std::io::BufWriter::with_capacity(1 << 20, file);
    let mut writer = Writer::new(sink, ("members", heads), false, notes.clone()).map_err(full)?;
    let mut pending = Frame::default();
    let (mut written, mut failed) = (0, 0);
    let mut flush = |pending: &mut Frame, all: bool| -> Result<()> {
        loop {
            let waiting = pending.rows();
            if waiting == 0 || (waiting < GROUP && !all) {
                return Ok(());
            }
            let now: Vec<usize> = (0..waiting.min(GROUP)).collect();
            let later: Vec<usize> = (now.len()..waiting).collect();
            let group = pending.pick(&now);
            *pending = pending.pick(&later);
            failed += count_failed(&group);
            written += now.len();
            writer.write(group.columns().iter().map(|column| &column.cells)).map_err(full)?;
        }
    };
    let mut next = 0;
    while next < parts.len() {
        // Parts that have members in common, as after a worker that came back from the dead, are sorted out together.
        let mut last = next + 1;
        let mut end = parts[next].members.end;
        while last < parts.len() && parts[last].members.start < end {
            end = end.max(parts[last].members.end);
            last += 1;
        }
        match &parts[next..last] {
            [only] => {
                for group in SweepTable::open(&only.path)?.groups() {
                    pending.append(under(heads, group?));
                    flush(&mut pending, false)?;
                }
            }
            several => {
                pending.append(sorted_out(several, heads)?);
                flush(&mut pending, false)?;
            }
        }
        next = last;
    }
    flush(&mut pending, true)?;
    let mut sink = writer.finish().map_err(full)?;
    // What a dropped buffer cannot write, nobody would hear of.
    sink.flush().map_err(Error::io("write", path))?;
    Ok((written, failed))
}

/// The rows of parts that overlap, each member once: one that did not fail where there is one.
fn sorted_out(parts: &[Part], heads: &Heads) -> Result<Frame> {
    let mut all = Frame::default();
    for part in parts {
        for group in SweepTable::open(&part.path)?.groups() {
            all.append(under(heads, group?));
        }
    }
    let (members, ended) = (all.column("member"), all.column("ended"));
    let member = |row: usize| members.and_then(|column| column.number(row));
    let failed =
        |row: usize| ended.and_then(|column| column.text(row)).as_deref() == Some("failed");
    let mut order: Vec<usize> = (0..all.rows()).collect();
    // Whole numbers, far below those that are not exact.
    order.sort_by_cached_key(|&row| (member(row).map(|number| number as usize), failed(row)));
    order.dedup_by_key(|row| member(*row));
    Ok(all.pick(&order))
}

fn count_failed(frame: &Frame) -> usize {
    match frame.column("ended").map(|column| &column.cells) {
        Some(Cells::Texts(cells)) => {
            cells.iter().flatten().filter(|word| *word == "failed").count()
        }
        _ => 0,
    }
}

/// What went wrong below Parquet, so that a full disk is told as one.
fn unwrapped(error: ParquetError) -> std::io::Error {
    match error {
        ParquetError::External(inner) => match inner.downcast::<std::io::Error>() {
            Ok(error) => *error,
            Err(other) => std::io::Error::other(other),
        },
        other => std::io::Error::other(other.to_string()),
    }
}

/// The columns of several parts together: each once, of the widest kind, in the order of the table.
fn union<'a>(parts: impl Iterator<Item = &'a Heads>, varied: &[String]) -> Heads {
    let mut all: Heads = Vec::new();
    for (name, kind) in parts.flatten() {
        match all.iter_mut().find(|(known, _)| known == name) {
            Some((_, known)) => *known = (*known).max(*kind),
            None => all.push((name.clone(), *kind)),
        }
    }
    all.sort_by_cached_key(|(name, _)| (rank(name, varied), natural(name)));
    all
}

/// What comes before what, whatever the order in which members have come in.
fn rank(name: &str, varied: &[String]) -> usize {
    const FIRST: [&str; 3] = ["member", "arm", "seed"];
    const RESULTS: [&str; 10] = [
        "end.loss",
        "end.time",
        "end.step",
        "ended",
        "crossing.",
        "duration.",
        "drift",
        "stages",
        "stage.",
        "plateau.",
    ];
    const LAST: [&str; 5] = ["end.", "theory.", "claim.", "reason", "seconds"];
    let is = |own: &&str| name == *own || own.ends_with('.') && name.starts_with(own);
    let varied = varied.iter().map(String::as_str);
    let known: Vec<&str> = FIRST.into_iter().chain(varied).chain(RESULTS).collect();
    // What a system says of its runs stands before what was asked for.
    let other = || known.len() + LAST.iter().position(is).map_or(0, |place| place + 1);
    known.iter().position(is).unwrap_or_else(other)
}

/// A key by which `stage.10` comes after `stage.2`.
fn natural(name: &str) -> Vec<(String, u64)> {
    let mut parts = Vec::new();
    let mut rest = name;
    while !rest.is_empty() {
        let words = rest.find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len());
        let digits = rest[words..].find(|c: char| !c.is_ascii_digit());
        let end = digits.map_or(rest.len(), |digits| words + digits);
        parts.push((rest[..words].to_owned(), rest[words..end].parse().unwrap_or(0)));
        rest = &rest[end..];
    }
    parts
}

/// The same rows under other heads: columns that are missing are empty, and kinds are widened.
fn under(heads: &Heads, frame: Frame) -> Frame {
    let rows = frame.rows();
    let mut columns: HashMap<String, Cells> =
        frame.into_columns().into_iter().map(|column| (column.name, column.cells)).collect();
    let take = |(name, kind): &(String, Kind)| {
        let cells = columns.remove(name).unwrap_or_else(|| Cells::missing(*kind, rows));
        Column::new(name, cells.widened(*kind))
    };
    Frame::from_columns(heads.iter().map(take).collect(), rows)
}
