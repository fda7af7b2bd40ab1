//! Plans that are right: layers, members, labels, and the way back to a file.

use super::*;
use crate::experiment::starter_text;
use crate::experiment::tests::toy::{OTHER, TOY, TOYS};
use crate::plan::{MOST_MEMBERS, Size};

const FULL: &str = include_str!("full.toml");

#[test]
fn arms_times_values_times_seeds_in_this_order() {
    let plan = plan(FULL);
    assert_eq!(plan.members.len(), 2 * 2 * 3 * 2 * 2);
    assert_eq!((plan.headline, plan.seeds.as_slice()), (true, &[3, 4][..]));
    assert_eq!(plan.claims, ["toy/eq-5", "a \"b\""]);
    assert_eq!(
        labels(&plan)[..5],
        [
            "arm-flow_dimension-2_scale-0.01_noise-none_seed-3",
            "arm-flow_dimension-2_scale-0.01_noise-none_seed-4",
            "arm-flow_dimension-2_scale-0.01_noise-normal_seed-3",
            "arm-flow_dimension-2_scale-0.01_noise-normal_seed-4",
            "arm-flow_dimension-2_scale-0.1_noise-none_seed-3",
        ]
    );
    let last = plan.members.last().unwrap();
    assert_eq!(last.label, "arm-gd-eta-0.02_dimension-8_scale-1_noise-normal_seed-4");
    assert_eq!(last.arm.as_deref(), Some("GD, $\\eta = 0.02$"));
    assert_eq!(
        last.varied,
        [
            ("system.dimension".to_owned(), Value::Integer(8)),
            ("start.scale".to_owned(), Value::Number(1.0)),
            ("system.noise".to_owned(), Value::Text("normal".into())),
        ]
    );
    assert_eq!((last.seed, last.experiment.seed()), (4, 4));
    assert_eq!(last.experiment.setting("system.dimension"), Some(Value::Integer(8)));
    assert_eq!(last.experiment.setting("dynamics.kind"), Some(Value::Text("gd".into())));
    assert_eq!(last.experiment.setting("dynamics.0.rate"), Some(Value::Number(0.02)));
    assert_eq!(last.experiment.setting("dynamics.until"), None, "the flow's is left behind");
    assert_eq!(last.experiment.setting("record.times"), None, "those of listed ones are, too");
    assert_eq!(plan.members[0].experiment.setting("dynamics.until"), Some(Value::Number(50.0)));
    let figure = plan.figure.unwrap();
    assert_eq!((figure.whole.field::<usize>("columns"), figure.panels.len()), (2, 2));
    assert_eq!(figure.spec.whole.title.as_deref(), Some("Four jumps"));
}

#[test]
fn the_paper_size_lies_over_the_file() {
    let plan = changed(FULL, &paper());
    assert_eq!(plan.seeds, [3, 4, 5, 6]);
    let keys: Vec<_> = plan.vary.iter().map(|varied| varied.key.as_str()).collect();
    assert_eq!(keys, ["system.noise", "start.scale"], "what is set is no longer varied");
    assert_eq!(plan.members.len(), 2 * 2 * 4);
    let first = &plan.members[0].experiment;
    assert_eq!(first.setting("system.dimension"), Some(Value::Integer(16)));
    assert_eq!(first.setting("dynamics.rtol"), Some(Value::Number(1e-9)));
    assert_eq!(plan.figure.unwrap().whole.field::<usize>("columns"), 3);
    let arms =
        format!("{TOP}[[arm]]\nname = 'a'\n[[paper.arm]]\nname = 'b'\n[[paper.arm]]\nname = 'c'");
    assert_eq!(changed(&arms, &paper()).arms, ["b", "c"]);
    assert_eq!(changed(TOP, &paper()), changed(TOP, &Changes::default()));
    assert_eq!("paper".parse::<Size>().unwrap(), Size::Paper);
    let wrong = "huge".parse::<Size>().unwrap_err().to_string();
    assert_eq!(wrong, "there is no size `huge`; the sizes are quick and paper");
}

