"""The import rules of the house, read from the source of every module, and shown to fail on sources that break them."""

import ast
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
#: Left to right: a module of transformer/ imports only from groups before its own.
ORDER = (
    {"config", "tokenizer", "masks", "words", "repetition", "trace"},
    {"attention", "diagnostics"},
    {"layers"},
    {"model"},
    {"decoding", "checkpoint"},
    {"recorder"},
    {"proof"},
    {"translator"},
    {"training"},
)
PAGE_LIBRARIES = {"gradio", "plotly", "matplotlib"}
#: Modules of viz/ that are for people without torch and gradio too, besides viz/figures/.
NUMPY_ONLY = {
    "viz.board.payload",
    "viz.data_files",
    "viz.mask_files",
    "viz.position_files",
    "viz.rollout",
    "viz.similarity",
    "viz.step",
    "viz.step_files",
    "viz.view",
    "viz.view_files",
}

Sources = dict[str, str]


def project() -> Sources:
    """Module name -> source, of the app and its packages and tests."""
    files = [
        ROOT / "app.py",
        *(path for name in ("transformer", "viz", "tests") for path in (ROOT / name).rglob("*.py")),
    ]
    return {module_name(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in files if path.exists()}


def module_name(path: Path) -> str:
    return ".".join(path.with_suffix("").parts).removesuffix(".__init__")


def imports(name: str, sources: Sources, typing_only: bool = False) -> set[str]:
    """Modules that a module imports anywhere in its code; those under `if TYPE_CHECKING` count if typing_only."""
    found: set[str] = set()
    for node in _statements(ast.parse(sources[name]), typing_only):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = _absolute(name, node, sources)
            for alias in node.names:
                found.add(_target(base, alias.name, sources))
    return found


def _statements(tree: ast.AST, typing_only: bool) -> Iterator[ast.AST]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test) and not typing_only:
            yield from (part for branch in node.orelse for part in (branch, *_statements(branch, typing_only)))
        else:
            yield node
            yield from _statements(node, typing_only)


def _absolute(name: str, node: ast.ImportFrom, sources: Sources) -> str:
    """The module that `from ... import` names, relative ones resolved."""
    if not node.level:
        return node.module or ""
    is_package = any(other.startswith(f"{name}.") for other in sources)
    parts = name.split(".")[: None if is_package and node.level == 1 else -(node.level - is_package)]
    return ".".join([*parts, *([node.module] if node.module else [])])


def _target(base: str, imported: str, sources: Sources) -> str:
    """`from base import imported`: a submodule, a name that a lazy package fetches from one, or base itself."""
    if f"{base}.{imported}" in sources:
        return f"{base}.{imported}"
    if base == "transformer" and base in sources:
        lazy = {
            alias.asname or alias.name: node.module
            for node in ast.walk(ast.parse(sources[base]))
            if isinstance(node, ast.ImportFrom) and node.module
            for alias in node.names
        }
        return lazy.get(imported) or base
    return base


def reached(name: str, sources: Sources) -> set[str]:
    """All modules that importing this one brings along, the packages above each of them too."""
    seen: set[str] = set()
    waiting = [name]
    while waiting:
        module = waiting.pop()
        if module in seen:
            continue
        seen.add(module)
        if "." in module:
            waiting.append(module.rpartition(".")[0])
        if module in sources:
            waiting += imports(module, sources)
    return seen


def tops(modules: Iterable[str]) -> set[str]:
    return {module.partition(".")[0] for module in modules}


def broken_rules(sources: Sources) -> list[str]:
    """One sentence for each import that the rules forbid."""
    found = []
    for name in sorted(sources):
        direct = imports(name, sources, typing_only=True)
        top = tops([name]).pop()
        if top == "transformer":
            found += [f"{name} imports {other}" for other in tops(direct) & (PAGE_LIBRARIES | {"viz", "app"})]
            found += [f"{name} imports {other}" for other in direct if _is_not_left_of(other, name)]
        if name.startswith("viz.figures") or name in NUMPY_ONLY:
            found += [f"{name} brings in {other}" for other in tops(reached(name, sources)) & {"torch", "gradio"}]
        may_use_gradio = name.startswith("viz.tabs") or name in ("viz.board.component", "app") or top == "tests"
        if "gradio" in tops(direct) and not may_use_gradio:
            found.append(f"{name} imports gradio")
        if "app" in tops(direct) and top != "tests":
            found.append(f"{name} imports app")
    return found


def _is_not_left_of(other: str, name: str) -> bool:
    """Whether both are modules of transformer/ and `name` may not import `other`."""
    if tops([other]) != {"transformer"} or "transformer" in (other, name):
        return other == "transformer" and name != "transformer"  # the package's lazy names would hide what is meant
    ours, theirs = name.split(".")[1], other.split(".")[1]
    return ours != theirs and _group(theirs) >= _group(ours)


def _group(module: str) -> int:
    return next(number for number, group in enumerate(ORDER) if module in group)


def test_the_project_keeps_the_import_rules() -> None:
    assert broken_rules(project()) == []


