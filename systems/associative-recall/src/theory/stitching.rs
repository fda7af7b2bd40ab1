//! When jumps come: how long a small head waits, and what it keeps while other heads jump.

use crate::Task;
use crate::task::factorial;

/// The two numbers behind every time of a jump: how fast a small head turns to its lag.
///
/// While head `h` is small and `m` tokens are matched, `k' = k - m` lags are open to it. With attention
/// `a` on its own lag, `s = e^alpha - 1` obeys `s' = c (beta(0)^2 + 2 (k' - 1)/k' s^2)`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Escape {
    /// `c = (1 + gamma)(1 - 1/R) a / k'!`.
    pub rate: f64,
    /// `k'`.
    pub open: usize,
}

impl Escape {
    /// The escape from plateau `m`, from attention `attention` on the own lag (`1/k` from `w = 0`).
    pub fn new(task: &Task, gain: f64, m: usize, attention: f64) -> Self {
        let open = task.order - m;
        Self { rate: gain * task.guess() * attention / factorial(open), open }
    }

    /// The phase that a head of strength `beta` runs through per unit of time; it jumps at `pi/2`.
    pub fn frequency(&self, beta: f64) -> f64 {
        let open = self.open as f64;
        self.rate * beta.abs() * (2.0 * (open - 1.0) / open).sqrt()
    }

    /// When the small-head law blows up: `T* = pi/(2 c eps) sqrt(k'/(2 (k' - 1)))`.
    ///
    /// 001, line 150, has `s ~ eps tan(eps T)`, without the constants; line 148 has 4 in place of
    /// `2 (k - 1)/k`.
    pub fn time(&self, beta: f64) -> f64 {
        std::f64::consts::FRAC_PI_2 / self.frequency(beta)
    }

    /// When `s` of a head of strength `beta` comes to a value: [`Escape::growth`] the other way round.
    pub fn until(&self, beta: f64, s: f64) -> f64 {
        let open = self.open as f64;
        let tangent = s / (beta.abs() * (open / (2.0 * (open - 1.0))).sqrt());
        tangent.atan() / self.frequency(beta)
    }

    /// `s = e^alpha - 1` of a head of strength `beta` at time `t`, by the small-head law from `w = 0`.
    pub fn growth(&self, beta: f64, t: f64) -> f64 {
        let open = self.open as f64;
        let tangent = (self.frequency(beta) * t).tan();
        beta.abs() * (open / (2.0 * (open - 1.0))).sqrt() * tangent
    }
}

/// The times of the jumps from `w = 0` and strengths `beta`, all heads small: phases add up over the
/// plateaus, and a head jumps when its phase comes to `pi/2`. Returns (head, time) in their order.
///
/// `seen` replaces the first times by those that were measured, so that each further time starts there.
/// 001, "Stitching the jumps", as a law: the strength of a waiting head does not change, its phase does.
pub fn stitched(task: &Task, gain: f64, beta: &[f64], seen: &[f64]) -> Vec<(usize, f64)> {
    let mut waiting: Vec<(usize, f64)> = beta.iter().map(|beta| beta.abs()).enumerate().collect();
    waiting.retain(|&(_, beta)| beta > 0.0);
    waiting.sort_by(|a, b| b.1.total_cmp(&a.1));
    let attention = 1.0 / task.order as f64;
    let mut phases = vec![0.0; waiting.len()];
    let (mut now, mut jumps) = (0.0, Vec::new());
    for m in 0..waiting.len().min(task.order - 1) {
        let escape = Escape::new(task, gain, m, attention);
        let (head, beta) = waiting[m];
        let left = std::f64::consts::FRAC_PI_2 - phases[m];
        let then = seen.get(m).copied().unwrap_or(now + left / escape.frequency(beta));
        for (phase, &(_, beta)) in phases.iter_mut().zip(&waiting) {
            *phase += escape.frequency(beta) * (then - now);
        }
        now = then;
        jumps.push((head, then));
    }
    jumps
}

/// A head that waits: `x`, by how much its own weight is above the mean of the open ones, and `beta^2`.
///
/// On plateau `m`, `x' = c_m beta^2`, and `beta^2 - q x^2` is kept with `q = 2 (k' - 1)/k'`. When another head
/// jumps, `x` and `beta` go on and `q` changes: that is why phases alone do not add up exactly.
#[derive(Debug, Clone, Copy)]
struct Waiting {
    head: usize,
    x: f64,
    square: f64,
}

