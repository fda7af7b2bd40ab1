//! Theorem 2 and Corollary 2: which tokens gain and which lose, Eqs. (99) to (107).

use saddlescope::claim::{Claim, ClaimError, Evidence, Kind, Measurement, Trial};

use super::attention::{scaled, slopes};
use super::plain_world::{
    Law, ROUNDING, Share, World, by_factors, dot, largest, lead, logits, products, smallest, spread,
};

/// A world with logits, and the sizes of the smallest and the largest eigenvalue of `E`.
type Weak = (World, Vec<f64>, [f64; 2]);

/// Worlds that meet Assumption 2, with the sizes of the smallest and the largest eigenvalue of `E`.
///
/// The vocabulary takes part only as a number here, so it may be as large as the assumption asks.
fn weakly(trial: Trial) -> Result<Vec<Weak>, ClaimError> {
    let mut found = Vec::new();
    for index in 0..6 {
        let queries = 1 + index as usize % 2;
        let world = World::random(trial, 40 + 2 * index, (4, queries), (1, 3), 0.35)
            .vocabulary(1e9)
            .rates(1.0, 0.3);
        let z = logits(&world, trial, 41 + 2 * index, 0.1);
        let sizes = spread(&world.directions(&z))?;
        found.push((world, z, sizes));
    }
    Ok(found)
}

/// Whether all of them meet it, in words.
fn assumption(worlds: &[Weak]) -> (String, bool) {
    let least = smallest(worlds.iter().map(|(_, _, sizes)| sizes[0]));
    let most = largest(worlds.iter().map(|(_, _, sizes)| sizes[1]));
    let bounds = [6.0 / worlds[0].0.m.sqrt(), 1.0 / worlds[0].0.k()];
    let what = format!(
        "Assumption 2: eigenvalues of E have sizes from {least:.4} to {most:.4}, within \
         6/sqrt(M) = {:.4} and 1/K = {}",
        bounds[0], bounds[1]
    );
    (what, least >= bounds[0] && most < bounds[1])
}

const TIMES: [f64; 4] = [0.5, 20.0, 200.0, 5000.0];

/// The least rate of a distinct token, over the largest rate of any.
fn least_distinct(world: &World, z: &[f64]) -> f64 {
    let of = |time: f64| {
        let rate = world.rate(z, lead(world.m, world.eta_y * time / world.k()), Share::Mean);
        let unit = largest(rate.iter().map(|x| x.abs()));
        let own = (0..world.classes.len()).flat_map(|n| {
            let row = world.classes[n].query * world.tokens;
            world.distinct(n).into_iter().map(move |l| row + l)
        });
        smallest(own.map(|l| rate[l] / unit))
    };
    smallest(TIMES.map(of))
}

pub(super) const THEOREM_2_A: Claim = Claim::new(
    "scan-and-snap/theorem-2-a",
    "Theorem 2(a)",
    Kind::Dynamics,
    "Under (10), every distinct token gains: $\\dot z_{ml} > 0$.",
    |trial| {
        let worlds = weakly(trial)?;
        let (what, met) = assumption(&worlds);
        let least = smallest(worlds.iter().map(|(world, z, _)| least_distinct(world, z)));
        // Far from Assumption 2: strong overlaps, a small vocabulary, several common tokens.
        let strong = (0..6).map(|index| {
            let world = World::random(trial, 60 + 2 * index, (5, 2), (4, 3), 2.0).vocabulary(40.0);
            least_distinct(&world, &logits(&world, trial, 61 + 2 * index, 0.5))
        });
        Ok(Evidence::new()
            .assuming(what, met)
            .printed(Measurement::at_least(
                "least rate of a distinct token over the largest of \
             any",
                1e-12,
                least,
            ))
            .printed(Measurement::at_least(
                "the same with strong overlaps and M = 40",
                1e-12,
                smallest(strong),
            ))
            .note(
                "The lower bound on the eigenvalues of $E$ is not needed once (88) has its \
             right sign.",
            ))
    },
)
.assuming(&["Assumption 2"]);

pub(super) const EQ_100: Claim = Claim::new(
    "scan-and-snap/eq-100",
    "Eqs. (99) and (100)",
    Kind::Equation,
    "A single common token moves by $\\dot z_{ml} = -\\eta_Z \\sum_{n \\in \\psi^{-1}(m)} (1 - \
     f_{nl}^2) \\xi_n$.",
    |trial| {
        let mut evidence = Evidence::new();
        for index in 0..3 {
            let world = World::random(trial, 80 + 2 * index, (4, 2), (1, 3), 0.8).rates(1.0, 0.3);
            let z = logits(&world, trial, 81 + 2 * index, 0.4);
            let time = 30.0;
            let f = world.directions(&z);
            let xi = world.xi(&f, lead(world.m, world.eta_y * time / world.k()));
            let slopes = slopes(&world, &z, time);
            let (mut predicted, mut measured) = ([0.0; 2], [0.0; 2]);
            for (n, class) in world.classes.iter().enumerate() {
                predicted[class.query] -= (1.0 - f[n][0].powi(2)) * xi[n];
                measured[class.query] += slopes[n][class.query * world.tokens];
            }
            let e = products(&f);
            let off =
                (f[0][0] * (e[0][1] * f[0][0] - f[1][0])) / (-(1.0 - f[0][0].powi(2)) * e[0][1]);
            evidence = evidence
                .printed(Measurement::absolute("(99), left over right", 1.0, off, ROUNDING))
                .printed(Measurement::each(
                    "rate of the common token for each query, over the largest",
                    &scaled(&predicted, &predicted),
                    &scaled(&measured, &predicted),
                    1e-8,
                ));
        }
        Ok(evidence)
    },
);

