"""`Command`, and the menus that are made of commands: devices, recents, checkpoints."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from itertools import groupby
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QDateTime, QLocale
from PySide6.QtWidgets import QMenu

from bertviz_app.checkpoint.questions import ModelFacts
from bertviz_app.checkpoint.sources.source import Source
from bertviz_app.errors import DeviceError
from bertviz_app.inference.opened_checkpoint import Device, device_name, dtype_of, find_device
from bertviz_app.shell.session import Files, Recents
from bertviz_app.trace.provenance import Dtype
from bertviz_app.typeset import byte_count
from bertviz_app.values import dataclass, replace
from bertviz_app.viewmodels.wording import translated
from bertviz_app.views.bars.buttons import ColumnsMenu
from bertviz_app.views.kit.widgets import clear_menu
from bertviz_app.views.kit.words import Translated, add_choice, add_items, language

if TYPE_CHECKING:
    from bertviz_app.views.dialogs.palette import PaletteEntry

Action = Callable[[], object]
OTHER_NAMES = MappingProxyType(
    {
        "Preferences …": "settings options 설정 환경설정 옵션",
        "Quit": "exit 나가기 끝내기",
        "Edit sentence 1": "text input type 문장 입력",
        "Add or edit sentence 2": "pair second segment 문장 쌍 두 번째",
        "Remove sentence 2": "delete pair 삭제 지우기",
        "Choose a checkpoint": "model weights 모델 가중치",
        "Open a checkpoint folder …": "model weights load local 모델 가중치 불러오기",
        "Open a file of weights …": "model load safetensors pytorch 모델 불러오기",
        "Open a checkpoint from the hub …": "model huggingface hugging face download 허깅페이스 다운로드",
        "Train a model …": (
            "training pretraining pre-training finetuning fine-tuning 훈련 사전 학습 파인튜닝 미세 조정"
        ),
        "This head over a corpus": "examples sentences dossier notes head page 헤드 예문 메모 말뭉치",
        "Add the panel's picture to the notes about its head": "evidence dossier picture 증거 그림 메모",
        "A training over time …": "checkpoints history steps slider revisions 학습 체크포인트 시간 단계",
        "Heads over a corpus …": "many sentences file dataset statistics 여러 문장 파일 데이터셋 통계",
        "Choose a device": "gpu cuda threads precision float32 bfloat16 정밀도",
        "Recent texts": "history 기록",
        "Clear recent texts and files": "history delete 기록 삭제",
        "Reset the layout": "panels default arrangement 패널 배치 기본값",
        "Larger text": "bigger font size 글꼴 글씨 크게",
        "Smaller text": "font size 글꼴 글씨 작게",
        "Reset text size": "font default 글꼴 글씨 기본값",
        "Switch between light and dark": "theme dark mode night colours colors 테마 다크 모드",
        "Use the system theme": "dark mode colours colors 테마 다크 모드",
        "English": "language 언어 영어",
        "한국어 (Korean)": "language 언어 한글",
        "Start page": "home welcome examples 홈 예제",
        "Presentation mode": "full screen fullscreen projector slides class 전체 화면 프로젝터 슬라이드 발표",
        "Lessons …": "all lessons list tutorial course learn 목록 튜토리얼 수업 강의 배우기",
        "Glossary": "terms definitions dictionary 사전 뜻",
        "Documents": "help manual documentation 도움말 설명서",
        "All keys": "keyboard shortcuts hotkeys 키보드 단축키",
        "Explain what is under the pointer": "help what is this 도움말 설명",
    }
)
"""Words that people type for a command whose name has none of them, by its name in English."""


@dataclass(frozen=True)
class Command:
    """`keys` in Qt's words; `is_shown_only` keys are handled where they are pressed, not as a shortcut.

    `more_keys` do the same and are not shown; `also` is found in the palette, too; `group` is the title it
    stands under in the menu, `subgroup` that of a menu within it, if there are many. `applies`: whether its
    key has an effect now, if that differs; without one its letter is typed into the sentence.
    """

    text: str
    keys: str
    run: Action
    is_shown_only: bool = False
    more_keys: tuple[str, ...] = ()
    group: str = ""
    subgroup: str = ""
    also: str = ""
    applies: Callable[[], bool] | None = None

    @property
    def entry(self) -> PaletteEntry:
        """The line of the palette."""
        from bertviz_app.views.dialogs.palette import PaletteEntry

        english = self.text.english if isinstance(self.text, Translated) else self.text
        names = f"{english} {OTHER_NAMES.get(english, '')}"
        entry = PaletteEntry(self.text, self.shown_keys, self.run, self.also, self.group, english)
        return replace(entry, title=names)

    @property
    def shown_keys(self) -> str:
        """The keys as people read them."""
        arrows = {"Left": "←", "Right": "→", "Up": "↑", "Down": "↓"}
        *modifiers, key = self.keys.split("+") if self.keys != "+" else ["+"]
        return "+".join([*modifiers, arrows.get(key, key)])


_IN_MENU = ("File", "View", "Lessons", "Help")


def fill_commands(menu: QMenu, commands: list[Command]) -> None:
    """List what one looks for in a menu, in four groups; the palette has all commands.

    Their keys are shown, the window's own shortcuts run them.
    """
    clear_menu(menu)
    for group, members in groupby(commands, key=lambda command: command.group):
        if (group.english if isinstance(group, Translated) else group) not in _IN_MENU:
            continue
        below = menu.addMenu(group)
        for subgroup, commands_of in groupby(members, key=lambda command: command.subgroup):
            innermost = below.addMenu(subgroup) if subgroup else below
            add_items(innermost, [(f"{one.text}\t{one.shown_keys}", one.run) for one in commands_of])


def fill_recents(menu: QMenu, recents: Recents, files: Files) -> None:
    """List the texts, checkpoints and files used last."""
    clear_menu(menu)
    translate = QCoreApplication.translate
    for text, pair in recents.texts:
        words = text if pair is None else f"{text} | {pair}"
        add_items(menu, [(_short(words), partial(files.open_texts, text, pair))])
    for heading, names, run in (
        (translate("Menus", "Checkpoints"), recents.checkpoints, files.open_model),
        (translate("Menus", "Files"), recents.files, lambda name: files.open_path(Path(name))),
    ):
        if names:
            add_items(menu.addMenu(heading), [(_short(name), partial(run, name)) for name in names])
    end = [("", None), (translate("Menus", "Clear"), recents.clear)]
    add_items(menu, [(translate("Menus", "None yet"), None)] if menu.isEmpty() else end)


def _short(text: str, most: int = 90) -> str:
    """Return the beginning of a text, as a menu has room for it."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


