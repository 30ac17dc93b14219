"""Study files: frozen, strict, and every fault with its line."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import ValidationError

from alifba.config import Study, load_study
from alifba.errors import InputError
from alifba.paths import repo_root
from samples import outcome, write_study

# The other benchmarks keep their settings beside the studies, in a form of their own.
OTHER_BENCHMARKS = {"hieratic.yaml", "tifinagh.yaml"}
SHIPPED = [path for path in sorted((repo_root() / "studies").glob("*.yaml")) if path.name not in OTHER_BENCHMARKS]
MODEL = "models:\n  - {slug: one, name: org/one, label: One}\n"


def study_of(tmp_path, text: str) -> Study:
    path = tmp_path / "study.yaml"
    path.write_text(text, encoding="utf-8")
    return load_study(path)


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.name)
def test_every_shipped_study_loads_under_its_own_name(path):
    assert load_study(path).name == path.stem


def test_the_smallest_study_has_sound_defaults(tmp_path):
    study = study_of(tmp_path, "name: small\ntitle: Small\n")
    assert study.languages == ["az", "en"]
    assert (study.bootstrap.resamples, study.bootstrap.level, study.bootstrap.seed) == (10_000, 0.95, 0)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("name: small\ntitel: Small\n", 2, "unknown key 'titel'.*did you mean 'title'"),
        ("name: small\ntitle: Small\nbootstrap:\n  resample: 5\n", 4, "unknown key 'bootstrap.resample'"),
        (MODEL + "name: small\ntitle: T\n" + "models: []\n", 5, "'models' stands twice"),
        ("name: small\n", None, "'title' is missing"),
        ("name: small\ntitle: T\nlanguages: [az, no]\n", 3, "unquoted yes, no"),
        ("name: small\ntitle: T\nlanguages: [az, de]\n", 3, "languages.1"),
        ("name: small\ntitle: T\nlanguages: []\n", 3, "languages"),
        ("name: small\ntitle: T\nstyles: [plain]\n", None, "primary_style"),
        ("name: small\ntitle: no\n", 2, "unquoted yes, no"),
        ("name: small\ntitle: 5\n", 2, "title"),
        ("name: small\ntitle: ' '\n", 2, "title"),
        ("name: Small Study\ntitle: T\n", 1, "name"),
        ("name: ../up\ntitle: T\n", 1, "name"),
        ("name: small\ntitle: T\nbootstrap: {level: 95}\n", 3, "bootstrap.level"),
        ("name: small\ntitle: T\nbootstrap: {resamples: '5000'}\n", 3, "bootstrap.resamples"),
        (
            "name: small\ntitle: T\n" + MODEL + "  - {slug: one, name: org/two, label: T}\n",
            None,
            "slug used twice: one",
        ),
        ("name: small\ntitle: T\n" + MODEL + "  - {slug: two, name: org/one, label: T}\n", None, "name used twice"),
        ("name: small\ntitle: T\n" + MODEL.replace("One}", "One, source: {}}"), 4, "exactly one of"),
        ("name: [\n", 2, "not valid YAML"),
        ("name: small\n\ttitle: T\n", 2, "not valid YAML"),
        ("- name\n", None, "mapping"),
        ("", None, "mapping"),
        ("name: small\ntitle: 9999-99-99\n", None, "not valid YAML"),
        ("name: small\ntitle: !!bool maybe\n", None, "not valid YAML"),
        ("name: small\ntitle: !!timestamp x\n", None, "not valid YAML"),
        (f"name: small\ntitle: {'9' * 5000}\n", None, "not valid YAML"),
        ("name: small\ntitle: !!python/object/apply:os.getcwd []\n", 2, "not valid YAML"),
        ("name: small\ntitle: &a [*a]\n", 2, "title"),
        ("name: small\ntitle: " + "[" * 1200 + "\n", None, "not valid YAML"),
        ("? [a]\n: b\n", 1, "not valid YAML"),
    ],
)
def test_a_fault_is_told_with_its_line(tmp_path, text, line, message):
    with pytest.raises(InputError) as caught:
        study_of(tmp_path, text)
    caught.match(r"(?s)" + message)
    assert caught.value.file == tmp_path / "study.yaml"
    assert caught.value.line == line


def test_a_missing_file_a_folder_and_bytes_are_refused(tmp_path):
    (tmp_path / "bytes.yaml").write_bytes(b"\xff\xfe\x00")
    for path, message in (
        (tmp_path / "none.yaml", "no such study"),
        (tmp_path, "text"),
        (tmp_path / "bytes.yaml", "text"),
    ):
        with pytest.raises(InputError, match=message):
            load_study(path)


def test_a_bomb_of_aliases_is_read_or_refused_at_once(tmp_path):
    levels = "".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 30))
    with pytest.raises(InputError):
        study_of(tmp_path, "a0: &a0 x\n" + levels)


def test_a_study_cannot_be_changed(tmp_path):
    study = load_study(write_study(tmp_path))
    with pytest.raises(ValidationError):
        study.name = "other"


def test_declared_models_are_found_and_others_hinted_at(tmp_path):
    study = study_of(tmp_path, "name: small\ntitle: T\n" + MODEL)
    assert study.model("one").name == "org/one"
    with pytest.raises(InputError, match="did you mean 'one'"):
        study.model("onee")


def test_control_templates_are_patterns_with_regard_to_case(tmp_path):
    study = load_study(write_study(tmp_path, control_templates=["math_*", "capital"]))
    told = [study.is_control(name) for name in ("math_sum", "capital", "capitals", "Math_sum", "none")]
    assert told == [True, True, False, False, False]


def test_data_may_be_given_instead_of_declared(tmp_path):
    study = load_study(write_study(tmp_path))
    assert study.dataset_path(tmp_path) == study.runs_path(tmp_path) == tmp_path
    with pytest.raises(InputError, match="DATASET="):
        study.dataset_path()
    with pytest.raises(InputError, match="RUNS="):
        study.runs_path("")


@given(
    st.text(st.characters(codec="utf-8"))
    | st.text(st.sampled_from(":-[]{}&*!|>'\"#%@,?\n ~0.e+_namedtl"), max_size=80)
    | st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.dates() | st.binary(),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.sampled_from([*Study.model_fields, "slug", "hub", "x"]), inner, max_size=4)
        ),
    ).map(yaml.safe_dump)
)
@example("%YAML 9.9\n---\n")
@example("a: 1\n---\nb: 2\n")
@example("a: 0b\nb: 0x_\nc: 1:99:99\nd: .inf\n")
@example("<<: {name: x}\n")
@example("<<: 5\n")
@example("=: 5\n")
def test_any_text_is_a_study_or_refused(tmp_path_factory, text):
    path = tmp_path_factory.getbasetemp() / "any.yaml"
    path.write_text(text, encoding="utf-8")
    read = outcome(lambda: load_study(path))
    assert isinstance(read, Study) or read.file == path
