//! What each fuzz target does with its bytes. Plain tests run the same functions over the corpora, so that what was once
//! found stays found on a stable compiler.

use std::{
    collections::HashSet,
    io::{self, Read},
};

use sparring::{
    bot::game_task::{chat_commands, state::GameState},
    config,
};
use sparring_book::{self as book, Notation, ZeroWeights};
use sparring_chess::{
    Color, GameHistory, Games, Pgn, RecordedGame, Rules as _, Variant, parse_fen, write_fen,
};
use sparring_lichess::model::{Event, GameEvent};
use sparring_online::{Source, SourceKind, choose, decode};
use sparring_personality as personality;
use sparring_uci as uci;

/// Bytes as the text that every reader gets: what is no text is refused before.
fn text(data: &[u8]) -> String {
    String::from_utf8_lossy(data).into_owned()
}

/// Lines of the event stream; what is read can be written and read again.
pub fn events(data: &[u8]) {
    for line in text(data).lines() {
        if let Ok(event) = Event::decode(line) {
            let again = serde_json::to_string(&event).expect("what was read can be written");
            assert_eq!(Event::decode(&again).expect("and read again"), event);
        }
    }
}

/// Lines of a game's stream, folded into a game.
pub fn games(data: &[u8]) {
    let me = "bot".parse().expect("a name");
    let mut game: Option<GameState> = None;
    for line in text(data).lines() {
        let Ok(event) = GameEvent::decode(line) else {
            continue;
        };
        match (&mut game, event) {
            (Some(game), event) => {
                let before = game.is_over();
                let step = game.apply(&event);
                assert!(!before || step.is_ok_and(|step| !step.moved && !step.my_turn));
            }
            (None, GameEvent::Full(frame)) => game = GameState::new(*frame, &me).ok(),
            (None, _) => {}
        }
        if let Some(game) = &game {
            assert!(game.line().ply() <= 2000);
        }
    }
}

/// Opening books; what is taken can be written in good order, and says the same again.
pub fn books(data: &[u8]) {
    let text = text(data);
    let (book, findings) = book::parse("fuzz.book", &text);
    let _ = findings.to_string();
    let Some(book) = book else { return };
    assert_eq!(book::write(&book), text);
    for notation in [Notation::AsWritten, Notation::San, Notation::Uci] {
        let written = book::format(&book, notation);
        let again = book::parse("fuzz.book", &written)
            .0
            .expect("what was written can be read");
        assert_eq!((again.rows(), again.positions()), (book.rows(), book.positions()));
        assert_eq!(book::format(&again, notation), written);
    }
}

/// Books of other programs: what is imported is a book of ours. Polyglot books in particular: what is imported is a book of ours. Of what is exported from it, every entry comes back as it is, or is
/// counted as unreached: an entry that cannot be exported may have been the only way to another.
pub fn polyglot(data: &[u8]) {
    for zeros in [ZeroWeights::Drop, ZeroWeights::Keep] {
        for format in book::FORMATS {
            if let Ok(imported) = (format.import)(data, zeros) {
                let (read, findings) = book::parse("fuzz.book", &imported.text);
                assert!(read.is_some(), "{}: {findings}", format.name);
            }
        }
        let Ok(imported) = book::import_polyglot_with(data, zeros) else {
            continue;
        };
        let (read, findings) = book::parse("fuzz.book", &imported.text);
        let read = read.unwrap_or_else(|| panic!("{findings}"));
        let exported = book::export_polyglot(&read);
        let Ok(again) = book::import_polyglot_with(&exported, ZeroWeights::Keep) else {
            continue;
        };
        let left_out = again.left_out;
        assert_eq!((left_out.illegal, left_out.zero, again.repeated), (0, 0, 0));
        assert!(again.is_sorted && again.cut == 0);
        let read = book::parse("fuzz.book", &again.text)
            .0
            .expect("what was imported is a book");
        let back = book::export_polyglot(&read);
        let entries = |bytes: &[u8]| -> HashSet<[u8; 16]> { bytes.as_chunks().0.iter().copied().collect() };
        let (sent, came) = (entries(&exported), entries(&back));
        assert!(came.is_subset(&sent));
        assert_eq!(came.len() + left_out.unreached, sent.len());
    }
}

/// Personalities.
pub fn profiles(data: &[u8]) {
    let (_, findings) = personality::read("fuzz.toml", &text(data));
    let _ = findings.to_string();
}

/// Settings.
pub fn settings(data: &[u8]) {
    let (_, findings) = config::read("bot.toml", &text(data));
    let _ = findings.to_string();
}

/// Positions, and a line of moves from them; what is read can be written and read again.
pub fn positions(data: &[u8]) {
    let text = text(data);
    let (fen, moves) = text.split_once('\n').unwrap_or((&text, ""));
    for variant in Variant::ALL {
        if let Ok(pos) = parse_fen(variant, fen) {
            let again = write_fen(&pos);
            let read = parse_fen(variant, &again).expect("what was written can be read");
            assert_eq!(write_fen(&read), again);
            assert!(pos.legal_moves().len() < 1000);
        }
        let _ = GameHistory::replay(variant, fen, moves);
    }
}

