//! Batches beside the literal task, the sum over all bit patterns, and the exact expectation.

use saddlescope_spec::testing::{
    assert_close, assert_gradient, assert_means, assert_refused, evaluate, normals, same_on_threads,
};

use super::*;
use crate::{Corpus, Population, Simplified, Task};

const OBJECTIVES: [Objective; 2] = [Objective::DotProduct, Objective::CrossEntropy];

fn shape(order: usize, responses: usize, heads: usize) -> Shape {
    Shape::new(Task::new(order, responses).unwrap(), heads, 0.3).unwrap()
}

fn weights(shape: &Shape, key: u64) -> Vec<f64> {
    normals(shape.parameters(), 1.0, key)
}

/// A data set with given bits: one row of words, bit `j` for sequence `j`.
fn given(shape: Shape, objective: Objective, sequences: usize, words: &[u64]) -> Sampled {
    let mut model = Matches::new(shape, objective, Source::Stored(sequences, 0)).unwrap();
    assert_eq!(words.len(), model.others * sequences.div_ceil(LANES));
    model.data = match objective {
        Objective::DotProduct => {
            let mut counts = vec![0; model.others];
            losses::count(words, &mut counts);
            let mut misses = vec![0.0; model.tree.leaves().len()];
            losses::misses(&model.tree, &counts, sequences, &mut misses);
            Data::Misses(misses)
        }
        Objective::CrossEntropy => Data::Bits(words.to_vec()),
    };
    model.batched()
}

#[test]
fn all_bit_patterns_with_their_probabilities_give_the_expectation() {
    for (order, responses, heads) in [(2, 2, 1), (2, 3, 2), (3, 4, 2), (3, 5, 3), (3, 2, 1)] {
        let shape = shape(order, responses, heads);
        let theta = weights(&shape, order as u64);
        let others = shape.task.permutations() as usize - 1;
        let (mut loss, mut gradient) = (0.0, vec![0.0; theta.len()]);
        for pattern in 0..1_u32 << others {
            let words: Vec<u64> = (0..others).map(|bit| u64::from(pattern >> bit & 1)).collect();
            let one = given(shape, Objective::DotProduct, 1, &words);
            let (part, slopes) = evaluate(&one, &theta, Draw::default());
            let set = pattern.count_ones() as i32;
            let weight =
                (responses as f64).powi(-set) * shape.task.guess().powi(others as i32 - set);
            loss += weight * part;
            gradient.iter_mut().zip(slopes).for_each(|(sum, slope)| *sum += weight * slope);
        }
        let population = Population::new(shape).unwrap();
        let (exact, slopes) = evaluate(&population, &theta, Draw::default());
        assert!((loss - exact).abs() < 1e-15, "{order} {heads}: {loss} {exact}");
        assert_close(&gradient, &slopes, 1e-14, (order, heads));
    }
}

/// Losses of one sequence from the definition, 001, sections 2.2 and 2.3, and its bits by relabelling.
fn literal(shape: &Shape, theta: &[f64], stream: &mut Stream) -> (f64, Vec<u64>) {
    let task = &shape.task;
    let (k, list) = (task.order, task.list().unwrap());
    let responses: Vec<u64> = list.iter().map(|_| stream.below(task.responses as u64)).collect();
    let query = list.get(stream.below(list.len() as u64) as usize);
    let score = |pi: &[u16]| -> f64 {
        let of_head = |(h, head): (usize, crate::Head<'_>)| {
            let attention = Shape::attention(head.weights);
            let seen = (1..=k).filter(|lag| pi[k - lag] == query[k - 1 - h]);
            shape.gain * head.beta * head.beta * seen.map(|lag| attention[lag - 1]).sum::<f64>()
        };
        shape.iter(theta).enumerate().map(of_head).sum()
    };
    let response = |pi: &[u16]| responses[list.iter().position(|other| other == pi).unwrap()];
    let raised: Vec<f64> = list.iter().map(|pi| score(pi).exp()).collect();
    let found: f64 = list
        .iter()
        .zip(&raised)
        .filter(|(pi, _)| response(pi) == response(query))
        .map(|(_, raised)| raised)
        .sum();
    // The permutation in which the query's token at lag h + 1 has moved to lag sigma_h + 1.
    let moved = |sigma: &[u16]| {
        let mut pi = vec![0; k];
        for h in 0..k {
            pi[k - 1 - sigma[h] as usize] = query[k - 1 - h];
        }
        pi
    };
    let bits = list.iter().skip(1).map(|s| u64::from(response(&moved(s)) == response(query)));
    (found / raised.iter().sum::<f64>(), bits.collect())
}

