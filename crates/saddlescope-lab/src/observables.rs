//! What a problem records and comes to: a row per family of columns, with shape, unit and meaning.

use saddlescope_spec::quantity::{self, Quantity};

use crate::prelude::*;

/// Columns of one meaning.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Family {
    /// Its name, with letters for what is counted.
    pub name: String,
    /// The shape of the first of them in this problem; `None` where it has none.
    pub shape: Option<Vec<usize>>,
    pub unit: String,
    pub meaning: String,
    /// The settings under which there are such columns, in words.
    pub when: String,
}

/// All that a problem can record, and all that a run of it comes to.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Listing {
    pub system: &'static str,
    pub observables: Vec<Family>,
    pub outcomes: Vec<Family>,
}

/// What the first run of `plan` can record and comes to, beside what other settings of its system can.
pub fn listing(plan: &Plan) -> Result<Listing> {
    let Some(member) = plan.members.first() else {
        return Err(Error::input("there is no run to look at"));
    };
    let run = Run::new(&member.experiment)?;
    let schema = member.experiment.system.schema();
    let observables =
        run.problem.observables.iter().map(|one| (one.name.clone(), one.shape.clone()));
    let outcomes = run.problem.outcome_names.iter().map(|name| (name.clone(), Vec::new()));
    Ok(Listing {
        system: schema.name,
        observables: families(schema.observables, quantity::all(schema.observables), observables),
        outcomes: families(&[schema.outcomes], schema.outcomes.iter(), outcomes),
    })
}

/// What is declared, with the shapes that it has here, and then what is here and declared nowhere.
fn families(
    declared: &[&[Quantity]],
    all: impl Iterator<Item = &'static Quantity>,
    here: impl Iterator<Item = (String, Vec<usize>)>,
) -> Vec<Family> {
    let family = |one: &Quantity| Family {
        name: one.path().to_owned(),
        shape: None,
        unit: one.unit.to_owned(),
        meaning: one.about.to_owned(),
        when: one.when.to_owned(),
    };
    let mut found: Vec<Family> = all.map(family).collect();
    for (column, shape) in here {
        let of = quantity::find(declared, &column);
        let (name, meaning) = match &of {
            // One row for the norms of all blocks.
            _ if column.starts_with("norm.") && !found.iter().any(|one| one.name == column) => {
                ("norm.<BLOCK>".to_owned(), "Euclidean norm of a block of parameters".to_owned())
            }
            Some(of) => {
                (of.family.split('[').next().unwrap_or_default().to_owned(), of.about.clone())
            }
            None => (counted(&column), String::new()),
        };
        match found.iter_mut().find(|one| one.name == name) {
            Some(one) => _ = one.shape.get_or_insert(shape),
            None => found.push(Family {
                name,
                shape: Some(shape),
                unit: of.map_or_else(String::new, |of| of.unit.to_owned()),
                meaning,
                when: String::new(),
            }),
        }
    }
    found
}

/// A name with stars for its numbers.
pub fn counted(column: &str) -> String {
    let part =
        |part: &str| if part.parse::<usize>().is_ok() { "*".to_owned() } else { part.to_owned() };
    column.split('.').map(part).collect::<Vec<_>>().join(".")
}

impl Listing {
    pub fn text(&self) -> String {
        let mut text = format!("{}: observables, for record.observables\n", self.system);
        text += &table(&self.observables).to_string();
        if !self.outcomes.is_empty() {
            text += "\noutcomes: columns of the table of runs\n";
            text += &table(&self.outcomes).to_string();
        }
        text + "\n<k> stands for a number, or * for all; a dash: not with these settings\n"
    }
}

fn table(families: &[Family]) -> Table {
    let row = |one: &Family| {
        let shape = match &one.shape {
            None => "-".to_owned(),
            Some(shape) if shape.is_empty() => "number".to_owned(),
            Some(shape) => shape.iter().map(ToString::to_string).collect::<Vec<_>>().join(" x "),
        };
        let when = match (&one.shape, one.when.as_str()) {
            (None, when) if !when.is_empty() => format!(" (with {when})"),
            _ => String::new(),
        };
        vec![one.name.clone(), shape, one.unit.clone(), one.meaning.clone() + &when]
    };
    Table::of(&["name", "shape", "unit", "meaning"], families.iter().map(row))
}

/// The page of the book: what each of these systems declares.
pub fn page(systems: &[&dyn System]) -> String {
    let mut page = "# Observables and outcomes\n\n\
        What each system can record (`record.observables`, `[[figure.panel]] y`, `--column`) and what a run of it comes to \
        (columns of the table of runs). `<k>` stands for a number, counted from 0 unless the meaning says otherwise, and `*` \
        in its place for all of them; `[...]` says what counts the elements of a column that is no single number. Every system \
        has `norm.<BLOCK>`, the Euclidean norm of each block of its parameters. `saddlescope observables SYSTEM` prints those of \
        any problem with their shapes.\n\n\
        *This page is written by a test from the declarations in `systems/*/src/readings/quantities.rs`.*\n"
        .to_owned();
    for schema in systems.iter().map(|system| system.schema()) {
        let _ = writeln!(page, "\n## {}", schema.name);
        write_rows(&mut page, "observable", quantity::all(schema.observables));
        if !schema.outcomes.is_empty() {
            write_rows(&mut page, "outcome", schema.outcomes.iter());
        }
    }
    page
}

fn write_rows(page: &mut String, what: &str, rows: impl Iterator<Item = &'static Quantity>) {
    let _ = writeln!(page, "\n| {what} | unit | meaning | with |\n|---|---|---|---|");
    let escaped = |text: &str| text.replace('|', "\\|").replace('<', "&lt;").replace('*', "\\*");
    for one in rows {
        let (about, when) = (escaped(one.about), escaped(one.when));
        let _ = writeln!(page, "| `{}` | {} | {about} | {when} |", one.name, one.unit);
    }
}