#[test]
fn the_command_line_has_the_last_word() {
    let text = format!(
        "seeds = 9\n{TOP}[start]\nscale = 1\n[vary]\nsystem.heads = [1, 2]\n[[arm]]\nname = 'a'\n\
         start.scale = 2\n[[arm]]\nname = 'b'\nstart.scale = 3\n[paper]\nstart.scale = 9\nseeds = 7"
    );
    let scales = |changes: &Changes| -> Vec<f64> {
        let plan = changed(&text, changes);
        let scale = |e: &crate::plan::Member| e.experiment.start.field::<f64>("scale");
        plan.members.iter().map(scale).collect()
    };
    let one = |set: &[&str]| with(set, &[], Some("1"));
    assert_eq!(scales(&one(&[])), [2.0, 2.0, 3.0, 3.0]);
    assert_eq!(scales(&Changes { size: Size::Paper, ..one(&[]) }), [2.0, 2.0, 3.0, 3.0]);
    assert_eq!(scales(&one(&["start.scale=4", "start.scale=5"])), [5.0; 4]);
    assert_eq!(scales(&one(&["system.heads=7"])), [2.0, 3.0], "a set one is not varied");
    let varied = |vary: &[&str]| labels(&changed(&text, &with(&[], vary, Some("5..6")))).join(" ");
    assert!(varied(&["system.heads=7"]).starts_with("arm-a_heads-7_seed-5 arm-a_heads-7_seed-6 "));
    let added = varied(&["system.dimension=3"]);
    assert!(added.starts_with("arm-a_heads-1_dimension-3_seed-5 "), "{added}");
    assert_eq!(changed(&text, &with(&["seed=4", "seeds=2"], &[], None)).seeds, [4, 5]);
    assert_eq!(changed(&text, &with(&["seed=4"], &[], Some("3"))).seeds, [4, 5, 6]);
    assert!(changed(&text, &with(&["headline=true"], &[], None)).headline);
    let wrong = format!("{TOP}heads = 0\n[[arm]]\nname = 'a'\nsystem.dimension = 3\n");
    assert_eq!(changed(&wrong, &with(&["system.heads=2"], &[], None)).members.len(), 1);
    let panels = format!("{TOP}[[figure.panel]]\n[[figure.panel]]\n");
    let set = ["figure.columns=4", "figure.panel.1.y=[\"a\"]"];
    let figure = changed(&panels, &with(&set, &[], None)).figure.unwrap();
    assert_eq!(figure.whole.field::<usize>("columns"), 4);
    assert_eq!(figure.panels[1].field::<Vec<String>>("y"), ["a"]);
}

#[test]
fn what_is_set_goes_to_the_arms_that_have_it() {
    let text = format!(
        "{TOP}[[arm]]\nname = 'flow'\n[[arm]]\nname = 'gd'\n[arm.dynamics]\nkind = 'gd'\nrate = 1\nsteps = 2"
    );
    let plan = changed(&text, &with(&["dynamics.rtol=1e-3", "dynamics.steps=9"], &[], None));
    let [flow, gd] = plan.members.as_slice() else { panic!("two arms") };
    assert_eq!(flow.experiment.setting("dynamics.rtol"), Some(Value::Number(1e-3)));
    assert_eq!(gd.experiment.setting("dynamics.rtol"), None);
    assert_eq!(gd.experiment.setting("dynamics.steps"), Some(Value::Integer(9)));
    let back = Plan::from_text("b", &plan.to_toml(), &Changes::default(), &TOYS).unwrap();
    assert_eq!(back, plan);
}

