//! What the paper states, checked by number.

use saddlescope::event::{Condition, Event};
use saddlescope::flow::Flow;
use saddlescope::record::Silent;
use saddlescope_cli::prelude::{GradientFlow, Landscape, ReducedTheory};
use saddlescope_spec::claim::{Evidence, Outcome, Trial};
use saddlescope_spec::evidence;
use saddlescope_spec::measure::{curvatures, random, stream};

use crate::{Mode, ModeLaws, TwoLayers};

evidence! { learning_time, balance, origin }

fn learning_time(e: &mut Evidence, _: Trial) -> Outcome {
    let (singular, start, tau) = ([3.0, 2.0], 1e-3, 2.0);
    let network = TwoLayers::new(&singular, 2, tau);
    let weights = ModeLaws::new(&network, tau).lift(&[start, start]);

    for (d, &s) in singular.iter().enumerate() {
        // The input weight of mode d, whose square is a.
        let half = Condition::ParameterCrosses { index: 3 * d, value: (0.5 * s).sqrt() };
        let flow = Flow::default().event(Event::stop(half));
        let end = flow.run(&GradientFlow::new(&network), 0.0, &weights, &mut Silent)?;
        let predicted = Mode { singular: s, tau }.time(start, 0.5);
        let what = format!("flow of the whole network, s = {s}");
        e.of(what).rel(predicted, end.time, 1e-8);
    }
    Ok(())
}

fn balance(e: &mut Evidence, trial: Trial) -> Outcome {
    let network = TwoLayers::new(&[2.0, 1.0], 3, 1.0);
    let weights = random(network.blocks().len(), 1.0, &mut stream(trial, 0));
    let field = GradientFlow::new(&network);
    let end = Flow::default().until(20.0).run(&field, 0.0, &weights, &mut Silent)?;
    let (before, after) = (network.imbalance(&weights), network.imbalance(&end.state));
    let what = "entry that changes most, along a flow from random weights to time 20";
    e.of(what).each(&before, &after, 1e-8);
    Ok(())
}

fn origin(e: &mut Evidence, _: Trial) -> Outcome {
    let (singular, hidden) = ([2.0, 1.5, 1.0], 2);
    let network = TwoLayers::new(&singular, hidden, 1.0);
    let signed = singular.iter().flat_map(|&s| [s, -s]);
    let mut predicted: Vec<f64> = signed.flat_map(|s| vec![s; hidden]).collect();
    predicted.sort_by(f64::total_cmp);
    let measured = curvatures(&network, &vec![0.0; network.blocks().len()])?;
    e.of("eigenvalues of the Hessian").each(&predicted, &measured, 1e-12);
    Ok(())
}
