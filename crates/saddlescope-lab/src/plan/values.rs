//! Values to vary over: lists, and ranges in a few words.
//!
//! | words | values |
//! |---|---|
//! | `1,2,4,8` | these |
//! | `0..1:5` | 5 values at equal steps, both ends included |
//! | `0.01..1:log8` | 8 values at equal ratios, both ends included |
//! | `1..4` | every integer from 1 to 4, where the setting is an integer |
//! | `0..1`, `0.01..1:log` | anything between, where members draw their values: evenly, or evenly in the logarithm |
//!
//! A file says the same in quotes, or gives a list: `[1, 2, 4, 8]`.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use saddlescope_spec::settings::{
    GivenValue, Input, Kind, Origin, Parameter, Place, Problem, Section, SettingsError, Source,
    Variant,
};

use crate::experiment::change::bare_value;

/// Digits that the values of a range are rounded to, so that a tenth is 0.1.
const DIGITS: usize = 12;

/// What a setting is varied over.
const WANTED: &str = "a list of values, or words such as \"1,2,4\" or \"0.01..1:log8\"";

#[derive(Debug, Clone)]
pub(crate) struct Values {
    /// All of them; of a stretch, both ends.
    pub(crate) list: Vec<GivenValue>,
    /// The stretch, where values are drawn from one.
    pub(crate) law: Option<Law>,
}

