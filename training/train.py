#!/usr/bin/env python3
"""Trains the network, and goes on where it stopped.

  python3 train.py GAMES SHARDS RUN [--minutes M]            the stable phase, into RUN/last.pt, until stopped (SIGTERM or SIGINT)
  python3 train.py GAMES SHARDS RUN --decay POSITIONS        from RUN/last.pt a copy whose rate falls to nothing over so many millions
                                                             of positions, into RUN/decayed-N.pt, measured in full and noted in runs.csv

The rate rises, stays, and falls only in a decay; the stable run can go on after it for as long as one likes (warmup, stable, decay).
A decay is resumable too. RUN/log.csv has a row at every quick look.
"""
import argparse, csv, gc, json, os, signal, sys, time
import torch
from batches import Stream
from evaluate import mean, measure, show
from net import Net
from samples import Games

CONFIG = {
    'net': {'channels': 64, 'blocks': 6}, 'batch': 1024, 'seed': 1,
    'muon': 0.02, 'adam': 2e-3, 'weight_decay': 0.01, 'warm': 300, 'ema': 0.999,
    'outcome': 0.15, 'time': 0.05,
    # Share of the teacher in the target by the mover's rating, between these points along straight lines; the rest is the move played.
    'trust': [[600, 0.4], [1050, 0.8], [1950, 0.8], [2300, 0.5], [2800, 0.35]],
}
SAVE, LOOK = 180, 900  # seconds between checkpoints, and between quick looks at the held-out decisions


def orthogonal(g):
    """The nearest matrix with all singular values about one (Newton-Schulz, Jordan et al. 2024, "Muon")."""
    x = g.T if g.shape[0] > g.shape[1] else g
    x = x / (x.norm() + 1e-7)
    for _ in range(5):
        a = x @ x.T
        x = 3.4445 * x + (-4.7750 * a + 2.0315 * a @ a) @ x
    return x.T if g.shape[0] > g.shape[1] else x


class Muon(torch.optim.Optimizer):
    """Momentum whose steps are made orthogonal, for the kernels [9, in, out], as matrices [9 in, out]."""

    def __init__(self, params, lr, decay, momentum=0.95):
        super().__init__(params, {'lr': lr, 'decay': decay, 'momentum': momentum})

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group['params']:
                if p.grad is None:
                    continue
                speed = self.state[p].setdefault('speed', torch.zeros_like(p))
                speed.lerp_(p.grad, 1 - group['momentum'])
                g = torch.lerp(p.grad, speed, group['momentum']).flatten(0, 1)
                p.mul_(1 - group['lr'] * group['decay']).add_(orthogonal(g).view_as(p), alpha=-group['lr'] * max(1, g.shape[0] / g.shape[1]) ** 0.5)


def optimizers(net, config):
    kernels = [p for p in net.parameters() if p.ndim == 3]
    plain = [p for p in net.parameters() if p.ndim != 3]
    return [Muon(kernels, config['muon'], config['weight_decay']),
            torch.optim.AdamW([{'params': [p for p in plain if p.ndim > 1], 'weight_decay': config['weight_decay']},
                               {'params': [p for p in plain if p.ndim <= 1], 'weight_decay': 0.0}], lr=config['adam'], betas=(0.9, 0.98))]


def trust(elo, points):
    share = torch.full_like(elo, points[0][1])
    for (a, u), (b, v) in zip(points, points[1:]):
        share = torch.where(elo > a, u + (v - u) * ((elo - a) / (b - a)).clamp(0, 1), share)
    return share


def loss_of(net, b, config):
    logs, outcome, times = net(b)
    share = trust(b['elo'], config['trust'])[:, None]
    target = b['teacher'] * share
    target.scatter_add_(1, b['played'][:, None], 1 - share)
    policy = -(target * logs.clamp(min=-30)).sum(1).mean()
    loss, parts = policy, [policy.item()]
    for out, wanted, weight in ((outcome, b['result'], config['outcome']), (times, b['time'], config['time'])):
        part = torch.nn.functional.cross_entropy(out, wanted, ignore_index=-1, reduction='sum') / max(1, int((wanted >= 0).sum()))
        loss, parts = loss + weight * part, parts + [part.item()]
    return loss, parts


