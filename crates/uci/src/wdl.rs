//! Win, draw and loss chances of a score.

use sparring_engine::Score;

/// The score at which half of the games are won, in centipawns.
const EVEN: f64 = 115.0;

/// How fast chances change with the score, in centipawns.
const SPREAD: f64 = 120.0;

/// Chances of win, draw and loss in thousandths, for the side to move; they add up to 1000.
///
/// A logistic curve for wins and its mirror image for losses, fitted by `sparring-lab tune` to 18,958 games of self-play
/// at 2,000 nodes a move, with the evaluation of two tunings ago. The 43,828 games of the last tuning, which include
/// those, give 115 and 119. The chances are those of weak players, not of engines with time.
pub(super) fn chances(score: Score) -> [u32; 3] {
    let cp = match score {
        Score::Cp(cp) => f64::from(cp.0),
        Score::Mate(moves) if moves > 0 => return [1000, 0, 0],
        Score::Mate(_) => return [0, 0, 1000],
    };
    let share = |cp: f64| (1000.0 / (1.0 + ((EVEN - cp) / SPREAD).exp())).round() as u32;
    let (win, loss) = (share(cp), share(-cp));
    [win, 1000 - (win + loss).min(1000), loss]
}

#[cfg(test)]
mod tests {
    use super::*;
    use sparring_chess::units::Centipawns;

    fn at(cp: i32) -> [u32; 3] {
        chances(Score::Cp(Centipawns(cp)))
    }

    #[test]
    fn chances_add_up_and_rise_with_the_score() {
        for cp in (-4000..4000).step_by(37) {
            let [win, draw, loss] = at(cp);
            assert_eq!(win + draw + loss, 1000, "{cp}");
            assert_eq!(at(-cp), [loss, draw, win]);
            assert!(at(cp + 37)[0] >= win);
        }
        let [win, draw, loss] = at(0);
        assert!(win == loss && draw > win);
    }

    #[test]
    fn a_mate_is_certain() {
        assert_eq!(chances(Score::Mate(3)), [1000, 0, 0]);
        assert_eq!(chances(Score::Mate(-1)), [0, 0, 1000]);
    }
}
