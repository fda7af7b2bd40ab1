//! How figures call what is recorded.

pub(crate) fn label(name: &str) -> Option<String> {
    let parts: Vec<&str> = name.split('.').collect();
    let number =
        |k: &str| k.parse::<usize>().map_or_else(|_| k.to_owned(), |k| (k + 1).to_string());
    let head = |block: &str, head: &str| format!("block {}, head {}", number(block), number(head));
    let words = match parts.as_slice() {
        ["loss"] => "training loss".to_owned(),
        ["gradient", "norm"] => "norm of the gradient".to_owned(),
        ["valid" | "positions"] => "validation loss".to_owned(),
        ["norm", "p"] => "$||p||$".to_owned(),
        ["norm", "KQ"] => "$||(W_K, W_Q)||$".to_owned(),
        ["growth", "KQ"] => "growth of $||(W_K, W_Q)||^2$".to_owned(),
        ["norm", "*"] => "norm".to_owned(),
        ["norm", rest @ ..] => format!("norm of {}", rest.join(".")),
        ["entropy"] | ["entropy", "*", ..] => "entropy of attention".to_owned(),
        ["induction"] | ["induction", "*", ..] => "induction".to_owned(),
        ["lags", "*", ..] | ["lags", .., "*"] => "attention".to_owned(),
        ["entropy", b, h] => format!("entropy, {}", head(b, h)),
        ["induction" | "lags", b, h] => head(b, h),
        // A map has a title of its own, and rows that need none.
        ["map", ..] => String::new(),
        ["sharpness"] => "sharpness".to_owned(),
        ["dynamics", "rate"] => "rate $\\eta$".to_owned(),
        ["half", "p"] => "step at half of $||p||$".to_owned(),
        ["half", "KQ"] => "step at half of the growth of $||(W_K, W_Q)||^2$".to_owned(),
        _ => return None,
    };
    Some(words)
}
