//! The plateaus as saddles, which the paper names (section 4) and does not analyse: curvatures, rates, symmetric modes.

use super::*;
use faer::Mat;
use saddlescope::numeric::decompose;
use saddlescope_sparse_markov::Simplex;

/// The point after `n` features: the first `h - n + 1` heads share the first, one each has features 2 to `n`.
fn plateau(plain: &Plain, h: usize, n: usize) -> Vec<Head> {
    let waiting = h + 1 - n;
    let head = |k: usize| {
        let j = (k + 1).saturating_sub(waiting);
        let share = if j == 0 { waiting as f64 } else { 1.0 };
        let v: Vec<f64> = unit(j, plain.rank()).iter().map(|x| x * plain.m[j] / share).collect();
        Head { v, s: unit(j, plain.positions()) }
    };
    (0..h).map(head).collect()
}

/// Directions in values and in attention, where position 1 gives what any other takes.
fn directions(plain: &Plain, h: usize) -> Vec<Vec<Head>> {
    let (rank, positions) = (plain.rank(), plain.positions());
    let zero = || vec![Head::new(&vec![0.0; rank], &vec![0.0; positions]); h];
    let mut all = Vec::new();
    for k in 0..h {
        for r in 0..rank {
            let mut direction = zero();
            direction[k].v[r] = 1.0;
            all.push(direction);
        }
        for i in 1..positions {
            let mut direction = zero();
            (direction[k].s[0], direction[k].s[i]) = (-1.0, 1.0);
            all.push(direction);
        }
    }
    all
}

/// The second derivative of `|G - P|^2/2` along two directions, from its definition.
fn second(residual: &Matrix, at: &[Head], a: &[Head], b: &[Head]) -> f64 {
    let mut sum = 0.0;
    for r in 0..residual.rows() {
        for (i, left) in residual.row(r).iter().enumerate() {
            let change = |d: &[Head]| -> f64 {
                at.iter().zip(d).map(|(at, d)| at.v[r] * d.s[i] + d.v[r] * at.s[i]).sum()
            };
            let both: f64 = a.iter().zip(b).map(|(a, b)| a.v[r] * b.s[i] + b.v[r] * a.s[i]).sum();
            sum += change(a) * change(b) - left * both;
        }
    }
    sum
}

/// Eigenvalues of the loss's second derivatives in these directions, smallest first.
fn curvatures(plain: &Plain, at: &[Head], directions: &[Vec<Head>]) -> Outcome<Vec<f64>> {
    let residual = plain.residual(at);
    let n = directions.len();
    let matrix = Mat::<f64>::from_fn(n, n, |i, j| {
        second(&residual, at, &directions[i.max(j)], &directions[i.min(j)])
    });
    eigenvalues(&matrix)
}

fn eigenvalues(matrix: &Mat<f64>) -> Outcome<Vec<f64>> {
    decompose::eigenvalues(matrix)
        .ok_or_else(|| ClaimError::Failed("a matrix has no eigenvalues".into()))
}

fn negative(values: &[f64]) -> usize {
    values.iter().filter(|value| **value < -1e-9).count()
}

const FOUR: [f64; 4] = [2.89, 1.7, 1.0, 0.6];

pub(super) fn start_not_stationary(e: &mut Evidence, _: Trial) {
    let plain = Plain::new(&STRENGTHS, 40);
    let start = vec![Head::new(&[0.0; 3], &[0.025; 40]); 3];
    let rate = &plain.whole(&start)[0];
    let after = flat(&plain.whole(&plateau(&plain, 3, 1)));
    let wanted = norm(&STRENGTHS) / 40.0;
    e.of("|dV/dt|, T = 40").abs(wanted, norm(&rate.v), 1e-12);
    e.of("rates on the plateau after one feature").abs(0.0, norm(&after), 1e-12);
}

