//! A view of the page as one experiment file: an arm for each curve, a panel for each chart.

use std::fmt::Write;

use saddlescope::blocks::name_matches;
use saddlescope_lab::experiment::{Experiment, Pairs};
use saddlescope_lab::plan::{Changes, Plan};
use saddlescope_lab::run::Run;
use saddlescope_spec::settings::{quote, render_key};
use serde_json::{Map, Value};

use crate::Options;
use crate::answer::Refusal;
use crate::request::{RequestedRun, object, prepare, settings, texts};

/// Most curves of a view.
const MOST_RUNS: usize = 24;

/// Most charts of a view.
const MOST_PANELS: usize = 24;

/// Longest name of a curve, in characters.
const LONGEST_LABEL: usize = 200;

/// What somebody looks at.
pub(super) struct View<'a> {
    runs: Vec<Curve>,
    panels: Vec<Map<String, Value>>,
    /// What is recorded: what panels draw, as far as every run has it.
    recorded: Vec<String>,
    options: &'a Options,
}

struct Curve {
    label: String,
    requested: RequestedRun,
    experiment: Experiment,
}

impl<'a> View<'a> {
    /// Reads and checks the body of a request.
    pub(super) fn read(body: &[u8], options: &'a Options) -> Result<Self, Refusal> {
        let object = object(body)?;
        let common = RequestedRun::read(&object, &options.registry)?;
        let panels = objects(&object, "panels", MOST_PANELS)?;
        let listed = objects(&object, "runs", MOST_RUNS)?;
        let listed = if listed.is_empty() { vec![Map::new()] } else { listed };
        let mut patterns = vec!["loss".to_owned(), "gradient.norm".to_owned()];
        for panel in &panels {
            let columns = [texts(panel, "y")?, texts(panel, "matrix")?].concat();
            // An entry of an observable is recorded with all of it.
            patterns.extend(
                columns.iter().map(|name| name.split('[').next().unwrap_or(name).to_owned()),
            );
        }
        let mut seen = std::collections::HashSet::new();
        patterns.retain(|pattern| seen.insert(pattern.clone()));
        let mut runs: Vec<Curve> = Vec::new();
        for (place, run) in listed.iter().enumerate() {
            let requested = common.with(&settings(run)?);
            let member = requested.check(&options.registry)?;
            let observables = prepare(&member, options.memory)?.problem.observables.clone();
            patterns
                .retain(|pattern| observables.iter().any(|one| name_matches(pattern, &one.name)));
            let given = run.get("label").and_then(Value::as_str).map(str::trim).unwrap_or_default();
            let name = match given {
                "" => format!("run {}", place + 1),
                given => given.chars().take(LONGEST_LABEL).collect(),
            };
            // Names of arms are keys.
            let taken = |label: &String| runs.iter().any(|earlier| earlier.label == *label);
            let others = (2..).map(|number| format!("{name} ({number})"));
            let label = std::iter::once(name.clone()).chain(others).find(|label| !taken(label));
            let label = label.unwrap_or_default();
            runs.push(Curve { label, requested, experiment: member.experiment });
        }
        Ok(Self { runs, panels, recorded: patterns, options })
    }

    /// The plan that runs and draws it.
    pub(super) fn plan(&self) -> Result<Plan, Refusal> {
        let text = self.text();
        let of_seed = |seed: u64| -> Result<Plan, Refusal> {
            let changes = Changes::set(&[format!("seed={seed}")]);
            Ok(Plan::from_text("view.toml", &text, &changes, &self.options.registry)?)
        };
        let first = self.runs[0].experiment.seed();
        let mut plan = of_seed(first)?;
        // A file has its seeds for all arms alike; curves may have seeds of their own.
        for (place, run) in self.runs.iter().enumerate() {
            let seed = run.experiment.seed();
            if seed != first {
                plan.members[place] = of_seed(seed)?.members.swap_remove(place);
            }
        }
        self.check(&plan)?;
        Ok(plan)
    }

    /// That the plan runs what is shown, all of it in the memory that there is for one computation.
    fn check(&self, plan: &Plan) -> Result<(), Refusal> {
        let counting = |experiment: &Experiment| {
            experiment.pairs().into_iter().filter(counts).collect::<Vec<_>>()
        };
        let share = self.options.memory / self.runs.len() as u64;
        for (member, run) in plan.members.iter().zip(&self.runs) {
            if counting(&member.experiment) != counting(&run.experiment) {
                let words = format!("no one file describes `{}` beside the others", run.label);
                return Err(Refusal::wrong(words));
            }
            Run::within(share, &member.experiment)?;
        }
        Ok(())
    }

    /// The file, where one file can say it.
    pub(super) fn file(&self) -> Result<String, Refusal> {
        let first = self.runs[0].experiment.seed();
        if let Some(other) = self.runs.iter().find(|run| run.experiment.seed() != first) {
            let words = format!(
                "`{}` has seed {}, `{}` has seed {first}: one file has the same seeds for all curves; unpin the others",
                other.label,
                other.experiment.seed(),
                self.runs[0].label
            );
            return Err(Refusal::wrong_setting("seed", words));
        }
        self.plan()?;
        Ok(self.text())
    }

