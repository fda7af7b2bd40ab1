//! Our speed beside the peers' in one run: both sides take turns, the best of all rounds counts, ratios are
//! at equal achieved error, and everything that was measured is kept in `benches/runs/`.

mod report;
mod side;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use serde_json::{Value, json};
use side::Side;

use crate::shell::{cargo, cargo_program, environment, printed, today};

pub(crate) const USAGE: &str = "\
cargo xtask bench [ROW…]  our speed beside the peers' (Python 3 with the packages of
                          benches/peers/requirements.txt, in an environment of its own: target/peers);
                          --quick: fewer rounds and tolerances, nothing is kept; --list: the rows;
                          beside the rows, `stages` scores stage detection beside ruptures, and `growth`
                          and `recall-growth` show how our cost grows, as figures";

/// What is compared, as `benches/peers/rows.toml` has it, which explains it.
#[derive(Deserialize)]
pub(crate) struct Row {
    pub(crate) name: String,
    /// What both sides do.
    pub(crate) what: String,
    /// Our side must be at least so many times as fast as the peers that are judged.
    pub(crate) bar: f64,
    /// Largest relative error that counts as the same result; one line of the table for each.
    pub(crate) errors: Vec<f64>,
    pub(crate) peers: Vec<Peer>,
}

/// A peer: a script in `benches/peers` with its mode. In the file it is a list of these four.
#[derive(Deserialize)]
pub(crate) struct Peer {
    pub(crate) name: String,
    pub(crate) script: String,
    pub(crate) mode: String,
    /// Whether the bar is measured against this one.
    pub(crate) judged: bool,
}

/// All rows, in the order of the table.
fn rows() -> Result<Vec<Row>> {
    #[derive(Deserialize)]
    struct File {
        row: Vec<Row>,
    }
    let file: File = toml::from_str(include_str!("../../benches/peers/rows.toml"))
        .context("benches/peers/rows.toml")?;
    Ok(file.row)
}

/// `cargo xtask bench` with its `words`.
pub(crate) fn bench(words: &[String]) -> Result<()> {
    let (flags, names): (Vec<&String>, Vec<&String>) =
        words.iter().partition(|w| w.starts_with('-'));
    let has = |flag: &str| flags.iter().any(|word| *word == flag);
    if let Some(flag) = flags.iter().find(|flag| !["--quick", "--list"].contains(&flag.as_str())) {
        bail!("unknown option {flag}; expected --quick or --list");
    }
    let all = rows()?;
    if has("--list") {
        list(&all);
        return Ok(());
    }
    let is_known = |name: &str| {
        ["stages", "growth", "recall-growth"].contains(&name)
            || all.iter().any(|row| row.name == name)
    };
    if let Some(name) = names.iter().find(|name| !is_known(name)) {
        bail!("no row is called {name}; `cargo xtask bench --list` shows them");
    }
    let wanted = |name: &str| names.is_empty() || names.iter().any(|wanted| *wanted == name);
    let run = Run::new(has("--quick"), words)?;
    let rows: Vec<&Row> = all.iter().filter(|row| wanted(&row.name)).collect();
    if !rows.is_empty() {
        run.compare(&rows)?;
    }
    // A quick run of everything leaves scores and the figure out.
    let whole = !(run.quick && names.is_empty());
    if wanted("stages") && whole {
        run.stages()?;
    }
    if wanted("growth") && whole {
        run.growth("growth", None)?;
    }
    if wanted("recall-growth") && whole {
        run.growth("recall-growth", Some("associative_recall_growth.py"))?;
    }
    Ok(())
}

fn list(rows: &[Row]) {
    for row in rows {
        println!("{:<14} at least {:>4} x  {}", row.name, row.bar, row.what);
    }
    println!("{:<14} {:>15}  recall, precision and time error of stage detection", "stages", "");
    println!("{:<14} {:>15}  how our cost grows with D, H, P, seeds and threads", "growth", "");
    println!("{:<14} {:>15}  how the cost of recall grows with k, beside JAX", "recall-growth", "");
}

struct Run {
    quick: bool,
    folder: PathBuf,
    command: String,
}

