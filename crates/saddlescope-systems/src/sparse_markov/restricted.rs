//! Stub.
use super::evaluation::{Evaluation, Stored};
use super::{Error, Minimal};
use std::sync::Arc;
pub struct Restricted {
    window: usize,
}
impl Restricted {
    pub fn new(
        _m: &Minimal,
        window: usize,
        _x: (Option<Arc<[u16]>>, u64, u64),
    ) -> Result<Self, Error> {
        Ok(Self { window })
    }
    pub fn window(&self) -> usize {
        self.window
    }
    pub fn stored(&self, _e: &Evaluation) -> Result<&Stored, Error> {
        Err(Error::value("a", "b", "c"))
    }
}
