//! All that the rest of a run depends on, between two of its segments.

use super::PhaseEnd;
use crate::array::Array;
use crate::event::Crossing;
use crate::flow::{Termination, Work};
use crate::memory::{Memory, MemoryError};

/// Where a run stands between two segments: all that the rest depends on, the recorder apart.
#[derive(Debug, Clone, PartialEq)]
pub struct Checkpoint {
    pub(super) finished: Vec<PhaseEnd>,
    pub(super) time: f64,
    pub(super) step: u64,
    pub(super) state: Vec<f64>,
    /// What the phase under way needs to go on; `None` where the next phase has yet to begin.
    pub(super) under_way: Option<Memory>,
}

impl Checkpoint {
    /// The beginning of a run from `state`, at time 0.
    pub fn start(state: &[f64]) -> Self {
        let state = state.to_vec();
        Self { finished: Vec::new(), time: 0.0, step: 0, state, under_way: None }
    }

    /// Time that has passed.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Steps taken by all phases so far: of solvers and of rules.
    pub fn step(&self) -> u64 {
        self.step
    }

    /// The parameters.
    pub fn state(&self) -> &[f64] {
        &self.state
    }

    /// How the finished phases ended, in order.
    pub fn finished(&self) -> &[PhaseEnd] {
        &self.finished
    }

    /// Time and step at which the phase under way began.
    pub(super) fn phase_began(&self) -> (f64, u64) {
        self.finished.last().map_or((0.0, 0), |end| (end.time, end.step))
    }

    /// Ends the phase under way.
    pub(super) fn finish_phase(&mut self, end: PhaseEnd) {
        (self.time, self.step, self.under_way) = (end.time, end.step, None);
        self.finished.push(end);
    }

    /// The checkpoint as arrays, to be stored; [`Checkpoint::load`] restores every bit.
    pub fn save(&self) -> Vec<Array> {
        let mut memory = Memory::default();
        memory.put("time", &[self.time]);
        let under_way = u64::from(self.under_way.is_some());
        memory.put_counts("progress", &[self.step, self.finished.len() as u64, under_way]);
        memory.put("state", &self.state);
        for (index, end) in self.finished.iter().enumerate() {
            memory.within(&format!("finished.{index}"), |memory| end.save(memory));
        }
        if let Some(inner) = &self.under_way {
            memory.put_memory("under_way", inner);
        }
        memory.into_arrays()
    }

    /// The checkpoint that [`Checkpoint::save`] wrote.
    pub fn load(arrays: Vec<Array>) -> Result<Self, MemoryError> {
        let mut memory = Memory::from_arrays(arrays)?;
        let [time] = memory.take_numbers("time")?;
        let [step, finished, under_way] = memory.take_counts("progress")?;
        let state = memory.take_all("state")?;
        let end = |index| memory.within(&format!("finished.{index}"), PhaseEnd::load);
        let finished = (0..finished).map(end).collect::<Result<_, _>>()?;
        let under_way = (under_way != 0).then(|| memory.take_memory("under_way"));
        memory.finish()?;
        Ok(Self { finished, time, step, state, under_way })
    }
}

impl PhaseEnd {
    fn save(&self, memory: &mut Memory) {
        let (why, event) = match self.ended {
            Termination::AtTime => (0, 0),
            Termination::ByEvent(index) => (1, index as u64),
            Termination::ByRecorder => (2, 0),
        };
        memory.put_counts("step", &[self.step, u64::from(self.on_clock), why, event]);
        let stiff_from = self.stiff_from.unwrap_or(f64::NAN);
        memory.put("end", &[self.time, self.loss, stiff_from]);
        memory.put_counts("has_work", &[u64::from(self.work.is_some())]);
        memory.put_counts("work", &self.work.unwrap_or_default().counts());
        Crossing::save(self.crossings.iter().copied(), memory);
    }

    fn load(memory: &mut Memory) -> Result<Self, MemoryError> {
        let [step, on_clock, why, event] = memory.take_counts("step")?;
        let ended = match why {
            0 => Termination::AtTime,
            1 => Termination::ByEvent(usize::try_from(event).unwrap_or(usize::MAX)),
            2 => Termination::ByRecorder,
            other => return Err(memory.wrong("step", other as f64, "0, 1 or 2")),
        };
        let [time, loss, stiff_from] = memory.take_numbers("end")?;
        let [has_work] = memory.take_counts("has_work")?;
        let work = Work::from_counts(memory.take_counts("work")?);
        Ok(Self {
            time,
            on_clock: on_clock != 0,
            step,
            loss,
            ended,
            crossings: Crossing::load(memory, None)?,
            work: (has_work != 0).then_some(work),
            stiff_from: (!stiff_from.is_nan()).then_some(stiff_from),
        })
    }
}

#[cfg(test)]
#[path = "checkpoint_tests.rs"]
mod tests;
