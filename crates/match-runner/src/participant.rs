//! Participants: an external UCI engine, or a level inside this program.

use super::time_control::TimeControl;
use sparring_chess::{
    GameHistory,
    units::{Millis, Stopwatch, TimeSource as _},
    write_uci,
};
use sparring_engine::{Engine, SearchControl, Stop};
use sparring_personality::{
    strength::{LevelParams, choose_move, request_with},
    style::Style,
};
use sparring_uci_client::{Clocks, EngineSpec, GoResult, Patience, UciError, UciProcess};

/// A player of a match.
pub trait Participant {
    /// Its name in the match.
    fn name(&self) -> &str;

    /// Prepares a game; `seed` identifies it.
    ///
    /// # Errors [`UciError`] when it has ended or does not answer.
    fn new_game(&mut self, seed: u64) -> Result<(), UciError>;

    /// A move in the game's last position, within `limit`.
    ///
    /// # Errors [`UciError`] when it has ended or does not answer.
    fn go(
        &mut self,
        line: &GameHistory,
        control: TimeControl,
        clocks: Clocks,
        limit: Millis,
    ) -> Result<GoResult, UciError>;
}

impl Participant for UciProcess {
    fn name(&self) -> &str {
        Self::name(self)
    }

    fn new_game(&mut self, _: u64) -> Result<(), UciError> {
        Self::new_game(self)
    }

    fn go(
        &mut self,
        line: &GameHistory,
        control: TimeControl,
        clocks: Clocks,
        limit: Millis,
    ) -> Result<GoResult, UciError> {
        self.search(line, &control.limits(clocks), Patience::of(limit))
    }
}

/// An engine process with a time control of its own, which replaces the match's.
#[derive(Debug)]
pub struct ExternalEngine {
    player: UciProcess,
    control: TimeControl,
}

impl ExternalEngine {
    /// Starts the engine.
    ///
    /// # Errors
    /// [`UciError`] when it cannot be started or does not speak UCI.
    pub fn start(spec: &EngineSpec, control: TimeControl) -> Result<Self, UciError> {
        let player = UciProcess::start(spec)?;
        Ok(Self { player, control })
    }
}

impl Participant for ExternalEngine {
    fn name(&self) -> &str {
        self.player.name()
    }

    fn new_game(&mut self, _: u64) -> Result<(), UciError> {
        self.player.new_game()
    }

    fn go(
        &mut self,
        line: &GameHistory,
        _: TimeControl,
        clocks: Clocks,
        limit: Millis,
    ) -> Result<GoResult, UciError> {
        Participant::go(&mut self.player, line, self.control, clocks, limit)
    }
}

/// Our own engine inside this program, at the parameters of a level. Its moves follow from the seed and the position
/// alone: it uses no clock.
#[derive(Debug)]
pub struct BuiltinEngine {
    name: String,
    params: LevelParams,
    style: Style,
    engine: Engine,
    seed: u64,
}

/// The hash table in mebibytes: enough for the nodes of a limited level, and quickly cleared.
const HASH: usize = 4;

impl BuiltinEngine {
    /// A player with these parameters, which must limit its nodes.
    #[must_use]
    pub fn new(name: &str, knobs: LevelParams) -> Self {
        Self {
            name: name.to_owned(),
            params: knobs,
            style: Style::default(),
            engine: Engine::new(HASH),
            seed: 0,
        }
    }

    /// The same with a style.
    #[must_use]
    pub fn with_style(self, style: Style) -> Self {
        Self { style, ..self }
    }
}

impl Participant for BuiltinEngine {
    fn name(&self) -> &str {
        &self.name
    }

    fn new_game(&mut self, seed: u64) -> Result<(), UciError> {
        self.engine.clear();
        self.seed = seed;
        Ok(())
    }

    fn go(
        &mut self,
        line: &GameHistory,
        _: TimeControl,
        _: Clocks,
        limit: Millis,
    ) -> Result<GoResult, UciError> {
        let watch = Stopwatch::start();
        let request = request_with(&self.params, line.clone(), None, self.seed).in_style(self.style);
        let control = SearchControl {
            stop: &Stop::new(),
            clock: &watch,
        };
        let report = choose_move(&mut self.engine, &request, &control, &mut |_| {}).report;
        let Some(mv) = report.best() else {
            return Err(UciError::Timeout {
                name: self.name.clone(),
                command: "go",
                limit,
            });
        };
        Ok(GoResult {
            best: write_uci(mv, line.variant()),
            ponder: None,
            score: report.lines.first().map(|line| line.score),
            depth: Some(report.depth),
            nodes: Some(report.nodes),
            spent: watch.elapsed(),
            ..GoResult::default()
        })
    }
}
