//! What a campaign leaves in its folder beside the runs, and how it is read again.

use saddlescope_draw::{Drawing, Figure};
use saddlescope_spec::figure::Graph;

use crate::campaign::{Results, columns, figure_of, member_folder, tour};
use crate::fits;
use crate::prelude::*;
use crate::saddles::GraphFacts;
use crate::store::atomic;

const PLAN: &str = "plan.toml";

const GRAPH: &str = "graph.json";

pub const DOTS_PER_INCH: f64 = 220.0;

/// Makes `folder` the place of `plan`: writes `plan.toml`, unless runs of another plan are there.
///
/// A plan whose runs are all among those of the new one (fewer seeds, say) may grow; so may a single run.
pub fn claim(folder: &Path, plan: &Plan, force: bool, registry: &Registry) -> Result<()> {
    let path = folder.join(PLAN);
    let text = plan.to_toml();
    let has_runs = folder.join("run.toml").exists() || folder.join("runs").exists();
    if path.exists() && has_runs && force {
        forget(folder, plan);
    } else if path.exists() && has_runs {
        let there = Plan::read(&path, &Changes::default(), registry)?;
        let single = there.members.len() == 1;
        // Names and words do not count.
        let numbers = |one: &Member| Hash::of_run(&one.experiment, 0, &store::Inputs::new());
        let known = |member: &Member| {
            plan.members.iter().find(|other| {
                (single || member.label == other.label) && numbers(member) == numbers(other)
            })
        };
        let grows = plan.members.len() > 1;
        let equal = plan.members.len() == there.members.len();
        let found: Option<Vec<&Member>> = there.members.iter().map(known).collect();
        let Some(found) = found.filter(|_| grows || equal) else {
            let lines = differing(&there.to_toml(), &text);
            return Err(Error::folder(format!(
                "{} holds runs of another plan, which differ in\n{}\n  choose another folder, or \
                 --force replaces them",
                folder.display(),
                lines.join("\n")
            )));
        };
        // A single run lies in the folder itself; among others it has a folder of its own.
        if let [only] = found.as_slice()
            && grows
            && folder.join("run.toml").exists()
        {
            store::relocate(folder, &member_folder(folder, plan, only))?;
        }
    }
    fs::create_dir_all(folder).map_err(Error::io("create", folder))?;
    renew(&path, text.as_bytes())
}

/// Removes runs of an earlier plan that the new one does not have; they would bar its way when it grows.
fn forget(folder: &Path, plan: &Plan) {
    let Ok(entries) = fs::read_dir(folder.join("runs")) else { return };
    for place in entries.flatten().map(|entry| entry.path()) {
        let named = |member: &Member| place.file_name().is_some_and(|name| *name == *member.label);
        let stays = plan.members.len() > 1 && plan.members.iter().any(named);
        if place.join("run.toml").exists() && !stays {
            // One that stays is in nobody's way but its own.
            let _ = fs::remove_dir_all(&place);
        }
    }
    // A single run lies in the folder itself, where nothing of several may lie.
    if plan.members.len() == 1 && fs::remove_dir(folder.join("runs")).is_ok() {
        for name in
            ["table.csv", "fits.json", "claims.json", "figure.svg", "figure.png", "figure.pdf"]
        {
            let _ = fs::remove_file(folder.join(name));
        }
    }
}

/// Writes a file, unless it is there with the same contents: a folder may be read-only.
fn renew(path: &Path, bytes: &[u8]) -> Result<()> {
    if fs::read(path).is_ok_and(|there| there == bytes) {
        return Ok(());
    }
    atomic::write(path, bytes)
}

/// The first lines that only one of two texts has.
pub(crate) fn differing(there: &str, here: &str) -> Vec<String> {
    let only = |text: &str, other: &str, sign: &str| -> Vec<String> {
        let line = |line: &&str| !line.trim().is_empty() && !other.lines().any(|l| l == *line);
        text.lines().filter(line).map(|line| format!("  {sign} {line}")).take(6).collect()
    };
    [only(there, here, "there:"), only(here, there, "here: ")].concat()
}

/// Writes `table.csv` and, where there are runs to draw, the figure in all three formats.
pub fn write(folder: &Path, results: &Results<'_>) -> Result<Vec<PathBuf>> {
    let mut written = Vec::new();
    let mut add = |name: &str, text: String| {
        written.push(folder.join(name));
        renew(&folder.join(name), text.as_bytes())
    };
    if results.plan.members.len() > 1 {
        add("table.csv", results.table.to_csv())?;
    }
    if !results.fits.is_empty() {
        add("fits.json", format!("{:#}\n", fits::json(&results.fits)))?;
    }
    if results.carried().any(|(_, _, run)| run.trajectory.rows() > 0) {
        let figure = results.figure()?;
        if !figure.panels.is_empty() {
            written.extend(write_figure(&folder.join("figure"), &figure)?);
        }
    }
    Ok(written)
}

