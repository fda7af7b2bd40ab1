//! Every jump from the start alone, at any rank.
//!
//! Write keys and queries in the eigenbasis of `Lambda` as `s_r = k_r + q_r` and `d_r = k_r - q_r`. While
//! `Theta` is diagonal there, the flow (45) of head `i` is
//!
//! ```text
//! tau s_r,e' = v_i f_e s_r,e    tau d_r,e' = -v_i f_e d_r,e    f_e = lambda_e^2 (1 - x_e)
//! tau v_i'   = sum_e f_e S_i,e     S_i,e = (1/4) sum_r (s_r,e^2 - d_r,e^2)
//! ```
//!
//! with `x_e = (a_e/lambda_e) sum_i v_i S_i,e` the learned part of eigenvector `e`. So each component is its initial
//! value times `e^T` or `e^-T` with a clock `T_i,e`, `tau T_i,e' = v_i f_e`, and a head of any rank has one value and `D`
//! clocks. When an eigenvector is learned, the head that carries most of it takes it: one slot of that head is its own from
//! then on, and what the slot held of the other eigenvectors rests, since the off-diagonal entries of `Theta` that it would
//! make are unlearned as fast as they grow. The value of the head rests where its eigenvectors want it. Between two jumps
//! all this is exact for weights that are small; the paper has the aligned case, (36) to (43), and the rest is ours.

use saddlescope::event::{Condition, Event};
use saddlescope::flow::Flow;
use saddlescope::numeric::root::bracketed_root;
use saddlescope::record::Silent;
use saddlescope::theory::ReducedTheory;
use saddlescope::{Blocks, Fault};

use crate::data::sequences::dot;
use crate::model::scaled;
use crate::theory::Theory;
use crate::{Error, ScalarLaw, Shape, Task};

/// Step of the solver, in units of the time in which the fastest head grows by e.
const STEP: f64 = 0.1;

/// Steps to one jump at most: heads that have not grown by then rest at a saddle.
const MOST_STEPS: usize = 20_000;

/// What may be learned of the next eigenvector when one is half way: beyond it they are learned together, and push the
/// heads' other components about.
const TOGETHER: f64 = 0.25;

/// `1 - 1/sqrt(2)`: the learned part of an eigenvector when half of its drop is done, `(1 - x)^2 = 1/2`.
const HALF: f64 = 1.0 - std::f64::consts::FRAC_1_SQRT_2;

/// An eigenvector is learned.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Jump {
    /// The eigenvector, from 0.
    pub eigenvector: usize,
    /// The head that takes it, and which of that head's slots.
    pub head: usize,
    /// How many eigenvectors the head had before.
    pub slot: usize,
    /// When half of the drop is done.
    pub time: f64,
    /// The most that is learned by then of any eigenvector that is not learned yet.
    pub overlap: f64,
}

/// All jumps that the model makes from `theta` on, the first first.
pub fn jumps(task: &Task, shape: Shape, tau: f64, theta: &[f64]) -> Result<Vec<Jump>, Error> {
    shape.ensure_fits(task)?;
    shape.ensure_separate()?;
    Error::ensure_positive(tau, "tau")?;
    let (mut clocks, mut state) = Clocks::new(task, shape, tau, theta);
    let slots = (shape.heads * shape.rank).min(task.dimension());
    Ok(std::iter::from_fn(|| clocks.next(&mut state)).take(slots).collect())
}

/// One head, in the eigenbasis: what it began with, less what learned slots hold.
#[derive(Debug, Clone)]
struct Components {
    /// `s_r,e` and `d_r,e`, row-major `[D, R]`.
    sums: [Vec<f64>; 2],
    /// `sum_r s_r,e^2` and `sum_r d_r,e^2`.
    squares: Vec<[f64; 2]>,
    /// The eigenvectors that it has learned.
    learned: Vec<usize>,
}

/// The whole model as clocks. Its state has `1 + D` numbers for each head: the value and the clocks; then the time.
struct Clocks {
    /// `lambda_e^2/tau`, and 0 once the eigenvector is learned.
    forces: Vec<f64>,
    /// `lambda_e/a_e`.
    gains: Vec<f64>,
    heads: Vec<Components>,
    rank: usize,
}

