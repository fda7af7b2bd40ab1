//! C.3.1, Part II: where the 4-gram's head stays after `T_1^g`, and how its loss decays.

use super::lyapunov::{bounded, path};
use super::*;

pub(super) fn stable_region(e: &mut Evidence, _: Trial) -> Outcome {
    for alpha in [0.1, 0.3, 1.0, 3.0, 9.0] {
        let setting = Setting { alpha, ..GRAMS[1] };
        let path = setting.gram_path(&by_factors(1.001 * setting.t_1g()?, 1e5, 200))?;
        let parts = || path.iter().map(|point| point.g / setting.g_star());
        let mut e = e.case(format!("L = 2000, sigma = 0.01, alpha* = {alpha}"));
        e.of("least g/g*").at_least(1.0, smallest(parts()));
        e.of("largest g/g*").at_most(2.0, largest(parts()));
        e.of("least rate of p").at_least(0.0, smallest(path.iter().map(|point| point.dp)));
    }
    Ok(())
}

pub(super) fn lyapunov_final(e: &mut Evidence, _: Trial) -> Outcome {
    bounded(e, |point| -(point.g_star * point.lyapunov()).powi(2) / 65.0)?;
    for setting in GRAMS {
        let path = path(&setting)?;
        let last = &path[path.len() - 1];
        let found = -last.rate() / (last.g_star * last.lyapunov()).powi(2);
        e.case(setting.name()).of("-dG/dt over g*^2 G^2 at t = 10^4").rel(4.0, found, 2e-3);
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
        let mut e = e.case(setting.name());
        e.of("largest G over the bound").at_most(1.0, most(start, 64.0));
        e.of("the same with 1/G(t_1) and 65").at_most(1.0 + 1e-12, most(1.0 / start, 65.0));
    }
    Ok(())
}

pub(super) fn eq_9(e: &mut Evidence, _: Trial) -> Outcome {
    for setting in GRAMS {
        let times = by_factors(1e5, 1e7, 5);
        let path = setting.gram_path(&times)?;
        let of = |value: &dyn Fn(&GramPoint) -> f64| {
            exponent(&times, &path.iter().map(value).collect::<Vec<f64>>())
        };
        let last = &path[4];
        let limit = setting.g_star() * (2.0 * last.t).sqrt() * (-last.p).exp();
        let mut e = e.case(setting.name());
        e.of("exponent of e^-p, t = 1e5 to 1e7").abs(-0.5, of(&|point| (-point.p).exp()), 0.005);
        let what = "exponent of g - g*, t = 1e5 to 1e7";
        e.of(what).abs(-0.5, of(&|point| point.g - setting.g_star()), 0.005);
        e.of("g* sqrt(2 t) e^-p at t = 1e7").abs(1.0, limit, 2e-3);
    }
    Ok(())
}

pub(super) fn gram_decay(e: &mut Evidence, _: Trial) -> Outcome {
    for setting in GRAMS {
        let gram = setting.gram()?;
        let parts = try_map(setting.gram_path(&by_factors(100.0, 1e7, 40))?, |point| {
            Ok(4.0 * point.t * gram.landscape.partial(&[point.p, point.g])?.gram)
        })?;
        let mut e = e.case(setting.name());
        e.of("4 t L_G4 at t = 1e7").abs(1.0, parts[39], 2e-3);
        e.of("largest 4 t L_G4 from t = 100 on").at_most(1.5, largest(parts));
    }
    Ok(())
}
