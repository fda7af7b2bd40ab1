//! What may stand in a file for a system: as a readable table, and as a commented file to start from.

use saddlescope_spec::settings::{Kind, Parameter, Variants, any_of};

use super::*;

/// A readable table of everything that may stand in a file for that system.
pub fn schema_text(schema: &SystemSchema) -> String {
    let mut text = format!("{}\n{}\n", schema.heading(), schema.about);
    let meaning = format!("the system: \"{}\"", schema.name);
    let name = ["name", "text", "", "required", "", &meaning].map(str::to_owned);
    let mut name = vec![Row { cells: name, words: Vec::new() }];
    for (title, section, behind) in [
        ("top of the file", &EXPERIMENT, ""),
        ("top of the file, for several runs", &PLAN, ""),
        ("[system]", &schema.system, ""),
        ("[start]", &schema.start, ""),
        ("[dynamics]", &DYNAMICS, ""),
        ("[record]", &RECORD, include_str!("vary.txt")),
        ("[[evaluate]]", &EVALUATE, ""),
        ("[[arm]]", &ARM, include_str!("paper.txt")),
        ("[sweep]", &SWEEP, ""),
        ("[[outcome]]", &OUTCOME, ""),
        ("[[fit]]", &FIT, ""),
        ("[figure]", &FIGURE, ""),
        ("[[figure.panel]]", &PANEL, ""),
    ] {
        let rows = if title == "[system]" { std::mem::take(&mut name) } else { Vec::new() };
        write_section(&mut text, title, section, rows);
        text += behind;
    }
    text
}

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
        let Parameter { name, kind, about, unit, .. } = parameter;
        let condition = parameter.when.map(|when| format!(" (with {})", when.phrase()));
        let meaning = format!("{about}{}", condition.unwrap_or_default());
        let [name, default, unit] = [*name, default, *unit].map(str::to_owned);
        let cells = [name, kind.type_name(), kind.range(), default, unit, meaning];
        Self { cells, words: kind.words() }
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
fn by_kinds(
    section: &Section,
    kinds: impl Iterator<Item = &'static str>,
) -> Vec<(Vec<&'static str>, Vec<&'static Parameter>)> {
    let own = kinds.flat_map(|kind| {
        let variant = section.variant(kind).into_iter();
        variant.flat_map(Variant::own).map(move |parameter| (parameter, kind))
    });
    let same = together(own, |(one, _), (other, _)| one == other);
    grouped(same.iter().map(|all| (all.iter().map(|(_, kind)| *kind).collect(), all[0].0)))
}

/// Any of the words, in quotes: `"gd", "sgd" or "adam"`.
fn quoted(words: &[&str]) -> String {
    any_of(&words.iter().map(|word| quote(word)).collect::<Vec<_>>())
}

const COLUMN: usize = 34;

/// A commented file for that system, with every setting: those that hold at their defaults (or,
/// where one is required, at an example), the others behind a `#`. It runs as it is.
pub fn starter_text(schema: &SystemSchema) -> String {
    let mut text = format!("# {}\n# {}\n#\n", schema.heading(), schema.about);
    text += "# Settings stand at their defaults. Those right behind a # are off: remove the # to use them.\n";
    text += "# Whoever changes a kind switches the settings of the old kind off and of the new one on.\n\n";
    let top: Vec<_> = EXPERIMENT.parameters.iter().chain(PLAN.parameters).collect();
    write_settings(&mut text, &top, &top);
    let name = setting("name", &quote(schema.name), "the system");
    start_section(&mut text, &schema.system, "[system]", &name);
    start_section(&mut text, &schema.start, "[start]", "");
    start_section(&mut text, &dynamics_of(schema), "[dynamics]", "");
    start_section(&mut text, &RECORD, "[record]", "");
    let _ = writeln!(text, "\n# {}\n#[[evaluate]]", EVALUATE.about);
    for parameter in EVALUATE.parameters {
        text += &off(parameter.name, parameter.literal(), &comment(parameter));
    }
    write_plan(&mut text, schema);
    text
}

