//! Opponent picker: whom to challenge, by rating and by earlier answers, with cooldowns and daily limits.
//! No IO; time and randomness are arguments.

use std::collections::BTreeMap;

use rand::{Rng, RngExt as _, seq::IndexedRandom as _};
use tokio_util::sync::CancellationToken;

use crate::bot::challenges::rule_context::RuleContext;
use crate::{
    config::{Matchmaking, Mode, TimeControlLimit},
    store::ChallengeCooldown,
};
use sparring_chess::{
    Variant,
    units::{Elo, Millis},
};
use sparring_lichess::model::{Account, ChallengeColor, ChallengeRequest, GameId, Speed, UserId};

/// Cooldown after the first refusal; quadruples with each further one.
const FIRST_COOLDOWN: Millis = Millis::from_secs(3600);
/// Longest cooldown.
const MAX_COOLDOWN: Millis = Millis::from_secs(7 * 24 * 3600);
/// Cooldown after a game, to give other opponents a turn.
const COOLDOWN_AFTER_GAME: Millis = Millis::from_secs(1800);
/// Most opponents remembered; the one whose cooldown ends first is forgotten first.
const REMEMBERED: usize = 2000;
/// Challenges per day. lichess allows 200; the others are left to the owner.
const MAX_PER_DAY: u32 = 150;
/// A day in milliseconds.
const DAY: u64 = 24 * 3600 * 1000;

/// The game of a challenge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::bot) struct ChallengeProposal {
    /// The clock.
    pub(in crate::bot) clock: TimeControlLimit,
    /// What to play.
    pub(in crate::bot) variant: Variant,
    /// Whether ratings change.
    pub(in crate::bot) rated: bool,
}

impl ChallengeProposal {
    /// Draws a game from the settings by weight, or clock and variant each for itself; none where a list is empty.
    pub(in crate::bot) fn draw(settings: &Matchmaking, rng: &mut impl Rng) -> Option<Self> {
        if !settings.games.is_empty() {
            let game = settings.games.choose_weighted(rng, |game| game.weight).ok()?;
            return Some(Self {
                clock: game.clock,
                variant: game.variant,
                rated: game.mode.unwrap_or(settings.mode) == Mode::Rated,
            });
        }
        Some(Self {
            clock: *settings.clocks.choose(rng)?,
            variant: *settings.variants.choose(rng)?,
            rated: settings.mode == Mode::Rated,
        })
    }

    /// lichess' perf key of the game.
    fn perf(self) -> &'static str {
        let speed = Speed::of_clock(self.clock.initial, self.clock.increment);
        RuleContext::perf(self.variant, speed)
    }
}

/// Decides when and whom to challenge.
#[derive(Debug, Default)]
pub(in crate::bot) struct OpponentPicker {
    memory: BTreeMap<UserId, ChallengeHistory>,
    pending: Option<(GameId, UserId)>,
    /// Cancelled when the pending challenge need no longer be kept alive.
    is_wanted: CancellationToken,
    /// How many challenges are being withdrawn.
    taking_back: usize,
    is_asking: bool,
    asked_at: Option<Millis>,
    /// The last poll at which a challenge could have been sent.
    looked_at: Option<Millis>,
    idle_since: Millis,
    /// The end of the day whose challenges are counted.
    day_ends: Millis,
    sent_today: u32,
    /// Cooldowns not yet written to the archive.
    changes: Vec<ChallengeCooldown>,
}

#[derive(Debug, Clone, Copy, Default)]
struct ChallengeHistory {
    refusals: u32,
    free_at: Millis,
}

impl OpponentPicker {
    /// A picker with the state of an earlier run: cooldowns, with ends since 1970, and the challenges sent since midnight. `epoch` is
    /// now, since 1970.
    pub(in crate::bot) fn restore(cooldowns: &[ChallengeCooldown], sent_today: u32, epoch: Millis) -> Self {
        // A longer cooldown was stored while the clock was wrong.
        let possible = cooldowns
            .iter()
            .filter(|cooldown| cooldown.until <= epoch + MAX_COOLDOWN);
        let memory = possible.map(|cooldown| {
            let memory = ChallengeHistory {
                refusals: cooldown.refusals,
                free_at: cooldown.until - epoch,
            };
            (cooldown.user.clone(), memory)
        });
        Self {
            memory: memory.collect(),
            sent_today,
            day_ends: Millis(DAY - epoch.0 % DAY),
            ..Self::default()
        }
    }

