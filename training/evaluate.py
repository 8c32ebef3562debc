#!/usr/bin/env python3
"""Move-match on the held-out decisions, as the human report counts it, beside the Maias': python3 evaluate.py GAMES CHECKPOINT 

The decisions: 15 of 100 games of human/ by the id's hash, ply >= 10, known to be blitz, rapid or classical; bands of 200 points.
"""
import os, sys, time
import numpy as np
import torch
from batches import decisions
from net import Net
from samples import Games

# Top-1 (%) and nats of the Maia nearest to the mover's rating in f32.
MAIA = {800: (45.9, -1.766), 1000: (49.7, -1.557), 1200: (50.8, -1.560), 1400: (52.0, -1.498), 1600: (52.8, -1.450), 1800: (51.3, -1.494),
        2000: (53.3, -1.443), 2200: (52.1, -1.487), 2400: (50.3, -1.504), 2600: (47.9, -1.615)}


def held_out(games, cap=None):
    """(game, ply) of every held-out decision with its band; of each band at most `cap`, drawn with a fixed seed."""
    g = games.games
    fit = (g['file'] < 2) & (g['reported'] == 1) & (g['bodmer'] == 0) & (g['speed'] >= 1) & (g['speed'] <= 3)
    where = np.concatenate([np.stack([np.full(max(0, g['plies'][k] - 10), k), np.arange(10, max(10, g['plies'][k]))], 1) for k in np.nonzero(fit)[0]])
    band = np.clip(g['elo'][where[:, 0], where[:, 1] % 2] // 200 * 200, 600, 2600)
    if cap:
        order = np.random.default_rng(3).permutation(len(where))
        where, band = where[order], band[order]
        keep = np.concatenate([np.nonzero(band == b)[0][:cap] for b in np.unique(band)])
        where, band = where[keep], band[keep]
    return where, band


@torch.no_grad()
def measure(net, games, cap=None, batch=512):
    """Band -> (decisions, top-1, top-3, nats), and the mean log loss of the outcome and of the think time."""
    where, band = held_out(games, cap)
    net.eval()
    rows, outcome, times = [], [], []
    for a in range(0, len(where), batch):
        b = decisions(games, where[a:a + batch, 0], where[a:a + batch, 1])
        logs, wdl, time_ = net(b)
        played = b['played']
        found = played >= 0
        own = logs.gather(1, played.clamp(min=0)[:, None])
        first = torch.arange(logs.shape[1]) < played[:, None]  # of alike chances (bf16 has many) the first in our order goes before
        better = ((logs > own) | ((logs == own) & first)).sum(1)
        rows.append(torch.stack([found & (better == 0), found & (better < 3), torch.where(found, own[:, 0], -10.0)], 1).double())
        if (known := b['result'] >= 0).any():
            outcome.append(torch.nn.functional.cross_entropy(wdl[known], b['result'][known], reduction='none'))
        if (known := b['time'] >= 0).any():
            times.append(torch.nn.functional.cross_entropy(time_[known], b['time'][known], reduction='none'))
    rows = torch.cat(rows).numpy()
    table = {int(k): (int((band == k).sum()), *rows[band == k].mean(0)) for k in np.unique(band)}
    return table, float(torch.cat(outcome).mean()), float(torch.cat(times).mean())


def mean(table, column=1):
    """Of the bands 1000 to 1800."""
    return float(np.mean([table[k][column] for k in range(1000, 2000, 200)]))


def show(table, outcome, times):
    lines = ['| band | decisions | top-1 % | Maia | top-3 % | nats | Maia |', '|---|--:|--:|--:|--:|--:|--:|']
    for k, (n, one, three, nats) in table.items():
        maia = MAIA.get(k, (float('nan'),) * 2)
        lines.append(f'| {k} | {n} | {one * 100:.1f} | {maia[0]:.1f} | {three * 100:.1f} | {nats:.3f} | {maia[1]:.3f} |')
    lines.append(f'Mean of 1000 to 1800: top-1 {mean(table) * 100:.2f} % (Maia {np.mean([MAIA[k][0] for k in range(1000, 2000, 200)]):.1f}), nats {mean(table, 3):.3f}; '
                 f'outcome {outcome:.3f}, think time {times:.3f} nats')
    return '\n'.join(lines)


def load(path):
    state = torch.load(path, weights_only=False)
    net = Net(**state['config']['net'])
    net.load_state_dict(state.get('ema') or state['net'])
    return net.eval(), state


class Nearest(torch.nn.Module):
    """The Maia nearest to each mover's rating, in the network's place; it says nothing of outcome and time."""

    def __init__(self, games, folder):
        from maia import RATINGS, Maia
        super().__init__()
        self.games, self.maias = games, {r: Maia(folder, r, torch.bfloat16) for r in RATINGS}

    def forward(self, b):
        from maia import teach
        (game, ply), elo = b['where'], b['elo'].numpy()
        rating, out = np.clip(np.round(elo / 100) * 100, 1100, 1900), torch.zeros(b['mask'].shape)
        for r in np.unique(rating):
            at = np.nonzero(rating == r)[0]
            out[at] = teach(self.maias[int(r)], self.games.moves, self.games.games['begin'][game[at]], ply[at])[:, :out.shape[1]]
        return out.clamp(min=1e-12).log(), torch.zeros(len(elo), 3), torch.zeros(len(elo), 14)


if __name__ == '__main__':
    games = Games(sys.argv[1])
    began = time.time()
    if os.path.isdir(sys.argv[2]):
        print(show(*measure(Nearest(games, sys.argv[2]), games)))
        sys.exit()
    net, state = load(sys.argv[2])
    print(show(*measure(net, games, int(sys.argv[3]) if len(sys.argv) > 3 else None)))
    print(f'{state["positions"] / 1e6:.2f} M positions seen, {state["minutes"]:.0f} minutes; measured in {time.time() - began:.0f} s')
