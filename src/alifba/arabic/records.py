"""What is written down: tools, scorers, items, attempts, scores, pre-scores and directory reviews. Frozen and strict.

Where it lies (`folder` is ``data/raw/arabic`` unless the project says otherwise; every log is JSON Lines, UTF-8, only
ever appended to)::

    data/arabic/project.yaml              tools, scorers, versions           -> `alifba.arabic.project.Project`
    data/arabic/items.yaml                every item and every version of it -> `Item`
    folder/attempts/<run>.jsonl           what a tool answered               -> `Attempt`, one log a run
    folder/score/<scorer>.jsonl           what a person thought of it        -> `Score`, one log a scorer
    folder/prescores/<model>.jsonl        what a model thought of it         -> `Prescore`, apart, never a score
    folder/prescore_requests/<scorer>.jsonl   who asked to see a pre-score   -> `PrescoreRequest`
    folder/reviews/<reviewer>.jsonl       directory reviews                  -> `Review`, the last one of a tool counts

A score log is a decision log of the annotation app (`alifba.decisions`, task ``score``, `item_id` is the id of the
attempt): undo, resume and locking are the same. Open it with
``DecisionLog(folder, "score", scorer, kind=Score)`` and read it with ``read_log(path, Score)``.
"""

from __future__ import annotations

from datetime import date, datetime, timedelta, timezone
from typing import Annotated, Literal

from pydantic import Field, StringConstraints, field_validator, model_validator

from alifba.config import Model, Slug, Strict, Text
from alifba.decisions import Decision

Section = Literal["msa", "gulf", "egyptian", "levantine", "direction", "diacritics", "ocr", "speech", "niche"]
"""The nine sections of test set v0.1."""
Kind = Literal["chat", "writing", "agent", "coding", "image", "video", "voice", "ocr", "game"]
"""Kinds of tools; which sections apply to each stands in ``data/methodology.yaml``."""
Variety = Literal["msa", "gulf", "egyptian", "levantine"]
"""Varieties of Arabic. A Maghrebi one waits for items."""
Role = Literal["first", "second", "third"]
Outcome = Literal["answer", "refusal", "error"]
ItemStatus = Literal["untested", "tested", "needs_sample", "replaced"]
ReviewCriterion = Literal["arabic_quality", "accuracy", "value", "ease", "privacy"]

ItemId = Annotated[str, StringConstraints(pattern=r"^[A-Z]{2,4}-\d{2}$")]
Version = Annotated[str, StringConstraints(pattern=r"^[a-z]$")]
RunId = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9-]{0,63}$")]
Points = Annotated[int, Field(ge=0, le=5)]
RIYADH = timezone(timedelta(hours=3), "Asia/Riyadh")
"""Saudi time has had no summer time since it was introduced, so the offset is fixed and needs no time zone table."""
ATTEMPTS = (1, 2, 3)


def riyadh_now() -> str:
    """The time in Riyadh, ISO 8601 to the second with its offset: ``2026-11-30T16:05:00+03:00``."""
    return datetime.now(RIYADH).isoformat(timespec="seconds")


def _riyadh(value: str) -> str:
    if datetime.fromisoformat(value).utcoffset() != timedelta(hours=3):
        raise ValueError("the time is that of Riyadh, with its offset: 2026-11-30T16:05:00+03:00")
    return value


class Tool(Strict):
    """A tool that is reviewed. Naming one gives it no score: every row starts null."""

    id: Slug
    """Stable short name, part of addresses and file names."""
    kind: Kind
    """Decides which sections and items apply."""
    name_en: Text
    """Name on the English page."""
    name_ar: Text
    """Name on the Arabic page."""
    plans: list[Text] = Field(default_factory=list)
    """Plans that runs may name, such as "free"; empty: any."""
    versions: list[Text] = Field(default_factory=list)
    """Model versions that runs may name; empty: any."""
    links: dict[str, str] = Field(default_factory=dict)
    """Label -> address: home page, price list, privacy terms."""
    example: bool = False
    """A stand-in for a kind of tool, no real product; it can hold no attempts and no review."""
    run: RunId | None = None
    """The run that the published score rests on. Needed once the tool has more than one."""
    model: Model | None = None
    """How to reach it, for a tool behind an API (``backend: api`` or ``command``); None: a person logs its runs."""

    @field_validator("links")
    @classmethod
    def _on_the_web(cls, links: dict[str, str]) -> dict[str, str]:
        for address in links.values():
            if not address.startswith(("https://", "http://")):
                raise ValueError(f"a link begins with https:// or http://, not {address!r}")
        return links


class Scorer(Strict):
    """A native speaker who scores. The id is the person's name in the logs; a pseudonym will do."""

    id: Annotated[str, StringConstraints(pattern=r"^\w[\w.-]{0,63}$")]
    """Name in the logs and of the log file."""
    varieties: list[Variety] = Field(min_length=1)
    """What the person speaks natively. "gulf" lets them score Gulf items."""

    @property
    def gulf(self) -> bool:
        return "gulf" in self.varieties


