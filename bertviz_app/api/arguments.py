"""Validation of the arguments of the API, each error with a correct call; answers to questions; trainings."""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields, replace
from difflib import get_close_matches
from numbers import Integral, Real
from os import PathLike
from pathlib import Path
from typing import Unpack, cast

from bertviz_app.checkpoint.question_table import QUESTIONS, answers_in
from bertviz_app.checkpoint.questions import Answers, AnswersError, GivenAnswers, validate_parts
from bertviz_app.errors import AppError, ArgumentError, Message, Progress, at_a_prompt
from bertviz_app.features.training.base import open_base, training_memory
from bertviz_app.features.training.finetuning.settings import TuningListener, TuningSettings, TuningVerdict
from bertviz_app.features.training.pretraining.settings import (
    Evaluation,
    PretrainingListener,
    PretrainingSettings,
)
from bertviz_app.features.training.settings import SilentListener
from bertviz_app.inference.opened_checkpoint import find_device
from bertviz_app.text import Edits
from bertviz_app.text.edits import (
    MASK,
    CellIntervention,
    HeadIntervention,
    Intervention,
    StateIntervention,
    TokenIntervention,
)
from bertviz_app.text_tables.table import TARGETS, TableArguments, TableChoices
from bertviz_app.trace.indexing import as_number, described

_KINDS = (HeadIntervention, TokenIntervention, CellIntervention, StateIntervention)


def as_ref(ref: object) -> str | None:
    """Return a checkpoint's folder, name or hub id as text; paths are taken, too. Raises ArgumentError."""
    if ref is None or isinstance(ref, str):
        return ref
    if isinstance(ref, os.PathLike):
        return os.fsdecode(ref)
    message = Message("A checkpoint is a folder, a name or a model of the hub, not {0}.", described(ref))
    raise ArgumentError(message, Message("Call {0}.", 'open_model("folder/of/the/checkpoint")'))


def as_name(name: object) -> str:
    """Return the name of a parameter. Raises ArgumentError for what is no text."""
    message = Message("A parameter is named by a text, not {0}.", described(name))
    return _text(name, message, "model.parameters() to see their names")


def as_key(key: object) -> str:
    """Return the key of an analysis. Raises ArgumentError for what is no text."""
    message = Message("An analysis is chosen by its key, not {0}.", described(key))
    return _text(key, message, 'model.analyse("attention-rollout", model.trace(text))')


def as_device(device: object) -> str:
    """Return a device's name as text; a `torch.device` is taken, too. Raises ArgumentError."""
    if _is_of_torch(device, "device"):
        return str(device)
    message = Message("A device is a name or a torch.device, not {0}.", described(device))
    return _text(device, message, 'open_model(device="cpu")')


def as_dtype(dtype: object) -> str:
    """Return the name of a dtype; a `torch.dtype` is taken, too. Raises ArgumentError."""
    if _is_of_torch(dtype, "dtype"):
        return str(dtype).removeprefix("torch.")
    message = Message("A dtype is a name or a torch.dtype, not {0}.", described(dtype))
    return _text(dtype, message, 'open_model(dtype="bfloat16")')


def _is_of_torch(value: object, name: str) -> bool:
    """Return whether the class of a value has this name in torch, which may not be loaded yet."""
    return (type(value).__module__, type(value).__name__) == ("torch", name)


def _text(value: object, message: Message, call: str) -> str:
    """Return what is a text. Raises ArgumentError with a correct call for anything else."""
    if isinstance(value, str):
        return value
    raise ArgumentError(message, Message("Call {0}.", call))


def as_texts(text: object, pair: object) -> tuple[str, str | None]:
    """Return a text, or a pair. Raises ArgumentError."""
    for given, name in ((text, "text"), (pair, "pair")):
        if isinstance(given, str) or (name == "pair" and given is None):
            continue
        message = Message("The {0} is one text, not {1}.", name, described(given))
        call = 'model.trace("a text", pair="another")' if name == "pair" else 'model.trace("a text")'
        items = list(given) if isinstance(given, list | tuple) else []
        if items and all(isinstance(item, str) for item in items):
            call = "[model.trace(text) for text in texts]"
        elif items or hasattr(given, "dtype"):
            message = Message("The {0} is written text, not the ids of tokens.", name)
        raise ArgumentError(message, Message("Call {0}.", call))
    return text, pair  # type: ignore[return-value]  # both were validated


