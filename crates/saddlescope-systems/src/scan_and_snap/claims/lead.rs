//! D.3: the lead `h*` in steps and `h` in continuous time, how far they are apart, and the two stages of `h` and `gamma`.

use saddlescope::claim::{Claim, Evidence, Kind, Measurement, Verdict};

use super::tools::{by_factors, largest, lead, leads, smallest, stepped, steps_for};

pub(super) const LEMMA_6: Claim = Claim::new(
    "scan-and-snap/lemma-6",
    "Lemma 6, Eqs. (44) and (45)",
    Kind::Equation,
    "$\\dot h = \\eta_Y/(M - 1 + e^{M h})$ from $h(0) = 0$ has $e^{M h} + (M - 1) M h = M \\eta_Y t + 1$.",
    |_| {
        let mut evidence = Evidence::new();
        for (m, eta, until) in [(1000.0, 0.5, 30.0), (20.0, 2.0, 50.0)] {
            let rate = |_: f64, h: &[f64]| vec![eta / (m - 1.0 + (m * h[0]).exp())];
            let h = stepped(rate, &[0.0], until, 4000)[0];
            let what =
                format!("(45) along 4000 steps of order 4, M = {m}, eta_Y = {eta}, t = {until}");
            let (left, right) = ((m * h).exp() + (m - 1.0) * m * h, m * eta * until + 1.0);
            evidence = evidence.printed(Measurement::relative(what, right, left, 1e-9));
        }
        Ok(evidence)
    },
);

/// Vocabularies and rates on which steps and continuous time are compared.
fn grid() -> impl Iterator<Item = (f64, f64)> {
    [50.0, 1000.0]
        .into_iter()
        .flat_map(|m| [0.05, 0.2, 1.0, 5.0, 20.0].into_iter().map(move |eta| (m, eta)))
}

/// `M h*` and `M h` after each step, up to where the exponential rules.
fn pairs(m: f64, eta: f64) -> Vec<(f64, f64)> {
    let count = (30.0_f64).max(8.0 * m.ln() / eta) as usize;
    let stepped = leads(m, eta, count).into_iter().enumerate();
    stepped.map(|(s, x)| (x, lead(m, eta * s as f64))).collect()
}

pub(super) const LEMMA_7_BOUND: Claim = Claim::new(
    "scan-and-snap/lemma-7a",
    "Lemma 7(a), first half",
    Kind::Equation,
    "$0 \\le h^*(s) - h(s) \\le 2 \\eta_Y/M$ for all $s$.",
    |_| {
        let gaps = |m: f64, eta: f64| -> Vec<f64> {
            pairs(m, eta).iter().map(|(stepped, lead)| (stepped - lead) / (2.0 * eta)).collect()
        };
        let part = |m: f64| {
            largest(grid().filter(|case| case.0 == m).map(|(m, eta)| largest(gaps(m, eta))))
        };
        let low = smallest(grid().map(|(m, eta)| smallest(gaps(m, eta))));
        Ok(Evidence::new()
            .printed(Measurement::at_least(
                "least gap, M = 50 and 1000, eta_Y = 0.05 to 20",
                -1e-13,
                low,
            ))
            .printed(Measurement::at_most("largest gap over the bound, M = 50", 1.0, part(50.0)))
            .printed(Measurement::at_most(
                "largest gap over the bound, M = 1000",
                1.0,
                part(1000.0),
            )))
    },
);

pub(super) const LEMMA_7_SHIFT: Claim = Claim::new(
    "scan-and-snap/lemma-7a-shift",
    "Lemma 7(a), second half",
    Kind::Equation,
    "A constant $c = \\Theta(1)$ has $h(s + c) \\ge h^*(s) \\ge h(s)$ for all $s \\le \\ln M/\\eta_Y$.",
    |_| {
        let needed = |m: f64, eta: f64| {
            let stepped = leads(m, eta, (m.ln() / eta) as usize).into_iter().enumerate();
            largest(stepped.map(|(s, x)| steps_for(m, x) / eta - s as f64))
        };
        let cases = [30.0, 1e3, 1e6, 1e9].into_iter().flat_map(|m: f64| {
            [0.01, 0.1, 0.5, 1.0, 5.0].into_iter().map(move |eta| needed(m, eta))
        });
        Ok(Evidence::new()
            .printed(Measurement::at_most(
                "largest c that is needed, M = 30 to 10^9, eta_Y = 0.01 to 5, beside ln(2)/2",
                0.5 * 2.0_f64.ln(),
                largest(cases),
            ))
            .note("$c = 1/2 \\ln((M - 1 + e^{M h})/M)$ up to corrections of the next order in $\\eta_Y$."))
    },
);

