"""The line below the window, the badge of the self-test in it, and the rounding."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt, Slot
from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from bertviz_app.checkpoint.questions import ModelFacts
from bertviz_app.text import Tokens
from bertviz_app.timers import OneShot
from bertviz_app.viewmodels.results import CheckRow, TestState
from bertviz_app.viewmodels.runs.run import Shown
from bertviz_app.viewmodels.wording import error_text, translate, translated
from bertviz_app.views.kit.card import Elided
from bertviz_app.views.kit.look import grid_of, in_row, named, restyle, styled
from bertviz_app.views.kit.terms import Popup, set_subject
from bertviz_app.views.kit.widgets import show_words
from bertviz_app.views.kit.words import magnitude, probability, wrapped

if TYPE_CHECKING:
    from bertviz_app.viewmodels.analyses.analyses import Rounding, SelfTesting


class RoundingLabel(QLabel):
    """Words where the shown text was encoded with bfloat16; hidden where it was not."""

    def __init__(self) -> None:
        super().__init__()
        self._rounding: Rounding | None = None
        self.hide()

    def follow(self, rounding: Rounding) -> None:
        """Show what is known of the difference from now on."""
        self._rounding = rounding
        rounding.changed.connect(self.refresh)
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Show how far the numbers are rounded, where they are."""
        rounding = self._rounding
        if rounding is None or not rounding.is_low:
            self.hide()
            return
        if not rounding.is_here:
            self.setText(self.tr("bfloat16: not compared, the checkpoint is not here"))
        elif rounding.is_comparing:
            self.setText(self.tr("bfloat16: comparing with float32 …"))
        elif rounding.largest is None:
            self.setText(self.tr("bfloat16: not compared with float32"))
        else:
            self.setText(
                self.tr("bfloat16: largest difference of a weight {0}").format(f"{rounding.largest:.1e}")
            )
        self.setToolTip(
            self.tr("The largest difference of an attention weight of this text from float32, of all heads.")
        )
        self.show()


_ICONS = {"none": "", "running": "…", "passed": "✓", "failed": "✕", "unavailable": "–"}


class SelfTestBadge(QPushButton):
    """A sign, words and a colour; a click opens the table of checks."""

    def __init__(self) -> None:
        super().__init__()
        named(self, "selfTest")
        set_subject(self, "self_test")
        self._testing: SelfTesting | None = None
        self.clicked.connect(self.open_table)
        self.hide()

    def follow(self, testing: SelfTesting) -> None:
        self._testing = testing
        testing.changed.connect(self.refresh)
        self.refresh()

    @property
    def state(self) -> TestState:
        return TestState() if self._testing is None else self._testing.state

    @Slot()
    def refresh(self) -> None:
        state = self.state
        reason, words = self._reason(state), self.tr("Self-test not available")
        if state.outcome == "running":
            words = self.tr("Self-test …")
        elif state.outcome == "passed" and state.worst is not None:
            words = self.tr("Self-test passed")
        elif state.outcome == "failed" and state.worst is not None:
            words = self.tr("Self-test failed: {0}").format(check_words(state.worst)[0])
        self.setText(f"{_ICONS[state.outcome]}  {words}")
        self.setAccessibleName(words)
        self.setToolTip(wrapped(reason))
        self.setAccessibleDescription(reason)  # else that would be the mark-up of the tip
        self.setVisible(state.outcome != "none")
        restyle(self, tone=state.outcome)

    def _reason(self, state: TestState) -> str:
        if state.outcome == "running":
            return self.tr("The numbers on screen are tested when nothing else is computed.")
        if state.outcome == "unavailable":
            return self.tr("The test could not be run.") if state.reason is None else error_text(state.reason)
        more = self.tr("Click to see each check, how far it is off, and what rounding explains.")
        if state.outcome != "passed":
            return more
        most = self.tr("The checks are off by {0} at most.")
        return f"{most.format(magnitude(max(row.value for row in state.rows)))} {more}"

    @Slot()
    def open_table(self) -> None:
        if self.state.outcome != "none":
            card = ChecksCard(self.state, self._reason(self.state), self.window())
            card.adjustSize()
            corner = self.mapToGlobal(QPoint(self.width() - card.width(), -card.height() - 6))
            card.open_at(corner, self.screen().availableGeometry())


