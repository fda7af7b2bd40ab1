//! The page's types are the program's: `web/src/data/contract.ts` is written from the types that are serialised.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use syn::punctuated::Punctuated;
use syn::{
    Attribute, Expr, Field, Fields, GenericArgument, Item, Lit, Meta, PathArguments, Token, Type,
};

/// What the server sends and the page reads.
const ROOTS: [&str; 6] = ["About", "Declaration", "RunRequest", "FrameHead", "Saddles", "Listed"];

/// Types whose JSON is not that of their fields.
const WRITTEN: [(&str, &str); 5] = [
    ("Ending", "string"),
    ("Hash", "string"),
    ("Number", "number"),
    ("SettingsMap", "SettingsMap"),
    ("Value", "unknown"),
];

/// What functions for `serialize_with` and `with` write, where that is not the field's own type.
const ADAPTED: [(&str, &str); 3] = [
    ("by_name", "Record<string, number>"),
    ("outcomes", "Record<string, number | string>"),
    ("rendered", "Record<string, string>"),
];

/// Fields of texts that are one of a few words, and these words.
const FEW_WORDS: [(&str, &str); 4] = [
    ("scale", "\"linear\" | \"log\""),
    ("state", "\"finished\" | \"running\" | \"interrupted\" | \"failed\" | \"damaged\""),
    ("x_scale", "\"linear\" | \"log\""),
    ("y_scale", "\"linear\" | \"log\""),
];

/// Writes the page's types where they are others, and fails then.
#[test]
fn the_types_of_the_page_are_those_of_the_program() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("web/src/data/contract.ts");
    let mut writer = Writer { known: known(), written: BTreeSet::new(), text: HEAD.to_owned() };
    ROOTS.iter().for_each(|root| writer.declare(root));
    if fs::read_to_string(&path).ok().as_ref() != Some(&writer.text) {
        fs::write(&path, writer.text).unwrap();
        panic!("{} was not up to date and has been written: build the page", path.display());
    }
}

const HEAD: &str = "\
// What the server says, as types. A test of saddlescope-web writes this file from the program's types.

/** Settings on top of a system's declared defaults: paths as in `--set`, values as TOML literals. */
export type SettingsMap = Record<string, string>;
";

/// A file with a type that the page never sees, and that has the name of one that it does.
const UNSEEN: &str = "analysis/scaling.rs";

/// All types of the program that can be serialised, by their names; those that several have are left out.
fn known() -> BTreeMap<String, Item> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut known = BTreeMap::new();
    let mut several = BTreeSet::new();
    let by_hand = crates.join("saddlescope-web/tests/observatory/by_hand.txt");
    for name in ["saddlescope", "saddlescope-spec", "saddlescope-lab", "saddlescope-web"] {
        let own = (name == "saddlescope-web").then(|| by_hand.clone());
        for file in sources(&crates.join(name).join("src")).into_iter().chain(own) {
            let text = fs::read_to_string(&file).unwrap();
            if !text.contains("Serialize") || file.ends_with(UNSEEN) {
                continue;
            }
            for item in syn::parse_file(&text).unwrap().items {
                let (attributes, name) = match &item {
                    Item::Struct(one) => (&one.attrs, &one.ident),
                    Item::Enum(one) => (&one.attrs, &one.ident),
                    _ => continue,
                };
                let name = name.to_string();
                let derived = words(attributes, "derive").iter().any(|word| word == "Serialize");
                if derived && known.insert(name.clone(), item).is_some() {
                    several.insert(name);
                }
            }
        }
    }
    several.iter().for_each(|name| drop(known.remove(name)));
    known
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    all.sort();
    let inside = |path: PathBuf| if path.is_dir() { sources(&path) } else { vec![path] };
    all.into_iter()
        .flat_map(inside)
        .filter(|path| path.extension().is_some_and(|e| e == "rs"))
        .collect()
}

