#!/usr/bin/env python3
"""Writes a checkpoint as one flat file, and reference outputs to test a reader with: python3 export.py CHECKPOINT FILE [GAMES REFERENCE]

FILE: "SPARNET1", u32 length of a JSON header, the header, zeros up to a multiple of 64, then 16-bit floats, little-endian. The header lists
{"net": {...}, "most": 8.0, "positions": N, "tensors": [{"name", "shape", "at"}]}, `at` counted in numbers from the start of the data.
Batch norm is folded in: a convolution is `NAME.weight` [9][in][out] (taps by rows from the neighbour below left, in the mover's view) and `NAME.bias` [out].
Dense weights are [out][in]. README.md ("Network") says how they are put together.

REFERENCE: JSON lines with the inputs (moves, legal moves, notes, planes, context, pace) and the outputs of the rounded network in f32 for some hundred held-out decisions.
"""
import json, struct, sys
import numpy as np
import torch
from batches import decisions
from evaluate import held_out, load
from native import looks
from net import EPSILON, Conv
from ops import MOST
from samples import Games


@torch.no_grad()
def round_as_shipped(net):
    """Folds batch norm into the convolutions and rounds every number to 16 bits, in place."""
    for part in net.modules():
        if isinstance(part, Conv):
            scale = part.gamma * torch.rsqrt(part.var + EPSILON)
            part.weight.mul_(scale)
            part.beta.sub_(part.mean * scale)
            part.gamma.fill_(1)
            part.mean.zero_()
            part.var.fill_(1 - EPSILON)
            for p in (part.weight, part.beta):
                p.copy_(p.half().float())
    for name, p in net.named_parameters():
        if p.shape != () and not name.endswith('gamma'):
            p.copy_(p.half().float())
    return net


def tensors(net):
    """Name -> f32 array, batch norm folded into the convolutions."""
    out, folded = {}, set()
    for name, part in net.named_modules():
        if isinstance(part, Conv):
            scale = part.gamma * torch.rsqrt(part.var + EPSILON)
            out[name + '.weight'], out[name + '.bias'] = part.weight * scale, part.beta - part.mean * scale
            folded |= {f'{name}.{k}' for k in ('weight', 'gamma', 'beta', 'mean', 'var')}
    out.update({k: v for k, v in net.state_dict().items() if k not in folded})
    return {k: v.detach().float().numpy() for k, v in sorted(out.items())}


def write(path, net, config, positions):
    parts, at, listed = tensors(net), 0, []
    for name, value in parts.items():
        listed.append({'name': name, 'shape': list(value.shape), 'at': at})
        at += value.size
    header = json.dumps({'net': config['net'], 'most': MOST, 'positions': positions, 'tensors': listed}).encode()
    head = b'SPARNET1' + struct.pack('<I', len(header)) + header
    with open(path, 'wb') as file:
        file.write(head + bytes(-len(head) % 64))
        for value in parts.values():
            file.write(np.ascontiguousarray(value, '<f2').tobytes())
    return at


def uci(move):
    name = lambda s: 'abcdefgh'[s & 7] + '12345678'[s >> 3]
    return name(move & 63) + name(move >> 6 & 63) + ' nbrq'[move >> 12].strip()


@torch.no_grad()
def reference(path, net, games, cap=30):
    where, _ = held_out(games, cap)
    b = decisions(games, where[:, 0], where[:, 1])
    b['planes'] = b['planes'].float()
    logs, outcome, times = net(b)
    g = games.games[where[:, 0]]
    seen = looks(games.moves, g['begin'], where[:, 1], g['plies'], bits=True, planes=False)
    with open(path, 'w') as file:
        for i, (row, (_, ply)) in enumerate(zip(g, where)):
            n = int(seen['info'][i, 0])
            file.write(json.dumps({
                'moves': ' '.join(uci(int(m)) for m in games.moves[row['begin']:row['begin'] + ply]), 'legal': seen['legal'][i, :n].tolist(),
                'notes': [f'{x:x}' for x in seen['notes'][i, :n].tolist()], 'planes': [f'{x:x}' for x in seen['bits'][i].tolist()],
                'context': [round(x, 6) for x in b['context'][i].tolist()], 'pace': [round(x, 6) for x in b['pace'][i].tolist()],
                'chances': [round(x, 6) for x in logs[i, :n].exp().tolist()], 'outcome': [round(x, 6) for x in outcome[i].softmax(0).tolist()],
                'time': [round(x, 6) for x in times[i].softmax(0).tolist()]}) + '\n')
    return len(where)


if __name__ == '__main__':
    net, state = load(sys.argv[1])
    round_as_shipped(net)
    print(write(sys.argv[2], net, state['config'], state['positions']), 'numbers')
    if len(sys.argv) > 4:
        print(reference(sys.argv[4], net, Games(sys.argv[3])), 'decisions')
