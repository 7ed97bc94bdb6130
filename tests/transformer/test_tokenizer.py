"""The tokenizer: text in, pieces out, and never a control piece from what a visitor types."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.transformer.conftest import PAIRS
from transformer.tokenizer import END, PADDING, START, UNKNOWN, Tokenizer, language_tag, whole_unicode

SPECIAL = [PADDING, UNKNOWN, START, END, language_tag("en"), language_tag("es")]
#: Any characters at all, lone surrogates too, with special pieces among them.
typed = st.lists(st.one_of(st.text(st.characters(exclude_categories=[])), st.sampled_from(SPECIAL)), max_size=8).map(
    "".join
)


def test_special_pieces_have_their_ids(tokenizer: Tokenizer) -> None:
    assert [tokenizer.piece(id_) for id_ in range(6)] == SPECIAL
    assert (tokenizer.padding_id, tokenizer.unknown_id, tokenizer.start_id, tokenizer.end_id) == (0, 1, 2, 3)
    assert tokenizer.languages == ("en", "es")
    assert [tokenizer.tag_id(language) for language in ("en", "es")] == [4, 5]
    assert [tokenizer.is_control(id_) for id_ in range(7)] == [True, False, True, True, True, True, False]
    assert tokenizer.vocab_size == 200


@pytest.mark.parametrize("pair", PAIRS[:10])
def test_decoding_gives_back_the_text(tokenizer: Tokenizer, pair: tuple[str, str]) -> None:
    for text in pair:
        tokens = tokenizer.tokenize(text)
        assert tokenizer.decode(tokens.ids) == text
        assert [tokenizer.piece(id_) for id_ in tokens.ids] == tokens.surfaces
        assert "".join(tokens.surfaces).replace("▁", " ").strip() == text


def test_a_source_has_its_tag_before_and_its_end_behind(tokenizer: Tokenizer) -> None:
    ids = tokenizer.as_source(tokenizer.encode("Me gusta leer."), "en")
    assert ids == [4, *tokenizer.encode("Me gusta leer."), 3]
    assert tokenizer.decode(ids) == "Me gusta leer."


def test_an_unknown_character_keeps_its_surface(tokenizer: Tokenizer) -> None:
    tokens = tokenizer.tokenize("el 猫 azul")
    place = tokens.surfaces.index("猫")
    assert tokens.ids[place] == tokenizer.unknown_id
    assert tokens.ids.count(tokenizer.unknown_id) == 1


def test_digits_are_pieces_of_their_own(tokenizer: Tokenizer) -> None:
    assert [surface for surface in tokenizer.tokenize("15 77").surfaces if surface != "▁"] == ["1", "5", "7", "7"]


def test_composed_and_decomposed_accents_are_one(tokenizer: Tokenizer) -> None:
    assert tokenizer.encode("Adio\u0301s, man\u0303ana") == tokenizer.encode("Adiós, mañana")


@pytest.mark.parametrize("text", [*SPECIAL[2:], PADDING])
def test_a_special_piece_typed_as_text_stays_text(tokenizer: Tokenizer, text: str) -> None:
    tokens = tokenizer.tokenize(text)
    assert len(tokens.ids) > 1
    assert "".join(tokens.surfaces) == f"▁{text}"


@settings(max_examples=300, deadline=None)
@given(text=typed)
def test_no_text_makes_a_control_id(tokenizer: Tokenizer, text: str) -> None:
    tokens = tokenizer.tokenize(text)
    assert not any(tokenizer.is_control(id_) for id_ in tokens.ids)
    assert len(tokens.ids) == len(tokens.surfaces)
    assert tokens.ids == tokenizer.encode(text)
    assert all(surface == whole_unicode(surface) for surface in tokens.surfaces)
    for id_, surface in zip(*tokens, strict=True):
        assert id_ == tokenizer.unknown_id or tokenizer.piece(id_) == surface


@given(text=st.text(st.characters(exclude_categories=[])))
def test_whole_unicode_can_be_written_and_keeps_what_could_be(text: str) -> None:
    whole = whole_unicode(text)
    assert whole.encode().decode() == whole
    if not any("\ud800" <= character <= "\udfff" for character in text):
        assert whole == text


def test_surrogates_become_replacement_characters() -> None:
    assert whole_unicode("a\ud800b\udfff") == "a\ufffdb\ufffd"


@pytest.mark.parametrize("length", [0, 1, 3, 100, -1, -1000])
def test_what_is_no_model_is_refused(tokenizer: Tokenizer, length: int) -> None:
    with pytest.raises(ValueError, match="this is no SentencePiece model"):
        Tokenizer(tokenizer.model[:length])


def test_an_unknown_target_is_refused(tokenizer: Tokenizer) -> None:
    with pytest.raises(ValueError, match="target must be one of en, es, not 'fr'"):
        tokenizer.tag_id("fr")


def test_a_vocabulary_without_tags_is_refused() -> None:
    with pytest.raises(ValueError, match="no language tag"):
        Tokenizer.train([text for pair in PAIRS for text in pair], 150, [])


def test_too_many_pieces_for_the_text_are_refused() -> None:
    with pytest.raises(ValueError, match="no vocabulary of 5000 pieces"):
        Tokenizer.train(["Hola.", "Hello."], 5000, ["en"])
