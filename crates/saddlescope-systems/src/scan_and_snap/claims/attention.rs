//! Section 5 and appendix E up to Corollary 2: how the logits of tokens move, Eqs. (10) and (94) to
//! (107).

use saddlescope::claim::{Claim, Evidence, Kind, Measurement, Trial};

use super::super::{Convention, Logits, Outputs};
use super::plain_world::{ROUNDING, Share, World, dot, largest, lead, logits, slope};

/// Random worlds of several queries and common tokens, with random logits and a time at which the
/// decoder has learned
/// something.
fn samples(trial: Trial) -> Vec<(World, Vec<f64>, f64)> {
    let one = |index: u64| {
        let (queries, common) = (1 + index as usize % 2, 1 + index as usize % 3);
        let world = World::random(trial, 2 * index, (4, queries), (common, 3), 0.8).rates(1.0, 0.3);
        let z = logits(&world, trial, 2 * index + 1, 0.4);
        (world, z, [2.0, 12.0, 40.0, 200.0][index as usize % 4])
    };
    (0..4).map(one).collect()
}

/// The slope of `J_n` in all logits, by differences, with the decoder where Theorem 1 has it.
pub(super) fn slopes(world: &World, z: &[f64], time: f64) -> Vec<Vec<f64>> {
    let x = lead(world.m, world.eta_y * time / world.k());
    let y = world.decoder(&world.directions(z), x);
    let one = |n: usize| {
        let row = world.classes[n].query * world.tokens;
        let own = row..row + world.tokens;
        let slope = |l: usize| {
            if own.contains(&l) { slope(|z| world.objective(&y, z, n), z, l) } else { 0.0 }
        };
        (0..z.len()).map(slope).collect()
    };
    (0..world.classes.len()).map(one).collect()
}

/// The sum of the classes' slopes, times `weight`.
fn summed(slopes: &[Vec<f64>], weight: f64) -> Vec<f64> {
    (0..slopes[0].len())
        .map(|l| weight * slopes.iter().map(|slopes| slopes[l]).sum::<f64>())
        .collect()
}

/// Numbers in units of the largest of `of`.
pub(super) fn scaled(numbers: &[f64], of: &[f64]) -> Vec<f64> {
    let unit = largest(of.iter().map(|x| x.abs()));
    numbers.iter().map(|x| x / unit).collect()
}

pub(super) const LEMMA_4: Claim = Claim::new(
    "scan-and-snap/lemma-4",
    "Lemma 4, Eq. (10)",
    Kind::Equation,
    "With the decoder of Theorem 1, $\\dot z_m = \\eta_Z \\gamma \\sum_{n \\in \\psi^{-1}(m)} \
     diag(f_n) \
     \\sum_{n' \\ne n} \\beta_{nn'} (f_n f_n^T - I) f_{n'}$, if the classes of a query are \
     added up.",
    |trial| {
        let mut evidence = Evidence::new();
        for (world, z, time) in samples(trial) {
            let law = Logits::new(world.shape(Outputs::Used)?, Convention::Sum)?;
            let (predicted, _) = law.rates(&z, time)?;
            let measured = summed(&slopes(&world, &z, time), world.eta_z);
            evidence = evidence.printed(Measurement::each(
                format!(
                    "rates over the largest, {} queries, t = {time}, by differences of J",
                    world.queries
                ),
                &scaled(&predicted, &predicted),
                &scaled(&measured, &predicted),
                1e-8,
            ));
        }
        Ok(evidence.note("$\\beta$ is that of (88) with the sign of $q_0$ mended."))
    },
);

pub(super) const CLOCK: Claim = Claim::new(
    "scan-and-snap/lemma-4-clock",
    "Lemma 4, with the time of Lemma 1 and Theorem 1",
    Kind::Equation,
    "Eq. (10) is the rate per step of batch size one, the steps that $h(t/K)$ and $t_0$ count.",
    |trial| {
        let mut evidence = Evidence::new();
        for (world, z, time) in samples(trial) {
            // Each step sees one of K classes: the mean over what may come.
            let measured = summed(&slopes(&world, &z, time), world.eta_z / world.k());
            let x = lead(world.m, world.eta_y * time / world.k());
            let what = format!("expected rates over the largest, t = {time}");
            let of = |share: Share| scaled(&world.rate(&z, x, share), &measured);
            let found = scaled(&measured, &measured);
            evidence = evidence
                .printed(Measurement::each(&*what, &of(Share::Sum), &found, 1e-8))
                .corrected(Measurement::each(&*what, &of(Share::Mean), &found, 1e-8));
        }
        Ok(evidence.note(
            "As printed, (10) counts the classes of a query once each: time then runs $K$ times \
             as fast for $Z$ as for \
             $Y$, and $B_n$ has to be taken in the same way, or (12) breaks.",
        ))
    },
)
.corrected("$\\dot z_m$ is $1/K$ of (10): a step sees class $n$ with probability $1/K$");

