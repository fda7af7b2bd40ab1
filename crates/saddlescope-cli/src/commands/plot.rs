//! `plot`: columns of runs that were kept, as a figure.

use std::path::{Path, PathBuf};

use anyhow::anyhow;
use saddlescope_draw::Figure;
use saddlescope_lab::campaign::Results;
use saddlescope_lab::keep::{self, Format};
use saddlescope_lab::registry::Registry;
use saddlescope_spec::figure::{Contents, FigureSpec, Lines, PanelSpec, SeedsAs};

use crate::arguments::{PlotArgs, Scale, Seeds};
use crate::{Failure, Verdict, print};

pub(crate) fn plot(args: &PlotArgs, registry: &Registry) -> Result<Verdict, Failure> {
    let plan = keep::plan(&args.run, registry).map_err(Failure::input)?;
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
    let scale = |scale| match scale {
        Scale::Linear => saddlescope_spec::figure::Scale::Linear,
        Scale::Log => saddlescope_spec::figure::Scale::Log,
    };
    let panel = |column: &String| {
        let mut panel = PanelSpec::new(Contents::Lines(Lines {
            x: args.x.clone(),
            y: vec![column.clone()],
            x_scale: scale(args.x_scale),
            y_scale: scale(args.y_scale),
            seeds: match args.seeds {
                Seeds::Each => SeedsAs::Each,
                Seeds::Band => SeedsAs::Band,
                Seeds::Mean => SeedsAs::Mean,
                Seeds::First => SeedsAs::First,
            },
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
        true => Err(Failure::input(anyhow!("{} exists; --force writes over it", path.display()))),
        false => Ok(()),
    };
    if let Some(out) = &args.out
        && let Some(ending) = out.extension()
    {
        let Some(format) = Format::of(out) else {
            return Err(Failure::input(anyhow!(
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
