//! One game of the engine against itself, from an opening of random moves.

use rand::{RngExt as _, SeedableRng as _, rngs::ChaCha8Rng};

use super::game_record::{GameOutcome, GameRecord};
use sparring_chess::{
    Color, GameHistory, Move, Position, Rules as _, Variant,
    units::{Millis, Nodes, TimeSource},
};
use sparring_engine::{Engine, Limits, Score, SearchControl, SearchRequest, Stop};

/// How games of self-play are played. Equal values give equal games.
#[derive(Debug, Clone)]
pub struct SelfPlay {
    /// What is played.
    pub variant: Variant,
    /// Limits of each search.
    pub nodes: Nodes,
    /// Where games start; a start of the variant when there is none.
    pub openings: Vec<Position>,
    /// So many random moves, one more or less to vary the side, begin each game.
    pub random_plies: usize,
    /// Names the run: another seed, other games.
    pub seed: u64,
}

/// An opening in which a side is further ahead than this, in centipawns, is drawn anew.
const FAIR: i32 = 400;
/// A position is kept while no side is further ahead than this.
const KEPT: i32 = 1500;
/// A game is won when a side has been this far ahead for [`WON_PLIES`] plies. Where the evaluation is not that of standard
/// chess, only mates that the search has found are as far: other rules turn games around at the last move.
const WON: i32 = 2000;
const WON_PLIES: usize = 6;
/// A game of standard chess is drawn when both have said so for [`DRAWN_PLIES`] plies, after [`DRAWN_FROM`].
const DRAWN: i32 = 10;
const DRAWN_PLIES: usize = 12;
const DRAWN_FROM: usize = 80;
/// What a mate counts, in centipawns: beyond any bound.
const MATE: i32 = 30_000;
/// So many openings are drawn for a game until one is fair.
const MOST_OPENINGS: usize = 1000;
/// No game is longer.
const LONGEST: usize = 400;

/// Time does not pass: games depend on nodes alone.
struct NoClock;

impl TimeSource for NoClock {
    fn elapsed(&self) -> Millis {
        Millis::ZERO
    }
}

impl SelfPlay {
    /// Plays the game of this number; none where no opening is fair. The engine is cleared first.
    pub fn play(&self, number: u64, engine: &mut Engine) -> Option<GameRecord> {
        // Neighbouring numbers must not give neighbouring streams.
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        rng.set_stream(number);
        engine.clear();
        let mut line = self.opening(number, &mut rng, engine)?;
        let (mut scores, mut all) = (Vec::new(), Vec::new());
        let outcome = loop {
            if let Some(outcome) = ended(&line).or_else(|| adjudicated(self.variant, &all)) {
                break outcome;
            }
            let Some((mv, score)) = self.think(&line, engine) else {
                break GameOutcome::Draw; // Without a legal move the rules have ended the game above.
            };
            let score = line.turn().fold_wb(score, -score);
            let quiet = !line.position().is_check() && !mv.is_capture() && !mv.is_promotion();
            scores.push((quiet && score.abs() < KEPT).then_some(score));
            all.push(score);
            line.play(mv);
        };
        Some(GameRecord {
            line,
            scores,
            outcome,
        })
    }

    /// A start that is still a game: random moves from an opening, neither side far ahead.
    fn opening(&self, number: u64, rng: &mut ChaCha8Rng, engine: &mut Engine) -> Option<GameHistory> {
        (0..MOST_OPENINGS).find_map(|_| {
            let start = match self.openings.len() {
                0 => self
                    .variant
                    .numbered_start((number % u64::from(self.variant.start_count())) as u32),
                count => self.openings[rng.random_range(0..count)].clone(),
            };
            let mut line = GameHistory::from_position(self.variant, start);
            let plies = self.random_plies + usize::from(self.random_plies > 0 && rng.random());
            for _ in 0..plies {
                let moves = line.position().legal_moves();
                if moves.is_empty() || line.position().is_variant_end() {
                    break;
                }
                line.play(moves[rng.random_range(0..moves.len())]);
            }
            // The game begins here: its history is not the engine's doing.
            let line = GameHistory::from_position(self.variant, line.position().clone());
            let fair = line.outcome().is_none()
                && self
                    .think(&line, engine)
                    .is_some_and(|(_, score)| score.abs() <= FAIR);
            fair.then_some(line)
        })
    }

    /// The engine's move and its score in centipawns for the side to move; mates count as far beyond any bound.
    fn think(&self, line: &GameHistory, engine: &mut Engine) -> Option<(Move, i32)> {
        let limits = Limits {
            nodes: Some(self.nodes),
            ..Limits::default()
        };
        let stop = Stop::new();
        let around = SearchControl {
            stop: &stop,
            clock: &NoClock,
        };
        let report = engine.search(&SearchRequest::new(line.clone(), limits), &around, &mut |_| ());
        let score = match report.lines.first()?.score {
            Score::Cp(cp) => cp.0,
            Score::Mate(moves) => MATE * moves.signum(),
        };
        Some((report.best()?, score))
    }
}

