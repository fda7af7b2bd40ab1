//! C.3.1, Part II: where the 4-gram's head stays after `T_1^g`, and how its loss decays.

use saddlescope::claim::{Claim, Evidence, Kind, Measurement};

use super::lyapunov::{bounded, path};
use super::tools::{GRAMS, GramPoint, Setting, by_factors, largest, slope, smallest, when};

pub(super) const REGION: Claim = Claim::new(
    "ngram-to-induction/stable-region",
    "C.3.1, Part II",
    Kind::Dynamics,
    "For all $t > T_1^g$, $g^* < g < 2 g^*$ and $\\dot p > 0$.",
    |_| {
        let mut evidence = Evidence::new();
        for alpha in [0.1, 0.3, 1.0, 3.0, 9.0] {
            let setting = Setting { alpha, ..GRAMS[1] };
            let start = when(setting.gram()?.t_1g()?)?;
            let path = setting.gram_path(&by_factors(1.001 * start, 1e5, 200))?;
            let parts = || path.iter().map(|point| point.g / setting.g_star());
            let name = format!("L = 2000, sigma = 0.01, alpha* = {alpha}");
            evidence = evidence
                .printed(Measurement::at_least(
                    format!("least g/g*, {name}"),
                    1.0,
                    smallest(parts()),
                ))
                .printed(Measurement::at_most(
                    format!("largest g/g*, {name}"),
                    2.0,
                    largest(parts()),
                ))
                .printed(Measurement::at_least(
                    format!("least rate of p, {name}"),
                    0.0,
                    smallest(path.iter().map(|point| point.dp)),
                ));
        }
        Ok(evidence)
    },
);

pub(super) const FINAL: Claim = Claim::new(
    "ngram-to-induction/lyapunov-final",
    "C.3.1, Part II, last estimate",
    Kind::Dynamics,
    "$\\dot G \\le -(g^{*2}/65) G^2$; added: $\\dot G \\to -4 g^{*2} G^2$, 260 times as fast.",
    |_| {
        let mut evidence = bounded(|point| -(point.g_star * point.lyapunov()).powi(2) / 65.0)?;
        for setting in GRAMS {
            let path = path(&setting)?;
            let last = &path[path.len() - 1];
            let found = -last.rate() / (last.g_star * last.lyapunov()).powi(2);
            let what = format!("-dG/dt over g*^2 G^2 at t = 10^4, {}", setting.name());
            evidence = evidence.printed(Measurement::relative(what, 4.0, found, 2e-3));
        }
        Ok(evidence)
    },
);

pub(super) const INTEGRATED: Claim = Claim::new(
    "ngram-to-induction/lyapunov-integrated",
    "C.3.1, before Eq. (9)",
    Kind::Dynamics,
    "$G(t) \\le 1/(G(t_1) + (g^{*2}/64) (t - t_1))$ for $t > t_1 = T_1^g$.",
    |_| {
        let mut evidence = Evidence::new();
        for setting in GRAMS {
            let path = path(&setting)?;
            let (start, at) = (path[0].lyapunov(), path[0].t);
            let most = |offset: f64, part: f64| {
                largest(path.iter().map(|point| {
                    point.lyapunov() * (offset + point.g_star.powi(2) / part * (point.t - at))
                }))
            };
            let name = setting.name();
            evidence = evidence
                .printed(Measurement::at_most(
                    format!("largest G over the bound, {name}"),
                    1.0,
                    most(start, 64.0),
                ))
                .printed(Measurement::at_most(
                    format!("the same with 1/G(t_1) and 65, {name}"),
                    1.0 + 1e-12,
                    most(1.0 / start, 65.0),
                ));
        }
        Ok(evidence.note(
            "Integration gives $1/(1/G(t_1) + (g^{*2}/65)(t - t_1))$; since $G < 1$ the printed \
                          bound is the weaker one, and true.",
        ))
    },
);

pub(super) const EQ_9: Claim = Claim::new(
    "ngram-to-induction/eq-9",
    "Eq. (9)",
    Kind::Dynamics,
    "$e^{-p(t)} = O(1/\\sqrt{t})$ and $g(t) - g^* = O(1/\\sqrt{t})$; added: $g^* \\sqrt{2t} \\, e^{-p} \\to 1$.",
    |_| {
        let mut evidence = Evidence::new();
        for setting in GRAMS {
            let times = by_factors(1e5, 1e7, 5);
            let path = setting.gram_path(&times)?;
            let logs: Vec<f64> = times.iter().map(|time| time.ln()).collect();
            let of = |value: &dyn Fn(&GramPoint) -> f64| {
                let values: Vec<f64> = path.iter().map(|point| value(point).ln()).collect();
                slope(&logs, &values)
            };
            let excess = |point: &GramPoint| point.g - setting.g_star();
            let (last, name) = (&path[4], setting.name());
            let limit = setting.g_star() * (2.0 * last.t).sqrt() * (-last.p).exp();
            evidence = evidence
                .printed(Measurement::absolute(
                    format!("exponent of e^-p, t = 1e5 to 1e7, {name}"),
                    -0.5,
                    of(&|point| (-point.p).exp()),
                    0.005,
                ))
                .printed(Measurement::absolute(
                    format!("exponent of g - g*, t = 1e5 to 1e7, {name}"),
                    -0.5,
                    of(&excess),
                    0.005,
                ))
                .printed(Measurement::absolute(
                    format!("g* sqrt(2 t) e^-p at t = 1e7, {name}"),
                    1.0,
                    limit,
                    2e-3,
                ));
        }
        Ok(evidence)
    },
);

pub(super) const DECAY: Claim = Claim::new(
    "ngram-to-induction/gram-decay",
    "Theorem 4, Phase IV; added: the constant",
    Kind::Dynamics,
    "$L_{G_4}(\\theta(t)) = O(1/t)$; added: $4 t L_{G_4} \\to 1$ whatever $\\alpha^*$ is.",
    |_| {
        let mut evidence = Evidence::new();
        for setting in GRAMS {
            let times = by_factors(100.0, 1e7, 40);
            let path = setting.gram_path(&times)?;
            let gram = setting.gram()?;
            let mut parts = Vec::new();
            for point in &path {
                let loss = gram.landscape().partial(&[point.p, point.g])?.gram;
                parts.push(4.0 * point.t * loss);
            }
            let name = setting.name();
            evidence = evidence
                .printed(Measurement::absolute(
                    format!("4 t L_G4 at t = 1e7, {name}"),
                    1.0,
                    parts[39],
                    2e-3,
                ))
                .printed(Measurement::at_most(
                    format!("largest 4 t L_G4 from t = 100 on, {name}"),
                    1.5,
                    largest(parts),
                ));
        }
        Ok(evidence)
    },
);
