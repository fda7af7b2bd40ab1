//! Figures as data: which columns of which runs a panel shows, and which theory beside them.
//!
//! A system declares its own figure, an experiment file its `[figure]`; both are a [`FigureSpec`].
//! Nothing here knows how lines are drawn.

mod phase;
mod vector;

use crate::settings::{Settings, SettingsError, Value};

pub use phase::{MOST_BINS, Phase, Reduce};
pub use vector::{Entries, Evolution, Profile, ProfileShape};

/// A figure: panels on a grid.
#[derive(Debug, Clone, PartialEq)]
pub struct FigureSpec {
    /// Words above the panels.
    pub title: Option<String>,
    /// Panels side by side.
    pub columns: usize,
    /// How wide the figure is.
    pub width: Width,
    /// Height of a panel, relative to its width.
    pub aspect: f64,
    /// Where colours and dashes are explained.
    pub legend: LegendPlace,
    /// What the legend tells apart.
    pub legend_title: Option<String>,
    /// The panels, row by row.
    pub panels: Vec<PanelSpec>,
}

/// How wide a figure is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Width {
    /// One column of a paper.
    Column,
    /// The whole width of a paper's text.
    Page,
    /// A projector.
    Slide,
}

/// Where colours and dashes are explained.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LegendPlace {
    /// Inside each panel that needs it.
    Panels,
    /// Once for all panels.
    Shared,
    /// Nowhere.
    None,
}

/// One panel.
#[derive(Debug, Clone, PartialEq)]
pub struct PanelSpec {
    /// Words above it.
    pub title: Option<String>,
    /// Which runs are drawn, such as `arm = flow`; all of these must fit.
    pub only: Vec<String>,
    /// A panel for each value of this: `arm`, `seed` or a varied setting.
    pub facet: Option<String>,
    /// Places of the grid that it takes.
    pub span: usize,
    /// Names of predictions that are drawn beside what was measured.
    pub theory: Vec<String>,
    /// Words and ends of the axes.
    pub axes: Axes,
    /// What it shows.
    pub contents: Contents,
}

/// Words and ends of a panel's axes; found from the data where they are missing.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Axes {
    /// Words below the x axis.
    pub x_label: Option<String>,
    /// Words beside the y axis.
    pub y_label: Option<String>,
    /// Ends of the x axis.
    pub x_range: Option<(f64, f64)>,
    /// Ends of the y axis.
    pub y_range: Option<(f64, f64)>,
}

/// How an axis is divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// Equal steps.
    Linear,
    /// Equal ratios.
    Log,
}

/// What colours tell apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColourBy {
    /// Arms or varied values where there are several, otherwise columns.
    Auto,
    /// Columns.
    Column,
    /// Arms.
    Arm,
    /// Seeds.
    Seed,
    /// Varied values, as a ramp.
    Varied,
    /// Instants, as a ramp, where a panel has several.
    Instant,
}

/// How several seeds are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SeedsAs {
    /// A line for each.
    Each,
    /// The median, and a band that holds all.
    Band,
    /// The mean, and a band of one standard deviation to either side.
    Mean,
    /// Only the first.
    First,
}

/// When a matrix or a vector is shown.
#[derive(Debug, Clone, PartialEq)]
pub enum Instants {
    /// In the middle of each plateau that theory predicts.
    Plateaus,
    /// At the start and at the end.
    Ends,
    /// At the end.
    End,
    /// At these times.
    Times(Vec<f64>),
    /// After so many steps.
    Steps(Vec<f64>),
}

