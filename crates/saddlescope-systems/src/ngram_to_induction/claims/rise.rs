//! C.3.2, Part II, first stage: how long `h` takes to `h*` and how far it goes, Eqs. (12) to (14).

use saddlescope::claim::{Claim, ClaimError, Evidence, Kind, Measurement};

use super::tools::{FIG_1, HEADS, HeadPoint, Setting, evenly, largest, psi, root, smallest};
use super::trend::w_circle;

/// Settings in which `w` is still below `0.01 w*` at `T_1^h`, as the proof takes it.
pub(super) const SLOW: [Setting; 3] = [
    Setting::new(40, 1.0, 0.49, 0.001),
    Setting::new(40, 1.0, 0.55, 0.001),
    Setting::new(40, 9.0, 0.3, 1e-4),
];

/// The flow until `T_1^h`.
fn rise(setting: &Setting) -> Result<Vec<HeadPoint>, ClaimError> {
    setting.head_path(&evenly(0.0, setting.t_1h()?, 200))
}

pub(super) const EQ_12: Claim = Claim::new(
    "ngram-to-induction/eq-12",
    "Eq. (12)",
    Kind::Dynamics,
    "Until $T_1^h$, $h \\ge A - (A - h(0)) \\exp(-t/((L - 2)(1 - 0.01 w^{*4})^{1/2}))$ with $A = h^* \
     \\psi(w^{*2})/(1 - 0.01^4 w^{*4})^{-1/2}$.",
    |_| {
        let mut evidence = Evidence::new();
        for setting in SLOW {
            let fourth = setting.v_star().powi(2);
            let a = setting.h_star() * psi(setting.v_star()) * (1.0 - 1e-8 * fourth).sqrt();
            let path = rise(&setting)?;
            let least = |small: f64| {
                let pace = setting.n() * (1.0 - small * fourth).sqrt();
                smallest(path.iter().map(|point| {
                    point.h - (a - (a - setting.sigma) * (-point.t / pace).exp())
                }))
            };
            let what = format!("least h minus the bound until T_1^h, {}", setting.name());
            evidence = evidence
                .printed(Measurement::at_least(&*what, -1e-9, least(0.01)))
                .corrected(Measurement::at_least(&*what, -1e-9, least(1e-8)));
        }
        Ok(evidence)
    },
)
.corrected("$(1 - 0.01^4 w^{*4})^{1/2}$ in the exponent as well");

pub(super) const EQ_13: Claim = Claim::new(
    "ngram-to-induction/eq-13",
    "Eq. (13), first bound",
    Kind::Dynamics,
    "$T_1^h \\le (1 - 0.01 w^{*4})^{1/2} (L - 2) \\ln(1/(1 - (1 - w^{*4})^{1/2}/(1 - 0.01^4 w^{*4})^{1/2}))$.",
    |_| {
        let mut evidence = Evidence::new();
        let small = [0.3, 0.49].map(|w_star| Setting { w_star, sigma: 1e-6, ..FIG_1 });
        for setting in HEADS.iter().chain(&SLOW).chain(&small) {
            let fourth = setting.v_star().powi(2);
            let part = ((1.0 - fourth) / (1.0 - 1e-8 * fourth)).sqrt();
            let bound = |small: f64| (1.0 - small * fourth).sqrt() * setting.n() * -(1.0 - part).ln();
            let (what, found) = (format!("T_1^h, {}", setting.name()), setting.t_1h()?);
            evidence = evidence
                .printed(Measurement::at_most(&*what, bound(0.01), found))
                .corrected(Measurement::at_most(&*what, bound(1e-8), found));
        }
        Ok(evidence.note("The printed bound holds from $\\sigma_{init} = 0.001$ on, as $h$ then starts nearer \
                          to $h^*$."))
    },
)
.corrected("$(1 - 0.01^4 w^{*4})^{1/2}$ before $L - 2$, as in (12): the printed bound fails for $\\sigma_{init} \
            \\to 0$");

/// `(L - 2) ln((psi - sigma/h*)/(psi - 1))`.
fn first_time(setting: &Setting) -> f64 {
    let top = psi(setting.v_star());
    setting.n() * ((top - setting.sigma / setting.h_star()) / (top - 1.0)).ln()
}

