//! Figs. 1 to 3: times, heights and the order of events; a standard transformer on text, in a size that trains in seconds, on
//! the corpus inside the program.

use super::*;
use crate::text_training::{TextTraining, column};
use saddlescope::trajectory::Trajectory;
use saddlescope_ngram_to_induction::loss::softmax::Steps;
use saddlescope_transformer::observables::half_way;
use std::sync::Mutex;

/// The induction head of Figs. 1 and 3, with those tokens and that attention.
fn head(tokens: Tokens, attention: Attention, coupling: Coupling) -> Outcome<Induction> {
    let task = FIG_1.task()?.with_tokens(tokens)?.with_attention(attention)?;
    let shape = Shape::new(task).coupling(coupling);
    let start = vec![FIG_1.sigma; if shape.is_tied() { 2 } else { 3 }];
    Ok(Induction::new(shape, &start)?)
}

/// `w = w*/2`, half of the plateau's loss, `T_III`.
fn three_times(head: &Induction) -> Outcome<[f64; 3]> {
    Ok([
        when(head.time_to_strength(0.5)?)?,
        when(head.time_to_part(0.5)?)?,
        when(head.time_to_part(0.01)?)?,
    ])
}

/// Times beside those of an independent implementation.
fn beside(e: &mut Evidence, what: &str, known: [f64; 3], found: [f64; 3], tolerance: f64) {
    let names = ["w = w*/2", "half of the plateau's loss", "0.01 of it (T_III)"];
    let what = |i: usize| format!("time of {}, {what}", names[i - 1]);
    e.each_rel(what, &known, &found, tolerance);
}

pub(super) fn fig_1_gram(e: &mut Evidence, _: Trial) -> Outcome {
    let gram = FIG_1.gram()?;
    let overshoot = FIG_1.gram_path(&evenly(10.0, 60.0, 500))?;
    let peak = largest(overshoot.iter().map(|point| point.g));
    let late = FIG_1.gram_path(&[200.0])?[0];
    e.of("L_G4(0)").abs(0.124_844, gram.first_loss()?, 1e-6);
    e.of("T_1^g").abs(9.87, FIG_1.t_1g()?, 0.01);
    e.of("largest g").abs(0.698, peak, 1e-3);
    e.of("p at t = 200").abs(2.29, late.p, 0.01);
    e.of("time of half the loss").at_most(20.0, when(gram.time_to_part(0.5)?)?);
    Ok(())
}

pub(super) fn fig_1_head(e: &mut Evidence, _: Trial) -> Outcome {
    let head = head(Tokens::Gaussian, Attention::Exponential, Coupling::Untied)?;
    e.of("L_IH(0)").abs(0.003_616, head.first_loss()?, 1e-6);
    e.of("L_IH on the plateau").rel(2.594e-4, head.plateau.loss, 1e-3);
    e.of("growth rate of w there").rel(0.001_779, head.plateau.rate, 1e-3);
    let found = three_times(&head)?;
    beside(e, "untied", [1885.0, 1992.0, 2575.0], found, 1e-3);
    let field = |_: f64, y: &[f64]| {
        let [dw, dh] = FIG_1.head_rate(y[0], y[1]);
        vec![0.5 * dw, dh]
    };
    let state = stepped(field, &[FIG_1.sigma; 2], found[0], 4000);
    let what = "w/w* at the first of these times by a second solver";
    e.of(what).abs(0.5, state[0] / FIG_1.w_star, 1e-6);
    Ok(())
}

pub(super) fn fig_1_tied(e: &mut Evidence, _: Trial) -> Outcome {
    let head = head(Tokens::Gaussian, Attention::Exponential, Coupling::Tied)?;
    e.of("growth rate of w on the plateau").rel(0.003_558, head.plateau.rate, 1e-3);
    beside(e, "tied", [961.0, 1015.0, 1310.0], three_times(&head)?, 1e-3);
    Ok(())
}

pub(super) fn fig_1_softmax(e: &mut Evidence, _: Trial) -> Outcome {
    let head = head(Tokens::Gaussian, Attention::Softmax, Coupling::Untied)?;
    let rest = &head.plateau;
    e.of("L_IH(0)").rel(0.003_36, head.first_loss()?, 2e-3);
    e.of("L_IH on the plateau").rel(1.966e-4, rest.loss, 1e-3);
    e.of("h on the plateau").abs(0.5, rest.h, 1e-3);
    e.of("growth rate of w there").rel(0.001_523, rest.rate, 1e-3);
    beside(e, "untied", [2213.0, 2302.0, 3183.0], three_times(&head)?, 2e-3);
    Ok(())
}

