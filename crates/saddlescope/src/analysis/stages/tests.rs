use super::score::Score;
use super::synthetic::Staircase;
use super::*;

#[test]
fn mixed() {
    let mut total = Score::default();
    let mut kinds: Vec<(String, Score)> = Vec::new();
    for index in 0..400 {
        let truth = Staircase::mixed(1, index);
        let stages = detect(&truth.times, &truth.values, &Settings::default()).unwrap();
        total.add_stages(&truth, &stages);
        let name = format!("{:?} {:?} {:?}", truth.shape, truth.spacing, truth.noise);
        if kinds.iter().all(|(n, _)| *n != name) {
            kinds.push((name.clone(), Score::default()));
        }
        kinds.iter_mut().find(|(n, _)| *n == name).unwrap().1.add_stages(&truth, &stages);
    }
    for (name, s) in &kinds {
        println!(
            "{name:<32} there {} found {} recall {:.3} precision {:.3} whole {:.2} off {:.3} covered {:.2}",
            s.there,
            s.found,
            s.recall(),
            s.precision(),
            s.whole(),
            s.time_error(),
            s.coverage()
        );
    }
    let s = &total;
    println!(
        "ALL recall {:.3} precision {:.3} whole {:.3} off {:.3} covered {:.3}",
        s.recall(),
        s.precision(),
        s.whole(),
        s.time_error(),
        s.coverage()
    );
}
