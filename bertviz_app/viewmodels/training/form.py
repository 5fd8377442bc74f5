"""`TrainingForm`: what the user asks a training for, as it is typed, and the job that it makes."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from itertools import count
from pathlib import Path
from types import MappingProxyType

from bertviz_app import paths
from bertviz_app.errors import Message
from bertviz_app.inference.training.job import TrainingJob, Watch
from bertviz_app.json_store import decode_or_keep, encode
from bertviz_app.text.tokens import validate
from bertviz_app.text_tables.table import TARGETS, TableChoices
from bertviz_app.training.finetuning.settings import TuningSettings
from bertviz_app.training.pretraining.settings import PretrainingSettings
from bertviz_app.training.settings import TrainingError

TABLE_FIELDS = tuple(field.name for field in fields(TableChoices))
TASKS = ("pretrain", "finetune")
SIZES = ("small", "bundled", "own")
ENDS = ("minutes", "steps")
SMALL = PretrainingSettings(
    n_layers=2,
    n_heads=4,
    width=128,
    vocabulary_size=4_000,
    n_positions=128,
    length=64,
    batch_tokens=2_048,
    rate=2e-3,
    evaluate_every=50,
    save_every=20.0,
)
"""Shows something within two minutes on two processors."""
BUNDLED = PretrainingSettings()
"""The sizes of the model that ships with the program."""
TUNING = TuningSettings(evaluate_every=20, save_every=20.0)
"""Evaluated and saved often enough to be watched."""
CONTINUED = replace(BUNDLED, rate=2e-4, evaluate_every=50, save_every=20.0)
"""Of a checkpoint that is trained further; the rates of new models would undo what it has learnt."""
_PRESETS = MappingProxyType({"small": SMALL, "bundled": BUNDLED})


@dataclass(frozen=True)
class TrainingForm:
    """`task` is one of TASKS.

    To pre-train, `size` is one of SIZES, the numbers below it are those of "own"; the run ends after
    `amount` `end`. If it `begins_at_base` the checkpoint below is trained further.

    To fine-tune, `rows` and `test` ("" for none) are files, `base` refers to the checkpoint to begin with
    (None: the default one), which is called `base_name`; it is that of run A as long as it `follows_run_a`.
    The columns, `separator`, `encoding` and `target` are what the user says about `rows` and `test`.
    `text` and `pair` are encoded every `every` steps.
    `folder` may not exist yet.
    """

    task: str = "pretrain"
    files: tuple[str, ...] = ()
    begins_at_base: bool = False
    size: str = "small"
    n_layers: int = 4
    n_heads: int = 4
    width: int = 128
    vocabulary_size: int = 8_000
    end: str = "minutes"
    amount: float = 2.0
    rows: str = ""
    test: str = ""
    label_column: str = ""
    text_column: str = ""
    pair_column: str = ""
    separator: str = ""
    encoding: str = ""
    target: str = ""
    base: str | None = None
    base_name: str = ""
    follows_run_a: bool = True
    epochs: int = TUNING.epochs
    rate: float = TUNING.rate
    freezes: bool = False
    folder: str = ""
    text: str = ""
    pair: str | None = None
    every: int = 25

    @property
    def table(self) -> TableChoices:
        """What the user says about the files of rows."""
        return TableChoices(**{name: getattr(self, name) for name in TABLE_FIELDS})

    def without_answers(self) -> TrainingForm:
        """Return the form with nothing said about the files of rows."""
        return replace(self, label_column="", text_column="", pair_column="", separator="", encoding="")

    @property
    def preset(self) -> PretrainingSettings:
        """The settings of the chosen size, or those for a checkpoint, whose sizes replace theirs."""
        if self.begins_at_base:
            return CONTINUED
        if self.size != "own":
            return _PRESETS[self.size]
        like = SMALL if self.width < BUNDLED.width else BUNDLED
        sizes = {name: getattr(self, name) for name in ("n_layers", "n_heads", "width", "vocabulary_size")}
        return replace(like, **sizes)


def settings_of(form: TrainingForm) -> PretrainingSettings:
    """Return the settings of the run that `form` asks for."""
    ends = {"minutes": form.amount} if form.end == "minutes" else {"steps": round(form.amount)}
    return replace(form.preset, **ends)


def job_of(form: TrainingForm, device: str) -> TrainingJob:
    """Return the training that `form` asks for. Raises TrainingError or TextError for what it cannot be."""
    files, settings = _tuning(form) if form.task == "finetune" else _pretraining(form)
    if not form.folder.strip():
        raise TrainingError(Message("There is no folder for the model."), Message("Choose one."))
    validate(form.text, name=Message("The sentence to watch"))
    if form.every < 1:
        raise TrainingError(
            Message("The number of steps between two pictures of the sentence is {0}.", form.every),
            Message("Give a whole number of steps from 1."),
        )
    settings.validate()
    job = TrainingJob(
        files=tuple(Path(name) for name in files),
        out=_folder(form.folder.strip()),
        settings=settings,
        watch=Watch(form.text, form.pair, form.every),
        device=device,
    )
    if form.task == "finetune":
        job = replace(job, test=Path(form.test) if form.test else None, table=form.table)
    elif not form.begins_at_base:
        return job
    begins = form.task == "pretrain"
    return replace(job, base=form.base, base_name=form.base_name, begins_at_base=begins)


def _folder(typed: str) -> Path:
    try:
        return Path(typed).expanduser()
    except RuntimeError as error:  # such as "~nobody/model"
        message = Message("The home folder that {0} begins with cannot be found.", typed)
        raise TrainingError(message, Message("Choose another folder.")) from error


def _pretraining(form: TrainingForm) -> tuple[tuple[str, ...], PretrainingSettings]:
    if not form.files:
        raise TrainingError(Message("There is no text to train on."), Message("Add a file with sentences."))
    return form.files, settings_of(form)


def _tuning(form: TrainingForm) -> tuple[tuple[str, ...], TuningSettings]:
    if not form.rows:
        raise TrainingError(
            Message("There are no rows to learn from."), Message("Choose a file of labels and texts.")
        )
    return (form.rows,), replace(TUNING, epochs=form.epochs, rate=form.rate, freezes_encoder=form.freezes)


def free_folder(home: Path | None = None) -> Path:
    """Return a folder for another model in `home` (that of trained models) which is not there yet."""
    home = home or paths.trained_models()
    return next(folder for number in count(1) if not (folder := home / f"model-{number}").exists())


def with_files(form: TrainingForm, names: list[str]) -> TrainingForm:
    """Return `form` with these files too, none twice.

    Of two files of rows the first is trained on and the second evaluated on; they replace the former ones.
    """
    if form.task == "finetune":
        rows, *others = names or [form.rows]
        if others:
            return replace(form, rows=rows, test=others[0])
        is_second = bool(form.rows) and rows != form.rows and not form.test
        return replace(form, test=rows) if is_second else replace(form, rows=rows)
    return replace(form, files=tuple(dict.fromkeys((*form.files, *names))))


def to_plain(form: TrainingForm) -> dict[str, object]:
    """Return `form` as JSON can hold it."""
    plain: dict[str, object] = encode(form)
    return plain


def from_plain(plain: object) -> TrainingForm:
    """Return the form that `to_plain` wrote; fields that do not fit have their defaults."""
    found = decode_or_keep(TrainingForm(), plain) if isinstance(plain, dict) else TrainingForm()
    is_sound = found.task in TASKS and found.size in SIZES and found.end in ENDS
    is_sound = is_sound and found.target in ("", *TARGETS)
    return found if is_sound else TrainingForm()
