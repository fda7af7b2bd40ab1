//! Stub.
use super::figure::Bars;
use super::frame::Margins;
use super::layout::Content;
use super::legend::Entry;
use super::scene::{Drawing, Rect};
use super::style::Style;
pub(crate) struct BarsContent<'a>(&'a Bars);
impl<'a> BarsContent<'a> {
    pub(crate) fn new(it: &'a Bars, _title: Option<&str>) -> Self {
        Self(it)
    }
}
impl Content for BarsContent<'_> {
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
