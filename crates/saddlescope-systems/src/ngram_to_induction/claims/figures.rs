//! Figs. 1 to 3: times, heights and the order of events.

use saddlescope::GradientFlow;
use saddlescope::claim::{Claim, ClaimError, Evidence, Kind, Measurement, Verdict};

use super::super::phases::Induction;
use super::super::softmax::{Quadrature, Steps};
use super::super::theory::Plateau;
use super::super::{Attention, Coupling, Population, Shape, Tokens};
use super::literal::{Literal, Weights};
use super::tools::{FIG_1, Mean, evenly, largest, random, states, stepped, stream, when};

/// The induction head of Figs. 1 and 3, with those tokens and that attention.
fn head(tokens: Tokens, attention: Attention, coupling: Coupling) -> Result<Induction, ClaimError> {
    let task = FIG_1.task()?.with_tokens(tokens)?.with_attention(attention)?;
    let shape = Shape::new(task).coupling(coupling);
    let start = vec![FIG_1.sigma; if shape.is_tied() { 2 } else { 3 }];
    Ok(Induction::new(shape, &start)?)
}

/// `w = w*/2`, half of the plateau's loss, `T_III`.
fn three_times(head: &Induction) -> Result<[f64; 3], ClaimError> {
    Ok([
        when(head.time_to_strength(0.5)?)?,
        when(head.time_to_part(0.5)?)?,
        when(head.time_to_part(0.01)?)?,
    ])
}

/// Times beside those of an independent implementation.
fn beside(what: &str, known: [f64; 3], found: [f64; 3], tolerance: f64) -> Vec<Measurement> {
    let names = ["w = w*/2", "half of the plateau's loss", "0.01 of it (T_III)"];
    let one = |((name, known), found): ((&str, f64), f64)| {
        Measurement::relative(format!("time of {name}, {what}"), known, found, tolerance)
    };
    names.into_iter().zip(known).zip(found).map(one).collect()
}

pub(super) const FIG_1_GRAM: Claim = Claim::new(
    "ngram-to-induction/fig-1-gram",
    "Fig. 1, the 4-gram",
    Kind::Figure,
    "The 4-gram's head: $L_{G_4}(0) = 0.1248$, $g$ reaches $g^*$ at $t = 9.87$ and overshoots to 0.698, $p(200) \
     = 2.29$, half of the loss is gone by $t \\approx 20$.",
    |_| {
        let gram = FIG_1.gram()?;
        let overshoot = FIG_1.gram_path(&evenly(10.0, 60.0, 500))?;
        let peak = largest(overshoot.iter().map(|point| point.g));
        let late = FIG_1.gram_path(&[200.0])?[0];
        Ok(Evidence::new()
            .printed(Measurement::absolute("L_G4(0)", 0.124_844, gram.first_loss()?, 1e-6))
            .printed(Measurement::absolute("T_1^g", 9.87, when(gram.t_1g()?)?, 0.01))
            .printed(Measurement::absolute("largest g", 0.698, peak, 1e-3))
            .printed(Measurement::absolute("p at t = 200", 2.29, late.p, 0.01))
            .printed(Measurement::at_most("time of half the loss", 20.0, when(gram.time_to_part(0.5)?)?))
            .note("The figure is read with the numbers of an independent implementation; its horizontal axis is \
                   $t$, learning rate times iteration."))
    },
);

