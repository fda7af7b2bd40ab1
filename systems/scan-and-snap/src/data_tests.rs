//! Losses on drawn sequences beside the model written out, differences, and exact laws.

use saddlescope::Landscape;
use saddlescope::descent::{Descent, Momentum};
use saddlescope::record::Silent;

use super::*;
use crate::loss::{Scratch, backward, forward};
use crate::{ClassSpec, Outputs, Population, Synthetic, Task};

const WAYS: [Contexts; 2] = [Contexts::Counts, Contexts::Tokens];

/// Supports of several sizes, one token alone among them; query 2 occurs in contexts.
fn uneven() -> Task {
    let class = |query, next, law: &[(usize, f64)]| ClassSpec { query, next, law: law.to_vec() };
    Task::new(
        19,
        &[
            class(7, 0, &[(0, 0.2), (1, 0.3), (2, 0.5)]),
            class(7, 5, &[(0, 0.4), (3, 0.6)]),
            class(2, 4, &[(1, 0.1), (2, 0.2), (3, 0.3), (4, 0.25), (9, 0.15)]),
            class(2, 18, &[(6, 1.0)]),
        ],
    )
    .unwrap()
}

fn shapes() -> Vec<Shape> {
    let mut all = Vec::new();
    for outputs in [Outputs::All, Outputs::Used] {
        let shape = Shape::new(uneven(), outputs);
        all.extend([
            shape.clone(),
            shape.clone().heads(2),
            shape.clone().residual(),
            shape.heads(3).residual(),
        ]);
    }
    all
}

fn authors(queries: usize, per_query: usize) -> Shape {
    Shape::new(Synthetic::authors(queries, per_query).task().unwrap(), Outputs::All)
}

fn random(count: usize, scale: f64, seed: u64) -> Vec<f64> {
    let mut numbers = vec![0.0; count];
    Stream::new(seed, Purpose::Perturbation, 0).fill_normal(&mut numbers);
    numbers.iter().map(|x| scale * x).collect()
}

fn evaluate<L: Landscape<Scalar = f64>>(landscape: &L, theta: &[f64]) -> (f64, Vec<f64>) {
    let mut gradient = vec![0.0; theta.len()];
    let draw = Draw { seed: 3, step: 5 };
    let loss = landscape.evaluate(theta, draw, &mut landscape.work(), &mut gradient).unwrap();
    (loss, gradient)
}

/// Class and counts of the first `count` sequences of a chunk.
fn contexts(model: &Model, mut stream: Stream, count: usize) -> Vec<(usize, Vec<f64>)> {
    let classes = model.shape.task().classes();
    let mut work = model.work::<f64>();
    let mut sizes = vec![0; classes.len()];
    (0..count).for_each(|_| sizes[stream.below(classes.len() as u64) as usize] += 1);
    let mut all = Vec::new();
    for (n, &size) in sizes.iter().enumerate() {
        let mut stream = stream.substream(n as u64);
        for first in (0..size).step_by(LANES) {
            let count = LANES.min(size - first);
            model.sampler.draw(n, count, &mut stream, &mut work.drawn);
            for lane in 0..count {
                let counts = &work.drawn.counts[..classes[n].support.len()];
                all.push((n, counts.iter().map(|row| f64::from(row[lane])).collect()));
            }
        }
    }
    all
}

/// Loss and slopes of sequences one by one, in the lines that the exact loss goes through.
fn one_by_one(shape: &Shape, all: &[(usize, Vec<f64>)], theta: &[f64]) -> (f64, Vec<f64>) {
    let mut scratch = Scratch::new(shape);
    let (mut loss, mut gradient) = (0.0, vec![0.0; theta.len()]);
    let share = 1.0 / all.len() as f64;
    for (n, counts) in all {
        let total: f64 = counts.iter().sum();
        let seen: Vec<f64> = counts.iter().map(|count| count / total).collect();
        loss += share * forward(shape, *n, &seen, theta, &mut scratch);
        backward(shape, *n, share, theta, &mut scratch, &mut gradient);
    }
    (loss, gradient)
}

