//! Game supervisor: one task for each running game, restarted once after a panic.

use std::{collections::HashMap, sync::Arc};

use tokio::{
    sync::mpsc,
    task::{self, JoinSet},
};
use tokio_util::sync::CancellationToken;
use tracing::{Instrument as _, info_span};

use crate::bot::game_task::{self, Context, TaskNote, TaskOutcome, TaskSettings};
use sparring_lichess::model::{GameId, UserId};

/// How often a game's task is restarted after a panic.
const REVIVALS: u32 = 1;

/// All running games.
pub(in crate::bot) struct GameSupervisor {
    shared: Arc<Context>,
    leave: CancellationToken,
    games: HashMap<GameId, RunningGame>,
    tasks: JoinSet<TaskOutcome>,
    ids: HashMap<task::Id, GameId>,
}

struct RunningGame {
    notes: mpsc::Sender<TaskNote>,
    setup: TaskSettings,
    restarts: u32,
}

/// How a game's task ended.
#[derive(Debug)]
pub(in crate::bot) enum TaskExit {
    /// Without a panic.
    With(TaskOutcome),
    /// With a panic; it was restarted.
    Revived(String),
    /// With one panic too many.
    Lost(String),
}

impl GameSupervisor {
    /// A supervisor without games. The token stops all of them.
    pub(in crate::bot) fn new(shared: Arc<Context>, leave: CancellationToken) -> Self {
        Self {
            shared,
            leave,
            games: HashMap::new(),
            tasks: JoinSet::new(),
            ids: HashMap::new(),
        }
    }

    /// The number of running games.
    pub(in crate::bot) fn len(&self) -> usize {
        self.games.len()
    }

    /// Whether none runs.
    pub(in crate::bot) fn is_empty(&self) -> bool {
        self.games.is_empty()
    }

    /// Whether this game runs.
    pub(in crate::bot) fn has(&self, id: &GameId) -> bool {
        self.games.contains_key(id)
    }

    /// Whether another game runs.
    pub(in crate::bot) fn has_other_than(&self, id: &GameId) -> bool {
        self.games.keys().any(|running| running != id)
    }

    /// The opponents of the running games.
    pub(in crate::bot) fn opponents(&self) -> Vec<Option<UserId>> {
        let setups = self.games.values().map(|game| &game.setup);
        setups.map(|setup| setup.opponent.clone()).collect()
    }

    /// Starts the task of a game that has none.
    pub(in crate::bot) fn start(&mut self, setup: TaskSettings) {
        if !self.has(&setup.id) {
            self.spawn(setup, 0);
        }
    }

    fn spawn(&mut self, setup: TaskSettings, falls: u32) {
        let (notes, inbox) = mpsc::channel(4);
        let span = info_span!("game", id = %setup.id);
        let play = game_task::play(Arc::clone(&self.shared), setup.clone(), inbox, self.leave.clone());
        let task = self.tasks.spawn(play.instrument(span));
        self.ids.insert(task.id(), setup.id.clone());
        let id = setup.id.clone();
        self.games.insert(
            id,
            RunningGame {
                notes,
                setup,
                restarts: falls,
            },
        );
    }

    /// Tells a running game's task that the game is over.
    pub(in crate::bot) fn finish(&self, id: &GameId) {
        if let Some(game) = self.games.get(id) {
            let _ = game.notes.try_send(TaskNote::Finished); // it has ended, or has been told before
        }
    }

    /// Waits for the next task to end, and returns its settings. None when no game runs.
    pub(in crate::bot) async fn next(&mut self) -> Option<(TaskSettings, TaskExit)> {
        let (task, result) = match self.tasks.join_next_with_id().await? {
            Ok((task, outcome)) => (task, Ok(outcome)),
            Err(error) => (error.id(), Err(error.to_string())),
        };
        let id = self.ids.remove(&task)?;
        let game = self.games.remove(&id)?;
        let setup = game.setup.clone();
        let done = match result {
            Ok(outcome) => TaskExit::With(outcome),
            Err(why) if game.restarts < REVIVALS => {
                self.restart(game);
                TaskExit::Revived(why)
            }
            Err(why) => TaskExit::Lost(why),
        };
        Some((setup, done))
    }

    /// Restarts a game's task.
    fn restart(&mut self, game: RunningGame) {
        let setup = TaskSettings {
            adopted: true,
            ..game.setup
        };
        self.spawn(setup, game.restarts + 1);
    }
}
