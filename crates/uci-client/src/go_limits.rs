//! Arguments of the UCI command `go`.

use std::fmt::Write as _;

use sparring_chess::{
    Color, GameHistory, Move,
    units::{Depth, Millis, Nodes},
    write_uci,
};

/// Both clocks before a move.
#[derive(Debug, Clone, Copy)]
pub struct Clocks {
    /// White's and Black's time.
    pub left: [Millis; 2],
    /// Their increments.
    pub increments: [Millis; 2],
    /// Moves until they get more time, this one included; none for never.
    pub to_go: [Option<u32>; 2],
}

/// When an engine ends a search by itself; several limits hold together.
#[derive(Debug, Clone, Copy, Default)]
pub struct GoLimits {
    /// The clocks, by which the engine takes its time.
    pub clocks: Option<Clocks>,
    /// Time of this move.
    pub move_time: Option<Millis>,
    /// Nodes of this search.
    pub nodes: Option<Nodes>,
    /// Plies of this search.
    pub depth: Option<Depth>,
    /// The only move to look at.
    pub only: Option<Move>,
}

impl GoLimits {
    /// The whole command for the side to move at the end of a game.
    pub(crate) fn command(&self, line: &GameHistory) -> String {
        let mut text = "go".to_owned();
        // Writing to a string cannot fail.
        if let Some(Clocks {
            left: [white, black],
            increments: [winc, binc],
            to_go,
        }) = self.clocks
        {
            let _ = write!(
                text,
                " wtime {} btime {} winc {} binc {}",
                white.0, black.0, winc.0, binc.0
            );
            if let Some(moves) = to_go[if line.turn() == Color::White { 0 } else { 1 }] {
                let _ = write!(text, " movestogo {moves}");
            }
        }
        for (key, number) in [
            ("movetime", self.move_time.map(|time| time.0)),
            ("nodes", self.nodes.map(|nodes| nodes.0)),
            ("depth", self.depth.map(|depth| depth.0.into())),
        ] {
            if let Some(number) = number {
                let _ = write!(text, " {key} {number}");
            }
        }
        // The moves come last: UCI has no other end for their list.
        if let Some(mv) = self.only {
            let _ = write!(text, " searchmoves {}", write_uci(mv, line.variant()));
        }
        text
    }
}