class Item(Strict):
    """One version of one item. An edited prompt is a new version; the old one stays, with status "replaced"."""

    id: ItemId
    """Such as "GLF-02", the same in every version."""
    version: Version = "a"
    """A letter; the first, "a", is not written: ``GLF-02``, ``GLF-02.b``."""
    section: Section
    """The section that its score counts in."""
    kinds: list[Kind] = Field(min_length=1)
    """The kinds of tools that are asked it."""
    variety: Variety = "msa"
    """The variety it is about. A Gulf item needs a Gulf scorer among its two."""
    title_en: Text
    """What it tests, in a few English words."""
    title_ar: Text
    """The same in Arabic."""
    prompt: Text | None = None
    """What is sent, word for word. None only while the item needs a sample."""
    criteria: list[Slug] = Field(default_factory=list)
    """Ids of what is scored 0 to 5; their words stand in ``data/wording.yaml``."""
    test_sets: list[Text] = Field(min_length=1)
    """Versions of the test set that it belongs to: a score of set 0.1 goes on resting on the items of 0.1."""
    status: ItemStatus
    """untested: nobody has run it; tested: it was run and works as a test; needs_sample: `missing` says what;
    replaced: a later version stands in its place."""
    missing: list[Text] = Field(default_factory=list)
    """What a "needs_sample" item lacks, one thing each."""
    missing_ar: list[Text] = Field(default_factory=list)
    """The same in Arabic, in the same order."""
    samples: list[Text] = Field(default_factory=list)
    """Sample files that go with the prompt, relative to ``data/arabic/``."""
    reason: Text | None = None
    """Why this version was made, or why it was replaced: an edit, a memorised answer."""

    @model_validator(mode="after")
    def _whole(self) -> Item:
        if self.status == "needs_sample":
            if not self.missing:
                raise ValueError(f"{self.key} needs a sample: say in 'missing' what it lacks")
            if len(self.missing) != len(self.missing_ar):
                raise ValueError(f"{self.key}: 'missing' and 'missing_ar' say the same things, one for one")
        elif self.missing:
            raise ValueError(f"{self.key} lacks something, so its status is 'needs_sample'")
        elif self.prompt is None or not self.criteria:
            raise ValueError(f"{self.key} needs a prompt and criteria, or the status 'needs_sample'")
        if self.section == "gulf" and self.variety != "gulf":
            raise ValueError(f"{self.key} counts as Gulf, so its variety is 'gulf'")
        if len(set(self.criteria)) < len(self.criteria):
            raise ValueError(f"{self.key}: a criterion stands twice")
        if self.version != "a" and self.reason is None:
            raise ValueError(f"{self.key} is a later version: say the 'reason'")
        return self

    @property
    def key(self) -> str:
        """Id and version as they are written: ``GLF-02`` for the first version, ``GLF-02.b`` for the next."""
        return self.id if self.version == "a" else f"{self.id}.{self.version}"

    @property
    def needs_gulf(self) -> bool:
        """Whether one of the two scorers must be a Gulf speaker."""
        return self.variety == "gulf"


