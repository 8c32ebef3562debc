//! The catalogue of faults: each has its tests, and the page that lists them is true.

mod generated;
mod sources;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use generated::{check_block, table};
use sources::{product_sources, sources};

/// What can go wrong, and what the daemon does then, by number: the first is F1. `make docs` writes them to docs/reliability.md.
const FAULTS: [(&str, &str); 54] = [
    // F1
    (
        "a line is cut in the middle, then the stream ends or goes on",
        "drops the fragment, opens again also where it was a game's stream that goes on, goes on from what the server shows",
    ),
    // F2
    (
        "lines in any pieces, CRLF, split characters",
        "reads them as they are",
    ),
    // F3
    (
        "half-open connection: no bytes, no end",
        "gives the event stream up after 15 s of silence, a game's after 10 s, and opens each on a new connection, a game's again after 2 s (then 4, 8 and 10, or twice what it took last) when it opens to silence; a call without an answer in time is the last on the connections of then",
    ),
    // F4
    (
        "keep-alives stop; or nothing but keep-alives for an hour",
        "as F3; stays",
    ),
    // F5
    (
        "connection reset or refused for long",
        "tries again after 0.25 s, doubling to 10 s; for a game after 0.05 s, doubling to 2 s, and from the start again once a stream has lived; the engine thinks on",
    ),
    // F6
    (
        "the event stream closes as soon as it is open",
        "opens it at most 24 times in ten minutes, whatever it rested in between",
    ),
    // F7
    (
        "a second program uses the token or the account",
        "one on this machine: ends with code 75, which systemd starts again, and says so; whoever else on the machine holds the socket proves nothing and is ignored. One elsewhere, with the same token: after 12 streams in a row that were taken over, leaves the stream alone for up to 30 s, then twice as long each time, up to 10 min (each by chance as little as seven tenths of it), warns and counts it; games go on",
    ),
    // F8
    (
        "429 with a number of seconds",
        "keeps that class of calls silent for so long; challenges wait, games go on; the stream of a game waits a quarter of the clock at most. Over a restart too what was asked of challenges, of lists of bots and arenas, of the event stream and of the log-in. Not what was asked of a game (its list, commands and chat): who comes back to a running clock asks once more",
    ),
    // F9
    (
        "429 with Retry-After as seconds or date, or without any figure, any body",
        "the header, a day at most; else a minute, doubling to a quarter of an hour",
    ),
    // F10
    (
        "429 on a move",
        "sends the same move again after 1 s, 2 s, 4 s, never later than a quarter of the clock; chat, invitations and lists of bots and arenas are silent for as long as F8 and F9 say, and no other call is",
    ),
    // F11
    (
        "the games of the day between bots are played, mine or theirs",
        "no bots for so long, neither asked nor accepted; or that opponent alone is left alone",
    ),
    // F12
    (
        "500, 502, 503, 504 with any body; after the log-in also 3xx and 4xx without lichess' own JSON",
        "looks at the stream, then sends the same move again; streams are opened again, and the list of running games is asked for again; challenges are answered again, those of its own taken back again, arenas left again; events that lichess itself refuses after 1 s, doubling to 60 s, and the token is asked about",
    ),
    // F13
    (
        "200 with a page instead of JSON, or with another kind of content on a stream",
        "a failure of that call, told with its first 200 bytes or its kind, without them where they repeat the token",
    ),
    // F14
    (
        "a move hangs, or its answer is lost",
        "gives the request up within a quarter of the clock; the stream decides",
    ),
    // F15
    (
        "400 \"Not your turn\" for a move that was played",
        "no error if the stream shows it",
    ),
    // F16
    (
        "400 by lichess itself for a move that is legal",
        "looks, sends it once more after a second if the clock allows, then aborts or resigns; logs position and moves",
    ),
    // F17
    (
        "the token is taken back",
        "looks whether it is still good, whatever call was refused; if not, ends with code 77; nothing is repeated",
    ),
    // F18
    ("gameStart twice, or after each reconnection", "one task a game"),
    // F19
    (
        "gameStart for a game that is over",
        "takes note of the result, which counts once, says nothing",
    ),
    // F20
    (
        "a game that bots may not play, an unknown variant or speed",
        "not opened; aborted or resigned; played all the same",
    ),
    // F21
    (
        "gameFinish without a final state, or the other way round",
        "either ends the game; how it ended is looked for once more, so that it is kept",
    ),
    // F22
    ("the final state twice", "the second changes nothing"),
    // F23
    (
        "states are lost: several plies at once",
        "takes in what is missing, answers once",
    ),
    // F24
    (
        "the list of moves shrinks or differs in the middle",
        "stops thinking, decides anew",
    ),
    // F25
    ("the same moves again", "no second move"),
    // F26
    ("a draw flag that stands on the declining move", "no new offer"),
    // F27
    (
        "offers while thinking, two at once",
        "answers them; the thought goes on unless the position changes",
    ),
    // F28
    (
        "the game ends while thinking, or a move crosses the end",
        "sends nothing more; a refusal then is normal",
    ),
    // F29
    (
        "clocks that jump, are 0, negative, null or huge",
        "believes the newest within reason, in the middle of a thought too; empty means at once",
    ),
    // F30
    (
        "a stream that begins with something else, or not at all",
        "waits 10 s for the frame, then opens again",
    ),
    // F31
    (
        "unknown events and fields, missing ones, wrong types",
        "takes a field that decides nothing and does not fit as missing, and reads numbers whole; declines a challenge of which clock or variant makes no sense; skips other lines, counts them in `sparring_lines_skipped_total`, asks a game's stream again for what may have been a state, ten times in 20 s at most",
    ),
    // F32
    (
        "chat of any kind and amount",
        "no effect on play; escaped in the log, answered once in 3 s and ten times a minute in all games together, never echoed",
    ),
    // F33
    ("our own lines and those of lichess", "never answered"),
    // F34
    (
        "anonymous opponents, lichess' computer",
        "played, by whom the settings name and at that personality's own level where the level follows the opponent's rating",
    ),
    // F35
    (
        "accepting: refused, or no game comes",
        "frees the seat; looks at the list of running games",
    ),
    // F36
    ("accepting: an unclear answer, but the game comes", "plays it"),
    // F37
    (
        "more games than seats",
        "plays them all, each shorter; accepts nothing new",
    ),
    // F38
    (
        "a challenge twice, taken back, a rematch",
        "once; forgotten; like any challenge",
    ),
    // F39
    (
        "fifty challenges at once",
        "decides each once, declines two a second",
    ),
    // F40
    (
        "a challenge that waited too long, a challenger who never comes",
        "told to come later; aborted",
    ),
    // F41
    (
        "the opponent never moves, leaves, comes back",
        "aborts by our own clock; claims at 0 when it is not our turn, a draw if we cannot win; stops when he is back",
    ),
    // F42
    (
        "a claim is refused or has no effect",
        "claims again and again, at most once in 4.5 s",
    ),
    // F43
    (
        "the server restarts in the middle of games",
        "opens everything again, goes on, accepts what was aborted",
    ),
    // F44
    (
        "the daemon is killed on its own turn with 3 s left",
        "the next one moves within a second",
    ),
    // F45
    (
        "another client takes the game's stream over",
        "takes it back; if that goes on, warns and counts it, and plays on",
    ),
    // F46
    (
        "a slow server, bytes one by one",
        "one request for a move at a time; keeps what trips really take off the clock",
    ),
    // F47
    (
        "a move is sent in time and the flag falls all the same",
        "a loss; 100 ms more are kept off the clock in later games, at most 1 s",
    ),
    // F48
    ("castling in the other spelling", "the same position"),
    // F49
    (
        "games from odd or impossible positions",
        "the right side moves; the impossible is aborted or resigned",
    ),
    // F50
    (
        "600 plies, lines of 64 KiB",
        "plays on, no slower; lines over 256 KiB cost only themselves",
    ),
    // F51
    (
        "the clock of the machine is set",
        "only dates come from it; a limit that is kept over a restart lasts a day at most, and rows dated more than ten minutes ahead count as nothing of now",
    ),
    // F52
    (
        "disk full, at the start too, archive damaged, taken away or replaced, log unwritable or not read, books, personalities or settings spoiled during a game",
        "plays on with the last good ones, and writes what waited once there is room; sets a damaged archive aside, begins a new one, brings over what can be read and says so once; after a restart plays the games of the last run by the last good settings and at their level, declines new ones, and ends with code 78 when they are over",
    ),
    // F53
    (
        "a redirect, a certificate for another host",
        "refused, named (after the log-in: as F12); the token goes nowhere else",
    ),
    // F54
    (
        "a crowd at the dashboard: sockets that ask nothing, clients that ask for the costliest pages without end or read no answer, pages of other sites",
        "keeps 64 connections, ends those that are needed least, answers one costly question at a time beside the games, leaves the last descriptors to them, and its owner gets in",
    ),
];

