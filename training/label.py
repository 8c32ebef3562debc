#!/usr/bin/env python3
"""Lets the Maias judge the sampled decisions: python3 label.py GAMES MAIA SHARDS FIRST LAST [STEP]

Writes SHARDS/NUMBER.npz for each number in FIRST..LAST (every STEP-th) that is not there yet (so it can be stopped and started at will):
  where i32 [n, 2] game and ply, count u8 [n] legal moves, chances f16 flat: those of the legal moves in our order, decision after decision.
Several processes may share the work: OMP_NUM_THREADS=1, FIRST 0 and 1, STEP 2.
The teacher is one of the two networks nearest to the mover's rating (on lichess' scale), drawn by the distance.
"""
import os, sys, time
import numpy as np
import torch
from maia import RATINGS, Maia, teach
from samples import Games, Sampler

BATCH = 512


def label(games, maias, where, rng):
    elo = np.clip(games.elo[where[:, 0], where[:, 1] % 2], RATINGS[0], RATINGS[-1])
    chosen = np.floor(elo / 100 + rng.random(len(elo))).astype(int) * 100
    chosen = np.clip(chosen, RATINGS[0], RATINGS[-1])
    begin = games.games['begin'][where[:, 0]]
    out = np.zeros((len(where), 96), np.float16)
    for rating in np.unique(chosen):
        rows = np.nonzero(chosen == rating)[0]
        for a in range(0, len(rows), BATCH):
            some = rows[a:a + BATCH]
            out[some] = teach(maias[rating], games.moves, begin[some], where[some, 1]).numpy()
    count = games.choices[begin + where[:, 1]]
    return count, out[np.arange(96) < count[:, None]]


def main(games, maia, shards, first, last, step=1):
    os.makedirs(shards, exist_ok=True)
    games = Games(games)
    sampler, maias = Sampler(games), {r: Maia(maia, r, torch.bfloat16) for r in RATINGS}
    for number in range(int(first), int(last) + 1, int(step)):
        path = os.path.join(shards, f'{number:04}.npz')
        if os.path.exists(path):
            continue
        began = time.time()
        where = sampler.shard(number)
        count, chances = label(games, maias, where, np.random.default_rng([53, number]))
        np.savez(path + '.part.npz', where=where, count=count, chances=chances)
        os.replace(path + '.part.npz', path)
        print(path, f'{len(where) / (time.time() - began):.0f} positions/s', flush=True)


if __name__ == '__main__':
    main(*sys.argv[1:7])
