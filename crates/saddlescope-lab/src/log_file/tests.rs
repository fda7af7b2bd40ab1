use proptest::prelude::*;
use tempfile::tempdir;

use super::*;
use crate::store::parquet as store;

fn written(text: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempdir().unwrap();
    let path = folder.path().join("log.csv");
    fs::write(&path, text).unwrap();
    (folder, path)
}

#[test]
fn columns_are_guessed_by_their_names() {
    for (text, time, value) in [
        ("step,lr,train_loss\n1,0.1,3\n2,0.1,2.5\n", "step", "train_loss"),
        ("Epoch\tLoss\n1\t3\n2\t2.5\n", "Epoch", "Loss"),
        ("\u{feff}\"loss\";iteration\n3;1\n\n2.5;2\n", "iteration", "loss"),
        // A line break in quotes is part of a cell.
        ("step,note,loss\n1,\"two\nlines\",3\n2,\"a \"\"word\"\", say\",2.5\n", "step", "loss"),
        // A row without the metric is a row of another metric.
        ("_step,loss,val\n1,3,\n1,,7\n2,2.5,\n", "_step", "loss"),
    ] {
        let (_folder, path) = written(text);
        let log = read(&path, None, None).unwrap();
        assert_eq!((log.time.as_str(), log.value.as_str()), (time, value));
        assert_eq!((log.times, log.values), (vec![1.0, 2.0], vec![3.0, 2.5]));
    }
}

#[test]
fn what_is_not_finite_is_left_out_and_counted() {
    let (_folder, path) = written("step,loss\n1,3\n2,nan\n3,inf\n4,2\n");
    let log = read(&path, None, None).unwrap();
    assert_eq!((log.times, log.values, log.skipped), (vec![1.0, 4.0], vec![3.0, 2.0], 2));
}

#[test]
fn errors_say_where_and_what() {
    let csv = "step,train_loss,note\n1,3,a\n2,oops,b\n3,2,c\n";
    for (text, loss, words) in [
        (
            csv,
            Some("train_los"),
            "no column `train_los`; did you mean `train_loss`? the columns are step, train_loss, note",
        ),
        ("a,b\n1,2\n", None, "which column says when? name it with --time; the columns are a, b"),
        ("step,b\n1,2\n", None, "name it with --loss"),
        (csv, None, "line 3, column `train_loss`: `oops` is no number"),
        ("step,loss\n1,2\nnan,3\n", None, "`NaN` is no number"),
        ("step,loss\n1,2\n1,3\n", None, "line 3: `step` is 1 after 1, but times must increase"),
        ("", None, "it is empty"),
        ("{\"step\": 1, \"loss\": [1]}\n{}", None, "line 1, column `loss`: `[1]` is no number"),
        ("{\"step\": 1}\n{\"step\" 2}\n", None, "line 2 is no JSON"),
        ("[{\"step\": 1}, 3]", None, "entry 2 is no JSON object: 3"),
        ("{\"a\": 1,\n \"b\": 2}", None, "one JSON object without a list `log_history`"),
        ("{\"step\": 1, \"loss\": 1}\n{\"step\": 1, \"loss\": 1}\n", None, "line 2: `step` is 1"),
        (
            "{\"step\": 1, \"train\": {\"loss\": 1}}",
            Some("trainloss"),
            "did you mean `train.loss`?",
        ),
        ("{\"step\": 1, \"a\": 2}", None, "which key says what the loss was?"),
    ] {
        let (_folder, path) = written(text);
        let message = read(&path, None, loss).unwrap_err().to_string();
        assert!(message.contains(words), "{message}\nlacks {words}");
    }
    let message = read(Path::new("nowhere.csv"), None, None).unwrap_err().to_string();
    assert!(message.contains("cannot read nowhere.csv"), "{message}");
}

