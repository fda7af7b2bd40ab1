//! When a run's loss first falls to given levels, measured by one exact loss for all kinds of runs.

use crate::Fault;
use crate::record::{Control, Glimpse, Moment, Recorder};
use crate::surface::{Probe, Surface};

/// Instants looked at inside each step of a flow: a step of the solver is a small part of a jump, and
/// the loss is close to a line between two of these instants.
const INSIDE: u32 = 16;

/// A recorder that notes when the exact loss first is at or below each level, and stops behind the last.
///
/// Descents are interpolated between their steps, so that a crossing is not rounded up to a whole step.
pub struct LevelWatch<'a> {
    probe: Box<dyn Probe + 'a>,
    gradient: Vec<f64>,
    levels: &'a [f64],
    times: Vec<Option<f64>>,
    last: Option<(f64, f64)>,
    fault: Option<Fault>,
}

impl<'a> LevelWatch<'a> {
    /// Watches `surface` for `levels`, in falling order.
    pub fn new(surface: &'a dyn Surface, levels: &'a [f64]) -> Self {
        let gradient = vec![0.0; surface.layout().len()];
        let times = vec![None; levels.len()];
        Self { probe: surface.probe(), gradient, levels, times, last: None, fault: None }
    }

    /// First crossing of each level; or why the loss could not be told.
    pub fn finish(self) -> Result<Vec<Option<f64>>, Fault> {
        self.fault.map_or(Ok(self.times), Err)
    }

    fn done(&self) -> bool {
        self.fault.is_some() || self.times.iter().all(Option::is_some)
    }
}

impl std::fmt::Debug for LevelWatch<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LevelWatch").field("times", &self.times).finish_non_exhaustive()
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
            *time = Some(match self.last {
                Some((before, above)) if above > loss => {
                    before + (moment.time - before) * (above - level) / (above - loss)
                }
                _ => moment.time,
            });
        }
        self.last = Some((moment.time, loss));
    }
}
