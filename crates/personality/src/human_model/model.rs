//! The fitted human model: move chances, and the choice of a move.

use std::sync::LazyLock;

use super::{
    MoveContext, SearchFeatures, TimePressure, format,
    loss_curve::{Loss, LossCurve, Phase, basis, winning_chances},
    net::{Net, normalise},
};
use crate::{
    mix,
    think_time::speed_model::{SPEEDS, SpeedModel},
};
use sparring_chess::{GameHistory, Move, Role, Rules as _, key, units::Elo};
use sparring_engine::Score;

/// Everything that was fitted on the games of people.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    /// The prior: what people consider without calculating.
    pub net: Net,
    /// What calculating does to it.
    pub curve: LossCurve,
    /// How long they think, by speed.
    pub speed_models: [SpeedModel; SPEEDS],
}

/// What a search found of one root move.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScoredMove {
    /// The move.
    pub mv: Move,
    /// Its score in the last iteration.
    pub deep: Score,
    /// Its score in the second iteration, where it was kept.
    pub shallow: Option<Score>,
}

/// A legal move with how likely a person plays it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Candidate {
    /// The move.
    pub mv: Move,
    /// The chance, from 0 to 1; over all candidates they add up to 1.
    pub chance: f32,
    /// The chance without any search.
    pub prior: f32,
    /// What it loses against the best move of the search, in points of winning chances from 0 to 100.
    pub loss: f32,
}

static SHIPPED: LazyLock<Model> = LazyLock::new(|| match format::read(include_bytes!("human.params")) {
    Ok(model) => model,
    Err(error) => unreachable!("a test reads the same bytes: {error}"),
});

impl Model {
    /// The model that comes with the program.
    #[must_use]
    pub fn shipped() -> &'static Self {
        &SHIPPED
    }

    /// The chances of all legal moves for a player of this level, without any search, likeliest first.
    ///
    /// Empty when there is no legal move.
    #[must_use]
    pub fn prior(&self, line: &GameHistory, level: Elo, haste: TimePressure) -> Vec<Candidate> {
        self.weigh(line, level, haste, &[])
    }

    /// The chances of all legal moves for a player of this level who has looked as far as the search did, likeliest
    /// first. Moves that the search does not name count as bad as the worst that it does. Without any the prior alone
    /// counts.
    #[must_use]
    pub fn weigh(
        &self,
        line: &GameHistory,
        level: Elo,
        haste: TimePressure,
        scored: &[ScoredMove],
    ) -> Vec<Candidate> {
        let rating = level.0 as f32;
        let seen = SearchFeatures::new(MoveContext::of(line), rating, haste);
        let scores = self.net.scores(&seen);
        let mut priors = scores.clone();
        normalise(&mut priors);
        let found = losses(&seen.moves, scored);
        let losses = found.as_ref().map(|(_, losses)| losses);
        let mut chances = match &found {
            Some((best, losses)) => {
                let basis = basis(rating, phase(line), *best);
                let bent = scores.iter().zip(losses);
                bent.map(|(score, loss)| self.curve.score(*score, *loss, &basis))
                    .collect()
            }
            None => scores,
        };
        normalise(&mut chances);
        let mut candidates: Vec<Candidate> = seen
            .moves
            .iter()
            .enumerate()
            .map(|(index, mv)| Candidate {
                mv: *mv,
                chance: chances[index],
                prior: priors[index],
                loss: losses.map_or(0.0, |losses| losses[index].deep),
            })
            .collect();
        candidates.sort_by(|a, b| b.chance.total_cmp(&a.chance));
        candidates
    }

    /// The move that a person of this level plays here: drawn by chance, always the same for the same position and
    /// seed, which names the game.
    ///
    /// ```no_run
    /// use sparring_chess::{units::Elo, GameHistory, Variant};
    /// use sparring_personality::human_model::{TimePressure, Model};
    ///
    /// let line = GameHistory::replay(Variant::Standard, "startpos", "e2e4 e7e5").unwrap();
    /// let chosen = Model::shipped().choose(&line, Elo(1400), TimePressure::Calm, &[], 7).unwrap();
    /// println!("played by {:.0} of 100", chosen.chance * 100.0);
    /// ```
    #[must_use]
    pub fn choose(
        &self,
        line: &GameHistory,
        level: Elo,
        haste: TimePressure,
        scored: &[ScoredMove],
        seed: u64,
    ) -> Option<Candidate> {
        draw(&self.weigh(line, level, haste, scored), line, seed)
    }
}

