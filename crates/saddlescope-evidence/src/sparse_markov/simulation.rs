//! B.4 and Fig. 10: the simulation of the regression variant, from a written start.

use super::*;

/// Crossings of the mid-levels by an independent implementation.
const KNOWN_FORTY: [f64; 3] = [21.185_368_282_932_35, 45.313_125_146_628_37, 138.320_595_260_539];
const KNOWN_TEN: [f64; 3] = [5.448_517_267_577_714, 45.715_844_007_461_47, 194.149_968_580_914_73];

/// `P` in feature `j` at the position of feature `i`.
fn product(heads: &[Head], j: usize, i: usize) -> f64 {
    heads.iter().map(|head| head.v[j] * head.s[i]).sum()
}

pub(super) fn b_4_start(e: &mut Evidence, trial: Trial) {
    let mut numbers = stream(trial, 0);
    let rows: Vec<Vec<f64>> = (0..3).map(|_| random(40, 1e-3, &mut numbers)).collect();
    let total = |row: &Vec<f64>| row.iter().map(|x| 0.025 + x).sum::<f64>();
    let centred = |row: &Vec<f64>| row.iter().map(|x| 0.025 + x - mean(row)).sum::<f64>();
    let off =
        |sum: &dyn Fn(&Vec<f64>) -> f64| largest(rows.iter().map(|row| (sum(row) - 1.0).abs()));
    let what = "largest distance of a sum from 1, three heads, T = 40";
    e.of(what).abs(0.0, off(&total), 1e-5);
    e.but(what).abs(0.0, off(&centred), 1e-12);
    e.note(format!(
        "Sums: {:.4}, {:.4}, {:.4}.",
        total(&rows[0]),
        total(&rows[1]),
        total(&rows[2])
    ));
}

pub(super) fn levels(e: &mut Evidence, _: Trial) -> Outcome {
    let plain = Plain::new(&STRENGTHS, 40);
    let model = model(&STRENGTHS, 40, 3)?;
    let at = [5.0, 15.0, 30.0, 60.0, 200.0, 1000.0];
    let known = [
        6.034_538_795_652_507,
        5.823_069_114_257_929,
        1.978_561_831_287_820_8,
        0.525_828_483_309_767_5,
        0.008_524_423_999_247_535,
        9.818_331_389_252_902e-4,
    ];
    let levels =
        [(0, 0, 6.121_05, 0.1), (2, 1, 1.945, 0.04), (3, 2, 0.5, 0.03), (5, 3, 0.0, 0.002)];
    let path = along(&model, &listed_heads(FORTY), &at)?;
    let losses: Vec<f64> = path.iter().map(|heads| plain.loss(heads)).collect();
    for (place, n, level, tolerance) in levels {
        let t = at[place];
        let what = format!("loss at t = {t}, beside the level after {n} features, T = 40, h = 3");
        e.of(what).abs(level, losses[place], tolerance);
    }
    e.of("losses at t = 5 to 1000 by an independent implementation").each(&known, &losses, 1e-6);
    Ok(())
}

pub(super) fn fig_10(e: &mut Evidence, _: Trial) -> Outcome {
    for (positions, start, known) in [(40, FORTY, KNOWN_FORTY), (10, TEN, KNOWN_TEN)] {
        let heads = listed_heads(start);
        let what = |n: usize| format!("half of drop {n}, T = {positions}");
        e.each_rel(what, &known, &crossing_times(&STRENGTHS, &heads)?, 1e-6);
        // When half of each feature is there.
        let at: Vec<f64> = (1..=300).map(f64::from).collect();
        let path = along(&model(&STRENGTHS, positions, 3)?, &heads, &at)?;
        let half = |j: usize| {
            let there = |heads: &Vec<Head>| product(heads, j, j) > 0.5 * STRENGTHS[j];
            path.iter().position(there).map_or(f64::NAN, |i| at[i])
        };
        e.of(format!("half of feature 2 after half of feature 1, T = {positions}"))
            .at_least(10.0, half(1) - half(0));
        e.of(format!("half of feature 3 after half of feature 2, T = {positions}"))
            .at_least(30.0, half(2) - half(1));
    }
    Ok(())
}

pub(super) fn b_4_scales(e: &mut Evidence, _: Trial) -> Outcome {
    let stages = |scale: f64| -> Outcome<[f64; 3]> {
        let times = crossing_times(&STRENGTHS, &scaled(FORTY, scale))?;
        Ok([times[0], times[1] - times[0], times[2] - times[1]])
    };
    let (given, less) = (stages(1.0)?, stages(0.01)?);
    let what = |n: usize, m: usize, noise: &str| {
        format!("length of stage {m} over that of stage {n}, noise {noise}, T = 40")
    };
    e.of(what(2, 3, "1e-3")).at_least(2.0, given[2] / given[1]);
    e.of(what(1, 2, "1e-3")).at_least(2.0, given[1] / given[0]).loosely(1.0);
    e.of(what(1, 2, "1e-5")).at_least(2.0, less[1] / less[0]);
    e.of(what(2, 3, "1e-5")).at_least(2.0, less[2] / less[1]);
    e.note(format!(
        "{:.1}, {:.1}, {:.1} with the noise of B.4: the first two take almost the same time. They \
         separate with less noise: {:.1}, {:.1}, {:.1}.",
        given[0], given[1], given[2], less[0], less[1], less[2]
    ));
    Ok(())
}

