use super::*;

/// A part of rows at these times.
fn part(times: &[f64], thinnings: u32) -> Part {
    let double = times.iter().flat_map(|time| [2.0 * time, -time]).collect();
    let series = vec![Series::new("pair", vec![2], double)];
    let steps = times.iter().map(|&time| time as u64).collect();
    Part { rows: Trajectory::new(times.to_vec(), steps, series, Vec::new()), thinnings }
}

#[test]
fn what_is_left_is_what_thinning_the_whole_would_have_left() {
    // Rows 0 to 4; then 5 and 6 come, all are thinned to 0 2 4 6, and 7 comes; then another thinning
    // leaves 0 4 7, and 8 comes.
    let parts = [part(&[0.0, 1.0, 2.0, 3.0, 4.0], 0), part(&[6.0, 7.0], 1), part(&[8.0], 1)];
    let joined = join(&parts);
    assert_eq!(joined.time(), [0.0, 4.0, 7.0, 8.0]);
    assert_eq!(joined.step(), [0, 4, 7, 8]);
    assert_eq!(joined.get("pair").unwrap().row(2), [14.0, -7.0]);
    assert_eq!(join(&parts[..2]).time(), [0.0, 2.0, 4.0, 6.0, 7.0]);
}

#[test]
fn parts_may_be_empty_and_thinnings_many() {
    assert_eq!(join(&[]).rows(), 0);
    let parts = [part(&[], 0), part(&[1.0, 2.0], 0), part(&[], 70), part(&[3.0], 0)];
    assert_eq!(join(&parts).time(), [1.0, 3.0]);
}
