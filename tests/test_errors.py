"""Errors, operations of torch, and slots that keep nobody alive."""

from __future__ import annotations

import copy
import gc
import json
import os
import pickle
import re
import subprocess
import sys
from collections.abc import Callable
from weakref import ref

import pytest
import torch
from PySide6.QtCore import QObject, Signal
from shiboken6 import delete
from torch.nn.functional import linear, scaled_dot_product_attention

from bertviz_app.errors import AppError, Message, as_json, from_json
from bertviz_app.torch_operations import (
    cpu_flash_attention,
    has_cpu_flash_attention,
    has_mkl_products,
    has_onednn_product,
    mkl_packed,
    mkl_product,
    onednn_product,
    page_locked,
    version_of,
)
from bertviz_app.weak_slots import slot_of
from tests.support.module_facts import ROOT


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


N_TOKENS, N_IN, N_OUT = 150, 24, 40


@pytest.mark.skipif(not has_cpu_flash_attention(), reason="this torch has no such operation")
def test_fused_attention_is_the_public_one_with_the_log_sum_exp() -> None:
    queries, keys, values = (torch.randn(1, 3, N_TOKENS, 16) for _ in range(3))
    mixed, lse = cpu_flash_attention(queries, keys, values, 0.25)
    assert torch.equal(mixed, scaled_dot_product_attention(queries, keys, values, scale=0.25))
    scores = queries.double() @ keys.double().transpose(-1, -2) * 0.25
    torch.testing.assert_close(lse.double(), scores.logsumexp(-1), rtol=0, atol=1e-5)


_IN_BFLOAT16 = """
import torch
from bertviz_app.torch_operations import cpu_flash_attention, cpu_flash_attention_takes_bfloat16

if cpu_flash_attention_takes_bfloat16():
    queries = torch.randn(1, 3, 150, 16, dtype=torch.bfloat16)
    mixed, lse = cpu_flash_attention(queries, queries, queries, 0.25)
    scores = queries.double() @ queries.double().transpose(-1, -2) * 0.25
    torch.testing.assert_close(lse.double(), scores.logsumexp(-1), rtol=0, atol=0.02)
"""


@pytest.mark.slow  # imports torch anew
@pytest.mark.skipif(not has_cpu_flash_attention(), reason="this torch has no such operation")
@pytest.mark.parametrize("kind", ["default", "avx2"])
def test_where_fused_attention_takes_bfloat16_it_computes_it(kind: str) -> None:
    """`kind`: of which processor torch may use the instructions."""
    environment = os.environ | {"ATEN_CPU_CAPABILITY": kind}
    subprocess.run([sys.executable, "-c", _IN_BFLOAT16], check=True, cwd=ROOT, env=environment)


def _by_mkl(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None) -> torch.Tensor:
    return mkl_product(x, mkl_packed(weight, N_TOKENS), weight, bias)


@pytest.mark.parametrize("has_bias", [True, False])
@pytest.mark.parametrize(
    ("product", "is_there"), [(_by_mkl, has_mkl_products), (onednn_product, has_onednn_product)]
)
def test_products_are_those_of_a_dense_layer(
    product: Callable[..., torch.Tensor], is_there: Callable[[], bool], *, has_bias: bool
) -> None:
    if not is_there():
        pytest.skip("this torch has no such operation")
    x, weight = torch.randn(2, N_TOKENS, N_IN), torch.randn(N_OUT, N_IN)
    bias = torch.randn(N_OUT) if has_bias else None
    with torch.inference_mode():
        torch.testing.assert_close(product(x, weight, bias), linear(x, weight, bias), rtol=0, atol=1e-4)


def test_a_change_in_place_raises_the_version() -> None:
    tensor = torch.zeros(3)
    before = version_of(tensor)
    tensor.add_(1)
    assert version_of(tensor) > before


def test_no_other_module_names_what_is_not_public() -> None:
    private = re.compile(r"torch\.(ops|_[A-Z])")
    modules = (ROOT / "bertviz_app").rglob("*.py")
    naming = {path.name for path in modules if private.search(path.read_text(encoding="utf-8"))}
    assert naming == {"torch_operations.py"}


def test_page_locked_memory_is_ordinary_where_the_system_grants_none() -> None:
    block = page_locked(1000)
    block[:] = 7
    assert (block.nbytes, int(block.sum())) == (1000, 7000)
    assert torch.from_numpy(block).is_pinned() == torch.cuda.is_available()


class Sender(QObject):
    changed = Signal(int)


class Receiver(QObject):
    """Listens to a sender that it has, as view models do."""

    def __init__(self, *, is_weak: bool) -> None:
        super().__init__()
        self.sender_of_numbers = Sender()
        self.received: list[tuple[str, int]] = []
        slot = slot_of(self.receive, "a") if is_weak else lambda number: self.receive("a", number)
        self.sender_of_numbers.changed.connect(slot)

    def receive(self, name: str, number: int) -> None:
        self.received.append((name, number))


def test_its_own_arguments_come_before_those_of_the_signal() -> None:
    receiver = Receiver(is_weak=True)
    receiver.sender_of_numbers.changed.emit(3)
    assert receiver.received == [("a", 3)]


@pytest.mark.parametrize("is_weak", [True, False])
def test_a_receiver_that_has_its_sender_is_freed_where_a_lambda_would_hold_it(is_weak: bool) -> None:
    receiver = Receiver(is_weak=is_weak)
    sender, found = receiver.sender_of_numbers, ref(receiver)
    del receiver
    gc.collect()
    assert (found() is None) is is_weak
    sender.changed.emit(3)  # nobody is called, and nothing fails
    sender.changed.disconnect()


def test_a_receiver_that_qt_deleted_is_called_no_more_though_python_still_holds_it() -> None:
    sender, receiver = Sender(), Receiver(is_weak=True)
    sender.changed.connect(slot_of(receiver.receive, "b"))
    delete(receiver)
    sender.changed.emit(3)
    assert receiver.received == []


def test_a_receiver_and_its_sender_are_freed_together() -> None:
    receiver = Receiver(is_weak=True)
    found = ref(receiver), ref(receiver.sender_of_numbers)
    del receiver
    gc.collect()
    assert [one() for one in found] == [None, None]
