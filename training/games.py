#!/usr/bin/env python3
"""Collects the games into one folder of arrays, once: python3 games.py DATA FOLDER

DATA holds human/ and human-more/ (JSON lines, zstd). FOLDER gets, for the G games and their M moves altogether:
  moves.npy u16 [M] from | to << 6 | promotion << 12 as White sees the squares, choices.npy u8 [M] number of legal moves,
  clock.npy i16 [M] seconds left after the move (-1 unknown), games.npy [G], a record a game (GAME below).
"""
import io, json, os, sys, time
import numpy as np
import zstandard
from native import parse_game

SPEEDS = ('bullet', 'blitz', 'rapid', 'classical')  # 4: unknown
SITES = ('lichess', 'chess.com', 'fics', 'otb', 'otb-online')
FILES = ('human/games-clock', 'human/games-moves', 'human-more/games-online-clocks', 'human-more/games-online',
         'human-more/games-one-sided-clocks', 'human-more/games-over-the-board')
GAME = np.dtype([('begin', 'i8'), ('plies', 'i4'), ('elo', 'i2', 2), ('speed', 'i1'), ('site', 'i1'), ('file', 'i1'), ('own', 'i1'),
                 ('result', 'i1'), ('reported', 'i1'), ('date', 'i4'), ('base', 'i4'), ('increment', 'i2'), ('clocks', 'i1'), ('bodmer', 'i1')])


def reported(id):
    """The 15 of 100 games that the human report measures: never trained on."""
    hash = 0xcbf29ce484222325
    for byte in id.encode():
        hash = (hash ^ byte) * 0x100000001b3 & 2**64 - 1
    return (hash >> 32) % 100 < 15


def lines(path):
    with open(path, 'rb') as file:
        for line in io.TextIOWrapper(zstandard.ZstdDecompressor().stream_reader(file)):
            yield json.loads(line)


def main(data, folder):
    os.makedirs(folder, exist_ok=True)
    rows, moves, choices, clocks, at, began = [], [], [], [], 0, time.time()
    for number, name in enumerate(FILES):
        for g in lines(os.path.join(data, name + '.jsonl.zst')):
            if g.get('speed') in ('ultrabullet', 'correspondence') or min(g['elo']) < 100:
                continue
            m, c = parse_game(g['moves'])
            k = np.full(len(m), -1, np.int16)
            clock = g.get('clk')
            if clock:
                some = [-1 if x is None else min(int(x), 32000) for x in clock[:len(m)]]
                k[:len(some)] = some
            base, increment = g.get('tc') or (-1, -1)
            rows.append((at, len(m), g['elo'], SPEEDS.index(g['speed']) if g.get('speed') in SPEEDS else 4, SITES.index(g.get('site', 'lichess')),
                         number, g.get('own', -1), {'1-0': 1, '0-1': -1, '1/2-1/2': 0}.get(g.get('result'), 2), reported(g['id']),
                         int(str(g.get('date', '0'))[:4].replace('?', '0') or 0), base if base is not None else -1,
                         increment if increment is not None else -1, bool(clock), g['src'] == 'bodmer'))
            moves.append(m), choices.append(c), clocks.append(k)
            at += len(m)
        print(name, len(rows), 'games', at, 'moves', f'{time.time() - began:.0f} s', flush=True)
    np.save(os.path.join(folder, 'moves.npy'), np.concatenate(moves))
    np.save(os.path.join(folder, 'choices.npy'), np.concatenate(choices))
    np.save(os.path.join(folder, 'clock.npy'), np.concatenate(clocks))
    np.save(os.path.join(folder, 'games.npy'), np.array(rows, GAME))


if __name__ == '__main__':
    main(*sys.argv[1:3])
