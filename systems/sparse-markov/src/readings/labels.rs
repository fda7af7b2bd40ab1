//! How figures call what is recorded.

pub(crate) fn label(name: &str) -> Option<String> {
    let parts: Vec<&str> = name.split('.').collect();
    let head = |k: &str| k.parse::<usize>().map_or_else(|_| k.to_owned(), |k| (k + 1).to_string());
    let words = match parts.as_slice() {
        ["attention"]
        | ["head", _, "at" | "group", "*"]
        | ["head", "*", "at" | "group" | "lags", ..]
        | ["layer", _, "head", "*", ..]
        | ["layer", _, "head", _, "group", "*"] => "attention".to_owned(),
        ["head", _, "value", "*"] | ["head", "*", "value", _] => "value".to_owned(),
        ["kl", ..] if name.ends_with('*') => "divergence".to_owned(),
        ["part", "*", ..] => "loss".to_owned(),
        ["head", k, "at", j] => format!("head {}, position {j}", head(k)),
        ["head", k, "value", j] => format!("head {}, feature {j}", head(k)),
        ["head", k, "term", j, i] => format!("head {}: feature {j} at position {i}", head(k)),
        ["head", k, "group", j] => format!("head {} on $I({j})$", head(k)),
        ["head", k, "attention" | "map" | "lags"] => format!("head {}", head(k)),
        ["layer", l, "head", k, "map" | "lags"] => format!("layer {}, head {}", head(l), head(k)),
        ["layer", l, "head", k, "group", j] => {
            format!("layer {}, head {} on $I({j})$", head(l), head(k))
        }
        ["part", "rest"] => "elsewhere".to_owned(),
        ["part", j, i] => format!("feature {j} at position {i}"),
        ["kl", "rung", i] => format!("$f_{{A_{{1:{i}}}}}$"),
        ["kl", "best", i] => format!("best from $I(1..{i})$"),
        ["kl", "context", c] => format!("context $c = {c}$"),
        ["owner", j] => format!("head of feature {j}"),
        [name @ ("loss" | "sharpness")]
        | ["system", name @ ("sequences" | "width" | "blocks" | "dropout")] => (*name).to_owned(),
        ["excess"] => "excess loss".to_owned(),
        ["excess", "best"] => "least excess loss".to_owned(),
        ["test"] => "cross entropy, test set".to_owned(),
        ["test", "places"] => "cross entropy at each place".to_owned(),
        ["gradient", "norm"] => "norm of the gradient".to_owned(),
        ["map"] => "all".to_owned(),
        ["entropy"] => "entropy of attention".to_owned(),
        ["first"] => "$1 - s$ on the first position".to_owned(),
        ["apart", "v"] => "values of the heads apart".to_owned(),
        ["apart", "s"] => "attention of the heads apart".to_owned(),
        ["learned"] => "features learned".to_owned(),
        ["offset"] => "largest term that cancels".to_owned(),
        ["start", "scale"] => "$u$".to_owned(),
        ["system", "ratio"] => "$m$".to_owned(),
        ["system", "window"] => "window $c$".to_owned(),
        ["system", "base"] => "$b_0$".to_owned(),
        ["system", "positions"] => "$T$".to_owned(),
        _ => return None,
    };
    Some(words)
}
