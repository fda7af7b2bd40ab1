//! Two runs side by side: what was asked of them, when they jump, how far apart they are, and why.

use saddlescope_spec::analysis::attribution::Attribution;
use serde_json::Value;

use crate::attribute;
use crate::prelude::*;
use crate::report::value;
use crate::store::{Difference, StoredRun, in_a_line};

const COLUMNS: usize = 8;
/// Signs of a setting's value, at most.
const LONGEST: usize = 48;

#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// What was asked of them and differs: first run there, second here.
    pub settings: Vec<Difference>,
    pub crossings: Vec<Pair>,
    pub end: [Option<f64>; 2],
    /// Distance of the parameters at the end, modulo what can be exchanged; and their norm in the first
    /// run. `None` where the two have other parameters.
    pub apart: Option<[f64; 2]>,
    /// How far apart columns are that both have recorded, the farthest first; `None` where the two have
    /// no common clock. Columns of things without an order, as heads, are compared from one start only.
    pub distances: Option<Vec<Distance>>,
    /// Why the jumps of a run that is training come when they do, or why that cannot be told.
    pub explained: [Option<Result<Attribution, String>>; 2],
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Pair {
    pub level: f64,
    /// When each run first crossed it.
    pub a: Option<f64>,
    pub b: Option<f64>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Distance {
    pub column: String,
    /// How far the column moves in the first run.
    pub range: f64,
    /// The largest difference at one time, by absolute value.
    pub largest: f64,
    pub at: f64,
    /// The same, with the second run's clock stretched so that their crossings fall together: what is
    /// left is not a matter of time. `None` without common crossings.
    pub aligned: Option<f64>,
}

/// Reads the run in a folder; of a folder of several runs, an error that names them.
fn read(folder: &Path, registry: &Registry) -> Result<StoredRun> {
    let runs = folder.join("runs");
    if !folder.join("run.toml").exists()
        && let Ok(entries) = std::fs::read_dir(&runs)
    {
        let place = |entry: std::fs::DirEntry| entry.path().display().to_string();
        let mut members: Vec<String> = entries.flatten().map(place).collect();
        members.sort();
        let (folder, members) = (folder.display(), members.join(", "));
        let words = format!("{folder} holds several runs; name one of them: {members}");
        return Err(Error::input(words));
    }
    store::read(folder, registry)
}

/// Compares the runs in two folders; with `seeds` draws of the batches where one of them is noisy, or
/// without asking why at 0.
pub fn compare(first: &Path, second: &Path, seeds: u64, registry: &Registry) -> Result<Comparison> {
    let stored = [read(first, registry)?, read(second, registry)?];
    let [a, b] = stored.each_ref().map(|stored| &stored.result);
    let explain = |stored: &StoredRun| -> Option<Result<Attribution, String>> {
        let experiment = &stored.manifest.experiment;
        (seeds > 0 && attribute::is_training(experiment)).then(|| {
            let run = Run::new(experiment).map_err(|error| error.to_string())?;
            attribute::explain(&run, seeds).map_err(|error| error.to_string())
        })
    };
    let crossings = crossings(&a.facts.end, &b.facts.end);
    // Other starts number their heads otherwise.
    let alike = a.start == b.start;
    let same = |name: &str| {
        let name = name.strip_prefix("norm.").unwrap_or(name);
        alike || !a.problem.symmetry.permutes(name)
    };
    let end = |run: &RunResult| Some(run.facts.end.phases.last()?.loss);
    Ok(Comparison {
        settings: store::differences(&stored[0].manifest, &stored[1].manifest),
        end: [end(a), end(b)],
        apart: apart(a, b),
        distances: distances(a, b, &crossings, &same),
        crossings,
        explained: stored.each_ref().map(explain),
    })
}

fn apart(a: &RunResult, b: &RunResult) -> Option<[f64; 2]> {
    if a.problem.blocks != b.problem.blocks {
        return None;
    }
    let (one, other) = (a.state.as_ref()?, b.state.as_ref()?);
    let norm = one.iter().map(|x| x * x).sum::<f64>().sqrt();
    Some([a.problem.symmetry.distance(one, other), norm])
}

fn crossings(a: &RunEnd, b: &RunEnd) -> Vec<Pair> {
    let same = |x: f64, y: f64| (x - y).abs() <= 1e-9 * x.abs().max(y.abs());
    let pair = |one: &LevelCrossing| {
        let other = b.crossings.iter().find(|other| same(one.level, other.level))?;
        Some(Pair { level: one.level, a: one.time, b: other.time })
    };
    a.crossings.iter().filter_map(pair).collect()
}

fn on_clock(run: &RunResult) -> bool {
    run.facts.end.phases.iter().all(|phase| phase.flow_time)
}

/// Distances of the columns that mean the `same` in both runs.
fn distances(
    a: &RunResult,
    b: &RunResult,
    crossings: &[Pair],
    same: &dyn Fn(&str) -> bool,
) -> Option<Vec<Distance>> {
    if !on_clock(a) || !on_clock(b) {
        return None;
    }
    let (first, second) = (&a.trajectory, &b.trajectory);
    let stretch = Stretch::new(crossings);
    let mut all = Vec::new();
    for series in first.series().iter().filter(|series| same(series.name())) {
        let Some(other) = second.get(series.name()).filter(|o| o.shape() == series.shape()) else {
            continue;
        };
        for (place, column) in series.column_names().into_iter().enumerate() {
            let values = |series: &Series| -> Vec<f64> {
                series.data().iter().skip(place).step_by(series.width()).copied().collect()
            };
            let curves = [(first.time(), values(series)), (second.time(), values(other))];
            all.extend(Distance::between(column, &curves, &stretch));
        }
    }
    let relative = |d: &Distance| d.largest / d.range.max(f64::MIN_POSITIVE);
    all.sort_by(|x, y| relative(y).total_cmp(&relative(x)));
    Some(all)
}

/// One column over time, with lines between the rows.
type Curve<'a> = (&'a [f64], Vec<f64>);

