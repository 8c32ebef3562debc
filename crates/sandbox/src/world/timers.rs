//! Timers: flags, expiring challenges, absences, abandoned games.

use super::{Cause, Ending, Game, World};
use sparring_chess::{Color, units::Millis};
use sparring_lichess::model::{ChallengeStatus, GameId};

/// lichess checks flags this often,
const FLAG_TICK: u64 = 7_000;

/// and lets this much pass, because the move may be under way.
const FLAG_GRACE: Millis = Millis(2_000);

impl World {
    /// The next deadline.
    #[must_use]
    pub fn next_due(&self) -> Option<Millis> {
        let games = self.games.values().filter(|game| game.is_running());
        let games = games.filter_map(|game| {
            let absences = Color::ALL.map(|color| game.absence_due_at(color));
            let ends = self.flag_due(game).into_iter().chain(game.abandoned_at());
            absences.into_iter().flatten().chain(ends).min()
        });
        let challenges = self
            .challenges
            .values()
            .flat_map(|challenge| [challenge.expires_at(), challenge.forgotten_at()])
            .flatten();
        games
            .chain(challenges)
            .chain(self.tournaments.next_due(self.now))
            .min()
    }

    /// Lets everything happen that is due until `now`, each at its own time and in order.
    pub fn advance_to(&mut self, now: Millis) {
        while let Some(due) = self.next_due().filter(|due| *due <= now) {
            self.now = self.now.max(due);
            self.happen(self.now);
        }
        self.now = self.now.max(now);
    }

    /// Does everything that is due at this moment, so that afterwards nothing is due before a later one.
    fn happen(&mut self, now: Millis) {
        // Their terms are those of every tournament here: nothing about them can be refused.
        let _ = self.pair(now);
        for challenge in self.challenges.values_mut() {
            if challenge.expires_at().is_some_and(|at| at <= now) {
                // No event: lichess lets challenges expire in silence.
                challenge.status = ChallengeStatus::Offline;
            }
        }
        self.challenges
            .retain(|_, challenge| challenge.forgotten_at().is_none_or(|at| now < at));
        let running: Vec<GameId> = self
            .games
            .values()
            .filter(|game| game.is_running())
            .map(|game| game.id.clone())
            .collect();
        for id in running {
            let flag_due = self.games.get(&id).and_then(|game| self.flag_due(game));
            let flag_is_due = flag_due.is_some_and(|at| at <= now);
            self.change_game(&id, now, |game| {
                if flag_is_due {
                    game.check_flag(now);
                }
                if game.abandoned_at().is_some_and(|at| at <= now) {
                    game.end(Ending::without_winner(Cause::Aborted), now);
                }
                for color in Color::ALL {
                    if game.absence_due_at(color).is_some_and(|at| at <= now) {
                        game.announce_absence(color, now);
                    }
                }
            });
        }
    }

    /// When the server will notice the flag of the running side.
    fn flag_due(&self, game: &Game) -> Option<Millis> {
        let falls = game.flag_at()?;
        if self.rules.strict_flags {
            return Some(falls);
        }
        let noticed = falls + FLAG_GRACE - game.created_at;
        Some(game.created_at + Millis(noticed.0.div_ceil(FLAG_TICK) * FLAG_TICK))
    }
}
