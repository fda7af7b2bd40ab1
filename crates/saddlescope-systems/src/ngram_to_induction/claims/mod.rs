//! The paper's claims, each with its place, its words, and a function that gathers evidence.
//!
//! Equations are checked along paths of their own: the model written out place by place, with all boolean sequences
//! listed or Gaussian tokens under quadrature, and differences of that loss. Statements about training are measured on
//! flows of the exact loss, tied where the paper's formulas are. Where the print is wrong, both forms are measured.
//!
//! | file | what it holds |
//! |---|---|
//! | `setting` | sections 2, 3.1 and C.1: the target, the transformer, its parameters |
//! | `stage_one` | Lemma 2 and C.2: the first layer |
//! | `saddles` | section 3.2: fixed points, the plateau, time scales and proportions |
//! | `theorem`, `plateau` | Theorem 4 and C.4: the four phases, when they begin and end |
//! | `figures`, `text`, `high_dimension` | Figs. 1 to 4 |
//! | `gram`, `gram_times`, `lyapunov`, `decay` | C.2 and C.3.1: the 4-gram's head, line by line |
//! | `head`, `trend`, `rise`, `growth`, `convergence` | C.3.2: the induction head, line by line |
//! | `lemmas` | appendix D |
//! | `literal`, `tools` | the plain paths that claims are checked along |

mod convergence;
mod decay;
mod figures;
mod gram;
mod gram_times;
mod growth;
mod head;
mod high_dimension;
mod lemmas;
mod literal;
mod lyapunov;
mod plateau;
mod rise;
mod saddles;
mod setting;
mod stage_one;
mod text;
mod theorem;
mod tools;
mod trend;

use saddlescope::claim::Claim;

/// All claims, in the order of the paper: its sections, then its appendices.
// No constant: its closures would be compiled anew in every crate that asks for them.
pub static CLAIMS: &[Claim] = &[
    setting::EQ_1,
    setting::EQ_2,
    setting::SPLITS,
    setting::START,
    stage_one::LEMMA_2,
    setting::LEMMA_3,
    saddles::NON_CONVEX,
    saddles::FIXED_POINT,
    saddles::MINIMUM,
    saddles::SADDLE,
    saddles::ESCAPE_RATE,
    figures::FIG_1_GRAM,
    figures::FIG_1_HEAD,
    figures::FIG_1_TIED,
    figures::FIG_1_SOFTMAX,
    figures::FIG_1_PHASES,
    figures::FIG_1_END,
    figures::DESCENT,
    figures::SAMPLED,
    theorem::PHASE_1,
    theorem::T_1,
    plateau::T_2,
    plateau::T_2_PLATEAU,
    plateau::T_3,
    plateau::T_3_UNTIED,
    plateau::SUDDEN,
    plateau::ESCAPE,
    plateau::EXPONENTIAL,
    decay::DECAY,
    theorem::PHASE_4,
    plateau::LONG,
    saddles::SLOW,
    saddles::FAST,
    saddles::FIRST_LOSS,
    saddles::FIRST_HEAD_LOSS,
    saddles::PROPORTION,
    text::FIG_2,
    text::FIG_2_TAKE_OFF,
    text::FIG_2_PLATEAU,
    figures::FIG_3,
    figures::FIG_3_SIMILAR,
    high_dimension::ORDER,
    high_dimension::STUCK,
    high_dimension::DIFFICULTY,
    high_dimension::PLATEAUS,
    stage_one::AS_RUN,
    setting::EQ_5,
    setting::VALUE,
    setting::EQ_6,
    setting::EQ_6_INDUCTION,
    setting::PLACE_1,
    stage_one::OUTPUT,
    stage_one::LOSS,
    stage_one::Q,
    stage_one::Q_SLOPE,
    stage_one::Q_COMBINED,
    stage_one::Q_TERMS,
    stage_one::Q_FALLS,
    gram::BIG_M,
    gram::SMALL_M,
    gram::M_SLOPE,
    gram::FUNCTION_3,
    stage_one::RATE,
    stage_one::BOUND,
    gram::SQUARE,
    gram::DECOUPLED,
    gram::EQ_7,
    gram::FLOW,
    gram::STARTS,
    gram::RATIO_TOTAL,
    gram::LONG,
    gram::M_OVER_SQUARE,
    gram::ONE_OVER,
    gram::RATIO_FIRST,
    gram_times::FIRST_HALF,
    gram_times::BARELY,
    gram_times::LOWER,
    gram_times::HALF_TIME,
    gram_times::SECOND_HALF,
    gram_times::P_1,
    gram_times::P_1_BOUND,
    gram_times::DP_BOUNDS,
    gram_times::SECOND_TIME,
    gram_times::EQ_8,
    decay::REGION,
    gram::RATIO_ORDER,
    lyapunov::U_FLOW,
    lyapunov::V_FLOW,
    lyapunov::HALF,
    lyapunov::FIRST,
    lyapunov::SECOND,
    lyapunov::YOUNG,
    lyapunov::BRACKET,
    lyapunov::THIRD,
    lyapunov::QUARTERS,
    lyapunov::FOURTH,
    decay::FINAL,
    decay::INTEGRATED,
    decay::EQ_9,
    head::NEAR,
    head::EQ_10_ENDS,
    head::EQ_10,
    lemmas::HEAVY,
    head::W_FLOW,
    head::H_FLOW,
    trend::RATIOS,
    trend::P1_1,
    trend::P1_2,
    trend::P1_2_SLOPE,
    trend::P1_3,
    trend::P1_3_SLOPE,
    trend::EQ_11,
    trend::CIRCLE_HALF,
    rise::EQ_12,
    rise::EQ_13,
    rise::EQ_13_SECOND,
    rise::T_1H,
    rise::FIRST_STAGE,
    rise::R_BOUND,
    rise::R_ZERO,
    rise::R_SLOPE,
    rise::EQ_14,
    growth::DW_UPPER,
    growth::EQ_15,
    growth::EQ_16,
    growth::EQ_16_SECOND,
    lemmas::C_SLOPES,
    lemmas::C_CONVEX,
    growth::C_CHAIN,
    growth::DW_LOWER,
    growth::EQ_17,
    growth::T_HALF,
    growth::T_2H,
    head::V_FLOW,
    convergence::ORDERED,
    convergence::LIMITS,
    convergence::STEP,
    convergence::IDENTITY,
    convergence::REGION,
    convergence::PHI_RISE,
    convergence::PHI_ONE,
    convergence::PSI_RISE,
    convergence::FIRST,
    convergence::YOUNG,
    convergence::LAST,
    convergence::EQ_18,
    theorem::PARAMETERS,
    theorem::LINEAR,
    rise::OBSERVED,
    plateau::T_01,
    plateau::RELAXATION,
    plateau::LOSS_01,
    lemmas::LEMMA_6,
    lemmas::LEMMA_7,
    lemmas::LEMMA_7_PROOF,
    lemmas::LEMMA_8,
    lemmas::LEMMA_10,
];
