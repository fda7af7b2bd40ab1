//! What is made of the table of a sweep: laws and figures.

use std::path::PathBuf;

use saddlescope::blocks::name_matches;
use saddlescope_draw::Figure;
use saddlescope_spec::figure::FigureSpec;
use saddlescope_spec::prediction::Scaling;

use super::folder::Folder;
use super::{Sweep, SweepTable};
use crate::compose::{self, Source};
use crate::error::Result;
use crate::facts::are_half_way;
use crate::fits::{self, FitResult};
use crate::keep;
use crate::plan::{Plan, RunTable};
use crate::run::Run;

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
    let label = |name: &str| first.and_then(|first| first.label(name));
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
