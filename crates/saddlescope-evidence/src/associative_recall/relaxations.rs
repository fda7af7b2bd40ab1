//! Appendices A.2 and A.6: what each simplification changes, and what they change together.

use super::*;
use saddlescope_associative_recall::theory::{levels, plateau, plateau_everywhere};
use saddlescope_associative_recall::{Corpus, Objective, Sequences, Simplified, Transformer};

/// A model that keeps these simplifications: its loss over all maps is exact.
struct Relaxed {
    shape: Shape,
    loss: Sequences,
}

impl Relaxed {
    /// Of order 3 with two responses, at gamma = 0.
    fn new(heads: usize, kept: Simplified) -> Outcome<Self> {
        Self::of((3, 2), heads, 0.0, kept)
    }

    fn of(
        (order, responses): (usize, usize),
        heads: usize,
        gamma: f64,
        kept: Simplified,
    ) -> Outcome<Self> {
        let shape = Shape::relaxed(Task::new(order, responses)?, heads, gamma, kept)?;
        Ok(Self { shape, loss: Corpus::exact(shape, Objective::DotProduct)? })
    }

    /// When the loss is half way down each drop, and the heads in the order in which they come to strength 1.
    fn course(&self, beta: &[f64], until: f64) -> Outcome<(Vec<Option<f64>>, Vec<usize>)> {
        let levels = levels(&self.shape, Objective::DotProduct);
        let half: Vec<f64> = levels.windows(2).map(|pair| 0.5 * (pair[0] + pair[1])).collect();
        let mut flow = Flow::default().tolerances(1e-8, 1e-10).until(until);
        flow.events = half.iter().map(|&level| Event::note(Condition::LossBelow(level))).collect();
        for h in 0..self.shape.heads {
            let index = h * self.shape.head_len();
            flow = flow.event(Event::note(Condition::ParameterCrosses { index, value: 1.0 }));
        }
        let end = self.loss.flow(&flow, &self.shape.given_start(beta, None)?)?;
        let time = |index: usize| end.crossings[index].map(|crossing| crossing.time);
        let mut heads: Vec<(usize, f64)> =
            (0..self.shape.heads).filter_map(|h| Some((h + 1, time(half.len() + h)?))).collect();
        heads.sort_by(|a, b| a.1.total_cmp(&b.1));
        Ok(((0..half.len()).map(time).collect(), heads.iter().map(|head| head.0).collect()))
    }

    /// The first of these times, which must be there.
    fn first_time(&self, beta: &[f64], until: f64) -> Outcome<f64> {
        let why = || ClaimError::new("the loss never falls");
        self.course(beta, until)?.0[0].ok_or_else(why)
    }

    /// Heads in that order as one number: 12 for the first and then the second.
    fn order(&self, beta: &[f64], until: f64) -> Outcome<usize> {
        Ok(self.course(beta, until)?.1.iter().fold(0, |number, head| 10 * number + head))
    }

    /// `(1/2) d^2 L/d beta_1^2` where all strengths and weights are zero.
    fn bend(&self) -> Outcome<f64> {
        let small = 1e-3;
        let theta = self.shape.given_start(&times_each(small, &axis(0, self.shape.heads)), None)?;
        // dL/d beta = 2 c beta + O(beta^3).
        Ok(self.loss.slopes(&theta)?[0] / (2.0 * small))
    }
}

const WITHOUT_A0: Simplified = Simplified { window: false, ..Simplified::ALL };
const WITHOUT_A2: Simplified = Simplified { solution: false, ..Simplified::ALL };
const WITHOUT_A3: Simplified = Simplified { responses: false, ..Simplified::ALL };

pub(super) fn without_a0(e: &mut Evidence, _: Trial) -> Outcome {
    let model = Relaxed::new(2, WITHOUT_A0)?;
    let eps = [0.04_f64, 0.02, 0.01];
    let times = try_map(eps, |eps| model.first_time(&[eps, 0.5 * eps], 400.0 / eps))?;
    let beta = [0.01, 0.005];
    let what = "exponent of the first time in eps, k = 3, R = 2, eps = 0.04 to 0.01";
    e.of(what).abs(-1.0, exponent(&eps, &times), 0.03);
    e.of("heads in the order of their strengths").count(12, model.order(&beta, 4e4)?);
    e.note(format!(
        "The jump comes {:.1} times as late as with (A0): a head shares its attention among all \
         lags. With $w = 0$ every response still sees all tokens alike, since the context before \
         it consists of whole permutations, so that the start stays degenerate. No conservation \
         law is printed for this case, so none is tested.",
        model.first_time(&beta, 4e4)? / Relaxed::new(2, Simplified::ALL)?.first_time(&beta, 4e4)?
    ));
    Ok(())
}

