"""Positions of chance games with what python-chess says of them: legal moves, check, mate, key and perft.

Usage: rules.py > tests/fixtures/rules.jsonl

One record a line. Moves are pairs of UCI and SAN in the manner of lichess; keys are Polyglot's, for the variants that have
them. The same seed gives the same file.
"""

import json
import random

import chess
import chess.polyglot
import chess.variant

SEED = 20261121
# Positions by variant, and to which depth they are counted.
WANTED = [
    ("standard", chess.Board, 60, 3),
    ("chess960", chess.Board, 30, 3),
    ("atomic", chess.variant.AtomicBoard, 10, 2),
    ("antichess", chess.variant.AntichessBoard, 10, 2),
    ("crazyhouse", chess.variant.CrazyhouseBoard, 10, 2),
    ("horde", chess.variant.HordeBoard, 10, 2),
    ("kingOfTheHill", chess.variant.KingOfTheHillBoard, 10, 2),
    ("threeCheck", chess.variant.ThreeCheckBoard, 10, 2),
    ("racingKings", chess.variant.RacingKingsBoard, 10, 2),
]


def count(board: chess.Board, depth: int) -> int:
    if depth == 0:
        return 1
    total = 0
    for move in list(board.legal_moves):
        board.push(move)
        total += count(board, depth - 1)
        board.pop()
    return total


def start(kind: type[chess.Board], name: str, chance: random.Random) -> chess.Board:
    return chess.Board.from_chess960_pos(chance.randrange(960)) if name == "chess960" else kind()


def somewhere(kind: type[chess.Board], name: str, chance: random.Random) -> chess.Board:
    """A position after up to a hundred moves of chance, where captures, castling and promotions are likelier."""
    board = start(kind, name, chance)
    for _ in range(chance.randrange(4, 100)):
        moves = list(board.legal_moves)
        lively = [move for move in moves if board.is_castling(move) or board.is_en_passant(move) or move.promotion]
        after = board.copy()
        after.push(chance.choice(lively if lively and chance.random() < 0.5 else moves))
        if after.is_game_over():
            break
        board = after
    return board


def record(name: str, board: chess.Board, depth: int) -> dict:
    moves = sorted([board.uci(move, chess960=name == "chess960"), board.san(move)] for move in board.legal_moves)
    said = {
        "variant": name,
        "fen": board.fen(en_passant="legal"),
        "moves": moves,
        "check": board.is_check(),
        "checkmate": board.is_checkmate(),
        "perft": [depth, count(board, depth)],
    }
    if name in ("standard", "chess960"):
        said["polyglot"] = f"{chess.polyglot.zobrist_hash(board):016x}"
    return said


def main() -> None:
    chance = random.Random(SEED)
    for name, kind, wanted, depth in WANTED:
        for _ in range(wanted):
            print(json.dumps(record(name, somewhere(kind, name, chance), depth), separators=(",", ":")))


main()
