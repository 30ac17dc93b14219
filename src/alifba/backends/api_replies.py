"""How the body of a reply is read. What is no answer raises `Failure`: it never becomes text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import BaseModel, Field, StrictInt, StrictStr, ValidationError

from alifba.backends.base import StopReason

_Body = TypeVar("_Body", bound=BaseModel)
# An empty block is how some models say that they do not think.
_THOUGHT = re.compile(r"\s*<think>(?!\s*</think>)")
_CHAT_STOPS: dict[str | None, StopReason] = {"stop": "end", "length": "length"}
_MESSAGE_STOPS: dict[str | None, StopReason] = {
    "end_turn": "end",
    "stop_sequence": "end",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "refusal",
}
_CUT_OFF = "cut off at the token limit before any answer"


class Failure(Exception):
    """A try that brought no answer.

    again: another try may bring one. retry_after: seconds to wait before it, as the server said.
    unreached: the server was not reached or had no room, which says nothing about the item.
    billed: the server may have made, and charged for, a reply that did not arrive.
    """

    def __init__(
        self,
        what: str,
        *,
        again: bool,
        retry_after: float | None = None,
        stop_reason: StopReason | None = None,
        unreached: bool = False,
        billed: bool = False,
    ) -> None:
        super().__init__(what)
        self.what, self.again, self.retry_after = what, again, retry_after
        self.stop_reason, self.unreached, self.billed = stop_reason, unreached, billed


@dataclass(frozen=True)
class Reply:
    """An answer as it came. Counts are None where the server does not tell them. `thought`: the model reasoned."""

    text: str
    stop_reason: StopReason | None
    prompt_tokens: int | None
    completion_tokens: int | None
    served_model: str | None
    cost_usd: float | None = None
    thought: bool = False


class _Details(BaseModel):
    reasoning_tokens: StrictInt | None = None


class _Usage(BaseModel):
    prompt_tokens: StrictInt | None = None
    completion_tokens: StrictInt | None = None
    completion_tokens_details: _Details | None = None
    cost: float | None = Field(default=None, ge=0, allow_inf_nan=False)


class _ChatMessage(BaseModel):
    content: StrictStr | None = None
    refusal: StrictStr | None = None
    reasoning: Any = None
    reasoning_content: Any = None


class _Choice(BaseModel):
    finish_reason: StrictStr | None = None
    message: _ChatMessage = _ChatMessage()
    text: StrictStr | None = None


class _Error(BaseModel):
    code: Any = None
    message: Any = None


class _Completion(BaseModel):
    model: StrictStr | None = None
    provider: StrictStr | None = None
    choices: list[_Choice] | None = None
    usage: _Usage | None = None
    error: _Error | None = None


class _Block(BaseModel):
    type: StrictStr
    text: StrictStr = ""


class _MessageUsage(BaseModel):
    input_tokens: StrictInt | None = None
    cache_creation_input_tokens: StrictInt | None = None
    cache_read_input_tokens: StrictInt | None = None
    output_tokens: StrictInt | None = None


class _Message(BaseModel):
    model: StrictStr | None = None
    content: list[_Block]
    stop_reason: StrictStr | None = None
    usage: _MessageUsage = _MessageUsage()


def worth_another_try(status: Any) -> bool:
    """Whether an HTTP status says "not now" rather than "no"."""
    return isinstance(status, int) and (status in (408, 409, 425, 429) or 500 <= status < 600)


def _validated(model: type[_Body], body: Any, kind: str) -> _Body:
    try:
        return model.model_validate(body)
    except ValidationError as fault:
        first = fault.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise Failure(f"the reply is no {kind} ({place or 'body'}: {first['msg']})", again=True, billed=True) from None


def read_completion(body: Any) -> Reply:
    """The first choice of a chat or text completion.

    Raises:
        Failure: no choice, null content, a content filter, a call of a tool, or not of this shape at all.
    """
    whole = _validated(_Completion, body, "completion")
    if not whole.choices:
        if whole.error:
            # Some gateways put the fault of the server behind them into a body with status 200.
            again = worth_another_try(whole.error.code)
            raise Failure(f"error in the reply: {whole.error.message}", again=again, unreached=again)
        raise Failure("the reply has no choices", again=True, billed=True)
    choice = whole.choices[0]
    usage = whole.usage or _Usage()
    text, stop = _text_of(choice)
    return Reply(
        text=text,
        stop_reason=stop,
        prompt_tokens=usage.prompt_tokens,
        completion_tokens=usage.completion_tokens,
        served_model=f"{whole.model} @ {whole.provider}" if whole.provider else whole.model,
        cost_usd=usage.cost,
        thought=_thought(choice, usage),
    )


def _text_of(choice: _Choice) -> tuple[str, StopReason | None]:
    finish, said = choice.finish_reason, choice.message
    stop = _CHAT_STOPS.get(finish)
    if finish == "content_filter":
        raise Failure("stopped by a content filter", again=False)
    if finish == "error":
        raise Failure("the server broke off its reply", again=True, billed=True)
    text = said.content if said.content is not None else choice.text
    if text is not None:
        return text, "refusal" if said.refusal else stop
    if said.refusal is not None:
        return said.refusal, "refusal"
    if stop == "length":
        raise Failure(_CUT_OFF, again=False, stop_reason="length", billed=True)
    again = finish not in ("tool_calls", "function_call")
    raise Failure(f"the content is null (finish reason {finish!r})", again=again, billed=True)


def _thought(choice: _Choice, usage: _Usage) -> bool:
    tokens = usage.completion_tokens_details and usage.completion_tokens_details.reasoning_tokens
    told = choice.message.reasoning or choice.message.reasoning_content
    return bool(tokens or told or _THOUGHT.match(choice.message.content or ""))


def read_message(body: Any) -> Reply:
    """The text blocks of an Anthropic message, joined. A refusal may have none: its text is then empty.

    Raises:
        Failure: no text block, a call of a tool, or not of this shape at all.
    """
    whole = _validated(_Message, body, "message")
    stop = _MESSAGE_STOPS.get(whole.stop_reason)
    texts = [block.text for block in whole.content if block.type == "text"]
    if stop is None:
        raise Failure(f"no answer (stop reason {whole.stop_reason!r})", again=False, billed=True)
    if not texts and stop == "length":
        raise Failure(_CUT_OFF, again=False, stop_reason=stop, billed=True)
    if not texts and stop != "refusal":
        raise Failure("the reply has no text", again=True, billed=True)
    usage = whole.usage
    read = (usage.input_tokens, usage.cache_creation_input_tokens, usage.cache_read_input_tokens)
    return Reply(
        text="".join(texts),
        stop_reason=stop,
        prompt_tokens=sum(n or 0 for n in read) if usage.input_tokens is not None else None,
        completion_tokens=usage.output_tokens,
        served_model=whole.model,
        thought=any(block.type.endswith("thinking") for block in whole.content),
    )
