use saddlescope::record::Observables;
use saddlescope_spec::settings::evaluate::Evaluate;

use super::*;
use crate::plan::Size;

/// A run of a system by its settings, one in each line, and what is evaluated along it.
fn prepared(settings: &str, evaluate: &[&str]) -> Result<Run> {
    let evaluate: String =
        evaluate.iter().map(|lines| format!("[[evaluate]]\n{lines}\n")).collect();
    let text = format!("{settings}\n{evaluate}");
    Run::new(&Experiment::from_text("a.toml", &text, &[], &ALL)?)
}

fn finished(run: &Run) -> RunEnding {
    run.execute(|_, _| Control::Continue)
}

fn last(ending: &RunEnding, column: &str) -> f64 {
    let series = ending.trajectory.get(column);
    *series.unwrap_or_else(|| panic!("no {column}: {:?}", ending.end.error)).data().last().unwrap()
}

/// The loss that a run of `settings` has at a state, as its own dynamics records it before the first step.
fn recorded_at(settings: &str, state: &[f64]) -> f64 {
    let run = prepared(settings, &[]).unwrap();
    let built_in = Observables::built_in(run.problem.blocks()).select(&["loss"]).unwrap();
    let mut recording = Recording::new(built_in, Sampling::Listed(vec![0.0]));
    run.problem.run_from(state, &run.phases, run.seed, &mut recording).unwrap();
    recording.finish().get("loss").unwrap().data()[0]
}

fn settings(system: &str, lines: &str, dynamics: &str) -> String {
    format!(
        "seed = 3\n[system]\nname = \"{system}\"\n{lines}\n[dynamics]\n{dynamics}\n[record]\npoints = 12"
    )
}

const FLOW: &str = "kind = \"flow\"\nuntil = 60.0";
const GD: &str = "kind = \"gd\"\nrate = 0.05\nsteps = 30";
const SGD: &str = "kind = \"sgd\"\nrate = 0.05\nsteps = 10";

/// In every system: what is recorded of another loss is what a run with these settings has at the same parameters.
#[test]
fn it_is_the_loss_of_the_other_problem_at_the_same_parameters() {
    let linear = "eigenvalues = [0.4, 0.2]\nheads = 2";
    let regression = "model = \"regression\"\nheads = 2\nfeatures = 2\npositions = 6";
    let minimal = "model = \"minimal\"\nvocabulary = 5\nlength = 6\nsequences = 40\nbatch = 40\ntest_sequences = 20";
    let text = "width = 8\nfeedforward = 8\nlength = 12\nbatch = 4\nencoding = \"sinusoidal\"\nvocabulary = 40";
    for (system, own, dynamics, change) in [
        ("linear-attention", linear, FLOW, "context = 1000"),
        ("linear-attention", linear, FLOW, "lengths = \"varying\""),
        ("linear-attention", linear, "kind = \"reduced\"\nuntil = 60.0", "context = 5"),
        ("linear-attention", linear, GD, "loss = \"empirical\"\nsequences = 100"),
        ("linear-attention", "loss = \"empirical\"\nsequences = 50", GD, "loss = \"population\""),
        (
            "linear-attention",
            "loss = \"empirical\"\nattention = \"softmax\"\nsequences = 30\nheads = 2",
            GD,
            "context = 12",
        ),
        ("associative-recall", "order = 3", FLOW, "objective = \"cross-entropy\""),
        ("associative-recall", "order = 3", FLOW, "softmax = \"all\""),
        ("associative-recall", "order = 3", FLOW, "loss = \"empirical\"\nsequences = 64"),
        ("ngram-to-induction", "", FLOW, "length = 80"),
        ("ngram-to-induction", "", FLOW, "alpha_star = 0.1"),
        ("scan-and-snap", "", FLOW, "common_weight = 3.0"),
        ("scan-and-snap", "", FLOW, "loss = \"empirical\"\nlength = 20\nsequences = 50"),
        ("sparse-markov", regression, FLOW, "ratio = 3.0"),
        ("sparse-markov", minimal, GD, "data_seed = 8"),
        ("transformer", text, SGD, "length = 6"),
    ] {
        let what = format!("{system}: {own}; {change}");
        let lines: String = change.lines().map(|line| format!("system.{line}\n")).collect();
        let run =
            prepared(&settings(system, own, dynamics), &[&format!("name = \"other\"\n{lines}")]);
        let ending = finished(&run.unwrap_or_else(|error| panic!("{what}: {error}")));
        let found = last(&ending, "evaluate.other.loss");
        let name = |line: &str| line.split(" =").next().unwrap().to_owned();
        let kept: String = own
            .lines()
            .filter(|line| change.lines().all(|new| name(new) != name(line)))
            .map(|line| format!("{line}\n"))
            .collect();
        // A loss of a data set has no setting of its size left where it is no longer of one.
        let kept = if change.contains("population") { String::new() } else { kept };
        let steps = if dynamics == SGD { SGD } else { GD };
        let state = ending.state.unwrap();
        let other = recorded_at(&settings(system, &(kept + change), steps), &state);
        if system == "transformer" {
            // Batches of text: all of them lie near what one is.
            let error =
                last(&ending_of(&what, system, own, dynamics, &lines), "evaluate.other.error");
            assert!(error > 0.0 && (found - other).abs() < 12.0 * error, "{found} {other} {error}");
            continue;
        }
        assert!((found - other).abs() <= 1e-12 * other.abs(), "{what}: {found} {other}");
        assert_ne!(found, last_loss(&ending.trajectory), "{what}: it is another loss");
    }
}