#[test]
fn the_literal_task_enters_through_its_bits() {
    let mut stream = Stream::new(8, Purpose::Data, 0);
    for heads in 1..=3 {
        let shape = shape(3, 2, heads);
        let theta = weights(&shape, heads as u64);
        for _ in 0..50 {
            let (found, words) = literal(&shape, &theta, &mut stream);
            for (objective, expected) in OBJECTIVES.into_iter().zip([1.0 - found, -found.ln()]) {
                let one = given(shape, objective, 1, &words);
                let (loss, _) = evaluate(&one, &theta, Draw::default());
                assert!((loss - expected).abs() < 1e-14, "{objective:?}: {loss} {expected}");
            }
        }
    }
}

#[test]
fn gradients_are_those_of_differences_at_a_fixed_draw() {
    for objective in OBJECTIVES {
        for (order, heads, sequences) in
            [(2, 1, 1), (3, 1, 65), (4, 3, 1000), (5, 3, 200), (6, 6, 70)]
        {
            let shape = shape(order, 3, heads);
            let draw = Draw { seed: 4, step: 9 };
            let fresh = Matches::fresh(shape, objective, sequences).unwrap();
            let stored = Matches::stored(shape, objective, (sequences, 4)).unwrap();
            let theta = weights(&shape, heads as u64);
            let what = (objective, order);
            assert_gradient(&fresh, (&theta, 1e-3), draw, 1e-9, what);
            assert_gradient(&stored, (&theta, 1e-3), draw, 1e-9, what);
        }
    }
}

#[test]
fn the_mean_over_batches_is_the_expectation() {
    for (order, responses, heads) in [(3, 3, 2), (4, 4, 3), (4, 2, 2)] {
        let shape = shape(order, responses, heads);
        let theta = weights(&shape, 7);
        let exact = evaluate(&Population::new(shape).unwrap(), &theta, Draw::default());
        let entropy = Corpus::exact(shape, Objective::CrossEntropy).unwrap();
        let entropy = evaluate(&entropy, &theta, Draw::default());
        for (objective, exact) in OBJECTIVES.into_iter().zip([exact, entropy]) {
            let fresh = Matches::fresh(shape, objective, 100).unwrap();
            assert_means(&fresh, &theta, (2000, 4.0), &exact, (objective, order));
        }
    }
}

#[test]
fn cross_entropy_is_the_mean_over_the_sequences_of_its_bits() {
    let shape = shape(4, 4, 2);
    let theta = weights(&shape, 2);
    let sequences = 20_000;
    let stored = Matches::stored(shape, Objective::CrossEntropy, (sequences, 3)).unwrap();
    let Data::Bits(bits) = &stored.loss.data else { panic!("cross entropy keeps bits") };
    let (loss, gradient) = evaluate(&stored, &theta, Draw::default());
    let others = stored.loss.others;
    let mut sum = 0.0;
    let mut slopes = vec![0.0; theta.len()];
    for j in (0..sequences).step_by(LANES) {
        let count = LANES.min(sequences - j);
        let row = &bits[j / LANES * others..][..others];
        let part = given(shape, Objective::CrossEntropy, count, row);
        let (loss, gradient) = evaluate(&part, &theta, Draw::default());
        sum += loss * count as f64 / sequences as f64;
        for (slope, part) in slopes.iter_mut().zip(gradient) {
            *slope += part * count as f64 / sequences as f64;
        }
    }
    assert!((loss - sum).abs() < 1e-13, "{loss} {sum}");
    assert!(gradient.iter().zip(&slopes).all(|(a, b)| (a - b).abs() < 1e-13));
    // Both objectives of one data set count the same matches.
    let counted = Matches::stored(shape, Objective::DotProduct, (sequences, 3)).unwrap();
    let recounted = given(shape, Objective::DotProduct, sequences, bits);
    assert_eq!(counted.loss.data, recounted.loss.data);
}

#[test]
fn counts_are_binomial() {
    for responses in [2, 3, 4, 5, 6, 7, 12] {
        let model =
            Matches::new(shape(4, responses, 3), Objective::DotProduct, Source::Fresh(1)).unwrap();
        let (batch, draws) = (640, 2000);
        let mut bits = vec![0; batch / LANES * model.others];
        let (mut sum, mut square, mut lanes) = (0.0, 0.0, [0_u64; LANES]);
        for step in 0..draws {
            model.draw(&mut Stream::new(2, Purpose::Batch, step), batch, &mut bits);
            let mut counts = vec![0; model.others];
            losses::count(&bits, &mut counts);
            let p = 1.0 / responses as f64;
            for &count in &counts {
                let away = count as f64 - batch as f64 * p;
                sum += away;
                square += away * away;
            }
            for word in &bits {
                for (lane, count) in lanes.iter_mut().enumerate() {
                    *count += word >> lane & 1;
                }
            }
        }
        let (n, p) = (batch as f64, 1.0 / responses as f64);
        let (number, variance) = ((draws as usize * model.others) as f64, n * p * (1.0 - p));
        let z = sum / (number * variance).sqrt();
        assert!(z.abs() < 4.0, "mean for {responses}: {z}");
        // The fourth central moment of the binomial gives the spread of the variance.
        let fourth = variance * (1.0 + 3.0 * (n - 2.0) * p * (1.0 - p));
        let z = (square / number - variance) / ((fourth - variance * variance) / number).sqrt();
        assert!(z.abs() < 4.0, "variance for {responses}: {z}");
        let each = number * n / LANES as f64;
        let chi: f64 = lanes
            .iter()
            .map(|&count| (count as f64 - each * p).powi(2) / (each * p * (1.0 - p)))
            .sum();
        // 64 degrees of freedom: mean 64, deviation 11.3.
        assert!((64.0 - 45.0..64.0 + 50.0).contains(&chi), "lanes for {responses}: {chi}");
    }
}