pub(super) const FIG_1_HEAD: Claim = Claim::new(
    "ngram-to-induction/fig-1-head",
    "Fig. 1, the induction head",
    Kind::Figure,
    "With the simplified attention, $w_Q$ and $w_K$ of their own: $w = w^*/2$ at $t = 1885$, half of the \
     plateau's loss at 1992, $T_{III} = 2575$.",
    |_| {
        let head = head(Tokens::Gaussian, Attention::Exponential, Coupling::Untied)?;
        let mut evidence = Evidence::new()
            .printed(Measurement::absolute("L_IH(0)", 0.003_616, head.first_loss()?, 1e-6))
            .printed(Measurement::relative(
                "L_IH on the plateau",
                2.594e-4,
                head.plateau().loss,
                1e-3,
            ))
            .printed(Measurement::relative(
                "growth rate of w there",
                0.001_779,
                head.plateau().rate,
                1e-3,
            ));
        let found = three_times(&head)?;
        evidence.printed.extend(beside("untied", [1885.0, 1992.0, 2575.0], found, 1e-3));
        let field = |_: f64, y: &[f64]| {
            let [dw, dh] = FIG_1.head_rate(y[0], y[1]);
            vec![0.5 * dw, dh]
        };
        let state = stepped(field, &[FIG_1.sigma; 2], found[0], 4000);
        Ok(evidence.printed(Measurement::absolute(
            "w/w* at the first of these times by a second solver",
            0.5,
            state[0] / FIG_1.w_star,
            1e-6,
        )))
    },
);

pub(super) const FIG_1_TIED: Claim = Claim::new(
    "ngram-to-induction/fig-1-tied",
    "Fig. 1, the induction head as C.3.2 moves it",
    Kind::Figure,
    "With one tied $w$ the same times are 961, 1015 and 1310.",
    |_| {
        let head = head(Tokens::Gaussian, Attention::Exponential, Coupling::Tied)?;
        let mut evidence = Evidence::new().printed(Measurement::relative(
            "growth rate of w on the plateau",
            0.003_558,
            head.plateau().rate,
            1e-3,
        ));
        evidence.printed.extend(beside("tied", [961.0, 1015.0, 1310.0], three_times(&head)?, 1e-3));
        Ok(evidence)
    },
);

pub(super) const FIG_1_SOFTMAX: Claim = Claim::new(
    "ngram-to-induction/fig-1-softmax",
    "Fig. 1, with the softmax that was run",
    Kind::Figure,
    "With the true softmax: plateau at $1.966 \\cdot 10^{-4}$ with $h = 0.500$ (not 0.515), $w = w^*/2$ at $t = \
     2213$, half of the plateau's loss at 2302, $T_{III} = 3183$.",
    |_| {
        let head = head(Tokens::Gaussian, Attention::Softmax, Coupling::Untied)?;
        let rest: &Plateau = head.plateau();
        let mut evidence = Evidence::new()
            .printed(Measurement::relative("L_IH(0)", 0.003_36, head.first_loss()?, 2e-3))
            .printed(Measurement::relative("L_IH on the plateau", 1.966e-4, rest.loss, 1e-3))
            .printed(Measurement::absolute("h on the plateau", 0.5, rest.h, 1e-3))
            .printed(Measurement::relative("growth rate of w there", 0.001_523, rest.rate, 1e-3));
        evidence.printed.extend(beside(
            "untied",
            [2213.0, 2302.0, 3183.0],
            three_times(&head)?,
            2e-3,
        ));
        Ok(evidence)
    },
);

pub(super) const FIG_1_PHASES: Claim = Claim::new(
    "ngram-to-induction/fig-1-phases",
    "Fig. 1, caption",
    Kind::Figure,
    "The transformer learns the 4-gram first and the induction head afterwards; there are four phases.",
    |_| {
        let gram = FIG_1.gram()?;
        let head = head(Tokens::Gaussian, Attention::Exponential, Coupling::Untied)?;
        let level = head.plateau().loss;
        let flow = GradientFlow::new(head.landscape());
        let found = states(&flow, head.start(), &[200.0, 800.0, 4000.0])?;
        let mut parts = Vec::new();
        for snapshot in &found {
            parts.push(head.landscape().partial(&snapshot.state)?.induction / level);
        }
        let (first, second) = (when(gram.time_to_part(0.1)?)?, when(head.time_to_part(0.5)?)?);
        Ok(Evidence::new()
            .printed(Measurement::at_most(
                "time of 0.1 L_G4(0) over that of half of the plateau of L_IH",
                0.05,
                first / second,
            ))
            .printed(Measurement::relative(
                "L_IH at t = 200 over the plateau's",
                1.0,
                parts[0],
                0.03,
            ))
            .printed(Measurement::relative(
                "L_IH at t = 800 over the plateau's",
                1.0,
                parts[1],
                0.03,
            ))
            .printed(Measurement::at_most("L_IH at t = 4000 over the plateau's", 0.01, parts[2])))
    },
);

