"""The Maia networks (lc0's format) as teachers: chances of the legal moves, in f32 or, five times as fast, in bf16 on AMX."""
import collections, gzip, os, struct
import numpy as np
import torch
from native import MAIA_PLANES, maia_looks
from ops import affine, convolve

RATINGS = range(1100, 2000, 100)
ANY = float('inf')


def fields(data):
    """Field number -> raw values of one protobuf message."""
    found, at = collections.defaultdict(list), 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte, at = data[at], at + 1
            value, shift = value | (byte & 127) << shift, shift + 7
            if byte < 128:
                return value
    while at < len(data):
        key = varint()
        kind = key & 7
        if kind == 0:
            found[key >> 3].append(varint())
            continue
        size = varint() if kind == 2 else 4 if kind == 5 else 8
        found[key >> 3].append(data[at:at + size])
        at += size
    return found


def numbers(data):
    """A layer: 16-bit steps between its least and its greatest weight."""
    f = fields(data)
    if not f[3]:
        return np.zeros(0, np.float32)
    low, high = (struct.unpack('<f', f[k][0])[0] if f[k] else 0.0 for k in (1, 2))
    return np.frombuffer(f[3][0], '<u2').astype(np.float32) / 65535 * (high - low) + low


class Maia:
    def __init__(self, folder, rating, dtype=torch.float32):
        net = fields(gzip.open(os.path.join(folder, f'maia-{rating}.pb.gz')).read())
        w = fields(net[10][0])
        self.dtype = dtype
        self.first = self.conv(w[1][0], 112, MAIA_PLANES)
        self.blocks = []
        for raw in w[2]:
            r = fields(raw)
            se = {k: torch.from_numpy(numbers(v[0])) for k, v in fields(r[3][0]).items()}
            self.blocks.append((self.conv(r[1][0], 64), self.conv(r[2][0], 64), se[1].view(-1, 64).T, se[2], se[3].view(128, -1).T, se[4]))
        self.hidden, self.policy = self.conv(w[11][0], 64), self.conv(w[3][0], 64)

    @staticmethod
    def conv(data, fan, padded=None):
        """Weights [9, in, out] and biases [out], batch norm folded in, outputs filled up to a multiple of 32."""
        f = {k: numbers(v[0]) for k, v in fields(data).items()}
        out = f[1].size // (9 * fan)
        kernel, bias = f[1].reshape(out, fan, 9), f.get(2, np.zeros(0, np.float32))
        bias = bias if bias.size else np.zeros(out, np.float32)
        if f.get(3, np.zeros(0)).size:  # means, variances, gammas, betas
            scale = f.get(5, np.ones(out, np.float32)) / np.sqrt(f[4] + 1e-5)
            kernel, bias = kernel * scale[:, None, None], (bias - f[3]) * scale + f.get(6, 0)
        wide = -(-out // 32) * 32
        w, b = torch.zeros(9, padded or fan, wide), torch.zeros(wide)
        w[:, :fan, :out], b[:out] = torch.from_numpy(kernel.transpose(2, 1, 0).copy()), torch.from_numpy(bias.astype(np.float32))
        return w, b

    @torch.no_grad()
    def logits(self, planes):
        """planes [n, 64, 128] -> [n, 64, 96], of which 80 are used."""
        n = len(planes)

        def relu(y, bias):
            return affine(y, torch.ones(n, len(bias)), bias.expand(n, -1), None, ANY)
        x = relu(convolve(planes.to(self.dtype), self.first[0])[0], self.first[1])
        for (w1, b1), (w2, b2), d1, e1, d2, e2 in self.blocks:
            y, sums, _ = convolve(relu(convolve(x, w1)[0], b1), w2)
            gate, shift = (torch.relu((sums / 64 + b2) @ d1 + e1) @ d2 + e2).chunk(2, 1)
            gate = torch.sigmoid(gate)
            x = affine(y, gate, gate * b2 + shift, x, ANY)
        y = convolve(relu(convolve(x, self.hidden[0])[0], self.hidden[1]), self.policy[0])[0]
        return y.float() + self.policy[1]

    def chances(self, planes, index):
        """Of the legal moves in our order: [n, 96] f32, zero beyond the last."""
        index = torch.from_numpy(index.astype(np.int64))
        legal = index < 5120
        index = index.clamp(max=5119)
        logits = self.logits(planes).flatten(1).gather(1, index % 64 * 96 + index // 64)
        return torch.softmax(logits.masked_fill(~legal, -1e9), 1) * legal


def teach(maia, moves, begin, ply):
    planes, index = maia_looks(moves, begin, ply)
    return maia.chances(torch.from_numpy(planes.view(np.int16)).view(torch.bfloat16), index)
