//! Sections 2.2 to 2.5 and appendix B with the minimal model: what small runs show (16 tokens; see `school`).

use saddlescope::claim::{Claim, Evidence, Kind, Measurement};

use super::school::{Look, School, adamw, chain, momentum, scheduled, usual, usual_run};

pub(super) const COMPETITION: Claim = Claim::new(
    "sparse-markov/heads-compete",
    "Section 2.2, Fig. 2",
    Kind::Dynamics,
    "All heads first focus on $I(1)$.",
    |_| {
        let first = &usual_run()?[1];
        let least = (0..3).map(|k| first.on(k, 0)).fold(f64::INFINITY, f64::min);
        Ok(Evidence::new()
            .printed(Measurement::at_least(
                format!("least part of a head's attention on I(1) at step {}", first.step),
                0.7,
                least,
            ))
            .note("At the start each head has about 0.15 there."))
    },
);

pub(super) const SPECIALISE: Claim = Claim::new(
    "sparse-markov/heads-specialise",
    "Sections 2.2 and 2.4, Figs. 1 and 2",
    Kind::Dynamics,
    "Then one head after the other leaves for $I(2)$ and $I(3)$, and each ends with a pattern of its own.",
    |_| {
        let run = usual_run()?;
        let (middle, end) = (&run[3], &run[4]);
        let owners: Vec<usize> = (0..3).map(|j| end.best(j).0).collect();
        let mut different = owners.clone();
        different.sort_unstable();
        different.dedup();
        Ok(Evidence::new()
            .printed(Measurement::at_least(
                format!("attention on I(2) of its head at step {}", middle.step),
                0.7,
                middle.best(1).1,
            ))
            .printed(Measurement::at_most(
                format!("attention on I(3) of its head at step {}", middle.step),
                0.5,
                middle.best(2).1,
            ))
            .printed(Measurement::at_least(
                format!("attention on I(3) of its head at step {}", end.step),
                0.4,
                end.best(2).1,
            ))
            .printed(Measurement::count("different heads of the three groups", 3, different.len())))
    },
);

pub(super) const KEEPS: Claim = Claim::new(
    "sparse-markov/last-head-keeps",
    "Section 2.4, Fig. 1; Theorem 4",
    Kind::Dynamics,
    "The head that learns the last group ends on it alone.",
    |_| {
        let end = &usual_run()?[4];
        let (head, share) = end.best(2);
        Ok(Evidence::new()
            .printed(Measurement::at_least("its attention on I(3)", 0.9, share))
            .corrected(Measurement::at_least("what it keeps on I(1)", 0.15, end.on(head, 0)))
            .corrected(Measurement::at_most("excess loss all the same", 0.06, end.excess)))
    },
)
.corrected("it keeps a part of its attention on $I(1)$, which the others cancel, as the line of fixed points of Eq. (11) allows");

pub(super) const LADDER: Claim = Claim::new(
    "sparse-markov/ladder",
    "Section 2.2, Fig. 3 (left); Fig. 1",
    Kind::Dynamics,
    "The model comes nearest to $f_{A_{1:1}}$ first, then to $f_{A_{1:2}}$, then to $f_{A_{1:3}}$.",
    |_| {
        let run = usual_run()?;
        let nearest = |i: usize| {
            let places = 0..run.len();
            places.min_by(|&a, &b| run[a].rungs[i].total_cmp(&run[b].rungs[i])).unwrap_or(0)
        };
        let steps: Vec<f64> = (0..3).map(|i| run[nearest(i)].step as f64).collect();
        Ok(Evidence::new()
            .printed(Measurement::at_most("step nearest to the first rung", 250.0, steps[0]))
            .printed(Measurement::absolute("to the second", 900.0, steps[1], 0.0))
            .printed(Measurement::absolute("to the third", 2000.0, steps[2], 0.0)))
    },
);

