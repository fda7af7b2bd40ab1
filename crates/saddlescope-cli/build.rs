//! Lets the linker fold functions that came out the same: the program has thousands of them.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=RUSTC_LINKER");
    // Where nobody chose a linker, Rust brings this one along for this target.
    let is_lld = env::var("TARGET").is_ok_and(|target| target == "x86_64-unknown-linux-gnu")
        && env::var_os("RUSTC_LINKER").is_none()
        && env::var_os("CARGO_ENCODED_RUSTFLAGS").is_none_or(|flags| flags.is_empty());
    if is_lld {
        println!("cargo::rustc-link-arg-bins=-Wl,--icf=all");
    }
}
