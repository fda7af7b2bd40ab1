//! Section 3.2, appendices D.5 and D.6: one head that learns one eigenvector, and how long it takes.

use saddlescope::claim::{Claim, ClaimError, Evidence, Kind, Measurement, Trial, Verdict};
use saddlescope::event::{Condition, Event};
use saddlescope::flow::Flow;
use saddlescope::record::Silent;
use saddlescope::theory::ReducedTheory;
use saddlescope::{Draw, GradientFlow, Landscape};

use super::super::theory::{Slots, norms};
use super::super::{Basis, Context, Population, ScalarLaw, Shape, StageLaw, Task, Theory};
use super::matrix::Matrix;
use super::tools::{
    Moments, ROUNDING, evaluated, figure_1, flow, matrices, median, on_plateaus, random, snapshots,
    start_seed, stepped, stream, times, written_start,
};

type Outcome = Result<Evidence, ClaimError>;

/// `lambda^2 v^2 - lambda a v^5` with `a` of Eq. (18) at `N = 31`: Eq. (7), (36), (42) for `tau = 1`.
fn printed_speed(task: &Task, d: usize, v: f64) -> f64 {
    let l = task.eigenvalues()[d];
    l * l * v * v - l.powi(3) * (1.0 + (1.0 + task.trace() / l) / 31.0) * v.powi(5)
}

/// On the ansatz of stage `m`: the whole model's rates beside `v' (1, e, e)` in head `m + 1` and 0 elsewhere.
fn stage(m: usize) -> Outcome {
    let (task, shape) = (figure_1()?, Shape::new(4, 5, 1)?);
    let landscape = Population::new(&task, shape, 1.0)?;
    let law = StageLaw::new(&task, shape, m, 1.0)?;
    let (mut printed, mut measured) = (Vec::new(), Vec::new());
    for v in [0.05, 0.4, 0.9, 1.2] {
        let weights = law.lift(&[v]);
        let slope = evaluated(&landscape, &weights)?.1;
        measured.extend(slope.iter().map(|slope| -0.5 * slope));
        let mut rates = vec![0.0; weights.len()];
        let speed = printed_speed(&task, m, v);
        let mut along = vec![0.0; 4];
        along[m] = speed;
        shape.set_pair(&mut rates, m, 0, speed, &along);
        printed.extend(rates);
    }
    let what = format!("all rates of the whole model on the ansatz, m = {m}, four values of v");
    Ok(Evidence::new().printed(Measurement::each(what, &printed, &measured, ROUNDING)))
}

pub(super) const EQ_36: Claim = Claim::new(
    "linear-attention/eq-36",
    "Eqs. (34), (35), (36)",
    Kind::Equation,
    "With $k_1 = q_1 = v_1 e_1$ and all other heads zero, gradient flow is $\\tau \\dot v_1 = \\lambda_1^2 v_1^2 - \
     \\lambda_1 a_1 v_1^5$, and keeps that form.",
    |_| stage(0),
);

pub(super) const EQ_42: Claim = Claim::new(
    "linear-attention/eq-42",
    "Eqs. (6), (7), (42)",
    Kind::Equation,
    "On the ansatz (6), gradient flow is $\\tau \\dot v_i = \\lambda_{m+1}^2 v_i^2 - \\lambda_{m+1}^3 (1 + (1 + \
     tr(\\Lambda)/\\lambda_{m+1})/N) v_i^5$ in head $m + 1$ and zero in all others.",
    |_| {
        let mut all = Evidence::new();
        for m in 1..4 {
            all.printed.extend(stage(m)?.printed);
        }
        Ok(all)
    },
);