def fill_devices(
    menu: QMenu, devices: tuple[Device, ...], chosen: str, choose: Callable[[str], None]
) -> None:
    """List "auto" and the devices that torch reports."""
    menu.clear()
    names = {"auto": QCoreApplication.translate("Menus", "Automatic")}
    names |= {device.name: f"{device.label}   {translated(device.detail)}" for device in devices}
    for name, text in names.items():
        add_choice(menu, text, partial(choose, name), is_chosen=name == chosen)


def add_bfloat16(
    menu: QMenu, devices: tuple[Device, ...], chosen: str, choose: Callable[[Dtype], None]
) -> None:
    """Add a switch to bfloat16, disabled with the reason where the chosen device lacks it."""
    device = None
    with suppress(DeviceError):  # a device that is missing is refused where it is chosen
        device = find_device(device_name(chosen, "float32"), devices) if devices else None
    words = QCoreApplication.translate("Menus", "bfloat16: faster, less exact")
    if device is not None and device.may_be_slower_in_bfloat16:
        words = QCoreApplication.translate("Menus", "bfloat16: less exact, and often slower here (no AMX)")
    menu.addSeparator()
    action = add_choice(menu, words, is_chosen=dtype_of(chosen) == "bfloat16")
    action.triggered.connect(lambda is_on: choose("bfloat16" if is_on else "float32"))
    if device is not None and device.lacks_bfloat16:
        action.setEnabled(action.isChecked())
        menu.addAction(translated(device.lacks_bfloat16)).setEnabled(False)


