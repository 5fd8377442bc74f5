"""`OpenedCheckpoint`: a checkpoint, copies of its encoder on devices, and the results of single passes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from bertviz_app.checkpoint.questions import of_another
from bertviz_app.errors import Check, DeviceError, Message, Progress
from bertviz_app.inference.jobs import preload_torch
from bertviz_app.text import Tokens
from bertviz_app.text.edits import Edits
from bertviz_app.trace.interventions import validate_source
from bertviz_app.trace.provenance import Dtype, Provenance
from bertviz_app.values import dataclass, field, replace
from bertviz_app.version import __version__

if TYPE_CHECKING:
    from torch import Tensor, nn

    from bertviz_app.checkpoint.loader import Checkpoint
    from bertviz_app.encoder.dense import References
    from bertviz_app.encoder.encoder import Encoder
    from bertviz_app.inference.model_parameters import ModelParameters
    from bertviz_app.trace import Trace
    from bertviz_app.trace.memory import TraceMemory

AUTO = "auto"
CPU = "cpu"
BFLOAT16 = "/bfloat16"
"""What ends the name of a device that is to compute in bfloat16: "cpu/bfloat16", "auto/bfloat16"."""
_AMX = "_is_amx_tile_supported"


@dataclass(frozen=True)
class Device:
    """`name` is torch's name for it, `label` its name in a list, and `detail` a remark beside it.

    `dtype`: in which numbers it computes, bfloat16 where the name ends so. `lacks_bfloat16` says why it
    cannot compute in bfloat16, "" where it can; it may be slower in it than in float32 all the same.
    """

    name: str
    label: str
    detail: str
    dtype: Dtype = "float32"
    lacks_bfloat16: str = field(default="", compare=False)
    may_be_slower_in_bfloat16: bool = field(default=False, compare=False)

    @property
    def hardware(self) -> str:
        """Torch's name for it, without the type of numbers."""
        return self.name.removesuffix(BFLOAT16)

    def in_bfloat16(self) -> Device:
        """Return this device, to compute in bfloat16. Raises DeviceError where it cannot."""
        if self.lacks_bfloat16:
            hint = Message("Compute in float32, as is done unless another dtype is chosen.")
            raise DeviceError(self.lacks_bfloat16, hint)
        label = Message("{0}, bfloat16", self.label)
        return replace(self, name=self.hardware + BFLOAT16, label=label, dtype="bfloat16")


def device_name(name: str, dtype: str) -> str:
    """Return the name of a device ("cpu", "auto") that is to compute in `dtype`. Raises DeviceError."""
    if dtype == "bfloat16":
        return name.removesuffix(BFLOAT16) + BFLOAT16
    if dtype == "float32":
        return name.removesuffix(BFLOAT16)
    raise DeviceError(
        Message("Nothing is computed in “{0}”.", dtype), Message("The dtype is float32 or bfloat16.")
    )


def dtype_of(name: str) -> Dtype:
    """Return the type of numbers in which the device of this name is to compute."""
    return "bfloat16" if name.endswith(BFLOAT16) else "float32"


def available_devices() -> tuple[Device, ...]:
    """Return the devices that torch reports, the CPU first."""
    preload_torch()
    import torch

    n_threads = torch.get_num_threads()
    detail = Message("{0} threads", n_threads) if n_threads > 1 else Message("{0} thread", n_threads)
    has_amx, lacks = _processor_has(_AMX), ""
    if not has_amx and not _processor_has("_is_avx512_bf16_supported"):  # emulated it would be slow
        lacks = Message("This processor has no instructions for bfloat16 (AMX or AVX512-BF16).")
    devices = [Device(CPU, "CPU", detail, "float32", lacks, not has_amx)]
    for number in range(torch.cuda.device_count() if torch.cuda.is_available() else 0):
        has_it = torch.cuda.get_device_capability(number) >= (8, 0)
        lacks = "" if has_it else Message("This GPU has no instructions for bfloat16 (from Ampere on).")
        name = torch.cuda.get_device_name(number)
        devices.append(Device(f"cuda:{number}", f"CUDA {number}", name, lacks_bfloat16=lacks))
    if torch.backends.mps.is_available():
        lacks = Message("bfloat16 can be chosen on a CPU or with CUDA, not with MPS.")
        devices.append(Device("mps", "MPS", "Apple GPU", lacks_bfloat16=lacks))
    return tuple(devices)


