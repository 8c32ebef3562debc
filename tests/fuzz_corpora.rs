//! The corpora of the fuzz targets, and what chance makes of them, on a stable compiler.

#[path = "../fuzz/mutate.rs"]
mod mutate;
#[path = "../fuzz/targets.rs"]
mod targets;

use std::{fs, path::Path};

use rand::{SeedableRng as _, rngs::ChaCha8Rng};

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
    let corpus: Vec<Vec<u8>> = files.iter().map(|path| fs::read(path).unwrap()).collect();
    for text in &corpus {
        target(text);
    }
    for _ in 0..SPOILED * corpus.len() {
        target(&mutate::spoiled(&corpus, &mut rng));
    }
}

#[test]
fn every_target_of_the_fuzzer_is_run_here() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let here = fs::read_to_string(root.join("tests/fuzz_corpora.rs")).unwrap();
    let example = fs::read_to_string(root.join("examples/fuzz.rs")).unwrap();
    let manifest = fs::read_to_string(root.join("fuzz/Cargo.toml")).unwrap();
    for entry in fs::read_dir(root.join("fuzz/fuzz_targets")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let name = name.trim_end_matches(".rs");
        assert!(
            here.contains(&format!("survive(\"{name}\", targets::{name})")),
            "{name}"
        );
        assert!(manifest.contains(&format!("name = \"{name}\"")), "{name}");
        assert!(
            example.contains(&format!("(\"{name}\", targets::{name})")),
            "{name}"
        );
    }
}

#[test]
fn lines_of_streams_are_survived() {
    survive("events", targets::events);
    survive("games", targets::games);
    survive("answers", targets::answers);
}

#[test]
fn files_of_an_operator_are_survived() {
    survive("books", targets::books);
    survive("polyglot", targets::polyglot);
    survive("profiles", targets::profiles);
    survive("settings", targets::settings);
}

#[test]
fn positions_chat_and_sessions_are_survived() {
    survive("positions", targets::positions);
    survive("commands", targets::commands);
    survive("sessions", targets::sessions);
    survive("pgn", targets::pgn);
}