/// The words of an attribute such as `derive`.
fn words(attributes: &[Attribute], name: &str) -> Vec<String> {
    let list = attributes.iter().filter(|one| one.path().is_ident(name));
    let parse =
        |one: &Attribute| one.parse_args_with(Punctuated::<syn::Path, Token![,]>::parse_terminated);
    let last = |path: syn::Path| path.segments.last().unwrap().ident.to_string();
    list.filter_map(|one| parse(one).ok()).flatten().map(last).collect()
}

/// What `serde` is told: names, with texts where there are any.
fn serde(attributes: &[Attribute]) -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    for one in attributes.iter().filter(|one| one.path().is_ident("serde")) {
        for meta in one.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated).unwrap() {
            let name = meta.path().get_ident().map(ToString::to_string).unwrap_or_default();
            let text = match meta {
                Meta::NameValue(pair) => text(&pair.value),
                _ => String::new(),
            };
            all.insert(name, text);
        }
    }
    all
}

fn text(value: &Expr) -> String {
    match value {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Str(text) => text.value(),
            _ => String::new(),
        },
        _ => String::new(),
    }
}

/// The documentation of something, as a comment.
fn comment(attributes: &[Attribute], indent: &str) -> String {
    let line = |one: &Attribute| match &one.meta {
        Meta::NameValue(pair) if pair.path.is_ident("doc") => {
            Some(text(&pair.value).trim().to_owned())
        }
        _ => None,
    };
    let lines: Vec<String> = attributes.iter().filter_map(line).collect();
    if lines.is_empty() { String::new() } else { format!("{indent}/** {} */\n", lines.join(" ")) }
}

fn snake(name: &str) -> String {
    let mut text = String::new();
    for (place, sign) in name.char_indices() {
        if sign.is_uppercase() && place > 0 {
            text.push('_');
        }
        text.extend(sign.to_lowercase());
    }
    text
}

struct Writer {
    known: BTreeMap<String, Item>,
    written: BTreeSet<String>,
    text: String,
}

impl Writer {
    /// Writes a type, and then those that it is made of.
    fn declare(&mut self, name: &str) {
        if !self.written.insert(name.to_owned()) {
            return;
        }
        let item = self.known.get(name).cloned();
        let mut wanted = Vec::new();
        let declared = match &item {
            Some(Item::Struct(one)) => {
                let (extended, fields) = self.fields(&one.fields, "  ", &mut wanted);
                let extended = if extended.is_empty() {
                    String::new()
                } else {
                    format!(" extends {}", extended.join(", "))
                };
                let note = comment(&one.attrs, "");
                format!("\n{note}export interface {name}{extended} {{\n{fields}}}\n")
            }
            Some(Item::Enum(one)) => {
                let told = serde(&one.attrs);
                let variants = one.variants.iter().map(|variant| {
                    let plain = variant.ident.to_string();
                    let word = if told.contains_key("rename_all") { snake(&plain) } else { plain };
                    self.variant(&told, &word, &variant.fields, &mut wanted)
                });
                let all: Vec<String> = variants.collect();
                let note = comment(&one.attrs, "");
                format!("\n{note}export type {name} =\n  | {};\n", all.join("\n  | "))
            }
            _ => panic!("no type `{name}` that is serialised, or several"),
        };
        self.text += &declared;
        wanted.iter().for_each(|name| self.declare(name));
    }

    fn variant(
        &self,
        told: &BTreeMap<String, String>,
        word: &str,
        fields: &Fields,
        wanted: &mut Vec<String>,
    ) -> String {
        let payload = match fields {
            Fields::Unit => None,
            Fields::Unnamed(all) => Some(self.typed(&all.unnamed[0].ty, wanted)),
            Fields::Named(_) => {
                let (_, fields) = self.fields(fields, "", wanted);
                let fields: Vec<&str> =
                    fields.lines().filter(|line| !line.starts_with("/**")).collect();
                Some(format!("{{ {} }}", fields.join(" ").trim_end_matches(';')))
            }
        };
        match (told.get("tag"), told.get("content"), payload) {
            (Some(tag), Some(content), Some(payload)) => {
                format!("{{ {tag}: \"{word}\"; {content}: {payload} }}")
            }
            (Some(tag), None, Some(payload)) => format!("({{ {tag}: \"{word}\" }} & {payload})"),
            (Some(tag), _, None) => format!("{{ {tag}: \"{word}\" }}"),
            (None, _, Some(payload)) if told.contains_key("untagged") => payload,
            (None, _, Some(payload)) => format!("{{ {word}: {payload} }}"),
            (None, _, None) => format!("\"{word}\""),
        }
    }

