"""`FormFile`: the form of the Training page in a small file, and which training the program's end stopped."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from bertviz_app import paths
from bertviz_app.json_store import JsonFile
from bertviz_app.training.settings import WORK

if TYPE_CHECKING:
    from bertviz_app.viewmodels.training.training import Training

_VERSION = 1


class FormFile:
    """Written at each change of the form, read when the page is first opened."""

    def __init__(self, folder: Path) -> None:
        """`folder` is where the settings are."""
        self._file = JsonFile(folder / "training.json", _VERSION)

    def unfinished(self) -> Path | None:
        """Return the folder of the training that the end of the program stopped, if it is still there."""
        folder = self._file.read().get("unfinished")
        return Path(folder) if isinstance(folder, str) and paths.exists(Path(folder) / WORK) else None

    def restore(self, training: Training) -> None:
        plain = self._file.read()
        if not plain:
            return
        from bertviz_app.viewmodels.training.training import free_folder, from_plain

        form, elsewhere = from_plain(plain.get("form")), plain.get("elsewhere")
        if plain.get("is_typed") is False:
            training.suggested = form.text, form.pair
        is_taken = not form.folder or paths.exists(Path(form.folder))  # by a model that was trained since
        training.change(**{**vars(form), "folder": str(free_folder()) if is_taken else form.folder})
        if isinstance(elsewhere, list):
            training.saved_runs.elsewhere = tuple(Path(str(name)) for name in elsewhere)

    def save(self, training: Training, unfinished: Path | None = None) -> None:
        """Write the form; `unfinished` is the training that is stopped now by the end of the program."""
        from bertviz_app.viewmodels.training.training import to_plain

        content = {
            "form": to_plain(training.form),
            "is_typed": (training.form.text, training.form.pair) != training.suggested,
            "elsewhere": [str(folder) for folder in training.saved_runs.elsewhere],
            **({} if unfinished is None else {"unfinished": str(unfinished)}),
        }
        self._file.write(content)
