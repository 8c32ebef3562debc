"""The C encoder against python-chess on games that castle, promote, take en passant and repeat."""
from collections import Counter
import chess
import numpy as np
import pytest
from native import PLANES, WIDTH, looks, maia_looks, parse_game

GAMES = [
    'e2e4 c7c5 g1f3 d7d6 d2d4 c5d4 f3d4 g8f6 b1c3 a7a6 c1e3 e7e5 d4b3 c8e6 d1d2 f8e7 e1c1 e8g8 f2f3 b8d7 g2g4 b7b5 g4g5 b5b4 g5f6 b4c3 d2c3 d7f6 h1g1',
    'e2e4 d7d5 e4e5 f7f5 e5f6 g8f6 d2d4 d5d4 d1d4 b8c6 d4d8 c6d8',
    'e2e4 d7d5 e4e5 f7f5 e5f6 g8f6 g1f3 f6g8 f3g1 g8f6 g1f3 f6g8 f3g1 g8f6 h2h4 h7h5 g2g4 h5g4 h4h5 g4g3 h5h6 g3f2 e1f2 c8g4 h6g7 g4d1 g7h8n d1c2 b2b4 c2b1 b4b5 a7a6 b5a6 b1a2 a6b7 a2g8 b7a8q',
    'd2d4 d7d5 c2c4 d5c4 e2e4 b7b5 a2a4 c7c6 a4b5 c6b5 d1f3',
    'f2f3 e7e5 g2g4 d8h4',
    'e2e4 e7e5 d1h5 b8c6 f1c4 g8f6 h5f7',
]


def flipped(mask):
    return int.from_bytes(int(mask).to_bytes(8, 'little'), 'big')


def positions():
    for text in GAMES:
        moves, choices = parse_game(text)
        n = len(moves)
        out = looks(moves, np.zeros(n + 1), np.arange(n + 1), np.full(n + 1, n), bits=True)
        index = maia_looks(moves, np.zeros(n + 1), np.arange(n + 1))[1]
        board, seen, history = chess.Board(), Counter(), text.split()[:n]
        for ply in range(n + 1):
            key = board._transposition_key()
            row = {k: v[ply] for k, v in out.items()} | {'index': index[ply], 'ply': ply, 'before': seen[key], 'choices': choices[ply] if ply < n else None,
                                                         'uci': history[ply] if ply < n else None}
            yield board, row
            seen[key] += 1
            if ply < n:
                board.push_uci(history[ply])


def code(board, move):
    flip = 0 if board.turn else 56
    return (move.from_square ^ flip) | (move.to_square ^ flip) << 6 | ((move.promotion or 1) - 1) << 12


def own_first(board):
    return (board.turn, not board.turn)


def test_legal_moves_come_in_the_promised_order_and_the_played_one_is_found():
    for board, row in positions():
        legal = [int(m) for m in row['legal'] if m < 65535]
        assert legal == sorted(code(board, m) for m in board.legal_moves) or sorted(legal) == sorted(code(board, m) for m in board.legal_moves)
        assert legal == sorted(legal, key=lambda m: (m & 63, m >> 6 & 63, m >> 12))
        assert row['info'][0] == len(legal)
        if row['uci']:
            assert row['choices'] == len(legal)
            assert legal[row['info'][1]] == code(board, chess.Move.from_uci(row['uci']))


def test_an_illegal_move_ends_the_game():
    assert [len(parse_game(text)[0]) for text in ('e2e4 e7e5 e4e5 g8f6', 'e2e5', '', 'e2e4 zz')] == [2, 0, 0, 1]
    assert len(parse_game(GAMES[1])[0]) == 7  # d5d4 is blocked


def test_counters_castling_and_repetition_agree():
    for board, row in positions():
        info, us = row['info'], board.turn
        assert info[2] == board.halfmove_clock and info[3] == row['before'] and info[5] == board.is_check()
        assert info[6] == len(board.piece_map()) and info[7] == (not us)
        rights = [board.has_queenside_castling_rights(us), board.has_kingside_castling_rights(us), board.has_queenside_castling_rights(not us), board.has_kingside_castling_rights(not us)]
        assert info[4] == sum(bool(r) << k for k, r in enumerate(rights))


