//! Packs the page and the book's pictures, which would otherwise be a tenth of the program.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let lists = pack("PAGE", "dist", "", &out) + &pack("PICTURES", "pictures", ".svg", &out);
    fs::write(out.join("packed.rs"), lists).expect("cargo's folder can be written");
}

/// Deflates the files of `folder` whose names end with `ending`; a Rust list of their names and bytes.
fn pack(list: &str, folder: &str, ending: &str, out: &Path) -> String {
    println!("cargo::rerun-if-changed={folder}");
    let entries = fs::read_dir(folder).expect("the folder is part of the crate");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("readable").path()).collect();
    files.sort();
    let mut text = format!("static {list}: &[(&str, &[u8])] = &[\n");
    for file in files {
        let name = file.file_name().and_then(|name| name.to_str()).expect("plain names");
        if name.ends_with(ending) {
            let bytes = fs::read(&file).expect("readable");
            let packed = out.join(format!("{folder}-{name}.deflate"));
            fs::write(&packed, miniz_oxide::deflate::compress_to_vec(&bytes, 9)).expect("writable");
            let _ = writeln!(text, "({name:?}, include_bytes!({packed:?})),");
        }
    }
    text + "];\n"
}