fn largest_difference(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

#[test]
fn losses_and_slopes_are_those_of_sequences_one_by_one() {
    for (i, shape) in shapes().into_iter().chain([authors(3, 2)]).enumerate() {
        for way in WAYS {
            for (length, count) in [(2, 1), (9, 15), (128, 100)] {
                let theta = random(shape.len(), 0.9, i as u64);
                let stored = Stored::new(shape.clone(), (length, way), (count, 7)).unwrap();
                let all = contexts(&stored.0.model, stored.0.stream(0), count);
                assert_eq!(all.len(), count);
                assert!(all.iter().all(|(_, c)| c.iter().sum::<f64>() == (length - 1) as f64));
                let (loss, gradient) = one_by_one(&shape, &all, &theta);
                let found = evaluate(&stored, &theta);
                assert!((found.0 - loss).abs() < 1e-13 * loss, "{i} {length}: {} {loss}", found.0);
                let off = largest_difference(&found.1, &gradient);
                assert!(off < 1e-14, "{i} {way:?} {length}: {off:e}");

                let fresh = Fresh::new(shape.clone(), (length, way), count).unwrap();
                let stream = Draw { seed: 3, step: 5 }.stream(Purpose::Batch, 0);
                let all = contexts(&fresh.0.model, stream, count);
                let (loss, gradient) = one_by_one(&shape, &all, &theta);
                let found = evaluate(&fresh, &theta);
                assert!((found.0 / loss - 1.0).abs() < 2e-6, "{i} {length}: {} {loss}", found.0);
                let off = largest_difference(&found.1, &gradient);
                assert!(off < 1e-6, "{i} {way:?} {length}: {off:e}");
            }
        }
    }
}

#[test]
fn slopes_are_differences_of_the_loss() {
    for (i, shape) in shapes().into_iter().enumerate() {
        let stored = Stored::new(shape.clone(), (20, Contexts::Counts), (LANES + 5, 1)).unwrap();
        let theta = random(shape.len(), 0.7, 10 + i as u64);
        let (_, gradient) = evaluate(&stored, &theta);
        for k in 0..theta.len() {
            let at = |step: f64| {
                let mut moved = theta.clone();
                moved[k] += step;
                evaluate(&stored, &moved).0
            };
            let step = 1e-3;
            let difference =
                (8.0 * (at(step) - at(-step)) - (at(2.0 * step) - at(-2.0 * step))) / (12.0 * step);
            let error = gradient[k] - difference;
            assert!(error.abs() < 1e-10, "{i} {k}: {} {error:e}", gradient[k]);
        }
    }
}

/// A decoder that has learned the task: the loss is tiny, and so are all slopes, but not their digits.
#[test]
fn digits_stay_when_the_loss_is_small() {
    for shape in [authors(2, 1), shapes()[1].clone(), shapes()[5].clone()] {
        let fresh = Fresh::new(shape.clone(), (128, Contexts::Counts), 100).unwrap();
        let mut theta = random(shape.len(), 0.1, 4);
        for (n, class) in shape.task().classes().iter().enumerate() {
            for (m, other) in shape.task().classes().iter().enumerate() {
                for &l in other.support.iter().filter(|l| m == n || !class.support.contains(l)) {
                    theta[l * shape.columns() + shape.column(n)] =
                        if m == n { 30.0 } else { -30.0 };
                }
            }
        }
        let stream = Draw { seed: 3, step: 5 }.stream(Purpose::Batch, 0);
        let all = contexts(&fresh.0.model, stream, 100);
        let (loss, gradient) = one_by_one(&shape, &all, &theta);
        let (found, slopes) = evaluate(&fresh, &theta);

        assert!(loss < 1e-3 && (found / loss - 1.0).abs() < 1e-4, "{found:e} {loss:e}");
        let largest = gradient.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        let off = largest_difference(&slopes, &gradient);
        assert!(off < 1e-4 * largest, "{off:e} of {largest:e}");
    }
}

/// Logits of attention that are far apart, and a decoder that is far from right: nothing overflows or vanishes.
#[test]
fn steep_parameters_overflow_nothing() {
    for (i, shape) in shapes().into_iter().enumerate() {
        for scale in [40.0, 100.0] {
            let theta = random(shape.len(), scale, 20 + i as u64);
            let stored = Stored::new(shape.clone(), (9, Contexts::Counts), (100, 2)).unwrap();
            let all = contexts(&stored.0.model, stored.0.stream(0), 100);
            let (loss, gradient) = one_by_one(&shape, &all, &theta);
            let found = evaluate(&stored, &theta);
            assert!((found.0 / loss - 1.0).abs() < 1e-12, "{i} {scale}: {} {loss}", found.0);
            let off = largest_difference(&found.1, &gradient);
            assert!(off < 1e-11, "{i} {scale}: {off:e}");

            let fresh = Fresh::new(shape.clone(), (9, Contexts::Counts), 100).unwrap();
            let stream = Draw { seed: 3, step: 5 }.stream(Purpose::Batch, 0);
            let all = contexts(&fresh.0.model, stream, 100);
            let (loss, gradient) = one_by_one(&shape, &all, &theta);
            let found = evaluate(&fresh, &theta);
            assert!((found.0 / loss - 1.0).abs() < 1e-4, "{i} {scale}: {} {loss}", found.0);
            let largest = gradient.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
            let off = largest_difference(&found.1, &gradient);
            assert!(off < 1e-3 * largest, "{i} {scale}: {off:e} of {largest:e}");
        }
    }
}

/// Means and covariances of counts beside those of a multinomial law, for every class of a task.
#[test]
fn counts_have_the_mean_and_covariance_of_their_law() {
    let tasks = [uneven(), Synthetic::authors(2, 1).task().unwrap()];
    for (task, length) in tasks.iter().flat_map(|task| [2, 12, 128].map(|length| (task, length))) {
        for way in WAYS {
            let shape = Shape::new(task.clone(), Outputs::All);
            let model = Model::new(shape, length, way).unwrap();
            let mut drawn = model.work::<f64>().drawn;
            for (n, class) in task.classes().iter().enumerate() {
                const GROUPS: usize = 4000;
                let (p, draws) = (&class.probability, (length - 1) as f64);
                let mut stream = Stream::new(1, Purpose::Batch, n as u64);
                // Sums of x_i, and of y_i y_j and its square, where y is centred.
                let mut sums = vec![vec![[0.0; 2]; p.len()]; p.len()];
                let mut means = vec![0.0; p.len()];
                for _ in 0..GROUPS {
                    model.sampler.draw(n, LANES, &mut stream, &mut drawn);
                    for lane in 0..LANES {
                        let y = |i: usize| f64::from(drawn.counts[i][lane]) - draws * p[i];
                        for i in 0..p.len() {
                            means[i] += y(i);
                            for j in 0..=i {
                                let product = y(i) * y(j);
                                sums[i][j][0] += product;
                                sums[i][j][1] += product * product;
                            }
                        }
                    }
                }
                let count = (GROUPS * LANES) as f64;
                for i in 0..p.len() {
                    let deviation = (draws * p[i] * (1.0 - p[i]) / count).sqrt();
                    let off = means[i] / count;
                    assert!(
                        off.abs() <= 4.5 * deviation,
                        "{way:?} {length} {n}: mean {i} off by {off}"
                    );
                    for j in 0..=i {
                        let own = if i == j { p[i] } else { 0.0 };
                        let exact = draws * (own - p[i] * p[j]);
                        let mean = sums[i][j][0] / count;
                        let spread = ((sums[i][j][1] / count - mean * mean) / count).sqrt();
                        let off = mean - exact;
                        let why = format!("{way:?} {length} {n}: covariance {i} {j} off by {off}");
                        assert!(off.abs() <= 5.0 * spread + 1e-12, "{why}, spread {spread}");
                    }
                }
            }
        }
    }
}

/// How often each number of hits comes up, beside its chance: chi-square of a split, and of the rare ways through it.
#[test]
fn every_number_of_hits_has_its_chance() {
    // The second token has mean 0.3: all rows of its split are there, and tails matter.
    let law = [(0, 0.45), (1, 0.03), (2, 0.5), (3, 0.02)];
    let class = ClassSpec { query: 4, next: 5, law: law.to_vec() };
    let task = Task::new(6, &[class]).unwrap();
    for way in WAYS {
        let model = Model::new(Shape::new(task.clone(), Outputs::All), 11, way).unwrap();
        let mut drawn = model.work::<f64>().drawn;
        let mut stream = Stream::new(2, Purpose::Batch, 0);
        let mut seen = vec![[0.0; 11]; 4];
        const GROUPS: usize = 40_000;
        for _ in 0..GROUPS {
            model.sampler.draw(0, LANES, &mut stream, &mut drawn);
            for (seen, counts) in seen.iter_mut().zip(&drawn.counts) {
                counts.iter().for_each(|&count| seen[count as usize] += 1.0);
            }
        }
        for (seen, (_, p)) in seen.iter().zip(law) {
            let mut chance = (1.0 - p).powi(10) * (GROUPS * LANES) as f64;
            let (mut square, mut cells, mut rest) = (0.0, 0.0, [0.0; 2]);
            for (k, &seen) in seen.iter().enumerate() {
                if chance > 10.0 {
                    square += (seen - chance).powi(2) / chance;
                    cells += 1.0;
                } else {
                    rest = [rest[0] + seen, rest[1] + chance];
                }
                chance *= (10 - k) as f64 / (k + 1) as f64 * p / (1.0 - p);
            }
            let degrees: f64 = cells - 1.0;
            assert!(square < degrees + 4.5 * (2.0 * degrees).sqrt() + 5.0, "{way:?} {p}: {square}");
            assert!(rest[0] < rest[1] + 5.0 * (rest[1].sqrt() + 1.0), "{way:?} {p}: {rest:?}");
        }
    }
}

/// Counts far from what is expected have no row: forced through, they still have their mean.
#[test]
fn numbers_without_a_row_are_drawn_trial_by_trial() {
    let mut tables = binomial::Tables::default();
    let law = [0.01, 0.02, 0.4, 0.57];
    let splits = tables.tree(&law, 1000, usize::MAX).unwrap();
    let (mut stream, mut hits) = (Stream::new(3, Purpose::Batch, 0), 0.0);
    // The split of the first two tokens sees some 30; here it is given 900.
    let mut words = [0; LANES];
    for _ in 0..200 {
        let mut rows = vec![[900; LANES]; 4];
        stream.fill_u64(&mut words);
        splits[1].draw(&tables, &words, LANES, (&mut rows, &mut stream));
        assert!((0..LANES).all(|lane| rows[0][lane] + rows[1][lane] == 900));
        hits += rows[0].iter().map(|&n| f64::from(n)).sum::<f64>();
    }
    let (trials, p) = ((900 * 200 * LANES) as f64, 1.0 / 3.0);
    let off = (hits - trials * p) / (trials * p * (1.0 - p)).sqrt();
    assert!(off.abs() < 4.5, "{off} deviations");
    // Too little room leaves nothing behind.
    let bytes = tables.bytes();
    assert!(tables.tree(&[0.3, 0.3, 0.4], 1000, bytes + 100).is_none());
    assert_eq!(tables.bytes(), bytes);
}

/// Mean and standard error of the loss over many batches.
fn mean_loss(landscape: &Online, theta: &[f64], batches: u64) -> [f64; 2] {
    let (mut work, mut gradient) = (landscape.work(), vec![0.0; theta.len()]);
    let mut sums = [0.0; 2];
    for step in 0..batches {
        let draw = Draw { seed: 5, step };
        let loss = landscape.evaluate(theta, draw, &mut work, &mut gradient).unwrap();
        sums = [sums[0] + loss, sums[1] + loss * loss];
    }
    let n = batches as f64;
    let mean = sums[0] / n;
    [mean, ((sums[1] / n - mean * mean) / (n - 1.0)).sqrt()]
}

/// The distance to the loss of long sequences falls as `1/T`: counts fluctuate by `1/sqrt(T)`, and only squares of that
/// are left in the mean.
#[test]
fn long_sequences_come_to_the_exact_loss() {
    let shape = authors(2, 1);
    let theta = random(shape.len(), 0.8, 3);
    let (exact, _) = evaluate(&Population::new(shape.clone()), &theta);
    let mut distances = Vec::new();
    for length in [33, 129, 513, 2049] {
        let fresh = Fresh::new(shape.clone(), (length, Contexts::Counts), 1000).unwrap();
        let [mean, error] = mean_loss(&fresh, &theta, 100);
        distances.push([(mean - exact) * (length - 1) as f64, error * (length - 1) as f64]);
    }
    let [limit, _] = distances[1];
    assert!(limit.abs() > 10.0 * distances[1][1], "{distances:?} tells little");
    for &[distance, error] in &distances[1..] {
        assert!((distance - limit).abs() < 0.1 * limit.abs() + 4.0 * error, "{distances:?}");
    }
}

#[test]
fn bits_do_not_depend_on_the_number_of_threads() {
    let shape = authors(3, 2);
    let theta = random(shape.len(), 0.5, 1);
    let on = |threads: usize, items: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let drawn = (128, Contexts::Counts);
            let stored = Stored::new(shape.clone(), drawn, (items, 5)).unwrap();
            let online = Fresh::new(shape.clone(), drawn, items).unwrap();
            (evaluate(&online, &theta), evaluate(&stored, &theta))
        })
    };
    for items in [1, 128, 1003] {
        let one = on(1, items);
        for threads in [2, 5] {
            assert_eq!(on(threads, items), one, "{items} sequences on {threads} threads");
        }
    }
}

