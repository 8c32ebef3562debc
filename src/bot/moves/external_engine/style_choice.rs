//! Choice by style among the lines that an external engine prints.

use sparring_chess::{GameHistory, Rules as _, parse_uci};
use sparring_engine::{BoundKind, Line, Score, StyleBonus};
use sparring_uci_client::{GoResult, PrintedLine};

/// Lines that an engine prints for a style. Each costs it depth: with 150,000 nodes Stockfish 15 reached 15 plies with four of them and
/// 22 with one, on average over a game.
const LINES: usize = 4;

/// The most that a style gives up against the best line, in centipawns: by the engine's own scores.
pub(super) const MOST_GIVEN_UP: i32 = 30;

/// From this score on, in centipawns for either side, the game is decided and the best line is played.
const DECIDED: i32 = 1_000;

/// Lines count if the engine's last depth is no further from theirs: that which it had begun when it was stopped.
const DEPTHS_APART: u32 = 1;

/// The lines of an engine that a style chose from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StyleChoice {
    /// The chosen one, then the others from the best on.
    pub lines: Vec<Line>,
    /// Whether the chosen one is not the best.
    is_another: bool,
}

impl StyleChoice {
    /// The best line, where another one is chosen.
    pub fn passed_over(&self) -> Option<&Line> {
        self.lines.get(1).filter(|_| self.is_another)
    }
}

/// How many lines an engine is to print for a move.
pub(super) fn lines_for(line: &GameHistory, style: &StyleBonus) -> usize {
    match *style == StyleBonus::default() {
        true => 1,
        false => LINES.min(line.position().legal_moves().len()),
    }
}

/// Chooses the line with the best sum of its score and the style's bonus for what it changes. None where there is nothing to choose:
/// without a style or lines, once the game is decided, and where the lines do not fit each other or the engine's move, as when the
/// engine weakens itself.
pub(super) fn choose(line: &GameHistory, answer: &GoResult, style: &StyleBonus) -> Option<StyleChoice> {
    if *style == StyleBonus::default() || answer.lines.len() < 2 {
        return None;
    }
    let ends: Vec<(Line, GameHistory)> = answer
        .lines
        .iter()
        .map(|printed| replay(line, printed))
        .collect::<Option<_>>()?;
    let (best, _) = ends.first()?;
    let Score::Cp(most) = best.score else { return None };
    let is_open = most.0 > -DECIDED && most.0 < DECIDED;
    let is_best = best.pv.first().copied() == parse_uci(line.position(), &answer.best).ok();
    let is_last = answer
        .depth
        .is_some_and(|last| last.0.abs_diff(best.depth.0) <= DEPTHS_APART);
    if !(is_open && is_best && is_last && are_in_order(&ends)) {
        return None;
    }
    let sums = ends.iter().enumerate().filter_map(|(place, (one, end))| {
        let Score::Cp(score) = one.score else { return None };
        (score.0 >= most.0 - MOST_GIVEN_UP).then(|| (score.0 + bonus(line, end, style), place))
    });
    // Of equal sums the better line counts.
    let (_, chosen) = sums.max_by_key(|(sum, place)| (*sum, std::cmp::Reverse(*place)))?;
    let mut lines: Vec<Line> = ends.into_iter().map(|(line, _)| line).collect();
    lines[..=chosen].rotate_right(1);
    Some(StyleChoice {
        lines,
        is_another: chosen > 0,
    })
}

/// Whether each line begins with another move than those before it, and is no better.
fn are_in_order(ends: &[(Line, GameHistory)]) -> bool {
    ends.iter().enumerate().all(|(place, (one, _))| {
        ends[..place].iter().all(|(before, _)| {
            before.pv.first() != one.pv.first() && before.score.scaled() >= one.score.scaled()
        })
    })
}

/// A printed line up to its first illegal move, and the game at its end; none where already its first move is illegal.
fn replay(line: &GameHistory, printed: &PrintedLine) -> Option<(Line, GameHistory)> {
    let mut end = line.clone();
    for word in printed.moves.split_ascii_whitespace() {
        if end.play_uci(word).is_err() {
            break;
        }
    }
    let pv = end.moves()[line.ply()..].to_vec();
    let seen = Line {
        depth: printed.depth,
        score: printed.score,
        bound: BoundKind::Exact,
        pv,
    };
    (!seen.pv.is_empty()).then_some((seen, end))
}

