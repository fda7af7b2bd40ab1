//! A folder of stored runs, browsed over the wire.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use saddlescope::numeric::random::{Purpose, Stream};
use saddlescope_lab::campaign::Campaign;
use saddlescope_lab::plan::{Changes, Executor, Plan};
use saddlescope_lab::sweep::{Folder, Sweep, SweepTable};
use saddlescope_lab::{keep, store};
use serde_json::Value;

use crate::client::{Reply, Site, registry};

const HEAD: &str = "[system]\nname = \"linear-attention\"\n[dynamics]\nuntil = 20.0\n";

/// Carries out the plan in a text and keeps all that it leaves.
fn keep_plan(folder: &Path, text: &str) {
    let plan = Plan::from_text("test", text, &Changes::default(), &registry()).unwrap();
    keep::claim(folder, &plan, false, &registry()).unwrap();
    let (stop, registry) = (Arc::<AtomicBool>::default(), &registry());
    let campaign =
        Campaign { registry, folder: Some(folder), force: false, stop, progress: &|_| {} };
    let results = campaign.run(&plan);
    assert!(results.failures().is_empty());
    keep::write(folder, &results).unwrap();
}

/// A run, a plan of three runs, and a sweep of twelve members that is over.
fn filled() -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    keep_plan(&root.path().join("single"), &format!("name = \"single\"\nseed = 5\n{HEAD}"));
    keep_plan(&root.path().join("deep/er/three"), &format!("name = \"three\"\nseeds = 3\n{HEAD}"));
    let (sweep, folder) = swept(&root.path().join("swept"));
    folder.merge(&sweep, &[], false).unwrap();
    folder.draw(&sweep, &SweepTable::open(&folder.table()).unwrap()).unwrap();
    root
}

/// A sweep of twelve members that have run, still in parts.
fn swept(place: &Path) -> (Sweep, Folder) {
    let text = format!("{HEAD}[vary]\nstart.scale = \"0.001..0.1:log12\"\n");
    let plan = Plan::from_text("sweep", &text, &Changes::default().swept(), &registry()).unwrap();
    let sweep = Sweep::new(plan, &registry()).unwrap();
    let folder = Folder::claim(place, &sweep, false).unwrap();
    let executor = Executor { workers: 2, ..Executor::default() };
    sweep.run(&folder, 0..7, &executor).unwrap();
    sweep.run(&folder, 7..12, &executor).unwrap();
    (sweep, folder)
}

fn entry<'a>(tree: &'a Value, path: &str) -> &'a Value {
    let all = tree["runs"].as_array().unwrap();
    all.iter().find(|entry| entry["path"] == path).unwrap_or_else(|| panic!("no {path} in {tree}"))
}

#[test]
fn runs_plans_and_sweeps_are_listed_and_told() {
    let root = filled();
    let site = Site::over(root.path());
    let tree = site.json("/api/runs");
    assert_eq!(tree["runs"].as_array().unwrap().len(), 6, "{tree}");
    let single = entry(&tree, "single");
    assert_eq!(
        (&single["kind"], &single["state"], &single["seed"]),
        (&"run".into(), &"finished".into(), &5.into())
    );
    let plan = entry(&tree, "deep/er/three");
    assert_eq!(
        (&plan["kind"], &plan["members"], &plan["over"], &plan["figure"]),
        (&"plan".into(), &3.into(), &3.into(), &true.into())
    );
    assert_eq!(entry(&tree, "deep/er/three/runs/seed-1")["of"], "deep/er/three");
    assert_eq!(entry(&tree, "swept")["members"], 12);

    let told = site.json("/api/runs/deep/er/three");
    assert_eq!(told["members"].as_array().unwrap().len(), 3);
    let columns = told["table"]["columns"].as_array().unwrap();
    let kind = |name: &str| &columns.iter().find(|column| column["name"] == name).unwrap()["type"];
    assert_eq!(
        (kind("seed"), kind("end.loss"), kind("ended")),
        (&"integer".into(), &"number".into(), &"text".into())
    );
    site.get("/api/runs/deep").refused(404, "neither");
}

