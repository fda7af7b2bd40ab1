use saddlescope::array::Array;
use saddlescope::tensors::encode;
use tempfile::{TempDir, tempdir};

use super::*;

fn fixture() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/logs/checkpoints/checkpoints.toml")
}

/// A folder with a list and some checkpoints of our own.
fn written(list: &str, files: &[(&str, &[Array])]) -> (TempDir, PathBuf) {
    let folder = tempdir().unwrap();
    for (name, arrays) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, encode(arrays, &Notes::new()).unwrap()).unwrap();
    }
    let path = folder.path().join("checkpoints.toml");
    fs::write(&path, list).unwrap();
    (folder, path)
}

#[test]
fn tensors_that_move_at_the_jump_are_named() {
    let all = read(&fixture(), None, None).unwrap();
    let steps: Vec<f64> = all.all.iter().map(|one| one.step).collect();
    assert_eq!(steps, [0.0, 10.0, 20.0, 30.0, 40.0, 50.0]);
    assert_eq!(all.tensors.len(), 4);
    assert!(all.notes[0].contains("left out: `positions` (I64)"), "{:?}", all.notes);
    let (found, notes) = all.stages(&Settings::default()).unwrap();
    assert!(notes.is_empty(), "{notes:?}");
    assert_eq!(found.transitions.len(), 1);
    assert!((found.transitions[0].time - 20.0).abs() < 0.3, "{found:?}");
    // Twelve entries of each matrix move by 4, 1/4 and 1/8, four of `head` by 1/2, within their types' digits.
    let twelve = 12.0_f64.sqrt();
    let expected =
        [("layers.1.weight", 4.0 * twelve), ("head", 1.0), ("layers.0.weight", 0.25 * twelve)];
    for (moved, (name, change)) in found.transitions[0].moved.iter().zip(expected) {
        assert_eq!(moved.name, name);
        assert!((moved.change - change).abs() < 2e-3 * change, "{moved:?}");
    }
    assert_eq!(found.transitions[0].moved.iter().map(|one| one.share).sum::<f64>().round(), 1.0);
    let text = crate::stages::text(&found);
    assert!(text.contains("layers.1.weight "), "{text}");
}

#[test]
fn lengths_are_those_of_the_numbers() {
    let all = read(&fixture(), None, None).unwrap();
    let place = |name: &str| all.tensors.iter().position(|one| one.name == name).unwrap();
    let lengths = all.lengths().unwrap();
    // -1, -9/11, ..., 1: the sum of squares is 2 (1 + 9 + ... + 121) / 121.
    let norm = (2.0 * 286.0 / 121.0_f64).sqrt();
    let tensor = place("layers.0.weight");
    assert!((lengths[tensor].norm[0] - norm).abs() < 1e-12);
    assert!((lengths[place("embed")].norm[0] - norm).abs() < 1e-2);
    assert_eq!((lengths[tensor].from_start[0], lengths[tensor].from_before[0]), (0.0, 0.0));
    // Step 20 is half way, so that the two halves of the way are equal.
    let half = 0.125 * 12.0_f64.sqrt();
    for (from, to) in [(1, 2), (2, 3)] {
        assert!((lengths[tensor].from_before[to] - half).abs() < 1e-6, "{from}");
    }
    assert!((lengths[tensor].from_start[5] - 2.0 * half).abs() < 1e-6);
    let json = all.json().unwrap();
    assert_eq!(json["tensors"][tensor]["norm"].as_array().unwrap().len(), 6);
}

#[test]
fn a_tensor_of_several_pieces_is_read_whole() {
    let many = |value: f64| [Array::list("w", vec![value; 200_001].into())];
    let list = "[[checkpoint]]\nstep = 0\nfile = \"a\"\n[[checkpoint]]\nstep = 1.5\nfile = \"b\"\n";
    let (_folder, path) = written(list, &[("a", &many(1.0)), ("b", &many(3.0))]);
    let lengths = read(&path, None, None).unwrap().lengths().unwrap();
    assert!((lengths[0].norm[1] - 3.0 * 200_001.0_f64.sqrt()).abs() < 1e-9);
    assert!((lengths[0].from_before[1] - 2.0 * 200_001.0_f64.sqrt()).abs() < 1e-9);
}

