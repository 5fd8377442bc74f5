"""What every training has in common: settings, folder, log, lock and listener. Loads no torch."""

from __future__ import annotations

import errno
import json
import math
import os
import re
import sys
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

from bertviz_app.errors import AppError, FileError, Message
from bertviz_app.paths import examining, replacing
from bertviz_app.text_tables.columns import column_named, is_like_table
from bertviz_app.text_tables.packages import refuse_binary
from bertviz_app.text_tables.table import (
    TEXTS,
    TableChoices,
    TextTable,
    form_words,
    left_out,
    package_table,
    read_package_table,
    read_table,
    unpacked,
)
from bertviz_app.values import asdict, dataclass

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


class TrainingError(AppError):
    """A training cannot be started, resumed or continued."""


class LoopSettings:
    """The settings that every training has: its loop reads them, its card lists them."""

    seed: int  # of everything random
    warm_up: float  # share of the run over which the rate rises
    rate: float  # the highest
    decay: float  # AdamW's
    clip: float  # the largest norm of a gradient
    precision: str  # one of PRECISIONS
    stores: str  # how the weights are written, one of STORES
    evaluate_every: int  # steps between two evaluations
    save_every: float  # seconds between two saves
    snapshot_every: int | None  # steps between two snapshots; None for no snapshots
    _changeable: tuple[str, ...] = ()
    """Other settings that a resumed run may have otherwise than its first part."""

    def resumable_settings(self) -> dict[str, object]:
        """Return the settings that a resumed run must have in common with its first part."""
        of_all = "precision", "stores", "evaluate_every", "save_every", "snapshot_every"
        changeable = {*self._changeable, *of_all}
        return {name: value for name, value in vars(self).items() if name not in changeable}


@dataclass(frozen=True, kw_only=True)
class StepFacts:
    """What the report of a step has in every training."""

    step: int  # from 1
    share: float  # of the run that is done, 0 to 1
    seconds: float  # of training so far, over all parts of the run
    n_tokens: int  # trained on so far, without padding
    tokens_per_second: float  # recently
    rate: float


PRECISIONS = ("auto", "float32", "bfloat16")
STORES = ("float32", "float16")


def refuse(*faults: tuple[bool, Message, Message]) -> None:
    """Raise TrainingError with the message and the hint of the first fault that is there."""
    for is_there, message, hint in faults:
        if is_there:
            raise TrainingError(message, hint)


def check_loop(settings: LoopSettings) -> None:
    """Raise TrainingError for settings with which no loop can run, or would run otherwise than they say."""
    decay, clip = settings.decay, settings.clip
    refuse(
        (
            not (math.isfinite(decay) and decay >= 0),
            Message("The weight decay is {0}.", decay),
            Message("Give a number from 0, such as 0.01."),
        ),
        (
            not clip > 0,
            Message("Gradients cannot be clipped to a norm of {0}.", clip),
            Message("Give a number above 0, such as 1."),
        ),
    )
    check_counts(("evaluate_every", settings.evaluate_every))
    for name, choices in (("precision", PRECISIONS), ("stores", STORES)):
        allowed = ", ".join(choices)
        message = Message("{0} in {1} must be {2}.", name, type(settings).__name__, allowed)
        refuse((getattr(settings, name) not in choices, message, Message("Give one of: {0}.", allowed)))


def check_counts(*counts: tuple[str, int]) -> None:
    """Raise TrainingError for a number below 1, of those with these names."""
    hint = Message("Give a whole number from 1.")
    refuse(*((count < 1, Message("The number for {0} is {1}.", name, count), hint) for name, count in counts))


def check_share(name: str, share: float) -> None:
    """Raise TrainingError for a share that is none."""
    message = Message("The share of {0} is {1}.", name, share)
    refuse((not 0 <= share <= 1, message, Message("Give a number from 0 to 1.")))


WORK = "run"
"""The folder within the model's folder that only the training needs."""
STATE = "state.safetensors"
"""Within WORK: what a resumed run starts from."""


