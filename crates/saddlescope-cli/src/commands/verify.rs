//! `verify`: reference cases recomputed, every deviation printed.

use saddlescope_lab::verify::ReferenceFile;
use saddlescope_spec::reference::CaseError;

use crate::common::*;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  saddlescope verify tests/oracle/linear-attention.json
  saddlescope verify cases/*.json --all")]
pub(crate) struct VerifyArgs {
    /// Files of reference cases
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Print every value, not only those that deviate
    #[arg(long)]
    all: bool,
}

pub(crate) fn verify(args: &VerifyArgs, registry: &Registry) -> Outcome {
    let files = args
        .files
        .iter()
        .map(|path| ReferenceFile::read(path, registry.systems()).map(|file| (path, file)))
        .collect::<Result<Vec<_>, _>>()?;
    let (mut passed, mut total) = (0, 0);
    let mut wrong = Vec::new();
    for (path, file) in &files {
        print(&format!("{} ({})\n", path.display(), file.system.name()))?;
        let mut table = Table::new(&["case", "value", "verdict", "error / tolerance", ""]);
        for case in &file.cases {
            total += case.values();
            let checked = match case.recompute() {
                Ok(checked) => checked,
                Err(error) => {
                    let row = [case.id.as_str(), "", "FAILED", "", &error.to_string()];
                    table.row(row.map(str::to_owned).to_vec());
                    if !matches!(error, CaseError::Failed(_)) {
                        wrong.push(format!("{}: case `{}`: {error}", path.display(), case.id));
                    }
                    continue;
                }
            };
            for value in checked {
                passed += usize::from(value.passed);
                if !value.passed || args.all {
                    let verdict = if value.passed { "ok" } else { "DEVIATES" };
                    let ratio = format!("{:.2e}", value.worst);
                    let row = [&case.id, &value.name, verdict, &ratio, &value.detail];
                    table.row(row.map(str::to_owned).to_vec());
                }
            }
        }
        if !table.is_empty() {
            print(&table.to_string())?;
        }
    }
    print(&format!("verify: {passed} of {total} values within tolerance\n"))?;
    match wrong.as_slice() {
        [] if passed == total => Ok(Verdict::Done),
        [] => Ok(Verdict::Failed),
        // The other cases were worth their while all the same.
        wrong => Err(Failure::input(wrong.join("\nerror: "))),
    }
}
