//! The table of runs, from rows made up and from a system that runs.

use super::*;
use crate::facts::tests::rested;

fn row(loss: f64, crossings: &[Option<f64>], outcomes: &[Outcome]) -> Option<RunRow> {
    Some(RunRow::new(&rested(loss, crossings), 0.5, None, outcomes))
}

fn table() -> RunTable {
    let text = format!(
        "seed = {}\n{TOP}[vary]\ndynamics.until = [1, 'converged']\n[[arm]]\nname = 'a, \"b\"'\n[[arm]]\nname = 'c'\n",
        i64::MAX
    );
    let rows = [
        row(0.1, &[Some(2.0), Some(5.0)], &[]),
        row(f64::NAN, &[Some(2.0), None], &[]),
        Some(RunRow::failed("it blew up")),
        None,
    ];
    RunTable::new(&plan(&text), &rows)
}

#[test]
fn columns_are_typed_and_may_have_gaps() {
    let table = table();
    let names: Vec<_> = table.columns().iter().map(|column| column.name.as_str()).collect();
    let expected = "arm seed dynamics.until end.loss end.time end.step ended seconds crossing.1 \
                    crossing.2 duration.1 duration.2 drift reason";
    assert_eq!(names.join(" "), expected);
    let cells = |name: &str| table.column(name).unwrap().cells.clone();
    assert_eq!(cells("seed"), Cells::Integers(vec![Some(i64::MAX); 4]), "to the last digit");
    assert_eq!(cells("crossing.2"), Cells::Numbers(vec![Some(5.0), None, None, None]));
    assert_eq!(cells("duration.1"), cells("crossing.1"));
    assert_eq!(cells("duration.2"), Cells::Numbers(vec![Some(3.0), None, None, None]));
    let word = |word: &str| Some(word.to_owned());
    assert_eq!(
        cells("ended"),
        Cells::Texts(vec![word("converged"), word("converged"), word("failed"), None])
    );
    assert_eq!(cells("reason"), Cells::Texts(vec![None, None, word("it blew up"), None]));
    assert_eq!(table.column("dynamics.until").unwrap().text(0), word("1"));
    assert_eq!((table.rows(), table.column("end.step").unwrap().number(0)), (4, Some(3.0)));
}

#[test]
fn outcomes_are_columns_of_words_or_numbers() {
    let said = |outcomes: &[Outcome]| row(0.1, &[], outcomes);
    let rows = [
        said(&[Outcome::new("order", "1-2"), Outcome::new("start.share.1", 0.25)]),
        None,
        said(&[
            Outcome::new("seed", 7.0),
            Outcome::new("mixed", 2.5),
            Outcome::new("start.share.1", 1.0),
        ]),
        said(&[Outcome::new("mixed", "none")]),
    ];
    let table = RunTable::new(&plan(&format!("seeds = 4\n{TOP}")), &rows);
    let cells = |name: &str| table.column(name).unwrap().cells.clone();
    let word = |word: &str| Some(word.to_owned());
    assert_eq!(cells("order"), Cells::Texts(vec![word("1-2"), None, None, None]));
    assert_eq!(cells("start.share.1"), Cells::Numbers(vec![Some(0.25), None, Some(1.0), None]));
    assert_eq!(cells("mixed"), Cells::Texts(vec![None, None, word("2.5"), word("none")]));
    let seeds = cells("seed");
    assert_eq!(seeds, Cells::Integers((0..4).map(Some).collect()), "the table's own column stays");
    let csv = table.select(&["seed", "order", "start.share.*"]).unwrap().to_csv();
    assert_eq!(csv, "seed,order,start.share.1\n0,1-2,0.25\n1,,\n2,,1\n3,,\n");
}

#[test]
fn the_table_is_written_for_people_and_programs() {
    let table = table().select(&["arm", "crossing.*", "end.loss", "crossing.1"]).unwrap();
    assert_eq!(
        table.to_csv(),
        "arm,crossing.1,crossing.2,end.loss\n\"a, \"\"b\"\"\",2,5,0.1\n\"a, \"\"b\"\"\",2,,NaN\nc,,,\nc,,,\n"
    );
    assert_eq!(
        table.to_json(),
        serde_json::json!([
            { "arm": "a, \"b\"", "crossing.1": 2.0, "crossing.2": 5.0, "end.loss": 0.1 },
            { "arm": "a, \"b\"", "crossing.1": 2.0, "crossing.2": null, "end.loss": null },
            { "arm": "c", "crossing.1": null, "crossing.2": null, "end.loss": null },
            { "arm": "c", "crossing.1": null, "crossing.2": null, "end.loss": null },
        ])
    );
    let text = table.select(&["arm", "crossing.1"]).unwrap().to_table().to_string();
    assert_eq!(text, "arm     crossing.1\na, \"b\"           2\na, \"b\"           2\nc\nc\n");
    assert_eq!(
        table.select(&["crosing.1"]).unwrap_err().to_string(),
        "`crosing.1` fits no column of the table of runs; did you mean `crossing.1`? \
         the columns are arm, crossing.{1..2}, end.loss"
    );
}

#[test]
fn a_plan_of_a_real_system_runs_into_its_table() {
    let text = "[system]\nname = \"linear-attention\"\neigenvalues = [0.4, 0.2]\nheads = 2\n";
    let changes = with(&[], &["start.scale=0.1,0.2"], Some("2"));
    let plan = Plan::from_text("mine", text, &changes, &ALL).unwrap();
    let rows = |workers: usize| -> Vec<Option<RunRow>> {
        let executor = Executor { workers, ..Executor::default() };
        let ended = plan.execute(&executor, |member, _| {
            let run = Run::new(&member.experiment)?;
            let finished = run.execute(|_, _| saddlescope::record::Control::Continue);
            Ok::<_, crate::error::Error>(RunRow::new(&finished.end, 0.0, None, &[]))
        });
        ended.iter().map(|ended| ended.done().cloned()).collect()
    };
    let serial = rows(1);
    assert_eq!(rows(4), serial, "the same bits with any number of threads");
    let table = RunTable::new(&plan, &serial);
    let number = |name: &str, row: usize| table.column(name).unwrap().number(row).unwrap();
    for row in 0..4 {
        assert_eq!(table.column("ended").unwrap().text(row).as_deref(), Some("converged"));
        let steps = number("crossing.2", row) - number("crossing.1", row);
        assert_eq!(number("duration.2", row), steps);
        assert!(steps > 0.0 && number("drift", row) < 1e-8);
    }
    assert!(number("crossing.1", 0) > number("crossing.1", 2), "smaller starts take longer");
}
