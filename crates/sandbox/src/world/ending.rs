//! Endings of games: by the rules of chess or by the players.

use sparring_chess::{Color, GameHistory, Outcome as Rule, Rules as _};
use sparring_lichess::model::Status;

/// The most half moves of a game on lichess: one more draws it. Source: scalachess.
const MOST_PLIES: usize = 600;

/// Why a game is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// Checkmate.
    Mate,
    /// The variant's own rule: a win, or a draw.
    VariantEnd,
    /// Stalemate.
    Stalemate,
    /// A hundred half moves without capture or pawn move.
    FiftyMoves,
    /// The position came a third time.
    Threefold,
    /// The position came a fifth time.
    Fivefold,
    /// Neither side can mate any more.
    DeadPosition,
    /// Too long even for lichess.
    TooLong,
    /// Both agreed.
    Agreement,
    /// A draw was offered to a side that cannot mate any more.
    BareClaim,
    /// A side gave up.
    Resignation,
    /// A flag fell.
    Flag,
    /// A flag fell while the other side was offering a draw.
    FlagWithOffer,
    /// A side left and the other claimed.
    Left,
    /// The game does not count.
    Aborted,
}

/// The end of a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ending {
    /// Why.
    pub cause: Cause,
    /// The winner; `None` in draws and aborted games.
    pub winner: Option<Color>,
}

impl Ending {
    /// An end without a winner.
    #[must_use]
    pub fn without_winner(cause: Cause) -> Self {
        Self { cause, winner: None }
    }

    /// An end that a side brings upon itself, for example by its flag. The other side wins if it can mate at all.
    #[must_use]
    pub fn loss(loser: Color, cause: Cause, line: &GameHistory) -> Self {
        let can_mate = !line.position().has_insufficient_material(!loser);
        Self {
            cause,
            winner: can_mate.then_some(!loser),
        }
    }

    /// The end that the rules bring about in this position, if any. lichess ends games at the third repetition
    /// when a bot plays, and leaves it to humans otherwise.
    #[must_use]
    pub fn automatic(line: &GameHistory, bot_plays: bool) -> Option<Self> {
        let too_long = (line.ply() > MOST_PLIES).then_some(Self::without_winner(Cause::TooLong));
        let Some(rule) = line.outcome() else {
            return too_long;
        };
        let cause = match rule {
            Rule::Mate(_) => Cause::Mate,
            Rule::Variant(_) => Cause::VariantEnd,
            Rule::Stalemate => Cause::Stalemate,
            Rule::InsufficientMaterial => Cause::DeadPosition,
            Rule::Fivefold => Cause::Fivefold,
            Rule::FiftyMoves => Cause::FiftyMoves,
            Rule::Threefold if bot_plays => Cause::Threefold,
            Rule::Threefold => return too_long,
        };
        Some(Self {
            cause,
            winner: rule.winner(),
        })
    }

    /// lichess' name for it.
    #[must_use]
    pub fn status(self) -> Status {
        match self.cause {
            Cause::Mate => Status::Mate,
            Cause::VariantEnd if self.winner.is_none() => Status::Draw,
            Cause::VariantEnd => Status::VariantEnd,
            Cause::Stalemate => Status::Stalemate,
            Cause::BareClaim => Status::InsufficientMaterialClaim,
            Cause::Resignation => Status::Resign,
            Cause::Flag => Status::OutOfTime,
            Cause::Left => Status::Timeout,
            Cause::Aborted => Status::Aborted,
            Cause::FiftyMoves
            | Cause::Threefold
            | Cause::Fivefold
            | Cause::DeadPosition
            | Cause::TooLong
            | Cause::Agreement
            | Cause::FlagWithOffer => Status::Draw,
        }
    }

    /// The result as PGN writes it; `*` for an aborted game.
    #[must_use]
    pub fn result(self) -> &'static str {
        match (self.winner, self.cause) {
            (Some(Color::White), _) => "1-0",
            (Some(Color::Black), _) => "0-1",
            (None, Cause::Aborted) => "*",
            (None, _) => "1/2-1/2",
        }
    }

    /// One sentence for people, about a game with these moves.
    #[must_use]
    pub fn sentence(self, line: &GameHistory) -> String {
        let Some(winner) = self.winner else {
            return match self.cause {
                Cause::VariantEnd => return format!("Draw: {}.", line.variant_end()),
                Cause::Stalemate => "Draw by stalemate.",
                Cause::FiftyMoves => "Draw: fifty moves without a capture or pawn move.",
                Cause::Threefold => "Draw: the same position came three times.",
                Cause::Fivefold => "Draw: the same position came five times.",
                Cause::DeadPosition => "Draw: neither side can give mate any more.",
                Cause::TooLong => "Draw: the game went beyond 600 half moves.",
                Cause::BareClaim => "Draw: one side cannot give mate any more.",
                Cause::Flag => "Draw: time ran out, but the other side cannot give mate.",
                Cause::FlagWithOffer => "Draw: time ran out while a draw was on offer.",
                Cause::Left => "Draw: a player left, and the draw was claimed.",
                Cause::Aborted => "The game was aborted.",
                Cause::Agreement | Cause::Mate | Cause::Resignation => "Draw by agreement.",
            }
            .to_owned();
        };
        let (winner, loser) = (name(winner), name(!winner));
        match self.cause {
            Cause::Mate => format!("{winner} won by checkmate."),
            Cause::VariantEnd => format!("{winner} won: {}.", line.variant_end()),
            Cause::Resignation => format!("{loser} resigned; {winner} won."),
            Cause::Flag => format!("{loser} ran out of time; {winner} won."),
            Cause::Left => format!("{loser} left the game; {winner} won."),
            _ => format!("{winner} won."),
        }
    }
}