pub(super) fn without_a2(e: &mut Evidence, _: Trial) -> Outcome {
    let model = Relaxed::new(2, WITHOUT_A2)?;
    let beta = [0.02, 0.01];
    let known = Relaxed::new(2, Simplified::ALL)?.first_time(&beta, 1e5)?;
    let what = "first time beside that with (A2), k = 3, R = 2, eps = 0.02";
    e.of(what).rel(known, model.first_time(&beta, 1e5)?, 0.02);
    e.of("heads, from (0.02, 0.01)").count(12, model.order(&beta, 1e5)?);
    e.note(format!(
        "With these two heads (0.01, 0.02) gives the order {}: head 2 needs head 1 at the last \
         position, so the order of the strengths decides only with (A2), and the paper's \"without \
         loss of generality\" (A.4) rests on it.",
        model.order(&[0.01, 0.02], 1e5)?
    ));
    Ok(())
}

pub(super) fn order_without_a2(e: &mut Evidence, _: Trial) -> Outcome {
    let model = Relaxed::of((4, 4), 3, 0.0, WITHOUT_A2)?;
    for (beta, order) in
        [([0.1, 0.01, 0.03], 123), ([0.1, 0.03, 0.01], 12), ([0.01, 0.03, 0.1], 32)]
    {
        let what = format!("heads, from {beta:?}, k = 4, R = 4");
        e.of(what).count(order, model.order(&beta, 2e4)?);
    }
    let known = Relaxed::of((4, 4), 3, 0.0, Simplified::ALL)?;
    let reversed = [0.01, 0.03, 0.1];
    let what = "time of the first jump beside that with (A2), from (0.01, 0.03, 0.1)";
    e.of(what).at_least(4.0, model.first_time(&reversed, 2e4)? / known.first_time(&reversed, 2e4)?);
    let flow = Flow::default().tolerances(1e-8, 1e-10).until(2e4);
    let start = model.shape.given_start(&[0.1, 0.03, 0.01], None)?;
    let end = model.loss.flow(&flow, &start)?;
    let heads: Vec<_> = model.shape.iter(&end.state).collect();
    for (h, head) in heads.iter().take(2).enumerate() {
        let attention = Shape::attention(head.weights);
        let what = format!(
            "attention of head {} on lags {} and {}, from (0.1, 0.03, 0.01)",
            h + 1,
            h + 1,
            h + 2
        );
        e.of(what).each(&[2.0 / 3.0, 1.0 / 3.0], &attention[h..h + 2], 0.03);
    }
    e.of("loss then").at_most(1e-4, end.loss);
    Ok(())
}

pub(super) fn without_a3(e: &mut Evidence, trial: Trial) -> Outcome {
    let task = Task::new(3, 2)?;
    let shape = |kept| Shape::relaxed(task, 3, 0.0, kept);
    let (everywhere, trimmed) = (shape(WITHOUT_A3)?, shape(Simplified::ALL)?);
    let theta = random(trimmed.parameters(), 0.9, &mut stream(trial, 0));
    let list = task.list()?;
    let sequence = task.sequence(&list, &[0, 1, 1, 0, 1, 0], list.get(3));
    let whole = Transformer::new(everywhere)?.predict(&theta, &sequence);
    let sum: f64 = whole[3..].iter().sum();
    let expected = Transformer::new(trimmed)?.predict(&theta, &sequence);
    let what = "probabilities of the responses, k = 3, R = 2, random weights";
    e.of(what).each(&expected[3..], &shares(&whole[3..]), 1e-14);
    e.note(format!(
        "Without the division the responses have {:.0} % of the probability here.",
        100.0 * sum
    ));
    Ok(())
}

pub(super) fn levels_everywhere(e: &mut Evidence, _: Trial) -> Outcome {
    for (order, responses) in [(3, 2), (4, 4)] {
        let task = Task::new(order, responses)?;
        let shape = Shape::relaxed(task, order, 0.0, WITHOUT_A3)?;
        let landscape = Corpus::exact(shape, Objective::DotProduct)?;
        for m in 0..=order {
            let learned = |size: f64, h: usize| if h < m { size } else { 0.0 };
            let beta: Vec<f64> = (0..order).map(|h| learned(7.0, h)).collect();
            let weights = Matrix::new(order, order, |h, i| learned(40.0, h) * f64::from(h == i));
            let theta = shape.given_start(&beta, Some(&weights))?;
            let what = format!("loss with {m} perfect heads, k = {order}, R = {responses}");
            e.of(what).abs(plateau_everywhere(&task, m), landscape.loss(&theta)?, 1e-9);
        }
    }
    Ok(())
}

