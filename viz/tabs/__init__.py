"""The page's parts, one module each: handlers are plain functions, `build_*` only wires them to components."""

from typing import Any

#: For every event that runs the model: as many at once as there are processor cores on a small machine, the rest queue.
RUNS_MODEL: dict[str, Any] = {"concurrency_limit": 2, "concurrency_id": "model"}
