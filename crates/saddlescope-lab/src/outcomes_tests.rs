use super::*;

/// `1/(1 + e^(10 - t))` at whole times to 40: half way at 10, fastest there, at a quarter per unit of time.
fn rise() -> Path {
    let x: Vec<f64> = (0..=40).map(f64::from).collect();
    let y = x.iter().map(|t| 1.0 / (1.0 + (10.0 - t).exp())).collect();
    Path { x, y }
}

/// A plan of one run with these requests.
fn planned(requests: &str) -> Result<Plan> {
    let text = format!(
        "[system]\nname = \"linear-attention\"\n[dynamics]\nkind = \"flow\"\nuntil = 2000.0\n\
         [record]\nobservables = [\"loss\", \"gradient.norm\", \"learned.*\"]\n{requests}"
    );
    Plan::from_text("mine.toml", &text, &Changes::default(), &ALL)
}

#[test]
fn a_crossing_lies_between_two_rows_whichever_way_it_goes() {
    let (up, close) = (rise(), |a: Option<f64>, b: f64| (a.unwrap() - b).abs() < 1e-12);
    let down = Path { x: up.x.clone(), y: up.y.iter().map(|y| -y).collect() };
    assert!(
        close(up.crossing(0.5, Way::Either), 10.0) && close(down.crossing(-0.5, Way::Either), 10.0)
    );
    // 1/(1 + e) at 9: a third of the way to 10 by a line.
    let low = 1.0 / (1.0 + 1f64.exp());
    assert!(close(up.crossing(low + (0.5 - low) / 3.0, Way::Rises), 9.0 + 1.0 / 3.0));
    assert_eq!(up.crossing(0.5, Way::Falls), None);
    assert_eq!(up.crossing(2.0, Way::Either), None);
    // There and back: each way has its own first time.
    let both = Path { x: vec![0.0, 1.0, 2.0, 3.0], y: vec![0.0, 2.0, 0.0, 2.0] };
    assert_eq!(both.crossing(1.0, Way::Falls), Some(1.5));
    assert_eq!(both.tidy(1.0).crossing(1.0, Way::Rises), Some(2.5));
}

#[test]
fn a_rate_is_the_slope_per_unit_of_time_or_of_its_logarithm() {
    let (time, rate) = rise().fastest(Per::Time).unwrap();
    // Two neighbours of the middle are equally steep; the slope there is that of a chord of 1/(1 + e^-x) from 0 to 1.
    assert!((time - 10.0).abs() == 0.5, "{time}");
    assert!((rate - (1.0 / (1.0 + (-1f64).exp()) - 0.5)).abs() < 1e-12, "{rate}");
    let x: Vec<f64> = (0..=100).map(|i| 1e-2 * 10f64.powf(0.05 * f64::from(i))).collect();
    let y = x.iter().map(|t| 3.0 * t.ln()).collect();
    let (_, rate) = Path { x, y }.fastest(Per::Log).unwrap();
    assert!((rate - 3.0).abs() < 1e-9, "{rate}");
}

#[test]
fn a_file_asks_for_outcomes_and_the_table_has_them() {
    let plan = planned(
        "[[outcome]]\nname = \"half\"\ncolumn = \"loss\"\nshare = 0.5\n\
         [[outcome]]\nname = \"low\"\ncolumn = \"loss\"\nkind = \"least\"\n\
         [[outcome]]\nname = \"last\"\ncolumn = \"loss\"\nkind = \"end\"\n\
         [[outcome]]\nname = \"steps\"\ncolumn = \"loss\"\nkind = \"stages\"\n",
    );
    let plan = plan.unwrap();
    assert_eq!(Plan::from_text("again", &plan.to_toml(), &Changes::default(), &ALL).unwrap(), plan);
    let run = Run::new(&plan.members[0].experiment).unwrap();
    let finished = run.execute(|_, _| Control::Continue);
    let loss = finished.trajectory.get("loss").unwrap().data().to_vec();
    let all: Vec<Outcome> =
        plan.outcomes.iter().flat_map(|one| read(one, &finished.trajectory)).collect();
    let of = |name: &str| all.iter().find(|one| one.name == name).map(|one| one.value.clone());
    assert_eq!(of("last"), Some(OutcomeValue::Number(*loss.last().unwrap())));
    let least = loss.iter().copied().fold(f64::INFINITY, f64::min);
    assert_eq!(of("low"), Some(OutcomeValue::Number(least)));
    assert!(of("half").is_some() && of("steps").is_some() && of("low.time").is_some(), "{all:?}");
    let result = RunResult::new(&run, finished);
    let results = crate::campaign::Results::new(&plan, vec![Execution::Done(result)]);
    assert!(results.table.to_csv().lines().next().unwrap().contains("half"));
}

#[test]
fn requests_that_cannot_be_are_refused_with_the_fix() {
    for (request, words) in [
        ("name = \"a\"\ncolumn = \"lost\"", "record.observables"),
        ("name = \"end.loss\"\ncolumn = \"loss\"", "choose another name"),
        ("name = \"a\"\ncolumn = \"loss\"\nlevel = 0.1\nshare = 0.5", "of one or of the other"),
        (
            "name = \"a\"\ncolumn = \"loss\"\nkind = \"end\"\n[[outcome]]\nname = \"a\"\ncolumn = \"loss\"",
            "twice",
        ),
    ] {
        let error = planned(&format!("[[outcome]]\n{request}\n")).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
}
