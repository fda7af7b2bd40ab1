//! Remark 1 and appendix E: how even attention begins to move, and when it has left.

use super::*;

const H: f64 = 3.0;
const T: usize = 10;
static PLAIN: LazyLock<Plain> = LazyLock::new(|| Plain::new(&STRENGTHS, T));

fn even() -> Head {
    even_head(3, T)
}

/// `G 1`.
fn all(plain: &Plain) -> Vec<f64> {
    plain.at(&vec![1.0; plain.positions()])
}

/// The second derivatives of `V` and `s` along the coupled flow at `V = 0`, `s = 1/T`: how the rates change along themselves.
fn second(plain: &Plain) -> Head {
    let (start, rate) = (even(), plain.coupled(H, &even()));
    let entry = |i: usize| change(|head| plain.coupled(H, head).flat()[i], &start, &rate);
    Head::of(&(0..3 + T).map(entry).collect::<Vec<f64>>(), 3)
}

pub(super) fn remark_1(e: &mut Evidence, _: Trial) {
    let rates = PLAIN.whole(&vec![even(); 3]);
    let wanted: Vec<f64> = all(&PLAIN).iter().map(|x| x / T as f64).collect();
    let time = 0.01;
    let end = PLAIN.coupled_to(H, &even(), time, 50);
    let moved = distance(&end.s, &even().s);
    e.of("rates of V_1").each(&wanted, &rates[0].v, ROUNDING);
    e.of("largest rate of attention").abs(0.0, norm(&rates[0].s), ROUNDING);
    let what = "V_1 at t = 0.01 by the plain solver, beside t G 1/T, T = 10";
    e.of(what).rel(time * wanted[0], end.v[0], 2e-3);
    e.of("<V, V_1> less <V, V_2> there").at_least(1e-5, end.v[0] - end.v[1]);
    e.of("how far attention has moved meanwhile, over |V|").at_most(1e-3, moved / norm(&end.v));
}

pub(super) fn appendix_e_v(e: &mut Evidence, _: Trial) {
    let of = |factor: f64| times_each(factor, &all(&PLAIN));
    let square = (T * T) as f64;
    let what = "differences of the rates along themselves, T = 10, h = 3";
    e.both(what).each([&of(1.0 / square), &of(-H / square)], &second(&PLAIN).v, DIFFERENCES);
}

/// `m_j^power` at the position of each feature, its mean taken out.
fn centred(power: i32) -> Vec<f64> {
    let powers = (0..T).map(|i| STRENGTHS.get(i).map_or(0.0, |m| m.powi(power)));
    without_mean(&powers.collect::<Vec<f64>>())
}

pub(super) fn appendix_e_s(e: &mut Evidence, _: Trial) {
    let vector: Vec<f64> = (0..T).map(|i| STRENGTHS.get(i).map_or(0.0, |m| m / T as f64)).collect();
    let printed = pi(&even().s).apply(&vector);
    let cube = (T as f64).powi(3);
    let corrected: Vec<f64> = centred(2).iter().map(|x| x / cube).collect();
    let what = "differences of the rates along themselves, T = 10, h = 3";
    e.both(what).each([&printed, &corrected], &second(&Plain::new(&STRENGTHS, T)).s, 1e-9);
}

pub(super) fn appendix_e_path(e: &mut Evidence, _: Trial) {
    let time = 0.1;
    let end = PLAIN.coupled_to(H, &even(), time, 100);
    let printed: Vec<f64> = centred(1).iter().map(|x| x / (T * T) as f64).collect();
    let factor = time * time / 2.0 / (T as f64).powi(3);
    let corrected: Vec<f64> = centred(2).iter().map(|x| 1.0 / T as f64 + factor * x).collect();
    let moved = |i: usize| (end.s[i] - 0.1) / factor;
    e.of("s at t = 0.1 by the plain solver, T = 10").each(&printed, &end.s, 1e-5);
    e.but("s at t = 0.1").each(&corrected, &end.s, 1e-5);
    let what = "how far s_1 has moved over t^2/(2 T^3), beside m_1^2 less the mean of all";
    e.but(what).rel(centred(2)[0], moved(0), 0.02);
}

pub(super) fn remark_1_direction(e: &mut Evidence, trial: Trial) -> Outcome {
    let found = second(&PLAIN).s;
    let others = largest(found[1..].to_vec());
    let model = model(&STRENGTHS, 40, 3)?;
    let (mut against, mut right, mut numbers) = (0, 0, stream(trial, 0));
    for noise in [1e-3, 1e-4] {
        let start = noisy_heads(3, 40, noise, &mut numbers);
        let meets = |head: &&Head| {
            head.s[0] >= head.s[1].max(head.s[2]) && head.v[0] >= head.v[1].max(head.v[2])
        };
        against += start.iter().filter(|head| !meets(head)).count();
        let later = along(&model, &start, &[15.0])?.remove(0);
        right += later.iter().filter(meets).count();
    }
    e.of("second derivative of s_1 less the next largest, times T^3")
        .at_least(1.0, (found[0] - others) * 1000.0);
    e.of("heads of 6 that meet (7) at t = 15, T = 40, noise 1e-3 and 1e-4").count(6, right);
    e.note(format!("{against} of them did not at the start."));
    Ok(())
}

pub(super) fn first_escape(e: &mut Evidence, _: Trial) -> Outcome {
    let first = |scale: f64, positions: usize, heads: usize, until: f64| -> Outcome<f64> {
        let model = model(&STRENGTHS.map(|m| scale * m), positions, heads)?;
        let start = even_head(3, positions);
        let end = crossings(&model, &parameters(&model, &vec![start; heads]), until)?;
        let first = end.crossings[0].map_or(f64::NAN, |crossing| crossing.time);
        Ok(first / positions as f64)
    };
    for (scale, positions, known) in [
        (1.0, 10, 0.544),
        (1.0, 40, 0.544),
        (1.0, 100, 0.544),
        (10.0, 10, 0.059),
        (10.0, 40, 0.049),
        (10.0, 100, 0.046),
    ] {
        let found = first(scale, positions, 3, 10.0 * positions as f64)?;
        e.of(format!("t_1/T, T = {positions}, h = 3, strengths {scale} (2.89, 1.7, 1)"))
            .rel(known, found, 0.02);
    }
    let alone = first(1.0, 40, 1, f64::INFINITY)?;
    e.note(format!("One head alone takes {alone:.3} T with T = 40."));
    Ok(())
}

pub(super) fn remark_1_basin(e: &mut Evidence, _: Trial) -> Outcome {
    let model = model(&STRENGTHS, 40, 3)?;
    // A hundredth of the noise of B.4: with all of it, heads part before attention has settled.
    let start = scaled(FORTY, 0.01);
    let at = along(&model, &start, &[100.0])?.remove(0);
    for (k, head) in at.iter().enumerate() {
        e.of(format!("attention of head {} on position 1 at t = 100, T = 40, noise 1e-5", k + 1))
            .at_least(0.6, head.s[0]);
        e.of("cosine of its value with V_1").at_least(0.97, head.v[0] / norm(&head.v));
    }
    Ok(())
}
