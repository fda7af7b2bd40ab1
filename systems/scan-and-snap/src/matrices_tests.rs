use saddlescope::surface::{AsLandscape, Surface};
use saddlescope_spec::measure::{Mean, apart, evaluated};
use saddlescope_spec::prelude::*;
use saddlescope_spec::testing::assert_slopes;

use super::*;
use crate::Population;
use crate::plain::{self, attention_logit, authors, embedded_loss, form, random, uneven};

/// Fewer and more dimensions than tokens, several heads, with and without residual connection.
fn embeddings() -> Vec<Embedding> {
    let with = |shape: &Shape, d| Embedding::new(shape.clone(), d).unwrap();
    let shapes = plain::shapes(&uneven(), Outputs::All);
    shapes.iter().flat_map(|shape| [with(shape, 4), with(shape, 11)]).collect()
}

fn evaluate(landscape: &impl Landscape<Scalar = f64>, theta: &[f64]) -> (f64, Vec<f64>) {
    evaluated(landscape, theta).unwrap()
}

fn embedded(embedding: &Embedding) -> Embedded {
    Embedded::new(embedding.clone(), Population::new(embedding.shape.clone())).unwrap()
}

/// Checks loss and slopes of `landscape` against the loss written out.
fn check(
    embedding: &Embedding,
    normalised: Normalised,
    landscape: &impl Landscape<Scalar = f64>,
    seed: u64,
) {
    let theta = random(embedding.blocks.len(), 0.6, seed);
    let (loss, gradient) = evaluate(landscape, &theta);
    let plain = |theta: &[f64]| embedded_loss(embedding, normalised, theta);
    assert!((loss - plain(&theta)).abs() < 1e-13, "{seed}: {loss} {}", plain(&theta));
    // Where query and direction nearly cancel, the loss bends.
    assert_slopes(gradient.into_iter().enumerate(), (&theta, 3e-4), plain, 1e-10, seed);
}

#[test]
fn loss_and_slopes_are_those_of_the_transformer_written_out() {
    for (i, embedding) in embeddings().iter().enumerate() {
        check(embedding, Normalised::Weights, &embedded(embedding), i as u64);
        let late = LateNorm::new(embedding.clone());
        check(embedding, Normalised::Embedding, &late, 20 + i as u64);
    }
}

/// 004, section 3.1: `Y = U W_V^T U^T`, `Z = U W_Q W_K^T U^T/sqrt(d)`.
#[test]
fn the_implied_parameters_are_the_printed_products() {
    for embedding in embeddings() {
        let (shape, d) = (&embedding.shape, embedding.dimension);
        let theta = random(embedding.blocks.len(), 0.6, 3);
        let inner = embedding.implied(&theta).unwrap();
        let transposed = |a: usize, b: usize| theta[embedding.w_v().start + b * d + a];
        for (row, &l) in shape.inputs.iter().enumerate() {
            for j in 0..shape.columns() {
                let y = form(&embedding, &theta, (l, j), transposed);
                assert!((inner[row * shape.columns() + j] - y).abs() < 1e-13);
            }
        }
        for h in 0..shape.heads {
            for (m, &query) in shape.task.queries.iter().enumerate() {
                for (l, &token) in shape.task.tokens.iter().enumerate() {
                    let z = attention_logit(&embedding, &theta, h, (query, token));
                    assert!((inner[shape.logits(h, m) + l] - z).abs() < 1e-13);
                }
            }
        }
    }
}

/// What [`Scales`] says of how fast attention moves beside the decoder.
#[test]
fn logits_of_attention_move_as_fast_as_the_scale_of_their_matrices_says() {
    let shape = authors(2, 1);
    let embedding = Embedding::new(shape.clone(), 64).unwrap();
    let (landscape, scale, seeds) = (embedded(&embedding), 2.0, 48);
    let mut ratios = Mean::default();
    for seed in 0..seeds {
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
        ratios.add(along / square);
    }
    let (mean, error) = (ratios.mean(), ratios.error());
    let expected = 2.0 * scale * scale / 64.0;
    assert!((mean - expected).abs() < 4.0 * error, "{mean} +- {error}, expected {expected}");
    assert!(error < 0.05 * expected);
}

/// Only `W_Q W_K^T` counts, and embeddings may take any linear map; but not where the embedded vector is normalised.
#[test]
fn the_flow_keeps_its_balances() {
    let plain = || Shape::new(uneven(), Outputs::All);
    for (shape, late) in
        [(plain(), false), (plain().heads(2).residual(), false), (plain().heads(2), true)]
    {
        let embedding = Embedding::new(shape, 5).unwrap();
        let theta = random(embedding.blocks.len(), 0.5, 5);
        let run = |landscape: &dyn Surface| {
            let flow = Flow::default().until(20.0);
            let field = AsLandscape(landscape);
            let end = flow.run(&GradientFlow::new(&field), 0.0, &theta, &mut Silent).unwrap();
            assert!(end.loss < 0.3 * evaluate(&field, &theta).0, "{}", end.loss);
            end.state
        };
        let end =
            if late { run(&LateNorm::new(embedding.clone())) } else { run(&embedded(&embedding)) };
        for h in 0..embedding.shape.heads {
            let balance = |theta: &[f64]| embedding.attention_balance(theta, h).unwrap();
            assert!(apart(&balance(&theta), &balance(&end)) < 1e-8);
        }
        let balance = |theta: &[f64]| embedding.embedding_balance(theta).unwrap();
        let off = apart(&balance(&theta), &balance(&end));
        assert!(if late { off > 1e-2 } else { off < 1e-8 }, "{off}");
        let moved = |range: Range<usize>| -> f64 {
            range.map(|k| (theta[k] - end[k]).powi(2)).sum::<f64>().sqrt()
        };
        assert!(moved(embedding.w_q(0)) > 0.1 && moved(embedding.w_k(0)) > 0.1);
    }
}

#[test]
fn starts_have_the_size_and_angles_that_were_asked_for() {
    let shape = authors(2, 1).heads(2);
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

/// 004, section 3: with orthonormal embeddings it makes no difference what is normalised, but for where embeddings go.
#[test]
fn orthonormal_embeddings_make_one_model_of_both() {
    for shape in
        [Shape::new(uneven(), Outputs::All).heads(2), Shape::new(uneven(), Outputs::All).residual()]
    {
        let embedding = Embedding::new(shape.clone(), shape.task.vocabulary + 2).unwrap();
        let theta = embedding.orthogonal_start(Scales { value: 3.0, attention: 4.0 }, 2).unwrap();
        let early = Embedded::new(embedding.clone(), Population::new(shape)).unwrap();
        let late = LateNorm::new(embedding.clone());
        let ((loss, slopes), (same, other)) = (evaluate(&early, &theta), evaluate(&late, &theta));
        assert!((loss - same).abs() < 1e-13, "{loss} {same}");
        let off = |range: Range<usize>| apart(&slopes[range.clone()], &other[range]);
        assert!(off(embedding.u().end..theta.len()) < 1e-13 && off(embedding.u()) > 1e-3);
    }
}
