# hieratic: validate items, ask vision models, score their answers, keep the seal.
# DATA=folder of items, such as a checkout of the published ones; OUT=folder for everything that is written.

DATA ?=
ifneq ($(DATA),)
  # The runs of a published checkout lie beside its items, and nothing of ours is written over.
  HIERATIC_RUNS ?= $(firstword $(wildcard $(DATA)/results/runs $(DATA)/../results/runs) results/hieratic/runs)
  ifneq ($(filter hieratic%,$(MAKECMDGOALS)),)
    OUT := $(or $(OUT),.build/hieratic/$(notdir $(abspath $(DATA))))
  endif
endif
MODELS ?= fake-vision
RUN_OPTIONS ?=
HIERATIC_SCORES := $(if $(OUT),$(OUT)/.build/hieratic,.build/hieratic)/20_scores
HIERATIC_WHERE = --study "$(HIERATIC_STUDY)" $(if $(DATA),--data "$(DATA)")

.PHONY: hieratic hieratic-run hieratic-validate hieratic-scores hieratic-check

hieratic: hieratic-validate hieratic-scores hieratic-leaderboard hieratic-check ## Validate, score and rank hieratic runs, and check the seal. DATA=items HIERATIC_RUNS=folder OUT=folder.

hieratic-validate: | $(VENV)/.paper ## Check the items and run records against the protocol's rules.
	$(BIN)/alifba hieratic validate $(HIERATIC_WHERE) --results "$(patsubst %/,%,$(dir $(HIERATIC_RUNS)))"

hieratic-run: | $(VENV)/.paper ## Ask vision models: MODELS="key provider:id" RUN_OPTIONS="--limit 5 --dry-run".
	$(BIN)/alifba hieratic run $(HIERATIC_WHERE) $(foreach model,$(MODELS),--models "$(model)") $(RUN_OPTIONS)

hieratic-scores: $(HIERATIC_SCORES) ## Score every public answer anew: tables/scores.csv and rungs.csv.

$(HIERATIC_SCORES): notebooks/hieratic/20_scores.ipynb studies/hieratic.yaml \
    $(wildcard $(or $(HIERATIC_RUNS),results/hieratic/runs)/*.jsonl) \
    $(shell find src/alifba/hieratic src/alifba/text -name '*.py' -o -name '*.toml') \
    $(wildcard $(addsuffix /items/*.json,$(if $(DATA),$(DATA) $(DATA)/data,data/hieratic/pilot))) | $(VENV)/.paper
	$(hieratic_notebook)
	@mkdir -p $(@D) && touch $@

hieratic-check: | $(VENV)/.paper ## Fail if a file that git could commit, or any result, holds a sealed answer.
	$(BIN)/alifba hieratic check $(HIERATIC_WHERE)
