use super::*;

const FIG1: [f64; 4] = [0.4, 0.3, 0.2, 0.1];

fn assert_close(a: &[f64], b: &[f64], tolerance: f64) {
    assert_eq!(a.len(), b.len());
    for (a, b) in a.iter().zip(b) {
        assert!((a - b).abs() <= tolerance * (1.0 + b.abs()), "{a} is not {b}");
    }
}

#[test]
fn eigenvalues_are_sorted_with_their_vectors() {
    let task = Task::new(&[0.1, 0.4, 0.3], Basis::Axes, Context::Fixed(7)).unwrap();
    assert_eq!(task.eigenvalues, [0.4, 0.3, 0.1]);
    assert_eq!(task.eigenvector(0), [0.0, 1.0, 0.0]);
    assert_eq!(task.covariance, [0.1, 0.0, 0.0, 0.0, 0.4, 0.0, 0.0, 0.0, 0.3]);
    assert!(task.diagonal);
}

#[test]
fn random_eigenvectors_are_orthonormal_and_keyed() {
    let basis = |seed| Task::new(&FIG1, Basis::Random { seed }, Context::Fixed(31)).unwrap();
    let task = basis(3);
    let u = &task.eigenvectors;
    let transposed: Vec<f64> = (0..16).map(|p| u[p % 4 * 4 + p / 4]).collect();
    assert_close(&multiply(&transposed, u, 4), &identity(4), 1e-14);
    assert_eq!(task, basis(3));
    assert_ne!(task, basis(4));
    assert!(!task.diagonal);
}

#[test]
fn random_eigenvectors_favour_no_direction() {
    // Without the sign fix the first entry would have one sign only; with it, its mean is 0 and its
    // square 1/3, with standard errors 1/sqrt(3 n) and sqrt(4/45/n).
    let n = 2000;
    let first: Vec<f64> = (0..n)
        .map(|seed| random_rotation(3, &mut Stream::new(seed, Purpose::Data, BASIS_STREAM))[0])
        .collect();
    let mean = first.iter().sum::<f64>() / n as f64;
    let square = first.iter().map(|x| x * x).sum::<f64>() / n as f64;
    assert!(mean.abs() < 4.0 / (3.0 * n as f64).sqrt(), "mean {mean}");
    assert!((square - 1.0 / 3.0).abs() < 4.0 * (4.0 / 45.0 / n as f64).sqrt(), "square {square}");
}

#[test]
fn a_covariance_gives_back_its_eigenvalues() {
    let task = Task::new(&FIG1, Basis::Random { seed: 1 }, Context::Fixed(31)).unwrap();
    let same = Task::with_covariance(&task.covariance, Context::Fixed(31)).unwrap();
    assert_close(&same.eigenvalues, &task.eigenvalues, 1e-14);
    assert_close(&same.in_eigenbasis(&same.eigenvalues), &task.covariance, 1e-14);
    let gains = task.second_moment_eigenvalues();
    assert_close(&same.second_moment(), &task.in_eigenbasis(&gains), 1e-14);
}

#[test]
fn varying_lengths_enter_through_the_harmonic_number() {
    let mean = |context| Task::new(&FIG1, Basis::Axes, context).unwrap().inverse_mean;
    assert!((mean(Context::Varying(31)) - 0.12991113533666193).abs() < 1e-16);
    assert_eq!(mean(Context::Fixed(31)), 1.0 / 31.0);
    assert_eq!(mean(Context::InverseMean(0.25)), 0.25);
}

#[test]
fn lengths_count_by_their_weights() {
    let task = |context| Task::new(&FIG1, Basis::Axes, context).unwrap();
    // The sum over all lengths: (1/10 + 3/100)/4.
    let listed = task(Context::Listed(vec![(100, 3.0), (10, 1.0)]));
    assert!((listed.inverse_mean - 0.0325).abs() < 1e-17);
    assert_eq!(listed.context.lengths().unwrap(), [(10, 0.5), (100, 1.5)]);
    // One length is a fixed one; all lengths are next-token prediction.
    assert_eq!(task(Context::Listed(vec![(31, 0.3)])).inverse_mean, 1.0 / 31.0);
    let all = (1..=31).map(|n| (n, 0.5)).collect();
    assert_eq!(task(Context::Listed(all)).inverse_mean, task(Context::Varying(31)).inverse_mean);
}

#[test]
fn errors_name_the_value_and_what_was_expected() {
    let message = |task: Result<Task, Error>| task.unwrap_err().to_string();
    let new = |values: &[f64], basis, context| message(Task::new(values, basis, context));
    let fixed = Context::Fixed(31);
    assert_eq!(
        new(&[0.4], Basis::Axes, Context::Listed(vec![(3, 0.5), (3, 1.0)])),
        "context length is 3, expected each length once"
    );
    assert_eq!(
        new(&[0.4], Basis::Axes, Context::Listed(vec![(3, 0.0)])),
        "weight of context length 3 is 0, expected a finite number above 0"
    );
    assert_eq!(
        new(&[0.4, -0.3], Basis::Axes, fixed.clone()),
        "eigenvalue 1 is -0.3, expected a finite number above 0"
    );
    assert_eq!(
        new(&[0.4], Basis::Axes, Context::Fixed(0)),
        "context length is 0, expected at least 1"
    );
    assert_eq!(
        new(&[0.4], Basis::Axes, Context::InverseMean(1.5)),
        "E(1/N) is 1.5, expected a number from 0 to 1"
    );
    assert_eq!(
        new(&[0.4, 0.3], Basis::Columns(vec![1.0, 0.1, 0.0, 1.0]), fixed.clone()),
        "product of eigenvectors 0 and 1 is 0.1, expected 0 within 1e-8"
    );
    assert_eq!(
        message(Task::with_covariance(&[1.0, 0.5, 0.4, 1.0], fixed.clone())),
        "covariance[1,0] is 0.4, expected 0.5, its mirror image [0,1]"
    );
    assert!(
        message(Task::with_covariance(&[1.0, 2.0, 2.0, 1.0], fixed.clone())).contains("above 0")
    );
    assert!(message(Task::with_covariance(&[1.0, 2.0], fixed)).contains("square"));
}
