"""`OpenedCheckpoint`: a checkpoint, copies of its encoder on devices, and what is computed with one pass."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from bertviz_app.checkpoint.questions import ModelFacts, of_another
from bertviz_app.errors import DeviceError, Message
from bertviz_app.inference.devices import (
    BFLOAT16,
    CPU,
    Device,
    dtype_of,
    find_device,
    is_out_of_memory,
    out_of_memory_as,
)
from bertviz_app.text import Tokens
from bertviz_app.text.edits import Edits
from bertviz_app.trace.provenance import Provenance
from bertviz_app.types import Check, Progress
from bertviz_app.version import __version__

if TYPE_CHECKING:
    from torch import Tensor, nn

    from bertviz_app.checkpoint.loader import Checkpoint
    from bertviz_app.encoder.dense import Means
    from bertviz_app.encoder.encoder import Encoder
    from bertviz_app.inference.model_parameters import ModelParameters
    from bertviz_app.trace import Trace
    from bertviz_app.trace.memory import TraceMemory

_SHORTER = Message("Give a shorter text, or choose a smaller checkpoint.")
_MOST_MEANS = 8
"""The number of reference texts whose means are cached."""
_Result = TypeVar("_Result")


class OpenedCheckpoint:
    """A checkpoint, and copies of its encoder on the devices it was used on. No parameter has a gradient.

    `memories` is the memory of traces, by the name of the hardware that makes them; several checkpoints may
    share it.
    """

    def __init__(
        self, checkpoint: Checkpoint, ref: str, memories: dict[str, TraceMemory] | None = None
    ) -> None:
        self.checkpoint = checkpoint
        self.ref = ref  # of its source
        checkpoint.task_heads.requires_grad_(requires_grad=False)
        self._means: dict[tuple[str, str], Tensor] = {}
        self._copies = {CPU: checkpoint.encoder.requires_grad_(requires_grad=False)}
        self._memories = {} if memories is None else memories

    @property
    def facts(self) -> ModelFacts:
        """What the checkpoint is."""
        return self.checkpoint.facts

    @property
    def n_bytes(self) -> int:
        """The bytes of its numbers in the computer's memory, with those of packed weights and copies."""
        from bertviz_app.encoder.dense import packed_bytes

        on_cpu = [copy for name, copy in self._copies.items() if name.removesuffix(BFLOAT16) == CPU]
        return _size(*on_cpu, self.checkpoint.task_heads) + sum(packed_bytes(copy.layers) for copy in on_cpu)

    @cached_property
    def parameters(self) -> ModelParameters:
        from bertviz_app.inference.model_parameters import ModelParameters

        return ModelParameters(self.checkpoint)

    def encoder_on(self, device: str) -> Encoder:
        """Return the encoder on the device of that name, copied there if it is not yet."""
        from bertviz_app.checkpoint.assemble import placed

        if device not in self._copies:
            is_low = dtype_of(device) == "bfloat16"
            copy = placed(self.checkpoint.encoder, device.removesuffix(BFLOAT16), in_bfloat16=is_low)
            self._copies[device] = copy.requires_grad_(requires_grad=False)
        return self._copies[device]

    def means(self, edits: Edits, device: Device) -> Means:
        """Return the mean outputs of all heads over the reference texts of `edits`, computed where new."""
        from bertviz_app.encoder.recorder import means_of

        encoder, found = self.encoder_on(device.name), {}
        for text in edits.references:
            at = device.name, text
            if at not in self._means:
                self._means[at] = means_of(encoder, self.checkpoint.tokens(text))
                while len(self._means) > _MOST_MEANS:
                    del self._means[next(iter(self._means))]
            found[text] = self._means[at]
        return found

    def run_on(
        self, device: Device, work: Callable[[Device], _Result], error: DeviceError
    ) -> tuple[_Result, Device]:
        """Return what `work` returns on a device, and that device.

        It is `device`, or the CPU where that has too little memory. Raises `error` where the CPU has too.
        """
        if device.name != CPU:
            try:
                return work(device), device
            except RuntimeError as raised:
                if not is_out_of_memory(raised):
                    raise
            # Outside of the handler: the error's traceback holds the tensors that filled the device.
            self._leave(device.name)
            device = find_device(CPU)
        with out_of_memory_as(error):
            return work(device), device

    def _trace_memory(self, device: Device) -> TraceMemory:
        """Return the memory of traces made on `device`."""
        from bertviz_app.torch_operations import page_locked
        from bertviz_app.trace.memory import TraceMemory, new_block

        if device.hardware not in self._memories:
            make = page_locked if device.hardware.startswith("cuda") else new_block
            self._memories[device.hardware] = TraceMemory(make)
        return self._memories[device.hardware]

    def _leave(self, device: str) -> None:
        """Drop the copy on a device, and free the memory that torch keeps there."""
        import torch

        self._copies.pop(device, None)
        if torch.cuda.is_available():
            torch.cuda.empty_cache()

    def record(
        self,
        tokens: Tokens,
        device: Device,
        check: Check | None,
        edits: Edits,
        progress: Progress | None = None,
    ) -> tuple[Trace, Device]:
        """Return the trace of `tokens`, and the device that made it: the CPU if `device` has no memory.

        In `tokens` are the interventions of `edits` on tokens already.
        """
        from bertviz_app.encoder.dense import arrange_weights
        from bertviz_app.encoder.recorder import record

        def run(chosen: Device) -> Trace:
            provenance = Provenance(self.facts.identity, __version__, dtype=chosen.dtype)
            encoder, means = self.encoder_on(chosen.name), self.means(edits, chosen)
            arrange_weights(encoder.layers, len(tokens))
            memory = self._trace_memory(chosen)
            name, calls = self.facts.name, check or (lambda: None)
            return record(encoder, tokens, name, calls, edits, provenance, memory, means, progress)

        trace, ran_on = self.run_on(device, run, _too_long(len(tokens)))
        return self._with_sentence_vector(trace), ran_on

    def record_batch(self, inputs: Sequence[Tokens], device: Device, check: Check | None) -> list[Trace]:
        """Return the traces of several inputs, computed in one pass that pads the shorter ones."""
        from bertviz_app.encoder.recorder import record_batch

        def run(chosen: Device) -> list[Trace]:
            provenance = Provenance(self.facts.identity, __version__, dtype=chosen.dtype)
            encoder = self.encoder_on(chosen.name)
            return record_batch(encoder, inputs, self.facts.name, check or (lambda: None), provenance)

        longest = max(len(tokens) for tokens in inputs)
        traces, _ = self.run_on(device, run, _too_long(longest * len(inputs)))
        return [self._with_sentence_vector(trace) for trace in traces]

    def _with_sentence_vector(self, trace: Trace) -> Trace:
        """Return `trace` with its sentence vector, if the checkpoint has what computes one."""
        module = self.checkpoint.sentence
        if module is None:
            return trace
        n_prompt_tokens = self.checkpoint.n_prompt_tokens(trace.tokens, trace.edits)
        vector = module.of(trace.hidden[-1], n_prompt_tokens)
        return replace(trace, sentence_vector=vector)

    def validate(self, trace: Trace) -> None:
        """Raise CheckpointError if `trace` was not made by this checkpoint.

        Of a trace without a fingerprint, from a file of an older version, only the sizes are compared.
        """
        facts = self.facts
        if trace.fingerprint:
            is_own = trace.fingerprint == facts.fingerprint
        else:
            sizes = (trace.n_layers, trace.n_heads, trace.width)
            is_own = (facts.n_layers, facts.n_heads, facts.width) == sizes
        if not is_own:
            raise of_another(facts)


def _too_long(n_tokens: int) -> DeviceError:
    message = Message("There is not enough memory to encode {0} tokens with this checkpoint.", n_tokens)
    return DeviceError(message, _SHORTER)


def _size(*modules: nn.Module) -> int:
    """Return the bytes of their numbers; what two of them share counts once."""
    numbers = [number for module in modules for number in module.parameters()]
    return sum({number.data_ptr(): number.nbytes for number in numbers}.values())