#[test]
fn parquet_files_are_logs_too() {
    let loss = Series::new("loss", Vec::new(), vec![3.0, 2.0, 1.0]);
    let trajectory = Trajectory::new(vec![0.0, 1.5, 2.5], vec![0, 1, 2], vec![loss], Vec::new());
    let folder = tempdir().unwrap();
    let path = folder.path().join("part.parquet");
    fs::write(&path, store::encode(&trajectory, &Notes::new()).unwrap()).unwrap();
    let log = read(&path, None, None).unwrap();
    assert_eq!((log.times, log.values), (vec![0.0, 1.5, 2.5], vec![3.0, 2.0, 1.0]));
    let log = read(&path, Some("step"), Some("loss")).unwrap();
    assert_eq!(log.times, [0.0, 1.0, 2.0]);
    let message = read(&path, Some("steps"), None).unwrap_err().to_string();
    assert!(message.contains("did you mean `step`?"), "{message}");
}

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/logs").join(name)
}

/// The loss of all files under `tests/logs`.
fn loss(step: f64) -> f64 {
    1.0 - 0.75 / (1.0 + ((20.0 - step) / 0.5).exp())
}

fn assert_is_loss(log: &Log, steps: impl Iterator<Item = u32>, tolerance: f64) {
    let steps: Vec<f64> = steps.map(f64::from).collect();
    assert_eq!(log.times, steps);
    for (step, value) in steps.iter().zip(&log.values) {
        assert!((value - loss(*step)).abs() <= tolerance, "{value} at {step} of {log:?}");
    }
}

#[test]
fn parquet_of_other_programs_is_read() {
    let log = read(&fixture("parquet/pandas.parquet"), None, None).unwrap();
    assert_is_loss(&log, 0..60, 1e-15);
    for name in ["optional", "plain"] {
        let log = read(&fixture(&format!("parquet/{name}.parquet")), None, None).unwrap();
        assert_is_loss(&log, (0..60).filter(|step| step % 7 != 3), 1e-15);
    }
    for (name, loss, words) in [
        ("zstd", None, "compressed with ZSTD"),
        ("lists", Some("loss.list.element"), "holds lists, not numbers"),
        ("lists", Some("name"), "column `name` holds no numbers"),
    ] {
        let path = fixture(&format!("parquet/{name}.parquet"));
        let message = read(&path, None, loss).unwrap_err().to_string();
        assert!(message.contains(words), "{message}\nlacks {words}");
    }
}

#[test]
fn json_is_a_log_line_by_line_or_as_a_list() {
    let lines = "{\"step\": 1, \"train\": {\"loss\": 3}, \"note\": \"NaN \\\" NaN\"}\n\
                 {\"step\": 2, \"eval\": 7}\n\n{\"step\": 3, \"train\": {\"loss\": NaN}}\n\
                 {\"step\": 4, \"train\": {\"loss\": -Infinity}}\n{\"step\": 5, \"train\": {\"loss\": \"Infinity\"}}\n\
                 {\"step\": 6, \"train\": {\"loss\": 2.5}}\n";
    let list = format!("[{}]", lines.trim().replace("}\n{", "},{").replace("}\n\n{", "},{"));
    let history = format!("{{\"log_history\": {list},\n \"step\": 7}}");
    let cut = format!("{lines}{{\"step\": 7, \"tra");
    for (text, notes) in [(lines, 0), (&list, 0), (&history, 0), (&cut, 1)] {
        let (_folder, path) = written(text);
        let log = read(&path, None, None).unwrap();
        assert_eq!((log.time.as_str(), log.value.as_str()), ("step", "train.loss"));
        assert_eq!((log.times, log.values), (vec![1.0, 6.0], vec![3.0, 2.5]));
        assert_eq!((log.skipped, log.notes.len()), (3, notes), "{text}");
    }
    let log = read(&fixture("trainer_state.json"), None, None).unwrap();
    assert_is_loss(&log, 0..60, 1e-15);
    let log = read(&fixture("trainer_state.json"), Some("step"), Some("eval_loss")).unwrap();
    assert_eq!((log.times.len(), log.values[0]), (6, 2.0 * loss(0.0)));
}

