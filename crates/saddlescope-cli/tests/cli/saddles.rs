//! `saddles`: certificates as people and programs read them; the graph of saddles.

use serde_json::Value;

use crate::program::{Folder, repository};

#[test]
fn a_run_comes_by_degenerate_saddles_and_ends_at_a_minimum() {
    let folder = Folder::new();
    let saddles = "saddles linear-attention/saddle-graph --set start.scale=0.05";
    let words =
        ["start", "slowest, t = ", "degenerate of order 3", "minimum", "{1,2,3}", "counts as zero"];
    folder.run(saddles).shows(&words);
    let all = folder.run(format!("{saddles} --json --all")).json();
    let known: Vec<&Value> =
        all.as_array().unwrap().iter().filter(|one| one["where"] == "known").collect();
    assert_eq!(known.len(), 16);
    let zero = known[0];
    assert_eq!((&zero["saddle"], &zero["kind"]), (&"{}".into(), &"degenerate of order 3".into()));
    assert_eq!(zero["counts"]["zero"], 36);
    let time = |name: &str| zero["departure"][name].as_f64().unwrap();
    assert!((time("measured") / time("predicted") - 1.0).abs() < 1e-3);
}

#[test]
fn states_that_a_folder_keeps_are_certified() {
    let folder = Folder::new();
    let set = "--set record.snapshots=[0.0,100.0] --set start.scale=0.05";
    folder.run(format!("run linear-attention/fig5 {set} --seeds 1 --out runs")).done();
    folder.run("saddles runs/linear-attention/fig5").shows(&["snapshot, t = 100"]);
}

#[test]
fn what_cannot_be_certified_says_why() {
    let folder = Folder::new();
    let online =
        "--set system.loss=online --set 'dynamics={kind = \"sgd\", rate = 0.1, steps = 10}'";
    folder
        .run(format!("saddles linear-attention/saddle-graph {online}"))
        .fails(2, &["no exact loss", "drawn anew"]);
    folder.run("saddles linear-attention/fig99").fails(2, &["did you mean"]);
    folder.run("saddles linear-attention/fig1 --scale 0").fails(2, &["above 0"]);
    std::fs::create_dir(folder.path("empty")).unwrap();
    folder.run("saddles empty").fails(2, &["holds no runs"]);
}

#[test]
fn the_graph_is_kept_and_drawn_again() {
    let folder = Folder::new();
    let shipped = repository("systems/linear-attention/experiments/saddle-graph.toml");
    let text = std::fs::read_to_string(shipped).unwrap();
    let small = text.replace("starts = 1000", "starts = 20");
    std::fs::write(folder.path("small.toml"), small).unwrap();
    folder.run("run small.toml --out runs").done();
    let place = "runs/linear-attention/saddle-graph";
    let graph = folder.json(&format!("{place}/graph.json"));
    assert_eq!(graph["nodes"].as_array().unwrap().len(), 16);
    let count = |path: &Value| path["count"].as_u64().unwrap();
    let paths = graph["paths"].as_array().unwrap();
    assert_eq!(paths.iter().map(count).sum::<u64>(), 20);
    // Every start ends at the minimum, the last of the sets.
    assert!(paths.iter().all(|path| path["nodes"].as_array().unwrap().last().unwrap() == 15));
    let before = folder.read(&format!("{place}/figure.svg"));
    folder.run(format!("plot {place} --out again.svg")).done();
    assert_eq!(folder.read("again.svg"), before);
}
