//! Colours that colour-blind readers and grey printers can tell apart.

use std::sync::OnceLock;

/// A colour by its part in the figure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Colour {
    /// One of eight colours that are told apart by hue and by lightness; further numbers repeat them.
    Series(usize),
    /// A place from 0, dark, to 1, light, on an even ramp.
    Ramp(f64),
    /// Near black.
    Ink,
    /// The grey of theory.
    Theory,
    /// The light grey of what is missing.
    Faint,
}

/// Red, green and blue in sRGB.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Rgb(pub(crate) u8, pub(crate) u8, pub(crate) u8);

pub(crate) const INK: Rgb = Rgb(0x22, 0x22, 0x26);
pub(crate) const THEORY: Rgb = Rgb(0x4c, 0x4c, 0x52);
pub(crate) const FAINT: Rgb = Rgb(0x8a, 0x8a, 0x90);
pub(crate) const GRID: Rgb = Rgb(0xe9, 0xe9, 0xec);
pub(crate) const WHITE: Rgb = Rgb(0xff, 0xff, 0xff);
pub(crate) const NOTHING: Rgb = Rgb(0xd4, 0xd4, 0xd8);

/// Hues after Okabe and Ito, in an order in which neighbours differ in lightness, without their yellow.
const SERIES: [Rgb; 8] = [
    Rgb(0x00, 0x5f, 0xa8),
    Rgb(0xe6, 0x9f, 0x00),
    Rgb(0x00, 0x9e, 0x73),
    Rgb(0xb3, 0x3c, 0x00),
    Rgb(0x56, 0xb4, 0xe9),
    Rgb(0x8a, 0x2d, 0x6f),
    Rgb(0xd9, 0x8c, 0xb8),
    Rgb(0x4a, 0x4a, 0x4a),
];

impl Colour {
    pub(crate) fn rgb(self) -> Rgb {
        match self {
            Self::Series(number) => SERIES[number % SERIES.len()],
            Self::Ramp(place) => ramp(place),
            Self::Ink => INK,
            Self::Theory => THEORY,
            Self::Faint => FAINT,
        }
    }
}

/// Lightness and the two opponent axes of OKLab.
type Lab = [f64; 3];

/// A point of OKLab by lightness, chroma and hue in degrees.
fn polar(lightness: f64, chroma: f64, hue: f64) -> Lab {
    let (sin, cos) = hue.to_radians().sin_cos();
    [lightness, chroma * cos, chroma * sin]
}

/// The sRGB colour of a point of OKLab, cut to what a screen can show.
fn rgb([lightness, a, b]: Lab) -> Rgb {
    let l = (lightness + 0.396_337_777_4 * a + 0.215_803_757_3 * b).powi(3);
    let m = (lightness - 0.105_561_345_8 * a - 0.063_854_172_8 * b).powi(3);
    let s = (lightness - 0.089_484_177_5 * a - 1.291_485_548_0 * b).powi(3);
    let channel = |linear: f64| {
        let value = if linear <= 0.003_130_8 {
            12.92 * linear
        } else {
            1.055 * linear.powf(1.0 / 2.4) - 0.055
        };
        (value.clamp(0.0, 1.0) * 255.0).round() as u8
    };
    Rgb(
        channel(4.076_741_662_1 * l - 3.307_711_591_3 * m + 0.230_969_929_2 * s),
        channel(-1.268_438_004_6 * l + 2.609_757_401_1 * m - 0.341_319_396_5 * s),
        channel(-0.004_196_086_3 * l - 0.703_418_614_7 * m + 1.707_614_701_0 * s),
    )
}

fn between(from: Lab, to: Lab, part: f64) -> Lab {
    [0, 1, 2].map(|i| from[i] + (to[i] - from[i]) * part)
}

fn distance(from: Lab, to: Lab) -> f64 {
    from.iter().zip(to).map(|(f, t)| (f - t) * (f - t)).sum::<f64>().sqrt()
}

