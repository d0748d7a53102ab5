# Each target sets up what is missing, then runs one command of the program `autograder`, which can
# be called directly where there is no make.

BIN := .venv/bin
INSTALLED := .venv/.installed
PYODIDE := cache/pyodide/pyodide.mjs
# The tests are most of what there are types in; `make lint`, which `make quick` begins with, looks at them.
INSTALLS := autograder companion tools
# uv leaves compiling to the first import, and where Python may not keep what it compiles, as in many
# containers, each of the processes that grade and test would take seconds for PyTorch.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help setup build site lite lab demo teach lesson quick style lint test test-pyodide test-all bench clean

help: ## Print this list
	@sed -n 's/^\([a-z-]*\):.*## /  make \1	/p' Makefile | expand -t 21

setup: $(INSTALLED) ## Make .venv with everything in it; a second time takes no time
	@tools/system-packages bubblewrap || true
	@tools/system-packages chromium || true

build: $(INSTALLED) ## Make what has changed of the notebooks and of the tables in docs/
	@$(BIN)/autograder build

site: $(INSTALLED) ## Make pages of the lessons and documents, in build/site
	@$(BIN)/autograder site

lite: $(INSTALLED) $(PYODIDE) ## Make lite/, lessons that run in a browser with nothing installed
	@$(BIN)/autograder lite

lab: $(INSTALLED) ## Open the lessons in JupyterLab, in a work folder of your own
	@$(BIN)/autograder lab

demo: $(INSTALLED) ## Grade a simulated class of one lesson, down to a table of scores
	@tools/system-packages bubblewrap
	@$(BIN)/autograder demo

teach: $(INSTALLED) ## Open the course in JupyterLab, with nbgrader's formgrader open in it
	@tools/system-packages bubblewrap || true
	@$(BIN)/autograder teach

lesson: $(INSTALLED) ## Build one lesson, run it solved and empty, try its exams: make lesson L=05
	@OMP_NUM_THREADS=1 $(BIN)/python -m tools.quick --lesson $(L)

quick: $(INSTALLED) ## Lint, build and test all that could notice what differs from the main branch
	@OMP_NUM_THREADS=1 $(BIN)/python -m tools.quick

style: $(INSTALLED) ## Check style
	$(BIN)/ruff check
	$(BIN)/ruff format --check

lint: style ## Check style and types
	$(BIN)/mypy

test: style ## Check style and types, run all tests
	@tools/system-packages bubblewrap
	@tools/system-packages chromium
	@tools/system-packages postgresql
	@$(MAKE) -s $(PYODIDE) || echo "Without Pyodide, no lesson is tried in a browser."
	@$(BIN)/python -m compileall -q autograder companion solutions tests/support # or each process does
	@echo "Checking types, and finding the tests"
	@OMP_NUM_THREADS=1 $(BIN)/pytest -q --collect-only >/dev/null & $(BIN)/mypy $(INSTALLS); held=$$?; wait; exit $$held
	OMP_NUM_THREADS=1 $(BIN)/pytest -n 4 --dist loadscope --no-loadscope-reorder

test-pyodide: $(INSTALLED) $(PYODIDE) ## Try the checks in Pyodide, the Python of browsers
	@tools/system-packages node
	$(BIN)/pytest tests/whole/test_checks_alone.py tests/whole/test_in_the_browser.py

test-all: export AUTOGRADER_ALL := 1
test-all: export AUTOGRADER_RESUMES := 1
test-all: export OMP_NUM_THREADS := 1
test-all: lint ## Try everything, for hours: every proof, processor, style, moment of a kill
	@tools/system-packages bubblewrap
	@tools/system-packages chromium
	@tools/system-packages postgresql
	$(BIN)/pytest -n 2 --dist loadscope --no-loadscope-reorder
	AUTOGRADER_ATTACKS_BY=workers $(BIN)/pytest -n 2 tests/whole/test_attacks.py
	AUTOGRADER_ATTACKS_BY=scheduler $(BIN)/pytest -n 2 tests/whole/test_attacks.py
	@rm -rf artefacts/passed

bench: $(INSTALLED) ## Measure how long people wait, in ten minutes; name what takes longer than before
	@tools/system-packages bubblewrap
	@OMP_NUM_THREADS=1 $(BIN)/python benchmarks/waiting.py

clean: ## Remove what build, demo and test made; .venv, work/, edits and all grades stay
	@[ ! -x $(BIN)/python ] || $(BIN)/python tools/remove_built.py
	rm -rf demo artefacts build lite *.egg-info .build.json .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -not -path './.venv/*' -prune -exec rm -rf {} +

$(INSTALLED): pyproject.toml constraints.txt
	@tools/set-up

$(PYODIDE): tools/fetch_pyodide.py tools/pyodide.txt | $(INSTALLED)
	@$(BIN)/python -m tools.fetch_pyodide
