//! Examples at the end of each command's help.

pub(super) const ALL: &str = "\
Examples:
  saddlescope reproduce                              the headline figures, with verdicts
  saddlescope list                                   what there is
  saddlescope serve                                  a page to play with all of it
  saddlescope run linear-attention/fig1              a shipped experiment
  saddlescope run linear-attention                   a system with its defaults; --set changes them
  saddlescope new linear-attention > mine.toml       a commented file to start from
  saddlescope run mine.toml --set system.rank=2      your own question
  saddlescope schema linear-attention                all that can be set
  saddlescope sweep mine.toml --vary start.scale=1e-4..1:log40 --seeds 8     one table of many runs
  saddlescope saddles linear-attention/fig1          the saddles on its way, certified
  saddlescope fit theirs.csv --x width --y loss      a scaling law with its interval over seeds
  saddlescope stages log.csv                         the plateaus and jumps of any loss
  saddlescope check linear-attention                 the paper's claims, each with its verdict
  saddlescope verify tests/oracle/linear-attention.json

Exit codes: 0 done, 1 a check or a computation failed, 2 wrong usage or input, 130 interrupted.";

pub(super) const SWEEP: &str = "\
Examples:
  saddlescope sweep sweep.toml                       all members, on all cores; again: goes on, or says it is done
  saddlescope sweep linear-attention/fig1 --vary start.scale=1e-4..1:log40 --seeds 8
  saddlescope sweep sweep.toml --set sweep.design=latin-hypercube --set sweep.members=1000 \\
      --vary start.scale=1e-4..1:log --vary system.context=4..64
  saddlescope sweep sweep.toml --shard 3/16          one job of an array; then `saddlescope merge sweeps/...`
  saddlescope sweep sweep.toml --on ray --address auto";

pub(super) const MERGE: &str = "\
Examples:
  saddlescope merge sweeps/linear-attention/mine     after all shards wrote into one folder
  saddlescope merge node1/mine node2/mine            after each machine had its own";

pub(super) const RUN: &str = "\
Examples:
  saddlescope run linear-attention/fig1                          as it ships
  saddlescope run linear-attention --set start.scale=0.01        the system's defaults, but for one
  saddlescope run linear-attention/fig1 --seeds 6 --out runs     keep the numbers and the figure
  saddlescope run linear-attention/fig1 --size paper             as large as the paper has it
  saddlescope run mine.toml --set system.rank=2 --set start.scale=0.01
  saddlescope run mine.toml --vary start.scale=0.01..1:log8 --vary system.rank=1,2,4
  saddlescope run mine.toml --json > result.json
  saddlescope run mine.toml --out result.csv                     one file instead of a folder
  saddlescope run scan-and-snap/fig7 --train wiki.train.txt --valid wiki.valid.txt

With --out FOLDER, a run that was interrupted goes on where it was when the same command is given
again, and one that is finished is not run again. With several [[dynamics]], --set
dynamics.0.rate=0.1 addresses the first of them.";

pub(super) const REPRODUCE: &str = "\
Examples:
  saddlescope reproduce                              the headline figures of every system
  saddlescope reproduce linear-attention             all figures of one paper
  saddlescope reproduce linear-attention/fig2 --size paper
  saddlescope reproduce --all --out figures
  saddlescope reproduce ngram-to-induction/fig2 --train wiki.train.txt --valid wiki.valid.txt

Each figure comes as SVG, PNG and PDF beside its data; a table of the papers' claims, each with its
verdict, ends the command.";

pub(super) const SADDLES: &str = "\
Examples:
  saddlescope saddles linear-attention/fig1                     start, slowest points and end of its run
  saddlescope saddles linear-attention/fig1 --all               and every saddle that theory knows
  saddlescope saddles linear-attention/fig1 --set system.rank=2
  saddlescope saddles runs/linear-attention/fig1                the states that a folder of runs has kept
  saddlescope saddles mine.toml --json > certificates.json

Kinds: non-degenerate (negative curvature, exponential escape), degenerate of order p (no negative
curvature, the loss falls as the p-th power of the distance, algebraic escape), minimum, at infinity
(the stationary point runs away), none (no stationary point is near).";

pub(super) const PLOT: &str = "\
Examples:
  saddlescope plot runs/linear-attention/fig1                            the figure again
  saddlescope plot runs/linear-attention/fig1 --columns loss,head.*.value
  saddlescope plot runs/linear-attention/fig1 --columns loss --seeds band --theory levels
  saddlescope plot runs/linear-attention/fig1/runs/seed-1 --columns head.0.value --out v.pdf";

