//! The weights of the evaluation, in centipawns: middle game and endgame.
//!
//! `sparring tune` writes this file in full; change a number by hand and it will be where tuning starts from.

super::weight::weights! {
    /// A piece anywhere on the board: pawn, knight, bishop, rook, queen.
    MATERIAL[5] = [
        (79, 112), (338, 365), (357, 374), (455, 623), (1046, 1083),
    ];
    /// Two bishops or more.
    BISHOP_PAIR = (17, 58);
    /// A knight, by the number of its own pawns.
    KNIGHT_BY_PAWNS[9] = [
        (-2, -3), (-1, -11), (-3, -4), (-9, -5), (-8, -3), (-1, 0), (2, 5), (-3, 4),
        (-1, 9),
    ];
    /// A rook, by the number of its own pawns.
    ROOK_BY_PAWNS[9] = [
        (21, 0), (2, 1), (11, 5), (0, 10), (-7, 10), (-10, 5), (-7, 1), (-2, 9),
        (-4, -6),
    ];
    /// A pawn on a square: ranks from its own side's first, files from the edge to the middle.
    PAWN_SQUARES[32] = [
        (0, 0), (0, 0), (0, 0), (0, 0),
        (-19, 7), (-9, 11), (-4, 9), (-14, 5),
        (-12, -4), (-6, -11), (3, -15), (2, -13),
        (-12, -3), (-11, 8), (6, -9), (5, -8),
        (-3, 12), (8, 17), (6, 19), (21, -1),
        (8, 24), (42, 13), (22, 33), (39, 0),
        (30, 49), (39, 35), (41, 54), (54, 36),
        (0, 0), (0, 0), (0, 0), (0, 0),
    ];
    /// A knight on a square: ranks from its own side's first, files from the edge to the middle.
    KNIGHT_SQUARES[32] = [
        (-52, -48), (-31, -28), (-18, -10), (-18, -18),
        (-42, -31), (-20, 3), (-6, -5), (-13, 2),
        (-25, -20), (-6, -14), (-2, -4), (-7, 8),
        (0, -5), (10, 8), (12, 10), (14, 19),
        (16, -3), (12, 8), (20, 13), (21, 21),
        (1, -26), (18, -15), (14, 15), (29, 2),
        (-26, -20), (-17, -18), (11, -4), (22, 7),
        (-77, -47), (-48, -36), (-46, -27), (-29, -15),
    ];
    /// A bishop on a square: ranks from its own side's first, files from the edge to the middle.
    BISHOP_SQUARES[32] = [
        (-11, -11), (5, -4), (-19, -7), (-16, -17),
        (-8, 11), (6, -10), (4, -1), (0, -3),
        (-2, 2), (2, -2), (8, -8), (8, 17),
        (13, -6), (-2, -10), (12, 5), (25, 11),
        (6, 7), (10, 4), (9, 4), (20, 13),
        (6, -14), (9, -1), (2, 0), (12, 11),
        (-10, 4), (-19, -10), (6, 10), (1, 1),
        (-28, -17), (-19, -3), (-17, -2), (-11, 3),
    ];
    /// A rook on a square: ranks from its own side's first, files from the edge to the middle.
    ROOK_SQUARES[32] = [
        (-8, -17), (-7, -13), (2, -10), (10, -25),
        (-29, -12), (-14, 2), (-1, -4), (-10, 3),
        (-23, -2), (-17, 9), (-16, 4), (-10, 4),
        (-22, 17), (-18, 11), (-10, 5), (-6, -9),
        (-2, 12), (-9, 21), (1, 9), (23, 9),
        (2, 21), (7, 17), (17, 1), (15, 2),
        (4, 17), (16, 9), (25, 1), (25, 0),
        (2, 11), (12, 16), (9, 2), (17, 10),
    ];
    /// A queen on a square: ranks from its own side's first, files from the edge to the middle.
    QUEEN_SQUARES[32] = [
        (0, -33), (-13, -26), (-9, -29), (-6, -56),
        (6, -29), (2, -39), (1, -20), (-9, -9),
        (-8, -12), (-2, 3), (-3, 0), (-5, 6),
        (-9, -6), (-6, -3), (0, 28), (-7, 17),
        (-2, 6), (-14, 19), (11, 30), (1, 35),
        (-9, 4), (8, 19), (17, 25), (10, 35),
        (11, 6), (2, 12), (2, 12), (-3, 22),
        (3, -3), (4, 6), (8, 12), (18, 26),
    ];
    /// A king on a square: ranks from its own side's first, files from the edge to the middle.
    KING_SQUARES[32] = [
        (41, -57), (52, -44), (11, -29), (8, -35),
        (28, -42), (33, -24), (-5, -11), (-21, -3),
        (8, -24), (7, -12), (-29, 4), (-40, 1),
        (-28, -11), (-24, -3), (-51, 7), (-65, 18),
        (-32, -6), (-25, 19), (-56, 26), (-66, 28),
        (-23, 8), (-20, 24), (-52, 28), (-63, 17),
        (-16, -7), (-10, 14), (-38, 34), (-53, 33),
        (-19, -37), (-10, -18), (-40, 0), (-54, -4),
    ];
    /// A pawn behind another of its side on the same file.
    DOUBLED = (-7, -15);
    /// A pawn without a neighbour on the files beside it.
    ISOLATED = (-10, -6);
    /// An isolated pawn that no enemy pawn stands before, so that rooks can attack it.
    ISOLATED_OPEN = (-12, -10);
    /// A pawn behind its neighbours that cannot step forward safely.
    BACKWARD = (-1, -8);
    /// A backward pawn that no enemy pawn stands before.
    BACKWARD_OPEN = (-14, 1);
    /// A pawn beside another, by its rank.
    PHALANX[8] = [
        (0, 0), (7, 2), (5, 8), (8, 6), (20, 19), (64, 68), (90, 131), (0, 0),
    ];
    /// A pawn that another protects, by its rank.
    PROTECTED[8] = [
        (0, 0), (0, 0), (13, 14), (12, 8), (17, 9), (39, 46), (84, 63), (0, 0),
    ];
    /// A pawn that exchanges will make a passed one, by its rank.
    CANDIDATE[8] = [
        (0, 0), (0, 1), (-2, 1), (11, 18), (22, 29), (35, 51), (0, 0), (0, 0),
    ];
    /// Squares that a knight can well go to, by their number.
    KNIGHT_MOBILITY[9] = [
        (-28, -34), (-20, -51), (-9, -15), (-5, 8), (2, 10), (8, 22), (11, 21), (14, 20),
        (16, 20),
    ];
    /// Squares that a bishop can well go to, by their number.
    BISHOP_MOBILITY[14] = [
        (-22, -36), (-8, -30), (4, -13), (8, 9), (11, 21), (16, 24), (17, 32), (18, 29),
        (17, 31), (20, 32), (21, 28), (16, 19), (35, 23), (38, 17),
    ];
    /// Squares that a rook can well go to, by their number.
    ROOK_MOBILITY[15] = [
        (-48, -60), (-17, -36), (-5, -5), (-3, 4), (-1, 8), (-2, 23), (-2, 28), (0, 27),
        (5, 34), (11, 34), (8, 45), (19, 40), (10, 52), (25, 48), (35, 42),
    ];
    /// Squares that a queen can well go to, by their number.
    QUEEN_MOBILITY[28] = [
        (-26, -50), (-18, -43), (-14, -38), (-12, -29), (-6, -19), (-7, -11), (-5, -15), (-2, 2),
        (2, 21), (2, 31), (7, 31), (7, 39), (3, 56), (8, 57), (12, 53), (13, 56),
        (11, 56), (6, 63), (12, 59), (15, 65), (19, 69), (17, 62), (25, 70), (20, 55),
        (22, 69), (20, 65), (24, 74), (25, 72),
    ];
    /// A knight on a square that a pawn protects and no enemy pawn can ever attack.
    OUTPOST_KNIGHT = (25, 6);
    /// A bishop on such a square.
    OUTPOST_BISHOP = (25, -5);
    /// A knight that can reach such a square in one move.
    OUTPOST_REACH = (16, 11);
    /// A minor piece right behind a pawn.
    SHIELDED = (5, 9);
    /// Each own pawn on the bishop's color, more when the middle is blocked.
    BAD_BISHOP = (-1, -6);
    /// A bishop that sees both middle squares of a long diagonal.
    LONG_DIAGONAL = (16, 9);
    /// Each enemy pawn on the diagonals of a bishop, whatever stands between.
    BISHOP_TIED = (-1, -7);
    /// A bishop shut in on the seventh rank by a pawn.
    TRAPPED_BISHOP = (-70, -60);
    /// A rook on a file without pawns.
    ROOK_OPEN = (25, 7);
    /// A rook on a file without own pawns.
    ROOK_HALF_OPEN = (14, 9);
    /// A rook on the seventh rank with pawns or the king to attack.
    ROOK_SEVENTH = (-1, 13);
    /// A rook that its own uncastled king shuts in.
    TRAPPED_ROOK = (-13, -18);
    /// A rook on the file of the enemy queen.
    ROOK_ON_QUEEN = (11, 14);
    /// A queen on the seventh rank with the king to attack.
    QUEEN_SEVENTH = (6, 10);
    /// A minor piece far from its own king, for each step.
    FAR_FROM_KING = (-3, -1);
    /// A piece pinned to its king: knight, bishop, rook, queen.
    PINNED[4] = [
        (9, 3), (21, 11), (2, -5), (-10, -15),
    ];
    /// The nearest own pawn before the king on a file, by its rank; the first entry stands for none.
    SHELTER[8] = [
        (-20, 17), (24, -5), (7, -2), (-1, -6), (-11, 0), (-10, -7), (-21, 2), (0, 0),
    ];
    /// The nearest enemy pawn coming at the king on a file, by its rank as the defender counts; the first stands for none.
    STORM[8] = [
        (-7, 6), (-2, 15), (-30, 8), (-18, 9), (-9, -1), (-1, 0), (-5, 9), (0, 0),
    ];
    /// The same when an own pawn stands right before it.
    STORM_BLOCKED[8] = [
        (0, 0), (0, 0), (-11, -7), (-8, 1), (0, -7), (-8, -10), (1, -21), (0, 0),
    ];
    /// A file at the king without own pawns.
    KING_HALF_OPEN = (-5, -14);
    /// A file at the king without pawns.
    KING_OPEN = (-21, -18);
    /// A king on a wing without any pawn.
    PAWNLESS_WING = (-4, -43);
    /// Danger: a piece attacking the king's zone, for each such piece there is; knight, bishop, rook, queen.
    ATTACKER[4] = [
        (28, 30), (20, 22), (7, 22), (3, 16),
    ];
    /// Danger: each attack on a square next to the king.
    RING_ATTACK = (8, 13);
    /// Danger: a square next to the king that is attacked and poorly defended.
    WEAK_SQUARE = (54, 51);
    /// Danger: a check from a square where the piece is safe; knight, bishop, rook, queen.
    SAFE_CHECK[4] = [
        (305, 297), (201, 222), (359, 371), (293, 305),
    ];
    /// Danger: a second safe check by the same kind of piece.
    SAFE_CHECKS[4] = [
        (96, 100), (72, 73), (124, 123), (106, 102),
    ];
    /// Danger: a check that costs the piece.
    UNSAFE_CHECK = (58, 54);
    /// Danger: a piece pinned to the king.
    PINNED_DEFENDER = (29, 40);
    /// Danger: a square of the king's wing that the enemy attacks; twice attacked, twice counted.
    WING_ATTACK = (19, -2);
    /// Danger: a square of its wing that the king's side defends.
    WING_DEFENCE = (-10, 3);
    /// Danger: a knight beside the king, or that guards a square beside it.
    KNIGHT_GUARD = (-43, -20);
    /// Danger: the attacker has no queen.
    NO_QUEEN = (-427, -425);
    /// Danger: what is there before anything happens.
    CALM = (-84, -92);
    /// Danger: as SHELTER.
    DANGER_SHELTER[8] = [
        (48, 53), (-71, -73), (-27, -37), (26, 14), (33, 32), (50, 48), (57, 54), (0, 0),
    ];
    /// Danger: as STORM.
    DANGER_STORM[8] = [
        (23, -14), (3, 0), (105, 104), (62, 61), (12, 21), (-1, 7), (3, 4), (0, 0),
    ];
    /// Danger: as STORM_BLOCKED.
    DANGER_STORM_BLOCKED[8] = [
        (0, 0), (0, 0), (56, 51), (31, 31), (11, 12), (5, 3), (-1, 0), (0, 0),
    ];
    /// Danger: as KING_HALF_OPEN.
    DANGER_HALF_OPEN = (28, 30);
    /// Danger: as KING_OPEN.
    DANGER_OPEN = (41, 43);
    /// A passed pawn, by its rank.
    PASSED[8] = [
        (0, 0), (5, 14), (10, 17), (0, 38), (17, 72), (64, 98), (117, 158), (0, 0),
    ];
    /// A passed pawn whose next square is empty, by its rank.
    PASSED_FREE[8] = [
        (0, 0), (7, -7), (4, -9), (8, 7), (-7, 1), (0, 11), (13, 72), (0, 0),
    ];
    /// Free, and no square of its way is attacked or taken by the enemy.
    PASSED_SAFE[8] = [
        (0, 0), (6, 9), (1, -4), (-12, 19), (13, 42), (26, 57), (26, 89), (0, 0),
    ];
    /// Free, and the next square is not attacked.
    PASSED_SAFE_STEP[8] = [
        (0, 0), (4, -5), (3, 7), (13, -3), (21, 11), (17, 31), (12, 40), (0, 0),
    ];
    /// A passed pawn whose next square its own side attacks, by its rank.
    PASSED_SUPPORTED[8] = [
        (0, 0), (0, 7), (0, 4), (-1, 17), (3, 18), (27, 34), (30, 50), (0, 0),
    ];
    /// Steps of the own king to the square before a passed pawn, up to five, by the pawn's rank.
    PASSED_OUR_KING[8] = [
        (0, 0), (-7, 2), (-9, 3), (2, -10), (3, -15), (-4, -21), (1, -33), (0, 0),
    ];
    /// The same of the enemy king.
    PASSED_THEIR_KING[8] = [
        (0, 0), (2, -2), (3, 0), (-4, 12), (0, 21), (-3, 43), (0, 47), (0, 0),
    ];
    /// A passed pawn stopped by an enemy piece right before it, by its rank.
    PASSED_BLOCKED[8] = [
        (0, 0), (0, 2), (-11, -7), (-8, -4), (-8, -6), (-7, -9), (-16, -32), (0, 0),
    ];
    /// A passed pawn by its file, from the edge to the middle.
    PASSED_FILE[4] = [
        (3, 6), (2, 1), (-12, -2), (6, 4),
    ];
    /// An own rook behind a passed pawn.
    ROOK_BEHIND_PASSED = (9, 10);
    /// An enemy rook behind a passed pawn.
    ROOK_HUNTS_PASSED = (-16, -49);
    /// A passed pawn that a lone king cannot catch, by its rank.
    UNSTOPPABLE[8] = [
        (0, 0), (0, 87), (0, 172), (0, 257), (0, 344), (0, 433), (0, 521), (0, 0),
    ];
    /// A piece attacked by a pawn.
    THREAT_BY_PAWN = (58, 40);
    /// A piece that a pawn could attack with its next step.
    THREAT_BY_PUSH = (18, 15);
    /// A piece attacked by a minor piece: pawn to king.
    THREAT_BY_MINOR[6] = [
        (3, 23), (11, 34), (39, 25), (52, 27), (45, 44), (0, 0),
    ];
    /// A piece attacked by a rook: pawn to king.
    THREAT_BY_ROOK[6] = [
        (1, 19), (20, 16), (23, 16), (9, 23), (47, 19), (0, 0),
    ];
    /// Something weak attacked by the king.
    THREAT_BY_KING = (17, 21);
    /// Attacked and not defended, or attacked twice and defended once.
    HANGING = (17, 25);
    /// Squares that the enemy attacks and does not hold strongly, attacked by us too.
    RESTRICTED = (2, 1);
    /// A square from which a knight could attack the only enemy queen next.
    KNIGHT_NEARS_QUEEN = (6, -3);
    /// A square from which a bishop or rook could do so, with support.
    SLIDER_NEARS_QUEEN = (14, 3);
    /// Room behind the own pawns in the middle: safe squares times pieces, in three sixteenths.
    SPACE = (3, -8);
    /// Being the one to move.
    THE_MOVE = (20, 13);
}
