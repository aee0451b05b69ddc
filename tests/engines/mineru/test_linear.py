"""Products with weights as small as they are stored: how exact they are, and that company changes nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from safetensors.torch import load_file, save_file

from mineru_core.engines.mineru import linear
from mineru_core.engines.mineru.linear import Int8Linear, Scratch, WideningLinear, int8_available
from mineru_core.engines.mineru.mapped import MappedWeights


def numbers(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


needs_int8 = pytest.mark.skipif(not int8_available(), reason="this build of torch multiplies no int8")


@needs_int8
class TestInt8:
    @given(st.integers(1, 9), st.integers(1, 70), st.integers(1, 40), st.integers(0, 99), st.floats(1e-3, 1e3))
    def test_only_the_weights_rounding_is_lost(self, rows: int, fan_in: int, out: int, seed: int, size: float) -> None:
        x, weight = numbers(rows, fan_in, seed=seed) * size, numbers(out, fan_in, seed=seed + 100)
        steps = weight.abs().amax(1, keepdim=True) / 127
        rounded = (weight / steps).round() * steps
        # a row is taken in steps of 1/(63 · 126) of its largest number
        allowed = x.abs().amax(1, keepdim=True) / (63 * 126) * 0.55 * rounded.abs().sum(1) + 1e-4 * size
        assert ((Int8Linear(weight, None)(x) - x @ rounded.t()).abs() <= allowed).all()

    @given(st.integers(1, 9), st.integers(1, 70), st.integers(1, 40), st.integers(0, 99), st.floats(1e-3, 1e3))
    def test_with_the_rest_nearly_nothing_is_lost(
        self, rows: int, fan_in: int, out: int, seed: int, size: float
    ) -> None:
        x, weight = numbers(rows, fan_in, seed=seed) * size, numbers(out, fan_in, seed=seed + 100).bfloat16()
        exact = x.double() @ weight.double().t()
        # what is dropped: half a step of 14 bits of a row, and 7 bits of what 8 bits of a weight do not hold
        largest, heaviest = x.abs().amax(1, keepdim=True), weight.float().abs().amax(1)
        allowed = largest / (63 * 126) * weight.float().abs().sum(1) + fan_in * largest * heaviest / (254 * 126)
        assert ((Int8Linear(weight, None, fine=True)(x) - exact).abs() <= allowed).all()

    @given(st.integers(2, 20), st.integers(0, 99), st.booleans())
    def test_a_row_is_the_same_bit_for_bit_in_any_company(self, rows: int, seed: int, fine: bool) -> None:
        product = Int8Linear(numbers(48, 96, seed=seed), numbers(48, seed=seed + 1), fine=fine)
        x = numbers(rows, 96, seed=seed + 2) * torch.logspace(-3, 3, rows)[:, None]
        together = product(x)
        assert all(torch.equal(product(x[at : at + 1])[0], together[at]) for at in range(rows))

    def test_a_large_weight_is_packed_in_pieces(self, monkeypatch: pytest.MonkeyPatch) -> None:
        x, weight, bias = numbers(3, 40), numbers(50, 40), numbers(50)
        whole = Int8Linear(weight, bias)(x)
        monkeypatch.setattr(linear, "_PACKED_ELEMENTS", 7 * 40)
        assert torch.equal(Int8Linear(weight, bias)(x), whole)

    def test_nothing_gives_the_bias(self) -> None:
        bias = numbers(5)
        assert torch.equal(Int8Linear(numbers(5, 8), bias)(torch.zeros(2, 3, 8)), bias.expand(2, 3, 5))


@given(st.integers(1, 9), st.integers(1, 3000), st.booleans(), st.sampled_from([torch.bfloat16, torch.float16]))
def test_widening_gives_what_float32_gives(rows: int, out: int, biased: bool, dtype: torch.dtype) -> None:
    x, weight = numbers(2, rows, 1024), (numbers(out, 1024) / 32).to(dtype)
    bias = numbers(out) if biased else None
    expected = torch.nn.functional.linear(x, weight.float(), bias)
    assert torch.allclose(WideningLinear(weight, bias, Scratch())(x), expected, atol=1e-4)


def test_one_scratch_serves_products_of_different_sizes() -> None:
    scratch = Scratch()
    for out, fan_in in ((3, 5000), (5000, 700), (2, 2)):
        weight = (numbers(out, fan_in) / 64).bfloat16()
        x = numbers(4, fan_in)
        assert torch.allclose(WideningLinear(weight, None, scratch)(x), x @ weight.float().t(), atol=1e-4)


class TestMapped:
    def test_weights_let_go_of_read_as_before(self, tmp_path: Path) -> None:
        file = tmp_path / "w.safetensors"
        whole = numbers(1000, 100)
        save_file({"w": whole}, file)
        loaded = load_file(file)["w"]
        mapped = MappedWeights()
        mapped.let_go(loaded)
        assert torch.equal(loaded, whole)

    def test_other_memory_is_left_alone(self) -> None:
        tensor = numbers(1000, 100)
        kept = tensor.clone()
        assert not MappedWeights().let_go(tensor)
        assert torch.equal(tensor, kept)
