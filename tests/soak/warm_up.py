"""`use_every_checkpoint`: fills what the program keeps on purpose, which is not a leak.

The engine keeps the checkpoints used last, and a second copy of those that were used in bfloat16, up to the
memory limit of the settings. Random gestures come to the rarest of them late: 84 MB after twelve minutes.
"""

from __future__ import annotations

from bertviz_app.checkpoint.sources.source import list_sources
from bertviz_app.shell.window.window import MainWindow
from bertviz_app.torch_operations import cpu_multiplies_bfloat16
from tests.soak.material import TEXTS, Material
from tests.support.opened_window import run_until

_LONGEST_S = 60.0


def use_every_checkpoint(window: MainWindow, material: Material) -> list[str]:
    """Encode a text with each of the checkpoints that the gestures can open, in each dtype.

    Returns a sentence for each that could not be encoded with.
    """
    faults = []
    workspace = window.app_state.workspace
    refs = dict.fromkeys((*(source.ref for source in list_sources()), *material.whole))
    workspace.set_texts(TEXTS[0], None, at_once=True)
    for device in ("auto", "auto/bfloat16") if cpu_multiplies_bfloat16() else ("auto",):
        workspace.set_device(device)
        for ref in refs:
            workspace.open_model(ref)
            run_until(lambda: workspace.is_current and not workspace.is_busy, _LONGEST_S)
            if not workspace.is_current:
                faults.append(f"before the first gesture: no text is encoded with {ref} on {device}")
    workspace.set_device("auto")
    return faults
