//! Stub.
use super::figure::Heatmaps;
use super::frame::Margins;
use super::layout::Content;
use super::legend::Entry;
use super::scene::{Drawing, Rect};
use super::style::Style;
pub(crate) struct HeatmapsContent<'a>(&'a Heatmaps);
impl<'a> HeatmapsContent<'a> {
    pub(crate) fn new(it: &'a Heatmaps) -> Self {
        Self(it)
    }
}
impl Content for HeatmapsContent<'_> {
    fn room(&mut self, _: f64, _: f64, _: &Style) -> Margins {
        let _ = self.0;
        Margins::default()
    }
    fn entries(&self) -> Vec<Entry> {
        Vec::new()
    }
    fn mute(&mut self) {}
    fn draw(&self, _: Rect, _: &Style, _: &mut Drawing) {}
}