/// A data set begins with every smaller one, and batches are means over their own sequences.
#[test]
fn batches_need_not_be_whole_groups_or_chunks() {
    for way in WAYS {
        let shape = authors(2, 1);
        let theta = random(shape.len(), 0.5, 3);
        let large = Stored::new(shape.clone(), (20, way), (300, 9)).unwrap();
        let chunk = large.0.chunk();
        let loss = |items: usize| {
            let stored = Stored::new(shape.clone(), (20, way), (items, 9)).unwrap();
            evaluate(&stored, &theta).0
        };
        let count = |items: usize| {
            let mut all = Vec::new();
            for first in (0..items).step_by(chunk) {
                let stream = large.0.stream(first / chunk);
                all.extend(contexts(&large.0.model, stream, chunk.min(items - first)));
            }
            all
        };
        for items in [1, 17, chunk - 1, chunk, chunk + 1, 300] {
            let all = count(items);
            assert_eq!(all.len(), items);
            let (mean, _) = one_by_one(&shape, &all, &theta);
            assert!((loss(items) - mean).abs() < 1e-13, "{way:?} {items}");
            // Every sequence of a smaller set is in this one.
            let smaller = count(items - items / 3);
            let times = |list: &[(usize, Vec<f64>)], one| list.iter().filter(|x| *x == one).count();
            assert!(smaller.iter().all(|one| times(&smaller, one) <= times(&all, one)), "{items}");
        }
    }
}

