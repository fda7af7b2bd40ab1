//! Losses on drawn sequences beside the model written out, differences, and exact expectations.

use saddlescope::Landscape;
use saddlescope::numeric::random::Purpose;

use super::*;
use crate::{Attention, Coupling, First, Parts, Population, Reduction, Task};

const TOKENS: [Tokens; 2] = [Tokens::Gaussian, Tokens::Boolean];
const ATTENTIONS: [Attention; 2] = [Attention::Exponential, Attention::Softmax];

/// Every kind of model: 2 x 2 x 2 x 2 x 3 of them for each dimension.
fn shapes() -> Vec<Shape> {
    let mut all = Vec::new();
    for (dimension, reduction) in [(1, Reduction::Sum), (3, Reduction::Sum), (3, Reduction::Mean)] {
        for (tokens, attention) in TOKENS.into_iter().flat_map(|t| ATTENTIONS.map(|a| (t, a))) {
            let kinds = (tokens, attention, reduction);
            let task = Task::general(9, dimension, kinds, (1.5, 0.4)).unwrap();
            for first in [First::Previous, First::Trained] {
                for coupling in [Coupling::Tied, Coupling::Untied] {
                    for parts in [Parts::Both, Parts::Gram, Parts::Induction] {
                        all.push(Shape::new(task).first(first).coupling(coupling).parts(parts));
                    }
                }
            }
        }
    }
    all
}

/// Some parameters of either sign.
fn point(shape: &Shape, index: u64) -> Vec<f64> {
    let mut theta = vec![0.0; shape.len()];
    Stream::new(3, Purpose::Perturbation, index).fill_uniform(&mut theta);
    theta.iter().map(|x: &f64| 1.2 * x - 0.4).collect()
}

fn evaluate<L: Landscape<Scalar = f64>>(landscape: &L, theta: &[f64]) -> (f64, Vec<f64>) {
    let mut gradient = vec![0.0; theta.len()];
    let draw = Draw { seed: 3, step: 5 };
    let loss = landscape.evaluate(theta, draw, &mut landscape.work(), &mut gradient).unwrap();
    (loss, gradient)
}

/// The sequences of a data set, `[L][D]` each, as the kernel draws them.
fn sequences(stored: &Empirical) -> Vec<Vec<Vec<f64>>> {
    let Drawn { model, source, .. } = &stored.0;
    let (task, mut work) = (model.shape.task, model.work::<f64>());
    let (length, dimension) = (task.length, task.dimension);
    let mut all = Vec::new();
    for first in (0..source.items()).step_by(model.chunk) {
        let mut stream = source.stream(first / model.chunk, Draw::default());
        let count = model.chunk.min(source.items() - first);
        for group in (0..count).step_by(LANES) {
            draw(task.tokens, &mut stream, &mut work);
            for lane in 0..LANES.min(count - group) {
                let token = |s: usize| {
                    (0..dimension).map(|c| work.tokens[c * length + s].0[lane]).collect()
                };
                all.push((0..length).map(token).collect());
            }
        }
    }
    all
}

