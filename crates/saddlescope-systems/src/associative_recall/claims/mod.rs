//! The paper's claims, each with its place, its words, and a function that gathers evidence.
//!
//! Equations are checked along paths of their own: every map and query listed and the model written out
//! token by token (orders 2 and 3), differences of that loss, the exact loss for larger orders, a plain
//! second solver. Statements about training are measured on flows of the exact loss. Where the print is
//! wrong, both forms are measured.
//!
//! | file | what it holds |
//! |---|---|
//! | `setting`, `construction` | sections 2 and A.2: the task, the transformer, its solution |
//! | `losses` | A.3: dot product and cross entropy |
//! | `stages`, `figures` | section 3, A.4, Figs. 1 and 4: levels, stages, order |
//! | `theorem`, `timescales` | Theorem 3.1 and what follows from it |
//! | `proof`, `lemmas`, `expectations`, `first_layer` | B.1, C and D, line by line |
//! | `jumps`, `jump_proof`, `stitching` | A.6, B.2: later jumps, and how they follow one another |
//! | `relaxations` | A.2, A.6: what each simplification changes |
//! | `start`, `laws` | what we add: the landscape at the start, when a law like (d) exists |
//! | `literal`, `tools` | the plain paths that claims are checked along |

mod construction;
mod expectations;
mod figures;
mod first_layer;
mod jump_proof;
mod jumps;
mod laws;
mod lemmas;
mod literal;
mod losses;
mod proof;
mod relaxations;
mod setting;
mod stages;
mod start;
mod stitching;
mod theorem;
mod timescales;
mod tools;

use saddlescope::claim::Claim;

/// All claims, in the order of the paper: its sections, then its appendices.
// No constant: its closures would be compiled anew in every crate that asks for them.
pub static CLAIMS: &[Claim] = &[
    setting::LENGTH,
    setting::CONTEXT,
    setting::ATTENTION,
    construction::DIAGONAL,
    construction::OTHER_DIAGONAL,
    setting::VALUES,
    setting::OUTPUT,
    setting::PROBABILITY,
    setting::CLOSED_FORM,
    stages::STAGES,
    stages::STAGES_ORDER_K,
    start::LEVELS,
    start::CUBIC,
    start::ZERO_STRENGTH,
    start::INFINITY,
    stages::PRONOUNCED,
    stages::CONVERGES,
    theorem::THM_A,
    theorem::THM_B,
    proof::THM_C,
    theorem::SECOND_SOLVER,
    theorem::THM_D,
    theorem::SUM,
    laws::FORM,
    laws::CURL,
    laws::TWO,
    theorem::STATIONARY,
    stages::RELABELLING,
    theorem::PROPORTIONAL,
    theorem::COMPACT,
    theorem::DIVERGE,
    timescales::LINE_148,
    timescales::LOCAL_LAW,
    timescales::EXPONENT,
    timescales::TANGENT,
    timescales::SCALING,
    timescales::BLOW_UP,
    timescales::ROOT,
    timescales::EQ_3,
    timescales::LOGARITHM,
    timescales::DOUBLE_LOGARITHM,
    figures::FIG_1,
    figures::LEVELS,
    figures::ACTIVE,
    figures::CAPTION,
    figures::STEPS,
    construction::IDENTITY,
    construction::SCORES,
    construction::CONSTRUCTION,
    relaxations::MILD,
    losses::MINIMA,
    losses::GRADIENTS,
    losses::PARAMETERS,
    losses::PROXY,
    losses::ENTROPIES,
    stages::FUNCTIONS,
    stages::ORDER,
    stages::WRONG_LAG,
    proof::EQ_4,
    jumps::PROP_A,
    jumps::PROP_A_RATE,
    jumps::MACROSCOPIC,
    jumps::PROP_B,
    jumps::GROUPS,
    jumps::LATER_LAW,
    stitching::WAITING,
    stitching::STITCHED,
    stitching::CHAINED,
    relaxations::NO_WINDOW,
    relaxations::NO_SOLUTION,
    relaxations::NO_TRIM,
    relaxations::EVERYWHERE,
    relaxations::RESPONSES_FIRST,
    proof::EQ_5,
    proof::EQ_6,
    expectations::LINE_410,
    proof::LINE_415,
    proof::LINE_417,
    proof::LINE_419_OWN,
    proof::LINE_419,
    proof::LINE_420,
    proof::LINE_421,
    proof::LINE_422,
    proof::LINE_424,
    theorem::LINE_426,
    jump_proof::EQS_7_8,
    jump_proof::LINE_434,
    jump_proof::LINE_436,
    jump_proof::LINE_437,
    jump_proof::LINE_438,
    lemmas::LINE_447,
    lemmas::EQ_10,
    lemmas::LEMMA_C_1,
    lemmas::EQ_11,
    lemmas::EQ_12,
    lemmas::LINE_469,
    lemmas::LINE_470,
    lemmas::EQ_13,
    lemmas::LINE_475,
    lemmas::EQ_14,
    expectations::LEMMA_C_3,
    expectations::LINE_485,
    expectations::LINE_490,
    expectations::LINE_494,
    expectations::LINE_495,
    expectations::LINE_497,
    first_layer::LEMMA_D_1,
    first_layer::LINE_506,
    first_layer::LINE_507,
    first_layer::LEMMA_D_2,
    figures::FIG_4,
];
