//! A run from its folder.

use saddlescope::array::{Array, Values};
use saddlescope::dynamics::Checkpoint;
use saddlescope::json::exact;
use saddlescope::record::{Part, join};
use serde::de::DeserializeOwned;

use super::*;
use crate::facts::{Drift, PhaseFacts, Theory};

#[derive(Debug, Clone, PartialEq)]
pub struct StoredRun {
    pub manifest: Manifest,
    /// What the run came to, as the run itself gave it back. Of a run that is not over
    /// ([`State::Running`]): the rows of its whole segments, the phases that have ended, and the
    /// parameters after the last whole segment; no crossings, no invariants.
    pub result: RunResult,
}

/// Reads the run in the folder at `path`, every file checked against its digest. The run may be under
/// way meanwhile.
pub fn read(path: &Path, registry: &Registry) -> Result<StoredRun> {
    loop {
        let manifest = folder::manifest(path, registry)?;
        let read = RunFiles { path, manifest: &manifest }.result();
        // A segment that ended meanwhile has replaced the checkpoint of the one before.
        let stale = || folder::manifest(path, registry).is_ok_and(|now| now != manifest);
        if read.is_ok() || !stale() {
            let mut result = read?;
            result.facts.seconds = manifest.seconds;
            result.origin = Some(Origin::Found);
            return Ok(StoredRun { manifest, result });
        }
    }
}

/// The files of a run that count.
#[derive(Clone, Copy)]
pub(super) struct RunFiles<'a> {
    pub(super) path: &'a Path,
    pub(super) manifest: &'a Manifest,
}

/// What the names of the two parts of a checkpoint's file begin with.
pub(super) const DYNAMICS: &str = "dynamics.";
pub(super) const RECORDING: &str = "recording.";

pub(super) struct SavedCheckpoint {
    pub(super) checkpoint: Checkpoint,
    pub(super) recording: Vec<Array>,
    /// What became of the run so far; format 1 does not tell.
    pub(super) facts: Option<RunFacts>,
}