def described(facts: ModelFacts) -> str:
    """Return the sizes of an open checkpoint: "BERT · 6 layers × 12 heads · 384".

    Where its own code was not run, before them what was computed in its place.
    """
    sizes = QCoreApplication.translate("Menus", "{0} layers × {1} heads · {2}")
    if not facts.width:  # of weights alone it is not known
        sizes = QCoreApplication.translate("Menus", "{0} layers × {1} heads")
    plain = QCoreApplication.translate("Menus", "computed as plain {0}").format(facts.family)
    return f"{plain if facts.own_code else facts.family} · " + sizes.format(
        facts.n_layers, facts.n_heads, facts.width
    )


@dataclass(frozen=True)
class Listed:
    """A checkpoint that could be opened.

    `is_open`: in memory. `is_shown`: run A is encoded with it. `seen`: its facts when it was opened last.
    """

    source: Source
    is_open: bool = False
    is_shown: bool = False
    seen: ModelFacts | None = None


def fill_models(
    menu: ColumnsMenu,
    listed: Iterable[Listed],
    open_model: Callable[[str], None],
    others: list[tuple[str, Callable[[], None]]],
) -> None:
    """List checkpoints, damaged ones with their reason and not to be chosen, then the `others`."""
    menu.clear()
    menu.setToolTipsVisible(True)
    listed, translate = tuple(listed), QCoreApplication.translate
    titles = (
        translate("Menus", "Checkpoint"),
        translate("Menus", "family"),
        translate("Menus", "layers × heads × width"),
        translate("Menus", "vocabulary"),
        translate("Menus", "parameters"),
        translate("Menus", "file size"),
        translate("Menus", "date"),
        translate("Menus", "source"),
        "",
    )
    has_sound = any(one.source.problem is None for one in listed)
    rows = [titles, *map(_cells, listed)] if has_sound else [*map(_cells, listed)]
    actions = menu.add_rows(rows, (3, 4, 5))  # the columns that are aligned at the right
    if has_sound:
        actions[0].setEnabled(False)
    for one, action in zip(listed, actions[-len(listed) :], strict=True):
        source = one.source
        lines = [translated(source.problem or ""), translated(source.sentence)]
        if source.problem is None:  # where it is from, since when it is there, and how it loaded
            lines = [lines[1], translate("Menus", "Date of its files: {0}").format(_day(source))]
            lines += [translate("Menus", "In memory already: it opens at once.")] if one.is_open else []
            if one.seen is not None:
                fits = [translate("Menus", "All tensors match.")]
                lines += [translated(each) for each in one.seen.remarks] or fits
        action.setToolTip("\n".join(lines))
        action.setEnabled(source.problem is None)
        action.setCheckable(one.is_shown)
        action.setChecked(one.is_shown)
        action.triggered.connect(lambda _=False, ref=source.ref: open_model(ref))
    if not menu.isEmpty():
        menu.addSeparator()
    add_items(menu, others)


def _cells(one: Listed) -> tuple[str, ...]:
    """Return the cells of a line: "" where nothing is known, and one alone of a damaged checkpoint."""
    source, translate = one.source, QCoreApplication.translate
    if source.problem is not None:
        reason = _short(translated(source.problem), 80)
        return (translate("Menus", "{0}   damaged: {1}").format(source.name, reason),)
    origins = {
        "bundled": translate("Menus", "bundled"),
        "installed": translate("Menus", "package"),
        "trained": translate("Menus", "trained here"),
        "cache": translate("Menus", "cache"),
        "folder": translate("Menus", "folder"),
    }
    n_parameters = source.n_parameters or (one.seen.n_parameters if one.seen is not None else 0)
    remarks = [translate("Menus", "has open questions")] if source.asks else []
    remarks += [translate("Menus", "in memory")] if one.is_open else []
    return (
        source.name,
        source.family,
        f"{source.n_layers} × {source.n_heads or '?'} × {source.width}" if source.width else "",
        f"{source.vocabulary_size:,}" if source.width else "",
        f"{n_parameters:,}" if n_parameters else "",
        byte_count(source.n_bytes),
        _day(source),
        origins[source.origin],
        " · ".join(remarks),
    )


def _day(source: Source) -> str:
    """Return the day of the newest of its files, as the language in force writes it."""
    day = QDateTime.fromSecsSinceEpoch(round(source.modified)).date()
    return day.toString("yyyy. M. d.") if language() == "ko" else QLocale.c().toString(day, "d MMM yyyy")
