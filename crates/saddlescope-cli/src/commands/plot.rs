//! `plot`: columns of runs that were kept, as a figure.

use saddlescope_draw::Figure;
use saddlescope_lab::keep::Format;
use saddlescope_spec::figure::{Contents, FigureSpec, Lines, PanelSpec, Scale, SeedsAs};

use crate::arguments::Choice;
use crate::common::*;

const SCALES: [Choice<Scale>; 2] =
    [(Scale::Linear, "linear", "Equal steps"), (Scale::Log, "log", "Equal ratios")];

const SEEDS: [Choice<SeedsAs>; 4] = [
    (SeedsAs::Each, "each", "A line each"),
    (SeedsAs::Band, "band", "Median and band"),
    (SeedsAs::Mean, "mean", "Mean and standard deviation"),
    (SeedsAs::First, "first", "Only the first"),
];

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  saddlescope plot runs/linear-attention/fig1                            the figure again
  saddlescope plot runs/linear-attention/fig1 --columns loss,head.*.value
  saddlescope plot runs/linear-attention/fig1 --columns loss --seeds band --theory levels
  saddlescope plot runs/linear-attention/fig1/runs/seed-1 --columns head.0.value --out v.pdf")]
pub(crate) struct PlotArgs {
    /// The folder of a run, or of several runs
    run: PathBuf,
    /// Columns to draw, a panel each; * stands for one part of a name. None: the experiment's figure
    #[arg(long, value_name = "COLUMN,...")]
    columns: Option<String>,
    /// What runs along the x axis: time, step or a column
    #[arg(long, default_value = "time", value_name = "COLUMN", requires = "columns")]
    x: String,
    /// How the x axis is divided
    #[arg(long, value_parser = choice(SCALES), default_value = "log", requires = "columns")]
    x_scale: Scale,
    /// How the y axis is divided
    #[arg(long, value_parser = choice(SCALES), default_value = "linear", requires = "columns")]
    y_scale: Scale,
    /// How several seeds are shown
    #[arg(long, value_parser = choice(SEEDS), default_value = "each", requires = "columns")]
    seeds: SeedsAs,
    /// Predictions to draw beside, such as levels
    #[arg(long, value_delimiter = ',', value_name = "NAME,...", requires = "columns")]
    theory: Vec<String>,
    /// Where the picture goes: .svg, .png or .pdf; without an ending, all three
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Write over a file that exists
    #[arg(long)]
    force: bool,
}

pub(crate) fn plot(args: &PlotArgs, registry: &Registry) -> Outcome {
    let plan = keep::plan(&args.run, registry)?;
    let results = keep::read(&args.run, &plan, registry);
    print(&what_is_missing(&results))?;
    let columns = args.columns.as_deref().map(columns).unwrap_or_default();
    let figure = match columns.as_slice() {
        [] => results.figure(),
        columns => results.figure_with(&spec(args, columns)),
    };
    let figure = figure.map_err(Failure::input)?;
    for path in write(args, &columns, &figure)? {
        print(&format!("{}\n", path.display()))?;
    }
    Ok(Verdict::Done)
}

/// Runs that are not drawn, or not to their end.
fn what_is_missing(results: &Results<'_>) -> String {
    let mut text = String::new();
    for (label, reason) in results.failures() {
        text += &format!("{label}: {reason}\n");
    }
    let (there, all) = (results.carried().count(), results.members.len());
    if there < all {
        text += &format!("drawn are {there} of {all} runs: the others are not there\n");
    }
    for (_, member, run) in results.carried() {
        let end = &run.facts.end;
        if end.error.is_none() && end.phases.is_empty() {
            text += &format!("{} is not over: drawn as far as it is\n", member.label);
        }
    }
    text
}

/// The entries of `--columns`; commas in brackets belong to a name, as in `head.0.key[0,1]`.
fn columns(text: &str) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut depth = 0_i32;
    for sign in text.chars() {
        depth += i32::from(sign == '[') - i32::from(sign == ']');
        match all.last_mut() {
            Some(last) if sign != ',' || depth > 0 => last.push(sign),
            _ => all.push(String::new()),
        }
    }
    all.iter().map(|column| column.trim().to_owned()).filter(|column| !column.is_empty()).collect()
}

/// A panel per column.
fn spec(args: &PlotArgs, columns: &[String]) -> FigureSpec {
    let panel = |column: &String| {
        let mut panel = PanelSpec::new(Contents::Lines(Lines {
            x: args.x.clone(),
            y: vec![column.clone()],
            x_scale: args.x_scale,
            y_scale: args.y_scale,
            seeds: args.seeds,
            ..Lines::defaults()
        }));
        panel.theory.clone_from(&args.theory);
        panel
    };
    FigureSpec::new(columns.len().min(2), columns.iter().map(panel).collect())
}

/// A name for what is drawn: `plot-loss-head.0.value`.
fn stem(columns: &[String]) -> String {
    if columns.is_empty() {
        return "figure".to_owned();
    }
    let plain = |sign: char| if sign.is_alphanumeric() || sign == '.' { sign } else { '_' };
    let words: Vec<String> = columns.iter().map(|name| name.chars().map(plain).collect()).collect();
    format!("plot-{}", words.join("-"))
}

fn write(args: &PlotArgs, columns: &[String], figure: &Figure) -> Result<Vec<PathBuf>, Failure> {
    // The experiment's own figure may always be drawn again: it can only be the same.
    let own = args.out.is_none() && columns.is_empty();
    let free = |path: &Path| match path.exists() && !args.force && !own {
        true => Err(Failure::input(format!("{} exists; --force writes over it", path.display()))),
        false => Ok(()),
    };
    if let Some(out) = &args.out
        && let Some(ending) = out.extension()
    {
        let Some(format) = Format::of(out) else {
            return Err(Failure::input(format!(
                "--out {}: a figure cannot be written as .{}; expected .svg, .png or .pdf",
                out.display(),
                ending.display()
            )));
        };
        free(out)?;
        keep::write_drawing(out, format, &figure.draw()).map_err(Failure::computation)?;
        return Ok(vec![out.clone()]);
    }
    let out = args.out.clone().unwrap_or_else(|| args.run.join(stem(columns)));
    for format in Format::ALL {
        free(&format.path(&out))?;
    }
    keep::write_figure(&out, figure).map_err(Failure::computation)
}
