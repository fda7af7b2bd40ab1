use saddlescope::field::GradientFlow;
use saddlescope::flow::Flow;
use saddlescope::landscape::erased::Erased;
use saddlescope::numeric::random::{Purpose, Stream};
use saddlescope::record::Silent;

use super::*;
use crate::{ClassSpec, Population, Synthetic, Task};

pub(super) fn uneven() -> Task {
    // Query 2 occurs in contexts, token 8 nowhere.
    let class = |query, next, law: &[(usize, f64)]| ClassSpec { query, next, law: law.to_vec() };
    Task::new(
        9,
        &[
            class(7, 0, &[(0, 0.2), (1, 0.3), (2, 0.5)]),
            class(7, 5, &[(0, 0.4), (3, 0.6)]),
            class(2, 4, &[(1, 0.1), (2, 0.2), (3, 0.3), (4, 0.4)]),
        ],
    )
    .unwrap()
}

/// Fewer and more dimensions than tokens, several heads, with and without residual connection.
pub(super) fn embeddings() -> Vec<Embedding> {
    let shape = Shape::new(uneven(), Outputs::All);
    let shapes = [
        shape.clone(),
        shape.clone().heads(2),
        shape.clone().residual(),
        shape.heads(3).residual(),
    ];
    let with = |shape: &Shape, d| Embedding::new(shape.clone(), d).unwrap();
    shapes.iter().flat_map(|shape| [with(shape, 4), with(shape, 11)]).collect()
}

pub(super) fn random(count: usize, scale: f64, seed: u64) -> Vec<f64> {
    let mut numbers = vec![0.0; count];
    Stream::new(seed, Purpose::Perturbation, 0).fill_normal(&mut numbers);
    numbers.iter().map(|x| scale * x).collect()
}

pub(super) fn evaluate(landscape: &impl Landscape<Scalar = f64>, theta: &[f64]) -> (f64, Vec<f64>) {
    let mut gradient = vec![0.0; theta.len()];
    let loss =
        landscape.evaluate(theta, Draw::default(), &mut landscape.work(), &mut gradient).unwrap();
    (loss, gradient)
}

fn embedded(embedding: &Embedding) -> Embedded {
    Embedded::new(embedding.clone(), Population::new(embedding.shape().clone())).unwrap()
}

/// The loss as Eqs. (1) and (2) have it, entry by entry over the whole vocabulary, without `Y` and `Z`.
pub(super) fn plain_loss(embedding: &Embedding, normalised: Normalised, theta: &[f64]) -> f64 {
    let (shape, d) = (embedding.shape(), embedding.dimension());
    let (task, m) = (shape.task(), shape.task().vocabulary());
    let u = |k: usize, a: usize| theta[k * d + a];
    let entry = |range: Range<usize>, a: usize, b: usize| theta[range.start + a * d + b];
    let unit = |x: Vec<f64>| -> Vec<f64> {
        let norm = x.iter().map(|x| x * x).sum::<f64>().sqrt();
        x.iter().map(|x| x / norm).collect()
    };
    let embed =
        |x: &[f64]| -> Vec<f64> { (0..d).map(|a| (0..m).map(|k| x[k] * u(k, a)).sum()).collect() };
    let mut total = 0.0;
    for class in task.classes() {
        let query = task.queries()[class.query];
        let mut weights = vec![0.0; m];
        for h in 0..shape.head_count() {
            let score = |k: usize| -> f64 {
                let mut sum = 0.0;
                for a in 0..d {
                    for b in 0..d {
                        for c in 0..d {
                            let through =
                                entry(embedding.w_q(h), a, b) * entry(embedding.w_k(h), c, b);
                            sum += u(query, a) * through * u(k, c);
                        }
                    }
                }
                (sum / (d as f64).sqrt()).exp()
            };
            let law = || class.support.iter().map(|&l| task.tokens()[l]).zip(&class.probability);
            let sum: f64 = law().map(|(k, p)| p * score(k)).sum();
            law().for_each(|(k, p)| weights[k] += p * score(k) / sum);
        }
        let mut seen = match normalised {
            Normalised::Weights => {
                let mut weights = unit(weights);
                if shape.is_residual() {
                    weights[query] += 1.0;
                    weights = unit(weights);
                }
                embed(&weights)
            }
            Normalised::Embedding => unit(embed(&weights)),
        };
        if normalised == Normalised::Embedding && shape.is_residual() {
            seen.iter_mut().enumerate().for_each(|(a, x)| *x += u(query, a));
            seen = unit(seen);
        }
        let logit = |j: usize| -> f64 {
            let value =
                |a: usize| (0..d).map(|b| entry(embedding.w_v(), a, b) * seen[b]).sum::<f64>();
            (0..d).map(|a| u(j, a) * value(a)).sum()
        };
        let all: f64 = (0..m).map(|j| logit(j).exp()).sum();
        total += all.ln() - logit(class.next);
    }
    total / task.classes().len() as f64
}

