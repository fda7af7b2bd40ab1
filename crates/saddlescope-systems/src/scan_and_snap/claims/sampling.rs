//! D.4: classes drawn at random, how far their numbers and leads stray from the mean, and how long training takes.

use saddlescope::claim::{Claim, Evidence, Kind, Measurement};

use super::decoder::zeta;
use super::literal::{Decoder, Update, e_prime};
use super::matrix::Matrix;
use super::tools_a::{
    ROUNDING, any_class, binomial, by_factors, larger_root, largest, lead, leads, outside,
    random_directions, smallest, steps_for, stream,
};

/// Numbers of steps, of classes and levels of confidence.
fn cases() -> impl Iterator<Item = (usize, usize, f64)> {
    [(20, 2), (100, 2), (100, 5), (1000, 5), (1000, 20)].into_iter().flat_map(|(steps, classes)| {
        [0.9, 0.5, 0.1, 0.01].into_iter().map(move |delta| (steps, classes, delta))
    })
}

/// `ceil(N/K)`.
fn mean_count(steps: usize, classes: usize) -> f64 {
    steps.div_ceil(classes) as f64
}

pub(super) const LEMMA_10: Claim = Claim::new(
    "scan-and-snap/lemma-10",
    "Lemma 10, Eqs. (58) and (59)",
    Kind::Equation,
    "With probability $1 - \\delta$ or more, $|N_n - \\lceil N P(n) \\rceil| \\le \\sqrt{N \\ln(2/\\delta)/2} + 1$.",
    |_| {
        let far = cases().map(|(steps, classes, delta)| {
            let radius = (steps as f64 * (2.0 / delta).ln() / 2.0).sqrt() + 1.0;
            outside(steps, 1.0 / classes as f64, mean_count(steps, classes), radius) / delta
        });
        let what = "largest probability of being further off, over delta: binomial laws added up, N = 20 to 1000, K = 2 to 20, \
                    delta = 0.01 to 0.9";
        Ok(Evidence::new().printed(Measurement::at_most(what, 1.0, largest(far))))
    },
);

pub(super) const LEMMA_10_SECOND: Claim = Claim::new(
    "scan-and-snap/lemma-10-second",
    "Lemma 10, Eq. (58), second inequality",
    Kind::Equation,
    "$\\sqrt{N \\ln(2/\\delta)/2} + 1 < \\sqrt{N \\ln(2/\\delta)}$ for all $\\delta$ in (0, 1).",
    |_| {
        let ratio = |product: f64| ((product / 2.0).sqrt() + 1.0) / product.sqrt();
        let edge = (1.0 - 0.5_f64.sqrt()).powi(-2);
        let what = "largest left side over the right";
        Ok(Evidence::new()
            .printed(Measurement::at_most(
                format!("{what}, N = 4, delta = 0.5"),
                1.0,
                ratio(4.0 * 4.0_f64.ln()),
            ))
            .corrected(Measurement::at_most(
                format!("{what}, N ln(2/delta) from 11.66 to 10^6"),
                1.0,
                largest(by_factors(11.66, 1e6, 50).into_iter().map(ratio)),
            ))
            .corrected(Measurement::relative("the edge, 1/(1 - 1/sqrt(2))^2", 11.657, edge, 1e-4)))
    },
)
.corrected("where $N \\ln(2/\\delta) > (1 - 1/\\sqrt 2)^{-2} = 11.66$");

pub(super) const REMARK_4: Claim = Claim::new(
    "scan-and-snap/remark-4",
    "Remark 4, Eq. (60)",
    Kind::Equation,
    "With probability $1 - \\delta$ or more, $|N_n - \\bar N| \\lesssim \\Delta = \\lceil \\sqrt{N \\ln(1/\\delta)} \\rceil$, and $\\Delta \
     \\ll \\bar N$ where $N \\gg K^2$.",
    |_| {
        let radius = |steps: usize, delta: f64| (steps as f64 * (1.0 / delta).ln()).sqrt().ceil();
        let far = cases().map(|(steps, classes, delta)| {
            outside(steps, 1.0 / classes as f64, mean_count(steps, classes), radius(steps, delta))
                / delta
        });
        let part = |classes: usize| {
            let steps = 1000 * classes * classes;
            radius(steps, 0.1) / mean_count(steps, classes)
        };
        Ok(Evidence::new()
            .printed(Measurement::at_most(
                "largest probability of being further off, over delta, with the constant 1",
                1.0,
                largest(far),
            ))
            .printed(Measurement::at_most(
                "largest Delta over the mean, N = 1000 K^2, K = 2 to 20, delta = 0.1",
                0.06,
                largest([2, 5, 20].map(part)),
            ))
            .note("For one class; for all $K$ at once $\\delta$ becomes $\\delta/K$, as Lemma 12 has it."))
    },
);

