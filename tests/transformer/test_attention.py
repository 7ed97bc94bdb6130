"""Attention against equation (1), by hand and by torch's own module."""

import math

import pytest
import torch
from torch import Tensor, nn
from torch.testing import assert_close

from tests.transformer.reference import close, torch_attention
from transformer.attention import MultiHeadAttention, attention

B, H, Q, K, D = 3, 4, 5, 7, 16


def masks() -> dict[str, Tensor | None]:
    padding = torch.ones(B, 1, K, dtype=torch.bool)
    padding[0, :, 4:] = False
    padding[2, :, 1:] = False
    causal = torch.ones(1, Q, K, dtype=torch.bool).tril()
    return {"none": None, "padding": padding, "causal": causal, "both": padding & causal}


def test_one_query_by_hand() -> None:
    query, key = torch.tensor([[1.0, 0.0]]), torch.tensor([[1.0, 0.0], [0.0, 1.0]])
    value = torch.tensor([[10.0, 0.0], [0.0, 20.0]])
    first = math.exp(1 / math.sqrt(2)) / (math.exp(1 / math.sqrt(2)) + 1)
    result = attention(query, key, value)
    assert_close(result.scores, torch.tensor([[1 / math.sqrt(2), 0.0]]))
    assert_close(result.weights, torch.tensor([[first, 1 - first]]))
    assert_close(result.output, torch.tensor([[10 * first, 20 * (1 - first)]]))


def test_scores_are_those_before_the_mask() -> None:
    query, key, value = torch.randn(2, 3), torch.randn(4, 3), torch.randn(4, 3)
    mask = torch.tensor([[True, False, True, False], [False, False, False, True]])
    result = attention(query, key, value, mask)
    assert_close(result.scores, query @ key.T / math.sqrt(3))
    assert result.weights[~mask].tolist() == [0.0] * 5
    assert result.weights[1, 3] == 1.0


@pytest.mark.parametrize("size", [1.0, 1e4], ids=["ordinary", "huge scores"])
@pytest.mark.parametrize("name", ["none", "padding", "causal", "both"])
def test_rows_sum_to_one_and_forbidden_weights_are_exactly_zero(name: str, size: float) -> None:
    mask = masks()[name]
    allowed = torch.ones(1, 1, 1, dtype=torch.bool) if mask is None else mask
    query, key, value = (torch.randn(B, n, D) * size for n in (Q, K, K))
    weights = attention(query, key, value, mask).weights
    assert_close(weights.sum(-1), torch.ones(B, Q))
    assert (weights[~allowed.expand(B, Q, K)] == 0.0).all()


def test_a_query_that_may_attend_to_nothing_gets_zeros() -> None:
    mask = torch.tensor([[True, True, True], [False, False, False]])
    value = torch.randn(3, 4).requires_grad_()
    result = attention(torch.randn(2, 4), torch.randn(3, 4), value, mask)
    assert result.weights[1].tolist() == [0.0, 0.0, 0.0]
    assert result.output[1].tolist() == [0.0, 0.0, 0.0, 0.0]
    assert_close(result.weights[0].sum(), torch.tensor(1.0))
    result.output.sum().backward()
    assert value.grad is not None
    assert torch.isfinite(value.grad).all()


def test_dropout_changes_the_output_and_not_the_recorded_weights() -> None:
    query, key, value = torch.randn(2, 4), torch.randn(3, 4), torch.randn(3, 4)

    class Nothing(nn.Module):
        def forward(self, weights: Tensor) -> Tensor:
            return torch.zeros_like(weights)

    plain, dropped = attention(query, key, value), attention(query, key, value, dropout=Nothing())
    assert torch.equal(dropped.weights, plain.weights)
    assert torch.equal(dropped.output, torch.zeros(2, 4))


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("name", ["none", "padding", "causal", "both"])
def test_multi_head_attention_equals_torchs(name: str, bias: bool) -> None:
    ours, mask = MultiHeadAttention(D, H, bias), masks()[name]
    for parameter in ours.parameters():
        nn.init.normal_(parameter, std=0.4)
    query, memory = torch.randn(B, Q, D), torch.randn(B, K, D)
    result = ours(query, memory, mask)
    forbidden = None if mask is None else (~mask).expand(B, Q, K).repeat_interleave(H, dim=0)
    output, weights = torch_attention(ours)(query, memory, memory, attn_mask=forbidden, average_attn_weights=False)
    assert result.weights.shape == (B, H, Q, K)
    close(result.weights, weights)
    close(result.output, output)


def test_key_padding_mask_of_torch_is_our_padding_mask_inverted() -> None:
    ours, mask = MultiHeadAttention(D, H), masks()["padding"]
    assert mask is not None
    query, memory = torch.randn(B, Q, D), torch.randn(B, K, D)
    output, weights = torch_attention(ours)(
        query, memory, memory, key_padding_mask=~mask.squeeze(1), average_attn_weights=False
    )
    result = ours(query, memory, mask)
    close(result.weights, weights)
    close(result.output, output)


def test_a_cached_memory_gives_what_the_memory_gives() -> None:
    ours, mask = MultiHeadAttention(D, H), masks()["padding"]
    query, memory = torch.randn(B, Q, D), torch.randn(B, K, D)
    cached = ours.attend(query, *ours.keys_values(memory), mask)
    assert torch.equal(cached.output, ours(query, memory, mask).output)
