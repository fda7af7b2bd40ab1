//! C.3.1, Part II: where the 4-gram's head stays after `T_1^g`, and how its loss decays.

use super::lyapunov::{bounded, path};
use super::*;

pub(super) fn stable_region(e: &mut Evidence, _: Trial) -> Outcome {
    for alpha in [0.1, 0.3, 1.0, 3.0, 9.0] {
        let setting = Setting { alpha, ..GRAMS[1] };
        let start = setting.t_1g()?;
        let path = setting.gram_path(&by_factors(1.001 * start, 1e5, 200))?;
        let parts = || path.iter().map(|point| point.g / setting.g_star());
        let name = format!("L = 2000, sigma = 0.01, alpha* = {alpha}");
        e.of(format!("least g/g*, {name}")).at_least(1.0, smallest(parts()));
        e.of(format!("largest g/g*, {name}")).at_most(2.0, largest(parts()));
        e.of(format!("least rate of p, {name}"))
            .at_least(0.0, smallest(path.iter().map(|point| point.dp)));
    }
    Ok(())
}

pub(super) fn lyapunov_final(e: &mut Evidence, _: Trial) -> Outcome {
    bounded(e, |point| -(point.g_star * point.lyapunov()).powi(2) / 65.0)?;
    for setting in GRAMS {
        let path = path(&setting)?;
        let last = &path[path.len() - 1];
        let found = -last.rate() / (last.g_star * last.lyapunov()).powi(2);
        e.of(format!("-dG/dt over g*^2 G^2 at t = 10^4, {}", setting.name())).rel(4.0, found, 2e-3);
    }
    Ok(())
}

pub(super) fn lyapunov_integrated(e: &mut Evidence, _: Trial) -> Outcome {
    for setting in GRAMS {
        let path = path(&setting)?;
        let (start, at) = (path[0].lyapunov(), path[0].t);
        let most = |offset: f64, part: f64| {
            largest(path.iter().map(|point| {
                point.lyapunov() * (offset + point.g_star.powi(2) / part * (point.t - at))
            }))
        };
        let name = setting.name();
        e.of(format!("largest G over the bound, {name}")).at_most(1.0, most(start, 64.0));
        e.of(format!("the same with 1/G(t_1) and 65, {name}"))
            .at_most(1.0 + 1e-12, most(1.0 / start, 65.0));
    }
    Ok(())
}

pub(super) fn eq_9(e: &mut Evidence, _: Trial) -> Outcome {
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
        let what = format!("exponent of e^-p, t = 1e5 to 1e7, {name}");
        e.of(what).abs(-0.5, of(&|point| (-point.p).exp()), 0.005);
        e.of(format!("exponent of g - g*, t = 1e5 to 1e7, {name}")).abs(-0.5, of(&excess), 0.005);
        e.of(format!("g* sqrt(2 t) e^-p at t = 1e7, {name}")).abs(1.0, limit, 2e-3);
    }
    Ok(())
}

pub(super) fn gram_decay(e: &mut Evidence, _: Trial) -> Outcome {
    for setting in GRAMS {
        let times = by_factors(100.0, 1e7, 40);
        let path = setting.gram_path(&times)?;
        let gram = setting.gram()?;
        let mut parts = Vec::new();
        for point in &path {
            let loss = gram.landscape.partial(&[point.p, point.g])?.gram;
            parts.push(4.0 * point.t * loss);
        }
        let name = setting.name();
        e.of(format!("4 t L_G4 at t = 1e7, {name}")).abs(1.0, parts[39], 2e-3);
        e.of(format!("largest 4 t L_G4 from t = 100 on, {name}")).at_most(1.5, largest(parts));
    }
    Ok(())
}
