//! Ledger, attribution and guard on linear attention, where the answers are known.

use saddlescope_spec::analysis::attribution::{AttributionError, Cause, Jump};
use saddlescope_spec::analysis::guard::Finding;

use crate::attribute::explain;
use crate::ledger::{Rates, ledger};
use crate::prelude::*;

fn run(text: &str) -> Run {
    let experiment = Experiment::from_text("test", text, &[], &ALL).unwrap();
    Run::new(&experiment).unwrap()
}

fn share(jump: &Jump, cause: Cause) -> f64 {
    let share = jump.shares.iter().find(|share| share.cause == cause).unwrap();
    share.shift.unwrap()
}

const ALIGNED: &str = "
    [start]
    kind = 'aligned'
    value = 0.1
";

/// One head in one dimension from k = q = v: descent on paper, with theta = v^3 and
/// E2 = lambda^2 (1 + 2/N).
fn on_paper(rate: f64) -> f64 {
    let (lambda, n) = (0.4_f64, 31.0);
    let second = lambda * lambda * (1.0 + 2.0 / n);
    let loss = |v: f64| {
        let theta = v * v * v;
        lambda - 2.0 * lambda * lambda * theta + theta * theta * second * lambda
    };
    let least = lambda - lambda.powi(3) / second;
    let level = 0.5 * (lambda + least);
    let (mut v, mut time) = (0.1, 0.0);
    let mut seen = vec![(time, loss(v))];
    while loss(v) > level {
        v += 2.0 * rate * v * v * (lambda * lambda - second * v * v * v * lambda);
        time += 2.0 * rate;
        seen.push((time, loss(v)));
    }
    // Lagrange's parabola of time over loss through the last three steps.
    let last = &seen[seen.len() - 3..];
    let term = |i: usize| {
        let others = (0..3).filter(|&j| j != i);
        let factor = |j: usize| (level - last[j].1) / (last[i].1 - last[j].1);
        last[i].0 * others.map(factor).product::<f64>()
    };
    (0..3).map(term).sum()
}

#[test]
fn the_share_of_the_step_size_is_descent_on_paper_minus_the_flow() {
    let rate = 0.5;
    let text = format!(
        "[system]\nname = 'linear-attention'\neigenvalues = [0.4]\nheads = 1\n{ALIGNED}\n\
         [dynamics]\nkind = 'gd'\nrate = {rate}\nsteps = 400\n"
    );
    let found = explain(&run(&text), 1).unwrap();
    let [jump] = found.jumps.as_slice() else { panic!("one jump: {found:?}") };
    let flow = on_paper(1e-5);
    assert!((jump.flow.unwrap() - flow).abs() < 1e-4, "{jump:?}, but {flow}");
    let descent = on_paper(rate);
    assert!((jump.training.unwrap() - descent).abs() < 1e-9, "{jump:?}, but {descent}");
    let step = share(jump, Cause::StepSize);
    assert!((step - (descent - flow)).abs() < 1e-4 && step > 1.0, "{step}");
    assert!((jump.order.unwrap() - 1.0).abs() < 0.05, "{jump:?}");
    assert!(share(jump, Cause::Theory).abs() < 1e-6, "the law is exact here: {jump:?}");
}

fn on_data(batch: u32) -> String {
    format!(
        "[system]\nname = 'linear-attention'\neigenvalues = [0.5, 0.25]\nheads = 2\n\
         loss = 'minibatch'\nsequences = 2000\nbatch = {batch}\n{ALIGNED}\n\
         [dynamics]\nkind = 'sgd'\nrate = 0.5\nsteps = 400\n"
    )
}

