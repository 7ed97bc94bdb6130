"""Translator: the one object that users hold. Text in; Translation or Trace out."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from transformer.checkpoint import load_alignment, load_checkpoint
from transformer.decoding import Decoder, Hypothesis
from transformer.model import Transformer
from transformer.proof import Proof, prove
from transformer.recorder import record
from transformer.tokenizer import Tokenizer, whole_unicode
from transformer.trace import KINDS, Alignment, AlignmentHead, Trace

MAX_BEAM_SIZE = 12
#: What is kept of a longer text: far more than fits into max_length, far less than a pasted book. One unknown token may
#: stand for all of it, so the number of tokens alone does not bound what a trace holds.
MAX_CHARACTERS = 10_000


class InputError(ValueError):
    """An argument that cannot be used. `reason` is a short fixed name; the message says what the argument may be."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


@dataclass(frozen=True)
class Translation:
    """A text in the other language and the tokens it was written with."""

    text: str
    tokens: tuple[str, ...]
    log_probs: tuple[float, ...]  # natural log of the probability of each token
    finished: bool  # False: cut, at the length limit or because it went in circles
    dropped: int  # source tokens left out because the source was longer than max_length


@dataclass(frozen=True)
class _Source:
    """A source as the encoder reads it: tag, text, end."""

    text: str
    ids: list[int]
    surfaces: list[str]
    dropped: int


class Translator:
    """A model and its tokenizer. Safe to share between threads: nothing of a call is kept on it."""

    def __init__(self, model: Transformer, tokenizer: Tokenizer, name: str, alignment: Alignment | None = None) -> None:
        self.model = model.eval()
        self.tokenizer = tokenizer
        self.name = name
        self.alignment = alignment
        self._decode = Decoder(model, tokenizer.start_id, tokenizer.end_id)

    @classmethod
    def from_pretrained(cls, folder: str | Path) -> "Translator":
        """Load a checkpoint folder. Raises CheckpointError, which names the file and the remedy."""
        model, tokenizer = load_checkpoint(folder)
        return cls(model, tokenizer, Path(folder).resolve().name, load_alignment(folder))

    @property
    def alignment_head(self) -> AlignmentHead | None:
        """None for a checkpoint that was not evaluated."""
        return None if self.alignment is None else self.alignment.best

    def translate(self, text: str, target: str, beam_size: int = 1) -> Translation:
        """Translate into the language `target`. Raises InputError."""
        return self.translate_batch([text], target, beam_size)[0]

    def translate_batch(self, texts: Sequence[str], target: str, beam_size: int = 1) -> list[Translation]:
        """Translate all texts side by side. Raises InputError."""
        self._check(target, beam_size)
        if isinstance(texts, str) or not isinstance(texts, Sequence):
            raise InputError("type", f"texts must be a list of strings, not {type(texts).__name__}")
        sources = [self._source(text, target) for text in texts]
        if not sources:
            return []
        hypotheses = self._decode([source.ids for source in sources], beam_size)
        return [self._translation(h, source) for h, source in zip(hypotheses, sources, strict=True)]

    def trace(self, text: str, target: str, beam_size: int = 1, forced: str | None = None) -> Trace:
        """Translate, then record all that the model did on the way. Raises InputError.

        forced: a text to be taken as the output instead of the model's own choice. What the model's max_length has no
        room for is left out, and the trace is then not `finished`.
        """
        self._check(target, beam_size)
        source = self._source(text, target)
        if forced is None:
            hypothesis = self._decode([source.ids], beam_size)[0]
            ids, finished = hypothesis.ids, hypothesis.finished
        else:
            ids, finished = self._forced(forced)
        return self._trace(target, beam_size, source, ids, finished, forced is not None)

    def proof(self, trace: Trace) -> Proof:
        """How nearly the trace's rows sum to 1, and its weights give its output: one pass of the model.

        Raises ValueError for a trace of a model with another number of layers or heads.
        """
        return prove(
            self.model,
            trace,
            self._ids(trace.source_tokens),
            self._ids(trace.target_tokens),
            self._ids(trace.output_tokens),
        )

    def _forced(self, text: str) -> tuple[list[int], bool]:
        """The text as the decoder would have written it, and whether it is all there."""
        ids = self.tokenizer.encode(_checked_text(text, "forced"))
        room = self.model.config.max_length - 1
        return ([*ids, self.tokenizer.end_id], True) if len(ids) <= room else (ids[:room], False)

    def _trace(
        self, target: str, beam_size: int, source: _Source, output: list[int], finished: bool, forced: bool
    ) -> Trace:
        target_ids = [self.tokenizer.start_id, *output[:-1]]
        recording = record(self.model, source.ids, target_ids, output)
        maps = {
            f"{kind}{suffix}": array
            for kind in KINDS
            for suffix, array in zip(("", "_scores", "_mask"), getattr(recording, kind), strict=True)
        }
        used = {*source.ids, *target_ids, *output}
        return Trace(
            model=self.name,
            source_text=source.text,
            target=target,
            text=self.tokenizer.decode(output),
            beam_size=beam_size,
            forced=forced,
            finished=finished,
            dropped=source.dropped,
            source_tokens=self._pieces(source.ids),
            source_surfaces=tuple(source.surfaces),
            target_tokens=self._pieces(target_ids),
            output_tokens=self._pieces(output),
            special_tokens=self._pieces(sorted(id_ for id_ in used if self.tokenizer.is_control(id_))),
            log_probs=recording.log_probs,
            top_k_tokens=tuple(self._pieces(row) for row in recording.top_k_ids),
            top_k_log_probs=recording.top_k_log_probs,
            **maps,
        )

    def _translation(self, hypothesis: Hypothesis, source: _Source) -> Translation:
        return Translation(
            self.tokenizer.decode(hypothesis.ids),
            self._pieces(hypothesis.ids),
            tuple(hypothesis.log_probs),
            hypothesis.finished,
            source.dropped,
        )

    def _source(self, text: str, target: str) -> _Source:
        whole = _checked_text(text, "text")
        kept = whole if len(whole) <= MAX_CHARACTERS else whole.strip()[:MAX_CHARACTERS]
        tokens = self.tokenizer.tokenize(kept)
        count = len(tokens.ids) if kept is whole else len(self.tokenizer.encode(whole))
        if not count:
            raise InputError("empty", "text is empty: type a sentence to translate")
        ids = self.tokenizer.as_source(tokens.ids, target, self.model.config.max_length)
        used = len(ids) - 2  # tag and end
        return _Source(kept, ids, ["", *tokens.surfaces[:used], ""], count - used)

    def _ids(self, pieces: Sequence[str]) -> list[int]:
        return [self.tokenizer.id(piece) for piece in pieces]

    def _pieces(self, ids: Sequence[int]) -> tuple[str, ...]:
        return tuple(self.tokenizer.piece(id_) for id_ in ids)

    def _check(self, target: str, beam_size: int) -> None:
        languages = self.tokenizer.languages
        if target not in languages:
            raise InputError("target", f"target must be one of {', '.join(languages)}, not {target!r}")
        if isinstance(beam_size, bool) or not isinstance(beam_size, int) or not 1 <= beam_size <= MAX_BEAM_SIZE:
            raise InputError(
                "beam_size", f"beam_size must be a whole number from 1 to {MAX_BEAM_SIZE}, not {beam_size!r}"
            )


def _checked_text(text: str, name: str) -> str:
    """The text, in whole Unicode, so that whatever is made of it can be written down."""
    if not isinstance(text, str):
        raise InputError("type", f"{name} must be a string, not {type(text).__name__}")
    return whole_unicode(text)
