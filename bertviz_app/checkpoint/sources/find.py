"""Which checkpoints can be opened on this computer, and where each comes from. Loads no torch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from importlib.util import find_spec
from itertools import islice
from pathlib import Path

from bertviz_app import paths
from bertviz_app.checkpoint.config.config import may_be_notebook, read_config, read_object
from bertviz_app.checkpoint.families.registry import FAMILIES
from bertviz_app.checkpoint.folder import (
    CONFIG,
    FILES,
    INDEX_ENDING,
    WEIGHT_ENDINGS,
    config_in,
    tokenizer_in,
    weights_in,
)
from bertviz_app.checkpoint.message_text import shown
from bertviz_app.checkpoint.sources.cache import cached_model, cached_models
from bertviz_app.checkpoint.sources.source import MINILM, MINILM_PACKAGE, Origin, Source
from bertviz_app.checkpoint.weights.shards import files_read, weight_files
from bertviz_app.errors import AppError, CheckpointError, Message


def list_sources() -> list[Source]:
    """Return what can be opened: bundled, installed, trained here, then the Hugging Face cache.

    Damaged ones are there too; models in the cache that are of another kind are not. Reads config.json
    of each, no weights.
    """
    return [_source(*known) for known in _known()]


def _known() -> Iterator[tuple[str, Path, Origin]]:
    """Yield name, folder and origin of what `list_sources` gives, in its order; reads as little as it can."""
    for folder in _with_config(paths.bundled_models()):
        yield folder.name, folder, "bundled"
    for folder in _installed():
        yield MINILM, folder, "installed"
    for folder in _with_config(paths.trained_models()):
        yield folder.name, folder, "trained"
    for name, folder in cached_models():
        if not _is_other_kind(folder):
            yield name, folder, "cache"


def sources_at(refs: Iterable[str]) -> list[Source]:
    """Return what can be opened at those of `refs` that are folders, or files in one; damaged ones too."""
    places = dict.fromkeys(place for ref in refs if Path(ref).is_absolute() and (place := _place(ref)))
    return [_at(folder, weights) for folder, weights in places]


def default_source() -> Source:
    """Return the checkpoint that opens when none was asked for. Raises CheckpointError if there is none."""
    for known in _known():
        source = _source(*known)
        if source.problem is None:
            return source
    hint = Message("Give a folder, or a model of the hub such as sentence-transformers/{0}.", MINILM)
    raise CheckpointError(Message("There is no checkpoint on this computer yet."), hint)


def find(ref: str) -> Source:
    """Return the checkpoint that `ref` names.

    `ref` is a folder, a file in one (config.json, or weights by any name), a name that `list_sources`
    gives, or the id of a model in the Hugging Face cache; tried in this order. Raises CheckpointError.
    """
    ref = ref.strip()
    source = _by_path(ref) or _by_name(ref) or _by_id(ref)
    if source is None:
        raise _not_found(ref)
    return source


def _not_found(ref: str) -> CheckpointError:
    message = Message(
        "No checkpoint is called “{0}”: no folder, no listed name, no cached model.", shown(ref, 200)
    )
    names = ", ".join(name for name, _, _ in islice(_known(), 8))
    hint = Message("Give a folder, or org/name to download one from the hub.")
    listed = Message("The listed names are: {0}.", names)
    return CheckpointError(message, Message.joined((hint, listed)) if names else hint)


def _by_path(ref: str) -> Source | None:
    place = _place(ref)
    if place is None:
        return None
    folder, weights = place
    if weights is None:
        for name, known, origin in _known():
            if known.resolve() == folder:
                return _source(name, known, origin)
    return _at(folder, weights)


def _at(folder: Path, weights: str | None) -> Source:
    name = f"{folder.name}/{weights}" if weights is not None else folder.name or str(folder)
    return _source(name, folder, "folder", weights)


def _place(ref: str) -> tuple[Path, str | None] | None:
    """Return the folder that `ref` is or lies in, and the file of weights if it is not the usual one."""
    try:
        path = Path(ref).expanduser()
        is_weights = path.name.endswith((*WEIGHT_ENDINGS, *(end + INDEX_ENDING for end in WEIGHT_ENDINGS)))
        if (is_weights or path.name in FILES) and path.is_file():
            folder = path.absolute().parent.resolve()
            return folder, path.name if is_weights and not _is_usual(folder, path.name) else None
        # A bare name such as "bert" is a listed name unless the folder of that name is a checkpoint.
        is_bare = path.name == ref and not (path / CONFIG).is_file()
        return (path.resolve(), None) if ref and path.is_dir() and not is_bare else None
    except (OSError, RuntimeError, ValueError):  # too long, no such user, a NUL
        return None


def _is_usual(folder: Path, name: str) -> bool:
    """Return whether opening `folder` reads the weights `name` anyway."""
    try:
        return weights_in(folder).name == name
    except AppError:
        return False


def _by_name(ref: str) -> Source | None:
    known = list(_known())
    exact = [entry for entry in known if entry[0] == ref]
    alike = [entry for entry in known if entry[0].casefold() == ref.casefold()]
    return _source(*(exact or alike)[0]) if alike else None


def _by_id(ref: str) -> Source | None:
    """Return the cached model `ref` even when its family cannot be read: opening it says so."""
    folder = cached_model(ref)
    return None if folder is None else _source(ref, folder, "cache")


def _source(name: str, folder: Path, origin: Origin, weights: str | None = None) -> Source:
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
        settings = read_object(config_in(folder))
        if may_be_notebook(settings) and (found := _notebook(source, settings)) is not None:
            return found
        config = read_config(config_in(folder))
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
        problem=_problem(source),
    )


def _notebook(source: Source, settings: Mapping[str, object]) -> Source | None:
    """Return `source` with the sizes that its weights say if it is a notebook's model, else None.

    The weights are mapped, not read; of those that cannot be mapped nothing is said.
    """
    from bertviz_app.checkpoint.notebooks.measure import (
        measure_notebook,  # with torch, which most can do without
    )
    from bertviz_app.checkpoint.weights.tensors import is_mapped

    weights = weights_in(source.folder, source.weights)
    if not is_mapped(weights):
        return None if "model_type" in settings else replace(source, problem=_problem(source))
    found = measure_notebook(source.folder, weights, settings)
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
        asks=bool(questions.unsaid),
    )


def _problem(source: Source) -> str | None:
    """Return what keeps a checkpoint from opening, as far as can be told without opening it."""
    try:
        weight_files(weights_in(source.folder, source.weights))
        tokenizer_in(source.folder)
    except AppError as error:
        return error.message
    return None


def _is_other_kind(folder: Path) -> bool:
    """Return whether the config.json of `folder` is sound but of a family that cannot be read."""
    try:
        model_type = read_object(config_in(folder)).get("model_type")
    except AppError:
        return False
    return model_type not in {family.model_type for family in FAMILIES}


def _with_config(home: Path) -> Iterator[Path]:
    """Yield the folders in `home` that hold a checkpoint, by name."""
    if home.is_dir():
        yield from sorted(folder for folder in home.iterdir() if (folder / CONFIG).is_file())


def _installed() -> Iterator[Path]:
    """Yield the folder in the MiniLM package, without running the package."""
    spec = find_spec(MINILM_PACKAGE)
    for place in (spec.submodule_search_locations or ()) if spec else ():
        if (Path(place) / "model").is_dir():
            yield Path(place) / "model"