pub(super) const EQ_13_SECOND: Claim = Claim::new(
    "ngram-to-induction/eq-13-second",
    "Eq. (13), second bound",
    Kind::Dynamics,
    "$T_1^h \\le 2 (L - 2)(1 - \\frac{1}{2} w^{*4})$.",
    |_| {
        let mut evidence = Evidence::new();
        for setting in HEADS {
            let (bound, found) =
                (2.0 * setting.n() * (1.0 - 0.5 * setting.w_star.powi(4)), setting.t_1h()?);
            let what = format!("T_1^h, {}", setting.name());
            evidence = evidence
                .printed(Measurement::at_most(&*what, bound, found))
                .corrected(Measurement::relative(&*what, first_time(&setting), found, 2e-3));
        }
        Ok(evidence.note(
            "It is about $(L - 2) \\ln(2/w^{*4})$, which grows without bound as $w^* \\to 0$.",
        ))
    },
)
.corrected(
    "$T_1^h \\approx (L - 2) \\ln((\\psi(w^{*2}) - \\sigma_{init}/h^*)/(\\psi(w^{*2}) - 1))$",
);

pub(super) const T_1H: Claim = Claim::new(
    "ngram-to-induction/t-1h",
    "C.3.2, after Eq. (13)",
    Kind::Dynamics,
    "$T_1^h = \\Theta(L)$.",
    |_| {
        let part = |length: usize| {
            let setting = Setting { length, ..FIG_1 };
            Ok::<_, ClaimError>(setting.t_1h()? / setting.n())
        };
        let short = part(40)?;
        let mut evidence = Evidence::new();
        for length in [10, 400, 10_000] {
            let what =
                format!("T_1^h/(L - 2) at L = {length} beside L = 40, Fig. 1's setting otherwise");
            evidence = evidence.printed(Measurement::relative(what, short, part(length)?, 1e-6));
        }
        Ok(evidence)
    },
);

pub(super) const FIRST_STAGE: Claim = Claim::new(
    "ngram-to-induction/w-first-stage",
    "C.3.2, after Eq. (13)",
    Kind::Dynamics,
    "For $t \\le T_1^h$, $\\dot w \\le (1 - 4 w^{*4})^{-3/2} w^{*2} \\cdot 4 w/(L - 2)$.",
    |_| {
        let mut evidence = Evidence::new();
        for setting in HEADS {
            let bound = 4.0 * setting.v_star() / setting.n()
                * (1.0 - 4.0 * setting.v_star().powi(2)).powf(-1.5);
            let most = largest(rise(&setting)?.iter().map(|point| point.dw / point.w / bound));
            let what = format!("largest rate over the bound, {}", setting.name());
            evidence = evidence.printed(Measurement::at_most(what, 1.0, most));
        }
        Ok(evidence)
    },
);

pub(super) const OBSERVED: Claim = Claim::new(
    "ngram-to-induction/observation-time",
    "C.3.2 and C.4: $T_o = T_1^h$",
    Kind::Dynamics,
    "$h$ reaches $h^*$ before $w$ reaches $0.01 w^*$: at $T_o$, $h = h^*$ and $w < 0.01 w^*$, for small \
     $\\sigma_{init}$.",
    |_| {
        let mut evidence = Evidence::new();
        for setting in SLOW {
            let path = rise(&setting)?;
            let found = path[path.len() - 1].w / setting.w_star;
            let what = format!("w/w* at T_1^h, {}", setting.name());
            evidence = evidence.printed(Measurement::at_most(what, 0.01, found));
        }
        let last = rise(&FIG_1)?[199].w / FIG_1.w_star;
        Ok(evidence.note(format!(
            "In Fig. 1's setting $w/w^*$ is {last:.3} there, and 0.02 at the start: $\\sigma_{{init}}$ is not \
             that small."
        )))
    },
);

/// 002: `r(w)`, the value of `h/h*` at which `h` rests.
fn at_rest(w: f64, w_star: f64) -> f64 {
    psi(w * w + w_star * w_star) / psi(2.0 * w * w)
}

/// 002: `R(w*) = r(w_circle)`.
pub(super) fn big_r(w_star: f64) -> f64 {
    at_rest(w_circle(w_star), w_star)
}

