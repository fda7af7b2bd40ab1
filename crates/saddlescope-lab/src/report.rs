//! A finished run in words and numbers: tables for people, JSON and CSV for programs.

use serde_json::Value;

use saddlescope_spec::reference::nested;

use crate::facts::{BestFacts, Drift, MemberFacts};
use crate::prelude::*;

/// What a researcher wants to know first: stages, levels, outcomes, invariants, work, time.
pub fn summary(experiment: &Experiment, run: &RunResult) -> String {
    let facts = &run.facts;
    let mut text = String::new();
    phases(&mut text, experiment, &facts.end);
    levels(&mut text, &facts.end, &facts.theory.plateaus);
    outcomes(&mut text, &facts.outcomes);
    drifts(&mut text, &facts.end.invariants);
    missed_times(&mut text, experiment, &run.trajectory);
    let (took, simd) = (duration(facts.seconds), &facts.simd);
    let _ = writeln!(text, "took {took} (SIMD level {simd})");
    text
}

fn phases(text: &mut String, experiment: &Experiment, end: &RunEnd) {
    for (index, end) in end.phases.iter().enumerate() {
        if experiment.dynamics.len() > 1 {
            let _ = write!(text, "stage {index}, ");
        }
        let why = match end.ended {
            Ending::End => "reached its end".to_owned(),
            Ending::Converged => "converged".to_owned(),
            Ending::Interrupted => "was interrupted".to_owned(),
            stop => format!("ended by {}", stop.word()),
        };
        let clock = if end.flow_time { "" } else { " (in steps: this rule has no flow time)" };
        let _ = writeln!(
            text,
            "{}: {why} at time {}{clock}, step {}, loss {}",
            end.kind,
            number(end.time),
            end.step,
            number(end.loss)
        );
        if let Some(work) = end.work {
            let _ = write!(
                text,
                "  {} steps ({} refused), {} gradients, {} Jacobians",
                work.steps, work.rejected, work.rates, work.jacobians
            );
            if let Some(time) = end.stiff_from {
                let _ = write!(text, ", stiff from time {}", number(time));
            }
            text.push('\n');
        }
    }
    for BestFacts { column, value, time, step } in end.phases.iter().flat_map(|end| &end.best) {
        let (value, time) = (number(*value), number(*time));
        let _ = writeln!(
            text,
            "  least {column}: {value} at time {time}, step {step}; kept as a snapshot"
        );
    }
    if let (Some(note), None) = (&end.note, &end.error) {
        let _ = writeln!(text, "  note: {note}");
    }
}

pub fn plateaus(theory: &[f64]) -> String {
    if theory.is_empty() {
        return String::new();
    }
    let levels: Vec<String> = theory.iter().map(|&level| short(level)).collect();
    format!(
        "plateaus of the theory: {}; crossing.m is half way from one to the next\n",
        levels.join(", ")
    )
}

fn levels(text: &mut String, end: &RunEnd, theory: &[f64]) {
    if end.crossings.is_empty() {
        return;
    }
    let between = end.watches(theory);
    let mut table = if between {
        Table::new(&["jump", "from plateau", "to plateau", "half way at time"])
    } else {
        Table::new(&["", "loss level", "first crossed at time"])
    };
    for (index, crossing) in end.crossings.iter().enumerate() {
        let time = reached(crossing.time);
        let mut row = vec![(index + 1).to_string()];
        if between {
            row.extend([number(theory[index]), number(theory[index + 1])]);
        } else {
            row.push(number(crossing.level));
        }
        row.push(time);
        table.row(row);
    }
    let caption = if between { "plateaus of the theory:\n" } else { "" };
    let _ = write!(text, "\n{caption}{table}\n");
}

fn outcomes(text: &mut String, said: &[Outcome]) {
    let words = |outcome: &Outcome| match &outcome.value {
        OutcomeValue::Number(value) => format!("{} = {}", outcome.name, number(*value)),
        OutcomeValue::Text(value) => format!("{} = {value}", outcome.name),
    };
    if !said.is_empty() {
        let all: Vec<String> = said.iter().map(words).collect();
        let _ = writeln!(text, "came to: {}", all.join(", "));
    }
}

fn drifts(text: &mut String, invariants: &[Drift]) {
    if let Some(worst) = invariants.iter().max_by(|a, b| a.size().total_cmp(&b.size())) {
        let _ = writeln!(
            text,
            "conserved by the flow: {} quantities; largest drift in this run {:.1e} ({})",
            invariants.len(),
            worst.size(),
            worst.name
        );
    }
}

/// Says so when listed times lie behind the end of the run.
fn missed_times(text: &mut String, experiment: &Experiment, trajectory: &Trajectory) {
    let times = experiment.record.read::<Record>().times.unwrap_or_default();
    let Some(&end) = trajectory.time().last() else { return };
    let missed = times.iter().filter(|&&time| time > end).count();
    if missed > 0 {
        let _ = writeln!(
            text,
            "listed times behind the end of the run (time {}), not recorded: {missed} of {}",
            number(end),
            times.len()
        );
    }
}

