//! A plan carried out: its members run on all cores, are kept in folders, tabulated and drawn.
//!
//! | in the folder of a plan | what it is |
//! |---|---|
//! | `plan.toml` | the plan with every default filled in; an experiment file itself |
//! | `runs/<member>/` | the folder of each run; a plan of one run is that folder itself |
//! | `graph.json` | beside a run whose figure draws it, its saddle graph |
//! | `table.csv` | the table of runs; where some failed, with the reasons |
//! | `fits.json` | laws fitted to that table, where the plan asks for them |
//! | `figure.svg`, `figure.png`, `figure.pdf` | the figure |

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use saddlescope::analysis::saddle::SaddleGraph;
use saddlescope::analysis::stages::Settings;
use saddlescope::figure::{Contents, FigureSpec, Profile};
use saddlescope::outcome::Outcome;
use saddlescope::prediction::{Prediction, Says, Scaling};
use saddlescope::record::Control;
use saddlescope::sketch::Sketch;
use saddlescope::symmetry::Symmetry;
use saddlescope::system::System;

use crate::compose::{self, ComposeError, Material, Shown};
use crate::draw::Figure;
use crate::experiment::Experiment;
use crate::fits::{self, Fitted};
use crate::keep;
use crate::plan::{Conduct, Conducted, Member, Plan, Progress, RunRow, RunTable, Watch};
use crate::registry;
use crate::run::{Ending, Finished, Run, RunError};
use crate::saddles::{self, SaddleError, Tour};
use crate::staircase::Staircase;
use crate::store::{self, Hash, Inputs, Origin, StoreError};

/// How a plan is carried out.
pub struct Campaign<'a> {
    /// Where runs are kept; in memory without it.
    pub folder: Option<&'a Path>,
    /// Whether runs that are there are replaced.
    pub force: bool,
    /// Set from outside (by Ctrl-C) to stop.
    pub stop: Arc<AtomicBool>,
    /// Is told how far everything is.
    pub progress: &'a (dyn Fn(&Progress) + Sync),
}

/// One run of a campaign.
#[derive(Debug, Clone)]
pub struct Carried {
    /// What it came to.
    pub finished: Finished,
    /// The losses of the plateaus that theory predicts.
    pub theory: Vec<f64>,
    /// The stages of its loss, or why there are none to look for.
    pub stages: Result<Staircase, String>,
    /// What can be exchanged in its parameters.
    pub symmetry: Symmetry,
    /// What theory says about the run.
    pub predictions: Vec<Prediction>,
    /// What its world says that it came to.
    pub outcomes: Vec<Outcome>,
    /// What theory says about how its numbers depend on its settings.
    pub scalings: Vec<Scaling>,
    /// Names of all that theory may say.
    pub known: &'static [&'static str],
    /// How figures call what was recorded.
    pub labels: BTreeMap<String, String>,
    /// The figure that the system has for it.
    pub figure: FigureSpec,
    /// Number of parameters.
    pub parameters: usize,
    /// The hash of what was asked for.
    pub hash: Hash,
    /// How much of it was done before, where it is kept.
    pub origin: Option<Origin>,
    /// Its saddle graph, where the figure asks for one.
    pub graph: Option<SaddleGraph>,
    /// Its task as rows of tokens.
    pub sketch: Sketch,
}