pub(super) const ALIGNED: Claim = Claim::new(
    "linear-attention/aligned",
    "Eqs. (6), (7), added: all heads at once",
    Kind::Dynamics,
    "From $k_i = q_i = v_i e_i$ in every head, the whole flow is Eq. (7) in each head at all times, whatever the \
     others do.",
    |_| {
        let (task, shape) = (figure_1()?, Shape::new(4, 4, 1)?);
        let start = shape.aligned_start(&task, &[0.02; 4])?;
        let found = times(&flow(&task, shape, &start)?)?;
        let landscape = Population::new(&task, shape, 1.0)?;
        let end = Flow::default().until(2000.0).run(
            &GradientFlow::new(&landscape),
            0.0,
            &start,
            &mut Silent,
        )?;
        let (mut printed, mut measured) = (Vec::new(), Vec::new());
        for (d, head) in shape.iter(&end.state).enumerate() {
            // The scalar law by another solver, from the closed form of its time.
            let value = ScalarLaw::of_stage(&task, d, 1.0)?.value_at(0.02, 2000.0)?;
            let mut vector = vec![0.0; 4];
            vector[d] = value;
            printed.extend([vec![value], vector.clone(), vector].concat());
            measured.extend([&[head.value][..], head.key, head.query].concat());
        }
        let known = [306.517_601_044, 545.816_100_522, 1_230.560_818_32, 4_935.622_498_51];
        let mut evidence = Evidence::new().printed(Measurement::each(
            "all weights at time 2000, start 0.02",
            &printed,
            &measured,
            1e-7,
        ));
        for (m, (known, found)) in known.into_iter().zip(found).enumerate() {
            let what = format!("time of drop {}, by an independent implementation", m + 1);
            evidence = evidence.printed(Measurement::relative(what, known, found, 1e-7));
        }
        Ok(evidence)
    },
);

pub(super) const EQ_6_SIGN: Claim = Claim::new(
    "linear-attention/eq-6-sign",
    "Eqs. (6a), (6b), (34a)",
    Kind::Dynamics,
    "A head that has learned an eigenvector has $k_i = q_i = v_i e_i$ with $v_i = (\\lambda_i/a_i)^{1/3} > 0$.",
    |trial| {
        let (task, shape) = (figure_1()?, Shape::new(4, 4, 1)?);
        let (mut negative, mut opposed, mut heads) = (0, 0, 0);
        let mut misses = Vec::new();
        let best = Theory::new(&task).optimal_values();
        for seed in 0..8 {
            let end = settled(&task, shape, &shape.random_start(0.01, start_seed(trial, seed))?)?;
            let owners = Theory::new(&task).dominant_heads(shape, &end);
            for (d, &owner) in owners.iter().enumerate() {
                let head = &end[owner * shape.head_len()..][..shape.head_len()];
                let (value, key, query) = (head[0], head[1 + d], head[5 + d]);
                heads += 1;
                negative += usize::from(value < 0.0);
                opposed += usize::from(value * key * query < 0.0);
                let miss = |part: f64| (part.abs() / best[d] - 1.0).abs();
                misses.push(miss(value).max(miss(key)).max(miss(query)));
            }
        }
        Ok(Evidence::new()
            .printed(Measurement::count(
                format!("heads with v_i < 0 among the {heads} of 8 runs"),
                0,
                negative,
            ))
            .corrected(Measurement::count("heads with sign(k q) other than sign(v)", 0, opposed))
            .corrected(Measurement::absolute(
                "relative miss of |v|, |k| and |q|, the middle one of all heads",
                0.0,
                median(&misses),
                0.01,
            )))
    },
)
.corrected(
    "$|v_i| = |k_i| = |q_i| = (\\lambda_i/a_i)^{1/3}$ with $q_i = sign(v_i) k_i$ along $\\pm e_i$: heads that start with \
     $v_i < 0$ stay there, with $k_i = -q_i$; on $k_i = q_i = v_i e_i$ with $v_i < 0$, Eq. (7) goes back to 0",
);

/// The end of the flow, long after the last drop.
pub(super) fn settled(task: &Task, shape: Shape, start: &[f64]) -> Result<Vec<f64>, ClaimError> {
    let landscape = Population::new(task, shape, 1.0)?;
    let floor = Theory::new(task).least_loss();
    let event = Event::stop(Condition::Converged { floor, tolerance: 1e-12 });
    let flow = Flow::default().event(event);
    Ok(flow.run(&GradientFlow::new(&landscape), 0.0, start, &mut Silent)?.state)
}

