"""The body of a request: what the study declares, in the spelling of the provider, and one prompt."""

from __future__ import annotations

import base64
from typing import Any

from alifba.backends.base import Image, Prompt
from alifba.config import Api
from alifba.errors import InputError
from alifba.text.resources import load_toml

PROVIDERS: dict[str, dict[str, Any]] = load_toml("api.toml", package="alifba.backends")


def is_anthropic(api: Api) -> bool:
    """Whether `api` speaks Anthropic's protocol; every other provider speaks OpenAI's."""
    return bool(PROVIDERS[api.provider]["protocol"] == "anthropic")


def base_url(api: Api) -> str:
    """Where the endpoint is."""
    return api.base_url or str(PROVIDERS[api.provider]["base_url"])


def path(api: Api) -> str:
    """The path below the base URL.

    Raises:
        InputError: Anthropic has no completion endpoint.
    """
    if not is_anthropic(api):
        return "/chat/completions" if api.endpoint == "chat" else "/completions"
    if api.endpoint == "completion":
        raise InputError("this provider has no completion endpoint", value=api.provider)
    return "/v1/messages"


def settings(api: Api, max_new_tokens: int) -> dict[str, Any]:
    """The fields of the body that are the same for every prompt.

    Raises:
        InputError: the provider has no spelling for the declared level of reasoning, or a completion should reason.
    """
    provider = PROVIDERS[api.provider]
    body = merged({"model": api.model, provider["max_tokens"]: max_new_tokens}, provider["body"])
    body = merged(body, reasoning(api))
    chosen = {"temperature": api.temperature, "seed": api.seed}
    return merged(body | {name: value for name, value in chosen.items() if value is not None}, api.extra_body)


def reasoning(api: Api) -> dict[str, Any]:
    """The fields that ask for the declared level of reasoning; none where none is declared."""
    if api.reasoning is None:
        return {}
    levels: dict[str, dict[str, Any]] = PROVIDERS[api.provider]["reasoning"]
    if api.endpoint == "completion":
        raise InputError("a completion has no reasoning to declare", value=api.reasoning, next_step="leave it out")
    if api.reasoning not in levels:
        raise InputError(
            f"{api.provider} has no reasoning level {api.reasoning!r}",
            next_step=f"declare one of {', '.join(levels)}, or spell it in extra_body",
        )
    return levels[api.reasoning]


def stopping(api: Api, stop: str | None) -> dict[str, Any]:
    """The field that says where a reply ends; none where nothing is declared."""
    if stop is None:
        return {}
    return {"stop_sequences" if is_anthropic(api) else "stop": [stop]}


def merged(first: dict[str, Any], second: dict[str, Any]) -> dict[str, Any]:
    """Both, and where both have an object under one name, the two objects merged."""
    both = first | second
    for name in first.keys() & second.keys():
        if isinstance(first[name], dict) and isinstance(second[name], dict):
            both[name] = merged(first[name], second[name])
    return both


def prompt_body(api: Api, prompt: Prompt) -> dict[str, Any]:
    """The fields of the body that say what is asked. Images come before the text.

    Raises:
        InputError: a completion takes text alone.
    """
    if is_anthropic(api):
        return _message(prompt)
    if api.endpoint == "chat":
        return _chat(prompt)
    if prompt.system or prompt.images or prompt.schema:
        raise InputError("a completion takes text alone", next_step="ask by the endpoint 'chat'")
    return {"prompt": prompt.text}


def _chat(prompt: Prompt) -> dict[str, Any]:
    urls = [f"data:{image.media_type};base64,{_base64(image)}" for image in prompt.images]
    images = [{"type": "image_url", "image_url": {"url": url}} for url in urls]
    system = [{"role": "system", "content": prompt.system}] if prompt.system else []
    body: dict[str, Any] = {"messages": [*system, {"role": "user", "content": _content(images, prompt.text)}]}
    if prompt.schema:
        strict = {"name": "reply", "strict": True, "schema": prompt.schema}
        body["response_format"] = {"type": "json_schema", "json_schema": strict}
    return body


def _message(prompt: Prompt) -> dict[str, Any]:
    sources = [{"type": "base64", "media_type": image.media_type, "data": _base64(image)} for image in prompt.images]
    images = [{"type": "image", "source": source} for source in sources]
    body: dict[str, Any] = {"messages": [{"role": "user", "content": _content(images, prompt.text)}]}
    if prompt.system:
        body["system"] = prompt.system
    if prompt.schema:
        body["output_config"] = {"format": {"type": "json_schema", "schema": prompt.schema}}
    return body


def _content(images: list[dict[str, Any]], text: str) -> str | list[dict[str, Any]]:
    return [*images, {"type": "text", "text": text}] if images else text


def _base64(image: Image) -> str:
    return base64.b64encode(image.data).decode("ascii")
