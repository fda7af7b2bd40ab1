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

use saddlescope_spec::settings::{Kind, Parameter};

use super::*;
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

/// The values that a file gives for the key `key`; `drawn` says that members draw them, so that a range need not say how many.
pub(crate) fn from_file(key: &str, given: &GivenValue, sort: Sort, drawn: bool) -> Checked<Values> {
    match (&given.value, given.origin.place()) {
        (Input::List(items), _) if !items.is_empty() => Ok(items.clone().into()),
        (Input::Text(text), Some(place)) => {
            // Inside the quotes, unless there are escapes or several lines.
            let inside = place.text().get(1..1 + text.len()).is_some_and(|inner| inner == text);
            let (source, start) = (place.source(), place.offset() + 1);
            let whole = (!inside).then_some(place);
            from_words(Piece { source, text, start, whole }, sort, drawn)
        }
        (other, _) => Err(SettingsError::unfit(key, other, WANTED, given.origin.clone())),
    }
}

/// The values that an argument gives from byte `start` on.
pub(crate) fn from_argument(place: &Place, sort: Sort, drawn: bool) -> Checked<Values> {
    let (source, start) = (place.source(), place.offset());
    from_words(Piece { source, text: &source.text()[start..], start, whole: None }, sort, drawn)
}

fn from_words(piece: Piece<'_>, sort: Sort, drawn: bool) -> Checked<Values> {
    let piece = piece.trim();
    if piece.text.is_empty() {
        let text = "values are missing: a list such as 1,2,4, or a range such as 0.01..1:log8";
        return Err(piece.wrong(text));
    }
    let is_range = piece.text.contains("..") && !piece.text.starts_with(['[', '"', '\'']);
    if let Some((first, rest)) = piece.split_once("..")
        && is_range
        && sort != Sort::Others
    {
        return range(piece, (first, rest), sort, drawn);
    }
    let mut values = Vec::new();
    for piece in items(piece) {
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
        SettingsError::text(message, self.trim().place())
    }

    fn number(self) -> Checked<f64> {
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

/// What stands on either side of the dots: numbers, and maybe how many values lie between them.
fn range(
    piece: Piece<'_>,
    (first, rest): (Piece<'_>, Piece<'_>),
    sort: Sort,
    drawn: bool,
) -> Checked<Values> {
    let (last, count) = match rest.split_once(":") {
        Some((last, count)) => (last, Some(count)),
        None => (rest, None),
    };
    let (a, b) = (first.number()?, last.number()?);
    if a == b {
        return Err(piece.wrong("the range ends where it starts"));
    }
    let Spacing { count, log } = match count {
        // Every whole number.
        None if sort == Sort::Integers => {
            let count = (b.round() - a.round()).abs() + 1.0;
            check_count(piece, count)?;
            let step = |step: usize| a.round() + step as f64 * (b - a).signum();
            return Ok(given((0..count as usize).map(step), sort, piece).into());
        }
        None if drawn => Spacing { count: None, log: false },
        None => {
            let text = piece.text;
            return Err(piece.wrong(format!(
                "how many values lie in this range? {text}:8 is 8 at equal steps, {text}:log8 at equal ratios"
            )));
        }
        Some(count) => spacing(count, drawn)?,
    };
    for (end, value) in [(first, a), (last, b)] {
        if log && value <= 0.0 {
            let text = end.text.trim();
            return Err(end.wrong(format!(
                "a range of equal ratios cannot start or end at {text}: both ends must be > 0"
            )));
        }
    }
    let Some(count) = count else {
        let law = Law { from: a, to: b, log, whole: sort == Sort::Integers };
        return Ok(Values { list: given([a, b].into_iter(), sort, piece), law: Some(law) });
    };
    let at = |index: usize| match (index as f64 / (count - 1) as f64, log) {
        _ if index == 0 => a,
        _ if index == count - 1 => b,
        (part, true) => rounded((a.ln() + part * (b / a).ln()).exp()),
        (part, false) => rounded(a + part * (b - a)),
    };
    Ok(given((0..count).map(at), sort, piece).into())
}

/// How many values a range has, at equal steps or at equal ratios; without a number, any between its ends.
struct Spacing {
    count: Option<usize>,
    log: bool,
}

fn spacing(count: Piece<'_>, drawn: bool) -> Checked<Spacing> {
    let word = count.text.trim();
    if word == "log" && drawn {
        return Ok(Spacing { count: None, log: true });
    }
    let (digits, log) = word.strip_prefix("log").map_or((word, false), |rest| (rest, true));
    match digits.trim().parse::<usize>() {
        Ok(number) if number >= 2 => {
            check_count(count, number as f64)?;
            Ok(Spacing { count: Some(number), log })
        }
        Ok(_) => Err(count.wrong(format!("`{word}` is too few: a range has 2 values or more"))),
        Err(_) => Err(count.wrong(format!(
            "`{word}` does not say how many values: write a count, as in :8, or log and a count, as in :log8"
        ))),
    }
}

fn check_count(piece: Piece<'_>, count: f64) -> Checked<()> {
    if count <= MOST_MEMBERS as f64 {
        return Ok(());
    }
    let text = format!("these are {count} values, but a plan has at most {MOST_MEMBERS} runs");
    Err(piece.wrong(text))
}

/// Numbers as if they had been written in a piece. Whole ones that fall together count once.
fn given(values: impl Iterator<Item = f64>, sort: Sort, piece: Piece<'_>) -> Vec<GivenValue> {
    let origin: Origin = piece.place().into();
    let value = |value: f64| match sort {
        Sort::Integers => Input::Integer(value.round() as i64),
        _ => Input::Number(value),
    };
    let mut all: Vec<GivenValue> =
        values.map(|number| GivenValue { value: value(number), origin: origin.clone() }).collect();
    all.dedup();
    all
}

/// A number in as many digits as people can read.
fn rounded(value: f64) -> f64 {
    format!("{value:.*e}", DIGITS - 1).parse().unwrap_or(value)
}
