"""Decode and record beside Hugging Face's Marian: the same shape, random weights, the same numbers of tokens.

Both read a source of n tokens and write exactly n, and both hand back every attention weight of every layer and head.
Their rounds alternate, so that whatever else the machine does slows both alike: the ratio is to be trusted more
than the times.
"""

import dataclasses
import statistics
import time
from collections.abc import Callable

import torch
from transformers import MarianConfig, MarianMTModel

from transformer.config import PRESETS, ModelConfig
from transformer.decoding import Decoder
from transformer.model import Transformer
from transformer.recorder import record

LENGTHS = (12, 24, 48, 96)
_ROUNDS, _WARM_UP = 21, 3
_START_ID, _NO_END_ID, _SOME_ID = 2, -1, 4321


@dataclasses.dataclass(frozen=True)
class Speed:
    """Medians in milliseconds for one number of tokens."""

    tokens: int
    ours: float
    theirs: float

    @property
    def ratio(self) -> float:
        return self.ours / self.theirs


def measure_speed() -> list[Speed]:
    torch.manual_seed(0)
    return [_compare(length) for length in LENGTHS]


def _compare(length: int) -> Speed:
    # A random model may write one token again and again, which would be cut if the source did not do so too.
    source = [_SOME_ID] * length
    runs = (_headlight(source), _hugging_face(source))
    times = [[_milliseconds(run) for run in runs] for _ in range(_WARM_UP + _ROUNDS)][_WARM_UP:]
    ours, theirs = (statistics.median(column) for column in zip(*times, strict=True))
    return Speed(length, ours, theirs)


def _milliseconds(run: Callable[[], object]) -> float:
    start = time.perf_counter()
    run()
    return (time.perf_counter() - start) * 1000


def _headlight(source: list[int]) -> Callable[[], object]:
    """What Translator.trace does between tokenizer and Trace. Only max_length can end the output."""
    config = dataclasses.replace(PRESETS["shipped"], max_length=len(source))
    model = Transformer(config).eval()
    decode = Decoder(model, _START_ID, _NO_END_ID)

    def run() -> object:
        output = decode([source])[0].ids
        return record(model, source, [_START_ID, *output[:-1]], output)

    assert len(decode([source])[0].ids) == len(source)
    return run


def _hugging_face(source: list[int]) -> Callable[[], object]:
    model = MarianMTModel(_marian_config(PRESETS["shipped"])).eval()
    ids = torch.tensor([source])

    def run() -> object:
        return model.generate(
            ids,
            attention_mask=torch.ones_like(ids),
            num_beams=1,
            do_sample=False,
            max_new_tokens=len(source),
            eos_token_id=None,
            forced_eos_token_id=None,
            output_attentions=True,
            return_dict_in_generate=True,
        )

    result = model.generate(ids, max_new_tokens=1, output_attentions=True, return_dict_in_generate=True)
    assert len(result.cross_attentions[0]) == len(result.encoder_attentions) == 3
    assert run().sequences.shape == (1, len(source) + 1)  # type: ignore[attr-defined]
    return run


def _marian_config(config: ModelConfig) -> MarianConfig:
    return MarianConfig(
        vocab_size=config.source_vocab_size,
        d_model=config.d_model,
        encoder_layers=config.num_encoder_layers,
        decoder_layers=config.num_decoder_layers,
        encoder_attention_heads=config.num_heads,
        decoder_attention_heads=config.num_heads,
        encoder_ffn_dim=config.d_ff,
        decoder_ffn_dim=config.d_ff,
        activation_function=config.activation,
        max_position_embeddings=config.max_length,
        scale_embedding=True,
        pad_token_id=config.padding_id,
        decoder_start_token_id=_START_ID,
        eos_token_id=None,
        forced_eos_token_id=None,
        attn_implementation="eager",  # the only one that gives weights
    )