impl RunFiles<'_> {
    fn result(self) -> Result<RunResult> {
        let RunRecord { state, format, files, .. } = &self.manifest.record;
        if *state == State::Running {
            return self.partial();
        }
        let (rows, _) = self.decoded(ALL_ROWS, parquet::decode)?;
        let trajectory = rows.with_snapshots(self.snapshots()?);
        let state = match files.contains_key(END) {
            true => Some(self.snapshot(END)?.1.state.to_vec()),
            false => None,
        };
        if *format == 1 {
            let (blocks, start) = self.snapshot(START)?;
            let read = self.decoded(STAGES, |bytes| {
                read_format_1(&bytes, (trajectory, state), blocks, self.manifest)
            });
            return Ok(RunResult { start: start.state.to_vec(), ..read? });
        }
        let facts = self.decoded(STAGES, |bytes| decode(&bytes))?;
        self.told((trajectory, state), facts)
    }

    fn partial(self) -> Result<RunResult> {
        let trajectory = self.rows_so_far()?;
        let (state, facts) = match self.manifest.segments {
            0 => (Vec::new(), None),
            _ => {
                let SavedCheckpoint { checkpoint, facts, .. } = self.checkpoint()?;
                (checkpoint.state, facts)
            }
        };
        if let Some(facts) = facts {
            return self.told((trajectory, Some(state)), facts);
        }
        let problem = ProblemFacts::bare(Blocks::new(), &trajectory, Vec::new());
        let ending = (trajectory, Some(state));
        let finished = finished(ending, RunEnd::default(), self.manifest);
        Ok(match self.manifest.format {
            1 => asked(finished, problem, self.manifest),
            _ => untold(finished, problem, self.manifest),
        })
    }

    /// A run that tells all about itself.
    fn told(
        self,
        (trajectory, state): (Trajectory, Option<Vec<f64>>),
        facts: RunFacts,
    ) -> Result<RunResult> {
        let problem: ProblemFacts = self.decoded(PROBLEM, |bytes| decode(&bytes))?;
        let problem = Arc::new(problem.declared(&self.manifest.experiment));
        let start = self.snapshot(START)?.1.state.to_vec();
        Ok(RunResult { trajectory, start, state, facts, problem, origin: None, graph: None })
    }

    /// The rows and snapshots of all whole segments, as the recording has them in memory.
    pub(super) fn rows_so_far(self) -> Result<Trajectory> {
        let part = |segment| {
            self.decoded(&rows_of_segment(segment), |bytes| {
                let (rows, notes) = parquet::decode(bytes)?;
                Ok(Part { rows, thinnings: noted(&notes, "thinnings")? })
            })
        };
        let parts = (1..=self.manifest.segments).map(part).collect::<Result<Vec<_>>>()?;
        Ok(join(&parts).with_snapshots(self.snapshots()?))
    }

    /// The snapshots between start and end.
    fn snapshots(self) -> Result<Vec<Snapshot>> {
        let between =
            |name: &&String| name.starts_with("snapshots/") && *name != START && *name != END;
        let names = self.manifest.files.keys().filter(between);
        names.map(|name| Ok(self.snapshot(name)?.1)).collect()
    }

    /// All parameters at one instant, and the blocks that they lie in.
    fn snapshot(self, name: &str) -> Result<(Blocks, Snapshot)> {
        self.decoded(name, |bytes| {
            let (arrays, notes) = tensors::decode(&bytes).map_err(broken)?;
            let (mut blocks, mut state) = (Blocks::new(), Vec::new());
            for array in arrays {
                blocks = blocks.with(array.name.as_str(), &array.shape, 1.0);
                match array.values {
                    Values::F64(values) => state.extend(values),
                    _ => return Err(Error::folder(format!("`{}` is not F64", array.name))),
                }
            }
            let (time, step) = (noted(&notes, "time")?, noted(&notes, "step")?);
            Ok((blocks, Snapshot { time, step, state: state.into() }))
        })
    }

    /// The checkpoint after the last whole segment.
    pub(super) fn checkpoint(self) -> Result<SavedCheckpoint> {
        self.decoded(&checkpoint_after(self.manifest.segments), |bytes| {
            let (arrays, notes) = tensors::decode(&bytes).map_err(broken)?;
            let (mut dynamics, mut recording) = (Vec::new(), Vec::new());
            for mut array in arrays {
                let (list, prefix) = match array.name.starts_with(DYNAMICS) {
                    true => (&mut dynamics, DYNAMICS),
                    false => (&mut recording, RECORDING),
                };
                array.name.drain(..prefix.len().min(array.name.len()));
                list.push(array);
            }
            let facts = notes.get("facts").map(|text| decode(text.as_bytes()));
            let checkpoint = Checkpoint::load(dynamics).map_err(broken)?;
            Ok(SavedCheckpoint { checkpoint, recording, facts: facts.transpose()? })
        })
    }

    /// A file, read by `decode`.
    fn decoded<T>(self, name: &str, decode: impl FnOnce(Vec<u8>) -> Result<T>) -> Result<T> {
        let bytes = folder::read(self.path, self.manifest, name)?;
        decode(bytes).map_err(|error| corrupt(&self.path.join(name), error))
    }
}

fn noted<T: std::str::FromStr>(notes: &Notes, name: &str) -> Result<T> {
    let value = notes.get(name).and_then(|text| text.parse().ok());
    value.ok_or_else(|| Error::folder(format!("its metadata lacks `{name}`")))
}

fn broken(error: impl std::fmt::Display) -> Error {
    Error::folder(error.to_string())
}

// `stages.json` and `problem.json`: a run and its problem in facts, in numbers that come back bit by bit.

/// The text of `problem.json`. It may be long, so it is one line.
pub(super) fn encode_problem(problem: &ProblemFacts) -> Result<Vec<u8>> {
    Ok(format!("{}\n", value(problem)?).into())
}

