//! Theorem 2: how long heads that start almost alike stay together, and its proof line by line.

use super::*;

const T: usize = 40;

/// Directions in which heads are moved from even attention, the longest of length one: those of the written start.
fn directions() -> Vec<Vec<f64>> {
    let even = even_head(3, T);
    let rows: Vec<Vec<f64>> =
        listed_heads(FORTY).iter().map(|head| minus(&head.s, &even.s)).collect();
    scaled(&rows)
}

fn scaled(rows: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let longest = largest(rows.iter().map(|row| norm(row)));
    rows.iter().map(|row| row.iter().map(|x| x / longest).collect()).collect()
}

/// The largest of `|V_k - V|` and `|s_k - s|` at each of `at`, over `eps`: heads from `V = 0`, `s = 1/T + eps direction`.
fn deviations(
    strengths: &[f64],
    directions: &[Vec<f64>],
    eps: f64,
    at: &[f64],
) -> Outcome<Vec<f64>> {
    let model = model(strengths, T, 3)?;
    let even = even_head(3, T);
    let start: Vec<Head> = directions
        .iter()
        .map(|direction| Head { s: plus(&even.s, eps, direction), ..even.clone() })
        .collect();
    let whole = along(&model, &start, at)?;
    let coupled = states(&Law::coupled(&model), &[0.0; 3 + T], at)?;
    let far = |(heads, mean): (&Vec<Head>, &Snapshot)| {
        let (v, q) = mean.state.split_at(3);
        let s = softmax(q);
        largest(heads.iter().flat_map(|head| [distance(&head.v, v), distance(&head.s, &s)])) / eps
    };
    Ok(whole.iter().zip(&coupled).map(far).collect())
}

const TIMES: [f64; 7] = [1.0, 5.0, 10.0, 15.0, 20.0, 25.0, 30.0];

pub(super) fn theorem_2_linear(e: &mut Evidence, _: Trial) -> Outcome {
    let of = |eps: f64| deviations(&STRENGTHS, &directions(), eps, &TIMES);
    let (large, small) = (of(1e-5)?, of(1e-6)?);
    for ((time, large), small) in TIMES.iter().zip(&large).zip(&small) {
        e.of(format!("deviation over eps at t = {time}, eps = 1e-5 beside 1e-6, T = 40, h = 3"))
            .rel(*small, *large, 0.02);
    }
    let list: Vec<String> = small.iter().map(|x| format!("{x:.1}")).collect();
    e.note(format!("At t = {TIMES:?}: {}.", list.join(", ")));
    Ok(())
}

pub(super) fn theorem_2(e: &mut Evidence, _: Trial) -> Outcome {
    let c = 0.3;
    let (printed, meant) = (|eps: f64| -1.0 / (c * eps.ln()), |eps: f64| -eps.ln() / c);
    let worst = try_map([1e-3, 1e-4, 1e-5, 1e-6], |eps| {
        let at = by_factors(0.1, meant(eps), 30);
        let found = deviations(&STRENGTHS, &directions(), eps, &at)?;
        Ok(largest(at.iter().zip(found).map(|(t, x)| x / (c * t).exp())))
    })?;
    e.both("length of the interval with eps = 1e-8 over that with 1e-4")
        .at_least(1.0, [printed(1e-8) / printed(1e-4), meant(1e-8) / meant(1e-4)]);
    let what = "largest deviation over eps e^(c t) up to ln(1/eps)/c with c = 0.3, eps = 1e-3 to 1e-6, T = 40, h = 3";
    e.but(what).at_most(1.0 + 1e-6, largest(worst));
    Ok(())
}

pub(super) fn theorem_2_constant(e: &mut Evidence, trial: Trial) -> Outcome {
    let at = by_factors(0.2, 30.0, 25);
    // The least constant for which `eps e^(c t)` is a bound at these times.
    let of = |scale: f64, directions: &[Vec<f64>]| -> Outcome<f64> {
        let strengths = STRENGTHS.map(|m| scale * m);
        // Stronger features are faster: the same stages in less time.
        let at: Vec<f64> = at.iter().map(|t| t / scale).collect();
        let found = deviations(&strengths, directions, 1e-6, &at)?;
        Ok(largest(at.iter().zip(found).map(|(t, x)| x.ln() / t)))
    };
    let mut numbers = stream(trial, 0);
    let without_mean = |_| without_mean(&random(T, 1.0, &mut numbers));
    let own = of(1.0, &directions())?;
    let other = of(1.0, &scaled(&(0..3).map(without_mean).collect::<Vec<_>>()))?;
    let strong = of(4.0, &directions())?;
    let what = "least c_1 with strengths four times as large, over that with (2.89, 1.7, 1), T = 40, h = \
         3";
    e.of(what).abs(1.0, strong / own, 0.5);
    e.but(what).at_least(2.0, strong / own);
    e.but("the same over that with (2.89, 1.7, 1) and random deviations")
        .at_least(2.0, strong / other);
    e.note(format!("{own:.3} and {other:.3} beside {strong:.3}."));
    Ok(())
}

