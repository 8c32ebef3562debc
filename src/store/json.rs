//! Games, moves and challenges of the archive as JSON, for `sparring games --json` and the dashboard.

use serde_json::{Value, json};

use super::record::{ChallengeRecord, GameRecord, MoveRecord, MoveSource};
use sparring_engine::Score;

/// A challenge with its verdict. Times are in milliseconds since 1970.
#[must_use]
pub fn challenge_json(challenge: &ChallengeRecord) -> Value {
    json!({
        "id": challenge.id, "at": challenge.at.0, "sent": challenge.sent, "opponent": challenge.opponent,
        "verdict": challenge.verdict, "rule": challenge.rule, "game": challenge.game, "repeats": challenge.repeats,
    })
}

/// A game. `moves` is one string of UCI moves; times are in milliseconds.
#[must_use]
pub fn game_json(game: &GameRecord) -> Value {
    let end = game.end.as_ref();
    json!({
        "id": game.id, "began": game.began.0, "ended": end.map(|end| end.at.0), "side": game.side,
        "opponent": game.opponent, "name": game.name, "bot": game.is_bot, "rating": game.rating,
        "ownRating": game.own_rating, "rated": game.rated, "variant": game.variant, "speed": game.speed,
        "clock": game.clock.map(|(initial, increment)| json!({"initial": initial, "increment": increment})),
        "days": game.days, "start": game.start, "personality": game.personality,
        "level": game.played, "askedLevel": game.level,
        "account": game.account, "result": game.result().word(), "status": end.map(|end| &end.status), "winner": end.and_then(|end| end.winner),
        "moves": end.map(|end| &end.moves),
    })
}

/// A game with its moves, clocks and scores in `plies`.
#[must_use]
pub fn game_with_moves_json(game: &GameRecord, moves: &[MoveRecord]) -> Value {
    let mut value = game_json(game);
    value["plies"] = moves.iter().map(move_json).collect();
    value
}

fn move_json(record: &MoveRecord) -> Value {
    let thought = record.thought.as_ref().map(|thought| {
        let (source, depth, nodes) = match thought.source {
            MoveSource::Book => ("book", None, None),
            MoveSource::Online => ("online", None, None),
            MoveSource::Engine { depth, nodes } => ("engine", Some(depth), Some(nodes)),
            MoveSource::Other => ("other", None, None),
        };
        let score = thought.score.map(|score| match score {
            Score::Cp(cp) => json!({"cp": cp}),
            Score::Mate(moves) => json!({"mate": moves}),
        });
        json!({
            "source": source, "depth": depth, "nodes": nodes, "score": score, "note": thought.note,
            "think": thought.think,
        })
    });
    json!({"ply": record.ply, "uci": record.uci, "clock": record.clock, "thought": thought})
}
