//! Which pieces are plateaus: those that stay longer than the jumps beside them take.

use super::partition::Piece;
use super::tidy::Tidy;
use super::{Settings, between, median_over};

/// Where a jump begins, as a part of its way.
pub(super) const BEGIN: f64 = 0.1;

/// Where it is half done.
pub(super) const HALF: f64 = 0.5;

/// Where it ends.
pub(super) const END: f64 = 0.9;

/// The first and the last plateau are cut off by the ends of the series. Where their outer halves are
/// flat, this part of the length that others need is enough.
const CUT_OFF: f64 = 0.25;

/// Flat means slower than the jump beside it by this factor.
const SLOW: f64 = 0.05;

/// The series without its noise, over log time: fitted pieces where there is noise, else the values.
#[derive(Debug)]
pub(super) struct Curve {
    pub(super) x: Vec<f64>,
    pub(super) y: Vec<f64>,
}

impl Curve {
    pub(super) fn new(tidy: &Tidy, pieces: &[Piece]) -> Self {
        let mut y = Vec::with_capacity(tidy.bins.len());
        for piece in pieces {
            for bin in &tidy.bins[piece.first..piece.end] {
                let is_noisy = bin.noise > 0.5 * tidy.resolution;
                y.push(if is_noisy { piece.at(bin.x) } else { bin.y });
            }
        }
        Self { x: tidy.bins.iter().map(|bin| bin.x).collect(), y }
    }

    /// Its value at a log time.
    pub(super) fn at(&self, x: f64) -> f64 {
        let behind = self.x.partition_point(|&bin| bin < x);
        self.y[behind.min(self.y.len() - 1)]
    }

    /// The jumps between neighbours.
    pub(super) fn ways(&self, all: &[Candidate]) -> Vec<[f64; 3]> {
        let way = |pair: &[Candidate]| {
            let [a, b] = [&pair[0], &pair[1]];
            self.way((a.height, a.leaves), (b.height, b.arrives))
        };
        all.windows(2).map(way).collect()
    }

    /// From the jump before a plateau to the one behind it, or to its own ends.
    fn stay(&self, all: &[Candidate], ways: &[[f64; 3]], index: usize) -> (f64, f64) {
        let before = index.checked_sub(1).map(|jump| ways[jump][2]);
        let behind = ways.get(index).map(|way| way[0]);
        let own = |end: usize| self.x[end];
        (
            before.unwrap_or_else(|| own(all[index].first)),
            behind.unwrap_or_else(|| own(all[index].end - 1)),
        )
    }

    /// Where, in log time, the way from height `a` at bin `from` to height `b` at bin `to` passes its
    /// tenth, its half and its nine tenths. The last 1/10 and 1/2 before the first 9/10 count: a dip
    /// that is taken back is no beginning.
    fn way(&self, (a, from): (f64, usize), (b, to): (f64, usize)) -> [f64; 3] {
        let progress = |bin: usize| (self.y[bin] - a) / (b - a);
        let last = self.x.len() - 1;
        let over = (from..=last).find(|&bin| progress(bin) >= END).unwrap_or(to);
        let crossing = |part: f64| {
            let before = (0..over).rev().find(|&bin| progress(bin) < part);
            let Some(before) = before else { return self.x[0] };
            let (p, q) = (progress(before), progress(before + 1));
            let way = if q > p { ((part - p) / (q - p)).clamp(0.0, 1.0) } else { 1.0 };
            self.x[before] + way * (self.x[before + 1] - self.x[before])
        };
        [BEGIN, HALF, END].map(crossing)
    }
}

/// A plateau that may be one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate {
    pub(super) first: usize,
    /// The bin behind the last.
    pub(super) end: usize,
    /// The bin from which the next jump is watched.
    pub(super) leaves: usize,
    /// The bin by which the jump before is over.
    pub(super) arrives: usize,
    pub(super) height: f64,
    /// Standard error of the height by noise.
    pub(super) error: f64,
    /// How fast the value moves within, per log time.
    speed: f64,
}

impl Candidate {
    fn new(piece: &Piece, curve: &Curve) -> Self {
        // Noise aside, the middle of a piece in log time is at its height.
        let middle = 0.5 * (curve.x[piece.first] + curve.x[piece.end - 1]);
        let inside = &curve.x[piece.first..piece.end];
        let behind = inside.partition_point(|&x| x < middle).min(inside.len() - 1);
        let (arrives, leaves) = (piece.first + behind, piece.first + behind.saturating_sub(1));
        let Piece { first, end, height, error, .. } = *piece;
        // A single bin has no slope of its own.
        let speed = if end - first > 1 {
            piece.slope.abs()
        } else {
            let (a, b) = (first.saturating_sub(1), end.min(curve.x.len() - 1));
            ((curve.y[b] - curve.y[a]) / (curve.x[b] - curve.x[a])).abs()
        };
        Self { first, end, leaves, arrives, height, error, speed }
    }

    /// Two neighbours as one, each counting by its length.
    fn with(&self, next: &Self, curve: &Curve) -> Self {
        let length = |c: &Self| curve.x[c.end - 1] - curve.x[c.first] + f64::MIN_POSITIVE;
        let part = length(self) / (length(self) + length(next));
        let errors = [part * self.error, (1.0 - part) * next.error];
        Self {
            first: self.first,
            end: next.end,
            leaves: next.leaves,
            arrives: self.arrives,
            height: part * self.height + (1.0 - part) * next.height,
            error: errors[0].hypot(errors[1]),
            speed: self.speed.min(next.speed),
        }
    }
}

