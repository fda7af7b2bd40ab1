//! The page reads TeX commands as figures and terminals do.

use std::fs;
use std::path::Path;

use saddlescope_draw::{COMMANDS, Command};
use serde_json::{Map, json};

/// Writes the page's table where it is another one, and fails then.
#[test]
fn the_table_of_the_page_is_the_one_of_figures_and_terminals() {
    let (mut signs, mut marks) = (Map::new(), Map::new());
    for (name, command) in COMMANDS.iter() {
        if let Some(text) = command.plain(name) {
            signs.insert((*name).to_owned(), json!(text));
        }
        let mark = match command {
            Command::Accent(_, mark) => mark.to_string(),
            Command::Letters(_) | Command::Text => String::new(),
            _ => continue,
        };
        marks.insert((*name).to_owned(), json!(mark));
    }
    let table = format!("{:#}\n", json!({ "signs": signs, "marks": marks }));
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("web/src/ui/signs.json");
    if fs::read_to_string(&path).ok().as_ref() != Some(&table) {
        fs::write(&path, table).unwrap();
        panic!("{} was not up to date and has been written: build the page", path.display());
    }
}
