"""One head of the watched sentence, large: as lines or as a matrix, under its name."""

from __future__ import annotations

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QLabel, QSizePolicy, QStackedLayout, QVBoxLayout, QWidget

from bertviz_app.viewmodels.heads.pictures import HeadPicture
from bertviz_app.viewmodels.training.watched_sentence import WatchedSentence
from bertviz_app.views.attention.lines import LinesView
from bertviz_app.views.attention.matrix import MatrixView
from bertviz_app.views.kit.card import Segments
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.panel_view import PanelView
from bertviz_app.views.kit.style import named

_KINDS = ("lines", "matrix")


class WatchedHead(QWidget):
    """Shows the active head of `watched`. `kinds` is the switch of its drawing, which the card holds."""

    def __init__(self, look: Look, watched: WatchedSentence, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._watched = watched
        self.kinds = Segments([(kind, kind, "") for kind in _KINDS])
        shared = look, watched.side.selection, watched.side.viewport, watched.options
        self.views: dict[str, PanelView] = {"lines": LinesView(*shared), "matrix": MatrixView(*shared)}
        self.title = named(QLabel(), "title")
        self._large = QStackedLayout()
        for view in self.views.values():
            view.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
            self._large.addWidget(view)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.title)
        column.addLayout(self._large, 1)
        watched.changed.connect(self._on_head_chosen)
        watched.panels.changed.connect(self._on_head_chosen)
        watched.side.pictures.arrived.connect(self._on_picture)
        self.kinds.chosen.connect(self._on_kind_chosen)
        self.retranslate()
        self._on_kind_chosen("matrix")

    @property
    def view(self) -> PanelView:
        """The drawing of the head that is on top."""
        return self.views[self.kinds.chosen_key]

    def retranslate(self) -> None:
        self.kinds.set_texts(
            {
                "lines": (self.tr("Lines"), self.tr("Draw the head as lines")),
                "matrix": (self.tr("Matrix"), self.tr("Draw the head as a matrix")),
            }
        )
        self._name_head()

    def _name_head(self) -> None:
        active = self._watched.panels.active
        if active is not None:
            self.title.setText(self.tr("Layer {0} · Head {1}").format(active.layer, active.head))

    @Slot()
    def _on_head_chosen(self) -> None:
        active = self._watched.panels.active
        if active is None:
            return
        self._name_head()
        picture = self._watched.side.pictures.get(active.layer, active.head)
        if picture is not None:
            self.view.show_picture(picture)

    @Slot(object)
    def _on_picture(self, picture: HeadPicture) -> None:
        active = self._watched.panels.active
        if active is not None and (picture.layer, picture.head) == (active.layer, active.head):
            self.view.show_picture(picture)

    @Slot(str)
    def _on_kind_chosen(self, kind: str) -> None:
        self.kinds.choose(kind)
        self._large.setCurrentWidget(self.view)
        self._on_head_chosen()