def _processor_has(test: str) -> bool:
    import torch

    return bool(getattr(torch.cpu, test, lambda: False)())


def find_device(name: str, devices: Sequence[Device] = ()) -> Device:
    """Return the device called `name`; "auto" is the first that is not the CPU, "cuda" the first of its kind.

    `devices` are those of this computer; if none are given, torch enumerates them. Raises DeviceError naming
    the devices that exist. A name that ends in "/bfloat16" is of the same device, to compute in bfloat16;
    where it cannot, DeviceError says why.
    """
    devices = devices or available_devices()
    if name.endswith(BFLOAT16):
        return find_device(name.removesuffix(BFLOAT16), devices).in_bfloat16()
    if name == AUTO:
        return devices[1] if len(devices) > 1 else devices[0]
    for device in devices:
        if name in {device.name, device.name.partition(":")[0]}:
            return device
    known = ", ".join(device.name for device in devices)
    raise DeviceError(
        Message("This computer has no device “{0}”.", name),
        Message("Those it has: {0}; auto takes the best.", known),
    )


def is_out_of_memory(error: BaseException) -> bool:
    """Return whether `error` is raised by a device, or the computer, being out of memory."""
    import torch

    if isinstance(error, torch.OutOfMemoryError | MemoryError):
        return True
    # MPS and the CPU's allocator raise a plain RuntimeError, the latter in other words on Windows.
    words = ("out of memory", "can't allocate memory", "DefaultCPUAllocator: not enough memory")
    return isinstance(error, RuntimeError) and any(each in str(error) for each in words)


@contextmanager
def out_of_memory_as(error: DeviceError) -> Iterator[None]:
    """Raise `error` in place of what torch raises where the block needs more memory than there is."""
    try:
        yield
    except (RuntimeError, MemoryError) as raised:
        if not is_out_of_memory(raised):
            raise
        raise error from raised


