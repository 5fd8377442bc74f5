"""How the Rust library of tokenizers fails: by bare exceptions, and by panics that are none."""

from __future__ import annotations


def is_failure(error: BaseException) -> bool:
    """Return whether the library raised `error`, and not the user or the system.

    A panic of the library is no Exception, and its class has no public name.
    """
    return isinstance(error, Exception) or type(error).__name__ == "PanicException"
