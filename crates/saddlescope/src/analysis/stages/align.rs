//! The stages of several runs side by side: stage by stage, whatever order the heads came in.

use std::collections::BTreeMap;

use serde::Serializer;

use crate::numeric::vector::quantile;
use crate::prelude::*;
use crate::symmetry::Symmetry;

use super::moved::Movement;
use super::{Plateau, Transition};

/// A number over runs: the median, and the middle two thirds (from 1/6 to 5/6 of the runs).
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Spread {
    pub median: f64,
    /// One sixth of the runs lies below.
    pub low: f64,
    /// One sixth of the runs lies above.
    pub high: f64,
}

/// A plateau that several runs share.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CommonPlateau {
    pub height: Spread,
    pub length: Spread,
    pub runs: usize,
}

/// Who moved most at a jump, over runs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Owner {
    /// The family: `learned.*`.
    pub family: String,
    /// The one that moved most in most runs. Where numbers say nothing (heads), the order in which
    /// they first moved most: `head.#1.value`.
    pub name: String,
    /// Part of the runs in which it did.
    pub part: f64,
    /// Its share of the movement, over those runs.
    pub share: Spread,
}

/// A jump that several runs share.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CommonTransition {
    /// The plateau that it leaves, from 0.
    #[serde(serialize_with = "from_one")]
    pub from: usize,
    /// The plateau that it comes to: the next one, or one farther where runs skip some.
    #[serde(serialize_with = "from_one")]
    pub to: usize,
    pub runs: usize,
    pub time: Spread,
    pub duration: Spread,
    pub owners: Vec<Owner>,
}

/// The stages of several runs side by side.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct CommonStages {
    pub runs: usize,
    pub plateaus: Vec<CommonPlateau>,
    /// In the order of their plateaus.
    pub transitions: Vec<CommonTransition>,
}

/// Programs count plateaus from 1, as tables do.
fn from_one<S: Serializer>(plateau: &usize, serializer: S) -> Result<S::Ok, S::Error> {
    (plateau + 1).serialize(serializer)
}

/// Puts the stages of `runs` side by side. `levels` are heights known beforehand, in their order;
/// without them, those of the run with the most plateaus serve.
///
/// The plateaus of a run go to the levels that fit their heights best, in order. Where all runs have
/// as many plateaus as there are levels, that is one by one.
pub fn align(runs: &[&Stages], levels: &[f64], symmetry: &Symmetry) -> CommonStages {
    let heights =
        |run: &&Stages| run.plateaus.iter().map(|plateau| plateau.height).collect::<Vec<f64>>();
    let most = runs.iter().map(heights).max_by_key(Vec::len).unwrap_or_default();
    let levels = if levels.len() >= most.len() { levels } else { &most };
    let mut plateaus: BTreeMap<usize, Vec<Plateau>> = BTreeMap::new();
    let mut transitions: BTreeMap<(usize, usize), Vec<Transition>> = BTreeMap::new();
    for run in runs {
        let places = places(&heights(run), levels);
        for (&place, plateau) in places.iter().zip(&run.plateaus) {
            plateaus.entry(place).or_default().push(*plateau);
        }
        for (pair, one) in places.windows(2).zip(renamed(&run.transitions, symmetry)) {
            transitions.entry((pair[0], pair[1])).or_default().push(one);
        }
    }
    // Levels that no run stays at are no plateaus: the others move up.
    let number = |place: usize| plateaus.range(..place).count();
    let transition = |(&(from, to), own): (&_, &Vec<Transition>)| CommonTransition {
        from: number(from),
        to: number(to),
        runs: own.len(),
        time: spread(own.iter().map(|one| one.time)),
        duration: spread(own.iter().map(|one| one.duration)),
        owners: owners(own),
    };
    let plateau = |own: &Vec<Plateau>| CommonPlateau {
        height: spread(own.iter().map(|plateau| plateau.height)),
        length: spread(own.iter().map(|plateau| plateau.to - plateau.from)),
        runs: own.len(),
    };
    CommonStages {
        runs: runs.len(),
        transitions: transitions.iter().map(transition).collect(),
        plateaus: plateaus.values().map(plateau).collect(),
    }
}

/// For each height the level that it belongs to, rising, with the least sum of distances.
fn places(heights: &[f64], levels: &[f64]) -> Vec<usize> {
    let (rows, columns) = (heights.len(), levels.len());
    let mut least = vec![vec![f64::INFINITY; columns + 1]; rows + 1];
    least[0].fill(0.0);
    for row in 1..=rows {
        for column in row..=columns {
            let taken = least[row - 1][column - 1] + (heights[row - 1] - levels[column - 1]).abs();
            least[row][column] = least[row][column - 1].min(taken);
        }
    }
    let mut places = vec![0; rows];
    let mut column = columns;
    for row in (1..=rows).rev() {
        while column > row && least[row][column] == least[row][column - 1] {
            column -= 1;
        }
        places[row - 1] = column - 1;
        column -= 1;
    }
    places
}

/// What moved, with numbers that say nothing replaced by the order in which they first moved most.
fn renamed(transitions: &[Transition], symmetry: &Symmetry) -> Vec<Transition> {
    let number = |name: &str| name.split('.').nth(1).map(str::to_owned);
    let mut order: Vec<String> = Vec::new();
    let mut all = transitions.to_vec();
    for transition in &mut all {
        let mut families: Vec<String> = Vec::new();
        for one in &mut transition.moved {
            let first = !families.contains(&one.family);
            families.push(one.family.clone());
            if !symmetry.permutes(&one.name) {
                continue;
            }
            let Some(old) = number(&one.name) else { continue };
            if first && !order.contains(&old) {
                order.push(old.clone());
            }
            let rank = order.iter().position(|known| *known == old);
            let new = rank.map_or("#later".to_owned(), |rank| format!("#{}", rank + 1));
            one.name = one.family.replacen('*', &new, 1);
        }
    }
    all
}

/// In each family, the one that moved most in most runs; of several, the first.
fn owners(runs: &[Transition]) -> Vec<Owner> {
    let mut families: Vec<&str> = Vec::new();
    for one in runs.iter().flat_map(|one| &one.moved) {
        if !families.contains(&one.family.as_str()) {
            families.push(&one.family);
        }
    }
    let owner = |family: &str| {
        let first = |one: &Transition| one.moved.iter().find(|one| one.family == family).cloned();
        let firsts: Vec<Movement> = runs.iter().filter_map(first).collect();
        let times = |name: &str| firsts.iter().filter(|one| one.name == name).count();
        let name = &firsts.iter().rev().max_by_key(|one| times(&one.name))?.name;
        let shares = firsts.iter().filter(|one| one.name == *name).map(|one| one.share);
        Some(Owner {
            family: family.to_owned(),
            part: times(name) as f64 / firsts.len() as f64,
            share: spread(shares),
            name: name.clone(),
        })
    };
    families.into_iter().filter_map(owner).collect()
}

/// Median and middle two thirds of some numbers.
fn spread(numbers: impl Iterator<Item = f64>) -> Spread {
    let mut all: Vec<f64> = numbers.collect();
    all.sort_by(f64::total_cmp);
    let at = |part: f64| quantile(&all, part);
    Spread { median: at(0.5), low: at(1.0 / 6.0), high: at(5.0 / 6.0) }
}