def as_many_texts(texts: object) -> Iterator[tuple[str, str | None]]:
    """Return an iterator over texts and pairs, each as (text, pair or None). Raises ArgumentError."""
    call = 'model.trace_many(["a text", "another"])'
    if isinstance(texts, str | bytes | Mapping) or not isinstance(texts, Iterable):
        message = Message("The texts are a list of texts, not {0}.", described(texts))
        raise ArgumentError(message, Message("Call {0}.", call))
    pairs = (item if isinstance(item, tuple) and len(item) == 2 else (item, None) for item in texts)
    return (as_texts(text, pair) for text, pair in pairs)


def as_pair(pair: object) -> str:
    """Return the second text of a pair. Raises ArgumentError."""
    message = Message("The {0} is one text, not {1}.", "pair", described(pair))
    return _text(pair, message, 'model.next_sentence("a text", "another")')


def as_edits(muted: object, replaced: object, interventions: object = ()) -> Edits:
    """Return the interventions of a run. Raises ArgumentError, and InterventionError where two contradict."""
    heads = [HeadIntervention(layer, head) for layer, head in _heads(muted)]
    tokens = [
        TokenIntervention(at) if piece == MASK else TokenIntervention(at, "replace", piece)
        for at, piece in _pieces(replaced)
    ]
    call = 'model.trace(text, interventions=[HeadIntervention(3, 5, "uniform")])'
    error = ArgumentError(Message("Interventions are a list of them."), Message("Call {0}.", call))
    if not isinstance(interventions, Iterable) or isinstance(interventions, str | bytes | Mapping):
        raise error
    found = list(interventions)
    if not all(isinstance(one, _KINDS) for one in found):
        raise error
    return Edits.of([*heads, *tokens, *map(_with_numbers, found)])


def _with_numbers(one: Intervention) -> Intervention:
    """Return an intervention with numbers of Python, whatever numbers it has. Raises ArgumentError."""
    names = {"layer", "head", "token", "query", "key", "state", "source_token"}
    numbers: dict[str, float] = {
        field.name: as_number(getattr(one, field.name), field.name)
        for field in fields(one)
        if field.name in names
    }
    if isinstance(one, CellIntervention):
        if isinstance(one.weight, bool):
            message = Message("{0} is one number, not {1}.", "weight", described(one.weight))
            raise ArgumentError(message, Message("Give a number from 0 to 1."))
        numbers["weight"] = float(one.weight)  # those of NumPy cannot be saved
    return replace(one, **numbers)


def _heads(muted: object) -> tuple[tuple[int, int], ...]:
    message = Message("Muted heads are pairs of a layer and a head.")
    error = ArgumentError(message, Message("Call {0}.", "model.trace(text, muted=[(0, 1)])"))
    if not isinstance(muted, Iterable) or isinstance(muted, str | bytes | Mapping):
        raise error
    found = set()
    for pair in muted:
        if isinstance(pair, str | bytes) or not isinstance(pair, Iterable):
            raise error
        numbers = tuple(pair)
        if len(numbers) != 2:
            raise error
        found.add((as_number(numbers[0], "layer"), as_number(numbers[1], "head")))
    return tuple(sorted(found))


def _pieces(replaced: object) -> tuple[tuple[int, str], ...]:
    if replaced is None:
        return ()
    message = Message("Replaced tokens are pieces of the vocabulary by their positions.")
    error = ArgumentError(message, Message("Call {0}.", 'model.trace(text, replaced={1: "[MASK]"})'))
    if not isinstance(replaced, Mapping) or not all(isinstance(piece, str) for piece in replaced.values()):
        raise error
    return tuple(sorted((as_number(position, "position"), piece) for position, piece in replaced.items()))


def as_numbers(values: object, name: str, call: str) -> list[int] | None:
    """Return a list of integers, None as it is. Raises ArgumentError."""
    if values is None:
        return None
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
        message = Message("{0} is a list of numbers, not {1}.", name, described(values))
        raise ArgumentError(message, Message("Call {0}.", call))
    return [as_number(value, name) for value in values]


def as_progress(progress: object, function: str) -> Progress | None:
    """Return `progress`, which `function` calls with the bytes read and their total. Raises ArgumentError."""
    if progress is None or (callable(progress) and _takes_two(progress)):
        return cast("Progress | None", progress)
    message = Message(
        "“progress” is a function of two numbers, the bytes read and those in all, not {0}.",
        described(progress),
    )
    call = f"{function}(…, progress=lambda read, total: print(read, total))"
    raise ArgumentError(message, Message("Call {0}.", call))


def _takes_two(function: Callable[..., object]) -> bool:
    try:
        inspect.signature(function).bind(0, 0)
    except TypeError:
        return False
    except ValueError:  # of some built-in functions nothing is known
        return True
    return True