pub(super) const COMPARE: &str = "\
Examples:
  saddlescope reproduce linear-attention/one-axis
  saddlescope compare reproduction/linear-attention/one-axis/runs/arm-flow_seed-1 \\
                      reproduction/linear-attention/one-axis/runs/arm-gd-eta-0.5_seed-1
  saddlescope compare A B --json > comparison.json

Where a run is training (steps of a rule on the flow's clock), the command runs the ladder from its
exact flow to it, and says how much of each jump's shift is which cause.";

pub(super) const ATTRIBUTE: &str = "\
Examples:
  saddlescope attribute linear-attention/one-axis
  saddlescope attribute linear-attention/fig1 --set dynamics.kind=gd --set dynamics.rate=0.1 \\
                                              --set dynamics.steps=100000
  saddlescope attribute mine.toml --draws 32 --json

From one start, runs lead from the exact flow of the population to the training run, each adding one
cause: finite data, step size, the rule's memory, noise. Shifts of jumps add up to the whole.";

pub(super) const INVARIANTS: &str = "\
Examples:
  saddlescope invariants linear-attention/fig1
  saddlescope invariants linear-attention/fig1 --rate 0.05 --adam 0.01
  saddlescope invariants mine.toml --json

What the flow keeps, descent keeps only as far as its steps are short, and rules whose steps leave the
gradient's direction do not keep at all. The ledger says which of the two broke a quantity.";

pub(super) const FIT: &str = "\
Examples:
  saddlescope fit runs/linear-attention/time-against-scale --x start.scale --y crossing.1
  saddlescope fit runs/linear-attention/fig4 --x start.scale --y crossing.* --range 0.01..0.2
  saddlescope fit runs/mine --x system.rank --y duration.2 --law log --only 'arm = flow'
  saddlescope fit theirs.csv --x width --y loss --seed run --group optimiser --law auto
  saddlescope fit theirs.csv --x width --y loss --json > fits.json

Every row is a point. Intervals (95 %) come from a bootstrap that draws rows of one seed together.
The exit code is 1 when nothing could be fitted.";

pub(super) const STAGES: &str = "\
Examples:
  saddlescope stages runs/linear-attention/fig1                      over seeds, with what moved
  saddlescope stages runs/linear-attention/fig1/runs/seed-4          one run
  saddlescope stages log.csv                                         any log: columns are guessed
  saddlescope stages log.jsonl --time step --loss train.loss --json
  saddlescope stages tensorboard/run-1 --loss train/loss             a folder of event files
  saddlescope stages checkpoints.toml                                with the tensors that moved
  saddlescope stages log.csv --least-drop 0.002                      smaller jumps

Logs are CSV, Parquet, JSON (an object per line, a list, a trainer's log_history) or TensorBoard's event
files. checkpoints.toml lists safetensors files and says what the loss was:
  loss = \"log.csv\"                     or a number of each [[checkpoint]]
  files = \"step-*.safetensors\"         or [[checkpoint]] with step = 0, file = \"start.safetensors\"

A plateau lasts from 9/10 of the jump before it to 1/10 of the jump behind it; a jump is where the
value is half way between two plateaus. All lengths are compared on log time.";

pub(super) const CHECK: &str = "\
Examples:
  saddlescope check                            all claims of all papers
  saddlescope check linear-attention           those of one paper
  saddlescope check eq-24c --details           one claim with all its evidence
  saddlescope check --json > verdicts.json
  saddlescope check --errata linear-attention > errata.md

Verdicts: holds, holds approximately (within a stated looser bound), false as printed (with the
corrected form, which is checked, too), assumption not met, inconclusive, not tested.";

pub(super) const VERIFY: &str = "\
Examples:
  saddlescope verify tests/oracle/linear-attention.json
  saddlescope verify cases/*.json --all";

pub(crate) const SERVE: &str = "\
Examples:
  saddlescope serve                                  the observatory, in the browser of this machine
  saddlescope serve --runs figures --runs old/runs   with the runs and figures of these folders
  saddlescope serve --port 9000 --no-open            say where it is, and open nothing
  saddlescope serve --host 0.0.0.0 --allow-host lab.example
                                                     for a whole network: whoever reaches the port may compute here
                                                     and read the folder of runs

It ends with Ctrl-C.";