pub(super) fn fig_1_phases(e: &mut Evidence, _: Trial) -> Outcome {
    let gram = FIG_1.gram()?;
    let head = head(Tokens::Gaussian, Attention::Exponential, Coupling::Untied)?;
    let parts =
        try_map(head.landscape.states(&head.start, &[200.0, 800.0, 4000.0])?, |snapshot| {
            Ok(head.landscape.partial(&snapshot.state)?.induction / head.plateau.loss)
        })?;
    let (first, second) = (when(gram.time_to_part(0.1)?)?, when(head.time_to_part(0.5)?)?);
    e.of("time of 0.1 L_G4(0) over that of half of the plateau of L_IH")
        .at_most(0.05, first / second);
    e.of("L_IH at t = 200 over the plateau's").rel(1.0, parts[0], 0.03);
    e.of("L_IH at t = 800 over the plateau's").rel(1.0, parts[1], 0.03);
    e.of("L_IH at t = 4000 over the plateau's").at_most(0.01, parts[2]);
    Ok(())
}

pub(super) fn fig_1_end(e: &mut Evidence, _: Trial) -> Outcome {
    let shape = Shape::new(FIG_1.task()?);
    let state = Population::new(shape)?.state_at(&shape.equal_start(FIG_1.sigma)?, 1e4)?;
    e.of("p at t = 10^4").at_least(4.0, state[0]);
    e.of("g at t = 10^4").abs(0.5, state[1], 0.01);
    e.of("w_Q, w_K and h at t = 10^4").each(&[0.49, 0.49, 0.5], &state[2..5], 1e-4);
    Ok(())
}

pub(super) fn descent_clock(e: &mut Evidence, _: Trial) -> Outcome {
    let (mut gram, mut state) = ([FIG_1.sigma; 2], [FIG_1.sigma; 2]);
    let (mut overshoot, mut half) = (f64::NAN, f64::NAN);
    for iteration in 1..=40_000 {
        let (rates, [dw, dh]) =
            (FIG_1.gram_rate(gram[0], gram[1]), FIG_1.head_rate(state[0], state[1]));
        gram = [gram[0] + 0.1 * rates[0], gram[1] + 0.1 * rates[1]];
        // w_Q and w_K of their own: half of the printed rate.
        state = [state[0] + 0.05 * dw, state[1] + 0.1 * dh];
        if overshoot.is_nan() && gram[1] > FIG_1.g_star() {
            overshoot = 0.1 * f64::from(iteration);
        }
        if half.is_nan() && state[0] > 0.5 * FIG_1.w_star {
            half = 0.1 * f64::from(iteration);
            break;
        }
    }
    let head = head(Tokens::Gaussian, Attention::Exponential, Coupling::Untied)?;
    e.of("T_1^g by descent").rel(FIG_1.t_1g()?, overshoot, 0.02);
    e.of("time of w = w*/2 by descent").rel(three_times(&head)?[0], half, 1e-3);
    Ok(())
}

pub(super) fn sampled_loss(e: &mut Evidence, trial: Trial) -> Outcome {
    let literal = Literal::new(1.0, 0.49, Weights::Softmax);
    let (w, h) = (0.2, 0.3);
    let theta = [f64::INFINITY, 0.5, 0.4, w, w, h];
    let mut means = [Mean::default(); 2];
    for index in 0..6000 {
        let x = random(FIG_1.length, 1.0, &mut stream(trial, index));
        for (mean, error) in means.iter_mut().zip(literal.errors(&x, &theta)) {
            mean.add(error);
        }
    }
    let task = &FIG_1.task()?.with_attention(Attention::Softmax)?;
    let quadrature = Quadrature::new(task, Steps::standard(task));
    let (own, target) = (quadrature.square(w * w), quadrature.square(FIG_1.v_star()));
    let cross = quadrature.product(w * w, FIG_1.v_star());
    let exact = [FIG_1.eq_7(0.5, 0.4), 0.5 * (0.25 * target + h * h * own - h * cross)];
    for (i, name) in
        ["L_G4 beside (7)", "L_IH beside the quadrature of the softmax"].into_iter().enumerate()
    {
        let what = format!("{name}: mean of 6000 sequences, p = 0.5, g = 0.4, w = 0.2, h = 0.3");
        let off = (means[i].mean() - exact[i]) / means[i].error();
        e.of(&what).rel(exact[i], means[i].mean(), 0.2).noisy(means[i].error());
        e.of(format!("{name}, in standard errors")).at_most(5.0, off.abs());
    }
    Ok(())
}

