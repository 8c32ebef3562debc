"""Decisions to tensors: what the network sees of a batch, and what it is taught."""
import os
import numpy as np
import torch
from native import PLANES, WIDTH, looks

CONTEXT, PACE, NOTES, TIME_BINS = 40, 4, 40, 14
TIME_EDGES = np.array([1, 2, 3, 4, 5, 7, 10, 14, 20, 30, 45, 70, 120])  # seconds; the last bin has no end


def log2(x):
    return np.log2(1 + np.maximum(x, 0))


def context_of(elo, opponent, speed, site, info, ply, left, opponent_left, base, increment):
    """The numbers beside the board (README, "Context"), [n, 40] f32. Unknown times are -1."""
    n = len(elo)
    c = np.zeros((n, CONTEXT), np.float32)
    r = np.clip(elo, 600, 2800)
    c[:, :12] = np.maximum(0, 1 - np.abs(r[:, None] - np.arange(600, 2801, 200)) / 200)
    c[:, 12] = (r - 1600) / 500
    c[:, 13] = np.clip((opponent - elo) / 300, -2, 2)
    c[np.arange(n), 14 + speed] = 1
    c[np.arange(n), 19 + site] = 1
    c[:, 25], c[:, 26] = info[:, 3] > 0, np.minimum(info[:, 2] / 50, 2)
    c[:, 27], c[:, 28], c[:, 29] = np.minimum(ply / 80, 2), info[:, 7], info[:, 5]
    c[:, 30], c[:, 31] = info[:, 6] / 32, info[:, 0] / 40
    known = left >= 0
    c[:, 32], c[:, 33] = known, log2(left) / 10
    c[:, 34] = np.where(known & (base > 0), np.clip(left / np.maximum(base, 1), 0, 1.5), 0)
    c[:, 35], c[:, 36], c[:, 37] = base >= 0, log2(base) / 12, np.clip(increment, 0, 30) / 10
    c[:, 38] = log2(opponent_left) / 10
    return c


def decisions(games, game, ply, chances=None, count=None):
    """A dict of tensors for the decisions at `ply` of games number `game` (arrays); chances: the teacher's, flat, with `count` for each."""
    g = games.games[game]
    begin, n, side = g['begin'], len(game), ply % 2
    seen = looks(games.moves, begin, ply, g['plies'])
    info, elo = seen['info'], games.elo[game]
    rows = np.arange(n)
    clock, has, base, increment = games.clock, g['clocks'] == 1, g['base'].astype(np.float32), g['increment'].astype(np.float32)

    def left(back):  # on the clock of the side that moved `back` plies before
        at = ply - back
        value = clock[np.maximum(begin + at, 0)].astype(np.float32)
        return np.where(has & (at >= 0), value, np.where(has, base, -1))

    def think(back):  # seconds that the move `back` plies ago took (0: the one to come), -1 unknown
        at = ply - back
        before, after = clock[np.maximum(begin + at - 2, 0)].astype(np.float32), clock[np.clip(begin + at, 0, len(clock) - 1)].astype(np.float32)
        return np.where(has & (at >= 2) & (before >= 0) & (after >= 0), np.maximum(before - after + np.maximum(increment, 0), 0), -1)
    context = context_of(elo[rows, side], elo[rows, 1 - side], g['speed'], games.site[game], info, ply, left(2), left(1), base, increment)
    own, their, now = think(2), think(1), think(0)
    pace = np.stack([own >= 0, log2(own) / 6, their >= 0, log2(their) / 6], 1).astype(np.float32)
    width = int(info[:, 0].max())
    legal = seen['legal'][:, :width].astype(np.int64)
    mask = legal < 65535
    flat = legal[mask]
    notes = seen['notes'][:, :width][mask]
    result = np.where(g['result'] == 2, -1, 1 - g['result'] * np.where(side == 0, 1, -1))  # 0 win, 1 draw, 2 loss for the mover, -1 unknown
    out = {
        'planes': torch.from_numpy(seen['planes'].view(np.int16)).view(torch.bfloat16), 'context': torch.from_numpy(context), 'pace': torch.from_numpy(pace),
        'mask': torch.from_numpy(mask), 'row': torch.from_numpy(np.nonzero(mask)[0]), 'move': torch.from_numpy(flat),
        'notes': torch.from_numpy(np.unpackbits(notes.astype('<u8').view(np.uint8).reshape(-1, 8)[:, :NOTES // 8], axis=1, bitorder='little')).float(),
        'played': torch.from_numpy(info[:, 1].astype(np.int64)), 'result': torch.from_numpy(result.astype(np.int64)),
        'time': torch.from_numpy(np.where(now >= 0, np.searchsorted(TIME_EDGES, now, side='right'), -1).astype(np.int64)),
        'elo': torch.from_numpy(elo[rows, side].astype(np.float32)), 'where': (game, ply),
    }
    if chances is not None:
        teacher = np.zeros((n, width), np.float32)
        teacher[np.arange(width) < count[:, None]] = chances
        out['teacher'] = torch.from_numpy(teacher)
    return out


class Stream:
    """Batches of the labelled shards in turn, a new order at each pass; its `state` is a few numbers, so a run resumes where it was."""

    def __init__(self, games, folder, batch, state=None):
        self.games, self.folder, self.batch = games, folder, batch
        self.state = state or {'passes': 0, 'used': [], 'shard': None, 'at': 0}
        self.loaded = None

    def load(self, number):
        shard = np.load(os.path.join(self.folder, f'{number:04}.npz'))
        order = np.random.default_rng([54, number, self.state['passes']]).permutation(len(shard['where']))
        ends = np.cumsum(shard['count'].astype(np.int64))
        self.loaded = number, shard['where'], shard['count'].astype(np.int64), shard['chances'], ends, order

    def next(self):
        s = self.state
        if s['shard'] is None:
            there = sorted(int(name[:4]) for name in os.listdir(self.folder) if name.endswith('.npz') and '.part' not in name)
            fresh = [k for k in there if k not in s['used']]
            if not fresh:
                s['passes'], s['used'], fresh = s['passes'] + 1, [], there
            s['shard'], s['at'] = fresh[0], 0
        if self.loaded is None or self.loaded[0] != s['shard']:
            self.load(s['shard'])
        number, where, count, chances, ends, order = self.loaded
        some = order[s['at']:s['at'] + self.batch]
        flat = np.concatenate([chances[ends[k] - count[k]:ends[k]] for k in some]).astype(np.float32)
        batch = decisions(self.games, where[some, 0].astype(np.int64), where[some, 1].astype(np.int64), flat, count[some])
        s['at'] += self.batch
        if s['at'] + self.batch > len(order):
            s['used'], s['shard'], self.loaded = s['used'] + [number], None, None
        return batch