pub(super) const THEOREM_2_B: Claim = Claim::new(
    "scan-and-snap/theorem-2-b",
    "Theorem 2(b)",
    Kind::Dynamics,
    "Under (10), a single common token loses: $\\dot z_{ml} < 0$ for every query with a class \
     that has a distinct token.",
    |trial| {
        let worlds = weakly(trial)?;
        let (what, met) = assumption(&worlds);
        let most = |world: &World, z: &[f64]| {
            let of = |time: f64| {
                let rate =
                    world.rate(z, lead(world.m, world.eta_y * time / world.k()), Share::Mean);
                let unit = largest(rate.iter().map(|x| x.abs()));
                largest((0..world.queries).map(|m| rate[m * world.tokens] / unit))
            };
            largest(TIMES.map(of))
        };
        let most = largest(worlds.iter().map(|(world, z, _)| most(world, z)));
        // A query whose classes do not have the common token: E then has the eigenvalue 0.
        let mut alone = World::random(trial, 59, (4, 2), (1, 3), 0.5);
        for class in alone.classes.iter_mut().filter(|class| class.query == 1) {
            class.p[0] = 0.0;
            let sum: f64 = class.p.iter().sum();
            class.p.iter_mut().for_each(|p| *p /= sum);
        }
        let z = vec![0.0; alone.logits()];
        let rest = alone.rate(&z, 3.0, Share::Mean)[alone.tokens];
        Ok(Evidence::new()
            .assuming(what, met)
            .printed(Measurement::at_most(
                "largest rate of the common token over the largest of \
             any",
                -1e-3,
                most,
            ))
            .note(format!(
                "Where no class of a query has the common token, its rate there is {rest:.1e}; \
                 Assumption 2 leaves \
                 that out, since $E$ then has the eigenvalue 0."
            )))
    },
)
.assuming(&["Assumption 2"]);

/// Classes of one query with the same distinct weights and the same common tokens. 004, Corollary
/// 2.
fn symmetric(trial: Trial) -> World {
    let random = World::random(trial, 90, (4, 1), (3, 3), 0.4);
    let first = random.classes[0].p.clone();
    let law = |n: usize| {
        let mut p = vec![0.0; random.tokens];
        p[..3].copy_from_slice(&first[..3]);
        p[3 + 3 * n..6 + 3 * n].copy_from_slice(&first[3..6]);
        Law { query: 0, p }
    };
    World { classes: (0..4).map(law).collect(), ..random }.rates(1.0, 2.0)
}

pub(super) const COROLLARY_2: Claim = Claim::new(
    "scan-and-snap/corollary-2",
    "Corollary 2",
    Kind::Dynamics,
    "With one query, classes that are images of each other and common tokens of the same \
     probability in all, every common \
     token loses, from $Z(0) = 0$ on.",
    |trial| {
        let world = symmetric(trial);
        let times = by_factors(0.01 * world.scanned(), 20.0 * world.snapped(), 24);
        let path = world.path(&vec![0.0; world.logits()], Share::Mean, &times, 24);
        let rates = path.iter().map(|point| {
            let rate =
                world.rate(&point.z, lead(world.m, world.eta_y * point.t / world.k()), Share::Mean);
            let unit = largest(rate.iter().map(|x| x.abs()));
            largest(rate[..3].iter().map(|rate| rate / unit))
        });
        let last = &path[path.len() - 1].z;
        Ok(Evidence::new()
            .printed(Measurement::at_most(
                "largest rate of a common token over the largest of \
             any",
                -1e-4,
                largest(rates),
            ))
            .printed(Measurement::at_most(
                "largest logit of a common token at 20 t_0",
                -0.01,
                largest(last[..3].to_vec()),
            )))
    },
)
.assuming(&["one query", "symmetry of classes", "Z(0) = 0"]);