pub(super) fn theorem_2_bound(e: &mut Evidence, trial: Trial) -> Outcome {
    let model = model(&STRENGTHS, T, 3)?;
    let found = states(&Law::coupled(&model), &[0.0; 3 + T], &by_factors(5.0, 200.0, 60))?;
    let size = largest(found.iter().map(|snapshot| norm(&snapshot.state[..3])));
    let plain = Plain::new(&STRENGTHS, T);
    let ratio = |s: &[f64]| norm(&plain.at(s)) / dot(s, s) / 3.0;
    // Where the maximum is, were there one feature alone: a share 1/(1 + sqrt(T - 1)) on position 1, the rest evenly.
    let share = 1.0 / (1.0 + (T as f64 - 1.0).sqrt());
    let mut top = vec![(1.0 - share) / (T as f64 - 1.0); T];
    top[0] = share;
    let (limit, bound) = (STRENGTHS[0] / 3.0, STRENGTHS[0] * (T as f64).sqrt() / 3.0);
    let mut numbers = stream(trial, 0);
    let random = largest((0..300).map(|_| {
        let spread = 4.0 * numbers.uniform();
        ratio(&softmax(&random(T, spread, &mut numbers)))
    }));
    e.both("largest |V| along the flow from V = 0, s = 1/T, T = 40, h = 3")
        .at_most([limit, bound], size);
    e.both("|G s|/(h |s|^2) at s_1 = 1/(1 + sqrt(T - 1)), the rest even")
        .at_most([limit, bound], ratio(&top));
    e.but("the same at 300 random s").at_most(bound, random);
    Ok(())
}

/// Heads near a common one.
fn near(plain: &Plain, trial: Trial, eps: f64) -> (Head, Vec<Head>) {
    let mut stream = stream(trial, 0);
    let positions = plain.positions();
    let mean = random_head(plain.rank(), positions, &mut stream);
    let move_one = |_: usize| {
        let w = random(plain.rank(), eps, &mut stream);
        let z = without_mean(&random(positions, eps, &mut stream));
        mean.moved(1.0, &Head { v: w, s: z })
    };
    let heads = (0..3).map(move_one).collect();
    (mean, heads)
}

/// `P`, the sum of `V_k (x) s_k`.
fn model_matrix(heads: &[Head]) -> Matrix {
    let zero = Matrix::zeros(heads[0].v.len(), heads[0].s.len());
    heads.iter().fold(zero, |sum, head| sum + Matrix::outer(&head.v, &head.s))
}

pub(super) fn theorem_2_rates(e: &mut Evidence, trial: Trial) {
    let plain = Plain::new(&STRENGTHS, 5);
    let h = 3.0;
    let (mean, heads) = near(&plain, trial, 0.05);
    let (v, s) = (&mean.v, &mean.s);
    let (rates, of_mean) = (plain.whole(&heads), plain.coupled(h, &mean));
    let p = model_matrix(&heads);
    let own = plus(&plain.along(v), -h * dot(v, v), s);
    let (mut printed, mut found) = (Vec::new(), Vec::new());
    for (head, rate) in heads.iter().zip(&rates) {
        let w = minus(&head.v, v);
        let z = minus(&head.s, s);
        printed.extend(plus(&minus(&plain.at(&z), &p.apply(&head.s)), h * dot(s, s), v));
        found.extend(minus(&rate.v, &of_mean.v));
        let u = minus(&plain.along(&head.v), &p.transposed_apply(&head.v));
        printed.extend(minus(&pi_twice(&head.s, &u), &pi_twice(s, &own)));
        found.extend(minus(&rate.s, &of_mean.s));
        // The second form of the rate of z.
        let left = minus(&plain.along(&w), &p.transposed_apply(&head.v));
        let rest = plus(&left, h * dot(v, v), s);
        let moved = minus(&pi_twice(&head.s, &u), &pi_twice(s, &u));
        printed.extend(plus(&moved, 1.0, &pi_twice(s, &rest)));
        found.extend(minus(&rate.s, &of_mean.s));
    }
    let what = "rates of W_i and z_i, both forms of the second, beside differences of (6) and the coupled law, three heads";
    e.of(what).each(&printed, &found, ROUNDING);
}

pub(super) fn theorem_2_expansion(e: &mut Evidence, trial: Trial) {
    let plain = Plain::new(&STRENGTHS, 5);
    let of = |eps: f64| {
        let (mean, heads) = near(&plain, trial, eps);
        let (literal, mut expanded) = (model_matrix(&heads), Matrix::zeros(3, 5));
        let (mut all_w, mut all_z) = (vec![0.0; 3], vec![0.0; 5]);
        for head in &heads {
            let w = minus(&head.v, &mean.v);
            let z = minus(&head.s, &mean.s);
            expanded += Matrix::outer(&w, &z);
            all_w = plus(&all_w, 1.0, &w);
            all_z = plus(&all_z, 1.0, &z);
        }
        expanded += Matrix::outer(&mean.v, &mean.s) * 3.0;
        expanded += Matrix::outer(&all_w, &mean.s);
        expanded += Matrix::outer(&mean.v, &all_z);
        let (size, square) = (dot(&mean.v, &mean.v), dot(&mean.s, &mean.s));
        let left = plus(&literal.transposed_apply(&mean.v), -3.0 * size, &mean.s);
        let right = plus(&literal.apply(&mean.s), -3.0 * square, &mean.v);
        (literal, expanded, norm(&left), norm(&right))
    };
    let (literal, expanded, left, right) = of(1e-3);
    let (_, _, less_left, less_right) = of(1e-4);
    e.of("P, entry by entry").each(&expanded, &literal, ROUNDING);
    e.of("V^T P - h |V|^2 s with eps = 1e-3 over that with 1e-4").rel(10.0, left / less_left, 0.02);
    e.of("the same for P s - h |s|^2 V").rel(10.0, right / less_right, 0.02);
}