pub(super) const LEMMA_7_CONDITIONS: Claim = Claim::new(
    "scan-and-snap/lemma-7-proof",
    "Lemma 7(a), proof, Eqs. (46) and (47)",
    Kind::Equation,
    "At every step $h(s)$ lies between $h^*(s - 1)$ and $h^*(s)$, or the gap $h^* - h$ has shrunk; and $h$ is never \
     above the straight pieces through $h^*$.",
    |_| {
        let (mut broken, mut steps, mut above) = (0, 0, f64::NEG_INFINITY);
        for (m, eta) in grid() {
            let all = pairs(m, eta);
            for s in 1..all.len() {
                let ((before, was), (now, is)) = (all[s - 1], all[s]);
                steps += 1;
                broken += usize::from(!((before..=now).contains(&is) || now - is < before - was));
                for part in [0.25, 0.5, 0.75] {
                    let straight = before + part * (now - before);
                    above = above.max(lead(m, eta * (s as f64 - 1.0 + part)) - straight);
                }
            }
        }
        let what =
            format!("steps of {steps} where neither is so, M = 50 and 1000, eta_Y = 0.05 to 20");
        Ok(Evidence::new()
            .printed(Measurement::count(what, 0, broken))
            .printed(Measurement::at_most("largest M h above the pieces", 1e-13, above)))
    },
);

/// `M (h* - h)` at the last of so many steps, and the shift `c` with `h(s + c) = h*(s)`.
fn last_gap(m: f64, eta: f64, steps: usize) -> (f64, f64, f64) {
    let x = leads(m, eta, steps)[steps];
    let s = steps as f64;
    (x - lead(m, eta * s), steps_for(m, x) / eta - s, x)
}

pub(super) const LEMMA_7_LIMIT: Claim = Claim::new(
    "scan-and-snap/lemma-7b",
    "Lemma 7(b) and Fig. 8",
    Kind::Equation,
    "$h^*(s) - h(s) \\to 0$ as $s \\to \\infty$.",
    |_| {
        let mut evidence = Evidence::new();
        for (m, eta) in [(100.0, 1.0), (1000.0, 10.0)] {
            let gaps = [100, 1000, 10_000, 100_000].map(|steps| last_gap(m, eta, steps).0);
            let falls = largest((1..4).map(|i| gaps[i] / gaps[i - 1]));
            evidence = evidence
                .printed(Measurement::at_most(
                    format!("largest M (h* - h) over that of a tenth of the steps, up to 10^5, M = {m}, eta_Y = {eta}"),
                    0.2,
                    falls,
                ))
                .printed(Measurement::at_most(format!("M (h* - h) after 10^5 steps, M = {m}"), 1e-4, gaps[3]));
        }
        // The curves of Fig. 8: 1000 tokens, rates of 1 and 10.
        let shown = [
            (1.0, 10, [7.9216, 7.7310]),
            (1.0, 100, [11.4175, 11.3921]),
            (10.0, 10, [11.689, 11.392]),
        ];
        for (eta, s, values) in shown {
            let x = leads(1000.0, eta, s)[s];
            let found = [x, lead(1000.0, eta * s as f64)];
            let what = format!("M h* and M h of Fig. 8, eta_Y = {eta}, s = {s}");
            evidence = evidence.printed(Measurement::each(what, &values, &found, 1e-3));
        }
        Ok(evidence)
    },
);

