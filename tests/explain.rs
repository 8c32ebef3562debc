//! `sparring explain`: what people read about personalities, levels and settings.

#[path = "../src/store/test_fixtures.rs"]
mod sample;

use std::{
    path::Path,
    process::{Command, Output},
};

use sparring::{
    cli::explain::{explain_level, explain_profile, explain_settings},
    store::{Archive, ChallengeRecord, End, GameRecord, RequestedPersona},
};
use sparring_chess::units::{Elo, Millis};
use sparring_lichess::model::Side;

#[test]
fn a_level_shows_every_knob_and_what_it_was_measured_against() {
    insta::assert_snapshot!(explain_level(Elo(1400)), @r#"
    Level 1400, on the scale of lichess ratings: measured against engines, not against people
    In chess
      rating             1400  of the people whose choice of moves it makes its own
      sharpness          1.00  power that the chances of their moves are raised to
      vigilance          none  share of the moves that it takes care with, less once the game is decided
      focus              none  the power with care, instead of sharpness
      margin             none  points of winning chances that a move may lose with care
      nodes              none  positions looked at to check the chosen move
      depth                 4  half moves looked ahead, exchanges excepted
      noise              0 cp  spread of errors in judging a position
      blunder-rate      0.000  chance to overlook a kind of move
      book-plies           10  half moves of the game from books
    In other variants (not calibrated)
      nodes              2500  positions looked at for a move
      depth                 4  half moves looked ahead, exchanges excepted
      noise             50 cp  spread of errors in judging a position
      blunder-rate      0.091  chance to overlook a kind of move
      book-plies           10  half moves of the game from books
    "#);
}

#[test]
fn a_personality_shows_its_knobs_and_every_key_with_its_source() {
    let text = "title = \"Tim\"\nabout = \"Loves knights.\"\nlevel = 900\nnoise = 30\nbooks = [\"beginner\"]\n\n[chat]\nwon = \"gg\"\n";
    insta::assert_snapshot!(explain_profile("personalities/tim.toml", text).unwrap(), @r#"
    tim: Tim
    Loves knights.

    Strength (level 900, measured against engines, not against people; keys set by hand override it)
      rating              787  of the people whose choice of moves it makes its own
      sharpness          0.96  power that the chances of their moves are raised to
      vigilance          none  share of the moves that it takes care with, less once the game is decided
      focus              none  the power with care, instead of sharpness
      margin             none  points of winning chances that a move may lose with care
      nodes              none  positions looked at to check the chosen move
      depth                 4  half moves looked ahead, exchanges excepted
      noise             30 cp  spread of errors in judging a position
      blunder-rate      0.000  chance to overlook a kind of move
      book-plies            6  half moves of the game from books

    Keys of personalities/tim.toml
      title = "Tim"  (personalities/tim.toml:1)
          What people see.
      about = "Loves knights."  (personalities/tim.toml:2)
          One honest sentence about how it plays.
      mode = "normal"  (default)
          "power" opens the sections [search] and [eval]: every number of the engine by its name.
      level = 900  (personalities/tim.toml:3)
          Plays about as well as a lichess player of this rating. Measured against engines, not against people. By the opponent's rating or the last game only in casual games where it is known; else 1500, or the middle of the range.
      engine = the one inside the program  (left out)
          An external engine of bot.toml, [engine.NAME], that searches for it. Books, delay, chat, draws and resigning stay its own; `level` sets UCI_Elo where the engine has it, and `[style]` chooses among its lines where it has MultiPV.
      network = Sparring's own, at its level  (left out)
          A network's file in this folder, in lc0's format (as Maia's, .pb.gz) or Sparring's own. The likeliest move is played; `level` then says how long it thinks and stays in its books. A level that an opponent asks for is played without it.
      nodes = as the level says  (left out)
          Looks at so many positions for a move, whatever the machine. Fewer is weaker.
      depth = as the level says  (left out)
          Looks no further ahead than this, exchanges excepted.
      noise = 30  (personalities/tim.toml:4)
          Misjudges positions by about this much, the same position in the same game always alike.
      blunder-rate = as the level says  (left out)
          Chance to overlook a kind of move while thinking. Recaptures, pawn captures, what hangs and ways out of check are always seen.
      delay = "off"  (default)
          How long it seems to think. A clock that runs low always cuts it short.
      tempo = 1.0  (default)
          Factor on the think times of delay = "human": 0.5 is quick, 2.0 is slow.
      books = ["beginner"]  (personalities/tim.toml:5)
          Books it opens from, and online sources of bot.toml; the first that is for such a game and knows the position decides.
      books-white = as `books`  (left out)
          Books it opens from as White.
      books-black = as `books`  (left out)
          Books it opens from as Black.
      book-choice = "weight"  (default)
          How it draws among the moves of a book: by their weights, always the heaviest, or all alike.
      book-temperature = 1.0  (default)
          Below 1.0 heavy moves come up more often than they weigh, above 1.0 light ones do.
      book-verify = trusts its books  (left out)
          Plays no move of a book that a short search finds this much worse than the best move.
      book-plies = as the level says, or to the book's end at full strength  (left out)
          Leaves its books after this many half moves of the game.
      resign-behind = never resigns  (left out)
          Resigns when it stands this much worse.
      resign-moves = 5  (default)
          How many own moves in a row it must stand that badly.
      draw-within = takes no draws  (left out)
          Takes an offered draw when the score was no better for it than this; in rated games from move 31 on.
      draw-moves = 5  (default)
          How many own moves in a row the score must have been that level.
      draw-offers-people = false  (default)
          Offers draws to people too, where draw-within says when; bots are offered them anyway.
      takebacks = 3  (default)
          Takebacks it grants in a casual game. In rated games it grants none.
      rematches = as many as anybody likes  (left out)
          Rematches it plays in a row with the same opponent; who wants more is asked to come later.
      style.attack = 0  (default)
          -2 leaves the other king alone, 2 brings everything against it: pieces, checks, pawns.
      style.shelter = 0  (default)
          -2 does not mind a bare king, 2 keeps pieces and pawns before its own.
      style.castling = 0  (default)
          -2 leaves its king in the middle, 2 castles as soon as it can.
      style.greed = 0  (default)
          -2 lets material lie, 2 takes whatever can be taken.
      style.trades = 0  (default)
          -2 keeps pieces on the board, 2 exchanges them wherever it can.
      style.pawns = 0  (default)
          -2 moves pieces rather than pawns, 2 pushes pawns.
      style.openness = 0  (default)
          -2 keeps files and diagonals shut, 2 opens them.
      style.queen = 0  (default)
          -2 leaves the queen at home, 2 brings it out early and often.
      style.endgames = 0  (default)
          -2 keeps the queens on, 2 exchanges them early.
      style.risk = 0  (default)
          -2 gives nothing away and likes a draw, 2 offers material where it costs little and shuns draws.
      style.misses = []  (default)
          What it tends to overlook where a level chooses as people do: moves by knights, backward moves, moves of four squares or more, or the rescue of a piece. It errs no more than others of its level, but there.
      chat.enabled = true  (default)
          Whether it says anything at all.
      chat.greeting = "Hello {opponent}, I am {me} ({level}). Have fun!"  (default)
          Said when a game begins.
      chat.won = "gg"  (personalities/tim.toml:8)
          Said after a win.
      chat.lost = "Well played, {opponent}!"  (default)
          Said after a loss.
      chat.drawn = "A fair result. Thank you, {opponent}."  (default)
          Said after a draw.
      chat.takeback-granted = "Sure, take it back."  (default)
          Said when it grants a takeback.
      chat.takeback-refused = "Sorry, no more takebacks in this game."  (default)
          Said when it refuses a takeback.
      chat.draw-refused = "I would like to play on."  (default)
          Said when it refuses a draw.
      chat.greeting-spectators = "Hello all, I am {me} ({level}). !help tells what I answer here."  (default)
          Said to spectators when a game begins, if spectators = true in [chat] of bot.toml.
      chat.farewell-spectators = "Thanks for watching."  (default)
          Said to spectators when a game is over, likewise.
    "#);
}

#[test]
fn a_broken_personality_is_not_explained_but_told_of() {
    let findings = explain_profile("tim.toml", "level = 1\n").unwrap_err();
    assert!(
        findings
            .to_string()
            .starts_with("tim.toml:1:9: error: level: 1 is less than 600")
    );
}

#[test]
fn settings_show_where_each_value_comes_from() {
    let said = explain_settings("bot.toml", "[games]\nmax = 3\n").unwrap();
    assert!(said.contains("  games.max = 3  (bot.toml:2)\n"), "{said}");
    assert!(
        said.contains("  games.shutdown-timeout = \"5m\"  (default)\n"),
        "{said}"
    );
    assert!(
        said.contains("  play.level = the personality's own strength  (left out)\n"),
        "{said}"
    );
}

fn sparring(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sparring"));
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    command.arg("explain").args(arguments).current_dir(root);
    command.output().unwrap()
}

#[test]
fn the_command_explains_who_is_there_and_suggests_who_was_meant() {
    let everybody = String::from_utf8(sparring(&[]).stdout).unwrap();
    assert!(
        everybody.contains("full-strength   Full strength (full strength)\n"),
        "{everybody}"
    );
    let club = sparring(&["club"]);
    assert_eq!(club.status.code(), Some(0));
    assert!(
        String::from_utf8(club.stdout)
            .unwrap()
            .starts_with("club: Clara from the club\n")
    );
    let typo = sparring(&["clbu"]);
    assert_eq!(typo.status.code(), Some(2));
    assert_eq!(
        String::from_utf8(typo.stderr).unwrap(),
        "sparring: there is no personality \"clbu\"; did you mean \"club\"?\n"
    );
    let level = sparring(&["level", "300"]);
    assert_eq!(
        String::from_utf8(level.stderr).unwrap(),
        "sparring: \"300\" is not a level; write a whole number from 600 to 2800\n"
    );
}

#[test]
fn a_challenge_is_judged_rule_by_rule() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("bot.toml");
    std::fs::write(
        &config,
        "[[rule]]\nname = \"no bots\"\nfrom = \"bots\"\nthen = \"decline\"\n[[rule]]\nmax-rating = 1100\nlevel = 900\n\
         [[rule]]\nspeeds = [\"blitz\"]\nthen = \"accept\"\n",
    )
    .unwrap();
    let config = config.to_str().unwrap();
    let explain = |arguments: &[&str]| {
        let output = sparring(&[&["challenge", "--config", config], arguments].concat());
        let text = if output.status.success() {
            output.stdout
        } else {
            output.stderr
        };
        String::from_utf8(text).unwrap()
    };
    insta::assert_snapshot!(explain(&["--user", "Ana", "--rating", "1050", "--clock", "3+2"]), @r#"
    Ana (1050): casual blitz 3+2, standard
      rule 1 "no bots", line 1: does not fit, from: this is a human
      rule 2, line 5: fits, and says how to play
      rule 3, line 8: fits, and decides
    Accepted if there is a slot (rule 3, line 8)
      Played by club, level 900; books: starter
    "#);
    insta::assert_snapshot!(explain(&["--user", "X", "--bot", "--clock", "10+0"]), @r#"
    BOT X: casual rapid 10+0, standard
      rule 1 "no bots", line 1: fits, and decides
      rule 2, line 5: does not fit, rating: unknown
      rule 3, line 8: does not fit, speeds: it is rapid
    Declined, noBot (rule 1 "no bots", line 1)
      The challenger reads: "I'm not accepting challenges from bots."
    "#);
    insta::assert_snapshot!(explain(&["--user", "Ana", "--days", "2"]), @r#"
    Ana: casual correspondence 2 days a move, standard
      rule 1 "no bots", line 1: does not fit, from: this is a human
      rule 2, line 5: does not fit, rating: unknown
      rule 3, line 8: does not fit, speeds: it is correspondence
    Declined, tooSlow (no rule decides: what has a clock is welcome, games of days are not)
      The challenger reads: "This time control is too slow for me, please challenge again with a faster game."
    "#);
    insta::assert_snapshot!(explain(&["--user", "Old", "--clock", "10+0"]), @r#"
    Old: casual rapid 10+0, standard
      rule 1 "no bots", line 1: does not fit, from: this is a human
      rule 2, line 5: does not fit, rating: unknown
      rule 3, line 8: does not fit, speeds: it is rapid
    Accepted when there is a slot (no rule decides: what has a clock is welcome, games of days are not)
      Played by club, level 1500; books: starter
    "#);
    let said = explain(&["--user", "Ana", "--unlimited"]);
    assert!(
        said.contains("casual correspondence no clock, standard\n"),
        "{said}"
    );
    insta::assert_snapshot!(explain(&["--user", "../x"]), @r#"sparring: "../x" is not a user id"#);
    insta::assert_snapshot!(explain(&[]), @r#"sparring: name a file with a challenge, or put one together with --user NAME"#);
}

#[test]
fn who_follows_the_opponent_is_told_at_that_level_and_a_file_that_cannot_be_read_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let cast = folder.path().join("personalities");
    std::fs::create_dir(&cast).unwrap();
    let echo = "title = \"Echo\"\nabout = \"As strong as you.\"\nlevel = \"opponent\"\nbooks = []\n";
    std::fs::write(cast.join("echo.toml"), echo).unwrap();
    std::fs::write(cast.join("old.toml"), b"title = \"M\xfcller\"\n").unwrap();
    let config = folder.path().join("bot.toml");
    std::fs::write(&config, "[play]\npersonality = \"echo\"\n").unwrap();
    let config = config.to_str().unwrap();
    let said = |arguments: &[&str]| {
        let output = sparring(&[arguments, &["--config", config]].concat());
        let streams = [output.stdout, output.stderr];
        streams.map(|stream| String::from_utf8(stream).unwrap()).concat()
    };
    let challenge = ["challenge", "--user", "Ana", "--rating", "1900", "--clock", "3+2"];
    let followed = "Played by echo, level 1900, as the personality follows the opponent; no books";
    assert!(said(&challenge).contains(followed), "{}", said(&challenge));
    let rated = said(&[&challenge[..], &["--rated"]].concat());
    assert!(rated.contains("Played by echo, level 1500; no books"), "{rated}");
    let all = said(&[]);
    assert!(
        all.contains("echo") && all.contains("old.toml cannot be used"),
        "{all}"
    );
    let old = said(&["old"]);
    assert!(old.contains("cannot read") && old.contains("old.toml"), "{old}");
    let nowhere = sparring(&["settings", "--config", "nowhere.toml"]);
    let complaint = String::from_utf8(nowhere.stderr).unwrap();
    assert!(complaint.contains("cannot read nowhere.toml: "), "{complaint}");
}

#[test]
fn a_rule_below_the_deciding_one_is_told_if_it_says_how_to_play() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("bot.toml");
    let text = "[[rule]]\nprovisional = true\nthen = \"queue\"\n\
                [[rule]]\npersonality = \"attacker\"\nthen = \"accept\"\n[[rule]]\nthen = \"decline\"\n";
    std::fs::write(&config, text).unwrap();
    let config = config.to_str().unwrap();
    let made = ["--user", "Ana", "--rating", "1500", "--provisional"];
    let output = sparring(&[&["challenge", "--config", config], &made[..]].concat());
    insta::assert_snapshot!(String::from_utf8(output.stdout).unwrap(), @r#"
    Ana (1500): casual blitz 5+3, standard
      rule 1, line 1: fits, and decides
      rule 2, line 4: fits, and says how to play, but something above decides
      rule 3, line 7: fits, but something above decides
    Accepted when there is a slot (rule 1, line 1)
      Played by attacker, level 1800; books: gambits, main
    "#);
}

#[test]
fn a_challenge_of_lichess_is_read_alone_or_in_its_event() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("challenge.json");
    let challenge = r#"{"id":"abcd1234","challenger":{"id":"ana","name":"Ana","rating":1500},"variant":{"key":"fogOfWar"},
        "speed":"blitz","timeControl":{"type":"clock","limit":180,"increment":0}}"#;
    for text in [
        challenge.to_owned(),
        format!(r#"{{"type":"challenge","challenge":{challenge}}}"#),
    ] {
        std::fs::write(&path, text).unwrap();
        let said = sparring(&["challenge", path.to_str().unwrap()]);
        let said = String::from_utf8(said.stdout).unwrap();
        assert!(
            said.contains("Declined, variant (this variant is not known here)"),
            "{said}"
        );
    }
    std::fs::write(&path, "{}").unwrap();
    let said = sparring(&["challenge", path.to_str().unwrap()]);
    assert_eq!(said.status.code(), Some(1));
    assert!(
        String::from_utf8(said.stderr)
            .unwrap()
            .contains("holds no challenge")
    );
}

#[test]
fn a_level_that_goes_on_from_the_last_game_is_told_with_its_rule() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("bot.toml");
    let text = "[[rule]]\nmin-last-level = 1300\npersonality = \"attacker\"\n\
                [[rule]]\nname = \"as before\"\nlevel = \"last\"\n[[rule]]\nlevel = 900\n";
    std::fs::write(&config, text).unwrap();
    let game = GameRecord {
        rated: false,
        played: Some(Elo(1230)),
        end: sample::end("mate", Some(Side::Black), ""),
        ..sample::game("game0001", Side::White)
    };
    let state = folder.path().join("state");
    std::fs::create_dir(&state).unwrap();
    Archive::open(&state.join("archive.db"))
        .unwrap()
        .put_game(&game)
        .unwrap();
    let explain = |arguments: &[&str]| {
        let output = sparring(&[&["challenge", "--config", config.to_str().unwrap()], arguments].concat());
        String::from_utf8([output.stdout, output.stderr].concat()).unwrap()
    };
    insta::assert_snapshot!(explain(&["--user", "Ana", "--clock", "3+2"]), @r#"
    Ana: casual blitz 3+2, standard
      rule 1, line 1: does not fit, last-level: it was 1230
      rule 2 "as before", line 4: fits, and says how to play
      rule 3, line 7: fits, and says how to play
    Accepted when there is a slot (no rule decides: what has a clock is welcome, games of days are not)
      Played by club, level 1230 as in the last casual game (rule 2 "as before", line 4); books: starter
    "#);
    let said = explain(&["--user", "Ana", "--clock", "3+2", "--last-level", "1310"]);
    assert!(
        said.contains("Played by attacker, level 1310 as in the last casual game (rule 2"),
        "{said}"
    );
    for none in [
        &["--user", "Boris", "--clock", "3+2"][..],
        &["--user", "Ana", "--rated", "--clock", "3+2"],
    ] {
        let said = explain(none);
        assert!(said.contains("Played by club, level 900; books"), "{said}");
    }
}

#[test]
fn a_challenge_is_judged_by_what_the_archive_and_the_kept_lists_know() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::write(
        at("bot.toml"),
        "[play]\npersonality = \"choosy\"\n[[list]]\nname = \"blocked\"\nurl = \"https://a.example/blocked\"\n\
         [[list]]\nname = \"cheats\"\nurl = \"https://a.example/cheats\"\n\
         [[rule]]\nlists = [\"blocked\", \"cheats\"]\nthen = \"decline\"\n\
         [[rule]]\nmin-played-today = 1\nmax-score = 60\nthen = \"decline\"\nreason = \"later\"\n",
    )
    .unwrap();
    std::fs::create_dir_all(at("state/lists")).unwrap();
    std::fs::create_dir(at("personalities")).unwrap();
    std::fs::write(at("personalities/choosy.toml"), "rematches = 1\n").unwrap();
    let kept = "# address: https://a.example/blocked\n# etag: \nBoris\n";
    std::fs::write(at("state/lists/blocked.txt"), kept).unwrap();
    let now = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap();
    let now = Millis::from(now);
    let archive = Archive::open(&at("state/archive.db")).unwrap();
    let game = GameRecord {
        began: now,
        end: sample::end("mate", Some(Side::Black), ""),
        ..sample::game("game0002", Side::White)
    };
    archive.put_game(&game).unwrap();
    let rematch = ChallengeRecord {
        id: "game0002".parse().unwrap(),
        at: now,
        opponent: "ana".parse().ok(),
        verdict: "accepted when there is a slot".to_owned(),
        rule: "no rule".to_owned(),
        sent: false,
        game: None,
        repeats: "game0001".parse().ok(),
    };
    archive.put_challenge(&rematch).unwrap();
    archive
        .put_limit("bot.vsBot.day", now + Millis::from_secs(3600))
        .unwrap();
    let wish = RequestedPersona {
        personality: None,
        level: Some(Elo(2700)),
    };
    for user in ["clara", "dora"] {
        archive
            .put_requested_persona(&user.parse().unwrap(), &wish, now)
            .unwrap();
    }
    drop(archive);
    let config = at("bot.toml");
    let explain = |arguments: &[&str]| {
        let output = sparring(&[&["challenge", "--config", config.to_str().unwrap()], arguments].concat());
        String::from_utf8([output.stdout, output.stderr].concat()).unwrap()
    };
    let said = explain(&["--user", "Boris"]);
    assert!(said.contains("Declined, generic (rule 1"), "{said}");
    let unknown = "The list \"cheats\" was not fetched";
    assert!(
        said.contains(unknown) && !said.contains("list \"blocked\""),
        "{said}"
    );
    let said = explain(&["--user", "Ana"]);
    assert!(said.contains("Declined, later (rule 2"), "{said}");
    let said = explain(&["--user", "Ana", "--games-ever", "4", "--score", "75"]);
    assert!(said.contains("Accepted when there is a slot"), "{said}");
    let said = explain(&["--user", "Clara", "--bot"]);
    assert!(
        said.contains("But lichess has said that the games of the day with bots"),
        "{said}"
    );
    let promised = "asked for level 2700 by chat: so it will be";
    assert!(explain(&["--user", "Dora"]).contains(promised));
    assert!(!explain(&["--user", "Dora", "--rated"]).contains(promised));
    std::fs::write(
        &config,
        std::fs::read_to_string(&config).unwrap() + "[chat]\nmax-level = 1200\n",
    )
    .unwrap();
    assert!(!explain(&["--user", "Dora"]).contains(promised));
    let challenge = at("challenge.json");
    let again = r#"{"id":"game0003","challenger":{"id":"clara","name":"Clara"},"variant":{"key":"standard"},"speed":"blitz",
        "timeControl":{"type":"clock","limit":300,"increment":3},"rematchOf":"game0002"}"#;
    std::fs::write(&challenge, again).unwrap();
    let said = explain(&[challenge.to_str().unwrap()]);
    assert!(
        said.contains("But 1 rematches in a row are enough for choosy"),
        "{said}"
    );
}
