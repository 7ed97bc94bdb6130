"""Record what the model does with a finished pair: one pass, in eval mode, gives every weight, score and probability.

L layers, H heads, S source length, T target length, V target vocabulary. The batch holds one pair.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from transformer.attention import Attention
from transformer.model import NO_EDITS, Edits, Transformer
from transformer.trace import Booleans, Floats


class MapRecord(NamedTuple):
    """One attention map of every layer and head."""

    weights: Floats  # (L, H, Q, K)
    scores: Floats  # (L, H, Q, K), before the mask
    mask: Booleans  # (Q, K), True = may attend


class Recording(NamedTuple):
    """What one pass over source and target ids did."""

    encoder_self: MapRecord
    decoder_self: MapRecord
    cross: MapRecord
    log_probs: Floats  # (T): of each output token
    top_k_ids: list[list[int]]  # (T, k): the likeliest of each step, best first
    top_k_log_probs: Floats  # (T, k)


def record(
    model: Transformer,
    source_ids: Sequence[int],
    target_ids: Sequence[int],
    output_ids: Sequence[int],
    k: int = 5,
    edits: Edits = NO_EDITS,
) -> Recording:
    """Run the pair once. target_ids went into the decoder (`<s>` first), output_ids came out, one behind.

    The model must be in eval mode; dropout would otherwise change what is recorded. Raises ValueError if it is not.
    """
    if model.training:
        raise ValueError("record needs a model in eval mode: call model.eval() first")
    device = model.projection.weight.device
    source, target = torch.tensor([source_ids], device=device), torch.tensor([target_ids], device=device)
    with torch.inference_mode():
        encoded = model.encode(source, edits)
        decoded = model.decode(target, encoded, edits)
        log_probs = model.projection(decoded.states)[0].log_softmax(-1)  # (T, V)
        chosen = log_probs.gather(1, torch.tensor(output_ids, device=device).unsqueeze(1)).squeeze(1)  # (T)
        top = log_probs.topk(min(k, log_probs.size(1)), dim=1)  # (T, k)
    length = len(target_ids)
    sources = encoded.mask[0].cpu().numpy()  # (1, S)
    return Recording(
        _map_record(encoded.attentions, np.repeat(sources, len(source_ids), axis=0)),
        _map_record([layer.self_attention for layer in decoded.attentions], np.tri(length, dtype=bool)),
        _map_record([layer.cross_attention for layer in decoded.attentions], np.repeat(sources, length, axis=0)),
        _numpy(chosen),
        top.indices.tolist(),
        _numpy(top.values),
    )


def _map_record(attentions: list[Attention], mask: Booleans) -> MapRecord:
    weights = torch.cat([layer.weights for layer in attentions])  # (L, H, Q, K): the batch of 1 becomes the layers
    scores = torch.cat([layer.scores for layer in attentions])
    return MapRecord(_numpy(weights), _numpy(scores), mask)


def _numpy(tensor: Tensor) -> Floats:
    return tensor.float().cpu().numpy()
