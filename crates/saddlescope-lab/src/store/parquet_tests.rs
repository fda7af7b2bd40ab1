use super::*;

fn notes_of(pairs: &[(&str, &str)]) -> Notes {
    pairs.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
}

fn sample(rows: usize) -> Trajectory {
    let odd = [f64::NAN, -0.0, f64::INFINITY, f64::MIN_POSITIVE / 3.0, f64::from_bits(!0), 0.1];
    let column = |shift: usize, width: usize| -> Vec<f64> {
        (0..rows * width).map(|i| odd[(i + shift) % odd.len()] * (1 + i / 7) as f64).collect()
    };
    let step = (0..rows as u64).map(|row| row * 3).collect();
    let series = vec![
        Series::new("loss", vec![], column(0, 1)),
        Series::new("head.0.key", vec![2, 3], column(1, 6)),
        Series::new("learned", vec![1], column(2, 1)),
    ];
    Trajectory::new(column(5, 1), step, series, Vec::new())
}

fn bits(trajectory: &Trajectory) -> Vec<u64> {
    let numbers = trajectory.series().iter().flat_map(|series| series.data().iter());
    numbers.chain(trajectory.time()).map(|x| x.to_bits()).collect()
}

#[test]
fn every_bit_comes_back() {
    // More rows than fit a page, one row, none.
    for rows in [0, 1, 5, 60_000] {
        let trajectory = sample(rows);
        let given = notes_of(&[("hash", "00ff"), ("legs", "0-3"), ("words", "a \"b\"\nc é")]);
        let (back, notes) = decode(encode(&trajectory, &given).unwrap()).unwrap();
        assert_eq!(bits(&back), bits(&trajectory));
        assert_eq!(back.step(), trajectory.step());
        let names = |t: &Trajectory| -> Vec<_> {
            t.series().iter().map(|s| (s.name().to_owned(), s.shape().to_vec())).collect()
        };
        assert_eq!(names(&back), names(&trajectory));
        assert_eq!(notes, given);
    }
}

#[test]
fn columns_are_named_by_element() {
    let file = Reader::new(Bytes::from(encode(&sample(2), &Notes::new()).unwrap())).unwrap();
    let names: Vec<_> = file.schema().columns().iter().map(|column| column.name()).collect();
    assert_eq!(names[..4], ["time", "step", "loss", "head.0.key[0,0]"]);
    assert_eq!(names[8..], ["head.0.key[1,2]", "learned[0]"]);
}

#[test]
fn what_is_cut_short_is_an_error() {
    let bytes = encode(&sample(40), &Notes::new()).unwrap();
    for length in [0, 3, 8, bytes.len() / 2, bytes.len() - 9, bytes.len() - 1] {
        let error = decode(bytes[..length].to_vec()).unwrap_err().to_string();
        assert!(error.starts_with("Parquet: "), "{length}: {error}");
    }
    assert!(decode(b"time,step\n1,2\n".to_vec()).is_err());
}

#[test]
fn tables_of_other_programs_are_told_apart() {
    let mut bytes = Vec::new();
    let heads = [("time".to_owned(), Kind::Numbers)];
    Writer::new(&mut bytes, ("members", &heads), true, []).unwrap().finish().unwrap();
    assert_eq!(decode(bytes).unwrap_err().to_string(), "its metadata lacks `saddlescope.series`");
}
