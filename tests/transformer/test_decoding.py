"""Decoding against the uncached model, against itself one by one, and against brute force."""

import dataclasses
import itertools
from collections.abc import Sequence

import pytest
import torch
from torch.testing import assert_close

from tests.transformer.conftest import END_ID, START_ID, tiny_model
from transformer.decoding import EXTRA_LENGTH, Decoder, Hypothesis, _Bounds, length_penalty
from transformer.masks import pad
from transformer.model import Transformer
from transformer.repetition import goes_in_circles, most_copies

SOURCES = [[4, 20 + 7 * i, 30 + i, *range(50, 50 + i), END_ID] for i in range(10)]


@pytest.fixture(scope="module")
def decoder(model: Transformer) -> Decoder:
    return Decoder(model, START_ID, END_ID)


def log_probs_of(model: Transformer, source: Sequence[int], output: Sequence[int]) -> list[float]:
    """What the model, in one uncached pass, thinks of each token of an output."""
    target = torch.tensor([[START_ID, *output[:-1]]])
    with torch.inference_mode():
        table = model(torch.tensor([source]), target)[0].log_softmax(-1)
    return [table[step, id_].item() for step, id_ in enumerate(output)]


def same(found: Hypothesis, expected: Hypothesis) -> None:
    assert found.ids == expected.ids
    assert found.finished == expected.finished
    assert found.log_probs == pytest.approx(expected.log_probs, abs=1e-5)


@pytest.mark.parametrize("norm_first", [True, False])
def test_logits_of_cached_steps_equal_those_of_the_full_pass(norm_first: bool) -> None:
    model = tiny_model(norm_first=norm_first)
    source = pad(SOURCES[2:5], 0)
    target = torch.randint(4, 200, (3, 12))
    with torch.inference_mode():
        expected = model(source, target)
        encoded = model.encode(source)
        cache = model.decoder.start_cache(encoded.memory)
        for position in range(12):
            logits = model.decode_next(target[:, position], position, cache, encoded.mask)
            assert_close(logits, expected[:, position], rtol=0, atol=1e-5)


def test_greedy_takes_the_likeliest_token_of_an_uncached_pass_at_every_step(decoder: Decoder) -> None:
    for source, hypothesis in zip(SOURCES, decoder(SOURCES), strict=True):
        expected: list[int] = []
        while len(expected) < 40 and END_ID not in expected and not goes_in_circles(expected, most_copies(source)):
            with torch.inference_mode():
                logits = decoder.model(torch.tensor([source]), torch.tensor([[START_ID, *expected]]))[0, -1]
            expected.append(1 + int(logits[1:].argmax()))  # id 0 is padding, which is no output
        assert hypothesis.ids == expected
        assert hypothesis.log_probs == pytest.approx(log_probs_of(decoder.model, source, expected), abs=1e-5)


@pytest.fixture
def may_repeat(monkeypatch: pytest.MonkeyPatch) -> None:
    """Models of chance write the same token for ever; without that cut they show where the others are."""
    monkeypatch.setattr("transformer.decoding.goes_in_circles", lambda ids, source_copies: False)


@pytest.mark.usefixtures("may_repeat")
def test_the_outputs_of_these_tests_have_many_lengths(decoder: Decoder) -> None:
    lengths = [len(hypothesis.ids) for hypothesis in decoder(SOURCES)]
    assert len(set(lengths)) > 3
    assert max(lengths) == 40


@pytest.mark.usefixtures("may_repeat")
def test_outputs_end_at_the_end_token_or_at_the_limit(decoder: Decoder) -> None:
    for beam_size in (1, 3):
        for hypothesis in decoder(SOURCES, beam_size):
            assert hypothesis.finished == (hypothesis.ids[-1] == END_ID)
            assert END_ID not in hypothesis.ids[:-1]
            assert hypothesis.finished or len(hypothesis.ids) == 40


@pytest.mark.parametrize("beam_size", [1, 2, 5])
def test_a_batch_gives_what_each_source_gives_alone(decoder: Decoder, beam_size: int) -> None:
    for source, hypothesis in zip(SOURCES, decoder(SOURCES, beam_size), strict=True):
        same(hypothesis, decoder([source], beam_size)[0])


def test_beam_search_of_size_one_is_greedy(decoder: Decoder) -> None:
    source = pad(SOURCES, 0)
    with torch.inference_mode():
        found = decoder._beam_search(source, [_Bounds([], 40, most_copies(ids)) for ids in SOURCES], 1)
    for hypothesis, expected in zip(found, decoder(SOURCES), strict=True):
        same(hypothesis, expected)


