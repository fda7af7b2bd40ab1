//! Lists of numbers as vectors.

pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

pub fn norm(x: &[f64]) -> f64 {
    dot(x, x).sqrt()
}

/// The value below which a part of the sorted numbers lies, between neighbours in proportion.
pub fn quantile(sorted: &[f64], part: f64) -> f64 {
    let place = part * (sorted.len() - 1) as f64;
    let below = place.floor() as usize;
    let above = (below + 1).min(sorted.len() - 1);
    sorted[below] + (place - below as f64) * (sorted[above] - sorted[below])
}
