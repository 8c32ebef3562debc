// Games to network inputs: replays a game, and writes the bitboards, the legal moves and the notes on each of them.
// README.md ("Inputs") defines every plane and note; this file is that definition as code. No floating point but the expanded planes.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef uint64_t u64;
typedef uint16_t u16;
typedef uint8_t u8;

enum { PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING, NONE };
enum { PLANES = 96, WIDTH = 96, MAIA_PLANES = 128, MAX_PLIES = 600, INFO = 8 };
enum { OWN_LONG = 1, OWN_SHORT = 2, THEIR_LONG = 4, THEIR_SHORT = 8 };
static const int VALUE[7] = {100, 300, 300, 500, 900, 10000, 0};
static const u64 FILE_A = 0x0101010101010101ULL, FILE_H = 0x8080808080808080ULL, ALL = ~0ULL;

// The board as the side to move sees it: its own pieces go up, side 0 is the mover. After each move the board is turned over.
typedef struct {
    u64 piece[2][6];
    int castling, ep, halfmove;  // ep: target square, only where such a capture is legal, else -1
} Board;

#define BIT(s) (1ULL << (s))
#define EACH(s, set) for (u64 rest_ = (set); rest_ && ((s) = __builtin_ctzll(rest_), 1); rest_ &= rest_ - 1)

static u64 knight_table[64], king_table[64], pawn_table[2][64], diagonal_mask[64], anti_mask[64], between_table[64][64];
static u8 rank_table[64][8];

static u64 side(const Board *b, int c) {
    u64 all = 0;
    for (int t = 0; t < 6; t++) all |= b->piece[c][t];
    return all;
}
static int type_at(const Board *b, int c, int s) {
    for (int t = 0; t < 6; t++)
        if (b->piece[c][t] & BIT(s)) return t;
    return NONE;
}
static u64 line(u64 occupied, u64 mask, int s) {  // attacks along a file or a diagonal, the square itself not in the mask
    u64 forward = occupied & mask, reverse = __builtin_bswap64(forward);
    forward -= BIT(s);
    reverse -= BIT(s ^ 56);
    return (forward ^ __builtin_bswap64(reverse)) & mask;
}
static u64 bishop_from(int s, u64 occupied) { return line(occupied, diagonal_mask[s], s) | line(occupied, anti_mask[s], s); }
static u64 rook_from(int s, u64 occupied) {
    u64 files = line(occupied, (FILE_A << (s & 7)) & ~BIT(s), s);
    return files | (u64)rank_table[occupied >> ((s & 56) | 1) & 63][s & 7] << (s & 56);
}
static u64 attacks_from(int c, int type, int s, u64 occupied) {  // c says which way pawns go: 0 up
    switch (type) {
    case PAWN: return pawn_table[c][s];
    case KNIGHT: return knight_table[s];
    case BISHOP: return bishop_from(s, occupied);
    case ROOK: return rook_from(s, occupied);
    case QUEEN: return bishop_from(s, occupied) | rook_from(s, occupied);
    default: return king_table[s];
    }
}
static u64 attackers(const Board *b, int c, int s, u64 occupied) {  // pieces of c that attack s
    const u64 *p = b->piece[c];
    return ((pawn_table[!c][s] & p[PAWN]) | (knight_table[s] & p[KNIGHT]) | (king_table[s] & p[KING])
            | (bishop_from(s, occupied) & (p[BISHOP] | p[QUEEN])) | (rook_from(s, occupied) & (p[ROOK] | p[QUEEN]))) & occupied;
}