/// The value at a time within the rows.
fn at((times, values): &Curve<'_>, time: f64) -> Option<f64> {
    let after = times.partition_point(|&t| t < time);
    if after == 0 || *times.get(after)? == time {
        return (times[after] == time).then(|| values[after]);
    }
    let (t0, t1) = (times[after - 1], times[after]);
    let part = (time - t0) / (t1 - t0);
    Some(values[after - 1] + part * (values[after] - values[after - 1]))
}

impl Distance {
    fn between(column: String, [a, b]: &[Curve<'_>; 2], stretch: &Stretch) -> Option<Self> {
        let (mut met, mut largest, mut aligned) = (false, (0.0, 0.0), None::<f64>);
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for (&time, &value) in a.0.iter().zip(&a.1) {
            (low, high) = (low.min(value), high.max(value));
            if let Some(other) = at(b, time) {
                met = true;
                if (value - other).abs() > largest.0 {
                    largest = ((value - other).abs(), time);
                }
            }
            if let Some(other) = stretch.other(time).and_then(|time| at(b, time)) {
                let away = (value - other).abs();
                aligned = Some(aligned.map_or(away, |most| most.max(away)));
            }
        }
        let (largest, at) = largest;
        met.then_some(Self { column, largest, at, aligned, range: high - low })
    }
}

/// A map from the first run's time to the second's that takes crossings to crossings, with lines in the
/// logarithm between them.
struct Stretch(Vec<[f64; 2]>);

impl Stretch {
    fn new(crossings: &[Pair]) -> Self {
        let both = |pair: &Pair| Some([pair.a?, pair.b?]);
        let mut knots: Vec<[f64; 2]> =
            crossings.iter().filter_map(both).filter(|k| k[0] > 0.0 && k[1] > 0.0).collect();
        knots.dedup_by(|later, earlier| later[0] <= earlier[0] || later[1] <= earlier[1]);
        Self(knots)
    }

