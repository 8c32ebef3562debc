"""Outside witnesses: unmodified lichess-bot and BotLi play whole games on the sandbox.

Each of them is given two games by a person, one of each colour, and one by `sparring run`, which looks for bots when nobody
plays. Prints how the games ended and every call that nobody serves. A folder that is not named is left out, and the
last lines say so. Fails if a game does not end as it should, or if there was a call that nobody serves.

    python3 tests/peers/bots.py target/debug/sparring --lichess-bot FOLDER --botli FOLDER
"""

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time

import requests
import yaml

from table import Daemon, Sandbox, challenge_and_play, next_game, write

# Looks for bots as soon as it may.
SEEKS = """
[matchmaking]
enabled = true
after = "10s"
every = "1m"
clocks = ["3+2"]
max-difference = 4000
"""
# A game between two bots that move at once takes no longer.
PATIENCE = 300
# What ends a game that nobody ran away from.
PROPER = {"mate", "resign", "draw", "stalemate"}


def lichess_bot(folder, here, program, sandbox):
    """The command that runs lichess-bot with an engine of its own that draws its moves."""
    with open(f"{folder}/config.yml.default") as file:
        config = yaml.safe_load(file)
    config["token"] = sandbox.tokens["Witness"]
    config["url"] = sandbox.url + "/"
    config["engine"].update({"dir": folder, "name": "RandomMove", "protocol": "homemade", "ponder": False})
    config["engine"]["uci_options"] = {}
    config["engine"]["draw_or_resign"]["offer_draw_enabled"] = False
    write(f"{here}/config.yml", yaml.safe_dump(config))
    return [sys.executable, "lichess-bot.py", "--config", f"{here}/config.yml", "--disable_auto_logging", "-v"]


def botli(folder, here, program, sandbox):
    """The command that runs BotLi with our engine, a handful of nodes a move."""
    write(f"{here}/engine", f'#!/bin/sh\nexec "{program}" uci\n', 0o755)
    with open(f"{folder}/config.yml.default") as file:
        config = yaml.safe_load(file)
    config["token"] = sandbox.tokens["Witness"]
    config["url"] = sandbox.url
    config["engines"] = {
        "standard": {
            "dir": here,
            "name": "engine",
            "ponder": False,
            "silence_stderr": False,
            "move_overhead_multiplier": 1.0,
            "uci_options": {"Hash": 16},
            "limits": {"nodes": 200},
        }
    }
    for who in ["human", "bot"]:
        config["challenge"][who]["modes"] = ["casual", "rated"]
    config["books"] = {}
    write(f"{here}/config.yml", yaml.safe_dump(config))
    return [sys.executable, "user_interface.py", "--config", f"{here}/config.yml"]


BOTS = {"lichess-bot": lichess_bot, "BotLi": botli}


def online(sandbox, name):
    users = requests.get(f"{sandbox.url}/api/users/status", params={"ids": name}, timeout=10).json()
    return any(user.get("online") for user in users)


def until(what, so, seconds):
    limit = time.monotonic() + seconds
    while not so():
        if time.monotonic() > limit:
            raise SystemExit(f"never: {what}")
        time.sleep(0.1)


def sought(program, sandbox):
    """Sparring looks for a bot and plays with the witness; says how it ended."""
    watcher = sandbox.client("Sparring")
    with Daemon(program, sandbox, SEEKS):
        def running():
            games = watcher.games.get_ongoing()
            return games[0]["gameId"] if games else None

        until("a game between bots", running, 60)
        game = running()
        until("its end", lambda: sandbox.view(game)["status"] != "started", PATIENCE)
        return sandbox.view(game)["status"]


def witness(name, folder, program):
    """Lets one bot play all its games. Returns whether all was well."""
    sandbox = Sandbox(program)
    log = tempfile.TemporaryFile()
    environment = {key: value for key, value in os.environ.items() if key != "LICHESS_BOT_TOKEN"}
    try:
        with tempfile.TemporaryDirectory() as here:
            command = BOTS[name](folder, here, program, sandbox)
            # In a session of its own: lichess-bot leaves its workers behind when it is told to end.
            bot = subprocess.Popen(
                command,
                cwd=folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
            try:
                until(f"{name} online", lambda: online(sandbox, "witness"), 60)
                endings = []
                for seed, color in enumerate(["white", "black"]):
                    endings.append(challenge_and_play(sandbox, "Witness", color, seed))
                    # Its seat is free again a moment after the end.
                    time.sleep(3)
                endings.append(sought(program, sandbox))
            finally:
                os.killpg(bot.pid, signal.SIGKILL)
                bot.wait(timeout=20)
        unserved = sandbox.unserved()
        print(f"{name}: a person with White, with Black, sparring run: {', '.join(endings)}")
        print(f"{name}: calls that nobody serves: {unserved or 'none'}")
        return not unserved and set(endings) <= PROPER
    except BaseException:
        log.seek(0)
        sys.stdout.write(log.read()[-6000:].decode(errors="replace"))
        raise
    finally:
        sandbox.process.terminate()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--lichess-bot", default="")
    parser.add_argument("--botli", default="")
    args = parser.parse_args()
    program = os.path.abspath(args.program)
    folders = {"lichess-bot": args.lichess_bot, "BotLi": args.botli}
    good = True
    for name, folder in folders.items():
        if folder:
            good &= witness(name, os.path.abspath(folder), program)
    for name, folder in folders.items():
        if not folder:
            variable = name.upper().replace("-", "_")
            print(f"{name}: left out, because {variable}=FOLDER of make peers names no copy of it")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
