//! The experiments that ship inside the program.

/// An experiment that ships inside the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shipped {
    /// `<system>/<name>`.
    pub name: &'static str,
    /// The TOML file.
    pub text: &'static str,
}

macro_rules! shipped {
    ($($name:literal),* $(,)?) => {
        &[$(Shipped {
            name: $name,
            text: include_str!(concat!("../../../experiments/", $name, ".toml")),
        }),*]
    };
}

/// All of them, system by system.
pub const EXPERIMENTS: &[Shipped] = shipped![
    "linear-attention/fig1",
    "linear-attention/fig2",
    "linear-attention/fig3",
    "linear-attention/fig4",
    "linear-attention/fig5",
    "linear-attention/fig6",
    "linear-attention/fig7",
    "linear-attention/fig8",
    "linear-attention/fig9",
    "linear-attention/one-axis",
    "linear-attention/saddle-graph",
    "linear-attention/time-against-scale",
    "linear-attention/time-against-lambda",
    "linear-attention/time-against-rank",
    "associative-recall/fig1",
    "associative-recall/fig2",
    "associative-recall/fig3",
    "associative-recall/fig4",
    "associative-recall/order-map",
    "associative-recall/time-against-scale",
    "associative-recall/relaxations",
    "associative-recall/ladder",
    "associative-recall/losses",
    "associative-recall/one-axis",
    "associative-recall/wrong-lag",
    "associative-recall/late-growth",
    "associative-recall/saddle-graph",
    "ngram-to-induction/fig1",
    "ngram-to-induction/fig3",
    "ngram-to-induction/fig4",
    "ngram-to-induction/stage-one",
    "ngram-to-induction/joint",
    "ngram-to-induction/phase-one",
    "ngram-to-induction/one-axis",
    "ngram-to-induction/matrices",
    "ngram-to-induction/time-against-length",
    "ngram-to-induction/time-against-alpha",
    "ngram-to-induction/time-against-w-star",
    "ngram-to-induction/time-against-scale",
    "scan-and-snap/fig1",
    "scan-and-snap/fig2",
    "scan-and-snap/fig3",
    "scan-and-snap/fig4",
    "scan-and-snap/fig5",
    "scan-and-snap/fig6",
    "scan-and-snap/fig8",
    "scan-and-snap/fig9",
    "scan-and-snap/fig11",
    "scan-and-snap/fig12",
    "scan-and-snap/one-clock",
    "scan-and-snap/entropy-map",
    "scan-and-snap/heads",
    "scan-and-snap/residual",
    "scan-and-snap/embedding",
    "sparse-markov/fig1",
    "sparse-markov/fig10",
    "sparse-markov/flow-strengths",
    "sparse-markov/flow-noise",
    "sparse-markov/approach",
    "sparse-markov/theorem-4",
    "sparse-markov/time-against-positions",
    "sparse-markov/fig2-minimal",
    "sparse-markov/fig3-minimal",
    "sparse-markov/fig4",
    "sparse-markov/fig5-minimal",
    "sparse-markov/fig6",
    "sparse-markov/fig7",
    "sparse-markov/fig11",
    "sparse-markov/fig13",
    "sparse-markov/fig14",
    "sparse-markov/fig15-minimal",
    "sparse-markov/fig16-minimal",
    "sparse-markov/fig17-minimal",
    "sparse-markov/fig18",
    "sparse-markov/fig19",
    "sparse-markov/weight-decay",
];
