//! The inner loops: weights to `Theta`, and the slope `dL/dTheta` back to weights, for a dimension known
//! at compile time or not, in the best instructions that the machine has.

use pulp::{Arch, Simd, WithSimd};

mod pairs;
mod registers;
mod vector;

pub(crate) use pairs::Pairs;
pub(crate) use vector::{axpy, difference, dot, sandwich, scaled_product, settle, symmetric_times};
use vector::{row_times, scale};

/// A dimension `D`, with the instructions to work in.
pub trait Dim: Copy {
    /// The instruction set.
    type Simd: Simd;
    /// The token of the instruction set.
    fn simd(self) -> Self::Simd;
    /// `D`.
    fn get(self) -> usize;

    /// [`compose`], in registers where the compiler knows `D`.
    #[doc(hidden)]
    #[inline(always)]
    fn compose(self, rank: usize, weights: &[f64], theta: &mut [f64]) {
        compose_slices(self, rank, weights, theta);
    }

    /// [`back`], in registers where the compiler knows `D`.
    #[doc(hidden)]
    #[inline(always)]
    fn back(self, rank: usize, weights: &[f64], slope: Slope<'_>, gradient: &mut [f64]) {
        back_slices(self, rank, weights, slope, gradient);
    }

    /// `out = S theta` by [`Pairs`], or `false` where the compiler does not know `D`.
    #[doc(hidden)]
    #[inline(always)]
    fn pairs_times(
        self,
        _pairs: &Pairs,
        _theta: &[f64],
        _scratch: &mut [f64],
        _out: &mut [f64],
    ) -> bool {
        false
    }
}

/// A dimension that the compiler knows, with rows of `W` vectors, so that matrices stay in registers.
#[derive(Clone, Copy)]
struct Fixed<S, const D: usize, const W: usize>(S);

/// Any dimension.
#[derive(Clone, Copy)]
struct Dynamic<S>(S, usize);

impl<S: Simd, const D: usize, const W: usize> Dim for Fixed<S, D, W> {
    type Simd = S;
    #[inline(always)]
    fn simd(self) -> S {
        self.0
    }
    #[inline(always)]
    fn get(self) -> usize {
        D
    }
    #[inline(always)]
    fn compose(self, rank: usize, weights: &[f64], theta: &mut [f64]) {
        registers::compose::<S, D, W>(self.0, rank, weights, theta);
    }
    #[inline(always)]
    fn back(self, rank: usize, weights: &[f64], slope: Slope<'_>, gradient: &mut [f64]) {
        registers::back::<S, D, W>(self.0, rank, weights, slope, gradient);
    }
    #[inline(always)]
    fn pairs_times(
        self,
        pairs: &Pairs,
        theta: &[f64],
        scratch: &mut [f64],
        out: &mut [f64],
    ) -> bool {
        pairs.times::<S, D, W>(self.0, theta, scratch, out);
        true
    }
}

impl<S: Simd> Dim for Dynamic<S> {
    type Simd = S;
    #[inline(always)]
    fn simd(self) -> S {
        self.0
    }
    #[inline(always)]
    fn get(self) -> usize {
        self.1
    }
}

/// Whether there is code of its own for `dimension`.
pub(crate) fn is_known(dimension: usize) -> bool {
    matches!(dimension, 1..=8 | 16)
}

/// Numbers per vector on machines without AVX-512.
const LANES: usize = if cfg!(target_arch = "aarch64") { 2 } else { 4 };

/// Work that is written once for every [`Dim`]. `run` must be `#[inline(always)]`.
pub(crate) trait Kernel {
    /// What the work gives back.
    type Output;

    /// Whether it is worth code of its own for every small dimension.
    const HOT: bool = true;

    /// Whether rows of five to eight numbers, and of sixteen, go into vectors of eight where there are any.
    const WIDE: bool = false;
    fn run<D: Dim>(self, dim: D) -> Self::Output;
}

/// Runs `kernel` for `dimension` with the instructions of `arch`.
///
/// Rows of up to four numbers stay in vectors of four on every machine. Machines without vectors of four
/// get no code for single dimensions: it would be half of this crate, for machines of long ago. Inlined into
/// every optimiser's loop it would be a third of it, and no faster.
#[inline(never)]
pub(crate) fn dispatch<K: Kernel>(arch: Arch, dimension: usize, kernel: K) -> K::Output {
    let job = Dispatched { dimension, kernel };
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    {
        let simd = match arch {
            Arch::V4(simd) if K::WIDE && matches!(dimension, 5..=8 | 16) => {
                return Simd::vectorize(simd, job);
            }
            Arch::V4(simd) => *simd,
            Arch::V3(simd) => simd,
            _ => return job.kernel.run(Dynamic(pulp::Scalar, dimension)),
        };
        Simd::vectorize(simd, job)
    }
    #[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
    arch.dispatch(job)
}

struct Dispatched<K> {
    dimension: usize,
    kernel: K,
}

/// Runs for the dimension of a job that is one of those that follow, with as many lanes to a vector.
macro_rules! run_known {
    ($job:expr, $simd:expr, $lanes:expr, $($d:literal)*) => {
        match $job.dimension {
            $($d => $job.kernel.run(Fixed::<S, $d, { usize::div_ceil($d, $lanes) }>($simd)),)*
            other => $job.kernel.run(Dynamic($simd, other)),
        }
    };
}