impl Run {
    fn new(quick: bool, words: &[String]) -> Result<Self> {
        let name = format!("{}-{}", today()?, printed("git", &["rev-parse", "--short", "HEAD"])?);
        let folder =
            if quick { "target/bench".into() } else { Path::new("benches/runs").join(name) };
        std::fs::create_dir_all("target/bench").context("cannot create target/bench")?;
        std::fs::create_dir_all(&folder)
            .with_context(|| format!("cannot create {}", folder.display()))?;
        Ok(Self { quick, folder, command: format!("cargo xtask bench {}", words.join(" ")) })
    }

    /// Measures `rows`, prints and keeps the tables.
    fn compare(&self, rows: &[&Row]) -> Result<()> {
        let python = peers_python()?;
        let (mut tables, mut kept, mut missed) = (String::new(), Vec::new(), Vec::new());
        for row in rows {
            let measured = self.measure(row, &python)?;
            let lines = report::lines(row, &measured.ours, &measured.peers);
            let table = report::table(row, &lines, &measured.notes);
            println!("\n{table}");
            tables += &table;
            missed.extend(lines.iter().filter(|line| !line.is_met(row)).map(|line| {
                format!("{}: {}, error at most {:.0e}", row.name, line.case, line.allowed)
            }));
            kept.push(json!({
                "row": row.name, "what": row.what, "bar": row.bar, "notes": measured.notes,
                "versions": measured.versions, "commands": measured.commands,
                "lines": lines.iter().map(|line| line.json(row)).collect::<Vec<_>>(),
                "raw": { "ours": measured.ours, "peers": measured.peers },
            }));
        }
        let machine = machine()?;
        let verdict = match missed.len() {
            0 => "All bars are met.\n".to_owned(),
            _ => format!("Bars that are not met:\n- {}\n", missed.join("\n- ")),
        };
        println!("{verdict}");
        let page = format!("{}\n{verdict}\n{tables}", self.heading(&machine, &kept));
        let raw = json!({ "command": self.command, "machine": machine, "rows": kept });
        self.keep("results.md", page.as_bytes())?;
        self.keep("results.json", format!("{raw:#}\n").as_bytes())
    }

    fn heading(&self, machine: &Value, kept: &[Value]) -> String {
        let mut versions: Vec<String> = Vec::new();
        for (name, version) in kept.iter().flat_map(|row| row["versions"].as_object()).flatten() {
            let line = format!("{name} {}", version.as_str().unwrap_or(&version.to_string()));
            if !versions.contains(&line) {
                versions.push(line);
            }
        }
        let word = |name: &str| machine[name].as_str().unwrap_or("unknown").to_owned();
        format!(
            "`{}` on {}, commit {}, {}; {}, {} cores. {}.\n\nTimes are the best of several rounds in \
             which both sides took turns, each at the fastest setting whose error is small enough.\n",
            self.command.trim(),
            word("date"),
            word("commit"),
            word("rustc"),
            word("cpu"),
            machine["cores"],
            versions.join(", ")
        )
    }

