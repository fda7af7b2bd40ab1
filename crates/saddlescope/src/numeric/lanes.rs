//! Loops over several vectors at once, written so that compilers put them into SIMD lanes.

const LANES: usize = 8;

/// `out = base + step * sum of weight * rates[s]` over the `(s, weight)` of `row`; `rates` holds
/// vectors of the length of `base` one after the other.
pub fn combine(base: &[f64], step: f64, row: &[(usize, f64)], rates: &[f64], out: &mut [f64]) {
    crate::dispatch!(combine_lanes(base, step, row, rates, out));
}

#[inline(always)]
fn combine_lanes(base: &[f64], step: f64, row: &[(usize, f64)], rates: &[f64], out: &mut [f64]) {
    let n = base.len();
    let (bases, base_rest) = base.as_chunks::<LANES>();
    let (outs, out_rest) = out.as_chunks_mut::<LANES>();
    for (chunk, (base, out)) in bases.iter().zip(outs).enumerate() {
        let mut sum = [0.0; LANES];
        for &(s, weight) in row {
            let from = s * n + chunk * LANES;
            let rates = &rates[from..from + LANES];
            for lane in 0..LANES {
                sum[lane] += weight * rates[lane];
            }
        }
        for lane in 0..LANES {
            out[lane] = base[lane] + step * sum[lane];
        }
    }
    let done = bases.len() * LANES;
    for (i, (base, out)) in base_rest.iter().zip(out_rest).enumerate() {
        let sum: f64 = row.iter().map(|&(s, weight)| weight * rates[s * n + done + i]).sum();
        *out = base + step * sum;
    }
}
