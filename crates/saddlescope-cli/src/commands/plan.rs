//! The plan that a command names, with its changes and on its text; and the folder in which its runs are kept.

use saddlescope_lab::campaign::Campaign;
use saddlescope_spec::settings::quote;

use crate::common::*;
use crate::progress::Progress;

pub(super) fn changes(args: &ChangeArgs) -> Changes {
    Changes {
        size: args.size,
        set: args.overrides.clone(),
        vary: args.vary.clone(),
        seeds: args.seeds.clone(),
        ..Changes::default()
    }
}

/// Reads a shipped experiment or a system by its name, or a file, to run on the text of `text` where it names one.
pub(super) fn read(
    name: &str,
    changes: &Changes,
    text: &TextArgs,
    registry: &Registry,
) -> Result<Plan, Failure> {
    let plan = Plan::named(name, &on_text(changes, text)?, registry).map_err(with_help)?;
    if text.train.is_some() && !reads_text(plan.system) {
        return Err(unread(plan.system.name(), registry));
    }
    Ok(plan)
}

fn with_help(error: Error) -> Failure {
    match error.kind() {
        ErrorKind::Unknown => Failure::input(format!(
            "{error}\n  help: `saddlescope list` shows the systems and experiments that ship with the program"
        )),
        _ => error.into(),
    }
}

/// The changes with the files of `--train` and `--valid` for systems that read text. Files are looked for where the command
/// is given, and their whole paths are kept, so that a run can be gone back to from elsewhere.
pub(super) fn on_text(changes: &Changes, text: &TextArgs) -> Result<Changes, Failure> {
    let mut changes = changes.clone();
    for (name, path) in [("train", &text.train), ("valid", &text.valid)] {
        let Some(path) = path else { continue };
        let wrong = |why: String| Failure::input(format!("--{name} {}: {why}", path.display()));
        let whole = std::path::absolute(path).map_err(|error| wrong(error.to_string()))?;
        let whole = whole.to_str().ok_or_else(|| wrong("its path is no UTF-8".to_owned()))?;
        changes.where_declared.push(format!("system.{name}={}", quote(whole)));
    }
    Ok(changes)
}

/// Whether a system trains on text.
pub(super) fn reads_text(system: &dyn System) -> bool {
    system.schema().system.parameters.iter().any(|parameter| parameter.name == "train")
}

/// The error where a system does not.
pub(super) fn unread(system: &str, registry: &Registry) -> Failure {
    let all = registry.systems().iter();
    let readers: Vec<_> = all.filter(|s| reads_text(**s)).map(|s| s.name()).collect();
    Failure::input(format!(
        "--train and --valid: {system} reads no text; systems that do: {}",
        if readers.is_empty() { "none".to_owned() } else { readers.join(", ") }
    ))
}

/// Where the runs of a plan are kept: `FOLDER/<system>/<name>`, and `<name>-paper` in that size.
pub(super) fn folder(out: &Path, plan: &Plan) -> Result<PathBuf, Failure> {
    let stem = Path::new(plan.source.name()).file_stem().map(|stem| stem.to_string_lossy());
    let name = plan.name().map(str::to_owned).or(stem.map(Into::into)).unwrap_or_default();
    // A name with a slash would leave the folder.
    let name = name.replace(['/', '\\'], "-");
    if name.trim_matches('.').trim().is_empty() {
        return Err(Failure::input(format!(
            "`name` is \"{name}\", but runs are kept in a folder of that name: expected a word"
        )));
    }
    let size = match plan.size {
        Size::Quick => "",
        Size::Paper => "-paper",
    };
    Ok(out.join(plan.group()).join(name + size))
}

/// Runs the plan, with a bar, until it is done or Ctrl-C is pressed.
pub(super) fn carry_out<'p>(
    plan: &'p Plan,
    folder: Option<&Path>,
    force: bool,
    registry: &Registry,
) -> Results<'p> {
    let progress = Progress::new(plan.name().unwrap_or("run"));
    let (stop, tell) = (interrupt::flag(), |at: &_| progress.show(at));
    let campaign = Campaign { registry, folder, force, stop, progress: &tell };
    let results = campaign.run(plan);
    progress.finish();
    results
}
