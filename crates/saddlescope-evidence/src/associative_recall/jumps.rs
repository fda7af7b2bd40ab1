//! Appendix A.6: later jumps.

use super::*;
use saddlescope_associative_recall::laws::JumpLaw;

/// The start `I_h` of order 4: heads before `h` (from 1) learned with `beta = c`, `w = c_1 e_i`.
pub(super) fn later_start(h: usize, c: f64, c1: f64, eps: f64) -> Vec<f64> {
    let of = |i: usize| match i {
        i if i + 1 < h => LagHead { alpha: c1, delta: 0.0, beta: c },
        i if i + 1 == h => LagHead { beta: eps, ..IDLE },
        _ => IDLE,
    };
    formed(4, &(0..4).map(of).collect::<Vec<LagHead>>())
}

/// The largest gradient of `beta_i` over `c` and of `w^i` over `c^2`, of the learned heads at `I_h`.
fn learned_slopes(h: usize, c: f64, c1: f64) -> Outcome<[f64; 2]> {
    let landscape = Population::new(shape(4, 4, 4)?)?;
    let slopes = evaluated(&landscape, &later_start(h, c, c1, 0.1))?.1;
    let mut largest = [0.0_f64; 2];
    for head in slopes.chunks_exact(5).take(h - 1) {
        largest[0] = largest[0].max(head[0].abs());
        largest[1] = head[1..].iter().fold(largest[1], |most, slope| most.max(slope.abs()));
    }
    Ok(largest)
}

pub(super) fn prop_a_2_a(e: &mut Evidence, _: Trial) -> Outcome {
    for (h, c) in [(2, 3.0), (2, 5.0), (3, 3.0), (3, 5.0), (4, 3.0), (4, 5.0)] {
        let largest = learned_slopes(h, c, 2.0)?.into_iter().fold(0.0, f64::max);
        let what =
            format!("largest gradient of a learned head at I_{h}, c = {c}, c_1 = 2, k = 4, R = 4");
        e.of(what).at_most((-c).exp(), largest);
    }
    Ok(())
}

pub(super) fn prop_a_2_a_rate(e: &mut Evidence, _: Trial) -> Outcome {
    for h in [2, 3] {
        let mut logs = [Vec::new(), Vec::new()];
        let strengths = [4.0, 4.5, 5.0, 5.5];
        for c in strengths {
            let [beta, weights] = learned_slopes(h, c, 2.0)?;
            logs[0].push((beta / c).ln());
            logs[1].push((weights / (c * c)).ln());
        }
        let exponents = strengths.map(|c| c * c * lead(4, 2.0));
        for (name, logs) in ["beta/c", "w/c^2"].into_iter().zip(&logs) {
            let what =
                format!("slope of ln of the gradient of {name} in gamma_i at I_{h}, c = 4 to 5.5");
            let found = slope(&exponents, logs);
            e.of(what).abs(-1.0, found, 0.01);
        }
    }
    Ok(())
}

pub(super) fn macroscopic(e: &mut Evidence, _: Trial) -> Outcome {
    let (shape, start) = (shape(4, 4, 4)?, later_start(2, 7.0, 8.0, 0.1));
    let state = &along(shape, &start, &[450.0])?[0].state;
    let moved = norm(&[0, 1, 2, 3, 4].map(|i| state[i] - start[i]));
    e.of("change of head 1 during the jump of head 2, c = 7, c_1 = 8, k = 4").abs(0.0, moved, 1e-9);
    e.of("beta_2 after it, from 0.1").at_least(2.0, state[5]);
    Ok(())
}

/// Half of the jump of head `h` of order 4 from `I_h`.
fn later_time(h: usize, eps: f64) -> Outcome<f64> {
    let shape = shape(4, 4, 4)?;
    time_to(shape, &later_start(h, 7.0, 8.0, eps), mid_levels(&shape.task, 4)[h - 1])
}

