//! Features of each legal move, as rows of the net's first layer.

use shakmaty::{Bitboard, Board, attacks};

use super::{
    feature_layout::mv as rows,
    move_context::{Step, View},
    position_features::{PositionFeatures, role},
};
use crate::see_value::{best_winnings, class, least, winnings, worth};
use sparring_chess::{Color, File, Move, Rank, Role, Rules as _, Square, key};

const US: Color = Color::White;
const THEM: Color = Color::Black;

/// One move with what is worked out about it before the moves are compared.
pub(super) struct MoveFeatures {
    /// What the exchange on the target square gains.
    gain: i32,
    /// The gain, less what the opponent can win elsewhere afterwards.
    pub balance: i32,
}

/// What is the same for all moves of a position.
pub(super) struct FeatureExtractor<'a> {
    view: &'a View<'a>,
    position: PositionFeatures,
    enemy_king: Option<Square>,
    own_king: Option<Square>,
    /// The squares around the enemy king.
    zone: Bitboard,
    /// Our pieces that stand before our king.
    pinned: Bitboard,
    checkers: Bitboard,
}

impl<'a> FeatureExtractor<'a> {
    pub(super) fn new(view: &'a View<'a>, position: PositionFeatures) -> Self {
        let board = &view.board;
        let enemy_king = board.king_of(THEM);
        let own_king = board.king_of(US);
        Self {
            view,
            position,
            enemy_king,
            own_king,
            zone: enemy_king.map_or(Bitboard::EMPTY, attacks::king_attacks),
            pinned: own_king.map_or(Bitboard::EMPTY, |king| pinned(board, king)),
            checkers: own_king.map_or(Bitboard::EMPTY, |king| {
                board.attacks_to(king, THEM, board.occupied())
            }),
        }
    }

    /// Everything about a move but how it compares to the others.
    pub(super) fn encode(&self, mv: Move, step: Step, into: &mut Vec<u16>) -> MoveFeatures {
        let after = step.played(&self.view.board);
        self.path(step, into);
        self.history(step, into);
        let features = self.exchanges(step, &after, into);
        self.aims(step, &after, into);
        self.kings(mv, step, &after, features.gain >= 0, into);
        match step.role {
            Role::Pawn => self.pawn(step, into),
            Role::Rook | Role::Queen => self.file(step, into),
            _ => {}
        }
        features
    }

    /// Where from, where to, what is taken.
    fn path(&self, step: Step, into: &mut Vec<u16>) {
        let who = role(step.role);
        into.push(rows::FROM.row(who * 64 + step.from.to_usize()));
        into.push(rows::TO.row(who * 64 + step.to.to_usize()));
        let forward = rank(step.to) - rank(step.from);
        into.push(rows::FORWARD.row(who * 15 + (forward + 7) as usize));
        into.push(rows::SIDEWAYS.row(who * 8 + step.from.file().distance(step.to.file()) as usize));
        if let Some(captured) = step.captured {
            into.push(rows::CAPTURE.row(who * 6 + role(captured)));
            if worth(captured) == worth(step.role) {
                into.push(rows::TRADE.row(who * 3 + self.position.balance_class(3)));
            }
        }
        if let Some(promotion) = step.promotion {
            into.push(rows::PROMOTES.row(role(promotion)));
        }
        if let Some(side) = step.castles {
            into.push(rows::CASTLE.row(usize::from(side.is_queen_side())));
        } else if matches!(step.role, Role::King | Role::Rook) {
            let castles = self.view.context.position.castles();
            if castles.has_color(self.view.mover) {
                into.push(rows::STAYS.row(usize::from(step.role == Role::Rook)));
            }
        }
    }

    /// How the move relates to the last moves of both players.
    fn history(&self, step: Step, into: &mut Vec<u16>) {
        let who = role(step.role);
        if let Some(last) = self.view.last {
            if step.captured.is_some() && step.to == last.to {
                into.push(rows::RECAPTURE.row(usize::from(last.captured.is_none())));
            }
            into.push(rows::LAST_TO_TARGET.row(offset(last.to, step.to)));
            into.push(rows::LAST_TO_ORIGIN.row(offset(last.to, step.from)));
            let moved = last.promotion.unwrap_or(last.role);
            into.push(rows::LAST_ROLE.row(who * 6 + role(moved)));
            let reach = attacks::attacks(last.to, moved.of(THEM), self.view.board.occupied());
            if reach.contains(step.from) {
                into.push(rows::FLEES.row(who * 6 + role(moved)));
            }
        }
        if let Some(own) = self.view.own {
            into.push(rows::OWN_TO_TARGET.row(offset(own.to, step.to)));
            into.push(rows::OWN_ROLE.row(who * 6 + role(own.role)));
            if own.to == step.from {
                into.push(rows::SAME.row(who));
                if own.from == step.to {
                    into.push(rows::SAME.row(6));
                }
            }
        }
        if self.view.own_before.is_some_and(|own| own.to == step.from) {
            into.push(rows::SAME.row(7));
        }
    }