/// The right-hand side of (37) without its constant, with `c = a/lambda`.
fn closed_form(c: f64, v: f64) -> f64 {
    let b = c.cbrt();
    let three = 3.0_f64.sqrt();
    let fraction = ((b * b * v * v + b * v + 1.0) / (b * b * v * v - 2.0 * b * v + 1.0)).ln();
    b / 6.0 * (fraction - 2.0 * three * ((2.0 * b * v + 1.0) / three).atan()) - 1.0 / v
}

/// Simpson's rule in `ln v`.
fn integral(integrand: impl Fn(f64) -> f64, from: f64, to: f64) -> f64 {
    const PARTS: usize = 20_000;
    let h = (to / from).ln() / PARTS as f64;
    let term = |i: usize| {
        let v = from * (i as f64 * h).exp();
        let weight = if i == 0 || i == PARTS { 1.0 } else { [2.0, 4.0][i % 2] };
        weight * v * integrand(v)
    };
    (0..=PARTS).map(term).sum::<f64>() * h / 3.0
}

/// `c = a_1/lambda_1` of Fig. 1.
fn first_ratio(task: &Task) -> f64 {
    task.second_moment_eigenvalues()[0] / task.eigenvalues()[0]
}

pub(super) const EQ_37: Claim = Claim::new(
    "linear-attention/eq-37",
    "Eq. (37), second line",
    Kind::Equation,
    "The closed form of $(\\lambda_1^2/\\tau) t$ as a function of $v_1$, with a logarithm, an arc tangent and \
     $-1/v_1$.",
    |_| {
        let task = figure_1()?;
        let (c, l) = (first_ratio(&task), task.eigenvalues()[0]);
        let (from, to) = (0.1, 1.2);
        let closed = closed_form(c, to) - closed_form(c, from);
        let direct = integral(|v| 1.0 / (v * v - c * v.powi(5)), from, to);
        // The head of the whole model, from 0.1 to 1.2.
        let shape = Shape::new(4, 1, 1)?;
        let landscape = Population::new(&task, shape, 1.0)?;
        let start = shape.aligned_start(&task, &[from])?;
        let end = Flow::default()
            .event(Event::stop(Condition::ParameterCrosses { index: 0, value: to }))
            .run(&GradientFlow::new(&landscape), 0.0, &start, &mut Silent)?;
        Ok(Evidence::new()
            .printed(Measurement::relative(
                "Simpson's rule for (36) from v = 0.1 to 1.2",
                closed,
                direct,
                1e-10,
            ))
            .printed(Measurement::relative(
                "flow of the whole model between the same",
                closed,
                l * l * end.time,
                1e-7,
            ))
            .note(
                "The constant of integration is left out in print: the time is the difference of the closed form \
                 at $v_1(t)$ and at $v_1(0)$.",
            ))
    },
);

pub(super) const EQ_37_INTEGRAND: Claim = Claim::new(
    "linear-attention/eq-37-integrand",
    "Eq. (37), first line",
    Kind::Equation,
    "$(\\lambda_1^2/\\tau) t = \\int dv_1 / (v_1^2 - (a_1/\\lambda_1) v_1^2)$.",
    |_| {
        let c = first_ratio(&figure_1()?);
        let (from, to) = (0.1, 1.2);
        let closed = closed_form(c, to) - closed_form(c, from);
        let printed = integral(|v| 1.0 / (v * v - c * v * v), from, to);
        let right = integral(|v| 1.0 / (v * v - c * v.powi(5)), from, to);
        let what = "from v = 0.1 to 1.2, beside the closed form of the second line";
        Ok(Evidence::new()
            .printed(Measurement::relative(what, printed, closed, 1e-10))
            .corrected(Measurement::relative(what, right, closed, 1e-10)))
    },
)
.corrected("$\\int dv_1 / (v_1^2 - (a_1/\\lambda_1) v_1^5)$: the power in the second term is 5");

