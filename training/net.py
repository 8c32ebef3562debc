"""The network: a squeeze-and-excitation tower that the ratings modulate, a policy of squares that attend to squares, outcome and think time."""
import torch
from torch import nn
from torch.nn import functional as F
from batches import CONTEXT, NOTES, PACE, TIME_BINS
from native import PLANES
from ops import affine, convolve

EPSILON, MOMENTUM = 1e-5, 0.02
WHO, HIDDEN, HEAD, NOTE = 64, 32, 64, 32


class Conv(nn.Module):
    """A 3 x 3 convolution and its batch norm. Gives y, and the scale and shift [n, out] that normalise it, and its normalised mean."""

    def __init__(self, fan, out, gamma=1.0):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(9, fan, out) * (2 / (9 * fan)) ** 0.5)
        self.gamma, self.beta = nn.Parameter(torch.full((out,), gamma)), nn.Parameter(torch.zeros(out))
        self.register_buffer('mean', torch.zeros(out))
        self.register_buffer('var', torch.ones(out))

    def forward(self, x):
        y, sums, squares = convolve(x, self.weight)
        if self.training:
            count = 64 * len(x)
            mean = sums.sum(0) / count
            var = (squares.sum(0) / count - mean * mean).clamp(min=0)
            with torch.no_grad():
                self.mean.lerp_(mean, MOMENTUM)
                self.var.lerp_(var, MOMENTUM)
        else:
            mean, var = self.mean, self.var
        scale = self.gamma * torch.rsqrt(var + EPSILON)
        shift = self.beta - mean * scale
        return y, scale, shift, sums / 64 * scale + shift


class Modulated(nn.Module):
    """Convolution, batch norm, a scale and a shift by who plays, clipped ReLU."""

    def __init__(self, fan, out):
        super().__init__()
        self.conv, self.who = Conv(fan, out), nn.Linear(WHO, 2 * out)
        nn.init.zeros_(self.who.weight)
        nn.init.zeros_(self.who.bias)

    def forward(self, x, who):
        y, scale, shift, _ = self.conv(x)
        more, add = self.who(who).chunk(2, 1)
        return affine(y, scale * (1 + more), shift * (1 + more) + add)


class Block(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.first, self.second = Modulated(c, c), Conv(c, c, 0.3)
        self.pool, self.who, self.gate = nn.Linear(c, HIDDEN), nn.Linear(WHO, HIDDEN), nn.Linear(HIDDEN, 2 * c)

    def forward(self, x, who):
        y, scale, shift, mean = self.second(self.first(x, who))
        gate, add = self.gate(F.relu(self.pool(mean) + self.who(who))).chunk(2, 1)
        gate = 2 * torch.sigmoid(gate)
        return affine(y, scale * gate, shift * gate + add, x)


class Net(nn.Module):
    def __init__(self, channels=64, blocks=6):
        super().__init__()
        c = channels
        self.context = nn.Sequential(nn.Linear(CONTEXT, WHO), nn.ReLU(), nn.Linear(WHO, WHO), nn.ReLU())
        self.first, self.tower = Modulated(PLANES, c), nn.ModuleList(Block(c) for _ in range(blocks))
        self.square, self.square_who = nn.Linear(c, HEAD), nn.Linear(WHO, HEAD)
        self.start, self.end, self.promotion = nn.Linear(HEAD, HEAD), nn.Linear(HEAD, HEAD), nn.Linear(HEAD, 4)
        self.note, self.note_who, self.note_weight = nn.Linear(NOTES, NOTE), nn.Linear(c + WHO, NOTE), nn.Linear(c + WHO, NOTE)
        self.value = nn.Linear(c, 8)
        self.outcome = nn.Sequential(nn.Linear(512 + c + WHO, 64), nn.ReLU(), nn.Linear(64, 3))
        self.time = nn.Sequential(nn.Linear(512 + c + WHO + PACE, 64), nn.ReLU(), nn.Linear(64, TIME_BINS))

    def forward(self, b):
        """Log chances of the legal moves [n, width] (-1e9 where none), logits of win, draw, loss [n, 3] and of the think time [n, 14]."""
        who, x = self.context(b['context']), b['planes']
        x = self.first(x, who)
        for block in self.tower:
            x = block(x, who)
        n, kind = len(x), x.dtype

        def dense(layer, value):
            return F.linear(value, layer.weight.to(kind), layer.bias.to(kind))
        pooled = x.float().mean(1)
        about = torch.cat([pooled, who], 1)
        squares = F.relu(dense(self.square, x) + self.square_who(who).to(kind)[:, None])
        start, end, promotion = dense(self.start, squares), dense(self.end, squares), dense(self.promotion, squares)
        pairs = torch.bmm(start, end.transpose(1, 2)).flatten()
        row, move = b['row'], b['move']
        source, target, kinds = move & 63, move >> 6 & 63, move >> 12
        logit = pairs.float()[row * 4096 + source * 64 + target] * HEAD ** -0.5
        risen = promotion.float().flatten()[(row * 64 + target) * 4 + (kinds - 1).clamp(min=0)]
        note = F.relu(self.note(b['notes']) + self.note_who(about)[row])
        logit = logit + torch.where(kinds > 0, risen, 0.0) + (note * self.note_weight(about)[row]).sum(1)
        logits = torch.full(b['mask'].shape, -1e9).to(logit.device).masked_scatter(b['mask'], logit)
        value = torch.cat([F.relu(dense(self.value, x)).flatten(1).float(), about], 1)
        return F.log_softmax(logits, 1), self.outcome(value), self.time(torch.cat([value, b['pace']], 1))
