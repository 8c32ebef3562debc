//! Life of challenges: created, accepted, declined, canceled, expired; rematches too.

use super::{
    ApiError, Challenge, ChallengeParams, Fields, LimitedAction, Outgoing, Profile, World, games::Pairing,
};
use sparring_chess::{Color, units::Millis};
use sparring_lichess::model::{
    Challenge as Wire, ChallengeColor, ChallengeDone, ChallengeStatus, DeclineReason, Event, GameId, Speed,
    UserId,
};

/// After a refused rematch another one may be offered so much later.
const REMATCH_PAUSE: Millis = Millis(60_000);

impl World {
    /// Creates a challenge. An earlier open challenge to the same user is canceled.
    ///
    /// # Errors
    /// [`ApiError`] in lichess' words.
    pub fn challenge(
        &mut self,
        me: &UserId,
        name: &str,
        fields: &Fields,
        now: Millis,
    ) -> Result<Wire, ApiError> {
        let dest = match self.users.named(name) {
            Some(profile) if profile.id == *me => return Err(ApiError::NotFound),
            Some(profile) => profile.clone(),
            None => return Err(ApiError::NoSuchUser(name.to_owned())),
        };
        let terms = ChallengeParams::read(fields, &mut self.ids)?;
        let too_fast_for_bots = terms.speed() < Speed::Bullet;
        let i_am_bot = self.users.profile(me).is_some_and(|profile| profile.is_bot);
        if i_am_bot && too_fast_for_bots {
            return Err(ApiError::form("global", "Invalid speed"));
        }
        if dest.is_bot && too_fast_for_bots {
            return Err(ApiError::TooFastForBot);
        }
        if dest.is_bot && !terms.rules.is_empty() {
            return Err(ApiError::RulesForBot);
        }
        if i_am_bot && dest.is_bot {
            self.check_bot_games(me, &dest, now)?;
        }
        let cost = if dest.is_bot { 1 } else { 5 };
        self.counters.admit(LimitedAction::Challenge, me, cost, now)?;
        let challenger_color = match terms.color {
            ChallengeColor::White => Color::White,
            ChallengeColor::Black => Color::Black,
            ChallengeColor::Random => self.ids.color(),
        };
        Ok(self.propose(me.clone(), dest.id, terms, challenger_color, None, now))
    }

    /// Checks the daily limit of games between bots, for both sides.
    fn check_bot_games(&self, me: &UserId, dest: &Profile, now: Millis) -> Result<(), ApiError> {
        let wait = |user: &UserId| self.counters.wait(LimitedAction::PlayBot, user, 1, now);
        if let Some(wait) = wait(me) {
            return Err(ApiError::MyBotGames { wait });
        }
        match wait(&dest.id) {
            Some(wait) => Err(ApiError::TheirBotGames {
                name: dest.name.clone(),
                wait,
            }),
            None => Ok(()),
        }
    }

    /// Offers a rematch with colours swapped. Its id is that of the next game. An open offer is only repeated; the opponent's is
    /// accepted: a game has one rematch.
    ///
    /// # Errors
    /// [`ApiError`] for a game that runs, was not the user's, or whose rematch was refused a moment ago.
    pub fn rematch(&mut self, me: &UserId, game: &GameId, now: Millis) -> Result<Wire, ApiError> {
        let (played, color) = self.game_of(me, game)?;
        let opponent = played.players.get(!color).user.clone();
        let terms = ChallengeParams {
            color: ChallengeColor::Random,
            ..played.terms.clone()
        };
        let forbidden = played.is_running()
            || played.rematch.is_some()
            || terms.rules.iter().any(|rule| rule == "noRematch");
        let refused_lately = self.challenges.values().any(|challenge| {
            challenge.rematch_of.as_ref() == Some(game)
                && challenge.status == ChallengeStatus::Declined
                && now < challenge.seen_at + REMATCH_PAUSE
        });
        if forbidden || refused_lately {
            return Err(ApiError::NoRematch);
        }
        let standing = self.challenges.values_mut();
        let standing = standing
            .filter(|offer| offer.is_open() && offer.rematch_of.as_ref() == Some(game))
            .find(|offer| offer.concerns(me));
        if let Some(offer) = standing {
            let (id, is_mine) = (offer.id.clone(), offer.challenger == *me);
            if is_mine {
                offer.status = ChallengeStatus::Created;
                offer.seen_at = now;
                let offer = offer.clone();
                self.announce(&offer);
            } else {
                self.begin_from(&id, now)?;
            }
            return self.show_challenge(me, &id);
        }
        Ok(self.propose(me.clone(), opponent, terms, !color, Some(game.clone()), now))
    }