/// Neighbouring words and lanes are independent: pairs of bits are set together as often as they should be.
#[test]
fn bits_are_independent() {
    for responses in [3, 4, 10] {
        let law = OneIn::new(responses);
        let mut bits = vec![0_u64; 200_000];
        law.fill(&mut Stream::new(6, Purpose::Batch, 0), &mut bits);
        let p = 1.0 / responses as f64;
        for apart in [1, 23, 128] {
            let together: u32 =
                bits.iter().zip(&bits[apart..]).map(|(a, b)| (a & b).count_ones()).sum();
            let pairs = (64 * (bits.len() - apart)) as f64;
            // Overlapping pairs share a bit: their covariance adds 2 p^3 (1 - p) per pair.
            let variance = p * p * (1.0 - p * p) + 2.0 * p * p * p * (1.0 - p);
            let z = (f64::from(together) - pairs * p * p) / (pairs * variance).sqrt();
            assert!(z.abs() < 4.0, "{responses} {apart}: {z}");
        }
    }
}

#[test]
fn numbers_do_not_depend_on_threads() {
    for objective in OBJECTIVES {
        let shape = shape(4, 3, 3);
        let theta = weights(&shape, 1);
        let both = || {
            let fresh = Matches::fresh(shape, objective, 70_001).unwrap();
            let stored = Matches::stored(shape, objective, (70_001, 4)).unwrap();
            let draw = Draw { seed: 3, step: 2 };
            (evaluate(&fresh, &theta, draw), evaluate(&stored, &theta, draw))
        };
        same_on_threads(both, objective);
    }
}

#[test]
fn numbers_do_not_depend_on_the_simd_level() {
    use saddlescope::dispatch_at;
    use saddlescope::numeric::simd::{Arch, Level};
    let shape = shape(4, 3, 3);
    let theta = weights(&shape, 1);
    let stored = Matches::stored(shape, Objective::CrossEntropy, (1000, 4)).unwrap();
    let model = &stored.loss;
    let Data::Bits(words) = &model.data else { panic!("no bits") };
    let on = |arch: Arch| {
        let MatchWork { mut buffers, mut counts, mut misses, .. } = model.work();
        let bits = Bits { words, sequences: 1000 };
        let (mut dot, mut cross) = (vec![0.0; theta.len()], vec![0.0; theta.len()]);
        dispatch_at!(arch, losses::count(words, &mut counts));
        losses::misses(&model.tree, &counts, 1000, &mut misses);
        let tree = &model.tree;
        let a = dispatch_at!(arch, buffers.dot_product(&shape, tree, &theta, &misses, &mut dot));
        let b = dispatch_at!(arch, buffers.cross_entropy(&shape, tree, &theta, bits, &mut cross));
        (counts, a, b, dot, cross)
    };
    let expected = on(Arch::Scalar);
    for arch in Level::ALL.into_iter().filter_map(Level::arch) {
        assert_eq!(on(arch), expected, "{arch:?}");
    }
}

#[test]
fn heads_that_shut_out_the_query_have_a_finite_loss() {
    let shape = shape(4, 4, 3);
    // All heads want lag 4: the query's own score is far below the largest.
    let theta = shape.given_start(&[20.0; 3], Some(&[0.0, 0.0, 0.0, 9.0].repeat(3))).unwrap();
    for objective in OBJECTIVES {
        let (loss, gradient) =
            evaluate(&Matches::fresh(shape, objective, 64).unwrap(), &theta, Draw::default());
        assert!(
            loss.is_finite() && gradient.iter().all(|g| g.is_finite()),
            "{objective:?}: {loss}"
        );
    }
}

#[test]
fn what_cannot_be_sampled_is_refused_by_value() {
    let small = shape(3, 2, 2);
    let fresh = |shape, batch| Matches::fresh(shape, Objective::DotProduct, batch);
    assert_refused(fresh(small, 0), "batch is 0");
    assert_refused(fresh(shape(11, 2, 2), 10), "order is 11");
    let stored = Matches::stored(small, Objective::CrossEntropy, (0, 1));
    assert_refused(stored, "number of sequences is 0");
    let relaxed = Shape::relaxed(small.task, 2, 0.0, Simplified::STRENGTHS).unwrap();
    assert_refused(fresh(relaxed, 10), "(A0) to (A3)");
    assert_eq!(Matches::memory(&small, Objective::CrossEntropy, 65), 96.0);
}