/// Why a run of a campaign came to nothing.
#[derive(Debug, thiserror::Error)]
pub enum MemberError {
    /// It cannot run.
    #[error(transparent)]
    Run(#[from] RunError),
    /// It cannot be kept.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Its figure cannot be drawn.
    #[error(transparent)]
    Figure(#[from] ComposeError),
    /// Its saddles cannot be certified.
    #[error(transparent)]
    Saddles(#[from] SaddleError),
}

/// What a campaign came to.
#[derive(Debug)]
pub struct Results<'a> {
    /// What was asked for.
    pub plan: &'a Plan,
    /// What became of each member, in the order of the plan.
    pub members: Vec<Conducted<Carried, MemberError>>,
    /// The table of runs.
    pub table: RunTable,
    /// Laws fitted to that table, as the plan asks for them.
    pub fits: Vec<Fitted>,
    /// The hash of all that was asked for.
    pub hash: Hash,
}

impl Campaign<'_> {
    /// Runs all members; those that are finished in their folders are read instead.
    pub fn run<'p>(&self, plan: &'p Plan) -> Results<'p> {
        let conduct =
            Conduct { stop: Arc::clone(&self.stop), progress: self.progress, ..Conduct::default() };
        let members = plan.execute(&conduct, |member, watch| self.carry_out(plan, member, watch));
        Results::new(plan, members)
    }

    /// The saddle graph of a run: read where it was kept, else explored, and kept.
    fn saddle_graph(
        &self,
        experiment: &Experiment,
        tour: Tour,
        hash: Hash,
        place: Option<&Path>,
    ) -> Result<SaddleGraph, MemberError> {
        let kept = |place: &Path| keep::read_graph(place, tour, hash).filter(|_| !self.force);
        if let Some(graph) = place.and_then(kept) {
            return Ok(graph);
        }
        let system = system(experiment.schema.name);
        let graph = saddles::graph(experiment, system, tour, &self.stop)?;
        if let Some(place) = place {
            keep::write_graph(place, &graph, tour, hash)?;
        }
        Ok(graph)
    }

    fn carry_out(
        &self,
        plan: &Plan,
        member: &Member,
        watch: &Watch<'_>,
    ) -> Result<Carried, MemberError> {
        let experiment = &member.experiment;
        let run = Run::new(experiment, system(experiment.schema.name))?;
        let spec = figure_of(plan, &run);
        compose::check(&spec, &run.columns(), run.prediction_names(), &run.sketch())?;
        let tell = |glimpse, steps| {
            if let Some(part) = run.part_done(glimpse, steps) {
                watch.at(part);
            }
            if watch.stopped() { Control::Stop } else { Control::Continue }
        };
        let (finished, origin) = match self.folder {
            None => (run.execute(tell), None),
            Some(folder) => {
                let place = member_folder(folder, plan, member);
                let stored =
                    store::execute(&run, experiment, &place, self.force, &self.stop, tell)?;
                (stored.finished, Some(stored.origin))
            }
        };
        let hash = Hash::of_run(experiment, run.leg_steps(), &Hash::of_inputs(run.world()));
        let place = self.folder.map(|folder| member_folder(folder, plan, member));
        let graph = match tour(&spec) {
            Some(tour) => Some(self.saddle_graph(experiment, tour, hash, place.as_deref())?),
            None => None,
        };
        Ok(Carried { graph, ..Carried::new(&run, finished, spec, (hash, origin)) })
    }
}

/// How a figure wants the saddle graph explored, if it draws one.
pub(crate) fn tour(spec: &FigureSpec) -> Option<Tour> {
    spec.panels.iter().find_map(|panel| match panel.contents {
        Contents::Graph { starts, near } => Some(Tour { starts, near }),
        _ => None,
    })
}

/// Finds out before anything runs whether the figure that a plan asks for can be drawn, as far as that
/// does not hang on what is recorded.
pub fn check(plan: &Plan) -> Result<(), ComposeError> {
    match plan.figure.as_ref().map(|figure| figure.spec()) {
        Some(Ok(spec)) => compose::check_plan(&spec, plan),
        _ => Ok(()),
    }
}

/// Why a member came to nothing, if it did.
fn reason(member: &Conducted<Carried, MemberError>) -> Option<String> {
    match member {
        Conducted::Failed(error) => Some(error.to_string()),
        Conducted::Crashed(words) => Some(format!("the program itself failed: {words}")),
        Conducted::Done(carried) => {
            carried.finished.outcome.as_ref().err().map(ToString::to_string)
        }
        Conducted::NotBegun => None,
    }
}

