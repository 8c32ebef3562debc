//! Whom to challenge when nobody comes: chosen by rating, remembered by how they answered. Pure; time and chance are
//! arguments.

use std::collections::BTreeMap;

use rand::{Rng, RngExt as _, seq::IndexedRandom as _};

use super::facts::Facts;
use crate::{
    config::{Matchmaking, Mode},
    lichess::model::{Account, ChallengeColor, GameId, Invitation, Speed, UserId},
    units::{Elo, Millis},
};

/// Who refused is not asked again for so long, then four times as long each time.
const FIRST_REST: Millis = Millis::from_secs(3600);
/// Nobody is left alone for longer.
const LONGEST_REST: Millis = Millis::from_secs(7 * 24 * 3600);
/// Who played is not asked again at once either: others may want to.
const REST_AFTER_GAME: Millis = Millis::from_secs(1800);
/// So many are remembered; the one who is free soonest is forgotten first.
const REMEMBERED: usize = 2000;
/// lichess allows 200 challenges a day; the rest is left to the owner.
const MOST_A_DAY: u32 = 150;
/// A day in milliseconds.
const DAY: u64 = 24 * 3600 * 1000;

/// Looks for opponents.
#[derive(Debug, Default)]
pub(super) struct Suitor {
    memory: BTreeMap<UserId, Memory>,
    pending: Option<(GameId, UserId)>,
    is_asking: bool,
    asked_at: Option<Millis>,
    idle_since: Millis,
    day: u64,
    asked_today: u32,
}

#[derive(Debug, Clone, Copy, Default)]
struct Memory {
    refusals: u32,
    free_at: Millis,
}

impl Suitor {
    /// Somebody plays, or is about to.
    pub(super) fn busy(&mut self, now: Millis) {
        self.idle_since = now;
    }

    /// Whether it is time to look for somebody.
    pub(super) fn is_due(&self, wish: &Matchmaking, now: Millis) -> bool {
        wish.enabled && !self.is_asking && self.pending.is_none() && now >= self.due_at(wish)
    }

    /// When it will be time, if nobody comes until then.
    pub(super) fn due_at(&self, wish: &Matchmaking) -> Millis {
        let after_game = self.idle_since + wish.after;
        let after_challenge = self.asked_at.map_or(Millis::ZERO, |at| at + wish.every);
        let tomorrow = if self.asked_today >= MOST_A_DAY {
            Millis((self.day + 1) * DAY)
        } else {
            Millis::ZERO
        };
        after_game.max(after_challenge).max(tomorrow)
    }

    /// A list of bots was asked for; until it is there nothing else is.
    pub(super) fn asks(&mut self, now: Millis) {
        if now.0 / DAY != self.day {
            self.day = now.0 / DAY;
            self.asked_today = 0;
        }
        self.is_asking = true;
        self.asked_at = Some(now);
        self.asked_today += 1;
    }

    /// Nothing came of it.
    pub(super) fn gives_up(&mut self) {
        self.is_asking = false;
    }

    /// Chooses an opponent and a game among those who are online. `ratings` are mine, by lichess' keys.
    pub(super) fn choose(
        &self,
        wish: &Matchmaking,
        online: &[Account],
        me: &UserId,
        ratings: &BTreeMap<String, Elo>,
        now: Millis,
        rng: &mut impl Rng,
    ) -> Option<(UserId, Invitation)> {
        let clock = *wish.clocks.choose(rng)?;
        let variant = *wish.variants.choose(rng)?;
        let perf = Facts::perf(variant, Speed::of_clock(clock.initial, clock.increment));
        let is_near = |account: &Account| match (ratings.get(perf), account.rating(perf)) {
            (Some(mine), Some(theirs)) => mine.0.abs_diff(theirs.0) <= wish.max_difference,
            // A new account has no rating that could be too far away.
            (None, _) => true,
            (Some(_), None) => false,
        };
        let is_free = |account: &Account| {
            self.memory
                .get(&account.id)
                .is_none_or(|memory| now >= memory.free_at)
        };
        let suitable: Vec<&Account> = online
            .iter()
            .filter(|account| account.is_bot() && !account.disabled && account.id != *me)
            .filter(|account| is_near(account) && is_free(account))
            .collect();
        let chosen = suitable.choose(rng)?;
        let color = if rng.random() {
            ChallengeColor::White
        } else {
            ChallengeColor::Black
        };
        let invitation = Invitation {
            rated: wish.mode == Mode::Rated,
            clock: Some((clock.initial, clock.increment)),
            color,
            variant,
            fen: None,
        };
        Some((chosen.id.clone(), invitation))
    }

    /// A challenge is out.
    pub(super) fn sent(&mut self, id: GameId, user: UserId) {
        self.is_asking = false;
        self.pending = Some((id, user));
    }

    /// The challenge that is out, to be taken back.
    pub(super) fn withdraw(&mut self) -> Option<GameId> {
        self.pending.take().map(|(id, _)| id)
    }

    /// The challenge that is out.
    pub(super) fn pending(&self) -> Option<&GameId> {
        self.pending.as_ref().map(|(id, _)| id)
    }

    /// Whether this challenge is ours and still out.
    pub(super) fn is_pending(&self, id: &GameId) -> bool {
        self.pending.as_ref().is_some_and(|(pending, _)| pending == id)
    }

    /// The challenge became a game.
    pub(super) fn accepted(&mut self, id: &GameId, now: Millis) {
        if self.is_pending(id)
            && let Some((_, user)) = self.pending.take()
        {
            self.remember(user, 0, now + REST_AFTER_GAME);
        }
    }

