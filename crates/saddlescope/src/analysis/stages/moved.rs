//! What was learned at each jump: which recorded numbers moved, and the share of each.

use crate::json::real;
use crate::prelude::*;
use crate::trajectory::{Series, Snapshot};

use super::{Plateau, median};

/// How far one of several alike moved across a jump.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Movement {
    /// What moved: an observable (`learned.1`) or, from snapshots, a block (`head.0.key`).
    pub name: String,
    /// The name with its number open: `learned.*`. Shares are among those of one family.
    pub family: String,
    /// How far: the change itself for a number, its norm for an array.
    #[serde(with = "real")]
    pub change: f64,
    /// Its part of the family's movement.
    #[serde(with = "real")]
    pub share: f64,
}

/// Notes at each jump what moved, family by family, the farthest first.
///
/// A value on a plateau is its median over the rows there. Families of one member are left out: they
/// have nobody to share with. Blocks come from the snapshots nearest to the jump on either side, where
/// the plateaus beside it have some, and only where no observable tells of them already.
pub fn note_moved(stages: &mut Stages, trajectory: &Trajectory, blocks: &Blocks) {
    for (transition, [before, after]) in
        stages.transitions.iter_mut().zip(stages.plateaus.array_windows())
    {
        let pair = [before, after];
        let mut all: Vec<(String, f64)> = Vec::new();
        for series in trajectory.series() {
            if family(series.name()).is_some()
                && let Some(change) = series_change(series, trajectory.time(), pair)
            {
                all.push((series.name().to_owned(), change));
            }
        }
        if let Some([before, after]) = beside(trajectory.snapshots(), pair) {
            for block in blocks {
                if all.iter().all(|(name, _)| *name != block.name) {
                    let [a, b] = [before, after].map(|s| &s.state[block.range()]);
                    all.push((
                        block.name.clone(),
                        norm(&a.iter().zip(b).map(|(a, b)| b - a).collect::<Vec<_>>()),
                    ));
                }
            }
        }
        transition.moved = shares(all);
    }
}

/// The name with its first number open; none without a number.
fn family(name: &str) -> Option<String> {
    let mut found = false;
    let part = |part: &str| {
        let open = !found && part.parse::<usize>().is_ok();
        found |= open;
        if open { "*".to_owned() } else { part.to_owned() }
    };
    let name: Vec<String> = name.split('.').map(part).collect();
    found.then(|| name.join("."))
}

/// The rows of a plateau; all its rows, or the two that enclose it.
fn rows(times: &[f64], plateau: &Plateau) -> std::ops::Range<usize> {
    let first = times.partition_point(|&time| time < plateau.from);
    let end = times.partition_point(|&time| time <= plateau.to);
    if first < end { first..end } else { first.saturating_sub(1)..(end + 1).min(times.len()) }
}

fn series_change(series: &Series, times: &[f64], pair: [&Plateau; 2]) -> Option<f64> {
    let on = |plateau: &Plateau, place: usize| {
        let mut values: Vec<f64> = rows(times, plateau).map(|row| series.row(row)[place]).collect();
        median(&mut values)
    };
    let change = |place| on(pair[1], place) - on(pair[0], place);
    let change = match series.width() {
        1 => change(0),
        width => norm(&(0..width).map(change).collect::<Vec<_>>()),
    };
    change.is_finite().then_some(change)
}

/// The last snapshot on the plateau before and the first on the plateau behind.
fn beside<'a>(snapshots: &'a [Snapshot], pair: [&Plateau; 2]) -> Option<[&'a Snapshot; 2]> {
    let within = |plateau: &Plateau, snapshot: &Snapshot| {
        (plateau.from..=plateau.to).contains(&snapshot.time)
    };
    let last = snapshots.iter().rev().find(|snapshot| within(pair[0], snapshot))?;
    let first = snapshots.iter().find(|snapshot| within(pair[1], snapshot))?;
    Some([last, first])
}

fn shares(all: Vec<(String, f64)>) -> Vec<Movement> {
    let mut families: Vec<(String, Vec<Movement>)> = Vec::new();
    for (name, change) in all {
        let Some(family) = family(&name) else { continue };
        let one = Movement { name, family: family.clone(), change, share: 0.0 };
        match families.iter_mut().find(|(known, _)| *known == family) {
            Some((_, members)) => members.push(one),
            None => families.push((family, vec![one])),
        }
    }
    let mut ranked = Vec::new();
    for (_, mut members) in families.into_iter().filter(|(_, members)| members.len() > 1) {
        let total: f64 = members.iter().map(|one| one.change.abs()).sum();
        for one in &mut members {
            one.share = if total > 0.0 { one.change.abs() / total } else { 0.0 };
        }
        members.sort_by(|a, b| b.share.total_cmp(&a.share));
        ranked.extend(members);
    }
    ranked
}
