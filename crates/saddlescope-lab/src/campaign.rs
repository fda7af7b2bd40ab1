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

use saddlescope::analysis::stages::Settings;
use saddlescope_draw::Figure;
use saddlescope_spec::figure::Graph;

use crate::compose::{self, RunView, Source};
use crate::plan::{Progress, Watch};
use crate::prelude::*;
use crate::saddles;
use crate::store::Inputs;
use crate::{fits, outcomes};

pub struct Campaign<'a> {
    /// The systems that runs in folders may be of.
    pub registry: &'a Registry,
    /// Where runs are kept; in memory without it.
    pub folder: Option<&'a Path>,
    /// Whether runs that are there are replaced.
    pub force: bool,
    /// Set from outside (by Ctrl-C) to stop.
    pub stop: Arc<AtomicBool>,
    pub progress: &'a (dyn Fn(&Progress) + Sync),
}

#[derive(Debug)]
pub struct Results<'a> {
    pub plan: &'a Plan,
    pub members: Vec<Execution<RunResult, Error>>,
    pub table: RunTable,
    pub fits: Vec<FitResult>,
    pub hash: Hash,
}

impl Campaign<'_> {
    /// Runs all members; those that are finished in their folders are read instead.
    pub fn run<'p>(&self, plan: &'p Plan) -> Results<'p> {
        let (stop, progress) = (Arc::clone(&self.stop), self.progress);
        let executor = Executor { stop, progress, ..Executor::default() };
        let members = plan.execute(&executor, |member, watch| self.run_one(plan, member, watch));
        Results::new(plan, members)
    }

    fn run_one(&self, plan: &Plan, member: &Member, watch: &Watch<'_>) -> Result<RunResult> {
        let experiment = &member.experiment;
        let run = Run::new(experiment)?;
        let spec = figure_of(plan, experiment.figure(), &run.columns());
        compose::check(&spec, &run.columns(), run.problem.prediction_names, &experiment.sketch())?;
        let tell = |glimpse, steps| watch.control(&run, glimpse, steps);
        let place = self.folder.map(|folder| member_folder(folder, plan, member));
        let mut result = match &place {
            None => RunResult::new(&run, run.execute(tell)),
            Some(place) => {
                store::execute(&run, place, self.force, &self.stop, self.registry, tell)?
            }
        };
        if let Some(tour) = tour(&spec) {
            let (hash, place) = (result.facts.hash, place.as_deref());
            let kept = place.and_then(|place| keep::read_graph(place, &tour, hash));
            result.graph = kept.filter(|_| !self.force);
            if result.graph.is_none() {
                let graph = saddles::graph(experiment, &tour, &self.stop)
                    .map_err(|error| Error::of(ErrorKind::Computation, error))?;
                if let Some(place) = place {
                    keep::write_graph(place, &graph, &tour, hash)?;
                }
                result.graph = Some(graph);
            }
        }
        Ok(result)
    }
}

/// How a figure wants the saddle graph explored, if it draws one.
pub(crate) fn tour(spec: &FigureSpec) -> Option<Graph> {
    spec.panels.iter().find_map(|panel| match &panel.contents {
        Contents::Graph(graph) => Some(graph.clone()),
        _ => None,
    })
}

/// Finds out before anything runs whether the figure that a plan asks for can be drawn, as far as that
/// does not hang on what is recorded.
pub fn check(plan: &Plan) -> Result<()> {
    plan.figure.iter().try_for_each(|figure| compose::check_plan(&figure.spec, plan))
}