pub(super) const FIG_1_END: Claim = Claim::new(
    "ngram-to-induction/fig-1-end",
    "Fig. 1, right",
    Kind::Figure,
    "In the end $(p, g, w, h) \\to (\\infty, 0.5, 0.49, 0.5)$; 100 000 iterations, $t = 10^4$, show it.",
    |_| {
        let shape = Shape::new(FIG_1.task()?);
        let population = Population::new(shape)?;
        let start = shape.equal_start(FIG_1.sigma)?;
        let state = &states(&GradientFlow::new(&population), &start, &[1e4])?[0].state;
        Ok(Evidence::new()
            .printed(Measurement::at_least("p at t = 10^4", 4.0, state[0]))
            .printed(Measurement::absolute("g at t = 10^4", 0.5, state[1], 0.01))
            .printed(Measurement::each(
                "w_Q, w_K and h at t = 10^4",
                &[0.49, 0.49, 0.5],
                &state[2..5],
                1e-4,
            )))
    },
);

pub(super) const DESCENT: Claim = Claim::new(
    "ngram-to-induction/descent-clock",
    "B.1, added: the clock of descent",
    Kind::Figure,
    "Descent at learning rate 0.1 follows the flow with $t$ = learning rate times iteration.",
    |_| {
        let (mut gram, mut state) = ([FIG_1.sigma; 2], [FIG_1.sigma; 2]);
        let (mut overshoot, mut half) = (f64::NAN, f64::NAN);
        for iteration in 1..=40_000 {
            let (rates, [dw, dh]) =
                (FIG_1.gram_rate(gram[0], gram[1]), FIG_1.head_rate(state[0], state[1]));
            gram = [gram[0] + 0.1 * rates[0], gram[1] + 0.1 * rates[1]];
            // w_Q and w_K of their own: half of the printed rate.
            state = [state[0] + 0.05 * dw, state[1] + 0.1 * dh];
            if overshoot.is_nan() && gram[1] > FIG_1.g_star() {
                overshoot = 0.1 * f64::from(iteration);
            }
            if half.is_nan() && state[0] > 0.5 * FIG_1.w_star {
                half = 0.1 * f64::from(iteration);
                break;
            }
        }
        let head = head(Tokens::Gaussian, Attention::Exponential, Coupling::Untied)?;
        Ok(Evidence::new()
            .printed(Measurement::relative("T_1^g by descent", when(FIG_1.gram()?.t_1g()?)?, overshoot, 0.02))
            .printed(Measurement::relative("time of w = w*/2 by descent", three_times(&head)?[0], half, 1e-3))
            .note("An independent run of online SGD (batches of 1000, softmax) had $w = w^*/2$ at $t \\approx \
                   2210$, as the flow of `fig-1-softmax` has."))
    },
);

