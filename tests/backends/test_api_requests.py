"""What is sent: bodies that the providers' own clients accept, with nothing that the study does not declare."""

from __future__ import annotations

import base64
from typing import get_args

import pytest
from pydantic import TypeAdapter

from alifba.backends.api_requests import PROVIDERS, base_url, merged, path, prompt_body, settings
from alifba.backends.base import Image, Prompt
from alifba.config import Api
from alifba.errors import InputError

SCHEMA = {
    "type": "object",
    "properties": {"answer": {"type": "string"}},
    "required": ["answer"],
    "additionalProperties": False,
}
PNG = Image(b"\x89PNG\r\n\x1a\n", "image/png")
LEVELS = [(name, level) for name, provider in PROVIDERS.items() for level in provider["reasoning"]]


def api(provider: str = "openai", **declared: object) -> Api:
    return Api.model_validate({"provider": provider, "model": "m-1", **declared})


def body(declared: Api, prompt: Prompt) -> dict[str, object]:
    return merged(settings(declared, 32), prompt_body(declared, prompt))


def test_every_provider_of_a_study_file_is_described():
    assert set(get_args(Api.model_fields["provider"].annotation)) == set(PROVIDERS)


@pytest.mark.parametrize(("provider", "level"), LEVELS)
@pytest.mark.parametrize("prompt", [Prompt("q"), Prompt("q", "s", (PNG,), SCHEMA)], ids=["text", "all"])
def test_a_body_is_what_the_provider_s_own_client_takes(provider, level, prompt):
    sent = body(api(provider, reasoning=level), prompt)
    if provider == "anthropic":
        types = pytest.importorskip("anthropic.types.message_create_params")
        shape = types.MessageCreateParamsNonStreaming
        # The client has no parameter for the temperature any more, older models have.
        assert sent.pop("temperature") == 0.0
    else:
        types = pytest.importorskip("openai.types.chat.completion_create_params")
        shape = types.CompletionCreateParamsNonStreaming
    own = {"openrouter": {"provider", "transforms", "reasoning"}}.get(provider, {"chat_template_kwargs"})
    assert set(sent) - own <= set(shape.__annotations__)
    TypeAdapter(shape).validate_python({name: value for name, value in sent.items() if name not in own})


def test_text_goes_as_plain_text():
    assert body(api(), Prompt("Paytaxt?")) == {
        "model": "m-1",
        "max_completion_tokens": 32,
        "temperature": 0.0,
        "messages": [{"role": "user", "content": "Paytaxt?"}],
    }
    assert body(api("vllm", endpoint="completion", seed=0), Prompt("Paytaxt?")) == {
        "model": "m-1",
        "max_tokens": 32,
        "temperature": 0.0,
        "seed": 0,
        "prompt": "Paytaxt?",
    }


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_images_come_before_the_text_byte_for_byte(provider):
    images = (PNG, Image(b"\xff\xd8\xff", "image/jpeg"))
    (message,) = prompt_body(api(provider), Prompt("Which script?", images=images))["messages"]
    *sent, text = message["content"]
    assert text == {"type": "text", "text": "Which script?"}
    for part, image in zip(sent, images, strict=True):
        if provider == "openai":
            kind, _, data = part["image_url"]["url"].partition(";base64,")
            assert kind == f"data:{image.media_type}"
        else:
            assert part["source"]["media_type"] == image.media_type
            data = part["source"]["data"]
        assert base64.b64decode(data, validate=True) == image.data


def test_a_schema_and_an_effort_go_together():
    sent = body(api("anthropic", reasoning="high"), Prompt("q", schema=SCHEMA))
    assert sent["output_config"] == {"effort": "high", "format": {"type": "json_schema", "schema": SCHEMA}}
    reply = body(api(), Prompt("q", schema=SCHEMA))["response_format"]["json_schema"]
    assert (reply["strict"], reply["schema"]) == (True, SCHEMA)


def test_no_other_model_or_provider_may_step_in():
    sent = body(api("openrouter", extra_body={"provider": {"order": ["one"]}}), Prompt("q"))
    assert sent["provider"] == {"allow_fallbacks": False, "require_parameters": True, "order": ["one"]}
    assert sent["transforms"] == []
    assert "models" not in sent


def test_what_is_left_out_is_not_sent():
    sent = body(api("openrouter", temperature=None), Prompt("q"))
    assert not {"temperature", "seed", "reasoning", "reasoning_effort", "tools", "stream"} & set(sent)


def test_where_requests_go():
    assert (base_url(api()), path(api())) == ("https://api.openai.com/v1", "/chat/completions")
    assert path(api("vllm", endpoint="completion")) == "/completions"
    assert base_url(api("vllm", base_url="http://localhost:9/v1")) == "http://localhost:9/v1"


@pytest.mark.parametrize(
    ("declared", "what"),
    [
        ({"provider": "anthropic", "endpoint": "completion"}, "no completion endpoint"),
        ({"provider": "transformers", "reasoning": "low"}, "no reasoning level 'low'"),
        ({"provider": "vllm", "endpoint": "completion", "reasoning": "off"}, "no reasoning to declare"),
    ],
)
def test_what_a_provider_cannot_do_is_told_before_anything_is_sent(declared, what):
    wanted = api(**declared)
    with pytest.raises(InputError, match=what):
        (path(wanted), settings(wanted, 32))


@pytest.mark.parametrize("prompt", [Prompt("q", system="s"), Prompt("q", images=(PNG,)), Prompt("q", schema=SCHEMA)])
def test_a_completion_takes_text_alone(prompt):
    with pytest.raises(InputError, match="text alone"):
        prompt_body(api("vllm", endpoint="completion"), prompt)


@pytest.mark.parametrize(
    "url", ["https://u:p@host/v1", "https://host/v1?key=1", "https://host/v1#a", "ftp://host", "host/v1", "https://a b"]
)
def test_an_address_that_could_hold_a_secret_is_refused(url):
    with pytest.raises(ValueError, match="base_url"):
        api(base_url=url)


@pytest.mark.parametrize("name", ["sk-123456", "OPENAI", "openai_api_key", "MY KEY"])
def test_a_key_is_named_and_not_given(name):
    with pytest.raises(ValueError, match="key_env"):
        api(key_env=name)
