//! `cite`: how to cite the program and the papers, as text and BibTeX.

use crate::common::*;
use crate::say;

/// The facts of CITATION.cff.
const TITLE: &str = "Saddlescope: a laboratory for the training dynamics of transformers";
const AUTHORS: &str = "The Saddlescope contributors";
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Cites the program and all papers, or the paper of one system.
pub(crate) fn cite(name: Option<&str>, registry: &Registry) -> Outcome {
    let system = name.map(|name| registry.find(name)).transpose()?;
    say(&text(system, registry))
}

/// The same as a text.
pub(crate) fn text(system: Option<&dyn System>, registry: &Registry) -> String {
    if let Some(system) = system {
        return paper(system);
    }
    let mut parts = vec![program()];
    let papers = registry.systems().iter().filter(|s| !s.schema().title.is_empty());
    parts.extend(papers.map(|&system| paper(system)));
    let opening = "If Saddlescope helps your research, please cite it, and the papers whose systems you \
                   use.\n\n";
    format!("{opening}{}", parts.join("\n"))
}

fn program() -> String {
    format!(
        "The program\n  {AUTHORS}. {TITLE}. Version {VERSION}.\n\n\
         @software{{saddlescope,\n  title   = {{{{{TITLE}}}}},\n  author  = {{{{{AUTHORS}}}}},\n  \
         version = {{{VERSION}}},\n}}\n"
    )
}

fn paper(system: &dyn System) -> String {
    let (name, title) = (system.name(), system.schema().title);
    if title.is_empty() {
        return format!("{name} is of no one paper: cite those whose experiments you run.\n");
    }
    let authors = system.schema().authors;
    let (words, field) = if authors.is_empty() {
        // Double braces keep BibTeX from reading a name into it.
        ("Authors withheld".to_owned(), "{{authors withheld}}".to_owned())
    } else {
        (authors.join("; "), format!("{{{}}}", authors.join(" and ")))
    };
    let stop = if words.ends_with('.') { "" } else { "." };
    format!(
        "The paper of {name}\n  {words}{stop} {title}.\n\n\
         @misc{{saddlescope-{name},\n  title  = {{{{{title}}}}},\n  author = {field},\n}}\n"
    )
}
