//! What a run came to: the times of Theorem 4, read off what was recorded.

use saddlescope_spec::prelude::*;

use crate::problem::Model;
use crate::theory::theorem_4;

pub(crate) const NAMES: &[&str] = &[
    "T_1g",
    "T_I",
    "T_1h",
    "T_II",
    "T_III",
    "T_II_plateau",
    "T_III_plateau",
    "T_half_plateau",
    "T_w_half",
    "left_at_T_I",
    "places",
    "alpha_factor",
    "theorem_4",
];

/// Times in the paper's letters, read between rows (`T_II`, `T_III` after `T_1h`; with `_plateau` by the height of the
/// plateau instead). `left_at_T_I`: what part of the induction head's first loss is left when the 4-gram is learned to
/// 1 %. `places`: `L - 2`. `alpha_factor`: `(1 + alpha*)^2`. `theorem_4`: `(1 + alpha*)^2 L ln(1/sigma)/w*^2`.
///
/// Each where the columns that it needs were recorded; the ends of plateaus, by 1 %, only where the losses in them are
/// `exact`.
pub(crate) fn outcomes(model: &Model, seen: RunData<'_>) -> Vec<Outcome> {
    let (task, columns) = (&model.shape.task, Columns { seen });
    let exact = model.exact.is_some();
    let mut all = Vec::new();
    let mut say = |name: &str, time: Option<f64>| {
        all.extend(time.map(|time| Outcome::new(name, time)));
    };
    say("T_1g", columns.rise("g", task.gram_weight(), 0.0));
    let first = columns.first("loss.g4");
    let t_i = first.and_then(|first| columns.fall("loss.g4", 0.01 * first, 0.0));
    say("T_I", t_i);
    let left = t_i.and_then(|time| Some(columns.at("loss.ih", time)? / columns.first("loss.ih")?));
    say("left_at_T_I", left);
    let t_1h = columns.rise("h", task.induction_weight(), 0.0);
    say("T_1h", t_1h);
    if let Some(time) = t_1h
        && let Some(there) = columns.at("loss.ih", time)
    {
        if exact {
            say("T_II", columns.fall("loss.ih", 0.99 * there, time));
        }
        say("T_III", columns.fall("loss.ih", 0.01 * there, time));
    }
    if let Some(plateau) = &model.plateau {
        for (name, part) in
            [("T_II_plateau", 0.99), ("T_III_plateau", 0.01), ("T_half_plateau", 0.5)]
        {
            if exact || part < 0.9 {
                say(name, columns.fall("loss.ih", part * plateau.loss, 0.0));
            }
        }
    }
    say("T_w_half", columns.rise("strength", 0.5 * task.w_star, 0.0));
    say("places", Some(task.places() as f64));
    say("alpha_factor", Some((1.0 + task.alpha).powi(2)));
    say("theorem_4", model.scale.map(|scale| theorem_4(task, scale)));
    all
}

/// Recorded columns of single numbers.
struct Columns<'a> {
    seen: RunData<'a>,
}

impl Columns<'_> {
    fn get(&self, name: &str) -> Option<(&[f64], &[f64])> {
        let series = self.seen.trajectory.get(name).filter(|series| series.width() == 1)?;
        Some((self.seen.trajectory.time(), series.data()))
    }

    fn first(&self, name: &str) -> Option<f64> {
        self.get(name)?.1.first().copied()
    }

    /// The value at a time, between rows by a straight line.
    fn at(&self, name: &str, time: f64) -> Option<f64> {
        let (times, values) = self.get(name)?;
        let row = times.iter().position(|t| *t >= time)?;
        let Some(before) = row.checked_sub(1) else { return Some(values[0]) };
        let part = (time - times[before]) / (times[row] - times[before]);
        Some(values[before] + part * (values[row] - values[before]))
    }

    fn rise(&self, name: &str, level: f64, after: f64) -> Option<f64> {
        self.crossing(name, after, |value| value - level)
    }

    fn fall(&self, name: &str, level: f64, after: f64) -> Option<f64> {
        // Losses fall by factors: their logarithms are straighter.
        self.crossing(name, after, |value| level.ln() - value.max(f64::MIN_POSITIVE).ln())
    }

    /// When `above` first comes to zero from below, between rows by a straight line over the logarithm of time.
    fn crossing(&self, name: &str, after: f64, above: impl Fn(f64) -> f64) -> Option<f64> {
        let (times, values) = self.get(name)?;
        let late = times.iter().position(|time| *time >= after)?;
        let row = late + values[late..].iter().position(|value| above(*value) >= 0.0)?;
        let Some(before) = row.checked_sub(1).filter(|before| times[*before] >= after) else {
            return Some(times[row]);
        };
        let (low, high) = (above(values[before]), above(values[row]));
        let part = if high > low { -low / (high - low) } else { 1.0 };
        let part = part.clamp(0.0, 1.0);
        if times[before] > 0.0 {
            return Some(times[before] * (times[row] / times[before]).powf(part));
        }
        Some(part * times[row])
    }
}
