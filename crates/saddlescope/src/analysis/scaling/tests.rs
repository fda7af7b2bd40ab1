use super::bootstrap::student;
use super::*;
use crate::numeric::decompose::{solve, transposed_product};

fn points(x: &[f64], seeds: u64, y: impl Fn(f64, u64) -> f64) -> Vec<Point> {
    let all = (0..seeds).flat_map(|seed| x.iter().map(move |&x| (x, seed)));
    all.map(|(x, seed)| Point { x, y: Some(y(x, seed)), seed }).collect()
}

/// Values at equal ratios.
fn ratios(from: f64, to: f64, count: usize) -> Vec<f64> {
    let part = |i: usize| i as f64 / (count - 1) as f64;
    (0..count).map(|i| from * (to / from).powf(part(i))).collect()
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * (1.0 + b.abs())
}

#[test]
fn exact_laws_are_recovered() {
    let x = ratios(0.003, 7.0, 9);
    for (a, c) in [(-1.0, 2.5), (0.5, 1e-7), (-2.0, 3e6), (0.0, 4.0)] {
        let fit =
            fit(&points(&x, 3, |x, _| c * x.powf(a)), Law::Power, Options::default()).unwrap();
        assert!(near(fit.slope.value, a) && near(fit.prefactor.value / c, 1.0), "{fit:?}");
        let (low, high) = fit.slope.interval.unwrap();
        assert!(near(low, a) && near(high, a) && fit.spread < 1e-12);
        assert!(fit.bend.unwrap().value.abs() < 1e-9 && fit.left_out_error.unwrap() < 1e-9);
        assert_eq!((fit.points, fit.seeds, fit.values, fit.missing), (27, 3, 9, 0));
        assert!(fit.range.0 == 0.003 && near(fit.range.1, 7.0));
        for point in &fit.line {
            assert!(near(point.y / (c * point.x.powf(a)), 1.0), "{point:?}");
        }
    }
    for (b, c) in [(-3.7, 11.0), (2.0, -5.0)] {
        let fit = fit(&points(&x, 2, |x, _| c + b * x.ln()), Law::Log, Options::default()).unwrap();
        assert!(near(fit.slope.value, b) && near(fit.prefactor.value, c), "{fit:?}");
        assert!(fit.bend.unwrap().value.abs() < 1e-9);
    }
    for (a, c, offset) in [(-1.0, 6.25, -3.0), (-2.0, 0.5, 40.0), (1.5, 2.0, 0.3)] {
        let law = |x: f64, _| offset + c * x.powf(a);
        let fit = fit(&points(&ratios(0.01, 0.5, 8), 2, law), Law::Offset, Options::default());
        let fit = fit.unwrap();
        assert!((fit.slope.value - a).abs() < 1e-5, "{fit:?}");
        assert!((fit.prefactor.value / c - 1.0).abs() < 1e-4, "{fit:?}");
        assert!((fit.offset.unwrap().value - offset).abs() < 1e-3 * offset.abs(), "{fit:?}");
    }
}

/// The same by the normal equations of all points, without gathering and centring.
#[test]
fn slopes_are_those_of_the_normal_equations() {
    let mut stream = Stream::new(1, Purpose::Data, 0);
    let mut all = Vec::new();
    for (seed, i) in (0..5).flat_map(|seed| (0..7).map(move |i| (seed, i))) {
        // Unequal numbers of runs at each x.
        if (seed + i) % 3 != 0 {
            let x = 0.1 * (i + 1) as f64;
            all.push(Point { x, y: Some((stream.normal() + 2.0 * x).exp()), seed });
        }
    }
    for law in [Law::Power, Law::Log] {
        let found = fit(&all, law, Options::default()).unwrap();
        let y = |point: &Point| {
            let y = point.y.unwrap();
            if law == Law::Power { y.ln() } else { y }
        };
        let polynomial = |terms: usize| {
            let powers = |row: usize, power| all[row].x.ln().powi(power as i32);
            let design = Mat::from_fn(all.len(), terms, powers);
            let values = Mat::from_fn(all.len(), 1, |row, _| y(&all[row]));
            solve(&transposed_product(&design, &design), &transposed_product(&design, &values))
        };
        let (level, slope) = (polynomial(2)[(0, 0)], polynomial(2)[(1, 0)]);
        assert!(near(found.slope.value, slope), "{} {slope}", found.slope.value);
        let prefactor = if law == Law::Power { level.exp() } else { level };
        assert!(near(found.prefactor.value, prefactor));
        let change = 2.0 * polynomial(3)[(2, 0)] * (found.range.1 / found.range.0).ln();
        let bend = if law == Law::Log { change / slope.abs() } else { change };
        assert!((found.bend.unwrap().value - bend).abs() < 1e-7, "{bend}");
        let residual = |point: &Point| y(point) - level - slope * point.x.ln();
        let squares: f64 = all.iter().map(residual).map(|r| r * r).sum();
        assert!(near(found.spread, (squares / (all.len() - 2) as f64).sqrt()));
    }
}

