//! A run at a glance: enough to list it among thousands, with neither its settings checked nor its rows read.

use std::fs::{File, TryLockError};
use std::io::Read;
use std::path::Path;

use toml::Table;

use super::State;
use super::error::corrupt;
use crate::error::{Error, Result};
use crate::experiment::LARGEST_FILE;

/// What `run.toml` says of a run in a few words.
#[derive(Debug, Clone, PartialEq)]
pub struct Glance {
    pub name: String,
    pub system: String,
    pub seed: u64,
    pub state: State,
    pub segments: u64,
    pub seconds: f64,
    pub hash: String,
    /// The files that count, by their path in the folder.
    pub files: Vec<String>,
}

/// Looks at the `run.toml` in the folder at `path`.
pub fn glance(path: &Path) -> Result<Glance> {
    let file = path.join("run.toml");
    let mut text = String::new();
    let mut source = File::open(&file).map_err(Error::io("read", &file))?.take(LARGEST_FILE);
    source.read_to_string(&mut text).map_err(Error::io("read", &file))?;
    let damaged = |why: &str| corrupt(&file, why);
    let table: Table = text.parse().map_err(|error: toml::de::Error| damaged(error.message()))?;
    read(&table).ok_or_else(|| damaged("it lacks what every run.toml has"))
}

fn read(table: &Table) -> Option<Glance> {
    let run = table.get("run")?.as_table()?;
    let text = |name: &str| run.get(name)?.as_str().map(str::to_owned);
    let count = |value: &toml::Value| u64::try_from(value.as_integer()?).ok();
    let name = table.get("name").and_then(|name| name.as_str()).unwrap_or_default();
    Some(Glance {
        name: name.to_owned(),
        system: table.get("system")?.get("name")?.as_str()?.to_owned(),
        seed: table.get("seed").and_then(count).unwrap_or(0),
        state: match text("state")?.as_str() {
            "running" => State::Running,
            "finished" => State::Finished,
            "failed" => State::Failed { error: text("error")? },
            _ => return None,
        },
        segments: run.get("legs").and_then(count)?,
        seconds: run.get("seconds")?.as_float()?,
        hash: text("hash")?,
        files: run.get("files")?.as_table()?.keys().cloned().collect(),
    })
}

/// Whether a process is at work on the run in the folder at `path`. It is not disturbed.
pub fn is_busy(path: &Path) -> bool {
    let lock = File::open(path.join(".lock"));
    lock.is_ok_and(|lock| matches!(lock.try_lock_shared(), Err(TryLockError::WouldBlock)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::tests::ALL;
    use crate::store::{Manifest, read as read_run};
    use crate::{campaign::Campaign, plan::Changes, plan::Plan};

    #[test]
    fn a_glance_says_what_the_whole_manifest_says() {
        let folder = tempfile::tempdir().unwrap();
        let text = "name = \"short\"\nseed = 3\n[system]\nname = \"linear-attention\"\n[dynamics]\nuntil = 2.0\n";
        let plan = Plan::from_text("short", text, &Changes::default(), &ALL).unwrap();
        let place = folder.path();
        let campaign = Campaign {
            registry: &ALL,
            folder: Some(place),
            force: false,
            stop: Default::default(),
            progress: &|_| {},
        };
        assert!(campaign.run(&plan).failures().is_empty());
        let seen = glance(place).unwrap();
        let Manifest { state, segments, hash, files, seconds, .. } =
            read_run(place, &ALL).unwrap().manifest;
        assert_eq!((seen.name.as_str(), seen.system.as_str()), ("short", "linear-attention"));
        assert_eq!(
            (seen.seed, seen.state, seen.segments, seen.seconds),
            (3, state, segments, seconds)
        );
        assert_eq!(seen.hash, hash.to_string());
        assert!(seen.files.iter().eq(files.keys()) && !is_busy(place));

        let own = File::options().write(true).open(place.join(".lock")).unwrap();
        own.lock().unwrap();
        assert!(is_busy(place));
        std::fs::write(place.join("run.toml"), "[run]\nstate = \"finished\"\n").unwrap();
        assert!(glance(place).unwrap_err().to_string().contains("damaged"));
    }
}
