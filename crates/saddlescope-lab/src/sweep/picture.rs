//! What is made of the table of a sweep: laws and figures.

use saddlescope_draw::Figure;

use super::*;
use crate::compose::{self, Source};
use crate::facts::are_half_way;
use crate::fits;
use crate::frame::parquet::{Heads, Reader};

/// What a figure may need whatever it shows.
const ALWAYS: [&str; 4] = ["member", "arm", "seed", "ended"];
/// What the figure of a sweep that asks for none is made of.
const USUAL: [&str; 4] = ["end.loss", "stages", "stage.*.time", "crossing.*"];

#[derive(Debug, Default)]
pub struct SweepDrawing {
    pub fits: Vec<FitResult>,
    pub files: Vec<PathBuf>,
    /// Why the figure that was asked for is not among them.
    pub undrawn: Option<String>,
}

impl Folder {
    /// Fits the laws that the sweep asks for, and draws its figure.
    pub fn draw(&self, sweep: &Sweep, table: &SweepTable) -> Result<SweepDrawing> {
        let plan = &sweep.plan;
        let asked = plan.figure.as_ref().map(|figure| &figure.spec);
        // A file whose figure shows single runs has a sweep's own in its place.
        let refused = asked.and_then(|spec| compose::check_table(spec).err());
        let asked = asked.filter(|_| refused.is_none());
        let (read, varied) = (needed(plan, asked, table)?, plan.varied());
        let theory = |row| said(sweep, &read, row);
        let runs = fits::Runs { table: &read, varied: &varied, theory: &theory, swept: true };
        let fits = runs.fit_all(&plan.fits);
        if !fits.is_empty() {
            let text = format!("{:#}\n", fits::json(&fits));
            super::folder::write(&self.path().join("fits.json"), text.as_bytes())?;
        }
        let spec = asked.cloned().unwrap_or_else(|| compose::default_figure(&read, &plan.vary));
        let (files, undrawn) = match figure(sweep, &spec, (&read, &varied), &fits) {
            Ok(made) => (keep::write_figure(&self.path().join("figure"), &made)?, refused),
            Err(why) => (Vec::new(), Some(why)),
        };
        Ok(SweepDrawing { fits, files, undrawn: undrawn.map(|why| why.to_string()) })
    }
}

fn figure(
    sweep: &Sweep,
    spec: &FigureSpec,
    (table, varied): (&RunTable, &[String]),
    fits: &[FitResult],
) -> Result<Figure> {
    let plan = &sweep.plan;
    let first = plan.members.first().map(|member| &member.experiment);
    let label = |name: &str| {
        plan.requested_label(name).or_else(|| first.and_then(|first| first.label(name)))
    };
    let source = Source { runs: None, table, varied, fits, label: &label };
    let (name, members) = (plan.name().unwrap_or("sweep"), plan.len());
    let (version, hash) = (env!("CARGO_PKG_VERSION"), sweep.hash.short());
    let caption =
        format!("{}/{name} · {members} members · {hash} · Saddlescope {version}", plan.group());
    compose::compose(spec, source, &caption)
}

/// The columns that figure and fits are made of, and no others: a table may be larger than memory.
fn needed(plan: &Plan, asked: Option<&FigureSpec>, table: &SweepTable) -> Result<RunTable> {
    let mut patterns: Vec<String> = ALWAYS.map(str::to_owned).to_vec();
    patterns.extend(plan.varied());
    for fit in &plan.fits {
        patterns.push(fit.x.clone());
        patterns.extend(fit.y.iter().cloned());
    }
    match asked {
        Some(spec) => {
            let shown =
                spec.panels.iter().flat_map(|panel| compose::table_columns(&panel.contents));
            patterns.extend(shown.cloned());
        }
        None => patterns.extend(USUAL.map(str::to_owned)),
    }
    let names = table.names();
    let wanted = |name: &&String| patterns.iter().any(|pattern| name_matches(pattern, name));
    let names: Vec<&str> = names.iter().filter(wanted).map(String::as_str).collect();
    table.read(&names)
}