    fn other(&self, time: f64) -> Option<f64> {
        let (first, last) = (self.0.first()?, self.0.last()?);
        if time <= first[0] {
            return Some(time * first[1] / first[0]);
        }
        if time >= last[0] {
            return Some(time * last[1] / last[0]);
        }
        let after = self.0.partition_point(|knot| knot[0] < time);
        let (from, to) = (self.0[after - 1], self.0[after]);
        let part = (time / from[0]).ln() / (to[0] / from[0]).ln();
        Some(from[1] * (to[1] / from[1]).powf(part))
    }
}

pub fn text(comparison: &Comparison, names: [&str; 2]) -> String {
    let Comparison { settings, crossings, end, apart, distances, explained } = comparison;
    let mut text = format!("A: {}\nB: {}\n\n", names[0], names[1]);
    if settings.is_empty() {
        text += "the same was asked of both\n";
    } else {
        let value = |value: &Option<String>| in_a_line(value.as_deref(), LONGEST);
        let row = |one: &Difference| vec![one.setting.clone(), value(&one.there), value(&one.here)];
        let rows = settings.iter().map(row);
        text += &Table::of(&["setting", "A", "B"], rows).to_string();
    }
    if !crossings.is_empty() {
        let rows = crossings.iter().enumerate().map(crossing_row);
        let table = Table::of(&["jump", "loss level", "A", "B", "B - A", "B / A"], rows);
        text += &format!(
            "\nwhen each level is first crossed, by the loss that each run saw; descents at whole steps:\n{table}"
        );
    }
    if let [Some(a), Some(b)] = end {
        text += &format!("loss at the end: A {}, B {}\n", number(*a), number(*b));
    }
    if let Some([distance, norm]) = apart {
        text += &format!(
            "parameters at the end: {} apart, of a norm of {}, modulo the exchanges that the system declares\n",
            short(*distance),
            short(*norm)
        );
    }
    text += &match distances {
        None => "\none of the two has no flow time: they cannot be laid on one clock\n".to_owned(),
        Some(all) => distance_table(all),
    };
    for (name, explained) in ["A", "B"].iter().zip(explained) {
        match explained {
            None => {}
            Some(Ok(attribution)) => {
                text += &format!(
                    "\nwhy {name}, which is training, jumps when it does:\n{}",
                    attribute::text(attribution)
                );
            }
            Some(Err(reason)) => {
                text += &format!("\nwhy {name} jumps when it does cannot be told: {reason}\n");
            }
        }
    }
    text
}

fn crossing_row((m, Pair { level, a, b }): (usize, &Pair)) -> Vec<String> {
    let (mut shift, mut ratio) = (String::new(), String::new());
    if let (Some(a), Some(b)) = (*a, *b) {
        shift = format!("{}{}", if b >= a { "+" } else { "" }, short(b - a));
        ratio = if a > 0.0 { short(b / a) } else { ratio };
    }
    vec![(m + 1).to_string(), number(*level), reached(*a), reached(*b), shift, ratio]
}

fn distance_table(all: &[Distance]) -> String {
    if all.is_empty() {
        return "\nthere is no column that both have recorded\n".to_owned();
    }
    let rows = all.iter().take(COLUMNS).map(|distance| {
        let Distance { column, range, largest, at, aligned } = distance;
        let aligned = aligned.map_or_else(String::new, short);
        vec![column.clone(), short(*range), short(*largest), short(*at), aligned]
    });
    let headings = ["column", "range in A", "largest |A - B|", "at time", "clock aligned"];
    let table = Table::of(&headings, rows);
    let rest = match all.len().saturating_sub(COLUMNS) {
        0 => String::new(),
        more => format!("({more} more columns, all nearer; --json has them)\n"),
    };
    format!(
        "\nhow far apart they are at one time, and with B's clock stretched onto A's jumps; the largest part of the \
         range first:\n{table}{rest}"
    )
}

pub fn json(comparison: &Comparison) -> Value {
    let explained = |explained: &Option<Result<Attribution, String>>| match explained {
        None => Value::Null,
        Some(Ok(attribution)) => value(attribution),
        Some(Err(reason)) => json!({ "error": reason }),
    };
    json!({
        "settings": comparison.settings,
        "crossings": comparison.crossings,
        "end_loss": { "a": comparison.end[0], "b": comparison.end[1] },
        "end_distance": comparison.apart.map(|[distance, _]| distance),
        "distances": comparison.distances,
        "attribution": {
            "a": explained(&comparison.explained[0]),
            "b": explained(&comparison.explained[1]),
        },
    })
}