pub(super) const SAMPLED: Claim = Claim::new(
    "ngram-to-induction/sampled-loss",
    "B.1, added: what is sampled",
    Kind::Equation,
    "Sequences drawn as in B.1, through the model written out with the softmax, have the exact losses of Fig. 1 \
     as their mean.",
    |trial| {
        let literal = Literal::new(1.0, 0.49, Weights::Softmax);
        let (w, h) = (0.2, 0.3);
        let theta = [f64::INFINITY, 0.5, 0.4, w, w, h];
        let mut means = [Mean::default(); 2];
        for index in 0..6000 {
            let x = random(FIG_1.length, 1.0, &mut stream(trial, index));
            for (mean, error) in means.iter_mut().zip(literal.errors(&x, &theta)) {
                mean.add(error);
            }
        }
        let task = FIG_1.task()?.with_attention(Attention::Softmax)?;
        let quadrature = Quadrature::new(&task, Steps::standard(&task));
        let (own, target) = (quadrature.square(w * w), quadrature.square(FIG_1.v_star()));
        let cross = quadrature.product(w * w, FIG_1.v_star());
        let exact = [FIG_1.eq_7(0.5, 0.4), 0.5 * (0.25 * target + h * h * own - h * cross)];
        let mut evidence = Evidence::new();
        for (i, name) in
            ["L_G4 beside (7)", "L_IH beside the quadrature of the softmax"].into_iter().enumerate()
        {
            let what =
                format!("{name}: mean of 6000 sequences, p = 0.5, g = 0.4, w = 0.2, h = 0.3");
            let off = (means[i].mean() - exact[i]) / means[i].error();
            evidence = evidence.printed(
                Measurement::relative(&*what, exact[i], means[i].mean(), 0.2)
                    .noisy(means[i].error()),
            );
            evidence = evidence.printed(Measurement::at_most(
                format!("{name}, in standard errors"),
                5.0,
                off.abs(),
            ));
        }
        Ok(evidence.note("With the simplified attention a plain mean will not do: its variance is infinite for \
                          $w^* \\ge \\frac{1}{2}$ ($4 w^{*2} < 1$ is needed) and the tails are heavy at 0.49."))
    },
);

pub(super) const FIG_3: Claim = Claim::new(
    "ngram-to-induction/fig-3",
    "Fig. 3",
    Kind::Figure,
    "With boolean tokens: plateau at $1.933 \\cdot 10^{-4}$, $w = w^*/2$ at 1055 and $T_{III} = 1583$ (tied, \
     simplified); 1144 and 1710 with the softmax.",
    |_| {
        let mut evidence = Evidence::new();
        for (attention, known) in
            [(Attention::Exponential, [1055.0, 1583.0]), (Attention::Softmax, [1144.0, 1710.0])]
        {
            let head = head(Tokens::Boolean, attention, Coupling::Tied)?;
            let [half, _, last] = three_times(&head)?;
            evidence = evidence.printed(Measurement::each(
                format!("time of w = w*/2 and T_III, tied, {attention:?}"),
                &known,
                &[half, last],
                2.0,
            ));
            if attention == Attention::Exponential {
                evidence = evidence.printed(Measurement::relative(
                    "L_IH on the plateau",
                    1.933e-4,
                    head.plateau().loss,
                    1e-3,
                ));
            }
        }
        Ok(evidence)
    },
);

pub(super) const FIG_3_SIMILAR: Claim = Claim::new(
    "ngram-to-induction/fig-3-similar",
    "Fig. 3, caption",
    Kind::Figure,
    "The results with boolean tokens are extremely similar to those with Gaussian ones.",
    |_| {
        let [gaussian, boolean] = [Tokens::Gaussian, Tokens::Boolean]
            .map(|tokens| head(tokens, Attention::Exponential, Coupling::Untied));
        let (gaussian, boolean) = (gaussian?, boolean?);
        let mut evidence = Evidence::new();
        let names = ["w = w*/2", "half of the plateau's loss", "T_III"];
        for ((name, a), b) in
            names.into_iter().zip(three_times(&gaussian)?).zip(three_times(&boolean)?)
        {
            let what = format!("time of {name}, boolean beside Gaussian, untied");
            evidence = evidence.printed(Measurement::relative(what, a, b, 0.05).loosely(0.26));
        }
        Ok(evidence.note("Later by 5 to 25 %; $L_{G_4}$ is the same."))
    },
)
.recorded(Verdict::Approximately);
