use super::*;
use crate::model::Form;
use crate::{Basis, Context, Population};

const TAU: f64 = 1.3;

fn task(eigenvalues: &[f64]) -> Task {
    Task::new(eigenvalues, Basis::Random { seed: 4 }, Context::Varying(12)).unwrap()
}

fn shape(d: usize, heads: usize) -> Shape {
    Shape::new(d, heads, 1).unwrap().with_matrices(Form::Merged)
}

/// When the loss has fallen half way, in the flow of a field.
fn half_drop(task: &Task, field: &dyn VectorField, start: &[f64]) -> f64 {
    let levels = Theory::new(task).levels();
    let middle = 0.5 * (levels[0] + levels[levels.len() - 1]);
    let flow = Flow::default().tolerances(1e-11, 1e-16);
    let flow = flow.event(Event::stop(Condition::LossBelow(middle)));
    flow.run(field, 0.0, start, &mut Silent).unwrap().time
}

#[test]
fn on_its_lift_loss_and_rates_are_those_of_the_whole_model() {
    let (task, shape) = (task(&[0.4, 0.3, 0.2]), shape(3, 3));
    let law = MergedLaw::new(&task, shape, TAU).unwrap();
    let landscape = Population::new(&task, shape, TAU).unwrap();
    let state = [0.7, 0.5, 0.4, 1.1];
    let theta = law.lift(&state);
    let back = law.project(&theta);
    assert!(back.iter().zip(&state).all(|(a, b)| (a - b).abs() < 1e-14), "{back:?}");
    let mut speed = vec![0.0; theta.len()];
    let field = GradientFlow::new(&landscape);
    let whole = field.evaluator().rate(0.0, &theta, &mut speed).unwrap();
    let mut rate = vec![0.0; 4];
    let loss = law.law(&state, &mut rate).unwrap();
    assert!((loss - whole).abs() < 1e-14, "{loss}, {whole}");
    for (found, expected) in speed.iter().zip(law.lift(&rate)) {
        assert!((found - expected).abs() < 1e-14, "{found}, {expected}");
    }
}

#[test]
fn the_jacobian_is_the_slope_of_the_rates() {
    let law = MergedLaw::new(&task(&[0.4, 0.3]), shape(2, 1), TAU).unwrap();
    let (state, direction, step) = ([0.7, 0.4, 1.1], [0.3, -1.0, 0.6], 1e-6);
    let rate_at = |sign: f64| {
        let mut rate = vec![0.0; 3];
        let there: Vec<f64> =
            state.iter().zip(&direction).map(|(s, d)| s + sign * step * d).collect();
        law.law(&there, &mut rate).unwrap();
        rate
    };
    let mut product = [0.0; 3];
    assert!(law.law_product(&state, &direction, &mut product));
    for ((ahead, behind), product) in rate_at(1.0).iter().zip(rate_at(-1.0)).zip(product) {
        assert!(((ahead - behind) / (2.0 * step) - product).abs() < 1e-9);
    }
}

#[test]
fn small_random_starts_drop_once_when_the_law_says_so() {
    let task = task(&[0.4, 0.3, 0.2]);
    for heads in [1, 4] {
        let shape = shape(3, heads);
        let law = MergedLaw::new(&task, shape, TAU).unwrap();
        let landscape = Population::new(&task, shape, TAU).unwrap();
        let off = |scale: f64| {
            let start = shape.random_start(scale, 3).unwrap();
            let whole = half_drop(&task, &GradientFlow::new(&landscape), &start);
            half_drop(&task, &law, &law.project(&start)) - whole
        };
        // What the law leaves out shrinks with the start, while the time itself grows as its logarithm.
        let (rough, fine) = (off(1e-2).abs(), off(1e-4).abs());
        assert!(rough < 0.5 && fine < 1e-2 * rough + 1e-6, "{heads} heads: {rough}, {fine}");
    }
}

#[test]
fn equal_eigenvalues_give_a_logistic_curve() {
    let task = task(&[0.25; 4]);
    let law = MergedLaw::new(&task, shape(4, 2), TAU).unwrap();
    // From r = |m| = 1e-3, along the identity, to where half of the drop is done.
    let start = [1e-3, 0.5e-3, 0.5e-3, 0.5e-3, 0.5e-3];
    let gain = Theory::new(&task).optimal_gains()[0];
    let half = 2.0 * gain * (1.0 - std::f64::consts::FRAC_1_SQRT_2);
    let (found, expected) = (half_drop(&task, &law, &start), law.time(1e-6, half).unwrap());
    assert!((found - expected).abs() < 1e-8 * expected, "{found}, {expected}");
    assert!(
        MergedLaw::new(&self::task(&[0.4, 0.3]), shape(2, 1), TAU).unwrap().time(0.1, 0.2).is_err()
    );
}

#[test]
fn heads_with_keys_and_queries_are_refused() {
    let error = MergedLaw::new(&task(&[0.4, 0.3]), Shape::new(2, 2, 2).unwrap(), TAU).unwrap_err();
    assert!(error.to_string().contains("attention = \"merged\""), "{error}");
}
