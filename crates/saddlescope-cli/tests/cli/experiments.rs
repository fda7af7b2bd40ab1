//! What runs: every rule, stages one after the other, every task, model, loss and start.

use serde_json::Value;

use crate::model::{Head, Model, flat, plateaus, rotated, shaped};
use crate::program::{Folder, assert_near, experiment, number, numbers};

/// Two heads in a rotated plane, from a given start; `[dynamics]` is to follow.
const PLANE: &str = "
[system]
name = \"linear-attention\"
eigenvalues = [0.7, 0.4]
eigenvectors = [[0.8775825618903728, -0.479425538604203], [0.479425538604203, 0.8775825618903728]]
context = 5
heads = 2
[start]
kind = \"given\"
value = [0.3, -0.2]
key = [[[0.2, 0.1]], [[0.1, -0.3]]]
query = [[[0.25, 0.05]], [[-0.1, 0.35]]]
";

fn plane() -> (Model, Vec<Head>) {
    let covariance = rotated([0.7, 0.4], 0.5);
    let head = |value, key: [f64; 2], query: [f64; 2]| Head {
        value,
        key: vec![key.to_vec()],
        query: vec![query.to_vec()],
    };
    let heads = vec![head(0.3, [0.2, 0.1], [0.25, 0.05]), head(-0.2, [0.1, -0.3], [-0.1, 0.35])];
    (Model { covariance, inverse_mean: 0.2, tau: 1.0 }, heads)
}

fn run(dynamics: &str) -> Value {
    experiment(format!("{PLANE}{dynamics}"))
}

/// The weights at the end, head by head in the order of [`flat`].
fn end(dynamics: &str) -> Vec<f64> {
    numbers(&run(dynamics)["final"])
}

fn descent(rule: &str) -> String {
    format!("[dynamics]\nrate = 0.05\nkind = {rule}\n")
}

#[test]
fn a_flow_agrees_with_the_plain_model() {
    let (model, start) = plane();
    for method in ["auto", "dop853", "bdf"] {
        let found = end(&format!("[dynamics]\nmethod = \"{method}\"\nuntil = 20.0\n"));
        assert_near(&found, &flat(&model.flow(&start, 20.0, 500)), 1e-7);
    }
}

#[test]
fn what_is_read_as_another_method_is_noted() {
    let note =
        |method| run(&format!("[dynamics]\nmethod = \"{method}\"\nuntil = 1.0\n"))["note"].clone();
    assert_eq!(note("bdf"), "method = \"bdf\" is read as \"radau\", which has taken its place");
    assert_eq!(note("radau"), Value::Null);
}

#[test]
fn descents_take_the_steps_of_their_rules() {
    let (model, start) = plane();
    // The flow runs down half the gradient.
    let gradient = |state: &[f64]| -> Vec<f64> {
        model.rate(&shaped(state, &start)).iter().map(|rate| -2.0 * rate).collect()
    };
    let moved = |state: &[f64], step: &[f64]| -> Vec<f64> {
        state.iter().zip(step).map(|(x, s)| x - 0.05 * s).collect()
    };
    let zero = flat(&start);
    let first = gradient(&zero);
    let one = moved(&zero, &first);
    let second = gradient(&one);
    let kept =
        |part: f64| -> Vec<f64> { first.iter().zip(&second).map(|(a, b)| part * a + b).collect() };
    for rule in ["\"gd\"\nsteps = 2", "\"momentum\"\nmomentum = 0.0\nsteps = 2"] {
        assert_near(&end(&descent(rule)), &moved(&one, &second), 1e-9);
    }
    let momentum = descent("\"momentum\"\nmomentum = 0.5\nsteps = 2");
    assert_near(&end(&momentum), &moved(&one, &kept(0.5)), 1e-9);

    // The first step of Adam has the size of the rate.
    let signs: Vec<f64> = first.iter().map(|g| g / (g.abs() + 1e-8)).collect();
    assert_near(&end(&descent("\"adam\"\nsteps = 1")), &moved(&zero, &signs), 1e-8);
    let decayed: Vec<f64> = signs.iter().zip(&zero).map(|(s, x)| s + 0.1 * x).collect();
    let adamw = descent("\"adamw\"\nweight_decay = 0.1\nsteps = 1");
    assert_near(&end(&adamw), &moved(&zero, &decayed), 1e-8);

    let norm = first.iter().map(|g| g * g).sum::<f64>().sqrt();
    // PyTorch adds 1e-6 to the norm.
    let clipped: Vec<f64> = first.iter().map(|g| 0.01 * g / (norm + 1e-6)).collect();
    assert_near(&end(&descent("\"gd\"\nsteps = 1\nclip = 0.01")), &moved(&zero, &clipped), 1e-9);
}

