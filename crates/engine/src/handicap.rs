//! Handicap: evaluation noise, and moves that stay unseen.
//!
//! Everything random is a hash of the game's seed and the position, so the same mistake is made again when the same
//! position comes back, and a search can be repeated.

use shakmaty::Bitboard;

use super::node::Node;
use sparring_chess::{Move, Role, Square, units::Centipawns};

/// Shares of the two errors in thousandths, whose squares add up to one: seven tenths of the variance are of the
/// structure.
const OF_STRUCTURE: i32 = 837;
const OF_POSITION: i32 = 548;

/// Play below full strength: Rodent's idea of weak levels, made repeatable.
///
/// Everything random follows from the seed and the position, so a position met again in the same game gets the same
/// error.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Handicap {
    /// Standard deviation of what is added to each leaf's evaluation, in centipawns; 0 for none.
    pub noise: Centipawns,
    /// Chance from 0 to 1 that a kind of move (piece, from, to, captured) stays unseen during a search.
    ///
    /// Recaptures, captures by pawns, evasions of check and captures of undefended pieces are always seen, and so is the
    /// only legal move.
    pub blindness: f32,
    /// The seed of the game: another seed, other errors.
    pub seed: u64,
}

impl Handicap {
    /// Whether it weakens the search at all.
    #[must_use]
    pub fn is_active(&self) -> bool {
        self.noise != Centipawns(0) || self.blindness > 0.0
    }
}

/// A [`Handicap`] made ready for one search.
#[derive(Debug, Clone, Copy)]
pub(super) struct PreparedHandicap {
    /// Standard deviation of the noise, in centipawns.
    noise: i32,
    seed: u64,
    /// Signatures that hash below this are unseen.
    threshold: u64,
    /// Seed of the signatures: another one for each root.
    blind_seed: u64,
}

impl PreparedHandicap {
    /// The handicap for a search from this root.
    pub fn new(handicap: &Handicap, root: u64) -> Self {
        let Centipawns(noise) = handicap.noise;
        let blindness = f64::from(handicap.blindness);
        let share = if blindness > 0.0 { blindness.min(1.0) } else { 0.0 };
        Self {
            noise: noise.clamp(0, 10_000),
            seed: handicap.seed,
            threshold: (share * 4_294_967_296.0) as u64,
            blind_seed: mix(handicap.seed ^ mix(root)),
        }
    }

    /// Whether it weakens the search at all.
    pub fn is_active(&self) -> bool {
        self.noise > 0 || self.threshold > 0
    }

    /// Mixed into the keys of the transposition table, so that a search never meets entries of one with other
    /// mistakes: zero at full strength.
    pub fn salt(&self) -> u64 {
        let blind = if self.threshold > 0 {
            mix(self.blind_seed ^ self.threshold)
        } else {
            0
        };
        let noisy = if self.noise > 0 {
            mix(self.seed ^ (self.noise as u64) << 40 ^ 0x6e6f_6973)
        } else {
            0
        };
        blind ^ noisy
    }

    /// What to add to the evaluation of a position, in centipawns.
    ///
    /// Most of it depends on the structure, pawns and kings, which stays the same through a whole plan: a search of many
    /// positions cannot average it away, as it does with errors of single positions.
    pub fn noise(&self, node: &Node) -> i32 {
        if self.noise == 0 {
            return 0;
        }
        let board = node.board();
        let Bitboard(kings) = board.kings();
        let Bitboard(white) = board.white() & board.kings();
        let structure = node.keys.pawns ^ mix(kings ^ white.rotate_left(1));
        (self.error(structure) * OF_STRUCTURE + self.error(node.keys.full) * OF_POSITION) / 1000
    }

    /// An error of the full deviation that belongs to a key.
    fn error(&self, key: u64) -> i32 {
        let bits = mix(key ^ mix(self.seed));
        // Four uniform numbers add up to nearly a bell curve, of standard deviation sqrt(4 / 12) of their range.
        let sum: i64 = (0..4).map(|part| (bits >> (16 * part) & 0xffff) as i64).sum();
        let centred = sum - 2 * 0xffff;
        (centred * i64::from(self.noise) * 1732 / (0xffff * 1000)) as i32
    }