def check_folder(out: Path, *, is_resumed: bool) -> None:
    """Raise TrainingError if there is no run in `out` to resume, or one that a new run would overwrite.

    Raises FileError where that cannot be found out.
    """
    with examining(out, Message("Choose another folder.")):
        is_there = (out / WORK / STATE).exists()
    refuse(
        (
            is_resumed and not is_there,
            Message("There is no run in {0} to go on with.", out),
            Message("Leave out --resume to start one."),
        ),
        (
            not is_resumed and is_there,
            Message("There is a run in {0} already.", out),
            Message("Go on with it by --resume, or give another folder."),
        ),
    )


LOCK = "lock"
"""The file in the folder of a run; it stays there."""
_IS_HELD = {errno.EAGAIN, errno.EWOULDBLOCK, errno.EACCES, errno.EDEADLK}
"""What a lock is refused with while another process holds it; else the disk has no locks."""


@contextmanager
def owned(folder: Path) -> Iterator[None]:
    """Hold the lock in `folder` during the block.

    Raises TrainingError while another process holds it, and FileError where there can be no file, or files
    cannot be locked.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = (folder / LOCK).open("ab")
    except OSError as error:
        raise _not_written(folder, error) from error
    with file:
        try:
            _lock(file.fileno())
        except OSError as error:
            if error.errno not in _IS_HELD:
                raise _not_written(file.name, error) from error
            raise TrainingError(
                Message("Another training is under way in {0}.", folder.parent),
                Message("Wait until it has ended, or choose another folder."),
            ) from error
        yield  # closing the file releases the lock


def _not_written(path: Path | str, error: OSError) -> FileError:
    message = Message("{0} could not be written: {1}.", path, error.strerror or error)
    return FileError(message, Message("Choose another folder."))


if sys.platform == "win32":
    import msvcrt

    def _lock(number: int) -> None:
        os.lseek(number, 0, os.SEEK_SET)
        msvcrt.locking(number, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(number: int) -> None:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)


_Step = TypeVar("_Step", contravariant=True)
_Evaluation = TypeVar("_Evaluation", contravariant=True)
_Network = TypeVar("_Network", contravariant=True)


class Listener(Protocol[_Step, _Evaluation, _Network]):
    """Follows a training. Any method may raise Cancelled: the run is then saved and can be resumed."""

    def on_stage(self, stage: str) -> None:
        """Handle the start of a stage: "vocabulary", "rows", "tokens" or "training"."""

    def on_notice(self, notice: str) -> None:
        """Handle a sentence about the data that the user should know."""

    def check(self) -> None:
        """Raise Cancelled to stop. Called before every step; the time it takes is not counted as training."""

    def on_step(self, report: _Step, network: _Network) -> bool | None:
        """Handle the report of a step; `True`, and nothing else, asks for a snapshot of the model."""

    def on_evaluated(self, result: _Evaluation) -> None:
        """Handle an evaluation on held-out data."""

    def on_snapshot(self, folder: Path) -> None:
        """Handle a snapshot: the model at this step was saved to `folder`."""


class SilentListener:
    """Ignores all events and never cancels."""

    def on_stage(self, stage: str) -> None:
        """Ignore the stage."""

    def on_notice(self, notice: str) -> None:
        """Ignore the notice."""

    def check(self) -> None:
        """Let the training go on."""

    def on_step(self, report: object, network: object) -> bool | None:
        """Ignore the step."""

    def on_evaluated(self, result: object) -> None:
        """Ignore the evaluation."""

    def on_snapshot(self, folder: Path) -> None:
        """Ignore the snapshot."""


LOG = "log.jsonl"


class RunLog:
    """Adds lines to the log in a folder."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / LOG

    def forget_after(self, step: int) -> None:
        """Remove the lines of steps after `step`, which are done again, and an incomplete last line."""
        if self._path.exists():
            lines = [line for line in read_record(self._path.parent) if _step(line) <= step]
            with replacing(self._path) as path:
                path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")

    def add(self, kind: str, entry: DataclassInstance) -> None:
        """Write the line of a "step", or of a "held-out" evaluation.

        Raises TrainingError for a number that is infinite or none.
        """
        values = asdict(entry)
        try:
            line = json.dumps({"kind": kind, **values}, allow_nan=False)
        except ValueError as error:
            message = Message("The loss is not a number any more at step {0}.", f"{values['step']:,}")
            raise TrainingError(message, Message("Start again with a smaller learning rate.")) from error
        with self._path.open("a", encoding="utf-8") as file:
            file.write(line + "\n")