    /// The challenge was refused, or nobody answered.
    pub(super) fn refused(&mut self, id: &GameId, now: Millis) {
        if self.is_pending(id)
            && let Some((_, user)) = self.pending.take()
        {
            self.avoid(user, now, None);
        }
    }

    /// Somebody cannot be challenged: not for so long, or for longer each time.
    pub(super) fn avoid(&mut self, user: UserId, now: Millis, rest: Option<Millis>) {
        self.is_asking = false;
        let refusals = self.memory.get(&user).map_or(0, |memory| memory.refusals);
        let own = Millis(FIRST_REST.0 << (2 * refusals).min(20)).min(LONGEST_REST);
        self.remember(user, refusals.saturating_add(1), now + rest.unwrap_or(own));
    }

    fn remember(&mut self, user: UserId, refusals: u32, free_at: Millis) {
        self.memory.insert(user, Memory { refusals, free_at });
        if self.memory.len() > REMEMBERED {
            let soonest = self.memory.iter().min_by_key(|(_, memory)| memory.free_at);
            if let Some(user) = soonest.map(|(user, _)| user.clone()) {
                self.memory.remove(&user);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::{SeedableRng as _, rngs::ChaCha8Rng};
    use serde_json::json;

    use super::*;
    use crate::config::Config;

    fn wish() -> Matchmaking {
        Matchmaking {
            enabled: true,
            ..Config::default().matchmaking
        }
    }

    fn account(name: &str, title: Option<&str>, blitz: Option<u32>) -> Account {
        let perfs = blitz.map_or(json!({}), |rating| json!({"blitz": {"rating": rating}}));
        serde_json::from_value(json!({"id": name, "username": name, "title": title, "perfs": perfs})).unwrap()
    }

    fn secs(secs: u64) -> Millis {
        Millis::from_secs(secs)
    }

    fn chosen(suitor: &Suitor, online: &[Account], now: Millis) -> Option<String> {
        let ratings = [("blitz".to_owned(), Elo(1500))].into();
        let me = "me".parse().unwrap();
        let mut rng = ChaCha8Rng::seed_from_u64(now.0);
        let choice = suitor.choose(&wish(), online, &me, &ratings, now, &mut rng);
        choice.map(|(user, _)| user.to_string())
    }

    #[test]
    fn only_other_bots_of_a_near_rating_are_challenged() {
        let strangers = [
            account("me", Some("BOT"), Some(1500)),
            account("ana", None, Some(1500)),
            account("gm", Some("GM"), Some(1500)),
            account("far", Some("BOT"), Some(1801)),
            account("unrated", Some("BOT"), None),
        ];
        let suitor = Suitor::default();
        for now in 0..50 {
            assert_eq!(chosen(&suitor, &strangers, Millis(now)), None);
        }
        let near = [&strangers[..], &[account("near", Some("BOT"), Some(1800))]].concat();
        assert_eq!(chosen(&suitor, &near, Millis(1)).as_deref(), Some("near"));
    }

    #[test]
    fn who_refuses_is_left_alone_longer_each_time() {
        let online = [account("x", Some("BOT"), Some(1500))];
        let (x, id): (UserId, GameId) = ("x".parse().unwrap(), "abcd1234".parse().unwrap());
        let mut suitor = Suitor::default();
        let mut now = secs(0);
        for hours in [1, 4, 16, 64, 168, 168] {
            assert!(chosen(&suitor, &online, now).is_some());
            suitor.sent(id.clone(), x.clone());
            suitor.refused(&id, now);
            let free = now + secs(hours * 3600);
            assert_eq!(chosen(&suitor, &online, free - Millis(1)), None, "{hours}");
            now = free;
        }
        suitor.sent(id.clone(), x.clone());
        suitor.accepted(&id, now);
        assert!(
            chosen(&suitor, &online, now + secs(1800)).is_some(),
            "a game makes good for all"
        );
        suitor.avoid(x, now, Some(secs(90)));
        assert!(
            chosen(&suitor, &online, now + secs(90)).is_some(),
            "lichess said when"
        );
    }

    #[test]
    fn challenges_keep_their_distance_and_a_day_has_only_so_many() {
        let wish = wish();
        let mut suitor = Suitor::default();
        assert!(!suitor.is_due(
            &Matchmaking {
                enabled: false,
                ..wish.clone()
            },
            secs(9000)
        ));
        assert!(!suitor.is_due(&wish, secs(119)));
        assert!(suitor.is_due(&wish, secs(120)));
        suitor.asks(secs(120));
        assert!(!suitor.is_due(&wish, secs(9000)), "the list is not there yet");
        suitor.gives_up();
        assert!(!suitor.is_due(&wish, secs(719)));
        assert!(suitor.is_due(&wish, secs(720)));
        suitor.busy(secs(700));
        assert!(!suitor.is_due(&wish, secs(819)));
        for _ in 0..MOST_A_DAY {
            suitor.asks(secs(1000));
            suitor.gives_up();
        }
        assert!(!suitor.is_due(&wish, secs(86_399)));
        assert!(suitor.is_due(&wish, secs(86_400)));
        suitor.asks(secs(86_400));
        suitor.gives_up();
        assert!(suitor.is_due(&wish, secs(87_000)), "a new day has its own");
    }

    #[test]
    fn a_crowd_is_not_remembered_for_ever() {
        let mut suitor = Suitor::default();
        for number in 0..(REMEMBERED as u64 + 10) {
            suitor.avoid(format!("bot{number}").parse().unwrap(), secs(number), None);
        }
        assert_eq!(suitor.memory.len(), REMEMBERED);
    }
}