    /// Takes the cooldowns that have changed since the last call, to be archived.
    pub(in crate::bot) fn take_changes(&mut self) -> Vec<ChallengeCooldown> {
        std::mem::take(&mut self.changes)
    }

    /// Restarts the idle time: a game runs, or is about to.
    pub(in crate::bot) fn reset_idle(&mut self, now: Millis) {
        self.idle_since = now;
    }

    /// Whether it is time to look for an opponent.
    pub(in crate::bot) fn is_due(&self, settings: &Matchmaking, now: Millis) -> bool {
        settings.enabled && !self.is_asking && self.pending.is_none() && now >= self.due_at(settings)
    }

    /// Records the time of a poll, or none if no challenge could have been sent then.
    pub(in crate::bot) fn record_poll(&mut self, at: Option<Millis>) {
        self.looked_at = at;
    }

    /// When to poll next, if challenges are allowed from `allowed` on. None where the last poll was due already: the event that removes
    /// the obstacle will poll again.
    pub(in crate::bot) fn next_deadline(&self, settings: &Matchmaking, allowed: Millis) -> Option<Millis> {
        let due = self.due_at(settings).max(allowed);
        // Compared with the last poll, not with now: else a deadline just after the poll would be missed.
        let is_ahead = self.looked_at.is_none_or(|looked| due > looked);
        (settings.enabled && is_ahead).then_some(due)
    }

    /// When the next challenge is due, if no game starts before.
    fn due_at(&self, settings: &Matchmaking) -> Millis {
        let after_game = self.idle_since + settings.after;
        let after_challenge = self.asked_at.map_or(Millis::ZERO, |at| at + settings.every);
        let tomorrow = if self.is_done_for_today() {
            self.day_ends
        } else {
            Millis::ZERO
        };
        after_game.max(after_challenge).max(tomorrow)
    }

    /// Whether the daily limit of challenges is reached.
    pub(in crate::bot) fn is_done_for_today(&self) -> bool {
        self.sent_today >= MAX_PER_DAY
    }

    /// Whether a rematch may be offered to this opponent: no challenge is pending, and they have neither refused nor accepted one
    /// lately.
    pub(in crate::bot) fn may_offer(&self, user: &UserId, now: Millis) -> bool {
        !self.is_asking && self.pending.is_none() && !self.is_done_for_today() && self.is_rested(user, now)
    }

    fn is_rested(&self, user: &UserId, now: Millis) -> bool {
        self.memory.get(user).is_none_or(|memory| now >= memory.free_at)
    }

    /// The list of online bots was requested, or a rematch is being offered. `epoch` is now, since 1970.
    pub(in crate::bot) fn begin_request(&mut self, now: Millis, epoch: Millis) {
        if now >= self.day_ends {
            self.day_ends = now + Millis(DAY - epoch.0 % DAY);
            self.sent_today = 0;
        }
        self.is_asking = true;
        self.asked_at = Some(now);
    }

    /// The request led to no challenge.
    pub(in crate::bot) fn abandon_request(&mut self) {
        self.is_asking = false;
    }

