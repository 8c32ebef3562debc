//! Post mortem: where the game turned, told in chat if asked for by `!why`. No IO.

use sparring_engine::Score;
use sparring_personality::human_model::winning_chances;

/// A smaller change of winning chances, in percentage points between two moves, is no turning point.
const TURN: f32 = 8.0;

/// Where the game turned, in one sentence. `scores` are those of our own moves, each with its ply.
pub(super) fn summarize(scores: &[(usize, Score)]) -> String {
    if scores.len() < 2 {
        return "You asked why: I have calculated too little in this game to say.".to_owned();
    }
    let jump = |pair: &&[(usize, Score)]| match pair {
        [(_, before), (_, after)] => (winning_chances(*after) - winning_chances(*before)).abs(),
        _ => 0.0,
    };
    let widest = scores
        .windows(2)
        .max_by(|one, other| jump(one).total_cmp(&jump(other)));
    match widest {
        Some(pair @ [(_, before), (ply, after)]) if jump(&pair) >= TURN => format!(
            "You asked why: the game turned before my move {}. I saw myself at {}, and then at {}.",
            ply / 2 + 1,
            score_in_words(*before),
            score_in_words(*after)
        ),
        _ => "You asked why: I saw no moment at which the game turned; it slid.".to_owned(),
    }
}

/// A score as in `+0.4` or `mate in 3`.
pub(super) fn score_in_words(score: Score) -> String {
    match score {
        Score::Cp(cp) => format!("{:+.1}", f64::from(cp.0) / 100.0),
        Score::Mate(moves) if moves > 0 => format!("mate in {moves}"),
        Score::Mate(moves) => format!("being mated in {}", moves.unsigned_abs()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sparring_chess::units::Centipawns;
    use sparring_personality::chat_lines::LONGEST_LINE;

    fn of(scores: &[i32]) -> String {
        let scores: Vec<(usize, Score)> = scores
            .iter()
            .enumerate()
            .map(|(index, cp)| (2 * index, Score::Cp(Centipawns(*cp))))
            .collect();
        summarize(&scores)
    }

    #[test]
    fn the_widest_jump_is_where_the_game_turned() {
        assert_eq!(
            of(&[20, 30, -40, 310, 330, 2000]),
            "You asked why: the game turned before my move 4. I saw myself at -0.4, and then at +3.1."
        );
    }

    #[test]
    fn a_game_that_never_turned_and_one_that_was_never_calculated_are_told_so() {
        assert!(of(&[0, 20, 40, 60, 80]).contains("it slid"));
        assert!(of(&[0]).contains("too little"));
    }

    #[test]
    fn a_mate_is_told_as_one_and_every_account_fits_a_line() {
        let mated = summarize(&[(0, Score::Mate(12)), (2, Score::Mate(-120))]);
        assert!(
            mated.contains("at mate in 12, and then at being mated in 120"),
            "{mated}"
        );
        assert!(mated.len() <= LONGEST_LINE);
    }
}