void prepare(void) {
    static int done;
    if (done) return;
    for (int s = 0; s < 64; s++) {
        int f = s & 7, r = s >> 3;
        for (int t = 0; t < 64; t++) {
            int df = abs((t & 7) - f), dr = abs((t >> 3) - r);
            if (df + dr == 3 && df && dr) knight_table[s] |= BIT(t);
            if (s != t && df <= 1 && dr <= 1) king_table[s] |= BIT(t);
            if (df == 1 && (t >> 3) == r + 1) pawn_table[0][s] |= BIT(t);
            if (df == 1 && (t >> 3) == r - 1) pawn_table[1][s] |= BIT(t);
            if (s != t && (t & 7) - f == (t >> 3) - r) diagonal_mask[s] |= BIT(t);
            if (s != t && (t & 7) - f == r - (t >> 3)) anti_mask[s] |= BIT(t);
        }
    }
    for (int o = 0; o < 64; o++)
        for (int f = 0; f < 8; f++)
            for (int step = -1; step <= 1; step += 2)
                for (int g = f + step; g >= 0 && g < 8; g += step) {
                    rank_table[o][f] |= 1 << g;
                    if (g > 0 && g < 7 && o >> (g - 1) & 1) break;
                }
    for (int s = 0; s < 64; s++)
        for (int t = 0; t < 64; t++) {
            if (rook_from(s, 0) & BIT(t)) between_table[s][t] = rook_from(s, BIT(t)) & rook_from(t, BIT(s));
            if (bishop_from(s, 0) & BIT(t)) between_table[s][t] = bishop_from(s, BIT(t)) & bishop_from(t, BIT(s));
        }
    done = 1;
}

static Board start(void) {
    Board b = {{{0xff00, 0x42, 0x24, 0x81, 0x08, 0x10}, {0xffULL << 48, 0x42ULL << 56, 0x24ULL << 56, 0x81ULL << 56, 0x08ULL << 56, 0x10ULL << 56}}, 15, -1, 0};
    return b;
}
static void turn_over(Board *b) {
    for (int t = 0; t < 6; t++) {
        u64 own = b->piece[0][t];
        b->piece[0][t] = __builtin_bswap64(b->piece[1][t]);
        b->piece[1][t] = __builtin_bswap64(own);
    }
    b->castling = (b->castling >> 2 | b->castling << 2) & 15;
}
static int attacked(const Board *b, int c, int s) { return attackers(b, c, s, side(b, 0) | side(b, 1)) != 0; }

// A move: from | to << 6 | promotion << 12, with promotion 0 or KNIGHT..QUEEN; castling is the king's two steps.
// Plays it for side 0 without turning the board. Returns the type of the captured piece, or NONE.
static int play(Board *b, int move) {
    int from = move & 63, to = move >> 6 & 63, promotion = move >> 12;
    int type = type_at(b, 0, from), taken = type_at(b, 1, to), ep = b->ep;
    b->piece[0][type] ^= BIT(from) | BIT(to);
    b->ep = -1;
    b->halfmove++;
    if (taken != NONE) b->piece[1][taken] ^= BIT(to);
    if (type == PAWN) {
        if (to == ep) b->piece[1][PAWN] ^= BIT(to - 8), taken = PAWN;
        if (promotion) b->piece[0][PAWN] ^= BIT(to), b->piece[0][promotion] ^= BIT(to);
        if (to - from == 16) b->ep = from + 8;
    }
    if (type == KING) {
        if (to - from == 2 && from == 4) b->piece[0][ROOK] ^= BIT(7) | BIT(5);
        if (from - to == 2 && from == 4) b->piece[0][ROOK] ^= BIT(0) | BIT(3);
        b->castling &= ~(OWN_LONG | OWN_SHORT);
    }
    if (taken != NONE || type == PAWN) b->halfmove = 0;
    if (from == 0 || to == 0) b->castling &= ~OWN_LONG;
    if (from == 7 || to == 7) b->castling &= ~OWN_SHORT;
    if (to == 56) b->castling &= ~THEIR_LONG;
    if (to == 63) b->castling &= ~THEIR_SHORT;
    return taken;
}
static int safe(const Board *b, int move) {  // own king not attacked after the move
    Board next = *b;
    play(&next, move);
    return !attacked(&next, 1, __builtin_ctzll(next.piece[0][KING]));
}
// Turns the board and keeps the en passant square only where a capture is legal.
static void pass(Board *b) {
    int ep = b->ep;
    turn_over(b);
    b->ep = -1;
    if (ep >= 0) {
        int target = ep ^ 56, from;
        EACH(from, pawn_table[1][target] & b->piece[0][PAWN]) {
            b->ep = target;
            int legal = safe(b, from | target << 6);
            b->ep = -1;
            if (legal) {
                b->ep = target;
                break;
            }
        }
    }
}