/// The text of `stages.json`. How long the run took is in `run.toml`: here, equal runs have equal bytes.
pub(super) fn encode(facts: &RunFacts) -> Result<Vec<u8>> {
    let mut value = value(facts)?;
    if let Some(object) = value.as_object_mut() {
        object.shift_remove("seconds");
    }
    Ok(format!("{value:#}\n").into())
}

fn value(facts: &impl Serialize) -> Result<serde_json::Value> {
    exact(facts).map_err(|error| Error::folder(error.to_string()))
}

pub(super) fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T> {
    serde_json::from_slice(bytes)
        .map_err(|error| Error::folder(format!("it is no JSON of a run: {error}")))
}

/// `stages.json` as format 1 had it: no labels, no outcomes, no predictions, and other words.
#[derive(Deserialize)]
struct Format1 {
    error: Option<String>,
    theory: Theory,
    #[serde(rename = "stages")]
    phases: Vec<PhaseFacts>,
    found: StagesFormat1,
    crossings: Vec<LevelCrossing>,
    invariants: Vec<Drift>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum StagesFormat1 {
    None { none: String },
    Stages(Stages),
}

/// What a run of format 1 came to, by the bytes of its `stages.json`.
pub(super) fn read_format_1(
    bytes: &[u8],
    (trajectory, state): (Trajectory, Option<Vec<f64>>),
    blocks: Blocks,
    manifest: &Manifest,
) -> Result<RunResult> {
    let Format1 { error, theory, mut phases, found, crossings, invariants } = decode(bytes)?;
    for (phase, settings) in phases.iter_mut().zip(&manifest.experiment.dynamics) {
        phase.kind = settings.kind().unwrap_or("flow").to_owned();
    }
    let end = RunEnd { error, phases, crossings, invariants, note: None };
    let problem = ProblemFacts::bare(blocks, &trajectory, theory.plateaus);
    let mut result = asked(finished((trajectory, state), end, manifest), problem, manifest);
    if result.facts.stages.is_none() {
        result.facts.set_stages(match found {
            StagesFormat1::Stages(stages) => Ok(stages),
            StagesFormat1::None { none } => Err(none),
        });
    }
    Ok(result)
}

/// A run of format 1, which did not store what its system says: that is asked again. Where the system cannot be
/// built, because its data is gone, labels and figure come from its declaration.
pub(super) fn asked(finished: RunEnding, bare: ProblemFacts, manifest: &Manifest) -> RunResult {
    let Ok(run) = Run::new(&manifest.experiment) else {
        return untold(finished, bare, manifest);
    };
    let mut result = RunResult::new(&run, finished);
    result.facts.version.clone_from(&manifest.version);
    result.facts.hash = manifest.hash;
    result
}

/// A run of which nothing is known but what it tells itself.
pub(super) fn untold(finished: RunEnding, bare: ProblemFacts, manifest: &Manifest) -> RunResult {
    let levels = Prediction {
        name: "levels".to_owned(),
        label: "theory".to_owned(),
        of: "loss".to_owned(),
        says: Says::Levels(bare.levels.clone()),
    };
    let facts = RunFacts {
        version: manifest.version.clone(),
        parameters: bare.blocks.len(),
        theory: Theory { plateaus: bare.levels.clone() },
        predictions: if bare.levels.is_empty() { Vec::new() } else { vec![levels] },
        ..RunFacts::bare(&manifest.experiment, &finished, manifest.hash)
    };
    let RunEnding { trajectory, state, .. } = finished;
    let (start, problem) = (Vec::new(), Arc::new(bare.declared(&manifest.experiment)));
    RunResult { trajectory, start, state, facts, problem, origin: None, graph: None }
}

/// Rows and parameters from a folder, with how the run ended.
pub(super) fn finished(
    (trajectory, state): (Trajectory, Option<Vec<f64>>),
    end: RunEnd,
    manifest: &Manifest,
) -> RunEnding {
    RunEnding { trajectory, state, end, seconds: manifest.seconds, simd: manifest.simd }
}