/// The two losses of one sequence, place by place: 002, Eqs. (1) to (3), (5) and (6).
fn literal(shape: &Shape, theta: &[f64], sequence: &[Vec<f64>]) -> Partial {
    let (task, parameters) = (&shape.task, shape.read(theta));
    let (length, dimension) = (task.length, task.dimension);
    // Places and tokens count from one, as in print.
    let x = |s: usize, c: usize| sequence[s - 1][c];
    let y = |s: usize, c: usize| match parameters.p_tilde {
        None => x(s - 1, c),
        Some(p_tilde) => {
            let weight = |tau: usize| (-p_tilde * (s - 1 - tau) as f64).exp();
            let sum: f64 = (1..s).map(weight).sum();
            (1..s).map(|tau| x(tau, c) * weight(tau)).sum::<f64>() / sum
        }
    };
    let scale = task.coordinates() / dimension as f64;
    let half_square = |error: &dyn Fn(usize) -> f64| {
        0.5 * scale * (0..dimension).map(|c| error(c).powi(2)).sum::<f64>()
    };
    let places = 2..length;
    let mut partial = Partial { gram: 0.0, induction: 0.0 };
    if let Some([p, g]) = parameters.gram {
        let weight = |s: usize| (-p * (length - 1 - s) as f64).exp();
        let sum: f64 = places.clone().map(weight).sum();
        partial.gram = half_square(&|c| {
            let head: f64 = places.clone().map(|s| y(s, c) * weight(s) / sum).sum();
            task.gram_weight() * x(length - 2, c) - g * head
        });
    }
    if let Some((query, key, h)) = parameters.induction {
        let weights = |score: &dyn Fn(usize) -> f64| {
            let raised: Vec<f64> = places.clone().map(|s| score(s).exp()).collect();
            let sum = match task.attention {
                Attention::Softmax => raised.iter().sum(),
                Attention::Exponential => (length - 2) as f64,
            };
            raised.iter().map(|weight| weight / sum).collect::<Vec<f64>>()
        };
        let all = |f: &dyn Fn(usize) -> f64| (0..dimension).map(f).sum::<f64>();
        let own = weights(&|s| all(&|c| query[c] * key[c] * x(length, c) * y(s, c)));
        let target = weights(&|s| task.product() * all(&|c| x(length, c) * x(s - 1, c)));
        partial.induction = half_square(&|c| {
            let at = |i: usize| task.induction_weight() * target[i] - h * own[i];
            (0..length - 2).map(|i| at(i) * x(i + 2, c)).sum()
        });
    }
    partial
}

#[test]
fn losses_are_those_of_the_model_written_out() {
    for (index, shape) in shapes().into_iter().enumerate() {
        let count = [1, LANES - 1, LANES, 2 * LANES + 3][index % 4];
        let stored = Samples::stored(shape, (count, index as u64)).unwrap();
        let theta = point(&shape, index as u64);
        let mut expected = Partial { gram: 0.0, induction: 0.0 };
        let sequences = sequences(&stored);
        assert_eq!(sequences.len(), count);
        for sequence in &sequences {
            let one = literal(&shape, &theta, sequence);
            expected.gram += one.gram / count as f64;
            expected.induction += one.induction / count as f64;
        }
        let found = Samples::partial(&stored, &theta);
        assert!((found.gram - expected.gram).abs() < 1e-14, "{shape:?}: {found:?} {expected:?}");
        let error = found.induction - expected.induction;
        assert!(error.abs() < 1e-14 * (1.0 + expected.induction), "{shape:?}: {error:e}");
        let (loss, _) = evaluate(&stored, &theta);
        assert!((loss - found.gram - found.induction).abs() < 1e-15 * (1.0 + loss), "{shape:?}");
    }
}

/// Slopes of either sign that are far too steep, and scores in the hundreds.
#[test]
fn steep_parameters_overflow_nothing() {
    let kinds = (Tokens::Gaussian, Attention::Softmax, Reduction::Sum);
    let task = Task::general(9, 1, kinds, (1.5, 0.4)).unwrap();
    let shape = Shape::new(task).first(First::Trained);
    for p_tilde in [-60.0, 0.0, 60.0] {
        for p in [-60.0, 0.0, 60.0] {
            for query in [-9.0, 9.0] {
                let theta = [p_tilde, p, 0.7, query, 4.0, 0.3];
                let stored = Samples::stored(shape, (LANES + 1, 7)).unwrap();
                let losses = sequences(&stored).into_iter().map(|sequence| {
                    let one = literal(&shape, &theta, &sequence);
                    one.gram + one.induction
                });
                let expected = losses.sum::<f64>() / (LANES + 1) as f64;
                let (loss, gradient) = evaluate(&stored, &theta);
                assert!((loss / expected - 1.0).abs() < 1e-12, "{theta:?}: {loss} {expected}");
                assert!(gradient.iter().all(|slope| slope.is_finite()), "{gradient:?}");
                let (loss, gradient) = evaluate(&Samples::fresh(shape, 100).unwrap(), &theta);
                let found = std::iter::once(loss).chain(gradient);
                assert!(found.into_iter().all(f64::is_finite), "{theta:?}");
            }
        }
    }
}