// Legal moves of side 0 in the order of from, then to, then promotion KNIGHT to QUEEN.
static int legal_moves(const Board *b, u16 *moves) {
    u64 own = side(b, 0), their = side(b, 1), occupied = own | their;
    int n = 0, from, to;
    EACH(from, own) {
        int type = type_at(b, 0, from);
        u64 targets;
        if (type == PAWN) {
            targets = pawn_table[0][from] & (their | (b->ep >= 0 ? BIT(b->ep) : 0));
            if (!(occupied & BIT(from + 8))) {
                targets |= BIT(from + 8);
                if (from < 16 && !(occupied & BIT(from + 16))) targets |= BIT(from + 16);
            }
        } else {
            targets = attacks_from(0, type, from, occupied) & ~own;
        }
        if (type == KING && from == 4 && !attacked(b, 1, 4)) {
            if (b->castling & OWN_LONG && !(occupied & 0x0e) && !attacked(b, 1, 3)) targets |= BIT(2);
            if (b->castling & OWN_SHORT && !(occupied & 0x60) && !attacked(b, 1, 5)) targets |= BIT(6);
        }
        EACH(to, targets) {
            int move = from | to << 6;
            if (!safe(b, move)) continue;
            if (type == PAWN && to >= 56)
                for (int p = KNIGHT; p <= QUEEN; p++) moves[n++] = move | p << 12;
            else
                moves[n++] = move;
        }
    }
    return n;
}

// What side c gains by taking on s with the piece `first` (a square) and both going on with the least valuable piece, either stopping
// when that is better; pins are not seen, x-rays are, a king takes only what is no longer defended. `victim` is the value on s.
static int exchange(const Board *b, int c, int s, int first, int victim, u64 occupied) {
    int gain[32], depth = 0, type = type_at(b, c, first), on = VALUE[type];
    gain[0] = victim;
    occupied &= ~BIT(first);
    for (c = !c; depth < 30; c = !c) {
        u64 from = attackers(b, c, s, occupied) & ~BIT(s);
        if (!from) break;
        for (type = PAWN; !(b->piece[c][type] & from); type++) {}
        if (type == KING && attackers(b, !c, s, occupied) & ~BIT(s)) break;
        depth++;
        gain[depth] = on - gain[depth - 1];
        on = VALUE[type];
        u64 one = b->piece[c][type] & from;
        occupied &= ~(one & -one);
    }
    while (depth > 0) {
        if (gain[depth] > -gain[depth - 1]) gain[depth - 1] = -gain[depth];
        depth--;
    }
    return gain[0];
}
// The most that side !c can win by an exchange begun on the piece of c at s with its least valuable attacker; 0 if nothing.
static int hanging(const Board *b, int c, int s, u64 occupied) {
    u64 from = attackers(b, !c, s, occupied);
    if (!from) return 0;
    int type = PAWN;
    while (!(b->piece[!c][type] & from)) type++;
    if (type == KING && attackers(b, c, s, occupied) & ~BIT(s)) return 0;
    int first = __builtin_ctzll(b->piece[!c][type] & from);
    int gain = exchange(b, !c, s, first, VALUE[type_at(b, c, s)], occupied);
    return gain > 0 ? gain : 0;
}
static int worst(const Board *b, int c, u64 occupied) {  // the greatest `hanging` of side c, its king left out
    int most = 0, s;
    EACH(s, side(b, c) & ~b->piece[c][KING]) {
        int loss = hanging(b, c, s, occupied);
        if (loss > most) most = loss;
    }
    return most;
}
static int over(int loss) { return loss >= 900 ? 4 : loss >= 500 ? 3 : loss >= 300 ? 2 : loss >= 100 ? 1 : 0; }

// Pieces of `blockers` that stand alone between the king on k and a slider of side c.
static u64 shields(const Board *b, int c, int k, u64 occupied, u64 blockers) {
    u64 found = 0, snipers = (rook_from(k, 0) & (b->piece[c][ROOK] | b->piece[c][QUEEN])) | (bishop_from(k, 0) & (b->piece[c][BISHOP] | b->piece[c][QUEEN]));
    int s;
    EACH(s, snipers) {
        u64 between = between_table[k][s] & occupied;
        if (between && !(between & (between - 1))) found |= between & blockers;
    }
    return found;
}
static u64 passed(u64 own, u64 their_down) {  // own pawns go up; no pawn of theirs ahead on the three files
    u64 span = their_down >> 8;
    for (int i = 0; i < 3; i++) span |= span >> (8 << i);
    span |= (span & ~FILE_A) >> 1 | (span & ~FILE_H) << 1;
    return own & ~span;
}