    /// Chooses an opponent from `welcome`. `ratings` are the bot's own, by perf key.
    pub(in crate::bot) fn choose(
        &self,
        settings: &Matchmaking,
        plan: ChallengeProposal,
        welcome: &[&Account],
        ratings: &BTreeMap<String, Elo>,
        now: Millis,
        rng: &mut impl Rng,
    ) -> Option<(UserId, ChallengeRequest)> {
        let perf = plan.perf();
        let is_near = |account: &Account| match (ratings.get(perf), account.rating(perf)) {
            (Some(mine), Some(theirs)) => mine.0.abs_diff(theirs.0) <= settings.max_difference,
            // A new account has no rating that could be too far away.
            (None, _) => true,
            (Some(_), None) => false,
        };
        let suitable: Vec<&&Account> = welcome
            .iter()
            .filter(|account| is_near(account) && self.is_rested(&account.id, now))
            .collect();
        let chosen = suitable.choose(rng)?;
        let color = if rng.random() {
            ChallengeColor::White
        } else {
            ChallengeColor::Black
        };
        let request = ChallengeRequest {
            rated: plan.rated,
            clock: Some((plan.clock.initial, plan.clock.increment)),
            color,
            variant: plan.variant,
            fen: None,
        };
        Some((chosen.id.clone(), request))
    }

    /// A challenge was sent. The token is cancelled when it need no longer be kept alive.
    pub(in crate::bot) fn sent(&mut self, id: GameId, user: UserId) -> CancellationToken {
        self.sent_today += 1;
        self.is_asking = false;
        self.pending = Some((id, user));
        self.is_wanted = CancellationToken::new();
        self.is_wanted.clone()
    }

    /// Takes the pending challenge, to withdraw it.
    pub(in crate::bot) fn take_pending(&mut self) -> Option<GameId> {
        self.is_wanted.cancel();
        self.pending.take().map(|(id, _)| id)
    }

    /// A challenge is being withdrawn.
    pub(in crate::bot) fn begin_withdrawal(&mut self) {
        self.taking_back += 1;
    }

    /// A withdrawal has succeeded or failed.
    pub(in crate::bot) fn end_withdrawal(&mut self) {
        self.taking_back = self.taking_back.saturating_sub(1);
    }

    /// Whether a challenge is being withdrawn, which its opponent may still accept.
    pub(in crate::bot) fn is_withdrawing(&self) -> bool {
        self.taking_back > 0
    }

    /// The pending challenge.
    pub(in crate::bot) fn pending(&self) -> Option<&GameId> {
        self.pending.as_ref().map(|(id, _)| id)
    }

    /// Whether this is the pending challenge.
    pub(in crate::bot) fn is_pending(&self, id: &GameId) -> bool {
        self.pending.as_ref().is_some_and(|(pending, _)| pending == id)
    }

    /// The challenge became a game.
    pub(in crate::bot) fn accepted(&mut self, id: &GameId, now: Millis) {
        if self.is_pending(id)
            && let Some((_, user)) = self.pending.take()
        {
            self.remember(user, 0, now + COOLDOWN_AFTER_GAME);
        }
    }

    /// The challenge was declined, or not answered.
    pub(in crate::bot) fn refused(&mut self, id: &GameId, now: Millis) {
        if self.is_pending(id)
            && let Some((_, user)) = self.pending.take()
        {
            self.avoid(user, now, None);
        }
    }

    /// Starts an opponent's cooldown: of this length, or longer with each refusal.
    pub(in crate::bot) fn avoid(&mut self, user: UserId, now: Millis, cooldown: Option<Millis>) {
        self.is_asking = false;
        let refusals = self.memory.get(&user).map_or(0, |memory| memory.refusals);
        let own = Millis(FIRST_COOLDOWN.0 << (2 * refusals).min(20)).min(MAX_COOLDOWN);
        self.remember(user, refusals.saturating_add(1), now + cooldown.unwrap_or(own));
    }

    fn remember(&mut self, user: UserId, refusals: u32, free_at: Millis) {
        self.changes.push(ChallengeCooldown {
            user: user.clone(),
            refusals,
            until: free_at,
        });
        self.memory.insert(user, ChallengeHistory { refusals, free_at });
        if self.memory.len() > REMEMBERED {
            let soonest = self.memory.iter().min_by_key(|(_, memory)| memory.free_at);
            if let Some(user) = soonest.map(|(user, _)| user.clone()) {
                self.memory.remove(&user);
            }
        }
    }
}

#[cfg(test)]
mod tests;
