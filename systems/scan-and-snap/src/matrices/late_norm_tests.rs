use saddlescope::field::GradientFlow;
use saddlescope::flow::Flow;
use saddlescope::landscape::erased::Erased;
use saddlescope::record::Silent;

use super::*;
use crate::matrices::tests::{check, embeddings, evaluate, random, uneven};
use crate::matrices::{Embedded, Normalised, Scales};
use crate::{Outputs, Population, Shape, Synthetic};

#[test]
fn loss_and_slopes_are_those_of_the_transformer_written_out() {
    for (i, embedding) in embeddings().iter().enumerate() {
        let landscape = LateNorm::new(embedding.clone());
        check(embedding, Normalised::Embedding, &landscape, 20 + i as u64);
    }
}

/// 004, section 3: with orthonormal embeddings it makes no difference what is normalised, but for where embeddings go.
#[test]
fn orthonormal_embeddings_make_one_model_of_both() {
    for shape in
        [Shape::new(uneven(), Outputs::All).heads(2), Shape::new(uneven(), Outputs::All).residual()]
    {
        let embedding = Embedding::new(shape.clone(), shape.task().vocabulary() + 2).unwrap();
        let theta = embedding.orthogonal_start(Scales { value: 3.0, attention: 4.0 }, 2).unwrap();
        let early = Embedded::new(embedding.clone(), Population::new(shape)).unwrap();
        let late = LateNorm::new(embedding.clone());
        let ((loss, slopes), (same, other)) = (evaluate(&early, &theta), evaluate(&late, &theta));
        assert!((loss - same).abs() < 1e-13, "{loss} {same}");
        let apart = |range: std::ops::Range<usize>| {
            range.map(|k| (slopes[k] - other[k]).abs()).fold(0.0, f64::max)
        };
        assert!(apart(embedding.u().end..theta.len()) < 1e-13);
        assert!(apart(embedding.u()) > 1e-3);
    }
}

/// How far apart they are with random embeddings: `|U^T x|^2/|x|^2` is chi squared of `d` over `d`, of variance `2/d`.
#[test]
fn random_embeddings_change_squared_lengths_by_two_over_the_dimension() {
    let shape = Shape::new(Synthetic::authors(2, 1).task().unwrap(), Outputs::All);
    for d in [4, 16, 64] {
        let embedding = Embedding::new(shape.clone(), d).unwrap();
        let landscape = LateNorm::new(embedding.clone());
        let (mut work, seeds) = (landscape.work(), 1500);
        let deviations: Vec<f64> = (0..seeds)
            .map(|seed| {
                let scales = Scales { value: 1.0, attention: 0.0 };
                let theta = embedding.random_start(scales, seed).unwrap();
                landscape.forward(0, &theta, &work.inner, &mut work.scratch);
                let mean = &work.scratch.mean;
                work.scratch.norm.powi(2) / dot(mean, mean) - 1.0
            })
            .collect();
        let n = seeds as f64;
        let mean = deviations.iter().sum::<f64>() / n;
        let squares: Vec<f64> = deviations.iter().map(|x| x * x).collect();
        let variance = squares.iter().sum::<f64>() / n;
        let spread = squares.iter().map(|x| (x - variance).powi(2)).sum::<f64>() / n;
        assert!(mean.abs() < 4.0 * (variance / n).sqrt(), "{d}: {mean}");
        assert!((variance - 2.0 / d as f64).abs() < 4.0 * (spread / n).sqrt(), "{d}: {variance}");
    }
}

/// Only `W_Q W_K^T` counts here, too; but embeddings may no longer take any linear map.
#[test]
fn the_flow_keeps_the_balance_of_attention_alone() {
    let embedding = Embedding::new(Shape::new(uneven(), Outputs::All).heads(2), 5).unwrap();
    let landscape = LateNorm::new(embedding.clone());
    let theta = random(embedding.len(), 0.5, 5);
    let flow = Flow::default().until(20.0);
    let end = flow.run(&GradientFlow::new(&Erased(&landscape)), 0.0, &theta, &mut Silent).unwrap();
    assert!(end.loss < 0.3 * evaluate(&landscape, &theta).0, "{}", end.loss);
    let apart = |before: Vec<f64>, after: Vec<f64>| {
        before.iter().zip(after).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    };
    for h in 0..2 {
        let balance = |theta: &[f64]| embedding.attention_balance(theta, h).unwrap();
        assert!(apart(balance(&theta), balance(&end.state)) < 1e-8);
    }
    let balance = |theta: &[f64]| embedding.embedding_balance(theta).unwrap();
    assert!(apart(balance(&theta), balance(&end.state)) > 1e-2);
}