    fn flags(&self) -> Option<&'static str> {
        self.quick.then_some("--quick")
    }

    fn keep(&self, name: &str, bytes: &[u8]) -> Result<()> {
        let path = self.folder.join(name);
        std::fs::write(&path, bytes).with_context(|| format!("cannot write {}", path.display()))?;
        eprintln!("xtask: {}", path.display());
        Ok(())
    }

    /// Both sides of a row, in turns.
    fn measure(&self, row: &Row, python: &Path) -> Result<Measured> {
        eprintln!("\nxtask: {}", row.name);
        let inputs = std::env::current_dir()?.join(format!("target/bench/{}.json", row.name));
        let start = |command: &mut Command| Side::start(command.args(self.flags()));
        let mut ours = start(ours(&row.name).arg(&inputs))?;
        let mut peers = Vec::new();
        for peer in &row.peers {
            let script = Path::new("benches/peers").join(&peer.script);
            peers.push(start(Command::new(python).arg(script).arg(&inputs).arg(&peer.mode))?);
        }
        let mut measured = Measured::new(&ours, &peers);
        for _ in 0..if self.quick { 2 } else { 4 } {
            measured.ours.extend(ours.measure()?);
            for (peer, results) in peers.iter_mut().zip(&mut measured.peers) {
                results.extend(peer.measure()?);
            }
        }
        Ok(measured)
    }

    /// Stage detection beside a change-point library, on staircases with known truth.
    fn stages(&self) -> Result<()> {
        let python = peers_python()?;
        let mut command = Command::new(cargo_program());
        command.args(["bench", "--quiet", "--package", "saddlescope", "--bench", "stages"]);
        let output = command.env("SADDLESCOPE_PEER_PYTHON", &python).output()?;
        if !output.status.success() {
            bail!("stages: {}", String::from_utf8_lossy(&output.stderr));
        }
        let table = String::from_utf8_lossy(&output.stdout);
        println!("\n{table}");
        self.keep("stages.txt", table.as_bytes())
    }

    /// How our cost grows, as numbers and as a figure; the lines of a peer's `script` join the first panel.
    fn growth(&self, name: &str, script: Option<&str>) -> Result<()> {
        let hello = |command: &mut Command| -> Result<Value> {
            Ok(Side::start(command.args(self.flags()))?.hello.take())
        };
        let mut measured = hello(&mut ours(name))?;
        if let Some(script) = script {
            let script = Path::new("benches/peers").join(script);
            let mut peer = hello(Command::new(peers_python()?).arg(script))?;
            let lines = measured["panels"][0]["series"].as_array_mut().context("no panels")?;
            lines.extend(peer["series"].as_array().context("no lines from the peer")?.clone());
            measured["versions"] = peer["versions"].take();
        }
        let raw = json!({ "command": self.command, "machine": machine()?, "growth": measured });
        self.keep(&format!("{name}.json"), format!("{raw:#}\n").as_bytes())?;
        let folder = self.folder.to_str().context("the path is not UTF-8")?;
        let draw = ["run", "--quiet", "--release", "--package", "saddlescope-draw"];
        cargo(&[draw.as_slice(), &["--example", "growth", "--", folder, name]].concat(), &[])?;
        if !self.quick {
            let shown = format!("docs/book/src/pictures/{name}.svg");
            std::fs::copy(self.folder.join(format!("{name}.svg")), &shown)
                .with_context(|| format!("cannot write {shown}"))?;
        }
        Ok(())
    }
}

fn peers_python() -> Result<PathBuf> {
    environment("target/peers", "benches/peers/requirements.txt")
}

/// Our side of a row, or of a figure of growth.
fn ours(name: &str) -> Command {
    let mut command = Command::new(cargo_program());
    let bench = ["bench", "--quiet", "--package", "saddlescope-systems", "--bench", "peers"];
    command.args(bench).args(["--", name]);
    command
}

/// All that a row has given.
struct Measured {
    ours: Vec<Value>,
    peers: Vec<Vec<Value>>,
    versions: Value,
    commands: Vec<String>,
    notes: Vec<String>,
}

impl Measured {
    fn new(ours: &Side, peers: &[Side]) -> Self {
        let mut versions = serde_json::Map::new();
        let (mut commands, mut notes) = (Vec::new(), Vec::new());
        for side in std::iter::once(ours).chain(peers) {
            versions.extend(side.hello["versions"].as_object().cloned().unwrap_or_default());
            commands.push(side.words.clone());
            let said = side.hello["notes"].as_array().into_iter().flatten();
            notes.extend(said.filter_map(|note| note.as_str().map(str::to_owned)));
        }
        let peers = vec![Vec::new(); peers.len()];
        Self { ours: Vec::new(), peers, versions: versions.into(), commands, notes }
    }
}

/// Where and on what this was measured.
fn machine() -> Result<Value> {
    let information = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let named =
        |line: &str| Some(line.strip_prefix("model name")?.split_once(':')?.1.trim().to_owned());
    let changed = printed("git", &["status", "--porcelain", "--untracked-files=no"])?;
    let commit = printed("git", &["rev-parse", "--short", "HEAD"])?;
    Ok(json!({
        "date": today()?,
        "commit": if changed.is_empty() { commit } else { format!("{commit} with changes") },
        "rustc": printed("rustc", &["--version"])?,
        "cpu": information.lines().find_map(named),
        "cores": std::thread::available_parallelism().map_or(1, usize::from),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn row_names_are_distinct_and_each_row_has_a_judge() {
        let rows = rows().unwrap();
        for (index, row) in rows.iter().enumerate() {
            assert!(rows[..index].iter().all(|other| other.name != row.name), "{}", row.name);
            assert!(row.peers.iter().any(|peer| peer.judged), "{}", row.name);
            for peer in &row.peers {
                let script = Path::new("../benches/peers").join(&peer.script);
                assert!(script.is_file(), "{}: {}", row.name, script.display());
            }
        }
    }
}
