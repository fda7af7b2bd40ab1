use super::*;
use crate::{Basis, Context, Shape};

fn task(context: Context) -> Task {
    Task::new(&[0.5, 0.3, 0.2], Basis::Random { seed: 5 }, context).unwrap()
}

/// Mean and standard error of what `of` makes of the prediction problems of these sequences, with the tokens of the context of each.
fn sampled(
    task: &Task,
    sequences: std::ops::Range<u64>,
    of: impl Fn(Triple<'_>, &[f64]) -> f64,
) -> (f64, f64) {
    let (sampler, d) = (Sampler::new(task).unwrap(), task.dimension());
    let (mut sum, mut squares, mut count) = (0.0, 0.0, 0.0);
    for index in sequences {
        let sequence: Sequence = sampler.sequence(77, index);
        let mut pairs = sampler.pairs - sampler.problems();
        sampler.each_triple(&sequence, &mut vec![0.0; 2 * d], |triple| {
            pairs += 1;
            let value = of(triple, &sequence.tokens[..pairs * d]);
            (sum, squares, count) = (sum + value, squares + value * value, count + 1.0);
        });
    }
    let mean = sum / count;
    (mean, ((squares / count - mean * mean) / count).sqrt())
}

fn square(x: f64) -> f64 {
    x * x
}

#[test]
fn distances_are_those_of_drawn_sequences() {
    for context in [Context::Fixed(12), Context::Varying(9)] {
        let task = task(context.clone());
        let theory = Theory::new(&task);
        let shape = Shape::new(3, 2, 2).unwrap();
        let weights = shape.random_start(1.5, 3).unwrap();
        let theta = shape.theta(&weights);
        let own = ContextRegression::new(&task, 77).unwrap();
        let problems = Sampler::new(&task).unwrap().problems();
        for m in 0..=3 {
            let model = |triple: &Triple<'_>| shape.predict(&weights, triple.beta, triple.query);
            let (found, error) = sampled(&task, 0..20_000, |triple, _| {
                let regression = theory.component_regression(triple.beta, triple.query)[m];
                square(model(&triple) - regression)
            });
            let exact = theory.distance_to_regression(&theta, m);
            assert!((found - exact).abs() < 4.0 * error, "{context:?}, {m}: {found}, {exact}");
            let fresh = FRESH..FRESH + PROBLEMS.div_ceil(problems) as u64;
            let (found, _) = sampled(&task, fresh, |triple, tokens| {
                square(model(&triple) - regressions(tokens, triple)[m])
            });
            let mean = own.distance(&theta, m);
            assert!((found - mean).abs() < 1e-12, "{context:?}, {m}: {found}, {mean}");
        }
    }
}

#[test]
fn a_model_on_a_plateau_is_the_populations_regression() {
    let task = task(Context::Fixed(31));
    let theory = Theory::new(&task);
    let shape = Shape::new(3, 3, 1).unwrap();
    for m in 0..=3 {
        let learned: Vec<usize> = (0..m).collect();
        let weights = theory.weights_at(shape, &learned, super::super::Slots::HeadEach).unwrap();
        let theta = shape.theta(&weights);
        for other in 0..=3 {
            let distance = theory.distance_to_regression(&theta, other);
            let between = theory.square_of_regression(other) - theory.square_of_regression(m);
            assert!((distance - between.abs()).abs() < 1e-14, "{m}, {other}: {distance}");
        }
    }
}

#[test]
fn all_components_of_a_long_context_are_least_squares() {
    let task = task(Context::Fixed(20));
    let (sampler, d) = (Sampler::new(&task).unwrap(), 3);
    let sequence: Sequence = sampler.sequence(3, 0);
    sampler.each_triple(&sequence, &mut vec![0.0; 2 * d], |triple| {
        let all = regressions(&sequence.tokens[..20 * d], triple);
        assert_eq!((all.len(), all[0]), (4, 0.0));
        // Without noise it finds the task vector.
        assert!((all[3] - triple.target).abs() < 1e-12);
    });
    let far = ContextRegression::new(&Task::new(&[1.0; 17], Basis::Axes, task.context).unwrap(), 1);
    assert!(far.unwrap_err().to_string().contains("at most 16"));
}
