"""From the solutions of a template's query to drafts: one clear answer, sound labels, or a counted reason why not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field

from alifba.azeval.dataset.identity import item_id, variant_of
from alifba.azeval.harvest.naming import Answer, Unsuited, all_labels, answer_of, entity, noun_az, noun_en
from alifba.azeval.harvest.sparql import WIKIDATA, Endpoint, Row
from alifba.azeval.harvest.templates import ENTITIES, LANGUAGES, Template
from alifba.azeval.pilot.build import leaks
from alifba.azeval.pilot.phrasing import render_az, render_en
from alifba.errors import InputError
from alifba.items import Item

PROVENANCE = "wikidata-template"
# Wikidata's engine reads a whole index for a lower bound unless told that the range is safe. Others know no hints.
_RANGE_HINT = "hint:Prior hint:rangeSafe true ."


@dataclass
class Concept:
    """An entity with all values of the template's property: answers maps an entity's URI or a literal to its labels."""

    id: str
    labels: dict[str, str]
    answers: dict[str, dict[str, str]] = field(default_factory=dict)


@dataclass(frozen=True)
class Harvest:
    """The drafts of one template, the labels of their entities (Q-id → language → label), and what was left out."""

    template: str
    drafts: list[Item]
    labels: dict[str, dict[str, str]]
    left_out: Counter[str]


def harvest(
    template: Template,
    endpoint: Endpoint,
    per_template: int,
    *,
    page: int = 200,
    refused: Callable[[Item], bool] = lambda draft: False,
    present: Collection[str] = (),
) -> Harvest:
    """Draft up to `per_template` items, best known concepts first.

    `present` holds ids of drafts that exist already: they count, and are not drafted again. `refused` says of a draft
    whether just this text was refused before. Raises `InputError` as `Endpoint.select` does.
    """
    concepts: dict[str, Concept] = {}
    result = Harvest(template.name, [], {}, Counter())
    for rows, cut_off in _pages(template, endpoint, page):
        _add_rows(concepts, rows)
        whole = {id_: concept for id_, concept in concepts.items() if id_ != cut_off}
        result = _selected(template, whole, per_template, refused, present)
        if len(result.drafts) + result.left_out[_PRESENT] >= per_template:
            break
    return result


def _pages(template: Template, endpoint: Endpoint, page: int) -> Iterator[tuple[list[Row], str | None]]:
    """Pages until one is empty or brings nothing new, each with the concept of which values may still be missing.

    A server may send fewer concepts than asked for and cut the last of them off in the middle of its values, so the
    page after a short one begins with the last concept of it.
    """
    hint = _RANGE_HINT if endpoint.url == WIKIDATA else ""
    seen: dict[str, None] = {}
    overlap = 0
    while True:
        query = template.query(limit=page + overlap, offset=len(seen) - overlap, hint=hint)
        rows = endpoint.select(query)
        items = dict.fromkeys(row["item"] for row in rows if "item" in row)
        short = len(items) < page + overlap
        yield rows, entity(next(reversed(items))) if items and short else None
        if not (new := items.keys() - seen.keys()) and not overlap:
            return
        seen |= items
        overlap = 1 if new and short else 0


def _add_rows(concepts: dict[str, Concept], rows: list[Row]) -> None:
    for row in rows:
        id_ = entity(row.get("item", ""))
        if id_ is None or "answer" not in row:
            continue
        concept = concepts.setdefault(id_, Concept(id_, dict(all_labels(row, "item"))))
        concept.answers.setdefault(row["answer"], dict(all_labels(row, "answer")))


_PRESENT = "drafted before"


def _selected(
    template: Template,
    concepts: dict[str, Concept],
    per_template: int,
    refused: Callable[[Item], bool],
    present: Collection[str],
) -> Harvest:
    drafts: list[Item] = []
    labels: dict[str, dict[str, str]] = {}
    left_out, answers = Counter[str](), Counter[str]()
    names = _shared_names(template, concepts)
    for concept in concepts.values():
        if len(drafts) + left_out[_PRESENT] >= per_template:
            break
        if item_id(template.name, concept.id) in present:
            left_out[_PRESENT] += 1
            continue
        try:
            draft, named = _draft(template, concept, names)
            if answers[draft.answer] >= template.most_per_answer:
                raise Unsuited("enough drafts with this answer")
            if refused(draft):
                raise Unsuited("refused before")
        except Unsuited as reason:
            left_out[str(reason)] += 1
            continue
        answers[draft.answer] += 1
        drafts.append(draft)
        labels |= named
    return Harvest(template.name, drafts, labels, left_out)


def _shared_names(template: Template, concepts: dict[str, Concept]) -> set[str]:
    """Names, in either language, that several concepts of the template have."""
    counts = Counter[str]()
    for concept in concepts.values():
        counts.update({f"{code}:{concept.labels[code].lower()}" for code in ("az", "en") if code in concept.labels})
    return {name for name, n in counts.items() if n > 1}


def _draft(template: Template, concept: Concept, shared: set[str]) -> tuple[Item, dict[str, dict[str, str]]]:
    """The draft of `concept` and the labels to keep with it. Raises `Unsuited`."""
    if any(f"{code}:{concept.labels.get(code, '').lower()}" in shared for code in ("az", "en")):
        raise Unsuited("another concept has this name")
    value, answer_labels, answer = _one_answer(template, concept)
    variant = variant_of(template.name, concept.id)
    phrasing = template.phrasings[variant]
    try:
        question_az = render_az(phrasing.az, {template.slot: noun_az(concept.labels, template.noun)})
    except InputError:
        raise Unsuited("no case forms by rule") from None
    question_en = render_en(phrasing.en, {template.slot: noun_en(concept.labels, template.noun)})
    if leaks(answer.az, question_az) or leaks(answer.en, question_en):
        raise Unsuited("the answer stands in the question")
    answer_id = entity(value)
    kept = answer_labels if answer_id else concept.labels
    notes = {
        "template": template.name,
        "variant": str(variant),
        "concept": concept.id,
        "answer_concept": answer_id or "",
        "labels": ",".join(code for code in LANGUAGES if code in kept),
    }
    draft = Item(
        id=item_id(template.name, concept.id),
        question_az=question_az,
        question_en=question_en,
        answer=answer.az,
        answer_en=answer.en,
        answer_aliases=answer.aliases,
        category=template.category,
        source=f"https://www.wikidata.org/entity/{concept.id}",
        provenance=PROVENANCE,
        verified_by="pending",
        notes=";".join(f"{name}={value}" for name, value in notes.items() if value),
    )
    named = {concept.id: concept.labels} | ({answer_id: answer_labels} if answer_id else {})
    return draft, named


def _one_answer(template: Template, concept: Concept) -> tuple[str, dict[str, str], Answer]:
    """The only answer. Values that give the same text (two days of one year) are one; so a value without a usable
    label beside another makes the answer unclear."""
    if template.answer in ENTITIES:
        if len(concept.answers) > 1:
            raise Unsuited("several answers")
        (value, labels), *_ = concept.answers.items()
        if entity(value) is None:
            raise Unsuited("the answer is unknown to Wikidata")
        return value, labels, answer_of(template.answer, value, labels)
    read = {answer_of(template.answer, value, {}).az: value for value in concept.answers}
    if len(read) > 1:
        raise Unsuited("several answers")
    (value,) = read.values()
    return value, {}, answer_of(template.answer, value, {})