pub(super) const LEMMA_7_GAP: Claim = Claim::new(
    "scan-and-snap/lemma-7b-proof",
    "Lemma 7(b), proof, before Eq. (48)",
    Kind::Equation,
    "For any $\\epsilon$ in $(0, 2 \\eta_Y/M]$ there is a step from which on $h(s + 1) - h(s) \\le \\epsilon + \
     \\ln(1/2)/M$.",
    |_| {
        // M epsilon = 0.5, allowed for eta_Y = 0.5; all in units of 1/M.
        let (m, eta, epsilon) = (100.0, 0.5, 0.5);
        let rise = |s: f64| lead(m, eta * (s + 1.0)) - lead(m, eta * s);
        let least = smallest(by_factors(1.0, 1e8, 40).into_iter().map(rise));
        let late = largest(by_factors(1e3, 1e8, 40).into_iter().map(rise));
        let what = "M (h(s + 1) - h(s)), M = 100, eta_Y = 0.5, M epsilon = 0.5: the least up to s = 10^8";
        Ok(Evidence::new()
            .printed(Measurement::at_most(what, epsilon - 2.0_f64.ln(), least))
            .corrected(Measurement::at_most(
                "the largest from s = 1000 on beside M epsilon/2",
                0.5 * epsilon,
                late,
            ))
            .note("As $h$ grows, the printed bound needs $M \\epsilon > \\ln 2$. With $\\epsilon/2$ in its place the \
                   chain of (48) goes through, its factor 1/2 becoming $1 - e^{-M \\epsilon/2}$, and the lemma \
                   stands."))
    },
)
.corrected("$h(s + 1) - h(s) \\le \\epsilon/2$: for $\\epsilon \\le \\ln 2/M$ the printed bound is negative");

pub(super) const REMARK_2: Claim = Claim::new(
    "scan-and-snap/remark-2",
    "Remark 2",
    Kind::Equation,
    "With $\\eta_Y = O(1)$ a constant $c = O(\\ln M)$ has $h(s) \\le h^*(s) \\le h(s + c)$ for all large $s$, as \
     $h^* - h \\approx O(\\ln M/(M s))$.",
    |_| {
        let mut evidence = Evidence::new();
        for (m, eta) in [(100.0, 1.0), (100.0, 0.3), (10.0, 0.5)] {
            let shift = |steps: usize| last_gap(m, eta, steps).1;
            let name = format!("M = {m}, eta_Y = {eta}");
            let (early, late) = (shift(2000), shift(300_000));
            let predicted = 0.5 * ((m - 1.0 + last_gap(m, eta, 300_000).2.exp()) / m).ln();
            evidence = evidence
                .printed(Measurement::at_most(
                    format!("the c that is needed after 300 000 steps over that after 2000, {name}"),
                    1.05,
                    late / early,
                ))
                .corrected(Measurement::relative(
                    format!("the c that is needed after 300 000 steps, {name}"),
                    predicted,
                    late,
                    0.01,
                ));
        }
        Ok(evidence.note("The remark leaves out what every step adds to the gap, half the second derivative of $h$. \
                          The print has $s_1 = 2 \\ln(1 + \\omega_1)/\\eta_Y$ for $2 (1 + \\omega_1) \\ln M/\\eta_Y$."))
    },
)
.corrected(
    "no constant is enough: $c = \\frac12 \\ln((M - 1 + e^{M h})/M)$, which grows as $\\frac12 \\ln(\\eta_Y s)$ and \
     passes any multiple of $\\ln M$; $h^* - h \\approx \\ln(\\eta_Y s)/(2 M s)$",
);

pub(super) const EQ_48_TIME: Claim = Claim::new(
    "scan-and-snap/lemma-7b-time",
    "Lemma 7(b), proof: the step $s_0''$",
    Kind::Equation,
    "From $s = (3 + \\delta) \\ln M/\\eta_Y$ on, $e^{M h} > 2 (M - 1)$.",
    |_| {
        let ratio = |m: f64| lead(m, 3.0 * m.ln()).exp() / (2.0 * (m - 1.0));
        let least = smallest(by_factors(10.0, 1e12, 40).into_iter().map(ratio));
        let what = "least left side over the right at 3 ln M/eta_Y, M = 10 to 10^12";
        Ok(Evidence::new().printed(Measurement::at_least(what, 1.0, least)))
    },
);

pub(super) const REPLACED: Claim = Claim::new(
    "scan-and-snap/h-for-h-star",
    "D.3, after Remark 2",
    Kind::Equation,
    "With $\\eta_Y < 1$, $h$ can stand for $h^*$ in all that follows.",
    |_| {
        let apart = |m: f64, eta: f64| {
            let all = pairs(m, eta);
            largest(all[1..].iter().map(|(stepped, lead)| stepped / lead - 1.0))
        };
        let what = |eta: f64| format!("largest (h* - h)/h, M = 1000, eta_Y = {eta}");
        Ok(Evidence::new()
            .printed(Measurement::absolute(what(0.1), 0.0, apart(1000.0, 0.1), 0.01).loosely(0.03))
            .printed(
                Measurement::absolute(what(0.99), 0.0, apart(1000.0, 0.99), 0.01).loosely(0.03),
            ))
    },
)
.recorded(Verdict::Approximately);