/// The folder of a member: the plan's own where it is the only one.
pub fn member_folder(folder: &Path, plan: &Plan, member: &Member) -> PathBuf {
    if plan.members.len() == 1 {
        folder.to_owned()
    } else {
        folder.join("runs").join(&member.label)
    }
}

/// The system of that name, which a checked experiment has.
pub(crate) fn system(name: &str) -> &'static dyn System {
    match registry::system(name) {
        Some(system) => system,
        None => unreachable!("experiments are checked against the systems there are"),
    }
}

/// The figure of the file, or the system's own.
pub(crate) fn figure_of(plan: &Plan, run: &Run) -> FigureSpec {
    match plan.figure.as_ref().map(|figure| figure.spec()) {
        Some(Ok(spec)) => spec,
        _ => compose::drawable(run.figure(), &run.columns()),
    }
}

impl Carried {
    /// A finished run with what its world says about it.
    pub fn new(
        run: &Run,
        finished: Finished,
        spec: FigureSpec,
        (hash, origin): (Hash, Option<Origin>),
    ) -> Self {
        let mut names: Vec<String> = Vec::new();
        for series in finished.trajectory.series() {
            names.push(series.name().to_owned());
            names.extend(series.column_names());
        }
        for panel in &spec.panels {
            match &panel.contents {
                Contents::Lines { y, .. } | Contents::Profile(Profile { y, .. }) => {
                    names.extend(y.iter().cloned());
                }
                Contents::Evolution(evolution) => names.push(evolution.y.clone()),
                _ => {}
            }
        }
        let outcomes = run.outcomes(&finished);
        names.extend(outcomes.iter().map(|outcome| outcome.name.clone()));
        let mut predictions = run.predictions(&finished);
        let mut scalings = run.scalings();
        // What theory says about crossings, it says of its own levels.
        if !watched_theory(&finished, &run.theory()) {
            predictions.retain(|prediction| !matches!(prediction.says, Says::Number(_)));
            scalings.clear();
        }
        let labels = names.into_iter().filter_map(|name| Some((run.label(&name)?, name)));
        Self {
            theory: run.theory(),
            stages: run.staircase(&finished, &Settings::default()),
            symmetry: run.symmetry(),
            predictions,
            outcomes,
            scalings,
            known: run.prediction_names(),
            labels: labels.map(|(label, name)| (name, label)).collect(),
            figure: spec,
            parameters: run.parameters(),
            hash,
            origin,
            finished,
            graph: None,
            sketch: run.sketch(),
        }
    }

    fn shown<'a>(&'a self, row: usize, member: &'a Member) -> Shown<'a> {
        let finished = &self.finished;
        let end = finished.outcome.as_ref().ok().and_then(|outcome| outcome.stages.last());
        Shown {
            row,
            arm: member.arm.as_deref(),
            varied: &member.varied,
            seed: member.seed,
            trajectory: &finished.trajectory,
            crossings: finished.crossings.iter().map(|crossing| crossing.time).collect(),
            on_clock: end.is_none_or(|end| end.on_clock),
            at_rest: finished.endings.last() == Some(&Ending::Converged),
            predictions: self.predictions.clone(),
            known: self.known,
            graph: self.graph.as_ref(),
            sketch: &self.sketch,
        }
    }
}

impl<'p> Results<'p> {
    /// Results of members that ran, or were read.
    pub fn new(plan: &'p Plan, members: Vec<Conducted<Carried, MemberError>>) -> Self {
        let row = |member: &Conducted<Carried, MemberError>| match member {
            Conducted::Done(carried) => {
                let row = RunRow::of(&carried.finished).with_outcomes(&carried.outcomes);
                Some(row.with_stages(carried.stages.as_ref().ok()))
            }
            Conducted::NotBegun => None,
            failed => Some(RunRow::failed(reason(failed).unwrap_or_default())),
        };
        let rows: Vec<_> = members.iter().map(row).collect();
        let hash = match members.as_slice() {
            [Conducted::Done(only)] => only.hash,
            _ => hash(plan),
        };
        let table = RunTable::new(plan, &rows);
        let theory = |row: usize| Some(members.get(row)?.done()?.scalings.clone());
        let fits = fits::fit_all(plan, &table, &theory);
        Self { plan, table, fits, hash, members }
    }