#[test]
fn rates_and_schedules_scale_the_steps() {
    let plain = end(&descent("\"gd\"\nsteps = 30"));
    let halved =
        end("[dynamics]\nkind = \"gd\"\nrate = 0.1\nsteps = 30\nrates = { \"*\" = 0.5 }\n");
    assert_near(&plain, &halved, 1e-14);
    let cosine = end(&descent("\"gd\"\nsteps = 30\nschedule = \"cosine\"\nschedule_floor = 1.0"));
    assert_near(&plain, &cosine, 1e-14);
    for kind in ["\"cosine\"", "\"plateau\"\nschedule_patience = 0\nschedule_threshold = 0.5"] {
        let slower = run(&descent(&format!("\"gd\"\nsteps = 30\nschedule = {kind}")));
        assert!(
            number(&slower["phases"][0]["loss"])
                > number(&run(&descent("\"gd\"\nsteps = 30"))["phases"][0]["loss"])
        );
    }
}

#[test]
fn stages_follow_one_another_on_one_clock() {
    let two =
        run("[[dynamics]]\nuntil = 8.0\n[[dynamics]]\nkind = \"gd\"\nrate = 0.01\nsteps = 100\n\
         [[dynamics]]\nkind = \"adam\"\nrate = 0.01\nsteps = 5\n");
    let column = |name: &str| -> Vec<f64> {
        two["phases"].as_array().unwrap().iter().map(|stage| number(&stage[name])).collect()
    };
    assert_near(&column("time"), &[8.0, 10.0, 15.0], 1e-12);
    let clocks: Vec<bool> =
        two["phases"].as_array().unwrap().iter().map(|s| s["flow_time"] == true).collect();
    assert_eq!(clocks, [true, true, false]);
    // Small steps stay near the flow.
    let flow = run("[dynamics]\nuntil = 10.0\n");
    assert_near(&[column("loss")[1]], &[number(&flow["phases"][0]["loss"])], 1e-3);
    let time = numbers(&two["trajectory"]["time"]);
    assert!(time.is_sorted(), "{time:?}");
}

#[test]
fn frozen_blocks_do_not_move() {
    let record =
        "[record]\nsampling = \"every\"\nobservables = [\"head.*.value\", \"head.*.key\"]\n";
    let first = |freeze: &str| {
        run(&format!(
            "[[dynamics]]\nuntil = 5.0\n{freeze}\n[[dynamics]]\nkind = \"gd\"\nrate = 0.01\nsteps = 3\n{record}"
        ))
    };
    for freeze in ["freeze = [\"head.0.*\"]", "rates = { \"head.0.*\" = 0.0 }"] {
        let trajectory = &first(freeze)["trajectory"];
        let time = numbers(&trajectory["time"]);
        let last = time.iter().rposition(|&time| time <= 5.0).unwrap();
        assert!(last > 0 && last + 1 < time.len());
        for name in ["head.0.value", "head.0.key"] {
            let rows = trajectory[name].as_array().unwrap();
            assert!(rows[..=last].iter().all(|row| *row == rows[0]), "{name} moved, {freeze}");
            assert_ne!(rows[last], rows[last + 1], "{name} is free in the second stage");
        }
        assert_ne!(trajectory["head.1.value"][0], trajectory["head.1.value"][last]);
    }
    let text = descent("\"adamw\"\nsteps = 9\nfreeze = [\"head.*.key\"]");
    let adam = run(&format!("{text}{record}"));
    let keys = adam["trajectory"]["head.1.key"].as_array().unwrap();
    assert!(keys.iter().all(|row| *row == keys[0]));
}

#[test]
fn rotations_do_not_change_an_aligned_run() {
    let text = |vectors: &str| {
        format!(
            "seed = 3\n[system]\nname = \"linear-attention\"\neigenvectors = {vectors}\n\
             eigenvalues = [0.6, 0.3]\nheads = 2\n[start]\nkind = \"aligned\"\nvalue = 0.1\n\
             [dynamics]\nuntil = 60.0\n"
        )
    };
    let loss = |vectors: &str| number(&experiment(text(vectors))["phases"][0]["loss"]);
    let straight = loss("\"identity\"");
    assert_near(&[loss("\"random\""), loss("[[0.6, -0.8], [0.8, 0.6]]")], &[straight; 2], 1e-8);
}

#[test]
fn varying_lengths_average_the_inverse_of_the_length() {
    let text = "[system]\nname = \"linear-attention\"\nlengths = \"varying\"\ncontext = 12\n\
                eigenvalues = [0.5, 0.2]\n[dynamics]\nuntil = 1.0\n";
    let inverse_mean = (1..=12).map(|n| 1.0 / f64::from(n)).sum::<f64>() / 12.0;
    let found = numbers(&experiment(text)["theory"]["plateaus"]);
    assert_near(&found, &plateaus(&[0.5, 0.2], inverse_mean), 1e-13);
}

