//! How figures call patterns of what is recorded, and settings.

pub(crate) fn label(name: &str) -> Option<String> {
    let parts: Vec<&str> = name.split('.').collect();
    let words = match parts.as_slice() {
        ["norm", "*"] => "norm",
        ["entropy", "*", ..] => "entropy of attention",
        ["induction", "*", ..] => "induction",
        ["lags", "*", ..] | ["lags", .., "*"] => "attention",
        // A map has a title of its own, and rows that need none.
        ["map", ..] => "",
        ["dynamics", "rate"] => "rate $\\eta$",
        _ => return None,
    };
    Some(words.to_owned())
}
