//! Scaling laws: declared in files, fitted to folders and to tables of other people.

use serde_json::Value;

use crate::program::{Folder, number};

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
    let text = folder.run(&["run", "mine.toml", "--out", "kept"]).done();
    for words in
        ["laws fitted to the table of runs", "y = C x^a", "close", "Zhang et al., Eq. (38)"]
    {
        assert!(text.contains(words), "{words}: {text}");
    }
    let kept: Value = serde_json::from_str(&folder.read(&format!("{PLACE}/fits.json"))).unwrap();
    let first = &kept[0];
    assert!((slope(first) + 1.0).abs() < 0.02, "{first}");
    assert_eq!((&first["verdict"], &first["y"]), (&"close".into(), &"crossing.1".into()));
    assert_eq!((number(&first["fit"]["seeds"]), number(&first["fit"]["points"])), (4.0, 16.0));
    let interval = &first["fit"]["slope"]["interval"];
    assert!(number(&interval[0]) < slope(first) && slope(first) < number(&interval[1]));
    assert!(folder.path(PLACE).join("figure.svg").exists());
    // The folder, and its table as anybody's.
    let ask = ["--x", "start.scale", "--y", "crossing.1", "--json"];
    let again = folder.run(&[&["fit", PLACE], &ask[..]].concat()).json();
    assert_eq!(again[0], *first);
    let table = format!("{PLACE}/table.csv");
    let theirs = folder.run(&[&["fit", &table], &ask[..]].concat()).json();
    assert_eq!(theirs[0]["fit"], first["fit"], "seeds are found by their name");
    assert_eq!(theirs[0]["verdict"], "no theory");
    let part = folder.run(&[&["fit", PLACE], &ask[..], &["--range", "0.001..0.02"]].concat());
    assert_eq!(number(&part.json()[0]["fit"]["values"]), 3.0);
}

#[test]
fn what_cannot_be_fitted_is_said_before_anything_runs() {
    let cases = [
        (
            VARY,
            "[[fit]]\nx = \"system.rank\"\ny = [\"crossing.1\"]\n",
            "`fit.x` names `system.rank`, which is no setting that is varied",
        ),
        ("", FIT, "[vary] is empty"),
        (
            "[vary]\nstart.scale = [0.1, 0.2]\n",
            FIT,
            "has 2 values, but a power law needs 3 or more",
        ),
        (VARY, "[[fit]]\nx = \"start.scale\"\ny = [\"end.los\"]\n", "did you mean `end.loss`?"),
        (VARY, "[[fit]]\nx = \"start.scale\"\n", "`fit.y` is missing"),
        (
            VARY,
            "[[fit]]\nx = \"start.scale\"\ny = [\"drift\"]\nlaw = \"powr\"\n",
            "did you mean \"power\"?",
        ),
        (
            VARY,
            "[[fit]]\nx = \"start.scale\"\ny = [\"drift\"]\ngroup = [\"arms\"]\n",
            "names `arms`",
        ),
        (
            VARY,
            "[[fit]]\nx = \"start.scale\"\ny = [\"drift\"]\nx_range = [1.0, 0.1]\n",
            "the lower one first",
        ),
        ("[vary]\nstart.scale = [0.0, 0.1, 0.2]\n", FIT, "varied over 0: a law needs numbers > 0"),
        (VARY, "[fit]\nx = \"start.scale\"\n", "written [[fit]]"),
        (
            VARY,
            "[[figure.panel]]\nkind = \"points\"\nx = \"start.scale\"\ny = [\"drift\"]\nfit = true\n",
            "add [[fit]] with x = \"start.scale\", y = [\"drift\"]",
        ),
    ];
    for (vary, fit, words) in cases {
        file(&[SYSTEM, vary, fit]).run(&["run", "mine.toml"]).fails(2, &[words]);
    }
}

#[test]
fn runs_without_a_value_are_counted_and_columns_that_never_came_are_named() {
    let until = "[dynamics]\nuntil = 1500.0\n";
    let fit = "[[fit]]\nx = \"start.scale\"\ny = [\"crossing.1\", \"crossing.7\"]\n";
    let folder = file(&[SYSTEM, until, VARY, fit]);
    let text = folder.run(&["run", "mine.toml", "--vary", "start.scale=0.001..0.3:log7"]).done();
    assert!(text.contains("runs have no value and are left out"), "{text}");
    assert!(text.contains("no fit: `crossing.7` fits no column"), "{text}");
}

#[test]
fn tables_of_other_people_may_be_wrong() {
    let text = "width,loss,run\n1,8.1,a\n2,4.0,a\n4,2.1,a\n1,7.9,b\n2,4.1,b\n4,1.9,b\n";
    let folder = Folder::with("theirs.csv", text);
    let fit = |more: &[&str]| folder.run(&[&["fit", "theirs.csv", "--x", "width"], more].concat());
    let out = fit(&["--y", "loss", "--seed", "run"]).done();
    assert!(out.contains("-1.0") && out.contains("no theory"), "{out}");
    let out = fit(&["--y", "loss"]).done();
    assert!(out.contains("every row counts as a seed of its own"), "{out}");
    let out = fit(&["--y", "loss", "--law", "auto"]).done();
    assert!(out.contains("where a value of x is left out"), "{out}");
    fit(&["--y", "los"]).fails(2, &["there is no column `los` (did you mean `loss`?)"]);
    fit(&["--y", "run"]).fails(2, &["line 2: run is `a`, but must be a number"]);
    fit(&["--y", "loss", "--range", "4..1"]).fails(2, &["the lower one first"]);
    fit(&["--y", "loss", "--only", "run = a"]).fails(2, &["--only is for folders"]);
    let few = fit(&["--y", "loss", "--law", "offset"]);
    assert_eq!(few.code, 1, "{few:?}");
    assert!(few.out.contains("needs runs at 4 or more different values of x"), "{}", few.out);
    folder.run(&["fit", "nothing", "--x", "a", "--y", "b"]).fails(2, &["no folder and no file"]);
}

#[test]
fn shipped_laws_hold() {
    let folder = Folder::new();
    let fits = folder.run(&["run", "linear-attention/time-against-lambda", "--json"]).json();
    for fit in fits["fits"].as_array().unwrap() {
        assert!(fit["verdict"] == "agrees" || fit["verdict"] == "close", "{fit}");
        assert!((slope(fit) + 2.0).abs() < 0.01);
    }
    let fits = folder.run(&["run", "linear-attention/time-against-scale", "--json"]).json();
    let fits = fits["fits"].as_array().unwrap().clone();
    assert!(
        fits.len() == 5
            && fits.iter().all(|fit| fit["verdict"] == "agrees" || fit["verdict"] == "close"),
        "{fits:?}"
    );
    assert_eq!(fits[4]["fit"]["law"], "log", "the free slot of a head of rank 2 waits a logarithm");
}
