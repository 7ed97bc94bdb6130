"""Whether decoding ends: over a whole corpus, and over texts that no one would type."""

import random
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from tqdm import tqdm

from transformer.decoding import Decoder
from transformer.repetition import most_copies
from transformer.tokenizer import Tokenizer
from transformer.training.data import Pair
from transformer.translator import Translator

#: Sources decoded side by side, of like length.
_BATCH = 128


@dataclass(frozen=True)
class Endings:
    """How greedy decoding ended, over all texts into both languages."""

    texts: int
    #: The model wrote the end itself.
    ended: int
    #: Cut at the length limit, or because the output went in circles; the page says so.
    cut: int
    longest: int  # tokens of the longest output
    #: The most copies of one phrase, one behind the other, in any output whose source has no phrase twice in a row.
    most_copies: int

    def __add__(self, other: "Endings") -> "Endings":
        return Endings(
            self.texts + other.texts,
            self.ended + other.ended,
            self.cut + other.cut,
            max(self.longest, other.longest),
            max(self.most_copies, other.most_copies),
        )


def random_texts(count: int, tokenizer: Tokenizer, seed: int = 0) -> list[str]:
    """Letters, scripts of chance, pieces, one word over and over, digits and marks, in turn; none is empty."""
    rng = random.Random(seed)
    return [_random_text(kind % 5, tokenizer, rng) for kind in range(count)]


def _random_text(kind: int, tokenizer: Tokenizer, rng: random.Random) -> str:
    length = rng.randint(1, 120)
    if kind == 0:
        return "x" + "".join(rng.choices("abcdefghijklmnñopqrstuvwxyzáéíóú ", k=length))
    if kind == 1:
        ranges = ((33, 126), (161, 591), (0x400, 0x4FF), (0x4E00, 0x4FFF), (0x1F600, 0x1F64F))
        return "".join(chr(rng.randint(*rng.choice(ranges))) for _ in range(length))
    if kind == 2:
        pieces = (tokenizer.piece(rng.randrange(tokenizer.vocab_size)) for _ in range(length))
        return "x " + " ".join(piece.replace("\u2581", "") for piece in pieces)
    if kind == 3:
        return rng.choice(("ja ", "no ", "Tom ", "! ", "aaaa", "¿", "12 ")) * length
    return "".join(rng.choices("0123456789.,;:!?¿¡-()", k=length))


def count_endings(translator: Translator, texts: Sequence[str], languages: Sequence[str]) -> Endings:
    """Decode every text into every language."""
    tokenizer, limit = translator.tokenizer, translator.model.config.max_length
    decode = Decoder(translator.model, tokenizer.start_id, tokenizer.end_id)
    sources = [tokenizer.as_source(tokenizer.encode(text), code, limit) for text in texts for code in languages]
    sources.sort(key=len)
    ended = longest = copies = 0
    for start in tqdm(range(0, len(sources), _BATCH), unit="batch", mininterval=10.0):
        batch = sources[start : start + _BATCH]
        for source, hypothesis in zip(batch, decode(batch), strict=True):
            ended += hypothesis.finished
            longest = max(longest, len(hypothesis.ids))
            if most_copies(source) == 1:
                copies = max(copies, most_copies(hypothesis.ids))
    return Endings(len(sources), ended, len(sources) - ended, longest, copies)


def endings_report(translator: Translator, pairs: Sequence[Pair], columns: tuple[str, str]) -> dict[str, Any]:
    """{"corpus": ..., "random": ...}: each distinct text of the pairs into the other language, and 1,000 of chance."""
    one, other = (
        count_endings(translator, sorted({pair[side] for pair in pairs}), [columns[1 - side]]) for side in (0, 1)
    )
    chance = count_endings(translator, random_texts(1_000, translator.tokenizer), columns)
    return {"corpus": asdict(one + other), "random": asdict(chance)}