pub(super) const EQ_101: Claim = Claim::new(
    "scan-and-snap/eq-101",
    "Eq. (101)",
    Kind::Equation,
    "$\\dot z_{l_2} = \\eta_Z \\gamma f_{n_2 l_2}^2 \\sum_{n' \\ne n_2} \\beta_{n_2 n'} \
     f_{n_2} \\cdot f_{n_2}$ is the rate of \
     the image of $l_1$, and that of $l_1$.",
    |trial| {
        let world = symmetric(trial);
        let path = world.path(&vec![0.0; world.logits()], Share::Sum, &[world.scanned()], 200);
        let (z, x) = (&path[0].z, lead(world.m, world.eta_y * world.scanned() / world.k()));
        let (f, rate) = (world.directions(z), world.rate(z, x, Share::Sum));
        let (beta, speed) = (world.beta(&f), world.eta_z * world.gamma(x));
        let second = |other: &dyn Fn(usize) -> usize| {
            let sum: f64 =
                (0..4).filter(|&k| k != 1).map(|k| beta[1][k] * dot(&f[1], &f[other(k)])).sum();
            speed * f[1][6].powi(2) * sum
        };
        let what = "rate of the image of a distinct token";
        Ok(Evidence::new()
            .printed(Measurement::relative(what, rate[6], second(&|_| 1), 1e-10))
            .corrected(Measurement::relative(what, rate[6], second(&|k| k), 1e-10))
            .corrected(Measurement::relative("rate of the token itself", rate[6], rate[3], 1e-10)))
    },
)
.corrected("the last product is $f_{n_2} \\cdot f_{n'}$");

pub(super) const EQ_102: Claim = Claim::new(
    "scan-and-snap/eq-102",
    "Eqs. (102) to (106)",
    Kind::Equation,
    "$o_n = \\sum_l P(l|n)^2 e^{2 z_l}$ with $f_{nl} = \\tilde c_{l|n}/o$ is the same for all \
     classes at all times.",
    |trial| {
        let world = symmetric(trial);
        let times = by_factors(0.1 * world.scanned(), 5.0 * world.snapped(), 6);
        let path = world.path(&vec![0.0; world.logits()], Share::Mean, &times, 60);
        let (mut uneven, mut plain, mut rooted) = (0.0, Vec::new(), Vec::new());
        let mut known = Vec::new();
        for point in &path {
            let f = world.directions(&point.z);
            let sums: Vec<f64> =
                (0..4).map(|n| world.scores(n, &point.z)).map(|c| dot(&c, &c)).collect();
            uneven = largest([uneven, largest(sums.clone()) - smallest(sums.clone())]);
            known.push(f[2][9]);
            plain.push(world.scores(2, &point.z)[9] / sums[2]);
            rooted.push(world.scores(2, &point.z)[9] / sums[2].sqrt());
        }
        Ok(Evidence::new()
            .printed(Measurement::absolute(
                "largest difference between classes",
                0.0,
                uneven,
                1e-11,
            ))
            .printed(Measurement::each(
                "f of a distinct token along the flow",
                &known,
                &plain,
                ROUNDING,
            ))
            .corrected(Measurement::absolute(
                "largest difference between classes",
                0.0,
                uneven,
                1e-11,
            ))
            .corrected(Measurement::each(
                "f of a distinct token along the flow",
                &known,
                &rooted,
                ROUNDING,
            )))
    },
)
.corrected("$o_n^2 = \\sum_l P(l|n)^2 e^{2 z_l}$, as it is defined before");

pub(super) const EQ_107: Claim = Claim::new(
    "scan-and-snap/eq-107",
    "Eq. (107)",
    Kind::Equation,
    "For a common token of the symmetric case, $f_{nl}[(f_n \\cdot f_{n'}) f_{nl} - f_{n'l}] = \
     -f_l^2 (1 - f_n \\cdot f_{n'}) \
     < 0$.",
    |trial| {
        let world = symmetric(trial);
        let path = world.path(&vec![0.0; world.logits()], Share::Mean, &[world.snapped()], 200);
        let f = world.directions(&path[0].z);
        let e = products(&f);
        let (mut predicted, mut measured) = (Vec::new(), Vec::new());
        for l in 0..3 {
            predicted.push(-f[0][l].powi(2) * (1.0 - e[0][3]));
            measured.push(f[0][l] * (e[0][3] * f[0][l] - f[3][l]));
        }
        Ok(Evidence::new()
            .printed(Measurement::each(
                "both sides for each common token",
                &predicted,
                &measured,
                ROUNDING,
            ))
            .printed(Measurement::at_most("the largest", 0.0, largest(measured))))
    },
);

pub(super) const INVOLVED: Claim = Claim::new(
    "scan-and-snap/several-common",
    "Section 5, after Theorem 2",
    Kind::Dynamics,
    "With several common tokens Theorem 2(b) does not carry over: one that is frequent in one \
     class and rare in the other \
     can gain.",
    |_| {
        let law = |p: [f64; 4]| Law { query: 0, p: p.to_vec() };
        let classes = vec![law([0.6, 0.2, 0.2, 0.0]), law([0.06, 0.5, 0.0, 0.44])];
        let world = World { classes, tokens: 4, queries: 1, m: 300.0, eta_y: 1.0, eta_z: 1.0 };
        let rate = world.rate(&[0.0; 4], 3.0, Share::Mean);
        let unit = largest(rate.iter().map(|x| x.abs()));
        Ok(Evidence::new()
            .printed(Measurement::at_least(
                "rate of the uneven common token over the largest of any",
                0.05,
                rate[0] / unit,
            ))
            .printed(Measurement::at_most(
                "the same of the other common token",
                -0.05,
                rate[1] / unit,
            )))
    },
);
