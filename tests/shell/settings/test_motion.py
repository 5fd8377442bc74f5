"""Whether things move by themselves: as the system is set, or as the user chose."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import Mock

import pytest
from PySide6.QtWidgets import QApplication, QStyle

from bertviz_app.shell.settings.appearance import reduces_motion, system_reduces_motion
from bertviz_app.shell.settings.store import SettingsStore
from bertviz_app.shell.window.preferences_dialog import Preferences
from bertviz_app.shell.window.window import MainWindow


@pytest.mark.parametrize(("duration", "is_reduced"), [(0, True), (200, False)])
def test_the_styles_time_of_animations_decides(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, duration: int, is_reduced: bool
) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    application = Mock(spec=QApplication)
    application.style.return_value.styleHint.side_effect = {
        QStyle.StyleHint.SH_Widget_Animation_Duration: duration
    }.__getitem__
    assert system_reduces_motion(application) is is_reduced
    assert reduces_motion("system", application) is is_reduced
    assert reduces_motion("reduced", application)
    assert not reduces_motion("full", application)


@pytest.mark.parametrize(
    ("file", "content", "is_reduced"),
    [
        ("kdeglobals", "[KDE]\nAnimationDurationFactor=0\n", True),
        ("kdeglobals", "[KDE]\nAnimationDurationFactor=0.5\n", False),
        ("kdeglobals", "[KDE]\nAnimationDurationFactor=none\n", False),
        ("gtk-3.0/settings.ini", "[Settings]\ngtk-enable-animations=0\n", True),
        ("gtk-4.0/settings.ini", "[Settings]\ngtk-enable-animations=false\n", True),
        ("gtk-4.0/settings.ini", "[Settings]\ngtk-enable-animations=true\n", False),
        ("gtk-4.0/settings.ini", "[Settings]\ngtk-theme-name=Adwaita\n", False),
    ],
)
def test_on_linux_the_settings_of_kde_and_gtk_decide(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, file: str, content: str, *, is_reduced: bool
) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    (tmp_path / file).parent.mkdir(exist_ok=True)
    (tmp_path / file).write_text(content, encoding="utf-8")
    application = Mock(spec=QApplication)
    application.style.return_value.styleHint.return_value = 200  # Fusion has it at all times
    assert system_reduces_motion(application) is is_reduced


def test_what_is_chosen_is_in_force_at_once_and_saved(window: MainWindow, store: SettingsStore) -> None:
    appearance = window.appearance
    for chosen, is_reduced in (("reduced", True), ("full", False)):
        appearance.choose_motion(chosen)
        assert (store.settings.motion, window.main_area.strip.look.reduces_motion) == (chosen, is_reduced)


def test_the_row_of_the_preferences_chooses(window: MainWindow, store: SettingsStore) -> None:
    window.dialogs.open_preferences()
    (dialog,) = window.findChildren(Preferences)
    box = dialog.motions
    assert [box.itemData(index) for index in range(box.count())] == ["system", "full", "reduced"]
    assert box.currentData() == "system"
    box.setCurrentIndex(2)
    assert store.settings.motion == "reduced"
    dialog.accept()
