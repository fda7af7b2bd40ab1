//! What is shown, taken away: the same file, the same numbers, the same picture.

use saddlescope_lab::plan::{Changes, Member, Plan};
use saddlescope_spec::settings::render_value;
use serde_json::{Value, json};

use crate::client::{Site, registry};

fn view() -> Value {
    json!({
        "system": "linear-attention", "set": {"system.rank": "2"},
        "runs": [
            {"label": "flow", "set": {"dynamics.until": "3000.0"}},
            {"label": "GD", "set": {"dynamics.kind": "gd", "dynamics.rate": "0.5", "dynamics.steps": "6000"}},
            {"label": "flow", "set": {"start.scale": "0.2"}},
        ],
        "panels": [
            {"title": "the loss", "y": ["loss"], "x_scale": "log", "y_scale": "linear", "theory": ["levels"]},
            {"y": ["head.*.value", "no.such"], "x_scale": "linear", "x_range": [0.0, 3000.0]},
            {"matrix": ["head.*.key"], "at": 500.0},
            {"y": ["nothing.here"]},
        ],
    })
}

/// The plan in the file of a view.
fn exported(site: &Site, view: &Value) -> Plan {
    let text = site.post("/api/export/toml", view).well().text();
    Plan::from_text("view.toml", &text, &Changes::default(), &registry()).unwrap()
}

#[test]
fn the_file_of_a_view_reads_back_to_its_curves() {
    let plan = exported(&Site::new(), &view());
    assert_eq!(plan.arms, ["flow", "GD", "flow (2)"]);
    let [flow, gd, other] = plan.members.as_slice() else { panic!("three members") };
    let has = |member: &Member, key: &str, expected: &str| {
        assert_eq!(render_value(&member.experiment.setting(key).unwrap()), expected, "{key}");
    };
    plan.members.iter().for_each(|member| has(member, "system.rank", "2"));
    has(flow, "dynamics.until", "3000.0");
    has(gd, "dynamics.kind", "\"gd\"");
    has(gd, "dynamics.steps", "6000");
    has(other, "start.scale", "0.2");
    has(other, "dynamics.until", "\"converged\"");
    assert_eq!(plan.figure.unwrap().panels.len(), 3, "the panel with nothing in it is left out");
}

#[test]
fn pictures_come_in_three_formats_and_say_what_is_shown() {
    let site = Site::new();
    for (format, magic) in [("svg", &b"<svg"[..]), ("png", b"\x89PNG"), ("pdf", b"%PDF")] {
        let reply = site.post(&format!("/api/export/{format}"), &view()).well();
        assert!(reply.body.windows(magic.len()).any(|part| part == magic), "{format}");
        let name = format!("attachment; filename=\"saddlescope.{format}\"");
        assert_eq!(reply.header("content-disposition"), Some(name.as_str()));
    }
    assert_eq!(site.post("/api/export/gif", &view()).status, 404);
}

#[test]
fn the_command_gives_the_same_experiment() {
    let site = Site::new();
    let reply = site.post("/api/export/command", &view());
    let text = reply.text();
    let lines: Vec<&str> = text.lines().collect();
    let run = "saddlescope run linear-attention --set system.rank=2";
    assert_eq!(lines[0], format!("{run} --set dynamics.until=3000.0"));
    let gd = "--set dynamics.kind=gd --set dynamics.rate=0.5 --set dynamics.steps=6000";
    assert_eq!(lines[1], format!("{run} {gd}"));
    assert_eq!(lines.len(), 3);
}

#[test]
fn curves_of_other_seeds_are_drawn_but_no_one_file_says_them() {
    let site = Site::new();
    let view = json!({
        "system": "linear-attention", "runs": [{"label": "a"}, {"label": "b", "set": {"seed": 5}}],
        "panels": [{"y": ["loss"]}],
    });
    site.post("/api/export/svg", &view).well();
    let reply = site.post("/api/export/toml", &view);
    assert_eq!((reply.status, reply.json()["key"].as_str()), (422, Some("seed")));
}

#[test]
fn a_setting_that_only_some_curves_have_stays_theirs() {
    let site = Site::new();
    let stops = json!({"label": "stops", "set": {"dynamics.stop_below_loss": "0.6", "dynamics.freeze": "[\"head.3.*\"]"}});
    let goes_on =
        json!({"label": "goes on", "set": {"dynamics.rates": "{ \"head.*.value\" = 0.5 }"}});
    for runs in [[&stops, &goes_on], [&goes_on, &stops]] {
        let view = json!({"system": "linear-attention", "runs": runs, "panels": [{"y": ["loss"]}]});
        for member in &exported(&site, &view).members {
            let has = member.experiment.setting("dynamics.stop_below_loss").is_some();
            assert_eq!(has, member.arm.as_deref() == Some("stops"));
        }
        site.post("/api/export/svg", &view).well();
    }
}

#[test]
fn labels_are_cut_and_told_apart() {
    let long = "x".repeat(1000);
    let runs = json!([{"label": "a"}, {"label": "a (2)"}, {"label": "a"}, {"label": "a"}, {"label": long}]);
    let plan = exported(&Site::new(), &json!({"system": "linear-attention", "runs": runs}));
    assert_eq!(plan.arms[..4], ["a", "a (2)", "a (3)", "a (4)"]);
    assert_eq!(plan.arms[4].len(), 200);
}