fn last_loss(trajectory: &Trajectory) -> f64 {
    *trajectory.get("loss").unwrap().data().last().unwrap()
}

fn ending_of(what: &str, system: &str, own: &str, dynamics: &str, lines: &str) -> RunEnding {
    let run = prepared(&settings(system, own, dynamics), &[&format!("name = \"other\"\n{lines}")]);
    finished(&run.unwrap_or_else(|error| panic!("{what}: {error}")))
}

/// Fresh data follow the same law as the run's own, and are others.
#[test]
fn fresh_data_are_others_of_the_same_law() {
    let minimal = "model = \"minimal\"\nvocabulary = 5\nlength = 6\nsequences = 400\nbatch = 100\ntest_sequences = 20";
    for (system, own, dynamics, tolerance) in [
        ("linear-attention", "loss = \"empirical\"\nsequences = 4000", GD, 0.1),
        ("linear-attention", "loss = \"minibatch\"\nsequences = 4000", SGD, 0.1),
        (
            "linear-attention",
            "loss = \"empirical\"\nsequences = 4000\nattention = \"full\"",
            GD,
            0.1,
        ),
        ("associative-recall", "order = 3\nloss = \"empirical\"\nsequences = 4000", GD, 0.05),
        ("ngram-to-induction", "loss = \"empirical\"\nsequences = 4000", GD, 0.1),
        ("scan-and-snap", "loss = \"empirical\"\nsequences = 2000", GD, 0.05),
        ("sparse-markov", minimal, SGD, 0.02),
    ] {
        let run = prepared(&settings(system, own, dynamics), &["name = \"fresh\"\nfresh = true"]);
        let ending = finished(&run.unwrap_or_else(|error| panic!("{system}: {error}")));
        let (own, fresh) = (last_loss(&ending.trajectory), last(&ending, "evaluate.fresh.loss"));
        assert_ne!(own, fresh, "{system}");
        // A batch's own luck is larger than that of a data set.
        let tolerance = if dynamics == SGD { 4.0 * tolerance } else { tolerance };
        assert!((own - fresh).abs() < tolerance * own, "{system}: {own} {fresh}");
        assert!(ending.trajectory.get("evaluate.fresh.error").is_none(), "it has no batches");
    }
}

/// The text that a transformer is not trained on is what its own observable measures, in double precision.
#[test]
fn a_transformer_is_tried_on_the_text_that_it_does_not_see() {
    let own = "width = 8\nfeedforward = 8\nlength = 12\nbatch = 4\nvocabulary = 40\ndropout = 0.2";
    let file = settings("transformer", own, SGD) + "\nobservables = [\"loss\", \"valid\"]";
    let ending = finished(&prepared(&file, &["name = \"unseen\"\nfresh = true"]).unwrap());
    let [unseen, valid] =
        ["evaluate.unseen.loss", "valid"].map(|name| ending.trajectory.get(name).unwrap().data());
    assert!(unseen.len() > 3);
    for (unseen, valid) in unseen.iter().zip(valid) {
        assert!((unseen - valid).abs() < 1e-4 * valid, "{unseen} {valid}");
    }
}

