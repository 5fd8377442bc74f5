"""A long use of the whole window, by random gestures or by fast typing: `make soak`. Run by hand."""

import ctypes
import os
from contextlib import suppress

from bertviz_app.shell.process import prepare_process, skip_source_search

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
prepare_process()
skip_source_search()

_M_ARENA_MAX = -8
# One heap for all threads: with several, what is free in them swings by 70 MB as threads come and go.
with suppress(AttributeError, TypeError, OSError):  # of Linux alone
    ctypes.CDLL(None).mallopt(_M_ARENA_MAX, 1)
