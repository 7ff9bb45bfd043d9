# Each target installs what it needs. A second run reinstalls only what changed.
PYTHON ?= python3
BIN := .venv/bin
# One stamp per set of packages. It is renewed when the project's requirements change.
BASE := .venv/.base
TRAIN := .venv/.train
DEV := .venv/.dev

SPINE := core store sandbox tasks policies.remote wire policies.scripted policies.text_chat policies.dialects \
	policies.render policies.template policies.special_tokens policies.template_messages \
	verifiers harness rollout audit

.PHONY: demo quickstart test suite test-fast test-slow test-authoring test-agents test-bridges test-cluster test-view check lint style types coverage docs build bench sandbox clean help

demo: $(BASE)  ## put a recorded workspace into verigym-demo and show it: no model, no PyTorch
	$(BIN)/verigym demo

quickstart: $(TRAIN) sandbox  ## run the whole cycle on the embedded model
	$(BIN)/verigym quickstart

test: sandbox style  ## run all checks and tests: 15 minutes on 2 cores
	@$(MAKE) --no-print-directory -j 2 types suite || { cat build/types.log; exit 1; }

# More processes than cores: a test often waits for a server or a process that it started.
suite: $(DEV)
	$(BIN)/python -m pytest -n 3 --dist loadfile --no-loadscope-reorder --ignore tests/authoring --ignore tests/third_party --ignore tests/browser

test-fast: $(DEV)  ## run the quick tests, without torch, content and commands: 90 seconds on 2 cores
	$(BIN)/python -m pytest --fast -n 2 --dist loadfile

test-slow: $(DEV) sandbox  ## run the long tests
	$(BIN)/python -m pytest -m slow

test-authoring: $(DEV) sandbox  ## generate the rows of every environment again and check them
	$(BIN)/pyright authoring tests/authoring
	$(BIN)/python -m pytest -n 2 --dist loadfile tests/authoring

test-agents: $(DEV) sandbox  ## run the tests that need packages of other projects, in environments of their own: 10 minutes
	$(BIN)/python -m tests.third_party.install agents
	$(BIN)/python -m pytest -n 2 --dist loadfile --ignore tests/third_party/bridges --ignore tests/third_party/trainers tests/third_party

test-bridges: $(DEV) sandbox  ## install every bridge and trainer, run their tests with the real packages, and write the table of docs/bridges.md: an hour
	VERIGYM_BRIDGES=$(CURDIR)/.bridges $(BIN)/verigym bridges install all
	$(BIN)/python -m tests.third_party.install trainers
	VERIGYM_BRIDGES=$(CURDIR)/.bridges $(BIN)/python -m pytest -n 2 --dist loadfile tests/environments/bridges tests/third_party/bridges \
		tests/third_party/trainers tests/third_party/test_nemogym.py
	VERIGYM_BRIDGES=$(CURDIR)/.bridges $(BIN)/python bench/bridge_table.py --out docs/bridges.md

test-cluster: $(DEV)  ## install Ray, vLLM for the CPU and PostgreSQL, and run the tests with many processes and servers
	@ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || command -v initdb >/dev/null || \
		{ test "$$(id -u)" = 0 && as= || as="sudo -n"; \
		$$as apt-get install -y postgresql </dev/null >/dev/null 2>&1; } || \
		{ echo "PostgreSQL is not installed. Install it as root: apt-get install postgresql"; exit 1; }
	$(BIN)/python -m tests.third_party.install s3
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev,ray]'
	VERIGYM_VLLM_PYTHON="$$($(BIN)/python -m tests.cluster.install)" $(BIN)/python -m pytest -m cluster

test-view: $(DEV)  ## open every page of the view in Chromium: accessibility, hostile text, keys, screenshots: 10 minutes
	@command -v chromium >/dev/null || { test "$$(id -u)" = 0 && as= || as="sudo -n"; \
		$$as apt-get install -y chromium </dev/null >/dev/null 2>&1; } || \
		echo "Chromium is not installed. Install it as root: apt-get install chromium"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev,browser]'
	@mkdir -p build
	test -f build/axe.min.js || (cd build && npm pack --silent axe-core@4.14.0 >/dev/null && \
		tar -xzf axe-core-4.14.0.tgz package/axe.min.js && mv package/axe.min.js . && rm -r package axe-core-4.14.0.tgz)
	$(BIN)/python -m pytest tests/browser

coverage: $(DEV) sandbox  ## measure test coverage of the rollout path (at least 95% of its lines)
	$(BIN)/python -m pytest tests/core tests/store tests/sandbox tests/tasks tests/policies tests/verifiers tests/harness \
		tests/environments tests/rollout tests/audit tests/cli $(SPINE:%=--cov verigym.%) --cov-fail-under 95

check: lint  ## check format, lint, types, docs and layers
	$(BIN)/python -m pytest -n 2 tests/docs

lint: style types  ## check format, lint and types

style: $(DEV)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: $(DEV)
	@mkdir -p build
	NODE_OPTIONS=--max-old-space-size=8192 $(BIN)/pyright >build/types.log; \
		status=$$?; cat build/types.log; exit $$status  # with less memory it forgets what it knows, and takes 3 times as long

docs: $(DEV)  ## build the documentation site, llms.txt and llms-full.txt into site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --quiet
	@echo "Open site/index.html in a browser."

build: $(DEV)  ## build the wheel and the sdist into dist/
	rm -rf dist && mkdir dist
	$(BIN)/python -c "from setuptools import build_meta as build; build.build_sdist('dist'); build.build_wheel('dist')"
	@ls -l dist

bench: $(DEV) sandbox  ## measure every figure that this machine can, into docs/benchmarks.json
	$(BIN)/python bench/all.py

sandbox:  ## install bubblewrap if that needs no password, else print what to do
	@test "$$(id -u)" = 0 && as= || as="sudo -n"; \
	for how in "apt-get install -y bubblewrap" "apt-get update" "apt-get install -y bubblewrap" \
		"dnf install -y bubblewrap" "pacman -S --noconfirm bubblewrap" "apk add -U bubblewrap setpriv"; do \
		command -v bwrap >/dev/null || ! command -v $${how%% *} >/dev/null || $$as $$how </dev/null >/dev/null 2>&1; \
	done; \
	command -v bwrap >/dev/null || echo "bubblewrap is not installed. Code in tasks runs WITHOUT A SANDBOX." \
		"Install it as root: apt-get install bubblewrap (the package has the same name in dnf, pacman and apk; see docs/how-to/sandbox.md)"

clean:  ## delete everything that the other targets made
	rm -rf .venv .third-party .bridges .verigym .pytest_cache .ruff_cache .hypothesis build dist site *.egg-info

help:  ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 20

$(BIN)/python:
	$(PYTHON) -c 'import sys; assert sys.version_info >= (3, 11), "verigym needs Python 3.11 or newer"'
	$(PYTHON) -m venv .venv

$(BASE): pyproject.toml constraints.txt | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e .
	touch $@

$(TRAIN): pyproject.toml constraints.txt | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[train,serve]'
	touch $@ $(BASE)

$(DEV): pyproject.toml constraints.txt | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	touch $@ $(TRAIN) $(BASE)
