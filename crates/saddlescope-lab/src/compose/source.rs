//! The runs of a figure as rows of their table: what tells them apart, and which of them a panel shows.

use super::*;

/// Values of a setting that runs of a table are told apart by; one that has more is drawn at random.
pub(crate) const MOST_KINDS: usize = 12;
const MOST_FACETS: usize = 64;
const MOST_NAMED: usize = 12;

pub(super) struct Facet {
    pub(super) title: Option<String>,
    pub(super) rows: Vec<usize>,
}

/// Rows that are of one kind, which has these words.
pub(super) type Rows = (String, Vec<usize>);

impl<'a> Source<'a> {
    pub(super) fn run(self, row: usize) -> Option<&'a RunView<'a>> {
        let runs = self.runs?;
        Some(&runs[runs.binary_search_by_key(&row, |run| run.row).ok()?])
    }

    pub(super) fn value(self, row: usize, key: &str) -> Option<String> {
        cell_words(self.table, key, row)
    }

    pub(super) fn seed(self, row: usize) -> u64 {
        let seed = self.table.column("seed").and_then(|seeds| seeds.number(row));
        seed.map_or(0, |seed| seed as u64)
    }

    pub(super) fn predictions(self, row: usize) -> &'a [Prediction] {
        self.run(row).map_or(&[], |run| &run.result.facts.predictions)
    }

    pub(super) fn name(self, observable: &str) -> String {
        (self.label)(observable).unwrap_or_else(|| observable.to_owned())
    }

    /// What a column of the table is called: `$t_{2}$` for `crossing.2`.
    pub(super) fn title(self, column: &str) -> String {
        (self.label)(column).unwrap_or_else(|| match column.split_once('.') {
            Some(("crossing", m)) => format!("$t_{{{m}}}$"),
            Some(("duration", m)) => format!("$\\Delta t_{{{m}}}$"),
            Some(("end", "loss")) => "loss at the end".to_owned(),
            Some(("end", "time")) => "time at the end".to_owned(),
            Some(("start", "scale")) => "scale of the start".to_owned(),
            _ => column.to_owned(),
        })
    }

    pub(super) fn columns(self, patterns: &[String]) -> Result<Vec<Column>> {
        let found = self.table.select(patterns).map_err(|missing| no_column(&missing))?;
        Ok(found.into_columns())
    }

    /// The first column of the table that fits a pattern.
    pub(super) fn column(self, pattern: &str) -> Result<Column> {
        Ok(self.columns(&[pattern.to_owned()])?.remove(0))
    }

    fn keys(self) -> Vec<String> {
        let arm = self.table.column("arm").map(|_| "arm".to_owned());
        arm.into_iter().chain(self.varied.iter().cloned()).chain(["seed".to_owned()]).collect()
    }

    /// Rows by their kind, in the order in which kinds first come: what `by` says, then the equations of `keys`.
    pub(super) fn kinds(
        self,
        rows: &[usize],
        keys: &[String],
        by: &dyn Fn(usize) -> Option<String>,
    ) -> Vec<Rows> {
        let kind = |row: usize| {
            let value = |key: &String| Some(equation(key, &self.value(row, key)?));
            let words = by(row).into_iter().chain(keys.iter().filter_map(value));
            words.collect::<Vec<_>>().join(", ")
        };
        grouped(rows.iter().map(|&row| (kind(row), row)))
    }

    /// The varied settings that tell runs apart; of a table not those that have more values than anybody tells
    /// apart, as settings that are drawn at random do.
    pub(super) fn telling(self) -> Vec<String> {
        let few = |key: &&String| self.runs.is_some() || !has_many(self.table, key, MOST_KINDS);
        self.varied.iter().filter(few).cloned().collect()
    }

    pub(super) fn selected(self, only: &[String]) -> Result<Vec<usize>> {
        let mut chosen: Vec<usize> = match self.runs {
            Some(runs) => runs.iter().map(|run| run.row).collect(),
            None => (0..self.table.rows()).collect(),
        };
        if chosen.is_empty() {
            return Err(no_runs());
        }
        for text in only {
            let Some((key, wanted)) = text.split_once('=') else {
                return Err(Error::input(format!(
                    "`only` has `{text}`, but each entry must be a name, `=` and a value, such as \"arm = flow\""
                )));
            };
            let key = key.trim();
            self.check_key(key)?;
            let fits =
                |row: &usize| self.value(*row, key).is_some_and(|own| is_one_of(&own, wanted));
            let fitting: Vec<usize> = chosen.iter().copied().filter(fits).collect();
            if fitting.is_empty() {
                let mut known = self.values(&chosen, key);
                if known.len() > MOST_NAMED {
                    known.truncate(MOST_NAMED);
                    known.push("...".to_owned());
                }
                let known = known.join(", ");
                return Err(Error::input(format!(
                    "no run has `{text}`; values of `{key}` are {known}"
                )));
            }
            chosen = fitting;
        }
        Ok(chosen)
    }

    fn check_key(self, key: &str) -> Result<()> {
        let known = self.keys();
        if known.iter().any(|name| name == key) {
            return Ok(());
        }
        let (hint, known) = (hint(key, &known), known.join(", "));
        let words = format!("the figure chooses runs by `{key}`{hint}; runs differ in {known}");
        Err(Error::input(words))
    }

    fn values(self, rows: &[usize], key: &str) -> Vec<String> {
        let mut seen = HashSet::new();
        let values = rows.iter().filter_map(|&row| self.value(row, key));
        values.filter(|value| seen.insert(value.clone())).collect()
    }

    /// The panels that a panel becomes: one, or one for each value of its facet.
    ///
    /// `{}` in its title stands for the value.
    pub(super) fn facets(self, chosen: &[usize], panel: &PanelSpec) -> Result<Vec<Facet>> {
        let Some(key) = &panel.facet else {
            return Ok(vec![Facet { title: panel.title.clone(), rows: chosen.to_vec() }]);
        };
        self.check_key(key)?;
        let values = self.values(chosen, key);
        if values.len() > MOST_FACETS {
            return Err(Error::input(format!(
                "a panel has facet = \"{key}\", which has {} values, but a figure has room for {MOST_FACETS} panels; \
                 `only` chooses some",
                values.len()
            )));
        }
        let facet = |value: String| {
            let title = match &panel.title {
                Some(title) if title.contains("{}") => title.replace("{}", &value),
                Some(title) => format!("{title}, {}", equation(key, &value)),
                None => equation(key, &value),
            };
            let fits = |row: &&usize| self.value(**row, key).as_deref() == Some(&value);
            Facet { title: Some(title), rows: chosen.iter().filter(fits).copied().collect() }
        };
        Ok(values.into_iter().map(facet).collect())
    }
}