/// The time at which half of the drop `d` is done, from a head `k = q = v0 e_d` alone.
fn half_time(task: &Task, d: usize, v0: f64) -> Result<f64, ClaimError> {
    let shape = Shape::new(4, 4, 1)?;
    let landscape = Population::new(task, shape, 1.0)?;
    let learned: Vec<usize> = (0..d).collect();
    let mut start = Theory::new(task).weights_at(shape, &learned, Slots::HeadEach)?;
    let mut vector = vec![0.0; 4];
    vector[d] = v0;
    shape.set_pair(&mut start, d, 0, v0, &vector);
    let level = Theory::new(task).mid_levels()[d];
    let flow = Flow::default().event(Event::stop(Condition::LossBelow(level)));
    Ok(flow.run(&GradientFlow::new(&landscape), 0.0, &start, &mut Silent)?.time)
}

pub(super) const EQ_38: Claim = Claim::new(
    "linear-attention/eq-38",
    "Eq. (38)",
    Kind::Dynamics,
    "The first plateau lasts $t_1 \\approx \\tau/(\\lambda_1^2 v_1(0))$ from the aligned start (34).",
    |_| {
        let task = figure_1()?;
        let mut evidence = Evidence::new();
        for v0 in [0.01, 0.001] {
            let found = half_time(&task, 0, v0)?;
            let what = format!("time of half the first drop, v(0) = {v0}");
            let printed = 1.0 / (0.16 * v0);
            evidence =
                evidence.printed(Measurement::relative(what, printed, found, 1e-4).loosely(0.02));
        }
        Ok(evidence.note("The miss shrinks in proportion to $v_1(0)$."))
    },
)
.recorded(Verdict::Approximately);

pub(super) const EQ_38_RANDOM: Claim = Claim::new(
    "linear-attention/eq-38-random",
    "Eq. (38), used for the random start (20)",
    Kind::Dynamics,
    "The first plateau lasts $t_1 \\approx \\tau/(\\lambda_1^2 v_1(0))$ from the random start of the simulations.",
    |_| {
        let (task, shape) = (figure_1()?, Shape::new(4, 4, 1)?);
        let start = written_start(shape)?;
        let end = flow(&task, shape, &start)?;
        let owner = Theory::new(&task).dominant_heads(shape, &end.state)[0];
        let lengths = norms(shape, &start)[owner];
        let [k, q] = [lengths.key / lengths.value, lengths.query / lengths.value];
        let printed = 1.0 / (0.16 * lengths.value);
        let what = "time of half the first drop, w_init = 0.05";
        Ok(Evidence::new()
            .assuming(
                format!(
                    "the head that grows starts with $|k| = |q| = |v|$: here $|k|/|v| = {k:.2}$, \
                     $|q|/|v| = {q:.2}$"
                ),
                (k - 1.0).abs() < 0.05 && (q - 1.0).abs() < 0.05,
            )
            .printed(Measurement::relative(what, printed, times(&end)?[0], 0.1))
            .note("What holds for random starts is the scaling: `initial-scale`."))
    },
)
.assuming(&["$k_1 = q_1 = v_1 e_1$ at the start (34)"])
.recorded(Verdict::AssumptionNotMet);

pub(super) const EQ_43: Claim = Claim::new(
    "linear-attention/eq-43",
    "Eq. (43)",
    Kind::Dynamics,
    "Plateau $m + 1$ lasts $t_{m+1} - t_m \\approx \\tau/(\\lambda_{m+1}^2 v_{m+1}(t_m))$ from the aligned start.",
    |_| {
        let (task, shape) = (figure_1()?, Shape::new(4, 4, 1)?);
        let mut evidence = Evidence::new();
        for v0 in [0.02, 0.002] {
            let start = shape.aligned_start(&task, &[v0; 4])?;
            let times = times(&flow(&task, shape, &start)?)?;
            let states = snapshots(&task, shape, &start, &times[..3])?;
            for (m, state) in states.iter().enumerate() {
                let value = state.state[(m + 1) * shape.head_len()];
                let printed = 1.0 / (task.eigenvalues()[m + 1].powi(2) * value);
                let what = format!("plateau {}, v(0) = {v0} in all heads", m + 2);
                let found = times[m + 1] - times[m];
                evidence = evidence
                    .printed(Measurement::relative(what, printed, found, 1e-3).loosely(0.06));
            }
        }
        Ok(evidence)
    },
)
.recorded(Verdict::Approximately);

