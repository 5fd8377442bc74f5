"""Models found and read: their parameters, on CPU and CUDA, in bfloat16."""

from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Callable
from dataclasses import replace
from itertools import count
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from bertviz_app.analysis.model_access import ModelAccess
from bertviz_app.analysis.parameters import SILENT
from bertviz_app.api import open_model
from bertviz_app.checkpoint import assemble
from bertviz_app.checkpoint.assemble import copied_to
from bertviz_app.checkpoint.parameters import LinearProduct
from bertviz_app.checkpoint.sources import source as sources
from bertviz_app.checkpoint.sources.source import Origin, cached_models
from bertviz_app.encoder.recorder import record
from bertviz_app.errors import (
    AnalysisError,
    ArgumentError,
    Cancelled,
    CheckpointError,
    DeviceError,
    Message,
    SelectionError,
)
from bertviz_app.inference import engine, opened_checkpoint as devices
from bertviz_app.inference.engine import AnalysisRequest, Engine, TraceRequest, rounding
from bertviz_app.inference.fetching import SavedCheckpoint, find_saved
from bertviz_app.inference.model_parameters import _read_module
from bertviz_app.inference.opened_checkpoint import Device, device_name, dtype_of, find_device
from bertviz_app.text.edits import Edits
from bertviz_app.torch_operations import page_locked
from bertviz_app.trace import Trace
from bertviz_app.trace.archive import load_trace, save_trace
from bertviz_app.trace.form import Capture, Point
from bertviz_app.trace.memory import TraceMemory
from bertviz_app.trace.provenance import NOT_KNOWN, Identity, LayerDetails, Provenance
from bertviz_app.types import Floats
from tests.support.checkpoint_folders import small_encoder
from tests.support.checkpoints import random_bert, write_bert
from tests.support.factories import make_trace
from tests.support.families import COMPUTED_ALIKE, FAMILIES, write_family
from tests.support.peers import random_tokens

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
    thread.join(60)
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
    monkeypatch.setattr(assemble, "copied_to", full)
    device = setting.on_model(lambda model: str(model.token_embeddings.device))
    assert device == "cpu"


def test_no_memory_at_all_is_an_error(tiny_bert: Path) -> None:
    def full(model: ModelAccess) -> None:
        raise MemoryError

    with pytest.raises(DeviceError, match="not enough memory for this analysis"):
        Setting(str(tiny_bert)).on_model(full)


