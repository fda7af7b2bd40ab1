//! Appendix A.6, stitching the jumps: heads that wait, and when they jump.

use saddlescope::claim::{Claim, Evidence, Kind, Measurement, Verdict};

use super::super::Population;
use super::super::stitching::{chained, stitched};
use super::super::theory::mid_levels;
use super::tools::{along, evaluated, experiment, flow, norm, shape, time_to, times};

pub(super) const WAITING: Claim = Claim::new(
    "associative-recall/waiting-heads",
    "A.6, lines 374, 375",
    Kind::Dynamics,
    "Until the first head has grown, the gradients of the others are $O(\\epsilon)$ and their parameters stay close to the origin.",
    |_| {
        let shape = experiment()?;
        let landscape = Population::new(shape)?;
        let mut found = Vec::new();
        for eps in [0.02, 0.01, 0.005] {
            let start = shape.given_start(&[eps, 0.8 * eps, 0.6 * eps], None)?;
            let first = time_to(shape, &start, mid_levels(shape.task(), 3)[0])?;
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
        let how =
            "when eps is halved, beta(0) = eps (1, 0.8, 0.6), eps = 0.02 to 0.005, k = 4, R = 4";
        Ok(Evidence::new()
            .printed(Measurement::at_most(format!("largest factor of the others' gradient {how}"), 0.5, most(|pair| pair.0)))
            .printed(Measurement::at_most(format!("largest factor of the others' size {how}"), 0.52, most(|pair| pair.1)))
            .note("The gradients are in fact $O(\\epsilon^2)$: both are products of two small numbers."))
    },
);

pub(super) const STITCHED: Claim = Claim::new(
    "associative-recall/stitched",
    "A.6, stitching the jumps; added: phases",
    Kind::Dynamics,
    "Jumps can be chained: head $j$ jumps when its phase, $\\sum_m c_m \\beta_j(0) \\sqrt{2 (k'_m - 1)/k'_m} \\, \\Delta t_m$ over the \
     plateaus $m$, comes to $\\pi/2$, with $k'_m = k - m$ and $c_m = (1 + \\gamma)(1 - 1/R)/(k \\, k'_m!)$.",
    |_| {
        let shape = experiment()?;
        let mut evidence = Evidence::new();
        for scale in [1.0, 0.01] {
            let beta = [0.02, 0.016, 0.012].map(|beta| scale * beta);
            let exact = times(&flow(shape, &shape.given_start(&beta, None)?)?)?;
            for seen in 0..3 {
                let predicted = stitched(shape.task(), 1.0, &beta, &exact[..seen])[seen].1;
                let what = format!(
                    "drop {} from those before it, beta(0) = (0.02, 0.016, 0.012) times {scale}, k = 4, R = 4",
                    seen + 1
                );
                let measurement = Measurement::relative(what, predicted, exact[seen], 1e-3);
                evidence = evidence.printed(measurement.loosely(0.03));
            }
        }
        Ok(evidence.note(
            "The first time becomes exact as the scale shrinks, the later ones do not: $\\beta_j$ and $w^j$ of a waiting head are \
             coupled by another constant on each plateau. See `stitched-exact`.",
        ))
    },
)
.recorded(Verdict::Approximately);

pub(super) const CHAINED: Claim = Claim::new(
    "associative-recall/stitched-exact",
    "Added to A.6: the law of a waiting head",
    Kind::Dynamics,
    "With $x_j$ the own weight of a waiting head less the mean of its open ones, $\\dot x_j = c_m \\beta_j^2$ and $\\beta_j^2 - (2 (k'_m - \
     1)/k'_m) x_j^2$ is kept on plateau $m$; $x_j$ and $\\beta_j$ go on through the jumps of other heads. This gives all times as \
     $\\beta(0) \\to 0$.",
    |_| {
        let mut evidence = Evidence::new();
        for (k, ratios) in [(4, vec![1.0, 0.8, 0.6]), (5, vec![1.0, 0.9, 0.5, 0.45])] {
            let shape = shape(k, 4, k - 1)?;
            let beta: Vec<f64> = ratios.iter().map(|ratio| 2e-5 * ratio).collect();
            let exact = times(&flow(shape, &shape.given_start(&beta, None)?)?)?;
            let predicted = chained(shape.task(), 1.0, &beta);
            for (m, ((_, predicted), found)) in predicted.iter().zip(&exact).enumerate() {
                let what = format!(
                    "drop {} from nothing, beta(0) = 2e-5 {ratios:?}, k = {k}, R = 4",
                    m + 1
                );
                evidence = evidence.printed(Measurement::relative(what, *predicted, *found, 2e-4));
            }
            let last = stitched(shape.task(), 1.0, &beta, &[])[k - 2].1;
            let miss = (exact[k - 2] / last - 1.0).abs();
            let what = format!("miss of the last drop by phases alone, k = {k}");
            evidence = evidence.printed(Measurement::at_least(what, 5e-4, miss));
        }
        Ok(evidence)
    },
);
