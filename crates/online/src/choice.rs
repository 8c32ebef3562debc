//! Draws a move from an answer, by a seed.

use sparring_book::{SelectionPolicy, draw};
use sparring_chess::{GameHistory, Move, Rules as _, key, parse_uci};

use super::{
    answer::{Answer, Evidence},
    source::{RankBy, Source},
};

/// A move that was drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// The move, legal in the last position of the game.
    pub mv: Move,
    /// Why the source offers it.
    pub evidence: Evidence,
    /// All games with the position, of an explorer.
    pub games: u64,
    /// The moves that could be drawn with their chances from 0 to 1, the likeliest first.
    pub chances: Vec<(Move, f64)>,
}

/// Draws a move for the last position of a game; none where nothing is good enough for the settings of the source.
///
/// Moves in `without` are never drawn, and neither are moves back to a position of the game. The same seed, answer and position give the
/// same move.
#[must_use]
pub fn choose(
    source: &Source,
    answer: &Answer,
    line: &GameHistory,
    policy: SelectionPolicy,
    seed: u64,
    without: &[Move],
) -> Option<Choice> {
    let offers: Vec<(Move, Evidence)> = answer
        .moves
        .iter()
        .filter_map(|offer| Some((parse_uci(line.position(), &offer.uci).ok()?, offer.evidence)))
        .filter(|(mv, _)| !without.contains(mv) && !returns(line, *mv))
        .collect();
    let shares = shares(source, &offers);
    let largest = shares.iter().copied().max()?;
    let weights: Vec<u64> = shares
        .iter()
        .map(|share| policy.draw_weight(*share, largest))
        .collect();
    let total = weights.iter().copied().fold(0_u64, u64::saturating_add);
    if total == 0 {
        return None;
    }
    let mut rest = draw(total, seed, *line.keys().last()?);
    let index = weights.iter().position(|weight| {
        let is_hit = rest < *weight;
        rest = rest.saturating_sub(*weight);
        is_hit
    })?;
    let (mv, evidence) = *offers.get(index)?;
    let mut chances: Vec<(Move, f64)> = offers
        .iter()
        .zip(&weights)
        .filter(|(_, weight)| **weight > 0)
        .map(|((mv, _), weight)| (*mv, *weight as f64 / total as f64))
        .collect();
    chances.sort_by(|one, other| other.1.total_cmp(&one.1));
    Some(Choice {
        mv,
        evidence,
        games: answer.games,
        chances,
    })
}

/// How much each move counts; 0 for those that the settings of the source leave out.
fn shares(source: &Source, offers: &[(Move, Evidence)]) -> Vec<u64> {
    let best = offers.iter().filter_map(|(_, evidence)| match evidence {
        Evidence::Search { score, .. } => Some(score.scaled()),
        _ => None,
    });
    let best = best.max().unwrap_or_default();
    let table = offers.iter().filter_map(|(_, evidence)| match evidence {
        Evidence::Table(result) => Some(*result),
        _ => None,
    });
    let table = table.max();
    // The first of the best: tables put the move first that makes progress.
    let first = offers
        .iter()
        .position(|(_, evidence)| matches!(evidence, Evidence::Table(result) if Some(*result) == table));
    let share = |index: usize, evidence: &Evidence| match *evidence {
        Evidence::Games { games, permille } if games >= source.min_games.max(1) => match source.rank_by {
            RankBy::Games => games,
            RankBy::Score => u64::from(permille),
        },
        Evidence::Search { score, depth } if depth.is_none_or(|depth| depth >= source.min_depth) => {
            let loss = best - score.scaled();
            // The best counts most, so that it can be played alone.
            u64::try_from(source.max_loss.0 - loss + 1).unwrap_or(0)
        }
        Evidence::Table(_) => u64::from(Some(index) == first),
        Evidence::Games { .. } | Evidence::Search { .. } => 0,
    };
    offers
        .iter()
        .enumerate()
        .map(|(index, (_, evidence))| share(index, evidence))
        .collect()
}