EDITS = Edits(muted=((1, 0),), replaced=((1, "[MASK]"),))


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty hub cache; no checkpoint comes with the program."""
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(sources, "known_checkpoints", _cached)
    return tmp_path / "cache"


def _cached() -> list[tuple[str, Path, Origin]]:
    return [(name, folder, "cache") for name, folder in cached_models()]


@pytest.fixture
def trace(tiny_bert: Path) -> Trace:
    return Engine().trace(TraceRequest(str(tiny_bert), "cpu", "the cat ate the fish", edits=EDITS)).trace


@pytest.fixture
def saved(tiny_bert: Path) -> SavedCheckpoint:
    return SavedCheckpoint.of(Engine().load(str(tiny_bert)))


def _find(saved: SavedCheckpoint, *recent: Path, trace: Trace | None = None) -> str | None:
    return find_saved(saved, {}, map(str, recent), lambda: None, trace)


@pytest.mark.usefixtures("cache")
def test_it_is_found_where_it_was(saved: SavedCheckpoint, tiny_bert: Path) -> None:
    assert _find(saved) == saved.ref == str(tiny_bert.resolve())


@pytest.mark.usefixtures("cache")
def test_it_is_found_in_another_folder_among_others(saved: SavedCheckpoint, tmp_path: Path) -> None:
    other, moved = write_bert(tmp_path / "other", random_bert(5)), write_bert(tmp_path / "moved")
    gone = replace(saved, ref="/nowhere/it-was")
    assert _find(gone, other) is None
    assert _find(gone, other, tmp_path / "missing", moved) == str(moved.resolve())


@pytest.mark.usefixtures("cache")
def test_another_checkpoint_where_it_was_is_not_taken_for_it(saved: SavedCheckpoint, tmp_path: Path) -> None:
    here = write_bert(tmp_path / "tiny", random_bert(5))
    assert _find(replace(saved, ref=str(here.resolve()), name="tiny")) is None


@pytest.mark.usefixtures("cache")
def test_the_same_weights_with_another_tokenizer_are_not_it(saved: SavedCheckpoint, tmp_path: Path) -> None:
    cased = write_bert(tmp_path / "cased", lower_case=False)
    assert _find(replace(saved, ref=str(cased.resolve()))) is None


@pytest.mark.usefixtures("cache")
def test_it_is_found_in_the_cache_of_the_hub(saved: SavedCheckpoint, cache: Path) -> None:
    folder = write_bert(cache / "models--me--toy" / "snapshots" / "a1b2c3d")
    identity = replace(saved.identity, hub_id="me/toy", revision="a1b2c3d")
    found = _find(replace(saved, ref="/elsewhere/snapshots/a1b2c3d", identity=identity))
    assert found is not None
    assert Path(found).samefile(folder)


@pytest.mark.usefixtures("cache")
def test_an_open_one_is_found_without_reading_files(saved: SavedCheckpoint, tiny_bert: Path) -> None:
    facts = Engine().load(str(tiny_bert))
    assert find_saved(replace(saved, ref=""), {"mine": facts}, (), lambda: None) == "mine"
    nobody = replace(saved, identity=replace(saved.identity, fingerprint=""))
    assert find_saved(replace(nobody, ref=""), {"mine": facts}, (), lambda: None) is None


@pytest.mark.usefixtures("cache")
def test_an_open_one_that_was_moved_is_looked_for(
    saved: SavedCheckpoint, tiny_bert: Path, tmp_path: Path
) -> None:
    facts, gone = Engine().load(str(tiny_bert)), str(tmp_path / "gone")
    moved = replace(saved, ref=gone)
    assert find_saved(moved, {gone: facts}, (), lambda: None) is None
    assert find_saved(moved, {gone: facts}, (str(tiny_bert),), lambda: None) == str(tiny_bert.resolve())


@pytest.mark.usefixtures("cache")
def test_without_a_fingerprint_it_is_the_one_that_computes_the_same(
    trace: Trace, tiny_bert: Path, tmp_path: Path
) -> None:
    older = replace(trace, provenance=replace(NOT_KNOWN, replaced=EDITS.replaced))
    saved = SavedCheckpoint.of_trace(older)
    other = write_bert(tmp_path / "other", random_bert(5))
    assert saved.identity.fingerprint == ""
    assert _find(saved, other, tiny_bert, trace=older) == str(tiny_bert.resolve())
    assert _find(saved, other, trace=older) is None
    assert _find(saved, tiny_bert) is None, "there are no numbers to compare"


@pytest.mark.usefixtures("cache")
def test_damaged_ones_are_passed_over(saved: SavedCheckpoint, tmp_path: Path) -> None:
    damaged = write_bert(tmp_path / "damaged")
    (damaged / "model.safetensors").write_bytes(b"{}")
    assert _find(replace(saved, ref=""), damaged) is None


@pytest.mark.usefixtures("cache")
def test_looking_can_be_cancelled(saved: SavedCheckpoint) -> None:
    def stop() -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        find_saved(saved, {}, (), stop)


@pytest.mark.usefixtures("cache")
def test_a_checkpoint_of_the_hub_has_a_name_to_download_it_by(saved: SavedCheckpoint) -> None:
    assert saved.hub_ref == ""
    identity = replace(saved.identity, hub_id="me/toy", revision="a1b2c3d")
    assert replace(saved, identity=identity).hub_ref == "me/toy@a1b2c3d"


ROTATED = {"modernbert", "nomic_bert", "esm", "roformer", "eurobert", "gte", "jina_embeddings_v3"}
LIMIT = 1e-6


def _worst(found: LinearProduct) -> float:
    """Return the difference between the sum and the number of the forward pass, in proportion if large."""
    return abs(found.total - found.computed) / max(1.0, abs(found.computed))


def _by_token(heads: Floats) -> Floats:
    """Return [H, T, E] as [T, H * E]."""
    return np.concatenate(heads, axis=-1)


def _in_trace(key: str, trace: Trace, details: LayerDetails, layer: int) -> Floats | None:
    """Return the tensor [T, out] of the trace that a matrix makes, None where it has none."""
    tensors = {
        "attention.query": _by_token(trace.queries[layer]),
        "attention.key": _by_token(trace.keys[layer]),
        "attention.value": _by_token(trace.values[layer]),
        "attention.output": details.projected,
        "feed_forward.expand": details.expanded,
        "feed_forward.gate": details.gate,
        "feed_forward.contract": details.contracted,
    }
    return tensors.get(key.removeprefix(f"layers.{layer}.").removesuffix(".weight"))


@pytest.mark.parametrize("family", [name for name in FAMILIES if name not in COMPUTED_ALIKE])
def test_the_sum_is_the_number_in_the_trace(family: str, tmp_path: Path) -> None:
    write_family(tmp_path, family)
    engine = Engine()
    request = TraceRequest(str(tmp_path), "cpu", TEXT, None, Edits(muted=((1, 0),)))
    trace = engine.trace(request).trace
    parameters = engine.parameters(request.ref, trace)
    token, n_compared = 2, 0
    for entry in parameters.table:
        if not entry.is_linear or (family == "longformer" and "everywhere" in entry.key):
            continue
        output = entry.shape[0] - 1
        for layer in entry.layers or (None,):
            found = parameters.product(trace, entry.key, token, output, layer)
            assert _worst(found) < LIMIT, entry.key
            assert found.sum == pytest.approx(float((found.inputs.astype(float) * found.weights).sum()))
            if layer is None:
                continue
            details = engine.details(request, trace, layer)
            stored = entry.layers[0] if len(entry.layers) > 1 else layer
            tensor = _in_trace(
                entry.key.replace(f"layers.{stored}.", f"layers.{layer}."), trace, details, layer
            )
            is_rotated = family in ROTATED and ("query" in entry.key or "key" in entry.key)
            is_shared = family == "eurobert" and "value" in entry.key  # stands once for each query in a trace
            if tensor is not None and not (is_rotated or is_shared):
                n_compared += 1
                assert found.computed == pytest.approx(float(tensor[token, output]), abs=LIMIT), entry.key
    assert n_compared >= 3 * trace.n_layers


def test_the_pooler_and_task_heads_read_what_they_read(tmp_path: Path) -> None:
    write_family(tmp_path, "bert", "AutoModelForPreTraining")
    engine = Engine()
    request = TraceRequest(str(tmp_path), "cpu", TEXT)
    trace = engine.trace(request).trace
    parameters = engine.parameters(request.ref, trace)
    pooled = parameters.product(trace, "pooler.dense.weight", 4, 7)
    assert trace.pooled is not None
    assert pooled.token is None
    np.testing.assert_array_equal(pooled.inputs, trace.hidden[-1, 0])
    assert np.tanh(pooled.total) == pytest.approx(trace.pooled[7], abs=LIMIT)
    piece = parameters.product(trace, "heads.masked.decoder.weight", 4, 9)
    logits = engine.with_model(request, trace, lambda model: model.logits(trace, [4]), lambda: None)
    assert logits.masked is not None
    assert piece.token == 4
    assert piece.total == pytest.approx(float(logits.masked[0, 9]), rel=LIMIT, abs=LIMIT)
    follows = parameters.product(trace, "heads.next_sentence.weight", 0, 1)
    np.testing.assert_array_equal(follows.inputs, trace.pooled)


def test_what_there_is_no_product_of_is_refused(tiny_bert: Path) -> None:
    engine = Engine()
    trace = engine.trace(TraceRequest(str(tiny_bert), "cpu", TEXT)).trace
    parameters = engine.parameters(str(tiny_bert), trace)
    refused = [
        ("embeddings.token.weight", 0, 0, None, "not the matrix of a linear map"),
        ("layers.0.attention.query.bias", 0, 0, None, "not the matrix of a linear map"),
        ("layers.0.attention.query.weight", 99, 0, None, "no token 99"),
        ("layers.0.attention.query.weight", 0, 32, None, "no output 32"),
        ("layers.0.attention.query.weight", 0, 0, 1, "Layer 1 does not use"),
    ]
    for name, token, output, layer, words in refused:
        with pytest.raises(SelectionError, match=words):
            parameters.product(trace, name, token, output, layer)


def test_parameters_of_another_checkpoint_are_refused(tiny_bert: Path) -> None:
    engine = Engine()
    trace = engine.trace(TraceRequest(str(tiny_bert), "cpu", TEXT)).trace
    with pytest.raises(CheckpointError, match="another checkpoint"):
        engine.parameters(None, trace)


def test_a_text_that_is_encoded_meanwhile_has_no_part_in_a_product() -> None:
    module, own, others = nn.Linear(2, 2), torch.ones(1, 2), torch.zeros(1, 2)

    def run() -> None:
        encoding = threading.Thread(target=module, args=(others,))
        encoding.start()
        encoding.join()
        module(own)

    found = _read_module(module, run)
    assert found is not None
    torch.testing.assert_close(found[0], own)
    torch.testing.assert_close(found[1], module(own))


HAS_IT = Device("cpu", "CPU", "2 threads")
REASON = Message("This processor has no instructions for bfloat16 (AMX or AVX512-BF16).")
LACKS_IT = Device("cpu", "CPU", "2 threads", lacks_bfloat16=REASON)


@pytest.fixture
def _processor_with_bfloat16(monkeypatch: pytest.MonkeyPatch) -> None:
    """Torch emulates bfloat16 on any processor, so that the numbers can be tested anywhere."""
    for module in (devices, engine):
        monkeypatch.setattr(module, "available_devices", lambda: (HAS_IT,))


def _requests(folder: Path) -> tuple[TraceRequest, TraceRequest]:
    exact, low = (TraceRequest(str(folder), name, TEXT) for name in ("cpu", "cpu/bfloat16"))
    return exact, low


@pytest.mark.usefixtures("_processor_with_bfloat16")
def test_the_result_and_the_trace_state_it(tiny_bert: Path, tmp_path: Path) -> None:
    made = Engine()
    exact, low = (made.trace(request) for request in _requests(tiny_bert))
    assert (exact.trace.provenance.dtype, low.trace.provenance.dtype) == ("float32", "bfloat16")
    assert (low.device.hardware, low.device.dtype) == ("cpu", "bfloat16")
    assert low.device.label == "CPU, bfloat16"
    assert exact.notices == ()
    assert len(low.notices) == 1
    assert "compute in float32" in low.notices[0]
    for ending in ("npz", "json"):
        save_trace(low.trace, tmp_path / f"trace.{ending}")
    assert load_trace(tmp_path / "trace.npz").provenance == low.trace.provenance
    save_trace(low.trace, tmp_path / "trace.csv")
    assert "dtype,,,,,bfloat16\n" in (tmp_path / "trace.csv").read_text()


@pytest.mark.usefixtures("_processor_with_bfloat16")
def test_the_rounding_is_the_largest_difference_of_a_weight(tiny_bert: Path) -> None:
    made = Engine()
    requests = _requests(tiny_bert)
    exact, low = (made.trace(request).trace for request in requests)
    expected = max(np.abs(low.attention(at) - exact.attention(at)).max() for at in range(low.n_layers))
    assert 0 < expected < 0.05
    assert rounding(made, requests[1], low) == pytest.approx(float(expected))
    assert rounding(made, requests[0], exact) == 0


@pytest.mark.usefixtures("_processor_with_bfloat16")
def test_a_device_without_bfloat16_refuses_with_the_reason(
    tiny_bert: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "available_devices", lambda: (LACKS_IT,))
    with pytest.raises(DeviceError, match="no instructions for bfloat16"):
        Engine().trace(_requests(tiny_bert)[1])


@pytest.mark.usefixtures("_processor_with_bfloat16")
def test_names_of_devices() -> None:
    assert device_name("auto", "bfloat16") == device_name("auto/bfloat16", "bfloat16") == "auto/bfloat16"
    assert device_name("cpu/bfloat16", "float32") == "cpu"
    assert (dtype_of("cpu"), dtype_of("auto/bfloat16")) == ("float32", "bfloat16")
    assert find_device("auto/bfloat16").name == "cpu/bfloat16"
    with pytest.raises(DeviceError, match="float16"):
        device_name("cpu", "float16")


@pytest.mark.usefixtures("_processor_with_bfloat16")
def test_analyses_compute_in_float32(tiny_bert: Path) -> None:
    made = Engine()
    _, low = _requests(tiny_bert)
    trace = made.trace(low).trace
    weights = made.with_model(low, trace, lambda model: model.weights(0), lambda: None)
    assert weights.query.weight.dtype in (torch.float32, np.float32)
    request = AnalysisRequest.of(low, "self-test", {})
    with pytest.raises(AnalysisError, match="bfloat16"):
        made.analyse(request, trace, SILENT)


@pytest.mark.usefixtures("_processor_with_bfloat16")
def test_the_weights_of_16_bits_count_towards_the_limit_of_memory(tiny_bert: Path, tmp_path: Path) -> None:
    other = write_bert(tmp_path / "other", random_bert(3))
    size = 4 * Engine().load(str(tiny_bert)).n_parameters
    for request, is_kept in zip(_requests(tiny_bert), (True, False), strict=True):
        made = Engine(memory_limit=2 * size + 20_000)  # files are larger than their numbers
        first = weakref.ref(made.trace(request).facts)
        made.load(str(other))
        gc.collect()
        assert (first() is not None) == is_kept


@pytest.mark.usefixtures("_processor_with_bfloat16")
def test_the_api_takes_a_dtype(tiny_bert: Path) -> None:
    for dtype in ("bfloat16", torch.bfloat16):
        model = open_model(tiny_bert, dtype=dtype)
        assert model.trace(TEXT).provenance.dtype == "bfloat16"
        assert [trace.provenance.dtype for trace in model.trace_many([TEXT, "fish"])] == ["bfloat16"] * 2
    with pytest.raises(ArgumentError, match="dtype"):
        open_model(tiny_bert, dtype=16)  # type: ignore[arg-type]


def _trace(folder: Path, device: str, n_words: int = 12) -> Trace:
    return Engine().trace(TraceRequest(str(folder), device, "the cat ate the fish " * (n_words // 5))).trace


@pytest.mark.cuda
@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU with CUDA")
@pytest.mark.parametrize("n_words", [10, 60])
def test_a_trace_is_that_of_the_cpu(tiny_bert: Path, n_words: int) -> None:
    ours, cpu = (_trace(tiny_bert, device, n_words) for device in ("cuda", "cpu"))
    np.testing.assert_allclose(ours.hidden, cpu.hidden, rtol=0, atol=1e-4)
    for layer in range(cpu.n_layers):
        np.testing.assert_allclose(ours.attention(layer), cpu.attention(layer), rtol=0, atol=1e-5)


@pytest.mark.cuda
@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU with CUDA")
def test_auto_takes_the_gpu() -> None:
    assert find_device("auto").name == find_device("cuda").name == "cuda:0"


@pytest.mark.cuda
@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU with CUDA")
def test_bfloat16_is_near_float32(tiny_bert: Path) -> None:
    if find_device("cuda").lacks_bfloat16:
        pytest.skip("this GPU has no instructions for bfloat16")
    low, exact = (_trace(tiny_bert, device) for device in ("cuda/bfloat16", "cuda"))
    assert low.provenance.dtype == "bfloat16"
    np.testing.assert_allclose(low.attention(0), exact.attention(0), rtol=0, atol=0.02)


@pytest.mark.cuda
@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU with CUDA")
def test_without_memory_the_cpu_encodes_and_a_notice_names_both(tiny_bert: Path) -> None:
    torch.cuda.set_per_process_memory_fraction(1e-6)
    taken: list[torch.Tensor] = []
    try:
        torch.cuda.empty_cache()
        # What cuBLAS keeps of an earlier test's memory leaves room beside it for a model this small.
        with pytest.raises(torch.OutOfMemoryError):
            taken.extend(torch.empty(1024, device="cuda") for _ in count())
        result = Engine().trace(TraceRequest(str(tiny_bert), "cuda", "the cat"))
    finally:
        torch.cuda.set_per_process_memory_fraction(1.0)
    assert result.device.name == "cpu"
    assert any("too little memory" in notice for notice in result.notices)


@pytest.mark.cuda
@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU with CUDA")
def test_numbers_that_are_not_finite_are_refused() -> None:
    encoder = copied_to(small_encoder(), "cuda")
    encoder.layer(1).attention.key.weight.data.fill_(torch.nan)
    with pytest.raises(CheckpointError, match="layer 1 are not finite"):
        record(encoder, random_tokens(6, 50), "a model", memory=TraceMemory(page_locked))
