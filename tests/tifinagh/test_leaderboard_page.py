"""The leaderboard page as a file: the same numbers in both languages, nothing from elsewhere, empty is never 0."""

from __future__ import annotations

import itertools
import re
from html.parser import HTMLParser
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st
from leaderboard_kit import HIGHER, LETTERS, LOWER, write_run, write_season

from alifba.stats.ranking import Score
from alifba.text.resources import load_toml
from alifba.tifinagh.leaderboard import Axis, render, write_pages
from alifba.tifinagh.power import power_table
from alifba.tifinagh.ranking import HEADLINES, board, read_runs
from alifba.tifinagh.records import DIALECTS
from alifba.tifinagh.wording import languages

ENGLISH, FRENCH = languages()
VOID = {"meta", "link", "br", "rect", "path", "circle", "input", "img"}
# A number as each language writes it: 1,740 and 26.0; 1 740 (narrow no-break space) and 26,0.
NUMBERS = {"en": r"−?\d+(?:,\d{3})*(?:\.\d+)?", "fr": r"−?\d+(?:\u202f\d{3})*(?:,\d+)?"}


class Reader(HTMLParser):
    """Visible text, names of models and settings, tables and headings of a page; refuses unbalanced tags."""

    def __init__(self, page):
        super().__init__()
        self.stack, self.text, self.names, self.tables, self.tags, self.lang = [], [], [], [], [], ""
        self.feed(page)
        assert self.stack == []

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.tags.append((tag, attributes))
        if tag == "html":
            self.lang = attributes["lang"]
        if tag == "table":
            self.tables.append([])
        if tag == "tr":
            self.tables[-1].append([])
        if tag in ("td", "th"):
            self.tables[-1][-1].append("")
        if tag not in VOID:
            self.stack.append((tag, attributes))

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.stack.pop()[0] == tag

    def handle_data(self, data):
        open_tags = {tag for tag, _ in self.stack}
        if open_tags & {"style", "title"}:
            return
        if any("translate" in attributes for _, attributes in self.stack):
            self.names.append(data)
        elif "html" in open_tags:
            self.text.append(data)
        if open_tags & {"td", "th"}:
            self.tables[-1][-1][-1] += data

    @property
    def numbers(self):
        found = re.findall(NUMBERS[self.lang], " ".join(self.text))
        marks = str.maketrans({",": "" if self.lang == "en" else ".", "\u202f": ""})
        return [float(number.translate(marks).replace("−", "-")) for number in found]


def pages_of(folder):
    runs = read_runs(folder)
    boards = [board(runs, name) for name in HEADLINES]
    return {language.code: page for language, page in render(boards, runs, power_table(boards)).items()}


@pytest.fixture(scope="module")
def season(tmp_path_factory):
    return pages_of(write_season(tmp_path_factory.mktemp("season")))


@pytest.fixture(scope="module")
def unjudged(tmp_path_factory):
    folder, waiting = tmp_path_factory.mktemp("unjudged"), {(dialect, "tif-to-en"): "judge" for dialect in DIALECTS}
    for slug, cells in (("one", LOWER | LETTERS), ("two", HIGHER | LETTERS)):
        write_run(folder, slug, cells, judge=None, waiting=waiting, label="smoke: not comparable")
    return pages_of(folder)


@pytest.mark.parametrize("which", ["season", "unjudged"])
def test_both_languages_show_the_same_numbers_in_the_same_order(request, which):
    pages = request.getfixturevalue(which)
    english, french = Reader(pages["en"]), Reader(pages["fr"])
    assert len(english.numbers) > 150
    assert english.numbers == french.numbers
    assert english.names == french.names
    assert [len(table) for table in english.tables] == [len(table) for table in french.tables]


def test_the_numbers_are_those_of_the_worked_example(season):
    english, french = (" ".join("".join(Reader(season[code]).text).split()) for code in ("en", "fr"))
    # Spec: 26.0, 24.0470 to 27.9530, and 1.96 * 0.996438 = 1.953; script 84.0 and 1.96 * 1.30094 = 2.550.
    for shown in ("26.0 ± 2.0", "24.0 to 28.0", "84.0 ± 2.5"):
        assert shown in english
    for shown in ("26,0 ± 2,0", "24,0 à 28,0", "84,0 ± 2,5"):
        assert shown in french


