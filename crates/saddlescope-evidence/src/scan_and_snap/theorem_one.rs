//! Theorem 1 and Lemma 5: what the decoder sends back to attention, under gradient descent and under the modified update.

use super::decoder::zeta;
use super::spectrum::{Weights, beta, iota};
use super::*;

pub(super) fn lemma_5(e: &mut Evidence, trial: Trial) {
    let (m, eta) = (25, 0.7);
    let f = random_directions(3, 0.8, &mut stream(trial, 0));
    let mut decoder = Decoder::new(&f, m, eta, Update::Modified);
    let size = m as f64;
    let expected = leads(size, eta, 60);
    let (zeta, mut rows, mut errors) = (zeta(1, m), 0.0_f64, 0.0_f64);
    for s in 1..=60 {
        let share = (size - 1.0) / (size - 1.0 + expected[s - 1].exp());
        errors = errors.max(gap(&decoder.error(1), &times_each(share, &zeta)));
        decoder.step(1);
        let height = (size - 1.0) * expected[s] / size;
        rows = rows.max(gap(decoder.w().row(1), &times_each(height, &zeta)));
    }
    let still = largest([0, 2].map(|n| largest_size(decoder.w().row(n))));
    e.of("w_n, 60 steps, M = 25, eta_Y = 0.7").abs(0.0, rows, ROUNDING);
    e.of("e_n - alpha_n(s)").abs(0.0, errors, ROUNDING);
    e.of("rows of the other classes").abs(0.0, still, ROUNDING);
}

pub(super) fn eq_36(e: &mut Evidence, trial: Trial) {
    let f = random_directions(3, 0.8, &mut stream(trial, 0));
    let mut decoder = Decoder::new(&f, 25, 0.7, Update::Modified);
    let before = decoder.error(2);
    decoder.step(2);
    let expected = |own: f64, other: f64| {
        (0..25).map(|j| if j == 2 { own } else { other }).collect::<Vec<_>>()
    };
    let w = decoder.w();
    e.of("e_n - alpha_n").each(&expected(0.96, -0.04), &before, ROUNDING);
    e.of("w_n").each(&expected(0.7 * 0.96, -0.7 * 0.04), w.row(2), ROUNDING);
}

/// `-beta_{nn'}/iota_n` by solving for the parts of `g`, for all pairs.
fn measured_ratios(decoder: &Decoder) -> Vec<f64> {
    let ratio = |n: usize| {
        let parts = decoder.parts(n);
        (0..parts.len()).filter(|&k| k != n).map(|k| parts[k] / parts[n]).collect::<Vec<_>>()
    };
    (0..decoder.f.columns).flat_map(ratio).collect()
}

/// The same from (86) and (88).
fn expected_ratios(decoder: &Decoder) -> Vec<f64> {
    let (prime, k) = (e_prime(&decoder.f), decoder.f.columns);
    let weights =
        Weights { prime: &prime, vocabulary: decoder.y.columns as f64, theta: &vec![0.0; k] };
    let ratio = |(n, other)| -beta(weights, n, other) / iota(weights, n);
    pairs_below(k).map(ratio).collect()
}

pub(super) fn theorem_1(e: &mut Evidence, trial: Trial) {
    let f = random_directions(5, 0.6, &mut stream(trial, 0));
    let what = |update: &str| {
        format!(
            "the weights of g on all other directions over that on f_n, 15 rounds of {update}, K = \
             5, M = 300"
        )
    };
    let trained = |update: Update| {
        let mut decoder = Decoder::new(&f, 300, 0.1, update);
        decoder.rounds(15);
        decoder
    };
    let (plain, modified) = (trained(Update::Plain), trained(Update::Modified));
    let expected = expected_ratios(&modified);
    let (found, kept) = (measured_ratios(&plain), measured_ratios(&modified));
    e.of(what("(7)")).each(&expected, &found, 1e-3);
    e.but(what("(26)")).each(&expected, &kept, 1e-10);
    e.note(format!(
        "On average {:.5} under (7), {:.5} under (26); 1/M = {:.5}.",
        mean(&found),
        mean(&kept),
        1.0 / 300.0
    ));
}

pub(super) fn theorem_1_plain(e: &mut Evidence, trial: Trial) {
    let (k, m, eta, rounds) = (4, 50, 1e-7, 5);
    for (name, f) in [
        ("equal products of 0.02", even_directions(k, 0.02)),
        ("equal products of 0.7", even_directions(k, 0.7)),
        ("random products", random_directions(k, 0.9, &mut stream(trial, 0))),
    ] {
        let mut decoder = Decoder::new(&f, m, eta, Update::Plain);
        decoder.rounds(rounds);
        let time = eta * rounds as f64;
        let parts: Vec<f64> = decoder.parts(1).iter().map(|part| part / time).collect();
        let share = 1.0 / m as f64;
        let expected: Vec<f64> =
            (0..k).map(|n| if n == 1 { 1.0 - share } else { -share }).collect();
        let what = format!("the weights of g over eta_Y t/K, K = 4, M = 50, {name}");
        e.of(what).each(&expected, &parts, 1e-6);
    }
}

