//! What reference cases of all systems compute with: precise flows, read at listed times or at an event.

use std::collections::BTreeMap;

use crate::reference::{CaseError, Inputs};
use saddlescope::event::{Condition, Event};
use saddlescope::flow::{Flow, FlowEnd, FlowError};
use saddlescope::record::{Moment, Observable, Observables, Recording, Sampling, Silent};
use saddlescope::{Fault, VectorField};
use serde_json::Value;

pub type Values = BTreeMap<String, Value>;

/// A case while it is recomputed: its inputs, what is wanted of it, and the values found so far.
#[derive(Debug)]
pub struct Case<'a> {
    /// What its values are computed from.
    pub inputs: Inputs<'a>,
    pub wanted: &'a [&'a str],
    pub(crate) found: Values,
}

impl<'a> Case<'a> {
    /// Whether any of these values is wanted.
    pub fn wants(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.wanted.contains(name))
    }

    /// Whether every value that is wanted has been found.
    pub fn is_complete(&self) -> bool {
        self.wanted.iter().all(|name| self.found.contains_key(*name))
    }

    /// Sets a value, if it is wanted.
    pub fn set(&mut self, name: &str, value: impl Into<Value>) {
        if self.wants(&[name]) {
            self.found.insert(name.to_owned(), value.into());
        }
    }

    /// Sets those of the values that are wanted.
    pub fn set_all(&mut self, values: Values) -> Result<(), CaseError> {
        let wanted = |(name, _): &(String, Value)| self.wanted.contains(&name.as_str());
        self.found.extend(values.into_iter().filter(wanted));
        Ok(())
    }

    /// Computes a value and sets it, if it is wanted.
    pub fn give<V: Into<Value>, E: Into<CaseError>>(
        &mut self,
        name: &str,
        compute: impl FnOnce() -> Result<V, E>,
    ) -> Result<(), CaseError> {
        if self.wants(&[name]) {
            self.set(name, compute().map_err(Into::into)?);
        }
        Ok(())
    }
}

impl<'a> std::ops::Deref for Case<'a> {
    type Target = Inputs<'a>;

    fn deref(&self) -> &Inputs<'a> {
        &self.inputs
    }
}

impl From<Fault> for CaseError {
    fn from(fault: Fault) -> Self {
        failed(fault)
    }
}

impl From<FlowError> for CaseError {
    fn from(error: FlowError) -> Self {
        failed(error)
    }
}

/// Declares the kinds of reference cases of a system as `KINDS`: of each its name, its inputs, the values that it can
/// recompute, the function of a [`Case`] that does so, and what it computes, in words.
///
/// ```
/// # use saddlescope_spec::cases::Case;
/// # use saddlescope_spec::reference::CaseError;
/// saddlescope_spec::case_kinds! {
///     sums(a, b) -> (sum, "twice.*") = sums, "the sum of two numbers";
/// }
///
/// fn sums(case: &mut Case<'_>) -> Result<(), CaseError> {
///     case.set("sum", case.number("a")? + case.number("b")?);
///     Ok(())
/// }
/// # assert_eq!(KINDS[0].values, ["sum", "twice.*"]);
/// ```
#[macro_export]
macro_rules! case_kinds {
    ($($kind:ident($($input:ident),* $(,)?) -> ($($value:tt),* $(,)?) = $compute:expr, $about:literal;)*) => {
        /// The kinds of cases, with all inputs and values that each understands.
        pub const KINDS: &[$crate::reference::CaseKind] = &[$($crate::reference::CaseKind {
            name: stringify!($kind),
            about: $about,
            inputs: &[$(stringify!($input)),*],
            values: &[$($crate::case_kinds!(@name $value)),*],
            compute: $compute,
        }),*];
    };
    (@name $value:ident) => { stringify!($value) };
    (@name $value:literal) => { $value };
}

/// A computation that failed.
pub fn failed(error: impl std::fmt::Display) -> CaseError {
    CaseError::Failed(error.to_string())
}

