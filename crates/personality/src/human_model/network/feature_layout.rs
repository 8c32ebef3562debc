//! Feature layout: the row of the net's first layer that each feature has.
//!
//! Another order or size needs another net: the parameter file holds [`POSITION_ROWS`] and [`MOVE_ROWS`] and is
//! refused when they differ.

/// A run of neighbouring rows that answer one question with one of `len` answers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Block {
    start: u16,
    len: u16,
}

impl Block {
    const fn first(len: u16) -> Self {
        Self { start: 0, len }
    }

    const fn then(self, len: u16) -> Self {
        Self {
            start: self.end(),
            len,
        }
    }

    const fn end(self) -> u16 {
        self.start + self.len
    }

    /// The row of an answer; what is too large counts as the largest.
    pub(super) fn row(self, answer: usize) -> u16 {
        self.start + (answer as u16).min(self.len - 1)
    }
}

/// What a position shows, always from the mover's side of the board.
pub(super) mod position {
    use super::Block;

    /// Own or theirs, by role, by square.
    pub(in super::super) const PIECE: Block = Block::first(2 * 6 * 64);
    /// King side and queen side, own and theirs.
    pub(in super::super) const CASTLING: Block = PIECE.then(4);
    pub(in super::super) const IN_CHECK: Block = CASTLING.then(1);
    /// Where the opponent's last move went, which piece it was, and whether it captured.
    pub(in super::super) const LAST_TO: Block = IN_CHECK.then(64);
    pub(in super::super) const LAST_ROLE: Block = LAST_TO.then(6);
    pub(in super::super) const LAST_CAPTURED: Block = LAST_ROLE.then(1);
    /// The same of our own last move.
    pub(in super::super) const OWN_TO: Block = LAST_CAPTURED.then(64);
    pub(in super::super) const OWN_ROLE: Block = OWN_TO.then(6);
    /// Four half moves each.
    pub(in super::super) const PLY: Block = OWN_ROLE.then(14);
    /// Material ahead, in steps of a pawn and a half around even.
    pub(in super::super) const BALANCE: Block = PLY.then(11);
    /// Pieces on the board besides kings and pawns.
    pub(in super::super) const PIECES: Block = BALANCE.then(15);
    /// The most that the opponent could win by an exchange if we passed, and we if they did.
    pub(in super::super) const DANGER: Block = PIECES.then(6);
    pub(in super::super) const CHANCE: Block = DANGER.then(6);
    /// Five legal moves each.
    pub(in super::super) const LEGAL: Block = CHANCE.then(10);
    /// How often the position occurred before.
    pub(in super::super) const REPEATED: Block = LEGAL.then(2);
    /// See [`TimePressure`](crate::human_model::TimePressure).
    pub(in super::super) const TIME_PRESSURE: Block = REPEATED.then(3);
    /// Ratings 600, 900, ... 2700: the two nearest are mixed.
    pub(in super::super) const RATING: Block = TIME_PRESSURE.then(8);
}

/// What a move shows.
pub(super) mod mv {
    use super::Block;