/// Checks loss and slopes of `landscape` against the loss written out.
pub(super) fn check(
    embedding: &Embedding,
    normalised: Normalised,
    landscape: &impl Landscape<Scalar = f64>,
    seed: u64,
) {
    let mut theta = random(embedding.len(), 0.6, seed);
    let (loss, gradient) = evaluate(landscape, &theta);
    let plain = plain_loss(embedding, normalised, &theta);
    assert!((loss - plain).abs() < 1e-13, "{seed}: {loss} {plain}");
    let step = 3e-4;
    for k in 0..theta.len() {
        let mut between = |width: f64| {
            let before = theta[k];
            let mut at = |place: f64| {
                theta[k] = place;
                plain_loss(embedding, normalised, &theta)
            };
            let difference = at(before + width) - at(before - width);
            theta[k] = before;
            difference
        };
        // Of fourth order: where query and direction nearly cancel, the loss bends.
        let difference = (8.0 * between(step) - between(2.0 * step)) / (12.0 * step);
        let name = embedding.blocks().parameter_name(k);
        assert!(
            (gradient[k] - difference).abs() < 1e-10,
            "{seed}, {name}: {} {difference}",
            gradient[k]
        );
    }
}

#[test]
fn loss_and_slopes_are_those_of_the_transformer_written_out() {
    for (i, embedding) in embeddings().iter().enumerate() {
        check(embedding, Normalised::Weights, &embedded(embedding), i as u64);
    }
}

/// 004, section 3.1: `Y = U W_V^T U^T`, `Z = U W_Q W_K^T U^T/sqrt(d)`.
#[test]
fn the_implied_parameters_are_the_printed_products() {
    for embedding in embeddings() {
        let (shape, d) = (embedding.shape(), embedding.dimension());
        let theta = random(embedding.len(), 0.6, 3);
        let inner = embedding.implied(&theta).unwrap();
        let form = |left: usize, middle: &dyn Fn(usize, usize) -> f64, right: usize| -> f64 {
            let term =
                |a: usize, b: usize| theta[left * d + a] * middle(a, b) * theta[right * d + b];
            (0..d).map(|a| (0..d).map(|b| term(a, b)).sum::<f64>()).sum()
        };
        let transposed = |a: usize, b: usize| theta[embedding.w_v().start + b * d + a];
        for (row, &l) in shape.inputs().iter().enumerate() {
            for j in 0..shape.columns() {
                let y = form(l, &transposed, j);
                assert!((inner[row * shape.columns() + j] - y).abs() < 1e-13);
            }
        }
        for h in 0..shape.head_count() {
            let product = |a: usize, b: usize| -> f64 {
                let (q, k) = (embedding.w_q(h).start, embedding.w_k(h).start);
                (0..d).map(|c| theta[q + a * d + c] * theta[k + b * d + c]).sum()
            };
            for (m, &query) in shape.task().queries().iter().enumerate() {
                for (l, &token) in shape.task().tokens().iter().enumerate() {
                    let z = form(query, &product, token) / (d as f64).sqrt();
                    assert!((inner[shape.logits(h, m) + l] - z).abs() < 1e-13);
                }
            }
        }
    }
}

