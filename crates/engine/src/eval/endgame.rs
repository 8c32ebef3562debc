//! Endgames: how drawish they are, and how a bare king is mated.

use shakmaty::{Bitboard, Board};

use sparring_chess::{Color, Role, Square};

/// The unscaled endgame score, in sixty-fourths.
const FULL: i32 = 64;

/// The score of a lone pawn that is known to win, beside all else, in centipawns.
pub(super) const WON_BY_PAWN: i32 = 300;

/// What is left of a lead that hardly ever wins, in sixty-fourths.
pub(super) const HARDLY_WON: i32 = 6;

/// What is left of one that books on endings call a win, though seldom a quick one, in sixty-fourths: chosen, not measured.
const OFTEN_WON: i32 = 40;

/// The scales of the middle game and endgame scores, in sixty-fourths, each for the side that is ahead in it. Where
/// neither is, the larger scale of both sides: pieces that cannot win without pawns cannot do so with queens and rooks
/// about either.
pub(super) fn scales(board: &Board, [middlegame, endgame]: [Option<Color>; 2]) -> [i32; 2] {
    let of = |leader: Option<Color>| match leader {
        Some(strong) => scale(board, strong),
        None => scale(board, Color::White).max(scale(board, Color::Black)),
    };
    let late = of(endgame);
    let early = if middlegame == endgame {
        late
    } else {
        of(middlegame)
    };
    [if early <= HARDLY_WON { early } else { FULL }, late]
}

/// The scale of the endgame score when the side `strong` is ahead, in sixty-fourths.
fn scale(board: &Board, strong: Color) -> i32 {
    let pawns = (board.pawns() & board.by_color(strong)).count();
    let (ours, theirs) = (pieces(board, strong), pieces(board, !strong));
    if pawns == 0 {
        // Without pawns a lead of a minor piece wins nothing.
        if ours <= 3 {
            return 0;
        }
        if ours - theirs <= 3 {
            return if minors_are_outplayed(board, strong) {
                OFTEN_WON
            } else {
                HARDLY_WON
            };
        }
        let is_bare = board.by_color(!strong).count() == 1;
        if one_colored_bishops(board, strong) {
            return 0;
        }
        if two_knights(board, strong) {
            // They mate only where a pawn keeps the other side from stalemate, and rarely then.
            return if is_bare { 0 } else { 4 };
        }
        // A bare king gets the scale for no pawns, so that a last pawn does not seem to cost more than it is worth.
        return if is_bare { by_pawns(0) } else { FULL };
    }
    if wrong_rook_pawn(board, strong) {
        return 4;
    }
    if opposite_bishops(board) {
        let others = board.knights() | board.rooks_and_queens();
        return match others.count() {
            0 if on_one_wing(board.pawns()) => 10 + 2 * pawns.min(4) as i32,
            0 => 20 + 4 * pawns.min(4) as i32,
            1 | 2 => 36,
            _ => 46,
        };
    }
    let is_level = ours - theirs <= 0 && theirs > 0;
    if pawns == 1 && is_level {
        return 34;
    }
    if is_level && on_one_wing(board.pawns()) {
        return by_pawns(pawns) * 13 / 16;
    }
    by_pawns(pawns)
}

/// Whether four files at an edge hold all pawns, so that one king guards them all. What such scores bring in points is measured:
/// lab/NOTEBOOK.md, "Evaluation tuning".
fn on_one_wing(pawns: Bitboard) -> bool {
    const QUEENSIDE: Bitboard = Bitboard(0x0f0f_0f0f_0f0f_0f0f);
    (pawns & QUEENSIDE).is_empty() || (pawns & !QUEENSIDE).is_empty()
}

/// The fewer pawns, the more drawish.
fn by_pawns(pawns: usize) -> i32 {
    (FULL * 3 / 4 + 3 * pawns as i32).min(FULL)
}

/// The value of the pieces in pawns: minors three, rooks five, queens nine.
fn pieces(board: &Board, color: Color) -> i32 {
    let ours = board.by_color(color);
    [
        (Role::Knight, 3),
        (Role::Bishop, 3),
        (Role::Rook, 5),
        (Role::Queen, 9),
    ]
    .into_iter()
    .map(|(role, score)| (ours & board.by_role(role)).count() as i32 * score)
    .sum()
}

/// The exceptions to a lead of a minor piece winning nothing: a queen against two minor pieces, unless they are two knights,
/// and two bishops against a knight.
fn minors_are_outplayed(board: &Board, strong: Color) -> bool {
    let [ours, theirs] = [strong, !strong].map(|side| board.by_color(side) & !board.kings());
    let has = |side: Bitboard, queens, bishops, knights| {
        [board.queens(), board.bishops(), board.knights()].map(|role| (side & role).count())
            == [queens, bishops, knights]
    };
    let queen = has(ours, 1, 0, 0) && ours.count() == 1;
    let bishops = has(ours, 0, 2, 0) && ours.count() == 2 && !one_colored_bishops(board, strong);
    queen && theirs.count() == 2 && (has(theirs, 0, 1, 1) || has(theirs, 0, 2, 0))
        || bishops && theirs.count() == 1 && has(theirs, 0, 0, 1)
}

