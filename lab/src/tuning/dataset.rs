//! The positions to tune on: games read, their quiet positions taken apart, some games held out for the proof.

use thiserror::Error;

use super::{
    game_record::{GameRecord, GameRow, RecordError, variant_of},
    optimizer::points,
};
use sparring_chess::{Position, UnknownVariant, Variant, key};
use sparring_engine::EvalSample;

/// A training position with its label.
#[derive(Debug, Clone)]
pub struct Labelled<S = EvalSample> {
    /// The features: coefficients of the weights, or inputs of the net.
    pub sample: S,
    /// The search's score when the game was played, in centipawns from White's view.
    pub score: f32,
    /// White's points (0 to 1) of what came later: at the end of the game alone, unless [`TargetBlend`] says otherwise.
    pub points: f32,
}

/// Positions to learn from and positions to test on, never of games with the same start: such games may be the same.
#[derive(Debug, Clone)]
pub struct Dataset<S = EvalSample> {
    /// What was played in all of them.
    pub variant: Variant,
    /// To learn from.
    pub training: Vec<Labelled<S>>,
    /// To test on: those of a tenth of all starts.
    pub held_out: Vec<Labelled<S>>,
    /// How many games they come from.
    pub games: usize,
    /// How later scores and the result are blended.
    pub blend: TargetBlend,
}

/// What the rest of a game tells of a position: the scores of later ones and the result, each counting less the later it
/// came. A search of a few hundred nodes errs; a dozen of them along the game err less, and see further.
/// Source: the return of temporal differences (Sutton, 1988).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TargetBlend {
    /// Lambda: weight (0 to 1) of what comes after a ply against its own score; 1 for the result alone.
    pub fade: f32,
    /// Scale K of the sigmoid 1 / (1 + exp(-K E)).
    pub k: f32,
}

/// The game's result alone, which does not use K.
impl Default for TargetBlend {
    fn default() -> Self {
        Self { fade: 1.0, k: 0.0 }
    }
}

impl TargetBlend {
    /// For each ply of a game, White's points of what came after it.
    fn of(self, game: &GameRecord) -> Vec<f32> {
        let mut later = vec![0.0; game.scores.len()];
        // Backwards: value after the next score, and its weight before that.
        let (mut told, mut counts) = (game.outcome.points() as f32, 1.0);
        for (later, score) in later.iter_mut().zip(&game.scores).rev() {
            *later = told;
            counts *= self.fade;
            if let Some(score) = score {
                told = counts * told + (1.0 - counts) * points(self.k * *score as f32);
                counts = 1.0;
            }
        }
        later
    }
}

/// A line of a file of games that is none.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("line {line}: {source}")]
pub struct BadGame {
    /// From 1.
    pub line: usize,
    /// The message.
    pub source: RecordError,
}

/// One start of so many is held out.
const HELD_OUT: u64 = 10;

impl<S> Default for Dataset<S> {
    fn default() -> Self {
        Self {
            variant: Variant::Standard,
            training: Vec::new(),
            held_out: Vec::new(),
            games: 0,
            blend: TargetBlend::default(),
        }
    }
}

impl<S> Dataset<S> {
    /// Adds the games of a file's text, `take_apart` making of each quiet position what is learned from; a last line without an
    /// end is a game cut off by a kill and does not count.
    ///
    /// # Errors
    /// [`BadGame`] names the first line that is no game, or the heading of games of another variant.
    pub fn add(
        &mut self,
        text: &str,
        take_apart: &mut dyn FnMut(&Position) -> Option<S>,
        tell: &mut dyn FnMut(usize),
    ) -> Result<(), BadGame> {
        let whole = text.rfind('\n').map_or("", |end| &text[..end]);
        let mut read = 0;
        for (index, line) in whole.lines().enumerate() {
            read += line.len() + 1;
            let bad = |source| BadGame {
                line: index + 1,
                source,
            };
            if let Some(variant) = variant_of(line) {
                self.check_variant(variant).map_err(bad)?;
                continue;
            }
            let row: GameRow =
                serde_json::from_str(line).map_err(|why| bad(RecordError::Row(why.to_string())))?;
            let game = GameRecord::read(&row.game, self.variant).map_err(bad)?;
            let held_out = key(game.line.start()).is_multiple_of(HELD_OUT);
            let set = if held_out {
                &mut self.held_out
            } else {
                &mut self.training
            };
            let later = self.blend.of(&game);
            let later = later
                .into_iter()
                .zip(&game.scores)
                .filter(|(_, score)| score.is_some());
            set.extend(game.quiet().zip(later).filter_map(|((pos, score), (points, _))| {
                Some(Labelled {
                    sample: take_apart(&pos)?,
                    score: score as f32,
                    points,
                })
            }));
            self.games += 1;
            tell(read);
        }
        Ok(())
    }