def test_beam_scores_are_the_models_own(decoder: Decoder) -> None:
    for source, hypothesis in zip(SOURCES, decoder(SOURCES, 4), strict=True):
        expected = log_probs_of(decoder.model, source, hypothesis.ids)
        assert hypothesis.log_probs == pytest.approx(expected, abs=1e-5)
        assert hypothesis.score == pytest.approx(sum(expected) / ((5 + len(expected)) / 6) ** 0.6, abs=1e-4)


def brute_force(model: Transformer, source: Sequence[int], prefix: Sequence[int] = ()) -> Hypothesis:
    """The best of all outputs that there are: those that end, and those that the limit of 4 tokens cuts."""
    words = [id_ for id_ in range(1, model.config.target_vocab_size) if id_ != END_ID]
    ending = [(*body, END_ID) for length in range(4) for body in itertools.product(words, repeat=length)]
    outputs = [
        list(ids) for ids in (*ending, *itertools.product(words, repeat=4)) if list(ids[: len(prefix)]) == list(prefix)
    ]
    found = []
    for length in {len(ids) for ids in outputs}:
        group = [ids for ids in outputs if len(ids) == length]
        targets = torch.tensor([[START_ID, *ids[:-1]] for ids in group])
        with torch.inference_mode():
            table = model(torch.tensor([source] * len(group)), targets).log_softmax(-1)
        values = table.gather(2, torch.tensor(group).unsqueeze(2)).squeeze(2).tolist()
        found += [Hypothesis(ids, row, ids[-1] == END_ID) for ids, row in zip(group, values, strict=True)]
    return max(found, key=lambda hypothesis: hypothesis.score)


@pytest.mark.parametrize("seed", range(6))
def test_a_wide_beam_finds_the_best_output_that_exists(seed: int) -> None:
    """Exact where nothing is pruned: with 4 words and 4 steps there are 4 + 16 + 64 + 256 + 1 = 341 outputs."""
    model = tiny_model(seed, source_vocab_size=6, target_vocab_size=6, max_length=4)
    source = [4, 5, 1, END_ID]
    decoder = Decoder(model, START_ID, END_ID)
    same(decoder([source], 341)[0], brute_force(model, source))
    same(decoder([source], 341, [[5, 1]])[0], brute_force(model, source, [5, 1]))


def test_beam_search_can_beat_greedy_and_never_scores_below_it(decoder: Decoder) -> None:
    model = tiny_model(4, source_vocab_size=6, target_vocab_size=6, max_length=4)
    small = Decoder(model, START_ID, END_ID)
    sources = [[4, *ids, END_ID] for ids in itertools.product((1, 4, 5), repeat=2)]
    gains = [wide.score - greedy.score for wide, greedy in zip(small(sources, 341), small(sources), strict=True)]
    assert min(gains) >= -1e-6
    assert max(gains) > 0.01


def test_length_penalty_is_that_of_wu_et_al() -> None:
    assert length_penalty(1) == 1.0
    assert length_penalty(7) == pytest.approx(2**0.6)
    assert Hypothesis([5] * 7, [-0.5] * 7, True).score == pytest.approx(-3.5 / 2**0.6)


@pytest.mark.parametrize("beam_size", [1, 3])
def test_forced_prefixes_open_the_output_and_what_follows_is_the_models(decoder: Decoder, beam_size: int) -> None:
    prefixes = [[], [11], [11, 12, 13], [150] * 7, [60, END_ID]] * 2
    found = decoder(SOURCES, beam_size, prefixes)
    for source, prefix, hypothesis in zip(SOURCES, prefixes, found, strict=True):
        assert hypothesis.ids[: len(prefix)] == prefix
        assert hypothesis.log_probs == pytest.approx(log_probs_of(decoder.model, source, hypothesis.ids), abs=1e-5)
        same(hypothesis, decoder([source], beam_size, [prefix])[0])
    assert [hypothesis.ids for hypothesis in found[4::5]] == [[60, END_ID]] * 2
    assert all(hypothesis.finished for hypothesis in found[4::5])