def as_answers(given: Mapping[str, object]) -> Answers:
    """Return `given`, keyword arguments of `open_model`, as answers. Raises ArgumentError."""
    for name, value in given.items():
        if name not in QUESTIONS:
            raise _no_argument(name)
        if value is not None and not QUESTIONS[name].accepts(value):
            shown = repr(value)[:40] if isinstance(value, str | int | float) else described(value)
            message = Message("“{0}” is {1}, not {2}.", name, QUESTIONS[name].words, shown)
            raise ArgumentError(message, Message("Call {0}.", _call(name)))
    answers = {name: _plain(value) for name, value in given.items() if name != "parts"}
    if answers.get("tokenizer"):  # kept beside the checkpoint, where a relative path would mean another
        answers["tokenizer"] = str(Path(str(answers["tokenizer"])).expanduser().absolute())
    return Answers(**cast("GivenAnswers", answers)).over(_in_parts(given.get("parts")))


def _in_parts(parts: object) -> Answers:
    """Return the answers in `parts`: a mapping of names to parts, or a JSON file. Raises CheckpointError."""
    if parts is None:
        return Answers()
    if isinstance(parts, str | PathLike):
        return answers_in(Path(parts))
    validate_parts(cast("dict[str, str]", parts))
    return Answers(parts=dict(cast("dict[str, str]", parts)))


def _plain(value: object) -> object:
    """Return a value for JSON: numbers of NumPy as Python's, a path as text."""
    if isinstance(value, PathLike):
        return as_ref(value)
    if isinstance(value, bool):
        return value
    if isinstance(value, Integral):
        return int(value)
    return float(value) if isinstance(value, Real) else value


def _no_argument(name: str) -> ArgumentError:
    message = Message("open_model has no argument “{0}”.", name)
    known = ["ref", "device", "progress", "dtype", *(field.name for field in fields(Answers))]
    option = f"--{name.replace('_', '-')}"  # as on the command line
    if negated := next((key for key, one in QUESTIONS.items() if option == one.no), None):
        return ArgumentError(message, Message("Call {0}.", f"open_model(folder, {negated}=False)"))
    like = [key for key, one in QUESTIONS.items() if option in one.option.split()]
    like = like or get_close_matches(name, known, 1, 0.5)
    if like and like[0] in QUESTIONS:
        return ArgumentError(message, Message("Call {0}.", _call(like[0])))
    return ArgumentError(message, Message("It has: {0}.", ", ".join(known)))


_OPTION = re.compile(r"--(task \w+|[a-z][a-z-]*)(?: (?=FOLDER|FILE|NAME|org/name))?")
OF_MODELS = {word: name for name, one in QUESTIONS.items() for word in (*one.option.split(), one.no) if word}
_OF_STUDIES = "settings=StudySettings({0}=…)"
OF_STUDIES = {
    "--label-column": "label",
    "--text-column": "text",
    "--pair-column": "pair",
    "--column": "text",
    **{f"--{name}": _OF_STUDIES.format(name) for name in ("encoding", "separator")},
    "--prose": "settings=StudySettings(is_prose=True)",
}
_OF_TEXTS = "settings=CorpusSettings(reading=TextReading({0}=…))"
OF_CORPORA = {
    "--column": "text",
    **{f"--{name}": _OF_TEXTS.format(name) for name in ("encoding", "separator")},
    "--prose": "settings=CorpusSettings(reading=TextReading(is_prose=True))",
}
_OF_TRAINING = {"--resume": "resume=True"}
_OF_PRETRAINING = {"--column": "settings=PretrainingSettings(column=…)"} | _OF_TRAINING
_OF_TUNING = {
    **{f"--{name.replace('_', '-')}": name for name in TableArguments.__annotations__},
    **{f"--task {one}": f'target="{one}"' for one in TARGETS},
    **_OF_TRAINING,
}
"""The arguments of Python that say the same as options of the command line."""


@contextmanager
def in_words_of_python(names: Mapping[str, str]) -> Iterator[None]:
    """Have errors name arguments of Python in place of options, unless a command was typed."""
    if at_a_prompt.get():
        yield
        return

    def argument(found: re.Match[str]) -> str:
        name = names.get(f"--{found[1]}")
        return found[0] if name is None else name + "=" * found[0].endswith(" ")

    try:
        yield
    except AppError as error:
        error.message, error.hint = (_OPTION.sub(argument, text) for text in (error.message, error.hint))
        if isinstance(error, AnswersError) and (missing := error.questions.unanswered):
            given = ", ".join(f"{name}={QUESTIONS[name].in_python}" for name in missing)
            error.hint = Message("Give what is right, such as {0}.", f"open_model(folder, {given})")
        error.args = (error.message,)
        raise


def _call(name: str) -> str:
    return f"open_model(folder, {name}={QUESTIONS[name].in_python})"