/// Orthonormal embeddings that stay make `W_V` an isometric copy of `Y`: momentum takes the same steps in both.
#[test]
fn training_the_value_matrix_alone_is_training_y() {
    let shape = Shape::new(Synthetic::authors(2, 1).task().unwrap(), Outputs::All);
    let embedding = Embedding::new(shape.clone(), shape.task().vocabulary()).unwrap();
    let scales = Scales { value: 0.5, attention: 3.0 };
    let mut theta = embedding.orthogonal_start(scales, 7).unwrap();
    let mut inner = embedding.implied(&theta).unwrap();
    let (outer_loss, inner_loss) = (embedded(&embedding), Population::new(shape.clone()));
    let mut velocity = vec![0.0; theta.len()];
    let mut inner_velocity = vec![0.0; inner.len()];
    let mut first = None;
    let mut last = 0.0;
    for step in 0..40 {
        let (loss, gradient) = evaluate(&outer_loss, &theta);
        let (same, slopes) = evaluate(&inner_loss, &inner);
        assert!((loss / same - 1.0).abs() < 1e-11, "step {step}: {loss} {same}");
        for k in embedding.w_v() {
            velocity[k] = 0.9 * velocity[k] + gradient[k];
            theta[k] -= velocity[k];
        }
        for k in 0..shape.decoder_len() {
            inner_velocity[k] = 0.9 * inner_velocity[k] + slopes[k];
            inner[k] -= inner_velocity[k];
        }
        first.get_or_insert(loss);
        last = loss;
    }
    let implied = embedding.implied(&theta).unwrap();
    assert!(implied.iter().zip(&inner).all(|(a, b)| (a - b).abs() < 1e-11));
    assert!(last < 0.01 * first.unwrap());
}

/// What [`Scales`] says of how fast attention moves beside the decoder.
#[test]
fn logits_of_attention_move_as_fast_as_the_scale_of_their_matrices_says() {
    let shape = Shape::new(Synthetic::authors(2, 1).task().unwrap(), Outputs::All);
    let embedding = Embedding::new(shape.clone(), 64).unwrap();
    let (landscape, scale, seeds) = (embedded(&embedding), 2.0, 48);
    let ratios: Vec<f64> = (0..seeds)
        .map(|seed| {
            let scales = Scales { value: 1.0, attention: scale };
            let theta = embedding.orthogonal_start(scales, seed).unwrap();
            let (_, mut gradient) = evaluate(&landscape, &theta);
            gradient[embedding.u()].fill(0.0);
            gradient[embedding.w_v()].fill(0.0);
            let step = 1e-4;
            let implied = |sign: f64| {
                let moved: Vec<f64> =
                    theta.iter().zip(&gradient).map(|(x, g)| x + sign * step * g).collect();
                embedding.implied(&moved).unwrap()
            };
            let inner = embedding.implied(&theta).unwrap();
            let (_, slopes) = evaluate(&Population::new(shape.clone()), &inner);
            let (ahead, behind) = (implied(1.0), implied(-1.0));
            let (mut along, mut square) = (0.0, 0.0);
            for k in shape.decoder_len()..shape.len() {
                along += slopes[k] * (ahead[k] - behind[k]) / (2.0 * step);
                square += slopes[k] * slopes[k];
            }
            along / square
        })
        .collect();
    let mean = ratios.iter().sum::<f64>() / seeds as f64;
    let variance = ratios.iter().map(|r| (r - mean).powi(2)).sum::<f64>() / (seeds - 1) as f64;
    let error = (variance / seeds as f64).sqrt();
    let expected = 2.0 * scale * scale / 64.0;
    assert!((mean - expected).abs() < 4.0 * error, "{mean} +- {error}, expected {expected}");
    assert!(error < 0.05 * expected);
}