#[test]
fn causes_add_up_and_a_batch_of_all_data_has_no_noise() {
    let whole = explain(&run(&on_data(2000)), 2).unwrap();
    let part = explain(&run(&on_data(50)), 4).unwrap();
    for jump in whole.jumps.iter().chain(&part.jumps) {
        let causes = [Cause::Data, Cause::StepSize, Cause::Noise];
        let sum: f64 = causes.map(|cause| share(jump, cause)).iter().sum();
        assert!((sum - (jump.training.unwrap() - jump.flow.unwrap())).abs() < 1e-9);
    }
    for (whole, part) in whole.jumps.iter().zip(&part.jumps) {
        assert!(share(whole, Cause::Noise).abs() < 1e-8, "{whole:?}");
        assert!(share(part, Cause::Noise).abs() > 1e-3, "{part:?}");
        assert!(part.spread.unwrap() > 1e-3 && whole.spread.unwrap() < 1e-8);
        assert!((share(whole, Cause::StepSize) - share(part, Cause::StepSize)).abs() < 1e-9);
        assert!(share(whole, Cause::Data).abs() > 1e-3, "2000 sequences are not all: {whole:?}");
    }
}

#[test]
fn what_cannot_be_explained_says_why() {
    let system = "[system]\nname = 'linear-attention'\n";
    let why = |dynamics: &str| explain(&run(&format!("{system}[dynamics]\n{dynamics}")), 1);
    assert_eq!(why("kind = 'flow'"), Err(AttributionError::NoTraining));
    assert_eq!(why("kind = 'adam'\nrate = 0.01\nsteps = 10"), Err(AttributionError::NoClock));
    let cosine = "kind = 'gd'\nrate = 0.01\nsteps = 10\nschedule = 'cosine'";
    assert_eq!(why(cosine), Err(AttributionError::NotConstant));
    let single = "[system]\nname = 'linear-attention'\nattention = 'softmax'\nloss = 'empirical'\n\
                  sequences = 20\n[record]\ncrossings = [0.5]\n\
                  [dynamics]\nkind = 'gd'\nrate = 0.01\nsteps = 10\n";
    assert_eq!(explain(&run(single), 1), Err(AttributionError::NoExactLoss));
}

#[test]
fn the_ledger_names_what_breaks_a_balance() {
    let text = "[system]\nname = 'linear-attention'\n[start]\nkind = 'random'\nscale = 0.1\n";
    let ledger = ledger(&run(text), Rates::default()).unwrap();
    let names: Vec<&str> = ledger.pages.iter().map(|page| page.name.as_str()).collect();
    assert_eq!(names.len(), 5, "{names:?}");
    let worst = |page: usize| ledger.pages[page].account.worst().unwrap().clone();
    assert!(worst(0).most < 1e-9, "a flow keeps it: {:?}", worst(0));
    // Descent breaks it by the length of its steps, at first order over a fixed time.
    let descent = worst(1).parts.unwrap();
    assert!(descent.direction.abs() < 1e-9 && descent.length.abs() > 1e-6, "{descent:?}");
    assert!((ledger.pages[1].order.unwrap() - 1.0).abs() < 0.05);
    // Rules with a memory leave the gradient's direction.
    for page in [3, 4] {
        let parts = worst(page).parts.unwrap();
        assert!(parts.direction.abs() > 5.0 * parts.length.abs(), "{}: {parts:?}", names[page]);
        assert!(worst(page).most > 5.0 * worst(1).most, "{}", names[page]);
    }
}

fn findings(text: &str) -> Vec<Finding> {
    let run = run(text);
    let finished = run.execute(|_, _| Control::Continue);
    run.guard(&finished.end, &finished.trajectory)
        .unwrap()
        .iter()
        .map(|guarded| guarded.finding)
        .collect()
}

#[test]
fn heads_that_start_alike_part_by_rounding_only() {
    let weights = |second: &str| {
        format!(
            "[system]\nname = 'linear-attention'\neigenvalues = [0.5, 0.25]\nheads = 2\n\
             [start]\nkind = 'given'\nvalue = [0.1, {second}]\n\
             key = [[[0.08, 0.05]], [[0.08, 0.05]]]\nquery = [[[0.07, 0.06]], [[0.07, 0.06]]]\n\
             [dynamics]\nkind = 'flow'\nuntil = 20000.0\n"
        )
    };
    // Both learn the first eigenvector; that the second is learned at all hangs on the last bits.
    assert_eq!(findings(&weights("0.1")), [Finding::Stands, Finding::SeededByRounding]);
    assert_eq!(findings(&weights("0.09")), [Finding::Stands, Finding::Stands]);
}
