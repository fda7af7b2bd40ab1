//! What is wrong beyond the settings of a file: overrides, files that are none, sizes, bounds.

use saddlescope_spec::settings::dynamics::DYNAMICS;
use saddlescope_spec::settings::{Bounds, Kind, Limit};

use crate::bases::base;
use crate::program::{Folder, changed, run};

#[test]
fn overrides_are_checked_like_the_file() {
    let folder = Folder::with("mine.toml", base("linear-attention"));
    for (set, words) in [
        ("system.head=2", &["unknown setting `head`", "--> --set system.head=2"][..]),
        ("system.heads=two", &["`system.heads` is the string \"two\"", "--set"]),
        ("rank=2", &["`rank` is a setting of [system]"]),
        ("system.rank", &["a dotted key, `=` and a value"]),
        ("dynamics.1.until=3", &["there is no stage 1", "the only stage of dynamics is 0"]),
        ("system.eigenvalues=[0.4, nan]", &["`system.eigenvalues[1]` is NaN"]),
    ] {
        folder.run(format!("run mine.toml --set '{set}'")).fails(2, words);
    }
}

#[test]
fn files_that_are_none_are_refused() {
    let folder = Folder::with("binary.toml", b"name = \"a\"\nabout = \"\xff\"");
    std::fs::create_dir(folder.path("folder")).unwrap();
    let fails = |name: &str, words: &[&str]| folder.run(format!("run {name}")).fails(2, words);
    fails("binary.toml", &["binary.toml:2:10: byte 0xff is not UTF-8 text"]);
    fails("folder", &["cannot read folder: it is a folder"]);
    fails(
        "absent.toml",
        &["there is no file, no experiment and no system `absent.toml`", "saddlescope list"],
    );
    fails("linear-attention/fig11", &["did you mean the experiment `linear-attention/fig1`?"]);
    run("").fails(2, &["`system.name` is missing", "linear-attention"]);
}

#[test]
fn what_no_memory_holds_is_refused_before_it_is_taken() {
    let eigenvalues = format!("{}]\nloss = \"empirical\"", vec!["1.0"; 2000].join(", "));
    run(changed(&base("linear-attention"), &[("0.4, 0.3]", &eigenvalues)]))
        .fails(2, &["this run needs about", "of memory are free"]);
}

#[test]
fn every_rule_can_be_built_at_the_bounds_of_its_settings() {
    let variants = DYNAMICS.variants.unwrap();
    let (good, shared) = (base("linear-attention"), [("rate", "0.1"), ("steps", "1")]);
    let is_rule = |name: &str| !matches!(name, "flow" | "reduced");
    for variant in variants.list.iter().filter(|variant| is_rule(variant.name)) {
        for parameter in variant.parameters.iter().copied().flatten() {
            let Kind::Number(bounds) = parameter.kind else { continue };
            for value in ends(bounds) {
                let mut lines = vec![format!("kind = \"{}\"", variant.name)];
                for (name, usual) in shared.iter().filter(|(name, _)| *name != parameter.name) {
                    lines.push(format!("{name} = {usual}"));
                }
                let schedule = match parameter.name {
                    "schedule_floor" => "cosine",
                    name if name.starts_with("schedule_") => "plateau",
                    _ => "constant",
                };
                lines.push(format!("schedule = \"{schedule}\"\n{} = {value:e}", parameter.name));
                let loss = if variant.name == "sgd" { "online" } else { "population" };
                let (rule, loss) = (lines.join("\n"), format!("loss = \"{loss}\""));
                let flow = "kind = \"flow\"\nuntil = 1.0";
                let ran = run(changed(&good, &[(flow, &rule), ("heads = 2", &loss)]));
                // A rate beyond measure blows up; a minimum above the rate is refused in words.
                let apart = ran.err.contains("blew up") || ran.err.contains("is above the rate");
                assert!(ran.code == 0 || apart, "{lines:?}: {}", ran.err);
            }
        }
    }
}

/// The smallest and the largest number in a range.
fn ends(bounds: Bounds) -> [f64; 2] {
    let low = match bounds.low {
        Limit::None => f64::MIN,
        Limit::Closed(low) => low,
        Limit::Open(low) => low.next_up(),
    };
    let high = match bounds.high {
        Limit::None => f64::MAX,
        Limit::Closed(high) => high,
        Limit::Open(high) => high.next_down(),
    };
    [low, high]
}
