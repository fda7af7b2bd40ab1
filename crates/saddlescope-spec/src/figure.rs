//! Figures as data: which columns of which runs a panel shows, and which theory beside them.
//!
//! A system declares its own figure, an experiment file its `[figure]`; both are a [`FigureSpec`].
//! Nothing here knows how lines are drawn.

mod phase;
mod vector;

use crate::settings::{Kind, Result, Section, Settings};
use crate::{choices, kinds, settings};

pub use phase::{MOST_BINS, Phase, Reduce};
pub use vector::{Entries, Evolution, Profile, ProfileShape, TimeAxis};

choices! {
    pub enum Width {
        Column = "column", "one column of a paper: 86 mm";
        Page = "page", "the whole width of a paper's text: 178 mm";
        Slide = "slide", "a projector: 254 mm, with larger signs";
    }
}

choices! {
    /// Where colours and dashes are explained.
    pub enum LegendPlace {
        Panels = "panels", "inside each panel that needs it";
        Shared = "shared", "once for all panels, above them";
        None = "none", "nowhere";
    }
}

choices! {
    /// How an axis is divided.
    pub enum Scale {
        Linear = "linear", "equal steps";
        Log = "log", "equal ratios; what is not above 0 is left out";
    }
}

choices! {
    pub enum ColourBy {
        Auto = "auto",
            "by arm or varied value where there are several, then by instant, otherwise by column";
        Column = "column", "by what is drawn";
        Arm = "arm", "by arm";
        Seed = "seed", "by seed";
        Varied = "varied", "by the varied value, as a ramp";
        Instant = "instant", "by instant, as a ramp";
    }
}

/// The same in panels that do not show several instants.
const COLOUR: Kind = Kind::Choice(&[
    ("auto", "by arm or varied value where there are several, otherwise by column"),
    ("column", "by what is drawn"),
    ("arm", "by arm"),
    ("seed", "by seed"),
    ("varied", "by the varied value, as a ramp"),
]);

choices! {
    pub enum SeedsAs {
        Each = "each", "a line for every seed";
        Band = "band", "the median, and a band that holds all seeds";
        Mean = "mean", "the mean, and a band of one standard deviation to either side";
        First = "first", "only the first seed";
    }
}

choices! {
    /// When a matrix or a vector is shown.
    pub enum Instants {
        Plateaus = "plateaus",
            "in the middle, on log time, of each plateau that the theory predicts; where it predicts none, of each that is found";
        Ends = "ends", "at the start and at the end";
        End = "end", "at the end";
    } | Times(Vec<f64> [>= 0.0; 1..])
}

settings! {
    /// What holds for all panels of a figure.
    pub struct Figure {
        title: Option<String>, example "Four jumps", "words above the panels";
        columns: usize [1..=8] = 2, "panels side by side";
        width: Width = "page", "how wide the figure is";
        aspect: f64 [> 0.0] = 0.75, "height of a panel, relative to its width";
        legend: LegendPlace = "panels", "where colours and dashes are explained";
        legend_title: Option<String>, example "rank $R$",
            "what the legend tells apart", when legend is "panels" or "shared";
    }
}

settings! {
    /// What every panel has.
    struct Frame {
        title: Option<String>, example "(a) the loss falls in steps", "words above the panel";
        only: Vec<String> = [],
            "which runs are drawn, such as \"arm = flow\" or \"system.rank = 2 | 4\", which means either";
        facet: Option<String>, example "system.rank",
            "a panel for each value of this: arm, seed or a varied setting";
        span: usize [1..=8] = 1, "how many places of the grid the panel takes in its row";
    }
}

settings! {
    /// Theory beside measurements.
    pub struct Beside {
        theory: Vec<String> = [],
            "predictions that are drawn beside what was measured, by name, such as \"levels\"";
    }
}

settings! {
    /// Words and ends of a panel's axes; found from the data where they are missing.
    #[derive(Default)]
    pub struct Axes {
        x_label: Option<String>, example "time $t$", "words below the x axis";
        y_label: Option<String>, example "loss", "words beside the y axis";
        x_range: Option<(f64, f64)>, example [1.0, 1e4],
            "ends of the x axis; the data's without it";
        y_range: Option<(f64, f64)>, example [0.0, 1.0],
            "ends of the y axis; the data's without it";
    }
}