#[test]
fn steps_and_seeds_have_their_own_batches() {
    let fresh = Fresh::new(authors(2, 1), (128, Contexts::Counts), 50).unwrap();
    let theta = random(fresh.0.shape().len(), 0.5, 3);
    let (mut work, mut gradient) = (fresh.work(), vec![0.0; theta.len()]);
    let mut losses = [(1, 1), (1, 2), (2, 1), (1, 1)].map(|(seed, step)| {
        fresh.evaluate(&theta, Draw { seed, step }, &mut work, &mut gradient).unwrap().to_bits()
    });
    assert_eq!(losses[0], losses[3]);
    losses.sort_unstable();
    assert!(losses[0] < losses[1] || losses[1] < losses[2] && losses[2] < losses[3]);
}

#[test]
fn what_cannot_be_drawn_is_refused_by_value() {
    let drawn = |length| (length, Contexts::Counts);
    let fresh = |length, batch| Fresh::new(authors(2, 1), drawn(length), batch).map(|_| ());
    let stored = |length, count| Stored::new(authors(2, 1), drawn(length), (count, 0)).map(|_| ());
    for length in [0, 1] {
        let words = format!("length of a sequence is {length}, expected at least 2");
        assert!(fresh(length, 8).unwrap_err().to_string().starts_with(&words));
        assert!(stored(length, 8).unwrap_err().to_string().starts_with(&words));
    }
    assert!(fresh(2, 0).unwrap_err().to_string().starts_with("batch is 0"));
    assert!(stored(2, 0).unwrap_err().to_string().starts_with("sequences is 0"));
    assert!(fresh(2, 1).is_ok() && stored(2, 1).is_ok());
}