/// A side's name for people.
#[must_use]
pub fn name(color: Color) -> &'static str {
    color.fold_wb("White", "Black")
}

#[cfg(test)]
mod tests {
    use super::*;
    use sparring_chess::Variant;

    fn end(fen: &str, moves: &str, bot_plays: bool) -> Option<Ending> {
        Ending::automatic(
            &GameHistory::replay(Variant::FromPosition, fen, moves).unwrap(),
            bot_plays,
        )
    }

    #[test]
    fn mate_wins_and_stalemate_draws() {
        let mate = end("startpos", "f2f3 e7e5 g2g4 d8h4", true).unwrap();
        assert_eq!(
            (mate.status(), mate.winner, mate.result()),
            (Status::Mate, Some(Color::Black), "0-1")
        );
        let stalemate = end("k7/8/1Q6/8/8/8/8/7K b - - 0 1", "", true).unwrap();
        assert_eq!(
            (stalemate.status(), stalemate.result()),
            (Status::Stalemate, "1/2-1/2")
        );
    }

    #[test]
    fn a_variants_own_end_has_its_status_and_its_words() {
        for (variant, fen, moves, status, result, sentence) in [
            (
                Variant::KingOfTheHill,
                "7k/8/8/8/8/4K3/8/8 w - - 0 1",
                "e3e4",
                Status::VariantEnd,
                "1-0",
                "White won: the king reached the hill.",
            ),
            (
                Variant::Antichess,
                "8/8/8/8/8/8/1p6/R7 b - - 0 1",
                "b2a1q",
                Status::VariantEnd,
                "1-0",
                "White won: all pieces are lost.",
            ),
            (
                Variant::Horde,
                "4k3/8/8/8/8/3p4/4P3/8 b - - 0 1",
                "d3e2",
                Status::VariantEnd,
                "0-1",
                "Black won: the horde is gone.",
            ),
            (
                Variant::RacingKings,
                "8/k6K/8/8/8/8/8/8 w - - 0 1",
                "h7h8 a7a8",
                Status::Draw,
                "1/2-1/2",
                "Draw: both kings reached the goal.",
            ),
            (
                Variant::ThreeCheck,
                "7k/R7/8/8/8/8/1R6/K7 w - - 1+3 0 1",
                "b2b8",
                Status::Mate,
                "1-0",
                "White won by checkmate.",
            ),
        ] {
            let line = GameHistory::replay(variant, fen, moves).unwrap();
            let end = Ending::automatic(&line, true).unwrap();
            assert_eq!((end.status(), end.result()), (status, result), "{variant}");
            assert_eq!(end.sentence(&line), sentence);
        }
    }

    #[test]
    fn the_third_repetition_ends_only_games_with_a_bot() {
        let dance = "g1f3 g8f6 f3g1 f6g8 ";
        assert_eq!(end("startpos", dance, true), None);
        assert_eq!(
            end("startpos", &dance.repeat(2), true).unwrap().cause,
            Cause::Threefold
        );
        assert_eq!(end("startpos", &dance.repeat(3), false), None);
        assert_eq!(
            end("startpos", &dance.repeat(4), false).unwrap().cause,
            Cause::Fivefold
        );
    }

    #[test]
    fn a_lone_piece_is_a_draw_but_two_knights_are_not() {
        for fen in [
            "k7/8/8/8/8/8/8/KN6 w - - 0 1",
            "k7/8/8/8/8/8/8/KB6 w - - 0 1",
            "k7/8/8/8/8/8/8/K7 w - - 0 1",
        ] {
            assert_eq!(end(fen, "", false).unwrap().cause, Cause::DeadPosition, "{fen}");
        }
        assert_eq!(end("k7/8/8/8/8/8/8/KNN5 w - - 0 1", "", false), None);
    }

    #[test]
    fn fifty_moves_end_the_game_at_once() {
        assert_eq!(
            end("k7/8/8/8/8/8/8/KR6 w - - 99 80", "b1b2", false)
                .unwrap()
                .cause,
            Cause::FiftyMoves
        );
    }

    #[test]
    fn the_half_move_after_600_draws() {
        let start = "k7/8/8/8/8/8/PPPPPPPP/K7 w - - 0 1";
        let mut line = GameHistory::replay(Variant::FromPosition, start, "").unwrap();
        let file = |at: usize| char::from(b"abcdefghgfedcb"[at % 14]);
        let mut steps = [0, 0];
        for ply in 0..=MOST_PLIES {
            assert_eq!(Ending::automatic(&line, false), None, "{ply}");
            let mv = if ply % 30 == 0 {
                // Without a pawn now and then the kings would draw by fifty moves, or by repetition.
                let (number, pawn) = (ply / 30, file(ply / 30 % 8));
                format!("{pawn}{}{pawn}{}", 2 + number / 8, 3 + number / 8)
            } else {
                let (rank, step) = ([1, 8][ply % 2], &mut steps[ply % 2]);
                *step += 1;
                format!("{}{rank}{}{rank}", file(*step - 1), file(*step))
            };
            line.play_uci(&mv).unwrap();
        }
        assert_eq!(Ending::automatic(&line, false).unwrap().cause, Cause::TooLong);
    }

    #[test]
    fn a_flag_against_a_bare_king_has_no_winner() {
        let line = GameHistory::replay(Variant::FromPosition, "k7/8/8/8/8/8/8/KR6 w - - 0 1", "").unwrap();
        let white_flags = Ending::loss(Color::White, Cause::Flag, &line);
        assert_eq!(
            (white_flags.status(), white_flags.winner),
            (Status::OutOfTime, None)
        );
        assert_eq!(
            Ending::loss(Color::Black, Cause::Flag, &line).winner,
            Some(Color::White)
        );
    }
}
