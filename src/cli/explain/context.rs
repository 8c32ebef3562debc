//! What the archive and the user lists know of a hypothetical challenger.

use std::path::Path;

use crate::{
    bot::{VS_BOTS, latest_limit},
    cli::state_dir::{AHEAD, ARCHIVE, LISTS, folder},
    config::Config,
    store::{Archive, ChallengeFilter, OpponentScore, RequestedPersona, StoreError},
    user_lists::UserLists,
};
use sparring_chess::units::Millis;
use sparring_lichess::model::{Challenge, GameId, UserId};

/// A day in milliseconds.
const DAY: u64 = 24 * 3600 * 1000;

/// The local context of a challenge; empty without an archive.
#[derive(Debug, Default)]
pub(super) struct ArchiveContext {
    /// The user lists.
    pub(super) lists: UserLists,
    /// Names of lists at URLs that were never fetched.
    pub(super) unknown: Vec<String>,
    /// Games begun with the challenger since midnight UTC.
    pub(super) played_today: u32,
    /// Games begun with bots since then.
    pub(super) bots_today: u32,
    /// Whether lichess' daily limit of games between bots is reached.
    pub(super) is_closed_to_bots: bool,
    /// The score against the challenger.
    pub(super) score: OpponentScore,
    /// The persona that the challenger requested.
    pub(super) asked: RequestedPersona,
    /// The number of consecutive rematches, this one included; none where it is no rematch.
    pub(super) row: Option<u32>,
}

impl ArchiveContext {
    /// Reads the context from the state folder.
    pub(super) fn gather(config: &Config, settings: &Path, challenge: &Challenge, now: Millis) -> Self {
        let folder = folder(config, settings);
        let (lists, unknown) = UserLists::read(&config.lists, &folder.join(LISTS));
        let challenger = challenge.challenger.as_ref().map(|user| &user.id);
        let path = folder.join(ARCHIVE);
        let archive = path.exists().then(|| Archive::read(&path)).and_then(Result::ok);
        let known = archive.and_then(|archive| Self::of_archive(&archive, challenger, now).ok());
        let (known, repeats) = known.unwrap_or_default();
        Self {
            lists,
            unknown,
            row: challenge.rematch_of.as_ref().map(|game| row(game, &repeats)),
            ..known
        }
    }

    fn of_archive(
        archive: &Archive,
        challenger: Option<&UserId>,
        now: Millis,
    ) -> Result<(Self, Vec<(GameId, GameId)>), StoreError> {
        let today = archive.opponents_between(Millis(now.0 - now.0 % DAY), now + AHEAD)?;
        let with_them = today.iter().filter(|(user, _)| Some(user) == challenger).count();
        let mut wishes = archive.requested_personas(now + AHEAD)?.into_iter();
        let asked = wishes.find(|(user, _)| Some(user) == challenger);
        let known = Self {
            played_today: u32::try_from(with_them).unwrap_or(u32::MAX),
            bots_today: today.iter().map(|(_, is_bot)| u32::from(*is_bot)).sum(),
            is_closed_to_bots: archive
                .limits(now, latest_limit(now))?
                .iter()
                .any(|(key, _)| key == VS_BOTS),
            asked: asked.map(|(_, asked)| asked).unwrap_or_default(),
            score: match challenger {
                Some(user) => archive.score(user, now + AHEAD)?,
                None => OpponentScore::default(),
            },
            ..Self::default()
        };
        let yesterday = ChallengeFilter {
            since: Some(now - Millis(DAY)),
            until: Some(now + AHEAD),
            sent: Some(false),
            ..ChallengeFilter::default()
        };
        let challenges = archive.challenges(&yesterday)?.into_iter();
        let repeats = challenges.filter_map(|challenge| Some((challenge.id, challenge.repeats?)));
        Ok((known, repeats.collect()))
    }
}

/// The number of consecutive rematches if another one follows this game.
fn row(game: &GameId, repeats: &[(GameId, GameId)]) -> u32 {
    let mut row = 1;
    let mut game = game;
    // Bounded by the number of challenges, in case the rows form a cycle.
    for _ in repeats {
        let Some((_, before)) = repeats.iter().find(|(id, _)| id == game) else {
            break;
        };
        row += 1;
        game = before;
    }
    row
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_of_rematches_is_followed_to_its_beginning() {
        let id = |number: u32| -> GameId { format!("game{number:04}").parse().unwrap() };
        let repeats = [(id(4), id(3)), (id(3), id(2)), (id(9), id(9))];
        assert_eq!(row(&id(1), &repeats), 1);
        assert_eq!(row(&id(4), &repeats), 3);
        assert_eq!(row(&id(9), &repeats), 4, "it ends all the same");
    }
}
