"""`python -m tests.benchmarks`: measure, print the table, and write it into README.md."""

from tests.benchmarks.bench import main

main()
