//! Puts the shipped books and personalities into the program, so that a copied binary plays anywhere.

use std::{
    env,
    error::Error,
    fmt::Write,
    fs,
    path::{Path, PathBuf},
};

fn main() -> Result<(), Box<dyn Error>> {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    println!("cargo::rerun-if-changed=build.rs");
    let out = PathBuf::from(env::var("OUT_DIR")?);
    for (folder, extension) in [("books", "book"), ("personalities", "toml")] {
        println!("cargo::rerun-if-changed={folder}");
        fs::write(
            out.join(format!("{folder}.rs")),
            text_table(&root.join(folder), extension)?,
        )?;
    }
    Ok(())
}

/// A Rust expression: a slice of name and text, `("books/starter.book", "...")`, sorted by name.
fn text_table(folder: &Path, extension: &str) -> Result<String, Box<dyn Error>> {
    let mut table = String::from("&[\n");
    for file in files_of(folder)? {
        if file.extension().is_some_and(|found| found == extension) {
            let (folder, name) = (name_of(folder)?, name_of(&file)?);
            let shown = format!("{folder}/{name}");
            writeln!(
                table,
                "    ({shown:?}, include_str!({:?})),",
                file.display().to_string()
            )?;
        }
    }
    table.push(']');
    Ok(table)
}

/// The files of a folder, sorted, so that the same files give the same binary; none if it is not there.
fn files_of(folder: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let mut files = Vec::new();
    if folder.is_dir() {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_file() {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}

fn name_of(path: &Path) -> Result<&str, Box<dyn Error>> {
    let name = path.file_name().and_then(|name| name.to_str());
    name.ok_or_else(|| format!("the name of {} is not UTF-8", path.display()).into())
}
