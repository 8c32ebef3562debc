//! Archive rows as JSON.

use serde_json::{Value, json};

use super::result;
use crate::store::{ChallengeRecord, GameRecord, MoveRecord, MoveSource};
use sparring_engine::Score;

/// A challenge as JSON, with what became of it.
pub(super) fn challenge_json(challenge: &ChallengeRecord) -> Value {
    json!({
        "id": challenge.id, "at": challenge.at.0, "sent": challenge.sent, "opponent": challenge.opponent,
        "verdict": challenge.verdict, "rule": challenge.rule, "game": challenge.game, "repeats": challenge.repeats,
    })
}

/// A game as JSON, without its moves one by one.
#[must_use]
pub(crate) fn as_json(game: &GameRecord) -> Value {
    let end = game.end.as_ref();
    json!({
        "id": game.id, "began": game.began.0, "ended": end.map(|end| end.at.0), "side": game.side,
        "opponent": game.opponent, "name": game.name, "bot": game.is_bot, "rating": game.rating,
        "ownRating": game.own_rating, "rated": game.rated, "variant": game.variant, "speed": game.speed,
        "clock": game.clock.map(|(initial, increment)| json!({"initial": initial, "increment": increment})),
        "days": game.days, "start": game.start, "personality": game.personality,
        "level": game.played, "askedLevel": game.level,
        "account": game.account, "result": result(game), "status": end.map(|end| &end.status), "winner": end.and_then(|end| end.winner),
        "moves": end.map(|end| &end.moves),
    })
}

/// A game as JSON, with its moves one by one.
pub(super) fn whole(game: &GameRecord, moves: &[MoveRecord]) -> Value {
    let mut value = as_json(game);
    value["plies"] = moves.iter().map(move_json).collect();
    value
}

fn move_json(record: &MoveRecord) -> Value {
    let thought = record.thought.as_ref().map(|thought| {
        let (source, depth, nodes) = match thought.source {
            MoveSource::Book => ("book", None, None),
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