    /// Looks for the stages of all runs again, with other thresholds. The table keeps what it has.
    pub fn search_stages(&mut self, settings: &Settings) {
        for (member, conducted) in self.plan.members.iter().zip(&mut self.members) {
            if let Conducted::Done(carried) = conducted {
                let experiment = &member.experiment;
                carried.stages = match Run::new(experiment, system(experiment.schema.name)) {
                    Ok(run) => run.staircase(&carried.finished, settings),
                    Err(error) => Err(error.to_string()),
                };
            }
        }
    }

    /// The runs that were carried out, with their places in the plan.
    pub fn carried(&self) -> impl Iterator<Item = (usize, &Member, &Carried)> {
        let all = self.plan.members.iter().zip(&self.members).enumerate();
        all.filter_map(|(row, (member, conducted))| Some((row, member, conducted.done()?)))
    }

    /// Members that came to nothing, each with the reason.
    pub fn failures(&self) -> Vec<(&str, String)> {
        let all = self.plan.members.iter().zip(&self.members);
        all.filter_map(|(member, conducted)| Some((member.label.as_str(), reason(conducted)?)))
            .collect()
    }

    /// Whether somebody stopped it before all members were over.
    pub fn interrupted(&self) -> bool {
        self.members.iter().any(|member| match member {
            Conducted::NotBegun => true,
            Conducted::Done(carried) => {
                carried.finished.endings.last() == Some(&Ending::Interrupted)
            }
            Conducted::Failed(_) | Conducted::Crashed(_) => false,
        })
    }

    /// The figure that the file asks for, or the system's own.
    pub fn figure(&self) -> Result<Figure, ComposeError> {
        let Some((_, _, first)) = self.carried().next() else { return Err(ComposeError::NoRuns) };
        self.figure_with(&first.figure)
    }

    /// The figure that `spec` describes.
    pub fn figure_with(&self, spec: &FigureSpec) -> Result<Figure, ComposeError> {
        let whole = |carried: &Carried| carried.finished.trajectory.rows() > 0;
        let runs: Vec<Shown<'_>> = self
            .carried()
            .filter(|(_, _, carried)| whole(carried))
            .map(|(row, member, carried)| carried.shown(row, member))
            .collect();
        let label = |name: &str| {
            self.carried().find_map(|(_, _, carried)| carried.labels.get(name).cloned())
        };
        let material =
            Material { runs: &runs, table: &self.table, fits: &self.fits, label: &label };
        compose::compose(spec, material, &self.caption())
    }

    /// Name, size and hash.
    fn caption(&self) -> String {
        let name = self.plan.name().unwrap_or("experiment");
        let (system, size) = (self.plan.group(), self.plan.size.word());
        let (version, hash) = (env!("CARGO_PKG_VERSION"), self.hash.short());
        format!("{system}/{name} · {size} · {hash} · Saddlescope {version}")
    }
}

/// Whether the watched levels are those half way between theory's plateaus.
fn watched_theory(finished: &Finished, theory: &[f64]) -> bool {
    let half_way = theory.windows(2).map(|pair| 0.5 * (pair[0] + pair[1]));
    let near = |(level, half): (f64, f64)| (level - half).abs() <= 1e-12 * half.abs();
    let levels = finished.crossings.iter().map(|crossing| crossing.level);
    theory.len() == finished.crossings.len() + 1 && levels.zip(half_way).all(near)
}

/// The hash of all members together, however long their legs are.
fn hash(plan: &Plan) -> Hash {
    let hash = |member: &Member| Hash::of_run(&member.experiment, 0, &Inputs::new()).to_string();
    let each = plan.members.iter().map(hash);
    Hash::of_bytes(each.collect::<Vec<_>>().join("\n").as_bytes())
}
