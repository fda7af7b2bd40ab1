//! `sweep` and `merge`: designs, shards, going on, and what is wrong with them.

use std::process::Command;

use crate::program::{BINARY, Folder, Ran, assert_has};

const SWEEP: &str = r#"
name = "quick"
seeds = 2
[system]
name = "linear-attention"
eigenvalues = [0.7, 0.3]
heads = 2
[dynamics]
kind = "flow"
until = 200.0
[record]
points = 40
[vary]
start.scale = "0.05..0.2:log3"
system.heads = [1, 2]
"#;

const PLACE: &str = "sweeps/linear-attention/quick";

fn folder() -> Folder {
    Folder::with("sweep.toml", SWEEP)
}

#[test]
fn a_sweep_is_one_table_and_is_not_run_twice() {
    let folder = folder();
    let words =
        ["12 members (grid)", "start.scale (3 values)", "2 seeds", "12 rows", "table.parquet"];
    folder.run("sweep sweep.toml").shows(&words);
    let table = || std::fs::read(folder.path(&format!("{PLACE}/table.parquet"))).unwrap();
    let before = table();
    assert!(folder.path(&format!("{PLACE}/figure.svg")).exists());
    folder.run("sweep sweep.toml").shows(&["all members had run before"]);
    assert_eq!(table(), before);
    let out = folder.run("sweep sweep.toml --json").json();
    assert_eq!((out["rows"].as_u64(), out["failed"].as_u64()), (Some(12), Some(0)));
    // The file of the sweep is one itself.
    folder.run(format!("sweep {PLACE}/sweep.toml --dry-run")).shows(&["12 members"]);
}

#[test]
fn shards_make_the_same_table() {
    let folder = folder();
    folder.run("sweep sweep.toml --out whole").done();
    let words = ["shard 2 of 3: 4 members ran", "saddlescope merge"];
    folder.run("sweep sweep.toml --shard 2/3").shows(&words);
    let words = ["8 of 12 members are missing: 0 to 3, 8 to 11", "--partial"];
    folder.run(format!("merge {PLACE}")).fails(2, &words);
    folder.run(format!("merge {PLACE} --partial")).shows(&["partial.parquet: 4 rows"]);
    folder.run("sweep sweep.toml --shard 1/3").done();
    // The third has a folder of its own, as on a machine that shares none.
    folder.run("sweep sweep.toml --shard 3/3 --out elsewhere").done();
    let other = "elsewhere/linear-attention/quick";
    folder.run(format!("merge {PLACE} {other}")).shows(&["12 rows"]);
    let columns = |place: &str| {
        let path = folder.path(&format!("{place}/table.parquet"));
        let table = saddlescope_lab::sweep::SweepTable::open(&path).unwrap();
        let names = table.names();
        let names: Vec<&str> =
            names.iter().map(String::as_str).filter(|name| *name != "seconds").collect();
        table.read(&names).unwrap()
    };
    assert_eq!(columns(PLACE), columns("whole/linear-attention/quick"));
}

#[test]
fn what_is_wrong_with_a_sweep_is_said() {
    let folder = folder();
    let run = |more: &str| folder.run(format!("sweep sweep.toml {more}"));
    run("--shard 0/3").fails(2, &["`0/3` is no shard", "2/8"]);
    run("--shard 4/3").fails(2, &["`4/3` is no shard"]);
    run("--set sweep.members=5").fails(2, &["members"]);
    run("--set sweep.design=random").fails(2, &["members"]);
    run("--vary start.scale=0.1..1").fails(2, &["how many values"]);
    run("--set sweep.observables=[\"nothing\"]").fails(2, &["`nothing`", "record.observables"]);
    run("--set sweep.keep=[99]").fails(2, &["member 99", "there are 12"]);
    run("--set claims=[\"linear-attention/nonsense\"]").fails(2, &["nonsense"]);
    folder.run("merge nowhere").fails(2, &["holds no sweep"]);
    run("").done();
    run("--seeds 3").fails(2, &["another sweep", "seeds = 3", "--force"]);
    run("--seeds 3 --force").done();
    let one = "name = \"quick\"\n[system]\nname = \"linear-attention\"\n";
    std::fs::write(folder.path("one.toml"), one).unwrap();
    folder.run("sweep one.toml").fails(2, &["nothing is varied"]);
    // Members that are drawn are no plan for `run`.
    let drawn = "run sweep.toml --set sweep.design=random --set sweep.members=3";
    folder.run(drawn).fails(2, &["saddlescope sweep"]);
}

