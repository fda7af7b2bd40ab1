//! Members that are made one by one, where some cannot be made.

use saddlescope_spec::{kinds, settings};

use super::*;
use crate::experiment::tests::toy::{Noise, declared};

settings! {
    #[allow(dead_code, reason = "only declared")]
    struct Surroundings {
        noise: Noise = "none", "noise around it";
    }
}

settings! {
    #[allow(dead_code, reason = "only declared")]
    struct Distance {
        size: Option<f64> [> 0.0], required 1.0, "how far", when noise is "normal";
    }
}

kinds! {
    #[allow(dead_code, reason = "only declared")]
    enum Mood {
        Quiet = "quiet", "at zero";
        Loud(Distance) = "loud", "far away";
    }
}

/// A system in which two choices, each of which fits everything else, do not go together: a loud start with noise has no size.
static MOODY: SystemSchema = SystemSchema {
    name: "moody",
    title: "A Toy With Moods",
    about: "Some starts need a size, but only with noise.",
    dynamics: "flow",
    system: Section::plain("system", "Nothing to set.", &[]),
    start: Section::by_kind(
        "start",
        "Where the run starts.",
        "quiet",
        Mood::KINDS,
        Surroundings::PARAMETERS,
    ),
    ..SystemSchema::EMPTY
};

const TEXT: &str = include_str!("moody.toml");

#[test]
fn a_design_whose_first_point_is_wrong_still_has_outlines_of_all_members() {
    let word = |text: &str| Value::Text(text.to_owned());
    let mut first_wrong = 0;
    for seed in 0..20 {
        let changes = Changes {
            seeds: Some("5..6".to_owned()),
            ..Changes::set(&[format!("sweep.seed={seed}")])
        };
        let plan =
            Plan::from_text("moody.toml", TEXT, &changes.swept(), &declared(&[&MOODY])).unwrap();
        first_wrong += usize::from(plan.member(0).is_err());
        for index in 0..plan.len() {
            let outline = plan.outline(index);
            let values: Vec<&Value> = outline.varied.iter().map(|(_, value)| value).collect();
            let wrong = values == [&word("loud"), &word("normal")];
            assert_eq!(outline.seed, 5 + index as u64 % 2);
            assert_eq!(outline.arm.as_deref(), Some(if index < 16 { "flow" } else { "descent" }));
            assert_eq!(
                outline.experiment.dynamics[0].kind(),
                Some(if index < 16 { "flow" } else { "gd" })
            );
            match plan.member(index) {
                Ok(member) => {
                    assert!(!wrong);
                    assert_eq!((member.label, member.varied), (outline.label, outline.varied));
                }
                Err(reason) => assert!(wrong && reason.contains("start.size"), "{reason}"),
            }
        }
    }
    assert!(
        first_wrong > 0,
        "a quarter of all points is wrong, and so is the first of some designs"
    );
}
