"""The model as an analysis sees it: the trace's own numbers, gradients, batches, memory, cancelling."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor

from bertviz_app.analysis.model_access import ModelAccess
from bertviz_app.checkpoint import assemble
from bertviz_app.errors import Cancelled, CheckpointError, DeviceError, SelectionError
from bertviz_app.inference.engine import Engine, TraceRequest
from bertviz_app.inference.opened_checkpoint import Device
from bertviz_app.text import Edits
from bertviz_app.trace import Trace
from bertviz_app.trace.form import Capture, Point
from bertviz_app.trace.provenance import Identity, Provenance
from tests.support.factories import make_trace

TEXT = "the cat ate the fish"
BASE, TUNED = "bert-mini-en-ko", "bert-mini-en-ko-sentiment"


class Setting:
    """An engine, a request and its trace."""

    def __init__(self, ref: str, edits: Edits | None = None) -> None:
        self.engine = Engine()
        self.request = TraceRequest(ref, "cpu", TEXT, None, edits or Edits())
        self.trace: Trace = self.engine.trace(self.request).trace

    def on_model(
        self, work: Callable[[ModelAccess], object], check: Callable[[], None] = lambda: None
    ) -> object:
        return self.engine.with_model(self.request, self.trace, work, check)


class Differentiate:
    """A tap that makes the embeddings what gradients are computed for."""

    embeddings = torch.zeros(0)

    def wants(self, point: Point, layer: int) -> bool:
        return point is Point.EMBEDDINGS

    def __call__(self, point: Point, layer: int, tensor: Tensor) -> Tensor:
        self.embeddings = tensor.detach().requires_grad_()
        return self.embeddings


@pytest.mark.parametrize("muted", [(), ((1, 2),)])
def test_a_pass_gives_the_numbers_of_the_trace(muted: tuple[tuple[int, int], ...], tiny_bert: Path) -> None:
    setting = Setting(str(tiny_bert), Edits(muted=muted))
    trace = setting.trace

    def work(model: ModelAccess) -> None:
        capture = Capture([Point.WEIGHTS, Point.OUTPUT])
        output = model.forward([trace.tokens], capture)
        np.testing.assert_array_equal(output.hidden[0].numpy(), trace.hidden[-1])
        assert output.seen is None
        assert not output.hidden.requires_grad
        for layer in range(trace.n_layers):
            weights = capture.tensors[Point.WEIGHTS, layer][0].numpy()
            np.testing.assert_allclose(weights, trace.attention(layer), atol=1e-6)

    setting.on_model(work)


def test_inputs_of_different_lengths_are_one_batch(tiny_bert: Path) -> None:
    setting = Setting(str(tiny_bert))
    longer = setting.engine.tokens(str(tiny_bert), TEXT + " because it was hungry")

    def work(model: ModelAccess) -> None:
        output = model.forward([setting.trace.tokens, longer])
        n_tokens = setting.trace.n_tokens
        np.testing.assert_allclose(output.hidden[0, :n_tokens].numpy(), setting.trace.hidden[-1], atol=1e-5)
        assert output.seen is not None
        assert output.seen.sum(1).tolist() == [n_tokens, len(longer)]

    setting.on_model(work)


def test_gradients_of_a_class_by_the_embeddings() -> None:
    setting = Setting(TUNED)
    models: list[ModelAccess] = []

    def work(model: ModelAccess) -> Tensor:
        models.append(model)
        tap = Differentiate()
        output = model.forward([setting.trace.tokens], tap, grad=True)
        logits = model.task_logits(output.hidden, grad=True).classes
        assert logits is not None
        expected = model.logits(setting.trace).classes
        assert expected is not None
        np.testing.assert_allclose(logits[0].detach().numpy(), expected, atol=1e-5)
        (gradient,) = torch.autograd.grad(logits[0, 1], [tap.embeddings])
        return gradient

    gradient = setting.on_model(work)
    assert isinstance(gradient, Tensor)
    assert gradient.shape == (1, *setting.trace.hidden[0].shape)
    assert gradient.abs().max() > 0
    weights = models[0].weights(0)
    assert weights.value.weight.grad is None
    assert not weights.value.weight.requires_grad


def test_the_weights_make_the_values(tiny_bert: Path) -> None:
    setting = Setting(str(tiny_bert))

    def work(model: ModelAccess) -> None:
        value, config = model.weights(1).value, model.config
        assert value.bias is not None
        flat = torch.from_numpy(setting.trace.hidden[1].copy()) @ value.weight.T + value.bias  # [T, H * E]
        values = flat.view(-1, config.n_heads, config.head_width).transpose(0, 1).numpy()
        np.testing.assert_allclose(setting.trace.values[1], values, atol=1e-5)
        with pytest.raises(SelectionError, match="no layer 2"):
            model.weights(2)

    setting.on_model(work)


def test_a_model_has_the_facts_of_its_checkpoint() -> None:
    def work(model: ModelAccess) -> None:
        assert model.mask_id is not None
        assert "masked" in model.task_heads
        assert model.pieces([model.mask_id]) == ("[MASK]",)
        assert model.token_embeddings.shape == (model.config.vocabulary_size, model.config.width)

    Setting(BASE).on_model(work)


def test_it_can_be_cancelled_between_two_layers(tiny_bert: Path) -> None:
    setting = Setting(str(tiny_bert))
    n_calls = 0

    def check() -> None:
        nonlocal n_calls
        n_calls += 1
        if n_calls == 3:  # before the pass, after the embeddings, after layer 0
            raise Cancelled

    with pytest.raises(Cancelled):
        setting.on_model(lambda model: model.forward([setting.trace.tokens]), check)
    assert n_calls == 3


def test_a_text_is_encoded_between_two_passes(tiny_bert: Path) -> None:
    """The analysis holds no lock: from inside of it, on the other worker, a text can be encoded."""
    setting = Setting(str(tiny_bert))

    def work(model: ModelAccess) -> int:
        first = model.forward([setting.trace.tokens])
        with_thread = _trace_on_another_thread(setting)
        second = model.forward([setting.trace.tokens])
        assert torch.equal(first.hidden, second.hidden)
        return with_thread

    assert setting.on_model(work) == setting.trace.n_tokens


def _trace_on_another_thread(setting: Setting) -> int:
    """Return the number of tokens of a trace that another thread makes."""
    made: list[Trace] = []
    thread = threading.Thread(target=lambda: made.append(setting.engine.trace(setting.request).trace))
    thread.start()
    thread.join(30)
    return made[0].n_tokens


def test_a_trace_of_another_checkpoint_is_refused(tiny_bert: Path) -> None:
    setting = Setting(str(tiny_bert))
    for trace in (make_trace(5), replace(setting.trace, provenance=Provenance(Identity("of another")))):
        setting.trace = trace
        with pytest.raises(CheckpointError, match="another checkpoint"):
            setting.on_model(lambda model: model)


def test_too_little_memory_on_a_device_is_the_cpus_work(
    tiny_bert: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(encoder: object, device: str, *, in_bfloat16: bool) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory.")

    cpu, gpu = Device("cpu", "CPU", ""), Device("cuda:0", "CUDA 0", "a card")
    monkeypatch.setattr("bertviz_app.inference.engine.available_devices", lambda: (cpu, gpu))
    setting = Setting(str(tiny_bert))
    setting.request = replace(setting.request, device="cuda")
    monkeypatch.setattr(assemble, "placed", full)
    device = setting.on_model(lambda model: str(model.token_embeddings.device))
    assert device == "cpu"


def test_no_memory_at_all_is_an_error(tiny_bert: Path) -> None:
    def full(model: ModelAccess) -> None:
        raise MemoryError

    with pytest.raises(DeviceError, match="not enough memory for this analysis"):
        Setting(str(tiny_bert)).on_model(full)