/// Where a loss is sampled, many runs' means scatter about the exact one as their standard errors say.
#[test]
fn a_sampled_loss_is_off_by_its_standard_error() {
    let matrices = "model = \"matrices\"\nattention = \"softmax\"\nfirst = \"trained\"\nlength = 8\nloss = \"online\"\nbatch = 64";
    let mut squares = 0.0;
    let count = if std::env::var_os("SADDLESCOPE_FULL").is_some() { 60 } else { 15 };
    for seed in 0..count {
        let file =
            settings("ngram-to-induction", matrices, "kind = \"sgd\"\nrate = 1e-9\nsteps = 1");
        let file = file.replace("seed = 3", &format!("seed = {seed}"));
        let many = "system.loss = \"empirical\"\nsystem.sequences = 60000";
        let evaluate = ["name = \"sampled\"\ndraws = 32", &format!("name = \"many\"\n{many}")];
        let ending = finished(&prepared(&file, &evaluate).unwrap());
        let [sampled, error, many] = ["sampled.loss", "sampled.error", "many.loss"]
            .map(|name| ending.trajectory.get(&format!("evaluate.{name}")).unwrap().data()[0]);
        // The many are as many as thirty times the sampled ones.
        squares += ((sampled - many) / error).powi(2) / (1.0 + 32.0 * 64.0 / 60_000.0);
    }
    let mean = squares / f64::from(count);
    assert!((0.3..2.5).contains(&mean), "squares of deviations in standard errors: {mean}");
}

/// What a model that rests at `M_m` loses elsewhere: 003, Eq. (12) with the second moment of the other task,
/// tr L - 2 sum_d l_d^2 g_d + sum_d g_d^2 a'_d l_d with gains g_d = l_d / a_d of its own.
#[test]
fn levels_are_the_other_loss_at_the_fixed_points() {
    let spectrum = [0.4, 0.3, 0.2, 0.1];
    let second = |eigenvalue: f64, length: f64| {
        eigenvalue * eigenvalue + (eigenvalue + 1.0) * eigenvalue / length
    };
    let at = |m: usize, length: f64| {
        let part = |&l: &f64| {
            let gain = l / second(l, 31.0);
            gain * gain * second(l, length) * l - 2.0 * l * l * gain
        };
        1.0 + spectrum[..m].iter().map(part).sum::<f64>()
    };
    let file = settings("linear-attention", "", FLOW);
    let others = ["name = \"5\"\nsystem.context = 5", "name = \"1000\"\nsystem.context = 1000"];
    let run = prepared(&file, &others).unwrap();
    let predictions = run.predictions(&finished(&run));
    for (name, length) in [("5", 5.0), ("1000", 1000.0)] {
        let of = format!("evaluate.{name}.loss");
        let said = predictions.iter().find(|prediction| prediction.of == of).unwrap();
        let Says::Levels(levels) = &said.says else { panic!("levels") };
        assert_eq!((said.name.as_str(), levels.len()), ("levels", 5));
        for (m, level) in levels.iter().enumerate() {
            assert!((level - at(m, length)).abs() < 1e-12, "{name} {m}: {level}");
        }
    }
    // Stopping after two components loses nothing on five pairs, and most of what there is on a thousand.
    let near = |a: f64, b: f64| (a - b).abs() < 5e-4;
    assert!(near(at(2, 5.0), 0.7348) && near(at(4, 5.0), 0.7353));
    assert!(near(at(2, 1000.0), 0.3108) && near(at(4, 1000.0), 0.0243));
}

/// What is evaluated is only looked at: the rest of the run has the same bits, and a file without it the same hash.
#[test]
fn the_run_itself_is_not_touched() {
    for (own, dynamics) in [("", FLOW), ("loss = \"minibatch\"\nsequences = 64\nbatch = 8", SGD)] {
        let file = settings("linear-attention", own, dynamics);
        let (plain, watched) =
            (prepared(&file, &[]).unwrap(), prepared(&file, &["name = \"a\""]).unwrap());
        assert_eq!(plain.columns().len() + 1, watched.columns().len());
        let [mut plain_end, watched_end] = [&plain, &watched].map(finished);
        for series in plain_end.trajectory.series() {
            assert_eq!(Some(series), watched_end.trajectory.get(series.name()));
        }
        plain_end.seconds = watched_end.seconds;
        assert_eq!((&plain_end.state, &plain_end.end), (&watched_end.state, &watched_end.end));
        assert_ne!(plain.hash(), watched.hash());
        assert!(!plain.experiment.to_toml().contains("evaluate"));
    }
    let of =
        |lines: &str| prepared(&settings("linear-attention", "", FLOW), &[lines]).unwrap().hash();
    assert_ne!(of("name = \"a\""), of("name = \"a\"\nsystem.context = 5"));
}