#[test]
fn a_choice_leaves_the_settings_of_the_old_one_behind() {
    let gd = format!("{TOP}[dynamics]\nkind = 'gd'\nrate = 0.1\nsteps = 5\nfreeze = ['a']\n");
    let plan = changed(&gd, &with(&["dynamics.kind=adam"], &[], None));
    let stage = &plan.members[0].experiment.dynamics[0];
    assert_eq!((stage.kind(), stage.field::<f64>("rate")), (Some("adam"), 0.1), "both have a rate");
    let plan = changed(&gd, &with(&["dynamics.kind=flow"], &[], None));
    let stage = &plan.members[0].experiment.dynamics[0];
    assert_eq!((stage.kind(), stage.field("freeze")), (Some("flow"), vec!["a".to_owned()]));
    let kinds = changed(&gd, &with(&[], &["dynamics.kind=gd,adam,flow"], None));
    assert_eq!(labels(&kinds), ["kind-gd_seed-0", "kind-adam_seed-0", "kind-flow_seed-0"]);
    let noise = format!("{TOP}noise = 'normal'\nnoise_size = 2\n");
    let plan = changed(&noise, &with(&["system.noise=none"], &[], None));
    assert_eq!(plan.members[0].experiment.setting("system.noise_size"), None);
    let stages =
        format!("{TOP}[[dynamics]]\nuntil = 5\n[[dynamics]]\nuntil = 6\n[[arm]]\nname = 'a'\n");
    let one = format!("{stages}dynamics.1 = {{ kind = 'gd', rate = 1, steps = 1 }}\n");
    let experiment = plan_of(&one);
    assert_eq!(experiment.setting("dynamics.0.until"), Some(Value::Number(5.0)));
    assert_eq!(experiment.setting("dynamics.1.kind"), Some(Value::Text("gd".into())));
    let all = format!("{stages}[[arm.dynamics]]\nmethod = 'bdf'\n");
    assert_eq!(plan_of(&all).dynamics.len(), 1, "a list of stages is replaced");
}

fn plan_of(text: &str) -> crate::experiment::Experiment {
    plan(text).members[0].experiment.clone()
}

#[test]
fn ranges_and_lists_become_values() {
    let values = |spec: &str| -> Vec<String> {
        let plan = changed(TOP, &with(&[], &[spec], None));
        plan.vary[0].values.iter().map(saddlescope_spec::settings::render_value).collect()
    };
    assert_eq!(values("system.heads=1,2,4"), ["1", "2", "4"]);
    assert_eq!(values("system.heads=[1, 2]"), ["1", "2"]);
    assert_eq!(values("system.heads=1..4"), ["1", "2", "3", "4"]);
    assert_eq!(values("system.heads=4..1:2"), ["4", "1"]);
    assert_eq!(values("system.heads=1..64:log7"), ["1", "2", "4", "8", "16", "32", "64"]);
    assert_eq!(values("system.heads=1..4:log9"), ["1", "2", "3", "4"], "rounded, each once");
    assert_eq!(values("start.scale=0.01..1:log3"), ["0.01", "0.1", "1.0"]);
    assert_eq!(values("start.scale=0.1..0.5:5"), ["0.1", "0.2", "0.3", "0.4", "0.5"]);
    assert_eq!(values("start.scale=1e-3..1e-1:log3"), ["0.001", "0.01", "0.1"]);
    assert_eq!(values("start.scale = 3 .. 1 : 3 "), ["3.0", "2.0", "1.0"]);
    assert_eq!(values("dynamics.until=converged, 5"), ["\"converged\"", "5.0"]);
    assert_eq!(values("system.eigenvectors=identity,[[1,0],[0,1]]").len(), 2);
    assert_eq!(values("record.observables=[\"a\",\"b\"],[]"), ["[\"a\", \"b\"]", "[]"]);
    assert_eq!(values("system.eigenvectors=[[[1,0],[0,1]],[[0,1],[1,0]]]").len(), 2);
    assert_eq!(values("dynamics.rates.\"head.*\"=0..1:2"), ["0.0", "1.0"]);
    let text = format!("{TOP}[vary]\nsystem.heads = \"1..3\"\n");
    assert_eq!(plan(&text).members.len(), 3);
}

