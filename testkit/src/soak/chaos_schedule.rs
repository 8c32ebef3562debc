//! Chaos schedule: faults of the whole program, at seeded moments.

use std::time::Duration;

use rand::{RngExt as _, SeedableRng as _, rngs::ChaCha8Rng, seq::SliceRandom as _};
use tokio::time::Instant;

use super::{SoakSetup, fault_log::FaultLog};
use sparring_chess::units::Millis;

/// Time before the first fault.
const CALM: Duration = Duration::from_secs(5);
/// A game's stream that has fallen silent is given up after this time (F3): what a silent network costs a game.
const SILENCE: Millis = Millis::from_secs(10);

/// A silent event stream is given up after 15 s (F3), and challenges arrive when the next one is open.
const EVENTS_RESUME: Millis = Millis::from_secs(16);

/// Faults of the whole program.
#[derive(Debug, Clone, Copy)]
enum Trouble {
    Kill,
    Restart,
    Storm,
    FullDisk,
    Silence,
}

/// Drawn without laying back until all were there, so that a short soak has seen everything too.
const DECK: [Trouble; 7] = [
    Trouble::Kill,
    Trouble::Kill,
    Trouble::Restart,
    Trouble::Restart,
    Trouble::Storm,
    Trouble::FullDisk,
    Trouble::Silence,
];

/// Injects the faults, and counts them.
#[derive(Debug)]
pub(super) struct ChaosSchedule {
    rng: ChaCha8Rng,
    deck: Vec<Trouble>,
    next: Instant,
    /// Log of the faults.
    pub faults: FaultLog,
    /// How often the program was killed.
    pub kills: usize,
    /// How often every connection broke and the server was out of reach.
    pub restarts: usize,
    /// How often twenty broken and twenty good saves of all files came at once.
    pub storms: usize,
    /// How often nothing could be written.
    pub full_disks: usize,
    /// How often all open connections fell silent.
    pub silences: usize,
}

impl ChaosSchedule {
    /// Fine for a moment.
    pub(super) fn new(seed: u64) -> Self {
        Self {
            rng: ChaCha8Rng::seed_from_u64(seed),
            deck: Vec::new(),
            next: Instant::now() + CALM,
            faults: FaultLog::default(),
            kills: 0,
            restarts: 0,
            storms: 0,
            full_disks: 0,
            silences: 0,
        }
    }

    /// Whether the next fault is due.
    pub(super) fn is_due(&self) -> bool {
        Instant::now() >= self.next
    }

    /// Injects the next fault. Returns whether the program was restarted.
    pub(super) async fn strike(&mut self, setup: &mut SoakSetup) -> anyhow::Result<bool> {
        let from = setup.sandbox_server.sandbox.now();
        let what = self.draw();
        match what {
            Trouble::Kill => {
                setup.network.loses_daemon();
                setup.daemon.kill().await?;
                setup.start().await?;
                self.kills += 1;
                let to = setup.sandbox_server.sandbox.now();
                self.faults.kills.push((from, to));
                self.outage(from, to);
            }
            Trouble::Restart => {
                let span = self.span(200..1500);
                setup.network.fail(span).await;
                self.restarts += 1;
                self.outage(from, setup.sandbox_server.sandbox.now());
            }
            Trouble::Storm => {
                for _ in 0..20 {
                    setup.daemon.spoil()?;
                    setup.daemon.reload().await?;
                    setup.daemon.mend()?;
                    setup.daemon.reload().await?;
                }
                self.storms += 1;
            }
            Trouble::FullDisk => {
                let span = self.span(1000..4000);
                setup.daemon.fill_disk(true).await?;
                tokio::time::sleep(span).await;
                setup.daemon.fill_disk(false).await?;
                self.full_disks += 1;
            }
            Trouble::Silence => {
                setup.network.fall_silent();
                self.silences += 1;
                self.faults.outages.push((from, from + SILENCE));
                self.faults.without_events.push((from, from + EVENTS_RESUME));
            }
        }
        self.next = Instant::now() + self.span(2000..10_000);
        Ok(matches!(what, Trouble::Kill))
    }

    fn draw(&mut self) -> Trouble {
        if self.deck.is_empty() {
            self.deck.extend(DECK);
            self.deck.shuffle(&mut self.rng);
        }
        self.deck.pop().unwrap_or(Trouble::Kill)
    }

    fn outage(&mut self, from: Millis, to: Millis) {
        self.faults.outages.push((from, to));
        self.faults.without_events.push((from, to));
    }

    fn span(&mut self, millis: std::ops::Range<u64>) -> Duration {
        Duration::from_millis(self.rng.random_range(millis))
    }
}
