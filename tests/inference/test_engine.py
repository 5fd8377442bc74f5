"""The engine: models opened, traced and analysed, and the details of a layer."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading
import weakref
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from bertviz_app import __version__, paths
from bertviz_app.analysis import catalogue
from bertviz_app.analysis.entry import Inputs, Needs
from bertviz_app.analysis.parameters import SILENT, Reporter
from bertviz_app.analysis.results import HeadMatrices, TokenMatrices
from bertviz_app.checkpoint import assemble as weights
from bertviz_app.checkpoint.questions import Answers
from bertviz_app.checkpoint.sources.source import Source, find
from bertviz_app.errors import (
    AnalysisError,
    Cancelled,
    CheckpointError,
    DeviceError,
    HubError,
    SelectionError,
    TextError,
)
from bertviz_app.features.methods.decomposition.decompx import RolloutParameters
from bertviz_app.inference import engine, fetching, opened_checkpoint as devices
from bertviz_app.inference.engine import AnalysisRequest, Engine, TraceRequest
from bertviz_app.inference.opened_checkpoint import Device, find_device, is_out_of_memory
from bertviz_app.text.edits import Edits
from tests.support.checkpoints import random_bert, write_bert
from tests.support.factories import make_trace
from tests.support.notebooks import random_notebook, write_notebook

TEXT = "the cat ate the fish"
GPU = Device("cuda:0", "CUDA 0", "a card")


def _request(folder: Path, text: str = TEXT, pair: str | None = None, device: str = "cpu") -> TraceRequest:
    return TraceRequest(str(folder), device, text, pair)


def test_a_result_has_its_request_model_device_and_time(tiny_bert: Path) -> None:
    request = _request(tiny_bert)
    result = Engine().trace(request)
    assert result.request is request
    assert result.facts.name == result.trace.model == tiny_bert.name
    assert result.device.name == "cpu"
    assert result.seconds > 0
    assert result.notices == ()
    np.testing.assert_allclose(result.trace.attention().sum(-1), 1, atol=1e-5)


def test_a_trace_has_its_provenance(tiny_bert: Path) -> None:
    edits = Edits(muted=((1, 0),), replaced=((1, "[MASK]"),))
    engine = Engine()
    result = engine.trace(TraceRequest(str(tiny_bert), "cpu", "the cat ate the fish", edits=edits))
    provenance, facts = result.trace.provenance, result.facts
    assert provenance.checkpoint == facts.identity
    assert len(facts.identity.fingerprint) == len(facts.identity.tokenizer) == 64
    assert (provenance.program, provenance.replaced) == (__version__, edits.replaced)
    assert result.trace.muted == edits.muted
    assert facts.ref == str(tiny_bert.resolve())


def test_a_checkpoint_in_the_cache_has_its_id_and_its_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    write_bert(tmp_path / "models--me--toy" / "snapshots" / "a1b2c3d")
    identity = Engine().load("me/toy").identity
    assert (identity.hub_id, identity.revision) == ("me/toy", "a1b2c3d")


def test_the_default_checkpoint_answers_to_its_name() -> None:
    made = Engine()
    facts = made.load()
    assert facts.name == "bert-mini-en-ko"
    assert made.load(facts.name) is facts
    assert made.trace(TraceRequest(None, "auto", TEXT)).facts is facts
    assert made.trace(TraceRequest(facts.name, "auto", TEXT)).facts is facts


def test_a_checkpoint_is_opened_once(tiny_bert: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = Engine()
    facts = made.load(str(tiny_bert))

    def lost(ref: str) -> Source:
        raise AssertionError(ref)

    monkeypatch.setattr(fetching, "find", lost)
    assert made.trace(_request(tiny_bert)).facts is facts


def test_a_checkpoint_written_anew_is_opened_anew(tmp_path: Path) -> None:
    folder = write_bert(tmp_path / "changing", random_bert(1))
    made = Engine()
    made.load(str(folder))
    before = made.trace(_request(folder)).trace
    write_bert(folder, random_bert(2, num_hidden_layers=3))
    assert made.trace(_request(folder)).trace.n_layers == before.n_layers == 2
    assert made.load(str(folder)).n_layers == 3
    assert made.trace(_request(folder)).trace.n_layers == 3


def test_the_one_used_longest_ago_is_let_go(tmp_path: Path) -> None:
    folders = [write_bert(tmp_path / name, random_bert(num_hidden_layers=1)) for name in "abc"]
    size = 4 * Engine().load(str(folders[0])).n_parameters
    made = Engine(memory_limit=2 * size + 100_000)  # their files count before they are read, and are larger
    facts = [weakref.ref(made.load(str(folder))) for folder in folders[:2]]
    made.trace(_request(folders[0]))
    made.load(str(folders[2]))
    gc.collect()
    assert [ref() is not None for ref in facts] == [True, False]
    assert made.trace(_request(folders[1])).trace.n_layers == 1


def test_one_larger_than_the_limit_stays_alone(tiny_bert: Path, tmp_path: Path) -> None:
    other = write_bert(tmp_path / "other", random_bert(3))
    made = Engine(memory_limit=1000)
    first = weakref.ref(made.load(str(tiny_bert)))
    second = made.load(str(other))
    gc.collect()
    assert first() is None
    assert made.trace(_request(other)).facts is second


def test_checkpoints_share_the_memory_of_traces(tmp_path: Path) -> None:
    """Each would else hold the memory of a trace that is not shown any more."""
    folders = [write_bert(tmp_path / name, random_bert(seed)) for seed, name in enumerate("ab")]
    made = Engine()
    address = made.trace(_request(folders[0])).trace.queries.ctypes.data
    gc.collect()
    assert made.trace(_request(folders[1])).trace.queries.ctypes.data == address


def test_cut_text_is_noticed(tmp_path: Path) -> None:
    folder = write_bert(tmp_path / "short", random_bert(max_position_embeddings=8))
    made = Engine()
    assert made.trace(_request(folder, "cat cat cat cat cat cat")).notices == ()
    (notice,) = made.trace(_request(folder, "cat " * 7)).notices
    assert notice == "1 token was left out: this model reads at most 8."
    (notice,) = made.trace(_request(folder, "cat " * 1206)).notices
    assert notice == "1,200 tokens were left out: this model reads at most 8."


@pytest.mark.parametrize(
    ("text", "pair", "field"), [("", None, "text"), (" ", "cat", "text"), ("cat", "", "pair")]
)
def test_a_text_that_is_none_is_an_error_of_its_field(
    tiny_bert: Path, text: str, pair: str | None, field: str
) -> None:
    with pytest.raises(TextError) as caught:
        Engine().trace(_request(tiny_bert, text, pair))
    assert caught.value.field == field


def test_a_check_ends_the_work(tiny_bert: Path) -> None:
    def check() -> None:
        raise Cancelled

    made = Engine()
    with pytest.raises(Cancelled):
        made.load(str(tiny_bert), check=check)
    made.load(str(tiny_bert))
    with pytest.raises(Cancelled):
        made.trace(_request(tiny_bert), check)
    assert made.trace(_request(tiny_bert)).trace.n_layers == 2


def test_auto_takes_the_best_and_a_kind_its_first(monkeypatch: pytest.MonkeyPatch) -> None:
    cpu, second = Device("cpu", "CPU", ""), Device("cuda:1", "CUDA 1", "")
    monkeypatch.setattr(devices, "available_devices", lambda: (cpu,))
    assert find_device("auto") == cpu
    monkeypatch.setattr(devices, "available_devices", lambda: (cpu, GPU, second))
    assert find_device("auto") == find_device("cuda") == find_device("cuda:0") == GPU
    assert (find_device("cpu"), find_device("cuda:1")) == (cpu, second)


@pytest.mark.parametrize("name", ["mps", "cuda:7", "", "gpu", "cpu:0"])
def test_a_device_that_is_not_there_is_an_error_naming_the_others(
    tiny_bert: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "available_devices", lambda: (Device("cpu", "CPU", ""), GPU))
    with pytest.raises(DeviceError, match="no device") as caught:
        Engine().trace(_request(tiny_bert, device=name))
    assert "cpu, cuda:0" in caught.value.hint


def test_a_device_without_memory_hands_over_to_the_cpu(
    tiny_bert: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(encoder: object, device: str, *, in_bfloat16: bool) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory.")

    monkeypatch.setattr(engine, "available_devices", lambda: (Device("cpu", "CPU", "2 threads"), GPU))
    monkeypatch.setattr(weights, "copied_to", full)
    result = Engine().trace(_request(tiny_bert, device="auto"))
    assert result.device.name == "cpu"
    assert result.notices == ("CUDA 0 has too little memory left: the CPU did it instead.",)


def test_devices_are_enumerated_again_only_when_they_are_looked_for(
    tiny_bert: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cpu, n_times = Device("cpu", "CPU", "2 threads"), 0

    def enumerated() -> tuple[Device, ...]:
        nonlocal n_times
        n_times += 1
        return (cpu, GPU) if n_times > 1 else (cpu,)

    monkeypatch.setattr(engine, "available_devices", enumerated)
    made = Engine()
    for _ in range(3):
        made.trace(_request(tiny_bert))
    assert n_times == 1
    assert made.devices() == (cpu, GPU)
    made.trace(_request(tiny_bert))
    assert n_times == 2


def test_no_memory_at_all_is_an_error(tiny_bert: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*arguments: object) -> None:
        raise MemoryError

    monkeypatch.setattr("bertviz_app.encoder.recorder.record", full)
    with pytest.raises(DeviceError, match="not enough memory") as caught:
        Engine().trace(_request(tiny_bert))
    assert "shorter" in caught.value.hint


def test_other_failures_of_a_device_are_not_hidden(tiny_bert: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*arguments: object) -> None:
        raise RuntimeError("shapes do not match")

    monkeypatch.setattr("bertviz_app.encoder.recorder.record", broken)
    with pytest.raises(RuntimeError, match="shapes"):
        Engine().trace(_request(tiny_bert))


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (torch.OutOfMemoryError("x"), True),
        (RuntimeError("MPS backend out of memory (MPS allocated: ...)"), True),
        (RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried"), True),
        (RuntimeError("data. DefaultCPUAllocator: not enough memory: you tried to allocate"), True),
        (MemoryError(), True),
        (RuntimeError("mat1 and mat2"), False),
        (ValueError("out of memory"), False),
    ],
)
def test_errors_of_memory_are_recognised(error: Exception, expected: bool) -> None:
    assert is_out_of_memory(error) is expected


def test_an_unknown_hub_id_is_fetched_and_other_names_are_not(
    tiny_bert: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    requests: list[str] = []

    def fetched(repo_id: str, **named: object) -> Source:
        requests.append(repo_id)
        return find(str(tiny_bert))

    monkeypatch.setattr("bertviz_app.checkpoint.sources.hub.download", fetched)
    assert Engine().load(" nobody/has-this ").n_layers == 2
    with pytest.raises(CheckpointError):
        Engine().load("has-this")
    assert requests == ["nobody/has-this"]


def test_a_folder_that_looks_like_a_hub_id_is_thought_of(monkeypatch: pytest.MonkeyPatch) -> None:
    def unreachable(repo_id: str, **named: object) -> Source:
        raise HubError("The hub could not be reached.", "Check the network.")

    monkeypatch.setattr("bertviz_app.checkpoint.sources.hub.download", unreachable)
    with pytest.raises(HubError) as caught:
        Engine().load("models/mine")
    assert caught.value.hint == "Check the network. There is no folder of that name either."


@pytest.mark.parametrize("collects", [True, False])
def test_torch_is_loaded_ahead_with_sleeping_threads(collects: bool) -> None:
    """Where the window collects garbage itself, torch's own objects are left out and it stays so."""
    program = (
        "import gc, os, sys\n"
        f"gc.{'enable' if collects else 'disable'}()\n"
        "n_frozen = gc.get_freeze_count()\n"
        "os.environ.pop('OMP_WAIT_POLICY', None)\n"
        "from bertviz_app.inference.jobs import preload_torch\n"
        "assert 'torch' not in sys.modules\n"
        "preload_torch()\n"
        "assert 'torch' in sys.modules and os.environ['OMP_WAIT_POLICY'] == 'PASSIVE'\n"
        f"assert gc.isenabled() is {collects}\n"
        f"assert (gc.get_freeze_count() == n_frozen) is {collects}\n"
        "preload_torch()\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_loading_ahead_is_harmless_without_torch() -> None:
    program = (
        "import sys\n"
        "class Hidden:\n"
        "    def find_spec(self, name, *rest):\n"
        "        if name == 'torch':\n"
        "            raise ModuleNotFoundError(name)\n"
        "from bertviz_app.inference.jobs import preload_torch\n"
        "sys.meta_path.insert(0, Hidden())\n"
        "preload_torch()\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


ALL = Answers(4, 1e-5, True)


@pytest.fixture
def silent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A notebook's checkpoint of which config.json says nothing, in a folder where nothing can be written.

    The settings are the test's own.
    """
    monkeypatch.setattr(paths, "settings", lambda: tmp_path / "settings")
    folder, replacing = write_notebook(tmp_path / "mine", random_notebook("c"), config={}), paths.replacing

    def refuse_there(path: Path) -> AbstractContextManager[Path]:
        return replacing(path / "no folder" if path.parent == folder else path)

    monkeypatch.setattr(paths, "replacing", refuse_there)
    return folder


def test_answers_that_cannot_be_kept_beside_it_are_with_the_settings(silent: Path) -> None:
    made = Engine()
    assert made.answer(str(silent), ALL).endswith(
        "cannot be written: the answers are kept with the settings instead."
    )
    assert Engine().load(str(silent)).n_heads == 4


def test_answers_that_cannot_be_kept_at_all_hold_until_the_end(silent: Path, tmp_path: Path) -> None:
    (tmp_path / "settings").write_text("a file in the folder's place")
    made = Engine(memory_limit=1)
    assert made.answer(str(silent), ALL).endswith("they hold until the program ends.")
    assert made.load(str(silent)).n_heads == 4
    other = write_bert(tmp_path / "other", random_bert())
    made.load(str(other))  # the limit lets the first one go
    assert made.load(str(silent)).n_heads == 4
    with pytest.raises(CheckpointError, match="do not say all"):
        Engine().load(str(silent))


LIMIT = 60.0  # seconds after which a test gives up, on a machine however busy; none comes near it


def _run(folder: Path) -> TraceRequest:
    return TraceRequest(str(folder), "cpu", "the cat ate")


def test_a_request_has_parameters_of_their_own_types(tiny_bert: Path) -> None:
    request = AnalysisRequest.of(_run(tiny_bert), "attention-rollout", {"residual": "0.25"})
    assert request.parameters == RolloutParameters(0.25)
    assert request == AnalysisRequest.of(_run(tiny_bert), "attention-rollout", {"residual": 0.25})
    with pytest.raises(AnalysisError, match="no analysis"):
        AnalysisRequest.of(_run(tiny_bert), "rollouts", {})
    with pytest.raises(AnalysisError, match="“residual” cannot be"):
        AnalysisRequest.of(_run(tiny_bert), "attention-rollout", {"residual": 7})


def test_what_needs_the_trace_alone_opens_no_checkpoint(tmp_path: Path) -> None:
    request = AnalysisRequest.of(_run(tmp_path / "none"), "attention-rollout", {})
    found = Engine().analyse(request, make_trace(5), SILENT)
    assert isinstance(found, TokenMatrices)
    needing = AnalysisRequest.of(_run(tmp_path / "none"), "norm-attention", {})
    with pytest.raises(CheckpointError):
        Engine().analyse(needing, make_trace(5), SILENT)


def test_a_text_is_encoded_while_an_analysis_of_a_trace_runs(tiny_bert: Path) -> None:
    """The analysis stands at its first check until the text is encoded: a lock would be a deadlock."""
    engine, encoded = Engine(), threading.Event()
    trace = engine.trace(_run(tiny_bert)).trace

    def encode() -> None:
        engine.trace(_run(tiny_bert))
        encoded.set()

    def check() -> None:
        if not encoded.is_set():
            threading.Thread(target=encode).start()
            assert encoded.wait(LIMIT)

    request = AnalysisRequest.of(_run(tiny_bert), "attention-rollout", {})
    engine.analyse(request, trace, Reporter(check=check))
    assert encoded.is_set()


def test_what_an_analysis_refuses_is_raised_before_it_runs(
    tiny_bert: Path, monkeypatch: pytest.MonkeyPatch
) -> None:

    from bertviz_app.analysis.probing.blocks import norm_attention

    requests: list[tuple[str, ...]] = []

    def refuse(form: object, task_heads: tuple[str, ...]) -> AnalysisError:
        requests.append(task_heads)
        return AnalysisError("Not of this model.")

    def fail(inputs: Inputs, parameters: object, reporter: object) -> HeadMatrices:
        raise AssertionError("it was run")

    refusing = replace(norm_attention, refuses=refuse, run=fail, needs=Needs.MODEL)
    monkeypatch.setattr(catalogue, "find_analysis", lambda key: refusing)
    engine, run = Engine(), _run(tiny_bert)
    trace = engine.trace(run).trace
    with pytest.raises(AnalysisError, match="Not of this model"):
        engine.analyse(AnalysisRequest.of(run, "norm-attention", {}), trace, SILENT)
    assert requests == [engine.load(str(tiny_bert)).task_heads]


def test_a_checkpoint_that_was_let_go_is_opened_again(tiny_bert: Path, tmp_path: Path) -> None:
    engine, request = Engine(memory_limit=1), TraceRequest(str(tiny_bert), "cpu", TEXT)
    trace = engine.trace(request).trace
    engine.load(str(write_bert(tmp_path / "other")))
    np.testing.assert_array_equal(engine.details(request, trace, 0).output, trace.hidden[1])


def test_what_does_not_belong_together_is_refused(tiny_bert: Path) -> None:
    engine, request = Engine(), TraceRequest(str(tiny_bert), "cpu", TEXT)
    with pytest.raises(SelectionError):
        engine.details(request, engine.trace(request).trace, 2)
    with pytest.raises(CheckpointError, match="another checkpoint"):
        engine.details(request, make_trace(5), 0)


def test_a_trace_of_another_checkpoint_of_the_same_sizes_is_refused() -> None:
    """A base and what was fine-tuned from it differ in their numbers alone."""
    engine, base = Engine(), TraceRequest("bert-mini-en-ko", "cpu", TEXT)
    trace = engine.trace(base).trace
    tuned = TraceRequest("bert-mini-en-ko-sentiment", "cpu", TEXT)
    for compute in (
        lambda: engine.details(tuned, trace, 0),
        lambda: engine.with_model(tuned, trace, lambda model: model.logits(trace), lambda: None),
        lambda: engine.predict(tuned, trace, []),
    ):
        with pytest.raises(CheckpointError, match="another checkpoint than bert-mini-en-ko-sentiment"):
            compute()
    np.testing.assert_array_equal(engine.details(base, trace, 0).output, trace.hidden[1])


def test_the_steps_are_those_of_the_checkpoints_tokenizer(tiny_bert: Path) -> None:
    engine, ref = Engine(), str(tiny_bert)
    why = engine.why_cut(ref, engine.tokens(ref, "the cat"), 1)
    assert why is not None
    assert (why.typed, why.pieces) == ("the", ("the",))
