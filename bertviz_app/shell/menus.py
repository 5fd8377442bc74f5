"""The menus of the two pickers: what can be opened, and where it can run."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QMenu

from bertviz_app.checkpoint.facts import ModelFacts
from bertviz_app.checkpoint.sources import Source
from bertviz_app.inference.engine import Device


def fill_models(
    menu: QMenu,
    sources: tuple[Source, ...],
    open_model: Callable[[str], None],
    others: list[tuple[str, Callable[[], None]]],
) -> None:
    """List `sources`, damaged ones with their reason and not to be chosen, then the `others`."""
    menu.clear()
    menu.setToolTipsVisible(True)
    for source in sources:
        action = menu.addAction(_described(source))
        action.setToolTip(source.problem or source.sentence)
        action.setEnabled(source.problem is None)
        action.triggered.connect(lambda _=False, ref=source.ref: open_model(ref))
    if sources:
        menu.addSeparator()
    for text, run in others:
        menu.addAction(text).triggered.connect(lambda _=False, run=run: run())


def fill_devices(
    menu: QMenu, devices: tuple[Device, ...], chosen: str, choose: Callable[[str], None]
) -> None:
    """List "auto" and the devices that torch reports."""
    menu.clear()
    automatic = QCoreApplication.translate("Menus", "Automatic")
    for name, text in [("auto", automatic), *((d.name, f"{d.label}   {d.detail}") for d in devices)]:
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
    return f"{source.name}   {sizes}   {source.n_bytes / 1e6:.0f} MB"