    /// What is won and lost: on the target square, by leaving the origin, and elsewhere.
    fn exchanges(&self, step: Step, after: &Board, into: &mut Vec<u16>) -> MoveFeatures {
        let (board, who) = (&self.view.board, role(step.role));
        let arrived = step.promotion.unwrap_or(step.role);
        let promoted = step
            .promotion
            .map_or(0, |promotion| worth(promotion) - worth(Role::Pawn));
        let taken = step.captured.map_or(0, worth) + promoted;
        let occupied = after.occupied();
        // A king never walks into a capture: the rules see to it.
        let risk = if step.role == Role::King {
            0
        } else {
            winnings(after, step.to, occupied, THEM, arrived)
        };
        let gain = taken - risk;
        let quiet = usize::from(step.captured.is_none());
        into.push(rows::GAIN.row((quiet * 6 + who) * 11 + gain_class(gain)));
        into.push(rows::STANDS.row(who * 14 + guard(board, step.from, board.occupied())));
        into.push(rows::LANDS.row(who * 14 + guard(after, step.to, occupied)));
        let stay = if step.role == Role::King {
            0
        } else {
            winnings(board, step.from, board.occupied(), THEM, step.role)
        };
        into.push(rows::SAVES.row(class(stay)));
        // What hangs elsewhere: the moved piece's own risk is in its gain.
        let left = elsewhere(after, step.to);
        into.push(rows::LEAVES.row(class(self.position.danger) * 6 + class(left)));
        if step.captured.is_some() {
            let takers = board.attacks_to(step.to, US, board.occupied());
            if takers.count() == 1 {
                into.push(rows::RECAPTURE.row(3));
            } else if least(board, takers).is_some_and(|(least, _)| least == step.role) {
                into.push(rows::RECAPTURE.row(2));
            }
        }
        MoveFeatures {
            gain,
            balance: gain - left,
        }
    }

    /// What the piece attacks from its new square, and what the side threatens.
    fn aims(&self, step: Step, after: &Board, into: &mut Vec<u16>) {
        let who = role(step.role);
        let arrived = step.promotion.unwrap_or(step.role);
        let occupied = after.occupied();
        let reach = attacks::attacks(step.to, arrived.of(US), occupied);
        let mut winning = 0;
        for target in reach & after.by_color(THEM) & !after.kings() {
            let Some(standing) = after.role_at(target) else {
                continue;
            };
            let wins =
                worth(standing) > worth(arrived) || after.attacks_to(target, THEM, occupied).is_empty();
            winning += usize::from(wins);
            into.push(rows::ATTACKS.row(usize::from(wins) * 36 + who * 6 + role(standing)));
        }
        if winning >= 2 {
            into.push(rows::FORK.row(winning - 2));
        }
        let next = best_winnings(after, US);
        into.push(rows::THREATENS.row(class(self.position.chance) * 6 + class(next)));
        if step.role != Role::Pawn {
            let before = attacks::attacks(step.from, step.role.of(US), self.view.board.occupied());
            let change = (reach & !after.by_color(US)).count() as i32
                - (before & !self.view.board.by_color(US)).count() as i32;
            into.push(rows::MOBILITY.row(who * 9 + ((change + 1).div_euclid(2) + 4).clamp(0, 8) as usize));
        }
        into.push(rows::SIEGE.row(who * 5 + (reach & self.zone).count()));
    }

    /// Checks, mates, evasions, pins, and how near the kings are.
    fn kings(&self, mv: Move, step: Step, after: &Board, is_safe: bool, into: &mut Vec<u16>) {
        let who = role(step.role);
        if let Some(king) = self.enemy_king {
            into.push(rows::ENEMY_KING.row(who * 8 + king.distance(step.to) as usize));
            let checkers = after.attacks_to(king, US, after.occupied());
            if checkers.contains(step.to) {
                into.push(rows::CHECK.row(usize::from(is_safe) * 2 + usize::from(step.captured.is_some())));
            }
            if checkers.without(step.to).any() {
                into.push(rows::CHECK.row(4));
            }
            let pos = self.view.context.position;
            // Without check the game rarely ends; looking would cost more than all the rest.
            let may_repeat = pos.halfmoves() >= 3 && step.captured.is_none() && step.role != Role::Pawn;
            if checkers.any() || may_repeat {
                let mut next = pos.clone();
                next.play_unchecked(mv);
                if checkers.any() && next.legal_moves().is_empty() {
                    into.push(rows::CHECK.row(5));
                }
                if may_repeat && self.view.context.occurred(key(&next)) > 0 {
                    into.push(rows::REPEATS.row(0));
                }
            }
        }
        if let Some(king) = self.own_king {
            into.push(rows::OWN_KING.row(who * 8 + king.distance(step.to) as usize));
        }
        if self.pinned.contains(step.from) {
            into.push(rows::PINNED.row(0));
        }
        if self.checkers.any() {
            let how = if step.role == Role::King {
                2
            } else {
                usize::from(!self.checkers.contains(step.to))
            };
            into.push(rows::EVADES.row(how));
        }
    }

