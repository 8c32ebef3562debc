//! The weights of the evaluation, in centipawns: middle game and endgame.
//!
//! `sparring tune` writes this file in full; change a number by hand and it will be where tuning starts from.

super::weight::weights! {
    /// A piece anywhere on the board: pawn, knight, bishop, rook, queen.
    MATERIAL[5] = [
        (64, 118), (312, 397), (338, 407), (423, 663), (1003, 1167),
    ];
    /// Two bishops or more.
    BISHOP_PAIR = (17, 57);
    /// A knight, by the number of its own pawns.
    KNIGHT_BY_PAWNS[9] = [
        (-52, 18), (16, -18), (-13, 1), (-11, 2), (-6, 0), (-2, 1), (4, 3), (4, 11),
        (6, 5),
    ];
    /// A rook, by the number of its own pawns.
    ROOK_BY_PAWNS[9] = [
        (2, 19), (-18, 10), (-12, 17), (-10, 15), (-10, 10), (-7, 4), (-1, -1), (10, -2),
        (15, 1),
    ];
    /// A pawn on a square: ranks from its own side's first, files from the edge to the middle.
    PAWN_SQUARES[32] = [
        (0, 0), (0, 0), (0, 0), (0, 0),
        (-17, 5), (-3, 5), (-5, 11), (-17, 15),
        (-10, -4), (-4, -11), (-2, -8), (-4, 1),
        (-11, -1), (-12, 3), (5, -5), (5, 1),
        (-2, 14), (7, 17), (4, 17), (16, 5),
        (13, 30), (34, 15), (28, 30), (42, 8),
        (23, 27), (34, 26), (41, 40), (56, 31),
        (0, 0), (0, 0), (0, 0), (0, 0),
    ];
    /// A knight on a square: ranks from its own side's first, files from the edge to the middle.
    KNIGHT_SQUARES[32] = [
        (-46, -54), (-30, -32), (-23, -22), (-21, -20),
        (-32, -22), (-16, -11), (-2, -17), (-10, -4),
        (-22, -14), (3, -14), (0, -11), (-1, 3),
        (5, -9), (4, 5), (17, 7), (13, 12),
        (19, -5), (10, 7), (19, 9), (21, 13),
        (-18, -3), (12, -6), (17, 4), (22, 9),
        (-14, -10), (-13, 3), (19, -8), (27, 5),
        (-91, -75), (-35, -7), (-76, 20), (-18, 10),
    ];
    /// A bishop on a square: ranks from its own side's first, files from the edge to the middle.
    BISHOP_SQUARES[32] = [
        (-7, -13), (3, 0), (-17, -6), (-4, -17),
        (10, 0), (10, -23), (6, -7), (2, -3),
        (1, -3), (16, -9), (10, -15), (8, 10),
        (14, -14), (1, 2), (11, 6), (26, 8),
        (7, -3), (10, 7), (12, 7), (19, 8),
        (10, -11), (3, 9), (2, -2), (9, 5),
        (-8, 15), (-23, 3), (12, 7), (-12, 4),
        (-29, 0), (-19, 17), (-79, 18), (-22, 16),
    ];
    /// A rook on a square: ranks from its own side's first, files from the edge to the middle.
    ROOK_SQUARES[32] = [
        (-9, -17), (-11, -6), (-2, -12), (2, -16),
        (-35, -10), (-21, 4), (-9, -1), (-10, -3),
        (-28, 2), (-15, 4), (-17, 8), (-18, 6),
        (-23, 19), (-16, 16), (-15, 15), (-11, 8),
        (-9, 20), (1, 14), (-2, 16), (2, 9),
        (-1, 18), (13, 16), (13, 8), (15, 4),
        (11, 9), (23, 4), (28, -4), (37, -9),
        (27, 6), (9, 19), (14, 13), (13, 13),
    ];
    /// A queen on a square: ranks from its own side's first, files from the edge to the middle.
    QUEEN_SQUARES[32] = [
        (-4, -18), (-13, -42), (-16, -40), (-8, -69),
        (-4, -28), (-2, -36), (5, -35), (-10, -13),
        (-7, -7), (1, -14), (-5, 14), (-5, 10),
        (-5, -7), (-6, 7), (-4, 16), (-8, 30),
        (6, 6), (-5, 32), (4, 19), (-6, 43),
        (6, 22), (12, 28), (-1, 43), (3, 52),
        (-1, 4), (-6, 7), (5, 5), (-15, 30),
        (-3, 25), (6, 28), (24, 6), (17, 24),
    ];
    /// A king on a square: ranks from its own side's first, files from the edge to the middle.
    KING_SQUARES[32] = [
        (42, -70), (51, -51), (10, -36), (8, -45),
        (30, -38), (33, -27), (-3, -14), (-22, -7),
        (6, -26), (22, -22), (-5, -2), (-28, 2),
        (-44, -8), (-33, 4), (-29, 10), (-74, 25),
        (-49, 2), (-34, 19), (-49, 30), (-85, 36),
        (-27, -4), (-29, 37), (-44, 40), (-60, 41),
        (-27, -12), (-6, 31), (-38, 40), (-52, 34),
        (-43, -103), (4, -16), (-29, 19), (-47, 3),
    ];
    /// A pawn behind another of its side on the same file.
    DOUBLED = (-10, -17);
    /// A pawn without a neighbour on the files beside it.
    ISOLATED = (-8, -4);
    /// An isolated pawn that no enemy pawn stands before, so that rooks can attack it.
    ISOLATED_OPEN = (-8, -14);
    /// A pawn behind its neighbours that cannot step forward safely.
    BACKWARD = (-1, -6);
    /// A backward pawn that no enemy pawn stands before.
    BACKWARD_OPEN = (-10, -3);
    /// A pawn beside another, by its rank.
    PHALANX[8] = [
        (0, 0), (5, 4), (5, 6), (7, 7), (16, 23), (53, 32), (87, 144), (0, 0),
    ];
    /// A pawn that another protects, by its rank.
    PROTECTED[8] = [
        (0, 0), (0, 0), (12, 17), (10, 12), (16, 11), (26, 51), (108, 73), (0, 0),
    ];
    /// A pawn that exchanges will make a passed one, by its rank.
    CANDIDATE[8] = [
        (0, 0), (2, -6), (0, 0), (7, 14), (15, 27), (37, 41), (0, 0), (0, 0),
    ];
    /// Squares that a knight can well go to, by their number.
    KNIGHT_MOBILITY[9] = [
        (-24, -59), (-11, -36), (-3, -8), (0, 12), (4, 17), (8, 25), (11, 30), (12, 30),
        (15, 30),
    ];
    /// Squares that a bishop can well go to, by their number.
    BISHOP_MOBILITY[14] = [
        (-19, -55), (-9, -32), (0, -5), (5, 11), (8, 24), (12, 28), (14, 32), (14, 34),
        (14, 35), (16, 37), (22, 32), (25, 29), (41, 27), (31, 33),
    ];
    /// Squares that a rook can well go to, by their number.
    ROOK_MOBILITY[15] = [
        (-57, -69), (-11, -38), (0, -4), (0, 0), (1, 11), (0, 24), (0, 32), (2, 33),
        (4, 41), (10, 40), (8, 46), (11, 51), (10, 53), (9, 58), (16, 57),
    ];
    /// Squares that a queen can well go to, by their number.
    QUEEN_MOBILITY[28] = [
        (2, -36), (-16, -27), (-13, -45), (-9, -61), (-6, -42), (-5, -17), (-3, -8), (-1, 9),
        (1, 25), (2, 42), (2, 56), (5, 56), (6, 62), (7, 66), (5, 74), (5, 75),
        (3, 80), (1, 85), (6, 83), (7, 84), (14, 69), (26, 62), (21, 60), (20, 41),
        (15, 57), (13, 37), (16, 65), (15, 54),
    ];
    /// A knight on a square that a pawn protects and no enemy pawn can ever attack.
    OUTPOST_KNIGHT = (26, 5);
    /// A bishop on such a square.
    OUTPOST_BISHOP = (24, 0);
    /// A knight that can reach such a square in one move.
    OUTPOST_REACH = (17, 8);
    /// A minor piece right behind a pawn.
    SHIELDED = (4, 9);
    /// Each own pawn on the bishop's color, more when the middle is blocked.
    BAD_BISHOP = (-1, -5);
    /// A bishop that sees both middle squares of a long diagonal.
    LONG_DIAGONAL = (12, 16);
    /// Each enemy pawn on the diagonals of a bishop, whatever stands between.
    BISHOP_TIED = (-1, -4);
    /// A bishop shut in on the seventh rank by a pawn.
    TRAPPED_BISHOP = (-92, -38);
    /// A rook on a file without pawns.
    ROOK_OPEN = (29, 2);
    /// A rook on a file without own pawns.
    ROOK_HALF_OPEN = (17, 0);
    /// A rook on the seventh rank with pawns or the king to attack.
    ROOK_SEVENTH = (-10, 19);
    /// A rook that its own uncastled king shuts in.
    TRAPPED_ROOK = (-6, -21);
    /// A rook on the file of the enemy queen.
    ROOK_ON_QUEEN = (11, 13);
    /// A queen on the seventh rank with the king to attack.
    QUEEN_SEVENTH = (9, 19);
    /// A minor piece far from its own king, for each step.
    FAR_FROM_KING = (-2, -2);
    /// A piece pinned to its king: knight, bishop, rook, queen.
    PINNED[4] = [
        (15, 60), (22, 51), (18, 15), (17, 38),
    ];
    /// The nearest own pawn before the king on a file, by its rank; the first entry stands for none.
    SHELTER[8] = [
        (-30, 16), (20, -6), (6, -6), (-2, -6), (-10, -6), (-20, -3), (6, 11), (0, 0),
    ];
    /// The nearest enemy pawn coming at the king on a file, by its rank as the defender counts; the first stands for none.
    STORM[8] = [
        (-13, 9), (6, 9), (-13, 11), (-22, 13), (-16, 3), (-8, 1), (-11, 9), (0, 0),
    ];
    /// The same when an own pawn stands right before it.
    STORM_BLOCKED[8] = [
        (0, 0), (0, 0), (-7, -14), (-7, 2), (-5, -7), (-3, -8), (3, -27), (0, 0),
    ];
    /// A file at the king without own pawns.
    KING_HALF_OPEN = (9, -14);
    /// A file at the king without pawns.
    KING_OPEN = (-6, -22);
    /// A king on a wing without any pawn.
    PAWNLESS_WING = (-8, -52);
    /// Danger: a piece attacking the king's zone, for each such piece there is; knight, bishop, rook, queen.
    ATTACKER[4] = [
        (31, 59), (10, 42), (6, 55), (-5, 2),
    ];
    /// Danger: each attack on a square next to the king.
    RING_ATTACK = (22, -8);
    /// Danger: a square next to the king that is attacked and poorly defended.
    WEAK_SQUARE = (40, -10);
    /// Danger: a check from a square where the piece is safe; knight, bishop, rook, queen.
    SAFE_CHECK[4] = [
        (290, 311), (143, 277), (261, 411), (250, 373),
    ];
    /// Danger: a second safe check by the same kind of piece.
    SAFE_CHECKS[4] = [
        (44, 89), (86, 76), (156, 131), (142, 135),
    ];
    /// Danger: a check that costs the piece.
    UNSAFE_CHECK = (59, 35);
    /// Danger: a piece pinned to the king.
    PINNED_DEFENDER = (29, 46);
    /// Danger: a square of the king's wing that the enemy attacks; twice attacked, twice counted.
    WING_ATTACK = (20, 13);
    /// Danger: a square of its wing that the king's side defends.
    WING_DEFENCE = (-21, 8);
    /// Danger: a knight beside the king, or that guards a square beside it.
    KNIGHT_GUARD = (-68, -24);
    /// Danger: the attacker has no queen.
    NO_QUEEN = (-448, -395);
    /// Danger: what is there before anything happens.
    CALM = (-17, -90);
    /// Danger: as SHELTER.
    DANGER_SHELTER[8] = [
        (42, 1), (-11, -68), (4, -16), (57, 41), (83, 44), (70, 42), (71, 54), (0, 0),
    ];
    /// Danger: as STORM.
    DANGER_STORM[8] = [
        (63, -41), (25, 9), (140, 124), (65, 70), (12, 12), (9, 1), (14, 14), (0, 0),
    ];
    /// Danger: as STORM_BLOCKED.
    DANGER_STORM_BLOCKED[8] = [
        (0, 0), (0, 0), (125, 62), (31, 31), (8, 1), (21, 2), (-3, -2), (0, 0),
    ];
    /// Danger: as KING_HALF_OPEN.
    DANGER_HALF_OPEN = (51, 49);
    /// Danger: as KING_OPEN.
    DANGER_OPEN = (9, -25);
    /// A passed pawn, by its rank.
    PASSED[8] = [
        (0, 0), (17, 11), (43, 14), (-13, 50), (-6, 86), (69, 123), (107, 108), (0, 0),
    ];
    /// A passed pawn whose next square is empty, by its rank.
    PASSED_FREE[8] = [
        (0, 0), (4, 3), (-8, 0), (-4, 0), (11, -4), (-9, -19), (12, 39), (0, 0),
    ];
    /// Free, and no square of its way is attacked or taken by the enemy.
    PASSED_SAFE[8] = [
        (0, 0), (-21, 9), (-19, 11), (-37, 36), (-16, 47), (6, 77), (-15, 131), (0, 0),
    ];
    /// Free, and the next square is not attacked.
    PASSED_SAFE_STEP[8] = [
        (0, 0), (2, -4), (12, -1), (5, 6), (8, 10), (23, 19), (12, 40), (0, 0),
    ];
    /// A passed pawn whose next square its own side attacks, by its rank.
    PASSED_SUPPORTED[8] = [
        (0, 0), (11, 3), (3, 9), (3, 12), (1, 17), (32, 35), (51, 63), (0, 0),
    ];
    /// Steps of the own king to the square before a passed pawn, up to five, by the pawn's rank.
    PASSED_OUR_KING[8] = [
        (0, 0), (-11, 5), (-6, 1), (9, -13), (5, -20), (-1, -26), (0, -30), (0, 0),
    ];
    /// The same of the enemy king.
    PASSED_THEIR_KING[8] = [
        (0, 0), (-1, -3), (-6, 0), (-6, 14), (-3, 27), (-7, 46), (-3, 60), (0, 0),
    ];
    /// A passed pawn stopped by an enemy piece right before it, by its rank.
    PASSED_BLOCKED[8] = [
        (0, 0), (-2, -1), (-12, 10), (-12, -3), (7, -7), (-37, -26), (-32, -21), (0, 0),
    ];
    /// A passed pawn by its file, from the edge to the middle.
    PASSED_FILE[4] = [
        (4, 7), (2, 5), (-8, 0), (4, -8),
    ];
    /// An own rook behind a passed pawn.
    ROOK_BEHIND_PASSED = (13, 17);
    /// An enemy rook behind a passed pawn.
    ROOK_HUNTS_PASSED = (-10, -53);
    /// A passed pawn that a lone king cannot catch, by its rank.
    UNSTOPPABLE[8] = [
        (0, 0), (0, 107), (-1, 152), (-3, 165), (-5, 257), (-1, 461), (0, 543), (0, 0),
    ];
    /// A piece attacked by a pawn.
    THREAT_BY_PAWN = (53, 42);
    /// A piece that a pawn could attack with its next step.
    THREAT_BY_PUSH = (17, 12);
    /// A piece attacked by a minor piece: pawn to king.
    THREAT_BY_MINOR[6] = [
        (4, 21), (12, 34), (37, 24), (47, 19), (46, 20), (0, 0),
    ];
    /// A piece attacked by a rook: pawn to king.
    THREAT_BY_ROOK[6] = [
        (4, 19), (20, 20), (27, 19), (-4, 11), (44, -1), (0, 0),
    ];
    /// Something weak attacked by the king.
    THREAT_BY_KING = (23, 17);
    /// Attacked and not defended, or attacked twice and defended once.
    HANGING = (16, 25);
    /// Squares that the enemy attacks and does not hold strongly, attacked by us too.
    RESTRICTED = (3, 1);
    /// A square from which a knight could attack the only enemy queen next.
    KNIGHT_NEARS_QUEEN = (7, -4);
    /// A square from which a bishop or rook could do so, with support.
    SLIDER_NEARS_QUEEN = (11, 4);
    /// Room behind the own pawns in the middle: safe squares times pieces, in three sixteenths.
    SPACE = (2, -8);
    /// Being the one to move.
    THE_MOVE = (21, 14);
}
