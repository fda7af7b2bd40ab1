//! All settings of a system as a readable table.

use std::fmt::Write;

use saddlescope_spec::figure::{FIGURE, PANEL};
use saddlescope_spec::settings::dynamics::DYNAMICS;
use saddlescope_spec::settings::experiment::{ARM, EXPERIMENT, PLAN};
use saddlescope_spec::settings::fit::FIT;
use saddlescope_spec::settings::record::RECORD;
use saddlescope_spec::settings::sweep::SWEEP;
use saddlescope_spec::settings::{Parameter, Presence, Section, SystemSchema, any_of, quote};

/// A readable table of everything that may stand in a file for that system.
pub fn schema_text(schema: &SystemSchema) -> String {
    let mut text = format!("{}\n{}\n", schema.heading(), schema.about);
    write_section(&mut text, "top of the file", &EXPERIMENT, Vec::new());
    write_section(&mut text, "top of the file, for several runs", &PLAN, Vec::new());
    let meaning = format!("the system: \"{}\"", schema.name);
    let cells = ["name", "text", "", "required", "", &meaning].map(str::to_owned);
    write_section(&mut text, "[system]", &schema.system, vec![Row { cells, words: Vec::new() }]);
    write_section(&mut text, "[start]", &schema.start, Vec::new());
    write_section(&mut text, "[dynamics]", &DYNAMICS, Vec::new());
    write_section(&mut text, "[record]", &RECORD, Vec::new());
    text += VARY;
    write_section(&mut text, "[[arm]]", &ARM, Vec::new());
    text += PAPER;
    write_section(&mut text, "[sweep]", &SWEEP, Vec::new());
    write_section(&mut text, "[[fit]]", &FIT, Vec::new());
    write_section(&mut text, "[figure]", &FIGURE, Vec::new());
    write_section(&mut text, "[[figure.panel]]", &PANEL, Vec::new());
    text
}

const VARY: &str = "
[vary]
  Any settings of the sections above, each with its values; every combination is run.
  system.rank = [1, 2, 4]        a list
  start.scale = \"0..1:5\"         5 values at equal steps, both ends included
  start.scale = \"0.01..1:log8\"   8 values at equal ratios, both ends included
  system.eigenvalues.0 = [0.1, 0.2]   one number of a list, counted from 0
  start.scale = \"0.01..1:log\"    anything between, where a [sweep] draws its members; \"0..1\" evenly
";

const PAPER: &str = "
[paper]
  What `--size paper` changes: settings of all other sections and of the top of the file.
  dynamics.steps = 20000         single settings are replaced
  vary.system.rank = [1, 2]      and so are lists, as a whole
  A layer (paper, arm, --set, vary) that changes a kind leaves the settings of the old kind behind.
";

const HEADER: [&str; 6] = ["key", "type", "range", "default", "unit", "meaning"];

/// A setting as table cells, with the meanings of its words below.
struct Row {
    cells: [String; 6],
    words: Vec<(&'static str, &'static str)>,
}

impl Row {
    fn of(parameter: &Parameter) -> Self {
        let default = match parameter.presence {
            Presence::Required(_) => "required",
            Presence::Optional(_) => "none",
            Presence::Default(literal) => literal,
        };
        let condition =
            parameter.when.map_or(String::new(), |when| format!(" (with {})", when.phrase()));
        let cells = [
            parameter.name.to_owned(),
            parameter.kind.type_name(),
            parameter.kind.range(),
            default.to_owned(),
            parameter.unit.to_owned(),
            format!("{}{condition}", parameter.about),
        ];
        Self { cells, words: parameter.kind.words() }
    }
}

fn write_section(text: &mut String, title: &str, section: &Section, mut rows: Vec<Row>) {
    let _ = writeln!(text, "\n{title}\n  {}", section.about);
    if let Some(variants) = section.variants {
        let default = variants.default.map_or("required".to_owned(), |d| format!("\"{d}\""));
        let cells = ["kind", "word", "", &default, "", "decides which settings there are"];
        let words = variants.list.iter().map(|variant| (variant.name, variant.about)).collect();
        rows.push(Row { cells: cells.map(str::to_owned), words });
    }
    rows.extend(section.parameters.iter().map(Row::of));
    write_rows(text, &rows);
    for (kinds, parameters) in by_kinds(section, section.kinds().iter().map(|kind| kind.name)) {
        let _ = writeln!(text, "\n{title} with kind = {}", quoted(&kinds));
        write_rows(text, &parameters.into_iter().map(Row::of).collect::<Vec<_>>());
    }
}

fn write_rows(text: &mut String, rows: &[Row]) {
    if rows.is_empty() {
        return;
    }
    let mut widths = HEADER.map(str::len);
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(&row.cells) {
            *width = (*width).max(cell.chars().count());
        }
    }
    // A column that is empty throughout (units, mostly) is left out.
    let used: Vec<_> =
        (0..HEADER.len()).filter(|&c| rows.iter().any(|row| !row.cells[c].is_empty())).collect();
    let mut line = |cells: [&str; 6]| {
        let padded: Vec<_> = used.iter().map(|&c| format!("{:<1$}", cells[c], widths[c])).collect();
        let _ = writeln!(text, "  {}", padded.join("  ").trim_end());
    };
    line(HEADER);
    for row in rows {
        line(row.cells.each_ref().map(String::as_str));
        for (word, about) in &row.words {
            line(["", "", "", "", "", &format!("- \"{word}\": {about}")]);
        }
    }
}

/// The settings that only some of the kinds have, in groups that the same kinds share.
pub(super) fn by_kinds(
    section: &Section,
    kinds: impl Iterator<Item = &'static str>,
) -> Vec<(Vec<&'static str>, Vec<&'static Parameter>)> {
    let mut settings: Vec<(&'static Parameter, Vec<&'static str>)> = Vec::new();
    for kind in kinds {
        for parameter in section.variant(kind).into_iter().flat_map(|variant| variant.own()) {
            match settings.iter_mut().find(|(known, _)| *known == parameter) {
                Some((_, kinds)) => kinds.push(kind),
                None => settings.push((parameter, vec![kind])),
            }
        }
    }
    let mut groups: Vec<(Vec<_>, Vec<_>)> = Vec::new();
    for (parameter, kinds) in settings {
        match groups.iter_mut().find(|(known, _)| *known == kinds) {
            Some((_, parameters)) => parameters.push(parameter),
            None => groups.push((kinds, vec![parameter])),
        }
    }
    groups
}

/// Any of the words, in quotes: `"gd", "sgd" or "adam"`.
pub(super) fn quoted(words: &[&str]) -> String {
    any_of(&words.iter().map(|word| quote(word)).collect::<Vec<_>>())
}
