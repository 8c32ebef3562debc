#!/usr/bin/env python3
"""Does with this checkout what OpenBench does with an engine, and fails where an answer is not as it wants it.

    tests/openbench.py      which make openbench calls

Its worker builds by make, counts bench, plays over UCI, asks for openings by genfens; its server reads the engine's entry and
the list of parameters. What each of them demands was read in its sources at 9906bad.
"""

import json
import os
import queue
import re
import subprocess
import sys
import tempfile
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
WEIGHTS = os.path.join(ROOT, "crates/engine/src/nnue/weights.bin")
# Its limits: a bench, an opening after the one before.
BENCH_SECONDS, OPENING_SECONDS = 60, 15


def fail_unless(holds, why):
    if not holds:
        raise SystemExit(f"openbench: {why}")


def make(exe, *more):
    """The worker's call of make. Variables of a make around this one would reach it."""
    env = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MAKEOVERRIDES", "MFLAGS", "EVALFILE")}
    begun = time.time()
    done = subprocess.run(["make", "-j", f"EXE={exe}", *more], cwd=ROOT, env=env, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout, time.time() - begun


def built(folder, name, *more):
    exe = os.path.join(folder, name)
    code, said, seconds = make(exe, *more)
    fail_unless(code == 0 and os.path.isfile(exe), f"make {' '.join(more)} made no {name}:\n{said}")
    print(f"make -j EXE={name} {' '.join(more)}: {seconds:.0f} s")
    return exe


def last_number(text, patterns):
    """The number in the last line that fits one of the patterns, signs read as blanks."""
    for line in reversed(text.strip().split("\n")):
        found = re.search("|".join(patterns), re.sub(r"[^A-Za-z0-9 ]+", " ", line), re.IGNORECASE)
        if found:
            return int(re.search(r"\d+", found.group()).group())
    return None


def benches(exe, count):
    """So many benches at once: nodes and speed of each."""
    running = [subprocess.Popen([exe, "bench"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT) for _ in range(count)]
    texts = [each.communicate(timeout=BENCH_SECONDS)[0].decode() for each in running]
    nodes = [last_number(text, (r"\d+\s+nodes", r"nodes\s+\d+", r"nodes searched\s+\d+")) for text in texts]
    speeds = [last_number(text, (r"\d+\s+nps", r"nps\s+\d+", r"nodes second\s+\d+")) for text in texts]
    fail_unless(None not in nodes and all(speeds), f"bench is not understood:\n{texts[0]}")
    return nodes, speeds


def signature():
    with open(os.path.join(ROOT, "tests/signature.txt"), encoding="utf-8") as file:
        return int([line for line in file if line[0] != "#"][-1].split()[1])


def fail_unless_pinned(exe):
    for _ in range(2):
        nodes, speeds = benches(exe, 2)
        fail_unless(set(nodes) == {signature()}, f"bench counts {nodes}, tests/signature.txt has {signature()}")
    print(f"bench of {os.path.basename(exe)}, twice by two at once: {nodes[0]} nodes, {sum(speeds) // 2} nps")


class Engine:
    """An engine over UCI, as a match runner keeps it."""

    def __init__(self, exe):
        self.process = subprocess.Popen([exe], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.lines = queue.Queue()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            self.lines.put(line.rstrip("\n"))
        self.lines.put(None)

    def say(self, *lines):
        for line in lines:
            self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def until(self, word, seconds=10):
        """All lines up to one that begins with the word."""
        seen, end = [], time.time() + seconds
        while not (seen and seen[-1].startswith(word)):
            try:
                line = self.lines.get(timeout=max(end - time.time(), 0))
            except queue.Empty:
                line = None
            fail_unless(line is not None, f"no {word!r} in {seconds} s after {seen[-3:]}")
            seen.append(line)
        return seen

    def quit(self):
        self.say("quit")
        fail_unless(self.process.wait(timeout=10) == 0, f"quit ends with {self.process.returncode}")


def options_of(exe):
    """Every spin option: its default, least and greatest value."""
    engine = Engine(exe)
    engine.say("uci")
    spin = re.compile(r"option name (.+) type spin default (-?\d+) min (-?\d+) max (-?\d+)$")
    found = filter(None, map(spin.match, engine.until("uciok")))
    options = {each.group(1): tuple(map(int, each.groups()[1:])) for each in found}
    engine.quit()
    return options


def check_games(exe):
    """A game's first moves by clock, by nodes and by depth, a stop, and a second game in the same process."""
    engine = Engine(exe)
    engine.say("uci")
    engine.until("uciok")
    engine.say("setoption name Threads value 1", "setoption name Hash value 16", "isready")
    said = engine.until("readyok")
    fail_unless(len(said) == 1, f"an option is refused: {said}")
    for start in ("startpos", "fen r1bqkbnr/pp1ppppp/2n5/2p5/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3"):
        engine.say("ucinewgame", "isready")
        engine.until("readyok")
        moves = []
        for go in ("wtime 1000 btime 1000 winc 10 binc 10", "nodes 2000", "depth 4", "movetime 50"):
            position = f"position {start}" + (" moves " + " ".join(moves) if moves else "")
            engine.say(position, f"go {go}")
            said = engine.until("bestmove")
            fail_unless(re.fullmatch(r"bestmove [a-h][1-8][a-h][1-8][nbrq]?( ponder \S+)?", said[-1]), f"{go}: {said[-1]}")
            fail_unless(any(" score " in line for line in said), f"{go}: no score before the move")
            moves.append(said[-1].split()[1])
        engine.say(f"position {start}", "go infinite")
        engine.until("info")
        engine.say("stop")
        engine.until("bestmove")
    engine.say("isready")
    engine.until("readyok")
    engine.quit()
    print("two games over UCI: every move in time, stop and quit at once")


def genfens(exe, command):
    """The openings of a call, the longest wait for one, and the exit code with all that was said."""
    process = subprocess.Popen([exe, command, "quit"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    fens, said, longest, last = [], [], 0.0, time.time()
    for line in process.stdout:
        said.append(line)
        if line.startswith("info string genfens "):
            fens.append(line.split("genfens ")[1].rstrip())
            longest, last = max(longest, time.time() - last), time.time()
    return fens, longest, process.wait(), "".join(said)


def check_genfens(exe, folder):
    book = os.path.join(folder, "book.epd")
    with open(book, "w", encoding="utf-8") as file:
        for square in "abcdefgh":
            pawns = "P" * 8
            before = "abcdefgh".index(square)
            pawns = pawns[:before] + "1" + pawns[before + 1:]
            file.write(f"rnbqkbnr/pppppppp/8/8/8/8/{pawns}/RNBQKBNR w KQkq - hmvc 0; fmvn 1;\n")
    for name in ("None", book):
        begun = time.time()
        fens, longest, code, said = genfens(exe, f"genfens 64 seed 7 book {name} ")
        took = time.time() - begun
        fail_unless(code == 0 and len(fens) == 64 == said.count("\n"), f"genfens ends with {code}:\n{said}")
        fail_unless(len(set(fens)) == 64, "genfens repeats an opening")
        for fen in fens:
            fields = fen.split()
            fail_unless(len(fields) == 6 and fields[4].isdigit() and fields[5].isdigit(), f"genfens: {fen!r}")
        fail_unless(longest < OPENING_SECONDS / 2, f"an opening takes {longest:.1f} s")
        fail_unless(genfens(exe, f"genfens 64 seed 7 book {name} ")[0] == fens, "genfens differs with the same seed")
        others = genfens(exe, f"genfens 64 seed 8 book {name} ")[0]
        fail_unless(len(set(fens) & set(others)) < 8, "genfens of another seed gives the same openings")
        pawns = {fen.split()[0].count("P") for fen in fens}
        fail_unless(name == "None" or max(pawns) <= 7, "an opening does not come from the book")
        print(f"64 openings from {os.path.basename(name)} in {took:.1f} s, the slowest in {longest:.2f} s")
    for wrong in ("genfens", "genfens 0 seed 7 book None", "genfens 4 seed x book None", "genfens 4 seed 7 book nowhere.epd",
                  "genfens 4 seed 7 book None what"):
        fens, _, code, said = genfens(exe, wrong)
        fail_unless(code == 2 and not fens and said.count("\n") == 1, f"{wrong!r} ends with {code}:\n{said}")
    print("genfens with wrong words: refused in a line, exit code 2")


def check_evalfile(folder):
    """A net that is none fails the build. Another net plays otherwise."""
    def file(name, content):
        path = os.path.join(folder, name)
        with open(path, "wb") as out:
            out.write(content)
        return path
    with open(WEIGHTS, "rb") as net:
        weights = net.read()
    wrong = [
        (file("short.bin", weights[:-2]), "a net is a file of"),
        (file("noise.bin", bytes((at * 167 + 13) % 251 for at in range(len(weights)))), "this is no net"),
        (os.path.join(folder, "none.bin"), "No such file"),
        ("weights.bin", "an absolute path is needed"),
    ]
    for path, sentence in wrong:
        code, said, _ = make(os.path.join(folder, "none"), f"EVALFILE={path}")
        fail_unless(code != 0 and sentence in said, f"EVALFILE={path} does not fail with {sentence!r}:\n{said}")
        fail_unless(not os.path.exists(os.path.join(folder, "none")), "a build that failed has left a program")
    print(f"make EVALFILE= with {len(wrong)} files that are no nets: refused with the reason")
    # The biases of the outputs, of which each position adds one, lie before the fingerprint of eight bytes.
    shifted = weights[:-40] + b"".join((9000).to_bytes(4, "little") for _ in range(8)) + weights[-8:]
    exe = built(folder, "Sparring-0123ABCD-89ABCDEF", f"EVALFILE={file('shifted.bin', shifted)}")
    nodes, _ = benches(exe, 2)
    fail_unless(len(set(nodes)) == 1 and nodes[0] != signature(), f"another net counts {nodes}, the shipped one {signature()}")
    print(f"bench with another net: {nodes[0]} nodes")
    return file("copy.bin", weights)


def check_spsa(exe):
    """The list of parameters, read as the server reads it, beside the options of the same program."""
    text = subprocess.run([exe, "spsa"], stdout=subprocess.PIPE, text=True, check=True).stdout.rstrip("\n")
    options, names = options_of(exe), []
    for line in text.split("\n"):
        fields = [field.strip() for field in line.split(",")]
        fail_unless(len(fields) == 7 and fields[1] in ("int", "float"), f"spsa: {line!r}")
        name, (value, least, greatest, step, rate) = fields[0], map(float, fields[2:])
        fail_unless(least <= value <= greatest and least < greatest and step >= 0.5 and rate > 0, f"spsa: {line!r}")
        fail_unless(name in options, f"{name} is no UCI option of a build with TUNE=1")
        default, low, high = options[name]
        fail_unless(default == value and low <= least and greatest <= high, f"{line!r}, but the option is {options[name]}")
        names.append(name)
    fail_unless(len(set(names)) == len(names) > 20, f"spsa lists {len(names)} parameters")
    engine = Engine(exe)
    engine.say(*(f"setoption name {name} value {options[name][0]}" for name in names), "isready")
    said = engine.until("readyok")
    fail_unless(len(said) == 1, f"an option is refused: {said[:3]}")
    engine.quit()
    print(f"spsa: {len(names)} parameters, each an option")


# The server's lists of what a preset may have.
ENGINES = {f"{side}_{what}" for side in ("both", "dev", "base") for what in ("branch", "bench", "network", "options", "time_control")}
EVERY = {"book_name", "upload_pgns", "priority", "throughput", "syzygy_wdl", "syzygy_adj", "win_adj", "draw_adj"}
PRESETS = {
    "test_presets": ENGINES | EVERY | {"test_bounds", "test_confidence", "test_max_games", "workload_size"},
    "tune_presets": {key for key in ENGINES if not key.startswith("base_")} | EVERY | {
        f"spsa_{what}" for what in ("reporting_type", "distribution_type", "alpha", "gamma", "A_ratio", "iterations", "pairs_per")},
    "datagen_presets": ENGINES | EVERY | {"workload_size", "datagen_custom_genfens", "datagen_play_reverses", "datagen_max_games"},
}
BOUNDS = r"\[-?\d+(\.\d+)?, -?\d+(\.\d+)?\]"
FORMS = {
    "options": r"(?=.*\bThreads=[1-9]\d*)(?=.*\bHash=[1-9]\d*)\S+=\S+( \S+=\S+)*",
    "time_control": r"(N|D|MT)=\d+|(\d+/)?\d+(\.\d+)?(\+\d+(\.\d+)?)?",
    "win_adj": r"None|movecount=\d+ score=\d+",
    "draw_adj": r"None|movenumber=\d+ movecount=\d+ score=\d+",
    "bounds": BOUNDS,
    "confidence": BOUNDS,
    "workload_size": r"[1-9]\d*",
    "datagen_play_reverses": r"YES|NO",
    "datagen_max_games": r"[1-9]\d*",
    "datagen_custom_genfens": r"[^\"]*",
}


def check_entry(exe):
    with open(os.path.join(ROOT, "docs/openbench.json"), encoding="utf-8") as file:
        entry = json.load(file)
    build = entry["build"]
    fail_unless(entry["private"] is False and isinstance(entry["nps"], int) and entry["nps"] > 0, "private or nps")
    fail_unless(re.fullmatch(r"https://github\.com/[A-Za-z0-9-]+/[A-Za-z0-9_.-]+/?", entry["source"]), entry["source"])
    fail_unless(isinstance(build["path"], str), "build.path")
    for key in ("compilers", "cpuflags", "systems"):
        fail_unless(isinstance(build[key], list) and all(isinstance(each, str) for each in build[key]), f"build.{key}")
    options = options_of(exe)
    for kind, keys in PRESETS.items():
        fail_unless("default" in entry[kind], f"{kind} has no default, and so counts as none")
        for name, preset in entry[kind].items():
            fail_unless(set(preset) <= keys, f"{kind}, {name}: {sorted(set(preset) - keys)}")
            for key, value in preset.items():
                form = next((FORMS[end] for end in FORMS if key.endswith(end)), ".*")
                fail_unless(re.fullmatch(form, str(value)), f"{kind}, {name}: {key} is {value!r}")
                if key.endswith("_options"):
                    for option in value.split():
                        fail_unless(option.split("=")[0] in options, f"{kind}, {name}: {option} is no option")
    print("docs/openbench.json: every key is known, every value of its form")


def main():
    with tempfile.TemporaryDirectory() as folder:
        # The plain build comes last: what else builds for this machine finds it as it needs it.
        copy = check_evalfile(folder)
        tuned = built(folder, "Sparring-0123ABCE-89ABCDEF", "TUNE=1", f"EVALFILE={copy}")
        fail_unless_pinned(tuned)
        check_spsa(tuned)
        exe = built(folder, "Sparring-0123ABCD")
        fail_unless_pinned(exe)
        check_games(exe)
        check_genfens(exe, folder)
        check_entry(exe)
    print("openbench: all as its worker and its server want it")


if __name__ == "__main__":
    sys.exit(main())
