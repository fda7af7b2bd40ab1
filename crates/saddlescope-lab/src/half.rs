//! Numbers of sixteen bits: halves of IEEE 754, and the upper halves of single precision.

/// IEEE 754 `binary16`: one bit of sign, five of exponent, ten of fraction.
pub(crate) fn half(bits: u16) -> f64 {
    let fraction = f64::from(bits & 0x3ff);
    let size = match (bits >> 10) & 0x1f {
        0 => fraction * (-24_f64).exp2(),
        0x1f if fraction == 0.0 => f64::INFINITY,
        0x1f => f64::NAN,
        exponent => (1.0 + fraction / 1024.0) * (f64::from(exponent) - 15.0).exp2(),
    };
    if bits >> 15 == 0 { size } else { -size }
}

/// `bfloat16`: the upper half of an `f32`.
pub(crate) fn brain(bits: u16) -> f64 {
    f64::from(f32::from_bits(u32::from(bits) << 16))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_those_of_ieee_754() {
        for (bits, value) in [
            (0x0000, 0.0),
            (0x0001, 5.960_464_477_539_063e-8),
            (0x03ff, 6.097_555_160_522_461e-5),
            (0x0400, 6.103_515_625e-5),
            (0x3555, 0.333_251_953_125),
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x7bff, 65504.0),
            (0x7c00, f64::INFINITY),
            (0xfc00, f64::NEG_INFINITY),
        ] {
            assert_eq!(half(bits), value, "{bits:04x}");
        }
        assert!(half(0x7e00).is_nan());
        assert!(half(0x8000).is_sign_negative());
    }

    #[test]
    fn brains_are_the_upper_halves_of_single_precision() {
        for (bits, value) in [
            (0x0000, 0.0),
            (0x3f80, 1.0),
            (0x4049, 3.140_625),
            (0xc020, -2.5),
            (0x0080, f64::from(f32::MIN_POSITIVE)),
            (0xff80, f64::NEG_INFINITY),
        ] {
            assert_eq!(brain(bits), value, "{bits:04x}");
        }
        assert!(brain(0x7fc0).is_nan());
    }
}