pub(super) const EQ_43_RANDOM: Claim = Claim::new(
    "linear-attention/eq-43-random",
    "Eq. (43), used for the random start (20)",
    Kind::Dynamics,
    "Later plateaus last $\\tau/(\\lambda_{m+1}^2 v_{m+1}(t_m))$ from the random start of the simulations.",
    |_| {
        let (task, shape) = (figure_1()?, Shape::new(4, 4, 1)?);
        let start = written_start(shape)?;
        let end = flow(&task, shape, &start)?;
        let times = times(&end)?;
        let owners = Theory::new(&task).dominant_heads(shape, &end.state);
        let states = snapshots(&task, shape, &start, &times[..3])?;
        let mut evidence = Evidence::new();
        let mut ratios = Vec::new();
        for (m, state) in states.iter().enumerate() {
            let lengths = norms(shape, &state.state)[owners[m + 1]];
            ratios.push(lengths.key / lengths.value);
            let printed = 1.0 / (task.eigenvalues()[m + 1].powi(2) * lengths.value);
            let what = format!("plateau {}, w_init = 0.05", m + 2);
            evidence = evidence.printed(Measurement::relative(
                what,
                printed,
                times[m + 1] - times[m],
                0.1,
            ));
        }
        let words: Vec<String> = ratios.iter().map(|ratio| format!("{ratio:.2}")).collect();
        Ok(evidence.assuming(
            format!(
                "the next head has $|k| = |v|$ when a plateau begins: here $|k|/|v|$ = {}",
                words.join(", ")
            ),
            ratios.iter().all(|ratio| (ratio - 1.0).abs() < 0.05),
        ))
    },
)
.assuming(&["$k_{m+1} = q_{m+1} = v_{m+1} e_{m+1}$ when the plateau begins (6b)"])
.recorded(Verdict::AssumptionNotMet);

pub(super) const SQUARE_LAW: Claim = Claim::new(
    "linear-attention/inverse-square",
    "Section 3.2",
    Kind::Dynamics,
    "The time that a head needs to learn $e_m$ from a small start scales as $\\lambda_m^{-2}$.",
    |_| {
        let task = figure_1()?;
        let mut evidence = Evidence::new();
        let first = half_time(&task, 0, 1e-3)? * 0.16;
        for (d, l) in task.eigenvalues().iter().enumerate().skip(1) {
            let scaled = half_time(&task, d, 1e-3)? * l * l;
            let what = format!("time times lambda_{}^2 over that of lambda_1, v(0) = 0.001", d + 1);
            evidence = evidence
                .printed(Measurement::relative(what, 1.0, scaled / first, 1e-4).loosely(0.01));
        }
        Ok(evidence)
    },
)
.assuming(&["all heads start from the same small $v(0)$"])
.recorded(Verdict::Approximately);

