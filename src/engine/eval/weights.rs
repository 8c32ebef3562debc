//! The weights of the evaluation, in centipawns: middle game and endgame.
//!
//! `sparring tune` writes this file in full; change a number by hand and it will be where tuning starts from.

super::weight::weights! {
    /// A piece anywhere on the board: pawn, knight, bishop, rook, queen.
    MATERIAL[5] = [
        (82, 112), (340, 354), (357, 367), (463, 611), (1040, 1078),
    ];
    /// Two bishops or more.
    BISHOP_PAIR = (19, 54);
    /// A knight, by the number of its own pawns.
    KNIGHT_BY_PAWNS[9] = [
        (-7, -11), (-5, -9), (-2, -6), (-7, -6), (-6, -3), (0, 0), (4, 4), (-2, 4),
        (1, 9),
    ];
    /// A rook, by the number of its own pawns.
    ROOK_BY_PAWNS[9] = [
        (14, 9), (5, 3), (10, 6), (4, 7), (-4, 5), (-7, 0), (-6, -1), (0, 1),
        (-5, -8),
    ];
    /// A pawn on a square: ranks from its own side's first, files from the edge to the middle.
    PAWN_SQUARES[32] = [
        (0, 0), (0, 0), (0, 0), (0, 0),
        (-17, 7), (-9, 8), (-5, 4), (-11, -2),
        (-13, -3), (-7, -7), (-1, -12), (3, -12),
        (-12, -4), (-7, 9), (5, -11), (6, -9),
        (-3, 15), (11, 14), (4, 17), (23, 2),
        (8, 26), (36, 16), (22, 34), (42, 1),
        (32, 52), (38, 38), (43, 51), (52, 35),
        (0, 0), (0, 0), (0, 0), (0, 0),
    ];
    /// A knight on a square: ranks from its own side's first, files from the edge to the middle.
    KNIGHT_SQUARES[32] = [
        (-54, -48), (-28, -22), (-18, -12), (-19, -17),
        (-44, -33), (-21, -2), (-6, -9), (-12, 2),
        (-23, -21), (-6, -11), (-1, -4), (-9, 7),
        (-1, -8), (6, 5), (11, 8), (18, 18),
        (17, -1), (12, 4), (23, 15), (21, 25),
        (-2, -25), (14, -17), (16, 14), (29, 5),
        (-25, -22), (-13, -15), (9, -3), (19, 5),
        (-73, -49), (-48, -36), (-43, -28), (-30, -16),
    ];
    /// A bishop on a square: ranks from its own side's first, files from the edge to the middle.
    BISHOP_SQUARES[32] = [
        (-10, -12), (4, -4), (-17, -3), (-13, -18),
        (-6, 4), (8, -8), (2, 0), (2, -1),
        (-2, -1), (5, -4), (11, -9), (9, 16),
        (10, -1), (1, -6), (10, 5), (18, 11),
        (5, 8), (7, 6), (10, 4), (18, 10),
        (4, -12), (9, -2), (2, 3), (13, 12),
        (-10, 0), (-16, -9), (2, 6), (-1, 0),
        (-26, -15), (-17, -4), (-17, -4), (-12, -2),
    ];
    /// A rook on a square: ranks from its own side's first, files from the edge to the middle.
    ROOK_SQUARES[32] = [
        (-10, -18), (-8, -14), (4, -14), (8, -20),
        (-29, -13), (-14, 1), (-2, -4), (-10, 2),
        (-22, -3), (-19, 5), (-13, 0), (-9, 5),
        (-21, 13), (-15, 10), (-8, 2), (-5, -8),
        (-3, 11), (-6, 17), (3, 9), (23, 14),
        (4, 23), (6, 16), (17, 2), (15, 5),
        (3, 17), (15, 12), (23, 1), (26, 3),
        (1, 11), (11, 15), (10, 4), (18, 10),
    ];
    /// A queen on a square: ranks from its own side's first, files from the edge to the middle.
    QUEEN_SQUARES[32] = [
        (-2, -34), (-10, -28), (-5, -25), (-4, -51),
        (9, -29), (-1, -36), (4, -18), (-6, -9),
        (-8, -13), (-3, 2), (-3, 0), (-4, 7),
        (-8, -5), (-6, -1), (2, 25), (-7, 18),
        (-6, 6), (-15, 17), (13, 29), (-1, 33),
        (-9, 4), (7, 18), (13, 25), (9, 33),
        (6, 4), (3, 11), (1, 14), (-2, 23),
        (4, -4), (1, 3), (7, 11), (15, 22),
    ];
    /// A king on a square: ranks from its own side's first, files from the edge to the middle.
    KING_SQUARES[32] = [
        (44, -58), (53, -43), (12, -29), (8, -32),
        (29, -37), (31, -23), (-5, -11), (-21, -2),
        (8, -23), (4, -14), (-30, 4), (-38, 3),
        (-26, -8), (-23, -1), (-53, 8), (-67, 15),
        (-32, -6), (-24, 19), (-57, 25), (-68, 26),
        (-23, 7), (-19, 25), (-52, 28), (-64, 18),
        (-16, -8), (-10, 11), (-38, 35), (-54, 27),
        (-18, -36), (-10, -19), (-41, -2), (-54, -5),
    ];
    /// A pawn behind another of its side on the same file.
    DOUBLED = (-10, -22);
    /// A pawn without a neighbour on the files beside it.
    ISOLATED = (-9, -5);
    /// An isolated pawn that no enemy pawn stands before, so that rooks can attack it.
    ISOLATED_OPEN = (-12, -12);
    /// A pawn behind its neighbours that cannot step forward safely.
    BACKWARD = (-3, -7);
    /// A backward pawn that no enemy pawn stands before.
    BACKWARD_OPEN = (-9, 2);
    /// A pawn beside another, by its rank.
    PHALANX[8] = [
        (0, 0), (6, 2), (5, 7), (8, 9), (23, 16), (63, 71), (90, 130), (0, 0),
    ];
    /// A pawn that another protects, by its rank.
    PROTECTED[8] = [
        (0, 0), (0, 0), (13, 16), (14, 7), (13, 6), (36, 41), (82, 61), (0, 0),
    ];
    /// A pawn that exchanges will make a passed one, by its rank.
    CANDIDATE[8] = [
        (0, 0), (-4, 6), (-3, 4), (10, 15), (19, 31), (34, 51), (0, 0), (0, 0),
    ];
    /// Squares that a knight can well go to, by their number.
    KNIGHT_MOBILITY[9] = [
        (-24, -33), (-24, -48), (-10, -15), (-6, 6), (3, 7), (8, 18), (11, 20), (13, 17),
        (19, 18),
    ];
    /// Squares that a bishop can well go to, by their number.
    BISHOP_MOBILITY[14] = [
        (-22, -32), (-10, -32), (3, -14), (8, 6), (11, 15), (15, 23), (17, 29), (18, 28),
        (17, 31), (20, 32), (23, 27), (17, 20), (36, 26), (38, 20),
    ];
    /// Squares that a rook can well go to, by their number.
    ROOK_MOBILITY[15] = [
        (-44, -59), (-22, -35), (-7, -4), (-4, 3), (-1, 8), (-3, 22), (-1, 26), (1, 26),
        (7, 32), (10, 33), (8, 43), (22, 37), (16, 52), (28, 46), (33, 43),
    ];
    /// Squares that a queen can well go to, by their number.
    QUEEN_MOBILITY[28] = [
        (-26, -50), (-19, -43), (-15, -37), (-12, -29), (-6, -18), (-8, -11), (-9, -12), (-5, 3),
        (0, 19), (-1, 26), (5, 29), (4, 36), (3, 52), (9, 55), (13, 56), (16, 56),
        (12, 56), (10, 62), (13, 59), (16, 63), (20, 67), (18, 63), (23, 68), (20, 59),
        (22, 69), (21, 68), (24, 74), (25, 74),
    ];
    /// A knight on a square that a pawn protects and no enemy pawn can ever attack.
    OUTPOST_KNIGHT = (29, 7);
    /// A bishop on such a square.
    OUTPOST_BISHOP = (29, -5);
    /// A knight that can reach such a square in one move.
    OUTPOST_REACH = (15, 12);
    /// A minor piece right behind a pawn.
    SHIELDED = (6, 9);
    /// Each own pawn on the bishop's color, more when the middle is blocked.
    BAD_BISHOP = (-1, -7);
    /// A bishop that sees both middle squares of a long diagonal.
    LONG_DIAGONAL = (15, 5);
    /// Each enemy pawn on the diagonals of a bishop, whatever stands between.
    BISHOP_TIED = (-1, -6);
    /// A bishop shut in on the seventh rank by a pawn.
    TRAPPED_BISHOP = (-70, -60);
    /// A rook on a file without pawns.
    ROOK_OPEN = (28, 7);
    /// A rook on a file without own pawns.
    ROOK_HALF_OPEN = (13, 12);
    /// A rook on the seventh rank with pawns or the king to attack.
    ROOK_SEVENTH = (0, 13);
    /// A rook that its own uncastled king shuts in.
    TRAPPED_ROOK = (-15, -14);
    /// A rook on the file of the enemy queen.
    ROOK_ON_QUEEN = (9, 12);
    /// A queen on the seventh rank with the king to attack.
    QUEEN_SEVENTH = (4, 10);
    /// A minor piece far from its own king, for each step.
    FAR_FROM_KING = (-3, 0);
    /// A piece pinned to its king: knight, bishop, rook, queen.
    PINNED[4] = [
        (0, -3), (8, 2), (-3, -7), (-13, -15),
    ];
    /// The nearest own pawn before the king on a file, by its rank; the first entry stands for none.
    SHELTER[8] = [
        (-19, 13), (24, -2), (6, -2), (-1, -5), (-14, 3), (-10, -8), (-19, 0), (0, 0),
    ];
    /// The nearest enemy pawn coming at the king on a file, by its rank as the defender counts; the first stands for none.
    STORM[8] = [
        (-6, 5), (0, 13), (-38, 6), (-19, 11), (-5, -3), (-1, 4), (-3, 9), (0, 0),
    ];
    /// The same when an own pawn stands right before it.
    STORM_BLOCKED[8] = [
        (0, 0), (0, 0), (-10, -6), (-8, -3), (-1, -6), (-7, -11), (1, -17), (0, 0),
    ];
    /// A file at the king without own pawns.
    KING_HALF_OPEN = (-8, -12);
    /// A file at the king without pawns.
    KING_OPEN = (-21, -15);
    /// A king on a wing without any pawn.
    PAWNLESS_WING = (-7, -35);
    /// Danger: a piece attacking the king's zone, for each such piece there is; knight, bishop, rook, queen.
    ATTACKER[4] = [
        (24, 30), (26, 24), (13, 22), (9, 16),
    ];
    /// Danger: each attack on a square next to the king.
    RING_ATTACK = (9, 18);
    /// Danger: a square next to the king that is attacked and poorly defended.
    WEAK_SQUARE = (56, 58);
    /// Danger: a check from a square where the piece is safe; knight, bishop, rook, queen.
    SAFE_CHECK[4] = [
        (305, 298), (207, 221), (366, 371), (295, 303),
    ];
    /// Danger: a second safe check by the same kind of piece.
    SAFE_CHECKS[4] = [
        (98, 100), (72, 73), (124, 123), (103, 101),
    ];
    /// Danger: a check that costs the piece.
    UNSAFE_CHECK = (57, 56);
    /// Danger: a piece pinned to the king.
    PINNED_DEFENDER = (34, 40);
    /// Danger: a square of the king's wing that the enemy attacks; twice attacked, twice counted.
    WING_ATTACK = (12, 0);
    /// Danger: a square of its wing that the king's side defends.
    WING_DEFENCE = (-4, -1);
    /// Danger: a knight beside the king, or that guards a square beside it.
    KNIGHT_GUARD = (-41, -20);
    /// Danger: the attacker has no queen.
    NO_QUEEN = (-424, -424);
    /// Danger: what is there before anything happens.
    CALM = (-86, -92);
    /// Danger: as SHELTER.
    DANGER_SHELTER[8] = [
        (56, 60), (-72, -75), (-28, -39), (19, 12), (30, 31), (48, 48), (56, 54), (0, 0),
    ];
    /// Danger: as STORM.
    DANGER_STORM[8] = [
        (15, -9), (2, 0), (106, 103), (62, 61), (15, 21), (1, 6), (-1, 2), (0, 0),
    ];
    /// Danger: as STORM_BLOCKED.
    DANGER_STORM_BLOCKED[8] = [
        (0, 0), (0, 0), (54, 51), (32, 31), (13, 12), (4, 3), (-1, 0), (0, 0),
    ];
    /// Danger: as KING_HALF_OPEN.
    DANGER_HALF_OPEN = (28, 29);
    /// Danger: as KING_OPEN.
    DANGER_OPEN = (50, 51);
    /// A passed pawn, by its rank.
    PASSED[8] = [
        (0, 0), (5, 13), (9, 17), (2, 35), (19, 67), (64, 101), (118, 160), (0, 0),
    ];
    /// A passed pawn whose next square is empty, by its rank.
    PASSED_FREE[8] = [
        (0, 0), (7, -5), (5, -5), (11, 11), (-1, 6), (3, 17), (14, 72), (0, 0),
    ];
    /// Free, and no square of its way is attacked or taken by the enemy.
    PASSED_SAFE[8] = [
        (0, 0), (5, 6), (1, -5), (-7, 13), (13, 38), (26, 57), (25, 83), (0, 0),
    ];
    /// Free, and the next square is not attacked.
    PASSED_SAFE_STEP[8] = [
        (0, 0), (7, -3), (-1, 8), (12, -1), (16, 7), (14, 31), (12, 40), (0, 0),
    ];
    /// A passed pawn whose next square its own side attacks, by its rank.
    PASSED_SUPPORTED[8] = [
        (0, 0), (-2, 8), (-1, 1), (4, 18), (4, 16), (25, 36), (28, 43), (0, 0),
    ];
    /// Steps of the own king to the square before a passed pawn, up to five, by the pawn's rank.
    PASSED_OUR_KING[8] = [
        (0, 0), (-8, 1), (-10, 4), (-1, -11), (3, -14), (-2, -21), (1, -29), (0, 0),
    ];
    /// The same of the enemy king.
    PASSED_THEIR_KING[8] = [
        (0, 0), (3, -1), (3, -1), (-3, 11), (-2, 19), (-3, 38), (4, 40), (0, 0),
    ];
    /// A passed pawn stopped by an enemy piece right before it, by its rank.
    PASSED_BLOCKED[8] = [
        (0, 0), (-1, 0), (-6, -5), (-4, -5), (-6, -5), (-8, -12), (-17, -36), (0, 0),
    ];
    /// A passed pawn by its file, from the edge to the middle.
    PASSED_FILE[4] = [
        (3, 4), (-1, 1), (-6, -1), (6, 1),
    ];
    /// An own rook behind a passed pawn.
    ROOK_BEHIND_PASSED = (5, 18);
    /// An enemy rook behind a passed pawn.
    ROOK_HUNTS_PASSED = (-12, -38);
    /// A passed pawn that a lone king cannot catch, by its rank.
    UNSTOPPABLE[8] = [
        (0, 0), (0, 87), (0, 172), (0, 259), (0, 344), (0, 433), (0, 521), (0, 0),
    ];
    /// A piece attacked by a pawn.
    THREAT_BY_PAWN = (59, 40);
    /// A piece that a pawn could attack with its next step.
    THREAT_BY_PUSH = (16, 16);
    /// A piece attacked by a minor piece: pawn to king.
    THREAT_BY_MINOR[6] = [
        (2, 23), (13, 32), (37, 26), (53, 30), (41, 44), (0, 0),
    ];
    /// A piece attacked by a rook: pawn to king.
    THREAT_BY_ROOK[6] = [
        (1, 21), (18, 17), (21, 17), (8, 21), (45, 19), (0, 0),
    ];
    /// Something weak attacked by the king.
    THREAT_BY_KING = (10, 26);
    /// Attacked and not defended, or attacked twice and defended once.
    HANGING = (18, 24);
    /// Squares that the enemy attacks and does not hold strongly, attacked by us too.
    RESTRICTED = (2, 1);
    /// A square from which a knight could attack the only enemy queen next.
    KNIGHT_NEARS_QUEEN = (5, 1);
    /// A square from which a bishop or rook could do so, with support.
    SLIDER_NEARS_QUEEN = (11, 7);
    /// Room behind the own pawns in the middle: safe squares times pieces, in three sixteenths.
    SPACE = (3, -8);
    /// Being the one to move.
    THE_MOVE = (20, 13);
}