#[test]
fn the_star_may_stand_in_the_name_of_a_folder() {
    let one = [Array::list("w", vec![1.0].into())];
    let files: [(&str, &[Array]); 3] = [
        ("run/checkpoint-20/model.safetensors", &one),
        ("run/checkpoint-9/model.safetensors", &one),
        ("run/checkpoint-last/model.safetensors", &one),
    ];
    let (_folder, path) = written("files = \"run/checkpoint-*/model.safetensors\"", &files);
    let all = read(&path, None, None).unwrap();
    assert_eq!(all.all.iter().map(|one| one.step).collect::<Vec<_>>(), [9.0, 20.0]);
    assert!(all.notes[0].contains("`last` is no step"), "{:?}", all.notes);
    let message = all.stages(&Settings::default()).unwrap_err().to_string();
    assert!(message.contains("no loss is known"), "{message}");
}

#[test]
fn what_is_wrong_is_said() {
    let [one, other, wide] = [("w", 1), ("v", 1), ("w", 2)]
        .map(|(name, count)| [Array::list(name, vec![1.0; count].into())]);
    let files: [(&str, &[Array]); 3] = [("a-0", &one), ("b-0", &other), ("c-0", &wide)];
    let pair = |a: &str, b: &str| {
        format!(
            "[[checkpoint]]\nstep = 0\nfile = \"{a}\"\n[[checkpoint]]\nstep = 1\nfile = \"{b}\""
        )
    };
    for (list, words) in [
        (pair("a-0", "b-0"), "b-0: it has no tensor `w`, which"),
        (pair("a-0", "c-0"), "`w` has shape [2], but [1] in"),
        (pair("a-0", "d-0"), "cannot read"),
        (pair("a-0", "checkpoints.toml"), "no safetensors file"),
        (pair("a-0", "b-0").replace("step = 1", "step = 0"), "two checkpoints are of step 0"),
        (pair("a-0", "b-0").replace("step = 1", "step = \"x\""), "step = \"x\"\n"),
        (pair("a-0", "b-0").replace("step = 1", "step = nan"), "checkpoint 2 has NaN"),
        (
            pair("a-0", "b-0").replace("step = 1", "stp = 1"),
            "unknown field `stp`, expected one of `step`",
        ),
        ("files = \"a-0\"".to_owned(), "expected a star"),
        ("files = \"e-*\"".to_owned(), "no file of"),
        ("los = \"log.csv\"".to_owned(), "unknown field `los`, expected one of `loss`"),
        ("loss = 3".to_owned() + "\nfiles = \"a-*\"", "`loss` is no name of a log"),
        ("loss = \"log.csv\"\nfiles = \"a-*\"".to_owned(), "cannot read"),
        (String::new(), "it names no checkpoints"),
        ("step = ".to_owned(), "checkpoints.toml"),
    ] {
        let (_folder, path) = written(&list, &files);
        let message = read(&path, None, None).unwrap_err().to_string();
        assert!(message.contains(words), "{message}\nlacks {words}");
    }
}

#[test]
fn no_header_makes_the_reader_panic() {
    let whole = encode(&[Array::list("w", vec![1.0; 4].into())], &Notes::new()).unwrap();
    let list = "[[checkpoint]]\nstep = 0\nfile = \"a\"\n";
    for length in 0..whole.len() {
        let (folder, path) = written(list, &[]);
        fs::write(folder.path().join("a"), &whole[..length]).unwrap();
        assert!(read(&path, None, None).is_err(), "{length} bytes");
    }
    for place in 0..whole.len() - 32 {
        for byte in [0, b'9', b'"', b'}', 0xff] {
            let mut bytes = whole.clone();
            bytes[place] = byte;
            let (folder, path) = written(list, &[]);
            fs::write(folder.path().join("a"), bytes).unwrap();
            let _ = read(&path, None, None).map(|all| all.lengths());
        }
    }
}