/// What theory says about the member of a row, where it watches theory's own levels.
fn said(sweep: &Sweep, table: &RunTable, row: usize) -> Option<Vec<Scaling>> {
    let member = table.column("member")?.number(row)? as usize;
    let experiment = sweep.plan.member(member).ok()?.experiment;
    let run = Run::new(&experiment).ok()?;
    are_half_way(&run.levels, &run.problem.levels).then(|| run.problem.scalings.to_vec())
}

// The table of a sweep, read back: some columns, or all of them group by group.

/// The table of a sweep on disk, or a part of it.
pub struct SweepTable {
    file: Reader<File>,
    path: PathBuf,
    heads: Heads,
}

impl std::fmt::Debug for SweepTable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SweepTable").field("rows", &self.rows()).finish_non_exhaustive()
    }
}

impl SweepTable {
    pub fn open(path: &Path) -> Result<Self> {
        let file = File::open(path).map_err(Error::io("read", path))?;
        let file = Reader::new(file).map_err(parquet_error("read", path))?;
        let mut heads = Vec::new();
        for (place, column) in file.schema().columns().iter().enumerate() {
            let name = column.name().to_owned();
            let Some(kind) = file.kind(place) else {
                let (path, other) = (path.display(), column.physical_type());
                let words = format!("{path}: column `{name}` is {other}, not ours");
                return Err(Error::folder(words));
            };
            heads.push((name, kind));
        }
        Ok(Self { file, path: path.to_owned(), heads })
    }

    pub(super) fn heads(&self) -> &Heads {
        &self.heads
    }

    pub fn names(&self) -> Vec<String> {
        self.heads.iter().map(|(name, _)| name.clone()).collect()
    }

    pub fn rows(&self) -> usize {
        self.file.rows()
    }

    /// What it says of itself under `name`: version, hash, simd.
    pub fn note(&self, name: &str) -> Option<String> {
        self.file.note(name)
    }

    /// Its rows, a group at a time: all columns.
    pub(super) fn groups(&self) -> impl Iterator<Item = Result<Frame>> {
        let places: Vec<usize> = (0..self.heads.len()).collect();
        (0..self.file.groups()).map(move |group| self.group(group, &places))
    }

    fn group(&self, group: usize, places: &[usize]) -> Result<Frame> {
        let column = |&place: &usize| {
            let cells = self.file.cells(group, place).map_err(parquet_error("read", &self.path))?;
            Ok(Column::new(&self.heads[place].0, cells))
        };
        let columns = places.iter().map(column).collect::<Result<Vec<_>>>()?;
        let rows = columns.first().map_or(0, |column| column.cells.len());
        Ok(Frame::from_columns(columns, rows))
    }

    /// Hands over some columns, a group of rows at a time.
    pub(super) fn each(&self, names: &[&str], mut take: impl FnMut(Frame)) -> Result<()> {
        let places = self.places(names)?;
        (0..self.file.groups()).try_for_each(|group| {
            take(self.group(group, &places)?);
            Ok(())
        })
    }

    pub fn read(&self, names: &[&str]) -> Result<Frame> {
        let empty = self.places(names)?.into_iter().map(|place| {
            let (name, kind) = &self.heads[place];
            Column::new(name, Cells::missing(*kind, 0))
        });
        let mut all = Frame::from_columns(empty.collect(), 0);
        self.each(names, |group| all.append(group))?;
        Ok(all)
    }

    /// Members that failed, with the reason: all are counted, `most` are named.
    pub fn failures(&self, most: usize) -> Result<(usize, Vec<(usize, String)>)> {
        let (mut count, mut named) = (0, Vec::new());
        if !self.names().iter().any(|name| name == "reason") {
            return Ok((0, named));
        }
        self.each(&["member", "reason"], |group| {
            for row in 0..group.rows() {
                let Some(reason) = group.columns()[1].text(row) else { continue };
                count += 1;
                if named.len() < most {
                    let member = group.columns()[0].number(row).unwrap_or(-1.0);
                    named.push((member as usize, reason));
                }
            }
        })?;
        Ok((count, named))
    }

    fn places(&self, names: &[&str]) -> Result<Vec<usize>> {
        let place = |name: &&str| {
            self.heads.iter().position(|(known, _)| known == name).ok_or_else(|| {
                Error::from(NoColumn { pattern: (*name).to_owned(), known: self.names() })
            })
        };
        names.iter().map(place).collect()
    }
}
