"""Builds the C parts once with the machine's compiler and calls them on numpy arrays.

Torch is imported first so that both share one OpenMP runtime.
"""
import ctypes, hashlib, os, subprocess, sys
import numpy as np
import torch  # noqa: F401  (its OpenMP runtime must be loaded before ours)

# Big tensors come and go at every step: keep their memory instead of giving it back and having it zeroed again.
try:
    LIBC = ctypes.CDLL(None)
    LIBC.mallopt(-3, 1 << 30)  # M_MMAP_THRESHOLD
    LIBC.mallopt(-1, (1 << 31) - 1)  # M_TRIM_THRESHOLD
except AttributeError:
    pass

HERE = os.path.dirname(os.path.abspath(__file__))
PLANES, WIDTH, MAIA_PLANES, INFO = 96, 96, 128, 8


def library(name, *flags):
    """The shared library of native/NAME.c, compiled if its text or its flags are new."""
    source = os.path.join(HERE, name + '.c')
    command = [os.environ.get('CC', 'cc'), '-O3', '-march=native', '-fopenmp', '-shared', '-fPIC', *flags]
    digest = hashlib.sha256((open(source).read() + ' '.join(command)).encode()).hexdigest()[:16]
    path = os.path.join(HERE, 'build', f'{name}-{digest}.so')
    if not os.path.exists(path):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        subprocess.run(command + ['-o', f'{path}.{os.getpid()}', source, '-lm'], check=True, stderr=sys.stderr)
        os.replace(f'{path}.{os.getpid()}', path)
    return ctypes.CDLL(path)


def pointer(array):
    return None if array is None else ctypes.c_void_p(array.ctypes.data)


ENCODE = library('encode')


def parse_game(text, most=600):
    """UCI moves -> (moves u16 as White sees the squares, number of legal moves at each ply u8); an illegal move ends the game."""
    moves, choices = np.empty(most, np.uint16), np.empty(most, np.uint8)
    n = ENCODE.parse_game(text.encode(), pointer(moves), pointer(choices), most)
    return moves[:n].copy(), choices[:n].copy()


def looks(moves, begin, ply, plies, bits=False, planes=True):
    """Inputs of the decisions at move number `ply` of the games that begin at moves[begin] and have `plies` moves (README, "Inputs")."""
    n = len(begin)
    out = {'legal': np.empty((n, WIDTH), np.uint16), 'notes': np.empty((n, WIDTH), np.uint64), 'info': np.empty((n, INFO), np.int32),
           'planes': np.empty((n, 64, PLANES), np.uint16) if planes else None, 'bits': np.empty((n, PLANES), np.uint64) if bits else None}
    begin, ply, plies = np.ascontiguousarray(begin, np.int64), np.ascontiguousarray(ply, np.int32), np.ascontiguousarray(plies, np.int32)
    ENCODE.looks(pointer(moves), pointer(begin), pointer(ply), pointer(plies), n, *(pointer(out[k]) for k in ('planes', 'bits', 'legal', 'notes', 'info')))
    return out


def maia_looks(moves, begin, ply):
    """The same decisions for a Maia network: planes [n, 64, 128] bf16 as u16, and its policy index of each legal move [n, 96]."""
    n = len(begin)
    planes, index = np.empty((n, 64, MAIA_PLANES), np.uint16), np.empty((n, WIDTH), np.uint16)
    begin, ply = np.ascontiguousarray(begin, np.int64), np.ascontiguousarray(ply, np.int32)
    ENCODE.maia_looks(pointer(moves), pointer(begin), pointer(ply), n, pointer(planes), pointer(index))
    return planes, index
