//! Static evaluation by term after each ply of an archived game, computed on request.

use serde_json::{Value, json};

use crate::store::GameRecord;
use sparring_chess::{Color, GameHistory, Rules as _, units::Centipawns};
use sparring_engine::{Balance, BalanceResult, TermShare, evaluation_balance, term_names};
use sparring_personality::{Personalities, strength};

/// The positions of a game judged for the bot; nothing in variants that are judged as a whole. `line` is the whole game.
/// Weights of the personality's own are those that it has now: where it is gone, nothing can be said.
pub(crate) fn eval_history(
    game: &GameRecord,
    line: &GameHistory,
    personalities: &Personalities,
) -> Option<Value> {
    if !line.variant().traits().standard_eval || !personalities.contains_or_retired(&game.personality) {
        return None;
    }
    let setup = strength::engine_overrides(personalities.get_or_default(&game.personality), game.level);
    let us = Color::from(game.side);
    let mut pos = line.start().clone();
    let after = line.moves().iter().map(|mv| {
        pos.play_unchecked(*mv);
        evaluation_balance(&pos, line.variant(), us, setup.map(AsRef::as_ref)).map(as_json)
    });
    let after: Vec<Option<Value>> = after.collect();
    Some(json!({"terms": term_names().collect::<Vec<_>>(), "after": after}))
}

/// The names stand beside all positions: a long game has hundreds of these.
fn as_json(judged: BalanceResult) -> Value {
    match judged {
        BalanceResult::InCheck => json!({"not": "check"}),
        BalanceResult::CaptureDue => json!({"not": "capture"}),
        BalanceResult::Balance(Balance { shares, named, total }) => {
            let each = |worth: fn(&TermShare) -> Centipawns| shares.iter().map(worth).collect::<Vec<_>>();
            json!({
                "total": total, "own": each(|share| share.own), "theirs": each(|share| share.theirs), "named": named,
            })
        }
    }
}