def test_piece_attack_and_pin_planes_agree():
    for board, row in positions():
        bits = [int(b) for b in row['bits']]
        assert len(bits) == PLANES and bits[85] == 2**64 - 1
        view = (lambda m: int(m)) if board.turn else flipped
        for c, color in enumerate(own_first(board)):
            for t in range(6):
                squares = board.pieces(t + 1, color)
                attacked = 0
                for s in squares:
                    attacked |= int(board.attacks(s))
                assert bits[6 * c + t] == view(int(squares))
                assert bits[12 + 6 * c + t] == view(attacked)
            pinned = sum(1 << s for s in chess.SquareSet(board.occupied_co[color]) if s != board.king(color) and board.is_pinned(color, s))
            assert bits[42 + c] == view(pinned)
            twice = sum(1 << s for s in chess.SQUARES if len(board.attackers(color, s)) > 1)
            assert bits[24 + 2 * c] == view(twice)
        assert bits[46] == view(int(board.checkers()))
        assert bits[51] == (view(1 << board.ep_square) if board.has_legal_en_passant() else 0)
        for k, move in enumerate(reversed(board.move_stack[-6:])):
            assert (bits[53 + 2 * k], bits[54 + 2 * k]) == (view(1 << move.from_square), view(1 << move.to_square))


def test_notes_on_checks_mates_and_captures_agree():
    mates = 0
    for board, row in positions():
        notes = {int(m): int(n) for m, n in zip(row['legal'], row['notes']) if m < 65535}
        for move in list(board.legal_moves):
            note = notes[code(board, move)]
            assert bool(note >> 16 & 1) == board.gives_check(move)
            assert bool(note >> 6 & 31) == board.is_capture(move)
            assert bool(note >> 11 & 1) == board.is_castling(move)
            board.push(move)
            assert bool(note >> 17 & 1) == board.is_checkmate()
            mates += board.is_checkmate()
            board.pop()
    assert mates >= 2


@pytest.mark.parametrize('moves, uci, bits', [
    ('e2e4 d7d5', 'e4d5', {6, 27}),  # the queen takes back: an even trade; the pawn went to where it is taken
    ('e2e4 d7d5', 'd1g4', {21, 22, 23, 24, 30, 31, 32, 33}),  # a queen for a bishop that takes her
    ('e2e4 e7e5 g1f3 g8f6 f3e5 f6e4', 'd1e2', set()),
    ('e2e4 e7e5 g1f3 b8c6', 'f3g1', {28, 29}),
])
def test_notes_on_exchanges(moves, uci, bits):
    game = parse_game(moves)[0]
    out = looks(game, [0], [len(game)], [len(game)])
    board = chess.Board()
    for m in moves.split():
        board.push_uci(m)
    at = [int(m) for m in out['legal'][0]].index(code(board, chess.Move.from_uci(uci)))
    got = {k for k in range(64) if int(out['notes'][0][at]) >> k & 1}
    assert bits <= got, got
    assert not (got & {18, 19, 20}) or uci == 'e4d5'


def test_maia_indices_are_distinct_and_follow_the_rule():
    for board, row in positions():
        index = [int(i) for i in row['index'] if i < 65535]
        legal = [int(m) for m in row['legal'] if m < 65535]
        assert len(set(index)) == len(index) == len(legal) and all(0 <= i < 5120 for i in index)
        assert all(i % 64 == m & 63 for i, m in zip(index, legal))
    game = parse_game(GAMES[5] + ' ')[0]
    first = dict(zip(looks(game, [0], [0], [7])['legal'][0].tolist(), maia_looks(game, [0], [0])[1][0].tolist()))
    assert first[12 | 28 << 6] == 1 * 64 + 12  # e2e4: two to the north
    assert first[6 | 21 << 6] == (56 + 7) * 64 + 6  # g1f3: the last knight move


def test_widths():
    assert WIDTH == 96
