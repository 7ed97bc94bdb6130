"""Masks, cell by cell. True = may attend."""

import torch

from transformer.masks import causal_mask, decoder_mask, pad, padding_mask

PAD = 9


def test_pad_fills_the_end_of_short_rows() -> None:
    assert pad([[1, 2, 3], [4]], PAD).tolist() == [[1, 2, 3], [4, PAD, PAD]]


def test_padding_mask_forbids_padding_as_a_key() -> None:
    mask = padding_mask(torch.tensor([[1, 2, 3], [4, PAD, PAD]]), PAD)
    assert mask.tolist() == [[[True, True, True]], [[True, False, False]]]


def test_causal_mask_forbids_the_future() -> None:
    assert causal_mask(3).tolist() == [[[True, False, False], [True, True, False], [True, True, True]]]


def test_decoder_mask_forbids_both() -> None:
    mask = decoder_mask(torch.tensor([[1, 2, 3], [4, 5, PAD]]), PAD)
    assert mask[0].tolist() == [[True, False, False], [True, True, False], [True, True, True]]
    assert mask[1].tolist() == [[True, False, False], [True, True, False], [True, True, False]]