def pretrain(  # noqa: PLR0913 - each is named by its callers
    files: str | Path | Sequence[str | Path],
    out: str | Path,
    settings: PretrainingSettings,
    listener: PretrainingListener | None = None,
    device: str = "auto",
    *,
    base: str | PathLike[str] | None = None,
    resume: bool = False,
    command: str = "",
    progress: Progress | None = None,
) -> Evaluation:
    """Train a BERT on texts, and return how well it predicts held-out ones.

    Parameters
    ----------
    files : str or Path, or a sequence of them
        UTF-8 texts with a blank line between documents, else each line is one; or Parquet, .xlsx, folders of
        datasets, a document a row; .xz and .gz, too.
    out : path of a folder
        The folder of the model, new, in Hugging Face's layout with a model card.
    settings : PretrainingSettings
        The end, which must be given, and without `base` the sizes: `PretrainingSettings(steps=1000)`.
    listener : PretrainingListener, optional
        Receives each step; may raise `Cancelled`.
    device : str
        As for `open_model`.
    base : str, optional
        Begin with the weights, the sizes and the vocabulary of this BERT, instead of random weights. As for
        `open_model`. Keep the seed then: it chooses which texts are held out.
    resume : bool
        Go on with the run in the folder.
    command : str
        The command that the model card names.
    progress : callable, optional
        Called with the bytes of the checkpoint read and the bytes in all.

    Returns
    -------
    Evaluation
        Losses in nats and accuracies from 0 to 1, on texts that are held out.

    Raises
    ------
    TrainingError, FileError, TableError, CheckpointError, HubError, DeviceError
        For settings, files, columns, a checkpoint or a device that cannot be used.

    References
    ----------
    Devlin et al. 2019, arXiv:1810.04805, section 3.1.
    """
    found, listener = find_device(as_device(device)), listener or SilentListener()
    progress = as_progress(progress, "pretrain")
    start = None if base is None else open_base(as_ref(base), progress, listener.check)
    from bertviz_app.features.training.pretraining import run

    paths = [Path(file) for file in ([files] if isinstance(files, str | PathLike) else files)]
    given = (paths, Path(out), settings, listener, found.name)
    with training_memory(), in_words_of_python(_OF_PRETRAINING):
        return run.pretrain(*given, base=start, resume=resume, command=command)


def finetune(  # noqa: PLR0913 - each is named by its callers
    ref: str | PathLike[str] | None,
    data: str | Path,
    out: str | Path,
    settings: TuningSettings | None = None,
    listener: TuningListener | None = None,
    device: str = "auto",
    *,
    test: str | Path | None = None,
    resume: bool = False,
    command: str = "",
    progress: Progress | None = None,
    **table: Unpack[TableArguments],
) -> TuningVerdict:
    """Train a classifier on top of a BERT, and return how well it predicts the labels of other rows.

    Real numbers are predicted as such, labels of words at the first token, several of a text by sigmoids.

    Parameters
    ----------
    ref : str, optional
        The BERT to begin with, which stays as it is. It is named as for `open_model`.
    data : str or Path
        Rows of a label and a text or pair of texts: TSV, CSV, JSON lines or a JSON array, Parquet, .xlsx, a
        folder of datasets; or a label for each word or character: CoNLL, KLUE-NER; .xz and .gz, too.
    test : str or Path, optional
        Rows to evaluate on; default: a tenth of the data.
    out : path of a folder
        As for `pretrain`.
    listener, device, resume, command, progress
        As for `pretrain`.
    settings : TuningSettings, optional
        How long and how fast it learns.
    table : str, optional
        How they are read: `label_column` (of several columns of 0 and 1 all, with commas), `text_column`,
        `pair_column` by names or numbers from 1, `separator`, `encoding`, `target` ("multi_label").

    Returns
    -------
    TuningEvaluation, ScoreEvaluation, TagEvaluation or MultiLabelEvaluation
        Loss in nats, accuracy from 0 to 1; of scores correlations, of several labels micro and macro F1.
        Raises as `pretrain`.

    References
    ----------
    Devlin et al. 2019, arXiv:1810.04805, sections 4.1 and 5.3.
    """
    found = find_device(as_device(device))
    listener = listener or SilentListener()
    base = open_base(as_ref(ref), as_progress(progress, "finetune"), listener.check)
    from bertviz_app.features.training.finetuning import run as finetuning

    with training_memory(), in_words_of_python(_OF_TUNING):
        return finetuning.finetune(
            *(base, Path(data), Path(out), settings or TuningSettings(), listener, found.name),
            test=None if test is None else Path(test),
            resume=resume,
            command=command,
            choices=TableChoices(**table),
        )
