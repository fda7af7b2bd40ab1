//! What is shown, to take away: a picture, the file that describes it, the command that gives the same.

mod view;

use saddlescope_draw::Drawing;
use saddlescope_lab::campaign::Campaign;
use saddlescope_lab::keep::DOTS_PER_INCH;

use view::View;

use crate::prelude::*;

/// What a view is written as.
const FORMATS: [&str; 5] = ["svg", "png", "pdf", "toml", "command"];

/// The view in the body of a request, in that format.
pub(crate) fn export(
    format: &str,
    body: &[u8],
    job: &mut Job,
    options: &Options,
) -> Result<Response<Body>, Refusal> {
    let (kind, bytes) = match format {
        "toml" => ("application/toml", View::read(body, options)?.file()?.into_bytes()),
        "command" => {
            ("text/plain; charset=utf-8", View::read(body, options)?.command().into_bytes())
        }
        "svg" => ("image/svg+xml", drawn(body, job, options)?.svg().into_bytes()),
        "pdf" => ("application/pdf", drawn(body, job, options)?.pdf()),
        "png" => {
            let png = drawn(body, job, options)?.png(DOTS_PER_INCH);
            ("image/png", png.map_err(|error| Refusal::wrong(error.to_string()))?)
        }
        _ => {
            let known = FORMATS.join(", ");
            return Err(Refusal::missing(format!(
                "there is no format `{format}`; there are {known}"
            )));
        }
    };
    let mut response = of_type(kind, bytes);
    let ending = if format == "command" { "txt" } else { format };
    let file = format!("attachment; filename=\"saddlescope.{ending}\"");
    if let Ok(file) = HeaderValue::from_str(&file) {
        response.headers_mut().insert(header::CONTENT_DISPOSITION, file);
    }
    Ok(response)
}

/// The view as the laboratory draws it.
fn drawn(body: &[u8], job: &mut Job, options: &Options) -> Result<Drawing, Refusal> {
    let plan = View::read(body, options)?.plan()?;
    let stop = Arc::clone(&job.stop);
    let registry = &options.registry;
    let campaign = Campaign { registry, folder: None, force: false, stop, progress: &|_| {} };
    let results = campaign.run(&plan);
    if let Some((label, reason)) = results.failures().first() {
        return Err(Refusal::wrong(format!("{label}: {reason}")));
    }
    let figure = results.figure().map_err(|error| Refusal::wrong(error.to_string()))?;
    Ok(figure.draw())
}

/// The line that runs an experiment; empty where no single line does.
pub(crate) fn command(experiment: &Experiment) -> String {
    let Some(pairs) = experiment.beyond_defaults() else { return String::new() };
    let mut line = format!("saddlescope run {}", experiment.system.name());
    for (key, value) in pairs {
        line.push_str(" --set ");
        line.push_str(&shell(&format!("{key}={}", bare(&value))));
    }
    line
}

/// A value without the quotes that a word does not need on a command line.
fn bare(value: &str) -> &str {
    let inside = value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    let word = |word: &&str| {
        let begins = word.starts_with(|c: char| c.is_ascii_alphabetic());
        let rest = word.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
        begins && rest && !["true", "false", "inf", "nan"].contains(word)
    };
    inside.filter(word).unwrap_or(value)
}

/// A word as a shell reads it back.
fn shell(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-=,:/+".contains(c);
    if word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}