/// Half of the first jump on a task of that order.
fn reduced_time(order: usize, eps: f64) -> Outcome<f64> {
    let shape = shape(order, 4, 1)?;
    time_to(shape, &first_start(shape, eps)?, mid_levels(&shape.task, 1)[0])
}

pub(super) fn prop_a_2_b(e: &mut Evidence, _: Trial) -> Outcome {
    for (h, eps) in [(2, 0.1), (2, 1e-4), (3, 1e-4)] {
        let (order, found) = (5 - h, later_time(h, eps)?);
        let first = reduced_time(order, eps)?;
        let what = format!("half of jump {h} from I_{h}, eps = {eps}, k = 4, R = 4");
        e.of(&what).rel(first, found, 1e-3);

        if eps < 0.01 {
            let escape = Escape::new(&Task::new(4, 4)?, 1.0, h - 1, 0.25);
            e.but(format!("{what}, k/k' times the first jump of order {order}")).rel(
                4.0 / order as f64 * first,
                found,
                1e-3,
            );
            e.but(format!("{what}, by T*")).rel(escape.time(eps), found, 1e-3);
        }
    }
    let law = JumpLaw::new(shape(4, 4, 4)?, 1, &[0])?;
    let event = Event::stop(Condition::LossBelow(0.5));
    let time =
        Flow::default().event(event).run(&law, 0.0, &[0.0, 0.0, 0.0, 0.1], &mut Silent)?.time;
    let what = "half of jump 2 from I_2, eps = 0.1, by the law of three groups";
    e.but(what).rel(time, later_time(2, 0.1)?, 1e-6);
    Ok(())
}

pub(super) fn three_groups(e: &mut Evidence, _: Trial) -> Outcome {
    let shape = shape(5, 4, 5)?;
    let of = |i: usize| match i {
        0 | 1 => LEARNED,
        2 => LagHead { beta: 0.1, ..IDLE },
        _ => IDLE,
    };
    let start = formed(5, &(0..5).map(of).collect::<Vec<LagHead>>());
    let law = JumpLaw::new(shape, 2, &[0, 1])?;
    let at = [300.0, 500.0, 700.0];
    let reduced = states(&law, &[0.0, 0.0, 0.0, 0.1], &at)?;

    for (whole, reduced) in along(shape, &start, &at)?.iter().zip(reduced) {
        let head = &whole.state[12..18];
        let [own, open, used, beta] = *reduced.state else {
            return Err(ClaimError::Failed("the law of a jump has four variables".into()));
        };
        let what = format!(
            "beta_3, w^3 at t = {} beside the law, heads 1, 2 learned, k = 5, R = 4",
            whole.time
        );
        let predicted = [beta, used, used, own, open, open];
        e.of(what).each(&predicted, head, 1e-8);
    }
    let last = &along(shape, &start, &[700.0])?[0].state;
    let apart = (last[13] - last[16]).abs();
    e.of("distance of used and open weights at t = 700").at_least(0.05, apart);
    Ok(())
}

pub(super) fn later_law(e: &mut Evidence, _: Trial) -> Outcome {
    use saddlescope_associative_recall::theory::potential;
    let (shape, start) = (shape(4, 4, 4)?, later_start(2, 7.0, 8.0, 0.1));
    let state = &along(shape, &start, &[1000.0])?[0].state;
    let (beta, w) = (state[5], &state[6..10]);
    let whole = w[1] - (w[0] + w[2] + w[3]) / 3.0;
    let drift =
        |k: usize, alpha: f64| (potential(k, alpha) - 0.25 * beta * beta + 0.25 * 0.01).abs();
    let how = "from start to t = 1000, jump 2 of order 4";
    e.of(format!("drift with k = 4 {how}")).at_least(0.05, drift(4, whole));
    e.of(format!("drift with k' = 3 {how}")).at_least(0.05, drift(3, w[1] - w[2]));
    Ok(())
}
