PORT ?= 8501
HOST ?= 127.0.0.1
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

# TensorFlow's CUDA libraries (2 GB) are worth their download only where an NVIDIA driver answers.
CUDA := $(shell nvidia-smi -L >/dev/null 2>&1 && echo cuda || echo cpu)
INSTALLED := $(VENV)/.installed-$(CUDA)

.DEFAULT_GOAL := help
.PHONY: help run test format clean

help:  ## List the targets
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 10

run: $(INSTALLED)  ## Install what is missing and start the dashboard (PORT=8501, HOST=127.0.0.1)
	@$(BIN)/python -m tfcore.launch --host "$(HOST)" --port "$(PORT)"

test: $(VENV)/.installed-dev  ## Install what is missing and run every check and test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest $(PYTEST_ARGS)

format: $(VENV)/.installed-dev  ## Put the code into the project's format
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:  ## Remove the installation and all caches
	rm -rf $(VENV) .cache .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' || { \
	  echo "TensorFlow 2.21 needs Python 3.11, 3.12 or 3.13; $(PYTHON) is `$(PYTHON) --version 2>&1`." >&2; \
	  echo "Name another one: make run PYTHON=python3.12" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(INSTALLED): requirements.txt | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --requirement requirements.txt
	@if [ $(CUDA) = cuda ]; then $(BIN)/python -m pip install --quiet "$$(sed -n 's/^tensorflow~/tensorflow[and-cuda]~/p' requirements.txt)"; fi
	@touch $@

$(VENV)/.installed-dev: requirements-dev.txt $(INSTALLED)
	$(BIN)/python -m pip install --quiet --requirement requirements-dev.txt
	@touch $@
