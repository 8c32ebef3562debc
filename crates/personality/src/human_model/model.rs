//! The human model: chances of the legal moves, and the draw of a move.

use std::fmt;

use super::{
    candidate::{Candidate, ScoredMove, draw},
    loss_curve::{Loss, LossCurve, basis},
    phase::Phase,
    winning_chances::winning_chances,
};
use sparring_chess::{GameHistory, Move, Rules as _};
use sparring_policy_net::{Context, PolicyNetwork};

/// A fitted model of human moves.
pub struct Model {
    /// The prior: move chances without search.
    pub network: PolicyNetwork,
    /// Adjusts the prior by search scores.
    pub curve: LossCurve,
}

impl Model {
    /// A network alone, which search scores do not adjust.
    #[must_use]
    pub fn of_network(network: PolicyNetwork) -> Self {
        Self {
            network,
            curve: LossCurve::NONE,
        }
    }

    /// Chances of the legal moves for such a player, without search, most likely first; empty if there are none.
    #[must_use]
    pub fn prior(&self, line: &GameHistory, player: &Context) -> Vec<Candidate> {
        self.chances(line, player, &[])
    }

    /// Chances of the legal moves for such a player, adjusted by search scores, most likely first.
    ///
    /// A move without a score counts as the worst scored one. Without any scores this is [`prior`](Self::prior). Of a variant that
    /// the network does not know, all moves have the same prior.
    #[must_use]
    pub fn chances(&self, line: &GameHistory, player: &Context, scored: &[ScoredMove]) -> Vec<Candidate> {
        let priors = match self.network.look(line, player) {
            Some(prediction) => prediction.chances,
            None => {
                let moves: Vec<Move> = line.position().legal_moves().into_iter().collect();
                let even = 1.0 / moves.len().max(1) as f32;
                moves.into_iter().map(|mv| (mv, even)).collect()
            }
        };
        self.adjust(&priors, line, player, scored)
    }

    /// As [`chances`](Self::chances), with the prior chance of each legal move known already.
    #[must_use]
    pub fn adjust(
        &self,
        priors: &[(Move, f32)],
        line: &GameHistory,
        player: &Context,
        scored: &[ScoredMove],
    ) -> Vec<Candidate> {
        let (moves, priors): (Vec<Move>, Vec<f32>) = priors.iter().copied().unzip();
        let (chances, losses) = match losses(&moves, scored) {
            Some((best, losses)) => {
                let basis = basis(f32::from(player.rating), Phase::of(line), best);
                (self.curve.chances(&priors, &losses, &basis), losses)
            }
            None => (priors.clone(), Vec::new()),
        };
        let mut candidates: Vec<Candidate> = moves
            .iter()
            .enumerate()
            .map(|(index, mv)| Candidate {
                mv: *mv,
                chance: chances[index],
                prior: priors[index],
                loss: losses.get(index).map_or(0.0, |loss| loss.deep),
            })
            .collect();
        candidates.sort_by(|a, b| b.chance.total_cmp(&a.chance));
        candidates
    }

    /// Draws a move by its chance. Equal positions, plies and seeds give equal moves.
    ///
    /// ```no_run
    /// use sparring_chess::{units::Elo, GameHistory, Variant};
    /// use sparring_personality::human_model::{Context, Model};
    ///
    /// let line = GameHistory::replay(Variant::Standard, "startpos", "e2e4 e7e5").unwrap();
    /// let chosen = Model::shipped().choose(&line, &Context::rated(Elo(1400)), &[], 7).unwrap();
    /// println!("played by {:.0} of 100", chosen.chance * 100.0);
    /// ```
    #[must_use]
    pub fn choose(
        &self,
        line: &GameHistory,
        player: &Context,
        scored: &[ScoredMove],
        seed: u64,
    ) -> Option<Candidate> {
        draw(&self.chances(line, player, scored), line, seed)
    }
}

impl fmt::Debug for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Model")
    }
}

/// The winning chances of the best move (0 to 100), and what each loses against it; `None` if no move has a score.
#[must_use]
pub fn losses(moves: &[Move], scored: &[ScoredMove]) -> Option<(f32, Vec<Loss>)> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use sparring_chess::{
        Variant, parse_uci,
        units::{Centipawns, Elo},
        write_uci,
    };
    use sparring_engine::Score;

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
    fn chances_cover_every_legal_move_and_add_up_to_one() {
        let line = line("e2e4 e7e5 g1f3");
        let candidates = Model::shipped().prior(&line, &Context::rated(Elo(1400)));
        assert_eq!(candidates.len(), line.position().legal_moves().len());
        assert!((candidates.iter().map(|each| each.chance).sum::<f32>() - 1.0).abs() < 1e-4);
        assert!(candidates.is_sorted_by(|a, b| a.chance >= b.chance));
    }

    #[test]
    fn recaptures_are_likely() {
        let line = line("e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5c6");
        let candidates = Model::shipped().prior(&line, &Context::rated(Elo(1500)));
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
                .choose(&line, &Context::rated(Elo(1200)), &[], seed)
                .unwrap()
        };
        assert_eq!(choose(7), choose(7));
        let first = choose(0).mv;
        assert!((1..100).any(|seed| choose(seed).mv != first));
    }

    #[test]
    fn moves_are_drawn_as_often_as_their_chances_say() {
        let line = line("e2e4");
        let candidates = Model::shipped().prior(&line, &Context::rated(Elo(1600)));
        let drawn = (0..2000)
            .filter(|seed| {
                let chosen = Model::shipped().choose(&line, &Context::rated(Elo(1600)), &[], *seed);
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
    fn losing_moves_are_less_likely_the_higher_the_rating() {
        let line = line("e2e4 e7e5 g1f3 b8c6 f1c4 g8f6");
        let [good, bad] = ["d2d3", "c4f7"].map(|text| parse_uci(line.position(), text).unwrap());
        let known = scored(&line, &[("d2d3", 30), ("f3g5", 25), ("c4f7", -250)]);
        let ratio = |level, scored: &[ScoredMove]| {
            let candidates = Model::shipped().chances(&line, &Context::rated(Elo(level)), scored);
            let chance = |mv| candidates.iter().find(|each| each.mv == mv).unwrap().chance;
            chance(bad) / chance(good)
        };
        // Below 1400 search scores hardly count.
        for level in [1400, 2000, 2600] {
            assert!(ratio(level, &known) < ratio(level, &[]), "{level}");
        }
        assert!(ratio(2400, &known) < ratio(1000, &known));
    }

    #[test]
    fn moves_without_a_score_count_as_the_worst() {
        let line = line("e2e4 e7e5");
        let known = scored(&line, &[("g1f3", 40), ("d1h5", -60)]);
        let candidates = Model::shipped().chances(&line, &Context::rated(Elo(1500)), &known);
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
    fn no_move_is_drawn_when_the_game_is_over() {
        let mate = line("f2f3 e7e5 g2g4 d8h4");
        assert_eq!(
            Model::shipped().choose(&mate, &Context::rated(Elo(1500)), &[], 1),
            None
        );
    }
}
