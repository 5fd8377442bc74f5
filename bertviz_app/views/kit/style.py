"""The style sheet of the ordinary widgets, made from a look."""

from __future__ import annotations

from string import Template
from typing import TypeVar

from PySide6.QtWidgets import QWidget

from bertviz_app import paths
from bertviz_app.views.kit.look import NUMBER_FAMILIES, TEXT_FAMILIES, Look

_Widget = TypeVar("_Widget", bound=QWidget)

_SHEET = Template("""
* { font-family: $families; font-size: ${text}px; color: $ink; }
QMainWindow, QDialog, #ground { background: $window; }
QToolTip { background: $raised; color: $ink; border: 1px solid $rule; padding: ${six}px;
    font-size: ${text}px; }

#bar { background: $card; border-bottom: 1px solid $rule; min-height: ${bar}px; max-height: ${bar}px; }
#strip { background: $card; border-bottom: 1px solid $rule; }
#status { background: $card; border-top: 1px solid $rule; min-height: ${status}px; max-height: ${status}px; }
#status QLabel { color: $secondary; font-size: ${small}px; }
#status QLabel[tone="warning"] { color: $warning; }

#card { background: $card; border: 1px solid $rule; border-radius: ${round}px; }
#card[active="true"] { border-color: $accent; }
#header { border-bottom: 1px solid $rule; background: transparent;
    min-height: ${header}px; max-height: ${header}px; }
#card[docked="true"] { border-top: none; border-top-left-radius: 0; border-top-right-radius: 0; }
#header[docked="true"] { background: $card; border: 1px solid $rule; border-top-left-radius: ${round}px;
    border-top-right-radius: ${round}px; }
QDockWidget { border: none; }
QMainWindow::separator { background: transparent; width: 8px; height: 8px; }
QMainWindow::separator:hover { background: $rule; }
QTabBar { qproperty-drawBase: 0; }
QTabBar::tab { background: transparent; color: $secondary; border: none; border-bottom: 2px solid transparent;
    padding: 4px ${pad}px; }
QTabBar::tab:selected { color: $ink; border-bottom-color: $accent; }
QTabBar::tab:focus { color: $accent; }
#title { font-weight: 600; }
#headline { font-weight: 600; font-size: ${headline}px; }
#qualifier, #secondary { color: $secondary; font-size: ${small}px; }

QLineEdit#sentence { background: $raised; border: 1px solid $rule; border-radius: ${corner}px;
    min-height: ${field}px; max-height: ${field}px; padding: 0 ${pad}px; font-size: ${big}px;
    selection-background-color: $accent; selection-color: $on_accent; }
QLineEdit#sentence:focus { border: 2px solid $accent; }
QLineEdit#sentence[problem="true"] { border: 2px solid $error; }
QLineEdit#sentence:read-only { color: $secondary; }
QLineEdit#entry { background: $raised; border: 1px solid $rule; border-radius: ${corner}px;
    min-height: ${field}px; padding: 0 ${pad}px; selection-background-color: $accent; }
QLineEdit#entry:focus { border: 2px solid $accent; }

QPushButton, QToolButton { background: $raised; border: 1px solid $rule; border-radius: ${corner}px;
    padding: 0 ${pad}px; min-height: ${field}px; }
QPushButton#recent { padding: 0; min-width: ${wide}px; max-width: ${wide}px; }
QPushButton#recent::menu-indicator { subcontrol-origin: border; subcontrol-position: center;
    width: ${ten}px; }
QPushButton#menu { padding: 0 ${ten}px; }
QPushButton#menu::menu-indicator { image: none; width: 0; }
QPushButton:hover, QToolButton:hover { border-color: $secondary; }
QPushButton:focus, QToolButton:focus { border: 2px solid $accent; }
QFileDialog QToolButton { padding: 0; min-width: ${low}px; min-height: ${low}px; }
QPushButton:pressed { background: $rule; }
QPushButton:disabled { color: $secondary; }
QPushButton#plain { background: transparent; border: none; padding: 0 ${half}px; min-height: ${low}px;
    color: $secondary; }
QPushButton#plain:hover { color: $ink; }
QPushButton#plain:focus { border: 1px solid $accent; }
QPushButton#corner { background: transparent; border: none; padding: 0; min-height: ${low}px;
    min-width: ${low}px; max-width: ${low}px; color: $secondary; }
QPushButton#corner:hover { color: $ink; }
QPushButton#corner:focus { border: 1px solid $accent; }
QPushButton#link { background: transparent; border: none; color: $accent; padding: 0; min-height: ${low}px;
    text-align: left; }
QPushButton#link:focus { text-decoration: underline; border: none; }
QPushButton#example { text-align: left; padding: 0 ${pad}px; min-height: ${tall}px; min-width: ${example}px;
    font-size: ${big}px; }

QPushButton#badge { background: $tint; border: 1px solid $accent; border-radius: ${ten}px; color: $ink;
    font-size: ${small}px; padding: 0 ${half}px; min-height: ${low}px; }
QPushButton#badge:hover { border-color: $ink; }
QPushButton#badge:focus { border: 2px solid $ink; }
#compare { background: $card; border-bottom: 1px solid $rule; min-height: ${row}px; max-height: ${row}px; }
#run_b { color: $second; font-weight: 600; }
QPushButton#compare_button:checked { background: $tint; border-color: $accent; }

QPushButton#segment { border-radius: 0; min-height: ${low}px; padding: 0 ${ten}px;
    font-size: ${text}px; background: transparent; color: $secondary; border: 1px solid $rule;
    margin-left: -1px; }
QPushButton#segment[place="first"] { border-top-left-radius: ${corner}px;
    border-bottom-left-radius: ${corner}px; }
QPushButton#segment[place="last"] { border-top-right-radius: ${corner}px;
    border-bottom-right-radius: ${corner}px; }
QPushButton#segment[place="only"] { border-radius: ${corner}px; margin-left: 0; color: $ink; }
QPushButton#segment:checked { background: $accent; color: $on_accent; border-color: $accent; }
QPushButton#segment:focus { border: 1px solid $ink; }

QPushButton#segment:disabled { color: $rule; }
QPushButton#small { min-height: ${low}px; padding: 0 ${ten}px; }

#options { background: $card; border: 1px solid $secondary; border-radius: ${round}px; }
#note { color: $secondary; font-size: ${small}px; padding: 3px ${pad}px; background: $raised; }
QCheckBox { spacing: ${half}px; min-height: ${low}px; }
QCheckBox::indicator { width: ${pad}px; height: ${pad}px; border: 1px solid $secondary; border-radius: 4px;
    background: $raised; }
QCheckBox::indicator:checked { background: $accent; border-color: $accent;
    image: url("$icons/check_$theme.svg"); }
QCheckBox::indicator:disabled { border-color: $rule; }
QCheckBox:disabled { color: $secondary; }
QCheckBox:focus { color: $accent; }
QSlider { min-height: ${low}px; }
QSlider::groove:horizontal { background: $rule; height: 4px; border-radius: 2px; }
QSlider::sub-page:horizontal { background: $accent; border-radius: 2px; }
QSlider::handle:horizontal { background: $card; border: 2px solid $accent; width: 12px; height: 12px;
    margin: -6px 0; border-radius: 8px; }
QSlider::handle:horizontal:focus { background: $accent; }

QDialog QComboBox, QDialog QSpinBox { background: $raised; border: 1px solid $rule;
    border-radius: ${corner}px; padding: 0 ${half}px; min-height: ${field}px; min-width: ${label}px;
    selection-background-color: $accent; }
QDialog QComboBox:focus, QDialog QSpinBox:focus { border: 2px solid $accent; }
QDialog QComboBox::drop-down { border: none; width: ${wide}px; }
QDialog QSpinBox::up-button, QDialog QSpinBox::down-button { border: none; background: transparent;
    width: ${wide}px; }
QDialog QComboBox::down-arrow, QDialog QSpinBox::down-arrow { image: url("$icons/down.svg");
    width: ${ten}px; }
QDialog QSpinBox::up-arrow { image: url("$icons/up.svg"); width: ${ten}px; }
QDialog QSpinBox { padding-left: ${six}px; }
QComboBox QAbstractItemView { background: $card; border: 1px solid $rule; }
QLineEdit#field { background: $raised; border: 1px solid $rule; border-radius: ${corner}px;
    padding: 0 ${six}px; min-height: ${low}px; min-width: ${room}px; max-width: ${room}px; }
QLineEdit#field:focus { border: 1px solid $accent; }
QLineEdit#count { background: $raised; border: 1px solid $rule; border-radius: ${corner}px;
    padding: 0 ${six}px; min-height: ${low}px; min-width: ${count}px; max-width: ${count}px; }
QLineEdit#count:focus { border: 1px solid $accent; }
QLabel#problem { color: $error; }
QLabel#value { font-family: $numbers; }
QPushButton#primary { background: $accent; color: $on_accent; border: 1px solid $accent; font-weight: 600; }
QPushButton#primary:hover { border-color: $ink; }
QPushButton#primary:focus { border: 2px solid $ink; }
#callout { background: $card; border: 1px solid $rule; border-radius: ${round}px;
    min-width: ${callout}px; max-width: ${callout}px; }
#number { background: $accent; color: $on_accent; border-radius: ${ten}px; font-weight: 600;
    min-width: ${twenty}px; max-width: ${twenty}px; min-height: ${twenty}px; max-height: ${twenty}px;
    qproperty-alignment: AlignCenter; }
QLabel#keys { background: $raised; border: 1px solid $rule; border-radius: 4px; padding: 1px ${six}px;
    color: $secondary; font-size: ${small}px; }
#notice { background: $raised; border: 1px solid $error; border-radius: ${corner}px; }
#notice[tone="warning"] { border-color: $warning; }
#form { background: $card; border: 1px solid $accent; border-radius: ${round}px; }
#judged { color: $secondary; font-size: ${small}px; }
#judged[tone="warning"] { color: $warning; }
#judged[tone="error"], #wrong { color: $error; }
QLineEdit#answer { background: $raised; border: 1px solid $rule; border-radius: ${corner}px;
    padding: 0 ${half}px; min-height: ${low}px; min-width: ${answer}px; max-width: ${answer}px; }
QLineEdit#answer:focus { border: 1px solid $accent; }
QDialog#palette { background: $card; border: 2px solid $accent; }

QDialogButtonBox { dialogbuttonbox-buttons-have-icons: 0; }
QMenu { background: $card; border: 1px solid $rule; border-radius: ${corner}px; padding: ${six}px; }
QMenu::item { padding: ${six}px ${wide}px ${six}px ${pad}px; border-radius: 5px; }
QMenu::item:selected { background: $accent; color: $on_accent; }
QMenu::item:disabled { color: $secondary; }
QMenu::separator { height: 1px; background: $rule; margin: 6px 8px; }

QListView { background: $card; }
QTableView { background: transparent; }
QTableView, QListView { border: 2px solid transparent; outline: none;
    selection-background-color: $tint; selection-color: $ink; gridline-color: transparent; }
QTableView:focus { border-color: $accent; }
QTableView::item { border-bottom: 1px solid $rule; padding: 0 2px; }
QListView::item { padding: ${corner}px ${ten}px; border-radius: 5px; }
QListView::item:selected { background: $tint; color: $ink; }
QHeaderView { background: transparent; }
QHeaderView::section { background: transparent; color: $secondary; border: none;
    border-bottom: 1px solid $rule; padding: ${six}px 4px; font-size: ${small}px; }
QHeaderView::section:hover { color: $ink; }
QHeaderView::up-arrow, QHeaderView::down-arrow { width: 8px; height: 8px; subcontrol-position: center left; }
QAbstractScrollArea::corner { background: transparent; border: none; }
QTableCornerButton::section { background: transparent; border: none; }

QScrollArea, QScrollArea > QWidget > QWidget#clear { background: transparent; border: none; }
QScrollBar:vertical { background: transparent; width: 10px; margin: 2px; }
QScrollBar:horizontal { background: transparent; height: 10px; margin: 2px; }
QScrollBar::handle { background: $rule; border-radius: 3px; min-height: 24px; min-width: 24px; }
QScrollBar::handle:hover { background: $secondary; }
QScrollBar::add-line, QScrollBar::sub-line, QScrollBar::add-page, QScrollBar::sub-page {
    background: transparent; border: none; width: 0; height: 0; }
QSplitter::handle { background: transparent; }
""")