pub(super) const EQ_31: Claim = Claim::new(
    "linear-attention/eq-31",
    "Eq. (31), first display of D.6.1",
    Kind::Equation,
    "Near $M_m$, heads of size $w$ move as $\\tau \\dot v_i = k_i^T \\Omega q_i$, $\\tau \\dot k_i = v_i \\Omega q_i$, \
     $\\tau \\dot q_i = v_i \\Omega k_i$ with $\\Omega = \\sum_{d > m} \\lambda_d^2 e_d e_d^T$, up to $O(w^5)$.",
    |trial| {
        let (task, shape) = (figure_1()?, Shape::new(4, 6, 1)?);
        let landscape = Population::new(&task, shape, 1.0)?;
        let direction = random(shape.parameters(), 1.0, &mut stream(trial, 0));
        let l = task.eigenvalues();
        let mut evidence = Evidence::new();
        for m in 0..3 {
            let learned: Vec<usize> = (0..m).collect();
            let base = Theory::new(&task).weights_at(shape, &learned, Slots::HeadEach)?;
            let rest = |w: f64| -> Result<f64, ClaimError> {
                let mut weights = base.clone();
                let small = m * shape.head_len()..;
                for (weight, direction) in weights[small.clone()].iter_mut().zip(&direction[small])
                {
                    *weight = w * direction;
                }
                let slope = evaluated(&landscape, &weights)?.1;
                let mut most: f64 = 0.0;
                for (head, slope) in shape.iter(&weights).zip(shape.iter(&slope)).skip(m) {
                    let omega = |x: &[f64], d: usize| if d < m { 0.0 } else { l[d] * l[d] * x[d] };
                    let sum: f64 = (0..4).map(|d| head.key[d] * omega(head.query, d)).sum();
                    most = most.max((-0.5 * slope.value - sum).abs());
                    for d in 0..4 {
                        let (k, q) = (omega(head.query, d), omega(head.key, d));
                        most = most.max((-0.5 * slope.key[d] - head.value * k).abs());
                        most = most.max((-0.5 * slope.query[d] - head.value * q).abs());
                    }
                }
                Ok(most)
            };
            let order = (rest(0.1)? / rest(0.05)?).log2();
            let what = format!("power of w in the rest, from w = 0.05 to 0.1, m = {m}");
            evidence = evidence.printed(Measurement::absolute(what, 5.0, order, 1e-6));
        }
        Ok(evidence)
    },
);

/// `[k; q]` at time `t` under `d/dt [k; q] = v(t) [[0, Omega], [Omega, 0]] [k; q]` with a made-up `v(t)`.
struct Linear {
    omega: Matrix,
    start: Vec<f64>,
    end: f64,
}

impl Linear {
    fn value(t: f64) -> f64 {
        0.4 + (3.0 * t).cos()
    }

    /// The integral of `v`.
    fn clock(t: f64) -> f64 {
        0.4 * t + (3.0 * t).sin() / 3.0
    }

    fn solved(&self) -> Vec<f64> {
        let rate = |t: f64, y: &[f64]| {
            let (k, q) = y.split_at(4);
            let scale = Self::value(t);
            let parts =
                [&self.omega * Matrix::column(q) * scale, &self.omega * Matrix::column(k) * scale];
            parts.iter().flat_map(|part| part.entries().to_vec()).collect()
        };
        stepped(rate, &self.start, self.end, 4000)
    }

    /// The first two sums of (33) and (40), over the eigenvectors from `m` on.
    fn grown(&self, task: &Task, m: usize) -> Vec<f64> {
        let (k, q) = self.start.split_at(4);
        let mut sum = vec![0.0; 8];
        for d in m..4 {
            let e = task.eigenvector(d);
            let rate = task.eigenvalues()[d].powi(2) * Self::clock(self.end);
            let dot = |x: &[f64]| e.iter().zip(x).map(|(e, x)| e * x).sum::<f64>();
            let plus = 0.5 * (dot(k) + dot(q)) * rate.exp();
            let minus = 0.5 * (dot(k) - dot(q)) * (-rate).exp();
            for i in 0..4 {
                sum[i] += (plus + minus) * e[i];
                sum[4 + i] += (plus - minus) * e[i];
            }
        }
        sum
    }
}

fn linear(trial: Trial, m: usize) -> Result<(Task, Linear), ClaimError> {
    let basis = Basis::Random { seed: trial.seed };
    let task = Task::new(&[1.1, 0.9, 0.7, 0.5], basis, Context::Fixed(31))?;
    let squares: Vec<f64> =
        (0..4).map(|d| if d < m { 0.0 } else { task.eigenvalues()[d].powi(2) }).collect();
    let omega = Matrix::square(&task.in_eigenbasis(&squares), 4);
    let start = random(8, 1.0, &mut stream(trial, 0));
    Ok((task, Linear { omega, start, end: 2.0 }))
}