def read_record(folder: Path) -> list[dict[str, object]]:
    """Return the complete lines of the log in `folder`; none where there is no log."""
    path = folder / LOG
    found = []
    text = path.read_bytes().decode("utf-8", "replace") if path.exists() else ""
    for line in text.splitlines():  # a damaged one is left out
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        if isinstance(entry, dict):
            found.append(entry)
    return found


def _step(line: dict[str, object]) -> int:
    step = line.get("step")
    return step if isinstance(step, int) else 0


SENTENCE_ENDS = frozenset(".!?…。！？")
_SENTENCE_END = re.compile(r"(?<=[.!?…。！？])\s+|(?<=[.!?…。！？][\"'”’)\]])\s+")
_BLANK_LINE = re.compile(r"\n[ \t]*\n")


def read_documents(
    path: Path, column: str = "", notice: Callable[[str], None] = lambda words: None
) -> list[str]:
    """Return the documents of a UTF-8 text, or the cells of a column of a table; also packed (.xz, .gz).

    A blank line separates the documents of a text; without blank lines every line is one. `notice` is called
    with sentences about a table. Raises FileError for a file that is missing, empty, damaged or neither,
    TableError for a table that does not show which column has the texts.
    """
    found = table_of_texts(path, column)
    if found is None:
        content = unpacked(path)
        refuse_binary(path.name, content, is_sure=True)
        try:
            text = _composed(content.decode("utf-8-sig"))
        except UnicodeDecodeError as error:
            message = Message(
                "{0} is not UTF-8 text: byte {1} fits no character.", path.name, f"{error.start:,}"
            )
            raise FileError(message, Message("Save it as UTF-8.")) from error
        parts = text.split("\n") if _BLANK_LINE.search(text) is None else _BLANK_LINE.split(text)
        if column:
            notice(Message("{0} has no columns: it is read as text.", path.name))
    else:
        table, at = found
        read_package_table.cache_clear()
        parts = list(map(_composed, table.column(at)))
        faults = [record.fault for record in table.records if record.fault]
        for words in (texts_notice(table, at), *left_out(path.name, faults, len(table.records))):
            notice(words)
    documents = [part.strip() for part in parts if part.strip()]
    if not documents:
        raise FileError(
            Message("{0} has no text in it.", path.name), Message("Give a file with sentences to train on.")
        )
    return documents


def table_of_texts(path: Path, column: str, most: int | None = None) -> tuple[TextTable, int] | None:
    """Return a table and the number of its column of texts; None for a text, which has no columns.

    Without `column` CSV and JSON are texts. `most`: so many rows of a table that a package reads, alone.
    Raises FileError, TableError.
    """
    choices = TableChoices(text_column=column)
    table = package_table(path, choices, most)
    if table is None and column and most is None:
        table = read_table(path, choices)
    if table is None or not is_like_table(table):
        return None
    is_alone = len(table.columns) == 1 and not column
    return table, 0 if is_alone else column_named(table, column, "column", TEXTS)


def texts_notice(table: TextTable, at: int) -> str:
    """Return how a table of texts is read."""
    words = form_words(table.encoding, table.layout)
    return Message("{0} is read as {1}: column {2}.", table.name, words, table.columns[at])


def sentences(document: str) -> Iterator[str]:
    """Yield the sentences of a document, line by line: cut after a full stop, question or exclamation mark.

    Abbreviations are cut, too: the cuts need not be grammatical, only places where a text can be split.
    """
    for line in document.split("\n"):
        yield from (part for part in _SENTENCE_END.split(line.strip()) if part)


def _composed(text: str) -> str:
    return unicodedata.normalize("NFC", text.replace("\r\n", "\n"))