    /// Mixed into the key of a position in the table: after another last move other captures are always seen.
    pub fn salt_after(&self, last: Option<Move>) -> u64 {
        match last {
            Some(last) if self.threshold > 0 => mix(signature(last)),
            _ => 0,
        }
    }

    /// Whether a move of this position is overlooked. `last` is the move that led here.
    pub fn hides(&self, node: &Node, last: Option<Move>, mv: Move) -> bool {
        self.threshold > 0
            && self.prominence(mv) < self.threshold
            && !node.in_check()
            && !is_always_seen(node, last, mv)
    }

    /// How easily a kind of move is seen: the highest is the last to be overlooked.
    pub fn prominence(&self, mv: Move) -> u64 {
        mix(self.blind_seed ^ signature(mv)) >> 32
    }
}

/// Captures that are never overlooked: by pawns, recaptures, and of undefended pieces.
fn is_always_seen(node: &Node, last: Option<Move>, mv: Move) -> bool {
    if !mv.is_capture() {
        return false;
    }
    mv.role() == Role::Pawn || last.is_some_and(|last| last.to() == mv.to()) || is_hanging(node, mv)
}

/// Whether nothing defends the victim of a capture.
fn is_hanging(node: &Node, mv: Move) -> bool {
    let board = node.board();
    mv.from().is_some_and(|from| {
        let occupied = board.occupied().without(from);
        board.attacks_to(mv.to(), !node.turn, occupied).is_empty()
    })
}

/// The kind of a move: which piece goes from where to where, capturing what.
fn signature(mv: Move) -> u64 {
    let square = |square: Option<Square>| square.map_or(64, |square| square as u64);
    u64::from(mv.role())
        | square(mv.from()) << 8
        | (mv.to() as u64) << 16
        | mv.capture().map_or(0, u64::from) << 24
}

/// A bijection that spreads every bit of the input over the output (the finaliser of SplitMix64).
pub(super) const fn mix(value: u64) -> u64 {
    let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ value >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ value >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ value >> 31
}

#[cfg(test)]
mod tests {
    use super::*;
    use sparring_chess::{GameHistory, Rules as _, Variant, parse_uci};

    fn weakness(noise: i32, blindness: f32, seed: u64) -> PreparedHandicap {
        let handicap = Handicap {
            noise: Centipawns(noise),
            blindness,
            seed,
        };
        PreparedHandicap::new(&handicap, 77)
    }

    #[test]
    fn noise_has_the_requested_deviation_and_no_bias() {
        let blurred = weakness(60, 0.0, 5);
        let samples: Vec<f64> = (0..20_000u64).map(|key| f64::from(blurred.error(key))).collect();
        let mean = samples.iter().sum::<f64>() / 20_000.0;
        let variance = samples.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 20_000.0;
        assert!(mean.abs() < 2.0, "{mean}");
        assert!((variance.sqrt() - 60.0).abs() < 2.0, "{}", variance.sqrt());
        assert_eq!(blurred.error(9), weakness(60, 0.0, 5).error(9));
        assert!(((OF_STRUCTURE.pow(2) + OF_POSITION.pow(2)) - 1_000_000).abs() < 2000);
    }

    #[test]
    fn positions_of_one_structure_have_similar_noise() {
        let noise = |seed: u64, fen: &str| {
            let line = GameHistory::replay(Variant::Standard, fen, "").unwrap();
            weakness(100, 0.0, seed).noise(&Node::root(&line))
        };
        let mean = |one: &str, other: &str| {
            let gaps = (0..200).map(|seed| f64::from((noise(seed, one) - noise(seed, other)).abs()));
            gaps.sum::<f64>() / 200.0
        };
        let start = "4k3/pp3p2/8/8/8/2N5/PP3P2/4K3 w - - 0 1";
        let same = mean(start, "4k3/pp3p2/8/4N3/8/8/PP3P2/4K3 w - - 0 1");
        let other = mean(start, "4k3/pp3p2/8/8/5P2/2N5/PP6/4K3 w - - 0 1");
        assert!(same * 1.4 < other, "{same} {other}");
        assert_eq!(noise(7, start), noise(7, start));
    }

