//! Appendix A.6, stitching the jumps: heads that wait, and when they jump.

use super::*;
use saddlescope_associative_recall::theory::stitching;

pub(super) fn waiting_heads(e: &mut Evidence, _: Trial) -> Outcome {
    let shape = experiment()?;
    let landscape = Population::new(shape)?;
    let mut found = Vec::new();
    for eps in [0.02, 0.01, 0.005] {
        let start = shape.given_start(&[eps, 0.8 * eps, 0.6 * eps], None)?;
        let first = time_to(shape, &start, mid_levels(&shape.task, 3)[0])?;
        let at: Vec<f64> = (1..=20).map(|i| first * f64::from(i) / 20.0).collect();
        let (mut slope, mut size) = (0.0_f64, 0.0_f64);
        for snapshot in along(shape, &start, &at)? {
            slope = slope.max(norm(&evaluated(&landscape, &snapshot.state)?.1[5..]));
            size = size.max(norm(&snapshot.state[5..]));
        }
        found.push((slope, size));
    }
    let most = |of: fn(&(f64, f64)) -> f64| {
        found.windows(2).map(|pair| of(&pair[1]) / of(&pair[0])).fold(0.0, f64::max)
    };
    let how = "when eps is halved, beta(0) = eps (1, 0.8, 0.6), eps = 0.02 to 0.005, k = 4, R = 4";
    e.of(format!("largest factor of the others' gradient {how}")).at_most(0.5, most(|pair| pair.0));
    e.of(format!("largest factor of the others' size {how}")).at_most(0.52, most(|pair| pair.1));
    Ok(())
}

pub(super) fn stitched(e: &mut Evidence, _: Trial) -> Outcome {
    let shape = experiment()?;

    for scale in [1.0, 0.01] {
        let beta = [0.02, 0.016, 0.012].map(|beta| scale * beta);
        let exact = times(&flow(shape, &shape.given_start(&beta, None)?)?)?;
        for seen in 0..3 {
            let predicted = stitching::stitched(&shape.task, 1.0, &beta, &exact[..seen])[seen].1;
            let what = format!(
                "drop {} from those before it, beta(0) = (0.02, 0.016, 0.012) times {scale}, k = \
                 4, R = 4",
                seen + 1
            );
            e.of(what).rel(predicted, exact[seen], 1e-3).loosely(0.03);
        }
    }
    Ok(())
}

pub(super) fn stitched_exact(e: &mut Evidence, _: Trial) -> Outcome {
    for (k, ratios) in [(4, vec![1.0, 0.8, 0.6]), (5, vec![1.0, 0.9, 0.5, 0.45])] {
        let shape = shape(k, 4, k - 1)?;
        let beta: Vec<f64> = ratios.iter().map(|ratio| 2e-5 * ratio).collect();
        let exact = times(&flow(shape, &shape.given_start(&beta, None)?)?)?;
        let predicted = stitching::chained(&shape.task, 1.0, &beta);
        for (m, ((_, predicted), found)) in predicted.iter().zip(&exact).enumerate() {
            let what =
                format!("drop {} from nothing, beta(0) = 2e-5 {ratios:?}, k = {k}, R = 4", m + 1);
            e.of(what).rel(*predicted, *found, 2e-4);
        }
        let last = stitching::stitched(&shape.task, 1.0, &beta, &[])[k - 2].1;
        let miss = (exact[k - 2] / last - 1.0).abs();
        e.of(format!("miss of the last drop by phases alone, k = {k}")).at_least(5e-4, miss);
    }
    Ok(())
}
