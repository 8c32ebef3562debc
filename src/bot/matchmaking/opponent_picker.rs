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

/// A game to propose to whoever is chosen.
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
    /// Draws one of the games that are wished for; none where there is nothing to draw from.
    pub(in crate::bot) fn draw(wish: &Matchmaking, rng: &mut impl Rng) -> Option<Self> {
        Some(Self {
            clock: *wish.clocks.choose(rng)?,
            variant: *wish.variants.choose(rng)?,
            rated: wish.mode == Mode::Rated,
        })
    }

    /// lichess' key of the rating that counts.
    fn perf(self) -> &'static str {
        let speed = Speed::of_clock(self.clock.initial, self.clock.increment);
        RuleContext::perf(self.variant, speed)
    }
}

/// Looks for opponents.
#[derive(Debug, Default)]
pub(in crate::bot) struct OpponentPicker {
    memory: BTreeMap<UserId, ChallengeHistory>,
    pending: Option<(GameId, UserId)>,
    /// Cancelled when nobody is to keep the challenge alive that is out.
    is_wanted: CancellationToken,
    /// So many challenges are being taken back.
    taking_back: usize,
    is_asking: bool,
    asked_at: Option<Millis>,
    /// When it was last looked whether it is time, by somebody who could have asked then.
    looked_at: Option<Millis>,
    idle_since: Millis,
    /// When the day ends whose challenges are counted.
    day_ends: Millis,
    sent_today: u32,
    /// What was learned and is not kept yet.
    news: Vec<ChallengeCooldown>,
}

#[derive(Debug, Clone, Copy, Default)]
struct ChallengeHistory {
    refusals: u32,
    free_at: Millis,
}

impl OpponentPicker {
    /// A picker that begins now, at this time since 1970, and knows what an earlier run has learned: who is left alone
    /// until when since 1970, and how many challenges were sent since midnight.
    pub(in crate::bot) fn restore(rests: &[ChallengeCooldown], sent_today: u32, epoch: Millis) -> Self {
        // A longer rest is of a clock that was wrong.
        let possible = rests.iter().filter(|rest| rest.until <= epoch + LONGEST_REST);
        let memory = possible.map(|rest| {
            let memory = ChallengeHistory {
                refusals: rest.refusals,
                free_at: rest.until - epoch,
            };
            (rest.user.clone(), memory)
        });
        Self {
            memory: memory.collect(),
            sent_today,
            day_ends: Millis(DAY - epoch.0 % DAY),
            ..Self::default()
        }
    }

    /// What was learned since this was asked last: to be kept.
    pub(in crate::bot) fn news(&mut self) -> Vec<ChallengeCooldown> {
        std::mem::take(&mut self.news)
    }

    /// Somebody plays, or is about to.
    pub(in crate::bot) fn busy(&mut self, now: Millis) {
        self.idle_since = now;
    }

    /// Whether it is time to look for somebody.
    pub(in crate::bot) fn is_due(&self, wish: &Matchmaking, now: Millis) -> bool {
        wish.enabled && !self.is_asking && self.pending.is_none() && now >= self.due_at(wish)
    }

    /// It was looked whether it is time: at this moment, or none where nobody could have been asked.
    pub(in crate::bot) fn on_candidates(&mut self, at: Option<Millis>) {
        self.looked_at = at;
    }

    /// When to look next, if nobody comes until then and asking is allowed from `allowed` on. None where the last look
    /// came in time: what stood in its way will wake us.
    pub(in crate::bot) fn looks_at(&self, wish: &Matchmaking, allowed: Millis) -> Option<Millis> {
        let due = self.due_at(wish).max(allowed);
        // Not by the time of now: a moment that passes just after a look would be slept through.
        let is_ahead = self.looked_at.is_none_or(|looked| due > looked);
        (wish.enabled && is_ahead).then_some(due)
    }

    /// When it will be time, if nobody comes until then.
    fn due_at(&self, wish: &Matchmaking) -> Millis {
        let after_game = self.idle_since + wish.after;
        let after_challenge = self.asked_at.map_or(Millis::ZERO, |at| at + wish.every);
        let tomorrow = if self.is_done_for_today() {
            self.day_ends
        } else {
            Millis::ZERO
        };
        after_game.max(after_challenge).max(tomorrow)
    }

    /// Whether the challenges of the day are sent.
    pub(in crate::bot) fn is_done_for_today(&self) -> bool {
        self.sent_today >= MOST_A_DAY
    }

    /// A list of bots was asked for, at this time since 1970; until it is there nothing else is.
    pub(in crate::bot) fn asks(&mut self, now: Millis, epoch: Millis) {
        if now >= self.day_ends {
            self.day_ends = now + Millis(DAY - epoch.0 % DAY);
            self.sent_today = 0;
        }
        self.is_asking = true;
        self.asked_at = Some(now);
    }

    /// Nothing came of it.
    pub(in crate::bot) fn gives_up(&mut self) {
        self.is_asking = false;
    }