    #[test]
    fn what_a_last_move_shows_is_not_kept_for_another() {
        let line = GameHistory::replay(Variant::Standard, "startpos", "").unwrap();
        let [one, other] = ["e2e4", "d2d4"].map(|text| parse_uci(line.position(), text).ok());
        let blind = weakness(0, 0.3, 1);
        assert_ne!(blind.salt_after(one), blind.salt_after(other));
        assert_eq!(weakness(50, 0.0, 1).salt_after(one), 0);
    }

    #[test]
    fn the_share_of_hidden_moves_is_the_chance() {
        let pos = Variant::Standard.start();
        let node = Node::new(&pos, Variant::Standard.traits());
        let moves = pos.legal_moves();
        let hidden = (0..1000)
            .map(|seed| {
                let blind = weakness(0, 0.3, seed);
                moves.iter().filter(|mv| blind.hides(&node, None, **mv)).count()
            })
            .sum::<usize>();
        assert!((5500..6500).contains(&hidden), "{hidden} of 20000");
    }

    fn is_hidden_when_blind(fen: &str, before: &str, text: &str) -> bool {
        let line = GameHistory::replay(Variant::Standard, fen, before).unwrap();
        let node = Node::root(&line);
        let mv = parse_uci(line.position(), text).unwrap();
        weakness(0, 1.0, 1).hides(&node, line.moves().last().copied(), mv)
    }

    #[test]
    fn what_catches_the_eye_is_never_hidden() {
        // A quiet move, and captures of what is defended.
        assert!(is_hidden_when_blind("startpos", "e2e4 e7e5", "g1f3"));
        assert!(is_hidden_when_blind(
            "4k3/p3p3/3p4/2n5/8/8/8/2R1K3 b - - 0 1",
            "a7a6",
            "c1c5"
        ));
        // What hung all the time.
        assert!(!is_hidden_when_blind(
            "4k3/p7/8/3n4/8/8/8/3RK3 b - - 0 1",
            "a7a6",
            "d1d5"
        ));
        // A capture by a pawn, a recapture, an answer to check.
        assert!(!is_hidden_when_blind("startpos", "e2e4 d7d5", "e4d5"));
        assert!(!is_hidden_when_blind("startpos", "e2e4 d7d5 e4d5", "d8d5"));
        assert!(!is_hidden_when_blind(
            "4k3/8/8/8/8/8/8/r3K3 w - - 0 1",
            "",
            "e1e2"
        ));
        // The rook left the knight alone; the pawn opened the line.
        assert!(!is_hidden_when_blind(
            "3rk3/8/8/3n4/8/8/8/3RK3 b - - 0 1",
            "d8a8",
            "d1d5"
        ));
        assert!(!is_hidden_when_blind(
            "4k3/8/8/n2p4/8/8/8/R2QK3 b - - 0 1",
            "d5d4",
            "d1d4"
        ));
        assert!(is_hidden_when_blind(
            "3rk3/8/8/3n4/8/8/8/3RK3 b - - 0 1",
            "d8d7",
            "d1d5"
        ));
    }

    #[test]
    fn other_handicaps_use_other_entries_of_the_table() {
        assert_eq!(weakness(0, 0.0, 9).salt(), 0);
        let salts = [
            weakness(20, 0.0, 1),
            weakness(21, 0.0, 1),
            weakness(20, 0.0, 2),
            weakness(20, 0.1, 1),
            weakness(0, 0.1, 1),
            weakness(0, 0.2, 1),
        ]
        .map(|weakness| weakness.salt());
        for (index, salt) in salts.iter().enumerate() {
            assert!(*salt != 0 && !salts[index + 1..].contains(salt));
        }
    }
}
