"""`Message`: a filled sentence that remembers its template."""

from __future__ import annotations

import copy
import json
import pickle

import pytest

from bertviz_app.errors import AppError, Message, as_json, from_json


def test_a_message_is_its_filled_text() -> None:
    message = Message("{0} has {1} heads.", "bert", 12)
    assert message == "bert has 12 heads."
    assert (message.template, message.arguments) == ("{0} has {1} heads.", ("bert", 12))


def test_braces_of_what_fills_it_stay() -> None:
    assert Message("{0} is missing.", "layer.{0..3}") == "layer.{0..3} is missing."


@pytest.mark.parametrize("made_again", [copy.copy, copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))])
def test_copies_remember_the_template(made_again: object) -> None:
    assert callable(made_again)
    message = made_again(Message("{0}, {1}", Message("a {0}", 1), "b"))
    assert message == "a 1, b"
    assert message.arguments[0].template == "a {0}"


def test_joined_messages_are_parts_of_one() -> None:
    joined = Message.joined([Message("One is {0}.", 1), "Two."])
    assert joined == "One is 1. Two."
    assert joined.arguments == ("One is 1.", "Two.")


def test_an_error_keeps_its_messages() -> None:
    error = AppError(Message("No {0}.", "head"), Message("Ask for {0}.", 3))
    assert str(error) == "No head. Ask for 3."
    assert isinstance(error.message, Message)


@pytest.mark.parametrize(
    "text",
    ["plain", Message("{0} of {1}", 3, Message("a {0}", "b")), Message.joined(["One.", Message("{0}.", 2)])],
)
def test_a_message_goes_through_json(text: str) -> None:
    again = from_json(json.loads(json.dumps(as_json(text))))
    assert again == text
    assert getattr(again, "template", None) == getattr(text, "template", None)


@pytest.mark.parametrize(
    "value",
    [
        None,
        3,
        [],
        {"template": 1},
        {"template": "{1}", "arguments": ["a"]},
        {"template": "{0.b}", "arguments": ["a"]},
        {"template": "a"},
    ],
)
def test_what_is_no_message_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match="no text"):
        from_json(value)