    /// Refuses games of another variant.
    fn check_variant(&self, found: Result<Variant, UnknownVariant>) -> Result<(), RecordError> {
        let expected = self.variant;
        match found? {
            found if found != expected => Err(RecordError::Variant { found, expected }),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sparring_chess::{GameHistory, write_fen};
    use sparring_journal::Heading;

    const GAME: &str =
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 | 1-0 | e2e4:31 e7e5 g1f3:-7";

    fn row(game: &str) -> String {
        format!("{{\"unit\":0,\"game\":{game:?}}}\n")
    }

    fn heading(variant: &str) -> String {
        Heading::new("datagen", None).with("variant", variant).line()
    }

    fn standard(text: &str) -> GameRecord {
        GameRecord::read(text, Variant::Standard).unwrap()
    }

    fn whole(pos: &Position) -> Option<EvalSample> {
        Some(EvalSample::of(pos))
    }

    #[test]
    fn a_start_is_held_out_with_all_its_games() {
        let mut set = Dataset::default();
        let games: String = (0..100)
            .map(|count| row(&GAME.replace(" 0 1 |", &format!(" {count} 1 |"))))
            .collect();
        set.add(
            &format!("{}\n{games}", heading("standard")),
            &mut whole,
            &mut |_| (),
        )
        .unwrap();
        assert_eq!((set.games, set.training.len(), set.held_out.len()), (100, 200, 0));
        assert_eq!(set.training[1].score, -7.0);
        for index in 0..100_u32 {
            let file = |at: u32| char::from(b'a' + u8::try_from(at).unwrap());
            let (white, black) = (file(index % 8), file(index / 8 % 8));
            let mut line = GameHistory::new(Variant::Standard);
            line.play_uci(&format!("{white}2{white}3")).unwrap();
            line.play_uci(&format!("{black}7{black}6")).unwrap();
            let fen = write_fen(line.position());
            let game = format!("{fen} | 1-0 | {white}3{white}4:5");
            set.add(&row(&game), &mut whole, &mut |_| ()).unwrap();
        }
        assert!((2..30).contains(&set.held_out.len()), "{}", set.held_out.len());
    }

    #[test]
    fn what_came_later_is_told_the_less_the_later_it_came() {
        let game = standard(
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 | 1-0 | e2e4:0 e7e5 g1f3:100 b8c6:-100",
        );
        let k = 0.01;
        let said = |score: f32| 1.0 / (1.0 + (-k * score).exp());
        let told = |fade: f32| TargetBlend { fade, k }.of(&game);
        assert_eq!(told(1.0), [1.0; 4], "the result alone");
        assert_eq!(
            told(0.0),
            [said(100.0), said(100.0), said(-100.0), 1.0],
            "the next score alone"
        );
        let last = 0.5 + 0.5 * said(-100.0);
        let third = 0.5 * last + 0.5 * said(100.0);
        assert_eq!(told(0.5), [third, third, last, 1.0]);
        // Two plies passed between the first score and the next.
        let before = standard(
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 | 0-1 | e2e4 e7e5:50 g1f3 b8c6",
        );
        assert_eq!(TargetBlend { fade: 0.5, k }.of(&before)[0], 0.875 * said(50.0));
        let mut set = Dataset {
            blend: TargetBlend { fade: 0.5, k },
            ..Dataset::default()
        };
        set.add(&row(&game.to_string()), &mut whole, &mut |_| ()).unwrap();
        let read: Vec<f32> = set
            .training
            .iter()
            .chain(&set.held_out)
            .map(|position| position.points)
            .collect();
        assert_eq!(read, [third, last, 1.0]);
    }

    #[test]
    fn a_cut_line_is_left_out_and_a_bad_one_named() {
        let mut set = Dataset::default();
        let cut = format!("{}{}", row(GAME), &row(GAME)[..GAME.len() - 3]);
        set.add(&cut, &mut whole, &mut |_| ()).unwrap();
        assert_eq!(set.games, 1);
        let error = set
            .add(&format!("{}nonsense\n", row(GAME)), &mut whole, &mut |_| ())
            .unwrap_err();
        assert!(error.to_string().starts_with("line 2: "), "{error}");
    }

    #[test]
    fn games_of_another_variant_are_refused_by_their_heading() {
        let game = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 2+3 0 1 | 1-0 | e2e4:31";
        let file = &format!("{}\n{}", heading("threeCheck"), row(game));
        let error = Dataset::default().add(file, &mut whole, &mut |_| ()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "line 1: these are games of Three-check, not of Standard"
        );
        let mut checks_left = Vec::new();
        let mut take = |pos: &Position| {
            checks_left.push(write_fen(pos).split(' ').nth(4).map(str::to_owned));
            Some(())
        };
        let mut set = Dataset {
            variant: Variant::ThreeCheck,
            ..Dataset::default()
        };
        set.add(file, &mut take, &mut |_| ()).unwrap();
        assert_eq!(checks_left, [Some("2+3".to_owned())]);
    }
}
