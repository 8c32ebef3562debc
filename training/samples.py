"""Which decisions are trained on: the games' sides weighed by rating band, and a random ply of each draw. Shard k is the same on every machine."""
import os
import numpy as np

BULLET = 0
SHARD = 65536
# Share of each 200-point band of the mover (600 and below .. 2600 and above), before few games lessen it.
BANDS = {600: 0.8, 800: 1.0, 1000: 1.2, 1200: 1.2, 1400: 1.2, 1600: 1.2, 1800: 1.2, 2000: 1.0, 2200: 1.0, 2400: 0.8, 2600: 0.6}


def on_lichess_scale(elo, site):
    """A rough conversion to lichess' scale: chess.com lies 350 lower at 800 and 100 at 2050, over the board 150. The site is an input as well."""
    elo = np.asarray(elo, np.float32)
    dotcom = np.clip(350 - (elo - 800) * 0.2, 0, 350)
    return elo + np.where(site == 1, dotcom, np.where((site == 3) | (site == 4), np.where(elo < 2500, 150, 100), 0))


class Games:
    def __init__(self, folder):
        load = lambda name: np.load(os.path.join(folder, name + '.npy'), mmap_mode='r')
        self.moves, self.choices, self.clock = load('moves'), load('choices'), load('clock')
        self.games = np.load(os.path.join(folder, 'games.npy'))
        self.site = np.where((self.games['site'] == 0) & (self.games['date'] == 2013), 5, self.games['site'])  # lichess' first ratings
        self.elo = on_lichess_scale(self.games['elo'], self.site[:, None])
        # Arrays in memory: draws are random.
        self.moves, self.choices, self.clock = np.array(self.moves), np.array(self.choices), np.array(self.clock)


class Sampler:
    def __init__(self, games):
        g, self.games = games.games, games
        fit = (g['reported'] == 0) & (g['bodmer'] == 0) & (g['plies'] >= 14)
        weight = np.where(g['speed'] == BULLET, 0.3, 1.0) * np.where(g['site'] >= 3, 0.3, 1.0) * np.where(g['clocks'], 2.0, 1.0) * np.sqrt(g['plies'])
        self.sides, self.shares, bands = [], [], []
        for band, share in BANDS.items():
            within = np.clip(games.elo // 200 * 200, 600, 2600) == band
            rows, sides = np.nonzero(within & fit[:, None])
            keep = ~((g['file'][rows] == 4) & (g['own'][rows] == sides))  # the owner of a large export is one person
            rows, sides = rows[keep], sides[keep]
            w = np.cumsum(weight[rows])
            self.sides.append((rows, sides, w / w[-1]))
            self.shares.append(share * min(1.0, (g['plies'][rows].sum() / 2) / 400_000))
        self.shares = np.array(self.shares) / sum(self.shares)

    def shard(self, number, size=SHARD):
        """(game, ply) of `size` decisions with more than one legal move."""
        rng, found = np.random.default_rng([52, number]), []
        have = 0
        while have < size:
            band = rng.choice(len(self.shares), size, p=self.shares)
            u, v = rng.random(size), rng.random(size)
            game, side = np.zeros(size, np.int64), np.zeros(size, np.int64)
            for b, (rows, sides, sums) in enumerate(self.sides):
                at = band == b
                k = np.searchsorted(sums, u[at])
                game[at], side[at] = rows[k], sides[k]
            plies = self.games.games['plies'][game]
            ply = 2 * (v * ((plies + 1 - side) // 2)).astype(np.int64) + side
            choices = self.games.choices[self.games.games['begin'][game] + np.minimum(ply, plies - 1)]
            good = (ply < plies) & (choices > 1) & (choices <= 96)
            found.append(np.stack([game[good], ply[good]], 1))
            have += good.sum()
        return np.concatenate(found)[:size].astype(np.int32)
