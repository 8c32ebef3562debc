//! Compares the bot's archive with the games played.

use std::{collections::BTreeMap, time::Duration};

use tokio::time::{Instant, sleep};

use super::SoakSetup;
use crate::harness::Played;
use sparring::store::{Archive, Filter, GameRecord};
use sparring_lichess::model::{GameId, Side};

/// Time of a last run without faults to finish its work.
const LAST_LIFE: Duration = Duration::from_secs(5);
/// Interval of reading the archive of a running bot.
const LOOK: Duration = Duration::from_millis(100);

/// Differences, one line a game.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Kept {
    /// Games without an end.
    pub open: Vec<String>,
    /// Games that ended and are not there at all.
    pub missing: Vec<String>,
    /// Games with another end than the opponent saw.
    pub differing: Vec<String>,
}

impl Kept {
    /// Lets the program come to rest in a last life without trouble, and reads its archive.
    pub(super) async fn look(setup: &mut SoakSetup, played: &[Played]) -> anyhow::Result<Self> {
        setup.daemon.kill().await?;
        setup.start().await?;
        let path = setup.daemon.archive();
        let read = || {
            anyhow::Ok(Self::compare(
                &Archive::read(&path)?.games(&Filter::default())?,
                played,
            ))
        };
        let limit = Instant::now() + LAST_LIFE;
        // While the bot runs, an unreadable archive may be readable soon.
        while Instant::now() < limit && read().ok() != Some(Self::default()) {
            sleep(LOOK).await;
        }
        setup.daemon.kill().await?;
        read()
    }

    fn compare(rows: &[GameRecord], played: &[Played]) -> Self {
        let known: BTreeMap<&GameId, &GameRecord> = rows.iter().map(|row| (&row.id, row)).collect();
        let open = rows.iter().filter(|row| row.end.is_none());
        let mut kept = Self {
            open: open.map(|row| row.id.to_string()).collect(),
            ..Self::default()
        };
        for game in played {
            let Some(row) = known.get(&game.id) else {
                kept.missing.push(game.id.to_string());
                continue;
            };
            let Some(end) = &row.end else { continue };
            let plies = end.moves.split_ascii_whitespace().count();
            let told = (end.status.as_str(), end.winner, plies);
            let seen = (game.status.name(), game.winner, game.plies);
            if told != seen || row.side != game.bot {
                let line = |(status, winner, plies): (&str, Option<Side>, usize)| {
                    format!("{status} of {winner:?} after {plies} plies")
                };
                kept.differing
                    .push(format!("{}: {}, not {}", game.id, line(told), line(seen)));
            }
        }
        kept
    }
}

#[cfg(test)]
mod tests;
