"""Which numbers of the search should be larger, which smaller: all of them tried in the same games.

Usage: numbers.py RUNNER ENGINE OPENINGS ROWS [NODES] [SEED]

ENGINE is built for tuners (`make EXE=name TUNE=1`), RUNNER is `sparring`. A row is a match of eight games of the engine against
itself in which the first side has each number two tuner's steps above its default or two below, and the second side the
reverse. The signs are columns of a Hadamard matrix, each number another one, so that over a block of 128 rows no number's
effect is mixed with another's, and every game counts for all numbers. Numbers of the clock take no part: games have NODES
nodes a move (8000 unless named), so that what else the machine does changes nothing.

Each row is appended to ROWS, and a run that was stopped goes on there. After every block the effects of all rows so far are
printed: the Elo of the side with the larger number, with the 95 % error that it has for each of them alike. Of some ninety
numbers four or five look proven by chance alone: what a design proposes has to win a match.
"""

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
    """Each number's name with its smaller and its larger value."""
    listing = subprocess.run([engine, "spsa"], check=True, capture_output=True, text=True).stdout
    for line in listing.splitlines():
        name, _, *rest = line.split(", ")
        value, least, greatest, step = (float(text) for text in rest[:4])
        away = max(1, round(STEPS * step))
        if not name.startswith(WITHOUT):
            yield name, round(max(least, value - away)), round(min(greatest, value + away))


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
    for (name, small, large), sign in zip(tried, signs):
        first, second = (large, small) if sign > 0 else (small, large)
        command = [*command, "--option", f"1:{name}={first}", "--option", f"2:{name}={second}"]
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


def main(runner, engine, openings, path, nodes="8000", seed="1"):
    tried = list(numbers(engine))
    setup = {"numbers": [list(number) for number in tried], "nodes": nodes, "seed": seed}
    path = pathlib.Path(path)
    rows = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    if any(row["setup"] != setup for row in rows):
        sys.exit(f"{path}: its rows are of other numbers, or of another limit or seed")
    while True:
        index, done = divmod(len(rows), SIZE)
        for signs in list(block(index, seed, len(tried)))[done:]:
            command = [runner, "match", engine, engine, "--quiet", "--tc", f"nodes={nodes}", "--games", str(GAMES)]
            command += ["--concurrency", "2", "--option", "Hash=8", "--openings", openings]
            command += ["--seed", str(int(seed) * 1_000_000 + len(rows))]
            won, drawn, lost = play(command, tried, signs)
            row = {"setup": setup, "signs": signs, "won": won, "drawn": drawn, "lost": lost}
            with path.open("a") as file:
                file.write(json.dumps(row) + "\n")
            rows.append(row)
        tell([name for name, _, _ in tried], rows)


if __name__ == "__main__":
    if not 4 <= len(sys.argv) - 1 <= 6:
        sys.exit(__doc__)
    main(*sys.argv[1:])