impl Waiting {
    /// What is kept, and `q`, which falls from plateau to plateau: what is kept stays above zero.
    fn constants(self, open: usize) -> (f64, f64) {
        let q = 2.0 * (open as f64 - 1.0) / open as f64;
        (self.square - q * self.x * self.x, q)
    }

    /// How long until `x` is infinite.
    fn left(self, escape: Escape) -> f64 {
        let (kept, q) = self.constants(escape.open);
        let phase = (self.x * (q / kept).sqrt()).atan();
        (std::f64::consts::FRAC_PI_2 - phase) / (escape.rate * (kept * q).sqrt())
    }

    /// The head a time later, on the same plateau.
    fn after(self, escape: Escape, time: f64) -> Self {
        let (kept, q) = self.constants(escape.open);
        let phase = (self.x * (q / kept).sqrt()).atan() + escape.rate * (kept * q).sqrt() * time;
        let x = (kept / q).sqrt() * phase.tan();
        Self { x, square: kept + q * x * x, ..self }
    }
}

/// The times of the jumps from `w = 0` and strengths `beta`, exact as they shrink together: (head, time) in
/// their order. Ours.
pub fn chained(task: &Task, gain: f64, beta: &[f64]) -> Vec<(usize, f64)> {
    chained_after(task, gain, beta, 0)
}

/// The same with so many tokens matched already, by heads that `beta` has as zero.
pub fn chained_after(task: &Task, gain: f64, beta: &[f64], matched: usize) -> Vec<(usize, f64)> {
    let waiting = |(head, beta): (usize, &f64)| Waiting { head, x: 0.0, square: beta * beta };
    let mut heads: Vec<Waiting> = beta.iter().enumerate().map(waiting).collect();
    heads.retain(|head| head.square > 0.0);
    let (mut now, mut jumps) = (0.0, Vec::new());
    for m in matched..(matched + heads.len()).min(task.order - 1) {
        let escape = Escape::new(task, gain, m, 1.0 / task.order as f64);
        let wait = |head: &Waiting| head.left(escape);
        let next = heads.iter().enumerate().min_by(|a, b| wait(a.1).total_cmp(&wait(b.1)));
        let Some(place) = next.map(|(place, _)| place) else { break };
        let first = heads.swap_remove(place);
        let left = first.left(escape);
        now += left;
        jumps.push((first.head, now));
        heads.iter_mut().for_each(|head| *head = head.after(escape, left));
    }
    jumps
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The law of a small head beside the whole law of the first jump, which it is the limit of.
    #[test]
    fn a_small_head_turns_as_the_whole_law_does() {
        use crate::laws::FirstJump;
        use saddlescope_spec::prelude::*;
        for order in [2, 4] {
            let task = Task::new(order, 4).unwrap();
            let (escape, eps) = (Escape::new(&task, 1.3, 0, 1.0 / order as f64), 1e-5);
            let law = FirstJump::new(&task, 1.3).unwrap();
            for part in [0.3, 0.9] {
                let time = part * escape.time(eps);
                let flow = Flow::default().until(time);
                let end = flow.run(&law, 0.0, &[0.0, eps], &mut Silent).unwrap();
                let s = end.state[0].exp_m1();
                assert!((escape.growth(eps, time) / s - 1.0).abs() < 1e-3, "{order} {part}: {s}");
                assert!((escape.until(eps, escape.growth(eps, time)) / time - 1.0).abs() < 1e-12);
            }
        }
    }

    /// Whatever their places and signs; one of strength zero never does.
    #[test]
    fn heads_jump_by_strength() {
        let task = Task::new(4, 4).unwrap();
        let beta = [0.012, -0.02, 0.0, 0.016];
        let (stitched, chained) = (stitched(&task, 1.0, &beta, &[]), chained(&task, 1.0, &beta));
        for jumps in [&stitched, &chained] {
            assert_eq!(jumps.iter().map(|jump| jump.0).collect::<Vec<_>>(), [1, 3, 0]);
        }
        // From an independent implementation.
        for ((_, found), known) in stitched.iter().zip([8_208.0, 8_752.0, 9_102.0]) {
            assert!((found - known).abs() < 1.0, "{found} {known}");
        }
    }
}
