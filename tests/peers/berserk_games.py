"""Outside witness: berserk, lichess' own Python client, plays whole games on the sandbox.

Once as a person against `sparring run`, and once as a bot against a person, berserk at both ends. The moves come from
the sandbox's own list of legal ones. Fails if a game does not end, or if berserk made a call that nobody serves.

    python3 tests/peers/berserk_games.py target/debug/sparring
"""

import os
import random
import sys
import threading
import time

from table import Daemon, Sandbox, challenge_and_play, next_game, play


def against_sparring(program, sandbox):
    """A person with berserk against the real daemon."""
    with Daemon(program, sandbox):
        return challenge_and_play(sandbox, "Sparring", "white", 1)


def between_berserks(sandbox):
    """berserk as a bot accepts what berserk as a person sends, and they chat."""
    bot, anna = sandbox.client("Witness"), sandbox.client("anna")
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
    anna.challenges.create("Witness", rated=False, clock_limit=300, clock_increment=3, color="white")
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
