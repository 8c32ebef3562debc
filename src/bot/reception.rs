//! Challenges as they come in: judged by the rules, kept in the archive, and handed to whoever has the seats.

use std::sync::Arc;

use tracing::info;

use super::{
    desk::{Desk, epoch},
    facts::{Facts, Moment, minute_of_day},
    intake::{self, Applicant},
    rules::{self, By, Ruling},
};
use crate::{
    config::Then,
    lichess::{
        Untrusted,
        model::{Challenge, Compat, DeclineReason, UserId},
    },
    store::{ChallengeRecord, Tally},
    units::Millis,
};

impl Desk {
    /// Judges a challenge by the rules, and lets it wait or refuses it.
    pub(super) fn consider(&mut self, challenge: &Challenge, compat: Option<Compat>) {
        let challenger = challenge.challenger.as_ref();
        if challenger.is_some_and(|user| user.id == self.shared.me) {
            return;
        }
        let rules = Arc::clone(&self.options.borrow().rules);
        let moment = self.moment(challenger.map(|user| &user.id), false);
        let facts = Facts::of_challenge(challenge, &moment);
        let mut ruling = rules::judge(&rules, challenge, compat, &facts);
        if !matches!(ruling.then, Then::Decline(_))
            && let Some(why) = self.is_no_time_for(challenge, &facts)
        {
            ruling = Ruling {
                then: Then::Decline(DeclineReason::Later),
                by: By::Nature(why),
            };
        }
        let would = if self.dry { "would be " } else { "" };
        info!(
            "challenge {} by {}: {would}{} ({})",
            challenge.id,
            Untrusted(challenger.map_or("somebody", |user| user.name.as_str())),
            rules::describe(ruling.then),
            rules::title(&rules, ruling.by),
        );
        self.status.send_modify(|status| status.challenges += 1);
        if self.dry {
            return;
        }
        self.shared.meters.challenge(match ruling.then {
            Then::Decline(_) => "declined",
            Then::Accept | Then::Queue => "accepted",
        });
        self.shared.store.challenge(ChallengeRecord {
            id: challenge.id.clone(),
            at: epoch(),
            opponent: facts.opponent.clone(),
            verdict: rules::describe(ruling.then),
            rule: rules::title(&rules, ruling.by),
            sent: false,
            game: Some(rules::what(challenge)),
            repeats: challenge.rematch_of.clone(),
        });
        let id = challenge.id.clone();
        let patience = match ruling.then {
            Then::Decline(reason) => return self.intake.refuse(id, reason),
            Then::Accept => Millis::ZERO,
            Then::Queue => intake::PATIENCE,
        };
        let who = Applicant {
            id,
            opponent: facts.opponent,
            is_human: !facts.is_bot,
            is_rematch: facts.rematch,
            patience,
        };
        self.intake.wait(who, self.now());
    }

    /// Why a challenge that the rules welcome is for another time.
    fn is_no_time_for(&mut self, challenge: &Challenge, facts: &Facts) -> Option<&'static str> {
        if self.has_had_enough(challenge, facts) {
            Some("so many rematches in a row are enough")
        } else if self.drained_at.is_some() {
            Some("no new games")
        } else if facts.is_bot && self.are_bots_closed() {
            Some("the games of today with bots are played")
        } else {
            None
        }
    }

    /// Whether a rematch is one more than whoever would play it likes.
    fn has_had_enough(&mut self, challenge: &Challenge, facts: &Facts) -> bool {
        let Some(repeats) = &challenge.rematch_of else {
            return false;
        };
        let row = self.rematches.asked(&challenge.id, repeats);
        let options = self.options.borrow();
        let play = rules::casting(&options.rules, facts, &options.play);
        let cast = self.shared.cast.borrow();
        let most = cast.seated(&play.personality).rematches;
        most.is_some_and(|most| row > most)
    }

    /// Whether the games of the day with bots are played, by our count or by lichess'.
    pub(super) fn are_bots_closed(&self) -> bool {
        let now = epoch();
        self.today.is_done_with_bots(now) || self.limits.forbids_bots(now)
    }

    /// What rules may ask besides the challenge or game.
    pub(super) fn moment(&self, opponent: Option<&UserId>, rematch: bool) -> Moment {
        let now = epoch();
        let running = self.registry.opponents();
        let with_them = running
            .iter()
            .chain(self.asleep.values())
            .filter(|other| other.is_some() && other.as_ref() == opponent);
        Moment {
            ratings: Arc::clone(&self.shared.ratings.borrow()),
            lists: Arc::clone(&self.shared.lists.borrow()),
            played_today: opponent.map_or(0, |opponent| self.today.played(opponent, now)),
            score: opponent.map_or_else(Tally::default, |opponent| {
                self.shared.acquaintances.score(opponent)
            }),
            running: u32::try_from(with_them.count()).unwrap_or(u32::MAX),
            minute: minute_of_day(now),
            rematch,
        }
    }
}