pub(super) const EQ_33: Claim = Claim::new(
    "linear-attention/eq-33",
    "Eqs. (32), (33)",
    Kind::Equation,
    "$k_i$ and $q_i$ under Eq. (32) are sums over the eigenvectors, with $k_i + q_i$ growing and $k_i - q_i$ decaying as \
     $\\exp(\\pm (\\lambda_d^2/\\tau) \\int v_i dt)$.",
    |trial| {
        let (task, linear) = linear(trial, 0)?;
        let what = "Runge-Kutta solution of (32) with v(t) = 0.4 + cos 3t, at t = 2";
        let (printed, measured) = (linear.grown(&task, 0), linear.solved());
        Ok(Evidence::new().printed(Measurement::each(what, &printed, &measured, 1e-10)))
    },
);

pub(super) const PLATEAU_1: Claim = Claim::new(
    "linear-attention/eq-33-plateau",
    "Eq. (33), as the model's first plateau",
    Kind::Dynamics,
    "During the first plateau, keys and queries of the whole model follow Eq. (33).",
    |_| {
        let (task, shape) = (figure_1()?, Shape::new(4, 4, 1)?);
        let landscape = Population::new(&task, shape, 1.0)?;
        let start = written_start(shape)?;
        // The weights and the integrals of the values, together, over half of the first plateau.
        let n = shape.parameters();
        let rate = |_: f64, y: &[f64]| {
            let mut rate = vec![0.0; n];
            let loss =
                landscape.evaluate(&y[..n], Draw::default(), &mut landscape.work(), &mut rate);
            // Far from any overflow, a loss always has a value; else NaN fails the claim.
            let scale = if loss.is_ok() { -0.5 } else { f64::NAN };
            rate.iter_mut().for_each(|rate| *rate *= scale);
            rate.extend(shape.iter(&y[..n]).map(|head| head.value));
            rate
        };
        let half = 0.5 * 292.178_936_558;
        let end = stepped(rate, &[&start[..], &[0.0; 4]].concat(), half, 3000);
        let mut worst: f64 = 0.0;
        for (i, (from, to)) in shape.iter(&start).zip(shape.iter(&end[..n])).enumerate() {
            let size = norms(shape, &end[..n])[i].key;
            for d in 0..4 {
                let grown = task.eigenvalues()[d].powi(2) * end[n + i];
                let plus = 0.5 * (from.key[d] + from.query[d]) * grown.exp();
                let minus = 0.5 * (from.key[d] - from.query[d]) * (-grown).exp();
                worst = worst.max((to.key[d] - plus - minus).abs() / size);
                worst = worst.max((to.query[d] - plus + minus).abs() / size);
            }
        }
        let what =
            "largest miss over the first half of the plateau, as a part of |k|, w_init = 0.05";
        Ok(Evidence::new().printed(Measurement::absolute(what, 0.0, worst, 1e-6).loosely(1e-3)))
    },
)
.recorded(Verdict::Approximately);

pub(super) const EQ_40: Claim = Claim::new(
    "linear-attention/eq-40",
    "Eq. (40), third sum",
    Kind::Equation,
    "Along the learned eigenvectors, the solution of Eq. (39) has $\\sum_{d \\le m} e_d^T (k_i(t_m) + q_i(t_m)) \
     [e_d; e_d]$.",
    |trial| {
        const M: usize = 2;
        let (task, linear) = linear(trial, M)?;
        let measured = linear.solved();
        let (k, q) = linear.start.split_at(4);
        let third = |printed: bool| {
            let mut sum = linear.grown(&task, M);
            for d in 0..M {
                let e = task.eigenvector(d);
                let dot = |x: &[f64]| e.iter().zip(x).map(|(e, x)| e * x).sum::<f64>();
                let both = dot(k) + dot(q);
                let (a, b) = if printed { (both, both) } else { (dot(k), dot(q)) };
                for i in 0..4 {
                    sum[i] += a * e[i];
                    sum[4 + i] += b * e[i];
                }
            }
            sum
        };
        let what = "Runge-Kutta solution of (39) with m = 2 and v(t) = 0.4 + cos 3t, at t = 2";
        Ok(Evidence::new()
            .printed(Measurement::each(what, &third(true), &measured, 1e-10))
            .corrected(Measurement::each(what, &third(false), &measured, 1e-10)))
    },
)
.corrected(
    "$[\\sum_{d \\le m} (e_d^T k_i(t_m)) e_d; \\sum_{d \\le m} (e_d^T q_i(t_m)) e_d]$: key and query keep what each \
     of them had; as printed, both get the sum, and the solution does not start where it should",
);

