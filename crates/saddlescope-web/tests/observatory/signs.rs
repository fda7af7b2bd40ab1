//! The page reads TeX commands as figures and terminals do.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use saddlescope_draw::{COMMANDS, Command};

/// Writes the page's table where it is another one, and fails then.
#[test]
fn the_table_of_the_page_is_the_one_of_figures_and_terminals() {
    let (mut signs, mut marks) = (String::new(), String::new());
    for (name, command) in COMMANDS.iter() {
        if let Some(text) = command.plain(name) {
            writeln!(signs, "  {name:?}: {text:?},").unwrap();
        }
        let mark = match command {
            Command::Accent(_, mark) => mark.to_string(),
            Command::Letters(_) | Command::Text => String::new(),
            _ => continue,
        };
        writeln!(marks, "  {name:?}: {mark:?},").unwrap();
    }
    let table = format!(
        "// The table of TeX commands in saddlescope-draw; a test of saddlescope-web writes this file.\n\n\
         /** How commands without arguments read. */\n\
         export const SIGNS: Record<string, string> = {{\n{signs}}};\n\n\
         /** What commands put after the argument that they take. */\n\
         export const MARKS: Record<string, string> = {{\n{marks}}};\n"
    );
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("web/src/ui/signs.ts");
    if fs::read_to_string(&path).ok().as_ref() != Some(&table) {
        fs::write(&path, table).unwrap();
        panic!("{} was not up to date and has been written: build the page", path.display());
    }
}
