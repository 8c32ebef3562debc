"""python-chess reads our Polyglot books, position by position.

Usage: polyglot.py PROGRAM BOOK...

Each text book is exported with PROGRAM, and the file is walked with chess.polyglot through all its moves, from the start
position and from those that PROGRAM says the book has: a book for one color has none of the other's moves. Position by position, what the file says is held against what PROGRAM itself says of that position
(`book explain` of the text, not of the file): the same moves, and weights in the same proportion. Keys are computed by
python-chess alone, so a wrong one would leave a position unreachable, and every record has to be reached.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import chess
import chess.polyglot


def export(program: str, book: Path, folder: Path) -> Path:
    path = folder / (book.stem + ".bin")
    subprocess.run([program, "book", "export", str(book), "-o", str(path)], check=True, stderr=subprocess.DEVNULL)
    return path


def said_by_program(program: str, book: Path) -> dict[str, dict[str, int]]:
    """By position, as board, turn, castling and en passant: each move with its weight."""
    run = subprocess.run([program, "book", "export", "--json", str(book)], check=True, capture_output=True, text=True)
    said = {}
    for line in run.stdout.splitlines():
        row = json.loads(line)
        said[name(chess.Board(row["fen"]))] = row["moves"]
    return said


def name(board: chess.Board) -> str:
    return " ".join(board.fen(en_passant="legal").split()[:4])


def walk(path: Path, positions: list[str]) -> tuple[dict[str, dict[str, int]], int]:
    """What python-chess finds from the start and from these positions, and how many records the file has."""
    found: dict[str, dict[str, int]] = {}
    open_boards = [chess.Board(), *(chess.Board(f"{position} 0 1") for position in positions)]
    with chess.polyglot.open_reader(path) as reader:
        while open_boards:
            board = open_boards.pop()
            if name(board) in found:
                continue
            entries = list(reader.find_all(board, minimum_weight=0))
            if not entries:
                continue
            # python-chess passes over moves that are not legal; none may be among them.
            raw = [entry for entry in reader.find_all(chess.polyglot.zobrist_hash(board), minimum_weight=0)]
            assert len(raw) == len(entries), f"{path.name}: an illegal move in {board.fen()}"
            found[name(board)] = {entry.move.uci(): entry.weight for entry in entries}
            for entry in entries:
                after = board.copy(stack=False)
                after.push(entry.move)
                open_boards.append(after)
        return found, len(reader)


def compare(book: Path, said: dict[str, dict[str, int]], found: dict[str, dict[str, int]], records: int) -> int:
    reached = sum(len(moves) for moves in found.values())
    mistakes = [] if reached == records else [f"{records - reached} of {records} records are not reached"]
    for position in sorted(set(said) | set(found)):
        ours, theirs = said.get(position), found.get(position)
        if ours != theirs:
            mistakes.append(f"{position}: the program says {ours}, python-chess reads {theirs}")
    state = "equal" if not mistakes else f"{len(mistakes)} differences"
    print(f"{book.name}: {len(found)} positions, {records} moves with weights: {state}")
    for mistake in mistakes[:10]:
        print("  " + mistake)
    return len(mistakes)


def main() -> int:
    program, books = sys.argv[1], [Path(book) for book in sys.argv[2:]]
    assert books, "no books"
    mistakes = 0
    with tempfile.TemporaryDirectory() as folder:
        for book in books:
            said = said_by_program(program, book)
            found, records = walk(export(program, book, Path(folder)), list(said))
            mistakes += compare(book, said, found, records)
    print(f"python-chess {chess.__version__}")
    return 1 if mistakes else 0


if __name__ == "__main__":
    sys.exit(main())