pub fn values<const N: usize>(named: [(&str, Value); N]) -> Values {
    named.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

pub fn whole(inputs: Inputs<'_>, name: &'static str) -> Result<usize, CaseError> {
    let number = inputs.number(name)?;
    if number.fract() == 0.0 && (0.0..1e9).contains(&number) {
        Ok(number as usize)
    } else {
        Err(inputs.wrong(name, "a whole number"))
    }
}

/// A list of whole numbers of 0 or more, each `what`.
pub fn wholes(inputs: Inputs<'_>, name: &'static str, what: &str) -> Result<Vec<usize>, CaseError> {
    let numbers = inputs.numbers(name)?;
    if numbers.iter().all(|x| x.fract() == 0.0 && *x >= 0.0) {
        return Ok(numbers.into_iter().map(|x| x as usize).collect());
    }
    Err(inputs.wrong(name, &format!("{what}: whole numbers of 0 or more")))
}

/// A matrix of that shape, row after row; rows and columns are `of` what.
pub fn matrix(
    inputs: Inputs<'_>,
    name: &'static str,
    [rows, columns]: [usize; 2],
    of: &str,
) -> Result<Vec<f64>, CaseError> {
    let tensor = inputs.tensor(name, 2)?;
    if tensor.shape == [rows, columns] {
        return Ok(tensor.values);
    }
    Err(inputs.wrong(name, &format!("a matrix of {rows} x {columns} ({of})")))
}

/// The times that a case asks for; none where it has no list.
pub fn times(inputs: Inputs<'_>) -> Result<Vec<f64>, CaseError> {
    if inputs.has("times") { inputs.numbers("times") } else { Ok(Vec::new()) }
}

/// What [`integrate`] reads: the first `count` numbers of the state, then the loss.
pub fn state_and_loss(count: usize) -> Observables {
    let entry = |i: usize| {
        Observable::scalar(format!("state.{i}"), move |moment: &Moment<'_>| moment.state[i])
    };
    let loss = Observable::scalar("loss", |moment: &Moment<'_>| moment.loss);
    (0..count).map(entry).chain([loss]).collect()
}

/// Tolerances that leave reference values their digits.
pub fn precise() -> Flow {
    let mut flow = Flow::default().tolerances(1e-12, 1e-14);
    flow.max_steps = 10_000_000;
    flow
}

/// Time after which a flow is taken never to come to its event.
const NEVER: f64 = 1e12;

/// Where a flow first meets a condition, if it ever does.
pub fn meeting<F: VectorField>(
    field: &F,
    start: &[f64],
    condition: Condition,
) -> Result<Option<FlowEnd>, FlowError> {
    let flow = precise().until(NEVER).event(Event::stop(condition));
    match flow.run(field, 0.0, start, &mut Silent) {
        Ok(end) => Ok(end.crossings[0].is_some().then_some(end)),
        // A start at rest never leaves.
        Err(FlowError::AtRest { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The states of a flow from `start` at the times of a case, in the order of these.
pub fn states<F: VectorField>(
    field: &F,
    start: &[f64],
    inputs: Inputs<'_>,
) -> Result<Vec<Vec<f64>>, CaseError> {
    let (times, count) = (times(inputs)?, start.len());
    let (_, columns) = integrate(precise(), field, start, &times, state_and_loss(count))?;
    let row = |row: usize| columns[..count].iter().map(|column| column[row]).collect();
    Ok((0..times.len()).map(row).collect())
}

/// Runs to the last of `times`, or the end of `flow` where it has one, and reads the columns at each time.
pub fn integrate<F: VectorField>(
    flow: Flow,
    field: &F,
    start: &[f64],
    times: &[f64],
    observables: Observables,
) -> Result<(FlowEnd, Vec<Vec<f64>>), CaseError> {
    if let Some(wrong) = times.iter().find(|time| !(**time >= 0.0 && time.is_finite())) {
        return Err(CaseError::Input {
            name: "times".into(),
            found: wrong.to_string(),
            expected: "times of 0 or later".into(),
        });
    }
    let last = times.iter().copied().fold(0.0, f64::max);
    let until = if flow.until.is_finite() { flow.until } else { last };
    let names: Vec<String> = observables.iter().map(|observable| observable.name.clone()).collect();
    let mut sorted = times.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.dedup();
    let mut recording = Recording::new(observables, Sampling::Listed(sorted));
    let end = flow.until(until.max(last)).run(field, 0.0, start, &mut recording).map_err(failed)?;
    let trajectory = recording.finish();
    let column = |name: &String| {
        let data = trajectory.get(name).map_or(&[][..], |series| series.data());
        let at = |time: &f64| trajectory.time().iter().position(|t| t == time).map(|row| data[row]);
        times.iter().map(|time| at(time).unwrap_or(f64::NAN)).collect()
    };
    Ok((end, names.iter().map(column).collect()))
}
