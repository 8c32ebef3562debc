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
const FAULTS: [(&str, &str); 56] = [
    // F1
    (
        "A line is cut in the middle; then the stream ends or goes on.",
        "Drops the fragment. Reopens the stream, also a game's stream that goes on, and continues from what the server shows.",
    ),
    // F2
    (
        "Lines arrive in any pieces, with CRLF or split characters.",
        "Reads them as they are.",
    ),
    // F3
    (
        "Half-open connection: no bytes, no end.",
        "Closes the event stream after 15 s of silence and a game's stream after 10 s, and reopens each on a new connection. If a game's stream opens to silence again, reopens it after 2 s, then 4, 8 and 10 s, or twice what it took last. A call without an answer in time is the last on its connections.",
    ),
    // F4
    (
        "Keep-alives stop; or there is nothing but keep-alives for an hour.",
        "As F3; keeps the stream.",
    ),
    // F5
    (
        "Connection reset, or refused for long.",
        "Retries after 0.25 s, doubling to 10 s; for a game after 0.05 s, doubling to 2 s. The backoff starts anew once a stream has lived. The engine keeps thinking.",
    ),
    // F6
    (
        "The event stream closes as soon as it is open.",
        "Opens it at most 24 times in ten minutes, whatever the pauses between.",
    ),
    // F7
    (
        "A second program uses the token or the account.",
        "On the same machine: ends with exit code 75, after which systemd restarts it. Another user of the machine who holds the lock's socket proves nothing and is ignored. Elsewhere, with the same token: after 12 streams in a row that were taken over, leaves the stream alone for up to 30 s, then twice as long each time, up to 10 min (with jitter down to seven tenths), warns and counts it. Games go on.",
    ),
    // F8
    (
        "429 with a number of seconds.",
        "Sends no call of that class for so long. Challenges wait, games go on; a game's stream waits a quarter of the clock at most. The limit outlasts a restart for challenges, lists of bots and arenas, the event stream and the login, but not for a game's own calls (list, commands, chat): a bot that returns to a running clock asks once more.",
    ),
    // F9
    (
        "429 with Retry-After as seconds or date, or without a figure, with any body.",
        "Follows the header, for a day at most. Without one waits a minute, doubling to a quarter of an hour.",
    ),
    // F10
    (
        "429 on a move.",
        "Sends the same move again after 1 s, 2 s, 4 s, never later than a quarter of the clock. Chat, challenges and lists of bots and arenas stay silent as F8 and F9 say; no other call does.",
    ),
    // F11
    (
        "The daily limit of games between bots is reached, ours or the opponent's.",
        "Neither challenges nor accepts bots for so long, or leaves that opponent alone.",
    ),
    // F12
    (
        "500, 502, 503, 504 with any body; after the login also 3xx and 4xx without lichess' own JSON.",
        "Looks at the stream, then sends the same move again. Reopens streams and asks for the list of ongoing games again. Repeats answers to challenges, cancellations and withdrawals. If lichess itself refuses the event stream, retries after 1 s, doubling to 60 s, and tests the token.",
    ),
    // F13
    (
        "200 with a page instead of JSON, or a stream with another content type.",
        "Treats it as a failure of that call. Logs its first 200 bytes or its type, unless they repeat the token.",
    ),
    // F14
    (
        "A move hangs, or its answer is lost.",
        "Gives the request up within a quarter of the clock. The stream decides whether it was played.",
    ),
    // F15
    (
        "400 \"Not your turn\" for a move that was played.",
        "No error if the stream shows the move.",
    ),
    // F16
    (
        "400 by lichess itself for a legal move.",
        "Looks at the stream, sends the move once more after a second if the clock allows, then aborts or resigns. Logs position and moves.",
    ),
    // F17
    (
        "The token is revoked.",
        "Tests the token, whatever call was refused. If it is revoked, ends with exit code 77. Repeats nothing.",
    ),
    // F18
    (
        "gameStart twice, or after each reconnection.",
        "Runs one task per game.",
    ),
    // F19
    (
        "gameStart for a game that is over.",
        "Records the result once, and says nothing in the chat.",
    ),
    // F20
    (
        "A game that bots may not play; an unknown variant; an unknown speed.",
        "Does not open it; aborts or resigns it; plays it.",
    ),
    // F21
    (
        "gameFinish without a final state, or the other way round.",
        "Either ends the game. The bot looks once more for how it ended, so that the archive has it.",
    ),
    // F22
    ("The final state comes twice.", "The second one changes nothing."),
    // F23
    (
        "States are lost: several plies arrive at once.",
        "Catches up and answers once.",
    ),
    // F24
    (
        "The list of moves shrinks, or differs in the middle.",
        "Stops thinking and decides anew.",
    ),
    // F25
    ("The same moves again.", "Sends no second move."),
    // F26
    (
        "A draw flag stays on the move that declines.",
        "It is no new offer.",
    ),
    // F27
    (
        "Offers arrive during a search, two at once.",
        "Answers them. The search goes on unless the position changes.",
    ),
    // F28
    (
        "The game ends during a search, or a move crosses the end.",
        "Sends nothing more. A refusal is then normal.",
    ),
    // F29
    (
        "Clocks jump, or are 0, negative, null or huge.",
        "Believes the newest within reason, also during a search. An empty clock means: move at once.",
    ),
    // F30
    (
        "A stream begins with something else than gameFull, or not at all.",
        "Waits 10 s for gameFull, then reopens the stream.",
    ),
    // F31
    (
        "Unknown events and fields, missing fields, wrong types.",
        "Takes a field that decides nothing and does not fit as missing, and cuts numbers to whole ones. Declines a challenge whose clock or variant makes no sense. Skips other lines and counts them in `sparring_lines_skipped_total`. Reopens a game's stream for what may have been a state, ten times in 20 s at most.",
    ),
    // F32
    (
        "Chat of any kind and amount.",
        "No effect on play. Chat is escaped in the log, answered once in 3 s and ten times a minute in all games together, and never echoed. Spectators get three answers a minute and thirty a game.",
    ),
    // F33
    (
        "Chat lines of the bot itself and of lichess.",
        "Never answers them.",
    ),
    // F34
    (
        "Anonymous opponents, and lichess' computer.",
        "Plays them with the personality that the settings name, and at its own level where the level would follow the opponent's rating.",
    ),
    // F35
    (
        "Accepting a challenge is refused, or no game comes.",
        "Frees the slot, and looks at the list of ongoing games.",
    ),
    // F36
    (
        "Accepting gets an unclear answer, but the game comes.",
        "Plays it.",
    ),
    // F37
    (
        "More games than slots.",
        "Plays them all, with shorter searches, and accepts nothing new.",
    ),
    // F38
    (
        "A challenge comes twice; is canceled; is a rematch.",
        "Answers once; forgets it; treats it like any challenge.",
    ),
    // F39
    (
        "Fifty challenges at once.",
        "Decides each once, and declines two a second.",
    ),
    // F40
    (
        "A challenge waited too long; a challenger never appears.",
        "Declines as `later`; aborts the game.",
    ),
    // F41
    (
        "The opponent never moves, leaves, or comes back.",
        "Aborts by its own clock. Claims victory when the count reaches 0 on the opponent's turn, or a draw if it cannot win. Stops when the opponent is back.",
    ),
    // F42
    (
        "A claim is refused or has no effect.",
        "Claims again, at most once in 4.5 s.",
    ),
    // F43
    (
        "The server restarts in the middle of games.",
        "Reopens everything and goes on. Accepts that games were aborted.",
    ),
    // F44
    (
        "The daemon is killed on its own turn with 3 s left.",
        "The next daemon moves within a second.",
    ),
    // F45
    (
        "Another client takes over a game's stream.",
        "Takes it back. If that goes on, warns, counts it, and plays on.",
    ),
    // F46
    (
        "A slow server, or bytes one by one.",
        "Has one request for a move under way at a time. Keeps the measured round trip as move overhead.",
    ),
    // F47
    (
        "A move is sent in time, and the flag falls all the same.",
        "The game is lost. Later games keep 100 ms more as move overhead, at most 1 s.",
    ),
    // F48
    ("Castling in the other spelling.", "The position is the same."),
    // F49
    (
        "Games from odd or impossible positions.",
        "The right side moves. An impossible game is aborted or resigned.",
    ),
    // F50
    (
        "600 plies, lines of 64 KiB.",
        "Plays on at the same speed. A line of more than 256 KiB costs only itself.",
    ),
    // F51
    (
        "The clock of the machine is set.",
        "Uses it for dates alone. A limit that was kept over a restart lasts a day at most, and rows dated more than ten minutes ahead count as nothing of now.",
    ),
    // F52
    (
        "Disk full, also at the start; archive damaged, removed or replaced; log unwritable or not read; books, personalities or settings spoiled during a game.",
        "Plays on with the last good files, and writes what waited once there is room. Sets a damaged archive aside, begins a new one, recovers what can be read and logs it once. After a restart plays the games of the last run by the last good settings and at their level, declines new ones, and ends with exit code 78 when they are over.",
    ),
    // F53
    (
        "A redirect, or a certificate for another host.",
        "Refuses and names it (after the login: as F12). The token goes nowhere else.",
    ),
    // F54
    (
        "A crowd at the dashboard: idle sockets, clients that repeat the costliest calls or read no answer, pages of other sites.",
        "Keeps 64 connections and ends those that are needed least. Answers one costly call at a time, beside the games. Keeps the last descriptors for the games. The owner still gets in.",
    ),
    // F55
    (
        "An external engine ends, hangs, prints garbage, refuses an option, does not start or plays an illegal move.",
        "The embedded engine moves, in time. Starts the other again after 1 s, doubling to a minute. Warns once in a row and counts each failure.",
    ),
    // F56
    (
        "An online source of moves answers with an error, too late, in part, with garbage or an illegal move, or asks for a pause; its cache is damaged.",
        "What comes next in the list of books moves, at last the search; a move waits 2 s at most. Leaves the source alone after three failures, from 30 s to ten minutes, or as long as it asks. Warns once in a row and counts each failure.",
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