/// The plateaus among the pieces, in order.
pub(super) fn select(
    curve: &Curve,
    pieces: &[Piece],
    tidy: &Tidy,
    settings: &Settings,
) -> Vec<Candidate> {
    let mut all: Vec<Candidate> = pieces.iter().map(|piece| Candidate::new(piece, curve)).collect();
    let chooser = Chooser { curve, tidy, settings };
    loop {
        if let Some(index) = chooser.too_short(&all) {
            all.remove(index);
        } else if let Some(index) = chooser.too_alike(&all) {
            let both = all[index].with(&all[index + 1], curve);
            all.splice(index..index + 2, [both]);
        } else {
            // Heights that belong to the whole plateau, not to one piece of it, may judge otherwise.
            let mut settled = all.clone();
            chooser.settle(&mut settled);
            if chooser.too_short(&settled).or(chooser.too_alike(&settled)).is_none() {
                break;
            }
            all = settled;
        }
    }
    if let [only] = all.as_slice()
        && !chooser.rules(only)
    {
        all.clear();
    }
    all
}

struct Chooser<'a> {
    curve: &'a Curve,
    tidy: &'a Tidy,
    settings: &'a Settings,
}

impl Chooser<'_> {
    /// Puts every height at the median over log time of the curve between its jumps.
    fn settle(&self, all: &mut [Candidate]) {
        let curve = self.curve;
        let ways = curve.ways(all);
        for index in 0..all.len() {
            let (from, to) = curve.stay(all, &ways, index);
            let bins = between(&curve.x, from, to);
            let middle = median_over(&curve.x, &curve.y, &bins);
            all[index].height = middle.unwrap_or(all[index].height);
            all[index].error = self.tidy.error(bins);
        }
    }

    /// Of the candidates that are too short compared with their jumps, the fastest: it is the most
    /// likely to be part of a jump. A lone one has no jumps.
    fn too_short(&self, all: &[Candidate]) -> Option<usize> {
        let x = &self.curve.x;
        let ways = self.curve.ways(all);
        let stay = |index: usize| {
            let one = &all[index];
            let before = index.checked_sub(1).map(|jump| ways[jump]);
            let behind = ways.get(index).copied();
            let (from, to) = self.curve.stay(all, &ways, index);
            if between(&self.tidy.x, from, to).len() < self.settings.least_rows {
                return 0.0;
            }
            let takes = |way: [f64; 3]| (way[2] - way[0]).max(f64::MIN_POSITIVE);
            let jumps = match (before, behind) {
                (Some(before), Some(behind)) => (takes(before) * takes(behind)).sqrt(),
                (one, other) => one.or(other).map_or(f64::MIN_POSITIVE, takes),
            };
            let stay = (to - from) / jumps;
            let change = |jump: usize| (all[jump + 1].height - all[jump].height).abs();
            let cut_off = match (index, before, behind) {
                (_, None, Some(way)) if one.first == 0 => Some((from, change(index), way)),
                (_, Some(way), None) if one.end == x.len() => Some((to, change(index - 1), way)),
                _ => None,
            };
            match cut_off {
                Some((outer, change, way))
                    if self.is_flat(0.5 * (from + to), outer, change, way) =>
                {
                    stay / CUT_OFF
                }
                _ => stay,
            }
        };
        if all.len() < 2 {
            return None;
        }
        let fastest = |indices: &mut dyn Iterator<Item = usize>| {
            let too_short = indices.filter(|&index| stay(index) < self.settings.least_stay);
            too_short.max_by(|&a, &b| all[a].speed.total_cmp(&all[b].speed))
        };
        // What an end leads to is known once all between the ends is.
        let last = all.len() - 1;
        fastest(&mut (1..last)).or_else(|| fastest(&mut [0, last].into_iter()))
    }

    /// Whether the curve moves much slower between two log times than in a jump.
    fn is_flat(&self, from: f64, to: f64, change: f64, way: [f64; 3]) -> bool {
        let speed = (self.curve.at(to) - self.curve.at(from)).abs() / (to - from).abs();
        speed * (way[2] - way[0]) <= SLOW * change
    }

    /// The first of two neighbours whose heights differ least, if they do not differ.
    fn too_alike(&self, all: &[Candidate]) -> Option<usize> {
        let apart = |pair: &[Candidate]| {
            let [a, b] = [&pair[0], &pair[1]];
            let noise = self.settings.significance * a.error.hypot(b.error);
            let least = noise.max(self.settings.least_drop * self.tidy.range);
            (a.height - b.height).abs() / least.max(f64::MIN_POSITIVE)
        };
        let apart = all.windows(2).map(apart).enumerate();
        let (index, least) = apart.min_by(|a, b| a.1.total_cmp(&b.1))?;
        (least < 1.0).then_some(index)
    }

    /// Whether the only plateau lasts longer than all the rest of the series.
    fn rules(&self, only: &Candidate) -> bool {
        let x = &self.curve.x;
        let all = x[x.len() - 1] - x[0];
        let own = x[only.end - 1] - x[only.first];
        let rest = (all - own).max(0.0);
        own >= self.settings.least_stay * rest
    }
}
