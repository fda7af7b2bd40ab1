//! `--train` and `--valid`: text of one's own, as settings.

use std::path::Path;

use anyhow::anyhow;
use saddlescope_lab::registry::Registry;
use saddlescope_spec::settings::quote;
use saddlescope_spec::system::System;

use crate::Failure;
use crate::arguments::TextArgs;

/// The settings that name the files; nothing where none are given. Files are looked for where the command is given, and
/// their whole paths are kept, so that a run can be gone back to from elsewhere.
pub(crate) fn settings(text: &TextArgs) -> Result<Vec<String>, Failure> {
    let (Some(train), Some(valid)) = (&text.train, &text.valid) else { return Ok(Vec::new()) };
    let setting = |name: &str, path: &Path| -> Result<String, Failure> {
        let wrong = |why: String| Failure::input(anyhow!("--{name} {}: {why}", path.display()));
        let whole = std::path::absolute(path).map_err(|error| wrong(error.to_string()))?;
        let whole = whole.to_str().ok_or_else(|| wrong("its path is no UTF-8".to_owned()))?;
        Ok(format!("system.{name}={}", quote(whole)))
    };
    Ok(vec![setting("train", train)?, setting("valid", valid)?])
}

/// Whether a system trains on text.
pub(crate) fn is_read_by(system: &dyn System) -> bool {
    system.schema().system.parameters.iter().any(|parameter| parameter.name == "train")
}

/// The error where a system does not.
pub(crate) fn unread(system: &str, registry: &Registry) -> Failure {
    let all = registry.systems().iter();
    let readers: Vec<_> = all.filter(|s| is_read_by(**s)).map(|s| s.name()).collect();
    Failure::input(anyhow!(
        "--train and --valid: {system} reads no text; systems that do: {}",
        if readers.is_empty() { "none".to_owned() } else { readers.join(", ") }
    ))
}
