"""`Device`: a processor on which an encoder can run, as torch reports it. Torch is imported on first use."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace

from bertviz_app.errors import DeviceError, Message
from bertviz_app.inference.warmup import preload_torch
from bertviz_app.trace.provenance import Dtype

AUTO = "auto"
CPU = "cpu"
BFLOAT16 = "/bfloat16"
"""What ends the name of a device that is to compute in bfloat16: "cpu/bfloat16", "auto/bfloat16"."""


@dataclass(frozen=True)
class Device:
    """`name` is torch's name for it, `label` its name in a list, and `detail` a remark beside it.

    `dtype`: in which numbers it computes, bfloat16 where the name ends so. `lacks_bfloat16` says why it
    cannot compute in bfloat16, "" where it can.
    """

    name: str
    label: str
    detail: str
    dtype: Dtype = "float32"
    lacks_bfloat16: str = field(default="", compare=False)

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
    message = Message("Nothing is computed in “{0}”.", dtype)
    raise DeviceError(message, Message("The dtype is float32 or bfloat16."))


def dtype_of(name: str) -> Dtype:
    """Return the type of numbers in which the device of this name is to compute."""
    return "bfloat16" if name.endswith(BFLOAT16) else "float32"


def available_devices() -> tuple[Device, ...]:
    """Return the devices that torch reports, the CPU first."""
    preload_torch()
    import torch

    n_threads = torch.get_num_threads()
    detail = Message("{0} threads", n_threads) if n_threads > 1 else Message("{0} thread", n_threads)
    devices = [Device(CPU, "CPU", detail, lacks_bfloat16=_processor_lacks())]
    for number in range(torch.cuda.device_count() if torch.cuda.is_available() else 0):
        has_it = torch.cuda.get_device_capability(number) >= (8, 0)
        lacks = "" if has_it else Message("This GPU has no instructions for bfloat16 (from Ampere on).")
        name = torch.cuda.get_device_name(number)
        devices.append(Device(f"cuda:{number}", f"CUDA {number}", name, lacks_bfloat16=lacks))
    if torch.backends.mps.is_available():
        lacks = Message("bfloat16 can be chosen on a CPU or with CUDA, not with MPS.")
        devices.append(Device("mps", "MPS", "Apple GPU", lacks_bfloat16=lacks))
    return tuple(devices)


def _processor_lacks() -> str:
    """Return why the processor cannot compute in bfloat16, "" where it can; emulated it would be slow."""
    import torch

    tests = ("_is_amx_tile_supported", "_is_avx512_bf16_supported")
    if any(getattr(torch.cpu, test, lambda: False)() for test in tests):
        return ""
    return Message("This processor has no instructions for bfloat16 (AMX or AVX512-BF16).")


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
    message = Message("This computer has no device “{0}”.", name)
    raise DeviceError(message, Message("Those it has: {0}; auto takes the best.", known))


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


def training_memory() -> AbstractContextManager[None]:
    """Return a context that raises DeviceError where a training fills the memory."""
    message = Message("There is not enough memory to train this model with batches of this size.")
    return out_of_memory_as(DeviceError(message, Message("Take smaller batches, or a smaller model.")))
