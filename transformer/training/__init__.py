"""Training and evaluation: `python -m transformer.training --help`."""
