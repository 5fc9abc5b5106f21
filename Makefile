# Each target first sets up what is missing, and is quick when nothing is.
# PYTHON: what the virtual environment is made with (3.11 or newer); to change it later, delete .venv.

PYTHON ?= python3
PY := .venv/bin/python
# Where an environment says so, each of hundreds of processes would compile all that it imports.
unexport PYTHONDONTWRITEBYTECODE
# One worker more than there are processors: a third of a test of Spark, of a notebook or of a browser is waiting.
PYTEST := $(PY) -m pytest --numprocesses $(shell expr $$(nproc) + 1)
# Tests of Spark share a worker, and so do those of the browser, and the quick ones of a file: tests/conftest.py.
GROUPED := $(PYTEST) --dist loadgroup --no-loadscope-reorder
# Types are checked by one process, for most of a minute where nothing is kept: tests run beside it.
BESIDE_LINT := $(MAKE) --no-print-directory --jobs 2 lint

.DELETE_ON_ERROR:
.PHONY: check lint quick test chosen everything every lab site mutants bench

# The configurations need neither Java nor Graphviz: without them the check goes on. One of them runs on Spark too.
check: .venv/warm
	@scripts/need.sh dot || echo "make check goes on without"
	$(PY) -m workbench check specs
	@if scripts/need.sh java; then \
		echo "On Spark:" && $(PY) -m workbench check specs/bakery/documented_v1.toml --engine spark; \
	else echo "make check goes on without Spark"; fi

lint: .venv/installed
	$(PY) -m ruff check
	$(PY) -m ruff format --check
	.venv/bin/lint-imports --no-logo --no-cache
	$(PY) -m mypy

# The quick tests have no groups: each worker begins with a third of them, as they stand, and takes from the others at
# the end, so that one worker makes what neighbours share.
quick: .venv/warm lint
	@scripts/need.sh dot
	$(PYTEST) --dist worksteal -m "not slow and not spark and not browser and not writers"

test: .venv/spark .venv/site .writers/installed
	@scripts/need.sh dot browser driver
	@scripts/need.sh postgresql || echo "make test goes on without"
	@$(BESIDE_LINT) chosen

chosen:
	$(GROUPED) --chosen

# As `make test`, and of products, such as every configuration by every engine, all members: tests/products.py.
everything: .venv/spark .venv/site .writers/installed
	@scripts/need.sh dot browser driver
	@scripts/need.sh postgresql || echo "make everything goes on without"
	@$(BESIDE_LINT) every

every:
	$(GROUPED)

# LAB_FLAGS: passed on to JupyterLab, such as --no-browser.
lab: .venv/spark
	@scripts/need.sh dot
	$(PY) -m jupyter lab $(LAB_FLAGS) notebooks

# The guides, the reference, the notebooks as they are saved, and a gallery of what breaks: build/site/index.html.
site: .venv/warm .venv/site
	@scripts/need.sh dot
	$(PY) -m website build/site

# Every small mistake in a model is to be noticed by a configuration, and in the package, where this tries some, by a test.
# Those that change nothing are listed, with reasons.
mutants: .venv/warm
	$(PY) scripts/mutants.py
	$(PY) scripts/package_mutants.py --sample 60

# ONLY: sections to measure, of those in scripts/bench. AGAINST: a commit to compare large searches with, instead;
# SLOWER: by how many percent more of CPU time that fails.
# TEXTS: for the section tla, the folder with published modules.
bench: .venv/warm
	PYTHONPATH=scripts $(PY) -m bench $(addprefix --only ,$(ONLY)) $(if $(AGAINST),--against $(AGAINST)) $(if $(SLOWER),--slower $(SLOWER)) $(if $(TEXTS),--texts $(TEXTS))

.venv/installed: pyproject.toml scripts/install.sh scripts/pip.sh
	@scripts/install.sh "$(PYTHON)"
	@touch $@

.venv/site: .venv/installed
	@echo "Installing Python packages into .venv that build the site: half a minute, the first time"
	@scripts/pip.sh $(PY) --editable '.[dev,site]'
	@touch $@

.writers/installed: scripts/writers.sh scripts/pip.sh
	@scripts/writers.sh "$(PYTHON)"
	@touch $@

# Numba keeps what it compiled beside these modules, and compiles anew what has changed.
.venv/warm: .venv/installed $(shell find workbench/checking -name "*.py")
	@$(PY) -m workbench.checking.warm
	@touch $@

# Kernels for searches on Spark, and an archive of Spark's classes, with which Java starts sooner.
.venv/spark: .venv/installed | .venv/warm
	@scripts/need.sh java
	@$(PY) -m workbench.checking.warm --spark
	@touch $@
