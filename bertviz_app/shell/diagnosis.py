"""What this computer has for the program, and what to do about what is missing; loads it late."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

from bertviz_app import __version__, paths
from bertviz_app.shell.process import NEEDED
from bertviz_app.values import dataclass

_LEAST_SPACE = 2e9  # bytes: a checkpoint of the usual size, and what a training saves
_PATIENCE = 60  # seconds
_OPTIONAL = {
    "sentencepiece": "vocabularies that are a SentencePiece model",
    "fugashi": "texts of Japanese models",
    "rjieba": "texts of Chinese RoFormer",
    "scipy": "attention flow",
    "matplotlib": "figures in axes of one's own",
    "pyarrow": "tables of a corpus as Parquet",
    "openpyxl": "labels and texts in Excel files",
    "distributed": "a corpus on several machines",
}
_LIBRARIES = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libfontconfig.so.1": "libfontconfig1",
    "libdbus-1.so.3": "libdbus-1-3",
    "libglib-2.0.so.0": "libglib2.0-0",
    "libgthread-2.0.so.0": "libglib2.0-0",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libX11.so.6": "libx11-6",
}
"""System libraries that Qt loads, and the packages of Debian that have them."""
_SHIPPED = {
    "resources/docs/explanation/*.md": "architecture decisions in_class.ko in_class performance scale",
    "resources/docs/how-to/*.md": (
        "add_a_command add_a_family add_a_measure add_a_panel_view add_a_subcommand add_an_analysis "
        "bring_an_analysis.ko bring_an_analysis handle_a_picture.ko handle_a_picture "
        "heads_and_language.ko heads_and_language make_a_papers_figures.ko make_a_papers_figures "
        "measure_a_corpus open_your_own_bert.ko open_your_own_bert read_layers_through_a_lens.ko "
        "read_layers_through_a_lens rebuild_two_papers.ko rebuild_two_papers "
        "show_attention_of_any_model.ko show_attention_of_any_model train_a_model.ko train_a_model "
        "use_in_a_notebook.ko use_in_a_notebook write_a_lesson.ko write_a_lesson"
    ),
    "resources/docs/pictures/learning_curve.svg": "",
    "resources/docs/reference/*.md": (
        "accuracy analyses command_line families files heads_of_the_examples keys python set_up tokenizers "
        "window"
    ),
    "resources/docs/titles.json": "",
    "resources/docs/tutorials/*.md": "first_steps.ko first_steps",
    "resources/examples/*.json": "examples first_picture recorded_run",
    "resources/examples/*.txt": "mentions_en mentions_ko sentences_en sentences_ko",
    "resources/examples/*.conllu": "parses_en parses_ko",
    "resources/gallery/*.json": "questions sketches",
    "resources/glossary/*.json": "1_input 2_attention 3_layers 4_training 5_views 6_analyses",
    "resources/handouts/*.html": (
        "below_arcs beside_matrix certificate formulas head lesson_head rows station_above station_answer "
        "station_below style"
    ),
    "resources/handouts/words.json": "",
    "resources/icons/application/bertviz-app-*.png": "128 16 24 256 32 48 64",
    "resources/icons/*.svg": "check_dark check_light down up",
    "resources/lessons/*.json": (
        "01_what_goes_in 02_embeddings 03_query_key_value 04_self_attention 05_why_divide 06_many_heads "
        "07_residual_and_norm 08_feed_forward 09_the_stack 10_output 11_pre_training 12_fine_tuning "
        "13_is_it_an_explanation"
    ),
    "resources/lessons/questions/*.tsv.xz": "test train",
    "resources/lessons/reviews/*.tsv.xz": "test train",
    "resources/notebook/attention.css": "",
    "resources/notebook/attention.js": "",
    "resources/notebook/page.html": "",
    "resources/stations/rules.json": "",
    "resources/steps/reasons.json": "",
    "resources/themes/*.json": "colour_maps dark light paper",
    "resources/themes/style.qss": "",
    "resources/translations/bertviz_app_ko.qm": "",
    "models/bert-mini-en-ko/*": (
        "README.md config.json model.safetensors tokenizer.json tokenizer_config.json vocab.txt"
    ),
    "models/bert-mini-en-ko-sentiment/*": (
        "README.md config.json model.safetensors tokenizer.json tokenizer_config.json vocab.txt"
    ),
    "models/bert-mini-en-questions/*": (
        "README.md config.json model.safetensors tokenizer.json tokenizer_config.json vocab.txt"
    ),
}
"""Every file of its own that the program reads: by a pattern, the words that stand for its star."""


@dataclass(frozen=True)
class Finding:
    """One line: what was looked at, what was found, and what to do where that is not enough."""

    name: str
    found: str
    remedy: str = ""


def is_bundled() -> bool:
    """Return whether this is the program with its own Python, into which nothing can be installed."""
    return bool(getattr(sys, "frozen", False))


def package_of(library: str) -> str:
    """Return Debian's package that has a library of the system; its own name where that is unknown."""
    return _LIBRARIES.get(library, library)


def facts() -> list[str]:
    """Return the lines of a report: versions and system, nothing of the user's, and quickly."""
    return [f"{one.name}: {one.found}" for one in (*_software(), *_system())]


def findings() -> Iterator[Finding]:
    """Yield everything, one after the other: finding the devices takes seconds."""
    parts: tuple[Callable[[], Iterator[Finding]], ...] = (
        _software, _optional, _files, _system, _devices, screen, _fonts, _models, disk,
    )  # fmt: skip
    for part in parts:
        try:
            yield from part()
        except Exception as error:  # noqa: BLE001 - it is run where something is broken: the rest is still said
            yield Finding(
                part.__name__.strip("_"), f"failed: {type(error).__name__}: {error}", "See the lines above."
            )


