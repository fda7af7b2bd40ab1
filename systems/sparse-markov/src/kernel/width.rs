//! Vectors as wide as the machine's, for the loops in which compilers fail to find them.

use pulp::{Arch, NullaryFnOnce, Scalar128b, Simd};
use saddlescope::Scalar;
use saddlescope::numeric::simd;

/// `f32` or `f64`, with their vectors.
pub trait Number: Scalar {
    #[doc(hidden)]
    type Pack<V: Simd>: Copy;

    #[doc(hidden)]
    fn lanes<V: Simd>() -> usize;
    #[doc(hidden)]
    fn packs<V: Simd>(row: &[Self]) -> &[Self::Pack<V>];
    #[doc(hidden)]
    fn packs_mut<V: Simd>(row: &mut [Self]) -> &mut [Self::Pack<V>];
    #[doc(hidden)]
    fn splat<V: Simd>(simd: V, number: Self) -> Self::Pack<V>;
    #[doc(hidden)]
    fn plus<V: Simd>(simd: V, a: Self::Pack<V>, b: Self::Pack<V>) -> Self::Pack<V>;
    #[doc(hidden)]
    fn times<V: Simd>(simd: V, a: Self::Pack<V>, b: Self::Pack<V>) -> Self::Pack<V>;
}

macro_rules! number {
    ($type:ty, $pack:ident, $lanes:ident, $packs:ident, $packs_mut:ident, $splat:ident, $plus:ident, $times:ident) => {
        impl Number for $type {
            type Pack<V: Simd> = V::$pack;

            #[inline(always)]
            fn lanes<V: Simd>() -> usize {
                V::$lanes
            }
            #[inline(always)]
            fn packs<V: Simd>(row: &[Self]) -> &[V::$pack] {
                V::$packs(row).0
            }
            #[inline(always)]
            fn packs_mut<V: Simd>(row: &mut [Self]) -> &mut [V::$pack] {
                V::$packs_mut(row).0
            }
            #[inline(always)]
            fn splat<V: Simd>(simd: V, number: Self) -> V::$pack {
                simd.$splat(number)
            }
            #[inline(always)]
            fn plus<V: Simd>(simd: V, a: V::$pack, b: V::$pack) -> V::$pack {
                simd.$plus(a, b)
            }
            #[inline(always)]
            fn times<V: Simd>(simd: V, a: V::$pack, b: V::$pack) -> V::$pack {
                simd.$times(a, b)
            }
        }
    };
}

number!(f32, f32s, F32_LANES, as_simd_f32s, as_mut_simd_f32s, splat_f32s, add_f32s, mul_f32s);
number!(f64, f64s, F64_LANES, as_simd_f64s, as_mut_simd_f64s, splat_f64s, add_f64s, mul_f64s);

/// A width of vectors, with half of it where there is one.
pub(crate) trait Width: Simd {
    type Half: Simd;
    fn half(self) -> Self::Half;
}

impl Width for Scalar128b {
    type Half = Self;
    #[inline(always)]
    fn half(self) -> Self {
        self
    }
}

#[cfg(target_arch = "x86_64")]
impl Width for pulp::x86::V3 {
    type Half = Self;
    #[inline(always)]
    fn half(self) -> Self {
        self
    }
}

#[cfg(target_arch = "x86_64")]
impl Width for pulp::x86::V4 {
    type Half = pulp::x86::V3;
    #[inline(always)]
    fn half(self) -> pulp::x86::V3 {
        *self
    }
}

/// What is compiled for each width. All that it calls in its loops must be inlined always.
pub(crate) trait Job {
    type Output;
    fn run<V: Width>(self, simd: V) -> Self::Output;
}

/// Does the job with the vectors of the machine.
pub(crate) fn dispatch<J: Job>(job: J) -> J::Output {
    dispatch_at(simd::arch(), job)
}

/// Does the job with these vectors.
pub(crate) fn dispatch_at<J: Job>(arch: Arch, job: J) -> J::Output {
    match arch {
        #[cfg(target_arch = "x86_64")]
        Arch::V4(simd) => simd.vectorize(At { job, simd }),
        #[cfg(target_arch = "x86_64")]
        Arch::V3(simd) => simd.vectorize(At { job, simd }),
        _ => job.run(Scalar128b),
    }
}

struct At<J, V> {
    job: J,
    simd: V,
}

impl<J: Job, V: Width> NullaryFnOnce for At<J, V> {
    type Output = J::Output;

    #[inline(always)]
    fn call(self) -> J::Output {
        self.job.run(self.simd)
    }
}