/// The authors' log behind 004, Fig. 4: SGD with momentum .9 on batches of 128 sequences of 128 tokens, from zero.
#[test]
fn training_follows_the_authors_log() {
    const SEEDS: u64 = 24;
    let shape = authors(2, 1);
    let fresh = Fresh::new(shape.clone(), (128, Contexts::Counts), 128).unwrap();
    // After so many steps: the log of one run, and the mean over 400 runs of another program that draws its contexts by
    // NumPy's multinomial, with its standard error.
    let known = [
        (0, 34_f64.ln(), [34_f64.ln(), 1e-12]),
        (2, 2.368, [2.36430, 3.4e-4]),
        (4, 0.7335, [0.73072, 6.1e-4]),
        (6, 0.161, [0.16122, 2.9e-4]),
        (20, 2.05e-4, [2.2223e-4, 2.5e-6]),
    ];
    for (steps, logged, [other, error]) in known {
        let losses: Vec<f64> = (0..SEEDS)
            .map(|seed| {
                let mut theta = shape.zero_start(0.0, 0);
                let mut rule = Momentum::new(theta.len(), 1.0, 0.9).unwrap();
                let descent = Descent { seed, ..Descent::new(steps) };
                descent.run(&fresh, &mut rule, &mut theta, &mut Silent).unwrap().loss
            })
            .collect();
        let mean = losses.iter().sum::<f64>() / SEEDS as f64;
        let square = losses.iter().map(|loss| (loss - mean).powi(2)).sum::<f64>();
        let spread = (square / (SEEDS - 1) as f64).sqrt();
        assert!((logged - mean).abs() < 3.0 * spread + 1e-6, "{steps}: {mean} +- {spread}");
        let error = error.hypot(spread / (SEEDS as f64).sqrt());
        assert!((mean - other).abs() < 4.0 * error, "{steps}: {mean} +- {error}, {other}");
        assert!(spread < 0.3 * mean, "{steps}: {losses:?} tell little");
    }
}
