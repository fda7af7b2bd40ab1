//! What is compared: a row is a name, a bar, our command and the peers'.
//!
//! A command of either side gets the path of a file of inputs, which ours writes and the peers read, and
//! perhaps `--quick`. It prints one line of JSON when it is ready, `{"versions": {..}, "notes": [..]}`, and
//! one for each line that it reads: `{"results": [{"case", "variant", "seconds", "error"}]}`. An error of
//! `null` stands for one that cannot be compared.

/// A row of the table.
pub(crate) struct Row {
    pub(crate) name: &'static str,
    /// What both sides do.
    pub(crate) what: &'static str,
    /// Our side must be at least so many times as fast as the peer that is judged.
    pub(crate) bar: f64,
    /// Largest relative error that counts as the same result; one line of the table for each.
    pub(crate) errors: &'static [f64],
    pub(crate) ours: Ours,
    pub(crate) peers: &'static [Peer],
}

/// Our side: a bench or an example of a crate.
pub(crate) struct Ours {
    pub(crate) package: &'static str,
    /// `--bench` or `--example`, and its name.
    pub(crate) target: [&'static str; 2],
    pub(crate) arguments: &'static [&'static str],
}

/// A peer: a script in `benches/peers`.
pub(crate) struct Peer {
    pub(crate) name: &'static str,
    pub(crate) script: &'static str,
    pub(crate) mode: &'static str,
    /// Whether the bar is measured against this one.
    pub(crate) judged: bool,
}

const fn systems(arguments: &'static [&'static str]) -> Ours {
    Ours { package: "saddlescope-systems", target: ["--bench", "peers"], arguments }
}

const fn peer(name: &'static str, script: &'static str, mode: &'static str, judged: bool) -> Peer {
    Peer { name, script, mode, judged }
}

