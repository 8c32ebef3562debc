//! One game between two engines: the clock, the rules, and what a forfeit is.

use super::{
    adjudication::{Adjudication, Call, white_view},
    mover::Mover,
    openings::Opening,
    player::{Clocks, PlayerError},
    time_control::TimeControl,
};
use crate::{
    chess::{Color, Ending, GameLine, Pgn, Rules as _, Variant},
    units::Millis,
};

/// The rules that a match is played by.
#[derive(Debug, Clone, Copy)]
pub struct Referee {
    /// How long the engines may think.
    pub control: TimeControl,
    /// How far a clock may be overstepped before the flag falls; the pipes between us take time too.
    pub margin: Millis,
    /// When decided games are ended; none means never.
    pub adjudication: Option<Adjudication>,
}

/// Why a game ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// The rules ended it.
    Rules(Ending),
    /// It was decided, or too long.
    Adjudicated,
    /// The loser overstepped the time.
    Time,
    /// The loser played what is no legal move.
    IllegalMove,
    /// The loser crashed or fell silent.
    Crash,
}

impl Reason {
    /// Whether the loser lost by its plumbing and not by its chess.
    #[must_use]
    pub fn is_forfeit(self) -> bool {
        matches!(self, Self::Time | Self::IllegalMove | Self::Crash)
    }

    /// A word for records and PGN.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Rules(Ending::Mate(_)) => "mate",
            Self::Rules(Ending::Stalemate) => "stalemate",
            Self::Rules(Ending::InsufficientMaterial) => "material",
            Self::Rules(Ending::Threefold | Ending::Fivefold) => "repetition",
            Self::Rules(Ending::FiftyMoves) => "fifty",
            Self::Rules(Ending::Variant(_)) => "variant",
            Self::Adjudicated => "adjudication",
            Self::Time => "time",
            Self::IllegalMove => "illegal",
            Self::Crash => "crash",
        }
    }
}

/// A finished game.
#[derive(Debug)]
pub struct Finished {
    /// Who won, if anybody.
    pub winner: Option<Color>,
    /// Why it ended.
    pub reason: Reason,
    /// The moves.
    pub line: GameLine,
    /// A comment for each move: score, depth and time.
    pub comments: Vec<String>,
    /// What an engine did wrong, when it forfeited.
    pub complaint: Option<String>,
}

impl Finished {
    /// `1-0`, `0-1` or `1/2-1/2`.
    #[must_use]
    pub fn result(&self) -> &'static str {
        match self.winner {
            Some(Color::White) => "1-0",
            Some(Color::Black) => "0-1",
            None => "1/2-1/2",
        }
    }

    /// The game as PGN.
    #[must_use]
    pub fn pgn(&self, round: &str, white: &str, black: &str, control: TimeControl) -> String {
        let tags = vec![
            ("Event", "Sparring match".to_owned()),
            ("Site", "?".to_owned()),
            ("Date", "????.??.??".to_owned()),
            ("Round", round.to_owned()),
            ("White", white.to_owned()),
            ("Black", black.to_owned()),
            ("Result", self.result().to_owned()),
            ("TimeControl", control.to_string()),
            ("Termination", self.reason.word().to_owned()),
        ];
        Pgn {
            line: &self.line,
            tags,
            comments: self.comments.clone(),
            result: self.result(),
            width: Some(80),
        }
        .write()
    }
}

/// A move that was made, or how the mover lost by failing to make one.
enum Made {
    Move { score: Option<i32>, comment: String },
    Forfeit(Reason, String),
}

impl Referee {
    /// Plays one game. Forfeits are results, not errors.
    pub fn play(&self, opening: &Opening, white: &mut dyn Mover, black: &mut dyn Mover) -> Finished {
        let mut line = GameLine::from_position(Variant::Standard, opening.position.clone());
        let (mut scores, mut comments) = (Vec::new(), Vec::new());
        let mut clocks = self.clocks();
        loop {
            let end = line
                .ending()
                .map(|ending| (ending.winner(), Reason::Rules(ending)))
                .or_else(|| {
                    let fullmove = line.position().fullmoves().get();
                    self.adjudication
                        .and_then(|rules| rules.call(&scores, fullmove))
                        .map(|call| match call {
                            Call::Won(winner) => (Some(winner), Reason::Adjudicated),
                            Call::Drawn => (None, Reason::Adjudicated),
                        })
                });
            if let Some((winner, reason)) = end {
                return Finished {
                    winner,
                    reason,
                    line,
                    comments,
                    complaint: None,
                };
            }
            let mover = line.turn();
            let player: &mut dyn Mover = match mover {
                Color::White => white,
                Color::Black => black,
            };
            match self.make_move(&mut line, player, &mut clocks) {
                Made::Move { score, comment } => {
                    scores.push(score);
                    comments.push(comment);
                }
                Made::Forfeit(reason, complaint) => {
                    let complaint = Some(complaint);
                    return Finished {
                        winner: Some(mover.other()),
                        reason,
                        line,
                        comments,
                        complaint,
                    };
                }
            }
        }
    }

    fn clocks(&self) -> Clocks {
        match self.control {
            TimeControl::Clock { base, increment } => Clocks {
                left: [base; 2],
                increment,
            },
            _ => Clocks {
                left: [Millis::ZERO; 2],
                increment: Millis::ZERO,
            },
        }
    }

    fn make_move(&self, line: &mut GameLine, player: &mut dyn Mover, clocks: &mut Clocks) -> Made {
        let mover = line.turn();
        let side = mover.fold_wb(0, 1);
        let allowed = match self.control {
            TimeControl::Clock { .. } => clocks.left[side] + self.margin,
            TimeControl::MoveTime(time) => time + self.margin,
            // Without a clock only a hang is a fault.
            TimeControl::Nodes(_) | TimeControl::Depth(_) => Millis::from_secs(600),
        };
        // A little beyond, so that a late answer is told from a hang.
        let answer = match player.go(line, self.control, *clocks, allowed + Millis(500)) {
            Ok(answer) => answer,
            Err(error @ PlayerError::Silent { .. }) if self.control_is_timed() => {
                return Made::Forfeit(Reason::Time, error.to_string());
            }
            Err(error) => return Made::Forfeit(Reason::Crash, error.to_string()),
        };
        if answer.spent > allowed {
            let complaint = format!("{} took {} of {allowed}", player.name(), answer.spent);
            return Made::Forfeit(Reason::Time, complaint);
        }
        if let TimeControl::Clock { increment, .. } = self.control {
            clocks.left[side] = clocks.left[side] - answer.spent + increment;
        }
        if let Err(error) = line.play_uci(&answer.best) {
            return Made::Forfeit(Reason::IllegalMove, format!("{}: {error}", player.name()));
        }
        let score = answer.score.map(|score| white_view(score, mover));
        let depth = answer.depth.map_or(0, |depth| depth.0);
        let shown = answer
            .score
            .map_or_else(|| "?".to_owned(), |score| score.to_string());
        Made::Move {
            score,
            comment: format!("{shown}/{depth} {:.2}s", answer.spent.as_secs_f64()),
        }
    }

    fn control_is_timed(&self) -> bool {
        matches!(self.control, TimeControl::Clock { .. } | TimeControl::MoveTime(_))
    }
}
