use saddlescope_spec::measure::evaluated;

use super::*;
use crate::{Outputs, Population, Synthetic};

fn shape() -> Shape {
    let task = Synthetic::single(5, 300, 1.0, &[1.0, 2.0, 3.0, 4.0]).task().unwrap();
    Shape::new(task, Outputs::Used).rates(1.0, 0.05)
}

fn run(field: &impl saddlescope::VectorField, start: &[f64], until: f64) -> Vec<f64> {
    Flow::default()
        .tolerances(1e-11, 1e-13)
        .until(until)
        .run(field, 0.0, start, &mut Silent)
        .unwrap()
        .state
}

/// With the logits at rest, Eq. (26) moves the decoder as Lemma 5 says, and Eq. (7) does not.
#[test]
fn the_modified_decoder_leads_as_the_theorem_says() {
    let shape = shape().rates(1.0, 1e-9);
    let start = shape.zero_start(0.0, 0);
    let time = 30.0;
    let expected = lead(300.0, time / 5.0);
    let moved = run(&Modified::new(shape.clone()).unwrap(), &start, time);
    assert!((mean_lead(&shape, &moved) / expected - 1.0).abs() < 1e-8);
    let law = whole(&shape, &moved[shape.decoder_len()..], expected);
    assert!(moved.iter().zip(&law).all(|(a, b)| (a - b).abs() < 1e-7));
    let plain = run(&GradientFlow::new(&Population::new(shape.clone())), &start, time);
    assert!(plain.iter().zip(&law).any(|(a, b)| (a - b).abs() > 0.05));
}

/// Eq. (10) is Lemma 1 with the decoder of Theorem 1: both ways to the rate of the logits.
#[test]
fn the_rates_of_logits_are_those_of_the_whole_model() {
    let shape = shape();
    let law = Logits::new(shape.clone(), Convention::Mean).unwrap();
    let z: Vec<f64> = (0..21).map(|i| 0.3 * (1.3 * f64::from(i)).sin()).collect();
    for time in [5.0, 30.0, 200.0] {
        let mut state = z.clone();
        state.resize(law.variables().len(), 0.0);
        *state.last_mut().unwrap() = time;
        let theta = law.lift(&state);
        let (loss, gradient) = evaluated(&Population::new(shape.clone()), &theta).unwrap();
        assert!((loss / law.loss(&state) - 1.0).abs() < 1e-10);
        let (rates, _) = law.rates(&z, time).unwrap();
        for (rate, slope) in rates.iter().zip(&gradient[shape.decoder_len()..]) {
            assert!((rate + 0.05 * slope).abs() < 1e-12 * (1.0 + slope.abs()), "{rate} {slope}");
        }
        // And back: the decoder tells the time.
        assert!((law.project(&theta).last().unwrap() / time - 1.0).abs() < 1e-9);
    }
}

/// 004, Eqs. (98) and (100): what distinct and common tokens do, by the pull of each class.
#[test]
fn tokens_grow_and_shrink_by_the_pull_of_their_class() {
    let shape = shape();
    let law = Logits::new(shape.clone(), Convention::Sum).unwrap();
    let z = vec![0.1; 21];
    let (rates, pulls) = law.rates(&z, 20.0).unwrap();
    let overlaps = Overlaps::new(&shape, &z).unwrap();
    let mut common = 0.0;
    for n in 0..5 {
        let f = overlaps.direction(n);
        for l in 1 + 4 * n..5 + 4 * n {
            assert!((rates[l] / (f[l] * f[l] * pulls[n]) - 1.0).abs() < 1e-12);
        }
        common -= (1.0 - f[0] * f[0]) * pulls[n];
    }
    assert!((rates[0] / common - 1.0).abs() < 1e-12);
    let printed = Logits::new(shape, Convention::SumAsPrinted).unwrap();
    assert!(printed.rates(&z, 20.0).unwrap().1[0] < 0.9999 * pulls[0]);
}

#[test]
fn the_law_of_theorem_4_is_its_closed_form() {
    for c0 in [Some(0.5), None] {
        let law = TheoremFour::new(shape(), c0).unwrap();
        let start = law.project(&shape().zero_start(0.0, 0));
        assert_eq!(start, [0.0, 0.0]);
        let end = run(&law, &start, 400.0);
        assert!((-end[0] / law.snap.growth(400.0) - 1.0).abs() < 1e-9);
        let theta = law.lift(&end);
        let z = &theta[shape().decoder_len()..];
        assert!((z[4] + end[0]).abs() < 1e-12 && z[1] < z[2] && z[2] < z[3]);
    }
}

#[test]
fn laws_say_where_they_do_not_apply() {
    let error = |shape: Shape| Logits::new(shape, Convention::Mean).unwrap_err().to_string();
    assert!(error(shape().heads(2)).contains("heads is 2"));
    assert!(error(shape().residual()).contains("residual"));
    let error = |synthetic: Synthetic| {
        let shape = Shape::new(synthetic.task().unwrap(), Outputs::Used);
        TheoremFour::new(shape, None).unwrap_err().to_string()
    };
    let several = error(Synthetic::authors(1, 2));
    assert!(several.contains("common tokens of class 0 is 10, expected 1"), "{several}");
    let queries = error(Synthetic { common: 1, ..Synthetic::authors(2, 2) });
    assert!(queries.contains("queries is 2"), "{queries}");
    let alone = error(Synthetic { common: 1, ..Synthetic::authors(1, 1) });
    assert!(alone.contains("classes is 1, expected 2 or more"), "{alone}");
}