/// The numbers that a test's name begins with: `f2_f46_bytes` gives 2 and 46.
fn numbers(name: &str) -> Vec<u32> {
    let number = |part: &str| part.strip_prefix('f')?.parse().ok();
    name.split('_').map_while(number).collect()
}

/// Every test that names a fault, with the faults it names.
fn tests() -> BTreeMap<String, Vec<u32>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = product_sources();
    files.extend(sources(&root.join("tests")));
    let mut tests = BTreeMap::new();
    for path in files {
        let source = fs::read_to_string(path).unwrap();
        let mut is_test = false;
        for line in source.lines().map(str::trim_start) {
            let name = line
                .strip_prefix("async fn ")
                .or_else(|| line.strip_prefix("fn "));
            if let Some(name) = name.and_then(|rest| rest.split('(').next()).filter(|_| is_test) {
                let faults = numbers(name);
                if !faults.is_empty() {
                    let before = tests.insert(name.to_owned(), faults);
                    assert_eq!(before, None, "two tests are called {name}");
                }
            }
            let is_attribute = line.starts_with("#[");
            is_test =
                line.starts_with("#[test]") || line.starts_with("#[tokio::test") || (is_test && is_attribute);
            // Inside proptest the attribute and the name are indented, but look the same.
        }
    }
    tests
}

#[test]
fn every_fault_has_its_tests_and_the_page_lists_them_all() {
    let tests = tests();
    let named: BTreeSet<u32> = tests.values().flatten().copied().collect();
    let numbered = (1..).zip(FAULTS);
    let rows = numbered.map(|(fault, (what, reaction))| {
        let its_tests = tests.iter().filter(|(_, faults)| faults.contains(&fault));
        let names: Vec<String> = its_tests.map(|(name, _)| format!("`{name}`")).collect();
        assert!(!names.is_empty(), "F{fault} has no test");
        vec![
            format!("F{fault}"),
            what.to_owned(),
            reaction.to_owned(),
            names.join(", "),
        ]
    });
    let table = table(
        &["fault", "what goes wrong", "what the daemon does", "tests"],
        rows,
    );
    let unknown: Vec<&u32> = named
        .iter()
        .filter(|fault| !(1..=FAULTS.len()).contains(&(**fault as usize)))
        .collect();
    assert!(
        unknown.is_empty(),
        "tests name faults that are not in the catalogue: {unknown:?}"
    );
    check_block("docs/reliability.md", "faults", &table);
}