pub(super) const R_BOUND: Claim = Claim::new(
    "ngram-to-induction/r-bound",
    "C.3.2, before Eq. (14)",
    Kind::Dynamics,
    "$h(T_2^h)/h^* = r(w(T_2^h)) \\le r(w^\\circ) = R(w^*)$, since $r$ decreases for $w > w^\\circ$.",
    |_| {
        let mut evidence = Evidence::new();
        for setting in &HEADS[..5] {
            let (_, w, h) = setting.t_2h()?;
            let (star, found) = (setting.w_star, h / setting.h_star());
            let fall = evenly(w_circle(star), star, 100);
            let steps = fall.windows(2).map(|pair| at_rest(pair[1], star) - at_rest(pair[0], star));
            let name = setting.name();
            evidence = evidence
                .printed(Measurement::relative(
                    format!("h/h* at T_2^h, {name}"),
                    at_rest(w, star),
                    found,
                    1e-7,
                ))
                .printed(Measurement::at_most(
                    format!("the same beside R(w*), {name}"),
                    big_r(star),
                    found,
                ))
                .printed(Measurement::at_most(
                    format!("largest step of r from w_circle to w* = {star}"),
                    0.0,
                    largest(steps),
                ));
        }
        Ok(evidence)
    },
);

pub(super) const R_ZERO: Claim = Claim::new(
    "ngram-to-induction/r-at-zero",
    "C.3.2, before Eq. (14)",
    Kind::Equation,
    "$R(0) = 1$ and $R'(0) = 0$; added: $R - 1 \\approx \\frac{2}{3} w^{*4}$.",
    |_| {
        let small = 0.03;
        let what = "(R(w*) - 1)/w*^4 at w* = 0.03";
        Ok(Evidence::new()
            .printed(Measurement::absolute("R(0.03)", 1.0, big_r(small), 1e-5))
            .printed(Measurement::relative(
                what,
                2.0 / 3.0,
                (big_r(small) - 1.0) / small.powi(4),
                1e-3,
            )))
    },
);

pub(super) const R_SLOPE: Claim = Claim::new(
    "ngram-to-induction/r-slope",
    "C.3.2, before Eq. (14)",
    Kind::Equation,
    "If $w^* = O(1)$, $R(w^*) < 1 + 0.04 w^*$.",
    |_| {
        let miss = |w: f64| big_r(w) - 1.0 - 0.04 * w;
        let limit = root(miss, 0.2, 0.6);
        let below = largest(evenly(0.01, 0.387, 100).into_iter().map(miss));
        Ok(Evidence::new()
            .printed(Measurement::at_most(
                "R at Fig. 1's w* = 0.49",
                1.0 + 0.04 * 0.49,
                big_r(0.49),
            ))
            .corrected(Measurement::absolute("where R = 1 + 0.04 w*", 0.3871, limit, 1e-4))
            .corrected(Measurement::at_most("largest R - 1 - 0.04 w* up to w* = 0.387", 0.0, below))
            .corrected(Measurement::absolute(
                "the constant c with |R'| < 0.04 on (0, c), of which the paper says that it exists",
                0.2457,
                root(|w| (big_r(w + 1e-4) - big_r(w - 1e-4)) / 2e-4 - 0.04, 0.1, 0.6),
                1e-4,
            )))
    },
)
.corrected("for $w^* < 0.387$; Fig. 1 has $w^* = 0.49$, where $R = 1.042$");

pub(super) const EQ_14: Claim = Claim::new(
    "ngram-to-induction/eq-14",
    "Eq. (14)",
    Kind::Dynamics,
    "$h^* \\le h(t) \\le (1 + 0.04375 w^*) h^*$ for all $t \\ge T_1^h$; so $|h - h(T_o)| < 0.02 h(T_o)$.",
    |_| {
        let mut evidence = Evidence::new();
        for setting in &HEADS[..5] {
            let star = setting.w_star;
            let found = setting.t_2h()?.2 / setting.h_star();
            let what = format!("largest h/h*, {}", setting.name());
            evidence = evidence.printed(Measurement::at_most(&*what, 1.0 + 0.04375 * star, found));
            let right = if star < 0.398 { 1.0 + 0.04375 * star } else { big_r(star) };
            evidence = evidence.corrected(Measurement::at_most(what, right, found));
        }
        let limits = [root(|w| big_r(w) - 1.0 - 0.04375 * w, 0.2, 0.6), root(|w| big_r(w) - 1.02, 0.2, 0.6)];
        Ok(evidence.corrected(Measurement::each(
            "where R = 1 + 0.04375 w*, and where R = 1.02",
            &[0.3983, 0.4117],
            &limits,
            1e-4,
        )))
    },
)
.corrected("$h \\le R(w^*) h^*$; the printed bound for $w^* < 0.398$ and $1.02 h^*$ for $w^* < 0.412$ only (at \
            0.49 $h$ rests at $1.030 h^*$ and peaks at $1.042 h^*$)");