pub(super) fn saddle_index(e: &mut Evidence, _: Trial) -> Outcome {
    for (h, strengths) in [(3, &FOUR[..3]), (4, &FOUR[..3]), (3, &FOUR), (5, &FOUR)] {
        let positions = strengths.len() + 2;
        let plain = Plain::new(strengths, positions);
        let model = model(strengths, positions, h)?;
        let simplex = Simplex::new(&model);
        for n in 1..=h.min(strengths.len()) {
            let at = plateau(&plain, h, n);
            let found = negative(&curvatures(&plain, &at, &directions(&plain, h))?);
            let ours = negative(&eigenvalues(&hessian(&simplex, &flat(&at))?)?);
            let (features, wanted) = (strengths.len(), (h - n) * (strengths.len() - n));
            let what = format!("negative curvatures, h = {h}, F = {features}, n = {n}");
            e.of(&what).count(wanted, found);
            e.of(format!("{what}, as our instruments have it")).count(wanted, ours);
            e.of("rates there").abs(0.0, norm(&flat(&plain.whole(&at))), 1e-14);
        }
    }
    Ok(())
}

pub(super) fn saddle_curvatures(e: &mut Evidence, _: Trial) -> Outcome {
    for h in [2, 3, 5] {
        let plain = Plain::new(&FOUR, 6);
        let values = curvatures(&plain, &plateau(&plain, h, 1), &directions(&plain, h))?;
        let mut wanted: Vec<f64> = FOUR[1..].iter().flat_map(|m| vec![-m; h - 1]).collect();
        wanted.sort_by(f64::total_cmp);
        let what = format!("negative curvatures, h = {h}, m = {FOUR:?}");
        e.of(what).each(&wanted, &values[..wanted.len()], 1e-10);
    }
    Ok(())
}

pub(super) fn saddle_symmetric(e: &mut Evidence, _: Trial) -> Outcome {
    let mut least = f64::INFINITY;
    for (h, strengths) in [(2, &FOUR[..3]), (3, &FOUR[..3]), (5, &FOUR)] {
        let plain = Plain::new(strengths, 6);
        let one = directions(&plain, h).into_iter().take(plain.rank() + 5);
        let shared: Vec<Vec<Head>> = one.map(|direction| vec![direction[0].clone(); h]).collect();
        let values = curvatures(&plain, &plateau(&plain, h, 1), &shared)?;
        least = least.min(smallest(values));
    }
    e.of("least curvature along shared moves, after one feature, h = 2, 3, 5")
        .at_least(1e-6, least);
    Ok(())
}

pub(super) fn saddle_rates(e: &mut Evidence, _: Trial) -> Outcome {
    for n in 1..=2 {
        let (h, plain) = (3, Plain::new(&STRENGTHS, 5));
        let at = flat(&plateau(&plain, h, n));
        let (rank, len) = (3, 8);
        let step = 1e-4;
        // Column by column, central differences of all rates.
        let column = |j: usize| {
            let rates = |step: f64| {
                let mut moved = at.clone();
                moved[j] += step;
                flat(&plain.whole(&heads_of(&moved, rank, len)))
            };
            let (up, down) = (rates(step), rates(-step));
            up.iter().zip(&down).map(|(a, b)| (a - b) / (2.0 * step)).collect::<Vec<f64>>()
        };
        let columns: Vec<Vec<f64>> = (0..at.len()).map(column).collect();
        let of_s =
            largest((0..at.len()).filter(|i| i % len >= rank).flat_map(|i| {
                columns.iter().map(move |column| column[i].abs()).collect::<Vec<_>>()
            }));
        let places: Vec<usize> = (0..at.len()).filter(|i| i % len < rank).collect();
        let block =
            Mat::<f64>::from_fn(places.len(), places.len(), |i, j| columns[places[j]][places[i]]);
        let values = eigenvalues(&block)?;
        e.of(format!("largest entry of the Jacobian in the rates of attention, n = {n}, h = 3"))
            .abs(0.0, of_s, 1e-6);
        e.of("largest rate of values").at_most(1e-6, largest(values));
    }
    Ok(())
}