#[test]
fn a_stored_run_has_the_bits_of_its_files() {
    let root = filled();
    let site = Site::over(root.path());
    let reply = site.get("/api/runs/single");
    let frames = reply.frames();
    assert_eq!(frames.iter().map(|frame| frame.kind()).collect::<Vec<_>>(), ["problem", "end"]);
    let stored = store::read(&root.path().join("single"), &registry()).unwrap().result.trajectory;
    let bits = |list: &[f64]| list.iter().map(|number| number.to_bits()).collect::<Vec<_>>();
    let end = &frames[1];
    assert_eq!(bits(&end.column("time")), bits(stored.time()));
    assert_eq!(bits(&end.column("loss")), bits(stored.get("loss").unwrap().data()));
    assert_eq!(end.head["stored"]["live"]["set"]["dynamics.until"], "20.0");
    assert_eq!(end.head["stored"]["live"]["set"]["seed"], "5");
    assert!(end.head["facts"]["stages"].is_object() || end.head["facts"]["no_stages"].is_string());

    let tag = reply.header("etag").unwrap().to_owned();
    let ask = || site.ask("GET", "/api/runs/single", &[("If-None-Match", &tag)], b"");
    assert_eq!((ask().status, ask().body.len()), (304, 0));
    let file = root.path().join("single/run.toml");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("seconds = ", "seconds = 1")).unwrap();
    assert_eq!(ask().status, 200, "what has changed is sent again");
}

#[test]
fn a_run_that_is_not_over_or_damaged_says_so() {
    let root = filled();
    let site = Site::over(root.path());
    let file = root.path().join("single/run.toml");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("state = \"finished\"", "state = \"running\"")).unwrap();
    assert_eq!(entry(&site.json("/api/runs"), "single")["state"], "interrupted");
    let lock = fs::File::create(root.path().join("single/.lock")).unwrap();
    lock.lock().unwrap();
    assert_eq!(entry(&site.json("/api/runs"), "single")["state"], "running");
    drop(lock);
    fs::write(&file, &text).unwrap();
    let rows = root.path().join("single/trajectory/part-0000.parquet");
    let mut bytes = fs::read(&rows).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&rows, bytes).unwrap();
    let reply = site.get("/api/runs/single");
    reply.refused(422, "damaged");
    let place = root.path().to_str().unwrap();
    assert!(!reply.text().contains(place), "{reply:?} names a place of this machine");
    fs::remove_file(&rows).unwrap();
    assert_eq!(entry(&site.json("/api/runs"), "single")["state"], "damaged");
    fs::write(&file, "nonsense").unwrap();
    assert_eq!(entry(&site.json("/api/runs"), "single")["state"], "damaged");
}

#[test]
fn a_table_is_paged_sorted_and_filtered() {
    let root = filled();
    let site = Site::over(root.path());
    let column = |told: &Value, name: &str| -> Vec<f64> {
        let columns = told["table"]["columns"].as_array().unwrap();
        let found = columns.iter().find(|column| column["name"] == name).unwrap();
        found["values"].as_array().unwrap().iter().map(|value| value.as_f64().unwrap()).collect()
    };
    let told = site.json("/api/runs/swept?rows=5&from=3");
    assert_eq!(column(&told, "member"), [3.0, 4.0, 5.0, 6.0, 7.0]);
    assert_eq!(told["table"]["total"], 12);
    let told = site.json("/api/runs/swept?sort=-start.scale&rows=2");
    assert_eq!(column(&told, "member"), [11.0, 10.0]);
    let told = site.json("/api/runs/swept?filter=member%3E%3D4,member%3C6");
    assert_eq!((column(&told, "member"), &told["table"]["matching"]), (vec![4.0, 5.0], &2.into()));
    for wrong in
        ["sort=no", "filter=no%3D1", "filter=member", "from=-1", "rows=x", "filter=member%3Cx"]
    {
        site.get(&format!("/api/runs/swept?{wrong}")).refused(422, "\"error\":");
    }
}

