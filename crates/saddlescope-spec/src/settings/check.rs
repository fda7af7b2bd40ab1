//! A written value against the kind that was declared.

use super::{
    Bounds, GivenValue, Input, Key, Kind, Overlay, Problem, Result, SettingsError, Tensor, Value,
};

type Checked = Result<Value>;

/// The value of `given` when it fits `kind`; `key` is its dotted name for messages.
pub(super) fn check(kind: &Kind, key: &str, given: &GivenValue) -> Checked {
    let value = match (kind, &given.value) {
        (Kind::Integer { min, max }, Input::Integer(value)) => {
            (min..=max).contains(&value).then_some(Value::Integer(*value))
        }
        (Kind::Number(bounds), Input::Integer(_) | Input::Number(_)) => {
            number(bounds, &given.value).map(Value::Number)
        }
        (Kind::Switch, Input::Switch(value)) => Some(Value::Switch(*value)),
        (Kind::Choice(words), Input::Text(text)) => {
            let known = words.iter().any(|(word, _)| word == text);
            known.then(|| Value::Text(text.clone()))
        }
        (Kind::Text, Input::Text(text)) => Some(Value::Text(text.clone())),
        (Kind::Texts, Input::List(items)) => Some(texts(key, items)?),
        (Kind::Numbers { each, min_len }, Input::List(items)) => {
            let numbers = numbers(each, key, items)?;
            (items.len() >= *min_len).then_some(Value::Numbers(numbers))
        }
        (Kind::Lists { each }, Input::List(items)) => Some(lists(each, kind, key, items)?),
        (Kind::Tensor { depth }, Input::List(_)) => {
            let mut tensor = Tensor { shape: vec![0; *depth], values: Vec::new() };
            fill(&mut tensor, 0, key, given)?;
            Some(Value::Tensor(tensor))
        }
        (Kind::NumberTable { each }, Input::Table(entries)) => Some(table(each, key, entries)?),
        (Kind::Overlay, Input::Table(entries)) => Some(Value::Overlay(Overlay(entries.clone()))),
        (Kind::Either(kinds), _) => Some(either(kinds, kind, key, given)?),
        _ => return Err(unfit(kind, key, given, given.value.with_type())),
    };
    value.ok_or_else(|| unfit(kind, key, given, given.value.short()))
}

fn unfit(kind: &Kind, key: &str, given: &GivenValue, found: String) -> SettingsError {
    let known = kind.words().iter().map(|(word, _)| (*word).to_owned()).collect();
    let wanted = kind.phrase();
    let problem = Problem::Unfit { key: key.to_owned(), found, wanted, known };
    SettingsError::new(problem, given.origin.clone())
}

fn number(bounds: &Bounds, value: &Input) -> Option<f64> {
    let value = match value {
        Input::Integer(value) => *value as f64,
        Input::Number(value) => *value,
        _ => return None,
    };
    bounds.contain(value).then_some(value)
}

/// A number inside of something else, which has a key but no declaration of its own.
fn inner_number(bounds: &Bounds, key: impl FnOnce() -> String, given: &GivenValue) -> Result<f64> {
    number(bounds, &given.value).ok_or_else(|| {
        let is_number = matches!(given.value, Input::Integer(_) | Input::Number(_));
        let found = if is_number { given.value.short() } else { given.value.with_type() };
        unfit(&Kind::Number(*bounds), &key(), given, found)
    })
}

fn numbers(each: &Bounds, key: &str, items: &[GivenValue]) -> Result<Vec<f64>> {
    let entry = |(index, item)| inner_number(each, || format!("{key}[{index}]"), item);
    items.iter().enumerate().map(entry).collect()
}

fn lists(each: &Bounds, kind: &Kind, key: &str, items: &[GivenValue]) -> Checked {
    let entry = |(index, item): (usize, &GivenValue)| match &item.value {
        Input::List(items) => numbers(each, &format!("{key}[{index}]"), items),
        other => Err(unfit(kind, key, item, format!("a list with {}", other.with_type()))),
    };
    items.iter().enumerate().map(entry).collect::<Result<_, _>>().map(Value::Lists)
}

