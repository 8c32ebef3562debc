//! Start-up with a broken `bot.toml`: running games are finished with the last good settings, and no new ones start.

use std::{path::Path, sync::Arc};

use tokio_util::sync::CancellationToken;
use tracing::{error, warn};

use crate::cli::{
    assets::inspected,
    config_backup,
    settings::{self, Accepted},
    state_dir,
};
use crate::{
    config::{Action, Conditions, Config, GameSettings, Mode, Rule},
    reload::Assets,
    store::GameRecord,
};
use sparring_files as files;
use sparring_lichess::model::DeclineReason;
use sparring_personality::{LevelSetting, Personalities};

/// The settings of a run, with their origin.
pub(super) struct StartConfig {
    pub(super) config: Config,
    /// The books and personalities of these settings, reloaded on change.
    pub(super) stock: Assets,
    /// Whether these settings are those of the file.
    pub(super) standing: ConfigState,
}

/// Whether `bot.toml` can be used.
pub(super) enum ConfigState {
    /// It is in force; its text without tokens.
    Accepted(Arc<str>),
    /// It has errors; only the games of the last run are played.
    Refused(anyhow::Error),
}

/// Reads the settings, and opens the books and personalities that they name until `stop`.
///
/// # Errors
/// The findings of bad settings, where the archive has no running game that not starting would lose, and in a dry run.
pub(super) fn begin(path: &Path, is_dry: bool, stop: &CancellationToken) -> anyhow::Result<StartConfig> {
    let own = stop.child_token();
    let refusal = match as_written(path, &own) {
        Ok(beginning) => return Ok(beginning),
        Err(refusal) => refusal,
    };
    own.cancel();
    if is_dry {
        return Err(refusal);
    }
    let (config, running) = match last_games(path) {
        Some((config, running)) if !running.is_empty() => (config, running),
        _ => return Err(refusal),
    };
    error!("{refusal:#}");
    warn!(
        "{} games may still run and are played to their end with the last good settings; new ones are declined until the \
         mistakes are fixed and SIGHUP reloads the file",
        running.len()
    );
    let stock = inspected(&config.paths, stop).0;
    let config = nothing_new(config, &running, &stock.personalities.borrow());
    Ok(StartConfig {
        config,
        stock,
        standing: ConfigState::Refused(refusal),
    })
}

fn as_written(path: &Path, stop: &CancellationToken) -> anyhow::Result<StartConfig> {
    let paths = settings::read(path)?.paths;
    let (stock, broken) = inspected(&paths, stop);
    // The settings name personalities, which are known only now.
    let Accepted { config, text } = settings::read_with(path, &paths, &stock, &broken)?;
    Ok(StartConfig {
        config,
        stock,
        standing: ConfigState::Accepted(text),
    })
}

/// The last good settings and the unfinished games of the last run; none without such settings.
fn last_games(path: &Path) -> Option<(Config, Vec<GameRecord>)> {
    let text = files::read(path, files::TEXT).unwrap_or_default();
    let folder = state_dir::folder_of_text(&String::from_utf8_lossy(&text), path);
    // Without a backup, as after a full disk, a bot.toml whose only mistakes are missing names still serves.
    let config = config_backup::read(&folder, path).or_else(|| settings::read(path).ok())?;
    let running = if config.state.archive {
        state_dir::unfinished(&folder)
    } else {
        Vec::new()
    };
    Some((config, running))
}

/// Settings that decline every challenge with reason `later`, and play each running game with its personality and level.
/// [`Personalities`] has a substitute for a personality that no longer exists.
fn nothing_new(mut config: Config, running: &[GameRecord], personalities: &Personalities) -> Config {
    let declining = Rule {
        name: Some("the settings cannot be used".to_owned()),
        then: Some(Action::Decline(DeclineReason::Later)),
        ..Rule::default()
    };
    config.rules = std::iter::once(declining)
        .chain(running.iter().filter_map(|game| as_begun(game, personalities)))
        .chain(config.rules)
        .collect();
    config.matchmaking.enabled = false;
    // An arena starts games without a challenge.
    config.tournaments.enabled = false;
    config
}

/// A rule that plays a running game as it was begun; none for an anonymous opponent.
fn as_begun(game: &GameRecord, personalities: &Personalities) -> Option<Rule> {
    // A substitute plays at the level of the original.
    let own = game
        .played
        .filter(|_| !personalities.contains_or_retired(&game.personality));
    Some(Rule {
        name: Some(format!("as game {} was begun", game.id)),
        when: Conditions {
            users: Some(vec![game.opponent.clone()?]),
            mode: Some(if game.rated { Mode::Rated } else { Mode::Casual }),
            ..Conditions::default()
        },
        settings: GameSettings {
            personality: Some(game.personality.clone()),
            level: game.level.or(own).map(LevelSetting::Fixed),
            ..GameSettings::default()
        },
        ..Rule::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::test_fixtures;
    use sparring_chess::units::Elo;
    use sparring_lichess::model::Side;
    use sparring_personality::Personality;

    #[test]
    fn every_challenge_is_declined_and_running_games_keep_personality_and_level() {
        let rated = GameRecord {
            rated: true,
            personality: "club".to_owned(),
            played: Some(Elo(1500)),
            ..test_fixtures::game("abcd1234", Side::White)
        };
        let casual = GameRecord {
            rated: false,
            personality: "gone".to_owned(),
            played: Some(Elo(900)),
            ..test_fixtures::game("efgh5678", Side::Black)
        };
        let mut own = Config::default();
        own.matchmaking.enabled = true;
        own.rules = vec![Rule::welcoming_all()];
        let personalities = Personalities::new(vec![Personality::new("club")]);
        let config = nothing_new(own, &[rated, casual], &personalities);
        let decided: Vec<Option<Action>> = config.rules.iter().map(|rule| rule.then).collect();
        let later = Action::Decline(DeclineReason::Later);
        assert_eq!(decided, [Some(later), None, None, Some(Action::Queue)]);
        let played: Vec<_> = config.rules[1..3]
            .iter()
            .map(|rule| {
                (
                    rule.when.mode,
                    rule.settings.personality.as_deref(),
                    rule.settings.level,
                )
            })
            .collect();
        let nine_hundred = Some(LevelSetting::Fixed(Elo(900)));
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