/// Rows of the trajectory, at most `rows` of them (0: all), evenly picked with both ends.
pub fn trajectory_table(trajectory: &Trajectory, rows: usize) -> Table {
    let count = trajectory.rows();
    let shown = if rows == 0 { count } else { rows.min(count) };
    let row = |i: usize| if shown > 1 { i * (count - 1) / (shown - 1) } else { 0 };
    Frame::of_trajectory(trajectory).pick(&(0..shown).map(row).collect::<Vec<_>>()).to_table()
}

/// Everything about a run, as programs read it.
#[derive(Serialize)]
struct Document<'a> {
    #[serde(flatten)]
    facts: MemberFacts<'a>,
    experiment: String,
    trajectory: Map<String, Value>,
    #[serde(rename = "final")]
    end: Option<&'a [f64]>,
}

pub fn json(member: &Member, run: &RunResult) -> Value {
    let trajectory = &run.trajectory;
    let rows = trajectory.rows();
    let mut series = Map::new();
    series.insert("time".into(), trajectory.time().into());
    series.insert("step".into(), trajectory.step().into());
    for column in trajectory.series() {
        let shape: Vec<usize> = [&[rows], column.shape()].concat();
        series.insert(column.name().to_owned(), nested(&shape, column.data()));
    }
    value(&Document {
        facts: run.member_facts(member),
        experiment: member.experiment.to_toml(),
        trajectory: series,
        end: run.state.as_deref(),
    })
}

pub fn value(document: &impl Serialize) -> Value {
    serde_json::to_value(document).unwrap_or_default()
}

/// A number in at most seven digits, as people read it.
pub fn number(value: f64) -> String {
    digits(value, 7, 9, (1e7, 4))
}

/// A number in `count` digits, at most `places` of them after the point. What is below 1e-3 or not below the limit has a power of
/// ten, and so many digits after the point.
pub(crate) fn digits(
    value: f64,
    count: usize,
    places: usize,
    (limit, after_point): (f64, usize),
) -> String {
    let size = value.abs();
    if value == 0.0 || !value.is_finite() {
        return value.to_string();
    }
    if !(1e-3..limit).contains(&size) {
        return format!("{value:.after_point$e}");
    }
    // Rounding comes first: 0.99999999 is read as 1.000000.
    let rounded: f64 = format!("{size:.*e}", count - 1).parse().unwrap_or(size);
    if rounded.fract() == 0.0 && rounded >= 10_f64.powi(count as i32 - 1) || value.fract() == 0.0 {
        return format!("{:.0}", rounded.copysign(value));
    }
    let places = (count as f64 - 1.0 - rounded.log10().floor()).clamp(0.0, places as f64) as usize;
    format!("{value:.places$}")
}

pub(crate) fn reached(time: Option<f64>) -> String {
    time.map_or_else(|| "not reached".to_owned(), number)
}

/// A number in at most four digits, without zeros at its end, as labels of figures have it.
pub fn short(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 || !value.is_finite() {
        return value.to_string();
    }
    if !(1e-3..1e6).contains(&size) {
        let text = format!("{value:.2e}");
        let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        return format!("{}e{exponent}", without_zeros(digits));
    }
    let digits = (3.0 - size.log10().floor()).max(0.0) as usize;
    without_zeros(&format!("{value:.digits$}")).to_owned()
}

fn without_zeros(number: &str) -> &str {
    if number.contains('.') { number.trim_end_matches('0').trim_end_matches('.') } else { number }
}

/// A time on the clock on the wall.
pub fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 1e-3 => format!("{:.0} us", s * 1e6),
        s if s < 1.0 => format!("{:.1} ms", s * 1e3),
        s => format!("{s:.1} s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_have_four_digits_at_most() {
        let cases = [
            (0.05, "0.05"),
            (2.0, "2"),
            (292.179, "292.2"),
            (8_524.887, "8525"),
            (123_456.0, "123456"),
            (-0.640_579, "-0.6406"),
            (1e-9, "1e-9"),
            (2.5e7, "2.5e7"),
        ];
        for (value, expected) in cases {
            assert_eq!(short(value), expected);
        }
    }

    #[test]
    fn numbers_are_short_and_true() {
        let cases = [
            (0.0, "0"),
            (400.0, "400"),
            (0.640_579_710_1, "0.6405797"),
            (8_524.887_504, "8524.888"),
            (432_027.579_5, "432027.6"),
            (1.5e-9, "1.5000e-9"),
            (-2.5e12, "-2.5000e12"),
            (0.05, "0.05000000"),
            (0.999_999_999_9, "1.000000"),
            (f64::NAN, "NaN"),
        ];
        for (value, expected) in cases {
            assert_eq!(number(value), expected);
        }
    }
}