fn texts(key: &str, items: &[GivenValue]) -> Checked {
    let entry = |(index, item): (usize, &GivenValue)| match &item.value {
        Input::Text(text) => Ok(text.clone()),
        other => Err(unfit(&Kind::Text, &format!("{key}[{index}]"), item, other.with_type())),
    };
    items.iter().enumerate().map(entry).collect::<Result<_, _>>().map(Value::Texts)
}

fn table(each: &Bounds, key: &str, entries: &[(Key, GivenValue)]) -> Checked {
    let entry = |(name, given): &(Key, GivenValue)| {
        let key = || format!("{key}.{}", super::render_key(&name.name));
        let value = inner_number(each, key, given).map_err(|mut error| {
            if matches!(given.value, Input::Table(_)) {
                error.help = Some("names with dots need quotes: \"head.0.value\" = 0.5".into());
            }
            error
        })?;
        Ok((name.name.clone(), value))
    };
    entries.iter().map(entry).collect::<Result<_, _>>().map(Value::Table)
}

/// Appends the numbers of `given`, a list at `level`; the first list of each level decides the extent.
fn fill(tensor: &mut Tensor, level: usize, key: &str, given: &GivenValue) -> Result<()> {
    let items = match &given.value {
        Input::List(items) if !items.is_empty() => items,
        other => return Err(no_list(tensor.shape.len(), level, key, given, other)),
    };
    if tensor.shape[level] == 0 {
        tensor.shape[level] = items.len();
    } else if tensor.shape[level] != items.len() {
        let (found, wanted) = (items.len(), tensor.shape[level]);
        let problem = Problem::Ragged { key: key.to_owned(), found, wanted };
        return Err(SettingsError::new(problem, given.origin.clone()));
    }
    if level + 1 == tensor.shape.len() {
        tensor.values.append(&mut numbers(&Bounds::ANY, key, items)?);
        return Ok(());
    }
    for (index, item) in items.iter().enumerate() {
        fill(tensor, level + 1, &format!("{key}[{index}]"), item)?;
    }
    Ok(())
}

fn no_list(
    depth: usize,
    level: usize,
    key: &str,
    given: &GivenValue,
    found: &Input,
) -> SettingsError {
    let whole = Kind::Tensor { depth };
    let mut error = unfit(&whole, key, given, found.with_type());
    if level > 0 {
        let wanted = format!("a list of {}numbers", "lists of ".repeat(depth - level - 1));
        let (key, found) = (key.to_owned(), found.with_type());
        *error.problem = Problem::Unfit { key, found, wanted, known: Vec::new() };
        error.help = Some(format!("the whole value must be {}", whole.phrase()));
    }
    error
}

/// The first alternative that fits; or, when only one takes values written like this, its complaint.
fn either(kinds: &[Kind], whole: &Kind, key: &str, given: &GivenValue) -> Checked {
    let mut complaints = Vec::new();
    for kind in kinds {
        match check(kind, key, given) {
            Ok(value) => return Ok(value),
            Err(error) if inside(kind, &given.value) => complaints.push(error),
            Err(_) => {}
        }
    }
    match complaints.pop() {
        Some(only) if complaints.is_empty() => Err(only),
        _ => {
            let number = matches!(given.value, Input::Integer(_) | Input::Number(_));
            let takes_numbers =
                kinds.iter().any(|k| matches!(k, Kind::Number(_) | Kind::Integer { .. }));
            let takes_words = !whole.words().is_empty() && matches!(given.value, Input::Text(_));
            let right_type = (number && takes_numbers) || takes_words;
            let found = if right_type { given.value.short() } else { given.value.with_type() };
            Err(unfit(whole, key, given, found))
        }
    }
}

/// Whether `kind` looks inside of such values: its error then says more than the list of alternatives.
fn inside(kind: &Kind, value: &Input) -> bool {
    match value {
        Input::List(items) => {
            !items.is_empty()
                && matches!(
                    kind,
                    Kind::Texts | Kind::Numbers { .. } | Kind::Lists { .. } | Kind::Tensor { .. }
                )
        }
        Input::Table(_) => matches!(kind, Kind::NumberTable { .. }),
        _ => false,
    }
}
