"""The ECO codes of our list of openings against those of Scid, position by position.

Usage: openings.py OUR_LIST SCID_ECO [--names]

Each line of our list is played out, and its code held against what Scid's classification file says of the position that
it ends in; where Scid does not name that position, against the last position of the line that it does name, as a
classification of games works. Names are people's business: --names prints ours beside Scid's to be read.
"""

import re
import sys
from pathlib import Path

import chess


def played(moves: list[str]) -> list[chess.Board]:
    board = chess.Board()
    boards = [board.copy(stack=False)]
    for move in moves:
        board.push_san(move)
        boards.append(board.copy(stack=False))
    return boards


def read_scid(path: Path) -> dict[str, tuple[str, str]]:
    """By position: the code without Scid's own extensions, and the name."""
    text = "\n".join(line for line in path.read_text("latin-1").splitlines() if not line.startswith("#"))
    known = {}
    for code, name, moves in re.findall(r'([A-E]\d\d)[a-z]?\d?\s+"([^"]*)"([^*]*)\*', text):
        words = re.sub(r"\d+\.+", " ", moves).split()
        known[played(words)[-1].epd()] = (code, name)
    return known


def main(ours: Path, scid: Path, with_names: bool) -> int:
    known = read_scid(scid)
    checked, exact, wrong = 0, 0, 0
    for line in ours.read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        title, moves = line.split(": ", 1)
        code, name = title.split(" ", 1)
        positions = [board.epd() for board in played(moves.split())]
        named = [known[position] for position in positions if position in known]
        their_code, their_name = named[-1]
        checked += 1
        is_exact = positions[-1] in known
        exact += is_exact
        if code != their_code:
            wrong += 1
            print(f"{code} should be {their_code}: {name} ({moves}); Scid: {their_name}")
        if with_names:
            print(f"{code} {name:50} | {'' if is_exact else '~'}{their_name}")
    print(f"{checked} openings, {exact} of them named by Scid in the same position; {wrong} codes differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2]), "--names" in sys.argv))
