//! Appendices D.7, E.1 and E.6: what stays zero and what is conserved.

use super::literal::gradient;
use super::*;
use saddlescope_linear_attention::Empirical;
use saddlescope_linear_attention::data::empirical::Statistics;
use saddlescope_linear_attention::matrices::Full;
use saddlescope_linear_attention::theory::conserved;

const PAIRS: usize = 2;

pub(super) fn eq_44(e: &mut Evidence, trial: Trial) -> Outcome {
    conservation(e, trial, 1)
}

pub(super) fn eq_50(e: &mut Evidence, trial: Trial) -> Outcome {
    conservation(e, trial, 2)
}

/// The drift along a whole training run, and the exchange of the gradient on other losses.
fn conservation(e: &mut Evidence, trial: Trial, rank: usize) -> Outcome {
    let (task, shape) = (figure_1()?, Shape::new(4, 4, rank)?);
    let start = shape.random_start(0.1, start_seed(trial, 0))?;
    let end = flow(&task, shape, &start)?;
    let all = |weights: &[f64]| conserved(shape, weights).concat();
    let what = format!("from start to the last drop of Fig. 1's flow, R = {rank}");
    e.of(what).each(&all(&start), &all(&end.state), 1e-8);

    // d|k|^2/dt - d|q|^2/dt and its like vanish at every point of another loss: a finite data set.
    let data = Empirical::new(Statistics::sampled(&task, 50, trial.seed)?, shape, 1.0)?;
    let weights = random(shape.parameters(), 0.8, &mut stream(trial, 0));
    let mut slope = vec![0.0; weights.len()];
    data.evaluate(&weights, Draw::default(), &mut data.work(), &mut slope)?;
    let mut changes = Vec::new();
    for (head, slope) in shape.iter(&weights).zip(shape.iter(&slope)) {
        for ((k, q), (dk, dq)) in head.pairs().zip(slope.pairs()) {
            changes.push(dot(k, dk) - dot(q, dq));
        }
        changes.push(dot(head.key, slope.key) - head.value * slope.value);
    }
    let what = format!("change at random weights on a data set of 50 sequences, R = {rank}");
    e.of(what).each(&vec![0.0; changes.len()], &changes, 1e-11);

    Ok(())
}

pub(super) fn eq_51(e: &mut Evidence, trial: Trial) -> Outcome {
    let task = small_task(trial, PAIRS)?;
    let shape = Shape::new(2, 2, 1)?;
    let weights = random(shape.parameters(), 0.8, &mut stream(trial, 0));
    let problems = Problems::of(&task, PAIRS);
    let slopes = gradient(|weights| problems.reduced_loss(shape, weights), &weights);
    // tau = 1: dW/dt = -(1/2) dL/dW.
    let mut measured = Vec::new();
    for (head, slope) in shape.iter(&weights).zip(shape.iter(&slopes)) {
        let twice = |a: &[f64], b: &[f64]| -> f64 {
            a.iter().zip(b).map(|(a, b)| 2.0 * a * (-0.5 * b)).sum()
        };
        measured.push(twice(head.key, slope.key));
        measured.push(twice(head.query, slope.query));
        measured.push(twice(&[head.value], &[slope.value]));
    }
    let theta = Moments::new(&task, shape, &weights).theta;
    let mut inner = Vec::new();
    for head in shape.iter(&weights) {
        let (k, q) = (Matrix::column(head.key), Matrix::column(head.query));
        let mean = expected(&task, PAIRS, |sequence| {
            let beta = Matrix::column(&context_correlation(sequence));
            let query = Matrix::column(&sequence.tokens[PAIRS * 2..]);
            let prediction = (beta.transposed() * &theta * &query)[(0, 0)];
            // dL/dyhat of one sequence is -2 (y - yhat).
            let slope = -2.0 * (sequence.targets[PAIRS] - prediction);
            k.transposed() * beta * q.transposed() * query * (-slope * head.value)
        })[(0, 0)];
        inner.extend([mean; 3]);
    }
    let printed: Vec<f64> = inner.iter().map(|mean| 2.0 * mean).collect();
    let what = "rates by differences of the literal loss, D = 2, N = 2, tau = 1";
    e.of(what).each(&printed, &measured, 1e-11);
    e.but(what).each(&inner, &measured, 1e-11);
    Ok(())
}

