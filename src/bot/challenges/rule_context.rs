//! Inputs of the challenge rules: the same facts from a challenge and from the game that it became.

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

/// What is known besides the challenge or game itself.
#[derive(Debug, Clone, Default)]
pub struct LocalContext {
    /// My ratings, by lichess' keys.
    pub ratings: Arc<BTreeMap<String, Elo>>,
    /// Who is on which list.
    pub lists: Arc<UserLists>,
    /// Games begun with the opponent since midnight.
    pub played_today: u32,
    /// The score against the opponent.
    pub score: OpponentScore,
    /// Running games with the opponent.
    pub running: u32,
    /// The minute of the day in UTC.
    pub minute: u32,
    /// Whether a game is to be repeated, where only the challenge has said so.
    pub rematch: bool,
}

/// My ratings as an account shows them.
#[must_use]
pub fn ratings(account: &Account) -> BTreeMap<String, Elo> {
    let rated =
        |(key, perf): (&String, &sparring_lichess::model::PerfRating)| Some((key.clone(), perf.rating?));
    account.perfs.iter().filter_map(rated).collect()
}

impl RuleContext {
    /// What a challenge says. A variant unknown here counts as standard: it is refused before rules are asked.
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
            // lichess shows the rating of this moment; ours may be an hour old.
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

    /// A game that we could propose to a bot.
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

    /// What the first line of a game's stream says.
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

    /// lichess' key of the rating that counts.
    #[must_use]
    pub fn perf(variant: Variant, speed: Speed) -> &'static str {
        match variant {
            Variant::Standard | Variant::FromPosition => speed.key(),
            other => other.key(),
        }
    }

    /// What a level may follow.
    #[must_use]
    pub fn meeting(&self) -> LevelContext {
        LevelContext {
            opponent: self.rating,
            last: self.score.level,
            rated: self.rated,
        }
    }

    /// How much higher the opponent is rated than I am.
    #[must_use]
    pub fn difference(&self) -> Option<i32> {
        let signed = |rating: Elo| i32::try_from(rating.0).ok();
        signed(self.rating?)?.checked_sub(signed(self.own_rating?)?)
    }
}

/// The minute of the day, UTC, from the milliseconds since 1970.
#[must_use]
pub fn minute_of_day(epoch: Millis) -> u32 {
    u32::try_from(epoch.0 / 60_000 % (24 * 60)).unwrap_or_default()
}