/// Vocabulary, rate, mean count and radius: early, at the turn, and late.
fn strays() -> impl Iterator<Item = (f64, f64, f64, f64)> {
    [100.0, 1000.0, 1e5].into_iter().flat_map(|m| {
        [0.05, 0.5].into_iter().flat_map(move |eta| {
            [0.1, 0.8, 1.0, 1.5, 5.0, 100.0].into_iter().flat_map(move |part| {
                let mean = part * f64::ln(m) / eta;
                [0.01, 0.1].into_iter().map(move |stray| (m, eta, mean, stray * mean))
            })
        })
    })
}

pub(super) const LEMMA_11: Claim = Claim::new(
    "scan-and-snap/lemma-11",
    "Lemma 11, Eqs. (61) and (63)",
    Kind::Equation,
    "Where $|N_n - \\bar N| \\le \\Delta$, $|h(N_n) - h(\\bar N)| \\le h(\\bar N) - h(\\bar N - \\Delta) \\le \\dot h(\\bar N - \\Delta) \
     \\Delta \\le h(\\bar N) \\Delta/(\\bar N - \\Delta)$.",
    |_| {
        let mut ratios = [0.0_f64; 4];
        for (m, eta, mean, radius) in strays() {
            let x = |s: f64| lead(m, eta * s);
            let slope = |s: f64| m * eta / (m - 1.0 + x(s).exp());
            let (below, above) = (x(mean) - x(mean - radius), x(mean + radius) - x(mean));
            let lines = [
                below.max(above),
                below,
                slope(mean - radius) * radius,
                x(mean) * radius / (mean - radius),
            ];
            for i in 1..4 {
                ratios[i] = ratios[i].max(lines[i - 1] / lines[i]);
            }
            ratios[0] = ratios[0].max(lines[0] * mean / (x(mean) * radius));
        }
        Ok(Evidence::new()
            .printed(Measurement::at_most(
                "largest left side of (61) over its right, constant 1, M = 100 to 10^5, eta_Y N from 0.1 ln M to 100 ln M, Delta/N up \
                 to 0.1",
                1.0,
                ratios[0],
            ))
            .printed(Measurement::at_most(
                "largest of any line of (63) over the next",
                1.0 + 1e-9,
                largest(ratios[1..].iter().copied()),
            )))
    },
);

/// `g = 1/(M - 1 + e^{M h})`.
fn speed(m: f64, eta: f64, s: f64) -> f64 {
    1.0 / (m - 1.0 + lead(m, eta * s).exp())
}

pub(super) const EQ_64: Claim = Claim::new(
    "scan-and-snap/eq-64",
    "Eq. (64)",
    Kind::Equation,
    "$g = 1/(M - 1 + e^{M h})$ has $dg/ds = g \\cdot \\eta_Y M e^{M h}/(M - 1 + e^{M h})^2 \\le g \\eta_Y M/(4 (M - 1))$, with \
     equality only at $h = \\ln(M - 1)/M$.",
    |_| {
        let mut evidence = Evidence::new();
        let (m, eta): (f64, f64) = (1000.0, 0.5);
        for s in [5.0, 14.0, 40.0] {
            let e = lead(m, eta * s).exp();
            let printed = eta * m * e / (m - 1.0 + e).powi(2);
            let step = 0.01;
            let pair = |step: f64| speed(m, eta, s + step) - speed(m, eta, s - step);
            let slope = (45.0 * pair(step) - 9.0 * pair(2.0 * step) + pair(3.0 * step)) / (60.0 * step);
            let found = slope / speed(m, eta, s);
            let what = format!("(dg/ds)/g by differences, M = 1000, eta_Y = 0.5, s = {s}");
            evidence = evidence
                .printed(Measurement::relative(&*what, printed, found, 1e-6))
                .corrected(Measurement::relative(&*what, -printed, found, 1e-6));
        }
        let size = |x: f64| m * x.exp() / (m - 1.0 + x.exp()).powi(2);
        let top = m / (4.0 * (m - 1.0));
        Ok(evidence
            .corrected(Measurement::at_most(
                "largest size over eta_Y g M/(4 (M - 1))",
                1.0 + 1e-12,
                largest((0..2000).map(|i| size(0.01 * f64::from(i)))) / top,
            ))
            .corrected(Measurement::relative("the same at h = ln(M - 1)/M", top, size((m - 1.0).ln()), ROUNDING)))
    },
)
.corrected("the minus sign: $g$ falls; its size is as printed");

