//! How times of jumps depend on the start, on the eigenvalues and on the rank, as far as theory says so.

use saddlescope::analysis::scaling::Law;
use saddlescope_spec::prediction::Scaling;

use crate::theory::Theory;
use crate::{MergedLaw, Shape, Task};

/// In which limit laws of small starts hold.
const SMALL: &str = "as the start shrinks";

/// All that there are for `levels` jumps.
pub(crate) fn scalings(task: &Task, shape: Shape, tau: f64, jumps: usize) -> Vec<Scaling> {
    let mut all = Vec::new();
    for m in 1..=jumps {
        for (x, random) in [("start.scale", true), ("start.value", false)] {
            let equation = if m == 1 { "Zhang et al., Eq. (38)" } else { "Zhang et al., Eq. (43)" };
            let mut say = |y: &str| {
                let names = (x, format!("{y}.{m}"));
                all.push(Scaling::new(names, (Law::Power, -1.0), equation, SMALL));
            };
            say("crossing");
            // A new head is needed after every R components; an aligned start has nothing in other slots.
            if !random || (m - 1) % shape.rank == 0 {
                say("duration");
            }
        }
    }
    if shape.rank > 1
        && let Some(slope) = second_duration_slope(task, tau)
    {
        let source = "ours: escape at the rate v lambda_2^2 into a free slot";
        all.push(Scaling::new(("start.scale", "duration.2"), (Law::Log, slope), source, SMALL));
    }
    // 003, after Eq. (38): the time goes as lambda^-2.
    let words = "as the start shrinks, where the other eigenvalues are well below";
    let names = ("system.eigenvalues.0", "crossing.1");
    all.push(Scaling::new(names, (Law::Power, -2.0), "Zhang et al., Eq. (38)", words));
    // Only the squares summed over slots matter, see `staged`, and (20) gives them one mean at any rank.
    let source = "ours: the start (20) has the same sum over slots at every rank";
    let (names, holds) = (("system.rank", "crossing.1"), "for large ranks and small starts");
    all.push(Scaling::new(names, (Law::Power, 0.0), source, holds));
    all
}

/// With one matrix for key and query the start grows exponentially: the one jump waits for the logarithm of its size.
pub(crate) fn of_merged(law: &MergedLaw) -> Scaling {
    let source = "ours: small heads grow at the rate $|\\Lambda^2|/\\tau$";
    Scaling::new(("start.scale", "crossing.1"), (Law::Log, -1.0 / law.growth()), source, SMALL)
}

/// The change of the second plateau's duration per unit of `ln w_init`, where the first head has free slots.
///
/// While the first head grows by a factor `1/w`, its components along `e_2` grow by `w^-(lambda_2/lambda_1)^2`
/// (see `staged`), so `w^(1 - (lambda_2/lambda_1)^2)` is left, and grows at the rate `v* lambda_2^2/tau`.
pub(crate) fn second_duration_slope(task: &Task, tau: f64) -> Option<f64> {
    let [first, second, ..] = *task.eigenvalues else { return None };
    let value = Theory::new(task).optimal_values()[0];
    let left = 1.0 - (second / first).powi(2);
    (left > 0.0).then(|| -tau * left / (value * second * second))
}
