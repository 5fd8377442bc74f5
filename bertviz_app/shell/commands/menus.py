"""The menus: where the encoder can run, what was used last, and every command."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from itertools import groupby
from pathlib import Path

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QMenu

from bertviz_app.checkpoint.questions import ModelFacts
from bertviz_app.errors import DeviceError
from bertviz_app.inference.opened_checkpoint import Device, device_name, dtype_of, find_device
from bertviz_app.shell.commands.command import Command
from bertviz_app.shell.session.files import Files
from bertviz_app.shell.settings.recents import Recents
from bertviz_app.trace.provenance import Dtype
from bertviz_app.viewmodels.wording import translated
from bertviz_app.views.kit.widgets import clear_menu


def fill_commands(menu: QMenu, commands: list[Command]) -> None:
    """List all commands, a menu for each group; their keys are shown, the window's own shortcuts run them."""
    clear_menu(menu)
    for group, members in groupby(commands, key=lambda command: command.group):
        below = menu.addMenu(group)
        for subgroup, commands_of in groupby(members, key=lambda command: command.subgroup):
            innermost = below.addMenu(subgroup) if subgroup else below
            for command in commands_of:
                action = innermost.addAction(f"{command.text}\t{command.shown_keys}")
                action.triggered.connect(lambda _=False, run=command.run: run())


def fill_recents(menu: QMenu, recents: Recents, files: Files) -> None:
    """List the texts, checkpoints and files used last."""
    clear_menu(menu)
    translate = QCoreApplication.translate
    for text, pair in recents.texts:
        words = text if pair is None else f"{text} | {pair}"
        menu.addAction(_short(words)).triggered.connect(
            lambda _=False, text=text, pair=pair: files.open_texts(text, pair)
        )
    for heading, names, run in (
        (translate("Menus", "Checkpoints"), recents.checkpoints, files.open_model),
        (translate("Menus", "Files"), recents.files, lambda name: files.open_path(Path(name))),
    ):
        if names:
            below = menu.addMenu(heading)
            for name in names:
                below.addAction(_short(name)).triggered.connect(lambda _=False, name=name, run=run: run(name))
    if menu.isEmpty():
        menu.addAction(translate("Menus", "None yet")).setEnabled(False)
    else:
        menu.addSeparator()
        menu.addAction(translate("Menus", "Clear")).triggered.connect(recents.clear)


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


def add_bfloat16(
    menu: QMenu, devices: tuple[Device, ...], chosen: str, choose: Callable[[Dtype], None]
) -> None:
    """Add a switch to bfloat16, disabled with the reason where the chosen device lacks it."""
    menu.addSeparator()
    action = menu.addAction(QCoreApplication.translate("Menus", "bfloat16: faster, less exact"))
    action.setCheckable(True)
    action.setChecked(dtype_of(chosen) == "bfloat16")
    action.triggered.connect(lambda is_on: choose("bfloat16" if is_on else "float32"))
    lacks = ""
    if devices:
        with suppress(DeviceError):  # a device that is missing is refused where it is chosen
            lacks = find_device(device_name(chosen, "float32"), devices).lacks_bfloat16
        action.setEnabled(not lacks or action.isChecked())
        if lacks:
            menu.addAction(translated(lacks)).setEnabled(False)


def described(facts: ModelFacts) -> str:
    """Return the sizes of an open checkpoint: "BERT · 6 layers × 12 heads · 384".

    Where its own code was not run, before them what was computed in its place.
    """
    sizes = QCoreApplication.translate("Menus", "{0} layers × {1} heads · {2}")
    plain = QCoreApplication.translate("Menus", "computed as plain {0}").format(facts.family)
    return f"{plain if facts.own_code else facts.family} · " + sizes.format(
        facts.n_layers, facts.n_heads, facts.width
    )