    /// The line that gives the same numbers: each curve by its own.
    pub(super) fn command(&self) -> String {
        let lines = self.runs.iter().map(|run| super::command(&run.experiment) + "\n");
        lines.collect()
    }

    fn text(&self) -> String {
        let first = &self.runs[0];
        let mut text = format!(
            "# A view of the observatory; `saddlescope run` on this file gives its numbers and its figure.\nname = \"view\"\nseed = {}\n",
            first.experiment.seed()
        );
        let own: Vec<Pairs> = self.runs.iter().map(|run| settings_of(&run.experiment)).collect();
        let shared = |pair: &&(String, String)| own.iter().all(|pairs| pairs.contains(pair));
        let _ = writeln!(text, "system.name = {}", quote(first.requested.system.name()));
        for (key, value) in own[0].iter().filter(shared) {
            let _ = writeln!(text, "{} = {value}", dotted(key));
        }
        let recorded: Vec<String> = self.recorded.iter().map(|name| quote(name)).collect();
        let _ = writeln!(text, "record.observables = [{}]", recorded.join(", "));
        if self.runs.len() > 1 {
            for (run, pairs) in self.runs.iter().zip(&own) {
                let _ = writeln!(text, "\n[[arm]]\nname = {}", quote(&run.label));
                for (key, value) in pairs.iter().filter(|pair| !shared(pair)) {
                    let _ = writeln!(text, "{} = {value}", dotted(key));
                }
            }
        }
        if !self.panels.is_empty() {
            let columns = if self.panels.len() > 1 { 2 } else { 1 };
            let _ = writeln!(text, "\n[figure]\ncolumns = {columns}");
        }
        self.panels.iter().for_each(|panel| self.panel(&mut text, panel));
        text
    }

    /// A chart, as far as there is something to draw.
    fn panel(&self, text: &mut String, panel: &Map<String, Value>) {
        let has = |name: &&String| {
            let whole = name.split('[').next().unwrap_or(name);
            self.recorded.iter().any(|pattern| pattern == whole)
        };
        let list = |name: &str| -> Vec<String> {
            let all = texts(panel, name).unwrap_or_default();
            all.iter().filter(has).map(|name| quote(name)).collect()
        };
        let (y, matrix) = (list("y"), list("matrix"));
        if y.is_empty() && matrix.is_empty() {
            return;
        }
        text.push_str("\n[[figure.panel]]\n");
        if let Some(title) = panel.get("title").and_then(Value::as_str) {
            let _ = writeln!(text, "title = {}", quote(title));
        }
        if !matrix.is_empty() {
            let at = panel
                .get("at")
                .and_then(Value::as_f64)
                .map_or("\"end\"".to_owned(), |at| format!("[{at:?}]"));
            let _ =
                writeln!(text, "kind = \"heatmap\"\nmatrix = [{}]\nat = {at}", matrix.join(", "));
            return;
        }
        let _ = writeln!(text, "y = [{}]", y.join(", "));
        for name in ["x_scale", "y_scale"] {
            if let Some(scale @ ("log" | "linear")) = panel.get(name).and_then(Value::as_str) {
                let _ = writeln!(text, "{name} = \"{scale}\"");
            }
        }
        for name in ["x_range", "y_range"] {
            let ends = panel.get(name).and_then(Value::as_array);
            if let Some([Some(low), Some(high)]) =
                ends.map(|ends| [0, 1].map(|i| ends.get(i).and_then(Value::as_f64)))
            {
                let _ = writeln!(text, "{name} = [{low:?}, {high:?}]");
            }
        }
        let theory = texts(panel, "theory").unwrap_or_default();
        if !theory.is_empty() {
            let theory: Vec<String> = theory.iter().map(|name| quote(name)).collect();
            let _ = writeln!(text, "theory = [{}]", theory.join(", "));
        }
    }
}

/// What makes a run from the defaults, but for what a file says once for all curves.
fn settings_of(experiment: &Experiment) -> Pairs {
    experiment.beyond_defaults().unwrap_or_default().into_iter().filter(counts).collect()
}

fn counts((key, _): &(String, String)) -> bool {
    key != "seed" && key != "record.observables"
}

/// A dotted key with quotes where TOML needs them.
fn dotted(key: &str) -> String {
    key.split('.').map(render_key).collect::<Vec<_>>().join(".")
}

/// A list of objects; empty where there is none.
fn objects(
    object: &Map<String, Value>,
    name: &str,
    most: usize,
) -> Result<Vec<Map<String, Value>>, Refusal> {
    let malformed = || Refusal::malformed(format!("`{name}` is a list of objects, at most {most}"));
    match object.get(name) {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Array(all)) if all.len() <= most => {
            all.iter().map(|one| one.as_object().cloned().ok_or_else(malformed)).collect()
        }
        Some(_) => Err(malformed()),
    }
}
