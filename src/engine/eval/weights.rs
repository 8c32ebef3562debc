//! The weights of the evaluation, in centipawns: middle game and endgame.
//!
//! `sparring tune` writes this file in full; change a number by hand and it will be where tuning starts from.

super::weight::weights! {
    /// A piece anywhere on the board: pawn, knight, bishop, rook, queen.
    MATERIAL[5] = [
        (84, 112), (345, 318), (358, 332), (486, 572), (1030, 1070),
    ];
    /// Two bishops or more.
    BISHOP_PAIR = (24, 58);
    /// A pawn on a square: ranks from its own side's first, files from the edge to the middle.
    PAWN_SQUARES[32] = [
        (0, 0), (0, 0), (0, 0), (0, 0),
        (-16, 6), (-7, 5), (-7, 1), (5, -2),
        (-18, 0), (-9, -1), (-9, -5), (3, -8),
        (-10, -2), (-1, -3), (-1, -7), (11, -10),
        (0, 8), (9, 7), (9, 3), (21, 0),
        (14, 26), (23, 25), (23, 21), (35, 18),
        (32, 50), (41, 49), (41, 45), (53, 42),
        (0, 0), (0, 0), (0, 0), (0, 0),
    ];
    /// A knight on a square: ranks from its own side's first, files from the edge to the middle.
    KNIGHT_SQUARES[32] = [
        (-54, -46), (-38, -32), (-24, -22), (-20, -14),
        (-38, -36), (-22, -22), (-8, -12), (-4, -4),
        (-26, -24), (-10, -10), (4, 0), (8, 8),
        (-14, -12), (2, 2), (16, 12), (20, 20),
        (-6, -8), (10, 6), (24, 16), (28, 24),
        (-4, -16), (12, -2), (26, 8), (30, 16),
        (-22, -30), (-6, -16), (8, -6), (12, 2),
        (-64, -50), (-48, -36), (-34, -26), (-30, -18),
    ];
    /// A bishop on a square: ranks from its own side's first, files from the edge to the middle.
    BISHOP_SQUARES[32] = [
        (-13, -15), (-5, -11), (-7, -8), (-4, -6),
        (1, -11), (9, -7), (7, -4), (10, -2),
        (1, -5), (9, -1), (7, 2), (10, 4),
        (0, -1), (8, 3), (6, 6), (9, 8),
        (0, -1), (8, 3), (6, 6), (9, 8),
        (1, -3), (9, 1), (7, 4), (10, 6),
        (-13, -7), (-5, -3), (-7, 0), (-4, 2),
        (-23, -13), (-15, -9), (-17, -6), (-14, -4),
    ];
    /// A rook on a square: ranks from its own side's first, files from the edge to the middle.
    ROOK_SQUARES[32] = [
        (-10, -8), (-5, -6), (2, -8), (6, -10),
        (-18, -8), (-13, -6), (-6, -8), (-2, -10),
        (-20, -4), (-15, -2), (-8, -4), (-4, -6),
        (-16, 4), (-11, 6), (-4, 4), (0, 2),
        (-8, 8), (-3, 10), (4, 8), (8, 6),
        (0, 8), (5, 10), (12, 8), (16, 6),
        (8, 10), (13, 12), (20, 10), (24, 8),
        (2, 8), (7, 10), (14, 8), (18, 6),
    ];
    /// A queen on a square: ranks from its own side's first, files from the edge to the middle.
    QUEEN_SQUARES[32] = [
        (-5, -38), (0, -30), (2, -22), (2, -16),
        (-3, -32), (2, -24), (4, -16), (4, -10),
        (-7, -16), (-2, -8), (0, 0), (0, 6),
        (-9, -2), (-4, 6), (-2, 14), (-2, 20),
        (-9, 6), (-4, 14), (-2, 22), (-2, 28),
        (-3, 6), (2, 14), (4, 22), (4, 28),
        (-7, 0), (-2, 8), (0, 16), (0, 22),
        (1, -6), (6, 2), (8, 10), (8, 16),
    ];
    /// A king on a square: ranks from its own side's first, files from the edge to the middle.
    KING_SQUARES[32] = [
        (46, -58), (52, -40), (20, -30), (8, -26),
        (24, -36), (30, -18), (-2, -8), (-14, -4),
        (-6, -24), (0, -6), (-32, 4), (-44, 8),
        (-26, -14), (-20, 4), (-52, 14), (-64, 18),
        (-30, -4), (-24, 14), (-56, 24), (-68, 28),
        (-24, 0), (-18, 18), (-50, 28), (-62, 32),
        (-16, -10), (-10, 8), (-42, 18), (-54, 22),
        (-16, -36), (-10, -18), (-42, -8), (-54, -4),
    ];
    /// A pawn behind another of its side on the same file.
    DOUBLED = (-8, -22);
    /// A pawn without a neighbour on the files beside it.
    ISOLATED = (-10, -12);
    /// An isolated pawn that no enemy pawn stands before, so that rooks can attack it.
    ISOLATED_OPEN = (-12, -8);
    /// A pawn behind its neighbours that cannot step forward safely.
    BACKWARD = (-7, -9);
    /// A backward pawn that no enemy pawn stands before.
    BACKWARD_OPEN = (-12, -8);
    /// A pawn beside another, by its rank.
    PHALANX[8] = [
        (0, 0), (3, -1), (8, 3), (12, 10), (28, 30), (60, 80), (90, 130), (0, 0),
    ];
    /// A pawn that another protects, by its rank.
    PROTECTED[8] = [
        (0, 0), (0, 0), (12, 8), (10, 8), (16, 14), (36, 34), (80, 60), (0, 0),
    ];
    /// A pawn that exchanges will make a passed one, by its rank.
    CANDIDATE[8] = [
        (0, 0), (-2, 4), (0, 6), (6, 14), (16, 28), (30, 50), (0, 0), (0, 0),
    ];
    /// Squares that a knight can well go to, by their number.
    KNIGHT_MOBILITY[9] = [
        (-44, -58), (-26, -34), (-10, -14), (-2, -4), (6, 4), (11, 12), (16, 16), (20, 18),
        (24, 16),
    ];
    /// Squares that a bishop can well go to, by their number.
    BISHOP_MOBILITY[14] = [
        (-34, -46), (-18, -26), (-4, -12), (3, 0), (9, 8), (14, 16), (18, 20), (21, 24),
        (23, 27), (25, 28), (28, 28), (32, 26), (36, 28), (40, 24),
    ];
    /// Squares that a rook can well go to, by their number.
    ROOK_MOBILITY[15] = [
        (-36, -60), (-20, -34), (-12, -14), (-8, -2), (-5, 8), (-2, 15), (2, 21), (6, 26),
        (10, 30), (14, 34), (17, 38), (20, 41), (22, 43), (26, 44), (32, 42),
    ];
    /// Squares that a queen can well go to, by their number.
    QUEEN_MOBILITY[28] = [
        (-26, -50), (-23, -42), (-20, -34), (-17, -26), (-14, -18), (-11, -10), (-8, -2), (-5, 6),
        (-2, 14), (1, 22), (4, 30), (7, 38), (10, 46), (11, 48), (12, 50), (13, 52),
        (14, 54), (15, 56), (16, 58), (17, 60), (18, 62), (19, 64), (20, 66), (21, 68),
        (22, 70), (23, 72), (24, 74), (25, 76),
    ];
    /// A knight on a square that a pawn protects and no enemy pawn can ever attack.
    OUTPOST_KNIGHT = (26, 18);
    /// A bishop on such a square.
    OUTPOST_BISHOP = (18, 6);
    /// A knight that can reach such a square in one move.
    OUTPOST_REACH = (10, 4);
    /// A minor piece right behind a pawn.
    SHIELDED = (8, 4);
    /// Each own pawn on the bishop's color, more when the middle is blocked.
    BAD_BISHOP = (-2, -5);
    /// A bishop that sees both middle squares of a long diagonal.
    LONG_DIAGONAL = (14, 4);
    /// A bishop shut in on the seventh rank by a pawn.
    TRAPPED_BISHOP = (-70, -60);
    /// A rook on a file without pawns.
    ROOK_OPEN = (32, 10);
    /// A rook on a file without own pawns.
    ROOK_HALF_OPEN = (13, 8);
    /// A rook on the seventh rank with pawns or the king to attack.
    ROOK_SEVENTH = (6, 22);
    /// A rook that its own uncastled king shuts in.
    TRAPPED_ROOK = (-34, -10);
    /// A rook on the file of the enemy queen.
    ROOK_ON_QUEEN = (6, 6);
    /// A minor piece far from its own king, for each step.
    FAR_FROM_KING = (-3, -2);
    /// The nearest own pawn before the king on a file, by its rank; the first entry stands for none.
    SHELTER[8] = [
        (-26, 0), (26, 0), (14, 0), (-2, 0), (-10, 0), (-16, 0), (-18, 0), (0, 0),
    ];
    /// The nearest enemy pawn coming at the king on a file, by its rank as the defender counts; the first stands for none.
    STORM[8] = [
        (0, 0), (0, 0), (-34, 0), (-20, 0), (-8, 0), (-2, 0), (0, 0), (0, 0),
    ];
    /// The same when an own pawn stands right before it.
    STORM_BLOCKED[8] = [
        (0, 0), (0, 0), (-17, 0), (-10, 0), (-4, 0), (-1, 0), (0, 0), (0, 0),
    ];
    /// A file at the king without own pawns.
    KING_HALF_OPEN = (-10, 0);
    /// A file at the king without pawns.
    KING_OPEN = (-22, 0);
    /// Danger: a piece attacking the king's zone, for each such piece there is; knight, bishop, rook, queen.
    ATTACKER[4] = [
        (38, 38), (26, 26), (22, 22), (12, 12),
    ];
    /// Danger: each attack on a square next to the king.
    RING_ATTACK = (34, 34);
    /// Danger: a square next to the king that is attacked and poorly defended.
    WEAK_SQUARE = (76, 76);
    /// Danger: a check from a square where the piece is safe; knight, bishop, rook, queen.
    SAFE_CHECK[4] = [
        (300, 300), (220, 220), (370, 370), (300, 300),
    ];
    /// Danger: a second safe check by the same kind of piece.
    SAFE_CHECKS[4] = [
        (100, 100), (73, 73), (123, 123), (100, 100),
    ];
    /// Danger: a check that costs the piece.
    UNSAFE_CHECK = (60, 60);
    /// Danger: a piece pinned to the king.
    PINNED_DEFENDER = (40, 40);
    /// Danger: the attacker has no queen.
    NO_QUEEN = (-420, -420);
    /// Danger: what is there before anything happens.
    CALM = (-90, -90);
    /// Danger: as SHELTER.
    DANGER_SHELTER[8] = [
        (78, 78), (-78, -78), (-42, -42), (6, 6), (30, 30), (48, 48), (54, 54), (0, 0),
    ];
    /// Danger: as STORM.
    DANGER_STORM[8] = [
        (0, 0), (0, 0), (102, 102), (60, 60), (24, 24), (6, 6), (0, 0), (0, 0),
    ];
    /// Danger: as STORM_BLOCKED.
    DANGER_STORM_BLOCKED[8] = [
        (0, 0), (0, 0), (51, 51), (30, 30), (12, 12), (3, 3), (0, 0), (0, 0),
    ];
    /// Danger: as KING_HALF_OPEN.
    DANGER_HALF_OPEN = (30, 30);
    /// Danger: as KING_OPEN.
    DANGER_OPEN = (66, 66);
    /// A passed pawn, by its rank.
    PASSED[8] = [
        (0, 0), (2, 10), (2, 14), (2, 26), (24, 52), (62, 104), (120, 170), (0, 0),
    ];
    /// A passed pawn whose next square is empty, by its rank.
    PASSED_FREE[8] = [
        (0, 0), (0, 0), (0, 2), (2, 8), (6, 18), (10, 38), (16, 70), (0, 0),
    ];
    /// Free, and no square of its way is attacked or taken by the enemy.
    PASSED_SAFE[8] = [
        (0, 0), (0, 0), (2, 4), (4, 10), (10, 24), (18, 50), (24, 80), (0, 0),
    ];
    /// Free, and the next square is not attacked.
    PASSED_SAFE_STEP[8] = [
        (0, 0), (0, 0), (1, 2), (2, 5), (5, 12), (9, 25), (12, 40), (0, 0),
    ];
    /// A passed pawn whose next square its own side attacks, by its rank.
    PASSED_SUPPORTED[8] = [
        (0, 0), (0, 0), (0, 2), (2, 6), (6, 14), (14, 24), (20, 30), (0, 0),
    ];
    /// Steps of the own king to the square before a passed pawn, up to five, by the pawn's rank.
    PASSED_OUR_KING[8] = [
        (0, 0), (0, 0), (0, 0), (0, -3), (0, -6), (0, -9), (0, -12), (0, 0),
    ];
    /// The same of the enemy king.
    PASSED_THEIR_KING[8] = [
        (0, 0), (0, 0), (0, 0), (0, 5), (0, 10), (0, 15), (0, 20), (0, 0),
    ];
    /// A passed pawn that a lone king cannot catch, by its rank.
    UNSTOPPABLE[8] = [
        (0, 0), (0, 86), (0, 173), (0, 260), (0, 346), (0, 433), (0, 520), (0, 0),
    ];
    /// A piece attacked by a pawn.
    THREAT_BY_PAWN = (58, 36);
    /// A piece that a pawn could attack with its next step.
    THREAT_BY_PUSH = (16, 14);
    /// A piece attacked by a minor piece: pawn to king.
    THREAT_BY_MINOR[6] = [
        (2, 14), (20, 22), (24, 24), (46, 32), (42, 44), (0, 0),
    ];
    /// A piece attacked by a rook: pawn to king.
    THREAT_BY_ROOK[6] = [
        (0, 16), (18, 22), (20, 26), (0, 14), (40, 20), (0, 0),
    ];
    /// Something weak attacked by the king.
    THREAT_BY_KING = (10, 28);
    /// Attacked and not defended, or attacked twice and defended once.
    HANGING = (32, 18);
    /// Room behind the own pawns in the middle: safe squares times pieces, in three sixteenths.
    SPACE = (1, 0);
}
