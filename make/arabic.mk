# arabic: what people scored, published. Nothing here makes a number: people do, with `make annotate TASK=score`.

ARABIC_PROJECT ?= data/arabic/project.yaml
ARABIC_LOGS = $(shell find data/raw/arabic -name '*.jsonl' 2>/dev/null)
ARABIC_CODE = $(shell find src/alifba/arabic -type f ! -name '*.pyc' 2>/dev/null)

.PHONY: arabic arabic-missing

arabic: .build/arabic/published ## Publish the Arabic scores: scores.json, scores.csv, pages, transcripts, tables.

.build/arabic/published: $(ARABIC_PROJECT) data/arabic/items.yaml $(ARABIC_LOGS) $(ARABIC_CODE) notebooks/arabic/20_scores.ipynb | $(VENV)/.paper
	$(BIN)/alifba arabic publish --project "$(ARABIC_PROJECT)"
	$(BIN)/alifba notebook notebooks/arabic/20_scores.ipynb -p project="$(abspath $(ARABIC_PROJECT))" --output results/arabic/notebooks/20_scores.ipynb
	@mkdir -p $(@D) && touch $@

arabic-missing: $(VENV)/.paper ## Say what each Arabic score waits for.
	@$(BIN)/alifba arabic missing --project "$(ARABIC_PROJECT)"
