//! Chooses the net that is compiled into the engine: `src/nnue/weights.bin`, or the file that EVALFILE names.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::exit,
};

#[path = "src/nnue/layout.rs"]
mod layout;

use layout::{BYTES, OUTPUT_BIASES, largest};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/nnue/layout.rs");
    println!("cargo::rerun-if-env-changed=EVALFILE");
    let (whose, net) = match env::var_os("EVALFILE").filter(|path| !path.is_empty()) {
        None => (
            "the shipped net",
            env::current_dir().map(|root| root.join("src/nnue/weights.bin")),
        ),
        Some(path) => ("EVALFILE", Ok(PathBuf::from(path))),
    };
    let checked = net
        .map_err(|error| error.to_string())
        .and_then(|net| check(whose, &net).map(|()| net));
    match checked {
        Ok(net) => {
            println!("cargo::rerun-if-changed={}", net.display());
            println!("cargo::rustc-env=NET={}", net.display());
        }
        Err(why) => {
            println!("cargo::error={why}");
            exit(1);
        }
    }
}

/// Whether a file is a net; else the reason in a sentence that says whose it is.
fn check(whose: &str, path: &Path) -> Result<(), String> {
    let wrong = |why: String| format!("{whose} {path:?}: {why}");
    if !path.is_absolute() {
        return Err(wrong("an absolute path is needed".to_owned()));
    }
    let metadata = fs::metadata(path).map_err(|error| wrong(error.to_string()))?;
    if !metadata.is_file() || metadata.len() != BYTES as u64 {
        let found = metadata.len();
        return Err(wrong(format!(
            "a net is a file of {BYTES} bytes, as `sparring-lab train-net --write` makes it, and this has {found}"
        )));
    }
    let bytes = fs::read(path).map_err(|error| wrong(error.to_string()))?;
    let (weights, biases) = bytes.split_at(2 * OUTPUT_BIASES);
    let weights = weights
        .chunks_exact(2)
        .map(|two| i32::from(i16::from_le_bytes([two[0], two[1]])));
    // Behind the biases is the fingerprint.
    let biases = biases[..biases.len() - 8]
        .chunks_exact(4)
        .map(|four| i32::from_le_bytes([four[0], four[1], four[2], four[3]]));
    for (number, value) in weights.chain(biases).enumerate() {
        let most = largest(number);
        if value.unsigned_abs() > most {
            return Err(wrong(format!(
                "this is no net: its number {number} is {value}, and {most} is the most"
            )));
        }
    }
    Ok(())
}
