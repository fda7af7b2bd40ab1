//! Section 3.2, appendices D.5 and D.6: one head that learns one eigenvector, and how long it takes.

use saddlescope::GradientFlow;
use saddlescope::claim::{Claim, ClaimError, Evidence, Kind, Measurement};
use saddlescope::flow::Flow;
use saddlescope::record::Silent;
use saddlescope::theory::ReducedTheory;

use super::super::{Population, ScalarLaw, Shape, StageLaw, Task, Theory};
use super::matrix::Matrix;
use super::tools::{
    Moments, ROUNDING, evaluated, figure_1, flow, matrices, median, on_plateaus, settled,
    start_seed, times, written_start,
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
            ))
            .note("Appendix D.5.1 does say that keys and queries grow apart where $v_i < 0$."))
    },
)
.corrected(
    "$|v_i| = |k_i| = |q_i| = (\\lambda_i/a_i)^{1/3}$ with $q_i = sign(v_i) k_i$ along $\\pm e_i$: about half of \
     the heads end with $v_i < 0$ and $k_i = -q_i$, while on $k_i = q_i = v_i e_i$ with $v_i < 0$ Eq. (7) goes back to 0",
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