settings! {
    /// Columns of the runs.
    pub struct Lines {
        x: String = "time", "what runs along the x axis: time, step or a column";
        y: Vec<String> = ["loss"], "columns that are drawn; * stands for one part of a name";
        x_scale: Scale = "log", "how the x axis is divided";
        y_scale: Scale = "linear", "how the y axis is divided";
        colour: ColourBy [as COLOUR] = "auto", "what colours tell apart";
        seeds: SeedsAs = "each", "how several seeds are shown";
        crossings: bool = false,
            "whether vertical lines mark the measured crossings of the loss levels, of the first run";
        drop_part: f64 [> 0.0, < 1.0] = 0.5,
            "the part of each drop between two levels that is done where its line stands";
        x_from: Option<f64>, example 1.0,
            "where the x axis begins, in place of x_range; it ends where the data do, however long the runs are";
    }
}

settings! {
    /// A point per run, from the table of runs.
    pub struct Points {
        x: String, required "start.scale", "a column of the table of runs";
        y: Vec<String>, required ["crossing.*"], "columns of the table of runs";
        x_scale: Scale = "log", "how the x axis is divided";
        y_scale: Scale = "log", "how the y axis is divided";
        colour: ColourBy [as COLOUR] = "auto", "what colours tell apart";
        seeds: SeedsAs = "each", "how several seeds are shown";
        fit: bool = false,
            "whether the laws of [[fit]] for these columns are drawn: a line with its band, and theory's slope";
    }
}

settings! {
    /// Bars, a group per column of the table of runs.
    pub struct Bars {
        y: Vec<String>, required ["duration.*"],
            "columns of the table of runs, a group of bars each";
        y_scale: Scale = "linear", "how the y axis is divided";
    }
}

settings! {
    /// A matrix of the first run at several times.
    pub struct Heatmap {
        matrix: Vec<String>, required ["head.*.key"],
            "columns whose rows are stacked to a matrix";
        at: Instants = "plateaus", "when the matrix is shown", unit "time";
        at_steps: Option<Vec<f64>> [>= 0.0; 1..], example [0, 500, 1500],
            "the same in steps of training, in place of at", unit "steps";
        at_parts: Option<Vec<f64>> [>= 0.0, <= 1.0; 1..], example [0.0, 0.1, 1.0],
            "the same as parts of the run's steps, in place of at";
        column_labels: Vec<String> = [],
            "words below the columns of the matrix, from the left";
        row_labels: Vec<String> = [],
            "words beside the rows of the matrix, from the top; names of the columns that are stacked without it";
    }
}

settings! {
    /// Rows of the table of runs.
    pub struct Table {
        columns: Vec<String>, required ["seed", "end.loss"], "columns of the table of runs";
    }
}

settings! {
    /// A mark per run of the table, where two or three of its columns put it, in the colour of another.
    pub struct Map {
        x: Option<String>, example "start.scale",
            "the column of the table of runs along the x axis";
        y: Option<String>, example "end.time",
            "the column of the table of runs along the y axis";
        corners: Vec<String> = [],
            "in place of x and y, three columns of numbers >= 0 that put runs into a triangle by their shares: \
             the corners at the left, at the right and at the top";
        corner_labels: Vec<String> = [],
            "words at the three corners; the columns' own without it";
        colour: String, required "crossing.1",
            "the column of the table of runs that colours show: words, up to 8 whole numbers, or numbers on a ramp";
        colour_scale: Scale = "linear", "how the ramp of numbers is divided";
        colour_label: Option<String>, example "order",
            "words for what colours show; the column's own without it";
        x_scale: Scale = "linear", "how the x axis is divided";
        y_scale: Scale = "linear", "how the y axis is divided";
    }
}

settings! {
    /// The known saddles of a system, the ways between them, and the paths of many starts.
    pub struct Graph {
        starts: usize [0..=1_000_000] = 1000,
            "random starts whose paths are drawn, with the seeds from that of the run on";
        near: f64 [> 0.0] = 0.2,
            "how near to a saddle a start must come to have visited it; neighbours are 1 apart";
    }
}

