"""A long use of the whole window, by random gestures or by fast typing: `make soak`. Run by hand."""

import os

from bertviz_app.shell.process import prepare_process, skip_source_search

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
prepare_process()
skip_source_search()
