//! Ticks: round values along an axis, as many as fit, with their labels.

use super::figure::Scale;
use super::scale::Mapping;

/// A tick along an axis; minor ones have no label.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Tick {
    /// Place as a part of the axis, from 0 to 1.
    pub(crate) part: f64,
    pub(crate) label: Option<String>,
}

/// The places and labels of the ticks that have one.
pub(crate) fn labelled(ticks: &[Tick]) -> impl Iterator<Item = (f64, &str)> {
    ticks.iter().filter_map(|tick| Some((tick.part, tick.label.as_deref()?)))
}

/// Most labelled ticks that are tried.
const MOST: usize = 11;

/// The densest ticks whose labels fit.
pub(crate) fn ticks(mapping: &Mapping, fits: impl Fn(&[Tick]) -> bool) -> Vec<Tick> {
    let candidates = match mapping.scale {
        Scale::Linear => linear(mapping),
        Scale::Log => logarithmic(mapping),
    };
    let most = candidates.iter().map(|ticks| labelled(ticks).count()).max().unwrap_or(0).min(2);
    let useful = || candidates.iter().filter(|ticks| labelled(ticks).count() >= most);
    if let Some(found) = useful().find(|ticks| fits(ticks)) {
        return found.clone();
    }
    // Not even neighbours fit: keep the labels at the ends, or only the first.
    let sparse = useful().next_back().cloned().unwrap_or_default();
    let ends = only(&sparse, |number, last| number == 0 || number == last);
    if fits(&ends) { ends } else { only(&sparse, |number, _| number == 0) }
}

/// The ticks with only those labels that are wanted, by their number and the number of the last.
fn only(ticks: &[Tick], wanted: impl Fn(usize, usize) -> bool) -> Vec<Tick> {
    let last = labelled(ticks).count().saturating_sub(1);
    let mut number = 0;
    let mut keep = |tick: &Tick| {
        let label = tick.label.clone().filter(|_| {
            number += 1;
            wanted(number - 1, last)
        });
        Tick { label, ..*tick }
    };
    ticks.iter().map(&mut keep).collect()
}

/// Linear ticks from dense to sparse: multiples of 1, 2 or 5 times a power of ten.
fn linear(mapping: &Mapping) -> Vec<Vec<Tick>> {
    let ends = (mapping.low, mapping.high);
    let allowed = steps(mapping).filter(|step| !mapping.whole || step.power >= 0);
    allowed.map(|step| linear_at(ends, step, |value| mapping.part_of(value))).collect()
}

/// A step of `digit` times ten to the `power`.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Round {
    digit: u8,
    power: i32,
}

impl Round {
    /// `count` steps.
    fn times(self, count: f64) -> f64 {
        let count = count * f64::from(self.digit);
        // Dividing by an exact power of ten rounds once.
        if (-22..0).contains(&self.power) {
            count / 10f64.powi(-self.power)
        } else {
            count * 10f64.powi(self.power)
        }
    }

    fn next(self) -> Self {
        match self.digit {
            1 => Self { digit: 2, ..self },
            2 => Self { digit: 5, ..self },
            _ => Self { digit: 1, power: self.power + 1 },
        }
    }
}

/// Steps that cut the range into at most `MOST` pieces and at least one.
fn steps(mapping: &Mapping) -> impl Iterator<Item = Round> {
    let half = mapping.half_width();
    let finest = half / (MOST as f64 / 2.0);
    let mut step = Round { digit: 1, power: finest.log10().floor() as i32 };
    while step.times(1.0) < finest {
        step = step.next();
    }
    let steps = std::iter::successors(Some(step), |step| Some(step.next()));
    // From a tenth of the range to all of it there are at most five steps.
    steps.take(6).take_while(move |step| step.times(1.0) <= 2.1 * half)
}

fn linear_at(ends: (f64, f64), step: Round, part: impl Fn(f64) -> f64) -> Vec<Tick> {
    let size = step.times(1.0);
    if !size.is_normal() {
        return Vec::new();
    }
    // Ends that are ticks up to rounding count as ticks.
    let first = (ends.0 / size - 1e-9).ceil();
    let last = (ends.1 / size + 1e-9).floor();
    let count = if last >= first { (last - first) as usize + 1 } else { 0 };
    let values = (0..count.min(4 * MOST)).map(|i| step.times(first + i as f64));
    let values: Vec<f64> = values.filter(|value| value.is_finite()).collect();
    let largest = values.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()));
    let tick = |value: f64| Tick {
        part: part(value).clamp(0.0, 1.0),
        label: Some(number(value, largest, step.power)),
    };
    values.into_iter().map(tick).collect()
}

