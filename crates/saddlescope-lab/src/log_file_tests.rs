use saddlescope::trajectory::{Series, Trajectory};
use tempfile::tempdir;

use super::*;
use crate::store::{Notes, parquet};

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
    for (text, time, value, words) in [
        (
            csv,
            None,
            Some("train_los"),
            "no column `train_los`; did you mean `train_loss`? the columns are step, train_loss, note",
        ),
        (
            "a,b\n1,2\n",
            None,
            None,
            "which column says when? name it with --time; the columns are a, b",
        ),
        ("step,b\n1,2\n", None, None, "name it with --value"),
        (csv, None, None, "line 3, column `train_loss`: `oops` is no number"),
        ("step,loss\n1,2\nnan,3\n", None, None, "`NaN` is no number"),
        (
            "step,loss\n1,2\n1,3\n",
            None,
            None,
            "line 3: `step` is 1 after 1, but times must increase",
        ),
        ("", None, None, "it is empty"),
    ] {
        let (_folder, path) = written(text);
        let message = read(&path, time, value).unwrap_err().to_string();
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
    fs::write(&path, parquet::encode(&trajectory, &Notes::new()).unwrap()).unwrap();
    let log = read(&path, None, None).unwrap();
    assert_eq!((log.times, log.values), (vec![0.0, 1.5, 2.5], vec![3.0, 2.0, 1.0]));
    let log = read(&path, Some("step"), Some("loss")).unwrap();
    assert_eq!(log.times, [0.0, 1.0, 2.0]);
    let message = read(&path, Some("steps"), None).unwrap_err().to_string();
    assert!(message.contains("did you mean `step`?"), "{message}");
}
