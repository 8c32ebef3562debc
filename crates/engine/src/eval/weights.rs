//! The weights of the evaluation, in centipawns: middle game and endgame.
//!
//! `sparring-lab tune` writes this file in full; change a number by hand and it will be where tuning starts from.

super::weight::weights! {
    /// A piece anywhere on the board: pawn, knight, bishop, rook, queen.
    MATERIAL[5] = [
        (56, 123), (308, 422), (332, 434), (407, 711), (977, 1246),
    ];
    /// Two bishops or more.
    BISHOP_PAIR = (17, 59);
    /// A knight, by the number of its own pawns.
    KNIGHT_BY_PAWNS[9] = [
        (-62, 18), (17, -21), (-13, 0), (-5, 0), (-6, 2), (-2, 5), (3, 10), (6, 15),
        (6, 19),
    ];
    /// A rook, by the number of its own pawns.
    ROOK_BY_PAWNS[9] = [
        (23, 10), (-33, 18), (-25, 28), (-19, 26), (-12, 17), (-8, 10), (-1, 4), (8, 3),
        (19, 4),
    ];
    /// A pawn on a square: ranks from its own side's first, files from the edge to the middle.
    PAWN_SQUARES[32] = [
        (0, 0), (0, 0), (0, 0), (0, 0),
        (-16, 10), (-3, 4), (-6, 13), (-12, 20),
        (-11, -2), (-8, -11), (-2, -5), (-5, 0),
        (-12, 5), (-14, 5), (5, -6), (6, 2),
        (3, 18), (7, 12), (5, 12), (20, -1),
        (14, 28), (23, 14), (19, 26), (35, 21),
        (32, 11), (34, 16), (33, 51), (61, 34),
        (0, 0), (0, 0), (0, 0), (0, 0),
    ];
    /// A knight on a square: ranks from its own side's first, files from the edge to the middle.
    KNIGHT_SQUARES[32] = [
        (-45, -44), (-23, -35), (-22, -26), (-23, -15),
        (-22, -24), (-13, -10), (-7, -23), (-12, -11),
        (-18, -14), (-3, -10), (-4, -14), (0, -3),
        (7, -11), (7, 4), (13, 5), (8, 11),
        (13, 4), (8, 4), (14, 5), (22, 11),
        (-13, -7), (14, -8), (12, 3), (22, 10),
        (-15, -8), (-4, 10), (23, -2), (37, 6),
        (-88, -52), (-40, 2), (-91, 33), (-18, 12),
    ];
    /// A bishop on a square: ranks from its own side's first, files from the edge to the middle.
    BISHOP_SQUARES[32] = [
        (-2, -16), (4, -4), (-11, -10), (-4, -13),
        (18, -8), (10, -25), (9, -4), (-2, -4),
        (5, 3), (22, 2), (8, -10), (7, 4),
        (14, -11), (8, -1), (15, 6), (19, 8),
        (12, -4), (8, 11), (11, 2), (17, 10),
        (0, 4), (2, 12), (-5, -5), (14, 4),
        (-8, 14), (-18, 2), (12, 6), (-8, 8),
        (-24, 0), (-28, 24), (-92, 34), (-34, 16),
    ];
    /// A rook on a square: ranks from its own side's first, files from the edge to the middle.
    ROOK_SQUARES[32] = [
        (-8, -16), (-7, -10), (-5, -11), (-3, -17),
        (-28, -1), (-22, 4), (-13, 2), (-7, -9),
        (-26, 10), (-15, 10), (-21, 14), (-15, 5),
        (-22, 22), (-17, 22), (-15, 18), (-8, 6),
        (-5, 25), (-5, 22), (3, 17), (5, 7),
        (-6, 27), (14, 14), (13, 10), (23, 1),
        (12, 5), (14, 4), (21, -4), (30, -6),
        (16, 13), (14, 19), (15, 16), (8, 12),
    ];
    /// A queen on a square: ranks from its own side's first, files from the edge to the middle.
    QUEEN_SQUARES[32] = [
        (-5, -27), (-11, -46), (-14, -42), (-9, -61),
        (-6, -32), (-5, -34), (3, -33), (-10, -8),
        (-8, -6), (-2, -13), (-7, 13), (-4, 7),
        (-5, -7), (-9, 23), (-6, 24), (-10, 38),
        (-2, 18), (-7, 45), (0, 34), (-5, 39),
        (-5, 25), (8, 25), (0, 38), (7, 43),
        (-5, 7), (1, 7), (6, 13), (2, 35),
        (-19, 34), (12, 21), (25, 7), (21, 33),
    ];
    /// A king on a square: ranks from its own side's first, files from the edge to the middle.
    KING_SQUARES[32] = [
        (46, -81), (49, -60), (13, -43), (1, -46),
        (38, -47), (24, -29), (3, -22), (-24, -8),
        (13, -33), (8, -17), (-7, -2), (-32, 6),
        (-28, -5), (-27, 9), (-34, 16), (-59, 24),
        (-44, 7), (-34, 24), (-45, 37), (-94, 45),
        (-28, 4), (-34, 37), (-51, 52), (-68, 52),
        (-36, -7), (-13, 22), (-34, 44), (-59, 42),
        (-52, -114), (11, -21), (-19, 1), (-35, 5),
    ];
    /// What is added to a pawn on a square of the wing where kings stand: the enemy's, then its own, then both; squares as above.
    PAWN_BESIDE_KINGS[96] = [
        (0, 0), (0, 0), (0, 0), (0, 0),
        (-9, 1), (-9, 8), (0, 1), (-4, 0),
        (-8, -1), (-7, 2), (0, 0), (0, 2),
        (-6, -6), (-3, -11), (-1, 0), (0, -4),
        (-9, -12), (-7, -9), (12, -7), (-1, 8),
        (-8, 0), (9, 2), (14, 3), (1, 17),
        (-2, 11), (24, 4), (11, -19), (10, 16),
        (0, 0), (0, 0), (0, 0), (0, 0),
        (0, 0), (0, 0), (0, 0), (0, 0),
        (12, -2), (18, 1), (11, 0), (4, 4),
        (8, 0), (17, 0), (3, 2), (8, 4),
        (6, 4), (6, 10), (-3, 12), (3, 1),
        (-6, 20), (3, 20), (0, 11), (2, 6),
        (-9, 37), (3, 45), (-3, 42), (0, 22),
        (3, 19), (7, 39), (-5, 44), (-23, 34),
        (0, 0), (0, 0), (0, 0), (0, 0),
        (0, 0), (0, 0), (0, 0), (0, 0),
        (14, -18), (18, -2), (16, 1), (1, 5),
        (11, -14), (21, -8), (3, 3), (7, 6),
        (7, -16), (11, -8), (5, 1), (2, -1),
        (3, -18), (8, -8), (5, -5), (-2, 4),
        (4, -9), (6, 8), (13, 5), (0, 8),
        (7, -4), (-5, 15), (30, -19), (-6, -7),
        (0, 0), (0, 0), (0, 0), (0, 0),
    ];
    /// What is added to a knight on a square of the wing where kings stand: the enemy's, then its own, then both; squares as above.
    KNIGHT_BESIDE_KINGS[96] = [
        (-2, 7), (-13, 13), (-12, 12), (-4, 3),
        (9, 2), (-16, 6), (-7, 3), (-8, 5),
        (-5, 5), (-3, -1), (-8, 3), (-12, 7),
        (-3, 5), (15, -23), (-2, 5), (-2, 4),
        (16, -6), (4, -9), (7, 7), (0, 2),
        (8, 0), (-4, -1), (2, -4), (-1, -6),
        (2, -16), (-13, -17), (5, -5), (-8, -18),
        (-10, -39), (-2, -39), (-16, -9), (8, 6),
        (-10, 0), (-17, 9), (-1, 10), (-2, 2),
        (-22, 8), (4, -4), (-12, 14), (-5, -6),
        (-10, -5), (-6, -9), (-2, 4), (-12, 17),
        (-12, 6), (-7, 5), (-1, -2), (2, -2),
        (-5, -12), (4, -6), (14, -8), (-1, 2),
        (14, -10), (-1, 1), (4, 2), (4, -8),
        (9, -3), (-8, 3), (-12, -3), (-5, -5),
        (8, 23), (-1, 20), (15, 0), (2, 1),
        (10, 12), (-7, -3), (1, 4), (13, -7),
        (-4, 9), (2, -8), (5, -3), (3, 1),
        (-1, -2), (4, -7), (5, -3), (0, 2),
        (1, 2), (3, -2), (6, -2), (6, 0),
        (15, -10), (4, -5), (10, 2), (-4, 0),
        (4, 2), (-6, 6), (28, -11), (17, -1),
        (15, -14), (-17, -8), (19, 0), (-11, 6),
        (8, -2), (-3, -7), (-29, -9), (4, 15),
    ];
    /// What is added to a bishop on a square of the wing where kings stand: the enemy's, then its own, then both; squares as above.
    BISHOP_BESIDE_KINGS[96] = [
        (-16, 9), (-4, 23), (-14, 9), (-11, 13),
        (-18, 11), (-13, 12), (-2, 9), (-12, 11),
        (-13, 8), (-12, -3), (-8, -1), (-6, 7),
        (-13, 8), (-5, 3), (-11, 7), (5, 3),
        (-10, 1), (-4, -7), (-2, 5), (10, 3),
        (12, -14), (-5, -6), (10, 8), (2, 3),
        (1, -7), (6, -12), (7, -13), (0, 8),
        (8, -8), (6, -10), (2, -11), (-1, 24),
        (-16, 5), (-2, 7), (-18, 7), (-4, 15),
        (-18, 4), (1, 4), (-10, 4), (-3, 4),
        (2, -24), (-15, 1), (-1, -1), (-8, 8),
        (-14, 10), (-13, 6), (-6, 5), (5, 0),
        (-11, 4), (-3, -2), (6, 4), (-4, 5),
        (5, 2), (4, 4), (2, 13), (-4, 7),
        (8, 1), (-9, 9), (-5, 10), (10, 6),
        (1, -4), (-4, -2), (-22, -1), (9, 7),
        (-10, 2), (-6, -9), (-14, 5), (-2, 5),
        (-13, -17), (-2, -3), (-1, -9), (5, -5),
        (-7, -10), (-11, -12), (2, -9), (-2, 4),
        (-4, -15), (0, -1), (-7, -2), (7, -2),
        (-5, -5), (5, -13), (9, -3), (-1, 0),
        (10, -7), (6, 0), (14, -5), (3, 2),
        (3, -25), (5, -11), (-12, 3), (-4, -5),
        (13, -25), (0, -6), (-31, -3), (11, 5),
    ];
    /// What is added to a rook on a square of the wing where kings stand: the enemy's, then its own, then both; squares as above.
    ROOK_BESIDE_KINGS[96] = [
        (-7, -12), (-3, -13), (-5, -12), (-7, -9),
        (-6, -7), (5, -23), (-8, -12), (-1, -5),
        (0, -16), (2, -21), (11, -22), (-4, -15),
        (-5, -16), (7, -24), (-5, -14), (-19, -7),
        (-6, -14), (10, -17), (-5, -14), (-4, -5),
        (4, -23), (3, -22), (-8, -10), (-17, -3),
        (-6, -7), (-11, -7), (1, -13), (-6, -6),
        (3, -4), (-15, -8), (-1, -21), (-3, -11),
        (-17, -7), (-22, 9), (-10, 0), (-5, -1),
        (-22, -9), (3, -13), (-1, -9), (-6, -4),
        (-9, -12), (-6, -4), (-7, -11), (-13, -2),
        (-5, -10), (-20, 1), (-15, 1), (-15, -1),
        (-3, -13), (-15, -3), (-2, -6), (-2, 0),
        (-8, -13), (-10, 1), (1, -5), (-2, -5),
        (5, -12), (4, -8), (-17, -2), (-5, -4),
        (5, -21), (-2, -7), (1, -5), (0, 2),
        (5, -29), (-8, -10), (5, -13), (8, -10),
        (-8, -27), (12, -24), (12, -21), (1, -4),
        (8, -31), (4, -14), (13, -25), (4, -12),
        (4, -24), (0, -13), (3, -13), (-5, -4),
        (6, -22), (8, -17), (-3, -10), (4, -5),
        (4, -27), (-18, -3), (3, -7), (8, -10),
        (13, -18), (-2, -3), (11, -7), (-14, 2),
        (12, -12), (2, -5), (-8, 0), (-2, 2),
    ];
    /// What is added to a queen on a square of the wing where kings stand: the enemy's, then its own, then both; squares as above.
    QUEEN_BESIDE_KINGS[96] = [
        (-4, 16), (-5, 11), (-9, -12), (-2, -5),
        (5, 31), (6, -1), (-8, -3), (-11, 17),
        (3, 7), (-2, 13), (-4, -1), (-2, 2),
        (3, 11), (-6, 9), (4, 8), (2, -7),
        (-4, 6), (5, -4), (-2, 2), (2, 2),
        (11, 5), (0, 6), (5, -11), (-2, -1),
        (22, 17), (17, -2), (15, 11), (8, -4),
        (21, 2), (12, -11), (14, 11), (11, -5),
        (-8, -5), (-23, -16), (-18, 12), (-20, 7),
        (-20, -12), (-3, -8), (-8, 18), (-3, 2),
        (-6, -18), (-12, 5), (3, 1), (-10, 5),
        (-18, 6), (-3, -6), (-9, -9), (-5, -1),
        (12, -17), (-3, -6), (-3, 2), (1, 17),
        (9, -1), (8, -6), (3, 9), (9, -2),
        (3, -14), (-2, 8), (19, -4), (4, -1),
        (13, -2), (14, -10), (9, 4), (-5, -5),
        (-2, -9), (-6, -13), (-6, 3), (-3, 15),
        (4, -3), (12, -19), (3, -6), (3, -4),
        (5, -4), (1, 13), (2, 5), (-2, 8),
        (2, 26), (2, -4), (1, -2), (4, -7),
        (12, -5), (10, -3), (2, -4), (1, 3),
        (25, 6), (3, 7), (18, 2), (1, 3),
        (24, 12), (34, 12), (22, -8), (-8, 6),
        (25, 22), (-12, 15), (11, 12), (-8, -5),
    ];
    /// What is added to a king on a square of the wing where the enemy king stands; squares as above.
    KING_BESIDE_KING[32] = [
        (0, 9), (-3, 12), (-12, 9), (6, 2),
        (-3, 12), (5, 6), (-8, 13), (-5, 6),
        (-5, 9), (11, 1), (-10, 5), (6, 2),
        (-12, -1), (-9, -1), (1, -1), (-17, 7),
        (-16, -4), (1, -7), (12, -9), (7, -2),
        (6, -3), (17, -4), (16, -11), (7, -5),
        (-5, 1), (7, 20), (15, -10), (-7, -2),
        (-14, -50), (4, 0), (0, -2), (6, -2),
    ];
    /// A pawn behind another of its side on the same file.
    DOUBLED = (-11, -15);
    /// A pawn without a neighbour on the files beside it.
    ISOLATED = (-7, -6);
    /// An isolated pawn that no enemy pawn stands before, so that rooks can attack it.
    ISOLATED_OPEN = (-7, -11);
    /// A pawn behind its neighbours that cannot step forward safely.
    BACKWARD = (0, -10);
    /// A backward pawn that no enemy pawn stands before.
    BACKWARD_OPEN = (-10, -1);
    /// A pawn beside another, by its rank.
    PHALANX[8] = [
        (0, 0), (5, 2), (5, 6), (7, 8), (18, 20), (39, 37), (77, 141), (0, 0),
    ];
    /// A pawn that another protects, by its rank.
    PROTECTED[8] = [
        (0, 0), (0, 0), (12, 16), (11, 11), (16, 13), (33, 49), (132, 70), (0, 0),
    ];
    /// A pawn that exchanges will make a passed one, by its rank.
    CANDIDATE[8] = [
        (0, 0), (1, -8), (1, 0), (6, 13), (11, 28), (19, 50), (0, 0), (0, 0),
    ];
    /// A pawn that attacks enemy pawns, by its rank.
    LEVER[8] = [
        (0, 0), (0, -6), (8, 3), (3, 10), (7, 14), (11, 10), (0, 0), (0, 0),
    ];
    /// Squares that a knight can well go to, by their number.
    KNIGHT_MOBILITY[9] = [
        (-21, -78), (-11, -39), (-5, 0), (-1, 17), (3, 26), (7, 34), (10, 40), (12, 41),
        (14, 40),
    ];
    /// Squares that a bishop can well go to, by their number.
    BISHOP_MOBILITY[14] = [
        (-14, -61), (-6, -25), (3, -1), (6, 15), (9, 24), (12, 31), (14, 35), (14, 38),
        (15, 38), (15, 41), (21, 36), (21, 36), (37, 31), (22, 36),
    ];
    /// Squares that a rook can well go to, by their number.
    ROOK_MOBILITY[15] = [
        (-50, -66), (-14, -31), (-5, 3), (-2, 6), (-1, 15), (-1, 28), (-1, 35), (2, 36),
        (3, 43), (6, 44), (7, 49), (8, 54), (8, 57), (10, 62), (19, 61),
    ];
    /// Squares that a queen can well go to, by their number.
    QUEEN_MOBILITY[28] = [
        (4, -28), (-16, -22), (-13, -43), (-9, -61), (-7, -46), (-7, -14), (-6, 4), (-4, 21),
        (-2, 34), (-2, 49), (-1, 59), (0, 64), (1, 75), (1, 77), (0, 85), (1, 83),
        (0, 91), (-3, 95), (3, 91), (2, 91), (11, 75), (24, 61), (28, 62), (40, 31),
        (24, 40), (22, 19), (19, 63), (6, 32),
    ];
    /// A knight on a square that a pawn protects and no enemy pawn can ever attack.
    OUTPOST_KNIGHT = (26, 3);
    /// A bishop on such a square.
    OUTPOST_BISHOP = (20, 7);
    /// A knight that can reach such a square in one move.
    OUTPOST_REACH = (17, 8);
    /// A minor piece right behind a pawn.
    SHIELDED = (3, 9);
    /// Each own pawn on the bishop's color, more when the middle is blocked.
    BAD_BISHOP = (-1, -5);
    /// A bishop that sees both middle squares of a long diagonal.
    LONG_DIAGONAL = (11, 17);
    /// Each enemy pawn on the diagonals of a bishop, whatever stands between.
    BISHOP_TIED = (-2, -3);
    /// A bishop shut in by pawns on the edge of the seventh rank, or beside the corner of the eighth.
    TRAPPED_BISHOP = (-86, -43);
    /// A rook on a file without pawns.
    ROOK_OPEN = (28, 2);
    /// A rook on a file without own pawns.
    ROOK_HALF_OPEN = (17, 0);
    /// A rook on the seventh rank with pawns or the king to attack.
    ROOK_SEVENTH = (-8, 19);
    /// A rook that its own uncastled king shuts in.
    TRAPPED_ROOK = (-7, -17);
    /// A rook on the file of the enemy queen.
    ROOK_ON_QUEEN = (10, 9);
    /// A queen on the seventh rank with pawns there or the king behind it to attack.
    QUEEN_SEVENTH = (-1, 16);
    /// A minor piece far from its own king, for each step.
    FAR_FROM_KING = (-3, -3);
    /// A piece pinned to its king: knight, bishop, rook, queen.
    PINNED[4] = [
        (15, 90), (16, 66), (16, 11), (5, 93),
    ];
    /// The nearest own pawn before the king on a file, by its rank; the first entry stands for none.
    SHELTER[8] = [
        (-28, 16), (12, -3), (3, -4), (-4, -4), (-9, -2), (-20, -1), (13, -1), (0, 0),
    ];
    /// The nearest enemy pawn coming at the king on a file, by its rank as the defender counts; the first stands for none.
    STORM[8] = [
        (-17, 14), (28, -9), (-4, 11), (-22, 14), (-20, 8), (-12, 5), (-15, 12), (0, 0),
    ];
    /// The same when an own pawn stands right before it.
    STORM_BLOCKED[8] = [
        (0, 0), (0, 0), (-10, -21), (-10, -5), (-9, -5), (-5, -5), (-1, -19), (0, 0),
    ];
    /// A file at the king without own pawns.
    KING_HALF_OPEN = (11, -11);
    /// A file at the king without pawns.
    KING_OPEN = (-2, -20);
    /// A king on a wing without any pawn.
    PAWNLESS_WING = (-9, -58);
    /// Danger: a piece attacking the king's zone, for each such piece there is; knight, bishop, rook, queen.
    ATTACKER[4] = [
        (27, 69), (7, 56), (8, 54), (-3, -7),
    ];
    /// Danger: each attack on a square next to the king.
    RING_ATTACK = (25, 3);
    /// Danger: a square next to the king that is attacked and poorly defended.
    WEAK_SQUARE = (44, -49);
    /// Danger: a check from a square where the piece is safe; knight, bishop, rook, queen.
    SAFE_CHECK[4] = [
        (288, 329), (135, 354), (236, 467), (227, 457),
    ];
    /// Danger: a second safe check by the same kind of piece.
    SAFE_CHECKS[4] = [
        (27, 83), (73, 78), (166, 137), (135, 172),
    ];
    /// Danger: a check that costs the piece.
    UNSAFE_CHECK = (51, 31);
    /// Danger: a piece pinned to the king.
    PINNED_DEFENDER = (10, 57);
    /// Danger: a square of the king's wing that the enemy attacks; twice attacked, twice counted.
    WING_ATTACK = (20, 15);
    /// Danger: a square of its wing that the king's side defends.
    WING_DEFENCE = (-26, 8);
    /// Danger: a knight beside the king, or that guards a square beside it.
    KNIGHT_GUARD = (-71, -20);
    /// Danger: the attacker has no queen.
    NO_QUEEN = (-437, -356);
    /// Danger: what is there before anything happens.
    CALM = (19, -90);
    /// Danger: as SHELTER.
    DANGER_SHELTER[8] = [
        (51, -12), (-1, -66), (23, -7), (81, 47), (104, 49), (93, 37), (73, 51), (0, 0),
    ];
    /// Danger: as STORM.
    DANGER_STORM[8] = [
        (67, -48), (53, 20), (176, 151), (73, 102), (16, 6), (1, -24), (15, 6), (0, 0),
    ];
    /// Danger: as STORM_BLOCKED.
    DANGER_STORM_BLOCKED[8] = [
        (0, 0), (0, 0), (150, 68), (34, 25), (-1, -8), (23, -11), (15, -2), (0, 0),
    ];
    /// Danger: as KING_HALF_OPEN.
    DANGER_HALF_OPEN = (39, 59);
    /// Danger: as KING_OPEN.
    DANGER_OPEN = (-10, -66);
    /// A passed pawn, by its rank.
    PASSED[8] = [
        (0, 0), (31, 16), (35, 20), (-22, 63), (-11, 98), (56, 109), (114, 97), (0, 0),
    ];
    /// A passed pawn whose next square is empty, by its rank.
    PASSED_FREE[8] = [
        (0, 0), (-6, 9), (-8, -1), (0, 0), (11, -9), (-15, -17), (21, 23), (0, 0),
    ];
    /// Free, and no square of its way is attacked or taken by the enemy.
    PASSED_SAFE[8] = [
        (0, 0), (-38, 14), (-29, 21), (-50, 41), (-30, 54), (9, 79), (-16, 151), (0, 0),
    ];
    /// Free, and the next square is not attacked.
    PASSED_SAFE_STEP[8] = [
        (0, 0), (5, -6), (4, 4), (0, 10), (6, 12), (28, 18), (12, 40), (0, 0),
    ];
    /// A passed pawn whose next square its own side attacks, by its rank.
    PASSED_SUPPORTED[8] = [
        (0, 0), (4, 3), (3, 8), (4, 10), (6, 18), (26, 39), (40, 84), (0, 0),
    ];
    /// Steps of the own king to the square before a passed pawn, up to five, by the pawn's rank.
    PASSED_OUR_KING[8] = [
        (0, 0), (-7, 2), (-2, -3), (8, -15), (4, -21), (1, -29), (0, -35), (0, 0),
    ];
    /// The same of the enemy king.
    PASSED_THEIR_KING[8] = [
        (0, 0), (-2, -5), (-5, 0), (-2, 11), (0, 25), (-5, 50), (-5, 70), (0, 0),
    ];
    /// A passed pawn stopped by an enemy piece right before it, by its rank.
    PASSED_BLOCKED[8] = [
        (0, 0), (-6, 2), (-7, -2), (-3, -5), (9, -14), (-36, -23), (-52, -17), (0, 0),
    ];
    /// A passed pawn by its file, from the edge to the middle.
    PASSED_FILE[4] = [
        (-1, 16), (0, 8), (-11, 3), (-1, -11),
    ];
    /// An own rook behind a passed pawn.
    ROOK_BEHIND_PASSED = (9, 18);
    /// An enemy rook behind a passed pawn.
    ROOK_HUNTS_PASSED = (13, -66);
    /// A passed pawn that a lone king cannot catch, by its rank.
    UNSTOPPABLE[8] = [
        (0, 0), (0, 115), (-2, 115), (-6, 127), (-9, 236), (-3, 450), (0, 541), (0, 0),
    ];
    /// A piece attacked by a pawn.
    THREAT_BY_PAWN = (52, 44);
    /// A piece that a pawn could attack with its next step.
    THREAT_BY_PUSH = (15, 12);
    /// A piece attacked by a minor piece: pawn to king.
    THREAT_BY_MINOR[6] = [
        (4, 20), (12, 34), (35, 24), (47, 25), (46, 29), (0, 0),
    ];
    /// A piece attacked by a rook: pawn to king.
    THREAT_BY_ROOK[6] = [
        (4, 19), (18, 22), (25, 21), (-3, 4), (45, 1), (0, 0),
    ];
    /// Something weak attacked by the king.
    THREAT_BY_KING = (31, 12);
    /// Attacked and not defended, or attacked twice and defended once.
    HANGING = (15, 26);
    /// Squares that the enemy attacks and does not hold strongly, attacked by us too.
    RESTRICTED = (3, 1);
    /// A square from which a knight could attack the only enemy queen next.
    KNIGHT_NEARS_QUEEN = (7, -3);
    /// A square from which a bishop or rook could do so, with support.
    SLIDER_NEARS_QUEEN = (11, 4);
    /// Room behind the own pawns in the middle: safe squares times pieces, in three sixteenths.
    SPACE = (2, -8);
    /// Being the one to move.
    THE_MOVE = (19, 16);
}