def style_sheet(look: Look) -> str:
    """Return the style sheet for the colours and the text size of `look`."""
    palette = look.palette
    sizes = {"text": 13, "small": 12, "big": 14, "field": 30, "low": 22, "tall": 40}
    sizes |= {"corner": 7, "round": 9, "pad": 12, "half": 8, "ten": 10, "headline": 20}
    sizes |= {
        "six": 6,
        "wide": 24,
        "label": 180,
        "example": 460,
        "callout": 230,
        "twenty": 20,
        "room": 48,
        "answer": 90,
        "count": 64,
    }
    sizes |= {"bar": 49, "row": 46, "status": 29, "header": 37}  # without their line of 1 px
    tint = look.colour("accent", 0.18)
    return _SHEET.substitute(
        {name: look.pixels(size) for name, size in sizes.items()},
        families=", ".join(f'"{family}"' for family in TEXT_FAMILIES),
        numbers=", ".join(f'"{family}"' for family in NUMBER_FAMILIES),
        theme=palette.name,
        icons=(paths.resources() / "icons").as_posix(),
        ink=palette.text,
        window=palette.window,
        card=palette.card,
        raised=palette.raised,
        rule=palette.rule,
        secondary=palette.secondary,
        accent=palette.accent,
        second=palette.sentence_b,
        on_accent=palette.on_accent,
        warning=palette.warning,
        error=palette.error,
        tint=f"rgba({tint.red()}, {tint.green()}, {tint.blue()}, {tint.alpha()})",
    )


def named(widget: _Widget, name: str) -> _Widget:
    """Return `widget`, known to the style sheet as `name`."""
    widget.setObjectName(name)
    return widget


def restyle(widget: QWidget) -> None:
    """Have Qt look at the style sheet again after a dynamic property of `widget` changed."""
    style = widget.style()
    style.unpolish(widget)
    style.polish(widget)
