//! Commands of players: move, resign, abort, offers, claims, more time, berserk.

use super::{
    api_error::ApiError,
    draw_offers::{OfferAccepted, OfferDeclined},
    ending::{Cause, Ending, name},
    game::{Game, Notification},
    presence::{leave_time, material_balance},
};
use sparring_chess::{Color, NotationError, Rules as _, Variant, parse_uci, units::Millis, write_uci};
use sparring_lichess::model::OpponentGone;

/// Time added by one request for more time, as on lichess.
const MORE_TIME: Millis = Millis::from_secs(15);

impl Game {
    /// Plays a move given as text, with a draw offer if wanted.
    ///
    /// A move that arrives after the flag is granted, but not played: the game is over. So is one whose draw offer
    /// meets the opponent's.
    ///
    /// # Errors
    /// [`ApiError`] for text that is no move, for a move out of turn or an illegal one.
    pub fn play(&mut self, color: Color, text: &str, offering: bool, now: Millis) -> Result<(), ApiError> {
        if !self.is_running() || self.history.turn() != color {
            return Err(ApiError::NotYourTurn);
        }
        let mv = parse_uci(self.history.position(), text).map_err(|error| refused_move(&error, text))?;
        // In Chess960 castling is the king's move to its own rook, even where both stand as in usual games.
        if mv.is_castle()
            && self.terms.variant == Variant::Chess960
            && text != write_uci(mv, Variant::Chess960)
        {
            return Err(refused_move(&NotationError::Illegal(text.to_owned()), text));
        }
        if self.check_flag(now) {
            return Ok(());
        }
        if offering {
            self.offer_draw(color, now);
            if !self.is_running() {
                return Ok(());
            }
        }
        self.history.play(mv);
        // A player who moves is present, even without a stream.
        self.players.get_mut(color).presence.moved(now);
        match Ending::automatic(&self.history, self.bot_plays()) {
            Some(ending) => {
                self.clock.stop(now);
                self.clocks.push(self.clock.left(color, now));
                self.end(ending, now);
            }
            None => {
                self.clock.press(color, self.history.ply(), now);
                self.clocks.push(self.clock.left(color, now));
                self.notify_state(now);
                self.let_offers_lapse(color, now);
            }
        }
        Ok(())
    }

    /// A move declines the other side's offers, but only after its own state is sent: that state still shows
    /// the offer. A declined draw is not announced by a state, a declined takeback is.
    fn let_offers_lapse(&mut self, mover: Color, now: Millis) {
        let lapsed = self.offers.moved(mover, now);
        if lapsed.draw {
            self.announce(&format!("{} declines draw", name(mover)));
        }
        if lapsed.takeback {
            self.announce("Takeback declined");
            self.notify_state(now);
        }
    }

    /// Aborts the game before two half moves. Not in tournaments.
    ///
    /// # Errors
    /// [`ApiError::NotAbortable`] after two half moves or the end.
    pub fn abort(&mut self, now: Millis) -> Result<(), ApiError> {
        let is_young = self.is_running() && self.history.ply() < 2;
        if !is_young || self.tournament.is_some() || self.forbids("noAbort") {
            return Err(ApiError::NotAbortable);
        }
        self.end(Ending::without_winner(Cause::Aborted), now);
        Ok(())
    }

    /// Resigns. Before two half moves that aborts the game, except in tournaments.
    ///
    /// # Errors
    /// [`ApiError::NotResignable`] after the end.
    pub fn resign(&mut self, color: Color, now: Millis) -> Result<(), ApiError> {
        if !self.is_running() {
            return Err(ApiError::NotResignable);
        }
        // Too late once a flag has fallen.
        if self.check_flag(now) {
            return Ok(());
        }
        let ending = if self.history.ply() < 2 && self.tournament.is_none() {
            Ending::without_winner(Cause::Aborted)
        } else {
            Ending {
                cause: Cause::Resignation,
                winner: Some(!color),
            }
        };
        self.end(ending, now);
        Ok(())
    }

    /// Offers a draw, accepts one, or claims one that the position already is. Without effect where lichess
    /// ignores it.
    pub fn offer_draw(&mut self, color: Color, now: Millis) {
        if !self.is_running() || self.check_flag(now) {
            return;
        }
        if self.forbids("noEarlyDraw") && self.history.ply() < 60 {
            return;
        }
        let cause = if self.history.repetitions() >= 3 {
            Some(Cause::Threefold)
        } else if self.history.position().has_insufficient_material(!color) {
            Some(Cause::BareClaim)
        } else {
            match self.offers.offer_draw(color, self.history.ply()) {
                OfferAccepted::Accepted => Some(Cause::Agreement),
                OfferAccepted::Offered => {
                    self.announce(&format!("{} offers draw", name(color)));
                    self.notify_state(now);
                    None
                }
                OfferAccepted::Ignored => None,
            }
        };
        if let Some(cause) = cause {
            self.end(Ending::without_winner(cause), now);
        }
    }

    /// Declines a draw or withdraws the own offer. The streams send no state for it; the next one lacks the offer.
    pub fn decline_draw(&mut self, color: Color, now: Millis) {
        // A pending draw offer makes a flag a draw, and cannot be withdrawn afterwards.
        if !self.is_running() || self.check_flag(now) {
            return;
        }
        if !self.is_running() {
            return;
        }
        match self.offers.decline_draw(color) {
            OfferDeclined::Declined => self.announce(&format!("{} declines draw", name(color))),
            OfferDeclined::Withdrawn => self.announce("Draw offer canceled"),
            OfferDeclined::Ignored => {}
        }
    }