pub(super) fn fig_3(e: &mut Evidence, _: Trial) -> Outcome {
    for (attention, known) in
        [(Attention::Exponential, [1055.0, 1583.0]), (Attention::Softmax, [1144.0, 1710.0])]
    {
        let head = head(Tokens::Boolean, attention, Coupling::Tied)?;
        let [half, _, last] = three_times(&head)?;
        let what = format!("time of w = w*/2 and T_III, tied, {attention:?}");
        e.of(what).each(&known, &[half, last], 2.0);
        if attention == Attention::Exponential {
            e.of("L_IH on the plateau").rel(1.933e-4, head.plateau.loss, 1e-3);
        }
    }
    Ok(())
}

pub(super) fn fig_3_similar(e: &mut Evidence, _: Trial) -> Outcome {
    let times = |tokens| three_times(&head(tokens, Attention::Exponential, Coupling::Untied)?);
    let (gaussian, boolean) = (times(Tokens::Gaussian)?, times(Tokens::Boolean)?);
    for (i, name) in ["w = w*/2", "half of the plateau's loss", "T_III"].into_iter().enumerate() {
        let what = format!("time of {name}, boolean beside Gaussian, untied");
        e.of(what).rel(gaussian[i], boolean[i], 0.05).loosely(0.26);
    }
    Ok(())
}

/// Steps from one look to the next.
const STRIDE: u64 = 10;

/// Two blocks of two heads with slopes of distance, started at 0.01 as in the paper: 002, appendix B.
fn training() -> TextTraining {
    TextTraining {
        system: "{ vocabulary = 300, length = 32, batch = 8, blocks = 2, heads = 2, width = 32, \
                 feedforward = 64, encoding = 'alibi' }"
            .to_owned(),
        start: "{ kind = 'normal', scale = 0.01, slope = 0.01 }".to_owned(),
        rate: 0.3,
        clip: None,
        steps: 1200,
    }
}

/// The run of a seed; it is made once for all claims about it.
fn trained(trial: Trial) -> Outcome<Trajectory> {
    static RUNS: Mutex<Vec<(u64, Trajectory)>> = Mutex::new(Vec::new());
    let mut runs = RUNS.lock().map_err(|_| ClaimError::new("a run has failed"))?;
    let seed = start_seed(trial, 0);
    if let Some((_, run)) = runs.iter().find(|(of, _)| *of == seed) {
        return Ok(run.clone());
    }
    let run = training().train(&["norm.p", "growth.KQ"], STRIDE, seed)?;
    runs.push((seed, run.clone()));
    Ok(run)
}

fn never() -> ClaimError {
    ClaimError::new("a norm has not moved")
}

pub(super) fn fig_2(e: &mut Evidence, trial: Trial) -> Outcome {
    let run = trained(trial)?;
    let slopes = half_way(&run, "norm.p").ok_or_else(never)?;
    let matrices = half_way(&run, "growth.KQ").ok_or_else(never)?;
    let p = column(&run, "norm.p");
    let ratio = p[p.len() - 1] / p[0];
    e.of("step at which ||p|| is half way to its end, over that of ||(W_K, W_Q)||^2")
        .at_most(1.0 / 3.0, slopes / matrices);
    e.of("||p|| at the end, over that at the start").at_least(5.0, ratio);
    Ok(())
}

pub(super) fn fig_2_take_off(e: &mut Evidence, trial: Trial) -> Outcome {
    let run = trained(trial)?;
    let growth = column(&run, "growth.KQ");
    let end = growth[growth.len() - 1];
    let slopes = half_way(&run, "norm.p").ok_or_else(never)?;
    let then = growth[(slopes / STRIDE as f64) as usize];
    // From 1 % to 25 % of what is gained in the end: the factor of each 100 steps.
    let rows = 100 / STRIDE as usize;
    let ready = |share: f64| growth.iter().position(|gain| *gain >= share * end);
    let (from, to) = (ready(0.01).ok_or_else(never)?, ready(0.25).ok_or_else(never)?);
    let factor = (growth[to] / growth[from]).powf(rows as f64 / (to - from).max(1) as f64);
    e.of("part of the growth of ||(W_K, W_Q)||^2 by the time ||p|| is half way")
        .at_most(0.02, then / end);
    e.of("factor of that growth in 100 steps, from 1 % to 25 % of it").at_least(1.7, factor);
    Ok(())
}
