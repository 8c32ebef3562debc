//! What the archive of the program knows when all is over, beside what was played.

use std::{collections::BTreeMap, time::Duration};

use tokio::time::{Instant, sleep};

use super::Scene;
use crate::{
    cli::testkit::Played,
    lichess::model::{GameId, Side},
    store::{Archive, Filter, GameRecord},
};

/// A last life without trouble has so long to finish what others could not.
const LAST_LIFE: Duration = Duration::from_secs(5);
/// The archive of a running program is looked into so often.
const LOOK: Duration = Duration::from_millis(100);

/// What is wrong with it, each game in a line.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Kept {
    /// Games without an end.
    pub open: Vec<String>,
    /// Games that ended and are not there at all.
    pub missing: Vec<String>,
    /// Games of which it tells another end than the opponent saw.
    pub differing: Vec<String>,
}

impl Kept {
    /// Lets the program come to rest in a last life without trouble, and reads its archive.
    pub(super) async fn look(scene: &mut Scene, played: &[Played]) -> anyhow::Result<Self> {
        scene.victim.kill().await?;
        scene.start().await?;
        let path = scene.victim.archive();
        let read = || {
            anyhow::Ok(Self::compare(
                &Archive::read(&path)?.games(&Filter::default())?,
                played,
            ))
        };
        let limit = Instant::now() + LAST_LIFE;
        // While the program runs, what cannot be read now may be in a moment.
        while Instant::now() < limit && read().ok() != Some(Self::default()) {
            sleep(LOOK).await;
        }
        scene.victim.kill().await?;
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
mod tests {
    use super::*;
    use crate::{
        lichess::model::Status,
        store::{End, test_fixtures},
        units::Millis,
    };

    fn played(status: Status, plies: usize) -> Played {
        Played {
            id: "abcd1234".parse().unwrap(),
            status,
            bot: Side::White,
            winner: Some(Side::White),
            gave_up: None,
            plies,
            waits: Vec::new(),
            last_turn: None,
            ended: Millis(0),
            unanswered: Vec::new(),
        }
    }

    fn row(id: &str, end: Option<End>) -> GameRecord {
        GameRecord {
            end,
            ..test_fixtures::game(id, Side::White)
        }
    }

    #[test]
    fn an_archive_that_tells_another_end_than_was_seen_is_found_out() {
        let end = test_fixtures::end("mate", Some(Side::White), "f2f3 e7e5 g2g4");
        let differing = |game: Played| {
            let rows = [row("abcd1234", end.clone())];
            Kept::compare(&rows, &[game]).differing.len()
        };
        assert_eq!(differing(played(Status::Mate, 3)), 0);
        assert_eq!(differing(played(Status::Mate, 4)), 1);
        assert_eq!(differing(played(Status::Resign, 3)), 1);
        let other = Played {
            winner: Some(Side::Black),
            ..played(Status::Mate, 3)
        };
        assert_eq!(differing(other), 1);
    }

    #[test]
    fn games_without_an_end_and_games_that_are_not_there_are_told_apart() {
        let rows = [row("efgh5678", None)];
        let kept = Kept::compare(&rows, &[played(Status::Mate, 3)]);
        assert_eq!((kept.open.len(), kept.missing.len()), (1, 1));
        assert!(kept.differing.is_empty());
    }
}
