"""The board's ES modules joined into one script, so that the page needs no module loader and no second request."""

import posixpath
import re
from pathlib import Path

_IMPORT = re.compile(r'^import \{([^}]*)\} from "(\.{1,2}/[\w./-]+\.js)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|const|class) )", re.MULTILINE)
_TOP_LEVEL_NAME = re.compile(r"^(?:async )?(?:function\*?|const|let|class) (\w+)", re.MULTILINE)
_LEFT_OVER = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)


def bundle(folder: Path, entry: str) -> str:
    """The module `entry` behind all that it imports, each once, without import and export.

    Raises ValueError for what this simple joining cannot do: a renaming or cyclic import, any other form of import or
    export, or one top-level name in two modules.
    """
    sources: dict[str, str] = {}
    _collect(folder, entry, sources, [])
    _check_names(sources)
    return "\n".join(f"// {name}\n{source}" for name, source in sources.items())


def _collect(folder: Path, name: str, sources: dict[str, str], open_modules: list[str]) -> None:
    """Depth first: what a module imports comes before it."""
    if name in open_modules:
        raise ValueError(f"modules import each other: {' -> '.join([*open_modules, name])}")
    if name in sources:
        return
    text = (folder / name).read_text(encoding="utf-8")
    for names, path in _IMPORT.findall(text):
        imported = posixpath.normpath(posixpath.join(posixpath.dirname(name), path))
        if " as " in names:
            raise ValueError(f"{name} renames what it imports from {imported}")
        _collect(folder, imported, sources, [*open_modules, name])
    source = _EXPORT.sub("", _IMPORT.sub("", text))
    if left := _LEFT_OVER.search(source):
        raise ValueError(f"{name} has an import or export that cannot be joined: {left.group()}")
    sources[name] = source


def _check_names(sources: dict[str, str]) -> None:
    homes: dict[str, str] = {}
    for module, source in sources.items():
        for name in _TOP_LEVEL_NAME.findall(source):
            if name in homes:
                raise ValueError(f"{homes[name]} and {module} both define {name}")
            homes[name] = module
