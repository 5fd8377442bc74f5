"""The checkpoint that an adapter is added to, as far as it is on this computer. Loads no torch."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from bertviz_app.checkpoint.folder import CONFIG
from bertviz_app.checkpoint.questions import Answers, AnswersError, Questions
from bertviz_app.checkpoint.sources.cache import cached_model
from bertviz_app.checkpoint.sources.known import known_checkpoints
from bertviz_app.errors import Message, shown


def base_of(adapter: Path, stated: str, answered: str | None) -> Path:
    """Return the folder of the checkpoint that the adapter in the folder `adapter` is added to.

    That is the one that was `answered`, else the one `stated` by its file: a folder, a name that is listed,
    or a model in the hub's cache. Nothing is downloaded. Raises AnswersError if it is not found.
    """
    name = (answered or stated).strip()
    for folder in _candidates(adapter, name):
        with suppress(OSError, ValueError, RuntimeError):  # too long, NUL, unknown user
            if folder.resolve() != adapter.resolve() and (folder / CONFIG).is_file():
                return folder
    questions = Questions(in_force=Answers(base=answered), names=("base",), base=stated)
    if name:
        message = Message(
            "The adapter in {0} is added to the checkpoint “{1}”, which is not on this computer.",
            adapter,
            shown(name, 200),
        )
    else:
        message = Message("The adapter in {0} does not say which checkpoint it is added to.", adapter)
    hint = Message("Give that checkpoint, as --base FOLDER, or --base org/name to download it from the hub.")
    raise AnswersError(message, hint, questions)


def _candidates(adapter: Path, name: str) -> Iterator[Path]:
    if not name:
        return
    with suppress(RuntimeError):  # an unknown user
        yield adapter / Path(name).expanduser()  # an absolute path replaces what is before it
        if Path(name).name == CONFIG:
            yield adapter / Path(name).expanduser().parent
    if cached := cached_model(name):
        yield cached
    for listed, folder, _ in known_checkpoints():
        if listed == name:
            yield folder
