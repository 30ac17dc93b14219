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