impl Clocks {
    /// The model at `theta`, and its state.
    fn new(task: &Task, shape: Shape, tau: f64, theta: &[f64]) -> (Self, Vec<f64>) {
        let (d, rank) = (task.dimension(), shape.rank);
        let basis: Vec<Vec<f64>> = (0..d).map(|e| task.eigenvector(e)).collect();
        let (mut state, mut heads) = (Vec::new(), Vec::with_capacity(shape.heads));
        for head in shape.iter(theta) {
            let part = |sign: f64| -> Vec<f64> {
                let along = |e: &Vec<f64>| {
                    let of = |(k, q): (&[f64], &[f64])| dot(k, e) + sign * dot(q, e);
                    head.pairs().map(of).collect::<Vec<f64>>()
                };
                basis.iter().flat_map(along).collect()
            };
            let mut components = Components {
                sums: [part(1.0), part(-1.0)],
                squares: vec![[0.0; 2]; d],
                learned: Vec::new(),
            };
            components.square(rank);
            heads.push(components);
            state.push(head.value);
            state.extend(vec![0.0; d]);
        }
        state.push(0.0);
        let forces = task.eigenvalues.iter().map(|l| l * l / tau).collect();
        (Self { forces, gains: Theory::new(task).optimal_gains(), heads, rank }, state)
    }

    fn dimension(&self) -> usize {
        self.forces.len()
    }

    /// `S_i,e` of all heads, row-major `[H, D]`, and 0 for what is learned; with the size of each head, the mean square of its
    /// keys and queries.
    fn carried(&self, state: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let d = self.dimension();
        let (mut carried, mut sizes) =
            (vec![0.0; self.heads.len() * d], vec![0.0; self.heads.len()]);
        let rows = carried.chunks_exact_mut(d).zip(state.chunks_exact(1 + d));
        for ((head, size), (row, state)) in self.heads.iter().zip(&mut sizes).zip(rows) {
            for e in (0..d).filter(|&e| self.forces[e] > 0.0) {
                let ([s, d], growth) = (head.squares[e], (2.0 * state[1 + e]).exp());
                row[e] = 0.25 * (s * growth - d / growth);
                *size += 0.25 * (s * growth + d / growth);
            }
        }
        (carried, sizes)
    }

    /// The learned parts `x`, of the eigenvectors that are not learned yet.
    fn parts(&self, state: &[f64], carried: &[f64]) -> Vec<f64> {
        let d = self.dimension();
        let mut parts = vec![0.0; d];
        for (state, row) in state.chunks_exact(1 + d).zip(carried.chunks_exact(d)) {
            for (part, carried) in parts.iter_mut().zip(row) {
                *part += state[0] * carried;
            }
        }
        parts.iter_mut().zip(&self.gains).for_each(|(part, gain)| *part /= gain);
        parts
    }

    /// The most that the heads would have learned of an eigenvector if all of them pulled the same way.
    fn size(&self, state: &[f64]) -> f64 {
        let heads = || self.heads.iter().zip(state.chunks_exact(1 + self.dimension()));
        let part = |e: usize| -> f64 {
            let pull =
                heads().map(|(head, state)| state[0].abs() * head.squares[e].iter().sum::<f64>());
            0.25 * pull.sum::<f64>() / self.gains[e]
        };
        (0..self.dimension()).map(part).fold(0.0, f64::max)
    }

    /// How the state changes in its own time, in which the fastest head grows by e.
    fn rate(&self, state: &[f64]) -> Vec<f64> {
        let (d, (carried, sizes)) = (self.dimension(), self.carried(state));
        let mut forces = self.parts(state, &carried);
        forces.iter_mut().zip(&self.forces).for_each(|(part, force)| *part = force * (1.0 - *part));
        let fastest = self.forces.iter().copied().fold(0.0, f64::max);
        let (mut rate, mut own) = (vec![0.0; state.len()], 0.0_f64);
        // A head whose free slots are empty stands still, however large it is.
        for i in (0..self.heads.len()).filter(|&i| sizes[i] > 0.0) {
            let (value, rate) = (state[i * (1 + d)], &mut rate[i * (1 + d)..][..1 + d]);
            if self.heads[i].learned.is_empty() {
                rate[0] = dot(&forces, &carried[i * d..][..d]);
            }
            rate[1..].iter_mut().zip(&forces).for_each(|(clock, force)| *clock = value * force);
            own = own.max(fastest * (value * value + sizes[i]).sqrt());
        }
        if own > 0.0 {
            rate[state.len() - 1] = 1.0;
            rate.iter_mut().for_each(|rate| *rate /= own);
        }
        rate
    }

