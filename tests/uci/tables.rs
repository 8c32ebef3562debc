//! Endgame tables by the option SyzygyPath.

use super::{session::Session, shared::testdata};

/// Queen against rook, the queen to move.
const WON: &str = "position fen 8/8/3k4/8/3r4/8/1K6/3Q4 w - - 0 1";

fn tables() -> Option<String> {
    testdata("syzygy").map(|folder| folder.display().to_string())
}

#[test]
fn tables_are_opened_asked_and_laid_aside() {
    let Some(folder) = tables() else { return };
    let session = Session::start();
    assert_eq!(
        session.refusal(&format!("setoption name SyzygyPath value {folder}")),
        "info string endgame tables: 71 files, of up to 5 pieces"
    );
    let info = |limit: &str| {
        let lines = session.say(WON).say(limit).until("bestmove");
        let told = lines.iter().rev().find(|line| line.starts_with("info depth"));
        told.unwrap().clone()
    };
    let known = info("go depth 4");
    assert!(
        known.contains(" score cp 20000 ") && known.contains(" tbhits "),
        "{known}"
    );
    // A folder that is not there leaves those in force that were.
    let refusal = session.refusal("setoption name SyzygyPath value /nowhere/at/all");
    assert!(
        refusal.starts_with("info string option \"SyzygyPath\" stays as it was: cannot read /nowhere/at/all"),
        "{refusal}"
    );
    assert!(info("go depth 4").contains(" tbhits "));
    // Whoever overlooks things looks into no tables.
    session.say("setoption name BlunderPercent value 20");
    assert!(!info("go depth 4").contains(" tbhits "));
    session.say("setoption name BlunderPercent value 0");
    session.say("setoption name SyzygyPath value <empty>");
    let alone = info("go depth 4");
    assert!(
        !alone.contains(" tbhits ") && !alone.contains(" cp 20000 "),
        "{alone}"
    );
}

#[test]
fn a_level_looks_into_no_tables() {
    let Some(folder) = tables() else { return };
    let session = Session::start();
    session
        .say(&format!("setoption name SyzygyPath value {folder}"))
        .say("setoption name UCI_LimitStrength value true")
        .say("setoption name UCI_Elo value 1500");
    let lines = session.say(WON).say("go depth 4").until("bestmove");
    assert!(lines.iter().all(|line| !line.contains(" tbhits ")), "{lines:?}");
}
