//! A start in the middle of games with settings that name who is not there: what runs is played to its end, and nothing is
//! begun. A slip of the pen lets no stranger sit down, but it costs no game either.

use std::path::Path;

use tracing::{error, warn};

use super::state;
use crate::{
    config::{Config, Mode, Rule, Then, When, Wish},
    lichess::model::DeclineReason,
    personality::LevelWish,
    store::GameRecord,
};

/// The settings with which the games that the last run left behind are played to their end.
///
/// # Errors
/// The refusal of the settings themselves where the archive knows of no running game: then nothing is lost by not
/// starting.
pub(super) fn last_games(
    config: Config,
    folder: &Path,
    refusal: anyhow::Error,
) -> Result<(Config, anyhow::Error), anyhow::Error> {
    let running = if config.state.archive {
        state::unfinished(folder)
    } else {
        Vec::new()
    };
    if running.is_empty() {
        return Err(refusal);
    }
    error!("{refusal:#}");
    warn!(
        "{} games may still run and are played to their end; new ones are declined until the mistakes are mended and \
         SIGHUP has this file read again",
        running.len()
    );
    Ok((nothing_new(config, &running), refusal))
}

/// Everybody is asked to come later, and games that run are played by whom they were begun, at the level they had. Who
/// is not there any more is stood in for, see [`Cast::seated`](crate::personality::Cast::seated).
fn nothing_new(mut config: Config, running: &[GameRecord]) -> Config {
    let declining = Rule {
        name: Some("the settings cannot be used".to_owned()),
        then: Some(Then::Decline(DeclineReason::Later)),
        ..Rule::default()
    };
    config.rules = std::iter::once(declining)
        .chain(running.iter().filter_map(as_begun))
        .chain(config.rules)
        .collect();
    config.matchmaking.enabled = false;
    // An arena begins games without asking.
    config.tournaments.enabled = false;
    config
}

/// How a game is played that was begun so; none where nobody can say whose it is.
fn as_begun(game: &GameRecord) -> Option<Rule> {
    Some(Rule {
        name: Some(format!("as game {} was begun", game.id)),
        when: When {
            users: Some(vec![game.opponent.clone()?]),
            mode: Some(if game.rated { Mode::Rated } else { Mode::Casual }),
            ..When::default()
        },
        wish: Wish {
            personality: Some(game.personality.clone()),
            level: game.level.map(LevelWish::Fixed),
            ..Wish::default()
        },
        ..Rule::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{lichess::model::Side, store::sample, units::Elo};

    #[test]
    fn everybody_is_declined_and_each_kind_of_game_is_played_as_it_was_begun() {
        let rated = GameRecord {
            rated: true,
            personality: "club".to_owned(),
            ..sample::game("abcd1234", Side::White)
        };
        let casual = GameRecord {
            rated: false,
            personality: "gone".to_owned(),
            level: Some(Elo(900)),
            ..sample::game("efgh5678", Side::Black)
        };
        let mut own = Config::default();
        own.matchmaking.enabled = true;
        own.rules = vec![Rule::welcoming_all()];
        let config = nothing_new(own, &[rated, casual]);
        let decided: Vec<Option<Then>> = config.rules.iter().map(|rule| rule.then).collect();
        let later = Then::Decline(DeclineReason::Later);
        assert_eq!(decided, [Some(later), None, None, Some(Then::Queue)]);
        let played: Vec<_> = config.rules[1..3]
            .iter()
            .map(|rule| (rule.when.mode, rule.wish.personality.as_deref(), rule.wish.level))
            .collect();
        let nine_hundred = Some(LevelWish::Fixed(Elo(900)));
        assert_eq!(
            played,
            [
                (Some(Mode::Rated), Some("club"), None),
                (Some(Mode::Casual), Some("gone"), nine_hundred),
            ]
        );
        assert!(!config.matchmaking.enabled && !config.tournaments.enabled);
    }
}