    /// Role and square it leaves, role and square it reaches.
    pub(in super::super) const FROM: Block = Block::first(6 * 64);
    pub(in super::super) const TO: Block = FROM.then(6 * 64);
    /// Role and ranks forward (-7 to 7), role and files sideways.
    pub(in super::super) const FORWARD: Block = TO.then(6 * 15);
    pub(in super::super) const SIDEWAYS: Block = FORWARD.then(6 * 8);
    /// Role and what it captures.
    pub(in super::super) const CAPTURE: Block = SIDEWAYS.then(6 * 6);
    /// What the exchange on the target square gains, by role, apart for captures and quiet moves.
    pub(in super::super) const GAIN: Block = CAPTURE.then(2 * 6 * 11);
    /// Takes back; takes the piece that just moved; the least piece that can take there; the only one.
    pub(in super::super) const RECAPTURE: Block = GAIN.then(4);
    /// From the square of the opponent's last move: to the target, and to where we leave, as files and ranks.
    pub(in super::super) const LAST_TO_TARGET: Block = RECAPTURE.then(225);
    pub(in super::super) const LAST_TO_ORIGIN: Block = LAST_TO_TARGET.then(225);
    /// Our role and the role that moved last.
    pub(in super::super) const LAST_ROLE: Block = LAST_TO_ORIGIN.then(36);
    /// The piece that moved last attacks ours, by both roles.
    pub(in super::super) const FLEES: Block = LAST_ROLE.then(36);
    /// From the target of our own last move to this one's target, as files and ranks.
    pub(in super::super) const OWN_TO_TARGET: Block = FLEES.then(225);
    /// The same piece as last time by role; takes the last move back; same piece as the time before.
    pub(in super::super) const SAME: Block = OWN_TO_TARGET.then(8);
    /// Our role and the role we moved last.
    pub(in super::super) const OWN_ROLE: Block = SAME.then(36);
    /// Role, least attacker and whether defended: where it stands, and where it goes.
    pub(in super::super) const STANDS: Block = OWN_ROLE.then(6 * 7 * 2);
    pub(in super::super) const LANDS: Block = STANDS.then(6 * 7 * 2);
    /// What the opponent would win of the piece if it stayed.
    pub(in super::super) const SAVES: Block = LANDS.then(6);
    /// The most the opponent can win elsewhere: before, against after.
    pub(in super::super) const LEAVES: Block = SAVES.then(36);
    /// Exchanges alone, gain less what is left hanging: how far behind the best move; alone at the top.
    pub(in super::super) const BEHIND: Block = LEAVES.then(9);
    pub(in super::super) const BEST: Block = BEHIND.then(1);
    /// Role and the role it attacks, apart for targets it could win and others.
    pub(in super::super) const ATTACKS: Block = BEST.then(2 * 36);
    /// How many of the first kind, from two.
    pub(in super::super) const FORK: Block = ATTACKS.then(2);
    /// What we could win next if the opponent passed: before, against after.
    pub(in super::super) const THREATENS: Block = FORK.then(36);
    /// Check: by a safe move or not, by capture or not; and by another piece than the one that moved; mate; stalemate.
    pub(in super::super) const CHECK: Block = THREATENS.then(7);
    pub(in super::super) const CASTLE: Block = CHECK.then(2);
    /// The king or a rook moves and gives the right to castle away.
    pub(in super::super) const STAYS: Block = CASTLE.then(2);
    pub(in super::super) const PROMOTES: Block = STAYS.then(6);
    /// A passed pawn by the rank it reaches.
    pub(in super::super) const PASSED: Block = PROMOTES.then(8);
    /// A pawn: attacks a pawn, passes by one it could take, doubles, stands beside or is defended by one, walks towards the
    /// enemy king, leaves the own king's front, two steps, isolated.
    pub(in super::super) const PAWN: Block = PASSED.then(8);
    /// Role and distance to the enemy king, and to the own.
    pub(in super::super) const ENEMY_KING: Block = PAWN.then(6 * 8);
    pub(in super::super) const OWN_KING: Block = ENEMY_KING.then(6 * 8);
    /// Rook or queen, onto an open or half-open file.
    pub(in super::super) const FILE: Block = OWN_KING.then(4);
    /// Role and squares gained or lost to move to.
    pub(in super::super) const MOBILITY: Block = FILE.then(6 * 9);
    /// Role and squares around the enemy king that it attacks.
    pub(in super::super) const SIEGE: Block = MOBILITY.then(6 * 5);
    /// Leaves a pin behind it would rather not; answers a check by capture, block or step.
    pub(in super::super) const PINNED: Block = SIEGE.then(1);
    pub(in super::super) const EVADES: Block = PINNED.then(3);
    /// An even trade while behind, level or ahead, by role.
    pub(in super::super) const TRADE: Block = EVADES.then(3 * 6);
    /// The position it leads to occurred before.
    pub(in super::super) const REPEATS: Block = TRADE.then(1);
}

/// Rows of the position's layer.
pub const POSITION_ROWS: usize = position::RATING.end() as usize;
/// Rows of the moves' layer.
pub const MOVE_ROWS: usize = mv::REPEATS.end() as usize;
