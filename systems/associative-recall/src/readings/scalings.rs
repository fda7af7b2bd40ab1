//! How times of jumps depend on the start, as theory has it.

use saddlescope::analysis::scaling::Law;
use saddlescope_spec::prediction::Scaling;

/// All that there are for so many jumps.
pub(crate) fn scalings(jumps: usize) -> Vec<Scaling> {
    let mut all = Vec::new();
    for m in 1..=jumps {
        for x in ["start.scale", "start.size"] {
            for y in ["crossing", "duration"] {
                let source = if m == 1 {
                    "001, after Theorem 3.1: O(1/eps)"
                } else {
                    "ours: jumps chained by what waiting heads keep"
                };
                let law = (Law::Power, -1.0);
                all.push(Scaling::new(
                    (x, format!("{y}.{m}")),
                    law,
                    source,
                    "as the start shrinks",
                ));
            }
        }
    }
    all
}
