//! How the page opens on a system.

/// Settings beyond the defaults: dotted names and values as in a file.
pub type Set = &'static [(&'static str, &'static str)];

/// How the page opens on a system, and how its descents go.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct View {
    /// Settings beyond the defaults. Where they end a run early, the story is over long before the loss is at its minimum.
    pub set: Set,
    /// What runs beside the main run at first.
    pub with: &'static [&'static str],
    /// A learning rate at which descent follows the flow.
    pub lr: f64,
    /// What makes its loss one that is drawn at each step; empty where nothing does.
    pub drawn: Set,
}

impl View {
    /// On the defaults.
    pub const DEFAULT: Self = Self { set: &[], with: &[], lr: 0.01, drawn: &[] };
}
