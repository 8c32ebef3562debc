//! Games of the world: started from challenges, changed by commands, published to streams.

use super::{
    ApiError, Challenge, ChallengeParams, Game, LimitedAction, Outgoing, World,
    game::{GameRules, Notification, PlayerSlot},
    presence::AbsenceTimer,
};
use sparring_chess::{ByColor, Color, units::Millis};
use sparring_lichess::model::{
    ChatMessage, Event, GameEvent, GameEventInfo, GameFull, GameId, Room, Speed, UserId,
};

/// The longest chat line.
const LONGEST_LINE: usize = 140;

/// A pairing.
pub(super) struct Pairing {
    /// The game's id.
    pub(super) id: GameId,
    /// The game's parameters.
    pub(super) terms: ChallengeParams,
    /// Who has which side.
    pub(super) players: ByColor<UserId>,
    /// The game that it repeats, if any.
    pub(super) rematch_of: Option<GameId>,
    /// The tournament that it belongs to, if any.
    pub(super) tournament: Option<String>,
}

impl Pairing {
    /// The game of an accepted challenge.
    pub(super) fn of(challenge: &Challenge) -> Self {
        let (challenger, dest) = (challenge.challenger.clone(), challenge.dest.clone());
        let (white, black) = match challenge.challenger_color {
            Color::White => (challenger, dest),
            Color::Black => (dest, challenger),
        };
        Self {
            id: challenge.id.clone(),
            terms: challenge.terms.clone(),
            players: ByColor { white, black },
            rematch_of: challenge.rematch_of.clone(),
            tournament: None,
        }
    }
}

impl World {
    /// Begins a game and sends `gameStart` to both players.
    pub(super) fn begin_game(&mut self, pairing: Pairing, now: Millis) -> Result<(), ApiError> {
        let mut slot = |user: &UserId| {
            let is_bot = self.users.profile(user).is_some_and(|profile| profile.is_bot);
            PlayerSlot {
                user: user.clone(),
                is_bot,
                private_part: self.ids.private_part(),
                presence: AbsenceTimer::new(is_bot, now),
            }
        };
        let players = ByColor {
            white: slot(&pairing.players.white),
            black: slot(&pairing.players.black),
        };
        let rules = GameRules {
            castling: self.rules.castling,
            takebacks: self.rules.takebacks && !pairing.terms.rated && pairing.tournament.is_none(),
        };
        let mut game = Game::begin(pairing.id.clone(), pairing.terms, players, rules, now)
            .map_err(|_| ApiError::form("global", "invalidFen"))?;
        game.tournament = pairing.tournament;
        if let Some(previous) = pairing.rematch_of.as_ref().and_then(|id| self.games.get_mut(id)) {
            previous.rematch = Some(pairing.id);
        }
        for color in Color::ALL {
            let to = game.players.get(color).user.clone();
            if let Some(profile) = self.users.profile_mut(&to) {
                profile.games += 1;
            }
            if game.players.iter().all(|player| player.is_bot) {
                self.counters.count(LimitedAction::PlayBot, &to, 1, now);
            }
            let event = Event::GameStart {
                game: Box::new(game.info(color, &self.users, now)),
            };
            self.outgoing.push(Outgoing::Event { to, event });
        }
        self.games.insert(game.id.clone(), game);
        Ok(())
    }

    /// A game, running or over.
    #[must_use]
    pub fn game(&self, id: &GameId) -> Option<&Game> {
        self.games.get(id)
    }

    /// A user's game and his side in it.
    ///
    /// # Errors
    /// [`ApiError::NoSuchGame`] or [`ApiError::NotYourGame`].
    pub fn game_of(&self, me: &UserId, id: &GameId) -> Result<(&Game, Color), ApiError> {
        let game = self.games.get(id).ok_or(ApiError::NoSuchGame)?;
        let color = game.color_of(me).ok_or(ApiError::NotYourGame)?;
        Ok((game, color))
    }

    /// Whether the bots' and boards' interfaces can play a user's game.
    ///
    /// # Errors
    /// [`ApiError`] if there is no such game of his, or it is too fast.
    pub fn check_interface(&self, me: &UserId, id: &GameId, interface: &'static str) -> Result<(), ApiError> {
        let (game, _) = self.game_of(me, id)?;
        if game.speed() < Speed::Bullet {
            return Err(ApiError::WrongInterface(interface));
        }
        Ok(())
    }

    /// Runs a player's command on a game and sends the resulting events.
    ///
    /// # Errors
    /// [`ApiError`] if it is not his game, or from the command itself.
    pub fn command(
        &mut self,
        me: &UserId,
        id: &GameId,
        now: Millis,
        command: impl FnOnce(&mut Game, Color) -> Result<(), ApiError>,
    ) -> Result<(), ApiError> {
        let (_, color) = self.game_of(me, id)?;
        self.change_game(id, now, |game| command(game, color))
            .unwrap_or(Err(ApiError::NoSuchGame))
    }