/// The least `xi_n` of all classes at several times of a run that draws classes at random, over `gamma`.
fn least_pull(f: &Matrix, vocabulary: usize, update: Update, trial: Trial) -> f64 {
    let (k, m, e) = (f.columns, vocabulary as f64, overlaps(f));
    let mut stream = stream(trial, 99);
    let mut decoder = Decoder::new(f, vocabulary, 0.5, update);
    let mut least = f64::INFINITY;
    for step in 1..=30 * k * k {
        decoder.random_step(&mut stream);
        if step >= 3 * k * k && step % (k * k) == 0 {
            let speed = gamma(m, lead(m, 0.5 * (step as f64 / k as f64).ceil()));
            for n in 0..k {
                let parts = decoder.parts(n);
                let pull: f64 = (0..k).filter(|&i| i != n).map(|i| -parts[i] * e[(n, i)]).sum();
                least = least.min(pull / speed);
            }
        }
    }
    least
}

pub(super) fn theorem_1a(e: &mut Evidence, trial: Trial) {
    let (k, rho, m) = (3, 0.1, 3700);
    let spectrum = overlaps(&even_directions(k, rho)).eigen().0;
    let within = spectrum[0] < 1.0 / 3.0 && spectrum[2].abs() >= 6.0 / f64::from(m).sqrt();
    let what = "least xi_n/gamma of all classes from 3 K^2 to 30 K^2 random steps of (26), K = 3, M = \
         3700";
    let least = least_pull(&even_directions(k, rho), 3700, Update::Modified, trial);
    e.assume("Assumption 2: eigenvalues 0.2 and -0.1, 6/sqrt(M) = 0.0986", within);
    e.of(what).at_least(1e-3, least);
}

pub(super) fn theorem_1a_weaker(e: &mut Evidence, trial: Trial) {
    let mut least = [f64::INFINITY; 2];
    for (index, k) in [(0, 2), (1, 3), (2, 4), (3, 5)] {
        let f = random_directions(k, 0.3, &mut stream(trial, index));
        for (least, update) in least.iter_mut().zip([Update::Modified, Update::Plain]) {
            *least = least.min(least_pull(&f, 40, update, trial));
        }
    }
    let what = |law: &str| {
        format!(
            "least xi_n/gamma over 4 random F, K = 2 to 5, M = 40 (where no E meets the bound), \
             random steps of {law}"
        )
    };
    e.of(what("(26)")).at_least(1e-6, least[0]);
    e.of(what("(7)")).at_least(1e-6, least[1]);
}

pub(super) fn theorem_1b(e: &mut Evidence, _: Trial) {
    // In s = eta_Y t/K.
    let early = |m: f64| {
        let times = by_factors(1e-6, m.ln(), 60).into_iter();
        largest(times.map(|s| gamma(m, lead(m, s)) / s))
    };
    let late = |m: f64, inside: f64| {
        let first = 2.0 * larger_root(m);
        let times = by_factors(first, 1e5 * first, 60).into_iter();
        largest(times.map(|s| gamma(m, lead(m, s)) * s / (inside * s).ln()))
    };
    let sizes = [1e3, 1e6, 1e12, 1e30];
    let growth = |law: &dyn Fn(f64) -> f64| law(1e30) / law(1e3);
    let what = "largest gamma over the bound from t_0 to 10^5 t_0, at M = 10^30 over M = 10^3";
    let positive = sizes
        .map(|m| smallest(by_factors(1e-6, 1e6, 30).into_iter().map(|s| gamma(m, lead(m, s)))));
    e.of("least gamma").at_least(0.0, smallest(positive));
    e.of("largest gamma over eta_Y t/K up to K ln M/eta_Y, M = 10^3 to 10^30")
        .at_most(1.0 + 1e-12, largest(sizes.map(early)));
    e.both(what).at_most(1.3, [growth(&|m| late(m, 1.0)), growth(&|m| late(m, m))]);
    e.but("largest gamma over the bound, M = 10^3 to 10^30")
        .at_most(2.0, largest(sizes.map(|m| late(m, m))));
}

pub(super) fn eq_85(e: &mut Evidence, _: Trial) {
    let (k, m) = (10.0, 1000.0);
    let off = |eta: f64, t: f64| {
        let at = |s: f64| gamma(m, lead(m, eta * s));
        (at((t / k).ceil()) / at(t / k) - 1.0).abs()
    };
    let worst = |from: f64| {
        let times = (0..400).map(|i| from * (1.0 + 0.0123 * f64::from(i))).collect::<Vec<_>>();
        largest([0.1, 0.5, 0.99].map(|eta| largest(times.iter().map(|&t| off(eta, t)))))
    };
    let what = |from: &str| {
        format!(
            "largest relative difference from t = {from} on, K = 10, M = 1000, eta_Y = 0.1 to 0.99"
        )
    };
    e.of(what("10 K^2")).abs(0.0, worst(1000.0), 1e-3).loosely(0.02);
    e.note(format!(
        "From t = K on it is {:.2}: within a round of the classes the two have nothing in common.",
        worst(10.5)
    ));
}
