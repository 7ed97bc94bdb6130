"""How much alike vectors are. NumPy only."""

import numpy as np

from transformer.trace import Floats


def similarity(table: Floats) -> Floats:
    """Cosine of the angle between the rows of the table (N, D), each with each: (N, N).

    Sinusoidal rows all have the length sqrt(D / 2), so their dot products are D / 2 times these cosines.
    """
    unit = table / np.linalg.norm(table, axis=1, keepdims=True)  # (N, D)
    return unit @ unit.T
