"""The menus: what can be opened, where it can run, what was used last, and every command."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import groupby
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QDateTime, QLocale
from PySide6.QtWidgets import QMenu

from bertviz_app.checkpoint.facts import ModelFacts
from bertviz_app.checkpoint.sources import Source
from bertviz_app.inference.engine import Device
from bertviz_app.shell.command import Command
from bertviz_app.shell.files import Files
from bertviz_app.shell.recents import Recents
from bertviz_app.viewmodels.error_words import translated


def fill_models(
    menu: QMenu,
    sources: tuple[Source, ...],
    open_model: Callable[[str], None],
    others: list[tuple[str, Callable[[], None]]],
    reports: Mapping[str, tuple[str, ...]],
) -> None:
    """List `sources`, damaged ones with their reason and not to be chosen, then the `others`.

    `reports`: of each checkpoint that was opened, by name, what was remarked about it.
    """
    menu.clear()
    menu.setToolTipsVisible(True)
    for source in sources:
        action = menu.addAction(_described(source).replace("&", "&&"))  # a single one would underline
        action.setToolTip("\n".join(_about(source, reports.get(source.name))))
        action.setEnabled(source.problem is None)
        action.triggered.connect(lambda _=False, ref=source.ref: open_model(ref))
    if sources:
        menu.addSeparator()
    for text, run in others:
        menu.addAction(text).triggered.connect(lambda _=False, run=run: run())


def fill_commands(menu: QMenu, commands: list[Command]) -> None:
    """List all commands, a menu for each group; their keys are shown, the window's own shortcuts do them."""
    menu.clear()
    for group, members in groupby(commands, key=lambda command: command.group):
        below = menu.addMenu(group)
        for command in members:
            action = below.addAction(f"{command.text}\t{command.shown_keys}")
            action.triggered.connect(lambda _=False, run=command.run: run())


def fill_recents(menu: QMenu, recents: Recents, files: Files) -> None:
    """List the texts, checkpoints and files used last."""
    menu.clear()
    translate = QCoreApplication.translate
    for text, pair in recents.texts:
        words = text if pair is None else f"{text} | {pair}"
        menu.addAction(_short(words)).triggered.connect(
            lambda _=False, text=text, pair=pair: files.open_texts(text, pair)
        )
    for title, names, run in (
        (translate("Menus", "Checkpoints"), recents.checkpoints, files.open_model),
        (translate("Menus", "Files"), recents.files, lambda name: files.open_path(Path(name))),
    ):
        if names:
            below = menu.addMenu(title)
            for name in names:
                below.addAction(_short(name)).triggered.connect(lambda _=False, name=name, run=run: run(name))
    if menu.isEmpty():
        menu.addAction(translate("Menus", "Nothing yet")).setEnabled(False)
    else:
        menu.addSeparator()
        menu.addAction(translate("Menus", "Forget them")).triggered.connect(recents.clear)


def _short(text: str, most: int = 90) -> str:
    """Return the beginning of a text as a menu can show it: "&" would underline what follows."""
    line = " ".join(text.split())
    return (line if len(line) <= most else f"{line[: most - 1]}…").replace("&", "&&")


def fill_devices(
    menu: QMenu, devices: tuple[Device, ...], chosen: str, choose: Callable[[str], None]
) -> None:
    """List "auto" and the devices that torch reports."""
    menu.clear()
    automatic = QCoreApplication.translate("Menus", "Automatic")
    for name, text in [
        ("auto", automatic),
        *((d.name, f"{d.label}   {translated(d.detail)}") for d in devices),
    ]:
        action = menu.addAction(text)
        action.setCheckable(True)
        action.setChecked(name == chosen)
        action.triggered.connect(lambda _=False, name=name: choose(name))


def described(facts: ModelFacts) -> str:
    """Return the sizes of an open checkpoint: "BERT · 6 layers × 12 heads · 384"."""
    sizes = QCoreApplication.translate("Menus", "{0} layers × {1} heads · {2}")
    return f"{facts.family} · " + sizes.format(facts.n_layers, facts.n_heads, facts.width)


def _described(source: Source) -> str:
    if source.problem is not None:
        return QCoreApplication.translate("Menus", "{0}   (damaged)").format(source.name)
    sizes = f"{source.n_layers} × {source.n_heads} × {source.width}"
    vocabulary = QCoreApplication.translate("Menus", "{0} pieces").format(f"{source.vocabulary_size:,}")
    size = f"{source.n_bytes / 1e6:.0f} MB"
    return "   ".join((source.name, source.family, sizes, vocabulary, size))


def _about(source: Source, report: tuple[str, ...] | None) -> list[str]:
    """Return where a checkpoint comes from, since when it is there, and how it loaded if it was opened."""
    if source.problem is not None:
        return [translated(source.problem), translated(source.sentence)]
    translate = QCoreApplication.translate
    day = QLocale().toString(QDateTime.fromSecsSinceEpoch(round(source.modified)).date())
    lines = [translated(source.sentence), translate("Menus", "Its files are of {0}.").format(day)]
    if report is None:
        return lines
    return [*lines, *(map(translated, report) if report else [translate("Menus", "All its tensors fit.")])]
