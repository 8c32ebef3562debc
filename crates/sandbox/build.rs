//! Writes what the sandbox serves in a browser: the page's files as `make web` left them in `web/dist`, or nothing.
//! A package of this crate holds them in `dist`, which in a checkout is a link, or on Windows a file that names its target.

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
    let packaged = root.join("dist");
    let is_package = packaged.is_dir() && !packaged.is_symlink();
    let dist = if is_package {
        packaged
    } else {
        root.join("../../web/dist")
    };
    // A watched path that does not exist would rebuild the crate each time; then its parent tells when it appears.
    let watched = dist
        .ancestors()
        .find(|path| path.exists())
        .unwrap_or(Path::new("build.rs"));
    println!("cargo::rerun-if-changed={}", watched.display());
    println!("cargo::rerun-if-changed=build.rs");
    let out = PathBuf::from(env::var("OUT_DIR")?);
    fs::write(out.join("assets.rs"), asset_table(&dist)?)?;
    Ok(())
}

/// A Rust expression: a slice of `Asset`, sorted by path.
fn asset_table(dist: &Path) -> Result<String, Box<dyn Error>> {
    let mut table = String::from("&[\n");
    for file in &files_in(dist)? {
        let name = name_of(file)?;
        let etag = format!("\"{:016x}\"", fnv1a(&fs::read(file)?));
        let content_type = content_type(name)?;
        writeln!(
            table,
            "    Asset {{ path: {:?}, content_type: {content_type:?}, etag: {etag:?}, bytes: include_bytes!({:?}) }},",
            format!("/{name}"),
            file.display().to_string(),
        )?;
    }
    table.push(']');
    Ok(table)
}

fn content_type(name: &str) -> Result<&'static str, String> {
    match name.rsplit_once('.').map(|(_, extension)| extension) {
        Some("html") => Ok("text/html; charset=utf-8"),
        Some("js") => Ok("text/javascript; charset=utf-8"),
        Some("css") => Ok("text/css; charset=utf-8"),
        Some("svg") => Ok("image/svg+xml"),
        _ => Err(format!("web/dist/{name}: no content type is known for this file")),
    }
}

/// The 64-bit FNV-1a hash: enough to tell two builds of a file apart, and a dozen lines shorter than a crate.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