/// A number that is a multiple of ten to the `power`, written as its neighbours up to `largest` are.
fn number(value: f64, largest: f64, power: i32) -> String {
    if value == 0.0 {
        return "0".into();
    }
    let exponent = if largest > 0.0 { largest.log10().floor() as i32 } else { 0 };
    if (-3..5).contains(&exponent) {
        return signed(value, (-power).clamp(0, 15) as usize);
    }
    let decimals = (exponent - power).clamp(0, 15) as usize;
    // Two factors, for powers of ten beyond the range of numbers.
    let half = exponent / 2;
    let mantissa = value / 10f64.powi(half) / 10f64.powi(exponent - half);
    let mantissa = signed(mantissa, decimals);
    match mantissa.as_str() {
        "1" => format!("$10^{{{exponent}}}$"),
        "−1" => format!("−$10^{{{exponent}}}$"),
        _ => format!("{mantissa}$\\cdot10^{{{exponent}}}$"),
    }
}

fn signed(value: f64, decimals: usize) -> String {
    format!("{value:.decimals$}").replace('-', "−")
}

/// Logarithmic ticks from dense to sparse.
fn logarithmic(mapping: &Mapping) -> Vec<Vec<Tick>> {
    let decades = mapping.high - mapping.low;
    let mut candidates = Vec::new();
    if decades < 1.6 {
        let digits: [&[u32]; 3] = [&[1, 2, 3, 5], &[1, 2, 5], &[1, 3]];
        candidates.extend(digits.map(|digits| within_decades(mapping, digits)));
        candidates.retain(|ticks| labelled(ticks).count() >= 2);
        if candidates.is_empty() && decades < 1.0 {
            // Too narrow for round digits: round values, at their places on the logarithmic axis.
            let ends = (10f64.powf(mapping.low), 10f64.powf(mapping.high));
            let place = |value: f64| mapping.part(value).unwrap_or(0.0);
            let straight =
                Mapping { scale: Scale::Linear, low: ends.0, high: ends.1, whole: false };
            if ends.0.is_normal() && ends.1.is_finite() && ends.0 < ends.1 {
                candidates.extend(steps(&straight).map(|step| linear_at(ends, step, place)));
            }
        }
    }
    let strides = [1, 2, 3, 5, 10, 20, 50, 100, 200, 500];
    candidates.extend(strides.map(|stride| by_decades(mapping, stride)));
    candidates.retain(|ticks| labelled(ticks).next().is_some());
    candidates
}

/// Whole decades of the range.
fn exponents(mapping: &Mapping) -> std::ops::RangeInclusive<i32> {
    (mapping.low - 1e-9).ceil() as i32..=(mapping.high + 1e-9).floor() as i32
}

/// Labels at every `stride`th power of ten, and minor ticks where there is room for them.
fn by_decades(mapping: &Mapping, stride: i32) -> Vec<Tick> {
    let decades = mapping.high - mapping.low;
    let mut ticks = Vec::new();
    for exponent in exponents(mapping) {
        let part = mapping.part_of(f64::from(exponent)).clamp(0.0, 1.0);
        if exponent.rem_euclid(stride) == 0 {
            ticks.push(Tick { part, label: Some(format!("$10^{{{exponent}}}$")) });
        } else if decades < 40.0 {
            ticks.push(Tick { part, label: None });
        }
    }
    if stride == 1 && decades < 9.0 {
        ticks.extend(
            digits(mapping, &[2, 3, 4, 5, 6, 7, 8, 9])
                .map(|(_, _, part)| Tick { part, label: None }),
        );
    }
    ticks
}

/// Labels at these digits times powers of ten, and minor ticks at the other digits.
fn within_decades(mapping: &Mapping, chosen: &[u32]) -> Vec<Tick> {
    let all: Vec<_> = digits(mapping, &[1, 2, 3, 4, 5, 6, 7, 8, 9]).collect();
    let plain = all.iter().all(|&(_, exponent, _)| (-3..5).contains(&exponent));
    let label = |digit: u32, exponent: i32| match digit {
        _ if plain => {
            let decimals = (-exponent).max(0) as usize;
            format!("{:.decimals$}", Round { digit: digit as u8, power: exponent }.times(1.0))
        }
        1 => format!("$10^{{{exponent}}}$"),
        _ => format!("{digit}$\\cdot10^{{{exponent}}}$"),
    };
    let tick = |&(digit, exponent, part): &(u32, i32, f64)| Tick {
        part,
        label: chosen.contains(&digit).then(|| label(digit, exponent)),
    };
    all.iter().map(tick).collect()
}

/// Digits times powers of ten within the range, with their places.
fn digits<'a>(
    mapping: &'a Mapping,
    digits: &'a [u32],
) -> impl Iterator<Item = (u32, i32, f64)> + 'a {
    let first = mapping.low.floor() as i32;
    let last = mapping.high.floor() as i32;
    (first..=last).flat_map(move |exponent| {
        digits.iter().filter_map(move |&digit| {
            let part = mapping.part_of(f64::from(exponent) + f64::from(digit).log10());
            (-1e-9..=1.0 + 1e-9).contains(&part).then(|| (digit, exponent, part.clamp(0.0, 1.0)))
        })
    })
}

#[cfg(test)]
#[path = "ticks_tests.rs"]
mod tests;
