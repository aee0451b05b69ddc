# make run and make test install what they miss; see tools/setup.sh.
SHELL := /bin/bash
.DEFAULT_GOAL := help

BIN := .venv/bin
PYTEST := $(BIN)/python -m pytest
# NO_BROWSER=1 leaves out the tests that drive Chromium.
QUICK := not long$(if $(NO_BROWSER), and not browser)
# Processes that share the suite, a file to each at a time.
WORKERS ?= 2
PYTHON_PATHS := mineru_core benchmarks tools tests pages app.py asgi.py

.PHONY: help run run-mineru test test-long lint types layers sizes format check

help:  ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

run:  ## install what is missing, start UI and HTTP on http://127.0.0.1:8501
	@tools/setup.sh run
	@exec $(BIN)/mineru-workbench serve $(ARGS)

run-mineru:  ## the same with the MinerU model's packages (torch)
	@tools/setup.sh mineru
	@exec $(BIN)/mineru-workbench serve $(ARGS)

# The suite starts Python some hundred times. What it has compiled is kept, in .venv, also where the environment says that
# none is to be written beside the sources: compiling takes longer than the starts do besides.
test test-long: export PYTHONDONTWRITEBYTECODE :=
test test-long: export PYTHONPYCACHEPREFIX := $(CURDIR)/.venv/pycache

test:  ## install what is missing, run the suite
	@tools/setup.sh test
	@$(PYTEST) -m "$(QUICK)" -n $(WORKERS) --dist loadfile $(ARGS)

test-long:  ## kills, loads, fuzzing, the wheel: minutes to hours, by hand
	@tools/setup.sh test
	@$(PYTEST) -m long --timeout=3600 $(ARGS)

lint:  ## ruff: rules and format
	@tools/setup.sh dev
	@$(BIN)/ruff check $(PYTHON_PATHS)
	@$(BIN)/ruff format --check $(PYTHON_PATHS)

types:  ## mypy --strict
	@tools/setup.sh dev
	@$(BIN)/mypy
	@$(BIN)/mypy tools pages app.py asgi.py

layers:  ## which layer may import which
	@tools/setup.sh dev
	@$(BIN)/lint-imports --no-logo

sizes:  ## no file over 400 lines, no function over 60
	@tools/setup.sh dev
	@$(BIN)/python tools/check_sizes.py

check: lint types layers sizes  ## all of the above

format:  ## rewrite in the house's format
	@tools/setup.sh dev
	@$(BIN)/ruff check --fix --quiet $(PYTHON_PATHS) || true
	@$(BIN)/ruff format $(PYTHON_PATHS)
