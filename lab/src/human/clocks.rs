//! Replays human games with our think times and counts losses on time.

use std::fmt::Write as _;

use anyhow::ensure;

use super::games::HumanGame;
use sparring_chess::units::{Elo, Millis};
use sparring_personality::{
    Delay, Personality,
    think_time::{self, Clock, ThinkTimeContext},
};

/// Network lag of a move.
const LAG: Millis = Millis(300);
/// Search time of a move.
const SEARCH: Millis = Millis(50);
/// Seconds at the start and per move.
const CLOCKS: [(u64, u64); 3] = [(60, 0), (180, 0), (600, 5)];
/// Games whose contexts are played again and again, with other seeds.
const CONTEXTS: usize = 150;

/// Plays `count` clocks of each kind to the end of a human game at levels from 800 to 2400.
///
/// # Errors
/// When there is no game of 40 plies, or one has an illegal move.
pub fn table(games: &[&HumanGame], count: usize) -> anyhow::Result<String> {
    let mut contexts = Vec::new();
    for game in games {
        if contexts.len() < CONTEXTS && game.moves.len() > 200 {
            contexts.push(contexts_of(game)?);
        }
    }
    ensure!(!contexts.is_empty(), "no game of 40 plies or more");
    let mut text = format!(
        "Clocks played to the end of a human game, {} ms lag a move, human pace, levels 800 to 2400.\n\n\
         | clock | games | lost on time | mean of the clock left after move 20 |\n|---|--:|--:|--:|\n",
        LAG.0
    );
    for (initial, increment) in CLOCKS {
        let (mut flags, mut left, mut reached) = (0, 0.0, 0_usize);
        for game in 0..count {
            let end = play(&contexts[game % contexts.len()], initial, increment, game as u64);
            flags += usize::from(end.flagged);
            if let Some(share) = end.after_20 {
                left += share;
                reached += 1;
            }
        }
        let left = 100.0 * left / reached.max(1) as f64;
        writeln!(
            text,
            "| {initial}+{increment} | {count} | {flags} | {left:.0} % |"
        )?;
    }
    Ok(text)
}

/// White's contexts of a game.
fn contexts_of(game: &HumanGame) -> anyhow::Result<Vec<ThinkTimeContext>> {
    let whole = game.line()?;
    let mut line = sparring_chess::GameHistory::from_position(whole.variant(), whole.start().clone());
    let mut contexts = Vec::new();
    for (ply, mv) in whole.moves().iter().enumerate() {
        if ply % 2 == 0 {
            contexts.push(ThinkTimeContext::of(&line, *mv));
        }
        line.play(*mv);
    }
    Ok(contexts)
}

struct End {
    flagged: bool,
    after_20: Option<f64>,
}

fn play(contexts: &[ThinkTimeContext], initial: u64, increment: u64, seed: u64) -> End {
    // Each game is played at every level in turn.
    let level = Elo(800 + 400 * (seed / CONTEXTS as u64 % 5) as u32);
    let profile = Personality {
        delay: Delay::Human,
        level: Some(level),
        ..Personality::new("clocks")
    };
    let mut clock = Clock {
        initial: Millis::from_secs(initial),
        increment: Millis::from_secs(increment),
        remaining: Millis::from_secs(initial),
    };
    let mut own_last = None;
    let mut after_20 = None;
    for (number, context) in contexts.iter().enumerate() {
        let context = ThinkTimeContext {
            clock: Some(clock),
            own_last,
            opponent_last: own_last,
            elapsed: SEARCH,
            lag: LAG,
            ..context.clone()
        };
        let spent = SEARCH + think_time::pause(&profile, &context, seed) + LAG;
        // The first move does not run the clock.
        let charged = if number == 0 { Millis::ZERO } else { spent };
        if charged >= clock.remaining {
            return End {
                flagged: true,
                after_20,
            };
        }
        clock.remaining = clock.remaining - charged + clock.increment;
        own_last = Some(spent);
        if number == 19 {
            after_20 = Some(clock.remaining.as_secs_f64() / initial as f64);
        }
    }
    End {
        flagged: false,
        after_20,
    }
}
