//! Tables of other people: comma-separated values under a line of names.

use super::*;
use crate::frame::csv::records;
use saddlescope_spec::settings::fit::Fit;

const MISSING: [&str; 7] = ["", "na", "nan", "none", "null", "-", "not reached"];

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sheet {
    names: Vec<String>,
    /// Each with the line that it begins in.
    rows: Vec<(usize, Vec<String>)>,
}

impl Sheet {
    /// Reads comma-separated values; cells may stand in double quotes.
    pub fn read(text: &str) -> Result<Self> {
        let mut records = records(text, ',').into_iter();
        let (_, names) = records.next().ok_or_else(|| {
            Error::input("the table is empty: expected a line of names, and rows below")
        })?;
        let rows: Vec<_> = records.collect();
        match rows.iter().find(|(_, cells)| cells.len() != names.len()) {
            None => Ok(Self { names, rows }),
            Some((line, cells)) => Err(Error::input(format!(
                "line {line} has {} cells, but the first line has {}",
                cells.len(),
                names.len()
            ))),
        }
    }

    pub fn has(&self, name: &str) -> bool {
        self.names.iter().any(|have| have == name)
    }

    fn place(&self, name: &str) -> Result<usize> {
        self.names.iter().position(|have| have == name).ok_or_else(|| {
            let (hint, known) = (hint(name, &self.names), self.names.join(", "));
            Error::input(format!("there is no column `{name}`{hint}; the columns are {known}"))
        })
    }

    fn number(&self, row: usize, place: usize) -> Result<Option<f64>> {
        let (line, cells) = &self.rows[row];
        let cell = &cells[place];
        if MISSING.contains(&cell.to_lowercase().as_str()) {
            return Ok(None);
        }
        let column = &self.names[place];
        cell.parse().map(Some).map_err(|_| {
            let words = format!("{column} is `{cell}`, but must be a number, or empty");
            Error::input(format!("line {line}: {words}"))
        })
    }

    /// Fits `y` in every group; rows that share what stands under `seed` stay together, without it each
    /// stands for itself.
    pub fn fit(&self, spec: &Fit, y: &str, seed: Option<&str>) -> Result<Vec<FitResult>> {
        let (x_place, y_place) = (self.place(&spec.x)?, self.place(y)?);
        let seed = seed.map(|name| self.place(name)).transpose()?;
        let keys = spec.group.iter().flatten().map(|name| self.place(name));
        let keys = keys.collect::<Result<Vec<_>>>()?;
        let mut seeds: Vec<&str> = Vec::new();
        let mut points = Vec::new();
        for row in 0..self.rows.len() {
            let cells = &self.rows[row].1;
            let Some(x) = self.number(row, x_place)? else { continue };
            let y = self.number(row, y_place)?;
            let number = match seed {
                None => row,
                Some(place) => {
                    let known = seeds.iter().position(|have| *have == cells[place]);
                    known.unwrap_or_else(|| {
                        seeds.push(&cells[place]);
                        seeds.len() - 1
                    })
                }
            };
            if spec.takes(x) {
                let key = |&place: &usize| (self.names[place].clone(), cells[place].clone());
                let group: Vec<_> = keys.iter().map(key).collect();
                points.push((group, (row, Point { x, y, seed: number as u64 })));
            }
        }
        let fitted = |(group, all): (_, Vec<(usize, Point)>)| {
            let (rows, points): (Vec<usize>, Vec<Point>) = all.into_iter().unzip();
            fit_points(Ok(&points), spec, (y, group, rows), &[])
        };
        Ok(grouped(points).into_iter().map(fitted).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(x: &str, group: &[&str]) -> Fit {
        let group = Some(group.iter().map(ToString::to_string).collect());
        Fit { x: x.to_owned(), group, ..Fit::defaults() }
    }

    #[test]
    fn tables_of_other_people_are_fitted() {
        let text = "\u{feff}width,\"model, kind\",run,loss\r\n1,a,1,8\r\n2,a,1,4\r\n4,a,1,2\r\n8,a,1,nan\r\n\
                    1,\"b \"\"2\"\"\",1,3\r\n2,\"b \"\"2\"\"\",1,6\r\n4,\"b \"\"2\"\"\",1,12\r\n\r\n";
        // A line break in quotes is part of a cell.
        let text = text.replace("model, kind", "model,\nkind");
        let sheet = Sheet::read(&text).unwrap();
        let fits = sheet.fit(&spec("width", &["model,\nkind"]), "loss", Some("run")).unwrap();
        let slopes: Vec<f64> =
            fits.iter().map(|f| f.outcome.as_ref().unwrap().slope.value).collect();
        assert!((slopes[0] + 1.0).abs() < 1e-12 && (slopes[1] - 1.0).abs() < 1e-12, "{slopes:?}");
        assert_eq!(fits[0].outcome.as_ref().unwrap().missing, 1);
        assert_eq!(fits[1].group, [("model,\nkind".to_owned(), "b \"2\"".to_owned())]);
    }

    #[test]
    fn mistakes_are_named_with_their_line() {
        let wrong = |text: &str, x: &str| {
            let fit = Sheet::read(text).and_then(|sheet| sheet.fit(&spec(x, &[]), "y", None));
            fit.unwrap_err().to_string()
        };
        assert!(wrong("\n\n", "x").contains("the table is empty"));
        assert_eq!(wrong("x,y\n1\n", "x"), "line 2 has 1 cells, but the first line has 2");
        let message = "there is no column `xx` (did you mean `x`?); the columns are x, y";
        assert_eq!(wrong("x,y\n1,2\n", "xx"), message);
        let message = "line 3: y is `two`, but must be a number, or empty";
        assert_eq!(wrong("x,y\n1,2\n1,two\n", "x"), message);
    }
}
