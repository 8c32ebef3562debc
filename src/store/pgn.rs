//! PGN export of archived games, with clocks and scores as lichess and ChessBase write them.

use super::record::{End, GameRecord, MoveRecord};
use sparring_chess::{
    GameHistory, Pgn, Variant,
    units::{Centipawns, Millis},
};
use sparring_engine::Score;
use sparring_lichess::model::Side;

/// Longest line of movetext, by the PGN standard.
const WIDTH: usize = 80;

/// The bot's name in games without an account name.
const NOBODY: &str = "Sparring";

/// The game as PGN; none where its moves are not legal. `date` turns milliseconds since 1970 into `2026.11.21` and `06:20:00`.
#[must_use]
pub fn pgn(
    game: &GameRecord,
    moves: &[MoveRecord],
    date: impl Fn(Millis) -> (String, String),
) -> Option<String> {
    let variant: Variant = game.variant.parse().ok()?;
    let shown: Vec<&str> = moves.iter().map(|record| record.uci.as_str()).collect();
    let played = match &game.end {
        Some(end) => end.moves.clone(),
        None => shown.join(" "),
    };
    let line = GameHistory::replay(variant, &game.start, &played).ok()?;
    let (day, time) = date(game.began);
    let unknown = || "?".to_owned();
    let rating =
        |rating: Option<sparring_chess::units::Elo>| rating.map_or_else(unknown, |rating| rating.to_string());
    let me = game.account.clone().unwrap_or_else(|| NOBODY.to_owned());
    let mine = (me, rating(game.own_rating));
    let theirs = (game.name.clone(), rating(game.rating));
    let ((white, white_elo), (black, black_elo)) = match game.side {
        Side::White => (mine, theirs),
        Side::Black => (theirs, mine),
    };
    let mode = if game.rated { "Rated" } else { "Casual" };
    let result = result(game.end.as_ref());
    let mut tags = vec![
        ("Event", format!("{mode} {} game", game.speed)),
        ("Site", format!("https://lichess.org/{}", game.id)),
        ("Date", day.clone()),
        ("Round", "-".to_owned()),
        ("White", white),
        ("Black", black),
        ("Result", result.to_owned()),
        ("UTCDate", day),
        ("UTCTime", time),
        ("WhiteElo", white_elo),
        ("BlackElo", black_elo),
        ("TimeControl", time_control(game)),
    ];
    if let Some(end) = &game.end {
        tags.push(("Termination", end.status.clone()));
    }
    tags.push(("Personality", game.personality.clone()));
    tags.extend(game.played.map(|level| ("Level", level.to_string())));
    let comments = (1..=line.moves().len())
        .map(|ply| {
            let record = moves.iter().find(|record| record.ply as usize == ply);
            record.map_or_else(String::new, |record| comment(record, game.side))
        })
        .collect();
    let pgn = Pgn {
        line: &line,
        tags,
        comments,
        result,
        width: Some(WIDTH),
    };
    Some(pgn.write())
}

fn result(end: Option<&End>) -> &'static str {
    match end {
        None => "*",
        Some(end) => match (end.winner, end.status.as_str()) {
            (Some(Side::White), _) => "1-0",
            (Some(Side::Black), _) => "0-1",
            (None, "aborted" | "noStart" | "created" | "started") => "*",
            (None, _) => "1/2-1/2",
        },
    }
}

fn time_control(game: &GameRecord) -> String {
    match (game.clock, game.days) {
        (Some((initial, increment)), _) => format!("{}+{}", initial.0 / 1000, increment.0 / 1000),
        // `1/seconds`: one move in so many seconds, by the standard.
        (None, Some(days)) => format!("1/{}", u64::from(days) * 86_400),
        (None, None) => "-".to_owned(),
    }
}

/// `[%eval 0.35,12] [%clk 0:04:59]` and the move's source. Scores are from White's view by convention.
fn comment(record: &MoveRecord, me: Side) -> String {
    let mut words = Vec::new();
    if let Some(score) = record.thought.as_ref().and_then(|thought| thought.score) {
        let sign = if me == Side::White { 1 } else { -1 };
        words.push(match score {
            Score::Cp(Centipawns(cp)) => format!("[%eval {:.2}]", f64::from(cp * sign) / 100.0),
            Score::Mate(moves) => format!("[%eval #{}]", moves * sign),
        });
    }
    if let Some(clock) = record.clock {
        let secs = clock.0 / 1000;
        words.push(format!(
            "[%clk {}:{:02}:{:02}]",
            secs / 3600,
            secs / 60 % 60,
            secs % 60
        ));
    }
    words.extend(record.thought.as_ref().map(|thought| thought.note.clone()));
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{MoveSource, Thought, test_fixtures};
    use sparring_chess::units::Elo;

    #[test]
    fn a_game_is_written_with_clocks_scores_and_where_moves_are_from() {
        let game = GameRecord {
            began: Millis(0),
            account: Some("SparringBot".to_owned()),
            name: "Ana\"]\n[Evil \"".to_owned(),
            rated: false,
            level: Some(Elo(1400)),
            played: Some(Elo(1400)),
            end: test_fixtures::end("mate", Some(Side::Black), "f2f3 e7e5 g2g4 d8h4"),
            ..test_fixtures::game("abcd1234", Side::Black)
        };
        let thought = |source, note: &str, score| {
            Some(Thought {
                pondered: None,
                source,
                note: note.to_owned(),
                score,
                think: Millis(5),
                grounds: None,
            })
        };
        let record = |ply, uci: &str, clock, thought| MoveRecord {
            ply,
            uci: uci.to_owned(),
            clock,
            thought,
        };
        let moves = [
            record(1, "f2f3", None, None),
            record(
                2,
                "e7e5",
                Some(Millis(299_900)),
                thought(MoveSource::Book, "book x:1", None),
            ),
            record(
                4,
                "d8h4",
                Some(Millis(3_661_000)),
                thought(MoveSource::Other, "script", Some(Score::Mate(1))),
            ),
        ];
        let date = |_| ("1970.01.01".to_owned(), "00:00:00".to_owned());
        insta::assert_snapshot!(pgn(&game, &moves, date).unwrap(), @r#"
        [Event "Casual blitz game"]
        [Site "https://lichess.org/abcd1234"]
        [Date "1970.01.01"]
        [Round "-"]
        [White "Ana\"] [Evil \""]
        [Black "SparringBot"]
        [Result "0-1"]
        [UTCDate "1970.01.01"]
        [UTCTime "00:00:00"]
        [WhiteElo "1500"]
        [BlackElo "?"]
        [TimeControl "300+3"]
        [Termination "mate"]
        [Personality "club"]
        [Level "1400"]

        1. f3 e5 { [%clk 0:04:59] book x:1 } 2. g4 Qh4# { [%eval #-1] [%clk 1:01:01]
        script } 0-1
        "#);
        let broken = GameRecord {
            variant: "fogOfWar".to_owned(),
            ..game
        };
        assert_eq!(pgn(&broken, &moves, date), None);
    }
}