typedef struct {
    Board board;
    int seen;  // times that the position stood before
} Past;

static int same(const Board *a, const Board *b) { return !memcmp(a->piece, b->piece, sizeof a->piece) && a->castling == b->castling && a->ep == b->ep; }

// Replays `ply` moves (squares as White sees them) into past[0..=ply].
static void replay(const u16 *moves, int ply, Past *past) {
    past[0].board = start();
    past[0].seen = 0;
    for (int i = 0; i < ply; i++) {
        Board b = past[i].board;
        play(&b, i & 1 ? moves[i] ^ (56 | 56 << 6) : moves[i]);
        pass(&b);
        past[i + 1].board = b;
        past[i + 1].seen = 0;
        for (int back = i - 3; back >= 0 && back >= i + 1 - b.halfmove; back -= 2)
            if (same(&past[back].board, &b)) {
                past[i + 1].seen = past[back].seen + 1;
                break;
            }
    }
}

enum { OWN_PIECES = 0, THEIR_PIECES = 6, OWN_ATTACKS = 12, THEIR_ATTACKS = 18, COUNTS = 24, HANGING = 28, CHECK_SQUARES = 36, PINS = 42,
       CHECKERS = 46, MOVABLE = 47, REACHABLE = 48, PASSED = 49, EN_PASSANT = 51, RIGHTS = 52, LAST_MOVES = 53, LAST_TAKEN = 65,
       XRAYS = 67, LESSER = 71, RANKS = 73, FILES = 81, ONES = 85, SAFE_TO = 86, GAINS = 90, CHECKS = 92, MATES = 94, TIDY = 95 };

static void planes_of(const Past *past, const u16 *moves, int ply, const u16 *legal, int n, u64 *out) {
    const Board *b = &past[ply].board;
    memset(out, 0, PLANES * sizeof *out);
    u64 sides[2] = {side(b, 0), side(b, 1)}, occupied = sides[0] | sides[1];
    int s;
    for (int c = 0; c < 2; c++) {
        u64 one = 0, two = 0, three = 0;
        int king = __builtin_ctzll(b->piece[c][KING]), other = __builtin_ctzll(b->piece[!c][KING]);
        for (int t = 0; t < 6; t++) {
            out[OWN_PIECES + 6 * c + t] = b->piece[c][t];
            EACH(s, b->piece[c][t]) {
                u64 a = attacks_from(c, t, s, occupied);
                out[OWN_ATTACKS + 6 * c + t] |= a;
                three |= two & a;
                two |= one & a;
                one |= a;
                u64 beyond = occupied & ~(a & occupied);
                if (t == BISHOP || t == QUEEN) out[XRAYS + 2 * c] |= bishop_from(s, beyond) & ~bishop_from(s, occupied);
                if (t == ROOK || t == QUEEN) out[XRAYS + 2 * c + 1] |= rook_from(s, beyond) & ~rook_from(s, occupied);
            }
        }
        out[COUNTS + 2 * c] = two;
        out[COUNTS + 2 * c + 1] = three;
        EACH(s, sides[c] & ~b->piece[c][KING])
            for (int k = over(hanging(b, c, s, occupied)); k > 0; k--) out[HANGING + 4 * c + k - 1] |= BIT(s);
        // From these squares a knight, a bishop (or queen), a rook (or queen) of side c would give check.
        out[CHECK_SQUARES + 3 * c] = knight_table[other];
        out[CHECK_SQUARES + 3 * c + 1] = bishop_from(other, occupied);
        out[CHECK_SQUARES + 3 * c + 2] = rook_from(other, occupied);
        out[PINS + c] = shields(b, !c, king, occupied, sides[c]);
        out[PINS + 2 + c] = shields(b, c, other, occupied, sides[c]);
    }
    for (int c = 0; c < 2; c++) {
        const u64 *by = out + OWN_ATTACKS + 6 * !c, *p = b->piece[c];
        out[LESSER + c] = (by[PAWN] & (p[KNIGHT] | p[BISHOP] | p[ROOK] | p[QUEEN])) | ((by[KNIGHT] | by[BISHOP]) & (p[ROOK] | p[QUEEN])) | (by[ROOK] & p[QUEEN]);
    }
    out[CHECKERS] = attackers(b, 1, __builtin_ctzll(b->piece[0][KING]), occupied);
    for (int i = 0; i < n; i++) {
        out[MOVABLE] |= BIT(legal[i] & 63);
        out[REACHABLE] |= BIT(legal[i] >> 6 & 63);
    }
    out[PASSED] = passed(b->piece[0][PAWN], b->piece[1][PAWN]);
    out[PASSED + 1] = __builtin_bswap64(passed(__builtin_bswap64(b->piece[1][PAWN]), __builtin_bswap64(b->piece[0][PAWN])));
    if (b->ep >= 0) out[EN_PASSANT] = BIT(b->ep);
    out[RIGHTS] = (b->castling & OWN_LONG ? BIT(0) : 0) | (b->castling & OWN_SHORT ? BIT(7) : 0) | (b->castling & THEIR_LONG ? BIT(56) : 0) | (b->castling & THEIR_SHORT ? BIT(63) : 0);
    for (int k = 0; k < 6 && k < ply; k++) {
        int move = ply & 1 ? moves[ply - 1 - k] ^ (56 | 56 << 6) : moves[ply - 1 - k];
        out[LAST_MOVES + 2 * k] = BIT(move & 63);
        out[LAST_MOVES + 2 * k + 1] = BIT(move >> 6 & 63);
        if (k < 2) {
            const Board *then = &past[ply - 1 - k].board;
            u64 now = side(&past[ply - k].board, 0);  // the side that was moved against, after the move
            if (__builtin_popcountll(now) < __builtin_popcountll(side(then, 1))) out[LAST_TAKEN + k] = BIT(move >> 6 & 63);
        }
    }
    for (int k = 0; k < 8; k++) out[RANKS + k] = 0xffULL << 8 * k;
    for (int k = 0; k < 4; k++) out[FILES + k] = FILE_A << k | FILE_H >> k;
    out[ONES] = ALL;
}

