//! Pictures of reproductions that come with the program: those of the book.

macro_rules! pictures {
    ($($name:literal),+ $(,)?) => {
        &[$((
            $name,
            include_str!(concat!("../../pictures/", $name, ".svg")),
        )),+]
    };
}

/// Names, `<paper>-<experiment>`, and SVG.
static PICTURES: &[(&str, &str)] = pictures![
    "associative-recall-fig1",
    "associative-recall-fig2",
    "associative-recall-order-map",
    "associative-recall-relaxations",
    "linear-attention-fig1",
    "linear-attention-fig2",
    "linear-attention-fig4",
    "linear-attention-one-axis",
    "linear-attention-saddle-graph",
    "linear-attention-time-against-lambda",
    "linear-attention-time-against-rank",
    "linear-attention-time-against-scale",
    "ngram-to-induction-fig1",
    "ngram-to-induction-fig2",
    "ngram-to-induction-joint",
    "ngram-to-induction-phase-one",
    "ngram-to-induction-time-against-scale",
    "scan-and-snap-fig10",
    "scan-and-snap-fig3",
    "scan-and-snap-fig4",
    "scan-and-snap-fig6",
    "scan-and-snap-fig7",
    "scan-and-snap-one-clock",
    "sparse-markov-fig1",
    "sparse-markov-fig10",
    "sparse-markov-fig18",
    "sparse-markov-fig2",
    "sparse-markov-fig3",
    "sparse-markov-fig5-minimal",
    "sparse-markov-flow-noise",
    "sparse-markov-theorem-4",
];

/// The picture of that name, with or without a stroke behind the paper.
pub(super) fn picture(name: &str) -> Option<&'static str> {
    let name = name.replace('/', "-");
    PICTURES.iter().find(|(known, _)| *known == name).map(|(_, svg)| *svg)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::ALL;

    #[test]
    fn every_picture_of_the_book_that_is_a_reproduction_is_here() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/book/src/pictures");
        let mut found = 0;
        for entry in std::fs::read_dir(folder).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            let Some(name) = name.strip_suffix(".svg") else { continue };
            let mut shipped = ALL.experiments().iter();
            if shipped.any(|shipped| shipped.name.replace('/', "-") == name) {
                assert!(picture(name).is_some(), "{name} is not embedded");
                found += 1;
            }
        }
        assert_eq!(found, PICTURES.len(), "a picture that the book no longer has");
        assert!(
            PICTURES.iter().all(|(_, svg)| svg.starts_with("<svg") && !svg.contains("<script"))
        );
    }
}
