"""Numbers of the encoder in fewer bits: matrices in blocks of 4 bits, distances in buckets."""

import numpy as np

from judge.weights import Array

BLOCK = 32
SHARES = (1.0, 0.95, 0.9, 0.85, 0.8, 0.75)
"""How much of a block's largest value its scale reaches; less is often closer on the whole."""

BUCKETS, FARTHEST = 32, 128


def blocked(matrix: Array) -> tuple[Array, Array]:
    """Return a matrix in 4 bits, two to a byte, with a scale for each block of inputs."""
    blocks = matrix.reshape(len(matrix), -1, BLOCK).astype(np.float32)
    scale = _best_scale(blocks)
    shifted = (_pieces(blocks, scale) + 8).astype(np.uint8)
    packed = shifted[..., 0::2] | (shifted[..., 1::2] << 4)
    return packed, scale.reshape(-1)


def _best_scale(blocks: Array) -> Array:
    """Return the scale of each block, of a few, with the least squared error."""
    largest = np.take_along_axis(blocks, np.abs(blocks).argmax(-1, keepdims=True), -1)
    scales, errors = [], []
    for share in SHARES:
        scale = np.where(largest == 0, 1e-9, -largest * share / 8).astype(np.float32)
        scales.append(scale)
        off = _pieces(blocks, scale) * scale - blocks
        errors.append((off**2).sum(-1, keepdims=True))
    best = np.argmin(errors, 0)
    result: Array = np.take_along_axis(np.array(scales), best[None], 0)[0]
    return result


def _pieces(blocks: Array, scale: Array) -> Array:
    return np.clip(np.rint(blocks / scale), -8, 7)


def buckets(distances: Array) -> Array:
    """Return the bucket of each distance: near ones exactly, far ones by their logarithm."""
    near = -distances
    half, exact = BUCKETS // 2, BUCKETS // 4
    offset = (near < 0) * half
    size = np.abs(near)
    far = exact + np.log(np.maximum(size, 1) / exact) / np.log(FARTHEST / exact) * (half - exact)
    far = np.minimum(far.astype(np.int64), half - 1)
    result: Array = offset + np.where(size < exact, size, far)
    return result