/// What a panel shows.
#[derive(Debug, Clone, PartialEq)]
pub enum Contents {
    /// Columns of the runs.
    Lines {
        /// What runs along the x axis: `time`, `step` or a column.
        x: String,
        /// Patterns of columns.
        y: Vec<String>,
        /// How the x axis is divided.
        x_scale: Scale,
        /// How the y axis is divided.
        y_scale: Scale,
        /// What colours tell apart.
        colour: ColourBy,
        /// How several seeds are shown.
        seeds: SeedsAs,
        /// Whether the measured crossings of the first run are marked.
        crossings: bool,
    },
    /// A point per run, from the table of runs.
    Points {
        /// A column of the table.
        x: String,
        /// Patterns of columns of the table.
        y: Vec<String>,
        /// How the x axis is divided.
        x_scale: Scale,
        /// How the y axis is divided.
        y_scale: Scale,
        /// What colours tell apart.
        colour: ColourBy,
        /// How several seeds are shown.
        seeds: SeedsAs,
        /// Whether fitted laws are drawn.
        fit: bool,
    },
    /// Bars, a group per column of the table of runs.
    Bars {
        /// Patterns of columns of the table.
        y: Vec<String>,
        /// How the y axis is divided.
        y_scale: Scale,
    },
    /// A matrix of the first run at several times.
    Heatmap {
        /// Patterns of columns whose rows are stacked.
        matrix: Vec<String>,
        /// When it is shown.
        at: Instants,
        /// Words below its columns; may be empty.
        column_labels: Vec<String>,
    },
    /// Vector-valued columns over their entries, at some instants.
    Profile(Profile),
    /// A vector-valued column of the first run as an image over time.
    Evolution(Evolution),
    /// The known saddles of a world, the ways between them, and the paths of many starts.
    Graph {
        /// How many starts walk.
        starts: usize,
        /// How near to a saddle a start must come to have visited it.
        near: f64,
    },
    /// A mark per run of the table, where two or three of its columns put it, in the colour of another.
    Map {
        /// Where marks stand.
        place: MapPlace,
        /// The column that colours tell apart: words, or numbers on a ramp.
        colour: String,
        /// How a ramp of colours is divided.
        colour_scale: Scale,
        /// What colours mean; the column's label without it.
        colour_label: Option<String>,
    },
    /// A column of the table of runs over two others, as coloured cells.
    Phase(Phase),
    /// The task of the first run's world, as rows of tokens.
    Tokens,
    /// Rows of the table of runs.
    Table {
        /// Patterns of its columns.
        columns: Vec<String>,
    },
}

/// Where the marks of a map stand.
#[derive(Debug, Clone, PartialEq)]
pub enum MapPlace {
    /// Over two columns.
    Axes {
        /// The column along the x axis.
        x: String,
        /// The column along the y axis.
        y: String,
        /// How the x axis is divided.
        x_scale: Scale,
        /// How the y axis is divided.
        y_scale: Scale,
    },
    /// In a triangle, by the shares of three columns in their sum.
    Triangle {
        /// The columns, at the left, at the right and at the top.
        corners: [String; 3],
        /// Words at the corners; the columns' labels without them.
        labels: Option<[String; 3]>,
    },
}

impl FigureSpec {
    /// A figure of the whole width of a page.
    pub fn new(columns: usize, panels: Vec<PanelSpec>) -> Self {
        Self {
            title: None,
            columns,
            width: Width::Page,
            aspect: 0.75,
            legend: LegendPlace::Panels,
            legend_title: None,
            panels,
        }
    }

    /// The figure that a `[figure]` and its panels describe.
    pub fn from_settings(figure: &Settings, panels: &[Settings]) -> Result<Self, SettingsError> {
        Ok(Self {
            title: figure.optional_word("title").map(str::to_owned),
            columns: figure.count("columns"),
            width: match figure.word("width") {
                "column" => Width::Column,
                "slide" => Width::Slide,
                _ => Width::Page,
            },
            aspect: figure.number("aspect"),
            legend: match figure.word("legend") {
                "shared" => LegendPlace::Shared,
                "none" => LegendPlace::None,
                _ => LegendPlace::Panels,
            },
            legend_title: figure.optional_word("legend_title").map(str::to_owned),
            panels: panels.iter().map(PanelSpec::from_settings).collect::<Result<_, _>>()?,
        })
    }
}