/// The gradient of the whole model's loss in the blocks that the reduced one lacks.
fn dropped(shape: Shape, slopes: &[f64]) -> Vec<f64> {
    let (d, rank) = (shape.dimension, shape.rank);
    let mut found = Vec::new();
    for head in slopes.chunks_exact(whole_len(shape)) {
        found.extend_from_slice(&head[..d]);
        found.extend((0..rank).map(|r| head[d + 1 + r * (d + 1) + d]));
    }
    found
}

pub(super) fn zero_blocks(e: &mut Evidence, trial: Trial) -> Outcome {
    let task = small_task(trial, PAIRS)?;
    let shape = Shape::new(2, 2, 2)?;
    let weights = random(shape.parameters(), 0.8, &mut stream(trial, 0));
    let problems = Problems::of(&task, PAIRS);
    let whole = embedded(shape, &weights);
    let slopes = gradient(|whole| problems.loss(shape, whole), &whole);
    let found = dropped(shape, &slopes);
    let what = "gradient in the zero blocks, by quadrature, D = 2, N = 2, R = 2";
    e.of(what).each(&vec![0.0; found.len()], &found, 1e-11);
    Ok(())
}

pub(super) fn zero_blocks_data(e: &mut Evidence, trial: Trial) -> Outcome {
    let task = figure_1()?;
    let shape = Shape::new(4, 2, 1)?;
    let weights = random(shape.parameters(), 0.8, &mut stream(trial, 0));
    // Sizes vary by factors from set to set, so their logarithms are averaged.
    let size = |sequences: usize| -> Outcome<(f64, f64)> {
        let (mut mean, mut least) = (Mean::default(), f64::INFINITY);
        for set in 0..100 {
            let seed = start_seed(trial, set);
            let size = data_slope(&task, shape, &weights, sequences, seed)?;
            mean.add(size.ln());
            least = least.min(size);
        }
        Ok((mean.mean(), least))
    };
    let ((few, _), (many, least)) = (size(50)?, size(800)?);
    let order = (many - few) / 16.0_f64.ln();
    let what = "size of the gradient in the zero blocks, P = 800, least of 100 sets";
    e.assume(
        "the loss is an expectation, in which odd moments of $w$ vanish: over $P$ sequences they \
         do not",
        least < 1e-6,
    );
    e.of(what).abs(0.0, least, 1e-6);
    e.note(format!(
        "The gradient falls like $P^{{{order:.1}}}$ from $P = 50$ to 800; it vanishes only in \
         expectation."
    ));
    Ok(())
}

/// The norm of the gradient in the zero blocks on a data set.
fn data_slope(
    task: &Task,
    shape: Shape,
    weights: &[f64],
    sequences: usize,
    seed: u64,
) -> Outcome<f64> {
    let landscape = Full::new(task, shape, 1.0, (sequences, seed))?;
    let whole = landscape.loss.embed(weights)?;
    let mut slope = vec![0.0; whole.len()];
    landscape.evaluate(&whole, Draw::default(), &mut landscape.work(), &mut slope)?;
    let blocks = landscape.blocks();
    let dropped = blocks.matching("head.*.value_x").chain(blocks.matching("head.*.key_y"));
    Ok(dropped.flat_map(|block| &slope[block.range()]).map(|x| x * x).sum::<f64>().sqrt())
}

pub(super) fn zero_blocks_needless(e: &mut Evidence, trial: Trial) -> Outcome {
    let task = small_task(trial, PAIRS)?;
    let shape = Shape::new(2, 2, 1)?;
    let problems = Problems::of(&task, PAIRS);
    let mut least = f64::INFINITY;
    let mut gap = f64::INFINITY;
    for index in 0..40 {
        let whole = random(2 * whole_len(shape), 0.8, &mut stream(trial, index));
        // The part that is odd in w is bilinear again, with k_i v_i + c_i u_i for each key.
        let mut reduced = Vec::new();
        for head in whole.chunks_exact(whole_len(shape)) {
            let (u, v, k, c, q) = (&head[..2], head[2], &head[3..5], head[5], &head[6..]);
            reduced.push(1.0);
            reduced.extend((0..2).map(|i| v * k[i] + c * u[i]));
            reduced.extend_from_slice(q);
        }
        let bound = problems.reduced_loss(shape, &reduced);
        gap = gap.min(problems.loss(shape, &whole) - bound);
        least = least.min(bound);
    }
    let minimum = Theory::new(&task).least_loss();
    e.of("whole loss less that of its part odd in w, least of 40 random weights")
        .at_least(0.0, gap);
    e.of("the odd part's loss, least of 40").at_least(minimum, least);
    Ok(())
}