    /// Chooses an opponent among those who are welcome. `ratings` are mine, by lichess' keys.
    pub(in crate::bot) fn choose(
        &self,
        wish: &Matchmaking,
        plan: ChallengeProposal,
        welcome: &[&Account],
        ratings: &BTreeMap<String, Elo>,
        now: Millis,
        rng: &mut impl Rng,
    ) -> Option<(UserId, ChallengeRequest)> {
        let perf = plan.perf();
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
        let suitable: Vec<&&Account> = welcome
            .iter()
            .filter(|account| is_near(account) && is_free(account))
            .collect();
        let chosen = suitable.choose(rng)?;
        let color = if rng.random() {
            ChallengeColor::White
        } else {
            ChallengeColor::Black
        };
        let invitation = ChallengeRequest {
            rated: plan.rated,
            clock: Some((plan.clock.initial, plan.clock.increment)),
            color,
            variant: plan.variant,
            fen: None,
        };
        Some((chosen.id.clone(), invitation))
    }

    /// A challenge is out. What comes back is cancelled when nobody is to keep it alive any more.
    pub(in crate::bot) fn sent(&mut self, id: GameId, user: UserId) -> CancellationToken {
        self.sent_today += 1;
        self.is_asking = false;
        self.pending = Some((id, user));
        self.is_wanted = CancellationToken::new();
        self.is_wanted.clone()
    }

    /// The challenge that is out, to be taken back.
    pub(in crate::bot) fn withdraw(&mut self) -> Option<GameId> {
        self.is_wanted.cancel();
        self.pending.take().map(|(id, _)| id)
    }

    /// A challenge is being taken back.
    pub(in crate::bot) fn takes_back(&mut self) {
        self.taking_back += 1;
    }

    /// A challenge was taken back, or could not be.
    pub(in crate::bot) fn has_taken_back(&mut self) {
        self.taking_back = self.taking_back.saturating_sub(1);
    }

    /// Whether somebody could still accept a challenge that is being taken back.
    pub(in crate::bot) fn is_taking_back(&self) -> bool {
        self.taking_back > 0
    }

    /// The challenge that is out.
    pub(in crate::bot) fn pending(&self) -> Option<&GameId> {
        self.pending.as_ref().map(|(id, _)| id)
    }

    /// Whether this challenge is ours and still out.
    pub(in crate::bot) fn is_pending(&self, id: &GameId) -> bool {
        self.pending.as_ref().is_some_and(|(pending, _)| pending == id)
    }

    /// The challenge became a game.
    pub(in crate::bot) fn accepted(&mut self, id: &GameId, now: Millis) {
        if self.is_pending(id)
            && let Some((_, user)) = self.pending.take()
        {
            self.remember(user, 0, now + REST_AFTER_GAME);
        }
    }

    /// The challenge was refused, or nobody answered.
    pub(in crate::bot) fn refused(&mut self, id: &GameId, now: Millis) {
        if self.is_pending(id)
            && let Some((_, user)) = self.pending.take()
        {
            self.avoid(user, now, None);
        }
    }

    /// Somebody cannot be challenged: not for so long, or for longer each time.
    pub(in crate::bot) fn avoid(&mut self, user: UserId, now: Millis, rest: Option<Millis>) {
        self.is_asking = false;
        let refusals = self.memory.get(&user).map_or(0, |memory| memory.refusals);
        let own = Millis(FIRST_REST.0 << (2 * refusals).min(20)).min(LONGEST_REST);
        self.remember(user, refusals.saturating_add(1), now + rest.unwrap_or(own));
    }

