use saddlescope::analysis::saddle::{Certificate, Kind, Law, Search, certify};
use saddlescope_spec::testing::evaluate;

use super::*;
use crate::model::Form;
use crate::{Basis, Context, Population};

fn task(eigenvalues: &[f64]) -> Task {
    Task::new(eigenvalues, Basis::Axes, Context::Fixed(31)).unwrap()
}

fn certificate(task: &Task, shape: Shape, state: &[f64]) -> Certificate {
    let landscape = Population::new(task, shape, 1.0).unwrap();
    let search = Search { measure: false, ..Search::default() };
    certify(&landscape, &|at| symmetries(shape, at), state, &search).unwrap()
}

fn merged(d: usize, heads: usize) -> Shape {
    Shape::new(d, heads, 1).unwrap().with_matrices(Form::Merged)
}

fn random(shape: Shape, index: u64) -> Vec<f64> {
    let mut weights = vec![0.0; shape.parameters()];
    Stream::new(5, Purpose::Start, index).fill_normal(&mut weights);
    weights
}

#[test]
fn symmetries_leave_theta_alone() {
    let separate = [(3, 1), (2, 3)].map(|(heads, rank)| Shape::new(3, heads, rank).unwrap());
    let merged = [1, 3].map(|heads| merged(3, heads));
    for shape in separate.into_iter().chain(merged) {
        let mut weights = random(shape, 0);
        weights[0] = 0.0;
        let step = 1e-6;
        for tangent in symmetries(shape, &weights) {
            let moved = |sign: f64| -> Vec<f64> {
                let there: Vec<f64> =
                    weights.iter().zip(&tangent).map(|(w, t)| w + sign * step * t).collect();
                shape.theta(&there)
            };
            for (ahead, behind) in moved(1.0).iter().zip(moved(-1.0)) {
                assert!((ahead - behind).abs() / (2.0 * step) < 1e-9);
            }
        }
    }
}

/// At generic weights `Theta` has `D^2` free entries, and all other directions are symmetries.
#[test]
fn there_are_no_other_symmetries() {
    let separate = [(2, 2, 1), (2, 3, 1), (2, 1, 2), (3, 2, 2)];
    let separate = separate.map(|(d, heads, rank)| Shape::new(d, heads, rank).unwrap());
    for shape in separate.into_iter().chain([merged(2, 1), merged(2, 3)]) {
        let d = shape.dimension;
        let tangents = symmetries(shape, &random(shape, 1));
        let n = shape.parameters();
        let gram = faer::Mat::<f64>::from_fn(tangents.len(), tangents.len(), |i, j| {
            dot(&tangents[i], &tangents[j])
        });
        let values = gram.self_adjoint_eigenvalues(faer::Side::Lower).unwrap();
        let rank_found = values.iter().filter(|&&value| value > 1e-10).count();
        assert_eq!(rank_found, n - d * d, "{shape:?}");
    }
}

#[test]
fn every_saddle_is_its_own_nearest() {
    let task = Task::new(&[0.4, 0.3, 0.2], Basis::Random { seed: 3 }, Context::Fixed(31)).unwrap();
    let shape = Shape::new(3, 2, 1).unwrap();
    let saddles = Saddles::new(&task, shape);
    let all = saddles.list(&task);
    // Two heads cannot learn three eigenvectors.
    assert_eq!(all.len(), 7);
    assert_eq!(all[4].label, "{1,2}");
    for (number, known) in all.iter().enumerate() {
        let (nearest, distance) = saddles.nearest(&known.state).unwrap();
        assert_eq!(nearest, number);
        assert!(distance < 1e-12);
    }
    assert!(Saddles::new(&self::task(&[0.3, 0.3]), shape).sets.is_empty());
}

#[test]
fn certificates_of_the_visited_saddles() {
    let task = task(&[0.4, 0.3, 0.2, 0.1]);
    let shape = Shape::new(4, 4, 1).unwrap();
    for (number, known) in Saddles::new(&task, shape).list(&task).iter().enumerate() {
        let found = certificate(&task, shape, &known.state);
        let (m, counts) = (known.rank, found.counts.unwrap());
        assert!(counts.clear() && found.doubt.is_none(), "{known:?} {found:?}");
        let visited = Saddles::new(&task, shape).sets[number] == (0..m).collect::<Vec<_>>();
        match found.kind {
            Kind::Degenerate { order: 3 } if visited => {
                let Law::Algebraic { coefficient, .. } = found.escape.unwrap().law else {
                    unreachable!()
                };
                // A new head v = s, k = q = s e_{m+1} lowers the loss by 2 lambda^2 s^3; it has the
                // length sqrt(6) s of the flow, whose rate is 1/2.
                let expected = 2.0 * task.eigenvalues[m].powi(2) / 6.0_f64.powf(1.5);
                assert!((coefficient / expected - 1.0).abs() < 1e-3, "{coefficient} {expected}");
            }
            Kind::Minimum { flat: 0 } => assert_eq!(m, 4),
            Kind::NonDegenerate => assert!(!visited),
            kind => panic!("{} is {kind:?}", known.label),
        }
    }
}