#[test]
fn a_run_from_a_saddle_goes_on_from_there() {
    let text = |scale: f64, until: &str| {
        format!(
            "[system]\nname = \"linear-attention\"\neigenvalues = [0.5, 0.3, 0.2]\ncontext = 20\n\
             [start]\nkind = \"saddle\"\nlearned = [2]\nscale = {scale}\n\
             [dynamics]\nuntil = {until}\n[record]\nobservables = [\"learned.*\"]\n"
        )
    };
    // M({2}) lies a drop of the second eigenvector, lambda^3/a, below zero.
    let a = 0.3 * 0.3 + (0.3 * 0.3 + 0.3) / 20.0;
    let rest = experiment(text(0.0, "100.0"));
    assert_near(&[number(&rest["phases"][0]["loss"])], &[1.0 - 0.3_f64.powi(3) / a], 1e-14);
    let on = experiment(text(0.01, "\"converged\""));
    let levels = numbers(&on["theory"]["plateaus"]);
    assert_near(&[number(&on["phases"][0]["loss"])], &[levels[3]], 1e-6);
}

#[test]
fn a_file_is_changed_by_set() {
    let text = "[system]\nname = \"linear-attention\"\n[dynamics]\nuntil = 1.0\n";
    let folder = Folder::with("mine.toml", text);
    let parameters = |set: &str| {
        let run = folder.run(format!("run mine.toml --json {set}")).json();
        run["final"].as_array().unwrap().len()
    };
    assert_eq!(parameters(""), 4 * (1 + 2 * 4));
    assert_eq!(parameters("--set system.rank=2"), 4 * (1 + 2 * 2 * 4));
    let set = "--set system.eigenvalues=[1,0.5] --set system.heads=3";
    assert_eq!(parameters(set), 3 * (1 + 2 * 2));
}

#[test]
fn every_model_and_loss_learns() {
    for (system, parameters) in [
        ("loss = \"population\"", 36),
        ("loss = \"empirical\"\nsequences = 500", 36),
        ("loss = \"minibatch\"\nsequences = 500\nbatch = 200", 36),
        ("loss = \"online\"\nbatch = 300", 36),
        ("loss = \"online\"\nbatch = 100\nlengths = \"varying\"", 36),
        ("attention = \"softmax\"\nloss = \"empirical\"\nsequences = 200", 36),
        ("attention = \"full\"\nloss = \"empirical\"\nsequences = 200", 4 * (5 + 5 + 4)),
    ] {
        let run = experiment(format!(
            "[system]\nname = \"linear-attention\"\n{system}\n[start]\nscale = 0.4\n\
             [dynamics]\nkind = \"adam\"\nrate = 0.02\nsteps = 300\n\
             [record]\nsampling = \"every\"\n"
        ));
        let loss = numbers(&run["trajectory"]["loss"]);
        let mean = |part: &[f64]| part.iter().sum::<f64>() / part.len() as f64;
        let (early, late) = (mean(&loss[..20]), mean(&loss[loss.len() - 20..]));
        assert!(late < 0.7 * early, "{system}: from {early} to {late}");
        assert_eq!(run["final"].as_array().unwrap().len(), parameters, "{system}");
    }
}

#[test]
fn what_the_flow_conserves_is_conserved() {
    let softmax =
        "attention = \"softmax\"\nloss = \"empirical\"\nprecision = \"double\"\nsequences = 50";
    for (system, per_head) in
        [("loss = \"population\"", 2), ("loss = \"empirical\"\nsequences = 300", 2), (softmax, 1)]
    {
        let run = experiment(format!(
            "[system]\nname = \"linear-attention\"\n{system}\n[start]\nscale = 0.5\n\
             [dynamics]\nuntil = 5.0\n"
        ));
        let invariants = run["invariants"].as_array().unwrap();
        assert_eq!(invariants.len(), 4 * per_head, "{system}");
        for invariant in invariants {
            assert_near(&[number(&invariant["end"])], &[number(&invariant["start"])], 1e-8);
        }
    }
}

#[test]
fn a_system_by_its_name_is_run_with_its_defaults() {
    let folder = Folder::new();
    let text = folder.run("new linear-attention").done();
    std::fs::write(folder.path("mine.toml"), text).unwrap();
    let sets = "--set system.heads=2 --set system.eigenvalues=[0.6,0.3]";
    let json = |line: &str| folder.run(format!("{line} {sets} --json")).json();
    assert_eq!(json("run linear-attention")["final"], json("run mine.toml")["final"]);
    folder.run(format!("run linear-attention --out runs {sets}")).done();
    assert!(folder.path("runs/linear-attention/defaults/figure.svg").exists());
    // A folder of that name is no reason to look for runs in it.
    std::fs::create_dir(folder.path("linear-attention")).unwrap();
    let gd = "--set dynamics.kind=gd --set dynamics.rate=0.5 --set dynamics.steps=200";
    json("saddles linear-attention");
    json(&format!("attribute linear-attention {gd}"));
    json("invariants linear-attention");
    let sweep = "sweep linear-attention --vary start.scale=0.1,0.2 --dry-run";
    folder.run(sweep).shows(&["2 members"]);
    let words = ["did you mean the system `linear-attention`?"];
    folder.run("run linear-atention").fails(2, &words);
}