pub(super) const EQ_95: Claim = Claim::new(
    "scan-and-snap/eq-95",
    "Eqs. (94) to (96)",
    Kind::Equation,
    "$diag(c_n) P^\\perp_{f_n} g_n/|c_n|$ keeps nothing of $\\iota_n f_n$: it is $-\\gamma\\, \
     diag(f_n) P^\\perp_{f_n} \
     \\sum_{n'} \\beta_{nn'} f_{n'}$, and $\\gamma\\, diag(f_n)(f_n f_n^T - \
     I) \\sum_{n'} \\beta_{nn'} f_{n'}$.",
    |trial| {
        let mut worst = [0.0; 2];
        for (world, z, time) in samples(trial) {
            let x = lead(world.m, world.eta_y * time / world.k());
            let f = world.directions(&z);
            let (y, beta, gamma) = (world.decoder(&f, x), world.beta(&f), world.gamma(x));
            for n in 0..f.len() {
                let error = World::error(&y, &f[n], n);
                let g: Vec<f64> = y.iter().map(|row| dot(row, &error)).collect();
                let scores = world.scores(n, &z);
                let sum: f64 = scores.iter().sum();
                let c: Vec<f64> = scores.iter().map(|score| score / sum).collect();
                let length = dot(&c, &c).sqrt();
                let pull = |l: usize| (0..f.len()).map(|k| beta[n][k] * f[k][l]).sum::<f64>();
                let pulls: Vec<f64> = (0..world.tokens).map(pull).collect();
                let unit = gamma * largest(pulls.iter().map(|x| x.abs()));
                for l in 0..world.tokens {
                    // (94), (95), (96), each as it is written.
                    let first = c[l] / length * (g[l] - dot(&f[n], &g) * f[n][l]);
                    let second = -gamma * f[n][l] * (pulls[l] - dot(&f[n], &pulls) * f[n][l]);
                    let rows = (0..world.tokens)
                        .map(|j| (f[n][l] * f[n][j] - if l == j { 1.0 } else { 0.0 }) * pulls[j]);
                    let third = gamma * f[n][l] * rows.sum::<f64>();
                    worst[0] = largest([worst[0], (first - second).abs() / unit]);
                    worst[1] = largest([worst[1], (second - third).abs() / unit]);
                }
            }
        }
        Ok(Evidence::new()
            .printed(Measurement::absolute("largest (94) less (95)", 0.0, worst[0], ROUNDING))
            .printed(Measurement::absolute("largest (95) less (96)", 0.0, worst[1], ROUNDING)))
    },
);

pub(super) const EQ_97: Claim = Claim::new(
    "scan-and-snap/eq-97",
    "Eq. (97)",
    Kind::Equation,
    "For any token, $\\dot z_{ml} = \\eta_Z \\gamma \\sum_n f_{nl} \\sum_{n'} \\beta_{nn'} \
     [(f_n \\cdot f_{n'}) f_{nl} - \
     f_{n'l}]$.",
    |trial| {
        let mut evidence = Evidence::new();
        for (world, z, time) in samples(trial) {
            let x = lead(world.m, world.eta_y * time / world.k());
            let predicted = world.rate(&z, x, Share::Sum);
            let measured = summed(&slopes(&world, &z, time), world.eta_z);
            evidence = evidence.printed(Measurement::each(
                format!("rates over the largest, t = {time}"),
                &scaled(&predicted, &predicted),
                &scaled(&measured, &predicted),
                1e-8,
            ));
        }
        Ok(evidence)
    },
);

pub(super) const EQ_98: Claim = Claim::new(
    "scan-and-snap/eq-98",
    "Eq. (98)",
    Kind::Equation,
    "A token distinct to $n$ moves by $\\dot z_{ml} = \\eta_Z f_{nl}^2 \\xi_n$.",
    |trial| {
        let mut evidence = Evidence::new();
        for (world, z, time) in samples(trial) {
            let x = lead(world.m, world.eta_y * time / world.k());
            let f = world.directions(&z);
            let (xi, slopes) = (world.xi(&f, x), slopes(&world, &z, time));
            let (mut predicted, mut measured) = (Vec::new(), Vec::new());
            for n in 0..f.len() {
                for l in world.distinct(n) {
                    predicted.push(f[n][l].powi(2) * xi[n]);
                    measured.push(slopes[n][world.classes[n].query * world.tokens + l]);
                }
            }
            evidence = evidence.printed(Measurement::each(
                format!("rates of distinct tokens over the largest, t = {time}"),
                &scaled(&predicted, &predicted),
                &scaled(&measured, &predicted),
                1e-8,
            ));
        }
        Ok(evidence)
    },
);