kinds! {
    /// What a panel shows.
    pub enum Contents {
        Lines(Lines) + Beside + Axes = "lines", "columns of the runs, as lines";
        Points(Points) + Beside + Axes = "points", "a point per run";
        Bars(Bars) + Beside + Axes = "bars", "bars, a group per column of the table of runs";
        Heatmap(Heatmap) + Beside = "heatmap",
            "a matrix of the first run at several times, as colours";
        Profile(Profile) + Beside + Axes = "profile",
            "columns with several entries over these, at one or more instants";
        Evolution(Evolution) + Beside + ImageAxes = "evolution",
            "a column with several entries of the first run over time, as an image";
        Graph(Graph) = "graph",
            "the saddles that theory knows, the ways between them, and the paths of many starts";
        Map(Map) + Axes = "map",
            "a mark per run where columns of the table put it, in the colour of another column";
        Phase(Phase) + Axes = "phase",
            "a column of the table over two others, as coloured cells: a phase diagram";
        Tokens = "tokens",
            "the task of the system as rows of tokens, where it has a sketch of it";
        Table(Table) = "table", "rows of the table of runs";
    }
}

settings! {
    /// The axes of an image, whose y axis ends where its entries do.
    struct ImageAxes {
        x_label: Option<String>, example "time $t$", "words below the x axis";
        y_label: Option<String>, example "token", "words beside the y axis";
        x_range: Option<(f64, f64)>, example [1.0, 1e4],
            "ends of the x axis; the data's without it";
    }
}

/// The settings in `[figure]`.
pub const FIGURE: Section = Section::plain(
    "figure",
    "How the runs are drawn; each [[figure.panel]] is one panel. Without it, the system's own figure.",
    Figure::PARAMETERS,
);

/// The settings in each `[[figure.panel]]`.
pub const PANEL: Section = Section::by_kind(
    "figure.panel",
    "One panel of the figure.",
    "lines",
    Contents::KINDS,
    Frame::PARAMETERS,
);

/// A figure: panels on a grid.
#[derive(Debug, Clone, PartialEq)]
pub struct FigureSpec {
    /// What holds for all panels.
    pub whole: Figure,
    /// The panels, row by row.
    pub panels: Vec<PanelSpec>,
}

#[derive(Debug, Clone, PartialEq)]
#[must_use]
pub struct PanelSpec {
    pub title: Option<String>,
    /// Which runs are drawn, such as `arm = flow`; all of these must fit.
    pub only: Vec<String>,
    /// A panel for each value of this: `arm`, `seed` or a varied setting.
    pub facet: Option<String>,
    /// Places of the grid that it takes.
    pub span: usize,
    /// Names of predictions that are drawn beside what was measured.
    pub theory: Vec<String>,
    pub axes: Axes,
    pub contents: Contents,
}

/// Where the marks of a map stand.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum MapPlace<'a> {
    Axes {
        x: &'a str,
        y: &'a str,
    },
    /// In a triangle, by the shares of three columns in their sum.
    Triangle {
        /// The columns, at the left, at the right and at the top.
        corners: &'a [String; 3],
        /// Words at the corners; the columns' labels without them.
        labels: Option<&'a [String; 3]>,
    },
}

impl FigureSpec {
    /// A figure of the whole width of a page.
    pub fn new(columns: usize, panels: Vec<PanelSpec>) -> Self {
        Self { whole: Figure { columns, ..Figure::defaults() }, panels }
    }

    /// The figure that a `[figure]` and its panels describe.
    pub fn from_settings(figure: &Settings, panels: &[Settings]) -> Result<Self> {
        let panels = panels.iter().map(PanelSpec::from_settings).collect::<Result<_, _>>()?;
        Ok(Self { whole: figure.read(), panels })
    }
}

impl PanelSpec {
    /// A panel that shows `contents` of all runs.
    pub fn new(contents: Contents) -> Self {
        let Frame { title, only, facet, span } = Frame::defaults();
        let (theory, axes) = (Vec::new(), Axes::default());
        Self { title, only, facet, span, theory, axes, contents }
    }