def _software() -> Iterator[Finding]:
    kind = "with its own Python" if is_bundled() else f"in {Path(__file__).resolve().parents[2]}"
    yield Finding("BertViz App", f"{__version__}, {kind}")
    yield Finding("Python", platform.python_version())
    for module, package in NEEDED.items():
        if find_spec(module) is None:
            yield Finding(package, "not installed", f"pip install {package}")
        else:
            yield Finding(package, _version(package, module))


def _optional() -> Iterator[Finding]:
    for module, use in _OPTIONAL.items():
        if find_spec(module) is not None:
            yield Finding(module, _version(module, module))
        elif is_bundled():
            yield Finding(module, f"not in this program; only needed for {use}")
        else:
            yield Finding(module, f"not installed; only needed for {use}: pip install {module}")


def shipped() -> tuple[str, ...]:
    """Return every file of its own that the program reads, as a checkout calls it."""
    return tuple(
        pattern.replace("*", word) for pattern, words in _SHIPPED.items() for word in words.split(" ")
    )


def _files() -> Iterator[Finding]:
    tops = {"resources": paths.resources(), "models": paths.bundled_models()}
    missing = [name for name in shipped() if not (tops[name.split("/")[0]].parent / name).is_file()]
    for name in missing:
        yield Finding("Missing file", name, "Install the program again.")
    if not missing:
        yield Finding("Files of the program", "all there")


def _version(package: str, module: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return str(getattr(sys.modules.get(module), "__version__", "version not known"))


def _system() -> Iterator[Finding]:
    yield Finding("System", platform.platform())
    yield Finding("Language", os.environ.get("LC_ALL") or os.environ.get("LANG") or "not set")
    yield Finding("Processors", str(os.cpu_count() or "not known"))
    if hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
        yield Finding("Memory", _gigabytes(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")))


def _devices() -> Iterator[Finding]:
    from bertviz_app.inference.opened_checkpoint import available_devices

    for device in available_devices():
        lacks = f"; {device.lacks_bfloat16}" if device.lacks_bfloat16 else ""
        if not lacks and device.may_be_slower_in_bfloat16:
            lacks = "; without AMX it is often slower in bfloat16 than in float32"
        yield Finding("Device", f"{device.name}: {device.label} {device.detail}".strip() + lacks)


def screen() -> Iterator[Finding]:
    """Look in a process of its own whether a window can open: Qt ends one in which it cannot."""
    command = [sys.executable, "-m", "bertviz_app.shell.screen"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=_PATIENCE, check=False)
    if done.returncode == 0:
        yield Finding("Screen", done.stdout.strip())
        return
    said = " ".join(done.stderr.split())
    if library := lacking_library(said):
        remedy = f"sudo apt-get install {package_of(library)}, or what your system calls it"
        yield Finding("Screen", f"{library} is missing", remedy)
    else:
        remedy = "A window needs a screen; the other commands work without one: bertviz-app --help."
        yield Finding("Screen", f"no window can open: {said[:300] or done.returncode}", remedy)


def lacking_library(said: str) -> str:
    """Return the library that Qt says it lacks, "" where it lacks something else, as a screen."""
    if (found := re.search(r"(lib[^\s:]+\.so[.\d]*): cannot open", said)) is not None:
        return found[1]
    # Qt names this one whenever X11 fails, also where there is only no screen.
    return "libxcb-cursor.so.0" if "xcb-cursor0" in said and "could not connect" not in said else ""


def _fonts() -> Iterator[Finding]:
    if sys.platform == "linux":
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from PySide6.QtGui import QFontDatabase, QGuiApplication

    application = QGuiApplication.instance() or QGuiApplication(["bertviz-app"])
    for system, name in (
        (QFontDatabase.WritingSystem.Latin, "Fonts"),
        (QFontDatabase.WritingSystem.Korean, "Korean fonts"),
    ):
        families = QFontDatabase.families(system)
        remedy = "Install a font with these letters, as Noto Sans CJK (Debian: fonts-noto-cjk)."
        yield Finding(
            name, f"{len(families)}, as {families[0]}" if families else "none", "" if families else remedy
        )
    del application


def _models() -> Iterator[Finding]:
    from bertviz_app.checkpoint.sources.source import list_sources

    sources = list_sources()
    damaged = [source for source in sources if source.problem is not None]
    yield Finding("Checkpoints", f"{len(sources) - len(damaged)}: bertviz-app models lists them")
    for source in damaged:
        yield Finding("Damaged checkpoint", source.name, str(source.problem))


def disk() -> Iterator[Finding]:
    """Look at the folders that the program writes to."""
    for name, folder in (("Settings and log", paths.settings()), ("Trained models", paths.trained_models())):
        there = next(parent for parent in (folder, *folder.parents) if parent.exists())
        free = shutil.disk_usage(there).free
        if not os.access(there, os.W_OK):
            yield Finding(name, f"{folder} cannot be written to", f"Make {there} writable for yourself.")
        else:
            remedy = "" if free > _LEAST_SPACE else "Free some space on this disk."
            yield Finding(name, f"{folder}: {_gigabytes(free)} free", remedy)


def _gigabytes(n_bytes: float) -> str:
    return f"{n_bytes / 1e9:.1f} GB"