impl From<Vec<GivenValue>> for Values {
    fn from(list: Vec<GivenValue>) -> Self {
        Self { list, law: None }
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Law {
    pub from: f64,
    pub to: f64,
    /// Whether values lie evenly in the logarithm.
    pub log: bool,
    pub whole: bool,
}

impl Law {
    /// The value at a part of the stretch, from 0 to 1.
    pub fn at(&self, part: f64) -> f64 {
        let Self { from, to, log, whole } = *self;
        // Each whole number has as much room as any other between.
        let (from, to) = match (whole, log) {
            (true, false) => (from.min(to) - 0.5, from.max(to) + 0.5),
            _ => (from, to),
        };
        let value = match log {
            true => (from.ln() + part * (to.ln() - from.ln())).exp(),
            false => from + part * (to - from),
        };
        let (low, high) = (self.from.min(self.to), self.from.max(self.to));
        if whole { value.round().clamp(low, high) } else { rounded(value).clamp(low, high) }
    }

    /// That value as if it had been written at `origin`.
    pub(crate) fn given(&self, part: f64, origin: &Origin) -> GivenValue {
        let value = self.at(part);
        let value = if self.whole { Input::Integer(value as i64) } else { Input::Number(value) };
        GivenValue { value, origin: origin.clone() }
    }
}

/// As a file says it: `0.01..1:log`.
impl fmt::Display for Law {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let log = if self.log { ":log" } else { "" };
        write!(f, "{:?}..{:?}{log}", self.from, self.to)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sort {
    Integers,
    /// Numbers, and perhaps more.
    Numbers,
    /// No numbers: words, lists, switches.
    Others,
}

impl Sort {
    /// The sort of the setting `name`, in any kind of the section; numbers where it is unknown.
    pub(crate) fn of(section: Option<&Section>, name: &str) -> Self {
        let Some(section) = section else { return Self::Numbers };
        let own = section.kinds().iter().flat_map(Variant::own);
        let named = |parameter: &&Parameter| parameter.name == name;
        let kinds: Vec<Kind> =
            section.parameters.iter().chain(own).filter(named).map(|found| found.kind).collect();
        let has = |wanted: fn(&Kind) -> bool| {
            kinds.iter().any(|kind| match kind {
                Kind::Either(kinds) => kinds.iter().any(wanted),
                kind => wanted(kind),
            })
        };
        let numbers = has(|kind| matches!(kind, Kind::Number(_) | Kind::NumberTable { .. }));
        match has(|kind| matches!(kind, Kind::Integer { .. })) {
            _ if numbers || kinds.is_empty() => Self::Numbers,
            true => Self::Integers,
            false => Self::Others,
        }
    }
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Requirements {
    pub(crate) sort: Sort,
    pub(crate) most: usize,
    /// Whether members draw them, so that a range need not say how many.
    pub(crate) drawn: bool,
}

/// The values that a file gives for the key `key`.
pub(crate) fn from_file(
    key: &str,
    given: &GivenValue,
    wanted: Requirements,
) -> Result<Values, SettingsError> {
    match (&given.value, given.origin.place()) {
        (Input::List(items), _) if !items.is_empty() => Ok(items.clone().into()),
        (Input::Text(text), Some(place)) => {
            // Inside the quotes, unless there are escapes or several lines.
            let inside = place.text().get(1..1 + text.len()).is_some_and(|inner| inner == text);
            let start = place.offset() + 1;
            let piece = match inside {
                true => Piece { source: place.source(), text, start, whole: None },
                false => Piece { source: place.source(), text, start, whole: Some(place) },
            };
            from_words(piece, wanted)
        }
        (other, _) => {
            let (key, found) = (key.to_owned(), other.with_type());
            let problem = Problem::Unfit { key, found, wanted: WANTED.into(), known: Vec::new() };
            Err(SettingsError::new(problem, given.origin.clone()))
        }
    }
}

/// The values that an argument gives from byte `start` on.
pub(crate) fn from_argument(
    source: &Arc<Source>,
    start: usize,
    wanted: Requirements,
) -> Result<Values, SettingsError> {
    from_words(Piece { source, text: &source.text()[start..], start, whole: None }, wanted)
}

fn from_words(piece: Piece<'_>, wanted: Requirements) -> Result<Values, SettingsError> {
    let piece = piece.trim();
    if piece.text.is_empty() {
        return Err(piece
            .wrong("values are missing: a list such as 1,2,4, or a range such as 0.01..1:log8"));
    }
    if wanted.sort != Sort::Others
        && piece.text.contains("..")
        && !piece.text.starts_with(['[', '"', '\''])
    {
        return range(piece, wanted);
    }
    let pieces = items(piece);
    let mut values = Vec::new();
    for piece in &pieces {
        if piece.text.trim().is_empty() {
            return Err(piece.wrong("a value is missing beside this comma"));
        }
        let mut value = bare_value(piece.source, piece.start, piece.text)?;
        if let Some(place) = piece.whole {
            value.origin = place.clone().into();
        }
        values.push(value);
    }
    match &mut values[..] {
        [GivenValue { value: Input::List(list), .. }] if !list.is_empty() => {
            Ok(std::mem::take(list).into())
        }
        _ => Ok(values.into()),
    }
}

/// A stretch of a source.
#[derive(Debug, Clone, Copy)]
struct Piece<'a> {
    source: &'a Arc<Source>,
    text: &'a str,
    start: usize,
    /// What to point at where the stretch is not written as it reads.
    whole: Option<&'a Place>,
}

impl<'a> Piece<'a> {
    fn part(self, range: Range<usize>) -> Self {
        Self { text: &self.text[range.clone()], start: self.start + range.start, ..self }
    }

    fn trim(self) -> Self {
        let start = self.text.len() - self.text.trim_start().len();
        self.part(start..start + self.text.trim().len())
    }

    /// What stands before and after the first `mark`.
    fn split_once(self, mark: &str) -> Option<(Self, Self)> {
        let at = self.text.find(mark)?;
        Some((self.part(0..at), self.part(at + mark.len()..self.text.len())))
    }

    fn place(self) -> Place {
        match self.whole {
            Some(place) => place.clone(),
            None => self.source.place(self.start..self.start + self.text.len()),
        }
    }

    fn wrong(self, message: impl Into<String>) -> SettingsError {
        SettingsError::new(Problem::Text(message.into()), self.trim().place())
    }

    fn number(self) -> Result<f64, SettingsError> {
        let text = self.text.trim();
        let number = text.parse().ok().filter(|number: &f64| number.is_finite());
        number.ok_or_else(|| match text {
            "" => self.wrong("a range has a number at both ends, as in 0.01..1:log8"),
            _ => self.wrong(format!("`{text}` is no number, but a range has one at both ends")),
        })
    }
}

/// The stretches between commas that stand neither in quotes nor in brackets.
fn items(piece: Piece<'_>) -> Vec<Piece<'_>> {
    let mut items = Vec::new();
    let (mut start, mut depth, mut quote) = (0, 0_usize, None);
    for (at, sign) in piece.text.char_indices() {
        match (sign, quote) {
            (_, Some(open)) => quote = Some(open).filter(|&open| open != sign),
            ('"' | '\'', None) => quote = Some(sign),
            ('[' | '{', None) => depth += 1,
            (']' | '}', None) => depth = depth.saturating_sub(1),
            (',', None) if depth == 0 => {
                items.push(piece.part(start..at));
                start = at + 1;
            }
            _ => {}
        }
    }
    items.push(piece.part(start..piece.text.len()));
    items
}

enum Spacing {
    Whole,
    /// So many at equal steps.
    Linear(usize),
    /// So many at equal ratios.
    Log(usize),
    /// Anything between, evenly or evenly in the logarithm.
    Between {
        log: bool,
    },
}

fn range(piece: Piece<'_>, wanted: Requirements) -> Result<Values, SettingsError> {
    let Requirements { sort, most, .. } = wanted;
    let Some((first, rest)) = piece.split_once("..") else { return Ok(Vec::new().into()) };
    let (last, count) = match rest.split_once(":") {
        Some((last, count)) => (last, Some(count)),
        None => (rest, None),
    };
    let (a, b) = (first.number()?, last.number()?);
    if a == b {
        return Err(piece.wrong("the range ends where it starts"));
    }
    let spacing = spacing(piece, count, wanted)?;
    if matches!(spacing, Spacing::Log(_) | Spacing::Between { log: true }) {
        for (end, value) in [(first, a), (last, b)] {
            if value <= 0.0 {
                let text = end.text.trim();
                return Err(end.wrong(format!(
                    "a range of equal ratios cannot start or end at {text}: both ends must be > 0"
                )));
            }
        }
    }
    let mut law = None;
    let values: Vec<f64> = match spacing {
        Spacing::Whole => {
            let (a, b) = (a.round(), b.round());
            let count = (b - a).abs();
            check_count(piece, count + 1.0, most)?;
            (0..=count as usize).map(|step| a + step as f64 * (b - a).signum()).collect()
        }
        Spacing::Linear(count) => {
            check_count(count_piece(piece), count as f64, most)?;
            spaced(a, b, count, |part| a + part * (b - a))
        }
        Spacing::Log(count) => {
            check_count(count_piece(piece), count as f64, most)?;
            spaced(a, b, count, |part| (a.ln() + part * (b / a).ln()).exp())
        }
        Spacing::Between { log } => {
            law = Some(Law { from: a, to: b, log, whole: sort == Sort::Integers });
            vec![a, b]
        }
    };
    let origin: Origin = piece.place().into();
    let given = |value: f64| GivenValue {
        value: match sort {
            Sort::Integers => Input::Integer(value.round() as i64),
            _ => Input::Number(value),
        },
        origin: origin.clone(),
    };
    let mut values: Vec<GivenValue> = values.into_iter().map(given).collect();
    // Whole numbers that fall together count once.
    values.dedup();
    Ok(Values { list: values, law })
}

/// The part of a range behind the colon.
fn count_piece(piece: Piece<'_>) -> Piece<'_> {
    piece.split_once(":").map_or(piece, |(_, count)| count)
}

fn spacing(
    piece: Piece<'_>,
    count: Option<Piece<'_>>,
    wanted: Requirements,
) -> Result<Spacing, SettingsError> {
    let Some(count) = count else {
        if wanted.sort == Sort::Integers {
            return Ok(Spacing::Whole);
        }
        if wanted.drawn {
            return Ok(Spacing::Between { log: false });
        }
        let text = piece.text;
        return Err(piece.wrong(format!(
            "how many values lie in this range? {text}:8 is 8 at equal steps, {text}:log8 at equal ratios"
        )));
    };
    let word = count.text.trim();
    if word == "log" && wanted.drawn {
        return Ok(Spacing::Between { log: true });
    }
    let (digits, is_log) = word.strip_prefix("log").map_or((word, false), |rest| (rest, true));
    match digits.trim().parse::<usize>() {
        Ok(count) if count >= 2 && is_log => Ok(Spacing::Log(count)),
        Ok(count) if count >= 2 => Ok(Spacing::Linear(count)),
        Ok(_) => Err(count.wrong(format!("`{word}` is too few: a range has 2 values or more"))),
        Err(_) => Err(count.wrong(format!(
            "`{word}` does not say how many values: write a count, as in :8, or log and a count, as in :log8"
        ))),
    }
}

fn check_count(piece: Piece<'_>, count: f64, most: usize) -> Result<(), SettingsError> {
    if count <= most as f64 {
        return Ok(());
    }
    Err(piece.wrong(format!("these are {count} values, but a plan has at most {most} runs")))
}

/// A number in as many digits as people can read.
fn rounded(value: f64) -> f64 {
    format!("{value:.*e}", DIGITS - 1).parse().unwrap_or(value)
}

/// `count` values from `a` to `b`, both exact; those between are rounded.
fn spaced(a: f64, b: f64, count: usize, at: impl Fn(f64) -> f64) -> Vec<f64> {
    let last = count - 1;
    let value = |index: usize| match index {
        0 => a,
        index if index == last => b,
        index => rounded(at(index as f64 / last as f64)),
    };
    (0..count).map(value).collect()
}
