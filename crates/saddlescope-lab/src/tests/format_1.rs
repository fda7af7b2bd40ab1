//! Folders that the program wrote before runs told all about themselves: they are read, drawn and compared.

use crate::compare;
use crate::prelude::*;
use crate::store::State;
use crate::sweep::{Folder, SweepTable};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/format-1").join(name)
}

/// A copy that may be written to.
fn copied(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let (path, target) = (entry.as_ref().unwrap().path(), to.join(entry.unwrap().file_name()));
        match path.is_dir() {
            true => copied(&path, &target),
            false => std::fs::copy(&path, &target).map(|_| ()).unwrap(),
        }
    }
}

#[test]
fn a_finished_run_is_read_and_drawn_with_what_its_system_says() {
    let folder = fixture("run");
    let stored = store::read(&folder, &ALL).unwrap();
    assert_eq!((stored.manifest.format, &stored.manifest.state), (1, &State::Finished));
    let facts = &stored.result.facts;
    let [phase] = facts.end.phases.as_slice() else { panic!("{:?}", facts.end.phases) };
    assert_eq!((phase.kind.as_str(), phase.ended, phase.step), ("flow", Ending::Converged, 158));
    assert!(phase.flow_time && phase.work.unwrap().rejected == 43);
    let crossings: Vec<_> = facts.end.crossings.iter().map(|crossing| crossing.time).collect();
    assert_eq!(crossings, [Some(122.98306644345104), Some(447.1178110129724)]);
    assert_eq!((facts.end.invariants.len(), facts.theory.plateaus.len()), (4, 3));
    let stages = facts.stages().unwrap();
    assert_eq!(stages.plateaus[0].height, 0.9999770925522253);
    assert_eq!(stored.result.problem.labels["learned.0"], "$e_{1}$ learned");
    assert_eq!(stored.result.trajectory.rows(), 17);

    let plan = keep::plan(&folder, &ALL).unwrap();
    let results = keep::read(&folder, &plan, &ALL);
    assert!(results.failures().is_empty());
    let figure = results.figure().unwrap();
    assert_eq!(figure.panels.len(), 2);
    assert!(figure.draw().svg().contains("learned"));
    let same = compare::compare(&folder, &folder, 0, &ALL).unwrap();
    assert_eq!(same.apart.map(|[distance, _]| distance), Some(0.0));
    assert_eq!(same.distances.unwrap().len(), 5);
}

#[test]
fn a_run_whose_text_is_gone_is_drawn_with_what_its_system_declares() {
    let folder = fixture("text");
    let plan = keep::plan(&folder, &ALL).unwrap();
    let results = keep::read(&folder, &plan, &ALL);
    assert!(results.failures().is_empty(), "{:?}", results.failures());
    let (_, _, run) = results.carried().next().unwrap();
    assert!(run.problem.labels.contains_key("loss") && run.facts.outcomes == Vec::<Outcome>::new());
    assert_eq!(run.facts.parameters, run.state.as_ref().unwrap().len());
    assert_eq!(run.start.len(), run.facts.parameters);
    assert!(run.facts.stages().is_err());
    let drawn = results.figure().unwrap().draw().svg();
    assert!(drawn.contains("loss"));
}

#[test]
fn an_unfinished_run_is_read_as_far_as_it_is_and_not_gone_on_with() {
    let place = tempfile::tempdir().unwrap();
    copied(&fixture("unfinished"), place.path());
    let stored = store::read(place.path(), &ALL).unwrap();
    assert!(stored.manifest.state == State::Running && stored.result.trajectory.rows() > 1);
    assert!(stored.result.facts.end.phases.is_empty());
    let run = Run::new(&stored.manifest.experiment).unwrap();
    let go_on = |force| {
        let stop = Arc::new(true.into());
        store::execute(&run, place.path(), force, &stop, &ALL, |_, _| Control::Stop)
    };
    let refused = go_on(false).unwrap_err().to_string();
    assert!(refused.contains("was begun by Saddlescope 0.1.0"), "{refused}");
    assert!(refused.contains("--force runs it again"), "{refused}");
    go_on(true).unwrap();
}

#[test]
fn the_table_of_a_sweep_is_read_and_drawn() {
    let place = tempfile::tempdir().unwrap();
    copied(&fixture("sweep"), place.path());
    let sweep = Folder::sweep(place.path(), &ALL).unwrap();
    let folder = Folder::of(place.path(), &sweep);
    let table = SweepTable::open(&folder.table()).unwrap();
    let loss = table.read(&["member", "end.loss"]).unwrap();
    assert_eq!(loss.rows(), 4);
    let drawn = folder.draw(&sweep, &table).unwrap();
    assert_eq!((drawn.files.len(), drawn.undrawn), (3, None));
}
