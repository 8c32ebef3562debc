"""What scores are worth in points, by kind of endgame: where the evaluation's scales of drawishness are off.

Usage: drawish.py GAMES [HOW_MANY]

Reads games of `sparring-lab datagen`. Of the scored positions at every third half move after the sixteenth with 30 to 600
centipawns for a side it fits, by maximum likelihood in each kind, the K of 1 / (1 + exp(-K score)) to the first 20,000,
and prints it beside that of the middle game: 0.8 says that such scores bring the points of scores a fifth smaller. All
positions of a game share its result, so a kind with few games says little.
"""

import collections
import json
import math
import sys

import chess

POINTS = {"1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5}
QUEENSIDE = 0x0F0F_0F0F_0F0F_0F0F
# Queen, rook, bishop, knight: what each counts in the phase, and in pawns.
PIECES = [(chess.QUEEN, 4, 9), (chess.ROOK, 2, 5), (chess.BISHOP, 1, 3), (chess.KNIGHT, 1, 3)]
FEWEST = 300
MOST = 20_000


def has_opposite_bishops(board):
    """One bishop each, on squares of different colors."""
    bishops = [board.pieces(chess.BISHOP, color) for color in chess.COLORS]
    if [len(one) for one in bishops] != [1, 1]:
        return False
    return len({bool(one & chess.SquareSet(chess.BB_DARK_SQUARES)) for one in bishops}) == 2


def kinds(board, strong):
    """The names of the kinds that a position belongs to."""
    counts = {side: [len(board.pieces(role, side)) for role, _, _ in PIECES] for side in chess.COLORS}
    phase = sum(counts[side][at] * PIECES[at][1] for side in chess.COLORS for at in range(4))
    if phase > 8:
        yield "middle game" if phase >= 16 else "in between"
    lead = sum((counts[strong][at] - counts[not strong][at]) * PIECES[at][2] for at in range(4))
    pawns = len(board.pieces(chess.PAWN, strong))
    wing = "one wing" if not board.pawns & QUEENSIDE or not board.pawns & ~QUEENSIDE else "both wings"
    if has_opposite_bishops(board):
        others = sum(counts[chess.WHITE]) + sum(counts[chess.BLACK]) - 2
        if others == 0:
            yield f"opposite bishops alone, {wing}"
        elif others <= 2:
            yield "opposite bishops, one or two pieces more"
        else:
            yield "opposite bishops, more pieces"
    elif phase <= 8:
        level = "no piece ahead" if lead <= 0 and sum(counts[not strong]) > 0 else "ahead or pawns alone"
        yield f"endgame, {level}, {min(pawns, 2)}{'' if pawns < 2 else ' or more'} pawns, {wing}"


def fitted(pairs):
    """The K under which these scores and points are likeliest, by the golden section."""

    def surprise(k):
        chances = ((1.0 / (1.0 + math.exp(-k * score)), points) for score, points in pairs)
        return -sum(points * math.log(p) + (1.0 - points) * math.log(1.0 - p) for p, points in chances)

    low, high = 0.0005, 0.03
    for _ in range(25):
        lower, upper = low + (high - low) * 0.382, low + (high - low) * 0.618
        if surprise(lower) < surprise(upper):
            high = upper
        else:
            low = lower
    return (low + high) / 2


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    most = int(sys.argv[2]) if len(sys.argv) > 2 else sys.maxsize
    found = collections.defaultdict(list)
    with open(sys.argv[1], encoding="utf-8") as games:
        rows = (json.loads(line) for line in games)
        lines = (row["game"].split(" | ") for row in rows if "game" in row)
        for _, (fen, result, moves) in zip(range(most), lines):
            board = chess.Board(fen)
            for ply, word in enumerate(moves.split()):
                move, _, score = word.partition(":")
                if score and ply > 16 and ply % 3 == 0 and 30 <= abs(int(score)) <= 600:
                    ahead = int(score) > 0
                    points = POINTS[result] if ahead else 1.0 - POINTS[result]
                    for kind in kinds(board, ahead):
                        found[kind].append((abs(int(score)), points))
                board.push(chess.Move.from_uci(move))
    usual = fitted(found["middle game"][:MOST])
    print(f"K in the middle game {usual:.5f}\n")
    print("| kind | positions | K beside that | points |\n|---|--:|--:|--:|")
    for kind in sorted(kind for kind, pairs in found.items() if len(pairs) >= FEWEST):
        pairs = found[kind]
        points = sum(points for _, points in pairs) / len(pairs)
        print(f"| {kind} | {len(pairs)} | {fitted(pairs[:MOST]) / usual:.2f} | {points:.3f} |")


if __name__ == "__main__":
    main()