#[test]
fn the_flow_keeps_both_balances() {
    for shape in
        [Shape::new(uneven(), Outputs::All), Shape::new(uneven(), Outputs::All).heads(2).residual()]
    {
        let embedding = Embedding::new(shape, 5).unwrap();
        let landscape = embedded(&embedding);
        let theta = random(embedding.len(), 0.5, 5);
        let balances = |theta: &[f64]| {
            let mut all = embedding.embedding_balance(theta).unwrap();
            for h in 0..embedding.shape().head_count() {
                all.extend(embedding.attention_balance(theta, h).unwrap());
            }
            all
        };
        let flow = Flow::default().until(20.0);
        let end =
            flow.run(&GradientFlow::new(&Erased(&landscape)), 0.0, &theta, &mut Silent).unwrap();
        assert!(end.loss < 0.3 * evaluate(&landscape, &theta).0, "{}", end.loss);
        for (before, after) in balances(&theta).iter().zip(balances(&end.state)) {
            assert!((before - after).abs() < 1e-8, "{before} {after}");
        }
        let moved = |range: Range<usize>| -> f64 {
            range.map(|k| (theta[k] - end.state[k]).powi(2)).sum::<f64>().sqrt()
        };
        assert!(moved(embedding.w_q(0)) > 0.1 && moved(embedding.w_k(0)) > 0.1);
    }
}

#[test]
fn starts_have_the_size_and_angles_that_were_asked_for() {
    let shape = Shape::new(Synthetic::authors(2, 1).task().unwrap(), Outputs::All).heads(2);
    let scales = Scales { value: 0.5, attention: 2.0 };
    let size = |numbers: &[f64]| {
        (numbers.iter().map(|x| x * x).sum::<f64>() / numbers.len() as f64).sqrt()
    };
    let embedding = Embedding::new(shape.clone(), 40).unwrap();
    let one = embedding.random_start(scales, 1).unwrap();
    let root = 40f64.sqrt();
    for (range, wanted) in [
        (embedding.u(), 1.0),
        (embedding.w_k(1), 2.0),
        (embedding.w_q(0), 2.0),
        (embedding.w_v(), 0.5),
    ] {
        assert!((size(&one[range]) * root / wanted - 1.0).abs() < 0.1);
    }
    let two = embedding.orthogonal_start(scales, 1).unwrap();
    assert_eq!(one[embedding.w_v()], two[embedding.w_v()]);
    assert_ne!(one, embedding.random_start(scales, 2).unwrap());
    let rows: Vec<&[f64]> = two[embedding.u()].chunks_exact(40).collect();
    for (i, a) in rows.iter().enumerate() {
        for (j, b) in rows.iter().enumerate() {
            let product: f64 = a.iter().zip(*b).map(|(a, b)| a * b).sum();
            assert!((product - f64::from(u8::from(i == j))).abs() < 1e-14);
        }
    }
    let narrow = Embedding::new(shape, 33).unwrap();
    let error = narrow.orthogonal_start(scales, 1).unwrap_err().to_string();
    assert!(error.contains("dimension is 33, expected at least 34"), "{error}");
    let negative = Scales { value: -1.0, ..scales };
    let error = narrow.random_start(negative, 1).unwrap_err().to_string();
    assert!(error.contains("scale of w_v is -1"), "{error}");
}

#[test]
fn what_does_not_fit_is_refused_by_value() {
    let shape = |outputs| Shape::new(uneven(), outputs);
    let error = |result: Result<Embedding, Error>| result.unwrap_err().to_string();
    assert!(error(Embedding::new(shape(Outputs::Used), 4)).contains("outputs is used"));
    assert!(error(Embedding::new(shape(Outputs::All), 0)).contains("dimension is 0"));
    let embedding = Embedding::new(shape(Outputs::All), 4).unwrap();
    let other = Population::new(shape(Outputs::All).heads(2));
    let error = Embedded::new(embedding.clone(), other).unwrap_err().to_string();
    assert!(error.contains("inner landscape is [(\"y\""), "{error}");
    assert!(
        embedding.implied(&[0.0]).unwrap_err().to_string().contains("parameters has 1 entries")
    );
}
