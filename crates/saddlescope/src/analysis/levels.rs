//! When a run's loss first falls to given levels, measured by one exact loss for all kinds of runs.

use crate::prelude::*;
use crate::surface::Probe;

/// Instants looked at inside each step of a flow.
const INSIDE: u32 = 32;

/// A recorder that notes when the exact loss first is at or below each level, and stops behind the last.
///
/// Descents are interpolated between their steps, so that a crossing is not rounded up to a whole step.
pub struct LevelWatch<'a> {
    probe: Probe<'a>,
    gradient: Vec<f64>,
    levels: &'a [f64],
    times: Vec<Option<f64>>,
    /// The last two instants and their losses, the later one first.
    last: [Option<(f64, f64)>; 2],
    fault: Option<Fault>,
}

impl<'a> LevelWatch<'a> {
    /// Watches `surface` for `levels`, in falling order.
    pub fn new(surface: &'a dyn Surface, levels: &'a [f64]) -> Self {
        let gradient = vec![0.0; surface.layout().len()];
        let times = vec![None; levels.len()];
        Self { probe: surface.probe(), gradient, levels, times, last: [None; 2], fault: None }
    }

    /// First crossing of each level; or why the loss could not be told.
    pub fn finish(self) -> Result<Vec<Option<f64>>, Fault> {
        self.fault.map_or(Ok(self.times), Err)
    }

    fn done(&self) -> bool {
        self.fault.is_some() || self.times.iter().all(Option::is_some)
    }
}

impl Recorder for LevelWatch<'_> {
    fn plan(&mut self, from: Glimpse, to: Glimpse, times: &mut Vec<f64>) -> Control {
        if self.done() {
            return Control::Stop;
        }
        let step = (to.time - from.time) / f64::from(INSIDE);
        times.extend((1..INSIDE).map(|i| from.time + f64::from(i) * step));
        times.push(to.time);
        Control::Continue
    }

    fn record(&mut self, moment: &Moment<'_>) {
        let loss = match self.probe.evaluate(moment.state, &mut self.gradient) {
            Ok(loss) => loss,
            Err(fault) => {
                self.fault = Some(fault);
                return;
            }
        };
        for (time, &level) in self.times.iter_mut().zip(self.levels) {
            if time.is_some() || loss > level {
                continue;
            }
            *time = Some(crossing(level, (moment.time, loss), self.last));
        }
        self.last = [Some((moment.time, loss)), self.last[0]];
    }
}

/// When a loss that is at or below `level` for the first time `now` crossed it: by a parabola of time
/// over loss through the last three instants where the loss has fallen, otherwise by a line.
fn crossing(level: f64, now: (f64, f64), last: [Option<(f64, f64)>; 2]) -> f64 {
    let Some(one) = last[0].filter(|one| one.1 > now.1) else { return now.0 };
    let line = now.0 + (one.0 - now.0) * (level - now.1) / (one.1 - now.1);
    let Some(two) = last[1].filter(|two| two.1 > one.1) else { return line };
    // Newton's form: the line, and what the third instant bends it by.
    let slope = |a: (f64, f64), b: (f64, f64)| (b.0 - a.0) / (b.1 - a.1);
    let bend = (slope(one, two) - slope(now, one)) / (two.1 - now.1);
    let curved = line + bend * (level - now.1) * (level - one.1);
    if (one.0..=now.0).contains(&curved) { curved } else { line }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crossing_is_found_between_instants() {
        // L = exp(-t), seen at three instants.
        let at = |t: f64| (t, (-t).exp());
        let (now, last) = (at(1.1), [Some(at(1.0)), Some(at(0.9))]);
        let level = (-1.04_f64).exp();
        let found = crossing(level, now, last);
        // The third derivative of -ln L is -2/L^3; a parabola misses by a sixth of it times three distances.
        let distances = (level - now.1) * (level - at(1.0).1) * (level - at(0.9).1);
        let bound = (2.0 / now.1.powi(3) / 6.0 * distances).abs();
        assert!((found - 1.04).abs() <= bound, "{found} misses by more than {bound}");
        assert!((crossing(level, now, [Some(at(1.0)), None]) - 1.04).abs() < 2e-3);
        assert_eq!(crossing(level, now, [None, None]), 1.1);
    }
}