    fn propose(
        &mut self,
        challenger: UserId,
        dest: UserId,
        terms: ChallengeParams,
        challenger_color: Color,
        rematch_of: Option<GameId>,
        now: Millis,
    ) -> Wire {
        self.supersede(&challenger, &dest);
        let taken = |id: &GameId| self.challenges.contains_key(id) || self.games.contains_key(id);
        let id = self.ids.game_id(taken);
        let challenge = Challenge {
            id: id.clone(),
            challenger: challenger.clone(),
            dest: dest.clone(),
            terms,
            challenger_color,
            status: ChallengeStatus::Created,
            reason: None,
            rematch_of,
            seen_at: now,
            waiting: 0,
        };
        self.announce(&challenge);
        let answer = challenge.wire(&self.users, &self.site, Some(&challenger));
        self.challenges.insert(id, challenge);
        answer
    }

    /// Sends an open challenge to both sides' event streams.
    fn announce(&mut self, challenge: &Challenge) {
        for user in [&challenge.challenger, &challenge.dest] {
            let event = Event::Challenge {
                challenge: Box::new(challenge.wire(&self.users, &self.site, None)),
                compat: Some(challenge.compat(user, &self.users)),
            };
            self.outgoing.push(Outgoing::Event {
                to: user.clone(),
                event,
            });
        }
    }

    /// Cancels the challenger's earlier challenge to the same user.
    fn supersede(&mut self, challenger: &UserId, dest: &UserId) {
        let earlier: Vec<GameId> = self
            .challenges
            .values()
            .filter(|earlier| earlier.is_open() && earlier.challenger == *challenger && earlier.dest == *dest)
            .map(|earlier| earlier.id.clone())
            .collect();
        for id in earlier {
            self.decide(&id, ChallengeStatus::Canceled, None);
        }
    }

    /// Accepts a challenge or rematch: the game begins.
    ///
    /// # Errors
    /// [`ApiError::NotFound`] for a challenge that is missing, expired or for another user; other errors if it is decided.
    pub fn accept(&mut self, me: &UserId, id: &GameId, now: Millis) -> Result<(), ApiError> {
        let challenge = self.challenges.get(id).filter(|challenge| challenge.dest == *me);
        let status = challenge.ok_or(ApiError::NotFound)?.status;
        match status {
            ChallengeStatus::Created => {}
            ChallengeStatus::Offline if self.rules.accept_expired => {}
            ChallengeStatus::Offline | ChallengeStatus::Unknown => return Err(ApiError::NotFound),
            ChallengeStatus::Canceled => return Err(ApiError::Canceled),
            ChallengeStatus::Declined => return Err(ApiError::Declined),
            ChallengeStatus::Accepted => return Err(ApiError::AlreadyAccepted),
        }
        self.begin_from(id, now)
    }

    /// A challenge becomes the game of its id.
    fn begin_from(&mut self, id: &GameId, now: Millis) -> Result<(), ApiError> {
        let pairing = self.challenges.get(id).map(Pairing::of);
        self.begin_game(pairing.ok_or(ApiError::NotFound)?, now)?;
        self.decide(id, ChallengeStatus::Accepted, None);
        Ok(())
    }

    /// Declines a challenge or rematch with a reason; an unknown reason counts as generic.
    ///
    /// # Errors
    /// [`ApiError::NotFound`] for a challenge that is missing, decided, or for another user.
    pub fn decline(
        &mut self,
        me: &UserId,
        id: &GameId,
        reason: Option<&str>,
        now: Millis,
    ) -> Result<(), ApiError> {
        let challenge = self.challenges.get_mut(id);
        let challenge = challenge
            .filter(|challenge| challenge.dest == *me && challenge.is_open())
            .ok_or(ApiError::NotFound)?;
        challenge.seen_at = now;
        let reason = reason.map_or(DeclineReason::Generic, DeclineReason::from_key);
        self.decide(id, ChallengeStatus::Declined, Some(reason));
        Ok(())
    }