def test_two_languages_have_the_same_words_with_the_same_places():
    assert ENGLISH.words.keys() == FRENCH.words.keys()
    for key, text in ENGLISH.words.items():
        assert set(re.findall(r"{(\w+)}", text)) == set(re.findall(r"{(\w+)}", FRENCH.words[key])), key


def test_a_score_that_waits_says_so_and_is_never_0(season, unjudged):
    rows = {tuple(row[:2]): row for table in Reader(season["en"]).tables for row in table if len(row) == 6}
    waiting = rows["Fictional epsilon", "TifinaghBench score"]
    assert waiting[2:4] == ["awaiting judge", "\nanswers that wait for the judge: 510".strip()]
    tables = Reader(unjudged["en"]).tables
    states = [row[2] for table in tables for row in table if len(row) == 6 and row[1] == "TifinaghBench score"]
    assert states == ["no judge", "no judge"]
    cells = [row for table in tables for row in table if len(row) == 11 and row[1] == "Tifinagh to English"]
    assert len(cells) == 6
    assert all(row[2:4] == ["no judge", "no judge"] for row in cells)


def test_where_nobody_judges_the_page_says_so_and_shows_the_script_score(unjudged):
    english, french = ("".join(Reader(unjudged[code]).text) for code in ("en", "fr"))
    assert "No run has this score yet" in english
    assert "Nobody judges here" in english
    assert "Personne ne juge ici" in french
    assert "84.0 ± 2.5" in english.replace("\u00a0", " ")
    assert "smoke: not comparable" in english
    assert "essai technique\u00a0: non comparable" in french


def test_nothing_is_loaded_from_elsewhere_and_no_script_runs(season):
    for page in season.values():
        assert "http" not in page.lower()
        assert not re.search(r"<script|<link rel=\"stylesheet|@import|url\((?!#frieze)", page)


def test_the_page_is_built_for_a_screen_reader(season):
    for code, page in season.items():
        read = Reader(page)
        assert read.lang == code
        assert [tag for tag, _ in read.tags if tag in ("h1", "main", "header", "footer", "nav")].count("h1") == 1
        levels = [int(tag[1]) for tag, _ in read.tags if re.fullmatch("h[1-6]", tag)]
        assert all(after <= before + 1 for before, after in itertools.pairwise(levels))
        assert all(
            attributes.get("scope") in ("col", "row", "rowgroup") for tag, attributes in read.tags if tag == "th"
        )
        ids = [attributes["id"] for _, attributes in read.tags if "id" in attributes]
        assert len(ids) == len(set(ids))
        named = [attributes["aria-labelledby"] for _, attributes in read.tags if "aria-labelledby" in attributes]
        assert set(named) <= set(ids)
        assert all(attributes.get("aria-hidden") == "true" for tag, attributes in read.tags if tag == "svg")
        switch = [attributes for tag, attributes in read.tags if tag == "a" and "hreflang" in attributes]
        assert [(link["href"], link["lang"]) for link in switch] == [
            ("leaderboard.en.html", "en"), ("leaderboard.fr.html", "fr"),
        ]  # fmt: skip
        assert [link["lang"] for link in switch if "aria-current" in link] == [code]


def test_tifinagh_is_marked_as_tifinagh_and_its_fonts_are_named(season):
    for page in season.values():
        for letters in re.finditer("[\u2d30-\u2d7f]+", page):
            assert 'lang="zgh-Tfng"' in page[: letters.start()].rsplit("<", 1)[1]
        assert "font-family: 'Noto Sans Tifinagh', 'Ebrima'" in page
        assert "Noto Sans Tifinagh, Ebrima" in page


def test_a_painted_band_stands_between_tiers_and_nowhere_else(season):
    # Three tiers in either ranking: two bands each.
    assert season["en"].count('class="band"') == 4
    assert season["en"].count('<tr class="tier">') == 6


