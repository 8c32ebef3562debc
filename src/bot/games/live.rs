//! Live snapshots of running games for the dashboard. Each game task keeps its own up to date.

use std::{collections::BTreeMap, sync::Arc};

use tokio::{sync::watch, time::Instant};

use sparring_chess::units::{Elo, Millis};
use sparring_lichess::model::{GameId, Side};

/// The public state of a running game. It holds nothing of the bot's search, since the opponent may be watching.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GameSnapshot {
    /// The opponent's display name.
    pub opponent: String,
    /// The opponent's rating.
    pub rating: Option<Elo>,
    /// Whether lichess marks the opponent as a bot.
    pub is_bot: bool,
    /// The bot's side.
    pub side: Side,
    /// lichess' key of the variant.
    pub variant: String,
    /// lichess' key of the speed.
    pub speed: String,
    /// Whether the game is rated.
    pub rated: bool,
    /// The personality that plays.
    pub personality: String,
    /// The level asked for instead of the personality's own.
    pub level: Option<Elo>,
    /// The position.
    pub fen: String,
    /// The last move, in UCI notation.
    pub last: Option<String>,
    /// Half moves played.
    pub plies: usize,
    /// The remaining time of the bot and of the opponent; none without a clock.
    pub clocks: Option<(Millis, Millis)>,
    /// When the server sent those clocks.
    pub seen: Instant,
}

#[cfg(test)]
impl GameSnapshot {
    /// A casual game of blitz against Ana, so many half moves old.
    pub(crate) fn sample(plies: usize) -> Self {
        Self {
            opponent: "Ana".to_owned(),
            rating: None,
            is_bot: false,
            side: Side::White,
            variant: "standard".to_owned(),
            speed: "blitz".to_owned(),
            rated: false,
            personality: "club".to_owned(),
            level: None,
            fen: "8/8/8/8/8/8/8/8 w - - 0 1".to_owned(),
            last: None,
            plies,
            clocks: Some((Millis(5000), Millis(6000))),
            seen: Instant::now(),
        }
    }
}

/// The current snapshots by game.
pub type Snapshots = BTreeMap<GameId, Arc<GameSnapshot>>;

/// The snapshots of all running games. Clones share them.
#[derive(Debug, Clone)]
pub struct LiveGames(watch::Sender<Snapshots>);

impl Default for LiveGames {
    fn default() -> Self {
        Self(watch::channel(Snapshots::new()).0)
    }
}

impl LiveGames {
    /// A receiver of the snapshots.
    #[must_use]
    pub fn follow(&self) -> watch::Receiver<Snapshots> {
        self.0.subscribe()
    }

    /// A slot for a game's snapshot, empty at first.
    pub(in crate::bot) fn slot(&self, id: GameId) -> SnapshotSlot {
        SnapshotSlot {
            snapshots: self.clone(),
            id,
        }
    }
}

/// The slot of a game's snapshot; dropping it removes the snapshot.
#[derive(Debug)]
pub(in crate::bot) struct SnapshotSlot {
    snapshots: LiveGames,
    id: GameId,
}

impl SnapshotSlot {
    /// Replaces the snapshot.
    pub(in crate::bot) fn show(&self, board: GameSnapshot) {
        let (id, board) = (self.id.clone(), Arc::new(board));
        self.snapshots.0.send_modify(|pictures| {
            pictures.insert(id, board);
        });
    }
}

impl Drop for SnapshotSlot {
    fn drop(&mut self) {
        self.snapshots
            .0
            .send_if_modified(|pictures| pictures.remove(&self.id).is_some());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_game_is_shown_until_its_task_ends() {
        let boards = LiveGames::default();
        let mut seen = boards.follow();
        let place = boards.slot("abcd1234".parse().unwrap());
        place.show(GameSnapshot::sample(1));
        place.show(GameSnapshot::sample(2));
        let plies: Vec<usize> = seen
            .borrow_and_update()
            .values()
            .map(|board| board.plies)
            .collect();
        assert_eq!(plies, [2]);
        drop(place);
        assert!(seen.has_changed().unwrap());
        assert!(seen.borrow().is_empty());
    }
}