    /// One step of length `step` in its own time, by the classical method of Runge and Kutta.
    fn step(&self, state: &[f64], step: f64) -> Vec<f64> {
        let along = |rate: &[f64], step: f64| -> Vec<f64> {
            state.iter().zip(rate).map(|(x, rate)| x + step * rate).collect()
        };
        let a = self.rate(state);
        let b = self.rate(&along(&a, 0.5 * step));
        let c = self.rate(&along(&b, 0.5 * step));
        let d = self.rate(&along(&c, step));
        let mean = |i: usize| (a[i] + 2.0 * b[i] + 2.0 * c[i] + d[i]) / 6.0;
        along(&(0..state.len()).map(mean).collect::<Vec<f64>>(), step)
    }

    /// The eigenvector that is not learned yet of which most is learned, and how much.
    fn most(&self, state: &[f64]) -> (usize, f64) {
        let parts = self.parts(state, &self.carried(state).0);
        parts.into_iter().enumerate().max_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((0, 0.0))
    }

    /// Goes on to the next jump.
    fn next(&mut self, state: &mut Vec<f64>) -> Option<Jump> {
        if self.most(state).1 < HALF {
            let step = |state: &mut Vec<f64>| {
                let after = self.step(state, STEP);
                let arrived = self.most(&after).1 >= HALF;
                if !arrived {
                    *state = after;
                }
                arrived
            };
            if !(0..MOST_STEPS).any(|_| step(state)) {
                return None;
            }
            let missing = |state: &[f64]| HALF - self.most(state).1;
            let after = missing(&self.step(state, STEP));
            let margin = |part: f64| Ok::<_, Fault>(missing(&self.step(state, part)));
            let part = bracketed_root(0.0, STEP, after, margin).ok()?;
            *state = self.step(state, part);
        }
        Some(self.learn(self.most(state).0, state))
    }

    /// Eigenvector `e` is learned.
    fn learn(&mut self, e: usize, state: &mut [f64]) -> Jump {
        let (d, carried) = (self.dimension(), self.carried(state).0);
        let parts = self.parts(state, &carried);
        let carries = |i: usize| state[i * (1 + d)] * carried[i * d + e];
        let heads = (0..self.heads.len()).max_by(|&a, &b| carries(a).total_cmp(&carries(b)));
        let (head, time) = (heads.unwrap_or(0), state[state.len() - 1]);
        let others = parts.iter().enumerate().filter(|(other, _)| *other != e);
        let overlap = others.map(|(_, part)| part.abs()).fold(0.0, f64::max);
        let value = &mut state[head * (1 + d)];
        let (rank, gains, owner) = (self.rank, &self.gains, &mut self.heads[head]);
        let slot = owner.learned.len();
        owner.learned.push(e);
        // |v|^3 is the sum of the gains: |k| = |q| along each, and |v|^2 is the sum of their squares.
        *value = owner.learned.iter().map(|&e| gains[e]).sum::<f64>().cbrt().copysign(*value);
        owner.take_slot(e, *value > 0.0, rank);
        self.forces[e] = 0.0;
        Jump { eigenvector: e, head, slot, time, overlap }
    }
}

impl Components {
    fn square(&mut self, rank: usize) {
        for (e, squares) in self.squares.iter_mut().enumerate() {
            *squares = [0, 1].map(|which| {
                let part = &self.sums[which][e * rank..][..rank];
                dot(part, part)
            });
        }
    }

    /// Takes the direction among the slots that eigenvector `e` has from all components.
    fn take_slot(&mut self, e: usize, is_positive: bool, rank: usize) {
        if self.learned.len() >= rank {
            // All that is left is rounding.
            self.sums.iter_mut().for_each(|part| part.fill(0.0));
        }
        let mut slot = self.sums[usize::from(!is_positive)][e * rank..][..rank].to_vec();
        let norm = dot(&slot, &slot).sqrt();
        if norm > 0.0 {
            slot.iter_mut().for_each(|part| *part /= norm);
        }
        for components in self.sums.iter_mut().flat_map(|part| part.chunks_exact_mut(rank)) {
            let along = dot(components, &slot);
            components.iter_mut().zip(&slot).for_each(|(part, unit)| *part -= along * unit);
        }
        self.square(rank);
    }
}

/// How the learned part `x` of an eigenvector grows: `tau x' = c lambda^2 V x^p (1 - x)`. In `y = ln(x/(1 - x))`, which no
/// tolerance is too coarse for, that is `tau y' = c lambda^2 V x^(p - 1)`.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Growth {
    /// In a head of its own, with `k = q = v e` and `x = (v/v*)^3`: Eq. (42), where `c = 3`, `V = v*`, `p = 4/3`.
    NewHead,
    /// In a free slot of a head that rests at this value `V`, where `c = 2` and `p = 1`.
    UsedHead(f64),
}