fn reason(member: &Execution<RunResult, Error>) -> Option<String> {
    match member {
        Execution::Failed(error) => Some(error.to_string()),
        Execution::Crashed(words) => Some(format!("the program itself failed: {words}")),
        Execution::Done(run) => run.facts.end.error.clone(),
        Execution::NotBegun => None,
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

/// The figure of the file, or the system's own, as far as it can be drawn from these columns.
pub(crate) fn figure_of(plan: &Plan, own: FigureSpec, columns: &[String]) -> FigureSpec {
    match &plan.figure {
        Some(figure) => figure.spec.clone(),
        None => compose::drawable(own, columns),
    }
}

impl<'p> Results<'p> {
    pub fn new(plan: &'p Plan, mut members: Vec<Execution<RunResult, Error>>) -> Self {
        for member in &mut members {
            if let Execution::Done(run) = member {
                outcomes::with_requested(&plan.outcomes, &run.trajectory, &mut run.facts.outcomes);
            }
        }
        let row = |member: &Execution<RunResult, Error>| match member {
            Execution::Done(run) => {
                let RunFacts { end, seconds, stages, outcomes, .. } = &run.facts;
                Some(RunRow::new(end, *seconds, stages.as_ref(), outcomes))
            }
            Execution::NotBegun => None,
            failed => Some(RunRow::failed(&reason(failed).unwrap_or_default())),
        };
        let rows: Vec<_> = members.iter().map(row).collect();
        let hash = match members.as_slice() {
            [Execution::Done(only)] => only.facts.hash,
            _ => hash(plan),
        };
        let table = RunTable::new(plan, &rows);
        let mut results = Self { plan, table, fits: Vec::new(), hash, members };
        results.fits = results.fit(|runs| runs.fit_all(&plan.fits));
        results
    }

    /// What `fit` makes of the runs and their table.
    pub fn fit<T>(&self, fit: impl FnOnce(&fits::Runs<'_>) -> T) -> T {
        let theory = |row: usize| Some(self.members.get(row)?.done()?.scalings().to_vec());
        let (table, varied) = (&self.table, &self.plan.varied());
        fit(&fits::Runs { table, varied, theory: &theory, swept: false })
    }

    /// Looks for the stages of all runs again, of another column or with other thresholds. The table keeps what it has.
    pub fn search_stages(&mut self, column: &str, settings: &Settings) {
        for ended in &mut self.members {
            if let Execution::Done(run) = ended {
                let found = run.find_stages(column, settings);
                run.facts.set_stages(found);
            }
        }
    }

    /// The runs that were carried out, with their places in the plan.
    pub fn carried(&self) -> impl Iterator<Item = (usize, &Member, &RunResult)> {
        let all = self.plan.members.iter().zip(&self.members).enumerate();
        all.filter_map(|(row, (member, ended))| Some((row, member, ended.done()?)))
    }

    pub fn failures(&self) -> Vec<(&str, String)> {
        let all = self.plan.members.iter().zip(&self.members);
        all.filter_map(|(member, ended)| Some((member.label.as_str(), reason(ended)?))).collect()
    }

    /// Whether the user stopped it before all members were over.
    pub fn interrupted(&self) -> bool {
        let stopped = |run: &RunResult| run.facts.end.ended() == Some(Ending::Interrupted);
        let mut members = self.members.iter();
        members.any(|one| matches!(one, Execution::NotBegun) || one.done().is_some_and(stopped))
    }

    /// The figure that the file asks for, or the system's own.
    pub fn figure(&self) -> Result<Figure> {
        let (_, _, first) = self.carried().next().ok_or_else(compose::no_runs)?;
        let columns = columns(&first.trajectory);
        self.figure_with(&figure_of(self.plan, first.problem.figure.clone(), &columns))
    }

    pub fn figure_with(&self, spec: &FigureSpec) -> Result<Figure> {
        let view = |(row, member, result)| RunView { row, member, result };
        let whole = |run: &RunView<'_>| run.result.trajectory.rows() > 0;
        let runs: Vec<_> = self.carried().map(view).filter(whole).collect();
        let label = |name: &str| {
            let own = self.plan.requested_label(name);
            own.or_else(|| {
                self.carried().find_map(|(_, _, run)| run.problem.labels.get(name).cloned())
            })
        };
        let (table, fits, varied) = (&self.table, &*self.fits, &self.plan.varied());
        let source = Source { runs: Some(&runs), table, varied, fits, label: &label };
        compose::compose(spec, source, &self.caption())
    }

    fn caption(&self) -> String {
        let name = self.plan.name().unwrap_or("experiment");
        let (system, size) = (self.plan.group(), self.plan.size.word());
        let (version, hash) = (env!("CARGO_PKG_VERSION"), self.hash.short());
        let differs = self.plan.departure().map_or_else(String::new, |how| format!(" ({how})"));
        format!("{system}/{name} · {size}{differs} · {hash} · Saddlescope {version}")
    }
}

/// Names of the columns that were recorded: observables, or their elements.
pub(crate) fn columns(trajectory: &Trajectory) -> Vec<String> {
    trajectory.series().iter().flat_map(Series::column_names).collect()
}

/// The hash of all members together, however long their segments are.
fn hash(plan: &Plan) -> Hash {
    let hash = |member: &Member| Hash::of_run(&member.experiment, 0, &Inputs::new()).to_string();
    let each = plan.members.iter().map(hash);
    Hash::of_bytes(each.collect::<Vec<_>>().join("\n").as_bytes())
}
