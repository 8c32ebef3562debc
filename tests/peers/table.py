"""What the outside witnesses share: a served sandbox, and a person who plays a game to its end with berserk."""

import os
import random
import subprocess
import tempfile

import berserk
import requests

PLIES = 60


class Sandbox:
    """A served sandbox with a bot for Sparring, a bot for the witness and a person."""

    def __init__(self, program):
        command = [program, "sandbox", "--port", "0", "--seed", "1"]
        command += ["--bot", "Sparring", "--bot", "Witness", "--human", "anna"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.url = self.process.stdout.readline().strip().rstrip("/")
        self.tokens = {}
        for _ in range(3):
            _, name, token = self.process.stdout.readline().split()
            self.tokens[name] = token
        _, self.key = self.process.stdout.readline().split()

    def client(self, name):
        return berserk.Client(berserk.TokenSession(self.tokens[name]), base_url=self.url)

    def view(self, game):
        return requests.get(f"{self.url}/sandbox/game/{game}/view", timeout=10).json()

    def unserved(self):
        headers = {"x-sandbox-key": self.key}
        return requests.get(f"{self.url}/sandbox/unserved", headers=headers, timeout=10).json()


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


def write(path, text, mode=0o644):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(text)
    os.chmod(path, mode)


class Daemon:
    """`sparring run`, moving at once. More settings can be given."""

    def __init__(self, program, sandbox, settings=""):
        self.folder = tempfile.TemporaryDirectory()
        here = self.folder.name
        write(f"{here}/personalities/quick.toml", 'about = "Moves at once."\nnodes = 50\ndelay = "off"\n')
        os.makedirs(f"{here}/books")
        write(f"{here}/bot.toml", '[play]\npersonality = "quick"\n' + settings)
        environment = dict(os.environ, LICHESS_TOKEN=sandbox.tokens["Sparring"])
        command = [program, "run", "--config", f"{here}/bot.toml", "--url", sandbox.url]
        self.process = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(timeout=30)
        self.folder.cleanup()


def challenge_and_play(sandbox, bot, color, seed):
    """A person challenges a bot and plays a game with drawn moves; says how it ended."""
    anna = sandbox.client("anna")
    events = anna.board.stream_incoming_events()
    challenge = anna.challenges.create(bot, rated=False, clock_limit=300, clock_increment=3, color=color)
    game = next_game(events)
    assert game == challenge["id"], "another game began"
    return play(sandbox, anna.board, game, color, random.Random(seed))