pub(super) const LEMMA_11_SECOND: Claim = Claim::new(
    "scan-and-snap/lemma-11-second",
    "Lemma 11, Eqs. (62) and (65)",
    Kind::Equation,
    "Where $|N_n - \\bar N| \\le \\Delta \\ll \\bar N$, $1/(M - 1 + e^{M h})$ strays by a part $\\sigma' \\le \\eta_Y \\Delta/3$, and from \
     $2 (1 + \\omega_1) K \\ln M/\\eta_Y$ on by $\\sigma' \\lesssim \\Delta/\\bar N$.",
    |_| {
        let (mut early, mut late) = (0.0_f64, 0.0_f64);
        for (m, eta, mean, radius) in strays() {
            let stray = |s: f64| (speed(m, eta, s) / speed(m, eta, mean) - 1.0).abs();
            let worst = stray(mean + radius).max(stray(mean - radius));
            early = early.max(worst / (eta * radius / 3.0));
            if eta * (mean - radius) >= 2.0 * larger_root(m) {
                late = late.max(worst * mean / radius);
            }
        }
        let what =
            "M = 100 to 10^5, eta_Y N from 0.1 ln M to 100 ln M, Delta/N up to 0.1, both sides";
        Ok(Evidence::new()
            .printed(Measurement::at_most(
                format!("largest sigma' over eta_Y Delta/3, {what}"),
                1.0,
                early,
            ))
            .printed(Measurement::at_most("largest sigma' over Delta/N, late", 2.0, late)))
    },
);

pub(super) const LEMMA_11_LATE: Claim = Claim::new(
    "scan-and-snap/lemma-11-late",
    "Lemma 11, proof, the lines after Eq. (65)",
    Kind::Equation,
    "Late, $|e^{M h(\\bar N + \\Delta)} - e^{M h(\\bar N)}| \\le M \\eta_Y \\Delta$ and $M - 1 + e^{M h(\\bar N + \\Delta)} \\ge M + \
     \\frac12 M \\eta_Y (\\bar N + \\Delta)$.",
    |_| {
        let (mut rise, mut height) = (0.0_f64, f64::INFINITY);
        for m in [100.0, 1000.0, 1e6_f64] {
            let first = 2.0 * larger_root(m);
            for s in by_factors(first, 1e4 * first, 30) {
                for radius in [0.01 * s, 0.1 * s] {
                    let (now, then) = (lead(m, s).exp(), lead(m, s + radius).exp());
                    rise = rise.max((then - now) / (m * radius));
                    height = height.min((m - 1.0 + then) / (m + 0.5 * m * (s + radius)));
                }
            }
        }
        Ok(Evidence::new()
            .printed(Measurement::at_most(
                "largest left side over the right of the first",
                1.0,
                rise,
            ))
            .printed(Measurement::at_least(
                "least left side over the right of the second",
                1.0,
                height,
            )))
    },
);

pub(super) const LEMMA_12: Claim = Claim::new(
    "scan-and-snap/lemma-12",
    "Lemma 12, Eqs. (66) to (69)",
    Kind::Equation,
    "After $N \\gg K^2$ random steps $w_n = (1 + \\theta_n)(M - 1) h(\\bar N) \\zeta_n$, with probability $1 - \\delta$ or more all \
     $|\\theta_n| \\lesssim K \\sqrt{\\ln(K/\\delta)/N}$.",
    |_| {
        let mut worst: f64 = 0.0;
        let mut typical = 0.0;
        for (m, eta, steps, classes) in
            [(1000.0, 0.5, 2000, 5), (1000.0, 0.05, 2000, 5), (200.0, 0.9, 1000, 3)]
        {
            let mean = lead(m, eta * mean_count(steps, classes));
            let stray: Vec<f64> =
                leads(m, eta, steps).iter().map(|x| (x / mean - 1.0).abs()).collect();
            let law = binomial(steps, 1.0 / classes as f64);
            for delta in [0.5, 0.1, 0.01] {
                let bound = classes as f64 * ((classes as f64 / delta).ln() / steps as f64).sqrt();
                let far =
                    law.iter().zip(&stray).filter(|(_, stray)| **stray > bound).map(|(p, _)| p);
                worst = worst.max(classes as f64 * far.sum::<f64>() / delta);
            }
            let square: f64 = law.iter().zip(&stray).map(|(p, stray)| p * stray * stray).sum();
            typical = (square * steps as f64 / classes as f64).sqrt();
        }
        Ok(Evidence::new()
            .printed(Measurement::at_most(
                "K times the largest probability of a theta_n beyond the bound with the constant 1, over delta: exact binomial laws, K = 3 \
                 and 5, N = 1000 and 2000",
                1.0,
                worst,
            ))
            .note(format!("The typical $\\theta_n$ is smaller by $\\sqrt K$: {typical:.2} $\\sqrt{{K/N}}$ in the last case.")))
    },
);

