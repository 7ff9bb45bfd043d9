# Every target makes what it needs; a second run reinstalls only what changed.
PYTHON ?= python3
BIN := .venv/bin
# A stamp a set of packages: remade when the project's requirements change.
TRAIN := .venv/.train
DEV := .venv/.dev

SPINE := core store sandbox tasks policies.remote policies.openai policies.scripted policies.plain policies.dialects \
	policies.render policies.template policies.literals policies.conversation \
	verifiers harness rollout audit

.PHONY: coverage quickstart test test-slow check docs bench sandbox clean

quickstart: $(TRAIN) sandbox  ## the whole ring on the embedded model
	$(BIN)/verigym quickstart

test: sandbox check  ## everything, in under 15 minutes on two cores
	$(BIN)/python -m pytest -n 2 --dist loadfile --ignore tests/docs

test-slow: $(DEV) sandbox  ## the longer tests
	$(BIN)/python -m pytest -m slow

coverage: $(DEV) sandbox  ## at least 95% of the lines that rollouts stand on
	$(BIN)/python -m pytest tests/core tests/store tests/sandbox tests/tasks tests/policies tests/verifiers tests/harness \
		tests/environments tests/rollout tests/audit tests/cli $(SPINE:%=--cov verigym.%) --cov-fail-under 95

check: $(DEV)  ## format, lint, types, docs and layers
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/pyright
	$(BIN)/python -m pytest tests/docs

docs: $(DEV)  ## the documentation as a site with search, into site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --quiet
	@echo "Open site/index.html in a browser."

bench: $(DEV) sandbox  ## every figure that this machine can measure, into docs/benchmarks.json
	$(BIN)/python bench/all.py

sandbox:  ## bubblewrap, where it can be installed without a password; where not, says what to do and goes on
	@test "$$(id -u)" = 0 && as= || as="sudo -n"; \
	for how in "apt-get install -y bubblewrap" "apt-get update" "apt-get install -y bubblewrap" \
		"dnf install -y bubblewrap" "pacman -S --noconfirm bubblewrap" "apk add -U bubblewrap setpriv"; do \
		command -v bwrap >/dev/null || ! command -v $${how%% *} >/dev/null || $$as $$how </dev/null >/dev/null 2>&1; \
	done; \
	command -v bwrap >/dev/null || echo "bubblewrap is not installed: code of tasks runs WITHOUT A SANDBOX. As root:" \
		"apt-get install bubblewrap (dnf, pacman and apk name it so too; see docs/how-to/sandbox.md)"

clean:
	rm -rf .venv .verigym .pytest_cache .ruff_cache .hypothesis build *.egg-info

$(BIN)/python:
	$(PYTHON) -c 'import sys; assert sys.version_info >= (3, 11), "verigym needs Python 3.11 or newer"'
	$(PYTHON) -m venv .venv

$(TRAIN): pyproject.toml constraints.txt | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[train]'
	touch $@

$(DEV): pyproject.toml constraints.txt | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	touch $@ $(TRAIN)
