"""Names of the same concept in many languages: CLDR (through babel), CLDR annotations and our own table.

A concept is a CLDR code ("territories:AZ", "languages:tr", "zone:Asia/Baku", ...) or a row of ``data/concepts.tsv``.
"""

from __future__ import annotations

import csv
import lzma
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files

from babel import Locale

from alifba.text.confusion.target import PACKAGE, Target
from alifba.text.confusion.words import key, stems, words

Labels = dict[str, list[str]]
# Domains of our table whose words only say what kind of thing a name is: "dili" in "yapon dili". A head that fixes
# the kind names it: the domain "head=languages" says that "yapon dili" is a language and not a country.
_GENERIC_DOMAINS = frozenset({"head", "place", "function"})
# A word in the names of this many currencies or more does not identify one: "dollar", "frank", but not "yen".
_GENERIC_CURRENCIES = 6
# Where names are places: a name that is taken for another place is taken.
_PLACES = frozenset({"territories", "zone", "land", "city", "water"})


@dataclass
class ConceptIndex:
    """Names → concepts, for the target and for each other language.

    own: folded name → concepts that the target calls so. own_words: lower-case words of these names.
    foreign: folded name → concept → languages that call it so and the target does not.
    spelled: lower-case name, not folded → languages that have it, the target among them.
    generic: folded words that only say what kind of thing a name is. kinds: those that fix the kind of concept.
    inflected: as foreign, for names looked up so far that only their stems are known of.
    """

    target: Target
    own: dict[str, set[str]] = field(default_factory=dict)
    foreign: dict[str, dict[str, set[str]]] = field(default_factory=dict)
    spelled: dict[str, set[str]] = field(default_factory=dict)
    own_words: set[str] = field(default_factory=set)
    generic: set[str] = field(default_factory=set)
    kinds: dict[str, str] = field(default_factory=dict)
    inflected: dict[str, dict[str, set[str]]] = field(default_factory=dict)

    def add(self, concept: str, labels: Labels) -> None:
        """Enter the names of one concept."""
        own = {key(label, self.target) for label in labels.get(self.target.cldr, [])} - {""}
        for name in own:
            self.own.setdefault(name, set()).add(concept)
        for label in labels.get(self.target.cldr, []):
            self.spelled.setdefault(self.target.lower(label), set()).add(self.target.code)
            self.own_words.update(words(label, self.target))
        for confuser in self.target.confusers:
            for label in labels.get(confuser.cldr or "", []):
                self.spelled.setdefault(self.target.lower(label), set()).add(confuser.code)
                self._add_foreign(key(label, self.target), concept, confuser.code)

    def _add_foreign(self, name: str, concept: str, code: str) -> None:
        # A name that the target shares says nothing about the language of an answer.
        if name and concept not in self.own.get(name, ()):
            self.foreign.setdefault(name, {}).setdefault(concept, set()).add(code)

    def add_without_heads(self) -> None:
        """Enter "Қазақ" beside "Қазақ тілі": names of languages and scripts without the word for their kind."""
        for name, named in list(self.foreign.items()):
            bare = " ".join(word for word in name.split() if word not in self.generic)
            if bare in ("", name):
                continue
            for concept, codes in list(named.items()):
                if _domain(concept) in self.kinds.values():
                    for code in codes:
                        self._add_foreign(bare, concept, code)

    def concepts(self, name: str, kind: str | None = None) -> set[str]:
        """Concepts (of `kind`, if given) that the target calls `name` (folded), else what it calls its stem."""
        for form in _forms(name, self.target.suffixes):
            found = self.own.get(form)
            if found:
                return found if kind is None else {concept for concept in found if _domain(concept) == kind}
        return set()

    def languages(self, name: str, concepts: set[str], *, inflected: bool) -> tuple[str, ...]:
        """Languages in which `name` (folded) is a name of one of `concepts`, in the order of the profile.

        With `inflected`, a `name` that no list has is looked for without its suffixes.
        """
        if not concepts:
            return ()
        named = self.foreign.get(name, {})
        if inflected and not named and name not in self.own:
            named = self._without_suffixes(name)
        found: set[str] = set().union(*(named[concept] for concept in named.keys() & concepts))
        return tuple(c.code for c in self.target.confusers if c.code in found)

    def _without_suffixes(self, name: str) -> dict[str, set[str]]:
        """Concepts that a stem of `name` names, each stem in the language whose suffix was cut."""
        if name not in self.inflected:
            reached: dict[str, set[str]] = {}
            for confuser in self.target.confusers:
                for form in _forms(name, confuser.suffixes):
                    for concept, codes in self.foreign.get(form, {}).items():
                        if confuser.code in codes:
                            reached.setdefault(concept, set()).add(confuser.code)
            self.inflected[name] = reached
        return self.inflected[name]

    def names_something_else(self, name: str, concepts: set[str]) -> bool:
        """True if `name` (folded) is, in any of the languages, a name of other things of the same group only."""
        named = self.own.get(name, set()) | set(self.foreign.get(name, {}))
        groups = {_group(concept) for concept in concepts}
        return named.isdisjoint(concepts) and any(_group(concept) in groups for concept in named)

    def foreign_spelling(self, name: str) -> tuple[str, ...]:
        """Languages that have the lower-case `name` spelled just so, in profile order; () if the target has it too."""
        codes = self.spelled.get(name, set())
        return () if self.target.code in codes else tuple(c.code for c in self.target.confusers if c.code in codes)

    def is_generic(self, word: str) -> bool:
        """True if the folded `word` only says what kind of thing a name is."""
        return any(form in self.generic for form in stems(word, self.target.suffixes))

    def kind_of(self, own_words: Sequence[str]) -> str | None:
        """The kind that a head among the target's folded words fixes ("languages", "scripts"), or None."""
        for word in own_words:
            for form in stems(word, self.target.suffixes):
                if form in self.kinds:
                    return self.kinds[form]
        return None


