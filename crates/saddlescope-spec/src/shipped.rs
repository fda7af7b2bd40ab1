//! The experiments that ship with a system.

/// An experiment that ships with a system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShippedExperiment {
    /// `<system>/<name>`.
    pub name: &'static str,
    pub text: &'static str,
}

impl ShippedExperiment {
    /// The system that it is listed under; what it runs may be another one.
    pub fn group(&self) -> &'static str {
        self.name.split('/').next().unwrap_or(self.name)
    }
}

/// The experiments of a system, from the folder `experiments` of its crate: `shipped!("linear-attention": "fig1", "fig2")`.
#[macro_export]
macro_rules! shipped {
    ($system:literal: $($name:literal),* $(,)?) => {
        &[$($crate::shipped::ShippedExperiment {
            name: concat!($system, "/", $name),
            text: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/experiments/", $name, ".toml")),
        }),*]
    };
}
