use saddlescope_spec::testing::{self, assert_refused, observed};

use super::*;

fn problem(system: &str, start: &str) -> Result<Problem, SettingsError> {
    testing::problem(&LinearAttention, &[system], start, 3)
}

fn loss_at(problem: &Problem, state: &[f64]) -> f64 {
    let mut gradient = vec![0.0; state.len()];
    problem.surface().unwrap().probe().evaluate(state, &mut gradient).unwrap()
}

#[test]
fn merged_heads_and_the_network_are_one_function_from_one_start() {
    for loss in ["population\"", "empirical\", sequences = 50"] {
        let of = |attention: &str| {
            let system = format!("{{ attention = \"{attention}\", loss = \"{loss} }}");
            problem(&system, "{ scale = 0.7 }").unwrap()
        };
        let (merged, network) = (of("merged"), of("cubic"));
        assert_eq!(merged.init, network.init);
        assert_eq!(loss_at(&merged, &merged.init), loss_at(&network, &network.init));
        for name in ["learned.1", "overlap", "pcr.population.r2.2"] {
            let values = |of: &Problem| observed(of, name, &of.init);
            assert_eq!(values(&merged), values(&network), "{name}");
        }
        assert_eq!(merged.levels.len(), 2, "one plateau and the minimum");
    }
}

#[test]
fn one_length_in_a_list_is_a_fixed_one() {
    for loss in ["population\"", "empirical\", sequences = 40"] {
        let of = |lengths: &str| {
            problem(&format!("{{ {lengths}, loss = \"{loss} }}"), "{ scale = 0.7 }").unwrap()
        };
        let (listed, fixed) = (of("lengths = [[7, 0.3]]"), of("context = 7"));
        assert_eq!(listed.levels, fixed.levels);
        assert_eq!(loss_at(&listed, &listed.init), loss_at(&fixed, &fixed.init), "{loss}");
    }
}

#[test]
fn full_attention_has_learned_what_its_linear_part_has() {
    let linear = problem("{}", "{ scale = 0.7 }").unwrap();
    for start in ["{ scale = 0.7 }", "{ scale = 0.7, value_x = 0.2 }"] {
        // Values u alone reach only features that are even in w.
        let full = problem("{ attention = \"full\" }", start).unwrap();
        for name in ["learned.0", "overlap"] {
            let (found, expected) =
                (observed(&full, name, &full.init)[0], observed(&linear, name, &linear.init)[0]);
            assert!((found - expected).abs() < 1e-13, "{name}: {found}, {expected}");
        }
        let zero_blocks = observed(&full, "zero_blocks", &full.init)[0];
        assert_eq!(zero_blocks > 0.0, start.contains("value_x"));
    }
}

#[test]
fn a_mixture_is_made_of_its_parts() {
    for attention in ["full", "full-merged"] {
        let system = format!(
            "{{ attention = \"{attention}\", in_context = 0.3, shared_context = \"noise\" }}"
        );
        let mixed = problem(&system, "{ scale = 0.7, value_x = 0.5, key_y = 0.5 }").unwrap();
        let part = |name: &str| observed(&mixed, name, &mixed.init)[0];
        let expected = 0.3 * part("loss.in_context") + 0.7 * part("loss.in_weight");
        let found = loss_at(&mixed, &mixed.init);
        assert!((found - expected).abs() < 1e-12 * expected, "{found}, {expected}");
        assert!(mixed.levels.is_empty());
    }
}

#[test]
fn softmax_attention_is_seen_through_the_nearest_linear_map() {
    let system = "{ attention = \"softmax\", loss = \"empirical\", sequences = 50, lengths = \"varying\", context = 9, precision = \"double\" }";
    let softmax = problem(system, "{ scale = 2.0 }").unwrap();
    let r2 = observed(&softmax, "linear.r2", &softmax.init)[0];
    assert!((0.0..=1.0).contains(&r2), "{r2}");
    assert!(observed(&softmax, "learned.3", &softmax.init)[0].is_finite());
}

#[test]
fn what_does_not_go_together_is_refused_with_a_fix() {
    let refused =
        |system: &str, start: &str, words: &str| assert_refused(problem(system, start), words);
    refused("{ lengths = [[7, 0.5], [7, 0.5]] }", "{}", "has the length 7 twice");
    refused("{ lengths = [[7]] }", "{}", "each length needs a weight");
    refused("{ lengths = [[7, 0.0]] }", "{}", "expected more than 0");
    refused("{ lengths = [[7.5, 1.0]] }", "{}", "the length 7.5, expected a whole number");
    refused("{ in_context = 0.5 }", "{}", "only with attention = \"full\"");
    refused("{}", "{ key_y = 0.1 }", "set system.attention = \"full\"");
    refused("{ attention = \"full\", loss = \"online\" }", "{}", "or \"population\"");
    refused("{ attention = \"softmax\" }", "{}", "set loss = \"empirical\"");
    let saddle = "{ kind = \"saddle\", learned = [1] }";
    refused("{ attention = \"merged\" }", saddle, "0 or 4");
}
