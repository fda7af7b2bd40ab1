//! Roots of continuous functions in a bracket.

/// Secant steps that a bracket is given to halve before it is bisected.
const PATIENCE: u32 = 3;

/// The point in `[from, to]` at which `margin` first found to change from positive to not positive.
///
/// `margin` is positive at `from` and `after <= 0` at `to`. The answer is on the far side of the
/// root, within a few units in the last place of it: there the margin is not positive. The secant
/// is kept from stalling by halving the weight of an end that stays (the Illinois method), and by
/// bisection when that is too slow.
pub fn bracketed_root<E>(
    from: f64,
    to: f64,
    after: f64,
    mut margin: impl FnMut(f64) -> Result<f64, E>,
) -> Result<f64, E> {
    let (mut low, mut high) = (from, to);
    let mut at_low = margin(from)?;
    let mut at_high = after;
    if at_low <= 0.0 {
        return Ok(from);
    }
    let mut last_side = 0;
    let mut goal = 0.5 * (high - low);
    let mut patience = PATIENCE;
    loop {
        let width = high - low;
        if width <= 4.0 * f64::EPSILON * high.abs().max(low.abs()) || at_high == 0.0 {
            break;
        }
        let secant = high - at_high * width / (at_high - at_low);
        let middle = low + 0.5 * width;
        if width <= goal || patience == 0 {
            goal = 0.5 * width;
            patience = PATIENCE + 1;
        }
        patience -= 1;
        let next = if patience == 0 || !(secant > low && secant < high) { middle } else { secant };
        if next <= low || next >= high {
            break;
        }
        let value = margin(next)?;
        if value > 0.0 {
            (low, at_low) = (next, value);
            if last_side == -1 {
                at_high *= 0.5;
            }
            last_side = -1;
        } else {
            (high, at_high) = (next, value);
            if last_side == 1 {
                at_low *= 0.5;
            }
            last_side = 1;
        }
    }
    Ok(high)
}

/// Looks for a point in `[from, to]` where `margin` is not positive, following it down to its
/// minimum: a margin that falls at `from` and rises at `to`, with one turn between.
pub fn dip<E>(
    from: f64,
    to: f64,
    mut margin: impl FnMut(f64) -> Result<f64, E>,
) -> Result<Option<(f64, f64)>, E> {
    const GOLDEN: f64 = 0.618_033_988_749_894_8;
    // Forty golden sections narrow the minimum to the root of the rounding error, where the margin is flat.
    let (mut low, mut high) = (from, to);
    let inner = |low: f64, high: f64| [high - GOLDEN * (high - low), low + GOLDEN * (high - low)];
    let [mut left, mut right] = inner(low, high);
    let (mut at_left, mut at_right) = (margin(left)?, margin(right)?);
    for _ in 0..40 {
        for (place, value) in [(left, at_left), (right, at_right)] {
            if value <= 0.0 {
                return Ok(Some((place, value)));
            }
        }
        if at_left < at_right {
            high = right;
            (right, at_right) = (left, at_left);
            left = inner(low, high)[0];
            at_left = margin(left)?;
        } else {
            low = left;
            (left, at_left) = (right, at_right);
            right = inner(low, high)[1];
            at_right = margin(right)?;
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root(from: f64, to: f64, margin: impl Fn(f64) -> f64) -> (f64, usize) {
        let mut calls = 0;
        let counted = |x: f64| {
            calls += 1;
            Ok::<_, std::convert::Infallible>(margin(x))
        };
        let Ok(found) = bracketed_root(from, to, margin(to), counted);
        (found, calls)
    }

    #[test]
    fn roots_are_found_to_the_last_places_on_their_far_side() {
        type Case = (f64, f64, f64, fn(f64) -> f64);
        let cases: [Case; 4] = [
            (0.0, 2.0, 2f64.sqrt(), |x| 2.0 - x * x),
            (0.0, 1.0, 0.739_085_133_215_160_7, |x| x.cos() - x),
            (0.0, 1e6, 1e-3, |x| 1e-9 - x * x * x),
            (-3.0, 8.0, 1.0, |x| 1.0 - x.exp() / 1f64.exp()),
        ];
        for (from, to, exact, margin) in cases {
            let (found, calls) = root(from, to, margin);
            assert!(
                (found - exact).abs() <= 1e-15 * (1.0 + exact.abs()) + 1e-13 * exact,
                "{found}"
            );
            assert!(margin(found) <= 0.0);
            assert!(calls < 100, "{calls}");
        }
    }

    #[test]
    fn a_shallow_dip_is_found_and_one_that_stays_above_is_not() {
        let at = |depth: f64| {
            let margin = |x: f64| Ok::<_, std::convert::Infallible>((x - 0.3).powi(2) - depth);
            let Ok(found) = dip(0.0, 1.0, margin);
            found
        };
        let (place, value) = at(1e-12).unwrap();
        assert!((place - 0.3).abs() < 1e-6 && value <= 0.0);
        assert_eq!(at(-1e-12), None);
    }

    #[test]
    fn a_jump_is_found_by_bisection() {
        let (found, _) = root(0.0, 1.0, |x| if x < 0.3 { 1.0 } else { -1e-9 });
        assert!((found - 0.3).abs() < 1e-15, "{found}");
    }
}
