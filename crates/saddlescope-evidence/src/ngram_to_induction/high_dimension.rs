//! Fig. 4: gradient descent and Adam in 100 dimensions, with exact losses.
//!
//! The setup leaves open what `w* = 0.49 I/D` and the loss of a vector are. Here `w_Q w_K` has to become `0.49/D` in every
//! coordinate and the loss is the mean over coordinates: with their sum a learning rate of 0.1 makes head 1 diverge.

use super::*;

const DIMENSION: usize = 100;
const D: f64 = DIMENSION as f64;
/// `w_Q w_K` of each coordinate of the target.
const PRODUCT: f64 = 0.49 / D;

fn task(dimension: usize, product: f64, reduction: Reduction) -> Outcome<Task> {
    let kinds = (Tokens::Gaussian, Attention::Exponential, reduction);
    Ok(Task::general(FIG_1.length, dimension, kinds, (1.0, product.sqrt()))?)
}

/// `p, g`, one entry of `w_Q` and `w_K`, and `h`: all entries are equal from an equal start.
type State = [f64; 4];

/// `L_G4` and `L_IH` per coordinate, and the slopes, by hand.
fn losses(state: &State) -> ([f64; 2], State) {
    let [p, g, w, h] = *state;
    let (n, wanted, a) = (FIG_1.n(), FIG_1.h_star(), w * w);
    let mean = |x: f64| (1.0 - x * x).powf(-0.5 * D);
    let (own, cross) = (mean(2.0 * a), mean(a + PRODUCT));
    let loss = (wanted * wanted * mean(2.0 * PRODUCT) + h * h * own - 2.0 * h * wanted * cross)
        / (2.0 * n);
    let by_own = 2.0 * h * h * own * a / (1.0 - 4.0 * a * a);
    let by_cross = h * wanted * cross * (a + PRODUCT) / (1.0 - (a + PRODUCT).powi(2));
    let [dp, dg] = FIG_1.gram_rate(p, g);
    let slopes = [-dp, -dg, w * (by_own - by_cross) / n, (h * own - wanted * cross) / n];
    ([FIG_1.eq_7(p, g), loss], slopes)
}

/// The loss of the induction head where it waits.
fn plateau() -> f64 {
    let mean = |x: f64| (1.0 - x * x).powf(-0.5 * D);
    FIG_1.h_star().powi(2) * (mean(2.0 * PRODUCT) - mean(PRODUCT).powi(2)) / (2.0 * FIG_1.n())
}

const START: State = [0.01, 0.01, 0.001, 0.01];

/// What a run comes to: the iterations at which half of `L_G4(0)` and half of the plateau are left, infinite where they never
/// are, and the state at the end.
struct Run {
    gram: f64,
    induction: f64,
    last: State,
}

/// So many iterations of a rule that turns slopes into a step.
fn run(iterations: usize, mut step: impl FnMut(usize, &State) -> State) -> Run {
    let (mut state, first, level) = (START, losses(&START).0[0], plateau());
    let (mut gram, mut induction) = (f64::INFINITY, f64::INFINITY);
    for iteration in 1..=iterations {
        let ([now, head], slopes) = losses(&state);
        if now <= 0.5 * first {
            gram = gram.min(iteration as f64);
        }
        if head <= 0.5 * level {
            induction = induction.min(iteration as f64);
        }
        let moved = step(iteration, &slopes);
        state = std::array::from_fn(|i| state[i] - moved[i]);
    }
    Run { gram, induction, last: state }
}

/// Plain descent at learning rate 0.1.
fn descent(iterations: usize) -> Run {
    run(iterations, |_, slopes| slopes.map(|slope| 0.1 * slope))
}

/// Adam at learning rate 5e-4 with its usual constants.
fn adam(iterations: usize) -> Run {
    let (mut first, mut second) = ([0.0; 4], [0.0; 4]);
    run(iterations, |iteration, slopes| {
        let left = |rate: f64| 1.0 - rate.powi(iteration as i32);
        std::array::from_fn(|i| {
            first[i] += 0.1 * (slopes[i] - first[i]);
            second[i] += 0.001 * (slopes[i] * slopes[i] - second[i]);
            5e-4 * (first[i] / left(0.9)) / ((second[i] / left(0.999)).sqrt() + 1e-8)
        })
    })
}

pub(super) fn fig_4_order(e: &mut Evidence, _: Trial) -> Outcome {
    let population = Population::new(Shape::new(task(DIMENSION, PRODUCT, Reduction::Mean)?))?;
    let exact = population.partial(&population.shape.equal_start(FIG_1.sigma)?)?;
    let (plain, fast) = (descent(3000), adam(3000));
    let what = "losses at the start by hand beside the exact landscape";
    e.of(what).each(&[exact.gram, exact.induction], &losses(&START).0, ROUNDING);
    e.of("Adam: iteration of half L_G4(0) over that of half of the plateau of L_IH")
        .at_most(0.5, fast.gram / fast.induction);
    e.of("descent: iteration of half L_G4(0) (the induction head is not learned at all)")
        .at_most(300.0, plain.gram);
    Ok(())
}

pub(super) fn fig_4_stuck(e: &mut Evidence, _: Trial) {
    let (plain, fast) = (descent(100_000), adam(5000));
    let level = |run: &Run| losses(&run.last).0[1] / plateau();
    e.of("descent: L_IH over the plateau's after 100 000 iterations").at_least(0.99, level(&plain));
    e.of("Adam: the same after 5000").at_most(0.01, level(&fast));
}

pub(super) fn fig_4_difficulty(e: &mut Evidence, _: Trial) -> Outcome {
    let rate = |dimension: usize| -> Outcome<f64> {
        let task = task(dimension, 0.49 / dimension as f64, Reduction::Mean)?;
        let population = Population::new(Shape::new(task).parts(Parts::Induction))?;
        Ok(Plateau::new(&population, None)?.rate)
    };
    e.of("growth rate on the plateau, D = 10 over D = 2").at_most(0.3, rate(10)? / rate(2)?);
    e.of("D = 100 over D = 10").at_most(0.15, rate(100)? / rate(10)?);
    Ok(())
}
