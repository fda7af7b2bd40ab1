//! All that the rest of a run depends on, between two of its segments.

use super::PhaseEnd;
use crate::early_stop::Best;
use crate::prelude::*;

/// Where a run stands between two segments: all that the rest depends on, the recorder apart.
#[derive(Debug, Clone, PartialEq)]
pub struct Checkpoint {
    /// How the finished phases ended, in order.
    pub finished: Vec<PhaseEnd>,
    pub time: f64,
    /// Steps taken by all phases so far: of solvers and of rules.
    pub step: u64,
    pub state: Vec<f64>,
    /// What the phase under way needs to go on; `None` where the next phase has yet to begin.
    pub(super) under_way: Option<Memory>,
}

impl Checkpoint {
    /// The beginning of a run from `state`, at time 0.
    pub fn start(state: &[f64]) -> Self {
        let state = state.to_vec();
        Self { finished: Vec::new(), time: 0.0, step: 0, state, under_way: None }
    }

    /// Time and step at which the phase under way began.
    pub(super) fn phase_began(&self) -> (f64, u64) {
        self.finished.last().map_or((0.0, 0), |end| (end.time, end.step))
    }

    /// The checkpoint as arrays, to be stored; [`Checkpoint::load`] restores every bit.
    pub fn save(&self) -> Vec<Array> {
        let mut whole = self.clone();
        Memory::of(|memory| whole.remember(memory)).into_arrays()
    }

    /// The checkpoint that [`Checkpoint::save`] wrote.
    pub fn load(arrays: Vec<Array>) -> Result<Self, MemoryError> {
        let mut whole = Self::start(&[]);
        Memory::from_arrays(arrays)?.restore(|memory| whole.remember(memory))?;
        Ok(whole)
    }

    fn remember(&mut self, memory: &mut Memory) -> Result<(), MemoryError> {
        memory.numbers("time", [&mut self.time])?;
        let (mut finished, mut under_way) =
            (self.finished.len() as u64, u64::from(self.under_way.is_some()));
        memory.counts("progress", [&mut self.step, &mut finished, &mut under_way])?;
        memory.any_list("state", &mut self.state)?;
        for index in 0..finished as usize {
            if index == self.finished.len() {
                self.finished.push(PhaseEnd::default());
            }
            let end = &mut self.finished[index];
            memory.within(&format!("finished.{index}"), |memory| end.remember(memory))?;
        }
        if under_way != 0 {
            memory.memory("under_way", self.under_way.get_or_insert_default());
        }
        Ok(())
    }
}

impl PhaseEnd {
    fn remember(&mut self, memory: &mut Memory) -> Result<(), MemoryError> {
        let mut on_clock = u64::from(self.on_clock);
        let (mut why, mut event) = match self.ended {
            Termination::AtTime => (0, 0),
            Termination::ByEvent(index) => (1, index as u64),
            Termination::ByRecorder => (2, 0),
            Termination::Early => (3, 0),
        };
        memory.counts("step", [&mut self.step, &mut on_clock, &mut why, &mut event])?;
        self.on_clock = on_clock != 0;
        self.ended = match why {
            0 => Termination::AtTime,
            1 => Termination::ByEvent(event as usize),
            2 => Termination::ByRecorder,
            3 => Termination::Early,
            other => return Err(memory.wrong("step", other as f64, "0, 1, 2 or 3")),
        };
        let mut stiff_from = self.stiff_from.unwrap_or(f64::NAN);
        memory.numbers("end", [&mut self.time, &mut self.loss, &mut stiff_from])?;
        self.stiff_from = (!stiff_from.is_nan()).then_some(stiff_from);
        let mut has_work = u64::from(self.work.is_some());
        memory.counts("has_work", [&mut has_work])?;
        let mut work = self.work.unwrap_or_default();
        memory.counts("work", work.counts())?;
        self.work = (has_work != 0).then_some(work);
        Crossing::remember(&mut self.crossings, true, memory)?;
        Best::remember(&mut self.best, memory)
    }
}

#[cfg(test)]
#[path = "checkpoint_tests.rs"]
mod tests;