fn two_knights(board: &Board, strong: Color) -> bool {
    let ours = board.by_color(strong) & !board.kings();
    ours == ours & board.knights() && ours.count() == 2
}

fn one_colored_bishops(board: &Board, strong: Color) -> bool {
    let ours = board.by_color(strong) & !board.kings();
    let dark = ours & Bitboard::DARK_SQUARES;
    ours == ours & board.bishops() && (dark.is_empty() || dark == ours)
}

fn opposite_bishops(board: &Board) -> bool {
    let (white, black) = (board.bishops() & board.white(), board.bishops() & board.black());
    let dark = Bitboard::DARK_SQUARES;
    white.count() == 1 && black.count() == 1 && (white & dark).is_empty() != (black & dark).is_empty()
}

/// Pawns on one edge file only, a bishop that does not guard the corner, and the enemy king in it.
fn wrong_rook_pawn(board: &Board, strong: Color) -> bool {
    let ours = board.by_color(strong);
    let rest = ours & !(board.pawns() | board.kings());
    let pawns = ours & board.pawns();
    let (a, h) = (Bitboard(0x0101_0101_0101_0101), Bitboard(0x8080_8080_8080_8080));
    if rest.count() > 1 || rest != rest & board.bishops() || pawns.is_empty() {
        return false;
    }
    let file = match () {
        () if pawns == pawns & a => shakmaty::File::A,
        () if pawns == pawns & h => shakmaty::File::H,
        () => return false,
    };
    let corner = Square::from_coords(file, super::king::last_rank(strong));
    let guards = rest
        .first()
        .is_some_and(|bishop| is_dark(bishop) == is_dark(corner));
    let defended = board
        .king_of(!strong)
        .is_some_and(|king| king.distance(corner) <= 1);
    !guards && defended
}

fn is_dark(square: Square) -> bool {
    Bitboard::DARK_SQUARES.contains(square)
}

/// What a step of a bare king towards the corner where bishop and knight mate it is worth, in centipawns before the
/// scale of few pawns. Far smaller ones fail: within its margins the search takes one position for as good as another.
/// Chosen among 260, 280 and 300: lab/ledger.csv, KBNK.
const STEP: i32 = 260;

/// Mop-up: the side that drives a bare king without a pawn to promote, and how far it has driven it, in centipawns: to
/// the edge, or with bishop and knight to the bishop's corner, with its own pieces near. Only this and material count
/// there: piece squares and mobility would hold the pieces back. But for bishop and knight it stays below the value of a
/// last pawn.
pub(super) fn mop_up(board: &Board) -> Option<(Color, i32)> {
    let strong = Color::ALL
        .into_iter()
        .find(|us| board.by_color(!*us).count() == 1)?;
    if board.pawns().any() || pieces(board, strong) < 5 {
        return None;
    }
    let kings = [board.king_of(strong)?, board.king_of(!strong)?];
    let (bishops, knights) = (board.bishops(), board.knights());
    let driven = match (bishops.single_square(), knights.single_square()) {
        (Some(bishop), Some(knight)) if board.rooks_and_queens().is_empty() => {
            bishop_and_knight(kings, bishop, knight)
        }
        _ => 15 * (7 - kings[0].distance(kings[1]) as i32) + 25 * from_center(kings[1]),
    };
    Some((strong, driven))
}

/// Bishop and knight mate in a corner of the bishop's color only. From the wrong one the way leads along an edge, so that
/// a step towards the right one counts most, and edge, king and knight after it.
fn bishop_and_knight([ours, theirs]: [Square; 2], bishop: Square, knight: Square) -> i32 {
    let corners = if is_dark(bishop) {
        [Square::A1, Square::H8]
    } else {
        [Square::A8, Square::H1]
    };
    let steps = manhattan(theirs, corners[0]).min(manhattan(theirs, corners[1]));
    let nearness = |piece: Square| 7 - piece.distance(theirs) as i32;
    STEP * (7 - steps) - 80 * from_edge(theirs) + 50 * nearness(ours) + 20 * nearness(knight)
}

fn manhattan(a: Square, b: Square) -> i32 {
    a.file().distance(b.file()) as i32 + a.rank().distance(b.rank()) as i32
}

/// Steps from the nearest edge, 0 to 3.
fn from_edge(square: Square) -> i32 {
    let (file, rank) = (square.file() as i32, square.rank() as i32);
    file.min(7 - file).min(rank).min(7 - rank)
}