#[test]
fn student_is_in_the_tables() {
    let table =
        [(1, 12.7062), (2, 4.30265), (3, 3.18245), (4, 2.77645), (9, 2.26216), (30, 2.04227)];
    for (freedom, quantile) in table {
        assert!((student(freedom) - quantile).abs() < 1e-4, "{freedom}: {}", student(freedom));
    }
    assert!((student(400) - student(401)).abs() < 1e-4);
    assert!((student(1_000_000) - 1.959_966).abs() < 1e-5);
}

/// Seeds have slopes and levels of their own: points of one seed are far from independent.
fn ensemble(seeds: u64, number: u64, x: &[f64]) -> Vec<Point> {
    let mut stream = Stream::new(7, Purpose::Data, number);
    let own: Vec<[f64; 2]> = (0..seeds).map(|_| [stream.normal(), stream.normal()]).collect();
    let mut noise = vec![0.0_f64; x.len() * seeds as usize];
    stream.fill_normal(&mut noise);
    let mut noise = noise.into_iter();
    let mut all = points(x, seeds, |x, seed| {
        let [level, slope] = own[seed as usize];
        (0.8 * level + (0.1 * slope - 1.0) * x.ln()).exp()
    });
    for point in &mut all {
        let factor = (0.05 * noise.next().unwrap()).exp();
        point.y = point.y.map(|y| y * factor);
    }
    all
}

/// How often intervals hold the truth; the binomial error of 600 ensembles is 0.9 %.
#[test]
fn intervals_cover_the_truth_as_often_as_they_say() {
    const ENSEMBLES: u64 = 600;
    let x = ratios(0.01, 1.0, 6);
    let error = (0.95 * 0.05 / ENSEMBLES as f64).sqrt();
    for seeds in [3, 5, 8, 20] {
        let covered = |number: &u64| {
            let options = Options { resamples: 400, key: *number };
            let fit = fit(&ensemble(seeds, *number, &x), Law::Power, options).unwrap();
            let (low, high) = fit.slope.interval.unwrap();
            low <= -1.0 && -1.0 <= high
        };
        let part = (0..ENSEMBLES).filter(covered).count() as f64 / ENSEMBLES as f64;
        assert!((part - 0.95).abs() < 3.0 * error, "{seeds} seeds: {part}");
    }
}

/// Of the mean of slopes of independent seeds, the error is known.
#[test]
fn standard_errors_are_those_of_a_mean_over_seeds() {
    let x = ratios(0.01, 1.0, 5);
    let all = ensemble(40, 3, &x);
    let options = Options { resamples: 20_000, key: 1 };
    let together = fit(&all, Law::Power, options).unwrap();
    let own = |seed: u64| {
        let own: Vec<Point> = all.iter().filter(|p| p.seed == seed).copied().collect();
        fit(&own, Law::Power, Options::default()).unwrap().slope.value
    };
    let slopes: Vec<f64> = (0..40).map(own).collect();
    let mean = slopes.iter().sum::<f64>() / 40.0;
    let variance = slopes.iter().map(|slope| (slope - mean).powi(2)).sum::<f64>() / 39.0;
    assert!(near(together.slope.value, mean));
    let ratio = together.slope.error.unwrap() / (variance / 40.0).sqrt();
    assert!((ratio - 1.0).abs() < 0.03, "{ratio}");
}

