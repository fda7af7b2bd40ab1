//! Laws of tables whose truth is known.

use saddlescope::analysis::scaling::fit;

use super::*;
use super::{FitResult, Runs};
use crate::compose::table_of;
use saddlescope_spec::settings::fit::Fit;

fn time_over_scale() -> Fit {
    Fit { x: "scale".to_owned(), y: vec!["time".to_owned()], ..Fit::defaults() }
}

/// Even noise between -0.5 and 0.5, by number.
fn noise(number: usize) -> f64 {
    (number as f64 * 0.618_033_988_749_895).fract() - 0.5
}

/// `time = 3 rank scale^-2`, times noise, over scales, ranks and seeds.
fn grid(scales: usize, seeds: usize) -> RunTable {
    let rows = scales * 2 * seeds;
    let scale = |row: usize| 1e-3 * 10f64.powf((row % scales) as f64 / 4.0);
    let rank = |row: usize| 1 + (row / scales % 2) as i64;
    let seed = |row: usize| (row / scales / 2) as i64;
    let time = |row: usize| {
        (row != 5).then(|| 3.0 * rank(row) as f64 * scale(row).powi(-2) * (0.2 * noise(row)).exp())
    };
    table_of(vec![
        Column::integers("seed", (0..rows).map(|row| Some(seed(row)))),
        Column::numbers("scale", (0..rows).map(|row| Some(scale(row)))),
        Column::integers("rank", (0..rows).map(|row| Some(rank(row)))),
        Column::numbers("time", (0..rows).map(time)),
    ])
}

fn fits(
    table: &RunTable,
    fit: &Fit,
    theory: &dyn Fn(usize) -> Option<Vec<Scaling>>,
) -> Vec<FitResult> {
    let varied = ["scale", "rank", "other"].map(str::to_owned);
    let varied: Vec<String> =
        varied.into_iter().filter(|name| table.column(name).is_some()).collect();
    Runs { table, varied: &varied, theory, swept: true }.fit_all(&[fit])
}

#[test]
fn a_table_is_fitted_in_groups_like_its_points() {
    let table = grid(9, 7);
    let fits = fits(&table, &time_over_scale(), &|_| None);
    assert_eq!(fits.len(), 2);
    for (fitted, rank) in fits.iter().zip(1..) {
        assert_eq!(fitted.group, [("rank".to_owned(), rank.to_string())]);
        let points: Vec<Point> = (0..table.rows())
            .filter(|&row| table.column("rank").unwrap().number(row) == Some(f64::from(rank)))
            .map(|row| Point {
                x: table.column("scale").unwrap().number(row).unwrap(),
                y: table.column("time").unwrap().number(row),
                seed: table.column("seed").unwrap().number(row).unwrap() as u64,
            })
            .collect();
        let own = fit(&points, Law::Power, Options::default()).unwrap();
        assert_eq!(fitted.outcome.as_ref().unwrap(), &own);
        assert!((own.slope.value + 2.0).abs() < 0.02 && own.seeds == 7, "{:?}", own.slope);
        assert_eq!(own.missing, usize::from(rank == 1));
    }
}

#[test]
fn only_and_group_choose_and_theory_is_asked_about_some_rows() {
    let table = grid(9, 40);
    let asked = std::cell::Cell::new(0);
    let theory = |_: usize| {
        asked.set(asked.get() + 1);
        Some(vec![Scaling {
            x: "scale".into(),
            y: "time".into(),
            law: Law::Power,
            slope: -2.0,
            source: "on paper".into(),
            holds: String::new(),
        }])
    };
    let (only, group) = (vec!["rank = 2".to_owned()], Some(Vec::new()));
    let found = fits(&table, &Fit { only, group, ..time_over_scale() }, &theory);
    let [fitted] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!((fitted.rows.len(), fitted.group.len()), (360, 0));
    assert_eq!(fitted.theory.as_ref().map(|said| said.slope), Some(-2.0));
    assert!((1..=16).contains(&asked.get()), "{}", asked.get());
    let y = vec!["tim".to_owned()];
    let found = fits(&table, &Fit { y, ..time_over_scale() }, &|_| None);
    let error = found[0].outcome.as_ref().unwrap_err();
    assert!(error.contains("did you mean `time`"), "{error}");
}

#[test]
fn values_drawn_at_random_are_put_together_without_bending_the_law() {
    let rows = 40_000;
    let scale = |row: usize| 10f64.powf(4.0 * (noise(row) + 0.5) - 4.0);
    // Noise that knows nothing of the scales.
    let noise = |row: usize| (row as f64 * 0.754_877_666_246_693).fract() - 0.5;
    let time = |row: usize| 7.0 * scale(row).powf(-1.5) * (2.0 * noise(row)).exp();
    let table = table_of(vec![
        Column::numbers("scale", (0..rows).map(|row| Some(scale(row)))),
        Column::numbers("other", (0..rows).map(|row| Some(noise(row * 17)))),
        Column::numbers("time", (0..rows).map(|row| Some(time(row)))),
    ]);
    let fits = fits(&table, &time_over_scale(), &|_| None);
    let [fitted] = fits.as_slice() else { panic!("one group, not one per value of `other`") };
    let found = fitted.outcome.as_ref().unwrap();
    assert!(found.values <= 256 && found.points == rows && found.seeds == rows);
    // Ordinary least squares of ln y on ln x, without any parts.
    let both = || (0..rows).map(|row| (scale(row).ln(), time(row).ln()));
    let n = rows as f64;
    let (mx, my) = (both().map(|p| p.0).sum::<f64>() / n, both().map(|p| p.1).sum::<f64>() / n);
    let slope = both().map(|(x, y)| (x - mx) * (y - my)).sum::<f64>()
        / both().map(|(x, _)| (x - mx).powi(2)).sum::<f64>();
    assert!((found.slope.value - slope).abs() < 1e-4, "{} {slope}", found.slope.value);
    let (low, high) = found.slope.interval.unwrap();
    assert!(low < -1.5 && -1.5 < high && high - low < 0.02, "{low} {high}");
}
