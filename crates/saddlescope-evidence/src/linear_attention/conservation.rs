//! Appendices D.7, E.1 and E.6: what stays zero and what is conserved.

use super::*;
use saddlescope_linear_attention::Empirical;
use saddlescope_linear_attention::data::empirical::Statistics;
use saddlescope_linear_attention::matrices::Full;
use saddlescope_linear_attention::theory::conserved;

pub(super) fn eq_44(e: &mut Evidence, trial: Trial) -> Outcome {
    conservation(e, trial, 1)
}

pub(super) fn eq_50(e: &mut Evidence, trial: Trial) -> Outcome {
    conservation(e, trial, 2)
}

/// The drift along a whole training run, and the exchange of the gradient on other losses.
fn conservation(e: &mut Evidence, trial: Trial, rank: usize) -> Outcome {
    let setup = Setup::figure_1(4, rank)?;
    let shape = setup.shape;
    let start = setup.random_start(0.1, trial, 0)?;
    let end = setup.flow(&start)?;
    let all = |weights: &[f64]| conserved(shape, weights).concat();
    let what = format!("from start to the last drop of Fig. 1's flow, R = {rank}");
    e.of(what).each(&all(&start), &all(&end.state), 1e-8);

    // d|k|^2/dt - d|q|^2/dt and its like vanish at every point of another loss: a finite data set.
    let data = Empirical::new(Statistics::sampled(&setup.task, 50, trial.seed)?, shape, 1.0)?;
    let weights = random(shape.parameters(), 0.8, &mut stream(trial, 0));
    let slope = data.slopes(&weights)?;
    let mut changes = Vec::new();
    for (head, slope) in shape.iter(&weights).zip(shape.iter(&slope)) {
        for ((k, q), (dk, dq)) in head.pairs().zip(slope.pairs()) {
            changes.push(dot(k, dk) - dot(q, dq));
        }
        changes.push(dot(head.key, slope.key) - head.value * slope.value);
    }
    let what = format!("change at random weights on a data set of 50 sequences, R = {rank}");
    e.of(what).zeros(&changes, 1e-11);
    Ok(())
}

pub(super) fn eq_51(e: &mut Evidence, trial: Trial) -> Outcome {
    let small = Small::new(trial, 2, 1)?;
    let weights = small.random(trial);
    let slopes = small.slopes(&weights);
    // tau = 1: dW/dt = -(1/2) dL/dW, so that d|W|^2/dt = -W dL/dW.
    let mut measured = Vec::new();
    for (head, slope) in small.shape.iter(&weights).zip(small.shape.iter(&slopes)) {
        measured.push(-dot(head.key, slope.key));
        measured.push(-dot(head.query, slope.query));
        measured.push(-head.value * slope.value);
    }
    let theta = small.moments(&weights).theta;
    let mut inner = Vec::new();
    for head in small.shape.iter(&weights) {
        let (k, q) = (Matrix::column(head.key), Matrix::column(head.query));
        let mean = expected(&small.task, PAIRS, |sequence| {
            let beta = Matrix::column(&context_correlation(sequence));
            let query = Matrix::column(&sequence.tokens[PAIRS * 2..]);
            let prediction = (beta.transposed() * &theta * &query)[(0, 0)];
            // dL/dyhat of one sequence is -2 (y - yhat).
            let slope = -2.0 * (sequence.targets[PAIRS] - prediction);
            k.transposed() * beta * q.transposed() * query * (-slope * head.value)
        })[(0, 0)];
        inner.extend([mean; 3]);
    }
    let what = "rates by differences of the literal loss, D = 2, N = 2, tau = 1";
    e.both(what).each([&times_each(2.0, &inner), &inner], &measured, 1e-11);
    Ok(())
}

pub(super) fn zero_blocks(e: &mut Evidence, trial: Trial) -> Outcome {
    let small = Small::new(trial, 2, 2)?;
    let (shape, problems) = (small.shape, &small.problems);
    let whole = embedded(shape, &small.random(trial));
    let slopes = literal::gradient(|whole| problems.loss(shape, whole), &whole);
    // Of the blocks that the reduced model lacks.
    let (d, rank) = (shape.dimension, shape.rank);
    let mut found = Vec::new();
    for head in slopes.chunks_exact(whole_len(shape)) {
        found.extend_from_slice(&head[..d]);
        found.extend((0..rank).map(|r| head[d + 1 + r * (d + 1) + d]));
    }
    let what = "gradient in the zero blocks, by quadrature, D = 2, N = 2, R = 2";
    e.of(what).zeros(&found, 1e-11);
    Ok(())
}

pub(super) fn zero_blocks_data(e: &mut Evidence, trial: Trial) -> Outcome {
    let (task, shape) = (figure_1()?, Shape::new(4, 2, 1)?);
    let weights = random(shape.parameters(), 0.8, &mut stream(trial, 0));
    // The norm of the gradient in the zero blocks on 100 data sets. Sizes vary by factors from set to set, so their logarithms
    // are averaged.
    let size = |sequences: usize| -> Outcome<(f64, f64)> {
        let (mut mean, mut least) = (Mean::default(), f64::INFINITY);
        for set in 0..100 {
            let landscape = Full::new(&task, shape, 1.0, (sequences, start_seed(trial, set)))?;
            let slope = landscape.slopes(&landscape.embed(&weights)?)?;
            let blocks = landscape.blocks();
            let dropped = blocks.matching("head.*.value_x").chain(blocks.matching("head.*.key_y"));
            let entries = dropped.flat_map(|block| &slope[block.range()]);
            let size = entries.map(|x| x * x).sum::<f64>().sqrt();
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

pub(super) fn zero_blocks_needless(e: &mut Evidence, trial: Trial) -> Outcome {
    let small = Small::new(trial, 2, 1)?;
    let len = whole_len(small.shape);
    let (mut least, mut gap) = (f64::INFINITY, f64::INFINITY);
    for index in 0..40 {
        let whole = random(2 * len, 0.8, &mut stream(trial, index));
        // The part that is odd in w is bilinear again, with k_i v_i + c_i u_i for each key.
        let mut reduced = Vec::new();
        for head in whole.chunks_exact(len) {
            let (u, v, k, c, q) = (&head[..2], head[2], &head[3..5], head[5], &head[6..]);
            reduced.push(1.0);
            reduced.extend((0..2).map(|i| v * k[i] + c * u[i]));
            reduced.extend_from_slice(q);
        }
        let bound = small.loss(&reduced);
        gap = gap.min(small.problems.loss(small.shape, &whole) - bound);
        least = least.min(bound);
    }
    let minimum = Theory::new(&small.task).least_loss();
    e.of("whole loss less that of its part odd in w, least of 40 random weights")
        .at_least(0.0, gap);
    e.of("the odd part's loss, least of 40").at_least(minimum, least);
    Ok(())
}