class Attempt(Strict):
    """One answer of a tool to one item, as it came: a line of a run log. Never edited; see `replaces`."""

    id: Text
    """``<run>/<item key>/<attempt>``, with ``+1`` and so on for a replacement; see `attempt_id`."""
    run: RunId
    """One tool in one setting, such as ``some-chat-2026-11``. All attempts of a run agree in tool, plan, model version,
    interface, UI language and test set."""
    tool: Slug
    """Id of the tool."""
    plan: Text
    """Plan that was used, such as "free"."""
    model_version: Text
    """Model version as the tool shows it, or "not shown"."""
    interface: Literal["web", "desktop", "android", "ios", "api"]
    """How the tool was reached."""
    ui_language: Annotated[str, StringConstraints(pattern=r"^([a-z]{2}|none)$")]
    """Language of its interface, Arabic if there is one: "ar", "en"; "none" for an API."""
    time: Text
    """When it answered, Asia/Riyadh, ISO 8601 with the offset +03:00."""
    test_set: Text
    """Version of the test set, such as "0.1"."""
    item: ItemId
    """Id of the item."""
    version: Version = "a"
    """Version of the item."""
    prompt_sha: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{16}$")]
    """`prompt_sha` of the prompt that was sent: it must be that of the item's version, to the letter."""
    attempt: int = Field(ge=1, le=3)
    """1, 2 or 3, each in a fresh session with no memory and default settings."""
    fresh_session: Literal[True]
    """The person confirms: fresh session, no custom memory, default settings."""
    output: str
    """What came back, word for word; may be "" only with `outcome` other than "answer"."""
    outcome: Outcome = "answer"
    """"refusal" and "error" make the attempt 0 without scorers, and need a note."""
    note: Text | None = None
    """What happened, for a refusal, an error or a replacement; otherwise free."""
    logged_by: Text
    """Who logged it: a person's id, or "api"."""
    replaces: Text | None = None
    """Id of an attempt that was logged wrongly and no longer counts; needs a note."""
    details: dict[str, str] = Field(default_factory=dict)
    """What only an API tells: revision, decoding, stop reason, tokens."""

    _time = field_validator("time")(_riyadh)

    @model_validator(mode="after")
    def _whole(self) -> Attempt:
        if self.outcome == "answer" and not self.output.strip():
            raise ValueError("an empty output is no answer: mark it a refusal or an error, with a note")
        if self.outcome != "answer" and self.note is None:
            raise ValueError("a refusal or an error counts as 0, so it needs a 'note'")
        if self.replaces and self.note is None:
            raise ValueError("a replacement needs a 'note' that says what was wrong")
        base, _, replacement = self.id.partition("+")
        if base != attempt_id(self.run, self.key, self.attempt) or bool(replacement) != bool(self.replaces):
            raise ValueError(f"the id of this attempt is {attempt_id(*self.place)!r}, with '+1' if it replaces one")
        return self

    @property
    def key(self) -> str:
        """Id and version of the item, as `Item.key`."""
        return self.item if self.version == "a" else f"{self.item}.{self.version}"

    @property
    def place(self) -> tuple[str, str, int]:
        """What it is an attempt at: run, item key, number. Two that stand at one place are a fault."""
        return self.run, self.key, self.attempt


def attempt_id(run: str, key: str, attempt: int, replacement: int = 0) -> str:
    """The id of an attempt: ``demo-2026-11/GLF-02.b/3``; its first replacement ends in ``/3+1``."""
    return f"{run}/{key}/{attempt}" + (f"+{replacement}" if replacement else "")


class Score(Decision):
    """One line of a scorer's log: the points a person gives to one attempt (`item_id` is its id), a skip or an undo.

    `criteria` holds 0 to 5 for every criterion of the item. `text_sha` is that of prompt, output and criteria as shown.
    """

    task: Literal["score"]
    role: Role | None = None
    """The seat: "first" and "second" score blind to each other; "third" is called by a gap. Needed with a score."""
    refusal: bool = False
    """The person judges the output a refusal: every criterion is 0, and a note is needed."""
    prescore: str | None = None
    """Id of the model's pre-score that the person asked to see and confirmed. The person is the scorer."""

    @property
    def moment(self) -> datetime:
        """The time as a point that can be compared across offsets."""
        return datetime.fromisoformat(self.time)

    @model_validator(mode="after")
    def _as_the_protocol(self) -> Score:
        if self.decision == "score" and self.role is None:
            raise ValueError("'score' needs 'role'")
        if self.refusal and any((self.criteria or {"none": 1}).values()):
            raise ValueError("a refusal is 0 on every criterion")
        if self.refusal and not (self.note or "").strip():
            raise ValueError("a refusal needs a 'note'")
        return self


class Prescore(Strict):
    """What a model would give. Stored apart, shown on request, and never a score unless a person confirms it."""

    id: Text
    """Unique among all pre-scores."""
    attempt: Text
    """Id of the attempt."""
    model: Text
    """Which model, with its version."""
    criteria: dict[str, Points] = Field(min_length=1)
    """0 to 5 for every criterion of the item."""
    note: Text | None = None
    """The model's reason."""
    time: Text
    """When, Asia/Riyadh, ISO 8601 with offset."""

    _time = field_validator("time")(_riyadh)


class PrescoreRequest(Strict):
    """A person asked to see a model's pre-score before scoring: from here on they are no longer blind to it."""

    scorer: Text
    """Id of the person."""
    attempt: Text
    """Id of the attempt."""
    prescore: Text
    """Id of the pre-score shown."""
    time: Text
    """When, Asia/Riyadh, ISO 8601 with offset."""

    _time = field_validator("time")(_riyadh)


class Review(Strict):
    """A directory review of a tool: five raw criteria, each 0 to 10 or null. Its number needs all five."""

    tool: Slug
    """Id of the tool."""
    reviewer: Text
    """Id of the person."""
    date: date
    """Day of the review (Riyadh)."""
    raw: dict[ReviewCriterion, Annotated[float, Field(ge=0, le=10)] | None]
    """Criterion -> 0 to 10, whole or with decimals; null or absent: not judged yet."""
    links: dict[str, str] = Field(default_factory=dict)
    """Label -> address of what the judgement rests on."""
    note: Text | None = None
    """Free."""

    @field_validator("date", mode="before")
    @classmethod
    def _written(cls, value: object) -> object:
        return date.fromisoformat(value) if isinstance(value, str) else value