#[test]
fn members_that_fail_are_told_by_reason() {
    let text = SWEEP
        .replace("kind = \"flow\"\nuntil = 200.0", "kind = \"gd\"\nsteps = 50")
        .replace("system.heads = [1, 2]", "dynamics.rate = [0.01, 1000.0]");
    let folder = Folder::with("sweep.toml", text);
    let ran = folder.run("sweep sweep.toml");
    assert_eq!(ran.code, 1, "{ran:?}");
    let words =
        ["6 members failed", "6 of them (2, 3, 6, 7, 10, ...)", "such as: training blew up"];
    assert_has(&ran.out, &words);
    let json: serde_json::Value = folder.run("sweep sweep.toml --json").out.parse().unwrap();
    assert_eq!(json["failures"].as_array().unwrap().len(), 6);
}

#[test]
fn a_full_disk_loses_nothing() {
    let folder = folder();
    let big = "sweep sweep.toml --set 'record.observables=[\"loss\", \"head.*.key\"]' \
               --set 'sweep.observables=[\"head.*.key\"]'";
    // No file may be larger than two kilobytes: parts do not fit.
    let words = ["cannot write", "make room, and the same command goes on"];
    squeezed(&folder, 4, big).fails(1, &words);
    let parts = std::fs::read_dir(folder.path(&format!("{PLACE}/parts"))).unwrap();
    assert_eq!(parts.count(), 0, "nothing half written is left");
    folder.run(big).done();
}

#[test]
fn without_python_ray_is_refused_in_words() {
    let folder = folder();
    let mut command = folder.command("sweep sweep.toml --on ray");
    let ran = Ran::of(command.env("SADDLESCOPE_PYTHON", "no-such-python"));
    ran.fails(2, &["no-such-python", "saddlescope[ray]"]);
}

/// Runs the program where no file may be larger than so many blocks of half a kilobyte. The signal that goes with it is
/// ignored.
fn squeezed(folder: &Folder, blocks: usize, args: &str) -> Ran {
    let line = format!("trap '' XFSZ; ulimit -f {blocks}; exec '{BINARY}' {args}");
    let mut shell = Command::new("sh");
    Ran::of(shell.args(["-c", &line]).current_dir(folder.path(".")))
}

#[test]
fn a_disk_that_is_full_when_parts_are_merged_loses_nothing() {
    let folder = folder();
    folder.run("sweep sweep.toml --shard 1/1").done();
    let parts = || std::fs::read_dir(folder.path(&format!("{PLACE}/parts"))).unwrap().count();
    let before = parts();
    // Whatever part of the table does not fit: its pages, or only what stands at its end.
    for blocks in [1, 4, 8, 10, 12] {
        let ran = squeezed(&folder, blocks, &format!("merge {PLACE}"));
        // The table fits, its figure does not.
        if ran.code == 0 || ran.err.contains("figure") {
            break;
        }
        ran.fails(1, &["cannot write", "make room"]);
        assert_eq!(parts(), before);
    }
    // Once more, and with nothing missing, it is still whole.
    for more in ["", "", "--partial", PLACE] {
        folder.run(format!("merge {PLACE} {more}")).shows(&["12 rows"]);
    }
}

#[test]
fn runs_that_cannot_be_kept_are_no_failed_members() {
    let folder = folder();
    let keep = "sweep sweep.toml --set sweep.keep=all --set record.points=4000";
    squeezed(&folder, 6, keep).fails(1, &["cannot be kept", "goes on"]);
    let out = folder.run(keep).shows(&["12 rows"]);
    assert!(!out.contains("failed"), "{out}");
}

#[test]
fn force_replaces_sweeps_and_nothing_else() {
    let folder = folder();
    let theirs = folder.path(&format!("{PLACE}/runs/theirs"));
    std::fs::create_dir_all(&theirs).unwrap();
    folder.run("sweep sweep.toml --force").done();
    folder.run("sweep sweep.toml --force --seeds 1").done();
    assert!(theirs.exists());
}

#[test]
fn the_paper_changes_single_settings_of_a_sweep() {
    let text =
        format!("{SWEEP}\n[sweep]\nobservables = [\"loss\"]\n[paper.sweep]\ntheory = false\n");
    let folder = Folder::with("sweep.toml", text);
    folder.run("sweep sweep.toml --size paper").done();
    let own = folder.read(&format!("{PLACE}-paper/sweep.toml"));
    assert!(own.contains("observables = [\"loss\"]") && own.contains("theory = false"), "{own}");
}
