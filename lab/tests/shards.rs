//! Eight shards of a run, merged, are the run: the same rows and the same result.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// A program of the workspace, built beside the laboratory.
fn program(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_BIN_EXE_sparring-lab")).with_file_name(name);
    assert!(
        path.exists(),
        "{name} is not built: cargo test --workspace --no-run"
    );
    path
}

/// What a program prints.
fn printed(program: &Path, words: &[String]) -> String {
    let output = Command::new(program)
        .args(words)
        .stderr(Stdio::null())
        .output()
        .unwrap();
    assert!(output.status.success(), "{words:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Runs a command whole and in eight shards, and compares rows and results.
fn shards_are_the_whole(command: &[&str], settings: &str) {
    let folder = tempfile::tempdir().unwrap();
    let lab = program("sparring-lab");
    let run = |name: &str, shard: &str| {
        let path = folder.path().join(name).display().to_string();
        let settings = format!("{settings} --record {path}{shard}");
        let words: Vec<String> = command
            .iter()
            .copied()
            .chain(settings.split(' '))
            .map(str::to_owned)
            .collect();
        (printed(&lab, &words), path)
    };
    let (result, whole) = run("whole", "");
    let mut words = vec!["merge".to_owned()];
    for number in 1..=8 {
        let (_, record) = run(&number.to_string(), &format!(" --shard {number}/8"));
        let rows = fs::read_to_string(&record).unwrap().lines().count() - 1;
        assert!(rows > 0, "shard {number} has no row");
        words.push(record);
    }
    let merged = folder.path().join("merged").display().to_string();
    words.extend(["-o".to_owned(), merged.clone()]);
    printed(&program("sparring"), &words);
    let sorted = |path: &str| {
        let text = fs::read_to_string(path).unwrap();
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    assert_eq!(sorted(&merged), sorted(&whole));
    // There is nothing left to play: the record alone gives the result.
    assert_eq!(run("merged", "").0, result);
    assert_eq!(sorted(&merged), sorted(&whole));
}

#[test]
fn of_a_match() {
    let engine = format!("{} uci", program("sparring").display());
    shards_are_the_whole(
        &["match", &engine, &engine],
        "--quiet --tc nodes=100 --games 18 --random-plies 4 --option Hash=1",
    );
}

#[test]
fn of_a_calibration() {
    // Of won endings, so that games are over soon.
    let folder = tempfile::tempdir().unwrap();
    let endings = folder.path().join("endings.epd");
    fs::write(
        &endings,
        "7k/8/5K2/8/8/8/8/6Q1 w - - 0 1\n7k/8/5K2/8/8/8/8/6R1 w - - 0 1\n",
    )
    .unwrap();
    let settings = format!(
        "--levels 600,800,1000 --games 24 --reach 1 --openings {}",
        endings.display()
    );
    shards_are_the_whole(&["calibrate"], &settings);
}