#[test]
fn gradients_are_those_of_differences() {
    for (index, shape) in shapes().into_iter().enumerate() {
        let stored = Samples::stored(shape, (2 * LANES + 5, 7)).unwrap();
        let theta = point(&shape, index as u64);
        let (_, gradient) = evaluate(&stored, &theta);
        for i in 0..theta.len() {
            let at = |step: f64| {
                let mut moved = theta.clone();
                moved[i] += step;
                evaluate(&stored, &moved).0
            };
            let step = 1e-4;
            // To fourth order.
            let difference =
                (8.0 * (at(step) - at(-step)) - (at(2.0 * step) - at(-2.0 * step))) / (12.0 * step);
            let error = gradient[i] - difference;
            assert!(error.abs() < 1e-10, "{shape:?} {i}: {} {error:e}", gradient[i]);
        }
    }
}

/// Mean and standard error of means over many batches, loss first, slopes after it.
fn sampled(shape: Shape, theta: &[f64], (batches, batch): (u64, usize)) -> Vec<[f64; 2]> {
    let online = Samples::fresh(shape, batch).unwrap();
    let (mut work, mut gradient) = (online.work(), vec![0.0; theta.len()]);
    let mut sums = vec![[0.0; 2]; theta.len() + 1];
    for step in 0..batches {
        let draw = Draw { seed: 11, step };
        let loss = online.evaluate(theta, draw, &mut work, &mut gradient).unwrap();
        for (sum, value) in sums.iter_mut().zip(std::iter::once(&loss).chain(&gradient)) {
            sum[0] += value;
            sum[1] += value * value;
        }
    }
    let n = batches as f64;
    sums.iter()
        .map(|[sum, squares]| {
            let mean = sum / n;
            [mean, ((squares / n - mean * mean) / (n - 1.0)).sqrt()]
        })
        .collect()
}

#[test]
fn batches_have_the_exact_loss_and_gradient_for_their_mean() {
    let task =
        |dimension, kinds, w_star| Task::general(12, dimension, kinds, (1.5, w_star)).unwrap();
    let (sum, mean) = (Reduction::Sum, Reduction::Mean);
    let (exponential, softmax) = (Attention::Exponential, Attention::Softmax);
    let tasks = [
        task(1, (Tokens::Gaussian, exponential, sum), 0.3),
        task(3, (Tokens::Gaussian, exponential, mean), 0.25),
        task(1, (Tokens::Boolean, exponential, sum), 0.9),
        task(2, (Tokens::Boolean, exponential, sum), 0.6),
        task(1, (Tokens::Gaussian, softmax, sum), 0.49),
        task(1, (Tokens::Boolean, softmax, sum), 0.8),
    ];
    for task in tasks {
        let trained = task.attention == exponential;
        for first in [First::Previous, First::Trained].into_iter().take(1 + usize::from(trained)) {
            let shape = Shape::new(task).first(first);
            let theta: Vec<f64> = point(&shape, 2).iter().map(|x| 0.2 + 0.3 * x).collect();
            let (loss, gradient) = evaluate(&Population::new(shape).unwrap(), &theta);
            let found = sampled(shape, &theta, (60, 2000));
            let exact = std::iter::once(&loss).chain(&gradient);
            for (i, ([mean, error], exact)) in found.iter().zip(exact).enumerate() {
                let off = (mean - exact) / error;
                assert!(off.abs() < 4.5, "{shape:?} {i}: {mean} {exact} is {off} errors off");
                assert!(
                    *error < 0.05 * (exact.abs() + 0.02),
                    "{shape:?} {i}: {error} tells little"
                );
            }
        }
    }
}