/// What is learned at that `y`.
fn part(y: f64) -> f64 {
    1.0 / (1.0 + (-y).exp())
}

/// `y` of what is never learned.
const NEVER: f64 = -1e4;

/// A flow that notes when the loss falls to each of these levels, and stops at the last.
fn watching(levels: &[f64]) -> Flow {
    let event = |(place, &level): (usize, &f64)| {
        let falls = Condition::LossBelow(level);
        if place + 1 < levels.len() { Event::note(falls) } else { Event::stop(falls) }
    };
    Flow { events: levels.iter().enumerate().map(event).collect(), ..Flow::default() }
}

/// The theory `staged`: each eigenvector is learned when the start says, see [`jumps`], by the law of the head that takes it.
/// The state is `ln(x/(1 - x))` of each eigenvector, where `x` is how much is learned of it, `e_d^T Theta e_d` as a part of its
/// optimum.
///
/// It is a theory of one start: which head takes which eigenvector, and after which other, is fixed by it.
#[derive(Debug, Clone)]
pub struct StagedLaws {
    /// The jumps, in the order of time.
    pub jumps: Vec<Jump>,
    init: Vec<f64>,
    task: Task,
    shape: Shape,
    tau: f64,
    /// By eigenvector; none for those that are never learned.
    growths: Vec<Option<Growth>>,
    drops: Vec<f64>,
    /// Loss when all is learned.
    floor: f64,
    blocks: Blocks,
}

impl StagedLaws {
    /// The name of the theory.
    pub const NAME: &'static str = "staged";

    /// The theory of the model of that `shape` that starts at `init`; an error where two eigenvectors are learned together, where
    /// the start is not small, or where the model never leaves a saddle.
    pub fn new(task: &Task, shape: Shape, tau: f64, init: &[f64]) -> Result<Self, Error> {
        let jumps = jumps(task, shape, tau, init)?;
        let (clocks, state) = Clocks::new(task, shape, tau, init);
        let size = clocks.size(&state);
        if size > TOGETHER {
            let expected = format!("at most {TOGETHER}: the start is not small");
            let what = "what the start could have learned of an eigenvector";
            return Err(Error::value(what, format!("{size:.3}"), expected));
        }
        let slots = (shape.heads * shape.rank).min(task.dimension());
        if jumps.len() < slots {
            let expected = format!("{slots}: from this start the model rests at a saddle");
            return Err(Error::value(
                "number of eigenvectors that are ever learned",
                jumps.len(),
                expected,
            ));
        }
        for jump in &jumps {
            let name = jump.eigenvector + 1;
            if jump.overlap > TOGETHER {
                let what =
                    format!("learned part of another eigenvector when {name} is half learned");
                let expected = format!("at most {TOGETHER}: they are learned together");
                return Err(Error::value(what, format!("{:.3}", jump.overlap), expected));
            }
        }
        let theory = Theory::new(task);
        let (gains, mut sums) = (theory.optimal_gains(), vec![0.0; shape.heads]);
        let mut growths = vec![None; task.dimension()];
        for jump in &jumps {
            let sum: &mut f64 = &mut sums[jump.head];
            let value = sum.cbrt();
            growths[jump.eigenvector] =
                Some(if jump.slot == 0 { Growth::NewHead } else { Growth::UsedHead(value) });
            *sum += gains[jump.eigenvector];
        }
        let drops = theory.drops();
        let is_learned = |(d, _): &(usize, &f64)| growths[*d].is_some();
        let learned = drops.iter().enumerate().filter(is_learned);
        let floor = learned.fold(task.trace(), |level, (_, drop)| level - drop);
        let blocks = Blocks::new().with("logit", &[task.dimension()], 1.0);
        Ok(Self {
            jumps,
            init: init.to_vec(),
            task: task.clone(),
            shape,
            tau,
            growths,
            drops,
            floor,
            blocks,
        })
    }

    /// When the theory crosses the level half way between plateaus `m` and `m + 1`, for each `m`.
    pub fn crossings(&self) -> Vec<Option<f64>> {
        let mut levels = Theory::new(&self.task).mid_levels();
        levels.truncate(self.jumps.len());
        let flow = watching(&levels).until(self.end());
        let end = flow.run(self, 0.0, &self.project(&self.init), &mut Silent);
        end.map_or(Vec::new(), |end| end.crossings.iter().map(|c| c.map(|c| c.time)).collect())
    }

    /// Long after the last jump.
    fn end(&self) -> f64 {
        let slowest = self.task.eigenvalues.iter().copied().fold(f64::INFINITY, f64::min);
        let last = self.jumps.last().map_or(0.0, |jump| jump.time);
        2.0 * last + 100.0 * self.tau / (slowest * slowest)
    }

