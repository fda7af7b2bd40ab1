//! What the paper states, checked by number.

use saddlescope::event::{Condition, Event};
use saddlescope::flow::Flow;
use saddlescope::landscape::hessian::Curvature;
use saddlescope::numeric::random::{Purpose, Stream};
use saddlescope::record::Silent;
use saddlescope::theory::ReducedTheory;
use saddlescope::{Draw, GradientFlow, Landscape};
use saddlescope_spec::claim::{ClaimError, Evidence, Outcome, Trial};
use saddlescope_spec::evidence;

use crate::{Mode, ModeLaws, TwoLayers};

evidence! { learning_time, balance, origin }

fn learning_time(e: &mut Evidence, _: Trial) -> Outcome {
    let (singular, start, tau) = ([3.0, 2.0], 1e-3, 2.0);
    let network = TwoLayers::new(&singular, 2, tau);
    let weights = ModeLaws::new(&network, tau).lift(&[start, start]);

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
        e.of(what).rel(predicted, end.time, 1e-8);
    }
    Ok(())
}

fn balance(e: &mut Evidence, trial: Trial) -> Outcome {
    let network = TwoLayers::new(&[2.0, 1.0], 3, 1.0);
    let mut weights = vec![0.0; network.blocks().len()];
    Stream::new(trial.seed, Purpose::Start, 0).fill_normal(&mut weights);
    let field = GradientFlow::new(&network);
    let end = Flow::default().until(20.0).run(&field, 0.0, &weights, &mut Silent)?;
    let (before, after) = (imbalance(&network, &weights), imbalance(&network, &end.state));
    let what = "entry that changes most, along a flow from random weights to time 20";
    e.of(what).each(&before, &after, 1e-8);
    Ok(())
}

fn origin(e: &mut Evidence, _: Trial) -> Outcome {
    let (singular, hidden) = ([2.0, 1.5, 1.0], 2);
    let network = TwoLayers::new(&singular, hidden, 1.0);
    let zero = vec![0.0; network.blocks().len()];
    // (e_d in, +- e_d out) of a hidden unit are eigenvectors.

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
        e.of(what).each(&predicted, &measured, 1e-9);
    }
    Ok(())
}

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
pub fn imbalance(network: &TwoLayers, theta: &[f64]) -> Vec<f64> {
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
