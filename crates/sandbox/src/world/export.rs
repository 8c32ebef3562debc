//! A finished or running game as the JSON of lichess' export.

use serde::Serialize;
use serde_json::{Value, json};

use super::{Contents, Game, RATING, Users, challenge::perf_key};
use sparring_chess::{Color, GameHistory, write_san};
use sparring_lichess::model::TimeControl;

impl Game {
    /// The game as the JSON of `GET /game/export/{id}`. It has no header that could be left out.
    #[must_use]
    pub fn export(&self, users: &Users, contents: Contents) -> Value {
        #[derive(Serialize)]
        struct Named<'a> {
            name: &'a str,
            id: &'a str,
            #[serde(skip_serializing_if = "Option::is_none")]
            title: Option<String>,
        }
        let player = |color| {
            let user = users.profile(&self.players.get(color).user).map(|profile| Named {
                name: &profile.name,
                id: profile.id.as_str(),
                title: profile.title(),
            });
            json!({ "user": user, "rating": RATING })
        };
        let mut export = json!({
            "id": self.id,
            "rated": self.terms.rated,
            "variant": self.terms.variant.key(),
            "speed": self.speed(),
            "perf": perf_key(self.terms.variant, self.speed()),
            "createdAt": self.created_at,
            "lastMoveAt": self.changed_at,
            "status": self.status(),
            "source": self.source(),
            "players": { "white": player(Color::White), "black": player(Color::Black) },
        });
        if contents.moves {
            export["moves"] = san_moves(&self.history).join(" ").into();
        }
        if let Some(winner) = self.ending.and_then(|ending| ending.winner) {
            export["winner"] = json!(sparring_lichess::model::Side::from(winner));
        }
        if let Some(fen) = &self.terms.initial_fen {
            export["initialFen"] = json!(fen);
        }
        match self.terms.control {
            TimeControl::Clock { limit, increment, .. } => {
                let (limit, increment) = (limit.0 / 1000, increment.0 / 1000);
                export["clock"] = json!({
                    "initial": limit,
                    "increment": increment,
                    "totalTime": limit + 40 * increment,
                });
                if contents.clocks {
                    let hundredths = self.clocks.iter().flatten().map(|left| left.0 / 10);
                    export["clocks"] = hundredths.collect::<Vec<_>>().into();
                }
            }
            TimeControl::Correspondence { days_per_turn } => {
                export["daysPerTurn"] = json!(days_per_turn);
            }
            TimeControl::Unlimited | TimeControl::Unknown => {}
        }
        export
    }
}

/// The moves of a line as books write them.
pub(super) fn san_moves(line: &GameHistory) -> Vec<String> {
    let mut replay = GameHistory::from_position(line.variant(), line.start().clone());
    line.moves()
        .iter()
        .map(|mv| {
            let san = write_san(replay.position(), *mv);
            replay.play(*mv);
            san
        })
        .collect()
}