/// The shortest file for that system, called `defaults`: its settings are those of [`starter_text`], but only what no
/// default says is written.
pub fn defaults_text(schema: &SystemSchema) -> String {
    let mut text = format!("name = \"defaults\"\n\n[system]\nname = {}\n", quote(schema.name));
    text += &required(&schema.system, None);
    for (section, dynamics) in [(schema.start, false), (dynamics_of(schema), true)] {
        let declared = if dynamics { DYNAMICS.variants } else { section.variants };
        let kind = first_kind(&section);
        let mut lines = match kind {
            Some(kind) if declared.and_then(|variants| variants.default) != Some(kind.name) => {
                format!("kind = {}\n", quote(kind.name))
            }
            _ => String::new(),
        };
        lines += &required(&section, kind);
        if !lines.is_empty() {
            let _ = write!(text, "\n[{}]\n{lines}", section.name);
        }
    }
    text
}

/// What a section needs and has no default for, at examples.
fn required(section: &Section, kind: Option<&Variant>) -> String {
    let all = section.parameters_of(kind);
    let required = all.iter().filter(|p| matches!(p.presence, Presence::Required(_)));
    let needed = required.filter(|parameter| holds(parameter, &all));
    needed.map(|p| format!("{} = {}\n", p.name, p.literal())).collect()
}

/// How the state moves, where the system says how it usually does.
fn dynamics_of(schema: &SystemSchema) -> Section {
    let variants = DYNAMICS.variants.map(|v| Variants { default: Some(schema.dynamics), ..v });
    Section { variants, ..DYNAMICS }
}

/// The kind that a file has which says none; the first where it must say one.
fn first_kind(section: &Section) -> Option<&'static Variant> {
    match section.variants.and_then(|variants| variants.default) {
        Some(name) => section.variant(name),
        None => section.kinds().first(),
    }
}

/// What makes several runs of a file, and draws them: all of it off, and of figures only the
/// beginning, since they have more settings than all else together.
fn write_plan(text: &mut String, schema: &SystemSchema) {
    *text += "\n# Several runs: every combination of what is varied, in each arm, for each seed.\n";
    *text += "#[vary]\n";
    for (key, values, about) in examples(schema) {
        *text += &off(&key, &values, about);
    }
    let _ = writeln!(text, "\n# {}", ARM.about);
    let arm = "settings on top of the file's, of any section";
    *text += "#[[arm]]\n#name = \"as above\"\n#[[arm]]\n#name = \"Adam\"\n";
    *text += &off("dynamics", "{ kind = \"adam\", rate = 0.01, steps = 10000 }", arm);
    *text += "\n# What --size paper changes: any of the settings above.\n#[paper]\n";
    *text += &off("seeds", "6", PLAN.parameters[0].about);
    let _ = writeln!(text, "\n# {}\n#[[fit]]", FIT.about);
    let key = examples(schema).pop().map(|(key, ..)| quote(&key)).unwrap_or_default();
    *text += &off("x", &key, FIT.parameters[0].about);
    for parameter in FIT.parameters.iter().filter(|p| ["y", "law"].contains(&p.name)) {
        *text += &off(parameter.name, parameter.literal(), &comment(parameter));
    }
    let _ = writeln!(text, "\n# {}\n#[figure]", FIGURE.about);
    let named = |section: &Section, name: &str| {
        let kind = section.kinds().first();
        section.parameters_of(kind).into_iter().find(|parameter| parameter.name == name)
    };
    let panel = PANEL.kinds().iter().map(|kind| kind.name).collect::<Vec<_>>();
    for (section, names) in [(&FIGURE, &["columns", "width"][..]), (&PANEL, &["y", "x_scale"])] {
        if section == &PANEL {
            *text += "#[[figure.panel]]\n";
            *text += &off("kind", &quote(panel[0]), &format!("or {}", quoted(&panel[1..])));
        }
        for parameter in names.iter().filter_map(|name| named(section, name)) {
            *text += &off(parameter.name, parameter.literal(), &comment(parameter));
        }
    }
    let _ = writeln!(
        text,
        "# `saddlescope schema {}` lists all settings of fits and figures.",
        schema.name
    );
}

fn off(name: &str, literal: &str, comment: &str) -> String {
    format!("#{}", setting(name, literal, comment))
}

