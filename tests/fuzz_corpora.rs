//! The corpora of the fuzz targets, and what chance makes of them, on a stable compiler.

#[path = "../fuzz/targets.rs"]
mod targets;

use std::{fs, path::Path};

use rand::{RngExt as _, SeedableRng as _, rngs::ChaCha8Rng};

/// How many spoiled texts each target gets for each file of its corpus.
const SPOILED: usize = 60;

/// Runs a target over its corpus, as it is and spoiled in small ways.
fn survive(name: &str, target: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fuzz/corpus")
        .join(name);
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut files: Vec<_> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    assert!(files.len() >= 2, "{} has no corpus", folder.display());
    for path in files {
        let seed = fs::read(&path).unwrap();
        target(&seed);
        for _ in 0..SPOILED {
            let mut bytes = seed.clone();
            for _ in 0..rng.random_range(1..6) {
                spoil(&mut bytes, &mut rng);
            }
            target(&bytes);
        }
    }
}

fn spoil(bytes: &mut Vec<u8>, rng: &mut ChaCha8Rng) {
    if bytes.is_empty() {
        return bytes.push(rng.random());
    }
    let at = rng.random_range(0..bytes.len());
    let end = (at + rng.random_range(1..20)).min(bytes.len());
    match rng.random_range(0..5) {
        0 => bytes[at] = rng.random(),
        1 => bytes.truncate(at),
        2 => drop(bytes.drain(at..end)),
        3 => {
            let piece = bytes[at..end].to_vec();
            bytes.splice(at..at, piece);
        }
        _ => drop(bytes.splice(at..at, *b"999999999999999999999")),
    }
}

#[test]
fn every_target_of_the_fuzzer_is_run_here() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let here = fs::read_to_string(root.join("tests/fuzz_corpora.rs")).unwrap();
    let manifest = fs::read_to_string(root.join("fuzz/Cargo.toml")).unwrap();
    for entry in fs::read_dir(root.join("fuzz/fuzz_targets")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let name = name.trim_end_matches(".rs");
        assert!(
            here.contains(&format!("survive(\"{name}\", targets::{name})")),
            "{name}"
        );
        assert!(manifest.contains(&format!("name = \"{name}\"")), "{name}");
    }
}

#[test]
fn lines_of_streams_are_survived() {
    survive("events", targets::events);
    survive("games", targets::games);
}

#[test]
fn files_of_an_operator_are_survived() {
    survive("books", targets::books);
    survive("profiles", targets::profiles);
    survive("settings", targets::settings);
}

#[test]
fn positions_chat_and_sessions_are_survived() {
    survive("positions", targets::positions);
    survive("commands", targets::commands);
    survive("sessions", targets::sessions);
}