_TOKENS_AT_ONCE = 1024
"""The most tokens of one forward pass, unless a single text has more."""
_MOST_PADDING = 1.25
"""The longest text of a pass has at most this many times the tokens of the shortest."""
_MOST_CACHED = 4
"""The number of texts whose means or states, which interventions put in, stay cached."""
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
        self._of_texts: dict[tuple[str | None, ...], Tensor] = {}
        self._copies = {CPU: checkpoint.encoder.requires_grad_(requires_grad=False)}
        self._memories = {} if memories is None else memories

    @property
    def n_bytes(self) -> int:
        """The bytes of its numbers in the computer's memory, with those of packed weights and copies."""
        from bertviz_app.encoder.dense import packed_bytes

        on_cpu = [copy for name, copy in self._copies.items() if name.removesuffix(BFLOAT16) == CPU]
        modules: tuple[nn.Module, ...] = (*on_cpu, self.checkpoint.task_heads)
        numbers = [number for module in modules for number in module.parameters()]
        sizes = {number.data_ptr(): number.nbytes for number in numbers}  # what two share counts once
        return sum(sizes.values()) + sum(packed_bytes(copy.layers) for copy in on_cpu)

    @cached_property
    def parameters(self) -> ModelParameters:
        from bertviz_app.inference.model_parameters import ModelParameters

        return ModelParameters(self.checkpoint)

    def encoder_on(self, device: str) -> Encoder:
        """Return the encoder on the device of that name, copied there if it is not yet."""
        from bertviz_app.checkpoint.assemble import copied_to

        if device not in self._copies:
            is_low = dtype_of(device) == "bfloat16"
            copy = copied_to(self.checkpoint.encoder, device.removesuffix(BFLOAT16), in_bfloat16=is_low)
            self._copies[device] = copy.requires_grad_(requires_grad=False)
        return self._copies[device]

    def references(self, edits: Edits, device: Device) -> References:
        """Return the tensors to patch in from the other texts that `edits` names, cached between calls."""
        from bertviz_app.encoder.dense import NO_REFERENCES, References
        from bertviz_app.encoder.recorder import means_of, states_of

        if not edits:
            return NO_REFERENCES
        encoder, read = self.encoder_on(device.name), self.checkpoint.tokens

        def cached(compute: Callable[[Encoder, Tokens], Tensor], texts: tuple[str, str | None]) -> Tensor:
            """Return the tensor of a text; the latest few stay cached."""
            key = (compute.__name__, device.name, *texts)
            if key not in self._of_texts:
                self._of_texts[key] = compute(encoder, read(*texts))
                while len(self._of_texts) > _MOST_CACHED:
                    del self._of_texts[next(iter(self._of_texts))]
            return self._of_texts[key]

        means = {text: cached(means_of, (text, None)) for text in edits.references}
        states = {texts: cached(states_of, texts) for texts in edits.sources}
        for one in edits.states:
            validate_source(one, states[one.texts].shape[1])
        return References(means, states)

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
            import torch

            # Outside of the handler: the error's traceback holds the tensors that filled the device.
            self._copies.pop(device.name, None)
            if torch.cuda.is_available():
                torch.cuda.empty_cache()
            device = find_device(CPU)
        with out_of_memory_as(error):
            return work(device), device

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
        from bertviz_app.torch_operations import page_locked
        from bertviz_app.trace.memory import TraceMemory, new_block

        def run(chosen: Device) -> Trace:
            provenance = Provenance(self.checkpoint.facts.identity, __version__, dtype=chosen.dtype)
            encoder, references = self.encoder_on(chosen.name), self.references(edits, chosen)
            arrange_weights(encoder.layers, len(tokens))
            if chosen.hardware not in self._memories:
                make = page_locked if chosen.hardware.startswith("cuda") else new_block
                self._memories[chosen.hardware] = TraceMemory(make)
            memory = self._memories[chosen.hardware]
            name, calls = self.checkpoint.facts.name, check or (lambda: None)
            return record(encoder, tokens, name, calls, edits, provenance, memory, references, progress)

        trace, ran_on = self.run_on(device, run, _too_long(len(tokens)))
        return self._with_sentence_vector(trace), ran_on

    def record_batch(self, inputs: Sequence[Tokens], device: Device, check: Check | None) -> list[Trace]:
        """Return the traces of several inputs, computed in one pass that pads the shorter ones."""
        from bertviz_app.encoder.recorder import record_batch

        def run(chosen: Device) -> list[Trace]:
            provenance = Provenance(self.checkpoint.facts.identity, __version__, dtype=chosen.dtype)
            encoder = self.encoder_on(chosen.name)
            return record_batch(
                encoder, inputs, self.checkpoint.facts.name, check or (lambda: None), provenance
            )

        longest = max(len(tokens) for tokens in inputs)
        traces, _ = self.run_on(device, run, _too_long(longest * len(inputs)))
        return [self._with_sentence_vector(trace) for trace in traces]

    def _with_sentence_vector(self, trace: Trace) -> Trace:
        """Return `trace` with its sentence vector, or those of its tokens, if the checkpoint computes any."""
        if (module := self.checkpoint.sentence) is None:
            return trace
        vector = module.of(trace.hidden[-1], self.checkpoint.n_prompt_tokens(trace.tokens, trace.edits))
        if module.config.pooling is None:
            return replace(trace, token_vectors=vector)
        return replace(trace, sentence_vector=vector)

    def validate(self, trace: Trace) -> None:
        """Raise CheckpointError if `trace` was not made by this checkpoint.

        Of a trace without a fingerprint, from a file of an older version, only the sizes are compared.
        """
        facts = self.checkpoint.facts
        own, made = facts.identity.fingerprint, trace.fingerprint
        sizes = (facts.n_layers, facts.n_heads, facts.width), (trace.n_layers, trace.n_heads, trace.width)
        is_other = own != made if made else sizes[0] != sizes[1]
        if is_other:
            raise of_another(facts)


def _too_long(n_tokens: int) -> DeviceError:
    return DeviceError(
        Message("There is not enough memory to encode {0} tokens with this checkpoint.", n_tokens),
        Message("Give a shorter text, or choose a smaller checkpoint."),
    )


def batches_of(lengths: Sequence[int], most_padding: float = _MOST_PADDING) -> list[list[int]]:
    """Return which of the texts with these `lengths` are encoded together, by their numbers.

    `most_padding`: the longest text of a batch by its shortest; 1: all have the same length.
    """
    batches: list[list[int]] = []
    for at in sorted(range(len(lengths)), key=lambda number: lengths[number]):
        batch = batches[-1] if batches else []
        fits = (len(batch) + 1) * lengths[at] <= _TOKENS_AT_ONCE
        if batch and fits and lengths[at] <= most_padding * lengths[batch[0]]:
            batch.append(at)
        else:
            batches.append([at])
    return batches