class Run:
    def __init__(self, folder, name, config):
        self.path, self.folder = os.path.join(folder, name), folder
        self.config, self.step, self.positions, self.minutes, self.stream = config, 0, 0, 0.0, None
        self.decay_from = None
        saved = None
        if os.path.exists(self.path):
            saved = torch.load(self.path, weights_only=False)
            self.config = {**saved['config'], **{k: v for k, v in config.items() if k not in ('net',)}}
            self.step, self.positions, self.minutes, self.stream, self.decay_from = (saved[k] for k in ('step', 'positions', 'minutes', 'stream', 'decay_from'))
        torch.manual_seed(self.config['seed'])
        self.net, self.ema = Net(**self.config['net']), Net(**self.config['net'])
        self.optimizers = optimizers(self.net, self.config)
        if saved:
            self.net.load_state_dict(saved['net'])
            self.ema.load_state_dict(saved['ema'])
            for o, state in zip(self.optimizers, saved['optimizers']):
                o.load_state_dict(state)
        else:
            self.ema.load_state_dict(self.net.state_dict())

    def save(self, path=None):
        path = path or self.path
        torch.save({'config': self.config, 'step': self.step, 'positions': self.positions, 'minutes': self.minutes, 'stream': self.stream,
                    'decay_from': self.decay_from, 'net': self.net.state_dict(), 'ema': self.ema.state_dict(),
                    'optimizers': [o.state_dict() for o in self.optimizers]}, path + '.part')
        os.replace(path + '.part', path)

    def average(self):
        keep = min(self.config['ema'], self.step / (self.step + 10))
        with torch.no_grad():
            for e, p in zip(self.ema.state_dict().values(), self.net.state_dict().values()):
                e.lerp_(p, 1 - keep) if e.is_floating_point() else e.copy_(p)

    def train(self, games, shards, until, decay=None, looks=True):
        stream = Stream(games, shards, self.config['batch'], self.stream)
        began = saved = looked = time.time()
        before, sums, counted, start = self.minutes, torch.zeros(3), 0, self.positions
        self.net.train()
        gc.collect()
        gc.freeze()
        while not until(self):
            rate = min(1.0, (self.step + 1) / self.config['warm'])
            if decay:
                rate *= max(0.0, 1 - (self.positions - self.decay_from) / decay)
            for o, name in zip(self.optimizers, ('muon', 'adam')):
                for group in o.param_groups:
                    group['lr'] = self.config[name] * rate
            b = stream.next()
            for o in self.optimizers:
                o.zero_grad()
            loss, parts = loss_of(self.net, b, self.config)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(self.net.parameters(), 5.0)
            for o in self.optimizers:
                o.step()
            self.step, self.positions = self.step + 1, self.positions + len(b['elo'])
            self.average()
            sums, counted = sums + torch.tensor(parts), counted + 1
            now = time.time()
            self.minutes, self.stream = before + (now - began) / 60, stream.state
            if self.step % 100 == 0:
                print(f'{self.minutes:.1f} min, {self.positions / 1e6:.3f} M, policy {sums[0] / counted:.4f}, outcome {sums[1] / counted:.4f}, time {sums[2] / counted:.4f}, '
                      f'{(self.positions - start) / (now - began):.0f}/s', flush=True)
                sums, counted = torch.zeros(3), 0
            if now - saved > SAVE:
                self.save()
                saved = now
            if looks and now - looked > LOOK:
                self.look(games, 500)
                looked = time.time()
        self.save()
        gc.unfreeze()

    def look(self, games, cap=None):
        table, outcome, times = measure(self.ema, games, cap)
        row = [time.strftime('%Y-%m-%d %H:%M'), os.path.basename(self.path), self.step, self.positions, round(self.minutes, 1), cap or 'all',
               round(mean(table) * 100, 2), round(mean(table, 3), 3), round(outcome, 3), round(times, 3)]
        row += [f'{k}: {v[1] * 100:.1f} {v[3]:.3f}' for k, v in table.items()]
        with open(os.path.join(self.folder, 'log.csv'), 'a') as file:
            csv.writer(file).writerow(row)
        print('held out', ' | '.join(map(str, row)), flush=True)
        return table, outcome, times


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('games'), parser.add_argument('shards'), parser.add_argument('run')
    parser.add_argument('--minutes', type=float, default=1e9)
    parser.add_argument('--decay', type=float, help='millions of positions')
    parser.add_argument('--threads', type=int, default=2)
    parser.add_argument('--set', action='append', default=[], metavar='KEY=JSON', help='another value of CONFIG')
    parser.add_argument('--note', default='', help='for runs.csv')
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    os.makedirs(args.run, exist_ok=True)
    config = dict(CONFIG, **{k: json.loads(v) for k, v in (pair.split('=', 1) for pair in args.set)})
    stopped = []
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopped.append(1))
    games, began = Games(args.games), time.time()
    open(os.path.join(args.run, 'pid'), 'w').write(str(os.getpid()))

    def late():
        return stopped or time.time() - began > args.minutes * 60
    if args.decay is None:
        run = Run(args.run, 'last.pt', config)
        print(sum(p.numel() for p in run.net.parameters()), 'weights;', json.dumps(run.config), f'from step {run.step}', flush=True)
        run.train(games, args.shards, lambda _: late())
        return
    amount = args.decay * 1e6
    # A decay that was cut off goes on; its name says how many positions the stable run had seen.
    stable = torch.load(os.path.join(args.run, 'last.pt'), weights_only=False)
    name = f'decayed-{stable["positions"] / 1e6:.1f}.pt'
    path = os.path.join(args.run, name)
    if not os.path.exists(path):
        torch.save({**stable, 'decay_from': stable['positions']}, path)
    run = Run(args.run, name, config)
    run.config['ema'] = min(run.config['ema'], 0.99)
    run.train(games, args.shards, lambda r: late() or r.positions >= r.decay_from + amount, amount, looks=False)
    if run.positions >= run.decay_from + amount:
        table, outcome, times = run.look(games)
        print(show(table, outcome, times))
        with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'runs.csv'), 'a') as file:
            csv.writer(file).writerow([time.strftime('%Y-%m-%d'), os.path.basename(os.path.abspath(args.run)), json.dumps(run.config), run.positions, round(run.minutes),
                                       f'{mean(table) * 100:.2f}', f'{mean(table, 3):.3f}', f'{outcome:.3f}', f'{times:.3f}',
                                       ' '.join(f'{k}:{v[1] * 100:.1f}/{v[3]:.3f}' for k, v in table.items()), args.note])


if __name__ == '__main__':
    sys.exit(main())