/// Recorded games; whatever is read of one is legal, and what it says of its players can be asked. In whatever pieces the
/// bytes come, the games are the same; and what is read of a game that was spoiled afterwards is how the whole one begins.
pub fn pgn(data: &[u8]) {
    let games = recorded(data, 300);
    for game in &games {
        assert!(game.line.ply() <= 300);
        for side in Color::ALL {
            let _ = (game.rating_of(side), game.name_of(side), game.score_of(side));
        }
    }
    let in_pieces = recorded(Drops(data), 300);
    assert_eq!(games.len(), in_pieces.len());
    for (one, other) in games.iter().zip(in_pieces) {
        let facts = |game: &RecordedGame| (game.number, game.tags.clone(), game.broken.clone());
        assert_eq!(facts(one), facts(&other));
        assert_eq!(one.line.moves(), other.line.moves());
    }
    for game in games.iter().take(3) {
        spoiled_games_begin_as_the_whole(&game.line, data.len());
    }
}

/// Gives one byte at a time.
struct Drops<'b>(&'b [u8]);

impl Read for Drops<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(&mut buffer[..1])
    }
}

fn recorded(stream: impl Read, plies: usize) -> Vec<RecordedGame> {
    let mut games = Games::new(stream, plies);
    std::iter::from_fn(|| games.next_game().expect("memory can be read")).collect()
}

/// Writes a game, and reads it whole, with a word that is no move, without one of its moves, and cut.
fn spoiled_games_begin_as_the_whole(line: &GameHistory, salt: usize) {
    let written = Pgn {
        line,
        tags: Vec::new(),
        comments: Vec::new(),
        result: "*",
        width: None,
    };
    let header = written.header() + "\n";
    let text = written.movetext();
    let words: Vec<&str> = text.split(' ').collect();
    let read = |words: &[&str]| {
        let mut games = recorded((header.clone() + &words.join(" ")).as_bytes(), 1000);
        assert_eq!(games.len(), 1, "{header}{words:?}");
        games.remove(0)
    };
    let whole = read(&words);
    assert_eq!(whole.line.moves(), line.moves(), "{header}{text}");
    assert_eq!(whole.broken, None, "{header}{text}");
    let places: Vec<usize> = (0..words.len()).filter(|at| !words[*at].ends_with('.')).collect();
    let ply = salt % places.len();
    let at = places[ply];
    let mut spoiled = words.clone();
    spoiled.insert(at, "hello");
    let with_junk = read(&spoiled);
    assert_eq!(
        with_junk.line.moves(),
        &line.moves()[..ply],
        "{header}{spoiled:?}"
    );
    assert!(with_junk.broken.is_some());
    if words[at..].iter().any(|word| word.ends_with('.')) {
        spoiled = words.clone();
        spoiled.remove(at);
        let without_move = read(&spoiled);
        assert!(
            line.moves().starts_with(without_move.line.moves()),
            "{header}{spoiled:?}"
        );
        assert!(without_move.broken.is_some(), "{header}{spoiled:?}");
    }
    let end = salt * 7 % text.len();
    let cut = read(&[&text[..end]]);
    assert!(
        line.moves().starts_with(cut.line.moves()),
        "{header}{}",
        &text[..end]
    );
}

/// Chat: a command or nothing, never a panic.
pub fn commands(data: &[u8]) {
    let _ = chat_commands::read(&text(data));
}

/// A session in UCI. Searches are kept short by a limit that every `go` gets beside its own; what reads or writes files,
/// takes much memory, or takes long, is left out.
pub fn sessions(data: &[u8]) {
    // "nodes" would come after the limit that a `go` gets, and the last one counts.
    const HARMFUL: [&str; 8] = [
        "bench", "perft", "hash", "threads", "file", "log", "delay", "nodes",
    ];
    let text = text(data);
    let harmless = |line: &&str| {
        let line = line.to_ascii_lowercase();
        !HARMFUL.iter().any(|word| line.contains(word))
    };
    let mut session = String::new();
    for line in text.lines().filter(harmless).take(40) {
        match line.trim_start().strip_prefix("go") {
            Some(limits) => session += &format!("go nodes 50 {limits}\n"),
            None => session += &format!("{line}\n"),
        }
    }
    session.push_str("quit\n");
    let mut said = Vec::new();
    uci::run(session.as_bytes(), &mut said).expect("reading and writing memory cannot fail");
}

/// Answers of online sources; whatever is drawn from one is legal.
pub fn answers(data: &[u8]) {
    let line = GameHistory::new(Variant::Standard);
    for kind in SourceKind::ALL {
        let Ok(answer) = decode(kind, line.position(), data) else {
            continue;
        };
        let source = Source::new("x", kind);
        if let Some(choice) = choose(&source, &answer, &line, book::SelectionPolicy::ByWeight, 1, &[]) {
            assert!(line.position().is_legal(choice.mv));
            assert!(
                choice
                    .chances
                    .iter()
                    .all(|(_, chance)| *chance > 0.0 && *chance <= 1.0)
            );
        }
    }
}
