# Every target sets up what it needs; nothing has to be installed by hand but Python 3.11+.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.ready

.DEFAULT_GOAL := help
.PHONY: help setup run test demo lint bench prove man recording clean

help:
	@echo "make run    serve from this checkout (Ctrl-C stops it)"
	@echo "make demo   a one-minute tour with real output"
	@echo "make test   every test but the long ones"
	@echo "make lint   ruff, mypy --strict, import contracts"
	@echo "make prove  the long proofs: crashes, faults, floods"
	@echo "make bench  measure against floors, in ratios"
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

bench: setup
	$(BIN)/python -m bench

prove: setup
	$(BIN)/python -m pytest -n 0 --timeout 3600 tests/prove

man: setup
	$(BIN)/python docs/manual.py docs/man

recording: setup
	$(BIN)/python docs/recording.py docs/terminal.svg

clean:
	rm -rf $(VENV) .run dist build