    /// Proposes a takeback, or accepts the opponent's: then its last move is undone, with the reply to it.
    pub fn offer_takeback(&mut self, color: Color, now: Millis) {
        if !self.is_running() || self.check_flag(now) || !self.rules.takebacks {
            return;
        }
        // Accepting needs no own move, asking does.
        if !self.offers.takeback(!color) && !self.has_moved(color) {
            return;
        }
        match self.offers.offer_takeback(color, now) {
            OfferAccepted::Offered => {
                self.announce(&format!("{} proposes a takeback", name(color)));
                self.notify_state(now);
            }
            OfferAccepted::Accepted => {
                let undone = if self.history.turn() == color { 1 } else { 2 };
                let plies = self.history.ply().saturating_sub(undone);
                self.history.truncate(plies);
                self.clocks.truncate(plies);
                self.offers.rewound(plies);
                self.clock.hand_to(self.history.turn(), plies, now);
                self.announce("Takeback accepted");
                self.notify_state(now);
            }
            OfferAccepted::Ignored => {}
        }
    }

    /// Declines a takeback, or withdraws the own proposal.
    pub fn decline_takeback(&mut self, color: Color, now: Millis) {
        if !self.is_running() || self.check_flag(now) {
            return;
        }
        match self.offers.decline_takeback(color, now) {
            OfferDeclined::Declined => self.announce("Takeback declined"),
            OfferDeclined::Withdrawn => self.announce("Takeback canceled"),
            OfferDeclined::Ignored => return,
        }
        self.notify_state(now);
    }

    /// Gives a side 15 seconds more in a casual game. On lichess only the opponent can, and bots do not.
    ///
    /// # Errors
    /// [`ApiError::NoMoreTime`] for rated games, games without a chess clock, and after the end.
    pub fn take_more_time(&mut self, color: Color, now: Millis) -> Result<(), ApiError> {
        if !self.is_running() || self.terms.rated || !self.clock.is_chess_clock() {
            return Err(ApiError::NoMoreTime);
        }
        if !self.check_flag(now) {
            self.clock.add(color, MORE_TIME);
            self.announce(&format!("{} + {} seconds", name(color), MORE_TIME.0 / 1000));
            self.notify_state(now);
        }
        Ok(())
    }

    /// Claims victory by the opponent's absence or flag. Without effect while there is nothing to claim.
    ///
    /// # Errors
    /// [`ApiError::NoVictoryClaim`] if this game can never be won so.
    pub fn claim_victory(&mut self, color: Color, now: Millis) -> Result<(), ApiError> {
        if !self.allows_claims() {
            return Err(ApiError::NoVictoryClaim);
        }
        if !self.check_flag(now) && self.opponent_is_claimable(color) {
            self.end(Ending::loss(!color, Cause::Left, &self.history), now);
        }
        Ok(())
    }

    /// Claims a draw by the opponent's absence. Without effect while there is nothing to claim.
    ///
    /// # Errors
    /// [`ApiError::NoDrawClaim`] if this game can never be drawn so.
    pub fn claim_draw(&mut self, color: Color, now: Millis) -> Result<(), ApiError> {
        if !self.allows_claims() {
            return Err(ApiError::NoDrawClaim);
        }
        if !self.check_flag(now) && self.opponent_is_claimable(color) {
            self.end(Ending::without_winner(Cause::Left), now);
        }
        Ok(())
    }

    /// A player opened a stream of the game.
    pub fn came(&mut self, color: Color) {
        if self.players.get_mut(color).presence.came() && self.is_running() {
            let back = OpponentGone {
                gone: false,
                claim_win_in_seconds: None,
            };
            self.notifications.push(Notification::Gone(!color, back));
        }
    }

    /// A player closed a stream of the game.
    pub fn left_board(&mut self, color: Color, now: Millis) {
        self.players.get_mut(color).presence.left(now);
    }

    /// When an absence is next announced.
    #[must_use]
    pub fn absence_due_at(&self, color: Color) -> Option<Millis> {
        let announced = self.allows_claims() && self.history.ply() >= 2;
        self.players.get(color).presence.due_at().filter(|_| announced)
    }

    /// Announces the absence of a side, as far as lichess would.
    pub fn announce_absence(&mut self, color: Color, now: Millis) {
        let wait = leave_time(self.speed(), material_balance(self.history.position(), color));
        let clock = self.left(color, now).unwrap_or_default();
        let presence = &mut self.players.get_mut(color).presence;
        if let Some(absence) = presence.announce(wait, clock, now) {
            let gone = OpponentGone {
                gone: true,
                claim_win_in_seconds: Some(absence.claim_in_seconds),
            };
            self.notifications.push(Notification::Gone(!color, gone));
        }
    }

    fn allows_claims(&self) -> bool {
        self.is_running() && self.clock.is_chess_clock() && !self.forbids("noClaimWin")
    }

    fn opponent_is_claimable(&self, color: Color) -> bool {
        self.history.turn() != color && self.players.get(!color).presence.is_claimable()
    }

    fn forbids(&self, rule: &str) -> bool {
        self.terms.rules.iter().any(|agreed| agreed == rule)
    }
}

fn refused_move(error: &NotationError, text: &str) -> ApiError {
    let square = |range| text.get(range).filter(|part: &&str| is_square(part));
    match (error, square(0..2), square(2..4)) {
        (NotationError::Illegal(_), Some(from), Some(to)) => ApiError::IllegalMove {
            from: from.to_owned(),
            to: to.to_owned(),
        },
        _ => ApiError::InvalidUci(text.to_owned()),
    }
}

fn is_square(text: &str) -> bool {
    text.parse::<sparring_chess::Square>().is_ok()
}
