use std::sync::Arc;

use super::plain::{chain, random};
use super::*;
use crate::Group;

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

/// Shapes on all sides of whole vectors and rows.
fn shapes() -> Vec<Minimal> {
    let of = |(d, w, length), heads| Minimal::new(chain(d, w, length), heads).unwrap();
    vec![
        of((2, 1, 1), 1),
        of((3, 2, 3), 2),
        of((5, 1, 9), 1).window(1).unwrap(),
        of((17, 4, 6), 3),
        of((16, 3, 8), 2).window(4).unwrap(),
        of((50, 6, 20), 2),
        of((35, 2, 17), 5).window(30).unwrap(),
        of((70, 2, 33), 1).window(9).unwrap(),
        of((2, 1, 1), 1).layers(2).unwrap(),
        of((3, 2, 3), 2).layers(2).unwrap(),
        of((17, 4, 6), 3).layers(2).unwrap().window(3).unwrap(),
        of((9, 2, 17), 1).layers(2).unwrap(),
    ]
}

#[test]
fn reading_is_the_definition() {
    for minimal in shapes() {
        let (chain, theta) = (minimal.chain.clone(), random(&minimal, 1.5));
        let mut reader = minimal.reader::<f64>();
        reader.load(&theta);
        for sequence in chain.data_set(3, (1, 0)).chunks_exact(chain.tokens()) {
            reader.read(sequence);
            let plain = plain::read(&minimal, &theta, sequence);
            let mut loss = 0.0;
            for (t, logits) in plain.logits.iter().enumerate() {
                let p = chain.order - 1 + t;
                for (found, wanted) in reader.logits(t).iter().zip(logits) {
                    assert!((found - wanted).abs() < 1e-11, "{minimal:?} {t}: {found} {wanted}");
                }
                for (layer, heads) in plain.attention.iter().enumerate() {
                    for (head, shares) in heads.iter().enumerate() {
                        let found = reader.attention(layer, head, t);
                        assert_eq!(found.len(), minimal.columns());
                        for (j, (found, wanted)) in found.iter().zip(&shares[p]).enumerate() {
                            assert!((found - wanted).abs() < 1e-12, "{minimal:?} {t} {j}");
                        }
                    }
                }
                loss -= reader.log_probabilities(t)[usize::from(sequence[p + 1])];
            }
            loss /= plain.logits.len() as f64;
            assert!((loss - plain.loss).abs() < 1e-11, "{minimal:?}: {loss} {}", plain.loss);
        }
    }
}

#[test]
fn single_precision_is_near() {
    for minimal in shapes() {
        let (chain, theta) = (minimal.chain.clone(), random(&minimal, 1.0));
        let (mut double, mut single) = (minimal.reader::<f64>(), minimal.reader::<f32>());
        double.load(&theta);
        single.load(&theta.iter().map(|x| *x as f32).collect::<Vec<f32>>());
        let sequence = chain.data_set(1, (4, 0));
        double.read(&sequence);
        single.read(&sequence);
        for t in 0..chain.length {
            for (a, b) in double.log_probabilities(t).iter().zip(single.log_probabilities(t)) {
                let error = (a - f64::from(*b)).abs();
                assert!(error < 1e-5 * a.abs().max(1.0), "{minimal:?}: {a} {b}");
            }
        }
    }
}

#[test]
fn starts_are_keyed_head_by_head() {
    let of = |heads| Minimal::new(chain(5, 2, 3), heads).unwrap();
    let (two, four) = (of(2).uniform_start(0.1, 3).unwrap(), of(4).uniform_start(0.1, 3).unwrap());
    assert_eq!(two, four[..two.len()]);
    assert_ne!(two, of(2).uniform_start(0.1, 4).unwrap());
    let minimal = of(2);
    let mut heads = Vec::new();
    for block in &minimal.blocks {
        let entries = &two[block.range()];
        if block.name.ends_with(".v") {
            assert_eq!(block.shape, [5, 5]);
            assert!(entries.iter().all(|x| *x == 0.0));
        } else {
            assert_eq!(block.shape, [9, 9]);
            assert!(entries.iter().all(|x| x.abs() <= 0.1));
            // Uniform numbers on [-u, u] have variance u^2 / 3; that of the mean square is (4/45) u^4 / count.
            let square = entries.iter().map(|x| x * x).sum::<f64>() / 81.0;
            assert!((square - 0.01 / 3.0).abs() < 4.0 * (4.0 / 45.0_f64 / 81.0).sqrt() * 0.01);
            heads.push(entries);
        }
    }
    assert_ne!(heads[0], heads[1]);
    let deep = of(2).layers(2).unwrap();
    let start = deep.uniform_start(0.1, 3).unwrap();
    assert_eq!(start[..two.len()], two);
    let names: Vec<&str> = deep.blocks.iter().map(|block| block.name.as_str()).collect();
    assert_eq!(names[..4], ["head.0.a", "head.0.v", "head.1.a", "head.1.v"]);
    assert_eq!(names[4..6], ["layer.1.head.0.a", "layer.1.head.0.v"]);
}

#[test]
fn wrong_models_are_named() {
    let of = |heads| Minimal::new(chain(3, 2, 2), heads);
    let heads = of(0).unwrap_err().to_string();
    assert_eq!(heads, "heads is 0, expected at least 1");
    let layers = of(1).unwrap().layers(3).unwrap_err().to_string();
    assert_eq!(layers, "layers is 3, expected 1 to 2");
    let window = of(1).unwrap().window(0).unwrap_err().to_string();
    assert_eq!(window, "window is 0, expected at least 1");
    let minimal = of(1).unwrap();
    let short = minimal.given_start(&[0.0; 35], &[0.0; 9]).unwrap_err().to_string();
    assert_eq!(short, "A has 35 entries, expected 36 (layers x heads x (d + n)^2)");
    let start = minimal.uniform_start(-1.0, 0).unwrap_err().to_string();
    assert_eq!(start, "u is -1, expected a finite number of 0 or more");
}
