//! Statements about training the full transformer, which has no place here: named, with the reason, and not tested.

use saddlescope::claim::{Claim, Evidence, Kind, Verdict};

/// Why none of them is tested.
const FULL: &str = "it takes the full transformer, with embeddings, layer norms, residual \
    connections, dropout and an MLP; the minimal model of section 2.4 is what is trained here";

pub(super) const FIG_2: Claim = Claim::new(
    "sparse-markov/fig-2",
    "Fig. 2; section 2.2",
    Kind::Figure,
    "In the full transformer with $w = 12$ attention is even at first, on $I(1)$ in all heads \
     after 60 steps, one head is on $I(2)$ after 300, and each head on its own group after 1000.",
    |_| Ok(Evidence::untested(FULL)),
)
.recorded(Verdict::NotTested);

pub(super) const FIG_3: Claim = Claim::new(
    "sparse-markov/fig-3",
    "Fig. 3; section 2.2",
    Kind::Figure,
    "The full transformer first approaches the model with $c = 4$, then $c = 8$, then $c = 12$, \
     and the predictors $f_{A_{1:i}}$ in the same order.",
    |_| Ok(Evidence::untested(FULL)),
)
.recorded(Verdict::NotTested);

pub(super) const COMPONENTS: Claim = Claim::new(
    "sparse-markov/components",
    "Section 2.4",
    Kind::Dynamics,
    "Taking away layer norms, residual connections, embeddings and the MLP, one by one or \
     together, does not alter the incremental learning.",
    |_| Ok(Evidence::untested(FULL)),
)
.recorded(Verdict::NotTested);

pub(super) const FIG_5: Claim = Claim::new(
    "sparse-markov/fig-5",
    "Fig. 5; section 2.5",
    Kind::Figure,
    "With fewer training sequences the full transformer goes through fewer stages, with thresholds \
     in between.",
    |_| Ok(Evidence::untested(FULL)),
)
.recorded(Verdict::NotTested);

pub(super) const FIG_8: Claim = Claim::new(
    "sparse-markov/fig-8",
    "Figs. 8 and 9; B.2",
    Kind::Figure,
    "With the most important interval the furthest one, and intervals of 2, 4 and 8 lags, the full \
     transformer learns in the same order of importance, more visibly so.",
    |_| Ok(Evidence::untested(FULL)),
)
.recorded(Verdict::NotTested);

pub(super) const FIG_12: Claim = Claim::new(
    "sparse-markov/fig-12",
    "Fig. 12; B.5",
    Kind::Figure,
    "A full transformer of two blocks learns in the same stages, the first less pronounced.",
    |_| Ok(Evidence::untested(FULL)),
)
.recorded(Verdict::NotTested);