/// Writes `claims.json`: the verdicts on the claims that the plan lists.
pub fn write_claims(folder: &Path, json: &str) -> Result<()> {
    atomic::write(&folder.join("claims.json"), json.as_bytes())
}

#[derive(Serialize, Deserialize)]
struct GraphFile {
    #[serde(flatten)]
    graph: GraphFacts,
    hash: Hash,
    starts: usize,
    near: f64,
}

pub fn write_graph(folder: &Path, graph: &SaddleGraph, tour: &Graph, hash: Hash) -> Result<()> {
    let Graph { starts, near } = *tour;
    let value = report::value(&GraphFile { graph: graph.into(), hash, starts, near });
    fs::create_dir_all(folder).map_err(Error::io("create", folder))?;
    atomic::write(&folder.join(GRAPH), format!("{value:#}\n").as_bytes())
}

/// The saddle graph of a folder, where it is that of this run and this tour.
pub fn read_graph(folder: &Path, tour: &Graph, hash: Hash) -> Option<SaddleGraph> {
    let text = fs::read_to_string(folder.join(GRAPH)).ok()?;
    let file: GraphFile = serde_json::from_str(&text).ok()?;
    let (starts, near) = (file.starts, file.near);
    if file.hash == hash && *tour == (Graph { starts, near }) { file.graph.graph() } else { None }
}

pub fn write_figure(stem: &Path, figure: &Figure) -> Result<Vec<PathBuf>> {
    let drawing = figure.draw();
    let write = |format: Format| {
        let path = format.path(stem);
        write_drawing(&path, format, &drawing).map(|()| path)
    };
    Format::ALL.into_iter().map(write).collect()
}

pub fn write_drawing(path: &Path, format: Format, drawing: &Drawing) -> Result<()> {
    let bytes = match format {
        Format::Svg => drawing.svg().into_bytes(),
        Format::Pdf => drawing.pdf(),
        Format::Png => drawing
            .png(DOTS_PER_INCH)
            .map_err(|error| Error::input(format!("the figure cannot be drawn as PNG: {error}")))?,
    };
    renew(path, &bytes)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Svg,
    Png,
    Pdf,
}

impl Format {
    pub const ALL: [Self; 3] = [Self::Svg, Self::Png, Self::Pdf];

    pub fn ending(self) -> &'static str {
        match self {
            Self::Svg => "svg",
            Self::Png => "png",
            Self::Pdf => "pdf",
        }
    }

    pub fn path(self, stem: &Path) -> PathBuf {
        stem.with_added_extension(self.ending())
    }

    /// The format that a path asks for by its ending.
    pub fn of(path: &Path) -> Option<Self> {
        let ending = path.extension()?.to_str()?;
        Self::ALL.into_iter().find(|format| format.ending() == ending)
    }
}

/// The plan of a folder; of the folder of a single run, the plan of that run alone.
pub fn plan(folder: &Path, registry: &Registry) -> Result<Plan> {
    let own = folder.join(PLAN);
    if own.exists() {
        return Plan::read(&own, &Changes::default(), registry);
    }
    if !folder.join("run.toml").exists() {
        let folder = folder.display();
        let why = format!("{folder} holds no runs: neither plan.toml nor run.toml is there");
        return Err(Error::folder(why));
    }
    let run = store::read(folder, registry)?;
    let name = folder.display().to_string();
    Plan::from_text(&name, &run.manifest.experiment.to_toml(), &Changes::default(), registry)
}

/// The runs of a plan from its folder, as far as they are there.
pub fn read<'p>(folder: &Path, plan: &'p Plan, registry: &Registry) -> Results<'p> {
    let read = |member: &Member| -> Result<Option<RunResult>> {
        let place = member_folder(folder, plan, member);
        if !place.join("run.toml").exists() {
            return Ok(None);
        }
        let mut run = store::read(&place, registry)?.result;
        let spec = figure_of(plan, run.problem.figure.clone(), &columns(&run.trajectory));
        run.graph = tour(&spec).and_then(|tour| read_graph(&place, &tour, run.facts.hash));
        Ok(Some(run))
    };
    let members = plan.members.iter().map(|member| match read(member) {
        Ok(Some(run)) => Execution::Done(run),
        Ok(None) => Execution::NotBegun,
        Err(error) => Execution::Failed(error),
    });
    Results::new(plan, members.collect())
}