pub(super) const PREDICTOR: Claim = Claim::new(
    "sparse-markov/plateau-predictor-trained",
    "Section 2.2, Fig. 3 (left)",
    Kind::Dynamics,
    "On its first plateau the model predicts what $f_{A_{1:1}}$ predicts.",
    |_| {
        let first = &usual_run()?[2];
        let school = School::new(usual()?)?;
        let best = school
            .evaluation
            .fitted(1)?
            .ok_or_else(|| saddlescope::claim::ClaimError::Failed("no fit".to_owned()))?;
        let rung = school.minimal.chain().rung(1);
        let excess = super::super::evaluation::divergence(
            school.minimal.chain(),
            (school.minimal.chain().law(), &rung),
            school.evaluation.data(),
        );
        Ok(Evidence::new()
            .printed(Measurement::at_most("divergence of the rung from the model", 0.1, first.rungs[0]))
            .printed(Measurement::relative("excess loss, and that of the rung", excess.mean, first.excess, 0.1))
            .corrected(Measurement::relative(
                "excess loss, and that of the best predictor from the lags of I(1)",
                best.unseen.mean,
                first.excess,
                0.15,
            )))
    },
)
.corrected("it predicts what the best predictor from the lags of $I(1)$ does, which knows what the other lags say on average");

pub(super) const STUCK: Claim = Claim::new(
    "sparse-markov/minimal-symmetric",
    "Section 2.4, Fig. 4 (left)",
    Kind::Dynamics,
    "With $u = 0$ the model learns a single pattern and does not progress further.",
    |_| {
        let school = School::new(usual()?)?;
        let run = school.train((0.0, None), &adamw(700, 0.01), &[300, 700])?;
        let each = run[1].state.len() / 3;
        let apart =
            (0..each).map(|i| (run[1].state[i] - run[1].state[each + i]).abs()).fold(0.0, f64::max);
        let usual = &usual_run()?[3];
        Ok(Evidence::new()
            .printed(Measurement::absolute("largest difference between two heads", 0.0, apart, 0.0))
            .printed(Measurement::at_most("attention on I(2) at step 700", 0.2, run[1].best(1).1))
            .printed(Measurement::at_least(
                format!("excess loss, in units of that from u = 0.1 at step {}", usual.step),
                2.0,
                run[1].excess / usual.excess,
            )))
    },
);

pub(super) const SLOWER: Claim = Claim::new(
    "sparse-markov/smaller-u",
    "Section 2.4, Fig. 4 (left)",
    Kind::Dynamics,
    "Smaller starts $u$ are slower.",
    |_| {
        let school = School::new(usual()?)?;
        let run = |u: f64| school.train((u, None), &adamw(450, 0.01), &[450]);
        let (small, large) = (&run(0.001)?[0], &run(0.3)?[0]);
        Ok(Evidence::new().printed(Measurement::at_least(
            "excess loss from u = 0.001 less that from u = 0.3, at step 450",
            0.03,
            small.excess - large.excess,
        )))
    },
);

pub(super) const DECAY: Claim = Claim::new(
    "sparse-markov/weight-decay",
    "Appendix B.3",
    Kind::Dynamics,
    "Weight decay makes almost no difference.",
    |_| {
        let school = School::new(usual()?)?;
        let run = school.train((0.1, None), &adamw(900, 0.0), &[250, 900])?;
        let with = usual_run()?;
        Ok(Evidence::new()
            .printed(Measurement::relative(
                "excess loss at step 250",
                with[2].excess,
                run[0].excess,
                0.03,
            ))
            .printed(Measurement::relative(
                "excess loss at step 900",
                with[3].excess,
                run[1].excess,
                0.1,
            )))
    },
);

pub(super) const SCHEDULE: Claim = Claim::new(
    "sparse-markov/schedule",
    "Table 2",
    Kind::Dynamics,
    "The models learn all patterns with a rate that is halved after 10 readings without progress.",
    |_| {
        let school = School::new(usual()?)?;
        let run = school.train((0.1, None), &scheduled(2000), &[2000])?;
        let without = &usual_run()?[4];
        Ok(Evidence::new()
            .printed(Measurement::at_most("excess loss after 2000 steps, read at every step", 0.1, run[0].excess))
            .corrected(Measurement::at_least("the same in units of that without it", 5.0, run[0].excess / without.excess))
            .note("The print does not say how often the loss is read; read at every step, the schedule ends learning on the first plateau."))
    },
)
.corrected("not where the loss is read at every step: a plateau is then taken for the end");

pub(super) const ALPHA: Claim = Claim::new(
    "sparse-markov/uneven-weights",
    "Appendix B.6, Figs. 13 and 14",
    Kind::Dynamics,
    "With $\\alpha = (0.7, 0.3)$ heads look more at the token with the larger weight.",
    |_| {
        let school = School::new(chain(1.7, [0.7, 0.3])?)?;
        let run = school.train((0.1, None), &adamw(1000, 0.01), &[1000])?;
        let attention = &run[0].attention;
        let ratio = |j: usize| {
            let head = attention.owner(0, j);
            attention.lag(0, head, 2 * j + 1) / attention.lag(0, head, 2 * j + 2)
        };
        Ok(Evidence::new()
            .printed(Measurement::at_least("first lag of I(1) over the second", 1.3, ratio(0)))
            .printed(Measurement::at_least("first lag of I(2) over the second", 1.3, ratio(1)))
            .note("The weights of the law have the ratio 2.33."))
    },
);

