//! The plateaus as saddles, which the paper names (section 4) and does not analyse: curvatures, rates, symmetric modes.

use super::*;
use saddlescope_sparse_markov::Simplex;

/// The point after `n` features: the first `h - n + 1` heads share the first, one each has features 2 to `n`.
fn plateau(plain: &Plain, h: usize, n: usize) -> Vec<Head> {
    let waiting = h + 1 - n;
    let head = |k: usize| {
        let j = (k + 1).saturating_sub(waiting);
        let share = if j == 0 { waiting as f64 } else { 1.0 };
        Head::on(j, plain.m[j] / share, plain.rank(), plain.positions())
    };
    (0..h).map(head).collect()
}

/// Directions in values and in attention, where position 1 gives what any other takes.
fn directions(plain: &Plain, h: usize) -> Vec<Vec<Head>> {
    let (rank, positions) = (plain.rank(), plain.positions());
    let (no_v, no_s) = (vec![0.0; rank], vec![0.0; positions]);
    let of_v = (0..rank).map(|r| Head::new(&axis(r, rank), &no_s));
    let to = |i| Head { v: no_v.clone(), s: minus(&axis(i, positions), &axis(0, positions)) };
    let one: Vec<Head> = of_v.chain((1..positions).map(to)).collect();
    let of_head = |k: usize, own: &Head| {
        let at = |other| if other == k { own.clone() } else { Head::new(&no_v, &no_s) };
        (0..h).map(at).collect()
    };
    (0..h).flat_map(|k| one.iter().map(move |own| of_head(k, own)).collect::<Vec<_>>()).collect()
}

/// The second derivative of `|G - P|^2/2` along two directions, from its definition.
fn second(residual: &Matrix, at: &[Head], a: &[Head], b: &[Head]) -> f64 {
    let mut sum = 0.0;
    for r in 0..residual.rows {
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
fn spectrum(plain: &Plain, at: &[Head], directions: &[Vec<Head>]) -> Outcome<Vec<f64>> {
    let residual = plain.residual(at);
    let entry =
        |i: usize, j: usize| second(&residual, at, &directions[i.max(j)], &directions[i.min(j)]);
    eigenvalues(&Matrix::new(directions.len(), directions.len(), entry))
}

fn negative(values: &[f64]) -> usize {
    values.iter().filter(|value| **value < -1e-9).count()
}

const FOUR: [f64; 4] = [2.89, 1.7, 1.0, 0.6];

pub(super) fn start_not_stationary(e: &mut Evidence, _: Trial) {
    let plain = Plain::new(&STRENGTHS, 40);
    let rate = &plain.whole(&vec![even_head(3, 40); 3])[0];
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
            let found = negative(&spectrum(&plain, &at, &directions(&plain, h))?);
            let ours = negative(&curvatures(&simplex, &flat(&at))?);
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
        let values = spectrum(&plain, &plateau(&plain, h, 1), &directions(&plain, h))?;
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
        let values = spectrum(&plain, &plateau(&plain, h, 1), &shared)?;
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
                let moved = plus(&at, step, &axis(j, at.len()));
                flat(&plain.whole(&heads_of(&moved, rank, len)))
            };
            let (up, down) = (rates(step), rates(-step));
            minus(&up, &down).iter().map(|change| change / (2.0 * step)).collect::<Vec<f64>>()
        };
        let columns: Vec<Vec<f64>> = (0..at.len()).map(column).collect();
        let (values, attention): (Vec<usize>, Vec<usize>) =
            (0..at.len()).partition(|i| i % len < rank);
        let rows = columns.iter().flat_map(|column| attention.iter().map(|&i| column[i].abs()));
        let block = Matrix::new(values.len(), values.len(), |i, j| columns[values[j]][values[i]]);
        e.of(format!("largest entry of the Jacobian in the rates of attention, n = {n}, h = 3"))
            .abs(0.0, largest(rows), 1e-6);
        e.of("largest rate of values").at_most(1e-6, largest(eigenvalues(&block)?));
    }
    Ok(())
}
