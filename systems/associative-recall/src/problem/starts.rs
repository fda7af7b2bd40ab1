//! Where the parameters start, from settings.

use saddlescope_spec::prelude::*;

use crate::Shape;
use crate::settings::{Given, Init, Noise, Plateau, Random, Simplex, Specialised};

pub(super) fn initial(start: &Settings, shape: &Shape, seed: u64) -> Result<Vec<f64>> {
    let (init, Noise { noise }): (Spanned<Init>, Noise) = start.read();
    let (theta, name) = match &*init {
        Init::Specialised(Specialised { beta, scale, lags, weight }) => {
            let lags = match lags {
                Some(lags) => init.wholes("lags", lags)?,
                None => (1..=shape.heads).collect(),
            };
            let [heads, k] = [shape.heads, shape.task.order];
            let message =
                format!("is {lags:?}, but must be a lag from 1 to {k} for each of {heads} heads");
            let fits = lags.len() == heads && lags.iter().all(|lag| (1..=k).contains(lag));
            init.ensure(fits, "lags", message)?;
            let beta: Vec<f64> = beta.iter().map(|beta| scale * beta).collect();
            let mut weights = vec![0.0; heads * k];
            lags.iter().enumerate().for_each(|(h, lag)| weights[h * k + lag - 1] = *weight);
            (shape.given_start(&beta, Some(&weights)), "beta")
        }
        Init::Plateau(Plateau { learned, strength, weight, shift, scale }) => {
            let message =
                format!("is {learned}, but one of the {} heads must be left to learn", shape.heads);
            init.ensure(*learned < shape.heads, "learned", message)?;
            let k = shape.task.order;
            let (mut beta, mut weights) = (vec![0.0; shape.heads], vec![0.0; shape.heads * k]);
            beta[..*learned].fill(*strength);
            beta[*learned] = *scale;
            weights[..learned * k].fill(*shift);
            (0..*learned).for_each(|h| weights[h * k + h] += weight);
            (shape.given_start(&beta, Some(&weights)), "learned")
        }
        Init::Random(Random { scale, spread }) => {
            (shape.random_start(*scale, *spread, seed), "scale")
        }
        Init::Simplex(Simplex { size }) => {
            (shape.given_start(&simplex(shape.heads, *size, seed), None), "size")
        }
        Init::Given(Given { beta, scale, w }) => {
            let beta: Vec<f64> = beta.iter().map(|beta| scale * beta).collect();
            let [heads, k] = [shape.heads, shape.task.order];
            let words = format!("{heads} heads with the lags 1 to {k} need {heads} x {k}");
            if let Some(weights) = w {
                init.check_shape("w", weights, &[heads, k], &words)?;
            }
            (shape.given_start(&beta, w.as_ref().map(|weights| &weights.values[..])), "beta")
        }
    };
    let mut theta = theta.map_err(|error| init.blame(&error, name))?;
    let message = format!(
        "is {noise}, but this model has no matrices Q and K to disturb: set second = \"matrices\", \
         or noise = 0"
    );
    init.ensure(noise <= 0.0 || !shape.simplified.strengths, "noise", message)?;
    shape.disturb(&mut theta, noise, seed);
    Ok(theta)
}

/// Positive numbers of a given sum, drawn evenly from all of them: gaps between sorted uniform numbers.
fn simplex(count: usize, sum: f64, seed: u64) -> Vec<f64> {
    let mut cuts = vec![0.0; count - 1];
    Stream::new(seed, Purpose::Start, 0).fill_uniform(&mut cuts);
    cuts.sort_by(f64::total_cmp);
    let mut last = 0.0;
    cuts.push(1.0);
    cuts.iter().map(|cut| sum * (cut - std::mem::replace(&mut last, *cut))).collect()
}

#[cfg(test)]
mod tests {
    use saddlescope_spec::testing::{assert_close, assert_refused, evaluate, observed, problem};

    use super::*;
    use crate::{AssociativeRecall, Population, Task};

    fn started(start: &str) -> Result<Problem> {
        problem(&AssociativeRecall, &["{ heads = 3 }"], start, 0)
    }

    /// 001, Proposition A.2: the learned heads stand still, and the next one jumps when an independent implementation
    /// says so.
    #[test]
    fn from_a_plateau_only_the_next_head_moves() {
        let start =
            started("{ kind = \"plateau\", learned = 1, scale = 0.1, shift = 0.7 }").unwrap().init;
        let landscape =
            Population::new(Shape::new(Task::new(4, 4).unwrap(), 3, 0.0).unwrap()).unwrap();
        let (loss, slope) = evaluate(&landscape, &start, Draw::default());
        assert!((loss - 0.625).abs() < 1e-12, "{loss}");
        let moves: Vec<bool> =
            slope.chunks(5).map(|head| head.iter().any(|slope| slope.abs() > 1e-12)).collect();
        assert_eq!(moves, [false, true, false], "{slope:?}");
        let flow = Flow::default().event(Event::stop(Condition::LossBelow(0.5)));
        let end = flow.run(&GradientFlow::new(&landscape), 0.0, &start, &mut Silent).unwrap();
        assert!((end.time - 404.468).abs() < 1e-3, "{}", end.time);
    }

    #[test]
    fn specialised_heads_attend_to_their_lags() {
        let own = started("{ kind = \"specialised\", weight = 1.5 }").unwrap();
        let other = started("{ kind = \"specialised\", weight = 1.5, lags = [2, 4, 2] }").unwrap();
        let high = 1.5_f64.exp() / (1.5_f64.exp() + 3.0);
        for (problem, lags) in [(own, [1, 2, 3]), (other, [2, 4, 2])] {
            for (h, lag) in lags.into_iter().enumerate() {
                let mut expected = [(1.0 - high) / 3.0; 4];
                expected[lag - 1] = high;
                let found = observed(&problem, &format!("head.{h}.attention"), &problem.init);
                assert_close(&found, &expected, 1e-15, "attention");
            }
        }
    }

    #[test]
    fn what_is_no_start_is_refused_by_its_setting() {
        let cases = [
            ("{ kind = \"specialised\", lags = [1, 2] }", "lag from 1 to 4 for each of 3 heads"),
            ("{ kind = \"specialised\", lags = [1, 2, 5] }", "lag from 1 to 4"),
            ("{ kind = \"specialised\", lags = [1, 2, 2.5] }", "2.5"),
            ("{ kind = \"plateau\", learned = 3 }", "must be left to learn"),
        ];
        for (start, words) in cases {
            assert_refused(started(start), words);
        }
    }
}