pub(super) const THEOREM_5: Claim = Claim::new(
    "scan-and-snap/theorem-5",
    "Theorem 5, Eq. (70)",
    Kind::Equation,
    "From $Y = 0$ the update (26) leads to $Y = (F^+)^T (I + \\Theta) \\bar W(N) = F (I - E')(I + \\Theta) \\bar W(N)$.",
    |trial| {
        let (k, m, eta, steps) = (4, 40, 0.3, 200);
        let mut stream = stream(trial, 0);
        let f = random_directions(k, 0.9, &mut stream);
        let mut decoder = Decoder::new(&f, m, eta, Update::Modified);
        let mut counts = vec![0; k];
        for _ in 0..steps {
            let n = any_class(k, &mut stream);
            decoder.step(n);
            counts[n] += 1;
        }
        let size = m as f64;
        let (stepped, mean) = (leads(size, eta, steps), lead(size, eta * mean_count(steps, k)));
        let row = |n: usize| {
            let theta = stepped[counts[n]] / mean - 1.0;
            let height = (1.0 + theta) * (size - 1.0) * mean / size;
            zeta(n, m).into_iter().map(move |zeta| height * zeta).collect::<Vec<_>>()
        };
        let rows: Vec<Vec<f64>> = (0..k).map(row).collect();
        let w = Matrix::new(k, m, |n, j| rows[n][j]);
        let dual = f.times(&Matrix::identity(k).plus(-1.0, &e_prime(&f)));
        let inverse = f.transposed().times(&f).inverse().times(&f.transposed()).transposed();
        Ok(Evidence::new()
            .printed(Measurement::each(
                "Y after 200 random steps, K = 4, M = 40, theta_n from the numbers of steps",
                dual.times(&w).entries(),
                decoder.y.entries(),
                1e-11,
            ))
            .printed(Measurement::each(
                "the transposed pseudo-inverse",
                dual.entries(),
                inverse.entries(),
                ROUNDING,
            )))
    },
);

pub(super) const COROLLARY_1: Claim = Claim::new(
    "scan-and-snap/corollary-1",
    "Corollary 1, Eq. (71)",
    Kind::Equation,
    "$x_{T+1} - \\alpha_n = (1 + \\sigma)(M - 1)/(M - 1 + e^{M h(\\bar N)}) \\zeta_n$ where, with probability $1 - \\delta$ or more, \
     $|\\sigma| \\lesssim \\eta_Y \\sqrt{N \\ln(1/\\delta)}$, late $|\\sigma| \\lesssim K \\sqrt{\\ln(1/\\delta)/N}$.",
    |_| {
        let far = |(m, eta, steps, classes): (f64, f64, usize, usize),
                   bound: &dyn Fn(f64) -> f64| {
            let mean = lead(m, eta * mean_count(steps, classes)).exp();
            let stray = |x: &f64| ((m - 1.0 + mean) / (m - 1.0 + x.exp()) - 1.0).abs();
            let strays: Vec<f64> = leads(m, eta, steps).iter().map(stray).collect();
            let law = binomial(steps, 1.0 / classes as f64);
            largest([0.5, 0.1, 0.01].map(|delta: f64| {
                let limit = bound((1.0 / delta).ln());
                let far =
                    law.iter().zip(&strays).filter(|(_, stray)| **stray > limit).map(|(p, _)| p);
                far.sum::<f64>() / delta
            }))
        };
        let early = [(1000.0, 0.05, 500, 5), (1000.0, 0.5, 500, 5), (200.0, 0.2, 1000, 3)]
            .map(|case| far(case, &|log| case.1 * (case.2 as f64 * log).sqrt()));
        let late = [(1000.0, 0.9, 4000, 5), (200.0, 0.9, 2000, 3)]
            .map(|case| far(case, &|log| case.3 as f64 * (log / case.2 as f64).sqrt()));
        Ok(Evidence::new()
            .printed(Measurement::at_most(
                "largest probability of sigma beyond the first bound, constant 1, over delta: exact binomial laws, h* for h",
                1.0,
                largest(early),
            ))
            .printed(Measurement::at_most("the same with the second bound, late", 1.0, largest(late))))
    },
);

/// `eta_Y S_n` until `|x_{T+1} - alpha_n| = epsilon`.
fn steps_to(m: f64, epsilon: f64) -> f64 {
    let part = epsilon / (m / (m - 1.0)).sqrt();
    steps_for(m, ((m - 1.0) * (1.0 / part - 1.0)).ln())
}

