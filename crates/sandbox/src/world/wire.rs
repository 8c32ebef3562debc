//! Wire format of a game.

use super::{
    challenge::{perf, perf_key},
    game::Game,
    users::Users,
};
use sparring_chess::{Color, lichess_fen, units::Millis};
use sparring_lichess::model::{
    ClockInfo, Compat, GameEventInfo, GameFull, GameState, Speed, Status, StatusInfo, TimeControl,
};

/// lichess' value of an unlimited clock.
const FOREVER: Millis = Millis(2_147_483_647);

impl Game {
    /// lichess' name for where the game stands.
    #[must_use]
    pub fn status(&self) -> Status {
        self.ending.map_or(Status::Started, |ending| ending.status())
    }

    /// The `gameState` line of the game's stream, with current clocks.
    #[must_use]
    pub fn state(&self, now: Millis) -> GameState {
        let time = |color| Some(self.left(color, now).unwrap_or(FOREVER));
        let increment = match self.terms.control {
            TimeControl::Clock { increment, .. } => increment,
            _ => Millis::ZERO,
        };
        let moves: Vec<String> = self.history.moves().iter().map(|mv| self.uci(*mv)).collect();
        GameState {
            moves: moves.join(" "),
            wtime: time(Color::White),
            btime: time(Color::Black),
            winc: Some(increment),
            binc: Some(increment),
            status: self.status(),
            winner: self.ending.and_then(|ending| ending.winner).map(Into::into),
            wdraw: self.offers.draw(Color::White),
            bdraw: self.offers.draw(Color::Black),
            wtakeback: self.offers.takeback(Color::White),
            btakeback: self.offers.takeback(Color::Black),
            rematch: self.rematch.clone(),
        }
    }

    /// The first line of the game's stream.
    #[must_use]
    pub fn full(&self, users: &Users, now: Millis) -> GameFull {
        let player = |color| {
            users
                .profile(&self.players.get(color).user)
                .map(super::users::Profile::as_player)
                .unwrap_or_default()
        };
        let (clock, days_per_turn) = match self.terms.control {
            TimeControl::Clock { limit, increment, .. } => {
                let initial = limit;
                (Some(ClockInfo { initial, increment }), None)
            }
            TimeControl::Correspondence { days_per_turn } => (None, Some(days_per_turn)),
            TimeControl::Unlimited | TimeControl::Unknown => (None, None),
        };
        GameFull {
            id: self.id.clone(),
            variant: self.terms.variant.into(),
            speed: self.speed(),
            perf: perf(self.terms.variant, self.speed()),
            rated: self.terms.rated,
            created_at: self.created_at.0,
            white: player(Color::White),
            black: player(Color::Black),
            initial_fen: self
                .terms
                .initial_fen
                .clone()
                .unwrap_or_else(|| "startpos".to_owned()),
            clock,
            days_per_turn,
            tournament_id: self.tournament.clone(),
            state: self.state(now),
        }
    }

    /// The game as a side's event stream and list of games show it.
    #[must_use]
    pub fn info(&self, color: Color, users: &Users, now: Millis) -> GameEventInfo {
        let mut variant: sparring_lichess::model::VariantInfo = self.terms.variant.into();
        variant.short = None;
        let fast_enough = self.speed() >= Speed::Bullet;
        GameEventInfo {
            game_id: Some(self.id.clone()),
            id: Some(self.id.clone()),
            full_id: Some(format!("{}{}", self.id, self.players.get(color).private_part)),
            fen: Some(lichess_fen(self.history.position())),
            color: Some(color.into()),
            last_move: self.last_move(),
            source: Some(self.source().to_owned()),
            status: Some(StatusInfo(self.status())),
            variant: Some(variant),
            speed: Some(self.speed()),
            perf: Some(perf_key(self.terms.variant, self.speed()).to_owned()),
            rated: self.terms.rated,
            has_moved: self.has_moved(color),
            opponent: users
                .profile(&self.players.get(!color).user)
                .map(super::users::Profile::as_opponent),
            is_my_turn: self.is_running() && self.history.turn() == color,
            seconds_left: self.left(color, now),
            winner: self.ending.and_then(|ending| ending.winner).map(Into::into),
            compat: Some(Compat {
                bot: self.players.get(color).is_bot && fast_enough,
                board: fast_enough,
            }),
            tournament_id: self.tournament.clone(),
        }
    }
}
