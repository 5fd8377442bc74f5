"""Sets the language: English or Korean, as chosen or as the system has it, for the whole application."""

from __future__ import annotations

from PySide6.QtCore import QT_TRANSLATE_NOOP, QLibraryInfo, QLocale, QObject, QTranslator
from PySide6.QtWidgets import QApplication

from bertviz_app import paths

TRANSLATED = ("ko",)
"""The languages besides English that there are words of."""
LACKING: tuple[object, ...] = (
    QT_TRANSLATE_NOOP("QFileDialog", "&Look in:"),
    QT_TRANSLATE_NOOP("QFileDialog", "Files of &type:"),
)
"""Texts that Qt's own translation leaves in English; the program's translation, installed last, has them."""


class Language(QObject):
    """Installs and removes translators; Qt sends every widget a LanguageChange event each time."""

    def __init__(self, application: QApplication) -> None:
        super().__init__(application)
        self._application = application
        self._translators: list[QTranslator] = []
        self.chosen = "en"

    @property
    def name(self) -> str:
        """The language in force: "en" or "ko"."""
        if self.chosen != "system":
            return self.chosen
        name = QLocale.system().name().partition("_")[0]
        return name if name in TRANSLATED else "en"

    def choose(self, chosen: str) -> None:
        """Use "en", "ko", or the language of the "system" where there is a translation, else English."""
        before = self.name if self._translators else "en"
        self.chosen = chosen
        if self.name == before:
            return
        for translator in self._translators:
            self._application.removeTranslator(translator)
        self._translators = [] if self.name == "en" else list(self._load(self.name))
        for translator in self._translators:
            self._application.installTranslator(translator)

    def _load(self, name: str) -> list[QTranslator]:
        """Return the words of Qt's own dialogs, as far as they came with it, and the program's."""
        qt = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
        found = []
        for folder, file in ((qt, "qtbase"), (str(paths.resources() / "translations"), "bertviz_app")):
            translator = QTranslator(self)
            if translator.load(f"{file}_{name}", folder):
                found.append(translator)
        return found
