//! Finds blunder positions in games: the player's own score drops sharply from one move to the next.

use std::collections::HashMap;

use super::tree_view::moves_of;
use sparring_chess::{GameHistory, Move, units::Centipawns, write_fen, write_san};

/// Who stood so badly before has nothing to learn from standing worse.
const LOST: Centipawns = Centipawns(-300);

/// A position and the move after which games turned.
#[derive(Debug, Clone)]
pub struct BlunderPosition {
    /// A game up to the position.
    pub line: GameHistory,
    /// The move.
    pub mv: Move,
    /// In how many games it went so.
    pub games: u32,
    /// What the player thought of the position, on average.
    pub thought: Centipawns,
    /// What the player thought one move later, on average.
    pub found: Centipawns,
}

impl BlunderPosition {
    /// What the move cost, in all games together.
    #[must_use]
    pub fn cost(&self) -> i32 {
        (self.thought.0 - self.found.0).saturating_mul(self.games.cast_signed())
    }

    /// The move in SAN.
    #[must_use]
    pub fn san(&self) -> String {
        write_san(self.line.position(), self.mv)
    }

    /// Lines of a book that play another move in this very position, with the reason behind it.
    #[must_use]
    pub fn remedy(&self, instead: Move, score: Centipawns) -> String {
        let pos = self.line.position();
        let games = match self.games {
            1 => "1 game".to_owned(),
            games => format!("{games} games"),
        };
        format!(
            "# {}\nfrom: {}\n{}  # instead of {}: thought {}, then {}, in {games}; this is {score}\n",
            moves_of(&self.line),
            write_fen(pos),
            write_san(pos, instead),
            self.san(),
            self.thought,
            self.found,
        )
    }
}

/// Turns that were met so far.
#[derive(Debug)]
pub struct BlunderPositions {
    margin: Centipawns,
    met: HashMap<(u64, Move), PlayedMove>,
}

#[derive(Debug)]
struct PlayedMove {
    line: GameHistory,
    games: u32,
    thought: i64,
    found: i64,
}

impl BlunderPositions {
    /// None yet. A game has turned when a player's score falls by so much from one move to the next.
    #[must_use]
    pub fn new(margin: Centipawns) -> Self {
        Self {
            margin,
            met: HashMap::new(),
        }
    }

    /// Looks at a game. `scores` are what the player thought when on move: how many half moves stood before, and the score
    /// from the player's side, in order.
    pub fn add(&mut self, line: &GameHistory, scores: &[(usize, Centipawns)]) {
        for pair in scores.windows(2) {
            let [(ply, thought), (next, found)] = *pair else {
                continue;
            };
            let has_turned = thought.0 > LOST.0 && thought.0 - found.0 >= self.margin.0;
            let (true, true, Some(mv)) = (next == ply + 2, has_turned, line.moves().get(ply)) else {
                continue;
            };
            let Some(key) = line.keys().get(ply) else { continue };
            let met = self.met.entry((*key, *mv)).or_insert_with(|| {
                let mut before = line.clone();
                before.truncate(ply);
                PlayedMove {
                    line: before,
                    games: 0,
                    thought: 0,
                    found: 0,
                }
            });
            met.games += 1;
            met.thought += i64::from(thought.0);
            met.found += i64::from(found.0);
        }
    }

    /// All of them, what cost most first.
    #[must_use]
    pub fn list(self) -> Vec<BlunderPosition> {
        let mut list: Vec<BlunderPosition> = self
            .met
            .into_iter()
            .map(|((_, mv), met)| BlunderPosition {
                mv,
                games: met.games,
                thought: Centipawns((met.thought / i64::from(met.games)) as i32),
                found: Centipawns((met.found / i64::from(met.games)) as i32),
                line: met.line,
            })
            .collect();
        // What costs the same comes in the order of its moves, so that the list does not depend on chance.
        list.sort_by_cached_key(|turn| (-turn.cost(), turn.line.uci_moves(), turn.san()));
        list
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;
    use sparring_chess::{Variant, key, parse_san};

    fn line(moves: &str) -> GameHistory {
        GameHistory::replay(Variant::Standard, "startpos", moves).unwrap()
    }

    fn scores(list: &[(usize, i32)]) -> Vec<(usize, Centipawns)> {
        list.iter()
            .map(|(ply, score)| (*ply, Centipawns(*score)))
            .collect()
    }

    #[test]
    fn a_fall_from_one_own_move_to_the_next_is_a_turn_and_nothing_else_is() {
        let game = line("e2e4 e7e5 g1f3 b8c6 f3e5 c6e5 d2d4");
        let mut turns = BlunderPositions::new(Centipawns(150));
        turns.add(&game, &scores(&[(2, 40), (4, 30), (6, -180)]));
        turns.add(&game, &scores(&[(4, 50), (6, -220)]));
        // Too little, a move between that nobody thought about, and one who was lost before.
        turns.add(&game, &scores(&[(4, 30), (6, -100)]));
        turns.add(&game, &scores(&[(2, 40), (6, -300)]));
        turns.add(&game, &scores(&[(4, -400), (6, -900)]));
        let list = turns.list();
        assert_eq!(list.len(), 1);
        let turn = &list[0];
        assert_eq!((turn.games, turn.san()), (2, "Nxe5".to_owned()));
        assert_eq!((turn.thought, turn.found), (Centipawns(40), Centipawns(-200)));
        assert_eq!(moves_of(&turn.line), "1. e4 e5 2. Nf3 Nc6");
    }

    #[test]
    fn a_remedy_is_a_book_for_its_position_alone() {
        let mut turns = BlunderPositions::new(Centipawns(150));
        turns.add(
            &line("e2e4 e7e5 g1f3 b8c6 f3e5 c6e5 d2d4"),
            &scores(&[(4, 30), (6, -180)]),
        );
        let turn = turns.list().remove(0);
        let instead = parse_san(turn.line.position(), "Bb5").unwrap();
        let text = turn.remedy(instead, Centipawns(35));
        let (book, findings) = parse("turns.book", &text);
        let book = book.unwrap();
        assert_eq!(findings.to_string(), "");
        assert_eq!(book.positions(), 1);
        let entries = book.entries(key(turn.line.position()));
        assert_eq!(
            book.note(&entries[0]),
            Some("instead of Nxe5: thought +0.30, then -1.80, in 1 game; this is +0.35")
        );
    }
}