class ChecksCard(Popup):
    """The table of checks: what is tested, how far it is off, what rounding explains."""

    def __init__(self, state: TestState, reason: str, parent: QWidget) -> None:
        super().__init__("popup", parent)
        grid = grid_of(self, margins=(16, 12, 16, 14), spacing=(18, 6))
        grid.addWidget(named(QLabel(self.tr("Self-test of the sentence on screen")), "title"), 0, 0, 1, 4)
        if not state.rows:
            grid.addWidget(QLabel(reason, wordWrap=True, textFormat=Qt.TextFormat.PlainText), 1, 0, 1, 4)
        else:
            heads = ("", self.tr("what must hold"), self.tr("off by"), self.tr("at most"))
            for column, words in enumerate(heads):
                grid.addWidget(named(QLabel(words), "secondary"), 1, column)
            top, right = Qt.AlignmentFlag.AlignTop, Qt.AlignmentFlag.AlignRight
            for line, row in enumerate(state.rows, 2):
                title, meaning = check_words(row)
                name = self.tr("passed") if row.is_passed else self.tr("failed")
                sign = named(QLabel("✓" if row.is_passed else "✕"), "checkSign", title=name)
                sign.setProperty("tone", "passed" if row.is_passed else "failed")
                grid.addWidget(sign, line, 0, top)
                words_of_check = QLabel(f"<b>{title}</b><br>{meaning}", wordWrap=True)
                words_of_check.setMinimumWidth(330)
                grid.addWidget(words_of_check, line, 1)
                for column, number in ((2, row.value), (3, row.limit)):
                    grid.addWidget(QLabel(magnitude(number, 1)), line, column, top | right)
        limits = QLabel(
            self.tr("It tests the program's arithmetic, not whether the checkpoint is a good model."),
            wordWrap=True,
        )
        grid.addWidget(named(limits, "secondary"), grid.rowCount(), 0, 1, 4)


def check_words(row: CheckRow) -> tuple[str, str]:
    """Return the title of a check and what it compares."""
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


class StatusLine(QWidget):
    """Describes the result on screen; at the right end a message with a link, e.g. to cancel work."""

    def __init__(self) -> None:
        super().__init__()
        styled(self, "status")
        self._facts = QLabel()
        self._right = Elided()
        self.link = named(QPushButton(), "link")
        self.training = named(QPushButton(), "link")
        self.self_test = SelfTestBadge()
        self.rounding = RoundingLabel()
        at_right = self.training, self.self_test, self._right, self.link
        in_row(self._facts, self.rounding, 1, *at_right, of=self, margins=(12, 0, 12, 0), spacing=16)
        self.link.hide()
        self.training.hide()
        self.passing = OneShot(self, self._right.clear, 20_000)

    @property
    def words(self) -> tuple[str, str]:
        """What stands at the left and at the right."""
        return self._facts.text(), self._right.text()

    def show_result(self, shown: Shown) -> None:
        result, trace = shown.result, shown.result.trace
        device, seconds, n_bytes = translated(result.device.label), result.seconds, trace.n_bytes
        duration = f"{seconds * 1000:.0f} ms" if seconds < 1 else f"{seconds:.2f} s"
        size = f"{n_bytes / 1e6:.1f} MB" if n_bytes < 1e7 else f"{n_bytes / 1e6:.0f} MB"
        parts = (
            self.tr("{0} tokens").format(
                f"{trace.n_tokens} → {trace.n_keys}" if trace.is_cross else trace.n_tokens
            ),
            self.tr("{0} layers × {1} heads").format(trace.n_layers, trace.n_heads),
            self.tr("encoded in {0} on {1}").format(duration, device)
            if seconds
            else self.tr("opened from a file"),
        )
        self._facts.setText("     ".join(parts))
        details = [self.tr("Size of the trace in memory: {0}").format(size)]
        if shown.overview.sample is None and trace.has_states:
            error = probability(max(shown.overview.row_error, 1e-9))
            details.append(self.tr("Each row of attention sums to 1, within {0}").format(error))
        self._facts.setToolTip("\n".join(details))

    def clear(self) -> None:
        """Describe nothing: there is no text."""
        self._facts.clear()
        self._facts.setToolTip("")
        self.show_message("")

    def show_message(self, words: str, tone: str = "", *, link: str = "") -> None:
        """Write at the right end, with a `link` to click; `tone` "warning" for what the user should read.

        What was only done, such as a file that was saved, goes again after a while.
        """
        self._right.setText(words)
        self._right.setToolTip(words)  # where there is no room for all of it
        self.passing.stop()
        if words and not tone and not link:
            self.passing.start()
        restyle(self._right, tone=tone)
        show_words(self.link, link)

    def show_training(self, words: str) -> None:
        """Show how far a training is; a click on `training` opens its page. "" hides it."""
        show_words(self.training, words)


def text_remark(tokens: Tokens, facts: ModelFacts) -> str:
    """Return how much was left out, else is unknown or dropped, else where positions were hardly trained.

    "" where there is nothing to remark. The whole sentences are the notices of the result.
    """
    if tokens.n_left_out:
        return translate("TextRemark", "{0} left out").format(f"{tokens.n_left_out:,}")
    if tokens.n_unknown_words:
        words = translate("TextRemark", "{0} of {1} words unknown")
        return words.format(tokens.n_unknown_words, tokens.n_words)
    if tokens.dropped:
        return translate("TextRemark", "{0} invisible dropped").format(f"{len(tokens.dropped):,}")
    if facts.n_trained_positions is not None and len(tokens) > facts.n_trained_positions:
        return translate("TextRemark", "hardly trained from {0} on").format(facts.n_trained_positions)
    return ""