pub(super) fn b_4_competition(e: &mut Evidence, _: Trial) -> Outcome {
    for (positions, start, early, late) in
        [(40, FORTY, [22.0, 30.0], 2e4), (10, TEN, [8.0, 20.0], 2e4)]
    {
        let model = model(&STRENGTHS, positions, 3)?;
        let path = along(&model, &listed_heads(start), &[early[0], early[1], late])?;
        let most = |head: &Head| place_of_largest(&head.s);
        for (heads, time) in path.iter().zip(early) {
            let on_first = heads.iter().filter(|head| most(head) == 0).count();
            let what = format!(
                "heads whose largest attention is on position 1 at t = {time}, T = {positions}"
            );
            let share = smallest(heads.iter().map(|head| head.s[0] * positions as f64));
            e.of(what).count(3, on_first);
            e.of(format!("least attention there over 1/T, t = {time}")).at_least(3.0, share);
        }
        let mut owners: Vec<usize> = path[2].iter().map(most).collect();
        owners.sort_unstable();
        let found: Vec<f64> = owners.iter().map(|&i| i as f64 + 1.0).collect();
        e.of(format!("positions of the three heads at t = {late}, in order, T = {positions}"))
            .each(&[1.0, 2.0, 3.0], &found, 0.0);
    }
    Ok(())
}

pub(super) fn b_4_offset(e: &mut Evidence, _: Trial) -> Outcome {
    // The heads on positions 1 and 3, as an independent implementation has them.
    for (positions, start, [first, third]) in [(40, FORTY, [2, 0]), (10, TEN, [0, 1])] {
        let model = model(&STRENGTHS, positions, 3)?;
        let heads = along(&model, &listed_heads(start), &[2e4])?.remove(0);
        let (own, cross) = (&heads[first], &heads[third]);
        let residual =
            format!("attention of the third head on position 1 at t = 20,000, T = {positions}");
        e.of(residual).at_least(0.02, cross.s[0]);
        e.of("V_3 of the head on position 1").at_most(-0.01, own.v[2]);
        e.of("feature 3 at position 1, all heads, over what the third head puts there")
            .at_most(0.01, product(&heads, 2, 0).abs() / (cross.v[2] * cross.s[0]));
    }
    Ok(())
}

pub(super) fn b_4_slide(e: &mut Evidence, _: Trial) -> Outcome {
    let model = model(&STRENGTHS, 10, 3)?;
    let path = along(&model, &listed_heads(TEN), &[1e3, 1e5, 1e7])?;
    let shares: Vec<f64> = path.iter().map(|heads| heads[1].s[0]).collect();
    let offsets: Vec<f64> = path.iter().map(|heads| heads[0].v[2]).collect();
    e.of("attention of the third head on position 1 at t = 10^3, T = 10").at_least(0.4, shares[0]);
    e.of("the same at t = 10^7").at_most(0.2, shares[2]);
    e.of("V_3 of the head on position 1 at t = 10^3").at_most(-0.8, offsets[0]);
    e.of("the same at t = 10^7").at_least(-0.2, offsets[2]);
    e.note(format!(
        "{:.3}, {:.3}, {:.3} at t = 10^3, 10^5, 10^7.",
        shares[0], shares[1], shares[2]
    ));
    Ok(())
}

pub(super) fn fig_10_parts(e: &mut Evidence, _: Trial) -> Outcome {
    let (plain, model) = (Plain::new(&STRENGTHS, 40), model(&STRENGTHS, 40, 3)?);
    let mut rest = Vec::new();
    let path = along(&model, &listed_heads(FORTY), &[22.0, 60.0, 200.0])?;
    for (heads, time) in path.iter().zip([22, 60, 200]) {
        let part = |j: usize, i: usize| {
            let wanted = if i == j { STRENGTHS[j] } else { 0.0 };
            0.5 * (wanted - product(heads, j, i)).powi(2)
        };
        let listed: f64 = (0..9).map(|pair| part(pair / 3, pair % 3)).sum();
        let all: f64 = (0..120).map(|pair| part(pair / 40, pair % 40)).sum();
        let what = format!("sum over all 3 x 40 parts at t = {time}, beside the loss");
        e.of(what).abs(model.loss(&parameters(&model, heads))?, all, 1e-12);
        e.of("by entries of the tensor").abs(plain.loss(heads), all, 1e-12);
        rest.push(format!("{:.1}%", 100.0 * (all - listed) / all));
    }
    e.note(format!(
        "Positions without a feature have {} of it at t = 22, 60, 200.",
        rest.join(", ")
    ));
    Ok(())
}
