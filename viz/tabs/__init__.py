"""The page's parts, one module each: handlers are plain functions, `build_*` only wires them to components."""