pub(super) const EQ_41: Claim = Claim::new(
    "linear-attention/eq-41",
    "Eq. (41)",
    Kind::Equation,
    "On the ansatz, $\\Lambda^2 - \\sum_d a_d e_d e_d^T (\\sum_{i \\le m} (\\lambda_d/a_d) e_i e_i^T + v_{m+1}^3 e_{m+1} \
     e_{m+1}^T) \\Lambda$ is $\\Lambda^2 - \\sum_{d \\le m} \\lambda_d^2 e_d e_d^T - \\lambda_{m+1} a_{m+1} v_{m+1}^3 e_{m+1} \
     e_{m+1}^T$.",
    |_| {
        let (task, shape) = (figure_1()?, Shape::new(4, 4, 1)?);
        let (l, a) = (task.eigenvalues(), task.second_moment_eigenvalues());
        let (m, v) = (2, 0.6_f64);
        let weights = StageLaw::new(&task, shape, m, 1.0)?.lift(&[v]);
        let common = Moments::new(&task, shape, &weights).common();
        let outer =
            |d: usize| Matrix::from_fn(4, 4, |i, j| if i == d && j == d { 1.0 } else { 0.0 });
        let covariance = Moments::new(&task, shape, &weights).covariance;
        let squared = &covariance * &covariance;
        let (mut first, mut second) = (squared.clone(), squared);
        for d in 0..4 {
            let mut inner = outer(m) * (v.powi(3));
            (0..m).for_each(|i| inner += outer(i) * (l[d] / a[d]));
            first -= outer(d) * inner * &covariance * (a[d]);
        }
        (0..m).for_each(|d| second -= outer(d) * (l[d] * l[d]));
        second -= outer(m) * (l[m] * a[m] * v.powi(3));
        Ok(Evidence::new()
            .printed(matrices("first line, m = 2, v = 0.6, beside (23)", &first, &common, ROUNDING))
            .printed(matrices("second line beside (23)", &second, &common, ROUNDING))
            .note(
                "The inner factor $\\lambda_d/a_d$ carries the index of the outer sum, where $\\lambda_i/a_i$ would be \
                 clearer. With the outer sum over the whole product, as one reads it, both are the same, since only \
                 $d = i$ survives.",
            ))
    },
);

pub(super) const NUMBERING: Claim = Claim::new(
    "linear-attention/plateau-number",
    "Appendix D.6.1, first sentence",
    Kind::Dynamics,
    "During the $m$-th plateau, $m$ heads have grown and aligned with the first $m$ eigenvectors.",
    |_| {
        let (task, shape) = (figure_1()?, Shape::new(4, 4, 1)?);
        let states = on_plateaus(&task, shape, &written_start(shape)?)?;
        let grown =
            |state: &[f64]| shape.iter(state).filter(|head| head.value.abs() > 0.5).count() as f64;
        let measured: Vec<f64> = states.iter().map(|state| grown(&state.state)).collect();
        let what = "grown heads half way along plateaus 1, 2, 3, 4";
        Ok(Evidence::new()
            .printed(Measurement::each(what, &[1.0, 2.0, 3.0, 4.0], &measured, 0.0))
            .corrected(Measurement::each(what, &[0.0, 1.0, 2.0, 3.0], &measured, 0.0)))
    },
)
.corrected("during the $(m + 1)$-th plateau, as in section 3.2 and Eq. (6)");
