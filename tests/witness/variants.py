"""Counts legal lines in every variant beside another program, move by move.

Usage: variants.py SPARRING-UCI FAIRY-STOCKFISH LEAVES [TABLE]

Fairy-Stockfish is the witness of the variants in its own list of `UCI_Variant`; python-chess is that of the others, and of rows
that end in "python". Each row of the table is counted to its last depth, and one deeper where that takes no more than LEAVES
leaves (a hundredth of them in Python). Every move has to lead to as many lines for both, and the sums to be those of the table.
"""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import chess.variant

TABLE = Path(__file__).parent.parent / "fixtures" / "variants.perft"
# How much slower Python is.
PATIENCE = 100
BOARDS = {"atomic": chess.variant.AtomicBoard, "racingkings": chess.variant.RacingKingsBoard}


class Engine:
    """A UCI engine as a child process."""

    def __init__(self, program: str) -> None:
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.say("uci")
        listed = [line for line in self.until(lambda line: line == "uciok") if line.startswith("option name UCI_Variant ")]
        self.variants = listed[0].split(" var ")[1:] if listed else []

    def say(self, line: str) -> None:
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def until(self, is_last: Callable[[str], bool]) -> list[str]:
        lines = []
        for line in self.process.stdout:
            lines.append(line.strip())
            if is_last(lines[-1]):
                return lines
        raise SystemExit(f"{self.process.args[0]} ended after {lines[-3:]}")

    def perft(self, variant: str, fen: str, depth: int) -> dict[str, int]:
        """The lines below each move."""
        self.say(f"setoption name UCI_Variant value {variant}")
        self.say(f"position fen {fen}")
        self.say(f"go perft {depth}")
        # The sum comes last: "Nodes searched: 20" of Stockfish and its kin, "20 nodes in 0.1 s" of ours.
        lines = self.until(lambda line: line.startswith("Nodes searched: ") or " nodes" in line)
        rows = (line.rsplit(": ", 1) for line in lines if ": " in line)
        return {move: int(count) for move, count in rows if " " not in move}

    def quit(self) -> None:
        self.say("quit")
        self.process.wait()


def count(board: chess.Board, depth: int) -> int:
    if board.is_variant_end():
        return 0
    if depth == 1:
        return board.legal_moves.count()
    total = 0
    for move in list(board.legal_moves):
        board.push(move)
        total += count(board, depth - 1)
        board.pop()
    return total


def by_python(variant: str, fen: str, depth: int) -> dict[str, int]:
    board = BOARDS[variant](fen, chess960=True)
    counts = {}
    for move in list(board.legal_moves):
        files = (chess.square_file(move.from_square), chess.square_file(move.to_square))
        # As the king's own move only where kings and rooks stand as in standard chess.
        text = board.uci(move, chess960=not (files[0] == 4 and files[1] in (0, 7)))
        board.push(move)
        counts[text] = count(board, depth - 1) if depth > 1 else 1
        board.pop()
    return counts


def rows(path: Path) -> list[tuple[str, str, list[int], bool]]:
    """Variant, FEN, counts, and whether Fairy-Stockfish has other rules there."""
    lines = (line for line in path.read_text().splitlines() if line and not line.startswith("#"))
    fields = (line.split(";") for line in lines)
    return [(row[0], row[1], [int(count) for count in row[2].split()], row[3:] == ["python"]) for row in fields]


def depth_of(counts: list[int], leaves: int) -> int:
    """The last depth of a row, or the next one where few enough leaves are to be expected there."""
    growth = counts[-1] / max(counts[-2], 1)
    return len(counts) + (counts[-1] * growth <= leaves)


def main() -> None:
    ours, fairy, leaves = Engine(sys.argv[1]), Engine(sys.argv[2]), int(sys.argv[3])
    wrong = 0
    for variant, fen, counts, by_rule in rows(Path(sys.argv[4]) if len(sys.argv) > 4 else TABLE):
        in_python = by_rule or variant not in fairy.variants
        for depth in range(1, depth_of(counts, leaves // PATIENCE if in_python else leaves) + 1):
            said = by_python(variant, fen, depth) if in_python else fairy.perft(variant, fen, depth)
            own = ours.perft(variant, fen, depth)
            listed = counts[depth - 1] if depth <= len(counts) else sum(said.values())
            moves = sorted(move for move in own.keys() | said.keys() if own.get(move) != said.get(move))
            alike = not moves and sum(own.values()) == listed
            wrong += not alike
            name = "python-chess" if in_python else "Fairy-Stockfish"
            print(f"{variant:13} {depth} {sum(own.values()):>11} {sum(said.values()):>11} {name:15} "
                  f"{'same' if alike else 'DIFFERENT'} {fen}", flush=True)
            for move in moves[:5]:
                print(f"    {move}: {own.get(move)} and {said.get(move)}")
            if not moves and not alike:
                print(f"    the table says {listed}")
    ours.quit()
    fairy.quit()
    sys.exit(f"{wrong} counts differ" if wrong else 0)


main()
