//! The program `sparring-testkit` as its users start it.

use std::process::Command;

#[test]
fn its_help_names_every_command() {
    let output = Command::new(env!("CARGO_BIN_EXE_sparring-testkit"))
        .arg("--help")
        .output()
        .unwrap();
    let help = String::from_utf8(output.stdout).unwrap();
    for command in ["bench-daemon", "soak", "push-kills"] {
        assert!(
            help.contains(&format!("\n  {command} ")),
            "{command} is missing:\n{help}"
        );
    }
}
