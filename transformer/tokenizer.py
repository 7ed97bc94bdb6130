"""Text <-> pieces <-> ids, by SentencePiece: one vocabulary for both languages."""

import io
import unicodedata
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import sentencepiece

PADDING, UNKNOWN, START, END = "<pad>", "<unk>", "<s>", "</s>"


def language_tag(language: str) -> str:
    """The piece that heads a source and names the language it is to be translated into: "en" -> "<2en>"."""
    return f"<2{language}>"


class Tokens(NamedTuple):
    """A tokenized text: ids, and what of the text each one stands for ("▁" for a space), `<unk>` too."""

    ids: list[int]
    surfaces: list[str]


class Tokenizer:
    """A SentencePiece model with `<pad> <unk> <s> </s>` and one tag for each language it can translate into."""

    def __init__(self, model: bytes) -> None:
        """model: a serialized SentencePiece model. Raises ValueError if it is none, or lacks a special piece."""
        if not model:  # SentencePiece takes no bytes for no argument, and no model for a model
            raise ValueError("this is no SentencePiece model")
        try:
            self._processor = sentencepiece.SentencePieceProcessor(model_proto=model)
        except RuntimeError as error:
            raise ValueError("this is no SentencePiece model") from error
        self.model = model
        self.padding_id, self.unknown_id, self.start_id, self.end_id = (
            self._special(piece) for piece in (PADDING, UNKNOWN, START, END)
        )
        pieces = (self.piece(id_) for id_ in range(self.vocab_size))
        #: Language codes that have a tag, such as ("en", "es").
        self.languages = tuple(
            sorted(piece[2:-1] for id_, piece in enumerate(pieces) if piece.startswith("<2") and self.is_control(id_))
        )
        if not self.languages:
            raise ValueError("this SentencePiece model has no language tag such as <2en>")

    @classmethod
    def from_file(cls, path: str | Path) -> "Tokenizer":
        return cls(Path(path).read_bytes())

    @classmethod
    def train(cls, sentences: Iterable[str], vocab_size: int, languages: Sequence[str]) -> "Tokenizer":
        """Learn a unigram vocabulary (Kudo 2018) of vocab_size pieces, special ones included.

        Digits are pieces of their own: a number is copied digit by digit, and each digit has its own column.
        Raises ValueError when the sentences are too few for so many pieces.
        """
        result = io.BytesIO()
        try:
            sentencepiece.SentencePieceTrainer.train(
                sentence_iterator=iter(sentences),
                model_writer=result,
                model_type="unigram",
                vocab_size=vocab_size,
                character_coverage=0.9999,
                normalization_rule_name="nmt_nfkc",
                split_digits=True,
                pad_id=0,
                unk_id=1,
                bos_id=2,
                eos_id=3,
                pad_piece=PADDING,
                unk_piece=UNKNOWN,
                bos_piece=START,
                eos_piece=END,
                control_symbols=[language_tag(language) for language in languages],
                num_threads=2,
                minloglevel=2,
            )
        except RuntimeError as error:
            raise ValueError(
                f"no vocabulary of {vocab_size} pieces can be learned from these sentences: {error}"
            ) from error
        return cls(result.getvalue())

    @property
    def vocab_size(self) -> int:
        return self._processor.get_piece_size()

    def _special(self, piece: str) -> int:
        id_ = self._processor.piece_to_id(piece)
        if self.piece(id_) != piece:
            raise ValueError(f"this SentencePiece model has no piece {piece}")
        return id_

    def piece(self, id_: int) -> str:
        return self._processor.id_to_piece(id_)

    def id(self, piece: str) -> int:
        """The piece's id; unknown_id for a piece that is not in the vocabulary."""
        return self._processor.piece_to_id(piece)

    def surface(self, id_: int) -> str:
        """The piece as text with "▁" for a space; empty for a control piece."""
        return "" if self.is_control(id_) else self.piece(id_)

    def is_control(self, id_: int) -> bool:
        """Whether the piece stands for no text: padding, start, end, a language tag."""
        return self._processor.is_control(id_)

    def tag_id(self, language: str) -> int:
        """Raises ValueError for a language that this vocabulary has no tag for."""
        if language not in self.languages:
            raise ValueError(f"target must be one of {', '.join(self.languages)}, not {language!r}")
        return self._special(language_tag(language))

    def tokenize(self, text: str) -> Tokens:
        """Pieces of the text as it was typed. Control pieces are never made from text: "<s>" stays five characters.

        Any string will do; one of spaces and invisible characters has no tokens.
        """
        ids = self.encode(text)
        return Tokens(ids, self._processor.encode(_clean(text), out_type=str))

    def encode(self, text: str) -> list[int]:
        """Ids of the text."""
        return self._processor.encode(_clean(text))

    def as_source(self, ids: Sequence[int], target: str, max_length: int | None = None) -> list[int]:
        """`<2target>` ids `</s>`, as the encoder reads it; ids that max_length, of all together, has no room for go."""
        room = None if max_length is None else max_length - 2
        return [self.tag_id(target), *ids[:room], self.end_id]

    def decode(self, ids: Sequence[int]) -> str:
        """Text of the ids; control pieces give none, an unknown piece gives a replacement mark."""
        return self._processor.decode(list(ids))


def whole_unicode(text: str) -> str:
    """The text with U+FFFD for each lone surrogate, which a string may hold but UTF-8 and JSON readers refuse."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _clean(text: str) -> str:
    """NFC, as the corpus is, in whole Unicode."""
    return unicodedata.normalize("NFC", whole_unicode(text))
