//! How times of jumps depend on the start, as theory has it.

use saddlescope::analysis::scaling::Law;
use saddlescope_spec::prediction::Scaling;

/// All that there are for so many jumps.
pub(crate) fn scalings(jumps: usize) -> Vec<Scaling> {
    let mut all = Vec::new();
    for m in 1..=jumps {
        for x in ["start.scale", "start.size"] {
            for y in ["crossing", "duration"] {
                all.push(Scaling {
                    x: x.to_owned(),
                    y: format!("{y}.{m}"),
                    law: Law::Power,
                    slope: -1.0,
                    source: if m == 1 {
                        "001, after Theorem 3.1: O(1/eps)".to_owned()
                    } else {
                        "ours: jumps chained by what waiting heads keep".to_owned()
                    },
                    holds: "as the start shrinks".to_owned(),
                });
            }
        }
    }
    all
}