/// Points along the ramp, evenly spaced in OKLab: a curve from indigo over teal to amber.
fn ramp_points() -> &'static [Lab; 257] {
    static POINTS: OnceLock<[Lab; 257]> = OnceLock::new();
    POINTS.get_or_init(|| {
        const FINE: usize = 4096;
        let control = [
            polar(0.30, 0.125, 292.0),
            polar(0.47, 0.150, 245.0),
            polar(0.66, 0.170, 165.0),
            polar(0.86, 0.165, 92.0),
        ];
        let bezier = |part: f64| {
            let first = [0, 1, 2].map(|i| between(control[i], control[i + 1], part));
            let second = [0, 1].map(|i| between(first[i], first[i + 1], part));
            between(second[0], second[1], part)
        };
        let fine: Vec<Lab> = (0..=FINE).map(|i| bezier(i as f64 / FINE as f64)).collect();
        let mut length = vec![0.0];
        for pair in fine.windows(2) {
            length.push(length[length.len() - 1] + distance(pair[0], pair[1]));
        }
        std::array::from_fn(|i| {
            let wanted = length[FINE] * i as f64 / 256.0;
            fine[length.partition_point(|&l| l < wanted).min(FINE)]
        })
    })
}

/// The even ramp at a place from 0 to 1; what is not a number is grey.
pub(crate) fn ramp(place: f64) -> Rgb {
    if place.is_nan() {
        return NOTHING;
    }
    rgb(ramp_points()[(place.clamp(0.0, 1.0) * 256.0).round() as usize])
}

/// Blue over white to red at a place from -1 to 1; what is not a number is grey.
pub(crate) fn diverging(place: f64) -> Rgb {
    if place.is_nan() {
        return NOTHING;
    }
    let end = if place < 0.0 { polar(0.43, 0.135, 256.0) } else { polar(0.47, 0.165, 32.0) };
    rgb(between(polar(0.975, 0.0, 0.0), end, place.abs().min(1.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lightness(Rgb(r, g, b): Rgb) -> f64 {
        let linear = |c: u8| (f64::from(c) / 255.0).powf(2.2);
        (0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b)).cbrt()
    }

    #[test]
    fn white_and_a_known_blue_come_out_of_oklab() {
        assert_eq!(rgb([1.0, 0.0, 0.0]), Rgb(255, 255, 255));
        assert_eq!(rgb([0.0, 0.0, 0.0]), Rgb(0, 0, 0));
        // sRGB blue is (0.452, -0.032, -0.312) in OKLab.
        let Rgb(r, g, b) = rgb([0.45201, -0.03246, -0.31153]);
        assert!(r <= 2 && g <= 2 && b >= 253, "{r} {g} {b}");
    }

    #[test]
    fn the_ramp_grows_lighter_in_even_steps() {
        let points = ramp_points();
        let steps: Vec<f64> = points.windows(2).map(|p| distance(p[0], p[1])).collect();
        let mean = steps.iter().sum::<f64>() / steps.len() as f64;
        assert!(steps.iter().all(|s| (s / mean - 1.0).abs() < 0.15));
        let light: Vec<f64> = (0..=20).map(|i| lightness(ramp(f64::from(i) / 20.0))).collect();
        assert!(light.windows(2).all(|pair| pair[1] > pair[0]), "{light:?}");
    }

    #[test]
    fn the_diverging_scale_is_white_at_zero_and_as_dark_at_both_ends() {
        let Rgb(r, g, b) = diverging(0.0);
        assert!(r == g && g == b && r > 240);
        assert!((lightness(diverging(-1.0)) - lightness(diverging(1.0))).abs() < 0.06);
        assert_eq!(diverging(f64::NAN), NOTHING);
        assert_eq!(diverging(-7.0), diverging(-1.0));
    }

    #[test]
    fn neighbouring_series_differ_in_grey_print() {
        for pair in SERIES.windows(2) {
            let gap = (lightness(pair[0]) - lightness(pair[1])).abs();
            assert!(gap > 0.1, "{pair:?}: {gap}");
        }
    }
}