/// Settings that can be varied, with values and what they stand for.
fn examples(schema: &SystemSchema) -> Vec<(String, String, &'static str)> {
    let mut examples = Vec::new();
    let integer = schema.system.parameters.iter().find_map(|parameter| {
        let Kind::Integer { max, .. } = parameter.kind else { return None };
        let value: i64 = parameter.literal().parse().ok()?;
        let other =
            value.checked_mul(2).filter(|&other| other <= max && parameter.when.is_none())?;
        Some((parameter.name, format!("[{value}, {other}]")))
    });
    if let Some((name, values)) = integer {
        examples.push((format!("system.{name}"), values, "a list of values"));
    }
    let default = schema.start.variants.and_then(|variants| variants.default);
    let kind = default.and_then(|name| schema.start.variant(name));
    let number = schema.start.parameters_of(kind).into_iter().find_map(|parameter| {
        let value: f64 = parameter.literal().parse().ok()?;
        matches!(parameter.kind, Kind::Number(_)).then_some((parameter.name, value))
    });
    let (key, from, to) = match number {
        Some((name, value)) => (format!("start.{name}"), value, 100.0 * value),
        None => ("record.points".to_owned(), 100.0, 400.0),
    };
    let about = "or a range: 3 at equal ratios; \"0..1:5\" is 5 at equal steps";
    examples.push((key, format!("\"{from:?}..{to:?}:log3\""), about));
    examples
}

fn start_section(text: &mut String, section: &Section, header: &str, first: &str) {
    let _ = write!(text, "\n# {}\n{header}\n{first}", section.about);
    let kind = first_kind(section);
    if let Some(kind) = kind {
        *text += &setting("kind", &quote(kind.name), "decides which settings there are");
    }
    for kind in section.kinds() {
        let _ = writeln!(text, "#   \"{}\": {}", kind.name, kind.about);
    }
    let parameters = section.parameters_of(kind);
    write_settings(text, &parameters, &parameters);
    let others = section.kinds().iter().filter(|other| Some(*other) != kind);
    for (kinds, own) in by_kinds(section, others.map(|other| other.name)) {
        let shared: Vec<_> = own.into_iter().filter(|p| !parameters.contains(p)).collect();
        if !shared.is_empty() {
            let _ = writeln!(text, "# With kind = {}:", quoted(&kinds));
            write_settings(text, &shared, &[]);
        }
    }
}

/// Writes settings; those that do not hold among `active` ones are behind a `#`.
fn write_settings(text: &mut String, parameters: &[&Parameter], active: &[&Parameter]) {
    for parameter in parameters {
        if !holds(parameter, active) {
            text.push('#');
        }
        *text += &setting(parameter.name, parameter.literal(), &comment(parameter));
        for (word, about) in parameter.kind.words() {
            let _ = writeln!(text, "#   \"{word}\": {about}");
        }
    }
}

fn setting(name: &str, literal: &str, comment: &str) -> String {
    format!("{:<COLUMN$}# {comment}\n", format!("{name} = {literal} "))
}

/// Whether a file of defaults should have the setting.
fn holds(parameter: &Parameter, active: &[&Parameter]) -> bool {
    let condition = parameter.when.is_none_or(|when| {
        let on = active.iter().find(|other| other.name == when.on());
        on.is_some_and(|on| when.holds(word(on).as_ref()))
    });
    let has_value = !matches!(parameter.presence, Presence::Optional(_));
    active.iter().any(|other| other.name == parameter.name) && condition && has_value
}

/// The default or example, where it is a word; optional settings have none.
fn word(parameter: &Parameter) -> Option<Value> {
    match (parameter.presence, read_literal(parameter.literal()).ok()?.value) {
        (Presence::Optional(_), _) => None,
        (_, Input::Text(word)) => Some(Value::Text(word)),
        _ => Some(Value::Switch(true)),
    }
}

/// Meaning, unit, range and condition.
fn comment(parameter: &Parameter) -> String {
    let Parameter { kind, presence, about, unit, when, .. } = parameter;
    let parts = [
        matches!(presence, Presence::Required(_)).then(|| "required".to_owned()),
        Some(kind.range()).filter(|range| !range.is_empty()),
        (!unit.is_empty()).then(|| format!("unit: {unit}")),
        when.map(|when| format!("with {}", when.phrase())),
    ];
    match parts.into_iter().flatten().collect::<Vec<_>>().join("; ") {
        parts if parts.is_empty() => (*about).to_owned(),
        parts => format!("{about} ({parts})"),
    }
}
