//! How linear attention is drawn: names of its observables in mathematics, and its own figure.

use saddlescope_spec::figure::{FigureSpec, PanelSpec};

use crate::settings::Attention;

/// An observable's name as a label; heads, slots and eigenvectors are counted from 1, as in the paper.
pub(crate) fn label(observable: &str) -> Option<String> {
    let (path, place) = match observable.split_once('[') {
        Some((path, place)) => (path, place.trim_end_matches(']')),
        None => (observable, ""),
    };
    let parts: Vec<&str> = path.split('.').collect();
    let counted = |text: &str| match text {
        "*" => Some("i".to_owned()),
        _ => text.parse::<usize>().ok().map(|n| (n + 1).to_string()),
    };
    Some(match parts.as_slice() {
        ["loss"] => "loss $\\mathcal{L}$".to_owned(),
        ["gradient", "norm"] => "norm of the gradient".to_owned(),
        ["overlap"] => "$\\cos(\\Theta, \\Theta^*)$".to_owned(),
        ["learned", d] => format!("$e_{{{}}}$ learned", counted(d)?),
        ["alignment", "head", head] => {
            format!(
                "head {} along $e_{{{}}}$",
                counted(head)?,
                counted(place).unwrap_or("d".into())
            )
        }
        ["cosine", "head", head, what @ ("key" | "query")] => {
            let (letter, head) = (&what[..1], counted(head)?);
            match place.split_once(',') {
                Some((_, d)) => format!("$\\cos({letter}_{{{head}}}, e_{{{}}})$", counted(d)?),
                None => format!("$\\cos({letter}_{{{head}}}, e_{{d}})$"),
            }
        }
        ["cosine", "kernel"] => "cosine between kernel and its start".to_owned(),
        ["moved", what @ ("weights" | "kernel")] => format!("change of the {what}"),
        ["accelerating"] => "part of the fall that gets faster".to_owned(),
        ["pcr", of @ ("population" | "context"), what @ ("distance" | "r2"), m] => {
            let letter = if *what == "r2" { "R^2" } else { "d" };
            let m = if *m == "*" { "m" } else { m };
            format!("${letter}_{{{m}}}$, {of}")
        }
        ["head", head, "value"] | ["hidden", head, "output"] => {
            format!("$v_{{{}}}$", counted(head)?)
        }
        ["head", head, what @ ("key" | "query")] => {
            let letter = &what[..1];
            let head = counted(head)?;
            match place.split_once(',') {
                Some((slot, component)) => {
                    let (slot, component) = (counted(slot)?, counted(component)?);
                    format!("$({letter}_{{{head},{slot}}})_{{{component}}}$")
                }
                None => format!("${letter}_{{{head}}}$"),
            }
        }
        ["head", head, "key_query"] | ["hidden", head, "input"] => {
            let head = counted(head)?;
            match place.split_once(',') {
                Some((row, column)) => {
                    format!("$(W_{{{head}}})_{{{},{}}}$", counted(row)?, counted(column)?)
                }
                None => format!("$W_{{{head}}}$"),
            }
        }
        ["norm", "head" | "hidden", head, "key_query" | "input"] => {
            format!("$|W_{{{}}}|$", counted(head)?)
        }
        ["loss", "in_context"] => "loss, task vectors of their own".to_owned(),
        ["loss", "in_weight"] => "loss, shared task vector, contexts of noise".to_owned(),
        ["zero_blocks"] => "$|(u, c)|$".to_owned(),
        ["linear", "r2"] => "$R^2$, nearest linear".to_owned(),
        ["norm", "hidden", head, "output"] => format!("$|v_{{{}}}|$", counted(head)?),
        ["norm", "head", head, what] => {
            let letter = what.get(..1)?;
            format!("$|{letter}_{{{}}}|$", counted(head)?)
        }
        _ => return None,
    })
}

/// The loss above the value weights, or the loss alone where theory has no word for them.
pub(crate) fn standard(attention: Attention) -> FigureSpec {
    let loss = PanelSpec::over_time(&["loss"]);
    let values = match attention {
        Attention::Linear => PanelSpec::over_time(&["head.*.value"]).beside(&["value-law"]),
        Attention::Merged => PanelSpec::over_time(&["head.*.value"]),
        Attention::Cubic => PanelSpec::over_time(&["hidden.*.output"]),
        _ => return FigureSpec::new(1, vec![loss]),
    };
    FigureSpec::new(
        2,
        vec![loss.beside(&["levels"]).titled("(a) loss"), values.titled("(b) value weights")],
    )
}

#[cfg(test)]
mod tests {
    use super::label;

    #[test]
    fn labels_count_from_one() {
        let cases = [
            ("head.0.value", Some("$v_{1}$")),
            ("head.*.value", Some("$v_{i}$")),
            ("head.2.key[0,3]", Some("$(k_{3,1})_{4}$")),
            ("head.2.query[1,0]", Some("$(q_{3,2})_{1}$")),
            ("hidden.0.input[1,2]", Some("$(W_{1})_{2,3}$")),
            ("learned.1", Some("$e_{2}$ learned")),
            ("norm.head.0.key", Some("$|k_{1}|$")),
            ("alignment.head.1[0]", Some("head 2 along $e_{1}$")),
            ("cosine.head.1.key[0,2]", Some("$\\cos(k_{2}, e_{3})$")),
            ("moved.kernel", Some("change of the kernel")),
            ("pcr.context.r2.2", Some("$R^2_{2}$, context")),
            ("head.x.value", None),
            ("mine", None),
        ];
        for (name, expected) in cases {
            assert_eq!(label(name).as_deref(), expected, "{name}");
        }
    }
}
