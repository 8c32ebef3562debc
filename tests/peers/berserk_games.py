"""Outside witness: berserk, lichess' own Python client, plays whole games on the sandbox.

Once as a person against `sparring run`, and once as a bot against a person, berserk at both ends. The moves come from
the sandbox's own list of legal ones. Fails if a game does not end, or if berserk made a call that nobody serves.

    python3 tests/peers/berserk_games.py target/debug/sparring
"""

import os
import random
import subprocess
import sys
import tempfile
import threading
import time

import berserk
import requests

PLIES = 60


class Sandbox:
    """A served sandbox with a bot for Sparring, a bot for berserk and a person."""

    def __init__(self, program):
        command = [program, "sandbox", "--port", "0", "--seed", "1"]
        command += ["--bot", "Sparring", "--bot", "Berserk", "--human", "anna"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.url = self.process.stdout.readline().strip().rstrip("/")
        self.tokens = {}
        for _ in range(3):
            _, name, token = self.process.stdout.readline().split()
            self.tokens[name] = token

    def client(self, name):
        return berserk.Client(berserk.TokenSession(self.tokens[name]), base_url=self.url)

    def view(self, game):
        return requests.get(f"{self.url}/sandbox/game/{game}/view", timeout=10).json()

    def unserved(self):
        return requests.get(f"{self.url}/sandbox/unserved", timeout=10).json()


def play(sandbox, interface, game, color, rng):
    """Follows a game to its end and moves when it is our turn; resigns when it has lasted long enough."""
    for event in interface.stream_game_state(game):
        state = event.get("state", event)
        if "moves" not in state:
            continue
        if state["status"] != "started":
            return state["status"]
        plies = len(state["moves"].split())
        if (plies % 2 == 0) != (color == "white"):
            continue
        if plies >= PLIES:
            interface.resign_game(game)
            continue
        legal = sandbox.view(game)["legal"]
        if legal:
            interface.make_move(game, rng.choice(legal)["uci"])
    return sandbox.view(game)["status"]


def next_game(events):
    for event in events:
        if event["type"] == "gameStart":
            return event["game"]["gameId"]
    raise SystemExit("the event stream ended without a game")


def against_sparring(program, sandbox):
    """A person with berserk against the real daemon."""
    with tempfile.TemporaryDirectory() as folder:
        os.makedirs(f"{folder}/personalities")
        os.makedirs(f"{folder}/books")
        with open(f"{folder}/personalities/quick.toml", "w") as file:
            file.write('about = "Moves at once."\nnodes = 50\ndelay = "off"\n')
        with open(f"{folder}/bot.toml", "w") as file:
            file.write('[play]\npersonality = "quick"\n')
        environment = dict(os.environ, LICHESS_TOKEN=sandbox.tokens["Sparring"])
        command = [program, "run", "--config", f"{folder}/bot.toml", "--url", sandbox.url]
        daemon = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL)
        try:
            anna = sandbox.client("anna")
            events = anna.board.stream_incoming_events()
            challenge = anna.challenges.create(
                "Sparring", rated=False, clock_limit=300, clock_increment=3, color="white"
            )
            game = next_game(events)
            assert game == challenge["id"], "another game began"
            return play(sandbox, anna.board, game, "white", random.Random(1))
        finally:
            daemon.terminate()
            daemon.wait(timeout=30)


def between_berserks(sandbox):
    """berserk as a bot accepts what berserk as a person sends, and they chat."""
    bot, anna = sandbox.client("Berserk"), sandbox.client("anna")
    outcome = {}

    def be_the_bot():
        for event in bot.bots.stream_incoming_events():
            if event["type"] == "challenge":
                bot.bots.accept_challenge(event["challenge"]["id"])
            elif event["type"] == "gameStart":
                game = event["game"]["gameId"]
                bot.bots.post_message(game, "Hello from berserk")
                outcome["bot"] = play(sandbox, bot.bots, game, "black", random.Random(2))
                return

    thread = threading.Thread(target=be_the_bot, daemon=True)
    thread.start()
    events = anna.board.stream_incoming_events()
    anna.challenges.create("Berserk", rated=False, clock_limit=300, clock_increment=3, color="white")
    game = next_game(events)
    outcome["person"] = play(sandbox, anna.board, game, "white", random.Random(3))
    thread.join(timeout=60)
    said = [line["text"] for line in anna.board.get_game_chat(game)]
    assert "Hello from berserk" in said, said
    assert game in anna.games.export(game, as_pgn=True), "the PGN names the game"
    assert outcome.get("bot") == outcome["person"], outcome
    return outcome["person"]


def main():
    program = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else "target/debug/sparring")
    sandbox = Sandbox(program)
    try:
        begun = time.monotonic()
        print("a person with berserk against sparring run:", against_sparring(program, sandbox))
        print("berserk as a bot against berserk as a person:", between_berserks(sandbox))
        unserved = sandbox.unserved()
        print("calls that nobody serves:", unserved or "none", f"({time.monotonic() - begun:.1f} s)")
        return 1 if unserved else 0
    finally:
        sandbox.process.terminate()


if __name__ == "__main__":
    sys.exit(main())