impl PanelSpec {
    /// A panel that shows `contents` of all runs.
    pub fn new(contents: Contents) -> Self {
        Self {
            title: None,
            only: Vec::new(),
            facet: None,
            span: 1,
            theory: Vec::new(),
            axes: Axes::default(),
            contents,
        }
    }

    /// Columns over time, on a logarithmic axis.
    pub fn over_time(y: &[&str]) -> Self {
        Self::new(Contents::Lines {
            x: "time".to_owned(),
            y: owned(y),
            x_scale: Scale::Log,
            y_scale: Scale::Linear,
            colour: ColourBy::Auto,
            seeds: SeedsAs::Each,
            crossings: false,
        })
    }

    /// The same panel with a logarithmic y axis that ends at `range`.
    #[must_use]
    pub fn log_within(mut self, range: (f64, f64)) -> Self {
        if let Contents::Lines { y_scale, .. } = &mut self.contents {
            *y_scale = Scale::Log;
        }
        self.axes.y_range = Some(range);
        self
    }

    /// The same panel under a title.
    #[must_use]
    pub fn titled(mut self, title: &str) -> Self {
        self.title = Some(title.to_owned());
        self
    }

    /// The same panel with predictions beside it.
    #[must_use]
    pub fn beside(mut self, theory: &[&str]) -> Self {
        self.theory = owned(theory);
        self
    }

    fn from_settings(panel: &Settings) -> Result<Self, SettingsError> {
        let scale = |name: &str| scale(panel, name);
        let texts = |name: &str| panel.texts(name).to_vec();
        let contents = match panel.kind() {
            Some("points") => Contents::Points {
                x: panel.word("x").to_owned(),
                y: texts("y"),
                x_scale: scale("x_scale"),
                y_scale: scale("y_scale"),
                colour: colour(panel),
                seeds: seeds(panel),
                fit: panel.switch("fit"),
            },
            Some("bars") => Contents::Bars { y: texts("y"), y_scale: scale("y_scale") },
            Some("heatmap") => Contents::Heatmap {
                matrix: texts("matrix"),
                at: instants(panel),
                column_labels: texts("column_labels"),
            },
            Some("profile") => Contents::Profile(Profile::from_settings(panel)?),
            Some("evolution") => Contents::Evolution(Evolution::from_settings(panel)?),
            Some("graph") => {
                Contents::Graph { starts: panel.count("starts"), near: panel.number("near") }
            }
            Some("map") => Contents::Map {
                place: map_place(panel, (scale("x_scale"), scale("y_scale")))?,
                colour: panel.word("colour").to_owned(),
                colour_scale: scale("colour_scale"),
                colour_label: panel.optional_word("colour_label").map(str::to_owned),
            },
            Some("phase") => Contents::Phase(Phase::from_settings(panel)?),
            Some("tokens") => Contents::Tokens,
            Some("table") => Contents::Table { columns: texts("columns") },
            _ => Contents::Lines {
                x: panel.word("x").to_owned(),
                y: texts("y"),
                x_scale: scale("x_scale"),
                y_scale: scale("y_scale"),
                colour: colour(panel),
                seeds: seeds(panel),
                crossings: panel.switch("crossings"),
            },
        };
        let has_axes = !matches!(
            contents,
            Contents::Heatmap { .. }
                | Contents::Table { .. }
                | Contents::Graph { .. }
                | Contents::Tokens
        );
        Ok(Self {
            title: panel.optional_word("title").map(str::to_owned),
            only: texts("only"),
            facet: panel.optional_word("facet").map(str::to_owned),
            span: panel.count("span"),
            theory: match contents {
                Contents::Table { .. }
                | Contents::Graph { .. }
                | Contents::Map { .. }
                | Contents::Phase(_)
                | Contents::Tokens => Vec::new(),
                _ => texts("theory"),
            },
            axes: if has_axes { axes(panel)? } else { Axes::default() },
            contents,
        })
    }
}

