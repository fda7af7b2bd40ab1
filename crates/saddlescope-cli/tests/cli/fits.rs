//! Scaling laws: declared in files, fitted to folders and to tables of other people.

use serde_json::Value;

use crate::program::{Folder, assert_has, number};

const SYSTEM: &str = "name = \"mine\"\nseeds = 4\n[system]\nname = \"linear-attention\"\n\
                      eigenvalues = [0.4, 0.1]\nheads = 2\n";

const VARY: &str = "[vary]\nstart.scale = \"0.001..0.03:log4\"\n";

const FIT: &str = "[[fit]]\nx = \"start.scale\"\ny = [\"crossing.*\"]\n";

const PLACE: &str = "kept/linear-attention/mine";

fn file(parts: &[&str]) -> Folder {
    Folder::with("mine.toml", parts.concat())
}

fn slope(fit: &Value) -> f64 {
    number(&fit["fit"]["slope"]["value"])
}

#[test]
fn laws_are_fitted_judged_kept_and_drawn() {
    let panel = "[[figure.panel]]\nkind = \"points\"\nx = \"start.scale\"\ny = [\"crossing.1\"]\nfit = true\n\
                 theory = [\"first-jump\"]\n";
    let folder = file(&[SYSTEM, VARY, FIT, panel]);
    let words =
        ["laws fitted to the table of runs", "y = C x^a", "close", "Zhang et al., Eq. (38)"];
    folder.run("run mine.toml --out kept").shows(&words);
    let kept = folder.json(&format!("{PLACE}/fits.json"));
    let first = &kept[0];
    assert!((slope(first) + 1.0).abs() < 0.02, "{first}");
    assert_eq!((&first["verdict"], &first["y"]), (&"close".into(), &"crossing.1".into()));
    assert_eq!((number(&first["fit"]["seeds"]), number(&first["fit"]["points"])), (4.0, 16.0));
    let interval = &first["fit"]["slope"]["interval"];
    assert!(number(&interval[0]) < slope(first) && slope(first) < number(&interval[1]));
    assert!(folder.path(PLACE).join("figure.svg").exists());
    // The folder, and its table as anybody's.
    let fit = |more: &str| {
        let line = format!("fit {PLACE}{more} --x start.scale --y crossing.1 --json");
        folder.run(line).json()[0].take()
    };
    assert_eq!(fit(""), *first);
    let theirs = fit("/table.csv");
    assert_eq!(theirs["fit"], first["fit"], "seeds are found by their name");
    assert_eq!(theirs["verdict"], "no theory");
    assert_eq!(number(&fit(" --range 0.001..0.02")["fit"]["values"]), 3.0);
}

#[test]
fn what_cannot_be_fitted_is_said_before_anything_runs() {
    let refused = |vary: &str, fit: &str, words: &str| {
        file(&[SYSTEM, vary, fit]).run("run mine.toml").fails(2, &[words]);
    };
    refused("", FIT, "is no setting that is varied");
    let two = "[vary]\nstart.scale = [0.1, 0.2]\n";
    refused(two, FIT, "has 2 values, but a power law needs 3 or more");
    let zero = "[vary]\nstart.scale = [0.0, 0.1, 0.2]\n";
    refused(zero, FIT, "varied over 0: a law needs numbers > 0");
    refused(VARY, "[fit]\nx = \"start.scale\"\n", "written [[fit]]");
    let panel =
        "[[figure.panel]]\nkind = \"points\"\nx = \"start.scale\"\ny = [\"drift\"]\nfit = true\n";
    refused(VARY, panel, "add [[fit]] with x = \"start.scale\", y = [\"drift\"]");
    let rank = "[[fit]]\nx = \"system.rank\"\ny = [\"crossing.1\"]\n";
    refused(VARY, rank, "`fit.x` names `system.rank`, which is no setting that is varied");
    for (lines, words) in [
        ("", "`fit.y` is missing"),
        ("y = [\"end.los\"]", "did you mean `end.loss`?"),
        ("y = [\"drift\"]\nlaw = \"powr\"", "did you mean \"power\"?"),
        ("y = [\"drift\"]\ngroup = [\"arms\"]", "names `arms`"),
        ("y = [\"drift\"]\nx_range = [1.0, 0.1]", "the lower one first"),
    ] {
        refused(VARY, &format!("[[fit]]\nx = \"start.scale\"\n{lines}\n"), words);
    }
}

#[test]
fn runs_without_a_value_are_counted_and_columns_that_never_came_are_named() {
    let until = "[dynamics]\nuntil = 1500.0\n";
    let fit = "[[fit]]\nx = \"start.scale\"\ny = [\"crossing.1\", \"crossing.7\"]\n";
    let ran =
        file(&[SYSTEM, until, VARY, fit]).run("run mine.toml --vary start.scale=0.001..0.3:log7");
    let words = ["runs have no value and are left out", "no fit: `crossing.7` fits no column"];
    ran.shows(&words);
}

#[test]
fn tables_of_other_people_may_be_wrong() {
    let text = "width,loss,run\n1,8.1,a\n2,4.0,a\n4,2.1,a\n1,7.9,b\n2,4.1,b\n4,1.9,b\n";
    let folder = Folder::with("theirs.csv", text);
    let fit = |y: &str| folder.run(format!("fit theirs.csv --x width --y {y}"));
    fit("loss --seed run").shows(&["-1.0", "no theory"]);
    fit("loss").shows(&["every row counts as a seed of its own"]);
    fit("loss --law auto").shows(&["where a value of x is left out"]);
    fit("los").fails(2, &["there is no column `los` (did you mean `loss`?)"]);
    fit("run").fails(2, &["line 2: run is `a`, but must be a number"]);
    fit("loss --range 4..1").fails(2, &["the lower one first"]);
    fit("loss --only 'run = a'").fails(2, &["--only is for folders"]);
    let few = fit("loss --law offset");
    assert_eq!(few.code, 1, "{few:?}");
    assert_has(&few.out, &["needs runs at 4 or more different values of x"]);
    folder.run("fit nothing --x a --y b").fails(2, &["no folder and no file"]);
}

#[test]
fn shipped_laws_hold() {
    let folder = Folder::new();
    let fits = |name: &str| {
        let run = folder.run(format!("run linear-attention/{name} --json")).json();
        let fits = run["fits"].as_array().unwrap().clone();
        let holds = |fit: &Value| fit["verdict"] == "agrees" || fit["verdict"] == "close";
        assert!(fits.iter().all(holds), "{fits:?}");
        fits
    };
    assert!(fits("time-against-lambda").iter().all(|fit| (slope(fit) + 2.0).abs() < 0.01));
    let fits = fits("time-against-scale");
    assert_eq!(fits.len(), 5);
    assert_eq!(fits[4]["fit"]["law"], "log", "the free slot of a head of rank 2 waits a logarithm");
}