/// All rows, in the order of the table.
pub(crate) const ROWS: &[Row] = &[
    Row {
        name: "gd-per-sample",
        what: "full-batch gradient descent with drawing the data, N = 31; PyTorch sees every sequence in \
               every epoch, we train on sufficient statistics",
        bar: 1000.0,
        errors: &[f64::INFINITY],
        ours: systems(&["gd-per-sample"]),
        peers: &[
            peer("PyTorch, as usually written", "linear_attention_torch.py", "usual", true),
            peer("PyTorch, tuned", "linear_attention_torch.py", "tuned", false),
        ],
    },
    Row {
        name: "gd-d4",
        what: "gradient descent on the statistics of P = 5000 sequences",
        bar: 5.0,
        errors: &[1e-9],
        ours: systems(&["gd-d4"]),
        peers: &[
            peer("JAX, as usually written", "linear_attention_gd.py", "usual", true),
            peer("JAX, tuned", "linear_attention_gd.py", "tuned", false),
        ],
    },
    Row {
        name: "gd-d8",
        what: "gradient descent on the statistics of P = 80,000 sequences",
        bar: 5.0,
        errors: &[1e-9],
        ours: systems(&["gd-d8"]),
        peers: &[
            peer("JAX, as usually written", "linear_attention_gd.py", "usual", true),
            peer("JAX, tuned", "linear_attention_gd.py", "tuned", false),
        ],
    },
    Row {
        name: "flow",
        what: "the population flow of case C-P6 from a start 50 times smaller, to its last drop",
        bar: 20.0,
        errors: &[1e-4, 1e-6, 1e-8],
        ours: systems(&["flow"]),
        peers: &[
            peer("SciPy solve_ivp LSODA", "linear_attention_flow.py", "usual", false),
            peer("SciPy, the fastest way", "linear_attention_flow.py", "tuned", true),
        ],
    },
    Row {
        name: "flows-64",
        what: "64 population flows from random starts, D = 4, H = 4, on all cores",
        bar: 20.0,
        errors: &[1e-3, 1e-5, 1e-7],
        ours: systems(&["flows-64"]),
        peers: &[
            peer("diffrax, vmapped", "linear_attention_flows.py", "diffrax", true),
            peer("SciPy, one by one", "linear_attention_flows.py", "scipy", true),
        ],
    },
    Row {
        name: "recall-gd",
        what: "descent on the exact loss of associative recall; JAX by jax.grad, either over the 24 \
               permutations or over subsets, as we do",
        bar: 5.0,
        errors: &[1e-10],
        ours: systems(&["recall-gd"]),
        peers: &[
            peer("JAX, over permutations", "associative_recall_gd.py", "usual", true),
            peer("JAX, over subsets", "associative_recall_gd.py", "subsets", false),
            peer("JAX, tuned", "associative_recall_gd.py", "tuned", false),
        ],
    },
    Row {
        name: "recall-sampled",
        what: "associative recall on a fresh batch per step, with drawing it; peers draw the responses \
               to all permutations and a query, tuned ones only which responses are the query's",
        bar: 50.0,
        errors: &[f64::INFINITY],
        ours: systems(&["recall-sampled"]),
        peers: &[
            peer("JAX, as usually written", "associative_recall_sampled.py", "jax", true),
            peer("PyTorch, as usually written", "associative_recall_sampled.py", "torch", true),
            peer("JAX, tuned", "associative_recall_sampled.py", "jax-tuned", false),
            peer("PyTorch, tuned", "associative_recall_sampled.py", "torch-tuned", false),
        ],
    },
    Row {
        name: "ngram-sgd",
        what: "online SGD of the six parameters of n-gram and induction head on one core, true softmax; a \
               fresh Gaussian batch per step, drawing in the time",
        bar: 3.0,
        errors: &[f64::INFINITY],
        ours: systems(&["ngram-sgd"]),
        peers: &[
            peer("PyTorch, the fastest way", "ngram_to_induction_sgd.py", "torch", true),
            peer("JAX, the fastest way", "ngram_to_induction_sgd.py", "jax", true),
            peer("NumPy, by hand", "ngram_to_induction_sgd.py", "numpy", true),
        ],
    },
    Row {
        name: "ngram-seeds",
        what: "64 such runs on all cores; of PyTorch one is measured on one core, and as many as there are \
               cores are taken to run side by side without loss",
        bar: 3.0,
        errors: &[f64::INFINITY],
        ours: systems(&["ngram-seeds"]),
        peers: &[peer("PyTorch, single runs", "ngram_to_induction_sgd.py", "seeds", true)],
    },
    Row {
        name: "scan-sgd",
        what: "SGD with momentum on Syn-Small of scan and snap on one core; a fresh batch of 128 sequences of \
               128 tokens per step, drawing in the time",
        bar: 10.0,
        errors: &[f64::INFINITY],
        ours: systems(&["scan-sgd"]),
        peers: &[
            peer("NumPy, by hand", "scan_and_snap_sgd.py", "numpy", true),
            peer("JAX with our tables", "scan_and_snap_sgd.py", "jax", true),
            peer("PyTorch, the fastest way", "scan_and_snap_sgd.py", "torch", true),
            peer("NumPy with our tables", "scan_and_snap_sgd.py", "numpy-tables", false),
            peer("PyTorch with our tables", "scan_and_snap_sgd.py", "torch-tables", false),
        ],
    },
    Row {
        name: "scan-fig6",
        what: "all 640 runs of Fig. 6 of scan and snap on all cores; of the peers some runs for each number of queries are \
               measured on one core, and as many as there are cores are taken to run side by side without loss",
        bar: 1.0,
        errors: &[f64::INFINITY],
        ours: systems(&["scan-fig6"]),
        peers: &[
            peer("NumPy, by hand", "scan_and_snap_sgd.py", "numpy-all", true),
            peer(
                "JAX with our tables, vmapped over seeds",
                "scan_and_snap_sgd.py",
                "jax-all",
                true,
            ),
            peer("PyTorch, single runs", "scan_and_snap_sgd.py", "torch-all", true),
            peer("NumPy with our tables", "scan_and_snap_sgd.py", "numpy-all-tables", false),
        ],
    },
    Row {
        name: "markov-flow",
        what: "the exact flow of the regression on Markov positions (three heads, three features, 40 positions), from the start \
               of case A-P5 to 1 % of its loss, on one core",
        bar: 10.0,
        errors: &[1e-2, 1e-4, 1e-6],
        ours: systems(&["markov-flow"]),
        peers: &[
            peer("diffrax, compiled", "sparse_markov_flow.py", "diffrax", true),
            peer("SciPy", "sparse_markov_flow.py", "scipy", false),
        ],
    },
    Row {
        name: "markov-adamw",
        what: "one step of AdamW on the minimal model of sparse attention at the size of the paper, on one core: loss and gradient \
               over a stored data set, clipping, and the step; the peers in whichever form is fastest, tokens looked up or as unit \
               vectors, gradients by the library or by hand; tuned, by hand in pieces that fit the cache",
        bar: 8.0,
        errors: &[1e-5],
        ours: systems(&["markov-adamw"]),
        peers: &[
            peer("PyTorch", "sparse_markov_adamw.py", "torch", true),
            peer("JAX", "sparse_markov_adamw.py", "jax", true),
            peer("PyTorch, tuned", "sparse_markov_adamw.py", "torch-tuned", false),
            peer("JAX, tuned", "sparse_markov_adamw.py", "jax-tuned", false),
        ],
    },
    Row {
        name: "markov-train",
        what: "such steps on all cores; of the peers five are measured, and scaled",
        bar: 1.0,
        errors: &[1e-5],
        ours: systems(&["markov-train"]),
        peers: &[
            peer("PyTorch", "sparse_markov_adamw.py", "torch-all", true),
            peer("JAX", "sparse_markov_adamw.py", "jax-all", true),
        ],
    },
    Row {
        name: "transformer-markov",
        what: "one step of AdamW on the full model of the Markov paper on one core, with dropout: loss and gradient over the whole data \
               set, clipping, and the step; peers in whichever form is fastest, and tuned in pieces that fit the cache",
        bar: 2.5,
        errors: &[1e-4],
        ours: systems(&["transformer-markov"]),
        peers: &[
            peer("PyTorch", "transformer.py", "torch", true),
            peer("JAX", "transformer.py", "jax", true),
            peer("PyTorch, tuned", "transformer.py", "torch-tuned", false),
            peer("JAX, tuned", "transformer.py", "jax-tuned", false),
        ],
    },
    Row {
        name: "transformer-markov-all",
        what: "the same on all cores",
        bar: 2.5,
        errors: &[1e-4],
        ours: systems(&["transformer-markov-all"]),
        peers: &[
            peer("PyTorch", "transformer.py", "torch-all", true),
            peer("JAX", "transformer.py", "jax-all", true),
            peer("PyTorch, tuned", "transformer.py", "torch-tuned-all", false),
            peer("JAX, tuned", "transformer.py", "jax-tuned-all", false),
        ],
    },
    Row {
        name: "transformer-text",
        what: "one step of SGD on a model of text on one core, most of it the readout of a large vocabulary; tuned peers never hold all \
               logits",
        bar: 2.0,
        errors: &[1e-4],
        ours: systems(&["transformer-text"]),
        peers: &[
            peer("PyTorch", "transformer.py", "torch", true),
            peer("JAX", "transformer.py", "jax", true),
            peer("PyTorch, tuned", "transformer.py", "torch-tuned", false),
            peer("JAX, tuned", "transformer.py", "jax-tuned", false),
        ],
    },
    Row {
        name: "transformer-text-all",
        what: "the same on all cores",
        bar: 2.0,
        errors: &[1e-4],
        ours: systems(&["transformer-text-all"]),
        peers: &[
            peer("PyTorch", "transformer.py", "torch-all", true),
            peer("JAX", "transformer.py", "jax-all", true),
            peer("PyTorch, tuned", "transformer.py", "torch-tuned-all", false),
            peer("JAX, tuned", "transformer.py", "jax-tuned-all", false),
        ],
    },
];