    /// Changes a game and publishes the changes; the end goes to both event streams too, before or after the game's
    /// own, because lichess promises no order.
    pub(super) fn change_game<T>(
        &mut self,
        id: &GameId,
        now: Millis,
        change: impl FnOnce(&mut Game) -> T,
    ) -> Option<T> {
        let game = self.games.get_mut(id)?;
        let was_running = game.is_running();
        let answer = change(game);
        let ended = was_running && !game.is_running();
        let events_first = ended && self.ids.coin();
        if events_first {
            self.emit_finish(id, now);
        }
        self.emit_notifications(id);
        if ended {
            if !events_first {
                self.emit_finish(id, now);
            }
            self.outgoing.push(Outgoing::GameOver { game: id.clone() });
            self.tournaments.ended(id);
            self.archive(id.clone());
        }
        Some(answer)
    }

    fn emit_finish(&mut self, id: &GameId, now: Millis) {
        let Some(game) = self.games.get(id) else { return };
        for color in Color::ALL {
            let to = game.players.get(color).user.clone();
            let event = Event::GameFinish {
                game: Box::new(game.info(color, &self.users, now)),
            };
            self.outgoing.push(Outgoing::Event { to, event });
        }
    }

    fn emit_notifications(&mut self, id: &GameId) {
        let Some(game) = self.games.get_mut(id) else {
            return;
        };
        for note in game.take_notifications() {
            for color in Color::ALL {
                let player = game.players.get(color);
                let event = match &note {
                    Notification::State(state) => GameEvent::State(state.clone()),
                    // Board streams do not get spectator chat.
                    Notification::Chat(line) if line.room != Room::Player && !player.is_bot => continue,
                    Notification::Chat(line) => GameEvent::Chat(line.clone()),
                    Notification::Gone(to, gone) if *to == color => GameEvent::OpponentGone(*gone),
                    Notification::Gone(..) => continue,
                };
                self.outgoing.push(Outgoing::Game {
                    game: id.clone(),
                    to: player.user.clone(),
                    event,
                });
            }
        }
    }

    /// A player opened a stream of his game: its first line, and whether more will follow. Somebody's flag that has
    /// fallen is seen now.
    ///
    /// # Errors
    /// [`ApiError`] if it is not his game.
    pub fn game_stream_opened(
        &mut self,
        me: &UserId,
        id: &GameId,
        now: Millis,
    ) -> Result<(GameFull, bool), ApiError> {
        self.command(me, id, now, |game, color| {
            game.check_flag(now);
            game.came(color);
            Ok(())
        })?;
        self.stream_opened(me);
        let (game, _) = self.game_of(me, id)?;
        Ok((game.full(&self.users, now), game.is_running()))
    }

    /// A player closed a stream of his game.
    pub fn game_stream_closed(&mut self, me: &UserId, id: &GameId, now: Millis) {
        self.stream_closed(me);
        // Nothing to refuse: the game may have been forgotten meanwhile.
        let _ = self.command(me, id, now, |game, color| {
            game.left_board(color, now);
            Ok(())
        });
    }

    /// A player posts a chat line. A bot's line with a link is dropped, as on lichess.
    ///
    /// # Errors
    /// [`ApiError`] if it is not his game, or the text is empty or longer than 140 characters.
    pub fn say(
        &mut self,
        me: &UserId,
        id: &GameId,
        room: Room,
        text: &str,
        now: Millis,
    ) -> Result<(), ApiError> {
        if text.chars().count() > LONGEST_LINE {
            return Err(ApiError::form("text", "Maximum length is 140"));
        }
        if text.trim().is_empty() {
            return Err(ApiError::form("text", "This field is required"));
        }
        let profile = self.users.profile(me).ok_or(ApiError::NotFound)?;
        let (name, is_bot) = (profile.name.clone(), profile.is_bot);
        self.command(me, id, now, |game, _| {
            if !(is_bot && has_link(text)) {
                game.say(&name, room, text);
            }
            Ok(())
        })
    }

    /// Somebody else says something in the spectators' room of a game. On lichess this goes through the pages alone.
    ///
    /// # Errors
    /// [`ApiError::NoSuchGame`].
    pub fn spectator_says(
        &mut self,
        name: &str,
        id: &GameId,
        text: &str,
        now: Millis,
    ) -> Result<(), ApiError> {
        self.change_game(id, now, |game| game.say(name, Room::Spectator, text))
            .ok_or(ApiError::NoSuchGame)
    }

    /// The chat lines of a room of a player's game.
    ///
    /// # Errors
    /// [`ApiError`] if it is not his game.
    pub fn chat(&self, me: &UserId, id: &GameId, room: &Room) -> Result<Vec<ChatMessage>, ApiError> {
        self.game_of(me, id).map(|(game, _)| game.chat(room))
    }

    /// A user's running games, the latest first, as lists and the burst of the event stream show them.
    #[must_use]
    pub fn running_games(&self, me: &UserId, now: Millis) -> Vec<GameEventInfo> {
        let mut games: Vec<&Game> = self
            .games
            .values()
            .filter(|game| game.is_running() && game.color_of(me).is_some())
            .collect();
        games.sort_by_key(|game| std::cmp::Reverse(game.created_at));
        games
            .into_iter()
            .filter_map(|game| Some(game.info(game.color_of(me)?, &self.users, now)))
            .collect()
    }
}

/// Whether a text shows an address of the web.
fn has_link(text: &str) -> bool {
    text.contains("://") || text.split_whitespace().any(|word| word.starts_with("www."))
}