    fn remember(&mut self, user: UserId, refusals: u32, free_at: Millis) {
        self.news.push(ChallengeCooldown {
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
mod tests {
    use rand::{SeedableRng as _, rngs::ChaCha8Rng};
    use serde_json::json;

    use super::*;
    use crate::config::Config;

    fn proposal() -> Matchmaking {
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

    fn chosen(picker: &OpponentPicker, online: &[Account], now: Millis) -> Option<String> {
        let ratings = [("blitz".to_owned(), Elo(1500))].into();
        let mut rng = ChaCha8Rng::seed_from_u64(now.0);
        let plan = ChallengeProposal::draw(&proposal(), &mut rng)?;
        let welcome: Vec<&Account> = online.iter().collect();
        let choice = picker.choose(&proposal(), plan, &welcome, &ratings, now, &mut rng);
        choice.map(|(user, _)| user.to_string())
    }

    #[test]
    fn only_those_of_a_near_rating_are_challenged() {
        let strangers = [
            account("far", Some("BOT"), Some(1801)),
            account("unrated", Some("BOT"), None),
        ];
        let picker = OpponentPicker::default();
        for now in 0..50 {
            assert_eq!(chosen(&picker, &strangers, Millis(now)), None);
        }
        let near = [&strangers[..], &[account("near", Some("BOT"), Some(1800))]].concat();
        assert_eq!(chosen(&picker, &near, Millis(1)).as_deref(), Some("near"));
    }

    #[test]
    fn who_refuses_is_left_alone_longer_each_time() {
        let online = [account("x", Some("BOT"), Some(1500))];
        let (x, id): (UserId, GameId) = ("x".parse().unwrap(), "abcd1234".parse().unwrap());
        let mut picker = OpponentPicker::default();
        let mut now = secs(0);
        for hours in [1, 4, 16, 64, 168, 168] {
            assert!(chosen(&picker, &online, now).is_some());
            picker.sent(id.clone(), x.clone());
            picker.refused(&id, now);
            let free = now + secs(hours * 3600);
            assert_eq!(chosen(&picker, &online, free - Millis(1)), None, "{hours}");
            now = free;
        }
        picker.sent(id.clone(), x.clone());
        picker.accepted(&id, now);
        assert!(
            chosen(&picker, &online, now + secs(1800)).is_some(),
            "a game makes good for all"
        );
        picker.avoid(x, now, Some(secs(90)));
        assert!(
            chosen(&picker, &online, now + secs(90)).is_some(),
            "lichess said when"
        );
    }

    #[test]
    fn challenges_keep_their_distance_and_a_day_has_only_so_many() {
        let wish = proposal();
        let mut picker = OpponentPicker::default();
        assert!(!picker.is_due(
            &Matchmaking {
                enabled: false,
                ..wish.clone()
            },
            secs(9000)
        ));
        assert!(!picker.is_due(&wish, secs(119)));
        assert!(picker.is_due(&wish, secs(120)));
        picker.asks(secs(120), secs(120));
        assert!(!picker.is_due(&wish, secs(9000)), "the list is not there yet");
        picker.gives_up();
        assert!(!picker.is_due(&wish, secs(719)));
        assert!(picker.is_due(&wish, secs(720)));
        picker.busy(secs(700));
        assert!(!picker.is_due(&wish, secs(819)));
        for _ in 0..MOST_A_DAY {
            picker.asks(secs(1000), secs(1000));
            picker.gives_up();
        }
        assert!(picker.is_due(&wish, secs(1600)), "nobody was there to challenge");
        let (x, id): (UserId, GameId) = ("x".parse().unwrap(), "abcd1234".parse().unwrap());
        for _ in 0..MOST_A_DAY {
            assert!(!picker.is_done_for_today());
            picker.asks(secs(1000), secs(1000));
            picker.sent(id.clone(), x.clone());
            picker.refused(&id, secs(1000));
        }
        assert!(picker.is_done_for_today());
        assert!(!picker.is_due(&wish, secs(86_399)));
        assert!(picker.is_due(&wish, secs(86_400)));
        picker.asks(secs(86_400), secs(86_400));
        picker.gives_up();
        assert!(picker.is_due(&wish, secs(87_000)), "a new day has its own");
    }

    #[test]
    fn a_moment_that_passes_just_after_a_look_is_not_slept_through() {
        let (wish, mut picker) = (proposal(), OpponentPicker::default());
        picker.on_candidates(Some(Millis(119_999)));
        assert!(!picker.is_due(&wish, Millis(119_999)));
        // However late it is by now.
        assert_eq!(picker.looks_at(&wish, Millis::ZERO), Some(secs(120)));
        picker.on_candidates(Some(secs(120)));
        assert_eq!(picker.looks_at(&wish, Millis::ZERO), None, "it was seen in time");
        // A silence that ends meanwhile is such a moment too.
        picker.on_candidates(None);
        assert_eq!(picker.looks_at(&wish, Millis::ZERO), Some(secs(120)));
        assert_eq!(picker.looks_at(&wish, secs(300)), Some(secs(300)));
    }

    #[test]
    fn what_was_learned_outlasts_a_restart() {
        let online = [account("x", Some("BOT"), Some(1500))];
        let x: UserId = "x".parse().unwrap();
        let mut picker = OpponentPicker::default();
        for _ in 0..2 {
            picker.avoid(x.clone(), secs(100), None);
        }
        let learned = picker.news();
        assert_eq!((learned.len(), learned[1].refusals), (2, 2));
        assert_eq!(picker.news(), []);
        // The next run begins an hour before noon; the rest that is left counts from there.
        let eleven = secs(50 * 24 * 3600 + 11 * 3600);
        let rest = ChallengeCooldown {
            until: eleven + secs(600),
            ..learned[1].clone()
        };
        let mut next = OpponentPicker::restore(&[rest], MOST_A_DAY, eleven);
        assert_eq!(chosen(&next, &online, secs(599)), None);
        assert!(chosen(&next, &online, secs(600)).is_some());
        assert!(
            !next.is_due(&proposal(), secs(13 * 3600 - 1)),
            "the day's challenges are sent"
        );
        assert!(next.is_due(&proposal(), secs(13 * 3600)));
        next.avoid(x, secs(600), None);
        assert_eq!(next.news()[0].refusals, 3);
    }

    #[test]
    fn a_crowd_is_not_remembered_for_ever() {
        let mut picker = OpponentPicker::default();
        for number in 0..(REMEMBERED as u64 + 10) {
            picker.avoid(format!("bot{number}").parse().unwrap(), secs(number), None);
        }
        assert_eq!(picker.memory.len(), REMEMBERED);
    }
}
