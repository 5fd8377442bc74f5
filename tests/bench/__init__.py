"""Measurements, run by hand: `make bench`. What threads need is set here, before numpy is imported."""

import os

from bertviz_app.shell.process import prepare_process

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
prepare_process()