@pytest.mark.parametrize("beam_size", [1, 3])
def test_forcing_what_greedy_wrote_changes_nothing(decoder: Decoder, beam_size: int) -> None:
    expected = decoder(SOURCES)
    found = decoder(SOURCES, beam_size, [hypothesis.ids for hypothesis in expected])
    for hypothesis, wanted in zip(found, expected, strict=True):
        same(hypothesis, wanted)


@pytest.mark.parametrize("beam_size", [1, 3])
def test_a_prefix_longer_than_the_limit_is_cut_there(decoder: Decoder, beam_size: int) -> None:
    prefix = [10 + step for step in range(60)]
    hypothesis = decoder([SOURCES[0]], beam_size, [prefix])[0]
    assert hypothesis.ids == prefix[:40]
    assert not hypothesis.finished


@pytest.mark.usefixtures("may_repeat")
@pytest.mark.parametrize("beam_size", [1, 2])
def test_an_output_is_at_most_fifty_tokens_longer_than_its_source(beam_size: int) -> None:
    model = tiny_model(max_length=80)
    with torch.no_grad():
        model.projection.bias[END_ID] = -1e9
    sources = [[4, END_ID], [4, 9, 9, END_ID], [4, *[9] * 40, END_ID]]
    lengths = [len(hypothesis.ids) for hypothesis in Decoder(model, START_ID, END_ID)(sources, beam_size)]
    assert EXTRA_LENGTH == 50
    assert lengths == [52, 54, 80]


@pytest.mark.parametrize("beam_size", [1, 2])
def test_padding_is_never_an_output(beam_size: int) -> None:
    """A padding id inside a target would be masked by the recorder and attended to by the cache."""
    model = tiny_model()
    with torch.no_grad():
        model.projection.bias[0] = 1e4
    found = Decoder(model, START_ID, END_ID)(SOURCES[:3], beam_size)
    assert all(0 not in hypothesis.ids for hypothesis in found)


def test_decoding_runs_in_eval_mode_and_leaves_the_mode_as_it_was() -> None:
    model = tiny_model(dropout=0.5)
    expected = Decoder(model, START_ID, END_ID)(SOURCES)
    model.train()
    assert Decoder(model, START_ID, END_ID)(SOURCES) == expected
    assert model.training


def test_what_cannot_be_decoded_is_refused(decoder: Decoder) -> None:
    empty: list[list[list[int]]] = [[], [[]], [[4, 5], []]]
    for sources in empty:
        with pytest.raises(ValueError, match="every source needs at least one token"):
            decoder(sources)
    with pytest.raises(ValueError, match="beam_size must be at least 1, not 0"):
        decoder([[4]], 0)
    with pytest.raises(ValueError, match="41 tokens are more than this model's max_length, 40"):
        decoder([[4] * 41])
    with pytest.raises(ValueError, match="1 prefixes for 2 sources"):
        decoder([[4], [5]], 1, [[6]])
    for wrong in (0, -1, 200):
        with pytest.raises(ValueError, match="prefixes must hold ids"):
            decoder([[4]], 1, [[6, wrong]])


def test_a_hypothesis_cannot_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        Hypothesis([1], [0.0], True).finished = False  # type: ignore[misc]


@pytest.fixture
def circling() -> Decoder:
    """Whatever it reads and has written, token 7 is likeliest to come next; the end is ten times less likely."""
    model = tiny_model()
    with torch.no_grad():
        model.projection.weight.zero_()
        model.projection.bias.fill_(-1e3)
        model.projection.bias[7], model.projection.bias[END_ID] = 0.0, -2.3
    return Decoder(model, START_ID, END_ID)


def test_an_output_that_goes_in_circles_is_cut_and_not_called_finished(circling: Decoder) -> None:
    lost, repeated, prescribed = circling(
        [[4, 20, END_ID], [4, *[20] * 12, END_ID], [4, 20, END_ID]], prefixes=[[], [], [8] * 20]
    )
    assert lost.ids == [7] * 9
    assert not lost.finished
    assert repeated.ids == [7] * 14  # once more than the source, which says its word 12 times
    assert prescribed.ids == [8] * 20


def test_beam_search_prefers_an_output_that_ends_to_one_that_goes_in_circles(circling: Decoder) -> None:
    (best,) = circling([[4, 20, END_ID]], 3)
    assert best.finished
    assert set(best.ids) <= {7, END_ID}
    with torch.no_grad():
        circling.model.projection.bias[END_ID] = -1e3
    (cut,) = circling([[4, 20, END_ID]], 3)
    assert not cut.finished
    assert most_copies(cut.ids) <= 9
