"""`Device`: a processor on which an encoder can run, as torch reports it. Torch is imported on first use."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass

from bertviz_app.errors import DeviceError, Message
from bertviz_app.inference.warmup import preload_torch

AUTO = "auto"
CPU = "cpu"


@dataclass(frozen=True)
class Device:
    """`name` is torch's name for it, `label` its name in a list, and `detail` a remark beside it."""

    name: str
    label: str
    detail: str


def available_devices() -> tuple[Device, ...]:
    """Return the devices that torch reports, the CPU first."""
    preload_torch()
    import torch

    n_threads = torch.get_num_threads()
    detail = Message("{0} threads", n_threads) if n_threads > 1 else Message("{0} thread", n_threads)
    devices = [Device(CPU, "CPU", detail)]
    for number in range(torch.cuda.device_count() if torch.cuda.is_available() else 0):
        devices.append(Device(f"cuda:{number}", f"CUDA {number}", torch.cuda.get_device_name(number)))
    if torch.backends.mps.is_available():
        devices.append(Device("mps", "MPS", "Apple GPU"))
    return tuple(devices)


def find_device(name: str, devices: Sequence[Device] = ()) -> Device:
    """Return the device called `name`; "auto" is the first that is not the CPU, "cuda" the first of its kind.

    `devices` are those of this computer; if none are given, torch enumerates them. Raises DeviceError naming
    the devices that exist.
    """
    devices = devices or available_devices()
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
    # MPS and the CPU's allocator raise a plain RuntimeError.
    text = str(error)
    return isinstance(error, RuntimeError) and ("out of memory" in text or "can't allocate memory" in text)


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