def test_every_module_of_transformer_has_its_place_in_the_order() -> None:
    modules = {name.split(".")[1] for name in project() if name.startswith("transformer.")}
    assert modules == set().union(*ORDER)


def test_the_rules_are_about_modules_that_exist() -> None:
    names = set(project())
    assert {"app", "viz.board.component", "viz.tabs", "viz.figures", "transformer"} | NUMPY_ONLY <= names


@pytest.mark.parametrize(
    ("name", "source", "complaint"),
    [
        ("transformer.model", "import gradio", "transformer.model imports gradio"),
        ("transformer.trace", "def f():\n    import matplotlib.pyplot", "transformer.trace imports matplotlib"),
        ("transformer.recorder", "from viz.board import payload", "transformer.recorder imports viz"),
        (
            "transformer.masks",
            "from transformer.model import Transformer",
            "transformer.masks imports transformer.model",
        ),
        ("transformer.masks", "from .model import Transformer", "transformer.masks imports transformer.model"),
        ("transformer.masks", "from . import model", "transformer.masks imports transformer.model"),
        ("transformer.masks", "from transformer import Transformer", "transformer.masks imports transformer.model"),
        ("transformer.masks", "import transformer", "transformer.masks imports transformer"),
        (
            "transformer.decoding",
            "import transformer.checkpoint",
            "transformer.decoding imports transformer.checkpoint",
        ),
        (
            "transformer.layers",
            "from transformer.training import loop",
            "transformer.layers imports transformer.training",
        ),
        ("transformer.config", "import app", "transformer.config imports app"),
        ("viz.figures.heads", "import torch", "viz.figures.heads brings in torch"),
        ("viz.figures.heads", "from transformer.layers import EncoderLayer", "viz.figures.heads brings in torch"),
        ("viz.figures.heads", "from transformer import Transformer", "viz.figures.heads brings in torch"),
        ("viz.figures.heads", "from viz.tabs import attention", "viz.figures.heads brings in gradio"),
        ("viz.board.payload", "import gradio as gr", "viz.board.payload brings in gradio"),
        ("viz.view", "from transformer.layers import EncoderLayer", "viz.view brings in torch"),
        ("viz.board.payload", "import gradio as gr", "viz.board.payload imports gradio"),
        ("viz.text", "if True:\n    from gradio import I18n", "viz.text imports gradio"),
        ("viz.tabs.attention", "from app import demo", "viz.tabs.attention imports app"),
    ],
)
def test_a_source_that_breaks_a_rule_is_found(name: str, source: str, complaint: str) -> None:
    sources = {
        "app": "import gradio",
        "transformer": project()["transformer"],
        "transformer.layers": "import torch",
        "transformer.model": "import torch",
        "transformer.checkpoint": "",
        "transformer.training": "",
        "viz.tabs": "",
        "viz.tabs.attention": "import gradio",
    }
    assert broken_rules(sources) == []
    assert complaint in broken_rules(sources | {name: source})


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("viz.figures.heads", "from transformer import AttentionMap"),
        ("viz.figures.heads", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import torch"),
        ("viz.tabs.attention", "import gradio\nimport torch"),
        ("transformer.training.loop", "from transformer.training import data\nfrom transformer.recorder import record"),
        ("tests.test_app", "import app, gradio"),
    ],
)
def test_a_source_that_keeps_the_rules_is_left_alone(name: str, source: str) -> None:
    sources = {
        "transformer": project()["transformer"],
        "transformer.trace": "import numpy",
        "transformer.training.data": "",
    }
    assert broken_rules(sources | {name: source}) == []


def run_without(libraries: set[str], code: str) -> subprocess.CompletedProcess[str]:
    """Run code in a fresh Python in which these libraries cannot be imported."""
    blocker = f"import sys\nfor name in {sorted(libraries)}:\n    sys.modules[name] = None\n"
    return subprocess.run([sys.executable, "-c", blocker + code], cwd=ROOT, capture_output=True, text=True, check=False)


def test_a_trace_can_be_read_where_torch_is_not_installed() -> None:
    code = "from transformer.trace import Trace\nfrom transformer import AttentionMap\nprint(Trace, AttentionMap)"
    result = run_without({"torch", "sentencepiece", "safetensors"} | PAGE_LIBRARIES, code)
    assert result.returncode == 0, result.stderr


def test_the_model_runs_where_no_page_library_is_installed() -> None:
    names = "ModelConfig, PRESETS, Tokenizer, Transformer, Trace, AttentionMap, Translation, Translator"
    result = run_without(PAGE_LIBRARIES, f"from transformer import {names}\nimport transformer.translator")
    assert result.returncode == 0, result.stderr


def test_the_blocker_blocks() -> None:
    result = run_without({"torch"}, "import transformer.model")
    assert result.returncode != 0
    assert "torch" in result.stderr


def test_an_unknown_name_of_the_package_is_an_attribute_error() -> None:
    import transformer

    with pytest.raises(AttributeError, match="has no attribute 'Nothing'"):
        transformer.Nothing  # noqa: B018
