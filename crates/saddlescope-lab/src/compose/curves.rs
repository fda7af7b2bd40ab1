//! Curves before they are drawn: what tells them apart, and what becomes of several seeds.

use super::*;

pub(super) struct Curve<'a> {
    pub(super) run: &'a RunView<'a>,
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
            return if near || self.run.at_rest() { self.y.last().copied() } else { None };
        }
        if after == 0 {
            return Some(self.y[0]);
        }
        let (x0, x1) = (self.x[after - 1], self.x[after]);
        let part = if x1 > x0 { (x - x0) / (x1 - x0) } else { 1.0 };
        Some(self.y[after - 1] + part * (self.y[after] - self.y[after - 1]))
    }

    /// Whether another curve differs in nothing but the seed.
    fn is_like(&self, other: &Self) -> bool {
        let same = self.column == other.column && self.instant == other.instant;
        same && self.run.member.is_like(other.run.member)
    }
}

pub(super) fn are_joined(seeds: SeedsAs) -> bool {
    matches!(seeds, SeedsAs::Band | SeedsAs::Mean)
}

/// The runs that are drawn: of those that differ in nothing but the seed, maybe the first.
pub(super) fn drawn_runs<'a>(runs: &[&'a RunView<'a>], seeds: SeedsAs) -> Vec<&'a RunView<'a>> {
    if seeds != SeedsAs::First {
        return runs.to_vec();
    }
    let groups = together(runs.iter().copied(), |one, other| one.member.is_like(other.member));
    groups.iter().map(|group| group[0]).collect()
}

/// Curves that are drawn as one: those that differ in nothing but the seed, where seeds are joined.
pub(super) fn groups<'a, 'c>(curves: &'c [Curve<'a>], seeds: SeedsAs) -> Vec<Vec<&'c Curve<'a>>> {
    if !are_joined(seeds) {
        return curves.iter().map(|curve| vec![curve]).collect();
    }
    together(curves, Curve::is_like)
}

/// The middle of numbers, which are sorted afterwards.
pub(super) fn median(values: &mut [f64]) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let low = values.len().checked_sub(1)? / 2;
    Some(0.5 * (values[low] + values[values.len() / 2]))
}

/// The least and the greatest of the finite numbers; infinite where there are none.
pub(super) fn ends(numbers: impl Iterator<Item = f64>) -> (f64, f64) {
    let finite = numbers.filter(|number| number.is_finite());
    finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)))
}

/// The lower edge, the middle and the upper edge of what several seeds came to, of which there is at least one: the
/// median and all, or the mean and one standard deviation.
pub(super) fn spread(mut values: Vec<f64>, seeds: SeedsAs) -> [f64; 3] {
    let count = values.len();
    if seeds == SeedsAs::Mean {
        let mean = values.iter().sum::<f64>() / count as f64;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        // One seed alone has no deviation.
        let deviation = (squares / count.saturating_sub(1).max(1) as f64).sqrt();
        return [mean - deviation, mean, mean + deviation];
    }
    let middle = median(&mut values).unwrap_or(f64::NAN);
    [values[0], middle, values[count - 1]]
}

pub(super) fn edges(found: &[[f64; 3]]) -> [Vec<f64>; 3] {
    [0, 1, 2].map(|edge| found.iter().map(|values| values[edge]).collect())
}

/// Which colour and which words a curve gets.
pub(super) struct Palette<'a> {
    pub(super) by: ColourBy,
    pub(super) source: Source<'a>,
    values: Vec<String>,
    keys: Vec<String>,
}

impl<'a> Palette<'a> {
    pub(super) fn new(by: ColourBy, curves: &[Curve<'_>], source: Source<'a>) -> Self {
        let keys = differing(curves, source);
        let mut palette = Self { by, source, values: Vec::new(), keys };
        let candidates = match by {
            ColourBy::Auto => {
                &[ColourBy::Arm, ColourBy::Varied, ColourBy::Instant, ColourBy::Column][..]
            }
            _ => &[by],
        };
        // The first that tells curves apart, or the last.
        for &by in candidates {
            palette.by = by;
            palette.values = distinct(curves.iter().map(|curve| palette.value(curve)));
            if palette.values.len() > 1 {
                break;
            }
        }
        if by == ColourBy::Arm && palette.values.len() == 1 {
            // The only arm of a panel has the colour that it has among all.
            let runs = source.runs.into_iter().flatten();
            let arms = distinct(runs.filter_map(|run| source.value(run.row, "arm")));
            if !arms.is_empty() {
                palette.values = arms;
            }
        }
        palette
    }

    fn value(&self, curve: &Curve<'_>) -> String {
        let of_run = |key: &str| self.source.value(curve.run.row, key);
        let varied = |key: &String| Some(equation(key, &of_run(key)?));
        match (self.by, self.keys.as_slice()) {
            (ColourBy::Arm, _) => of_run("arm").unwrap_or_default(),
            (ColourBy::Seed, _) => of_run("seed").unwrap_or_default(),
            (ColourBy::Varied, [key]) => of_run(key).unwrap_or_default(),
            (ColourBy::Varied, keys) => {
                keys.iter().filter_map(varied).collect::<Vec<_>>().join(", ")
            }
            (ColourBy::Instant, _) => curve.instant.clone(),
            (ColourBy::Column | ColourBy::Auto, _) => curve.column.clone(),
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

    /// What its colour means, where there is something to tell apart and nothing before has explained it.
    pub(super) fn words(&self, curve: &Curve<'_>, explained: &mut Vec<String>) -> Option<String> {
        if self.values.len() == 1 {
            return None;
        }
        let value = self.value(curve);
        let words = match self.by {
            ColourBy::Seed => equation("seed", &value),
            ColourBy::Column | ColourBy::Auto => self.source.name(&value),
            ColourBy::Varied if self.keys.len() == 1 => match (self.source.label)(&self.keys[0]) {
                Some(name) => format!("{name} = {value}"),
                None => equation(&self.keys[0], &value),
            },
            ColourBy::Varied | ColourBy::Instant | ColourBy::Arm => value,
        };
        let words = Some(words).filter(|words| !explained.contains(words))?;
        explained.push(words.clone());
        Some(words)
    }

    /// The colour of a run, where colours tell runs apart.
    pub(super) fn of_run(&self, run: &RunView<'_>, curves: &[Curve<'_>]) -> Option<Colour> {
        let by_run = matches!(self.by, ColourBy::Arm | ColourBy::Seed | ColourBy::Varied);
        let own = curves.iter().find(|curve| curve.run.row == run.row);
        own.filter(|_| by_run && self.values.len() > 1).map(|curve| self.colour(curve))
    }
}

/// The varied settings that curves differ in; all of them where there is one run.
fn differing(curves: &[Curve<'_>], source: Source<'_>) -> Vec<String> {
    let Some(first) = curves.first() else { return Vec::new() };
    let value = |curve: &Curve<'_>, key: &str| source.value(curve.run.row, key);
    let own = source.varied.iter().filter(|key| value(first, key).is_some());
    let differs = |key: &&String| curves.iter().any(|one| value(one, key) != value(first, key));
    let keys: Vec<String> = own.clone().filter(differs).cloned().collect();
    if keys.is_empty() { own.cloned().collect() } else { keys }
}
