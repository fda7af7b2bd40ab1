use std::sync::Arc;

use super::*;
use crate::sparse_markov::Group;

/// Case A-P9 of the reference implementation: two heads on three tokens.
#[test]
fn the_reference_case_is_met() {
    let a = [
        0.36, 1.51, -1.79, 1.69, -0.05, -0.8, -0.8, -1.08, -0.22, 0.83, 0.58, 0.64, -1.69, -1.57,
        1.55, 0.97, 2.18, 1.21, -1.02, 1.29, 0.63, 0.21, -0.82, 0.0, -0.15, 0.89, 0.12, 1.58,
        -0.77, 0.47, 0.5, -0.86, -1.18, 1.01, 0.52, -0.16, 0.39, -0.68, 0.24, -0.61, 0.19, 0.99,
        -0.34, 0.85, -1.03, -0.29, -1.36, -0.1, 0.08, -0.2, -0.27, 1.34, 1.42, -1.22, 1.17, -1.72,
        -0.73, -0.17, 0.11, -1.05, -0.72, 0.08, -0.69, -0.64, 0.67, 0.93, -0.06, 0.02, -0.02,
        -0.45, -0.51, -1.04, 0.65, -0.08, -0.14, 0.2, 0.53, 1.42, -0.27, -0.4, 0.2, -0.85, 1.27,
        0.93, 0.69, -0.12, 0.74, 1.05, 0.5, -0.28, -1.69, 0.95, -0.35, -0.84, 0.89, 0.34, -1.42,
        -0.1,
    ];
    let v = [
        -0.27, 0.99, -1.9, -0.39, -0.14, 1.42, -1.08, -2.94, -1.38, 0.26, 0.81, 1.73, 0.4, -0.8,
        0.88, -0.01, -0.2, 0.02,
    ];
    let logits = [
        [0.8876969974736455, 1.338445654761683, -2.0595405269036196],
        [-0.43005531824203813, 0.7224847399741581, -1.7852085893878686],
        [-0.3627591961708483, 1.081911203722104, -1.691240231446776],
    ];
    // Of head 0, a row per column.
    let attention = [
        [0.5768852611320463, 0.8387350399692944, 0.8733297973088137],
        [0.4231147388679537, 0.11465124312467115, 0.03705166385851921],
        [0.0, 0.04661371690603425, 0.05472459590042853],
        [0.0, 0.0, 0.03489394293223873],
    ];
    let features = Chain::orthogonal_features(3, &[1.0], 0);
    let chain = Chain::new(vec![Group::even(&[1, 2])], features, (3, None)).unwrap();
    let minimal = Minimal::new(Arc::new(chain), 2).unwrap();
    let mut reader = minimal.reader::<f64>();
    reader.load(&minimal.given_start(&a, &v).unwrap());
    let sequence = [2, 1, 1, 1, 0];
    reader.read(&sequence);
    let mut loss = 0.0;
    for t in 0..3 {
        for (found, wanted) in reader.logits(t).iter().zip(logits[t]) {
            assert!((found - wanted).abs() < 1e-10, "{t}: {found} {wanted}");
        }
        for (found, wanted) in reader.attention(0, 0, t).iter().zip(attention) {
            assert!((found - wanted[t]).abs() < 1e-10, "{t}: {found} {wanted:?}");
        }
        loss -= reader.log_probabilities(t)[usize::from(sequence[2 + t])] / 3.0;
    }
    assert!((loss - 0.851143119752059).abs() < 1e-10 * loss, "{loss}");
}
