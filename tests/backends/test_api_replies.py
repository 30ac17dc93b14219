"""What is read: answers word for word, and nothing that is no answer. Bodies are made by the providers' own types."""

from __future__ import annotations

import pytest
from api_server import chat, completion, message
from hypothesis import given
from hypothesis import strategies as st

from alifba.backends.api_replies import Failure, read_completion, read_message, worth_another_try

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda part: st.lists(part, max_size=3) | st.dictionaries(st.text(max_size=8), part, max_size=3),
    max_leaves=8,
)
NAMES = st.sampled_from(["choices", "message", "content", "error", "usage", "model", "text", "type", "stop_reason"])
NEAR = st.recursive(JSON, lambda part: st.lists(part, max_size=2) | st.dictionaries(NAMES, part, max_size=4))


def failure(read, body) -> Failure:
    with pytest.raises(Failure) as caught:
        read(body)
    return caught.value


def with_message(finish: str = "stop", **fields: object) -> dict[str, object]:
    return chat(None, choices=[{"index": 0, "finish_reason": finish, "message": {"role": "assistant"} | fields}])


def test_the_bodies_of_these_tests_are_what_the_clients_types_say():
    openai, anthropic = pytest.importorskip("openai.types"), pytest.importorskip("anthropic.types")
    openai.chat.ChatCompletion.model_validate(chat("Bakı"))
    openai.Completion.model_validate(completion("Bakı"))
    anthropic.Message.model_validate(message("Bakı"))


def test_an_answer_is_kept_word_for_word():
    for text in (" Bakı\n\n", "", "None", "\u0130\ud83d\ude00"):
        for read, body in (
            (read_completion, chat(text)),
            (read_completion, completion(text)),
            (read_message, message(text)),
        ):
            reply = read(body)
            assert (reply.text, reply.stop_reason, reply.served_model) == (text, "end", "served-1")
            assert (reply.prompt_tokens, reply.completion_tokens) == (40, 5)


@pytest.mark.parametrize(
    ("read", "body"),
    [
        (read_completion, chat("Bak", "length")),
        (read_message, message("Bak", "max_tokens")),
        (read_message, message("Bak", "model_context_window_exceeded")),
    ],
)
def test_a_cut_off_answer_says_so(read, body):
    assert (read(body).text, read(body).stop_reason) == ("Bak", "length")


@pytest.mark.parametrize(
    ("read", "body", "again"),
    [
        (read_completion, chat(None), True),
        (read_completion, chat("x", choices=[]), True),
        (read_completion, chat("x", choices=None), True),
        (read_completion, {}, True),
        (read_completion, "<html>", True),
        (read_completion, None, True),
        (read_completion, chat("x", choices="y"), True),
        (read_completion, with_message(content=7), True),
        (read_completion, chat(None, "content_filter"), False),
        (read_completion, chat("half a repl", "content_filter"), False),
        (read_completion, chat("half a repl", "error"), True),
        (read_completion, chat(None, "tool_calls"), False),
        (read_completion, {"error": {"code": 502, "message": "upstream"}}, True),
        (read_completion, {"error": {"code": 403, "message": "flagged"}}, False),
        (read_message, message("", content=[]), True),
        (read_message, message("", content=None), True),
        (read_message, message("x", "tool_use"), False),
        (read_message, message("x", "pause_turn"), False),
        (read_message, [], True),
    ],
)
def test_what_is_no_answer_is_a_failure(read, body, again):
    assert failure(read, body).again is again


@pytest.mark.parametrize(
    ("read", "body"),
    [
        (read_completion, chat(None, "length")),
        (read_message, message("", "max_tokens", content=[{"type": "thinking", "thinking": "so", "signature": "x"}])),
    ],
)
def test_a_thought_that_was_cut_off_is_no_answer_and_says_that_it_was_cut_off(read, body):
    fault = failure(read, body)
    assert (fault.stop_reason, fault.again) == ("length", False)


def test_a_refusal_is_an_answer_of_its_own_kind():
    assert read_completion(with_message(content=None, refusal="I cannot.")).stop_reason == "refusal"
    assert read_completion(with_message(content=None, refusal="I cannot.")).text == "I cannot."
    declined = read_message(message("", "refusal", content=[]))
    assert (declined.text, declined.stop_reason) == ("", "refusal")


@pytest.mark.parametrize(
    ("read", "body", "thought"),
    [
        (read_completion, chat("x"), False),
        (read_completion, chat("<think>\n\n</think>\n\nx"), False),
        (read_completion, chat("<think>\nLet me see"), True),
        (read_completion, with_message(content="x", reasoning_content="Let me see"), True),
        (read_completion, with_message(content="x", reasoning="Let me see"), True),
        (read_completion, with_message(content="x", reasoning_content=""), False),
        (read_completion, chat("x", usage={"completion_tokens_details": {"reasoning_tokens": 9}}), True),
        (read_completion, chat("x", usage={"completion_tokens_details": {"reasoning_tokens": 0}}), False),
        (read_message, message("x"), False),
        (
            read_message,
            message("x", content=[{"type": "redacted_thinking", "data": ""}, {"type": "text", "text": "x"}]),
            True,
        ),
    ],
)
def test_a_thought_is_seen_wherever_a_server_puts_it(read, body, thought):
    assert read(body).thought is thought


def test_the_thought_is_not_part_of_the_answer():
    blocks = [{"type": "thinking", "thinking": "Let me", "signature": ""}, *({"type": "text", "text": t} for t in "ab")]
    assert read_message(message("", content=blocks)).text == "ab"


def test_counts_that_are_not_told_are_not_guessed():
    for usage in (None, {}, {"prompt_tokens": None}):
        reply = read_completion(chat("x", usage=usage))
        assert (reply.prompt_tokens, reply.completion_tokens, reply.cost_usd) == (None, None, None)


def test_what_a_gateway_tells_is_kept():
    told = chat("x", provider="Host", usage={"prompt_tokens": 1, "completion_tokens": 1, "cost": 0.25})
    assert (read_completion(told).served_model, read_completion(told).cost_usd) == ("served-1 @ Host", 0.25)


def test_tokens_read_from_a_cache_are_tokens_of_the_prompt():
    usage = {
        "input_tokens": 10,
        "cache_read_input_tokens": 200,
        "cache_creation_input_tokens": None,
        "output_tokens": 3,
    }
    assert read_message(message("x", usage=usage)).prompt_tokens == 210


@given(body=NEAR)
def test_any_body_is_an_answer_or_a_failure(body):
    for read in (read_completion, read_message):
        try:
            said = read(body).text
        except Failure as fault:
            said = fault.what or None
        assert isinstance(said, str)


def test_not_now_and_no():
    again = {status for status in range(100, 700) if worth_another_try(status)}
    assert again == {408, 409, 425, 429, *range(500, 600)}
    assert not worth_another_try("429")
