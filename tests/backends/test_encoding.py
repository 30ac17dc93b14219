"""What a local model reads: exactly one BOS, the chat template as declared, the same on every day."""

from __future__ import annotations

import hashlib
import subprocess
import sys

import pytest

transformers = pytest.importorskip("transformers", reason="needs the extra 'local'")

from alifba.backends.encoding import Encoder  # noqa: E402
from alifba.backends.sources import Weights  # noqa: E402
from alifba.config import Model  # noqa: E402
from alifba.errors import InputError  # noqa: E402
from tiny_models import CHAT, make_tokenizer  # noqa: E402

BOS = 1
SWITCH = CHAT + "{% if enable_thinking is defined and not enable_thinking %}no{% endif %}"


def encoder(folder, template=CHAT, chat=True, **changes):
    make_tokenizer(template).save_pretrained(folder)
    (folder / "config.json").write_text('{"model_type": "llama"}')
    keys = {"slug": "tiny", "name": "org/tiny", "label": "Tiny", "chat_template": chat} | changes
    return Encoder(Model.model_validate(keys), Weights(str(folder), None, "r"))


@pytest.mark.parametrize("chat", [True, False])
def test_a_prompt_begins_with_one_bos(tmp_path, chat):
    made = encoder(tmp_path, chat=chat)
    ids = made.encode("ab?")
    assert ids.count(BOS) == made.n_bos(ids) == 1
    assert ids[0] == BOS
    # The tokenizer itself would put a second one in front of what the template wrote.
    assert made.tokenizer(made.render("ab?")).input_ids.count(BOS) == (2 if chat else 1)


def test_a_plain_prompt_is_sent_as_it_is(tmp_path):
    made = encoder(tmp_path, chat=False)
    assert made.render("a\nb") == "a\nb"
    assert made.encode("a\nb") == made.tokenizer("a\nb").input_ids
    assert made.chat_template == "none"


def test_a_chat_prompt_is_what_the_template_makes_of_it(tmp_path):
    made = encoder(tmp_path)
    assert made.render("ab?") == "<bos><user>ab?<model>"
    assert made.tokenizer.convert_ids_to_tokens(made.encode("ab?")) == ["<bos>", "<user>", "a", "b", "?", "<model>"]
    assert made.chat_template == hashlib.sha256(CHAT.encode()).hexdigest()[:12]


def test_a_template_that_writes_two_is_refused(tmp_path):
    with pytest.raises(InputError, match="two BOS"):
        encoder(tmp_path, "{{ bos_token }}" + CHAT).encode("ab?")


def test_a_declared_template_must_be_there(tmp_path):
    with pytest.raises(InputError, match="its tokenizer has none"):
        encoder(tmp_path, None)


@pytest.mark.parametrize(
    ("template", "reasoning", "sent", "recorded"),
    [
        (SWITCH, "off", "<bos><user>ab?<model>no", ",reasoning=off"),
        (SWITCH, "on", "<bos><user>ab?<model>", ",reasoning=on"),
        (SWITCH, None, "<bos><user>ab?<model>", ""),
        (CHAT, "off", "<bos><user>ab?<model>", ",reasoning=off:ignored"),
    ],
)
def test_the_reasoning_switch_is_sent_and_recorded(tmp_path, template, reasoning, sent, recorded):
    made = encoder(tmp_path, template, reasoning=reasoning)
    assert made.render("ab?") == sent
    assert made.chat_template == hashlib.sha256(template.encode()).hexdigest()[:12] + recorded


@pytest.mark.parametrize(("call", "day"), [("strftime_now('%d %b %Y')", "26 Jul 2024"), ('strftime_now("%Y")', "2024")])
def test_a_template_that_writes_the_date_writes_the_same_on_every_day(tmp_path, call, day):
    assert encoder(tmp_path, "{{ bos_token }}{{ " + call + " }}").render("ab?") == f"<bos>{day}"


def test_a_tokenizer_without_a_bos_has_none_to_count(tmp_path):
    made = encoder(tmp_path, chat=False)
    made._bos = None
    assert made.n_bos([BOS, BOS]) == 0


def test_a_missing_tokenizer_is_told(tmp_path):
    keys = {"slug": "tiny", "name": "org/tiny", "label": "Tiny"}
    with pytest.raises(InputError, match="the tokenizer of nowhere cannot be loaded"):
        Encoder(Model.model_validate(keys), Weights(str(tmp_path / "nowhere"), None, "r"))


def test_torch_is_not_needed(tmp_path):
    make_tokenizer().save_pretrained(tmp_path)
    (tmp_path / "config.json").write_text('{"model_type": "llama"}')
    code = """
import sys
sys.modules["torch"] = None
from alifba.backends.encoding import Encoder
from alifba.backends.sources import Weights
from alifba.config import Model
made = Encoder(Model(slug="t", name="t", label="t", chat_template=True), Weights(sys.argv[1], None, "r"))
print(made.encode("ab?"))
"""
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(encoder(tmp_path).encode("ab?"))