/// What a style adds for a line, in centipawns for the side to move at its beginning: for what it changes on the board. With the bonuses
/// of the whole board, which begins with 32 men, most lines would reach the cap.
fn bonus(line: &GameHistory, end: &GameHistory, style: &StyleBonus) -> i32 {
    let of = |game: &GameHistory| style.of(game.position().board(), line.turn());
    match end.outcome() {
        None => (of(end) - of(line)).clamp(-StyleBonus::MOST, StyleBonus::MOST),
        Some(outcome) if outcome.winner().is_none() => style.draws,
        Some(_) => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sparring_chess::{
        Variant,
        units::{Centipawns, Depth},
        write_uci,
    };

    /// A style that brings the queen out, and keeps pieces on: more bonus than the cap as long as all are there.
    fn queen_out(bonus: i32) -> StyleBonus {
        StyleBonus {
            queen_out: bonus,
            officers: 6,
            ..StyleBonus::default()
        }
    }

    fn start() -> GameHistory {
        GameHistory::new(Variant::Standard)
    }

    /// An answer of these lines at depth 9, whose first one begins with the move.
    fn answer(lines: &[(i32, &str)]) -> GoResult {
        let lines = lines.iter().map(|(score, moves)| PrintedLine {
            depth: Depth(9),
            score: Score::Cp(Centipawns(*score)),
            moves: (*moves).to_owned(),
        });
        let lines: Vec<_> = lines.collect();
        GoResult {
            best: lines[0].moves.split(' ').next().unwrap().to_owned(),
            depth: Some(Depth(10)),
            lines,
            ..GoResult::default()
        }
    }

    fn chosen(line: &GameHistory, answer: &GoResult, style: &StyleBonus) -> Option<String> {
        let choice = choose(line, answer, style)?;
        Some(write_uci(choice.lines[0].pv[0], line.variant()))
    }

    #[test]
    fn the_bonus_for_the_end_of_a_line_decides() {
        let seen = answer(&[
            (40, "d2d4 d7d5"),
            (30, "e2e4 e7e5 d1h5"),
            (20, "e2e3 e7e5 d1h5 d1d1"),
        ]);
        let of = |style| chosen(&start(), &seen, &style).unwrap();
        assert_eq!(of(queen_out(9)), "d2d4");
        assert_eq!(of(queen_out(10)), "d2d4", "of equal sums the better line counts");
        assert_eq!(of(queen_out(11)), "e2e4");
        assert_eq!(of(queen_out(-11)), "d2d4");
        let choice = choose(&start(), &seen, &queen_out(11)).unwrap();
        let scores: Vec<i32> = choice.lines.iter().map(|line| line.score.scaled()).collect();
        assert_eq!(scores, [30, 40, 20]);
        assert_eq!(choice.passed_over().unwrap().score, Score::Cp(Centipawns(40)));
        assert_eq!(choice.lines[2].pv.len(), 3, "up to the illegal move");
    }

    #[test]
    fn a_style_gives_up_no_more_than_its_limit() {
        let of = |score| {
            chosen(
                &start(),
                &answer(&[(40, "d2d4"), (score, "e2e3 a7a6 d1h5")]),
                &queen_out(60),
            )
        };
        assert_eq!(of(40 - MOST_GIVEN_UP).as_deref(), Some("e2e3"));
        assert_eq!(of(40 - MOST_GIVEN_UP - 1).as_deref(), Some("d2d4"));
    }

    #[test]
    fn a_draw_by_rule_counts_by_the_bonus_for_draws_alone() {
        let line = GameHistory::replay(Variant::Standard, "7k/8/8/8/8/8/1p6/K6N w - - 0 1", "").unwrap();
        let seen = answer(&[(0, "a1b2"), (-10, "a1a2")]);
        let of = |style| chosen(&line, &seen, &style).unwrap();
        let draws = |draws| StyleBonus {
            draws,
            ..StyleBonus::default()
        };
        assert_eq!(of(draws(-9)), "a1b2");
        assert_eq!(of(draws(-11)), "a1a2");
        let generous = StyleBonus {
            material: -11,
            ..draws(0)
        };
        assert_eq!(of(generous), "a1b2", "no other bonus counts for the draw");
    }

    #[test]
    fn nothing_is_chosen_where_lines_are_missing_or_do_not_fit() {
        let sound = answer(&[(40, "d2d4"), (35, "e2e3 a7a6 d1h5")]);
        let style = queen_out(60);
        assert_eq!(chosen(&start(), &sound, &style).as_deref(), Some("e2e3"));
        assert_eq!(choose(&start(), &sound, &StyleBonus::default()), None);
        let changed = |change: &dyn Fn(&mut GoResult)| {
            let mut changed = sound.clone();
            change(&mut changed);
            changed
        };
        for (what, seen) in [
            ("one line", changed(&|seen| seen.lines.truncate(1))),
            ("no line", changed(&|seen| seen.lines.clear())),
            (
                "another move is best",
                changed(&|seen| seen.best = "e2e3".to_owned()),
            ),
            (
                "an illegal line",
                changed(&|seen| seen.lines[1].moves = "e2e5".to_owned()),
            ),
            ("an empty line", changed(&|seen| seen.lines[1].moves.clear())),
            (
                "a move twice",
                changed(&|seen| seen.lines[1].moves = "d2d4 a7a6".to_owned()),
            ),
            (
                "a better second line",
                changed(&|seen| seen.lines[1].score = Score::Cp(Centipawns(41))),
            ),
            (
                "a search far beyond",
                changed(&|seen| seen.depth = Some(Depth(11))),
            ),
            ("no depth", changed(&|seen| seen.depth = None)),
            ("a mate", changed(&|seen| seen.lines[0].score = Score::Mate(3))),
        ] {
            assert_eq!(choose(&start(), &seen, &style), None, "{what}");
        }
    }

    #[test]
    fn a_decided_game_and_a_mate_are_left_to_the_engine() {
        for (best, other) in [(DECIDED, DECIDED - 1), (-DECIDED, -DECIDED - 1)] {
            let seen = answer(&[(best, "d2d4"), (other, "e2e3 a7a6 d1h5")]);
            assert_eq!(choose(&start(), &seen, &queen_out(60)), None);
        }
        let mut mated = answer(&[(-DECIDED + 1, "d2d4"), (0, "e2e3 a7a6 d1h5")]);
        mated.lines[1].score = Score::Mate(-2);
        assert_eq!(chosen(&start(), &mated, &queen_out(60)).as_deref(), Some("d2d4"));
    }

    #[test]
    fn no_more_lines_are_wanted_than_there_are_moves() {
        assert_eq!(lines_for(&start(), &queen_out(8)), LINES);
        assert_eq!(lines_for(&start(), &StyleBonus::default()), 1);
        let corner = GameHistory::replay(Variant::Standard, "7k/8/8/8/8/8/8/K7 w - - 0 1", "").unwrap();
        assert_eq!(lines_for(&corner, &queen_out(8)), 3);
    }
}
