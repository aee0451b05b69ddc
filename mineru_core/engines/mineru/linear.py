"""Products with weights that stay as small as they are stored.

Processors without bfloat16 arithmetic multiply bfloat16 matrices some four times slower than float32 ones, and a
float32 copy of all weights would take twice the memory. So weights stay as they are, mapped from the file, and each
product brings a piece of them at a time to float32; or they are kept as int8, a quarter of the size. Activations are
float32 in both.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable

import torch
from torch import Tensor, nn

_SCRATCH_ELEMENTS = 1 << 21
"""Weights brought to float32 at a time: 8 MB, which stay in the cache until they are used."""

_PACKED_ELEMENTS = 1 << 22
"""Weights packed at a time: packing takes their size several times over for a moment. So many are still multiplied as
fast as all of them."""

_ROUNDED_ELEMENTS = 1 << 15
"""Weights rounded at a time. They stay in the cache from one step to the next, and torch shares out no smaller work
among threads: on a busy machine, threads that wait for each other took several times as long as one alone."""

_ROWS_AT_ONCE = 256
"""Rows of activations taken apart at a time; more are multiplied no faster and would take more memory on the way."""

_STEPS = 63.0
"""Activations are taken in steps of 1/63 of the largest of their row: with more than 7 bits, the sums of two products
that AVX2 forms in 16 bits would be cut off."""

_FINE = 2 * _STEPS
_REST = 2 * 127.0


_ROUNDER = 1.5 * 2**23
"""Added to a float32 below 2^22 and taken away again, it leaves what ``round`` does. That, torch shares out among
threads however few the numbers are, and where other work has the cores they wait for each other at every product."""


class Scratch:
    """Room for weights on their way, shared by the layers of a model of which one is at work at a time."""

    def __init__(self) -> None:
        self._room: Tensor | None = None

    def take(self, rows: int, columns: int) -> Tensor:
        """float32 of that shape; what was in it before is overwritten."""
        if self._room is None or self._room.numel() < rows * columns:
            self._room = torch.empty(max(_SCRATCH_ELEMENTS, rows * columns))
        return self._room[: rows * columns].view(rows, columns)


class WideningLinear(nn.Module):
    """``x @ weight.T + bias`` in float32 with a weight of 16 bits, [out, in], brought to float32 piece by piece."""

    def __init__(self, weight: Tensor, bias: Tensor | None, scratch: Scratch) -> None:
        super().__init__()
        self.weight = nn.Parameter(weight, requires_grad=False)
        self.bias = None if bias is None else nn.Parameter(bias.float(), requires_grad=False)
        self._scratch = scratch

    def forward(self, x: Tensor) -> Tensor:
        """[..., in] to [..., out], float32."""
        out_features, in_features = self.weight.shape
        flat = x.reshape(-1, in_features)
        y = flat.new_empty(len(flat), out_features)
        step = max(1, _SCRATCH_ELEMENTS // in_features)
        for start in range(0, out_features, step):
            piece = self.weight[start : start + step]
            wide = self._scratch.take(*piece.shape)
            wide.copy_(piece)
            torch.mm(flat, wide.t(), out=y[:, start : start + step])
        if self.bias is not None:
            y += self.bias
        return y.view(*x.shape[:-1], out_features)


class Int8Linear(nn.Module):
    """``x @ weight.T + bias`` with the weight as int8, one scale an output; with ``fine`` as twice 8 bits.

    A row of activations is taken as two numbers of 7 bits, the second the first one's rounding error: 14 bits, so what
    is lost is the rounding of the weights alone. ``fine`` keeps that as well, in another 8 bits: then nothing is lost
    that a bfloat16 weight has. The sums are integers, which is why a row's product is the same bit for bit whatever
    rows it is computed with.
    """

    def __init__(
        self,
        weight: Tensor,
        bias: Tensor | None,
        *,
        fine: bool = False,
        done: Callable[[Tensor], object] | None = None,
    ) -> None:
        """``done`` is called with each piece of the weight that will not be needed any more."""
        super().__init__()
        self.out_features, self.in_features = weight.shape
        self.bias = None if bias is None else nn.Parameter(bias.float(), requires_grad=False)
        step = max(1, _PACKED_ELEMENTS // self.in_features)
        self._packed = []
        for start in range(0, self.out_features, step):
            piece = weight[start : start + step]
            self._packed.append(_packed(piece, fine))
            if done is not None:
                done(piece)

    def forward(self, x: Tensor) -> Tensor:
        """[..., in] to [..., out], float32."""
        flat = x.reshape(-1, self.in_features)
        y = flat.new_empty(len(flat), self.out_features)
        for start in range(0, len(flat), _ROWS_AT_ONCE):
            y[start : start + _ROWS_AT_ONCE] = self._product(flat[start : start + _ROWS_AT_ONCE])
        if self.bias is not None:
            y += self.bias
        return y.view(*x.shape[:-1], self.out_features)

    def _product(self, x: Tensor) -> Tensor:
        largest = x.abs().amax(-1, keepdim=True).clamp_min_(1e-12)
        scaled = x * (_STEPS / largest)
        coarse = scaled.add(_ROUNDER).sub_(_ROUNDER)
        both = torch.cat((coarse, (scaled - coarse).mul_(_FINE)))
        products = []
        for packed, rest in self._packed:
            product = _multiply(both, packed)
            product = torch.add(product[: len(x)], product[len(x) :], alpha=1 / _FINE)
            if rest is not None:
                product += _multiply(coarse, rest)
            products.append(product)
        whole = products[0] if len(products) == 1 else torch.cat(products, dim=1)
        return whole.mul_(largest / _STEPS)


def _multiply(steps: Tensor, packed: object) -> Tensor:
    """Whole numbers of -63 to 63 by a packed weight, in float32."""
    product: Tensor = torch.ops.quantized.linear_with_input_q_dq_qweight_dq_output_fp32(steps, 1.0, 64, packed)
    return product


def int8_available() -> bool:
    """Whether this build of torch multiplies int8 as ``Int8Linear`` asks it to (x86 with FBGEMM)."""
    if torch.backends.quantized.engine not in ("fbgemm", "x86"):
        return False
    try:
        product = Int8Linear(torch.eye(4), None)(torch.eye(4))
    except (RuntimeError, AttributeError, NotImplementedError):
        return False
    return bool(torch.allclose(product, torch.eye(4), atol=0.05))


def native_bf16() -> bool:
    """Whether this processor multiplies bfloat16 as fast as float32 or faster."""
    checks = (getattr(torch.cpu, name, None) for name in ("_is_avx512_bf16_supported", "_is_amx_tile_supported"))
    return any(check is not None and check() for check in checks)


def _packed(weight: Tensor, fine: bool) -> tuple[object, object | None]:
    """The weight as int8, symmetric by output, and with ``fine`` what it lost by that as int8 again.

    Both are in FBGEMM's own form. It is rounded piece by piece, as it may be large.
    """
    scales = torch.empty(len(weight), dtype=torch.double)
    coarse = torch.empty(weight.shape, dtype=torch.int8)
    rest = torch.empty(weight.shape, dtype=torch.int8) if fine else None
    step = max(1, _ROUNDED_ELEMENTS // weight.shape[1])
    wide, rounded = torch.empty(2, min(step, len(weight)), weight.shape[1])
    for start in range(0, len(weight), step):
        part = slice(start, start + step)
        piece, whole = wide[: len(weight[part])], rounded[: len(weight[part])]
        piece.copy_(weight[part])
        largest = torch.maximum(piece.amax(1), -piece.amin(1))
        scales[part] = scale = largest.clamp_min_(1e-12).div_(127)
        piece.div_(scale[:, None])
        coarse[part] = torch.add(piece, _ROUNDER, out=whole).sub_(_ROUNDER)
        if rest is not None:
            rest[part] = piece.sub_(whole).mul_(_REST).add_(_ROUNDER).sub_(_ROUNDER)
    return _in_fbgemms_form(coarse, scales), None if rest is None else _in_fbgemms_form(rest, scales / _REST)


def _in_fbgemms_form(weight: Tensor, scales: Tensor) -> object:
    zeros = torch.zeros(len(weight), dtype=torch.long)
    with warnings.catch_warnings():
        # torch means to move this kind of tensor to torchao; the products are made by the same FBGEMM there
        warnings.simplefilter("ignore")
        return torch.ops.quantized.linear_prepack(
            torch._make_per_channel_quantized_tensor(weight, scales, zeros, 0), None
        )
