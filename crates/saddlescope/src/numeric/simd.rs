//! The SIMD level has one home: found once, pinned by an environment variable, used by `dispatch!`.
//!
//! Kernels are plain loops in `#[inline(always)]` functions; [`dispatch!`](crate::dispatch) compiles
//! each use of one for every level and runs the one that fits the machine. Loops that neither use
//! `mul_add` nor add up across lanes have the same bits at every level.

use std::fmt;
use std::str::FromStr;
use std::sync::OnceLock;

use crate::prelude::*;

pub use pulp::Arch;

/// The environment variable that pins the level: `baseline`, `v3` or `v4`.
pub const VARIABLE: &str = "SADDLESCOPE_SIMD";

/// How wide the vectors of the hot loops are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// What every machine of the architecture has (128 bits on x86-64 and AArch64).
    Baseline,
    /// x86-64-v3: AVX2 and FMA, 256 bits.
    V3,
    /// x86-64-v4: AVX-512, 512 bits.
    V4,
}

impl Level {
    /// All levels, the narrowest first.
    pub const ALL: [Self; 3] = [Self::Baseline, Self::V3, Self::V4];

    /// The widest level of this machine.
    pub fn detected() -> Self {
        let widest = Self::ALL.into_iter().rev().find(|level| level.arch().is_some());
        widest.unwrap_or(Self::Baseline)
    }

    /// What runs kernels at this level, where the machine has it.
    pub fn arch(self) -> Option<Arch> {
        match self {
            Self::Baseline => Some(Arch::Scalar),
            #[cfg(target_arch = "x86_64")]
            Self::V3 => pulp::x86::V3::try_new().map(Arch::V3),
            #[cfg(target_arch = "x86_64")]
            Self::V4 => pulp::x86::V4::try_new().map(Arch::V4),
            #[cfg(not(target_arch = "x86_64"))]
            Self::V3 | Self::V4 => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Baseline => "baseline",
            Self::V3 => "v3",
            Self::V4 => "v4",
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Level {
    type Err = SimdError;

    fn from_str(word: &str) -> Result<Self, SimdError> {
        let known = Self::ALL.into_iter().find(|level| level.name() == word);
        known.ok_or_else(|| {
            SimdError(format!("{VARIABLE} is `{word}`; expected `baseline`, `v3` or `v4`"))
        })
    }
}

/// Why the level that was asked for cannot be had: what the variable holds, and what it may hold.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SimdError(String);

/// The level that the environment asks for, or the widest one where it asks for none.
///
/// Programs call this at start-up and stop on an error, since [`level`] cannot say no.
pub fn requested() -> Result<Level, SimdError> {
    let detected = Level::detected();
    let Some(word) = std::env::var_os(VARIABLE) else { return Ok(detected) };
    let wanted: Level = word.to_string_lossy().parse()?;
    if wanted.arch().is_none() {
        let why = format!("{VARIABLE} is `{wanted}`, but this machine goes up to `{detected}`");
        return Err(SimdError(why));
    }
    Ok(wanted)
}

/// The level at which kernels run: what was [`requested`], and the widest one where that is an error.
pub fn level() -> Level {
    match arch() {
        #[cfg(target_arch = "x86_64")]
        Arch::V3(_) => Level::V3,
        #[cfg(target_arch = "x86_64")]
        Arch::V4(_) => Level::V4,
        _ => Level::Baseline,
    }
}

/// What runs kernels at [`level`]: `dispatch!` branches on it, and kernels written in the vectors of `pulp` take it.
#[inline]
pub fn arch() -> Arch {
    static ARCH: OnceLock<Arch> = OnceLock::new();
    *ARCH.get_or_init(|| {
        let level = requested().unwrap_or_else(|_| Level::detected());
        level.arch().unwrap_or(Arch::Scalar)
    })
}

/// Evaluates an expression compiled for the SIMD level of the process: `dispatch!(kernel(a, b))`.
///
/// The kernel must be `#[inline(always)]`, as must everything it calls in its loops. Costs about a
/// nanosecond, so dispatch around a loop, never inside one.
///
/// This is a macro because a function would take one closure and call it from three places, and a
/// closure with three callers and a large body is not inlined: it would silently run at the
/// baseline. Here each level has a closure of its own, with a single caller.
#[macro_export]
macro_rules! dispatch {
    ($body:expr) => {
        $crate::dispatch_at!($crate::numeric::simd::arch(), $body)
    };
}

/// `dispatch!` at a given level.
#[doc(hidden)]
#[macro_export]
#[cfg(target_arch = "x86_64")]
macro_rules! dispatch_at {
    ($arch:expr, $body:expr) => {
        match $arch {
            $crate::numeric::simd::Arch::V4(simd) => simd.vectorize(|| $body),
            $crate::numeric::simd::Arch::V3(simd) => simd.vectorize(|| $body),
            _ => $body,
        }
    };
}

/// `dispatch!` at a given level.
#[doc(hidden)]
#[macro_export]
#[cfg(not(target_arch = "x86_64"))]
macro_rules! dispatch_at {
    ($arch:expr, $body:expr) => {{
        let _ = $arch;
        $body
    }};
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for level in Level::ALL {
            assert_eq!(level.to_string().parse(), Ok(level));
        }
    }

    #[test]
    fn an_unknown_word_is_an_error_that_names_it() {
        let error = "avx9".parse::<Level>().unwrap_err();
        assert_eq!(
            error.to_string(),
            "SADDLESCOPE_SIMD is `avx9`; expected `baseline`, `v3` or `v4`"
        );
    }

    #[test]
    fn every_level_up_to_the_detected_one_runs() {
        for level in Level::ALL {
            let arch = level.arch();
            assert_eq!(arch.is_some(), level <= Level::detected());
            let Some(arch) = arch else { continue };
            let values = [1u64, 2, 3];
            assert_eq!(crate::dispatch_at!(arch, values.iter().sum::<u64>()), 6);
        }
    }

    /// The tests below need another environment each, so they run this one in a child process.
    #[test]
    #[ignore = "run by the other tests, in a child process"]
    fn child_reports_levels() {
        println!("level={} requested={:?}", level(), requested());
    }

    fn child(word: &str) -> String {
        crate::toys::in_child("numeric::simd::tests::child_reports_levels", word)
    }

    #[test]
    fn the_environment_pins_the_level() {
        for level in Level::ALL.into_iter().filter(|&level| level <= Level::detected()) {
            let report = child(&level.to_string());
            assert!(report.contains(&format!("level={level} requested=Ok({level:?})")), "{report}");
        }
    }

    #[test]
    fn a_wrong_pin_is_reported_and_not_obeyed() {
        let (report, detected) = (child("V4"), Level::detected());
        assert!(report.contains(&format!("level={detected} requested=Err(")), "{report}");
        if detected < Level::V4 {
            let report = child("v4");
            assert!(report.contains("but this machine goes up to"), "{report}");
        }
    }
}