#[test]
fn what_does_not_go_together_is_refused() {
    let words = |own: &str, lines: &str| {
        prepared(&settings("linear-attention", own, FLOW), &[lines]).err().unwrap().to_string()
    };
    for (own, lines, expected) in [
        (
            "",
            "name = \"a\"\nsystem = { context = 5, heads = 5 }",
            "`evaluate.system.heads` changes the shape of the parameters (`head.4.value` is none of the run's)",
        ),
        ("", "name = \"a\"\nsystem.rank = 2", "`head.0.key` is 2 x 4, not 1 x 4 as in the run"),
        (
            "",
            "name = \"a\"\nsystem.eigenvalues = [0.5, 0.5]",
            "`evaluate.system.eigenvalues` changes the shape",
        ),
        (
            "",
            "name = \"a\"\nfresh = true",
            "`evaluate.fresh` is true, but this loss has no data set",
        ),
        ("", "name = \"a\"\nsystem.contxt = 5", "unknown setting `contxt` in [evaluate.system]"),
        ("", "name = \"a\"\nsystem.context = 0", "`evaluate.system.context` is 0, but must be"),
        (
            "",
            "name = \"a\"\nsystem.name = \"transformer\"",
            "`evaluate.system.name` is that of the run",
        ),
        ("", "name = \"a\"\nsystem.sequences = 5", "`evaluate.system.sequences` counts only with"),
        ("", "name = \"N = 5\"", "must be letters, digits, - and _"),
        ("", "system.context = 5", "`evaluate.name` is missing"),
        ("", "name = \"a\"\n[[evaluate]]\nname = \"a\"", "`evaluate.1.name` is \"a\" again"),
    ] {
        let found = words(own, lines);
        assert!(found.contains(expected), "{lines}: {found}");
    }
}

/// `--set` reaches evaluations by their number, and makes those that are not there; `--vary` varies them.
#[test]
fn the_command_line_changes_and_adds_evaluations() {
    let text = settings("linear-attention", "", FLOW)
        + "\n[[evaluate]]\nname = \"a\"\nsystem.context = 5\n";
    let changes = Changes {
        vary: vec!["evaluate.0.system.context=7,9".to_owned()],
        ..Changes::set(&[
            "evaluate.1.system.eigenvalues.0=0.9",
            "evaluate.1.name=b",
            "evaluate.0.label=x",
        ])
    };
    let plan = Plan::from_text("a.toml", &text, &changes, &ALL).unwrap();
    assert_eq!(plan.members.len(), 2);
    for (member, context) in plan.members.iter().zip([7, 9]) {
        let [a, b] = member.experiment.evaluations.as_slice() else { panic!("two") };
        assert_eq!(a.system.find("context"), Some(Value::Integer(context)));
        assert_eq!(b.system.find("eigenvalues"), Some(Value::Numbers(vec![0.9, 0.3, 0.2, 0.1])));
        assert_eq!(b.system.find("context"), Some(Value::Integer(31)));
        let own: Evaluate = b.own.source.read();
        assert_eq!((own.name.as_str(), a.own.label.as_deref()), ("b", Some("x")));
        assert_eq!(member.label, format!("context-{context}_seed-3"));
        let pairs = member.experiment.beyond_defaults().unwrap();
        assert!(pairs.contains(&("evaluate.0.system.context".to_owned(), context.to_string())));
    }
    let again = Plan::from_text("b.toml", &plan.to_toml(), &Changes::default(), &ALL);
    assert_eq!(again.unwrap(), plan);
    let run = Run::new(&plan.members[1].experiment).unwrap();
    assert_eq!(run.columns(), ["loss", "gradient.norm", "evaluate.a.loss", "evaluate.b.loss"]);
}

/// Arms and `[paper]` have evaluations of their own; dotted keys with numbers are a list.
#[test]
fn layers_replace_evaluations() {
    let text = settings("linear-attention", "", FLOW)
        + "\n[[arm]]\nname = \"one\"\n[[arm.evaluate]]\nname = \"a\"\n[[arm]]\nname = \"none\"\n[paper]\nevaluate = [{ name = \"p\" }]\n";
    let plan = |size| {
        Plan::from_text("a.toml", &text, &Changes { size, ..Changes::default() }, &ALL).unwrap()
    };
    let names = |plan: &Plan| -> Vec<usize> {
        plan.members.iter().map(|member| member.experiment.evaluations.len()).collect()
    };
    assert_eq!(names(&plan(Size::Quick)), [1, 0]);
    assert_eq!(names(&plan(Size::Paper)), [1, 1]);
    let dotted = "system.name = \"linear-attention\"\nevaluate.0.name = \"a\"\nevaluate.0.system.context = 5\n";
    let experiment = Experiment::from_text("a.toml", dotted, &[], &ALL).unwrap();
    assert_eq!(experiment.evaluations[0].column("loss"), "evaluate.a.loss");
    assert_eq!(experiment.label("evaluate.a.loss").as_deref(), Some("a"));
}
