//! What the paper states, checked by number.

use saddlescope::claim::{Claim, ClaimError, Evidence, Kind, Measurement};
use saddlescope::event::{Condition, Event};
use saddlescope::flow::Flow;
use saddlescope::landscape::hessian::Curvature;
use saddlescope::numeric::random::{Purpose, Stream};
use saddlescope::record::Silent;
use saddlescope::theory::ReducedTheory;
use saddlescope::{Draw, GradientFlow, Landscape};

use crate::{Mode, ModeLaws, TwoLayers};

/// All claims, in the order of the paper.
// No constant: its closures would be compiled anew in every crate that asks for them.
pub static CLAIMS: &[Claim] = &[LEARNING_TIME, BALANCE, ORIGIN];

const LEARNING_TIME: Claim = Claim::new(
    "linear-network/learning-time",
    "Eq. (7)",
    Kind::Dynamics,
    "A mode of strength $a_0$ with balanced weights has learned half of $s$ at \
     $t = (\\tau/2s) \\ln(s/a_0 - 1)$.",
    |_| {
        let (singular, start, tau) = ([3.0, 2.0], 1e-3, 2.0);
        let network = TwoLayers::new(&singular, 2, tau);
        let weights = ModeLaws::new(&network, tau).lift(&[start, start]);
        let mut evidence = Evidence::new();
        for (d, &s) in singular.iter().enumerate() {
            // The input weight of mode d, whose square is a.
            let half = Condition::ParameterCrosses { index: 3 * d, value: (0.5 * s).sqrt() };
            let end = Flow::default().event(Event::stop(half)).run(
                &GradientFlow::new(&network),
                0.0,
                &weights,
                &mut Silent,
            )?;
            let predicted = Mode { singular: s, tau }.time(start, 0.5);
            let what = format!("flow of the whole network, s = {s}");
            evidence = evidence.printed(Measurement::relative(what, predicted, end.time, 1e-8));
        }
        Ok(evidence)
    },
);

const BALANCE: Claim = Claim::new(
    "linear-network/balance",
    "sec. 1.1",
    Kind::Dynamics,
    "The flow keeps $W_1 W_1^T - W_2^T W_2$.",
    |trial| {
        let network = TwoLayers::new(&[2.0, 1.0], 3, 1.0);
        let mut weights = vec![0.0; network.blocks().len()];
        Stream::new(trial.seed, Purpose::Start, 0).fill_normal(&mut weights);
        let field = GradientFlow::new(&network);
        let end = Flow::default().until(20.0).run(&field, 0.0, &weights, &mut Silent)?;
        let (before, after) = (balance(&network, &weights), balance(&network, &end.state));
        let what = "entry that changes most, along a flow from random weights to time 20";
        Ok(Evidence::new().printed(Measurement::each(what, &before, &after, 1e-8)))
    },
);

const ORIGIN: Claim = Claim::new(
    "linear-network/origin",
    "our addition",
    Kind::Landscape,
    "At zero weights the Hessian has the eigenvalues $\\pm s_d$, each as often as there are hidden units.",
    |_| {
        let (singular, hidden) = ([2.0, 1.5, 1.0], 2);
        let network = TwoLayers::new(&singular, hidden, 1.0);
        let zero = vec![0.0; network.blocks().len()];
        // (e_d in, +- e_d out) of a hidden unit are eigenvectors.
        let mut evidence = Evidence::new();
        for (sign, word) in [(1.0, "downhill"), (-1.0, "uphill")] {
            let (mut predicted, mut measured) = (Vec::new(), Vec::new());
            for (d, &s) in singular.iter().enumerate() {
                for unit in 0..hidden {
                    let mut direction = zero.clone();
                    direction[unit * 3 + d] = 0.5_f64.sqrt();
                    direction[network.split() + d * hidden + unit] = sign * 0.5_f64.sqrt();
                    predicted.push(-sign * s);
                    measured.push(curvature(&network, &zero, &direction)?);
                }
            }
            let what = format!("curvature along the {word} eigenvectors");
            // Central differences of gradients are right to about 1e-10.
            evidence = evidence.printed(Measurement::each(what, &predicted, &measured, 1e-9));
        }
        Ok(evidence)
    },
);

fn curvature(network: &TwoLayers, theta: &[f64], along: &[f64]) -> Result<f64, ClaimError> {
    let mut product = vec![0.0; theta.len()];
    // By differences of gradients, which share no code with the exact products.
    Curvature::new(theta.len()).difference(
        network,
        theta,
        along,
        Draw::default(),
        &mut network.work(),
        &mut product,
    )?;
    Ok(product.iter().zip(along).map(|(p, a)| p * a).sum())
}

/// `W1 W1^T - W2^T W2`, row by row.
pub fn balance(network: &TwoLayers, theta: &[f64]) -> Vec<f64> {
    let (d, h) = (network.singular().len(), network.hidden());
    let (first, second) = theta.split_at(network.split());
    let mut entries = Vec::with_capacity(h * h);
    for i in 0..h {
        for k in 0..h {
            let inside: f64 = (0..d).map(|j| first[i * d + j] * first[k * d + j]).sum();
            let outside: f64 = (0..d).map(|j| second[j * h + i] * second[j * h + k]).sum();
            entries.push(inside - outside);
        }
    }
    entries
}