// Notes on a move, one bit each; README.md lists them.
static u64 notes_of(const Past *past, const u16 *moves, int ply, int move, u64 hung) {
    const Board *b = &past[ply].board;
    int from = move & 63, to = move >> 6 & 63, promotion = move >> 12, type = type_at(b, 0, from);
    u64 occupied = side(b, 0) | side(b, 1), note = BIT(type);
    Board next = *b;
    int taken = play(&next, move);
    if (taken != NONE) note |= BIT(6 + taken);
    if (type == KING && (to - from == 2 || from - to == 2)) note |= BIT(11);
    if (promotion) note |= BIT(11 + promotion);  // 12..15
    u64 then = side(&next, 0) | side(&next, 1);
    if (attackers(&next, 0, __builtin_ctzll(next.piece[1][KING]), then)) note |= BIT(16);
    // What the move itself wins or loses on its square.
    u64 cleared = taken == PAWN && to == b->ep && type == PAWN ? occupied & ~BIT(to - 8) : occupied;
    int gain = exchange(b, 0, to, from, taken == NONE ? 0 : VALUE[taken], cleared);
    if (gain >= 100) note |= BIT(18);
    if (gain >= 300) note |= BIT(19);
    if (gain >= 500) note |= BIT(20);
    if (gain <= -100) note |= BIT(21);
    if (gain <= -200) note |= BIT(22);
    if (gain <= -400) note |= BIT(23);
    if (gain <= -800) note |= BIT(24);
    if (hung & BIT(from)) note |= BIT(25);
    if (pawn_table[0][to] & b->piece[1][PAWN]) note |= BIT(26);
    int flip = ply & 1 ? 56 | 56 << 6 : 0;
    if (ply >= 1 && ((moves[ply - 1] ^ flip) >> 6 & 63) == to) note |= BIT(27);
    if (ply >= 2) {
        int last = moves[ply - 2] ^ flip;
        if ((last >> 6 & 63) == from) note |= BIT(28);
        if ((last >> 6 & 63) == from && (last & 63) == to) note |= BIT(29);
    }
    int left = over(worst(&next, 0, then)), won = over(worst(&next, 1, then));
    for (int k = 0; k < left; k++) note |= BIT(30 + k);
    for (int k = 0; k < won; k++) note |= BIT(34 + k);
    if (taken == NONE && (king_table[__builtin_ctzll(b->piece[1][KING])] & BIT(to))) note |= BIT(38);
    Board turned = next;
    pass(&turned);
    for (int back = ply - 3; back >= 0 && back >= ply + 1 - turned.halfmove; back -= 2)
        if (same(&past[back].board, &turned)) {
            note |= BIT(39);
            break;
        }
    if (note & BIT(16)) {
        u16 replies[256];
        if (!legal_moves(&turned, replies)) note |= BIT(17);
    }
    return note;
}