    /// Columns over time, on a logarithmic axis.
    pub fn over_time(y: &[&str]) -> Self {
        Self::new(Contents::Lines(Lines { y: owned(y), ..Lines::defaults() }))
    }

    /// The same panel with a logarithmic y axis that ends at `range`.
    pub fn log_within(mut self, range: (f64, f64)) -> Self {
        if let Contents::Lines(Lines { y_scale, .. }) = &mut self.contents {
            *y_scale = Scale::Log;
        }
        self.axes.y_range = Some(range);
        self
    }

    pub fn titled(mut self, title: &str) -> Self {
        self.title = Some(title.to_owned());
        self
    }

    /// The same panel with predictions beside it.
    pub fn beside(mut self, theory: &[&str]) -> Self {
        self.theory = owned(theory);
        self
    }

    fn from_settings(panel: &Settings) -> Result<Self> {
        let contents = panel.read();
        match &contents {
            Contents::Map(map) => map.check(panel)?,
            Contents::Phase(phase) => phase.check(panel)?,
            Contents::Profile(_) => vector::check_entries(panel)?,
            Contents::Evolution(_) => {
                vector::check_entries(panel)?;
                panel.check_range("colour_range")?;
            }
            _ => {}
        }
        for (name, other) in [("x_from", "x_range"), ("at_parts", "at_steps")] {
            let given = |name| panel.declares(name) && panel.find(name).is_some();
            let both = given(name) && given(other);
            panel.ensure(
                !both,
                name,
                format!("and {other} say the same: leave one of them out"),
            )?;
        }
        for name in ["x_range", "y_range"] {
            if panel.declares(name) {
                panel.check_range(name)?;
            }
        }
        let axes = match contents {
            Contents::Evolution(_) => {
                let ImageAxes { x_label, y_label, x_range } = panel.read();
                Axes { x_label, y_label, x_range, y_range: None }
            }
            _ if panel.declares("y_range") => panel.read(),
            _ => Axes::default(),
        };
        let beside = panel.declares("theory").then(|| panel.read::<Beside>());
        let theory = beside.map_or_else(Vec::new, |beside| beside.theory);
        let Frame { title, only, facet, span } = panel.read();
        Ok(Self { title, only, facet, span, theory, axes, contents })
    }
}

impl Map {
    pub fn place(&self) -> MapPlace<'_> {
        match <&[String; 3]>::try_from(&*self.corners) {
            Ok(corners) => {
                MapPlace::Triangle { corners, labels: (&*self.corner_labels).try_into().ok() }
            }
            Err(_) => {
                let [x, y] = [&self.x, &self.y].map(|name| name.as_deref().unwrap_or_default());
                MapPlace::Axes { x, y }
            }
        }
    }

    /// Two columns, or three corners, and not both.
    fn check(&self, panel: &Settings) -> Result<()> {
        for (name, texts) in [("corner_labels", &self.corner_labels), ("corners", &self.corners)] {
            if !matches!(texts.len(), 0 | 3) {
                let message = format!("has {} entries, but a triangle has 3 corners", texts.len());
                return Err(panel.wrong(name, message));
            }
        }
        let axes = (self.x.is_some(), self.y.is_some());
        match (self.corners.is_empty(), axes, self.corner_labels.is_empty()) {
            (false, (false, false), _) | (true, (true, true), true) => Ok(()),
            (false, ..) => {
                let message = "puts runs into a triangle, which has neither x nor y";
                Err(panel.wrong("corners", message))
            }
            (true, (true, true), false) => {
                let message = "names corners of a triangle, but `corners` says nothing of one";
                Err(panel.wrong("corner_labels", message))
            }
            (true, ..) => {
                let message = "is \"map\", which places runs by x and y, or by three corners";
                Err(panel.wrong("kind", message))
            }
        }
    }
}

fn owned(words: &[&str]) -> Vec<String> {
    words.iter().map(ToString::to_string).collect()
}

#[cfg(test)]
#[path = "figure_tests.rs"]
mod tests;
