//! The program `sparring-lab` as its users start it.

use std::{fs, os::unix::fs::PermissionsExt as _, process::Command};

#[test]
fn its_help_names_every_command() {
    let output = Command::new(env!("CARGO_BIN_EXE_sparring-lab"))
        .arg("--help")
        .output()
        .unwrap();
    let help = String::from_utf8(output.stdout).unwrap();
    for command in [
        "match",
        "suite",
        "datagen",
        "tune",
        "train-net",
        "human-fit",
        "human-report",
        "calibrate",
        "style-report",
        "verify-endgames",
    ] {
        assert!(
            help.contains(&format!("\n  {command} ")),
            "{command} is missing:\n{help}"
        );
    }
}

/// The tokens of the daemon's shell are no business of engines from outside.
#[test]
fn engines_from_outside_do_not_see_the_token() {
    let folder = tempfile::tempdir().unwrap();
    let engine = folder.path().join("engine.sh");
    fs::write(
        &engine,
        "#!/bin/sh\necho \"${LICHESS_TOKEN:-nothing}\" > \"$(dirname \"$0\")/seen\"\n",
    )
    .unwrap();
    fs::set_permissions(&engine, fs::Permissions::from_mode(0o700)).unwrap();
    let engine = engine.to_str().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_sparring-lab"))
        .args(["match", engine, engine, "--games", "2", "--tc", "nodes=10"])
        .env("LICHESS_TOKEN", "lip_marked")
        .output()
        .unwrap();
    assert!(!output.status.success(), "it says nothing, so it is no engine");
    let seen = fs::read_to_string(folder.path().join("seen")).unwrap();
    assert_eq!(seen.trim(), "nothing");
}