    /// Cancels an own challenge, declines one to me, or aborts the game that came of it.
    ///
    /// # Errors
    /// [`ApiError::NotFound`] for an unknown id, [`ApiError::NotAbortable`] for a game with too many moves.
    pub fn cancel(&mut self, me: &UserId, id: &GameId, now: Millis) -> Result<(), ApiError> {
        match self.challenges.get(id).filter(|challenge| challenge.is_open()) {
            Some(challenge) if challenge.challenger == *me => {
                self.decide(id, ChallengeStatus::Canceled, None);
                Ok(())
            }
            Some(_) => self.decline(me, id, None, now),
            None => self
                .command(me, id, now, |game, _| game.abort(now))
                .map_err(|refusal| match refusal {
                    ApiError::NoSuchGame | ApiError::NotYourGame => ApiError::NotFound,
                    other => other,
                }),
        }
    }

    /// Open challenges to the user, and open challenges of the user.
    #[must_use]
    pub fn challenges_of(&self, me: &UserId) -> (Vec<Wire>, Vec<Wire>) {
        let announced = |side: fn(&Challenge) -> &UserId| {
            self.challenges
                .values()
                .filter(|challenge| challenge.is_announced() && side(challenge) == me)
                .map(|challenge| challenge.wire(&self.users, &self.site, Some(me)))
                .collect()
        };
        (
            announced(|challenge| &challenge.dest),
            announced(|challenge| &challenge.challenger),
        )
    }

    /// One challenge, decided or not, for one of the two it concerns.
    ///
    /// # Errors
    /// [`ApiError::NotFound`] otherwise.
    pub fn show_challenge(&self, me: &UserId, id: &GameId) -> Result<Wire, ApiError> {
        self.challenges
            .get(id)
            .filter(|challenge| challenge.concerns(me))
            .map(|challenge| challenge.wire(&self.users, &self.site, Some(me)))
            .ok_or(ApiError::NotFound)
    }

    /// Outcome of a challenge, once it is decided.
    #[must_use]
    pub fn challenge_done(&self, id: &GameId) -> Option<ChallengeDone> {
        self.challenges.get(id)?.done()
    }

    /// The challenger opened a keep-alive stream: the challenge does not expire while it is open.
    pub fn waits_for(&mut self, id: &GameId) {
        if let Some(challenge) = self.challenges.get_mut(id) {
            challenge.waiting += 1;
        }
    }

    /// The challenger closed a keep-alive stream. This does not cancel the challenge.
    pub fn waits_no_longer(&mut self, id: &GameId, now: Millis) {
        if let Some(challenge) = self.challenges.get_mut(id) {
            challenge.waiting = challenge.waiting.saturating_sub(1);
            challenge.seen_at = challenge.seen_at.max(now);
        }
    }

    /// Decides a challenge and sends the event to both sides; an acceptance sends `gameStart` instead.
    fn decide(&mut self, id: &GameId, status: ChallengeStatus, reason: Option<DeclineReason>) {
        let Some(challenge) = self.challenges.get_mut(id) else {
            return;
        };
        challenge.status = status;
        challenge.reason = reason;
        let challenge = challenge.clone();
        for to in [&challenge.challenger, &challenge.dest] {
            let wire = || Box::new(challenge.wire(&self.users, &self.site, None));
            let event = match status {
                // A canceled rematch is still listed, as captures of lichess show.
                ChallengeStatus::Canceled if challenge.rematch_of.is_some() => Event::ChallengeCanceled {
                    challenge: Box::new(Wire {
                        status: ChallengeStatus::Created,
                        ..*wire()
                    }),
                    compat: Some(challenge.compat(to, &self.users)),
                },
                ChallengeStatus::Canceled => Event::ChallengeCanceled {
                    challenge: wire(),
                    compat: None,
                },
                ChallengeStatus::Declined => Event::ChallengeDeclined { challenge: wire() },
                _ => break,
            };
            self.outgoing.push(Outgoing::Event {
                to: to.clone(),
                event,
            });
        }
        if let Some(done) = challenge.done() {
            self.outgoing.push(Outgoing::ChallengeOver {
                challenge: id.clone(),
                done,
            });
        }
        // An accepted challenge shares its id with the game, which is archived when it ends.
        if status != ChallengeStatus::Accepted {
            self.archive(id.clone());
        }
    }
}
