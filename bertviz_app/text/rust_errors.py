"""Failures of the Rust tokenizers library: plain exceptions and panics."""

from __future__ import annotations


def is_failure(error: BaseException) -> bool:
    """Return whether `error` comes from the library, not from the user or the system.

    A panic is a BaseException whose class has no public name.
    """
    return isinstance(error, Exception) or type(error).__name__ == "PanicException"