#[test]
fn labels_are_different_and_fit_file_systems() {
    let text = format!(
        "{TOP}[vary]\nsystem.eigenvectors = ['identity', [[1, 0], [0, 1]], [[0, 1], [1, 0]]]\n\
         dynamics.until = [1, 1.5, 'converged', 1e-300]\nstart.scale = [1e-9, 1]\n\
         [[arm]]\nname = 'A b'\n[[arm]]\nname = 'a_B'\n[[arm]]\nname = 'größer/..\\0'\n\
         [[arm]]\nname = '../x'\n[[arm]]\nname = '...'\n[[arm]]\nname = 'a-b-2'\n"
    )
    .replace("\\0", "");
    let plan = plan(&text);
    let all: HashSet<_> = labels(&plan).into_iter().map(str::to_lowercase).collect();
    assert_eq!(all.len(), plan.members.len());
    let safe = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_.".contains(c);
    for label in labels(&plan) {
        assert!(label.chars().all(safe) && label.len() < 200, "{label}");
        assert!(label.starts_with("arm-") && !label.contains("..") && !label.ends_with('.'));
    }
    let long = format!("{TOP}[[arm]]\nname = '{}'\n", "long ".repeat(100));
    assert!(labels(&super::plan(&long))[0].len() < 60);
    let same =
        format!("{TOP}[vary]\nstart.scale = [1]\nrecord.points = [2]\ndynamics.rates.scale = [1]");
    assert_eq!(
        labels(&super::plan(&same)),
        ["start.scale-1_points-2_dynamics.rates.scale-1_seed-0"]
    );
}

#[test]
fn plans_read_back_equal() {
    let kinds = with(&["dynamics.rate=0.3"], &["dynamics.kind=gd,adam"], Some("2"));
    let steps = format!("{TOP}[dynamics]\nsteps = 4\nrate = 1\n");
    let missing = with(&["dynamics.kind=gd", "dynamics.steps=3"], &["dynamics.rate=1,2"], None);
    // Each arm has one of what is varied; of a list, one entry.
    let arms = format!(
        "{TOP}[vary]\nstart.scale = [1, 2]\nstart.value.1 = [3, 4, 5]\n[[fit]]\nx = 'start.value.1'\n\
         y = ['crossing.1']\nonly = ['arm = b']\n[[arm]]\nname = 'a'\n[[arm]]\nname = 'b'\n\
         start = {{ kind = 'given', value = [7.5, 8] }}\n"
    );
    assert_eq!(
        labels(&plan(&arms)),
        [
            "arm-a_scale-1_seed-0",
            "arm-a_scale-2_seed-0",
            "arm-b_value.1-3_seed-0",
            "arm-b_value.1-4_seed-0",
            "arm-b_value.1-5_seed-0"
        ]
    );
    assert_eq!(plan(&arms).members[4].experiment.start.field::<Vec<f64>>("value"), [7.5, 5.0]);
    let set = with(&["dynamics.kind=flow", "system.heads=5"], &["start.scale=1,2"], Some("4..6"));
    for (text, changes) in [
        (FULL, Changes::default()),
        (FULL, paper()),
        (FULL, set),
        (&arms, Changes::default()),
        (TOP, missing),
        (&steps, kinds),
        (TOP, Changes::default()),
        (
            "system.name = 'recall'\n[[dynamics]]\n[[dynamics]]\n",
            with(&[], &["dynamics.1.until=1,2"], None),
        ),
    ] {
        let plan = changed(text, &changes);
        let written = plan.to_toml();
        let back = super::plan(&written);
        assert_eq!(back, plan, "{written}");
        assert_eq!(back.to_toml(), written);
        for member in &plan.members {
            let alone = super::plan(&member.experiment.to_toml());
            assert_eq!(alone.members[0].experiment, member.experiment);
        }
    }
    assert_ne!(plan(FULL), changed(FULL, &paper()));
}

#[test]
fn there_may_be_many_members() {
    let changes = with(&[], &["start.scale=0.01..1:log100"], Some("1000"));
    let plan = changed(TOP, &changes);
    assert_eq!(plan.members.len(), MOST_MEMBERS);
}

#[test]
fn what_the_starter_leaves_off_makes_a_plan() {
    for schema in [&TOY, &OTHER] {
        let text = starter_text(schema);
        let (runs, several) = text.split_once("#[vary]").unwrap();
        let on: Vec<_> = several
            .lines()
            .map(|line| if line.starts_with("# ") { line } else { line.trim_start_matches('#') })
            .collect();
        let plan = changed(&format!("{runs}[vary]{}", on.join("\n")), &paper());
        assert_eq!((plan.arms.len(), plan.seeds.len()), (2, 6));
        assert!(plan.figure.is_some() && !plan.vary.is_empty() && plan.fits.len() == 1);
    }
}
