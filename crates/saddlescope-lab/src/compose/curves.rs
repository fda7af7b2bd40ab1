//! Curves before they are drawn: what tells them apart, and what becomes of several seeds.

use saddlescope_draw::Colour;
use saddlescope_spec::figure::{ColourBy, SeedsAs};

use super::Shown;
use super::select::{equation, value_of};

/// One curve before it is drawn.
pub(super) struct Curve<'a> {
    pub(super) run: &'a Shown<'a>,
    pub(super) column: String,
    /// When it was taken, in words; empty for what runs over time.
    pub(super) instant: String,
    pub(super) x: Vec<f64>,
    pub(super) y: Vec<f64>,
}

impl Curve<'_> {
    /// Its height at `x`; a run at rest stays at its end.
    pub(super) fn at(&self, x: f64) -> Option<f64> {
        let after = self.x.partition_point(|&place| place < x);
        if after == self.x.len() {
            let near = self.x.last().is_some_and(|&last| x <= last * (1.0 + 1e-12));
            return if near || self.run.at_rest { self.y.last().copied() } else { None };
        }
        if after == 0 {
            return Some(self.y[0]);
        }
        let (x0, x1) = (self.x[after - 1], self.x[after]);
        let part = if x1 > x0 { (x - x0) / (x1 - x0) } else { 1.0 };
        Some(self.y[after - 1] + part * (self.y[after] - self.y[after - 1]))
    }
}

/// Of runs that differ in nothing but the seed, the first.
pub(super) fn first_seeds<'a>(runs: &[&'a Shown<'a>]) -> Vec<&'a Shown<'a>> {
    let mut kept: Vec<&Shown<'_>> = Vec::new();
    for run in runs {
        if !kept.iter().any(|known| known.arm == run.arm && known.varied == run.varied) {
            kept.push(run);
        }
    }
    kept
}

/// Curves that differ in nothing but the seed, together.
pub(super) fn groups<'a, 'c>(curves: &'c [Curve<'a>]) -> Vec<Vec<&'c Curve<'a>>> {
    let mut groups: Vec<Vec<&Curve<'_>>> = Vec::new();
    for curve in curves {
        let alike = |other: &Curve<'_>| {
            other.column == curve.column
                && other.instant == curve.instant
                && other.run.arm == curve.run.arm
                && other.run.varied == curve.run.varied
        };
        match groups.iter_mut().find(|group| alike(group[0])) {
            Some(group) => group.push(curve),
            None => groups.push(vec![curve]),
        }
    }
    groups
}

/// The lower edge, the middle and the upper edge of what several seeds came to; there is at least one.
pub(super) fn spread(mut values: Vec<f64>, seeds: SeedsAs) -> [f64; 3] {
    let count = values.len();
    if seeds == SeedsAs::Mean {
        let mean = values.iter().sum::<f64>() / count as f64;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        // One seed alone has no deviation.
        let deviation = (squares / count.saturating_sub(1).max(1) as f64).sqrt();
        return [mean - deviation, mean, mean + deviation];
    }
    values.sort_by(f64::total_cmp);
    let middle = 0.5 * (values[(count - 1) / 2] + values[count / 2]);
    [values[0], middle, values[count - 1]]
}

/// Which colour and which words a curve gets.
pub(super) struct Palette {
    pub(super) by: ColourBy,
    values: Vec<String>,
    /// The varied settings that the curves differ in.
    keys: Vec<String>,
}

impl Palette {
    pub(super) fn new(by: ColourBy, curves: &[Curve<'_>]) -> Self {
        let several = |value: &dyn Fn(&Curve<'_>) -> String| distinct(curves, value).len() > 1;
        let keys = differing(curves);
        let varied = |curve: &Curve<'_>| varied_words(curve.run, &keys);
        let by = match by {
            ColourBy::Auto if several(&|c| c.run.arm.unwrap_or_default().to_owned()) => {
                ColourBy::Arm
            }
            ColourBy::Auto if several(&varied) => ColourBy::Varied,
            ColourBy::Auto if several(&|c| c.instant.clone()) => ColourBy::Instant,
            ColourBy::Auto => ColourBy::Column,
            chosen => chosen,
        };
        let mut palette = Self { by, values: Vec::new(), keys };
        palette.values = distinct(curves, &|curve| palette.value(curve));
        palette
    }

    fn value(&self, curve: &Curve<'_>) -> String {
        match self.by {
            ColourBy::Arm => curve.run.arm.unwrap_or_default().to_owned(),
            ColourBy::Seed => curve.run.seed.to_string(),
            ColourBy::Varied => varied_words(curve.run, &self.keys),
            ColourBy::Instant => curve.instant.clone(),
            ColourBy::Column | ColourBy::Auto => curve.column.clone(),
        }
    }

    pub(super) fn colour(&self, curve: &Curve<'_>) -> Colour {
        let value = self.value(curve);
        let place = self.values.iter().position(|known| *known == value).unwrap_or(0);
        match (self.by, self.values.len()) {
            // Nothing to tell apart.
            (_, 1) => Colour::Series(0),
            (ColourBy::Varied | ColourBy::Instant, count) => {
                Colour::Ramp(place as f64 / (count - 1) as f64)
            }
            _ => Colour::Series(place),
        }
    }

    pub(super) fn words(
        &self,
        curve: &Curve<'_>,
        label: &dyn Fn(&str) -> Option<String>,
    ) -> Option<String> {
        if self.values.len() == 1 {
            return None;
        }
        let value = self.value(curve);
        Some(match self.by {
            ColourBy::Seed => equation("seed", &value),
            ColourBy::Column | ColourBy::Auto => label(&value).unwrap_or(value),
            ColourBy::Varied if self.keys.len() == 1 => match label(&self.keys[0]) {
                Some(name) => format!("{name} = {value}"),
                None => equation(&self.keys[0], &value),
            },
            ColourBy::Varied | ColourBy::Instant | ColourBy::Arm => value,
        })
    }

    /// The colour of a run, where colours tell runs apart.
    pub(super) fn of_run(&self, run: &Shown<'_>, curves: &[Curve<'_>]) -> Option<Colour> {
        let by_run = matches!(self.by, ColourBy::Arm | ColourBy::Seed | ColourBy::Varied);
        let own = curves.iter().find(|curve| curve.run.row == run.row);
        own.filter(|_| by_run && self.values.len() > 1).map(|curve| self.colour(curve))
    }
}

/// The varied settings that curves differ in; all of them where there is one run.
fn differing(curves: &[Curve<'_>]) -> Vec<String> {
    let Some(first) = curves.first() else { return Vec::new() };
    let differs = |key: &&String| {
        let value = value_of(first.run, key);
        curves.iter().any(|curve| value_of(curve.run, key) != value)
    };
    let all = first.run.varied.iter().map(|(key, _)| key);
    let keys: Vec<String> = all.clone().filter(differs).cloned().collect();
    if keys.is_empty() { all.cloned().collect() } else { keys }
}

fn varied_words(run: &Shown<'_>, keys: &[String]) -> String {
    if let [key] = keys {
        return value_of(run, key).unwrap_or_default();
    }
    let words = keys.iter().filter_map(|key| Some(equation(key, &value_of(run, key)?)));
    words.collect::<Vec<_>>().join(", ")
}

pub(super) fn distinct(curves: &[Curve<'_>], value: &dyn Fn(&Curve<'_>) -> String) -> Vec<String> {
    let mut values = Vec::new();
    for value in curves.iter().map(value) {
        if !values.contains(&value) {
            values.push(value);
        }
    }
    values
}