/// The same sequences in single and in double precision, beside what drawing others would change.
#[test]
fn single_precision_is_lost_in_the_sampling_error() {
    for attention in ATTENTIONS {
        let kinds = (Tokens::Gaussian, attention, Reduction::Sum);
        let task = Task::general(40, 1, kinds, (1.0, 0.49)).unwrap();
        let shape = Shape::new(task).first(First::Trained);
        let model = Samples::new(shape);
        for theta in [[0.01; 6], [1.0, 2.0, 0.5, 0.45, 0.45, 0.5]] {
            let see = |single: bool| {
                let mut stream = Stream::new(1, Purpose::Batch, 0);
                let (mut gradient, count) = (vec![0.0; 6], 1000);
                let partial = if single {
                    let mut work = model.work::<f32>();
                    let partial = model.see(&mut stream, count, &theta, &mut work);
                    model.add_slopes(&theta, &work.sums, &mut gradient);
                    partial
                } else {
                    let mut work = model.work::<f64>();
                    let partial = model.see(&mut stream, count, &theta, &mut work);
                    model.add_slopes(&theta, &work.sums, &mut gradient);
                    partial
                };
                gradient.insert(0, partial.gram + partial.induction);
                gradient
            };
            let spread = sampled(shape, &theta, (30, 1000));
            for (i, ((single, double), [_, error])) in
                see(true).into_iter().zip(see(false)).zip(spread).enumerate()
            {
                // Of one batch, not of the mean over 30.
                let error = error * 30_f64.sqrt();
                let off = (single - double).abs() / 1000.0 / error;
                assert!(off < 1e-4, "{attention:?} {theta:?} {i}: {off:e} of the sampling error");
            }
        }
    }
}

#[test]
fn bits_do_not_depend_on_the_number_of_threads() {
    let task = Task::new(40, 1.0, 0.3).unwrap();
    let shape = Shape::new(task).first(First::Trained);
    let theta = point(&shape, 1);
    let on = |threads: usize, items: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let stored = Samples::stored(shape, (items, 5)).unwrap();
            let online = evaluate(&Samples::fresh(shape, items).unwrap(), &theta);
            (online, evaluate(&stored, &theta), Samples::partial(&stored, &theta))
        })
    };
    for items in [1, 1000, 3 * Samples::new(shape).chunk + 7] {
        let one = on(1, items);
        for threads in [2, 5] {
            assert_eq!(on(threads, items), one, "{items} sequences on {threads} threads");
        }
    }
}

/// Batches of any size are means over their own sequences, and a data set begins with every smaller one.
#[test]
fn batches_need_not_be_whole_groups_or_chunks() {
    for tokens in TOKENS {
        let kinds = (tokens, Attention::Softmax, Reduction::Sum);
        let task = Task::general(6, 2, kinds, (1.0, 0.5)).unwrap();
        let shape = Shape::new(task).first(First::Trained);
        let chunk = Samples::new(shape).chunk;
        let theta = point(&shape, 3);
        let large = Samples::stored(shape, (2 * chunk + 1, 9)).unwrap();
        let losses: Vec<f64> = sequences(&large)
            .iter()
            .map(|sequence| {
                let one = literal(&shape, &theta, sequence);
                one.gram + one.induction
            })
            .collect();
        for items in [1, LANES + 1, chunk - 1, chunk, chunk + 1, 2 * chunk + 1] {
            let mean = losses[..items].iter().sum::<f64>() / items as f64;
            let (loss, _) = evaluate(&Samples::stored(shape, (items, 9)).unwrap(), &theta);
            assert!((loss - mean).abs() < 1e-13 * mean.max(1.0), "{items}: {loss} {mean}");
        }
    }
}

#[test]
fn steps_and_seeds_have_their_own_batches() {
    let task = Task::new(8, 1.0, 0.3).unwrap();
    let online = Samples::fresh(Shape::new(task), 50).unwrap();
    let (mut work, mut gradient) = (online.work(), vec![0.0; 5]);
    let mut losses: Vec<u64> = [(1, 1), (1, 2), (2, 1), (1, 1)]
        .map(|(seed, step)| {
            let theta = [0.3; 5];
            online
                .evaluate(&theta, Draw { seed, step }, &mut work, &mut gradient)
                .unwrap()
                .to_bits()
        })
        .to_vec();
    assert_eq!(losses[0], losses[3]);
    losses.sort_unstable();
    losses.dedup();
    assert_eq!(losses.len(), 3);
    assert!(Samples::fresh(Shape::new(task), 0).unwrap_err().to_string().contains("batch is 0"));
    assert!(
        Samples::stored(Shape::new(task), (0, 1)).unwrap_err().to_string().contains("sequences")
    );
}