def _domain(concept: str) -> str:
    return concept.partition(":")[0]


def _group(concept: str) -> str:
    domain = _domain(concept)
    return "places" if domain in _PLACES else domain


def _forms(name: str, suffixes: tuple[str, ...]) -> Iterator[str]:
    """`name` with its last word as it is and cut to its stems."""
    head, space, last = name.rpartition(" ")
    for stem in stems(last, suffixes, at_least=2):
        yield head + space + stem


def _cldr_concepts(locales: dict[str, Locale]) -> Iterator[tuple[str, Labels]]:
    for kind in ("territories", "languages", "scripts", "currencies"):
        tables = {code: getattr(locale, kind) for code, locale in locales.items()}
        for name in sorted(set().union(*tables.values())):
            labels = {code: table[name] for code, table in tables.items() if name in table}
            # "Belçika Frangı (finansal)", "Afgani (1927–2002)": a note on a name, not a name.
            yield f"{kind}:{name}", {code: [label] for code, label in labels.items() if "(" not in label}
    yield from _calendar_concepts(locales)
    yield from _city_concepts(locales)


def _calendar_concepts(locales: dict[str, Locale]) -> Iterator[tuple[str, Labels]]:
    for kind in ("months", "days"):
        tables = {code: getattr(locale, kind) for code, locale in locales.items()}
        for part in tables["en"]["format"]["wide"]:
            labels = {
                c: [table[form]["wide"][part] for form in ("format", "stand-alone")] for c, table in tables.items()
            }
            yield f"{kind}:{part}", labels


def _city_concepts(locales: dict[str, Locale]) -> Iterator[tuple[str, Labels]]:
    """Cities of time zones. CLDR leaves one out where its name is the last part of the zone's, in Latin letters."""
    zones = {code: locale.time_zones for code, locale in locales.items()}
    latin = {code for code, locale in locales.items() if unicodedata.name(locale.territories["DE"][0])[:5] == "LATIN"}
    for name in sorted(set().union(*zones.values())):
        default = name.rpartition("/")[2].replace("_", " ")
        cities = {code: table.get(name, {}).get("city") for code, table in zones.items()}
        yield f"zone:{name}", {c: [city or default] for c, city in cities.items() if city or c in latin}


def _table_concepts() -> Iterator[tuple[str, Labels]]:
    for row in _rows((files(PACKAGE) / "data" / "concepts.tsv").read_text(encoding="utf-8")):
        domain = row.pop("domain")
        yield f"{domain}:{row['en']}", {code: cell.split("|") for code, cell in row.items()}


def _annotation_concepts() -> Iterator[tuple[str, Labels]]:
    packed = (files(PACKAGE) / "data" / "annotations.tsv.xz").read_bytes()
    for row in _rows(lzma.decompress(packed).decode("utf-8")):
        yield f"annotation:{row.pop('emoji')}", {code: [cell] for code, cell in row.items() if cell}


def _rows(text: str) -> Iterator[dict[str, str]]:
    yield from csv.DictReader(text.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE)


def _mark_generic(index: ConceptIndex) -> None:
    """Note the words that name a kind: heads of our table and words that many currency names share."""
    currencies: dict[str, set[str]] = {}
    for names in (index.own, index.foreign):
        for name, concepts in names.items():
            domains = {_domain(concept) for concept in concepts}
            if " " not in name and not _GENERIC_DOMAINS.isdisjoint({domain.partition("=")[0] for domain in domains}):
                index.generic.add(name)
            for word in name.split() if "currencies" in domains else ():
                currencies.setdefault(word, set()).update(c for c in concepts if _domain(c) == "currencies")
            if names is index.own:
                index.kinds.update((name, d.partition("=")[2]) for d in domains if d.startswith("head="))
    index.generic |= {word for word, found in currencies.items() if len(found) >= _GENERIC_CURRENCIES}


@lru_cache(maxsize=8)
def concept_index(target: Target) -> ConceptIndex:
    """All names for `target` and its confusers. Read once per process (about a third of a second)."""
    codes = {target.cldr, "en", *(c.cldr for c in target.confusers if c.cldr)}
    locales = {code: Locale.parse(code) for code in sorted(codes)}
    index = ConceptIndex(target)
    for source in (_cldr_concepts(locales), _table_concepts(), _annotation_concepts()):
        for concept, labels in source:
            index.add(concept, labels)
    _mark_generic(index)
    index.add_without_heads()
    return index
