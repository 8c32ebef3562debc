//! One challenge and its state.

use super::{challenge_params::ChallengeParams, users::Users};
use sparring_chess::{Color, Variant, units::Millis};
use sparring_lichess::model::{
    Challenge as Wire, ChallengeDone, ChallengeStatus, Compat, DeclineReason, GameId, Perf, Speed, UserId,
};

/// A challenge is no longer announced when its challenger was away for this long.
const PATIENCE: Millis = Millis(20_000);

/// Once it has expired it can be accepted for so long, as on lichess; then it is forgotten.
const AFTERLIFE: Millis = Millis::from_secs(3 * 60 * 60);

/// A challenge without a chess clock, which does not expire, is forgotten after so long.
const LONGEST_WAIT: Millis = Millis::from_secs(14 * 24 * 60 * 60);

/// A challenge.
#[derive(Debug, Clone)]
pub struct Challenge {
    /// Its id, and that of its game.
    pub id: GameId,
    /// The challenger.
    pub challenger: UserId,
    /// The challenged user.
    pub dest: UserId,
    /// Its parameters.
    pub terms: ChallengeParams,
    /// The side the challenger gets, drawn when it was made.
    pub challenger_color: Color,
    /// Its outcome.
    pub status: ChallengeStatus,
    /// Why it was declined, if it was.
    pub reason: Option<DeclineReason>,
    /// The game that it is a rematch of, if any.
    pub rematch_of: Option<GameId>,
    /// When the challenger was last known to wait.
    pub seen_at: Millis,
    /// Streams on which the challenger waits for the answer.
    pub waiting: u32,
}

impl Challenge {
    /// When it expires, if nothing happens.
    #[must_use]
    pub fn expires_at(&self) -> Option<Millis> {
        let expires =
            self.status == ChallengeStatus::Created && self.waiting == 0 && self.terms.is_realtime();
        expires.then(|| self.seen_at + PATIENCE)
    }

    /// When it is removed if it is not decided.
    #[must_use]
    pub fn forgotten_at(&self) -> Option<Millis> {
        let kept = match self.status {
            ChallengeStatus::Offline => PATIENCE + AFTERLIFE,
            ChallengeStatus::Created if self.waiting == 0 && !self.terms.is_realtime() => LONGEST_WAIT,
            _ => return None,
        };
        Some(self.seen_at + kept)
    }

    /// Whether it still waits for an answer, announced or not.
    #[must_use]
    pub fn is_open(&self) -> bool {
        matches!(self.status, ChallengeStatus::Created | ChallengeStatus::Offline)
    }

    /// Whether event streams repeat it when they open, and lists show it. Rematch offers are left out there.
    #[must_use]
    pub fn is_announced(&self) -> bool {
        self.status == ChallengeStatus::Created && self.rematch_of.is_none()
    }

    /// Whether the user is one of the two.
    #[must_use]
    pub fn concerns(&self, user: &UserId) -> bool {
        self.challenger == *user || self.dest == *user
    }

    /// The last line of its stream, once it is decided.
    #[must_use]
    pub fn done(&self) -> Option<ChallengeDone> {
        match self.status {
            ChallengeStatus::Accepted => Some(ChallengeDone::Accepted),
            ChallengeStatus::Declined => Some(ChallengeDone::Declined),
            ChallengeStatus::Canceled => Some(ChallengeDone::Canceled),
            ChallengeStatus::Created | ChallengeStatus::Offline | ChallengeStatus::Unknown => None,
        }
    }

    /// Which interfaces could play it, for this user.
    #[must_use]
    pub fn compat(&self, user: &UserId, users: &Users) -> Compat {
        let fast_enough = self.terms.speed() >= Speed::Bullet;
        let is_bot = users.profile(user).is_some_and(|profile| profile.is_bot);
        Compat {
            bot: is_bot && fast_enough,
            board: fast_enough,
        }
    }

    /// As on the wire. Only responses to requests contain the direction.
    #[must_use]
    pub fn wire(&self, users: &Users, site: &str, asked_by: Option<&UserId>) -> Wire {
        let user = |id| users.profile(id).map(super::users::Profile::as_user);
        let direction = asked_by.map(|id| if *id == self.challenger { "out" } else { "in" });
        Wire {
            id: self.id.clone(),
            url: format!("{site}/{}", self.id),
            status: self.status,
            challenger: user(&self.challenger),
            dest_user: user(&self.dest),
            variant: self.terms.variant.into(),
            rated: self.terms.rated,
            speed: self.terms.speed(),
            time_control: self.terms.control.clone(),
            color: self.terms.color,
            final_color: Some(self.challenger_color.into()),
            perf: Perf {
                icon: icon(self.terms.variant, self.terms.speed()),
                ..perf(self.terms.variant, self.terms.speed())
            },
            direction: direction.map(str::to_owned),
            initial_fen: self.terms.initial_fen.clone(),
            rematch_of: self.rematch_of.clone(),
            rules: self.terms.rules.clone(),
            decline_reason: self.reason.map(|reason| reason.text().to_owned()),
            decline_reason_key: self.reason.map(|reason| reason.key().to_ascii_lowercase()),
        }
    }
}

/// The letter of lichess' own font for a category, which challenges show and games do not: those that are known from
/// examples of its documentation.
fn icon(variant: Variant, speed: Speed) -> Option<String> {
    let icon = match (variant, speed) {
        (Variant::Standard | Variant::FromPosition, Speed::Blitz) => '\u{e01d}',
        (Variant::Standard | Variant::FromPosition, Speed::Rapid) => '\u{e017}',
        (Variant::Standard | Variant::FromPosition, Speed::Correspondence) => '\u{e019}',
        _ => return None,
    };
    Some(icon.to_string())
}

/// The rating category: a variant has its own, orthodox games that of their speed.
#[must_use]
pub fn perf(variant: Variant, speed: Speed) -> Perf {
    Perf {
        icon: None,
        name: if variant.traits().rated_by_speed {
            speed.name().to_owned()
        } else {
            variant.name().to_owned()
        },
    }
}

/// The key of the rating category.
#[must_use]
pub fn perf_key(variant: Variant, speed: Speed) -> &'static str {
    if variant.traits().rated_by_speed {
        speed.key()
    } else {
        variant.key()
    }
}
