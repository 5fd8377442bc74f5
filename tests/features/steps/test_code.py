"""Every line of code that Steps shows, run on the weights and numbers of encoders of many forms."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from bertviz_app.analysis.pairs import head_steps
from bertviz_app.encoder.config import Blocks, GlobalTokens, LanguageAdapter, SpanConvolution
from bertviz_app.encoder.dense import ACTIVATIONS
from bertviz_app.encoder.encoder import Encoder
from bertviz_app.encoder.recorder import layer_details, record
from bertviz_app.features.steps.code import LINES, CodeBlock, code_block
from bertviz_app.features.steps.walk import Walk
from bertviz_app.paths import bundled_models
from bertviz_app.text import Tokens
from bertviz_app.trace import Trace
from bertviz_app.trace.form import Form
from bertviz_app.viewmodels.stages.stage import EncoderPart, activation
from bertviz_app.viewmodels.stages.stops import STAGES, Stop, StopTensors, stop_layer, stop_tensors
from tests.support.checkpoint_folders import MODERN, opened, small_encoder
from tests.support.code_names import Names, modules_of, names_of, tensor
from tests.support.factories import make_tokens
from tests.support.families import write_family
from tests.viewmodels.test_step_numbers import ORDERS

HEAD, QUERY = 1, 2
MORE_ORDERS: dict[str, Mapping[str, Any]] = {
    "as ModernBERT": MODERN,
    "causal": {"form": Form(is_causal=True)},
    "linear biases": {"has_linear_biases": True, "has_position_table": False},
    "an adapter": {
        "form": Form(has_adapter=True, norms_before_adapter=True, adds_normed_to_adapter=True),
        "adapter": LanguageAdapter(8),
    },
    "an adapter without a norm": {"form": Form(has_adapter=True), "adapter": LanguageAdapter(8)},
    "tokens twice": {"form": Form(doubles_tokens=True)},
    "blocks": {"form": Form(has_blocks=True), "blocks": Blocks(1, 0)},
    "convolutions beside the heads": {
        "form": Form(has_span_convolution=True),
        "span_convolution": SpanConvolution(3),
    },
    "global tokens": {
        "form": Form(has_global_tokens=True),
        "global_tokens": GlobalTokens(),
        "reaches": (2, 2, 2),
    },
}
NOT_TESTED = {
    "convolutions beside the heads": {"span_convolved"},
    "global tokens": {
        *("queries", "keys", "values", "scores", "scaled", "biased", "softmax", "weighted", "mixed")
    },
}
"""The stages that have no lines."""
BUNDLED = "bert-mini-en-ko"
FAMILIES = ("albert", "deberta-v2", "modernbert", "roformer", "t5", "mobilebert", "gte", "esm", "xmod")


class Run:
    """Runs the lines of each block of an encoder on its weights, and compares with what the trace has."""

    def __init__(self, encoder: Encoder, tokens: Tokens) -> None:
        self.encoder = encoder
        self.trace: Trace = record(encoder, tokens, "small")
        self.details = [
            layer_details(encoder, self.trace.hidden[layer], layer, ids=tokens.ids)
            for layer in range(self.trace.n_layers)
        ]
        self.walk = Walk()
        self.walk.fit(self.trace)

    def tensors(self, stop: Stop) -> StopTensors:
        layer = stop_layer(stop, self.trace.n_layers)
        steps = head_steps(self.trace, layer, HEAD, QUERY)
        return stop_tensors(self.trace, stop, HEAD, QUERY, self.details[layer], steps)

    def blocks(self, section: int) -> list[CodeBlock]:
        """Return the blocks of a section in their order."""
        found: dict[str, CodeBlock] = {}
        for stop in self.walk.section(section):
            block = code_block(self.tensors(stop))
            found[block.name] = block
        return list(found.values())

    def check(self, section: int, block: CodeBlock, names: Names) -> set[str]:
        """Run a block line by line; return the stages without a line. `names` get what it assigns."""
        compared = set()
        stages = {stage for line in block.lines for stage in line.stages}
        for at, line in enumerate(block.lines[:-1]):
            code = line.code.strip()
            if at == 0 or code.startswith("#"):
                continue
            exec(code, names)
            made = names[code.split(" = ")[0].split(",")[0]]
            if line.shape:
                assert isinstance(made, Tensor)
                assert line.shape == str(list(made.shape)), code
            for stage in line.stages:
                if at == block.lines_of(stage)[-1]:
                    self._compare(Stop(section, stage), made)
                    compared.add(stage)
        return stages - compared

    def _compare(self, stop: Stop, made: object) -> None:
        expected = self.tensors(stop).tensor()
        assert isinstance(made, Tensor)
        assert expected is not None
        found = made[0].detach().numpy() if STAGES[stop.stage].part is not EncoderPart.TOP else made.detach()
        if stop.is_of_a_head:
            found = found[HEAD]
        if stop.stage == "weighted":  # the products that the line adds up
            expected = expected.sum(0, keepdims=True)
            found = found[QUERY][None]
        if len(expected) == 1 != len(found):
            found = found[QUERY][None]
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5, err_msg=stop.stage)

    def not_tested(self, *, copies: bool = True) -> set[str]:
        """Run all blocks of all layers, and each as it is copied; return the stages without a line."""
        missing: set[str] = set()
        for section in range(-1, self.trace.n_layers + 1):
            layer = stop_layer(Stop(section, "queries"), self.trace.n_layers)
            names = names_of(self.encoder, self.trace, layer, self.details[layer])
            if section == self.trace.n_layers:
                names["x"] = tensor(self.trace.hidden[-1])
            for block in self.blocks(section):
                names["self"] = modules_of(self.encoder, layer, block.name)
                self._check_modules(block, names)
                given = dict(names)
                missing |= self.check(section, block, names)
                if copies:
                    self._check_copy(block, given, names)
        return missing

    @staticmethod
    def _check_modules(block: CodeBlock, names: Names) -> None:
        """A comment on a module has the class and the sizes of the one that the lines call."""
        for line in block.lines:
            if not line.code.startswith("    # self."):
                continue
            called, made = line.code.removeprefix("    # ").split(": ")
            for name in called.split(", "):
                module = eval(name, dict(names))
                rows = len(module.weight)
                expected = eval(made.replace("…", str(rows)), dict(names))
                assert isinstance(module, type(expected)), line.code
                shapes = [
                    {key: one.shape for key, one in each.named_parameters()} for each in (module, expected)
                ]
                assert shapes[0] == shapes[1], line.code

    @staticmethod
    def _check_copy(block: CodeBlock, given: Names, names: Names) -> None:
        """The copied text is a function that returns what its lines have made."""
        made: Names = {name: given[name] for name in ("torch", "nn", "math")}
        if "apply_rotary_pos_emb" in given:
            made["apply_rotary_pos_emb"] = given["apply_rotary_pos_emb"]
        exec(block.text, made)
        forward = made["forward"]
        arguments = block.lines[0].code.removeprefix("def forward(").removesuffix("):").split(", ")
        assert callable(forward)
        result = forward(*(given[name] for name in arguments))
        expected = names[block.lines[-1].code.split()[-1]]
        assert isinstance(expected, Tensor)
        assert torch.equal(result, expected)


def _tokens() -> Tokens:
    return replace(make_tokens(6), ids=np.arange(6, dtype=np.int32))


@pytest.mark.parametrize("order", [*ORDERS, *MORE_ORDERS])
def test_every_line_computes_what_the_trace_has(order: str) -> None:
    encoder = small_encoder(**{**ORDERS, **MORE_ORDERS}[order])
    with torch.inference_mode():
        assert Run(encoder, _tokens()).not_tested() == NOT_TESTED.get(order, set())


def test_the_lines_are_those_of_the_model_that_comes_with_the_program() -> None:
    checkpoint = opened(bundled_models() / BUNDLED)
    tokens = checkpoint.tokenizer.encode("The cat ate the fish because it was hungry")
    with torch.inference_mode():
        assert Run(checkpoint.encoder, tokens).not_tested() == set()


@pytest.mark.parametrize("family", FAMILIES)
def test_the_lines_are_those_of_a_family_as_it_is_read_from_its_files(family: str, tmp_path: Path) -> None:
    write_family(tmp_path / "model", family)
    checkpoint = opened(tmp_path / "model")
    tokens = checkpoint.tokenizer.encode("The cat ate the fish")
    with torch.inference_mode():
        assert Run(checkpoint.encoder, tokens).not_tested() == set()


def test_a_changed_line_is_noticed() -> None:
    run = Run(small_encoder(), _tokens())
    changed = []
    for section in (-1, 0, run.trace.n_layers):
        layer = stop_layer(Stop(section, "queries"), run.trace.n_layers)
        for block in run.blocks(section):
            for at, line in enumerate(block.lines):
                if not line.stages:
                    continue
                names = names_of(run.encoder, run.trace, layer, run.details[layer])
                names["x"] = tensor(run.trace.hidden[-1]) if section > 0 else names["x"]
                if block.name == "feed-forward":
                    names["x"] = tensor(run.details[layer].attention_norm)
                names["self"] = modules_of(run.encoder, layer, block.name)
                made, result = line.code.split(" = ")
                other = replace(line, code=f"{made} = ({result}) * 1.01")
                lines = (*block.lines[:at], other, *block.lines[at + 1 :])
                with torch.inference_mode(), pytest.raises(AssertionError):
                    run.check(section, replace(block, lines=lines), names)
                changed.append(line.code.strip())
    assert len(changed) > 25
    assert "attn = torch.softmax(scores, dim=-1)" in changed


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_each_activation_has_its_line(name: str) -> None:
    x = torch.linspace(-12, 12, 500)
    found = eval(activation(name).code.format("x"), {"x": x, "torch": torch, "nn": torch.nn, "math": math})
    torch.testing.assert_close(found, ACTIVATIONS[name](x))


def test_the_shapes_are_those_of_the_text_and_stand_beside_the_lines() -> None:
    run = Run(small_encoder(), _tokens())
    (attention,) = (block for block in run.blocks(0) if block.name == "attention")
    (at,) = attention.lines_of("scores")
    line = attention.lines[at]
    assert line.code.strip() == "scores = torch.matmul(Q, K.transpose(-1, -2))"
    assert attention.written(line).endswith("  # [1, 4, 6, 6]")
    assert attention.lines_of("weighted") == attention.lines_of("mixed")
    assert attention.text.splitlines()[:5] == [
        "def forward(self, x, attention_mask):",
        "    # self.query, self.key, self.value, self.dense: nn.Linear(32, 32)",
        "    # self.LayerNorm: nn.LayerNorm(32)",
        "    B, T, _ = x.shape",
        "    H, d_k = 4, 8",
    ]
    assert len({row.index("  # [") for row in attention.text.splitlines() if "  # [" in row}) == 1


def test_every_stop_is_in_the_table_of_lines() -> None:
    assert set(LINES) == {key for key, stage in STAGES.items() if stage.is_stop}
