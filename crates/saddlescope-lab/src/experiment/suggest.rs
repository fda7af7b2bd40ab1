//! What to try instead: the nearest known name, the right section, the list of known ones.

use saddlescope_spec::figure::{FIGURE, PANEL};
use saddlescope_spec::settings::dynamics::DYNAMICS;
use saddlescope_spec::settings::experiment::{EXPERIMENT, PLAN};
use saddlescope_spec::settings::fit::FIT;
use saddlescope_spec::settings::record::RECORD;
use saddlescope_spec::settings::{Problem, SettingsError, SystemSchema};

use crate::nearest::nearest;

const LISTED: usize = 15;

/// Adds what helps to an error about a name or a word.
pub(crate) fn help(error: &mut SettingsError, schema: Option<&SystemSchema>) {
    if error.help.is_some() {
        return;
    }
    error.help = match &*error.problem {
        Problem::Unknown { what, found, section, known } => {
            Some(other_name(what, found, section, known, schema))
        }
        Problem::Unfit { found, known, .. } => {
            let word = found.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
            let near = word.and_then(|word| nearest(word, known));
            near.map(|near| format!("did you mean \"{near}\"?"))
        }
        _ => None,
    };
}

fn other_name(
    what: &str,
    found: &str,
    section: &str,
    known: &[String],
    schema: Option<&SystemSchema>,
) -> String {
    let mut sentences = Vec::new();
    if what == "setting"
        && let Some(home) = home_of(found, section, schema)
    {
        return format!("`{found}` is a setting of {home}");
    }
    if let Some(near) = nearest(found, known) {
        sentences.push(format!("did you mean `{near}`?"));
    }
    if known.len() <= LISTED {
        let place = if section.is_empty() { String::new() } else { format!(" in [{section}]") };
        sentences.push(format!("known{place}: {}", known.join(", ")));
    } else if let Some(schema) = schema {
        sentences.push(format!("`saddlescope schema {}` lists all", schema.name));
    }
    sentences.join(" ")
}

/// The section, other than `section`, that has a setting of that name.
fn home_of(name: &str, section: &str, schema: Option<&SystemSchema>) -> Option<String> {
    let own = schema.map(|schema| [("system", &schema.system), ("start", &schema.start)]);
    let shared = [
        ("", &EXPERIMENT),
        ("", &PLAN),
        ("dynamics", &DYNAMICS),
        ("record", &RECORD),
        ("figure", &FIGURE),
        ("figure.panel", &PANEL),
        ("fit", &FIT),
    ];
    let here = section.trim_end_matches(|c: char| c == '.' || c.is_ascii_digit());
    let mut all = own.into_iter().flatten().chain(shared);
    let (home, _) = all.find(|(label, home)| *label != here && home.declares(name))?;
    Some(match home {
        "" => "the top of the file".to_owned(),
        "figure.panel" | "fit" => format!("each [[{home}]]"),
        // Where sections are laid over those of the file, keys have dots.
        home if ["arm", "paper", "vary"].contains(&here) => {
            format!("[{home}]: write {home}.{name}")
        }
        home => format!("[{home}]"),
    })
}