pub(super) const SGD: Claim = Claim::new(
    "sparse-markov/sgd",
    "Appendix B.8, Figs. 18 and 19",
    Kind::Dynamics,
    "Stochastic gradient descent learns the patterns in the same order.",
    |_| {
        let school = School::new(usual()?)?;
        let run = school.train((0.1, None), &momentum(1500), &[100, 1500])?;
        let least = (0..3).map(|k| run[0].on(k, 0)).fold(f64::INFINITY, f64::min);
        Ok(Evidence::new()
            .printed(Measurement::at_least("least attention on I(1) at step 100", 0.4, least))
            .printed(Measurement::at_most(
                "most attention on I(2) at step 100",
                0.2,
                run[0].best(1).1,
            ))
            .printed(Measurement::at_least(
                "attention on I(2) of its head at step 1500",
                0.7,
                run[1].best(1).1,
            ))
            .note("With momentum 0.9 and rate 2, and no clipping."))
    },
);

pub(super) const DATA: Claim = Claim::new(
    "sparse-markov/data-set-size",
    "Section 2.5, Fig. 5",
    Kind::Dynamics,
    "With a smaller data set fewer patterns are learned before the model begins to learn its data by heart.",
    |_| {
        let school = School::new(usual()?)?;
        let stops = [100, 150, 200, 300, 400, 600, 800];
        let small = school.train((0.1, Some(200)), &adamw(800, 0.01), &stops)?;
        let excess: Vec<f64> = small.iter().map(|look| look.excess).collect();
        let best = (0..excess.len()).min_by(|&a, &b| excess[a].total_cmp(&excess[b])).unwrap_or(0);
        let endless = &usual_run()?[3];
        Ok(Evidence::new()
            .printed(Measurement::at_most(
                format!("200 sequences: attention on I(2) at the best step, {}", small[best].step),
                0.5,
                small[best].best(1).1,
            ))
            .printed(Measurement::at_least(
                "excess loss at the end over the best: learned by heart",
                1.5,
                excess[excess.len() - 1] / excess[best],
            ))
            .printed(Measurement::at_least(
                format!("fresh sequences: attention on I(2) at step {}", endless.step),
                0.7,
                endless.best(1).1,
            )))
    },
);

pub(super) const FRESH: Claim = Claim::new(
    "sparse-markov/fresh-data",
    "Appendix B.1, Figs. 6 and 7",
    Kind::Dynamics,
    "Fresh sequences at each step show the same behaviour as a finite data set.",
    |_| {
        let school = School::new(usual()?)?;
        let stored = school.train((0.1, Some(3000)), &adamw(900, 0.01), &[150, 900])?;
        let fresh = usual_run()?;
        let least = |look: &Look| (0..3).map(|k| look.on(k, 0)).fold(f64::INFINITY, f64::min);
        Ok(Evidence::new()
            .printed(Measurement::at_least(
                "3000 sequences: least attention on I(1) at step 150",
                0.7,
                least(&stored[0]),
            ))
            .printed(Measurement::at_least("fresh ones", 0.7, least(&fresh[1])))
            .printed(Measurement::at_least(
                "3000 sequences: attention on I(2) of its head at step 900",
                0.7,
                stored[1].best(1).1,
            ))
            .printed(Measurement::at_least("fresh ones", 0.7, fresh[3].best(1).1)))
    },
);

/// Names of all claims of this file.
#[cfg(test)]
pub(super) const IDS: [&str; 13] = [
    "sparse-markov/fresh-data",
    "sparse-markov/heads-compete",
    "sparse-markov/heads-specialise",
    "sparse-markov/last-head-keeps",
    "sparse-markov/ladder",
    "sparse-markov/plateau-predictor-trained",
    "sparse-markov/minimal-symmetric",
    "sparse-markov/smaller-u",
    "sparse-markov/weight-decay",
    "sparse-markov/schedule",
    "sparse-markov/uneven-weights",
    "sparse-markov/sgd",
    "sparse-markov/data-set-size",
];