/// Two columns, or three corners, and not both.
fn map_place(
    panel: &Settings,
    (x_scale, y_scale): (Scale, Scale),
) -> Result<MapPlace, SettingsError> {
    let three = |name: &str| -> Result<Option<[String; 3]>, SettingsError> {
        let texts = panel.texts(name);
        let found = texts.len();
        match <[String; 3]>::try_from(texts.to_vec()) {
            Ok(three) => Ok(Some(three)),
            Err(_) if found == 0 => Ok(None),
            Err(_) => {
                let message = format!("has {found} entries, but a triangle has 3 corners");
                Err(panel.wrong(name, message))
            }
        }
    };
    let labels = three("corner_labels")?;
    let (x, y) = (panel.optional_word("x"), panel.optional_word("y"));
    match (three("corners")?, x, y) {
        (Some(corners), None, None) => Ok(MapPlace::Triangle { corners, labels }),
        (Some(_), ..) => {
            let message = "puts runs into a triangle, which has neither x nor y";
            Err(panel.wrong("corners", message))
        }
        (None, Some(x), Some(y)) if labels.is_none() => {
            Ok(MapPlace::Axes { x: x.to_owned(), y: y.to_owned(), x_scale, y_scale })
        }
        (None, Some(_), Some(_)) => {
            let message = "names corners of a triangle, but `corners` says nothing of one";
            Err(panel.wrong("corner_labels", message))
        }
        (None, ..) => {
            let message = "is \"map\", which places runs by x and y, or by three corners";
            Err(panel.wrong("kind", message))
        }
    }
}

fn axes(panel: &Settings) -> Result<Axes, SettingsError> {
    let word = |name: &str| panel.optional_word(name).map(str::to_owned);
    // An image ends where its entries do.
    let image = panel.kind() == Some("evolution");
    Ok(Axes {
        x_label: word("x_label"),
        y_label: word("y_label"),
        x_range: range(panel, "x_range")?,
        y_range: if image { None } else { range(panel, "y_range")? },
    })
}

/// Two ends, if they are given.
fn range(panel: &Settings, name: &str) -> Result<Option<(f64, f64)>, SettingsError> {
    match panel.optional_numbers(name) {
        None => Ok(None),
        Some(&[low, high]) if low < high => Ok(Some((low, high))),
        Some(ends) => {
            let message = format!("is {ends:?}, but must be two numbers, the lower one first");
            Err(panel.wrong(name, message))
        }
    }
}

fn scale(panel: &Settings, name: &str) -> Scale {
    match panel.word(name) {
        "log" => Scale::Log,
        _ => Scale::Linear,
    }
}

fn seeds(panel: &Settings) -> SeedsAs {
    match panel.word("seeds") {
        "band" => SeedsAs::Band,
        "mean" => SeedsAs::Mean,
        "first" => SeedsAs::First,
        _ => SeedsAs::Each,
    }
}

fn colour(panel: &Settings) -> ColourBy {
    match panel.word("colour") {
        "column" => ColourBy::Column,
        "arm" => ColourBy::Arm,
        "seed" => ColourBy::Seed,
        "varied" => ColourBy::Varied,
        "instant" => ColourBy::Instant,
        _ => ColourBy::Auto,
    }
}

fn instants(panel: &Settings) -> Instants {
    if let Some(steps) = panel.optional_numbers("at_steps") {
        return Instants::Steps(steps.to_vec());
    }
    match panel.value("at") {
        Value::Numbers(times) => Instants::Times(times.clone()),
        Value::Text(word) if word == "ends" => Instants::Ends,
        Value::Text(word) if word == "end" => Instants::End,
        _ => Instants::Plateaus,
    }
}

fn owned(words: &[&str]) -> Vec<String> {
    words.iter().map(ToString::to_string).collect()
}

#[cfg(test)]
#[path = "figure_tests.rs"]
mod tests;
