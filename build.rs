//! Puts the shipped books and personalities into the program, so that a copied binary plays anywhere.

use std::{
    env,
    error::Error,
    fmt::Write,
    fs,
    path::{Path, PathBuf},
};

use sparring_files::folder::{files_in, name_of};

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
    for file in files_in(folder)? {
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
