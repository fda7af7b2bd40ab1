//! A view of the page as one experiment file: an arm for each curve, a panel for each chart.

use std::fmt::Write;

use saddlescope::blocks::name_matches;
use saddlescope_lab::experiment::Pairs;
use saddlescope_spec::settings::{quote, render_key};

use crate::prelude::*;
use crate::request::{self, RunBody, prepare, settings};

const MOST_RUNS: usize = 24;

const MOST_PANELS: usize = 24;

/// Longest name of a curve, in characters.
const LONGEST_LABEL: usize = 200;

#[derive(Deserialize)]
struct Body {
    #[serde(flatten)]
    common: RunBody,
    runs: Option<Vec<CurveBody>>,
    panels: Option<Vec<Panel>>,
}

#[derive(Deserialize, Default)]
struct CurveBody {
    label: Option<String>,
    set: Option<Map<String, Value>>,
}

/// A chart: columns over time, or matrices at an instant.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Panel {
    title: Option<String>,
    y: Vec<String>,
    theory: Vec<String>,
    x_scale: Option<String>,
    y_scale: Option<String>,
    x_range: Option<(f64, f64)>,
    y_range: Option<(f64, f64)>,
    matrix: Vec<String>,
    at: Option<f64>,
}

/// What the client looks at.
pub(super) struct View<'a> {
    runs: Vec<Curve>,
    panels: Vec<Panel>,
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
    pub(super) fn read(body: &[u8], options: &'a Options) -> Result<Self, Refusal> {
        let body: Body = request::read(body)?;
        let common = RequestedRun::new(&body.common, &options.registry)?;
        let (listed, panels) = (body.runs.unwrap_or_default(), body.panels.unwrap_or_default());
        let counts = [("runs", listed.len(), MOST_RUNS), ("panels", panels.len(), MOST_PANELS)];
        if let Some((name, count, most)) = counts.into_iter().find(|(_, count, most)| count > most)
        {
            return Err(Refusal::malformed(format!(
                "`{name}` has {count} entries, at most {most}"
            )));
        }
        let listed = if listed.is_empty() { vec![CurveBody::default()] } else { listed };
        let mut patterns = vec!["loss".to_owned(), "gradient.norm".to_owned()];
        let columns = panels.iter().flat_map(|panel| panel.y.iter().chain(&panel.matrix));
        patterns.extend(columns.map(|name| whole(name).to_owned()));
        let mut seen = std::collections::HashSet::new();
        patterns.retain(|pattern| seen.insert(pattern.clone()));
        let mut runs: Vec<Curve> = Vec::new();
        for (place, run) in listed.iter().enumerate() {
            let requested = common.with(&settings(run.set.as_ref())?);
            let member = requested.check(&options.registry)?;
            let observables = prepare(&member, options.memory)?.problem.observables.clone();
            patterns
                .retain(|pattern| observables.iter().any(|one| name_matches(pattern, &one.name)));
            let name = match run.label.as_deref().unwrap_or_default().trim() {
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
        let recorded = list(self.recorded.iter()).unwrap_or_else(|| "[]".to_owned());
        let _ = writeln!(text, "record.observables = {recorded}");
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
    fn panel(&self, text: &mut String, panel: &Panel) {
        let has = |name: &&String| self.recorded.iter().any(|pattern| pattern == whole(name));
        let (y, matrix) = (list(panel.y.iter().filter(has)), list(panel.matrix.iter().filter(has)));
        if y.is_none() && matrix.is_none() {
            return;
        }
        text.push_str("\n[[figure.panel]]\n");
        if let Some(title) = &panel.title {
            let _ = writeln!(text, "title = {}", quote(title));
        }
        if let Some(matrix) = matrix {
            let at = panel.at.map_or("\"end\"".to_owned(), |at| format!("[{at:?}]"));
            let _ = writeln!(text, "kind = \"heatmap\"\nmatrix = {matrix}\nat = {at}");
            return;
        }
        let scale = |scale: &Option<String>| scale.as_deref().map(quote);
        let range =
            |ends: Option<(f64, f64)>| ends.map(|(low, high)| format!("[{low:?}, {high:?}]"));
        for (name, value) in [
            ("y", y),
            ("x_scale", scale(&panel.x_scale)),
            ("y_scale", scale(&panel.y_scale)),
            ("x_range", range(panel.x_range)),
            ("y_range", range(panel.y_range)),
            ("theory", list(panel.theory.iter())),
        ] {
            if let Some(value) = value {
                let _ = writeln!(text, "{name} = {value}");
            }
        }
    }
}

/// The observable that a column is an entry of; with it all of that is recorded.
fn whole(column: &str) -> &str {
    column.split('[').next().unwrap_or(column)
}

/// Texts as a list in TOML, if there are any.
fn list<'a>(texts: impl Iterator<Item = &'a String>) -> Option<String> {
    let texts: Vec<String> = texts.map(|text| quote(text)).collect();
    (!texts.is_empty()).then(|| format!("[{}]", texts.join(", ")))
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
