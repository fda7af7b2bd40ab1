//! Numbers and remarks of single figures; appendix E.5: repeated eigenvalues.

use saddlescope::claim::{Claim, ClaimError, Evidence, Kind, Measurement, Verdict};

use super::super::sample::{Sampler, Sequence};
use super::super::theory::Slots;
use super::super::{Basis, Context, Population, Shape, Task, Theory};
use super::tools::{evaluated, figure_1, flow, harmonic_world, many_times, times, world};

pub(super) const FIG_2: Claim = Claim::new(
    "linear-attention/fig-2-levels",
    "Figs. 2, 8",
    Kind::Figure,
    "The nine levels for $D = 8$, $N = 31$, $\\lambda_d \\propto 1/d$ with trace 1.",
    |_| {
        let known = [
            1.0, 0.671_465, 0.519_123, 0.424_436, 0.357_923, 0.307_885, 0.268_532, 0.236_598,
            0.210_069,
        ];
        levels(&harmonic_world()?, Shape::new(8, 8, 1)?, &known)
    },
);

pub(super) const FIG_5: Claim = Claim::new(
    "linear-attention/fig-5-levels",
    "Fig. 5",
    Kind::Figure,
    "The levels of next-token prediction with up to 31 pairs, $E(1/N) = H_{31}/31$.",
    |_| {
        let task = Task::new(&[0.4, 0.3, 0.2, 0.1], Basis::Axes, Context::Varying(31))?;
        let known = [1.0, 0.725_027, 0.533_082, 0.420_689, 0.379_520];
        levels(&task, Shape::new(4, 4, 1)?, &known)
    },
);

pub(super) const FIG_9: Claim = Claim::new(
    "linear-attention/fig-9-levels",
    "Fig. 9",
    Kind::Figure,
    "The levels for the repeated eigenvalues 0.35, 0.35, 0.15, 0.15.",
    |_| {
        let known = [1.0, 0.688_730, 0.377_459, 0.257_200, 0.136_942];
        levels(&world(&[0.35, 0.35, 0.15, 0.15], 31)?, Shape::new(4, 4, 1)?, &known)
    },
);

/// The levels of Eq. (5) or (12) beside known ones and beside the exact loss at the fixed points.
fn levels(task: &Task, shape: Shape, known: &[f64]) -> Result<Evidence, ClaimError> {
    let theory = Theory::new(task);
    let landscape = Population::new(task, shape, 1.0)?;
    let mut losses = Vec::new();
    for m in 0..known.len() {
        let learned: Vec<usize> = (0..m).collect();
        let weights = theory.weights_at(shape, &learned, Slots::HeadEach)?;
        losses.push(evaluated(&landscape, &weights)?.0);
    }
    let what = "levels beside those of an independent implementation";
    Ok(Evidence::new()
        .printed(Measurement::each(what, known, &theory.levels(), 1e-6))
        .printed(Measurement::each("exact loss at the fixed points", known, &losses, 1e-6)))
}

pub(super) const FIG_7: Claim = Claim::new(
    "linear-attention/fig-7-setting",
    "Fig. 7, caption",
    Kind::Figure,
    "The setting is that of Fig. 1(b) but for the rank; here $N = 32$ and $H = 5$. (In Fig. 1, $N = 31$ and $H = 4$.)",
    |trial| {
        let of = |pairs: usize| -> Result<Vec<f64>, ClaimError> {
            Ok(Theory::new(&world(&[0.4, 0.3, 0.2, 0.1], pairs)?).levels())
        };
        let sequence: Sequence = Sampler::new(&figure_1()?)?.sequence(trial.seed, 0);
        let columns = sequence.targets.len();
        Ok(Evidence::new()
            .printed(Measurement::each("levels of Fig. 1 and of Fig. 7", &of(31)?, &of(32)?, 1e-6))
            .corrected(Measurement::count(
                "columns of $X$ in Eq. (1) when $N = 31$, the query among them",
                32,
                columns,
            ))
            .note(
                "The two captions cannot both be right, and no computation can tell which of them is. The levels for \
                 $N = 32$ would be 1, 0.6394, 0.3752, 0.2068, 0.1324.",
            ))
    },
)
.corrected(
    "not the same: $H$ differs, and $N$ does unless 32 counts the query, too, which makes it the $N = 31$ of Fig. 1",
);

pub(super) const PAIR: Claim = Claim::new(
    "linear-attention/fig-9-pair",
    "Appendix E.5, Fig. 9",
    Kind::Dynamics,
    "Between equal eigenvalues there can be a plateau, due to different starts of the heads; it may also be missing.",
    |trial| {
        let (task, shape) = (world(&[0.35, 0.35, 0.15, 0.15], 31)?, Shape::new(4, 4, 1)?);
        let equal = times(&flow(&task, shape, &shape.aligned_start(&task, &[0.02; 4])?)?)?;
        let runs = many_times(&task, shape, 0.02, trial, 80)?;
        let parts: Vec<f64> = runs.iter().map(|t| (t[1] - t[0]) / t[0]).collect();
        let (least, most) = parts.iter().fold((f64::INFINITY, 0.0), |(least, most), &part| {
            (f64::min(least, part), f64::max(most, part))
        });
        // From equal heads both drop at once: the middle levels are passed 0.6 % of the time apart.
        Ok(Evidence::new()
            .printed(Measurement::at_most(
                "length of the second plateau over the first, equal aligned heads",
                0.02,
                (equal[1] - equal[0]) / equal[0],
            ))
            .printed(Measurement::at_most("the same, least of 80 random starts", 0.1, least))
            .printed(Measurement::at_least("the same, most of 80 random starts", 0.5, most)))
    },
);

pub(super) const SOLELY: Claim = Claim::new(
    "linear-attention/fig-9-solely",
    "Appendix E.5, last sentence",
    Kind::Dynamics,
    "With repeated eigenvalues (0.35, 0.35, 0.15, 0.15), the lengths of the plateaus depend on the random start alone.",
    |_| {
        let (task, shape) = (world(&[0.35, 0.35, 0.15, 0.15], 31)?, Shape::new(4, 4, 1)?);
        let t = times(&flow(&task, shape, &shape.aligned_start(&task, &[0.005; 4])?)?)?;
        let ratio = t[2] / t[0];
        let what = "time of the third drop over the first, four heads with equal starts";
        Ok(Evidence::new()
            .printed(Measurement::relative(what, 1.0, ratio, 0.05))
            .corrected(Measurement::relative(what, (0.35_f64 / 0.15).powi(2), ratio, 0.05)))
    },
)
.corrected(
    "that is so among equal eigenvalues; the plateau before 0.15 is learned still lasts $(0.35/0.15)^2$ times as long",
);

pub(super) const SOFTMAX: Claim = Claim::new(
    "linear-attention/fig-3",
    "Appendix B.1, Fig. 3",
    Kind::Figure,
    "Softmax attention with rank-one key and query has several drops of the loss, with slower phases between.",
    |_| {
        Ok(Evidence::untested(
            "No number is predicted, and there is no theory to compare with; the experiment linear-attention/fig3 \
             shows the curve.",
        ))
    },
)
.recorded(Verdict::NotTested);

pub(super) const LAZY: Claim = Claim::new(
    "linear-attention/fig-4-lazy",
    "Appendix B.2, Fig. 4",
    Kind::Figure,
    "With a large start, the loss decays exponentially, as in lazy learning.",
    |_| {
        Ok(Evidence::untested(
            "No rate is stated; even at $w_{init} = 2$ the four drops are apart in time, so that a single exponential \
             could not be fitted without choosing where.",
        ))
    },
)
.recorded(Verdict::NotTested);
