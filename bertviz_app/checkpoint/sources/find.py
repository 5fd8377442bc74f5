"""The checkpoints on this computer: listing them, and finding one by path, name or id. Loads no torch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from bertviz_app.checkpoint.config.answers import saved_answers
from bertviz_app.checkpoint.folder import (
    ADAPTER_CONFIG,
    ADAPTER_WEIGHTS,
    CONFIG,
    FILES,
    INDEX_ENDING,
    WEIGHT_ENDINGS,
    config_in,
    file_in,
    has_tokenizer,
    is_weights,
    weights_in,
)
from bertviz_app.checkpoint.json_files import read_object, read_settings
from bertviz_app.checkpoint.other_formats import checkpoint_of_google, format_error, is_in_other_format
from bertviz_app.checkpoint.questions import ABOUT_FILES, AnswersError
from bertviz_app.checkpoint.sources.cache import cached_model
from bertviz_app.checkpoint.sources.known import known_checkpoints
from bertviz_app.checkpoint.sources.source import MINILM, Origin, Source
from bertviz_app.checkpoint.weights.parameter_count import n_parameters
from bertviz_app.checkpoint.weights.shards import files_read, weight_files
from bertviz_app.errors import AppError, CheckpointError, Message, shown

if TYPE_CHECKING:
    from bertviz_app.checkpoint.config.config import CheckpointConfig
    from bertviz_app.checkpoint.sources.parts import Parts


def list_sources() -> list[Source]:
    """Return the checkpoints on this computer: bundled, installed, trained here, in the Hugging Face cache.

    Damaged ones are included; cached models of another kind are not. It reads the config.json of each, and
    headers of weights, but no weights.
    """
    return [_source(*known) for known in _listed()]


def sources_at(refs: Iterable[str]) -> list[Source]:
    """Return the checkpoints at those of `refs` that are folders or files in one; damaged ones too."""
    locations = dict.fromkeys(
        location for ref in refs if Path(ref).is_absolute() and (location := _location(ref))
    )
    return [_at(folder, weights) for folder, weights in locations]


def default_source() -> Source:
    """Return the checkpoint that opens by default. Raises CheckpointError if there is none."""
    for known in _listed():
        source = _source(*known)
        if source.problem is None and not source.asks:
            return source
    hint = Message("Give a folder, or a model of the hub such as sentence-transformers/{0}.", MINILM)
    raise CheckpointError(Message("There is no checkpoint on this computer yet."), hint)


def find(ref: str) -> Source:
    """Return the checkpoint that `ref` names.

    `ref` is a folder, a file in one (config.json, or weights by any name), a name that `list_sources`
    gives, or the id of a model in the Hugging Face cache; tried in this order. Raises CheckpointError.
    """
    ref = ref.strip()
    if _is_file(ref) and is_in_other_format(Path(ref).expanduser()):
        raise format_error(Path(ref).expanduser())
    if (index := checkpoint_of_google(ref)) is not None and not Path(ref).expanduser().exists():
        raise format_error(index)
    source = _by_path(ref) or _by_name(ref) or _by_id(ref)
    if source is None:
        raise _not_found(ref)
    return source


def _listed() -> Iterator[tuple[str, Path, Origin]]:
    """Yield name, folder and origin of the known checkpoints, without cached models of another kind."""
    for name, folder, origin in known_checkpoints():
        if origin != "cache" or not _is_other_kind(folder):
            yield name, folder, origin


def _is_other_kind(folder: Path) -> bool:
    """Return whether the config.json in `folder` is valid but of an unknown family."""
    from bertviz_app.checkpoint.families.registry import FAMILIES

    try:
        model_type = read_object(config_in(folder)).get("model_type")
    except AppError:
        return False
    return model_type not in [family.model_type for family in FAMILIES]  # a value of any type, also a list


def _not_found(ref: str) -> CheckpointError:
    if _is_file(ref):
        message = Message("{0} is a file, but none of weights that can be read.", shown(ref, 200))
        return CheckpointError(
            message, Message("Open the folder of a checkpoint, or a file that torch or safetensors wrote.")
        )
    message = Message(
        "No checkpoint is called “{0}”: no folder, no listed name, no cached model.", shown(ref, 200)
    )
    names = ", ".join(name for name, _, _ in islice(_listed(), 8))
    hint = Message("Give a folder, or org/name to download one from the hub.")
    listed = Message("The listed names are: {0}.", names)
    return CheckpointError(message, Message.joined((hint, listed)) if names else hint)


def _is_file(ref: str) -> bool:
    try:
        return Path(ref).expanduser().is_file()
    except (OSError, RuntimeError, ValueError):  # path too long, unknown user, NUL
        return False


def _by_path(ref: str) -> Source | None:
    location = _location(ref)
    if location is None:
        return None
    folder, weights = location
    if weights is None:
        for name, known, origin in _listed():
            if known.resolve() == folder:
                return _source(name, known, origin)
    return _at(folder, weights)


def _at(folder: Path, weights: str | None) -> Source:
    name = f"{folder.name}/{weights}" if weights is not None else folder.name or str(folder)
    return _source(name, folder, "folder", weights)


def _location(ref: str) -> tuple[Path, str | None] | None:
    """Return the folder of `ref`, and the file of weights if it is not the default one."""
    try:
        path = Path(ref).expanduser()
        endings = (*WEIGHT_ENDINGS, *(end + INDEX_ENDING for end in WEIGHT_ENDINGS))
        is_read = path.name not in ADAPTER_WEIGHTS and (path.name.endswith(endings) or is_weights(path))
        if (is_read or path.name in FILES) and path.is_file():
            folder = path.absolute().parent.resolve()
            return folder, path.name if is_read and not _is_usual(folder, path.name) else None
        # A bare name such as "bert" is a listed name unless the folder of that name is a checkpoint.
        is_bare = path.name == ref and not any((path / name).is_file() for name in (CONFIG, ADAPTER_CONFIG))
        return (path.resolve(), None) if ref and path.is_dir() and not is_bare else None
    except (OSError, RuntimeError, ValueError):  # path too long, unknown user, NUL
        return None


def _is_usual(folder: Path, name: str) -> bool:
    """Return whether `name` is the file of weights that opening `folder` reads by default."""
    try:
        return weights_in(folder).name == name
    except AppError:
        return False


def _by_name(ref: str) -> Source | None:
    known = list(_listed())
    exact = [entry for entry in known if entry[0] == ref]
    alike = [entry for entry in known if entry[0].casefold() == ref.casefold()]
    return _source(*(exact or alike)[0]) if alike else None


def _by_id(ref: str) -> Source | None:
    """Return the cached model `ref`, even of an unknown family: opening it reports that."""
    folder = cached_model(ref)
    return None if folder is None else _source(ref, folder, "cache")


def _source(name: str, folder: Path, origin: Origin, weights: str | None = None) -> Source:
    # Imported here: the readers of all families are loaded with the first checkpoint, not with the window.
    from bertviz_app.checkpoint.config.config import may_be_notebook, read_config
    from bertviz_app.checkpoint.sources.parts import parts_of

    try:
        facts = [path.stat() for path in files_read(folder, weights)]
        source = Source(
            name=name,
            folder=folder,
            origin=origin,
            n_bytes=sum(fact.st_size for fact in facts),
            modified=max((fact.st_mtime for fact in facts), default=0.0),
            weights=weights,
        )
        if (path := file_in(folder, CONFIG)) is not None:
            read_object(path)  # of two problems, one of config.json is named before one of the weights
        parts = parts_of(folder, weights, saved_answers(folder))
        source = replace(source, n_parameters=_n_parameters(parts))
        settings = read_settings(parts.config)
        if may_be_notebook(settings) and (found := _notebook(source, parts, settings)) is not None:
            return found
        config = _unstated(parts, settings) or read_config(parts.config)
    except AnswersError:
        return replace(source, asks=True)
    except AppError as error:
        return replace(source, problem=error.message)
    except OSError as error:
        return Source(
            name, folder, origin, 0, problem=Message("{0} cannot be read: {1}.", folder, error.strerror)
        )
    sizes = config.encoder
    return replace(
        source,
        family=config.family.title,
        n_layers=sizes.n_layers,
        n_heads=sizes.n_heads,
        width=sizes.width,
        vocabulary_size=sizes.vocabulary_size,
        problem=_problem(parts),
        asks=not has_tokenizer(parts.tokenizer),
    )


def _notebook(source: Source, parts: Parts, settings: Mapping[str, object]) -> Source | None:
    """Return `source` with sizes from its weights if it is a notebook's model, else None.

    The weights are mapped, not read; files that cannot be mapped get no sizes.
    """
    from bertviz_app.checkpoint.notebooks.measure import (
        measure_notebook,  # imports torch
    )
    from bertviz_app.checkpoint.weights.tensors import is_mapped

    if not is_mapped(parts.weights):
        asks = not has_tokenizer(parts.tokenizer)
        return None if "model_type" in settings else replace(source, problem=_problem(parts), asks=asks)
    found = measure_notebook(parts.model, parts.weights, settings)
    if found is None:
        return None
    sizes, questions = found.fields, found.questions
    return replace(
        source,
        family=found.title,
        n_layers=sizes["n_layers"],
        n_heads=questions.in_force.n_heads or 0,
        width=sizes["width"],
        vocabulary_size=sizes["vocabulary_size"],
        asks=bool(questions.unanswered) or not has_tokenizer(parts.tokenizer),
    )


def _unstated(parts: Parts, settings: Mapping[str, object]) -> CheckpointConfig | None:
    """Return the configuration of a BERT that only its weights describe; None where config.json does.

    Raises AnswersError where it leaves questions open.
    """
    from bertviz_app.checkpoint.config.config import own_code

    if "model_type" in settings or own_code(settings):
        return None
    from bertviz_app.checkpoint.notebooks.unstated import is_of_bert, unstated_config
    from bertviz_app.checkpoint.weights.tensors import read_weights

    tensors = read_weights(parts.weights)
    if not is_of_bert(tensors):
        return None
    answers = saved_answers(parts.model).without(ABOUT_FILES)
    return unstated_config(parts.config, tensors, settings, answers)


def _n_parameters(parts: Parts) -> int:
    """Return the number of parameters by the headers of the weights, 0 if these do not show it."""
    try:
        return n_parameters(weight_files(parts.weights))
    except AppError:
        return 0


def _problem(parts: Parts) -> str | None:
    """Return why a checkpoint cannot be opened, as far as its files show without opening it.

    A tokenizer that is not there is asked for.
    """
    try:
        weight_files(parts.weights)
    except AppError as error:
        return error.message
    return None