    /// The types that fields are taken over from, and the other fields.
    fn fields(
        &self,
        fields: &Fields,
        indent: &str,
        wanted: &mut Vec<String>,
    ) -> (Vec<String>, String) {
        let (mut extended, mut text) = (Vec::new(), String::new());
        for field in fields {
            let told = serde(&field.attrs);
            if told.contains_key("skip") {
                continue;
            }
            let adapted = told.get("serialize_with").or_else(|| told.get("with"));
            let adapted = adapted.and_then(|with| ADAPTED.iter().find(|(name, _)| name == with));
            let written = match adapted {
                Some((_, written)) => (*written).to_owned(),
                None => self.typed(&field.ty, wanted),
            };
            if told.contains_key("flatten") {
                extended.push(written);
                continue;
            }
            let name = told.get("rename").cloned().unwrap_or_else(|| own_name(field));
            let few = FEW_WORDS.iter().find(|(own, _)| *own == name && written == "string");
            let written = few.map_or(written, |(_, words)| (*words).to_owned());
            let (mark, written) = match told.contains_key("skip_serializing_if") {
                true => ("?", written.trim_end_matches(" | null").to_owned()),
                false => ("", written),
            };
            text += &format!("{}{indent}{name}{mark}: {written};\n", comment(&field.attrs, indent));
        }
        (extended, text)
    }

    fn typed(&self, kind: &Type, wanted: &mut Vec<String>) -> String {
        let list =
            |one: String| if one.contains('|') { format!("({one})[]") } else { format!("{one}[]") };
        match kind {
            Type::Reference(reference) => self.typed(&reference.elem, wanted),
            Type::Slice(slice) => list(self.typed(&slice.elem, wanted)),
            Type::Tuple(tuple) => {
                let all: Vec<String> =
                    tuple.elems.iter().map(|one| self.typed(one, wanted)).collect();
                format!("[{}]", all.join(", "))
            }
            Type::Path(path) => {
                let last = path.path.segments.last().unwrap();
                let inner: Vec<&Type> = match &last.arguments {
                    PathArguments::AngleBracketed(all) => {
                        let types = all.args.iter().filter_map(|one| match one {
                            GenericArgument::Type(kind) => Some(kind),
                            _ => None,
                        });
                        types.collect()
                    }
                    _ => Vec::new(),
                };
                match (last.ident.to_string().as_str(), inner.as_slice()) {
                    ("String" | "str", _) => "string".to_owned(),
                    ("bool", _) => "boolean".to_owned(),
                    ("f64" | "usize" | "u64" | "u32" | "i64", _) => "number".to_owned(),
                    ("Option", [one]) => format!("{} | null", self.typed(one, wanted)),
                    ("Vec", [one]) => list(self.typed(one, wanted)),
                    ("Box" | "Arc", [one]) => self.typed(one, wanted),
                    ("BTreeMap", [_, value]) => {
                        format!("Record<string, {}>", self.typed(value, wanted))
                    }
                    (name, _) => self.named(name, wanted),
                }
            }
            _ => panic!("a type that the page cannot have"),
        }
    }

    /// A type by its name, or by that of what it is turned into.
    fn named(&self, name: &str, wanted: &mut Vec<String>) -> String {
        if let Some((_, written)) = WRITTEN.iter().find(|(own, _)| *own == name) {
            return (*written).to_owned();
        }
        if let Some(Item::Struct(one)) = self.known.get(name)
            && let Some(into) = serde(&one.attrs).get("into")
        {
            return self.typed(&syn::parse_str(into).unwrap(), wanted);
        }
        wanted.push(name.to_owned());
        name.to_owned()
    }
}

fn own_name(field: &Field) -> String {
    field.ident.as_ref().map(ToString::to_string).unwrap_or_default()
}
