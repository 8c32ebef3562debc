//! Archives with as many games as wanted, like those of a bot that has played for long.

use std::path::Path;

use anyhow::Context as _;
use rand::{RngExt as _, SeedableRng as _, rngs::ChaCha8Rng, seq::IndexedRandom as _};
use rusqlite::{Connection, params};
use sparring::store::Archive;
use sparring_chess::{Rules as _, Variant, write_uci};

/// Lines of moves that the games take turns with.
const LINES: usize = 500;
/// Half moves of a game.
const PLIES: std::ops::RangeInclusive<usize> = 40..=90;
/// The time of the first game: 21 November 2026.
const BEGIN: i64 = 1_795_242_037_000;
/// What a move of the engine rests on, as long as it usually is.
const GROUNDS: &str = r#"{"lines":[{"score":{"cp":23},"depth":11,"pv":["g1f3","b8c6","f1b5","a7a6","b5a4"]},{"score":{"cp":14},"depth":11,"pv":["d2d4","e5d4","d1d4","b8c6"]}],"nodes":48211}"#;
const LETTERS: &[u8; 62] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/// Writes an archive of this account with so many games, a tenth as many challenges, and one game that runs.
///
/// # Errors
/// When it cannot be written.
pub fn write(path: &Path, account: &str, games: u32, seed: u64) -> anyhow::Result<()> {
    drop(Archive::open(path)?);
    let mut archive = Connection::open(path)?;
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let lines: Vec<Vec<String>> = (0..LINES).map(|_| line(&mut rng)).collect();
    let transaction = archive.transaction()?;
    {
        let mut put_move = transaction.prepare(
            "INSERT INTO moves (game, ply, uci, clock, source, note, score, depth, nodes, think, grounds, pondered)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )?;
        let mut put_game = transaction.prepare(
            "INSERT INTO games (id, began, ended, side, opponent, name, is_bot, rating, own_rating, rated, variant, speed, initial,
             increment, start, personality, level, status, winner, moves, account, played)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'standard', 'blitz', 180000, 2000, 'startpos', ?, ?, ?, ?, ?, ?, ?)",
        )?;
        let mut put_challenge = transaction.prepare(
            "INSERT INTO challenges (id, at, opponent, verdict, rule, sent, game) VALUES (?, ?, ?, ?, 'rule 1', ?, 'rated blitz 3+2')",
        )?;
        for number in 0..=games {
            let id: String = (0..8)
                .map(|_| char::from(LETTERS[rng.random_range(0..LETTERS.len())]))
                .collect();
            let line = &lines[rng.random_range(0..LINES)];
            let is_white = rng.random_bool(0.5);
            let began = BEGIN + i64::from(number) * 300_000;
            let mut clock = [180_000_i64; 2];
            for (ply, uci) in (1_i64..).zip(line) {
                let is_mine = (ply % 2 == 1) == is_white;
                let left = &mut clock[usize::from(is_mine)];
                let think = rng.random_range(50..4000);
                *left += 2000 - think;
                let by_book = ply <= 12;
                let note = match (is_mine, by_book) {
                    (false, _) => None,
                    (true, true) => Some("book books/starter.book:12 60%"),
                    (true, false) => Some("engine depth 11, 48211 nodes, 0.23"),
                };
                let searched = is_mine && !by_book;
                put_move.execute(params![
                    id,
                    ply,
                    uci,
                    *left,
                    note.map(|_| if by_book { "book" } else { "engine" }),
                    note,
                    searched.then(|| rng.random_range(-300..300)),
                    searched.then(|| rng.random_range(6..14)),
                    searched.then(|| rng.random_range(1000..200_000)),
                    is_mine.then_some(think),
                    searched.then_some(GROUNDS),
                    searched.then(|| rng.random_bool(0.3)),
                ])?;
            }
            let opponent = rng.random_range(0..300);
            let name = match opponent {
                // No sign may end a row or a value on its way.
                7 => "O\\N\tha'r\"é,\n".to_owned(),
                _ => format!("Player{opponent}"),
            };
            let is_over = number < games;
            let winner = ["white", "black", "draw"]
                .choose(&mut rng)
                .copied()
                .filter(|side| *side != "draw");
            let level = rng.random_bool(0.6).then(|| 1000 + 100 * rng.random_range(0..8));
            put_game.execute(params![
                id,
                began,
                is_over.then_some(began + 280_000),
                if is_white { "white" } else { "black" },
                format!("player{opponent}"),
                name,
                opponent % 3 == 0,
                1200 + opponent * 3,
                1500 + rng.random_range(-50..50),
                rng.random_bool(0.7),
                ["club", "gambler", "patient"]
                    .choose(&mut rng)
                    .context("a choice")?,
                level,
                is_over.then(|| if winner.is_some() { "resign" } else { "draw" }),
                winner.filter(|_| is_over),
                if is_over { line.join(" ") } else { String::new() },
                account,
                level,
            ])?;
            if number % 10 == 0 {
                let sent = rng.random_bool(0.2);
                put_challenge.execute(params![
                    format!("c{id}"),
                    began,
                    format!("player{opponent}"),
                    "accepted",
                    sent
                ])?;
            }
        }
    }
    transaction.commit()?;
    Ok(())
}

/// Legal moves at random.
fn line(rng: &mut ChaCha8Rng) -> Vec<String> {
    let mut position = Variant::Standard.start();
    let mut line = Vec::new();
    for _ in 0..rng.random_range(PLIES) {
        let Some(mv) = position.legal_moves().choose(rng).copied() else {
            break;
        };
        line.push(write_uci(mv, Variant::Standard));
        position.play_unchecked(mv);
    }
    line
}