    /// `y'` of an eigenvector at a part `x`, and how that changes with `y`.
    fn speed(&self, d: usize, x: f64) -> (f64, f64) {
        let unit = self.task.eigenvalues[d].powi(2) / self.tau;
        match self.growths[d] {
            Some(Growth::NewHead) => {
                let speed = 3.0 * unit * Theory::new(&self.task).optimal_values()[d] * x.cbrt();
                (speed, speed * (1.0 - x) / 3.0)
            }
            Some(Growth::UsedHead(value)) => (2.0 * unit * value, 0.0),
            None => (0.0, 0.0),
        }
    }

    /// `y` of eigenvector `d` that time before half of its drop is done.
    fn before(&self, d: usize, time: f64) -> Option<f64> {
        match self.growths[d]? {
            Growth::UsedHead(_) => Some((HALF / (1.0 - HALF)).ln() - self.speed(d, HALF).0 * time),
            Growth::NewHead => {
                let law = ScalarLaw::of_stage(&self.task, d, self.tau).ok()?;
                // Time is almost a straight line in 1/v.
                let (half, optimum) = (law.half_drop(), law.optimum());
                let missing = |inverse: f64| Ok::<_, Fault>(time - law.time(1.0 / inverse, half)?);
                let far = 1.0 / half + 2.0 * time / law.plateau_estimate(1.0);
                let inverse = bracketed_root(1.0 / half, far, missing(far).ok()?, missing).ok()?;
                let x = (inverse * optimum).powi(-3);
                Some((x / (1.0 - x)).ln())
            }
        }
    }
}

impl ReducedTheory for StagedLaws {
    fn variables(&self) -> &Blocks {
        &self.blocks
    }

    fn law(&self, state: &[f64], rate: &mut [f64]) -> Result<f64, Fault> {
        for (d, (rate, &y)) in rate.iter_mut().zip(state).enumerate() {
            *rate = self.speed(d, part(y)).0;
        }
        Fault::ensure_finite(self.loss(state), "loss of the staged laws")
    }

    fn law_product(&self, state: &[f64], direction: &[f64], product: &mut [f64]) -> bool {
        for (d, (product, &y)) in product.iter_mut().zip(state).enumerate() {
            *product = self.speed(d, part(y)).1 * direction[d];
        }
        true
    }

    fn loss(&self, state: &[f64]) -> f64 {
        let left = |jump: &Jump| {
            let d = jump.eigenvector;
            self.drops[d] * part(-state[d]).powi(2)
        };
        self.floor + self.jumps.iter().map(left).sum::<f64>()
    }

    fn least_loss(&self) -> Option<f64> {
        Some(self.floor)
    }

    /// With `k = q` along each eigenvector, and a slot for each.
    fn lift(&self, state: &[f64]) -> Vec<f64> {
        let gains = Theory::new(&self.task).optimal_gains();
        let gain = |jump: &Jump| gains[jump.eigenvector] * part(state[jump.eigenvector]);
        let mut weights = vec![0.0; self.shape.parameters()];
        for head in 0..self.shape.heads {
            let own = || self.jumps.iter().filter(|jump| jump.head == head);
            let value = own().map(gain).sum::<f64>().cbrt();
            for jump in own().filter(|_| value > 0.0) {
                let vector = scaled(&self.task, jump.eigenvector, (gain(jump) / value).sqrt());
                self.shape.set_pair(&mut weights, head, jump.slot, value, &vector);
            }
        }
        weights
    }

    /// Parts that are learned as they are; of the others what makes them learned when the weights say.
    fn project(&self, theta: &[f64]) -> Vec<f64> {
        let (clocks, state) = Clocks::new(&self.task, self.shape, self.tau, theta);
        let now = clocks.parts(&state, &clocks.carried(&state).0);
        let mut logits = vec![NEVER; now.len()];
        let jumps = match theta == self.init {
            true => self.jumps.clone(),
            false => jumps(&self.task, self.shape, self.tau, theta).unwrap_or_default(),
        };
        for jump in jumps {
            let (d, x) = (jump.eigenvector, now[jump.eigenvector].min(1.0 - f64::EPSILON));
            let logit =
                if x >= HALF { Some((x / (1.0 - x)).ln()) } else { self.before(d, jump.time) };
            logits[d] = logit.unwrap_or(NEVER);
        }
        logits
    }
}

#[cfg(test)]
#[path = "staged_tests.rs"]
mod tests;
