"""`SelfTestBadge`: whether the numbers on screen passed the self-test, in the status line."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QPoint, Qt, Slot
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QPushButton, QWidget

from bertviz_app.viewmodels.analyses.self_test import CheckRow, SelfTesting, TestState
from bertviz_app.viewmodels.wording import error_text
from bertviz_app.views.kit.numbers import magnitude
from bertviz_app.views.kit.style import named, restyle
from bertviz_app.views.kit.terms import explain_terms_of, set_subject
from bertviz_app.views.kit.words import wrapped

_ICONS = {"none": "", "running": "…", "passed": "✓", "failed": "✕", "unavailable": "–"}


class SelfTestBadge(QPushButton):
    """A sign, words and a colour; a click opens the table of checks."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        named(self, "selfTest")
        set_subject(self, "self_test")
        self._testing: SelfTesting | None = None
        self.clicked.connect(self.open_table)
        self.hide()

    def follow(self, testing: SelfTesting) -> None:
        self._testing = testing
        testing.changed.connect(self.retranslate)
        self.retranslate()

    @property
    def state(self) -> TestState:
        return TestState() if self._testing is None else self._testing.state

    @Slot()
    def retranslate(self) -> None:
        state = self.state
        self.setText(f"{_ICONS[state.outcome]}  {self._words(state)}")
        self.setAccessibleName(self._words(state))
        self.setToolTip(wrapped(self._reason(state)))
        self.setVisible(state.outcome != "none")
        if self.property("tone") != state.outcome:
            self.setProperty("tone", state.outcome)
            restyle(self)

    def _words(self, state: TestState) -> str:
        worst = state.worst
        if state.outcome == "running":
            return self.tr("Self-test …")
        if state.outcome == "unavailable" or worst is None:
            return self.tr("Self-test not available")
        if state.outcome == "passed":
            return self.tr("Self-test passed")
        return self.tr("Self-test failed: {0}").format(check_words(worst)[0])

    def _reason(self, state: TestState) -> str:
        if state.outcome == "running":
            return self.tr("The numbers on screen are tested when nothing else is computed.")
        if state.outcome == "unavailable":
            none = self.tr("The test could not be run.")
            return none if state.reason is None else error_text(state.reason)
        more = self.tr("Click to see each check, how far it is off, and what rounding explains.")
        if state.outcome != "passed":
            return more
        most = self.tr("The checks are off by {0} at most.")
        return f"{most.format(magnitude(max(row.value for row in state.rows)))} {more}"

    @Slot()
    def open_table(self) -> None:
        """Open the table of checks above the badge."""
        if self.state.outcome != "none":
            card = ChecksCard(self.state, self._reason(self.state), self.window())
            card.open_above(self)


class ChecksCard(QFrame):
    """The table of checks: what is tested, how far it is off, what rounding explains."""

    def __init__(self, state: TestState, reason: str, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setObjectName("popup")
        explain_terms_of(self)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(16, 12, 16, 14)
        self._grid.setHorizontalSpacing(18)
        self._grid.setVerticalSpacing(6)
        self._grid.addWidget(
            named(QLabel(self.tr("Self-test of the sentence on screen")), "title"), 0, 0, 1, 4
        )
        if not state.rows:
            label = QLabel(reason, wordWrap=True, textFormat=Qt.TextFormat.PlainText)
            self._grid.addWidget(label, 1, 0, 1, 4)
        else:
            heads = ("", self.tr("what must hold"), self.tr("off by"), self.tr("at most"))
            for column, words in enumerate(heads):
                self._grid.addWidget(named(QLabel(words), "secondary"), 1, column)
            for row in state.rows:
                self._add(row)
        limits = QLabel(
            self.tr("It tests the program's arithmetic, not whether the checkpoint is a good model."),
            wordWrap=True,
        )
        self._grid.addWidget(named(limits, "secondary"), self._grid.rowCount(), 0, 1, 4)

    def _add(self, row: CheckRow) -> None:
        line, (title, meaning) = self._grid.rowCount(), check_words(row)
        sign = QLabel("✓" if row.is_passed else "✕")
        sign.setProperty("tone", "passed" if row.is_passed else "failed")
        sign.setAccessibleName(self.tr("passed") if row.is_passed else self.tr("failed"))
        self._grid.addWidget(named(sign, "checkSign"), line, 0, Qt.AlignmentFlag.AlignTop)
        words = QLabel(f"<b>{title}</b><br>{meaning}", wordWrap=True)
        words.setMinimumWidth(330)
        self._grid.addWidget(words, line, 1)
        for column, number in ((2, row.value), (3, row.limit)):
            top = Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignRight
            self._grid.addWidget(QLabel(magnitude(number, 1)), line, column, top)

    def open_above(self, badge: QWidget) -> None:
        """Open with the lower right corner above that of `badge`, on the screen as a whole."""
        self.adjustSize()
        corner = badge.mapToGlobal(QPoint(badge.width() - self.width(), -self.height() - 6))
        screen = badge.screen().availableGeometry()
        self.move(max(screen.left(), corner.x()), max(screen.top(), corner.y()))
        self.show()


def check_words(row: CheckRow) -> tuple[str, str]:
    """Return the title of a check and what it compares."""
    translate = QCoreApplication.translate
    words = {
        "rows": (
            translate("SelfTest", "Rows add up to 1"),
            translate("SelfTest", "The attention weights of each query, in every head."),
        ),
        "again": (
            translate("SelfTest", "A second pass agrees"),
            translate("SelfTest", "Attention written out gives the same hidden states as the fast pass."),
        ),
        "weights": (
            translate("SelfTest", "Weights agree with the pass"),
            translate("SelfTest", "Those computed from queries and keys are those that the pass used."),
        ),
        "parts": (
            translate("SelfTest", "Parts add up to the whole"),
            translate("SelfTest", "What each token adds to a vector, with the biases, gives that vector."),
        ),
        "exact": (
            translate("SelfTest", "Float64 agrees"),
            translate("SelfTest", "A pass in double precision gives the same hidden states."),
        ),
    }
    return words.get(row.name, (row.name, ""))
