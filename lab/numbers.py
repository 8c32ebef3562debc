"""What changes to the numbers of the search are worth, all of them tried in the same games.

ENGINE is built for tuners (`make EXE=name TUNE=1`), RUNNER is `sparring`. A row is a match of eight games of the engine against
itself in which each side has half of the changes and the other side the other half. The signs are columns of a Hadamard
matrix, each change another one, so that over a block of 128 rows no change's effect is mixed with another's, and every game
counts for all of them.

Unless told otherwise each number is larger on one side, two tuner's steps above its default, and smaller on the other, two
below. With `--without` the changes are those named: a heuristic on one side, its absence on the other. Numbers of the clock
take no part: games have so many nodes a move, so that what else the machine does changes nothing.

Each row is appended to ROWS, and a run that was stopped goes on there. After every block the effects of all rows so far are
printed: the Elo of the side with the larger number, or with the heuristic, and the 95 % error that it has for each of them
alike. Of some ninety numbers four or five look proven by chance alone: what a design proposes has to win a match.
"""

import argparse
import json
import math
import pathlib
import random
import re
import subprocess
import sys

SIZE = 128
GAMES = 8
STEPS = 2
WITHOUT = ("time_", "easy_", "lmr_slide")
ELO = 1600.0 / math.log(10.0)
RESULT = re.compile(r"(\d+) games: \+(\d+) =(\d+) -(\d+)")


def numbers(engine):
    """Each number's name, with the options of the side that has it smaller and of the one that has it larger."""
    listing = subprocess.run([engine, "spsa"], check=True, capture_output=True, text=True).stdout
    for line in listing.splitlines():
        name, _, *rest = line.split(", ")
        value, least, greatest, step = (float(text) for text in rest[:4])
        away = max(1, round(STEPS * step))
        if not name.startswith(WITHOUT):
            small, large = round(max(least, value - away)), round(min(greatest, value + away))
            yield name, [f"{name}={small}"], [f"{name}={large}"]


def absences(those):
    """Each heuristic by what switches it off, with the options of the side without it and of the one that has it."""
    for off in those:
        yield off, off.split(","), []


def block(index, seed, how_many):
    """The signs of every number in each row of a block."""
    chance = random.Random(f"{seed} {index}")
    columns = chance.sample(range(1, SIZE), how_many)
    flips = [chance.choice((1, -1)) for _ in columns]
    for row in chance.sample(range(SIZE), SIZE):
        odd = ((row & column).bit_count() % 2 for column in columns)
        yield [-flip if is_odd else flip for flip, is_odd in zip(flips, odd)]


def play(command, tried, signs):
    """Wins, draws and losses of the side that has the larger numbers where the sign is positive."""
    for (_, small, large), sign in zip(tried, signs):
        for side, options in zip((1, 2), (large, small) if sign > 0 else (small, large)):
            for option in options:
                command = [*command, "--option", f"{side}:{option}"]
    said = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    return [int(text) for text in RESULT.search(said).groups()[1:]]


def tell(names, rows):
    """Prints what all rows together say of each number, the largest effects first."""
    games, decided = len(rows) * GAMES, sum(row["won"] + row["lost"] for row in rows)
    error = 1.96 * ELO * math.sqrt(decided / 4.0 / games / games)
    effects = []
    for at, name in enumerate(names):
        balance = sum(row["signs"][at] * (row["won"] - row["lost"]) for row in rows)
        effects.append((ELO * balance / 2.0 / games, name))
    print(f"{games} games, each effect +- {error:.1f}", flush=True)
    for effect, name in sorted(effects, key=lambda pair: -abs(pair[0])):
        print(f"{effect:+6.1f} {name}", flush=True)


def main(args):
    tried = list(absences(args.without) if args.without else numbers(args.engine))
    setup = {"numbers": [list(number) for number in tried], "nodes": args.nodes, "seed": args.seed}
    path = args.rows
    rows = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    if any(row["setup"] != setup for row in rows):
        sys.exit(f"{path}: its rows are of other numbers, or of another limit or seed")
    while args.games is None or len(rows) * GAMES < args.games:
        index, done = divmod(len(rows), SIZE)
        for signs in list(block(index, args.seed, len(tried)))[done:]:
            command = [args.runner, "match", args.engine, args.engine, "--quiet", "--tc", f"nodes={args.nodes}"]
            command += ["--games", str(GAMES), "--concurrency", "2", "--option", "Hash=8", "--openings", args.openings]
            command += ["--seed", str(args.seed * 1_000_000 + len(rows))]
            won, drawn, lost = play(command, tried, signs)
            row = {"setup": setup, "signs": signs, "won": won, "drawn": drawn, "lost": lost}
            with path.open("a") as file:
                file.write(json.dumps(row) + "\n")
            rows.append(row)
        tell([name for name, _, _ in tried], rows)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runner")
    parser.add_argument("engine")
    parser.add_argument("openings")
    parser.add_argument("rows", type=pathlib.Path)
    parser.add_argument("--nodes", type=int, default=8000, help="for each move (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="another seed has other games (default: %(default)s)")
    parser.add_argument("--games", type=int, help="end after the block that brings so many; without it, go on")
    parser.add_argument("--without", nargs="+", metavar="NAME=VALUE[,...]", help="what switches each heuristic off")
    main(parser.parse_args())
