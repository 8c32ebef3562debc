//! Live snapshots of running games for the dashboard. Each game task keeps its own up to date.

use std::{collections::BTreeMap, sync::Arc};

use tokio::{sync::watch, time::Instant};

use sparring_chess::units::{Elo, Millis};
use sparring_lichess::model::{GameId, Side};

/// What a running game looks like. Never what the bot thinks of it: the opponent may be watching.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GameSnapshot {
    /// The opponent's name for people.
    pub opponent: String,
    /// The opponent's rating.
    pub rating: Option<Elo>,
    /// Whether lichess marks the opponent as a bot.
    pub is_bot: bool,
    /// My side.
    pub side: Side,
    /// lichess' key of what is played.
    pub variant: String,
    /// lichess' key of the class of the clock.
    pub speed: String,
    /// Whether ratings change.
    pub rated: bool,
    /// Who sits down.
    pub personality: String,
    /// The level asked for instead of the personality's own.
    pub level: Option<Elo>,
    /// The position.
    pub fen: String,
    /// The last move, in UCI notation.
    pub last: Option<String>,
    /// Half moves played.
    pub plies: usize,
    /// What is left to me and to the opponent; none without a clock.
    pub clocks: Option<(Millis, Millis)>,
    /// When the server showed those.
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

/// The boards of this moment, by game.
pub type Pictures = BTreeMap<GameId, Arc<GameSnapshot>>;

/// All running games. Clones show the same ones.
#[derive(Debug, Clone)]
pub struct LiveGames(watch::Sender<Pictures>);

impl Default for LiveGames {
    fn default() -> Self {
        Self(watch::channel(Pictures::new()).0)
    }
}

impl LiveGames {
    /// Follows them: a change that comes while another is looked at is seen with the next look.
    #[must_use]
    pub fn follow(&self) -> watch::Receiver<Pictures> {
        self.0.subscribe()
    }

    /// A place for a game, empty at first.
    pub(in crate::bot) fn place(&self, id: GameId) -> SnapshotSlot {
        SnapshotSlot {
            snapshots: self.clone(),
            id,
        }
    }
}

/// Where a game shows itself as long as this lives.
#[derive(Debug)]
pub(in crate::bot) struct SnapshotSlot {
    snapshots: LiveGames,
    id: GameId,
}

impl SnapshotSlot {
    /// Shows this instead of what was there.
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
        let place = boards.place("abcd1234".parse().unwrap());
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
