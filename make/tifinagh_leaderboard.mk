## --- tifinagh: ranking, figures and the page; only reads scored runs --------------------------------------------------

# TIF_RUNS, TIF_RESULTS, TIF_BUILD and TIF_PACKAGE stand in tifinagh.mk.
TIF_SCORED = $(wildcard $(TIF_RUNS)/*/run.json $(TIF_RUNS)/*/summary.json $(TIF_RUNS)/*/items.jsonl)
TIF_FIGURES := $(if $(OUT),$(OUT)/figures,figures/tifinagh)

# As for the other stamps: where a file of the step was deleted by hand, it is done again.
$(shell test ! -e $(TIF_BUILD)/30_leaderboard || xargs ls < $(TIF_BUILD)/30_leaderboard > /dev/null 2>&1 || rm $(TIF_BUILD)/30_leaderboard)

.PHONY: tifinagh-leaderboard

tifinagh-leaderboard: $(TIF_BUILD)/30_leaderboard ## Rank the scored tifinagh runs: tables, figures, English and French page.

$(TIF_BUILD)/30_leaderboard: notebooks/tifinagh/30_leaderboard.ipynb $(TIF_SCORED) $(TIF_PACKAGE) | $(VENV)/.paper
	$(BIN)/alifba notebook $< -p runs="$(abspath $(TIF_RUNS))" -p out="$(if $(OUT),$(abspath $(OUT)))" \
	  --output "$(TIF_RESULTS)/notebooks/30_leaderboard.ipynb"
	@mkdir -p $(@D) && find $(TIF_RESULTS)/leaderboard $(TIF_FIGURES) -type f ! -name '*.part' > $@