/// Whether a move leads back to a position of the game: servers know no game, and would repeat it for ever.
fn returns(line: &GameHistory, mv: Move) -> bool {
    let mut after = line.position().clone();
    after.play_unchecked(mv);
    line.keys().contains(&key(&after))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        answer::{Evaluation, OfferedMove, TableResult},
        source::SourceKind,
    };
    use sparring_chess::{Variant, units::Centipawns, write_uci};

    fn answer(offers: &[(&str, Evidence)]) -> Answer {
        Answer {
            moves: offers
                .iter()
                .map(|(uci, evidence)| OfferedMove {
                    uci: (*uci).to_owned(),
                    evidence: *evidence,
                })
                .collect(),
            games: 100,
        }
    }

    fn games(games: u64, permille: u16) -> Evidence {
        Evidence::Games { games, permille }
    }

    fn after(moves: &str) -> GameHistory {
        GameHistory::replay(Variant::Standard, "startpos", moves).unwrap()
    }

    fn chances(source: &Source, answer: &Answer, policy: SelectionPolicy, line: &GameHistory) -> Vec<String> {
        let choice = choose(source, answer, line, policy, 1, &[]);
        let shown =
            |(mv, chance): &(Move, f64)| format!("{} {:.0}%", write_uci(*mv, line.variant()), chance * 100.0);
        choice.map_or_else(Vec::new, |choice| choice.chances.iter().map(shown).collect())
    }

    #[test]
    fn games_weigh_and_rare_moves_are_left_out() {
        let mut source = Source::new("m", SourceKind::Masters);
        let answer = answer(&[
            ("e2e4", games(60, 520)),
            ("d2d4", games(30, 560)),
            ("a2a3", games(9, 900)),
        ]);
        let line = after("");
        let of = |source: &Source, policy| chances(source, &answer, policy, &line);
        assert_eq!(of(&source, SelectionPolicy::ByWeight), ["e2e4 67%", "d2d4 33%"]);
        assert_eq!(of(&source, SelectionPolicy::Best), ["e2e4 100%"]);
        source.rank_by = RankBy::Score;
        assert_eq!(of(&source, SelectionPolicy::Best), ["d2d4 100%"]);
        source.min_games = 1;
        assert_eq!(of(&source, SelectionPolicy::Best), ["a2a3 100%"]);
        source.min_games = 1000;
        assert_eq!(of(&source, SelectionPolicy::Best), [""; 0]);
    }

    #[test]
    fn the_same_seed_gives_the_same_move_and_all_seeds_the_chances() {
        let source = Source::new("m", SourceKind::Masters);
        let answer = answer(&[("e2e4", games(75, 500)), ("d2d4", games(25, 500))]);
        let line = after("");
        let drawn = |seed| {
            let choice = choose(&source, &answer, &line, SelectionPolicy::ByWeight, seed, &[]).unwrap();
            write_uci(choice.mv, line.variant())
        };
        let count = (0..1000).filter(|seed| drawn(*seed) == "e2e4").count();
        assert!((690..=810).contains(&count), "{count}");
        assert!((0..100).all(|seed| drawn(seed) == drawn(seed)));
    }

    #[test]
    fn evaluations_lose_at_most_so_much_and_are_deep_enough() {
        let search = |cp, depth| Evidence::Search {
            score: Evaluation::Cp(cp),
            depth: Some(depth),
        };
        let deep = answer(&[
            ("e2e4", search(30, 40)),
            ("d2d4", search(25, 40)),
            ("a2a3", search(0, 40)),
        ]);
        let mut source = Source::new("c", SourceKind::CloudEval);
        let line = after("");
        assert_eq!(
            chances(&source, &deep, SelectionPolicy::Flat, &line),
            ["e2e4 100%"]
        );
        source.max_loss = Centipawns(5);
        assert_eq!(
            chances(&source, &deep, SelectionPolicy::Flat, &line),
            ["e2e4 50%", "d2d4 50%"]
        );
        assert_eq!(
            chances(&source, &deep, SelectionPolicy::Best, &line),
            ["e2e4 100%"]
        );
        let shallow = answer(&[("e2e4", search(30, 19))]);
        assert_eq!(chances(&source, &shallow, SelectionPolicy::Best, &line), [""; 0]);
    }

    #[test]
    fn a_table_decides_alone_and_draws_no_lots() {
        let source = Source::new("t", SourceKind::Tablebase);
        let line =
            GameHistory::replay(Variant::FromPosition, "8/8/8/8/8/4k3/4p3/4K2R w - - 0 1", "").unwrap();
        let tables = answer(&[
            ("h1h3", Evidence::Table(TableResult::Draw)),
            ("h1h8", Evidence::Table(TableResult::Draw)),
            ("h1g1", Evidence::Table(TableResult::Loss)),
        ]);
        assert_eq!(
            chances(&source, &tables, SelectionPolicy::Flat, &line),
            ["h1h3 100%"]
        );
    }

    #[test]
    fn no_move_leads_back_and_none_is_drawn_that_was_refused() {
        let source = Source::new("m", SourceKind::Masters);
        let line = after("g1f3 g8f6 f3g1");
        let back = answer(&[("f6g8", games(50, 500)), ("d7d5", games(10, 500))]);
        assert_eq!(
            chances(&source, &back, SelectionPolicy::Best, &line),
            ["d7d5 100%"]
        );
        let refused = parse_uci(line.position(), "d7d5").unwrap();
        assert_eq!(
            choose(&source, &back, &line, SelectionPolicy::Best, 1, &[refused]),
            None
        );
    }
}
