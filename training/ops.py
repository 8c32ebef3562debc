"""The tower's two operations on boards [n, 64, channels] bf16, with gradients: by AMX where the processor has it, else by plain torch.

convolve(x, w) -> y, sums, squares: a 3 x 3 convolution and, of each board and channel, the sum of y and of y * y over the squares (f32).
They carry gradients too, so batch norm and squeeze-and-excitation are small tensors' business.
affine(y, scale, shift, x, most) -> min(max(scale * y + shift + x, 0), most), scale and shift [n, channels] f32.
"""
import ctypes, os
import numpy as np
import torch
from torch.nn import functional as F
from native import library

MOST = 8.0  # activations stay in 0..8, so that eight bits hold them


def amx():
    try:
        flags = open('/proc/cpuinfo').read()
        if 'amx_bf16' not in flags or 'avx512_bf16' not in flags or os.environ.get('SPARRING_PLAIN'):
            return None
        lib = library('amx')
        return lib if lib.amx_open() == 0 else None
    except (OSError, FileNotFoundError):
        return None


AMX = amx()


def at(tensor):
    return None if tensor is None else ctypes.c_void_p(tensor.data_ptr())


def packed(w):
    """w [9, in, out] f32 -> tiles."""
    w = w.float().contiguous()
    tiles = torch.empty(w.numel(), dtype=torch.bfloat16)
    AMX.pack(at(w), w.shape[1], w.shape[2], at(tiles))
    return tiles


class Convolve(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w):
        n, (_, fan, out) = x.shape[0], w.shape
        x = x.contiguous()
        y = torch.empty(n, 64, out, dtype=torch.bfloat16)
        sums, squares = torch.empty(n, out), torch.empty(n, out)
        tiles = packed(w)  # named, or its memory is given away before the call
        AMX.conv_forward(at(x), at(tiles), n, fan, out, at(y), at(sums), at(squares))
        ctx.save_for_backward(x, w, y)
        return y, sums, squares

    @staticmethod
    def backward(ctx, gy, gsum, gsquares):
        x, w, y = ctx.saved_tensors
        n, (_, fan, out) = x.shape[0], w.shape
        gy = torch.zeros_like(y) if gy is None else gy.to(torch.bfloat16).contiguous()
        gsum, gsquares = (None if g is None else g.float().contiguous() for g in (gsum, gsquares))
        dx = torch.empty_like(x) if ctx.needs_input_grad[0] else None
        back = packed(w.flip(0).transpose(1, 2)) if dx is not None else None
        dw = torch.zeros(w.shape)
        AMX.conv_backward(at(x), at(y), at(gy), at(gsum), at(gsquares), at(back), n, fan, out, at(dx), at(dw))
        return dx, dw


class Affine(torch.autograd.Function):
    @staticmethod
    def forward(ctx, y, scale, shift, x, most):
        n, _, c = y.shape
        scale, shift = scale.float().contiguous(), shift.float().contiguous()
        h = torch.empty_like(y)
        AMX.affine_forward(at(y), at(scale), at(shift), at(x), n, c, ctypes.c_float(most), at(h))
        ctx.save_for_backward(y, scale, h)
        ctx.residual, ctx.most = x is not None, most
        return h

    @staticmethod
    def backward(ctx, dh):
        y, scale, h = ctx.saved_tensors
        n, _, c = y.shape
        dh = dh.contiguous()
        dy, ds, dt = torch.empty_like(y), torch.empty_like(scale), torch.empty_like(scale)
        dx = torch.empty_like(y) if ctx.residual else None
        AMX.affine_backward(at(dh), at(h), at(y), at(scale), n, c, ctypes.c_float(ctx.most), at(dy), at(ds), at(dt), at(dx))
        return dy, ds, dt, dx, None


def plain_convolve(x, w):
    n, (_, fan, out) = x.shape[0], w.shape
    image = x.reshape(n, 8, 8, fan).permute(0, 3, 1, 2)
    y = F.conv2d(image, w.reshape(3, 3, fan, out).permute(3, 2, 0, 1).to(x.dtype), padding=1).permute(0, 2, 3, 1).reshape(n, 64, out)
    wide = y.float()
    return y, wide.sum(1), (wide * wide).sum(1)


def plain_affine(y, scale, shift, x=None, most=MOST):
    h = y * scale[:, None].to(y.dtype) + shift[:, None].to(y.dtype)
    return (h if x is None else h + x).clamp(0, most)


def convolve(x, w):
    return Convolve.apply(x, w) if AMX and x.dtype == torch.bfloat16 and x.device.type == 'cpu' else plain_convolve(x, w)


def affine(y, scale, shift, x=None, most=MOST):
    return Affine.apply(y, scale, shift, x, most) if AMX and y.dtype == torch.bfloat16 and y.device.type == 'cpu' else plain_affine(y, scale, shift, x, most)
