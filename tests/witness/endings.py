"""How surely an engine mates a bare king, against a defence that endgame tables make perfect.

Usage: endings.py ENGINE SYZYGY_FOLDER [NODES [GAMES [SEED [ENDING ...]]]]

From won positions that chance makes, others for every seed, the side with the pieces to move, the engine plays with so
many nodes a move. Without captures the tables' distance is that to mate, so that every half move beyond it is the
engine's own. Prints a table; fails when a position is not mated before the fifty moves are over.
"""

import random
import sys

import chess
import chess.engine
import chess.syzygy

FIFTY_MOVES = 100
BARE_KING = ["KQK", "KRK", "KBBK", "KBNK"]
PIECES = {"Q": chess.QUEEN, "R": chess.ROOK, "B": chess.BISHOP, "N": chess.KNIGHT}


def won_position(ending, tables, chance):
    """A position of the ending that White, to move, wins."""
    pieces = [PIECES[letter] for letter in ending[1:-1]]
    while True:
        squares = chance.sample(range(64), len(pieces) + 2)
        board = chess.Board(None)
        board.set_piece_at(squares[0], chess.Piece(chess.KING, chess.WHITE))
        board.set_piece_at(squares[1], chess.Piece(chess.KING, chess.BLACK))
        for square, piece in zip(squares[2:], pieces):
            board.set_piece_at(square, chess.Piece(piece, chess.WHITE))
        if board.is_valid() and tables.probe_wdl(board) == 2:
            return board


def best_defence(board, tables):
    """The reply that puts mate off longest, or takes a piece where one may be taken."""

    def put_off(move):
        if board.is_capture(move):
            return FIFTY_MOVES
        board.push(move)
        distance = abs(tables.probe_dtz(board))
        board.pop()
        return distance

    return max(board.legal_moves, key=put_off)


def play(engine, board, tables, nodes, game):
    """Half moves to mate; None when it does not come in time."""
    men = len(board.piece_map())
    for half_moves in range(FIFTY_MOVES):
        if board.is_checkmate():
            return half_moves
        if board.is_stalemate() or len(board.piece_map()) < men:
            return None
        if board.turn == chess.WHITE:
            board.push(engine.play(board, chess.engine.Limit(nodes=nodes), game=game).move)
        else:
            board.push(best_defence(board, tables))
    return FIFTY_MOVES if board.is_checkmate() else None


def main():
    program, folder = sys.argv[1:3]
    nodes = int(sys.argv[3]) if len(sys.argv) > 3 else 20_000
    games = int(sys.argv[4]) if len(sys.argv) > 4 else 100
    seed = int(sys.argv[5]) if len(sys.argv) > 5 else 1
    all_mated = True
    print(f"{nodes} nodes a move, {games} won positions of each ending, seed {seed}")
    print("| ending | mated | half moves beyond the best, mean | the longest game |\n|---|--:|--:|--:|")
    with chess.syzygy.open_tablebase(folder) as tables, chess.engine.SimpleEngine.popen_uci(program) as engine:
        engine.configure({"Hash": 16})
        for ending in sys.argv[6:] or BARE_KING:
            chance = random.Random(f"{seed} {ending}")
            beyond, longest, mated = 0, 0, 0
            for game in range(games):
                board = won_position(ending, tables, chance)
                best = abs(tables.probe_dtz(board))
                half_moves = play(engine, board, tables, nodes, (ending, game))
                if half_moves is not None:
                    mated += 1
                    beyond += half_moves - best
                    longest = max(longest, half_moves)
            all_mated &= mated == games
            print(f"| {ending} | {mated} | {beyond / max(mated, 1):.1f} | {longest} |", flush=True)
    sys.exit(0 if all_mated else 1)


if __name__ == "__main__":
    main()