pub(crate) fn has_many(table: &RunTable, name: &str, most: usize) -> bool {
    let Some(column) = table.column(name) else { return false };
    let mut seen = HashSet::new();
    (0..table.rows()).filter_map(|row| column.text(row)).any(|value| {
        seen.insert(value);
        seen.len() > most
    })
}

/// An entry of a table as a reader of a figure would write it.
pub(crate) fn cell_words(table: &RunTable, name: &str, row: usize) -> Option<String> {
    let column = table.column(name)?;
    match &column.cells {
        Cells::Numbers(cells) => cells[row].map(short),
        _ => column.text(row),
    }
}

/// Equal to one of the alternatives in `wanted`, which bars divide: as words or as numbers.
pub(crate) fn is_one_of(value: &str, wanted: &str) -> bool {
    let same = |a: &str, b: &str| {
        a == b || matches!((a.parse::<f64>(), b.parse::<f64>()), (Ok(a), Ok(b)) if a == b)
    };
    wanted.split('|').any(|wanted| same(value, wanted.trim().trim_matches('"')))
}

/// `rank = 2` for `system.rank`; an arm speaks for itself.
pub(crate) fn equation(key: &str, value: &str) -> String {
    match key {
        "arm" => value.to_owned(),
        "seed" => format!("seed {value}"),
        _ => {
            // The name of a setting without its section; an entry of a list keeps the list's.
            let name = key.trim_end_matches(|c: char| c == '.' || c.is_ascii_digit());
            let start = name.rfind('.').map_or(0, |dot| dot + 1);
            format!("{} = {value}", &key[start..])
        }
    }
}