// Where the legal moves with certain notes go.
static void planes_of_notes(const u16 *legal, const u64 *notes, int n, u64 *out) {
    for (int i = 0; i < n; i++) {
        u64 note = notes[i], from = BIT(legal[i] & 63), to = BIT(legal[i] >> 6 & 63);
        int keeps = !(note & BIT(21));
        for (int t = KNIGHT; t <= QUEEN; t++)
            if (note & BIT(t) && keeps) out[SAFE_TO + t - KNIGHT] |= to;
        if (note & BIT(18)) out[GAINS] |= from, out[GAINS + 1] |= to;
        if (note & BIT(16)) out[CHECKS] |= to;
        if (note & BIT(16) && keeps) out[CHECKS + 1] |= to;
        if (note & BIT(17)) out[MATES] |= to;
        if (!(note & BIT(30))) out[TIDY] |= to;
    }
}

// The 80 x 64 index of the Maia networks' policy.
static int maia_index(const Board *b, int move) {
    static const int dir_x[8] = {0, 1, 1, 1, 0, -1, -1, -1}, dir_y[8] = {1, 1, 0, -1, -1, -1, 0, 1};
    static const int knight_x[8] = {1, 2, 2, 1, -1, -2, -2, -1}, knight_y[8] = {2, 1, -1, -2, -2, -1, 1, 2};
    int from = move & 63, to = move >> 6 & 63, promotion = move >> 12;
    if (b->piece[0][KING] & BIT(from) && from == 4) {
        if (to == 6 && b->castling & OWN_SHORT) to = 7;
        if (to == 2 && b->castling & OWN_LONG) to = 0;
    }
    int dx = (to & 7) - (from & 7), dy = (to >> 3) - (from >> 3), plane = -1;
    if (promotion > KNIGHT) {
        plane = 64 + (dx + 1) * 3 + (promotion == ROOK ? 0 : promotion == BISHOP ? 1 : 2);
    } else {
        int far = abs(dx) > abs(dy) ? abs(dx) : abs(dy);
        for (int k = 0; k < 8; k++) {
            if (dx == knight_x[k] && dy == knight_y[k]) plane = 56 + k;
            if (dx == dir_x[k] * far && dy == dir_y[k] * far) plane = k * 7 + far - 1;
        }
    }
    return plane * 64 + from;
}

static void expand(const u64 *planes, int n, u16 *out) {  // [64][n] bf16 ones and zeros
    memset(out, 0, 64 * n * sizeof *out);
    int s;
    for (int k = 0; k < n; k++) EACH(s, planes[k]) out[s * n + k] = 0x3f80;
}

// Reads moves in UCI, separated by spaces. Returns how many were legal, writing them as White sees the squares; an illegal one ends the game.
int parse_game(const char *text, u16 *moves, u8 *choices, int most) {
    prepare();
    Board b = start();
    int n = 0;
    while (*text && n < most) {
        while (*text == ' ') text++;
        if (strlen(text) < 4) break;
        int from = text[0] - 'a' + 8 * (text[1] - '1'), to = text[2] - 'a' + 8 * (text[3] - '1');
        const char *kinds = "pnbrqk", *kind = text[4] && text[4] != ' ' ? strchr(kinds, text[4]) : 0;
        int promotion = kind ? (int)(kind - kinds) : 0, flip = n & 1 ? 56 | 56 << 6 : 0;
        if ((from | to) & ~63) break;
        int move = from | to << 6 | promotion << 12, seen = move ^ flip, found = 0;
        u16 legal[256];
        int count = legal_moves(&b, legal);
        for (int i = 0; i < count; i++) found |= legal[i] == seen;
        if (!found) break;
        choices[n] = count > 255 ? 255 : count;
        moves[n++] = move;
        play(&b, seen);
        pass(&b);
        while (*text && *text != ' ') text++;
    }
    return n;
}

