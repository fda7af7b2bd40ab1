use super::*;
use crate::plain::{self, chain, random};

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
    let minimal = of(1).unwrap();
    let short = minimal.given_start(&[0.0; 35], &[0.0; 9]).map(|_| minimal.clone());
    let start = minimal.uniform_start(-1.0, 0).map(|_| minimal.clone());
    for (wrong, words) in [
        (of(0), "heads is 0, expected at least 1"),
        (minimal.clone().layers(3), "layers is 3, expected 1 to 2"),
        (minimal.clone().window(0), "window is 0, expected at least 1"),
        (short, "A has 35 entries, expected 36 (layers x heads x (d + n)^2)"),
        (start, "u is -1, expected a finite number of 0 or more"),
    ] {
        assert_eq!(wrong.unwrap_err().to_string(), words);
    }
}
