# One Makefile for people and for CI. `make run` and `make test` are all the set-up that a fresh machine needs.
PYTHON ?= python3
BIN = .venv/bin
PIP_INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt
# Node comes from .venv, whatever the machine has.
WITH_NODE = PATH="$(CURDIR)/$(BIN):$$PATH"

.PHONY: run test check format bench screenshot install clean

run: .venv/app  ## the app at http://127.0.0.1:7860 (HOST and PORT from the environment)
	$(BIN)/python app.py

install: .venv/app  ## what the app needs, without starting it

test: .venv/dev  ## all tests, in a real browser too
	$(BIN)/python -m pytest

check: .venv/dev node_modules/installed  ## format, lint, types, of Python and of JavaScript
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(WITH_NODE) node_modules/.bin/eslint viz/board
	$(WITH_NODE) node_modules/.bin/tsc --project jsconfig.json

format: .venv/dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: .venv/bench tests/benchmarks/node_modules/installed  ## measure, and write the tables into README.md
	$(BIN)/python -m tests.benchmarks

screenshot: .venv/dev  ## take the README's picture from the running app
	$(BIN)/python -m tests.browser.screenshot

clean:
	rm -rf .venv node_modules tests/benchmarks/node_modules

.venv/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Headlight needs Python 3.11 or newer; name one with: make PYTHON=python3.12")'
	$(PYTHON) -m venv .venv
	touch $@

.venv/app: .venv/python requirements.txt constraints.txt
	$(PIP_INSTALL) -r requirements.txt
	touch $@

.venv/dev: .venv/app requirements-dev.txt
	$(PIP_INSTALL) -r requirements-dev.txt
	touch $@

# BertViz asks for what it does not use (boto3 and more), so only what it does use comes with it.
.venv/bench: .venv/dev requirements-bench.txt
	$(PIP_INSTALL) -r requirements-bench.txt
	$(PIP_INSTALL) --no-deps bertviz
	touch $@

tests/benchmarks/node_modules/installed: .venv/dev $(addprefix tests/benchmarks/,package.json package-lock.json .npmrc)
	cd tests/benchmarks && $(WITH_NODE) npm ci --silent --ignore-scripts --no-audit --no-fund
	touch $@

node_modules/installed: .venv/dev package.json package-lock.json .npmrc
	$(WITH_NODE) npm ci --silent --ignore-scripts --no-audit --no-fund
	touch $@