pub(super) fn simplifications_mild(e: &mut Evidence, _: Trial) -> Outcome {
    let learned = |kept| -> Outcome<usize> {
        Ok(Relaxed::new(3, kept)?.course(&[0.3, 0.2, 0.1], 1e5)?.1.len())
    };
    let both = Simplified { window: false, responses: false, ..Simplified::ALL };
    e.of("heads that learn with (A1) alone, gamma = 0, k = 3, R = 2, strengths (0.3, 0.2, 0.1)")
        .at_least(2.0, learned(Simplified::STRENGTHS)? as f64);
    e.but("heads that learn without (A0)").at_least(2.0, learned(WITHOUT_A0)? as f64);
    e.but("heads that learn without (A2)").at_least(2.0, learned(WITHOUT_A2)? as f64);
    e.but("heads that learn without (A3)").at_least(3.0, learned(WITHOUT_A3)? as f64);
    e.but("heads that learn without (A0) and (A3)").count(0, learned(both)?);
    let at_one = |kept| -> Outcome<usize> {
        Ok(Relaxed::of((3, 2), 3, 1.0, kept)?.course(&[0.3, 0.2, 0.1], 1e5)?.1.len())
    };
    e.but("heads that learn with (A1) alone, gamma = 1")
        .at_least(2.0, at_one(Simplified::STRENGTHS)? as f64);
    e.but("heads that learn without (A3), gamma = 1").count(0, at_one(WITHOUT_A3)?);
    Ok(())
}

pub(super) fn small_strengths(e: &mut Evidence, _: Trial) -> Outcome {
    for (size, known) in
        [((3, 2), [2.1295e-3, -2.807e-4, -2.691e-3]), ((4, 4), [2.190e-4, -1.203e-4, -4.596e-4])]
    {
        let (k, r) = size;
        for (gamma, known) in [0.0, 0.5, 1.0].into_iter().zip(known) {
            let bend = Relaxed::of(size, k, gamma, Simplified::STRENGTHS)?.bend()?;
            let what = format!(
                "dL/d(beta_1^2) at zero with (A1) alone, k = {k}, R = {r}, gamma = {gamma}"
            );
            e.of(what).abs(known, bend, 2e-7);
        }
    }
    for (gamma, sign) in [(0.0, -1.0), (0.5, 1.0), (1.0, 1.0)] {
        let bend = Relaxed::of((4, 4), 4, gamma, WITHOUT_A3)?.bend()?;
        e.of(format!("its sign without (A3), k = 4, R = 4, gamma = {gamma}")).abs(
            sign,
            bend.signum(),
            0.0,
        );
    }
    // The slope is linear in gamma.
    let zero = |kept| -> Outcome<f64> {
        let at = |gamma| Relaxed::of((4, 4), 4, gamma, kept)?.bend();
        let (at_0, at_1) = (at(0.0)?, at(1.0)?);
        Ok(at_0 / (at_0 - at_1))
    };
    e.note(format!(
        "At k = R = 4 it changes its sign at $\\gamma$ = {:.3} with (A1) alone and at {:.3} without (A3).",
        zero(Simplified::STRENGTHS)?,
        zero(WITHOUT_A3)?
    ));
    Ok(())
}

pub(super) fn responses_first(e: &mut Evidence, _: Trial) -> Outcome {
    let Relaxed { shape, loss } = Relaxed::new(3, Simplified::NONE)?;
    let mut theta = shape.given_start(&[0.1, 0.05, 0.02], None)?;
    shape.disturb(&mut theta, 0.001, 1);
    let flow = Flow::default().method(Method::Dop853).tolerances(1e-6, 1e-8).until(300.0);
    let end = loss.flow(&flow, &theta)?;
    let list = shape.task.list()?;
    let sequence = shape.task.sequence(&list, &[0, 1, 1, 0, 1, 0], list.get(3));
    let found = Transformer::new(shape)?.predict(&end.state, &sequence);
    let what = "strengths (0.1, 0.05, 0.02), noise 0.001, k = 3, R = 2, t = 300";
    e.of(format!("loss, {what}")).abs(plateau(&shape.task, 0), end.loss, 1e-3);
    e.of(format!("probability of the responses after one sequence, {what}"))
        .at_least(0.99, found[3..].iter().sum());
    Ok(())
}
