# hieratic: the pilot set, and what is drawn from its runs.

HIERATIC_FONT_PACKAGE := fonts-noto-core=20201225-1
HIERATIC_FONTS ?= .build/hieratic/fonts

.PHONY: hieratic-fonts hieratic-pilot

# The package is only unpacked, never installed. Elsewhere than on Debian or Ubuntu, give HIERATIC_FONTS= a folder that
# holds the same files; their sums are checked.
.build/hieratic/fonts/.unpacked:
	@command -v apt-get dpkg-deb > /dev/null || { echo "error: no apt-get or dpkg-deb here. Give HIERATIC_FONTS= a folder with the Noto fonts that src/alifba/hieratic/pilot/data/fonts.toml names"; exit 1; }
	@rm -rf .build/hieratic/fonts && mkdir -p .build/hieratic/fonts/package
	cd .build/hieratic/fonts/package && apt-get download $(HIERATIC_FONT_PACKAGE) && dpkg-deb -x *.deb .
	@mv .build/hieratic/fonts/package/usr/share/fonts/truetype/noto/*.ttf .build/hieratic/fonts
	@rm -r .build/hieratic/fonts/package && touch $@

hieratic-fonts: .build/hieratic/fonts/.unpacked ## Fetch the fonts of the hieratic pilot set (SIL Open Font License).

hieratic-pilot: $(VENV)/.dev $(if $(filter .build/%,$(HIERATIC_FONTS)),.build/hieratic/fonts/.unpacked) ## Draw the hieratic pilot set anew.
	$(BIN)/python -m alifba.hieratic.pilot "$(HIERATIC_FONTS)"

## --- hieratic: what is drawn from run files; only reads scored runs ----------------------------------------------------

HIERATIC_STUDY ?= studies/hieratic.yaml
DATA ?=
HIERATIC_RUNS ?= results/hieratic/runs
HIERATIC_RESULTS := $(if $(OUT),$(OUT),results/hieratic)
HIERATIC_BUILD := $(if $(OUT),$(OUT)/.build,.build)/hieratic
HIERATIC_PACKAGE := $(shell find src/alifba/hieratic src/alifba/stats src/alifba/report -type f \( -name '*.py' -o -path '*/data/*' \))

.PHONY: hieratic-example hieratic-leaderboard hieratic-gallery

hieratic-example: $(VENV)/.paper ## Run the fake models of the shipped hieratic example; answered files are left as they are.
	$(BIN)/python -m alifba.hieratic.pilot.example

hieratic-leaderboard: $(HIERATIC_BUILD)/30_leaderboard ## Tables and figures of the hieratic leaderboard. DATA=items HIERATIC_RUNS=folder OUT=folder.

hieratic_notebook = $(BIN)/alifba notebook $< -p study="$(HIERATIC_STUDY)" -p data="$(if $(DATA),$(abspath $(DATA)))" \
  -p runs="$(abspath $(HIERATIC_RUNS))" -p out="$(if $(OUT),$(abspath $(OUT)))" \
  --output "$(HIERATIC_RESULTS)/notebooks/$(notdir $<)"

$(HIERATIC_BUILD)/30_leaderboard: notebooks/hieratic/30_leaderboard.ipynb $(wildcard $(HIERATIC_RUNS)/*.jsonl) \
    $(HIERATIC_STUDY) $(HIERATIC_PACKAGE) $(wildcard $(or $(DATA),data/hieratic/pilot)/items/*.json) | $(VENV)/.paper
	$(hieratic_notebook)
	@mkdir -p $(@D) && touch $@

hieratic-gallery: notebooks/hieratic/40_gallery.ipynb | $(VENV)/.paper ## A page of hieratic images and answers, in results/hieratic/notebooks.
	$(hieratic_notebook)
