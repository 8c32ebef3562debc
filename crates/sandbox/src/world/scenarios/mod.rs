//! The rules of the server as scenarios of the pure world.

mod games;
mod invitations;

use super::{ApiError, BOT_SCOPES, Fields, Game, HUMAN_SCOPES, Outgoing, World};
use crate::options::Rules;
use sparring_chess::{Color, units::Millis};
use sparring_lichess::model::{GameEvent, GameId, GameState, Side, Status, UserId};

/// A world with the humans Anna and Ben and a bot, and what it has sent.
pub(super) struct Story {
    pub(super) world: World,
    pub(super) now: Millis,
    pub(super) sent: Vec<Outgoing>,
}

pub(super) fn user(name: &str) -> UserId {
    name.parse().unwrap()
}

impl Story {
    pub(super) fn with_rules(rules: Rules) -> Self {
        let mut world = World::new(rules, Millis(1_000_000));
        for (name, is_bot) in [("Anna", false), ("Ben", false), ("Robo", true)] {
            let scopes = if is_bot { &BOT_SCOPES } else { &HUMAN_SCOPES };
            world.add_user(name, is_bot, scopes, Millis(1_000_000)).unwrap();
        }
        Self {
            world,
            now: Millis(1_000_000),
            sent: Vec::new(),
        }
    }

    pub(super) fn new() -> Self {
        Self::with_rules(Rules::default())
    }

    pub(super) fn wait(&mut self, millis: u64) {
        self.now += Millis(millis);
        self.world.advance_to(self.now);
        self.collect();
    }

    pub(super) fn collect(&mut self) {
        self.sent.extend(self.world.take_outgoing());
    }

    pub(super) fn challenge(&mut self, from: &str, to: &str, form: &[(&str, &str)]) -> GameId {
        let fields: Fields = form.iter().copied().collect();
        let made = self.world.challenge(&user(from), to, &fields, self.now).unwrap();
        self.collect();
        made.id
    }

    /// Anna has White against `opponent`; both sit at their boards.
    pub(super) fn game(&mut self, opponent: &str, limit: &str, increment: &str) -> GameId {
        let form = [
            ("clock.limit", limit),
            ("clock.increment", increment),
            ("color", "white"),
        ];
        let id = self.challenge("Anna", opponent, &form);
        self.world.accept(&user(opponent), &id, self.now).unwrap();
        for player in ["Anna", opponent] {
            self.world
                .game_stream_opened(&user(player), &id, self.now)
                .unwrap();
        }
        self.collect();
        self.sent.clear();
        id
    }

    /// Plays moves for whoever's turn it is, a second apart.
    pub(super) fn play(&mut self, id: &GameId, moves: &str) {
        for uci in moves.split(' ') {
            self.wait(1_000);
            let game = self.world.game(id).unwrap();
            let mover = game.players.get(game.history.turn()).user.clone();
            self.act(&mover, id, |game, color, now| game.play(color, uci, false, now))
                .unwrap();
        }
    }

    pub(super) fn act(
        &mut self,
        player: &UserId,
        id: &GameId,
        act: impl FnOnce(&mut Game, Color, Millis) -> Result<(), ApiError>,
    ) -> Result<(), ApiError> {
        let now = self.now;
        let done = self
            .world
            .command(player, id, now, |game, color| act(game, color, now));
        self.collect();
        done
    }

    /// The states a player was sent, oldest first; forgets everything sent.
    pub(super) fn states(&mut self, player: &str) -> Vec<GameState> {
        let events = self.events_of_games(player).into_iter();
        let state = |event| match event {
            GameEvent::State(state) => Some(state),
            _ => None,
        };
        events.filter_map(state).collect()
    }

    /// The waits of which a player was told because the opponent is away; forgets everything sent.
    pub(super) fn absences(&mut self, player: &str) -> Vec<Option<u32>> {
        let events = self.events_of_games(player).into_iter();
        let wait = |event| match event {
            GameEvent::OpponentGone(gone) => Some(gone.claim_win_in_seconds),
            _ => None,
        };
        events.filter_map(wait).collect()
    }

    /// What a player was sent of games, oldest first; forgets everything sent.
    fn events_of_games(&mut self, player: &str) -> Vec<GameEvent> {
        let to_player = user(player);
        let sent = self.sent.drain(..);
        sent.filter_map(|outgoing| match outgoing {
            Outgoing::Game { to, event, .. } if to == to_player => Some(event),
            _ => None,
        })
        .collect()
    }

    pub(super) fn ending(&self, id: &GameId) -> (Status, Option<Side>) {
        let state = self.world.game(id).unwrap().state(self.now);
        (state.status, state.winner)
    }
}