#[test]
fn what_is_missing_is_counted_and_one_seed_has_no_interval() {
    let mut all = points(&[1.0, 2.0, 4.0, 8.0], 1, |x, _| x);
    all.push(Point { x: 16.0, y: None, seed: 0 });
    all.push(Point { x: 3.0, y: Some(f64::NAN), seed: 0 });
    let fit = fit(&all, Law::Power, Options::default()).unwrap();
    assert_eq!((fit.points, fit.missing, fit.values), (4, 2, 4));
    assert!(near(fit.slope.value, 1.0) && fit.slope.interval.is_none());
    assert!(fit.slope.error.is_none() && fit.line.iter().all(|point| point.band.is_none()));
}

#[test]
fn what_cannot_be_fitted_is_an_error_with_its_value() {
    let message =
        |points: &[Point], law| fit(points, law, Options::default()).unwrap_err().to_string();
    let mut two = points(&[1.0, 2.0], 4, |x, _| x);
    two.push(Point { x: 3.0, y: None, seed: 1 });
    assert_eq!(
        message(&two, Law::Power),
        "the law y = C x^a needs runs at 3 or more different values of x, but there are 2 \
         (1 run has no value)"
    );
    assert!(message(&[], Law::Log).contains("there are 0"));
    assert!(message(&points(&[1.0, 2.0, 3.0], 2, |x, _| x), Law::Offset).contains("4 or more"));
    let negative = points(&[1.0, 2.0, 3.0], 1, |x, _| 2.0 - x);
    assert_eq!(message(&negative, Law::Power), "y is 0, but the law y = C x^a needs numbers > 0");
    assert!(fit(&negative, Law::Log, Options::default()).is_ok());
    let zero = points(&[0.0, 2.0, 3.0], 1, |x, _| x + 1.0);
    assert_eq!(message(&zero, Law::Log), "x is 0, but the law y = C + b ln x needs numbers > 0");
    let few = Options { resamples: 7, key: 0 };
    let error = fit(&points(&[1.0, 2.0, 3.0], 1, |x, _| x), Law::Power, few).unwrap_err();
    assert!(error.to_string().contains("resamples is 7"), "{error}");
}

#[test]
fn the_better_law_is_found_and_bends_are_seen() {
    let x = ratios(0.01, 1.0, 8);
    let noise = |x: f64, seed: u64| 0.02 * (17.0 * x.ln() + 5.0 * seed as f64).sin();
    let power = points(&x, 4, |x, s| 3.0 * x.powf(-0.5) * noise(x, s).exp());
    let log = points(&x, 4, |x, s| 5.0 - 3.0 * x.ln() + noise(x, s));
    let first = |points: &[Point]| fit_better(points, Options::default()).unwrap()[0].clone();
    assert_eq!((first(&power).law, first(&log).law), (Law::Power, Law::Log));
    let tolerance = Tolerance::default();
    assert_eq!(judge(&first(&power), Some(-0.5), tolerance), Agreement::Agrees);
    assert_eq!(judge(&first(&power), Some(-1.0), tolerance), Agreement::Differs);
    assert_eq!(judge(&first(&power), None, tolerance), Agreement::Alone);
    assert_eq!(judge(&first(&log), Some(-3.0), tolerance), Agreement::Agrees);
    let bent = fit(&log, Law::Power, Options::default()).unwrap();
    assert_eq!(judge(&bent, Some(-0.3), tolerance), Agreement::NotALaw);
    let wild = points(&x, 3, |x, s| [1.0, 0.02 * x.powf(-2.0), x * x][s as usize] + 0.0 * x);
    let wild = fit(&wild, Law::Power, Options::default()).unwrap();
    assert_eq!(judge(&wild, Some(0.0), Tolerance { bend: 9.0, ..tolerance }), Agreement::Open);
}

#[test]
fn the_key_decides_what_is_drawn_again() {
    let all = ensemble(6, 1, &ratios(0.1, 1.0, 4));
    let other: Vec<Point> = all.iter().rev().copied().collect();
    let options = Options { resamples: 200, key: 3 };
    let first = fit(&all, Law::Power, options).unwrap();
    let reversed = fit(&other, Law::Power, options).unwrap();
    assert!(near(reversed.slope.interval.unwrap().0, first.slope.interval.unwrap().0));
    let key = fit(&all, Law::Power, Options { key: 4, ..options }).unwrap();
    assert_ne!(key.slope.interval, first.slope.interval);
}
