## --- tifinagh: run and score; the leaderboard stands in tifinagh_leaderboard.mk -------------------------------------

# Read before tifinagh_leaderboard.mk, which uses these names.
TIF_STUDY ?= studies/tifinagh.yaml
TIF_RUNS ?= results/tifinagh/runs
TIF_RESULTS := $(if $(OUT),$(OUT),results/tifinagh)
TIF_BUILD := $(if $(OUT),$(OUT)/.build,.build/tifinagh)
TIF_PACKAGE := $(shell find src/alifba/tifinagh src/alifba/stats src/alifba/report -type f \( -name '*.py' -o -path '*/data/*' \))
TIF_REPLIES = $(wildcard $(TIF_RUNS)/*/replies.jsonl $(TIF_RUNS)/*/verdicts.jsonl)

.PHONY: tifinagh tifinagh-runs tifinagh-judge tifinagh-smoke

tifinagh: $(TIF_BUILD)/20_scores ## Score the tifinagh runs, make their tables, and rank them. TIF_STUDY= TIF_RUNS= OUT=.
	@$(MAKE) --no-print-directory tifinagh-leaderboard

$(TIF_BUILD)/20_scores: notebooks/tifinagh/20_scores.ipynb $(TIF_STUDY) $(TIF_REPLIES) $(TIF_PACKAGE) \
    $(wildcard data/tifinagh/*/*) | $(VENV)/.paper
	$(BIN)/alifba notebook $< -p study="$(abspath $(TIF_STUDY))" -p runs="$(abspath $(TIF_RUNS))" \
	  -p out="$(if $(OUT),$(abspath $(OUT)))" --output "$(TIF_RESULTS)/notebooks/20_scores.ipynb"
	@mkdir -p $(@D) && touch $@

tifinagh-runs: $(VENV)/.local ## Ask every model of the tifinagh study what its run still lacks.
	$(BIN)/alifba tifinagh runs --study "$(TIF_STUDY)" --runs "$(TIF_RUNS)"

tifinagh-judge: $(VENV)/.paper ## Have the judge of the tifinagh study grade what exact rules leave open: MODEL=slug.
	$(BIN)/alifba tifinagh judge --model "$(MODEL)" --study "$(TIF_STUDY)" --runs "$(TIF_RUNS)"

tifinagh-smoke: $(VENV)/.paper ## Build the tifinagh smoke dictionary from CLDR again.
	$(BIN)/alifba tifinagh smoke
