//! Theorem 4 and C.4: Phase I, and Phase IV of the induction head.

use saddlescope::GradientFlow;
use saddlescope::claim::{Claim, ClaimError, Evidence, Kind, Measurement};

use super::super::Coupling;
use super::super::theory::final_rates;
use super::super::{Parts, Shape};
use super::tools::{FIG_1, HEADS, Setting, evenly, largest, psi, states, stepped, when};

/// `T_I`, and the parameters of the induction head there: `w_Q, w_K, h`.
fn first_phase(setting: &Setting) -> Result<(f64, Vec<f64>), ClaimError> {
    let time = when(setting.gram()?.time_to_part(0.01)?)?;
    let head = setting.head(Coupling::Untied)?;
    let state = states(&GradientFlow::new(head.landscape()), head.start(), &[time])?;
    Ok((time, state[0].state.to_vec()))
}

/// `L_IH(T_I)/L_IH(0)`.
fn left_over(setting: &Setting) -> Result<f64, ClaimError> {
    let (_, state) = first_phase(setting)?;
    let head = setting.head(Coupling::Untied)?;
    Ok(head.landscape().partial(&state)?.induction / head.first_loss()?)
}

pub(super) const PHASE_1: Claim = Claim::new(
    "ngram-to-induction/phase-1",
    "Theorem 4, Phase I",
    Kind::Dynamics,
    "At some $T_I$, $L_{G_4}(T_I) \\le 0.01 L_{G_4}(0)$ while still $L_{IH_2}(T_I) \\ge 0.99 L_{IH_2}(0)$, for \
     long sequences.",
    |_| {
        let part = |length: usize| left_over(&Setting { length, ..FIG_1 });
        // Lengths between which the statement begins to hold.
        let (mut low, mut high) = (1_000, 200_000);
        while high - low > 200 {
            let middle = (low + high) / 2;
            if part(middle)? < 0.99 { low = middle } else { high = middle }
        }
        let head = FIG_1.head(Coupling::Untied)?;
        let early = FIG_1.gram_path(&[when(head.time_to_loss(0.99 * head.first_loss()?)?)?])?[0];
        let what = "L_IH(T_I)/L_IH(0), alpha* = 1, w* = 0.49, sigma = 0.01,";
        Ok(Evidence::new()
            .printed(Measurement::at_least(format!("{what} L = 40 as in Fig. 1"), 0.99, part(40)?))
            .printed(Measurement::at_least(format!("{what} L = 1000"), 0.99, part(1000)?))
            .corrected(Measurement::absolute(format!("{what} L = 40"), 0.0716, part(40)?, 2e-3))
            .corrected(Measurement::at_least(format!("{what} L = 40000"), 0.99, part(40_000)?))
            .corrected(Measurement::absolute(
                "L_G4 over L_G4(0) when L_IH has come to 0.99 L_IH(0), Fig. 1's setting",
                0.9996,
                FIG_1.eq_7(early.p, early.g) / FIG_1.gram()?.first_loss()?,
                1e-4,
            ))
            .corrected(Measurement::relative("length at which it begins to hold", 38_000.0, high as f64, 0.05))
            .note(format!(
                "$T_I = {:.1}$ in Fig. 1's setting, since $L_{{G_4}} \\approx 1/(4t)$; it begins to hold at $L \
                 = {high}$. There $h$ has grown by about $T_I/((1 + \
                 \\alpha^*) L)$.",
                first_phase(&FIG_1)?.0
            )))
    },
)
.corrected("in Fig. 1's setting $L_{IH_2}$ is down to 7 % by then; with $\\alpha^* = 1$, $w^* = 0.49$, \
            $\\sigma_{init} = 0.01$ it takes $L \\approx 4 \\cdot 10^4$");

pub(super) const T_1: Claim = Claim::new(
    "ngram-to-induction/t-1",
    "Theorem 4, Phase I",
    Kind::Dynamics,
    "$T_I = O(1)$: it depends on $\\alpha^*$ alone.",
    |_| {
        let time = |alpha: f64, sigma: f64| {
            let setting = Setting::new((20.0 / sigma) as usize, alpha, 0.49, sigma);
            when(setting.gram()?.time_to_part(0.01)?)
        };
        let mut evidence = Evidence::new();
        for alpha in [1.0, 3.0] {
            let (wide, narrow) = (time(alpha, 1e-2)?, time(alpha, 1e-6)?);
            let g_star = alpha / (1.0 + alpha);
            evidence = evidence
                .printed(Measurement::absolute(
                    format!("T_I at sigma = 1e-6 beside sigma = 0.01, L = 20/sigma, alpha* = {alpha}"),
                    wide,
                    narrow,
                    1.0,
                ))
                .corrected(Measurement::relative(
                    format!("its growth over ln(10^4)/g*, alpha* = {alpha}"),
                    1.0,
                    (narrow - wide) * g_star / 1e4_f64.ln(),
                    0.05,
                ))
                .corrected(Measurement::relative(
                    format!("T_I at sigma = 0.01 over 50/g*^2, alpha* = {alpha}"),
                    1.0,
                    wide * g_star * g_star / 50.0,
                    0.1,
                ));
        }
        Ok(evidence)
    },
)
.corrected("$T_I$ is about $50/g^{*2}$, and grows by $\\ln(1/\\sigma_{init})/g^*$ as $\\sigma_{init} \\to 0$");

