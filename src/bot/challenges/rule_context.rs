//! Inputs of the challenge rules: the same facts from a challenge and from its game.

use std::{collections::BTreeMap, sync::Arc};

use crate::bot::matchmaking::opponent_picker::ChallengeProposal;
use crate::{store::OpponentScore, user_lists::UserLists};
use sparring_chess::{
    Variant,
    units::{Elo, Millis},
};
use sparring_lichess::model::{Account, Challenge, GameFull, Side, Speed, TimeControl, User, UserId};
use sparring_personality::LevelContext;

/// The facts about a challenge or game that rules test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleContext {
    /// The opponent; none for anonymous players and lichess' AI.
    pub opponent: Option<UserId>,
    /// Whether lichess marks the opponent as a bot.
    pub is_bot: bool,
    /// The opponent's title.
    pub title: Option<String>,
    /// The opponent's rating in this perf.
    pub rating: Option<Elo>,
    /// Whether that rating is provisional.
    pub provisional: bool,
    /// The bot's rating in this perf.
    pub own_rating: Option<Elo>,
    /// Whether the game is rated.
    pub rated: bool,
    /// The variant.
    pub variant: Variant,
    /// The clock.
    pub time: TimeControl,
    /// Whether it is a rematch.
    pub rematch: bool,
    /// The user lists that the opponent is on.
    pub on_lists: Vec<String>,
    /// Games begun with the opponent since midnight.
    pub played_today: u32,
    /// The score against the opponent.
    pub score: OpponentScore,
    /// Running games with the opponent.
    pub running: u32,
    /// The minute of the day in UTC.
    pub minute: u32,
}

/// The local context of a challenge or game.
#[derive(Debug, Clone, Default)]
pub struct LocalContext {
    /// The bot's ratings by perf key.
    pub ratings: Arc<BTreeMap<String, Elo>>,
    /// The user lists.
    pub lists: Arc<UserLists>,
    /// Games begun with the opponent since midnight.
    pub played_today: u32,
    /// The score against the opponent.
    pub score: OpponentScore,
    /// Running games with the opponent.
    pub running: u32,
    /// The minute of the day in UTC.
    pub minute: u32,
    /// Whether a game is a rematch, which only its challenge says.
    pub rematch: bool,
}

/// The bot's ratings by perf key, from its account.
#[must_use]
pub fn ratings(account: &Account) -> BTreeMap<String, Elo> {
    let rated =
        |(key, perf): (&String, &sparring_lichess::model::PerfRating)| Some((key.clone(), perf.rating?));
    account.perfs.iter().filter_map(rated).collect()
}

impl RuleContext {
    /// The facts of a challenge. An unknown variant counts as standard: it is declined before the rules.
    #[must_use]
    pub fn of_challenge(challenge: &Challenge, moment: &LocalContext) -> Self {
        let challenger = challenge.challenger.as_ref();
        let facts = Self::new(
            challenger.map(|user| user.id.clone()),
            challenge.variant.variant().unwrap_or_default(),
            challenge.time_control.clone(),
            moment,
        );
        Self {
            is_bot: challenger.is_some_and(User::is_bot),
            title: challenger.and_then(|user| user.title.clone()),
            rating: challenger.and_then(|user| user.rating),
            provisional: challenger.is_some_and(|user| user.provisional),
            // The challenge has the current rating; ours may be an hour old.
            own_rating: challenge
                .dest_user
                .as_ref()
                .and_then(|me| me.rating)
                .or(facts.own_rating),
            rated: challenge.rated,
            rematch: challenge.rematch_of.is_some(),
            ..facts
        }
    }

    /// The facts of a challenge that the bot may send.
    #[must_use]
    pub(in crate::bot) fn of_plan(account: &Account, plan: ChallengeProposal, moment: &LocalContext) -> Self {
        let time = TimeControl::Clock {
            limit: plan.clock.initial,
            increment: plan.clock.increment,
            show: String::new(),
        };
        let perf = Self::perf(plan.variant, time.speed());
        let rating = account.perfs.get(perf);
        Self {
            is_bot: account.is_bot(),
            title: account.title.clone(),
            rating: rating.and_then(|perf| perf.rating),
            provisional: rating.is_some_and(|perf| perf.prov),
            rated: plan.rated,
            ..Self::new(Some(account.id.clone()), plan.variant, time, moment)
        }
    }

    /// The facts of a game, from `gameFull`.
    #[must_use]
    pub fn of_game(frame: &GameFull, me: Side, moment: &LocalContext) -> Self {
        let opponent = frame.player(me.other());
        let time = match (frame.clock, frame.days_per_turn) {
            (Some(clock), _) => TimeControl::Clock {
                limit: clock.initial,
                increment: clock.increment,
                show: String::new(),
            },
            (None, Some(days_per_turn)) => TimeControl::Correspondence { days_per_turn },
            (None, None) => TimeControl::Unlimited,
        };
        let facts = Self::new(
            opponent.id.clone(),
            frame.variant.variant().unwrap_or_default(),
            time,
            moment,
        );
        Self {
            is_bot: opponent.is_bot(),
            title: opponent.title.clone(),
            rating: opponent.rating,
            provisional: opponent.provisional,
            own_rating: frame.player(me).rating.or(facts.own_rating),
            rated: frame.rated,
            ..facts
        }
    }

    fn new(opponent: Option<UserId>, variant: Variant, time: TimeControl, moment: &LocalContext) -> Self {
        Self {
            is_bot: false,
            title: None,
            rating: None,
            provisional: false,
            own_rating: moment.ratings.get(Self::perf(variant, time.speed())).copied(),
            rated: false,
            variant,
            rematch: moment.rematch,
            on_lists: opponent
                .as_ref()
                .map_or_else(Vec::new, |user| moment.lists.with(user)),
            played_today: moment.played_today,
            score: moment.score,
            running: moment.running,
            minute: moment.minute,
            opponent,
            time,
        }
    }

    /// lichess' perf key.
    #[must_use]
    pub fn perf(variant: Variant, speed: Speed) -> &'static str {
        if variant.traits().rated_by_speed {
            speed.key()
        } else {
            variant.key()
        }
    }

    /// The context for levels that follow the opponent.
    #[must_use]
    pub fn meeting(&self) -> LevelContext {
        LevelContext {
            opponent: self.rating,
            last: self.score.level,
            rated: self.rated,
        }
    }

    /// How much higher the opponent is rated than the bot.
    #[must_use]
    pub fn difference(&self) -> Option<i32> {
        let signed = |rating: Elo| i32::try_from(rating.0).ok();
        signed(self.rating?)?.checked_sub(signed(self.own_rating?)?)
    }
}

/// The minute of the day in UTC, of milliseconds since 1970.
#[must_use]
pub fn minute_of_day(epoch: Millis) -> u32 {
    u32::try_from(epoch.0 / 60_000 % (24 * 60)).unwrap_or_default()
}