// For each of n decisions, the move number `ply` of a game that begins at moves[begin]:
//   planes [n][64][PLANES] bf16 (or 0 to leave out), bits [n][PLANES] u64 (or 0), legal [n][WIDTH] u16 (65535 where none), notes [n][WIDTH] u64,
//   info [n][INFO] i32: legal moves, place of the played one (-1 if beyond the game's moves), plies since capture or pawn move, times seen before,
//   castling bits, in check, pieces on the board, 1 if Black moves.
void looks(const u16 *moves, const int64_t *begin, const int32_t *ply, const int32_t *plies, int n, u16 *planes, u64 *bits, u16 *legal, u64 *notes, int32_t *info) {
    prepare();
#pragma omp parallel for schedule(dynamic, 16)
    for (int i = 0; i < n; i++) {
        Past *past = malloc((ply[i] + 1) * sizeof *past);
        const u16 *game = moves + begin[i];
        replay(game, ply[i], past);
        const Board *b = &past[ply[i]].board;
        u16 list[256];
        u64 own[PLANES];
        int count = legal_moves(b, list), flip = ply[i] & 1 ? 56 | 56 << 6 : 0, played = -1;
        if (count > WIDTH) count = WIDTH;
        planes_of(past, game, ply[i], list, count, own);
        for (int k = 0; k < WIDTH; k++) {
            legal[(size_t)i * WIDTH + k] = k < count ? list[k] : 65535;
            notes[(size_t)i * WIDTH + k] = k < count ? notes_of(past, game, ply[i], list[k], own[HANGING]) : 0;
            if (k < count && ply[i] < plies[i] && list[k] == (game[ply[i]] ^ flip)) played = k;
        }
        planes_of_notes(list, notes + (size_t)i * WIDTH, count, own);
        if (bits) memcpy(bits + (size_t)i * PLANES, own, sizeof own);
        if (planes) expand(own, PLANES, planes + (size_t)i * 64 * PLANES);
        int32_t row[INFO] = {count, played, b->halfmove, past[ply[i]].seen, b->castling, own[CHECKERS] != 0,
                             __builtin_popcountll(side(b, 0) | side(b, 1)), ply[i] & 1};
        memcpy(info + (size_t)i * INFO, row, sizeof row);
        free(past);
    }
}

// The same decisions as a Maia network sees them: planes [n][64][MAIA_PLANES] bf16 (112 used), index [n][WIDTH] u16 of the legal moves in our order.
void maia_looks(const u16 *moves, const int64_t *begin, const int32_t *ply, int n, u16 *planes, u16 *index) {
    prepare();
#pragma omp parallel for schedule(dynamic, 16)
    for (int i = 0; i < n; i++) {
        Past *past = malloc((ply[i] + 1) * sizeof *past);
        replay(moves + begin[i], ply[i], past);
        const Board *b = &past[ply[i]].board;
        u64 own[MAIA_PLANES] = {0};
        for (int k = 0; k < 8 && k <= ply[i]; k++) {
            Board then = past[ply[i] - k].board;
            if (k & 1) turn_over(&then);
            memcpy(own + 13 * k, then.piece, sizeof then.piece);
            if (past[ply[i] - k].seen) own[13 * k + 12] = ALL;
        }
        for (int k = 0; k < 4; k++)
            if (b->castling >> k & 1) own[104 + k] = ALL;
        if (ply[i] & 1) own[108] = ALL;
        own[111] = ALL;
        u16 *out = planes + (size_t)i * 64 * MAIA_PLANES;
        expand(own, MAIA_PLANES, out);
        float clock = b->halfmove;
        uint32_t raw;
        memcpy(&raw, &clock, 4);
        for (int s = 0; s < 64; s++) out[s * MAIA_PLANES + 109] = raw >> 16;
        u16 list[256];
        int count = legal_moves(b, list);
        for (int k = 0; k < WIDTH; k++) index[(size_t)i * WIDTH + k] = k < count ? maia_index(b, list[k]) : 65535;
        free(past);
    }
}
