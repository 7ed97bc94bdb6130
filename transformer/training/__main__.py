"""`python -m transformer.training`."""

import sys

from transformer.training.cli import main

if __name__ == "__main__":
    sys.exit(main())