/// One of the candidates by their chances, which add up to 1: the same one for equal seeds and positions.
pub(crate) fn draw(candidates: &[Candidate], line: &GameHistory, seed: u64) -> Option<Candidate> {
    let luck = luck(line, seed);
    let mut sum = 0.0;
    let chosen = candidates.iter().find(|candidate| {
        sum += candidate.chance;
        luck < sum
    });
    // Rounding may leave the sum a little short of 1.
    chosen.or(candidates.first()).copied()
}

/// A share from 0 up to 1, always the same for the same position, ply and seed.
pub(crate) fn luck(line: &GameHistory, seed: u64) -> f32 {
    let luck = mix(&[seed, key(line.position()), line.ply() as u64]);
    // The upper 24 bits: every such number is an f32.
    (luck >> 40) as f32 / (1 << 24) as f32
}

/// The winning chances of the best move, and what each loses against it; none when the search names none of them.
fn losses(moves: &[Move], scored: &[ScoredMove]) -> Option<(f32, Vec<Loss>)> {
    let found: Vec<Option<(f32, f32)>> = moves
        .iter()
        .map(|mv| {
            let scored = scored.iter().find(|scored| scored.mv == *mv)?;
            let deep = winning_chances(scored.deep);
            Some((deep, scored.shallow.map_or(deep, winning_chances)))
        })
        .collect();
    let named = || found.iter().flatten();
    let extreme = |pick: fn(f32, f32) -> f32, part: fn(&(f32, f32)) -> f32| named().map(part).reduce(pick);
    let best = (
        extreme(f32::max, |pair| pair.0)?,
        extreme(f32::max, |pair| pair.1)?,
    );
    let worst = (
        extreme(f32::min, |pair| pair.0)?,
        extreme(f32::min, |pair| pair.1)?,
    );
    let loss = |(deep, shallow): (f32, f32)| Loss {
        deep: best.0 - deep,
        shallow: best.1 - shallow,
    };
    let losses = found.iter().map(|pair| loss(pair.unwrap_or(worst)));
    Some((best.0, losses.collect()))
}