    fn pawn(&self, step: Step, into: &mut Vec<u16>) {
        let board = &self.view.board;
        let own = (board.pawns() & board.by_color(US)).without(step.from);
        let theirs = (board.pawns() & board.by_color(THEM)).without(step.to);
        let file = step.to.file();
        let beside = neighbours(file);
        let ahead = above(step.to.rank());
        if (theirs & ahead & (beside | Bitboard::from_file(file))).is_empty() {
            into.push(rows::PASSED.row(rank(step.to) as usize));
        }
        let support = attacks::pawn_attacks(THEM, step.to)
            | attacks::king_attacks(step.to) & Bitboard::from_rank(step.to.rank());
        let own_king = self.own_king.map(Square::file);
        for (index, holds) in [
            (attacks::pawn_attacks(US, step.to) & theirs).any(),
            step.captured.is_none() && (attacks::pawn_attacks(US, step.from) & theirs).any(),
            (own & Bitboard::from_file(file)).any(),
            (own & support).any(),
            self.enemy_king
                .is_some_and(|king| king.file().distance(file) <= 1),
            own_king.is_some_and(|king| king.distance(step.from.file()) <= 1),
            rank(step.to) - rank(step.from) == 2,
            (own & beside).is_empty(),
        ]
        .into_iter()
        .enumerate()
        {
            if holds {
                into.push(rows::PAWN.row(index));
            }
        }
    }

    /// A rook or queen that comes to a file with no pawns, or none of ours.
    fn file(&self, step: Step, into: &mut Vec<u16>) {
        if step.from.file() == step.to.file() {
            return;
        }
        let board = &self.view.board;
        let pawns = board.pawns() & Bitboard::from_file(step.to.file());
        let queen = usize::from(step.role == Role::Queen);
        if pawns.is_empty() {
            into.push(rows::FILE.row(queen * 2));
        } else if (pawns & board.by_color(US)).is_empty() {
            into.push(rows::FILE.row(queen * 2 + 1));
        }
    }
}

/// How a move's balance of exchanges compares to the best of its position.
pub(super) fn compare(balance: i32, best: i32, second: i32, into: &mut Vec<u16>) {
    let behind = match best - balance {
        0 => 0,
        1..=5 => 1,
        6..=12 => 2,
        13..=22 => 3,
        23..=32 => 4,
        33..=45 => 5,
        46..=60 => 6,
        61..=95 => 7,
        _ => 8,
    };
    into.push(rows::BEHIND.row(behind));
    if balance == best && second + 5 < best {
        into.push(rows::BEST.row(0));
    }
}

/// The most the opponent wins by an exchange on another square than this one.
fn elsewhere(after: &Board, except: Square) -> i32 {
    let occupied = after.occupied();
    let mut best = 0;
    for role in [Role::Queen, Role::Rook, Role::Bishop, Role::Knight, Role::Pawn] {
        if worth(role) <= best {
            break;
        }
        for square in (after.by_role(role) & after.by_color(US)).without(except) {
            best = best.max(winnings(after, square, occupied, THEM, role));
        }
    }
    best
}

/// The least attacker of a square and whether we guard it, in 14 classes.
fn guard(board: &Board, square: Square, occupied: Bitboard) -> usize {
    let attacker =
        least(board, board.attacks_to(square, THEM, occupied)).map_or(0, |(least, _)| role(least) + 1);
    let guarded = board.attacks_to(square, US, occupied).any();
    attacker * 2 + usize::from(guarded)
}

fn gain_class(gain: i32) -> usize {
    match gain {
        ..=-61 => 0,
        -60..=-41 => 1,
        -40..=-26 => 2,
        -25..=-13 => 3,
        -12..=-5 => 4,
        -4..=4 => 5,
        5..=12 => 6,
        13..=25 => 7,
        26..=40 => 8,
        41..=60 => 9,
        61.. => 10,
    }
}

/// Our pieces that alone stand between our king and a slider.
fn pinned(board: &Board, king: Square) -> Bitboard {
    let straight = attacks::rook_attacks(king, Bitboard::EMPTY) & board.rooks_and_queens();
    let diagonal = attacks::bishop_attacks(king, Bitboard::EMPTY) & board.bishops_and_queens();
    let mut pinned = Bitboard::EMPTY;
    for sniper in (straight | diagonal) & board.by_color(THEM) {
        let between = attacks::between(king, sniper) & board.occupied();
        if between.count() == 1 {
            pinned |= between & board.by_color(US);
        }
    }
    pinned
}

fn rank(square: Square) -> i32 {
    square.rank().to_u32() as i32
}

/// From one square to another as one of 225 offsets.
fn offset(from: Square, to: Square) -> usize {
    let files = to.file().to_u32() as i32 - from.file().to_u32() as i32;
    ((files + 7) * 15 + rank(to) - rank(from) + 7) as usize
}

fn neighbours(file: File) -> Bitboard {
    [-1, 1]
        .into_iter()
        .filter_map(|step| file.offset(step))
        .fold(Bitboard::EMPTY, |files, file| files | Bitboard::from_file(file))
}

fn above(rank: Rank) -> Bitboard {
    Rank::ALL
        .into_iter()
        .filter(|other| *other > rank)
        .fold(Bitboard::EMPTY, |ranks, rank| ranks | Bitboard::from_rank(rank))
}
