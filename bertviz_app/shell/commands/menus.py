"""The menus: what can be opened, where it can run, what was used last, and every command."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QDateTime, QLocale, Qt
from PySide6.QtWidgets import QMenu

from bertviz_app.checkpoint.model_facts import ModelFacts
from bertviz_app.checkpoint.sources.source import Source
from bertviz_app.inference.engine import Device
from bertviz_app.shell.commands.command import Command
from bertviz_app.shell.session.files import Files
from bertviz_app.shell.settings.recents import Recents
from bertviz_app.viewmodels.wording.error_words import translated


@dataclass(frozen=True)
class Listed:
    """A checkpoint that could be opened.

    Whether it is open in memory, whether run A is encoded with it, and what it was when it was opened last,
    if it was.
    """

    source: Source
    is_open: bool = False
    is_shown: bool = False
    seen: ModelFacts | None = None


def fill_models(
    menu: QMenu,
    listed: Iterable[Listed],
    open_model: Callable[[str], None],
    others: list[tuple[str, Callable[[], None]]],
) -> None:
    """List checkpoints, damaged ones with their reason and not to be chosen, then the `others`."""
    menu.clear()
    menu.setToolTipsVisible(True)
    for one in listed:
        source = one.source
        action = menu.addAction(_described(one).replace("&", "&&"))  # a single one would underline
        action.setToolTip("\n".join(_about(one)))
        action.setEnabled(source.problem is None)
        action.setCheckable(one.is_shown)
        action.setChecked(one.is_shown)
        action.triggered.connect(lambda _=False, ref=source.ref: open_model(ref))
    if not menu.isEmpty():
        menu.addSeparator()
    for text, run in others:
        menu.addAction(text).triggered.connect(lambda _=False, run=run: run())


def fill_commands(menu: QMenu, commands: list[Command]) -> None:
    """List all commands, a menu for each group; their keys are shown, the window's own shortcuts do them."""
    _empty(menu)
    for group, members in groupby(commands, key=lambda command: command.group):
        below = menu.addMenu(group)
        for command in members:
            action = below.addAction(f"{command.text}\t{command.shown_keys}")
            action.triggered.connect(lambda _=False, run=command.run: run())


def fill_recents(menu: QMenu, recents: Recents, files: Files) -> None:
    """List the texts, checkpoints and files used last."""
    _empty(menu)
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
        menu.addAction(translate("Menus", "None yet")).setEnabled(False)
    else:
        menu.addSeparator()
        menu.addAction(translate("Menus", "Clear")).triggered.connect(recents.clear)


def _empty(menu: QMenu) -> None:
    """Remove every item. `QMenu.clear` leaves the submenus behind: they own their items themselves."""
    for below in menu.findChildren(QMenu, options=Qt.FindChildOption.FindDirectChildrenOnly):
        below.deleteLater()
    menu.clear()


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


def _described(one: Listed) -> str:
    """Return the text of a line in the picker: name, sizes, date, origin, and whether it is in memory."""
    source, translate = one.source, QCoreApplication.translate
    if source.problem is not None:
        words = translate("Menus", "{0}   damaged: {1}")
        return words.format(source.name, _short(translated(source.problem), 80))
    parts = [source.name, source.family]
    if source.width:
        n_heads = source.n_heads or "?"
        parts.append(f"{source.n_layers} × {n_heads} × {source.width}")
        parts.append(translate("Menus", "{0} pieces").format(f"{source.vocabulary_size:,}"))
    parts += [_size(source.n_bytes), _day(source), _origin(source)]
    if source.asks:
        parts.append(translate("Menus", "has open questions"))
    if one.is_open:
        parts.append(translate("Menus", "in memory"))
    return "   ".join(part for part in parts if part)


def _size(n_bytes: int) -> str:
    for unit, size in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if n_bytes >= size:
            return f"{n_bytes / size:.{0 if n_bytes >= 10 * size else 1}f} {unit}"
    return f"{n_bytes} B"


def _day(source: Source) -> str:
    """Return the day of the newest of its files."""
    moment = QDateTime.fromSecsSinceEpoch(round(source.modified))
    return QLocale().toString(moment.date(), QLocale.FormatType.ShortFormat)


def _origin(source: Source) -> str:
    translate = QCoreApplication.translate
    words = {
        "bundled": translate("Menus", "bundled"),
        "installed": translate("Menus", "package"),
        "trained": translate("Menus", "trained here"),
        "cache": translate("Menus", "cache"),
        "folder": translate("Menus", "folder"),
    }
    return words[source.origin]


def _about(one: Listed) -> list[str]:
    """Return where a checkpoint comes from, since when it is there, and how it loaded if it was opened."""
    source, translate = one.source, QCoreApplication.translate
    if source.problem is not None:
        return [translated(source.problem), translated(source.sentence)]
    lines = [translated(source.sentence), translate("Menus", "Date of its files: {0}").format(_day(source))]
    if one.is_open:
        lines.append(translate("Menus", "In memory already: it opens at once."))
    if one.seen is None:
        return lines
    return [*lines, *(map(translated, one.seen.remarks) if one.seen.remarks else [_all_fits()])]


def _all_fits() -> str:
    return QCoreApplication.translate("Menus", "All tensors match.")
