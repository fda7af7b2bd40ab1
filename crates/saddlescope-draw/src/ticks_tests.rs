//! Ticks: round, within the axis, in order, and no more than fit.

use super::*;
use crate::figure::Axis;
use proptest::prelude::*;

fn mapping(scale: Scale, low: f64, high: f64) -> Mapping {
    let axis = Axis::new("", scale, Some((low, high)));
    Mapping::new(&axis, [low, high].into_iter(), 0.0)
}

/// Labels of the densest ticks with at most this many.
fn labels(scale: Scale, low: f64, high: f64, most: usize) -> Vec<String> {
    let found = ticks(&mapping(scale, low, high), |ticks| labelled(ticks).count() <= most);
    labelled(&found).map(|(_, label)| label.to_owned()).collect()
}

#[test]
fn linear_ticks() {
    for (low, high, most, expected) in [
        (0.0, 1.0, 6, "0 0.2 0.4 0.6 0.8 1.0"),
        (0.0, 1.0, 3, "0 0.5 1.0"),
        (-1.0, 1.0, 5, "−1.0 −0.5 0 0.5 1.0"),
        (0.0, 40.0, 5, "0 10 20 30 40"),
        (3.0, 97.0, 5, "20 40 60 80"),
        (0.0, 2e5, 3, "0 $10^{5}$ 2$\\cdot10^{5}$"),
        (0.0, 2e5, 5, "0 0.5$\\cdot10^{5}$ 1.0$\\cdot10^{5}$ 1.5$\\cdot10^{5}$ 2.0$\\cdot10^{5}$"),
        (0.0, 4e-5, 5, "0 $10^{-5}$ 2$\\cdot10^{-5}$ 3$\\cdot10^{-5}$ 4$\\cdot10^{-5}$"),
        (99_990.0, 99_994.0, 5, "99990 99991 99992 99993 99994"),
        (1.0, 1.000_004, 3, "1.000000 1.000002 1.000004"),
        (-2e300, 0.0, 3, "−2$\\cdot10^{300}$ −$10^{300}$ 0"),
    ] {
        assert_eq!(labels(Scale::Linear, low, high, most).join(" "), expected, "{low}..{high}");
    }
}

#[test]
fn logarithmic_ticks() {
    for (low, high, most, expected) in [
        (1.0, 1e4, 9, "$10^{0}$ $10^{1}$ $10^{2}$ $10^{3}$ $10^{4}$"),
        (1.0, 1e4, 3, "$10^{0}$ $10^{2}$ $10^{4}$"),
        (1e-12, 1.0, 5, "$10^{-12}$ $10^{-9}$ $10^{-6}$ $10^{-3}$ $10^{0}$"),
        (1.0, 10.0, 9, "1 2 3 5 10"),
        (1.0, 10.0, 4, "1 2 5 10"),
        (0.2, 0.9, 9, "0.2 0.3 0.5"),
        (2e-7, 6e-7, 9, "2$\\cdot10^{-7}$ 3$\\cdot10^{-7}$ 5$\\cdot10^{-7}$"),
        (1.01, 1.08, 4, "1.02 1.04 1.06 1.08"),
        (100.0, 104.0, 5, "100 101 102 103 104"),
        (1e-300, 1e300, 3, "$10^{-200}$ $10^{0}$ $10^{200}$"),
    ] {
        assert_eq!(labels(Scale::Log, low, high, most).join(" "), expected, "{low}..{high}");
    }
}

#[test]
fn decades_have_minor_ticks_at_the_digits() {
    let found = ticks(&mapping(Scale::Log, 1.0, 1000.0), |_| true);
    let minor: Vec<f64> = found.iter().filter(|t| t.label.is_none()).map(|t| t.part).collect();
    assert_eq!(minor.len(), 24);
    assert!(minor.iter().any(|part| (part - 2f64.log10() / 3.0).abs() < 1e-12));
}

#[test]
fn where_neighbours_do_not_fit_the_ends_or_the_first_stay() {
    let count = |ticks: &[Tick]| labelled(ticks).count();
    let pair = ticks(&mapping(Scale::Linear, 0.0, 1.0), |ticks| {
        let marked: Vec<f64> = labelled(ticks).map(|(part, _)| part).collect();
        marked.windows(2).all(|pair| pair[1] - pair[0] > 0.9)
    });
    assert_eq!(count(&pair), 2);
    assert_eq!(count(&ticks(&mapping(Scale::Linear, 0.0, 1.0), |ticks| count(ticks) < 2)), 1);
}

/// The number that a label shows.
fn value(label: &str) -> f64 {
    let plain = label.replace('−', "-").replace("$\\cdot10^{", "e").replace("$10^{", "1e");
    plain.replace("}$", "").parse().expect("a number")
}

proptest! {
    #[test]
    fn linear_labels_say_where_their_ticks_are(
        middle in -1e6..1e6f64, exponent in -6..9, width in 1.0..10.0f64,
    ) {
        let (low, high) = (middle, middle + width * 10f64.powi(exponent));
        let mapping = mapping(Scale::Linear, low, high);
        let found = ticks(&mapping, |_| true);
        let count = labelled(&found).count();
        prop_assert!((2..=12).contains(&count), "{} labels", count);
        // What two neighbouring numbers near the middle differ by, as a part of the axis.
        let rounding = f64::EPSILON * middle.abs() / mapping.half_width();
        for tick in &found {
            let shown = value(tick.label.as_ref().expect("major"));
            let off = (mapping.part_of(shown) - tick.part).abs();
            prop_assert!(off < 1e-9 + 4.0 * rounding, "{tick:?}");
        }
        prop_assert!(found.windows(2).all(|pair| pair[0].part < pair[1].part));
    }

    #[test]
    fn logarithmic_labels_say_where_their_ticks_are(low in -300.0..299.0f64, decades in 0.001..600.0f64) {
        let high = (low + decades).min(305.0);
        let mapping = mapping(Scale::Log, 10f64.powf(low), 10f64.powf(high));
        let found = ticks(&mapping, |_| true);
        for tick in &found {
            prop_assert!((0.0..=1.0).contains(&tick.part));
            if let Some(label) = &tick.label {
                let part = mapping.part(value(label)).expect("positive");
                prop_assert!((part - tick.part).abs() < 1e-6, "{tick:?} {part}");
            }
        }
    }
}