def test_what_a_run_calls_itself_is_text(tmp_path):
    folder = write_run(tmp_path, "x", LOWER | LETTERS, judge="<script>alert(1)</script>{{ 7 * 7 }}")
    for name in ("run.json", "summary.json"):
        path = folder / name
        path.write_text(path.read_text(encoding="utf-8").replace("Fictional x", "<b>bold</b> & co"), encoding="utf-8")
    page = pages_of(tmp_path)["fr"]
    assert "<script" not in page
    assert "&lt;b&gt;bold&lt;/b&gt; &amp; co" in page
    assert "{{ 7 * 7 }}" in page


def test_the_same_runs_are_the_same_bytes(season, tmp_path):
    runs = read_runs(write_season(tmp_path / "runs"))
    boards = [board(runs, name) for name in HEADLINES]
    written = write_pages(boards, runs, power_table(boards), tmp_path)
    assert [path.name for path in written] == ["leaderboard.en.html", "leaderboard.fr.html"]
    assert [path.read_text(encoding="utf-8") for path in written] == list(season.values())


@pytest.mark.parametrize(
    ("value", "digits", "english", "french"),
    [
        (0.05, 1, "0.1", "0,1"), (2.5, 0, "3", "3"), (-1.25, 1, "−1.3", "−1,3"), (-0.04, 1, "0.0", "0,0"),
        (13000, 0, "13,000", "13\u202f000"), (None, 1, "undefined", "non défini"),
        (float("nan"), 1, "undefined", "non défini"),
    ],
)  # fmt: skip
def test_numbers_in_each_language(value, digits, english, french):
    assert ENGLISH.number(value, digits) == english
    assert FRENCH.number(value, digits) == french


def test_settings_in_words():
    assert ENGLISH.setting("judge", None) == "none"
    assert FRENCH.setting("sample", None) == "tous"
    assert FRENCH.setting("dialects", ["ircam", "kabyle"]) == "Amazighe standard marocain (IRCAM), Kabyle"
    assert "abcdefabcdef<" in ENGLISH.setting("dictionaries.kabyle", "abcdef" * 5)
    assert ENGLISH.field("dictionaries.kabyle") == "Dictionaries (Kabyle)"


@given(st.lists(st.builds(Score, st.floats(0, 100), st.floats(0, 4)), max_size=4))
def test_bars_stay_on_their_axis(scores):
    axis = Axis.around(scores)
    assert 0 <= axis.low < axis.high <= 100
    for score in scores:
        assert axis.low <= score.value <= axis.high
        ends = [axis.at(points) for points in (score.low, score.value, score.high)]
        assert 0 <= ends[0] <= ends[1] <= ends[2] <= 100


SHEET = (files("alifba.tifinagh") / "data" / "leaderboard.css").read_text(encoding="utf-8")
LIGHT, DARK = (dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", block)) for block in SHEET.split(":root {")[1:3])


def contrast(one, other):
    """Contrast ratio, https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio."""
    light = []
    for colour in (one, other):
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        parts = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        light.append(0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2] + 0.05)
    return max(light) / min(light)


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_colours_can_be_read_in_light_and_in_dark(colours):
    # WCAG 2.2: 4.5 for text (1.4.3), 3 for what a drawing needs to be understood (1.4.11).
    assert contrast("#767676", "#ffffff") > 4.5 > contrast("#777777", "#ffffff")
    for text in ("text", "quiet", "main"):
        assert min(contrast(colours[text], colours[ground]) for ground in ("page", "card")) >= 4.5, text
    assert contrast(colours["warn"], colours["warn-page"]) >= 4.5
    assert contrast(colours["bar"], colours["card"]) >= 3
    assert contrast(colours["ochre"], colours["indigo"]) >= 1.5
    assert contrast(colours["clay"], colours["page"]) >= 3
    assert set(LIGHT) == set(DARK)


def test_the_folded_letters_are_those_of_the_scoring(season):
    folds = load_toml("tifinagh.toml")["tifinagh_folded"]
    rows = [row for table in Reader(season["en"]).tables for row in table if len(row) == 2][1:]
    assert {written: "" if compared == "removed" else compared for written, compared in rows} == folds
