//! `plot`: columns of runs that were kept, as a figure.

use std::path::{Path, PathBuf};

use anyhow::anyhow;
use saddlescope::figure::{ColourBy, Contents, FigureSpec, PanelSpec, SeedsAs};
use saddlescope_lab::draw::Figure;
use saddlescope_lab::keep::{self, Format};

use crate::arguments::{PlotArgs, Scale, Seeds};
use crate::{Failure, Verdict, print};

pub(crate) fn plot(args: &PlotArgs) -> Result<Verdict, Failure> {
    let input = |error: keep::KeepError| Failure::Input(error.into());
    let plan = keep::plan(&args.run).map_err(input)?;
    let results = keep::read(&args.run, &plan);
    for (label, reason) in results.failures() {
        print(&format!("left out: {label}: {reason}\n"))?;
    }
    let figure =
        if args.columns.is_empty() { results.figure() } else { results.figure_with(&spec(args)) };
    let figure = figure.map_err(|error| Failure::Input(error.into()))?;
    for path in write(args, &figure)? {
        print(&format!("{}\n", path.display()))?;
    }
    Ok(Verdict::Done)
}

/// A panel per entry of `--columns`.
fn spec(args: &PlotArgs) -> FigureSpec {
    let scale = |scale| match scale {
        Scale::Linear => saddlescope::figure::Scale::Linear,
        Scale::Log => saddlescope::figure::Scale::Log,
    };
    let panel = |column: &String| {
        let mut panel = PanelSpec::new(Contents::Lines {
            x: args.x.clone(),
            y: vec![column.clone()],
            x_scale: scale(args.x_scale),
            y_scale: scale(args.y_scale),
            colour: ColourBy::Auto,
            seeds: match args.seeds {
                Seeds::Each => SeedsAs::Each,
                Seeds::Band => SeedsAs::Band,
                Seeds::First => SeedsAs::First,
            },
            crossings: false,
        });
        panel.theory.clone_from(&args.theory);
        panel
    };
    FigureSpec::new(args.columns.len().min(2), args.columns.iter().map(panel).collect())
}

fn write(args: &PlotArgs, figure: &Figure) -> Result<Vec<PathBuf>, Failure> {
    let computation = |error: keep::KeepError| Failure::Computation(error.into());
    let default = args.run.join(if args.columns.is_empty() { "figure" } else { "plot" });
    let out = args.out.clone().unwrap_or(default);
    // The experiment's own figure may always be drawn again: it can only be the same.
    let own = args.out.is_none() && args.columns.is_empty();
    let free = |path: &Path| match path.exists() && !args.force && !own {
        true => Err(Failure::Input(anyhow!("{} exists; --force writes over it", path.display()))),
        false => Ok(()),
    };
    if let Some(format) = Format::of(&out) {
        free(&out)?;
        keep::write_drawing(&out, format, &figure.draw()).map_err(computation)?;
        return Ok(vec![out]);
    }
    for format in Format::ALL {
        free(&out.with_extension(format.ending()))?;
    }
    keep::write_figure(&out, figure).map_err(computation)
}
