//! Tokens that fit, that go on below, and that lose their middle.

use saddlescope_spec::sketch::{Token, TokenRole};

use super::*;
use crate::figure::tests::{drawn, rect};

fn sketch(tokens: usize, each: usize) -> Sketch {
    let token = |i: usize| Token::new(format!("$x_{{{i}}}$"), i % 3, i / each);
    Sketch {
        roles: vec![
            TokenRole::new("item", TokenShape::Box),
            TokenRole::new("response", TokenShape::Round),
            TokenRole::new("question", TokenShape::Dashed),
        ],
        rows: vec![TokenRow {
            label: "input".into(),
            tokens: (0..tokens).map(token).collect(),
            groups: vec!["pair 1".into(), String::new(), "a label that is wider".into()],
        }],
    }
}

fn words(sketch: Sketch) -> Vec<String> {
    let drawing = drawn(Body::Tokens(sketch));
    assert_eq!(drawing.missing().count(), 0);
    let page = Rect::new(0.0, 0.0, drawing.width, drawing.height);
    let boxes: Vec<Rect> = drawing.words().into_iter().map(rect).collect();
    for (number, one) in boxes.iter().enumerate() {
        assert!(page.contains((one.left, one.top)) && page.contains((one.right, one.bottom)));
        for other in &boxes[..number] {
            assert!(!one.overlaps(other), "{one:?} {other:?}");
        }
    }
    drawing.words().iter().map(|words| words.source.clone()).collect()
}

#[test]
fn rows_that_fit_show_every_token_group_and_role() {
    let words = words(sketch(6, 2));
    for expected in ["input", "$x_{0}$", "$x_{5}$", "pair 1", "a label that is wider", "response"] {
        assert!(words.iter().any(|word| word == expected), "{expected} {words:?}");
    }
    assert!(!words.contains(&"…".to_owned()));
}

#[test]
fn groups_go_on_below_before_the_middle_is_left_out() {
    let all = words(sketch(20, 2));
    assert!((0..20).all(|i| all.contains(&format!("$x_{{{i}}}$"))), "{all:?}");
    for (tokens, each) in [(400, 2), (400, 400)] {
        let some = words(sketch(tokens, each));
        assert_eq!(some.iter().filter(|word| *word == "…").count(), 1);
        let first = some.iter().position(|word| word == "$x_{0}$");
        let dots = some.iter().position(|word| word == "…");
        let last = some.iter().position(|word| word == "$x_{399}$");
        assert!(first.is_some() && first < dots && dots < last, "{some:?}");
    }
}

#[test]
fn a_token_that_is_too_long_is_cut() {
    let mut long = sketch(1, 1);
    long.rows[0].tokens[0].text =
        "a token with far more words than a column has room for ".repeat(3);
    assert!(words(long).iter().any(|word| word.starts_with("a token") && word.ends_with('…')));
}
