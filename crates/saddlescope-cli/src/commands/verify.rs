//! `verify`: reference cases recomputed, every deviation printed.

use anyhow::anyhow;
use saddlescope_lab::registry::Registry;
use saddlescope_lab::table::Table;
use saddlescope_lab::verify::ReferenceFile;
use saddlescope_spec::reference::CaseError;

use crate::arguments::VerifyArgs;
use crate::{Failure, Verdict, print};

pub(crate) fn verify(args: &VerifyArgs, registry: &Registry) -> Result<Verdict, Failure> {
    let files = args
        .files
        .iter()
        .map(|path| ReferenceFile::read(path, registry.systems()).map(|file| (path, file)))
        .collect::<Result<Vec<_>, _>>()
        .map_err(Failure::input)?;
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
        wrong => Err(Failure::input(anyhow!("{}", wrong.join("\nerror: ")))),
    }
}