/// The phase that a game is in.
#[must_use]
pub fn phase(line: &GameHistory) -> Phase {
    let board = line.position().board();
    let pieces = board.occupied() & !board.by_role(Role::Pawn) & !board.by_role(Role::King);
    if line.ply() < 20 {
        Phase::Opening
    } else if pieces.count() <= 6 {
        Phase::Endgame
    } else {
        Phase::Middlegame
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sparring_chess::{Variant, parse_uci, units::Centipawns, write_uci};

    fn line(moves: &str) -> GameHistory {
        GameHistory::replay(Variant::Standard, "startpos", moves).unwrap()
    }

    fn scored(line: &GameHistory, scores: &[(&str, i32)]) -> Vec<ScoredMove> {
        scores
            .iter()
            .map(|(text, cp)| ScoredMove {
                mv: parse_uci(line.position(), text).unwrap(),
                deep: Score::Cp(Centipawns(*cp)),
                shallow: None,
            })
            .collect()
    }

    #[test]
    fn the_shipped_parameters_are_whole() {
        let model = Model::shipped();
        assert!(model.speed_models.iter().all(|habit| habit.residuals.is_sorted()));
        assert_eq!(format::write(model), include_bytes!("human.params"));
    }

    #[test]
    fn chances_cover_every_legal_move_and_add_up_to_one() {
        let line = line("e2e4 e7e5 g1f3");
        let candidates = Model::shipped().prior(&line, Elo(1400), TimePressure::Calm);
        assert_eq!(candidates.len(), line.position().legal_moves().len());
        assert!((candidates.iter().map(|each| each.chance).sum::<f32>() - 1.0).abs() < 1e-4);
        assert!(candidates.is_sorted_by(|a, b| a.chance >= b.chance));
    }

    #[test]
    fn people_take_back() {
        let line = line("e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5c6");
        let candidates = Model::shipped().prior(&line, Elo(1500), TimePressure::Calm);
        let takes = |text: &str| {
            let mv = parse_uci(line.position(), text).unwrap();
            candidates.iter().find(|each| each.mv == mv).unwrap().chance
        };
        assert!(takes("d7c6") + takes("b7c6") > 0.9);
    }

    #[test]
    fn the_same_game_repeats_and_another_differs() {
        let line = line("d2d4 d7d5 c2c4");
        let choose = |seed| {
            Model::shipped()
                .choose(&line, Elo(1200), TimePressure::Calm, &[], seed)
                .unwrap()
        };
        assert_eq!(choose(7), choose(7));
        let first = choose(0).mv;
        assert!((1..100).any(|seed| choose(seed).mv != first));
    }

    #[test]
    fn moves_are_drawn_as_often_as_their_chances_say() {
        let line = line("e2e4");
        let candidates = Model::shipped().prior(&line, Elo(1600), TimePressure::Calm);
        let drawn = (0..2000)
            .filter(|seed| {
                let chosen = Model::shipped().choose(&line, Elo(1600), TimePressure::Calm, &[], *seed);
                chosen.unwrap().mv == candidates[0].mv
            })
            .count();
        let expected = f64::from(candidates[0].chance) * 2000.0;
        let spread = (expected * (1.0 - f64::from(candidates[0].chance))).sqrt();
        assert!(
            (drawn as f64 - expected).abs() < 4.0 * spread,
            "{drawn} of 2000, {expected} expected"
        );
    }

    #[test]
    fn what_loses_is_played_less_and_less_so_by_the_strong() {
        let line = line("e2e4 e7e5 g1f3 b8c6 f1c4 g8f6");
        let [good, bad] = ["d2d3", "c4f7"].map(|text| parse_uci(line.position(), text).unwrap());
        let known = scored(&line, &[("d2d3", 30), ("f3g5", 25), ("c4f7", -250)]);
        let ratio = |level, scored: &[ScoredMove]| {
            let candidates = Model::shipped().weigh(&line, Elo(level), TimePressure::Calm, scored);
            let chance = |mv| candidates.iter().find(|each| each.mv == mv).unwrap().chance;
            chance(bad) / chance(good)
        };
        // At 800 people hardly look.
        for level in [1000, 1400, 2000, 2600] {
            assert!(ratio(level, &known) < ratio(level, &[]), "{level}");
        }
        assert!(ratio(2400, &known) < ratio(1000, &known));
    }

    #[test]
    fn moves_that_no_search_names_count_as_its_worst() {
        let line = line("e2e4 e7e5");
        let known = scored(&line, &[("g1f3", 40), ("d1h5", -60)]);
        let candidates = Model::shipped().weigh(&line, Elo(1500), TimePressure::Calm, &known);
        let loss = |text: &str| {
            let found = candidates
                .iter()
                .find(|each| write_uci(each.mv, Variant::Standard) == text);
            found.unwrap().loss
        };
        assert_eq!(loss("g1f3"), 0.0);
        assert_eq!(loss("a2a3"), loss("d1h5"));
        assert!(loss("d1h5") > 5.0);
    }

    #[test]
    fn nobody_chooses_when_the_game_is_over() {
        let mate = line("f2f3 e7e5 g2g4 d8h4");
        assert_eq!(
            Model::shipped().choose(&mate, Elo(1500), TimePressure::Calm, &[], 1),
            None
        );
    }
}