/// With one matrix for key and query there are two fixed points, and the first is left along one direction per head, at one rate.
#[test]
fn merged_heads_have_one_saddle_and_the_minimum() {
    let task = Task::new(&[0.4, 0.3, 0.3], Basis::Random { seed: 3 }, Context::Fixed(31)).unwrap();
    let (shape, d) = (merged(3, 2), 3);
    let saddles = Saddles::new(&task, shape);
    let all = saddles.list(&task);
    assert_eq!(all.iter().map(|known| known.rank).collect::<Vec<_>>(), [0, d]);
    assert!(saddles.nearest(&all[1].state).is_some_and(|(at, far)| at == 1 && far < 1e-12));
    let found = certificate(&task, shape, &all[0].state);
    let counts = found.counts.unwrap();
    assert_eq!((counts.negative, counts.clear()), (2, true), "{found:?}");
    let growth = crate::MergedLaw::new(&task, shape, 1.0).unwrap().growth();
    let Law::Exponential { rate, .. } = found.escape.unwrap().law else {
        panic!("not exponential")
    };
    assert!((rate - growth).abs() < 1e-9, "{rate}, {growth}");
    let found = certificate(&task, shape, &all[1].state);
    assert!(matches!(found.kind, Kind::Minimum { flat: 0 }), "{found:?}");
    let error = Theory::new(&task).weights_at(shape, &[1], Slots::Filled).unwrap_err();
    assert!(error.to_string().contains("0 or 3"), "{error}");
}

#[test]
fn the_law_of_escape_is_that_of_the_flow() {
    let task = task(&[0.4, 0.3, 0.2, 0.1]);
    let shape = Shape::new(4, 4, 1).unwrap();
    let landscape = Population::new(&task, shape, 1.0).unwrap();
    for known in Saddles::new(&task, shape).list(&task) {
        let tangents = |at: &[f64]| symmetries(shape, at);
        let found = certify(&landscape, &tangents, &known.state, &Search::default()).unwrap();
        let Some(departure) = found.departure else {
            assert_eq!(known.rank, 4);
            continue;
        };
        let measured = departure.measured.expect(&known.label);
        let error = (measured / departure.predicted - 1.0).abs();
        assert!(error < 5e-3, "{}: {measured} {}", known.label, departure.predicted);
    }
}

/// Random changes of sign and place, written out, independently of the canonical form.
fn scrambled(shape: Shape, state: &[f64], stream: &mut Stream) -> Vec<f64> {
    let (width, rank) = (shape.dimension, shape.rank);
    let mut heads: Vec<Vec<f64>> =
        state.chunks_exact(shape.head_len()).map(<[f64]>::to_vec).collect();
    for head in &mut heads {
        let mut slots: Vec<usize> = (0..rank).collect();
        stream.shuffle(&mut slots);
        let sign = |stream: &mut Stream| if stream.below(2) == 0 { 1.0 } else { -1.0 };
        let all = sign(stream);
        let old = head.clone();
        head[0] = all * old[0];
        for (to, from) in slots.into_iter().enumerate() {
            let both = sign(stream);
            for d in 0..width {
                head[1 + to * width + d] = all * both * old[1 + from * width + d];
                let (to, from) = ((rank + to) * width, (rank + from) * width);
                head[1 + to + d] = both * old[1 + from + d];
            }
        }
    }
    stream.shuffle(&mut heads);
    heads.concat()
}

#[test]
fn the_loss_and_the_canonical_form_do_not_see_it() {
    let task = Task::new(&[0.5, 0.3, 0.2], Basis::Axes, Context::Fixed(12)).unwrap();
    for rank in [1, 2, 3] {
        let shape = Shape::new(3, 4, rank).unwrap();
        let landscape = Population::new(&task, shape, 1.0).unwrap();
        let symmetry = symmetry(shape, landscape.blocks(), Attention::Linear);
        let mut stream = Stream::new(3, Purpose::Perturbation, rank as u64);
        let state = shape.random_start(1.0, 5).unwrap();
        let loss = |state: &[f64]| evaluate(&landscape, state, Draw::default()).0;
        let expected = loss(&state);
        let form = symmetry.canonical(&state);
        assert!((loss(&form) - expected).abs() < 1e-12 * expected);
        for _ in 0..20 {
            let same = scrambled(shape, &state, &mut stream);
            assert!((loss(&same) - expected).abs() < 1e-12 * expected);
            assert_eq!(symmetry.canonical(&same), form);
        }
        // A single sign is no symmetry, and the canonical form sees it.
        let mut other = state.clone();
        other[0] = -other[0];
        assert!((loss(&other) - expected).abs() > 1e-3);
        assert!(symmetry.distance(&other, &state) > 1e-3);
    }
}
