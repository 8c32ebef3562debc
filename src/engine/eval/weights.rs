//! The weights of the evaluation, in centipawns: middle game and endgame.
//!
//! `sparring tune` writes this file in full; change a number by hand and it will be where tuning starts from.

super::weight::weights! {
    /// A piece anywhere on the board: pawn, knight, bishop, rook, queen.
    MATERIAL[5] = [
        (59, 119), (308, 411), (336, 420), (413, 689), (984, 1208),
    ];
    /// Two bishops or more.
    BISHOP_PAIR = (17, 57);
    /// A knight, by the number of its own pawns.
    KNIGHT_BY_PAWNS[9] = [
        (-78, 27), (21, -24), (-12, -2), (-4, -3), (-3, -1), (-1, 4), (5, 8), (7, 14),
        (8, 13),
    ];
    /// A rook, by the number of its own pawns.
    ROOK_BY_PAWNS[9] = [
        (11, 15), (-24, 11), (-18, 19), (-15, 18), (-11, 12), (-7, 7), (-1, 3), (8, 4),
        (16, 8),
    ];
    /// A pawn on a square: ranks from its own side's first, files from the edge to the middle.
    PAWN_SQUARES[32] = [
        (0, 0), (0, 0), (0, 0), (0, 0),
        (-16, 11), (-5, 6), (-6, 13), (-13, 18),
        (-11, 0), (-8, -7), (-2, -6), (-6, 0),
        (-12, 7), (-14, 5), (6, -5), (6, 2),
        (1, 16), (6, 16), (5, 14), (18, -1),
        (16, 25), (25, 7), (25, 23), (42, 12),
        (34, 17), (34, 18), (32, 45), (57, 34),
        (0, 0), (0, 0), (0, 0), (0, 0),
    ];
    /// A knight on a square: ranks from its own side's first, files from the edge to the middle.
    KNIGHT_SQUARES[32] = [
        (-46, -47), (-23, -33), (-22, -23), (-24, -18),
        (-25, -23), (-13, -10), (-4, -20), (-12, -7),
        (-17, -11), (0, -12), (-3, -15), (0, -2),
        (7, -9), (7, 5), (14, 4), (9, 12),
        (14, 1), (10, 4), (15, 4), (23, 12),
        (-6, -5), (12, -9), (13, 1), (18, 9),
        (-20, -4), (-6, 3), (20, -5), (31, 5),
        (-92, -57), (-32, -1), (-93, 32), (-16, 5),
    ];
    /// A bishop on a square: ranks from its own side's first, files from the edge to the middle.
    BISHOP_SQUARES[32] = [
        (-5, -19), (5, -3), (-12, -9), (-5, -16),
        (19, -2), (9, -26), (8, -7), (-3, -2),
        (3, 4), (21, -1), (7, -10), (7, 6),
        (18, -18), (8, 0), (14, 4), (21, 7),
        (11, -2), (8, 10), (12, 4), (21, 10),
        (-3, -2), (6, 7), (1, -6), (13, 3),
        (-5, 15), (-21, 5), (8, 9), (-11, 9),
        (-27, 3), (-32, 22), (-87, 27), (-27, 14),
    ];
    /// A rook on a square: ranks from its own side's first, files from the edge to the middle.
    ROOK_SQUARES[32] = [
        (-7, -15), (-7, -10), (-3, -11), (-2, -17),
        (-28, -2), (-21, 2), (-12, 1), (-6, -6),
        (-27, 8), (-16, 8), (-18, 11), (-17, 6),
        (-20, 23), (-18, 19), (-12, 17), (-6, 4),
        (-4, 23), (-5, 18), (2, 17), (6, 7),
        (-6, 25), (14, 15), (9, 8), (22, -1),
        (6, 6), (16, 4), (20, -5), (29, -8),
        (20, 12), (16, 19), (12, 14), (11, 15),
    ];
    /// A queen on a square: ranks from its own side's first, files from the edge to the middle.
    QUEEN_SQUARES[32] = [
        (-5, -18), (-14, -40), (-14, -43), (-9, -65),
        (-9, -25), (-6, -31), (3, -36), (-10, -10),
        (-8, -5), (-2, -11), (-7, 8), (-3, 8),
        (-5, -8), (-11, 14), (-3, 15), (-11, 38),
        (-1, 14), (-7, 40), (2, 25), (-6, 44),
        (0, 25), (6, 29), (1, 33), (8, 38),
        (-1, 11), (2, 7), (4, 13), (1, 31),
        (-13, 25), (6, 24), (28, 7), (21, 28),
    ];
    /// A king on a square: ranks from its own side's first, files from the edge to the middle.
    KING_SQUARES[32] = [
        (43, -75), (48, -56), (11, -40), (1, -45),
        (33, -46), (26, -28), (3, -23), (-26, -8),
        (12, -29), (11, -19), (-6, -4), (-31, 6),
        (-32, -8), (-27, 7), (-25, 12), (-57, 24),
        (-48, 3), (-35, 23), (-48, 37), (-89, 41),
        (-39, 10), (-37, 32), (-40, 45), (-57, 46),
        (-35, -17), (-14, 27), (-32, 45), (-52, 39),
        (-47, -102), (5, -18), (-27, 10), (-39, 3),
    ];
    /// What is added to a pawn on a square of the wing where kings stand: the enemy's, then its own, then both; squares as above.
    PAWN_BESIDE_KINGS[96] = [
        (0, 0), (0, 0), (0, 0), (0, 0),
        (-7, -1), (-7, 6), (-1, 0), (-4, -2),
        (-7, 0), (-6, 1), (0, 2), (-1, 1),
        (-4, -7), (0, -9), (-2, 1), (-1, -6),
        (-6, -8), (-6, -6), (6, -7), (2, 5),
        (-7, 1), (18, 1), (-1, 3), (-7, 16),
        (-2, 10), (18, -3), (-1, -11), (2, 5),
        (0, 0), (0, 0), (0, 0), (0, 0),
        (0, 0), (0, 0), (0, 0), (0, 0),
        (9, -2), (15, -1), (10, -1), (5, 1),
        (5, -1), (14, -4), (1, 3), (9, 3),
        (5, 0), (6, 7), (-3, 9), (6, -3),
        (-4, 18), (2, 14), (1, 10), (2, 5),
        (-12, 32), (2, 43), (-7, 36), (-4, 19),
        (-1, 12), (2, 33), (-5, 38), (-16, 26),
        (0, 0), (0, 0), (0, 0), (0, 0),
        (0, 0), (0, 0), (0, 0), (0, 0),
        (12, -15), (15, -2), (14, 0), (1, 3),
        (9, -12), (16, -7), (4, 2), (6, 5),
        (7, -15), (9, -5), (4, 1), (2, 0),
        (1, -11), (6, -8), (4, -4), (-1, 4),
        (2, -10), (12, 1), (16, -1), (1, 4),
        (3, -6), (-7, -2), (30, -20), (-14, -5),
        (0, 0), (0, 0), (0, 0), (0, 0),
    ];
    /// What is added to a knight on a square of the wing where kings stand: the enemy's, then its own, then both; squares as above.
    KNIGHT_BESIDE_KINGS[96] = [
        (-8, 5), (-12, 12), (-8, 3), (-5, 5),
        (12, 4), (-16, 1), (-6, -5), (-6, 1),
        (-5, -2), (-4, 6), (-8, 5), (-9, 5),
        (-4, -2), (6, -19), (-1, 6), (2, 0),
        (13, -3), (3, -9), (-1, 5), (-3, 1),
        (-5, 0), (6, -5), (-1, -1), (13, -11),
        (4, -5), (-4, -12), (2, -6), (-6, -9),
        (0, -30), (-1, -31), (-3, -6), (8, 4),
        (-1, -7), (-13, 7), (-4, 4), (0, 8),
        (-26, 11), (-7, 0), (-9, 11), (-1, -9),
        (-8, -5), (-5, -3), (-1, 5), (-14, 13),
        (-9, 2), (-12, -1), (-1, -1), (-2, -1),
        (-1, -13), (2, -4), (16, -3), (1, 1),
        (8, -12), (1, -3), (9, 0), (5, -8),
        (7, 0), (-9, 4), (-2, -3), (-1, 1),
        (4, 19), (-2, 14), (9, -1), (9, 1),
        (4, 7), (-8, 2), (-1, 2), (13, -11),
        (-4, 10), (-1, -8), (3, -4), (3, -1),
        (-2, -5), (3, -4), (4, -1), (0, 4),
        (2, 0), (5, -5), (5, -1), (6, 1),
        (10, -10), (2, -2), (10, 0), (-3, -3),
        (-3, -3), (-3, 8), (36, -16), (18, -3),
        (18, -14), (-2, 5), (25, -2), (-12, 9),
        (12, 4), (-5, -10), (-22, -8), (5, 14),
    ];
    /// What is added to a bishop on a square of the wing where kings stand: the enemy's, then its own, then both; squares as above.
    BISHOP_BESIDE_KINGS[96] = [
        (-13, 5), (1, 12), (-11, 7), (-10, 3),
        (-21, 8), (-9, 8), (-3, 8), (-8, 8),
        (-8, 1), (-13, -1), (-7, -1), (-6, 4),
        (-13, 9), (-10, 3), (-8, 2), (7, 0),
        (-7, -4), (0, -8), (-3, 2), (3, 0),
        (14, -11), (-10, 0), (1, 12), (0, -2),
        (3, -9), (12, -15), (10, -9), (-2, 7),
        (0, -7), (4, -5), (-5, -11), (-8, 18),
        (-12, 7), (-8, 3), (-16, 5), (-1, 14),
        (-14, -7), (1, 4), (-7, 1), (-1, 0),
        (3, -22), (-8, -4), (2, -6), (-4, 4),
        (-8, 8), (-14, -3), (-3, 4), (2, 3),
        (-1, -4), (-1, -4), (3, 3), (-3, 0),
        (8, 0), (0, 5), (2, 6), (-8, 5),
        (6, 4), (-1, 2), (-4, 1), (7, -2),
        (-1, 1), (-1, 3), (-13, 0), (7, 5),
        (-7, 5), (-12, 1), (-14, 5), (-1, 1),
        (-12, -10), (-2, -1), (-1, -6), (4, -6),
        (-7, -12), (-12, -7), (3, -8), (-1, 2),
        (-7, 2), (-6, 3), (-5, -2), (5, 1),
        (-4, -7), (5, -8), (5, 2), (-2, -3),
        (17, 2), (5, 4), (9, -4), (-2, 3),
        (-8, -13), (0, -14), (-20, 3), (-1, -6),
        (15, -18), (-4, -2), (-24, 1), (9, 4),
    ];
    /// What is added to a rook on a square of the wing where kings stand: the enemy's, then its own, then both; squares as above.
    ROOK_BESIDE_KINGS[96] = [
        (-7, -9), (-4, -6), (-4, -9), (-7, -4),
        (-7, -6), (-4, -7), (-2, -7), (-2, -7),
        (3, -13), (-4, -14), (0, -18), (-6, -12),
        (-9, -16), (3, -17), (-3, -14), (-19, 3),
        (-10, -9), (12, -12), (-7, -11), (-10, -2),
        (-3, -16), (-7, -13), (-5, 0), (-16, -2),
        (1, -8), (-9, 0), (2, -10), (-3, -7),
        (8, -4), (-11, -4), (3, -18), (-5, -13),
        (-13, -7), (-13, 6), (-8, -3), (-3, -1),
        (-21, -10), (2, -7), (-4, -3), (-7, -2),
        (-5, -12), (-4, -4), (-5, -5), (-8, 0),
        (-7, -9), (-15, 2), (-21, 5), (-10, 0),
        (-1, -14), (-14, 3), (2, -8), (-5, -3),
        (-5, -8), (-13, 1), (9, -7), (1, -3),
        (18, -17), (-2, -4), (-6, -3), (-1, -4),
        (1, -22), (3, -11), (5, -3), (0, -1),
        (3, -23), (-8, -6), (3, -11), (7, -9),
        (-8, -23), (4, -13), (10, -14), (-4, -2),
        (8, -24), (4, -12), (8, -19), (4, -10),
        (4, -21), (6, -7), (1, -13), (-9, 3),
        (3, -19), (6, -12), (-7, -10), (0, -7),
        (3, -22), (-14, 0), (8, -7), (3, -6),
        (13, -14), (-5, 0), (7, -3), (-17, 5),
        (4, -3), (-5, -3), (-15, 3), (-5, 0),
    ];
    /// What is added to a queen on a square of the wing where kings stand: the enemy's, then its own, then both; squares as above.
    QUEEN_BESIDE_KINGS[96] = [
        (-7, 4), (-1, 12), (-10, -14), (-1, -6),
        (6, 24), (9, 0), (-4, 2), (-9, 21),
        (6, 6), (0, 12), (0, 4), (-5, 4),
        (1, 15), (-2, 9), (2, 8), (3, -8),
        (-1, -4), (-3, -2), (0, 2), (-8, 8),
        (3, 3), (-1, -2), (6, -17), (3, 2),
        (8, 17), (19, 4), (18, 17), (3, -4),
        (11, 0), (11, -8), (9, 12), (10, -4),
        (-11, 6), (-20, -16), (-18, 7), (-14, 4),
        (-21, -12), (1, -3), (-3, 13), (0, -3),
        (-2, -12), (-7, -4), (2, -1), (-11, 15),
        (-11, 1), (3, -8), (-9, -7), (-4, -12),
        (12, -18), (1, -10), (-2, 5), (-1, 12),
        (5, -11), (7, -8), (6, 9), (6, 8),
        (4, -20), (-7, 7), (21, 3), (1, 2),
        (9, -3), (13, -6), (5, 6), (-2, -2),
        (-1, -2), (0, -9), (-3, -4), (-1, 10),
        (7, 1), (9, -16), (3, -4), (2, -6),
        (7, -1), (2, 4), (4, 8), (-1, 7),
        (1, 19), (8, -4), (-1, 1), (4, -3),
        (10, 0), (5, -3), (2, -8), (-1, 0),
        (13, 11), (0, 18), (15, 6), (1, 2),
        (16, 8), (31, 15), (23, -12), (1, 4),
        (15, 21), (-1, 14), (10, 17), (-4, -6),
    ];
    /// What is added to a king on a square of the wing where the enemy king stands; squares as above.
    KING_BESIDE_KING[32] = [
        (-1, 9), (-2, 9), (-9, 5), (6, 1),
        (0, 10), (5, 3), (-7, 13), (-3, 4),
        (-6, 6), (11, 1), (-9, 7), (10, -3),
        (-9, -1), (-4, 0), (1, -3), (-11, 3),
        (-11, 0), (9, -5), (9, -13), (3, 1),
        (-3, -7), (13, 5), (17, -8), (3, -7),
        (0, 10), (3, 12), (2, -23), (-6, -6),
        (-11, -28), (1, 6), (-6, -2), (4, 2),
    ];
    /// A pawn behind another of its side on the same file.
    DOUBLED = (-10, -18);
    /// A pawn without a neighbour on the files beside it.
    ISOLATED = (-8, -4);
    /// An isolated pawn that no enemy pawn stands before, so that rooks can attack it.
    ISOLATED_OPEN = (-7, -13);
    /// A pawn behind its neighbours that cannot step forward safely.
    BACKWARD = (0, -7);
    /// A backward pawn that no enemy pawn stands before.
    BACKWARD_OPEN = (-9, -4);
    /// A pawn beside another, by its rank.
    PHALANX[8] = [
        (0, 0), (5, 2), (5, 6), (7, 8), (16, 23), (49, 32), (81, 145), (0, 0),
    ];
    /// A pawn that another protects, by its rank.
    PROTECTED[8] = [
        (0, 0), (0, 0), (12, 16), (11, 12), (15, 13), (28, 47), (129, 74), (0, 0),
    ];
    /// A pawn that exchanges will make a passed one, by its rank.
    CANDIDATE[8] = [
        (0, 0), (2, -8), (1, 0), (7, 13), (14, 28), (33, 48), (0, 0), (0, 0),
    ];
    /// Squares that a knight can well go to, by their number.
    KNIGHT_MOBILITY[9] = [
        (-22, -76), (-12, -38), (-5, -3), (-1, 16), (3, 23), (7, 31), (10, 37), (12, 38),
        (15, 37),
    ];
    /// Squares that a bishop can well go to, by their number.
    BISHOP_MOBILITY[14] = [
        (-15, -55), (-7, -28), (3, -2), (6, 13), (9, 24), (13, 29), (14, 33), (15, 36),
        (16, 36), (18, 37), (21, 34), (26, 31), (33, 29), (21, 36),
    ];
    /// Squares that a rook can well go to, by their number.
    ROOK_MOBILITY[15] = [
        (-50, -69), (-14, -33), (-4, -1), (-1, 3), (0, 14), (-1, 26), (0, 34), (2, 35),
        (4, 42), (8, 43), (7, 49), (9, 53), (8, 56), (10, 60), (16, 60),
    ];
    /// Squares that a queen can well go to, by their number.
    QUEEN_MOBILITY[28] = [
        (9, -28), (-15, -31), (-13, -45), (-8, -71), (-6, -49), (-6, -14), (-5, 1), (-3, 17),
        (-1, 33), (-1, 47), (0, 58), (1, 65), (2, 71), (3, 74), (1, 81), (1, 82),
        (1, 86), (0, 90), (5, 87), (6, 87), (10, 72), (27, 58), (25, 64), (29, 37),
        (19, 50), (17, 23), (18, 65), (7, 40),
    ];
    /// A knight on a square that a pawn protects and no enemy pawn can ever attack.
    OUTPOST_KNIGHT = (26, 6);
    /// A bishop on such a square.
    OUTPOST_BISHOP = (22, 3);
    /// A knight that can reach such a square in one move.
    OUTPOST_REACH = (17, 8);
    /// A minor piece right behind a pawn.
    SHIELDED = (3, 9);
    /// Each own pawn on the bishop's color, more when the middle is blocked.
    BAD_BISHOP = (-1, -5);
    /// A bishop that sees both middle squares of a long diagonal.
    LONG_DIAGONAL = (12, 16);
    /// Each enemy pawn on the diagonals of a bishop, whatever stands between.
    BISHOP_TIED = (-2, -3);
    /// A bishop shut in by pawns on the edge of the seventh rank, or beside the corner of the eighth.
    TRAPPED_BISHOP = (-89, -30);
    /// A rook on a file without pawns.
    ROOK_OPEN = (30, 1);
    /// A rook on a file without own pawns.
    ROOK_HALF_OPEN = (18, 0);
    /// A rook on the seventh rank with pawns or the king to attack.
    ROOK_SEVENTH = (-4, 18);
    /// A rook that its own uncastled king shuts in.
    TRAPPED_ROOK = (-7, -16);
    /// A rook on the file of the enemy queen.
    ROOK_ON_QUEEN = (10, 10);
    /// A queen on the seventh rank with pawns there or the king behind it to attack.
    QUEEN_SEVENTH = (0, 13);
    /// A minor piece far from its own king, for each step.
    FAR_FROM_KING = (-3, -3);
    /// A piece pinned to its king: knight, bishop, rook, queen.
    PINNED[4] = [
        (14, 82), (17, 62), (16, 19), (16, 74),
    ];
    /// The nearest own pawn before the king on a file, by its rank; the first entry stands for none.
    SHELTER[8] = [
        (-31, 16), (13, -4), (4, -5), (-3, -4), (-10, -4), (-19, -1), (17, 2), (0, 0),
    ];
    /// The nearest enemy pawn coming at the king on a file, by its rank as the defender counts; the first stands for none.
    STORM[8] = [
        (-16, 12), (24, -4), (-8, 10), (-23, 12), (-19, 7), (-12, 5), (-15, 11), (0, 0),
    ];
    /// The same when an own pawn stands right before it.
    STORM_BLOCKED[8] = [
        (0, 0), (0, 0), (-5, -21), (-9, 0), (-8, -6), (-5, -6), (0, -21), (0, 0),
    ];
    /// A file at the king without own pawns.
    KING_HALF_OPEN = (13, -12);
    /// A file at the king without pawns.
    KING_OPEN = (-1, -20);
    /// A king on a wing without any pawn.
    PAWNLESS_WING = (8, -59);
    /// Danger: a piece attacking the king's zone, for each such piece there is; knight, bishop, rook, queen.
    ATTACKER[4] = [
        (29, 65), (9, 53), (7, 59), (-4, -13),
    ];
    /// Danger: each attack on a square next to the king.
    RING_ATTACK = (25, 1);
    /// Danger: a square next to the king that is attacked and poorly defended.
    WEAK_SQUARE = (39, -38);
    /// Danger: a check from a square where the piece is safe; knight, bishop, rook, queen.
    SAFE_CHECK[4] = [
        (288, 324), (136, 328), (240, 455), (238, 431),
    ];
    /// Danger: a second safe check by the same kind of piece.
    SAFE_CHECKS[4] = [
        (22, 85), (81, 77), (179, 138), (136, 161),
    ];
    /// Danger: a check that costs the piece.
    UNSAFE_CHECK = (54, 25);
    /// Danger: a piece pinned to the king.
    PINNED_DEFENDER = (23, 52);
    /// Danger: a square of the king's wing that the enemy attacks; twice attacked, twice counted.
    WING_ATTACK = (19, 20);
    /// Danger: a square of its wing that the king's side defends.
    WING_DEFENCE = (-23, 6);
    /// Danger: a knight beside the king, or that guards a square beside it.
    KNIGHT_GUARD = (-68, -24);
    /// Danger: the attacker has no queen.
    NO_QUEEN = (-443, -372);
    /// Danger: what is there before anything happens.
    CALM = (6, -91);
    /// Danger: as SHELTER.
    DANGER_SHELTER[8] = [
        (49, -8), (-4, -74), (9, -10), (74, 47), (102, 49), (87, 42), (69, 50), (0, 0),
    ];
    /// Danger: as STORM.
    DANGER_STORM[8] = [
        (63, -52), (40, 17), (169, 143), (69, 88), (13, 7), (4, -11), (9, 6), (0, 0),
    ];
    /// Danger: as STORM_BLOCKED.
    DANGER_STORM_BLOCKED[8] = [
        (0, 0), (0, 0), (150, 67), (38, 26), (2, -6), (21, -4), (3, -1), (0, 0),
    ];
    /// Danger: as KING_HALF_OPEN.
    DANGER_HALF_OPEN = (39, 55);
    /// Danger: as KING_OPEN.
    DANGER_OPEN = (-7, -50);
    /// A passed pawn, by its rank.
    PASSED[8] = [
        (0, 0), (22, 17), (39, 20), (-20, 58), (-13, 95), (50, 119), (110, 99), (0, 0),
    ];
    /// A passed pawn whose next square is empty, by its rank.
    PASSED_FREE[8] = [
        (0, 0), (0, 8), (-5, -1), (-1, 0), (13, -12), (-18, -21), (18, 24), (0, 0),
    ];
    /// Free, and no square of its way is attacked or taken by the enemy.
    PASSED_SAFE[8] = [
        (0, 0), (-34, 13), (-32, 20), (-53, 42), (-25, 51), (10, 73), (-21, 141), (0, 0),
    ];
    /// Free, and the next square is not attacked.
    PASSED_SAFE_STEP[8] = [
        (0, 0), (4, -4), (8, 1), (2, 10), (6, 14), (28, 19), (12, 40), (0, 0),
    ];
    /// A passed pawn whose next square its own side attacks, by its rank.
    PASSED_SUPPORTED[8] = [
        (0, 0), (7, 2), (3, 8), (4, 11), (7, 15), (25, 40), (44, 74), (0, 0),
    ];
    /// Steps of the own king to the square before a passed pawn, up to five, by the pawn's rank.
    PASSED_OUR_KING[8] = [
        (0, 0), (-8, 2), (-3, -3), (9, -14), (6, -21), (3, -27), (4, -34), (0, 0),
    ];
    /// The same of the enemy king.
    PASSED_THEIR_KING[8] = [
        (0, 0), (0, -5), (-5, 0), (-2, 11), (-2, 26), (-4, 46), (-6, 65), (0, 0),
    ];
    /// A passed pawn stopped by an enemy piece right before it, by its rank.
    PASSED_BLOCKED[8] = [
        (0, 0), (-2, -1), (-4, 0), (-9, -3), (11, -18), (-42, -28), (-51, -14), (0, 0),
    ];
    /// A passed pawn by its file, from the edge to the middle.
    PASSED_FILE[4] = [
        (-5, 14), (-5, 9), (-13, 3), (-5, -6),
    ];
    /// An own rook behind a passed pawn.
    ROOK_BEHIND_PASSED = (10, 17);
    /// An enemy rook behind a passed pawn.
    ROOK_HUNTS_PASSED = (2, -59);
    /// A passed pawn that a lone king cannot catch, by its rank.
    UNSTOPPABLE[8] = [
        (0, 0), (0, 113), (-2, 122), (-5, 131), (-8, 235), (-2, 470), (0, 552), (0, 0),
    ];
    /// A piece attacked by a pawn.
    THREAT_BY_PAWN = (53, 42);
    /// A piece that a pawn could attack with its next step.
    THREAT_BY_PUSH = (16, 12);
    /// A piece attacked by a minor piece: pawn to king.
    THREAT_BY_MINOR[6] = [
        (4, 20), (12, 33), (37, 24), (46, 22), (47, 23), (0, 0),
    ];
    /// A piece attacked by a rook: pawn to king.
    THREAT_BY_ROOK[6] = [
        (4, 18), (19, 20), (27, 19), (-2, 6), (48, -5), (0, 0),
    ];
    /// Something weak attacked by the king.
    THREAT_BY_KING = (28, 14);
    /// Attacked and not defended, or attacked twice and defended once.
    HANGING = (15, 25);
    /// Squares that the enemy attacks and does not hold strongly, attacked by us too.
    RESTRICTED = (3, 1);
    /// A square from which a knight could attack the only enemy queen next.
    KNIGHT_NEARS_QUEEN = (7, -4);
    /// A square from which a bishop or rook could do so, with support.
    SLIDER_NEARS_QUEEN = (11, 5);
    /// Room behind the own pawns in the middle: safe squares times pieces, in three sixteenths.
    SPACE = (2, -8);
    /// Being the one to move.
    THE_MOVE = (20, 15);
}