/// Result by the rules.
fn ended(line: &GameHistory) -> Option<GameOutcome> {
    let ending = line.outcome()?;
    Some(match ending.winner() {
        Some(Color::White) => GameOutcome::White,
        Some(Color::Black) => GameOutcome::Black,
        None => GameOutcome::Draw,
    })
}

/// Adjudicated result of the scores so far, one for each ply, from White's view.
fn adjudicated(variant: Variant, scores: &[i32]) -> Option<GameOutcome> {
    let standard = variant.traits().standard_eval;
    let won = if standard { WON } else { MATE };
    let latest = |plies: usize| scores.len().checked_sub(plies).map(|from| &scores[from..]);
    let all = |plies: usize, test: &dyn Fn(i32) -> bool| {
        latest(plies).is_some_and(|span| span.iter().all(|score| test(*score)))
    };
    if all(WON_PLIES, &|score| score >= won) {
        return Some(GameOutcome::White);
    }
    if all(WON_PLIES, &|score| score <= -won) {
        return Some(GameOutcome::Black);
    }
    let drawn = standard && scores.len() >= DRAWN_FROM && all(DRAWN_PLIES, &|score| score.abs() <= DRAWN);
    (drawn || scores.len() >= LONGEST).then_some(GameOutcome::Draw)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sparring_chess::parse_fen;

    fn rules(seed: u64) -> SelfPlay {
        SelfPlay {
            variant: Variant::Standard,
            nodes: Nodes(60),
            openings: Vec::new(),
            random_plies: 8,
            seed,
        }
    }

    #[test]
    fn the_same_number_gives_the_same_game_and_another_another() {
        let mut engine = Engine::new(1);
        let mut play = |seed, number| rules(seed).play(number, &mut engine).unwrap().to_string();
        let game = play(1, 5);
        assert_eq!(game, play(1, 5));
        assert_ne!(game, play(1, 6));
        assert_ne!(game, play(2, 5));
    }

    #[test]
    fn only_quiet_positions_have_scores() {
        let game = rules(3).play(0, &mut Engine::new(1)).unwrap();
        assert!(game.quiet().count() > 0);
        for (pos, score) in game.quiet() {
            assert!(!pos.is_check() && score.abs() < KEPT);
        }
        for (mv, score) in game.line.moves().iter().zip(&game.scores) {
            assert!(score.is_none() || !mv.is_capture() && !mv.is_promotion());
        }
    }

    #[test]
    fn openings_that_are_all_lost_are_given_up() {
        let lost = SelfPlay {
            openings: vec![parse_fen(Variant::Standard, "4k3/8/8/8/8/8/8/QQQ1K3 w - - 0 1").unwrap()],
            random_plies: 0,
            ..rules(1)
        };
        assert!(lost.play(0, &mut Engine::new(1)).is_none());
    }

    #[test]
    fn every_variant_is_played_by_its_own_rules_and_read_back() {
        let mut engine = Engine::new(1);
        for variant in Variant::ALL {
            let play = SelfPlay {
                variant,
                random_plies: 4,
                ..rules(1)
            };
            let game = play.play(0, &mut engine).unwrap();
            assert_eq!(game.line.variant(), variant);
            let text = game.to_string();
            let again = GameRecord::read(&text, variant).unwrap();
            assert_eq!(again.to_string(), text);
            assert_eq!(again.line.outcome(), game.line.outcome(), "{text}");
            assert_eq!(again.quiet().count(), game.quiet().count());
        }
    }

    #[test]
    fn decided_games_end() {
        let adjudicated = |scores: &[i32]| adjudicated(Variant::Standard, scores);
        assert_eq!(adjudicated(&[2500; 6]), Some(GameOutcome::White));
        assert_eq!(adjudicated(&[-2500; 6]), Some(GameOutcome::Black));
        assert_eq!(adjudicated(&[2500; 5]), None);
        assert_eq!(adjudicated(&[0; 79]), None);
        assert_eq!(adjudicated(&[0; 80]), Some(GameOutcome::Draw));
        assert_eq!(adjudicated(&[500; 400]), Some(GameOutcome::Draw));
    }

    #[test]
    fn scores_without_a_mate_decide_no_game_of_other_rules() {
        let adjudicated = |scores: &[i32]| adjudicated(Variant::Antichess, scores);
        assert_eq!(adjudicated(&[2500; 100]), None);
        assert_eq!(adjudicated(&[0; 100]), None);
        assert_eq!(adjudicated(&[-MATE; 6]), Some(GameOutcome::Black));
        assert_eq!(adjudicated(&[0; 400]), Some(GameOutcome::Draw));
    }
}