/// Steps from the middle, 0 to 6.
fn from_center(square: Square) -> i32 {
    let (file, rank) = (square.file() as i32, square.rank() as i32);
    (3 - file).max(file - 4) + (3 - rank).max(rank - 4)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sparring_chess::{Rules as _, Variant, parse_fen};

    #[test]
    fn the_more_drawish_the_smaller_the_scale() {
        for (fen, expected) in [
            ("4k3/8/8/8/8/8/8/3NKN2 w - - 0 1", 0),
            ("4k3/4p3/8/8/8/8/8/3NKN2 w - - 0 1", 4),
            ("4k3/8/8/8/8/8/8/3BK3 w - - 0 1", 0),
            ("4k3/8/8/8/8/8/8/B1B1K3 w - - 0 1", 0),
            ("4k3/8/8/8/8/8/8/B2BK3 w - - 0 1", 48),
            ("3rk3/8/8/8/8/8/8/2BRK3 w - - 0 1", 6),
            ("k7/8/8/8/P7/8/1B6/4K3 w - - 0 1", 4),
            ("3rk3/8/8/8/8/8/8/3QK3 w - - 0 1", 64),
            ("4k3/8/8/8/8/8/8/3RK3 w - - 0 1", 48),
            ("4k3/8/8/8/8/8/P7/3RK3 w - - 0 1", 51),
            ("4k3/3n4/8/8/8/8/PPPP4/3RK3 w - - 0 1", 60),
            ("4k3/3n4/8/8/8/8/PPPPPP2/3RK3 w - - 0 1", 64),
            // A queen against two minor pieces, two bishops against a knight, and what looks like them.
            ("4k3/4n3/4b3/8/8/2Q5/8/4K3 w - - 0 1", 40),
            ("4k3/4b3/4b3/8/8/2Q5/8/4K3 w - - 0 1", 40),
            ("4k3/4n3/4n3/8/8/2Q5/8/4K3 w - - 0 1", 6),
            ("4k3/4n3/4b3/8/4p3/2Q5/8/4K3 w - - 0 1", 6),
            ("4k3/4n3/8/8/8/2BB4/8/4K3 w - - 0 1", 40),
            ("4k3/4b3/8/8/8/2BB4/8/4K3 w - - 0 1", 6),
            ("4k3/4n3/8/8/8/2B1B3/8/4K3 w - - 0 1", 6),
            // Bishops of opposite colors: alone, with more pawns, on one wing, with rooks; and of the same.
            ("4k3/5b2/8/8/8/2B5/P6P/4K3 w - - 0 1", 28),
            ("4k3/5b2/8/8/8/2B5/PPPPPP2/4K3 w - - 0 1", 36),
            ("4k3/5b2/8/8/8/2B5/PP6/4K3 w - - 0 1", 14),
            ("4k3/5b1p/8/8/8/2B5/PP6/4K3 w - - 0 1", 28),
            ("3rk3/5b2/8/8/8/2B5/PP6/3RK3 w - - 0 1", 36),
            ("3rk2n/5b2/8/8/8/2B5/PP6/3RK2N w - - 0 1", 46),
            ("4k3/4b3/8/8/8/2B5/PP6/4K3 w - - 0 1", 43),
            ("4k3/4b3/8/8/8/2B5/P6P/4K3 w - - 0 1", 54),
            // No piece more than the other side: a last pawn, and pawns that one king guards.
            ("3rk3/8/8/8/8/8/P7/3RK3 w - - 0 1", 34),
            ("3rk3/5pp1/8/8/8/8/5PPP/3RK3 w - - 0 1", 46),
            ("3rk3/5pp1/8/8/8/8/P4PPP/3RK3 w - - 0 1", 60),
            ("3nk3/5pp1/8/8/8/8/5PPP/3RK3 w - - 0 1", 57),
            ("4k3/5pp1/8/8/8/8/5PPP/4K3 w - - 0 1", 57),
        ] {
            let pos = parse_fen(Variant::Standard, fen).unwrap();
            assert_eq!(scale(pos.board(), Color::White), expected, "{fen}");
        }
        let won = parse_fen(Variant::Standard, "1k6/8/8/8/P7/8/6B1/4K3 w - - 0 1").unwrap();
        assert!(scale(won.board(), Color::White) > 40);
    }

    #[test]
    fn each_half_is_left_as_much_as_its_own_leader_wins() {
        let pos = parse_fen(Variant::Standard, "2RR4/2K1p3/4Q3/p2p4/q2r4/8/k2r4/5N2 w - - 0 1").unwrap();
        let (white, black) = (Some(Color::White), Some(Color::Black));
        // White has no pawn to win with, and a level half is no draw yet: it may become Black's.
        for (leaders, left) in [
            ([white, white], [6, 6]),
            ([black, white], [64, 6]),
            ([white, black], [6, 57]),
            ([black, black], [64, 57]),
            ([None, white], [64, 6]),
            ([white, None], [6, 57]),
            ([None, None], [64, 57]),
        ] {
            assert_eq!(scales(pos.board(), leaders), left);
        }
    }
}
