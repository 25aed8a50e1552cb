# Every target sets up what it needs; nothing has to be installed by hand but Python 3.11+.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.ready

.DEFAULT_GOAL := help
.PHONY: help setup run test demo lint bench prove coverage man recording clean

help:
	@echo "make run    serve from this checkout (Ctrl-C stops it)"
	@echo "make demo   a one-minute tour with real output"
	@echo "make test   every test but the long ones"
	@echo "make lint   ruff, mypy --strict, import contracts"
	@echo "make prove  the long proofs: crashes, faults, floods"
	@echo "make coverage  which branches the tests reach"
	@echo "make bench  measure against floors, in ratios; TEXTS=locomo10.json adds peers"
	@echo "make man    write the manual pages anew, after a change of commands"
	@echo "make recording  record docs/terminal.svg anew"

setup: $(STAMP)

$(STAMP): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[onnx,dev]'
	@touch $(STAMP)

run: setup
	$(BIN)/reveried

test: setup
	$(BIN)/python -m pytest -n 2 --dist loadgroup

demo: setup
	$(BIN)/python tests/demo.py

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

# With TEXTS=locomo10.json its turns are what is remembered, and other memories are given the same work.
bench: setup
	$(BIN)/python -m bench
	$(BIN)/python -m bench.growth $(TEXTS:%=--texts %) --plot bench/growth.svg
	$(TEXTS:%=$(BIN)/python -m bench.peers --locomo %)

prove: setup
	$(BIN)/python -m pytest -n 0 --timeout 3600 tests/prove

man: setup
	$(BIN)/python docs/manual.py docs/man

recording: setup
	$(BIN)/python docs/recording.py docs/terminal.svg

# Tests of what a program loads would find the measuring itself.
UNMEASURED := --deselect tests/unit/cli/test_hook.py::test_nothing_heavy_is_loaded \
  --deselect tests/unit/cli/test_main.py::test_recall_loads_nothing_heavy \
  --deselect tests/unit/client/test_client.py::test_the_blocking_client_does_not_load \
  --deselect tests/integration/test_mcp.py::test_nothing_heavy_is_loaded_and_nothing_else_before_the_handshake

coverage: setup
	rm -rf .run/coverage && mkdir -p .run/coverage
	$(BIN)/coverage run -m pytest -n 0 --timeout 900 $(UNMEASURED)
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report --include '*/reveried/log/*,*/reveried/state/*,*/reveried/domain/*,*/reverie/protocol/*' --fail-under 95

clean:
	rm -rf $(VENV) .run dist build