pub(super) const PARAMETERS: Claim = Claim::new(
    "ngram-to-induction/phase-1-parameters",
    "C.4, Phase I",
    Kind::Dynamics,
    "$w(T_I) < 2 \\sigma_{init}$ and $h(T_I) < 2 \\sigma_{init}$.",
    |_| {
        let at = |length: usize| Ok::<_, ClaimError>(first_phase(&Setting { length, ..FIG_1 })?.1);
        let (short, long) = (at(40)?, at(40_000)?);
        let both = |state: &[f64]| largest([state[0], state[2]]) / FIG_1.sigma;
        // h(T_I) = 2 sigma when T_I h* psi = sigma L.
        let time = first_phase(&FIG_1)?.0;
        let needed = time * FIG_1.h_star() * psi(FIG_1.v_star()) / FIG_1.sigma;
        let what = "larger of w and h at T_I over sigma, Fig. 1's setting,";
        Ok(Evidence::new()
            .printed(Measurement::at_most(format!("{what} L = 40"), 2.0, both(&short)))
            .corrected(Measurement::at_most(format!("{what} L = 40000"), 2.0, both(&long)))
            .corrected(Measurement::relative(
                format!("{what} L = {needed:.0}, where T_I h* psi(w*^2) = sigma L"),
                2.0,
                both(&at(needed as usize)?),
                0.05,
            )))
    },
)
.corrected("$h(T_I) < 2 \\sigma_{init}$ takes $L > T_I h^* \\psi(w^{*2})/\\sigma_{init}$, about $10^4$ in Fig. \
            1's setting, where $h(T_I) = 51 \\sigma_{init}$ at $L = 40$");

pub(super) const LINEAR: Claim = Claim::new(
    "ngram-to-induction/h-linear",
    "C.4, Phase I",
    Kind::Dynamics,
    "$h(t) < \\sigma_{init} + O(t/((1 + \\alpha^*) L))$ while $t < O(L)$, and $w$ grows by less.",
    |_| {
        let mut evidence = Evidence::new();
        for setting in HEADS {
            let path = setting.head_path(&evenly(0.01 * setting.n(), setting.n(), 50))?;
            let part =
                |value: f64, t: f64| (value - setting.sigma) * setting.n() / (setting.h_star() * t);
            let name = setting.name();
            evidence = evidence
                .printed(Measurement::at_most(
                    format!("largest (h - sigma)(1 + alpha*)(L - 2)/t for t <= L - 2, {name}"),
                    psi(setting.v_star()),
                    largest(path.iter().map(|point| part(point.h, point.t))),
                ))
                .printed(Measurement::at_most(
                    format!("the same of w, {name}"),
                    0.05,
                    largest(path.iter().map(|point| part(point.w, point.t))),
                ));
        }
        Ok(evidence)
    },
);

pub(super) const PHASE_4: Claim = Claim::new(
    "ngram-to-induction/phase-4",
    "Theorem 4, Phase IV",
    Kind::Dynamics,
    "For $t > T_{III}$, $L_{IH_2} = O(\\exp(-\\Omega(w^{*2} t/((1 + \\alpha^*)^2 L))))$; added: the rate is \
     twice the smaller eigenvalue at the optimum.",
    |_| {
        let mut evidence = Evidence::new();
        for setting in &HEADS[..5] {
            for (coupling, speed) in [(Coupling::Tied, 1.0), (Coupling::Untied, 0.5)] {
                let head = setting.head(coupling)?;
                let shape = Shape::new(setting.task()?).coupling(coupling).parts(Parts::Induction);
                let rate = final_rates(&shape)?[0];
                let start = [0.97 * setting.w_star, 1.002 * setting.h_star()];
                let field = |_: f64, y: &[f64]| {
                    let [dw, dh] = setting.head_rate(y[0], y[1]);
                    vec![speed * dw, dh]
                };
                let middle = stepped(field, &start, 3.0 / rate, 3000);
                let end = stepped(field, &middle, 1.0 / rate, 1000);
                let loss = |y: &[f64]| {
                    let theta = if speed < 1.0 { vec![y[0], y[0], y[1]] } else { y.to_vec() };
                    Ok::<_, ClaimError>(head.landscape().partial(&theta)?.induction)
                };
                let found = (loss(&middle)? / loss(&end)?).ln() * rate;
                let name = format!("{coupling:?}, {}", setting.name());
                evidence = evidence
                    .printed(Measurement::relative(
                        format!("rate by a second solver, {name}"),
                        2.0 * rate,
                        found,
                        0.02,
                    ))
                    .printed(Measurement::at_least(
                        format!("that rate over w*^2/((1 + alpha*)^2 (L - 2)), {name}"),
                        1.0,
                        found * setting.unit(),
                    ));
            }
        }
        Ok(evidence)
    },
);
