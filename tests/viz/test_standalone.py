"""The board as one file: all in it, nothing of a sentence taken for markup, no address of another host."""

import json
import re
from html.parser import HTMLParser

from transformer.translator import Translator
from viz.board.standalone import Board, standalone_page
from viz.tabs.masks import panels_payload
from viz.tabs.translate import trace_payload
from viz.text import texts

HOSTILE = "</script><script>document.title='run'</script><!-- & \"x\""


class Elements(HTMLParser):
    """Start tags, and what stands in scripts of data."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.data: dict[str, str] = {}
        self._open = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._open = dict(attrs).get("id") or "" if tag == "script" else ""

    def handle_endtag(self, tag: str) -> None:
        self._open = ""

    def handle_data(self, data: str) -> None:
        if self._open:
            self.data[self._open] = data


def saved(translator: Translator, language: str = "en") -> str:
    trace = translator.trace(HOSTILE, "en")
    selection = {"map": "cross", "layer": 1, "head": 2}
    board = Board(HOSTILE, trace_payload(translator, trace), panels_payload(translator, trace), selection)
    return standalone_page(board, f"{HOSTILE} → x", f"stamp {HOSTILE}", texts(language), language)


def test_a_sentence_stays_text(translator: Translator) -> None:
    page = Elements(saved(translator))
    assert [tag for tag, _ in page.tags].count("script") == 4
    assert json.loads(page.data["trace"])["sourceText"] == HOSTILE
    assert json.loads(page.data["page"])["selection"] == {"map": "cross", "layer": 1, "head": 2}
    assert len(json.loads(page.data["panels"])["panels"]) == 5


def test_nothing_is_fetched(translator: Translator) -> None:
    page = Elements(saved(translator))
    assert not [tag for tag, attributes in page.tags if "src" in attributes]
    assert [attributes["href"] for _, attributes in page.tags if "href" in attributes] == ["data:,"]
    (policy,) = (a["content"] for _, a in page.tags if a.get("http-equiv") == "Content-Security-Policy")
    assert policy is not None
    assert policy.startswith("default-src 'none';")
    assert not re.search(r"@import|url\(", saved(translator))


def test_it_speaks_one_language(translator: Translator) -> None:
    page = Elements(saved(translator, "es"))
    assert page.tags[0] == ("html", {"lang": "es"})
    data = json.loads(page.data["page"])
    assert (data["language"], data["texts"]) == ("es", texts("es"))