/// Vocabularies and errors on which numbers of steps are compared.
fn targets() -> impl Iterator<Item = (f64, f64)> {
    [200.0, 1000.0, 1e5]
        .into_iter()
        .flat_map(|m| [0.1, 0.01, 1e-3, 1e-5].into_iter().map(move |e| (m, e)))
}

pub(super) const COUNT: Claim = Claim::new(
    "scan-and-snap/corollary-1-count",
    "Corollary 1, last sentence, Eqs. (72) and (73)",
    Kind::Dynamics,
    "$|x_{T+1} - \\alpha_n| \\le \\epsilon$ takes at most $O((K/(\\epsilon \\eta_Y)) \\ln(M/\\epsilon))$ steps, with $h(S_n) \\asymp \
     \\ln(M/\\epsilon)/M$.",
    |_| {
        let part = |(m, e): (f64, f64)| steps_to(m, e) * e / (m / e).ln();
        let height = |(m, e): (f64, f64)| lead(m, steps_to(m, e)) / (m / e).ln();
        let rise = |(m, e): (f64, f64)| {
            let s = steps_to(m, e);
            let steps = by_factors(1e-3, s - 1.0, 30).into_iter();
            smallest(steps.map(|t| (lead(m, t + 1.0) - lead(m, t)) * (m - 1.0) / (m * e)))
        };
        Ok(Evidence::new()
            .printed(Measurement::at_most(
                "largest number of steps over (K/(epsilon eta_Y)) ln(M/epsilon), M = 200 to 10^5, epsilon = 10^-5 to 0.1",
                1.0,
                largest(targets().map(part)),
            ))
            .printed(Measurement::at_most("largest M h(S_n)/ln(M/epsilon)", 1.01, largest(targets().map(height))))
            .printed(Measurement::at_least("the least", 0.98, smallest(targets().map(height))))
            .printed(Measurement::at_least(
                "least step of h before S_n over eta_Y epsilon/(M - 1), eta_Y = 1",
                0.9,
                smallest(targets().map(rise)),
            ))
            .note("As a bound it stands, but it is far too many: see the next claim."))
    },
);

pub(super) const COUNT_EXACT: Claim = Claim::new(
    "scan-and-snap/corollary-1-exact",
    "Corollary 1, added: the number itself",
    Kind::Dynamics,
    "$|x_{T+1} - \\alpha_n| = \\epsilon$ is reached after $K/(\\epsilon \\eta_Y) + (K/\\eta_Y) \\ln(M/\\epsilon)$ steps: a sum where \
     Corollary 1 has a product.",
    |_| {
        let mut evidence = Evidence::new();
        for (m, e) in targets().filter(|(m, e)| *e <= 0.01 && *m <= 1000.0) {
            // Steps of the literal recursion, all classes in turn.
            let eta = 0.5;
            let expected = 1.0 / e + (m / e).ln();
            let found = if e >= 1e-3 {
                let all = leads(m, eta, (1.5 * expected / eta) as usize);
                let error = |x: &f64| (m - 1.0) / (m - 1.0 + x.exp()) * (m / (m - 1.0)).sqrt();
                eta * all.iter().position(|x| error(x) <= e).unwrap_or(usize::MAX) as f64
            } else {
                steps_to(m, e)
            };
            let what = format!("eta_Y S_n, M = {m}, epsilon = {e}, eta_Y = 0.5");
            evidence = evidence.printed(Measurement::relative(what, expected, found, 0.02));
        }
        Ok(evidence)
    },
);

pub(super) const RATE: Claim = Claim::new(
    "scan-and-snap/rate",
    "D.4, before Corollary 1",
    Kind::Dynamics,
    "The critical point of (7) is approached at the rate $O(1/N)$.",
    |_| {
        let error = |m: f64, s: f64| 1.0 / (1.0 + lead(m, s).exp() / (m - 1.0));
        let scaled = |m: f64| by_factors(1e3, 1e9, 7).into_iter().map(move |s| s * error(m, s));
        let all: Vec<f64> = [200.0, 1000.0].into_iter().flat_map(scaled).collect();
        let what =
            "N eta_Y/K times the error 1 - alpha_nn, N eta_Y/K from 10^3 to 10^9, M = 200 and 1000";
        Ok(Evidence::new()
            .printed(Measurement::at_most(
                format!("largest {what}"),
                1.03,
                largest(all.iter().copied()),
            ))
            .printed(Measurement::at_least(format!("least {what}"), 0.97, smallest(all))))
    },
);