#[test]
fn tensorboard_files_are_logs_by_tag() {
    let log = read(&fixture("tensorboardX"), None, None).unwrap();
    assert_is_loss(&log, 0..60, 1e-7);
    assert!(log.notes.is_empty(), "{log:?}");
    // The second file begins again at step 30, and what the first said from there on is 5 too large.
    let log = read(&fixture("torch"), None, None).unwrap();
    assert_eq!(log.value, "train/loss");
    assert_is_loss(&log, 0..60, 1e-7);
    assert!(log.notes[0].contains("10 records"), "{log:?}");
    let log = read(&fixture("torch"), Some("wall_time"), None).unwrap();
    assert_eq!((log.times[29], log.times[30]), (29.0, 130.0));
    let file = fixture("tensors/events.out.tfevents.1700000000.example");
    for (tag, tolerance) in [
        ("float", 1e-7),
        ("double", 1e-15),
        ("float.content", 1e-7),
        ("double.content", 1e-15),
        ("half", 5e-4),
        ("half.content", 5e-4),
    ] {
        let log = read(&file, None, Some(tag)).unwrap();
        assert_is_loss(&log, 0..60, tolerance);
        assert!(log.notes[0].contains("cut short"), "{log:?}");
    }
    for (tag, last) in [("int", -25.0), ("int64.content", -25.0), ("zero", 0.0)] {
        assert_eq!(read(&file, None, Some(tag)).unwrap().values[59], last, "{tag}");
    }
    let message = read(&file, None, None).unwrap_err().to_string();
    assert!(message.contains("which tag says what the loss was?"), "{message}");
    assert!(message.contains("--loss; the tags are float, double,"), "{message}");
    assert!(!message.contains("two"), "no tensor of two entries: {message}");
    let message = read(&fixture("parquet"), None, None).unwrap_err().to_string();
    assert!(message.contains("a folder without event files"), "{message}");
    let message = read(&fixture(""), None, None).unwrap_err().to_string();
    assert!(message.contains("inside that have some: tensorboardX, tensors, torch"), "{message}");
}

#[test]
fn a_damaged_record_is_told_from_one_cut_short() {
    let name = "events.out.tfevents.1700000000.example";
    let bytes = fs::read(fixture("tensorboardX").join(name)).unwrap();
    let folder = tempdir().unwrap();
    let path = folder.path().join(name);
    let message_at = |place: usize| {
        let mut bytes = bytes.clone();
        bytes[place] ^= 4;
        fs::write(&path, bytes).unwrap();
        read(&path, None, None).unwrap_err().to_string()
    };
    // The first record has 12 bytes in front, and its contents behind.
    for place in [0, 9, 15] {
        let message = message_at(place);
        assert!(message.contains("record 1 (at byte 0) is damaged"), "{message}");
    }
    fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
    let log = read(&path, None, None).unwrap();
    assert_eq!((log.times.len(), log.notes.len()), (60, 1), "the last record is of `rate`");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases / 4))]

    /// Whatever lies in a file, readers answer.
    #[test]
    fn no_bytes_make_a_reader_panic(
        which in 0_usize..6,
        places in prop::collection::vec((0_usize..20_000, any::<u8>()), 0..8),
        length in 0_usize..20_000,
    ) {
        let name = [
            "parquet/pandas.parquet",
            "parquet/optional.parquet",
            "trainer_state.json",
            "tensors/events.out.tfevents.1700000000.example",
            "torch/events.out.tfevents.1700000000.example",
            "checkpoints/log.csv",
        ][which];
        let mut bytes = fs::read(fixture(name)).unwrap();
        for (place, byte) in places {
            let place = place % bytes.len();
            bytes[place] = byte;
        }
        bytes.truncate(length.max(1));
        let folder = tempdir().unwrap();
        let path = folder.path().join(Path::new(name).file_name().unwrap());
        fs::write(&path, bytes).unwrap();
        if let Ok(log) = read(&path, None, None) {
            prop_assert_eq!(log.times.len(), log.values.len());
        }
    }

    /// Records with right checksums around any bytes, which get as far as the messages.
    #[test]
    fn no_message_makes_a_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        let _ = tensorboard::events::is_event(&bytes);
    }
}