#[test]
fn a_sweep_that_is_not_over_has_the_rows_of_its_parts() {
    let root = tempfile::tempdir().unwrap();
    let place = root.path().join("swept");
    swept(&place);
    let site = Site::over(root.path());
    let told = site.json("/api/runs/swept?sort=-member&rows=3");
    assert_eq!((&told["entry"]["state"], &told["entry"]["over"]), (&"running".into(), &12.into()));
    assert_eq!(told["table"]["columns"][0]["values"], serde_json::json!([11, 10, 9]));
    // Rows that two workers made count once.
    let part = fs::read_dir(place.join("parts")).unwrap().next().unwrap().unwrap().path();
    let twin = part.to_str().unwrap().replace(".parquet", ".twin.parquet");
    fs::copy(&part, twin).unwrap();
    let told = site.json("/api/runs/swept");
    assert_eq!((&told["table"]["total"], &told["entry"]["over"]), (&12.into(), &12.into()));
    fs::write(&part, "cut short").unwrap();
    site.get("/api/runs/swept").refused(422, "");
}

#[test]
fn files_come_with_their_type_and_pictures_can_do_nothing() {
    let root = filled();
    fs::write(root.path().join("single/notes.html"), "<script>").unwrap();
    let site = Site::over(root.path());
    let svg = site.get("/files/swept/figure.svg");
    assert_eq!((svg.status, svg.header("content-type")), (200, Some("image/svg+xml")));
    let policy = svg.header("content-security-policy").unwrap();
    assert!(policy.starts_with("sandbox; default-src 'none'"));
    assert_eq!(svg.body, fs::read(root.path().join("swept/figure.svg")).unwrap());
    let csv = site.get("/files/deep/er/three/table.csv");
    assert!(csv.header("content-disposition").unwrap().starts_with("attachment"));
    for missing in ["single/notes.html", "single/.lock", "single", "nowhere/run.toml"] {
        assert_eq!(site.get(&format!("/files/{missing}")).status, 404, "{missing}");
    }
}

#[test]
fn no_path_leads_out_of_the_folder() {
    let whole = tempfile::tempdir().unwrap();
    let root = whole.path().join("runs");
    keep_plan(&root.join("single"), &format!("name = \"single\"\n{HEAD}"));
    keep_plan(&whole.path().join("runs-of-others"), &format!("name = \"other\"\n{HEAD}"));
    #[cfg(unix)]
    {
        use std::os::unix::fs::symlink;
        symlink(whole.path().join("runs-of-others"), root.join("beside")).unwrap();
        symlink(whole.path().join("runs-of-others/run.toml"), root.join("single/plan2.toml"))
            .unwrap();
    }
    let site = Site::over(&root);
    let parts = [
        "..",
        "%2e%2e",
        "%2E.",
        "..%2f..",
        "%2f",
        "%5c",
        "..%5c",
        "%00",
        "single",
        "beside",
        "run.toml",
        "runs-of-others",
        "%c0%ae%c0%ae",
        "%252e%252e",
        ".",
        "%20",
        "etc",
        "passwd",
        "single%2f..%2f..",
    ];
    let mut stream = Stream::new(1, Purpose::Perturbation, 0);
    let mut draw = |most: usize| stream.below(most as u64) as usize;
    let mut answered = 0;
    for _ in 0..400 {
        let count = 1 + draw(5);
        let path: Vec<&str> = (0..count).map(|_| parts[draw(parts.len())]).collect();
        let place = ["/files/", "/api/runs/"][draw(2)];
        let reply: Reply = site.get(&format!("{place}{}", path.join("/")));
        assert!([200, 400, 404].contains(&reply.status), "{path:?}: {}", reply.status);
        let text = reply.text();
        let leads_out = text.contains("name = \"other\"") || text.contains("root:");
        assert!(!leads_out, "{path:?}");
        answered += usize::from(reply.status == 200);
    }
    assert!(answered > 0, "some of these paths lead inside");
    let tree = site.json("/api/runs");
    assert_eq!(tree["runs"].as_array().unwrap().len(), 1, "links are not followed: {tree}");
}
