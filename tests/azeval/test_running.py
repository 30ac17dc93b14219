"""RUN: every item is asked once, and what comes back is kept word for word."""

from __future__ import annotations

import json

import pytest

from alifba.azeval.prompts import prompt, template_sha
from alifba.azeval.running import Progress, open_backend, plan, run_model
from alifba.backends.fake import FakeBackend
from alifba.config import load_study
from alifba.errors import InputError
from alifba.items import read_items
from alifba.runs import read_run, read_runs
from samples import item_row, write_rows, write_study

MODELS = [
    {"slug": slug, "name": f"org/{slug}", "label": slug, "backend": "fake", "batch_size": 4} for slug in ("one", "two")
]


@pytest.fixture
def study(tmp_path):
    return load_study(write_study(tmp_path, models=MODELS))


@pytest.fixture
def items(tmp_path):
    return read_items(write_rows(tmp_path / "d.jsonl", [item_row(i) for i in range(6)]))


def test_a_row_says_everything_that_can_change_a_number(tmp_path, study, items):
    model = study.model("one")
    report = run_model(open_backend(model), model, items, "az", "oneshot", tmp_path / "raw")
    assert (report.n_items, report.n_before, report.n_answered, report.n_failed) == (6, 0, 6, 0)
    assert report.path.name == "org__one__az__oneshot.jsonl"
    row = json.loads(report.path.read_text(encoding="utf-8").splitlines()[0])
    assert row["prompt"] == prompt(items.items[0].question_az, "az", "oneshot")
    made = {"max_new_tokens": 32, "do_sample": False, "temperature": 0.0, "seed": 0, "batch_size": 4}
    assert row["generation"] == made | {"chat_template": "none"}
    signature = read_run(report.path).signature
    assert "unknown" not in str(signature)
    assert (signature.data, signature.template) == (items.sha256[:12], template_sha("az", "oneshot"))


def test_two_models_in_one_folder_never_share_an_answer(tmp_path, study, items):
    for slug in ("one", "two"):
        for language in ("az", "en"):
            run_model(open_backend(study.model(slug)), study.model(slug), items, language, "default", tmp_path / "raw")
    runs = {run.key[:2]: run for run in read_runs(tmp_path / "raw")}
    assert len(runs) == 4
    answers = {key: {row.raw_response for row in run.rows.values()} for key, run in runs.items()}
    assert not answers["org/one", "az"] & answers["org/two", "az"]
    assert not answers["org/one", "az"] & answers["org/one", "en"]


def test_the_same_model_gives_the_same_answers(tmp_path, study, items):
    model = study.model("one")
    texts = []
    for folder in ("a", "b"):
        report = run_model(open_backend(model), model, items, "az", "default", tmp_path / folder)
        texts.append([row.raw_response for row in read_run(report.path).rows.values()])
    assert texts[0] == texts[1]


def test_failed_items_are_marked_and_asked_again(tmp_path, study, items):
    model, folder = study.model("one"), tmp_path / "raw"
    first = run_model(FakeBackend("org/one", 4, fails_on="İtaliya"), model, items, "az", "default", folder)
    assert (first.n_answered, first.n_failed) == (5, 1)
    assert next(plan(study, items, folder)).n_answered == 5
    second = run_model(open_backend(model), model, items, "az", "default", folder)
    assert (second.n_before, second.n_answered, second.n_failed) == (5, 1, 0)
    run = read_run(second.path)
    assert all(row.raw_response for row in run.rows.values())
    assert run.n_duplicates == 1
    # Nothing left: nothing is asked.
    third = run_model(open_backend(model), model, items, "az", "default", folder)
    assert (third.n_before, third.n_answered) == (6, 0)


class Shuffled(FakeBackend):
    def generate(self, *asked):
        yield from reversed(list(super().generate(*asked)))


def test_replies_may_come_in_any_order(tmp_path, study, items):
    model = study.model("one")
    plain = read_run(run_model(open_backend(model), model, items, "az", "default", tmp_path / "a").path)
    mixed = read_run(run_model(Shuffled("org/one", 4), model, items, "az", "default", tmp_path / "b").path)
    assert list(mixed.rows) == list(reversed(plain.rows))
    for id_, row in plain.rows.items():
        assert (mixed.rows[id_].prompt, mixed.rows[id_].raw_response) == (row.prompt, row.raw_response)


class Dying(FakeBackend):
    def generate(self, *asked):
        for reply in super().generate(*asked):
            if reply.index == 3:
                raise MemoryError("out of memory")
            yield reply


def test_a_backend_that_dies_keeps_what_it_answered(tmp_path, study, items):
    model = study.model("one")
    with pytest.raises(MemoryError):
        run_model(Dying("org/one", 4), model, items, "az", "default", tmp_path / "raw")
    report = run_model(open_backend(model), model, items, "az", "default", tmp_path / "raw")
    assert (report.n_before, report.n_answered) == (3, 3)
    assert read_run(report.path).n_duplicates == 0


def test_a_rebuilt_dataset_begins_no_run_in_an_old_file(tmp_path, study, items):
    model = study.model("one")
    run_model(open_backend(model), model, items, "az", "default", tmp_path / "raw")
    other = read_items(write_rows(tmp_path / "other.jsonl", [item_row(i, category="x") for i in range(7)]))
    with pytest.raises(InputError, match="differs in data"):
        run_model(open_backend(model), model, other, "az", "default", tmp_path / "raw")


def test_the_plan_is_every_model_language_and_style(tmp_path, items):
    study = load_study(write_study(tmp_path, models=MODELS, styles=["default", "zeroshot"]))
    run_model(open_backend(study.model("two")), study.model("two"), items, "en", "zeroshot", tmp_path / "raw")
    planned = list(plan(study, items, tmp_path / "raw"))
    assert len({run.path for run in planned}) == len(planned) == 8
    done = [(run.model.slug, run.language, run.style) for run in planned if run.complete]
    assert done == [("two", "en", "zeroshot")]


def test_progress_tells_rate_and_time_left(capsys):
    progress = Progress("one az", every=0)
    progress(1, 4)
    progress(4, 4)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("one az: 1 of 4, ")
    assert lines[1].endswith(" 0 s left")