impl<K: Kernel> WithSimd for Dispatched<K> {
    type Output = K::Output;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> K::Output {
        if S::F64_LANES == 8 {
            run_known!(self, simd, 8, 5 6 7 8 16)
        } else if K::HOT && S::F64_LANES == LANES {
            run_known!(self, simd, LANES, 1 2 3 4 5 6 7 8 16)
        } else {
            self.kernel.run(Dynamic(simd, self.dimension))
        }
    }
}

/// One head of a flat weight vector: value, keys, queries.
#[inline(always)]
fn split<D: Dim>(dim: D, rank: usize, head: &[f64]) -> (f64, &[f64], &[f64]) {
    let pairs = rank * dim.get();
    (head[0], &head[1..1 + pairs], &head[1 + pairs..1 + 2 * pairs])
}

/// `theta += weight * key query^T`.
#[inline(always)]
pub(crate) fn add_outer<D: Dim>(
    dim: D,
    weight: f64,
    key: &[f64],
    query: &[f64],
    theta: &mut [f64],
) {
    for (&k, row) in key.iter().zip(theta.chunks_exact_mut(dim.get())) {
        axpy(dim, weight * k, query, row);
    }
}

/// `Theta = sum_i v_i sum_r k_ir q_ir^T`.
#[inline(always)]
pub(crate) fn compose<D: Dim>(dim: D, rank: usize, weights: &[f64], theta: &mut [f64]) {
    dim.compose(rank, weights, theta);
}

#[inline(always)]
fn compose_slices<D: Dim>(dim: D, rank: usize, weights: &[f64], theta: &mut [f64]) {
    let d = dim.get();
    theta[..d * d].fill(0.0);
    for head in weights.chunks_exact(1 + 2 * rank * d) {
        let (value, keys, queries) = split(dim, rank, head);
        for (key, query) in keys.chunks_exact(d).zip(queries.chunks_exact(d)) {
            add_outer(dim, value, key, query, theta);
        }
    }
}

/// A slope `dL/dTheta` and its transpose, both row-major, so that products from either side run along
/// rows.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct Slope<'a> {
    rows: &'a [f64],
    columns: &'a [f64],
}

impl<'a> Slope<'a> {
    /// Transposes `rows` into `columns`; both have `D^2` entries.
    #[inline(always)]
    pub(crate) fn new<D: Dim>(dim: D, rows: &'a [f64], columns: &'a mut [f64]) -> Self {
        let d = dim.get();
        let (rows, columns) = (&rows[..d * d], &mut columns[..d * d]);
        // A vector at a time, built from numbers in registers: one loaded right after single stores, or
        // after stores of half its size, would have to wait for all of them.
        for (b, column) in columns.chunks_exact_mut(d).enumerate() {
            let whole = if D::Simd::F64_LANES == 8 { d / 8 * 8 } else { 0 };
            let (eights, rest) = column.split_at_mut(whole);
            for (place, out) in eights.as_chunks_mut::<8>().0.iter_mut().enumerate() {
                *out = std::array::from_fn(|lane| rows[(8 * place + lane) * d + b]);
            }
            let (fours, rest) = rest.as_chunks_mut::<4>();
            let done = whole + 4 * fours.len();
            for (quad, out) in fours.iter_mut().enumerate() {
                *out = std::array::from_fn(|lane| rows[(whole + 4 * quad + lane) * d + b]);
            }
            for (a, out) in rest.iter_mut().enumerate() {
                *out = rows[(done + a) * d + b];
            }
        }
        Self { rows, columns }
    }
}

/// Carries a slope back to the weights: `dL/dk = v g q`, `dL/dq = v g^T k`, `dL/dv = sum_r k . g q`.
// 003, Eq. (22) with g = -2 E(beta (y - yhat) x_q^T); (24c) as printed lacks the transpose.
#[inline(always)]
pub(crate) fn back<D: Dim>(
    dim: D,
    rank: usize,
    weights: &[f64],
    slope: Slope<'_>,
    gradient: &mut [f64],
) {
    dim.back(rank, weights, slope, gradient);
}

#[inline(always)]
fn back_slices<D: Dim>(
    dim: D,
    rank: usize,
    weights: &[f64],
    slope: Slope<'_>,
    gradient: &mut [f64],
) {
    let d = dim.get();
    let len = 1 + 2 * rank * d;
    for (head, out) in weights.chunks_exact(len).zip(gradient.chunks_exact_mut(len)) {
        let (value, keys, queries) = split(dim, rank, head);
        let (out_value, out_pairs) = out.split_at_mut(1);
        let (out_keys, out_queries) = out_pairs.split_at_mut(rank * d);
        let mut total = 0.0;
        for r in 0..rank {
            let row = r * d..r * d + d;
            let (key, query) = (&keys[row.clone()], &queries[row.clone()]);
            let (to_key, to_query) = (&mut out_keys[row.clone()], &mut out_queries[row]);
            row_times(dim, query, slope.columns, to_key);
            row_times(dim, key, slope.rows, to_query);
            total += dot(dim, key, to_key);
            scale(dim, value, to_key);
            scale(dim, value, to_query);
        }
        out_value[0] = total;
    }
}

#[cfg(test)]
#[path = "kernel_tests.rs"]
mod tests;
