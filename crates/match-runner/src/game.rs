//! One game between two engines: clocks, rules and forfeits.

use std::num::NonZeroU32;

use super::{
    adjudication::{AdjudicatedResult, Adjudication, white_view},
    openings::Opening,
    participant::Participant,
    reason::Reason,
    time_control::TimeControl,
};
use sparring_chess::{Color, GameHistory, Pgn, Variant, units::Millis};
use sparring_uci_client::{Clocks, UciError};

/// The rules that a match is played by.
#[derive(Debug, Clone, Copy)]
pub struct Referee {
    /// What is played.
    pub variant: Variant,
    /// How long White and Black may think.
    pub controls: [TimeControl; 2],
    /// How far a clock may be overstepped before the flag falls; the pipes between us take time too.
    pub margin: Millis,
    /// When decided games are ended; none means never.
    pub adjudication: Option<Adjudication>,
}

/// A finished game.
#[derive(Debug)]
pub struct Finished {
    /// The winner; none for a draw.
    pub winner: Option<Color>,
    /// Why it ended.
    pub reason: Reason,
    /// The moves.
    pub line: GameHistory,
    /// A comment for each move: score, depth and time.
    pub comments: Vec<String>,
    /// How an engine forfeited.
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
    pub fn pgn(&self, round: &str, [white, black]: [&str; 2], controls: [TimeControl; 2]) -> String {
        let mut tags = vec![
            ("Event", "Sparring match".to_owned()),
            ("Site", "?".to_owned()),
            ("Date", "????.??.??".to_owned()),
            ("Round", round.to_owned()),
            ("White", white.to_owned()),
            ("Black", black.to_owned()),
            ("Result", self.result().to_owned()),
        ];
        match controls {
            [white, black] if white == black => tags.push(("TimeControl", white.to_string())),
            [white, black] => tags.extend([
                ("WhiteTimeControl", white.to_string()),
                ("BlackTimeControl", black.to_string()),
            ]),
        }
        tags.push(("Termination", self.reason.termination().to_owned()));
        tags.push(("Reason", self.reason.word().to_owned()));
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

/// A move, or a forfeit of the side to move.
enum MoveResult {
    Move { score: Option<i32>, comment: String },
    Forfeit(Reason, String),
}

impl Referee {
    /// The same rules when the engines change sides: each keeps its own time.
    #[must_use]
    pub fn with_sides_changed(self) -> Self {
        let [white, black] = self.controls;
        Self {
            controls: [black, white],
            ..self
        }
    }

    /// Plays one game. Forfeits are results, not errors.
    pub fn play(
        &self,
        opening: &Opening,
        white: &mut dyn Participant,
        black: &mut dyn Participant,
    ) -> Finished {
        let mut line = GameHistory::from_position(self.variant, opening.position.clone());
        let (mut scores, mut comments) = (Vec::new(), Vec::new());
        let mut clocks = self.clocks();
        loop {
            let end = line
                .outcome()
                .map(|outcome| (outcome.winner(), Reason::Rules(outcome)))
                .or_else(|| {
                    let number = 1 + line.ply() / 2;
                    self.adjudication
                        .and_then(|rules| rules.adjudicate(&scores, number))
                        .map(|call| match call {
                            AdjudicatedResult::Won(winner) => (Some(winner), Reason::Adjudicated),
                            AdjudicatedResult::Drawn => (None, Reason::Adjudicated),
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
            let player: &mut dyn Participant = match mover {
                Color::White => white,
                Color::Black => black,
            };
            match self.make_move(&mut line, player, &mut clocks) {
                MoveResult::Move { score, comment } => {
                    scores.push(score);
                    comments.push(comment);
                }
                MoveResult::Forfeit(reason, complaint) => {
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
        let clocks = self.controls.map(|control| match control {
            TimeControl::Clock {
                moves,
                base,
                increment,
            } => (base, increment, moves.map(NonZeroU32::get)),
            _ => (Millis::ZERO, Millis::ZERO, None),
        });
        Clocks {
            left: clocks.map(|(base, ..)| base),
            increments: clocks.map(|(_, increment, _)| increment),
            to_go: clocks.map(|(.., moves)| moves),
        }
    }

    fn make_move(
        &self,
        line: &mut GameHistory,
        player: &mut dyn Participant,
        clocks: &mut Clocks,
    ) -> MoveResult {
        let mover = line.turn();
        let side = mover.fold_wb(0, 1);
        let control = self.controls[side];
        let allowed = match control {
            TimeControl::Clock { .. } => clocks.left[side] + self.margin,
            TimeControl::MoveTime(time) => time + self.margin,
            // Without a clock only a hang is a forfeit.
            TimeControl::Nodes(_) | TimeControl::Depth(_) => Millis::from_secs(600),
        };
        // A little longer, to tell a late answer from a hang.
        let answer = match player.go(line, control, *clocks, allowed + Millis(500)) {
            Ok(answer) => answer,
            Err(error @ UciError::Timeout { .. }) if control.is_timed() => {
                return MoveResult::Forfeit(Reason::Time, error.to_string());
            }
            Err(error) => return MoveResult::Forfeit(Reason::Crash, error.to_string()),
        };
        if answer.spent > allowed {
            let complaint = format!("{} took {} of {allowed}", player.name(), answer.spent);
            return MoveResult::Forfeit(Reason::Time, complaint);
        }
        if let TimeControl::Clock {
            moves,
            base,
            increment,
        } = control
        {
            clocks.left[side] = clocks.left[side] - answer.spent + increment;
            clocks.to_go[side] = clocks.to_go[side].map(|left| left - 1);
            if clocks.to_go[side] == Some(0) {
                clocks.left[side] += base;
                clocks.to_go[side] = moves.map(NonZeroU32::get);
            }
        }
        if let Err(error) = line.play_uci(&answer.best) {
            return MoveResult::Forfeit(Reason::IllegalMove, format!("{}: {error}", player.name()));
        }
        let score = answer.score.map(|score| white_view(score, mover));
        let depth = answer.depth.map_or(0, |depth| depth.0);
        let shown = answer
            .score
            .map_or_else(|| "?".to_owned(), |score| score.to_string());
        MoveResult::Move {
            score,
            comment: format!("{shown}/{depth} {:.2}s", answer.spent.as_secs_f64()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sparring_chess::parse_fen;
    use sparring_uci_client::GoResult;

    /// Plays given moves, each taking a second, and records the clocks at each `go`.
    struct Script {
        moves: std::slice::Iter<'static, &'static str>,
        asked: Vec<(TimeControl, Clocks)>,
    }

    impl Script {
        fn of(moves: &'static [&'static str]) -> Self {
            Self {
                moves: moves.iter(),
                asked: Vec::new(),
            }
        }
    }

    impl Participant for Script {
        fn name(&self) -> &'static str {
            "script"
        }

        fn new_game(&mut self, _: u64) -> Result<(), UciError> {
            Ok(())
        }

        fn go(
            &mut self,
            _: &GameHistory,
            control: TimeControl,
            clocks: Clocks,
            _: Millis,
        ) -> Result<GoResult, UciError> {
            self.asked.push((control, clocks));
            Ok(GoResult {
                best: (*self.moves.next().unwrap_or(&"none left")).to_owned(),
                spent: Millis::from_secs(1),
                ..GoResult::default()
            })
        }
    }

    fn fools_mate(controls: [&str; 2]) -> (Finished, [Script; 2]) {
        let referee = Referee {
            variant: Variant::Standard,
            controls: controls.map(|text| text.parse().unwrap()),
            margin: Millis::ZERO,
            adjudication: None,
        };
        let opening = Opening {
            name: String::new(),
            position: parse_fen(Variant::Standard, "startpos").unwrap(),
        };
        let (mut white, mut black) = (Script::of(&["f2f3", "g2g4"]), Script::of(&["e7e5", "d8h4"]));
        let finished = referee.play(&opening, &mut white, &mut black);
        (finished, [white, black])
    }

    #[test]
    fn each_side_has_its_own_time() {
        let (finished, [white, black]) = fools_mate(["60+0", "10+2"]);
        assert_eq!(
            (finished.winner, finished.reason.word()),
            (Some(Color::Black), "mate")
        );
        let shown = |asked: &[(TimeControl, Clocks)]| -> Vec<_> {
            let clocks = asked.iter().map(|(_, clocks)| clocks);
            clocks
                .map(|clocks| clocks.left.map(|left| left.0 / 1000))
                .collect()
        };
        assert_eq!(shown(&white.asked), [[60, 10], [59, 11]]);
        assert_eq!(shown(&black.asked), [[59, 10], [58, 11]]);
        assert_eq!(black.asked[0].1.increments, [Millis::ZERO, Millis::from_secs(2)]);
        let pgn = finished.pgn(
            "1.1",
            ["a", "b"],
            ["60+0", "10+2"].map(|text| text.parse().unwrap()),
        );
        assert!(pgn.contains("[WhiteTimeControl \"60+0\"]") && pgn.contains("[BlackTimeControl \"10+2\"]"));
        assert!(
            pgn.contains("[Termination \"normal\"]\n[Reason \"mate\"]"),
            "{pgn}"
        );
    }

    #[test]
    fn base_time_is_added_after_each_session() {
        let (finished, [white, black]) = fools_mate(["2/10+0", "1/20+3"]);
        assert_eq!(finished.reason.word(), "mate");
        let seen = |asked: &[(TimeControl, Clocks)]| -> Vec<_> {
            let clocks = asked.iter().map(|(_, clocks)| clocks);
            clocks
                .map(|clocks| (clocks.left.map(|left| left.0 / 1000), clocks.to_go))
                .collect()
        };
        let (two, one) = (Some(2), Some(1));
        assert_eq!(
            seen(&white.asked),
            [([10, 20], [two, one]), ([9, 42], [one, one])]
        );
        assert_eq!(
            seen(&black.asked),
            [([9, 20], [one, one]), ([18, 42], [two, one])]
        );
    }

    #[test]
    fn only_a_timed_side_can_overstep() {
        let (finished, [_, black]) = fools_mate(["movetime=500", "nodes=5000"]);
        assert_eq!(finished.winner, Some(Color::Black));
        assert_eq!(finished.reason, Reason::Time);
        assert!(black.asked.is_empty());
        let (finished, [_, black]) = fools_mate(["nodes=5000", "60+0"]);
        assert_eq!(finished.reason.word(), "mate");
        assert_eq!(black.asked[0].0.to_string(), "60+0");
    }

    #[test]
    fn a_game_is_long_by_what_the_engines_played_of_it() {
        let referee = Referee {
            variant: Variant::Standard,
            controls: ["nodes=1".parse().unwrap(); 2],
            margin: Millis::ZERO,
            adjudication: Some(Adjudication::default()),
        };
        let late = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 240";
        let opening = Opening {
            name: String::new(),
            position: parse_fen(Variant::Standard, late).unwrap(),
        };
        let (mut white, mut black) = (Script::of(&["f2f3", "g2g4"]), Script::of(&["e7e5", "d8h4"]));
        let finished = referee.play(&opening, &mut white, &mut black);
        assert_eq!(finished.reason.word(), "mate");
    }

    #[test]
    fn a_game_is_won_by_the_rules_of_its_variant_and_says_which() {
        let referee = Referee {
            variant: Variant::Atomic,
            controls: ["nodes=1".parse().unwrap(); 2],
            margin: Millis::ZERO,
            adjudication: None,
        };
        let opening = Opening {
            name: String::new(),
            position: Variant::Atomic.start(),
        };
        let (mut white, mut black) = (
            Script::of(&["g1f3", "f3g5", "g5f7"]),
            Script::of(&["a7a6", "a6a5"]),
        );
        let finished = referee.play(&opening, &mut white, &mut black);
        assert_eq!(
            (finished.winner, finished.reason.word()),
            (Some(Color::White), "variant")
        );
        let pgn = finished.pgn("1", ["a", "b"], referee.controls);
        assert!(pgn.contains("[Variant \"Atomic\"]"), "{pgn}");
    }

    #[test]
    fn time_controls_follow_the_engines_when_sides_change() {
        let referee = Referee {
            variant: Variant::Standard,
            controls: ["60+0", "10+2"].map(|text| text.parse().unwrap()),
            margin: Millis::ZERO,
            adjudication: None,
        };
        let changed = referee
            .with_sides_changed()
            .controls
            .map(|control| control.to_string());
        assert_eq!(changed, ["10+2", "60+0"]);
    }
}
